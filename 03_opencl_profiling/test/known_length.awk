# SPDX-License-Identifier: MIT
NR > 1 {
    ask(v("start_to_end_us") <= 1.01 * v("host_us") + 10, "START to END is in the host's time")
    if ($column["code_by"] !~ /loop/)
        ask(v("code_us") >= 0.99 * v("length_us"), "a spin runs as long as it was told")
}
