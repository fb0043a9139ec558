# SPDX-License-Identifier: MIT
{
    ask(v("start_to_end_us") > 0 && v("row_start_to_end_us") >= 0, "START is before END")
    if ($column["code_us"] != "") {
        ask(v("code_us") >= 9.99, "work-groups spin as long as they were asked to")
        ask(v("code_us") <= 1.01 * v("start_to_end_us") + 10, "the code runs between START and END")
        ask(v("in_a_row_us") >= 0.8 * v("code_us") - 10 || $column["disturbed"] == 1, "in a row one kernel runs after the other")
    }
}
END { ask(rows == 3, "three numbers of work-groups") }
