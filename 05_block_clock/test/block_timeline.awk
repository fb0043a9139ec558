# SPDX-License-Identifier: MIT
{
    ask(v("start_ns") >= last && v("end_ns") >= v("start_ns"), "in the order of their starts, each before its end")
    ask(v("clocks") > 0 && !seen[$column["block"]]++, "each block once, and it takes time")
    place = v("unit") " " v("place")
    if (v("place") < 63) # the last one has what found no place of its own
        ask(v("start_ns") >= end[place], "one block at a time in a place")
    end[place] = v("end_ns")
    if (rows == 1)
        ask(v("start_ns") == 0, "counted from the first start")
    last = v("start_ns")
}
