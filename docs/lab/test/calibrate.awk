# SPDX-License-Identifier: MIT
{
    ask(v("low") <= v("value") && v("value") <= v("high"), "the value is between low and high")
    seen[$column["quantity"]] = v("value")
}
$column["quantity"] ~ /^timer_rate/ { ask(v("value") > -10000 && v("value") < 10000, "no crystal is wrong by a percent") }
$column["quantity"] ~ /^(timer_tick_ns|empty_us|floor_us)$/ { ask(v("value") >= 0, "takes time") }
END {
    ask(rows == 15, "15 quantities")
    ask(seen["timer_tick_ns"] > 0, "the timer has a tick")
    ask(seen["extra_us"] > -2 && seen["event_step_ns"] >= 0, "the events are around the spin, which gets longer")
}
