# SPDX-License-Identifier: MIT
$2 ~ /_barrier$/ { clocks[$2] = v("clocks") }
END { ask(rows == 7 && clocks["without_barrier"] < clocks["with_barrier"], "thread 0 misses the slower warps") }
