# SPDX-License-Identifier: MIT
# The work takes 20 ms of processor time, the sleep 20 ms of time.
$column["counts"] == "elapsed_time" {
    ask(v("sleep_ms") >= 20, "a sleep of 20 ms takes 20 ms")
    ask(v("work_ms") <= 22 || $column["disturbed"] == 1, "work that waits for its core is marked")
}
$column["clock"] == "clock()" { ask(v("work_ms") >= 19 && v("two_threads_ms") >= 39, "clock() counts the time of all threads") }
{ ask(v("claimed_step_ns") >= 1 && v("seen_step_ns") >= 1 && v("call_ns") > 0, "steps and costs") }
END { ask(rows == 6, "six clocks") }
