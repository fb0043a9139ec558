# SPDX-License-Identifier: MIT
{ length_us = $column["kernel"] == "spin_10us" ? 10 : $column["kernel"] == "spin_1ms" ? 1000 : 0 }
length_us && $column["method"] != "event_floor" {
    ask(v("code_us") >= length_us, "a spin runs as long as it was told")
    if ($column["method"] ~ /^(host_sync|event|event_blocked)$/)
        ask(v("median_us") >= v("code_us") - 2, "the host waits for the kernel, the events are around it")
}
!length_us || $column["method"] == "event_floor" { ask($column["code_us"] $column["extra_us"] == "", "only a spin knows its length") }
END { ask(rows == 16, "seven methods on two kernels, clock() twice on the long spin") }
