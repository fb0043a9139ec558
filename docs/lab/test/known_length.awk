# SPDX-License-Identifier: MIT
# Where a loop stands in place of a clock, its length is only good to some percent.
{
    ask(v("start_to_end_us") <= 1.01 * v("host_us") + 10, "START to END is in the host's time")
    ask(v("code_us") >= 0.9 * v("length_us"), "a spin runs as long as it was asked to")
}
