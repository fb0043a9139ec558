# SPDX-License-Identifier: MIT
$column["method"] == "finish_before_and_after" { host_us = v("median_us") }
$column["method"] == "profiling_event" { ask(v("median_us") > 0 && v("median_us") <= 1.01 * host_us + 10, "the host waits longer than the kernel runs") }
END { ask(rows == 4, "four methods") }
