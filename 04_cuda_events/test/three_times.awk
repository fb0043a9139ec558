# SPDX-License-Identifier: MIT
{
    ask(v("event_net_us") > 0 && v("row_slope_us") > 0 && v("row_of_20_us") > 0, "a kernel takes some time")
    ask(v("floor_us") >= 0, "no pair of events is below 0")
}
$column["stamps"] == "yes" {
    ask(v("code_stamps_us") >= 0 && v("plain_stamps_us") >= 0, "the stamps tell")
    ask(v("event_net_us") >= v("code_stamps_us") - 4, "the events are around the kernel")
    ask($column["kernel"] != "spin_2us" || v("code_stamps_us") >= 2, "a spin runs as long as it was told")
    ask(v("row_stamps_us") >= (($column["kernel"] == "spin_2us") ? 2 : 0), "one launch starts after the other")
}
$column["stamps"] == "no" { ask($column["code_stamps_us"] $column["row_stamps_us"] $column["plain_stamps_us"] == "", "no stamps, no times") }
END { ask(rows == 8, "two numbers of blocks, two sizes, without stamps and with") }
