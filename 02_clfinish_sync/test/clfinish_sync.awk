# SPDX-License-Identifier: MIT
$2 == "finish_before_and_after" { host_us = v("median_us") }
$2 == "profiling_event" { ask(v("median_us") > 0 && v("median_us") <= 1.01 * host_us + 10, "the host waits longer than the kernel runs") }
END { ask(rows == 4, "four methods") }
