# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- 01_minimal ----
$(NF - 5) != "clock_gettime" { ask(0, "each line has both clocks") }
{
    elapsed_us = $(NF - 4)
    used_us = $(NF - 1)
    all_us += elapsed_us
    in_the_run(all_us, "what passed")
}
/rand/ {
    ask(elapsed_us >= 100, "a million calls take 0.1 ns each, at least")
    ask(used_us >= 0 && used_us <= elapsed_us + 10000, "one thread has one processor")
}
/sleep/ {
    ask(elapsed_us >= 20000, "a sleep of 20 ms takes 20 ms")
    ask(used_us >= 0 && used_us <= 2000, "a sleep uses no processor")
}
END { ask(rows == 2, "work and sleep") }

# ---- host_clock ----
# The work takes 20 ms of processor time, the sleep 20 ms of time.
$column["counts"] == "elapsed_time" {
    ask(v("sleep_ms") >= 20, "a sleep of 20 ms takes 20 ms")
    ask(v("work_ms") <= 22 || $column["disturbed"] != "-", "work that waits for its core is marked")
}
$column["clock"] == "clock()" {
    ask(v("work_ms") >= 19 && v("two_threads_ms") >= 39, "clock() counts the time of all threads")
}
{ ask(v("claimed_step_ns") >= 1 && v("seen_step_ns") >= 1 && v("call_ns") > 0, "steps and costs") }
END { ask(rows == 6, "six clocks") }

# ---- stopwatch ----
{
    ask(v("laps") == rows && v("total_ms") >= last_ms + 5, "a lap of 5 ms takes 5 ms")
    last_ms = v("total_ms")
    off_ms = v("average_ms") * v("laps") - v("total_ms")
    ask(-0.001 * v("laps") <= off_ms && off_ms <= 0.001 * v("laps"), "the average is the total by the laps")
}
END {
    ask(rows == 5, "five laps")
    ask(value["first_lap_ms"] >= 50, "the first lap of 50 ms takes 50 ms")
    ask(value["laps_and_pauses_ms"] >= last_ms + 10 * rows - 0.001, "a pause of 10 ms is in no lap")
    in_the_run((value["first_lap_ms"] + value["laps_and_pauses_ms"]) * 1000, "all laps and pauses")
}

# ---- integer_trap ----
{ ask(v("lost_ns") == 0 || v("since_zero_days") > 104, "a double holds 104 days of ns") }
$column["moment"] ~ /1970/ { ask(v("lost_ns") >= 128, "half the step of a double beyond 2^60") }
END { ask(rows == 5, "five moments") }
