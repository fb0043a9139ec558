# SPDX-License-Identifier: MIT
NR > 1 {
    ask(v("start_to_end_us") > 0 && v("start_to_end_us") <= 1.01 * v("host_us") + 10, "START to END is in the host's time")
    ask(v("bandwidth_gb_s") > 0 && v("copy_bandwidth_gb_s") > 0 && v("scalar_bandwidth_gb_s") > 0, "bandwidths")
}
