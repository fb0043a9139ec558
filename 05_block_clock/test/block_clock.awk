# SPDX-License-Identifier: MIT
# The rows print whole clocks: allow for the rounding.
NR > 1 {
    ask(0 < v("clocks_min") && v("clocks_min") <= v("clocks_mean") + 1 && v("clocks_mean") <= v("clocks_max") + 1, "min <= mean <= max")
    ask(v("outside_us") > 0, "a launch takes time")
    if ($column["used"] != "")
        ask(v("used") >= 1 && v("used") <= v("blocks"), "as many SMs as blocks at most")
}
