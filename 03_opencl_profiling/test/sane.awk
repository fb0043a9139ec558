# SPDX-License-Identifier: MIT
#
# What the record of each program of this folder must hold on any machine under any load. A program with _opencl in its
# name has the rules of the one without, if it has none of its own.

# ---- 03_minimal ----
/^run/ {
    off_us = $8 - $6 - $15
    ask(-0.002 < off_us && off_us < 0.002 && $15 > 0, "START to END is END minus START, and takes time")
    in_the_run(all_us += $8, "all runs")
    runs++
}
END { ask(runs == 5, "five runs") }

# ---- opencl_profiling ----
$column["interval"] == "start_to_end" {
    device_us = v("median_us")
    ask(v("min_us") > 0, "START is before END")
}
$column["interval"] ~ /end|host/ { ask(v("min_us") >= 0, "only stamps before START may be out of order") }
$column["interval"] == "empty_kernel" { ask(v("min_us") >= 0, "START of an empty kernel is before its END") }
$column["interval"] == "host" { ask(device_us <= 1.01 * v("median_us") + 10, "START to END is in the host's time") }
END { ask(rows == 6, "six intervals") }

# ---- bandwidth ----
{
    ask(v("start_to_end_us") > 0 && v("start_to_end_us") <= 1.01 * v("host_us") + 10,
        "START to END is in the host's time")
    ask(v("four_floats_gb_s") > 0 && v("one_float_gb_s") > 0 && v("copy_gb_s") > 0, "bandwidths")
}

# ---- known_length ----
# Where a loop stands in place of a clock, its length is only good to some percent.
{
    ask(v("start_to_end_us") <= 1.01 * v("host_us") + 10, "START to END is in the host's time")
    ask(v("code_us") >= 0.9 * v("length_us"), "a spin runs as long as it was asked to")
}
