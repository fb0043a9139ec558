# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- 05_minimal ----
/on average/ {
    ask($6 > 0, "a block takes clocks")
    in_the_run($6 / 10000, "a block at 10 GHz")
    ask($1 > blocks, "more blocks in each line")
    blocks = $1
    lines++
}
END { ask(lines == 3, "three numbers of blocks") }

# ---- block_clock ----
{
    ask(v("clocks_median") > 0 && v("clocks_mean") > 0, "a block takes clocks")
    ask(v("whole_launch_us") > 0, "a launch takes time")
    if ($column["used_units"] != "-")
        ask(v("used_units") >= 1 && v("used_units") <= v("blocks"), "as many units as blocks at most")
}

# ---- barrier ----
{ clocks[$column["method"]] = v("clocks") }
END { ask(rows == 4 && clocks["without_barrier"] < clocks["with_barrier"], "thread 0 misses the slower warps") }

# ---- sm_counters ----
$column["what"] == "counter_32_bit" { ask(v("clocks") < 2 ^ 32, "32 bits wrap") }
$column["what"] == "counter_64_bit" { ask(v("clocks") > 2 ^ 32, "64 bits do not") }
$column["what"] == "clock_rate" { ask(v("clocks") > 0 && v("time_us") > 0, "the clock runs") }
END { ask(rows >= 3, "rate, zero points, across SMs") }
