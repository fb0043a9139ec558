# SPDX-License-Identifier: MIT
{ ask(v("code_us") >= 250, "a spin runs as long as it was told") }
$column["events"] ~ /own_stream|default_waits/ { ask(v("pair_us") >= v("code_us") - 2, "the events are around the spin") }
END { ask(rows == 5, "five pairs") }
