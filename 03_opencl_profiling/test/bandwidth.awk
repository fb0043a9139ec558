# SPDX-License-Identifier: MIT
{
    ask(v("start_to_end_us") > 0 && v("start_to_end_us") <= 1.01 * v("host_us") + 10, "START to END is in the host's time")
    ask(v("four_floats_gb_s") > 0 && v("one_float_gb_s") > 0 && v("copy_gb_s") > 0, "bandwidths")
}
