# SPDX-License-Identifier: MIT
{
    ask(v("total_ms") >= 5 * v("laps"), "a lap of 5 ms takes 5 ms")
    ask(v("average_ms") * v("laps") <= v("total_ms") + 0.001 * v("laps") && v("average_ms") * v("laps") >= v("total_ms") - 0.001 * v("laps"), "the average is the total by the laps")
}
END { ask(rows == 5, "five laps") }
