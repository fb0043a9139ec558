# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load.

# ---- known_length ----
# Where a loop stands in place of a clock, its length is only good to some percent.
{
    ask(v("start_to_end_us") <= 1.01 * v("host_us") + 10, "START to END is in the host's time")
    ask(v("code_us") >= 0.9 * v("length_us"), "a spin runs as long as it was asked to")
}

# ---- calibrate ----
{
    ask(v("low") <= v("value") && v("value") <= v("high"), "the value is between low and high")
    seen[$column["quantity"]] = v("value")
}
$column["quantity"] ~ /^(empty_us|floor_us)$/ { ask(v("value") >= 0, "takes time") }
END {
    ask(rows == 14, "14 quantities")
    ask(seen["timer_tick_ns"] > 0, "the timer has a tick")
    ask(seen["extra_us"] > -2 && seen["event_step_ns"] >= 0, "the events are around the spin, which gets longer")
}

# ---- sm_counters ----
$column["what"] == "counter_32_bit" { ask(v("clocks") < 2 ^ 32, "32 bits wrap") }
$column["what"] == "counter_64_bit" { ask(v("clocks") > 2 ^ 32, "64 bits do not") }
$column["what"] == "clock_rate" { ask(v("clocks") > 0 && v("time_us") > 0, "the clock runs") }
END { ask(rows >= 3, "rate, zero points, across SMs") }

# ---- sm_clock ----
{
    ask(v("clock_mhz") > 0 && v("since_s") >= before, "the clock runs, and time goes on")
    before = v("since_s")
}
rows <= 10 { ask($column["numbers"] == "none" && v("turn") == 0 && $column["launch_ms"] == "", "first one SM alone") }
rows > 10 {
    ask(v("launch_ms") > 0, "a launch takes time")
    kind = (rows - 11) % 3
    ask($column["numbers"] == (kind == 0 ? "zeros" : kind == 1 ? "random" : "fma"), "the three loads in turns")
    ask(v("turn") == int((rows - 8) / 3), "a row of each in each turn")
}
END { ask(rows == 25, "10 samples of one SM, 5 of each load") }
