# SPDX-License-Identifier: MIT
$column["kernel"] == "spin" {
    ask(v("code_us") >= 2 && v("nodes_us") >= 0, "a spin runs as long as it was told")
    ask(v("graph_period_us") >= 2 && v("stream_period_us") >= 2, "one spin ends before the next one starts")
    ask(v("graph_us") >= 1.5 && v("stream_us") >= 1.5, "the events are around all spins")
}
END { ask(rows == 2, "two kernels") }
