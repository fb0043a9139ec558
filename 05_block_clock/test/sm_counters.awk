# SPDX-License-Identifier: MIT
$2 == "counter_32_bit" { ask(v("clocks") < 2 ^ 32, "32 bits wrap") }
$2 == "counter_64_bit" { ask(v("clocks") > 2 ^ 32, "64 bits do not") }
$2 == "clock_rate" { ask(v("clocks") > 0 && v("time_us") > 0, "the clock runs") }
