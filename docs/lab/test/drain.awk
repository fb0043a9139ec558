# SPDX-License-Identifier: MIT
{
    ask($column["kernel"] != "spin" || v("code_us") >= 2, "a spin runs as long as it was told")
    ask(v("drain_us") >= 0 && v("waited_us") >= 0 && v("next_start_us") >= 0, "what comes next comes after the end")
    ask(v("event_net_us") >= v("code_us") - 2, "the events are around the kernel")
}
END { ask(rows == 6, "three sizes of two kernels") }
