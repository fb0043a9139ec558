# SPDX-License-Identifier: MIT
{
    ask(v("min_us") > 0, "every launch takes time")
    ask(v("spread_percent") >= 0 && (v("spread_percent") > 0 || v("min_us") == v("max_us")), "from the smallest to the largest")
    where = where " " $column["where"]
}
END { ask(where == " again moved process", "three kinds of places") }
