# SPDX-License-Identifier: MIT
NR > 1 {
    ask(v("start_to_end_us") > 0 && v("row_start_to_end_us") > 0, "START is before END")
    if ($column["clock"] != "none")
        ask(v("code_us") >= 9.9, "a kernel spins as long as it was told")
}
END { ask(rows == 3, "three numbers of work-groups") }
