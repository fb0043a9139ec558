# SPDX-License-Identifier: MIT
# The rows print whole clocks: allow for the rounding.
{
    ask(0 < v("clocks_median") && v("clocks_median") <= v("clocks_max") + 1, "0 < median <= max")
    ask(0 < v("clocks_mean") && v("clocks_mean") <= v("clocks_max") + 1, "0 < mean <= max")
    ask(v("whole_launch_us") > 0, "a launch takes time")
    if ($column["used_units"] != "")
        ask(v("used_units") >= 1 && v("used_units") <= v("blocks"), "as many units as blocks at most")
    if (rows == 1)
        ask(v("mean_to_first") == 1, "compared with itself")
}
