# SPDX-License-Identifier: MIT
# The work takes 20 ms of processor time, the sleep 20 ms of time.
NR > 1 && $1 != "clock()" && $1 !~ /REALTIME|gettimeofday/ { ask(v("sleep_ms") >= 20, "a sleep of 20 ms takes 20 ms") }
$1 == "clock()" { ask(v("work_ms") >= 19 && v("threads_ms") >= 39, "clock() counts the time of all threads") }
NR > 1 { ask(v("resolution_ns") >= 1 && v("step_ns") >= 1 && v("cost_ns") > 0, "steps and costs") }
END { ask(rows == 6, "six clocks") }
