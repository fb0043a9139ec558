# SPDX-License-Identifier: MIT
{ clocks[$column["method"]] = v("clocks") }
END { ask(rows == 3 && clocks["without_barrier"] < clocks["with_barrier"], "thread 0 misses the slower warps") }
