# SPDX-License-Identifier: MIT
$column["kernel"] == "spin_10us" && $column["method"] != "event_floor" {
    ask(v("code_us") >= 10, "a spin runs as long as it was told")
    if ($column["method"] ~ /^(host_sync|event|event_blocked)$/)
        ask(v("median_us") >= v("code_us") - 2, "the host waits for the kernel, the events are around it")
}
$column["kernel"] == "vector_add" || $column["method"] == "event_floor" { ask($column["code_us"] $column["extra_us"] == "", "only a spin knows its length") }
END { ask(rows == 14, "seven methods on two kernels") }
