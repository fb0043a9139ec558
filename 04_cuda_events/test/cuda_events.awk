# SPDX-License-Identifier: MIT
$column["kernel"] == "spin_10us" {
    ask(v("code_us") >= 10, "a spin runs as long as it was told")
    if ($column["method"] == "host_sync")
        ask(v("median_us") >= v("code_us") - 2, "the host waits for the kernel")
    if ($column["method"] == "event" || $column["method"] == "event_blocked")
        ask(v("median_us") >= v("code_us") - 2, "the events are around the kernel")
}
END { ask(rows == 14, "seven methods on two kernels") }
