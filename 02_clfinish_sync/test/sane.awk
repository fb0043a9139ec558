# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- clfinish_sync ----
$column["method"] == "finish_before_and_after" { host_us = v("max_us") }
$column["method"] == "profiling_event" {
    ask(v("min_us") > 0 && v("min_us") <= host_us, "the host waits longer than the kernel runs")
}
END { ask(rows == 4, "four methods") }
