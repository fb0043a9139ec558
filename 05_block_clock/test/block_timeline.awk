# SPDX-License-Identifier: MIT
NR > 1 {
    ask(v("start_ns") >= last && v("end_ns") >= v("start_ns"), "in the order of their starts, each before its end")
    ask(v("clocks") > 0 && v("sm") >= 0 && !seen[$column["block"]]++, "each block once, and it takes time")
    if (rows == 1)
        ask(v("start_ns") == 0, "counted from the first start")
    last = v("start_ns")
}
