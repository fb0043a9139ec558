# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- 06_minimal ----
/^launch .*:/ {
    us = $(NF - 1)
    ask(us > 0, "a launch takes some time")
    in_the_run(all_us += us, "all launches")
    if (!launches++)
        first_us = least_us = us
    least_us = us < least_us ? us : least_us
}
/takes/ {
    off_us = $4 - (first_us - least_us)
    ask(-0.002 < off_us && off_us < 0.002, "the first launch minus the shortest")
}
END { ask(launches == 10, "ten launches") }

# ---- warmup ----
{ ask(v("first_launch_us") > 0 && v("estimate_us") > 0 && v("steady_us") > 0, "every launch takes time") }
$1 == "mean_of_100" { first_us = v("first_launch_us") }
END {
    ask(rows == 5, "five recipes")
    off_us = value["launch_1_us"] - first_us
    ask(-0.001 < off_us && off_us < 0.001 && value["launch_100_us"] > 0, "the launches of mean_of_100 below the table")
}

# ---- lazy_loading ----
{ ask(v("first_launch_us") > 0 && v("second_launch_us") > 0, "every launch takes time") }
END { ask(rows == 2, "LAZY and EAGER") }

# ---- l2_cache ----
{ ask(v("warm_us") > 0 && v("flushed_us") > 0 && v("written_us") > 0, "every launch takes time") }

# ---- sm_clock ----
{
    ask(v("clock_mhz") > 0 && v("since_s") >= before, "the clock runs, and time goes on")
    before = v("since_s")
}
rows <= 10 { ask($column["numbers"] == "none" && v("turn") == 0 && $column["launch_ms"] == "", "first one SM alone") }
rows > 10 {
    ask(v("launch_ms") > 0, "a launch takes time")
    kind = (rows - 11) % 3
    ask($column["numbers"] == (kind == 0 ? "zeros" : kind == 1 ? "random" : "fma"), "the three loads in turns")
    ask(v("turn") == int((rows - 8) / 3), "a row of each in each turn")
}
END { ask(rows == 25, "10 samples of one SM, 5 of each load") }
