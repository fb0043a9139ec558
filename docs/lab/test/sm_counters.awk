# SPDX-License-Identifier: MIT
$column["what"] == "counter_32_bit" { ask(v("clocks") < 2 ^ 32, "32 bits wrap") }
$column["what"] == "counter_64_bit" { ask(v("clocks") > 2 ^ 32, "64 bits do not") }
$column["what"] == "clock_rate" { ask(v("clocks") > 0 && v("time_us") > 0, "the clock runs") }
END { ask(rows >= 3, "rate, zero points, across SMs") }
