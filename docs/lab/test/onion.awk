# SPDX-License-Identifier: MIT
{
    ask(v("kernel_us") >= v("length_us"), "a spin runs as long as it was told")
    ask(v("kernel_us") + v("launch_and_drain_us") >= v("kernel_us") - 2 && v("floor_us") >= 0, "the events are around the kernel")
    ask(v("way_and_back_us") >= -2 && v("host_us") >= v("kernel_us") - 2, "each shell is in the next")
}
END { ask(rows == 7, "seven lengths") }
