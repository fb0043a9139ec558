# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- 04_minimal ----
{
    ask($3 > 0, "a kernel takes some time")
    in_the_run(all_us += $3, "all runs")
}
END { ask(rows == 5, "five runs") }

# ---- 04_minimal_blocked ----
$1 != "retaken:" {
    ask($2 > 0, "a pair of events takes some time")
    in_the_run(us[$1] = $2, $1)
}
END {
    off_us = us["event_net:"] - (us["event_blocked:"] - us["event_floor:"])
    ask(rows == 6 && -0.002 < off_us && off_us < 0.002, "event_net is event_blocked minus the floor")
    ask(us["shortest_net:"] <= us["event_net:"] && us["event_net:"] <= us["longest_net:"], "a median between")
}

# ---- cuda_events ----
{ length_us = $column["kernel"] == "spin_10us" ? 10 : $column["kernel"] == "spin_1ms" ? 1000 : 0 }
length_us && $column["method"] != "event_floor" {
    ask(v("code_us") >= length_us, "a spin runs as long as it was told")
    if ($column["method"] ~ /^(host_sync|event|event_blocked)$/)
        ask(v("median_us") >= v("code_us") - 2, "the host waits for the kernel, the events are around it")
}
!length_us || $column["method"] == "event_floor" {
    ask($column["code_us"] $column["extra_us"] == "--", "only a spin knows its length")
}
{ us[$column["method"]] = v("median_us") } # of a kernel: event_net stands behind the two others
$column["method"] == "event_net" {
    off_us = v("median_us") - (us["event_blocked"] - us["event_floor"])
    ask(-0.002 < off_us && off_us < 0.002, "event_net is event_blocked minus the floor")
}
END {
    ask(rows == 24, "eight methods on three kernels")
    ask(value["event_step_ns"] == "-" || value["event_step_ns"] >= 1, "many event times differ, or none is named")
}

# ---- three_times ----
{
    ask(v("event_net_us") > 0 && v("row_slope_us") > 0, "a kernel takes some time")
    ask(v("floor_us") >= 0, "no pair of events is below 0")
}
$column["stamps"] == "yes" {
    ask(v("code_stamps_us") >= 0, "the stamps tell")
    ask(v("event_net_us") >= v("code_stamps_us") - 4, "the events are around the kernel")
    ask($column["kernel"] != "spin_2us" || v("code_stamps_us") >= 2, "a spin runs as long as it was told")
    ask(v("row_stamps_us") >= (($column["kernel"] == "spin_2us") ? 2 : 0), "one launch starts after the other")
}
$column["stamps"] == "no" {
    ask($column["code_stamps_us"] $column["row_stamps_us"] == "--", "no stamps, no times")
}
END { ask(rows == 8, "two numbers of blocks, two sizes, without stamps and with") }

# ---- wrong_questions ----
BEGIN {
    error["stop_never_recorded"] = error["stop_without_timing"] = "cudaErrorInvalidResourceHandle"
    error["stop_not_finished"] = "cudaErrorNotReady"
}
{ q = $column["question"] }
q in error { ask($column["error"] == error[q], "the error that the manual names") }
!(q in error) {
    ask($column["error"] == "cudaSuccess", "a wrong stream is no error")
    ask(v("code_us") >= 250, "a spin runs as long as it was told")
}
q ~ /own_stream|default_waits/ { ask(v("pair_us") >= v("code_us") - 2, "the events are around the spin") }
END { ask(rows == 8, "three errors, five pairs") }
