# SPDX-License-Identifier: MIT
# The rows print whole clocks: allow for the rounding.
NR > 1 {
    ask(0 < v("clocks_min") && v("clocks_min") <= v("clocks_mean") + 1 && v("clocks_mean") <= v("clocks_max") + 1, "min <= mean <= max")
    ask(v("event_us") > 0, "an event pair takes time")
    if ($column["sms"] != "")
        ask(v("sms") >= 1 && v("sms") <= v("blocks"), "as many SMs as blocks at most")
}
