# SPDX-License-Identifier: MIT
NR > 1 {
    ask(v("median_us") > 0, "every launch takes time")
    ask(v("turn") == rows, "turn after turn") # sane.awk has counted this row
    times[$column["where"]]++
    ask(v("process") == ($column["where"] == "process" ? times["process"] : 0), "a new process each, or the one that stays")
    ask(v("place") == ($column["where"] == "moved" ? times["moved"] : 0), "a new place each, or the first one")
    if (rows % 3 == 0)
        ask(times["again"] == rows / 3 && times["moved"] == rows / 3 && times["process"] == rows / 3, "in turns")
}
END { ask(rows == 3 * $column["runs"], "three medians a run") }
