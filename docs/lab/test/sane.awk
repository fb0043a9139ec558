# SPDX-License-Identifier: MIT
#
# What the record of each program of this room must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- known_length ----
# Where a loop stands in place of a clock, its length is only good to some percent.
{
    ask(v("start_to_end_us") <= 1.01 * v("host_us") + 10, "START to END is in the host's time")
    ask(v("code_us") >= 0.9 * v("length_us"), "a spin runs as long as it was asked to")
}

# ---- three_times_opencl ----
{
    ask(v("start_to_end_us") > 0 && v("row_start_to_end_us") >= 0, "START is before END")
    if ($column["code_us"] != "") {
        ask(v("code_us") >= 9.99, "work-groups spin as long as they were asked to")
        ask(v("code_us") <= 1.01 * v("start_to_end_us") + 10, "the code runs between START and END")
        ask(v("in_a_row_us") >= 0.8 * v("code_us") - 10 || $column["disturbed"] == 1,
            "in a row one kernel runs after the other")
    }
}
END { ask(rows == 3, "three numbers of work-groups") }

# ---- onion ----
{
    ask(v("kernel_us") >= v("length_us"), "a spin runs as long as it was told")
    ask(v("kernel_us") + v("launch_and_drain_us") >= v("kernel_us") - 2 && v("floor_us") >= 0,
        "the events are around the kernel")
    ask(v("way_and_back_us") >= -2 && v("host_us") >= v("kernel_us") - 2, "each shell is in the next")
}
END { ask(rows == 7, "seven lengths") }

# ---- drain ----
{
    ask($column["kernel"] != "spin" || v("code_us") >= 2, "a spin runs as long as it was told")
    ask(v("drain_us") >= 0 && v("waited_us") >= 0 && v("next_start_us") >= 0, "what comes next comes after the end")
    ask(v("event_net_us") >= v("code_us") - 2, "the events are around the kernel")
}
END { ask(rows == 6, "three sizes of two kernels") }

# ---- graph_times ----
$column["kernel"] == "spin" {
    ask(v("code_us") >= 2 && v("nodes_us") >= 0, "a spin runs as long as it was told")
    ask(v("graph_period_us") >= 2 && v("stream_period_us") >= 2, "one spin ends before the next one starts")
    ask(v("graph_us") >= 1.5 && v("stream_us") >= 1.5, "the events are around all spins")
}
END { ask(rows == 2, "two kernels") }

# ---- calibrate ----
{
    ask(v("low") <= v("value") && v("value") <= v("high"), "the value is between low and high")
    seen[$column["quantity"]] = v("value")
}
$column["quantity"] ~ /^timer_rate/ {
    ask(v("value") > -10000 && v("value") < 10000, "no crystal is wrong by a percent")
}
$column["quantity"] ~ /^(timer_tick_ns|sm_clock_mhz|empty_us|floor_us)$/ { ask(v("value") >= 0, "takes time") }
END {
    ask(rows == 18, "18 quantities")
    ask(seen["timer_tick_ns"] > 0, "the timer has a tick")
    ask(seen["extra_us"] > -2 && seen["event_step_ns"] >= 0, "the events are around the spin, which gets longer")
}

# ---- calibrate_opencl ----
{
    ask(v("low") <= v("value") && v("value") <= v("high"), "the value is between low and high")
    seen[$column["quantity"]] = v("value")
}
$column["quantity"] ~ /^timer_rate/ {
    ask(v("value") > -10000 && v("value") < 10000, "no crystal is wrong by a percent")
}
$column["quantity"] ~ /^(call_us|wait_us|empty_us)$/ { ask(v("value") >= 0, "takes time") }
END {
    ask(rows == 12 || (rows == 9 && !("extra_us" in seen)), "12 quantities; 3 need a clock in the kernel")
    ask(seen["stamp_tick_ns"] > 0 && seen["event_step_ns"] >= 0, "the stamps go on")
}

# ---- outside_the_block ----
$column["method"] ~ /_stamps$/ { ask(v("time_us") > 0, "a launch takes time") }
END { ask(rows == 4, "two shells, with stamps and without") }

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

# ---- placement ----
{
    ask(v("min_us") > 0, "every launch takes time")
    ask(v("spread_percent") >= 0 && (v("spread_percent") > 0 || v("min_us") == v("max_us")),
        "from the smallest to the largest")
    where = where " " $column["where"]
}
END { ask(where == " again moved process", "three kinds of places") }

# ---- same_input_opencl ----
{ ask(v("first_launch_us") >= 0 && v("last_launch_us") > 0 && v("last_to_same") > 0, "every launch takes time") }
$column["input"] == "same" { ask(v("last_to_same") == 1, "as long as itself") }
END { ask(rows == 4, "four inputs") }

# ---- two_gpus ----
{
    ask($column["disturbed"] == 1 || (v("low") <= v("value") && v("value") <= v("high")),
        "the value is between low and high")
    if ($column["pair"] == "0-1")
        seen[$column["quantity"]] = v("value")
    if ($column["quantity"] ~ /^(outside|early)$/)
        ask(v("value") == 0 || $column["disturbed"] == 1,
            "each sweep fits its neighbours, and no stamp arrives before it is sent")
    if ($column["quantity"] == "early") # threads that are held up all the time give a poor line, but no other one
        ask(v("value") < v("high") / 4, "most stamps arrive after they are sent")
    if ($column["quantity"] ~ /^(way_ns|bound_ns|copy_us|wait_.*|.*reduce_us)$/)
        ask(v("value") > 0, "takes time")
}
END {
    ask(rows >= 28, "twenty sweeps and eight rows of each pair")
    ask(seen["bound_ns"] >= seen["way_ns"] / 2, "the bound is half the way at least")
    if ("host_us" in seen)
        ask(seen["apart_us"] < seen["late_reduce_us"] && seen["late_reduce_us"] < seen["host_us"],
            "what is inside is shorter")
}
