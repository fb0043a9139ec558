# SPDX-License-Identifier: MIT
{ ask(v("pair_us") >= 0, "no pair of events is below 0") }
$column["between"] ~ /spin/ { ask(v("pair_us") >= 8, "the events are around the spin") }
END { ask(rows == 8, "eight rows") }
