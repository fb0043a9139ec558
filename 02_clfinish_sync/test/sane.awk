# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- 02_minimal ----
/^run/ {
    ask($(NF - 5) > 0 && $(NF - 5) <= $(NF - 1), "the call returns before clFinish does")
    in_the_run(all_us += $(NF - 1), "all runs")
    runs++
}
END { ask(runs == 10, "ten runs") }

# ---- clfinish_sync ----
$column["method"] == "finish_before_and_after" { host_us = v("max_us") }
$column["method"] == "profiling_event" {
    ask(v("min_us") > 0 && v("min_us") <= host_us, "the host waits longer than the kernel runs")
}
END { ask(rows == 4, "four methods") }
