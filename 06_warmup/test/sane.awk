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
{
    ask(v("launch_1_us") > 0 && v("estimate_us") > 0 && v("steady_us") > 0, "every launch takes time")
    ask(v("run") == int((rows + 4) / 5), "five recipes in turns")
}
$column["recipe"] == "first_launch" { ask(v("estimate_us") == v("launch_1_us"), "the first launch is the estimate") }
END { ask(rows == 5 * value["runs"], "five recipes in each run") }

# ---- l2_cache ----
{ ask(v("warm_us") > 0 && v("flushed_us") > 0 && v("written_us") > 0, "every launch takes time") }

# ---- sm_clock ----
{
    ask(v("clock_mhz") > 0 && v("since_ms") >= before, "the clock runs, and time goes on")
    before = v("since_ms")
}
rows <= 10 { ask($column["load"] == "none", "first one SM alone") }
rows > 10 { ask($column["load"] == "fma", "then all of them") }
END { ask(rows == 15, "10 rows of one SM, 5 of the load") }
