# SPDX-License-Identifier: MIT
{ ask(v("lost_ns") == 0 || v("since_zero_days") > 104, "a double holds 104 days of ns") }
$column["moment"] ~ /1970/ { ask(v("lost_ns") >= 128, "half the step of a double beyond 2^60") }
END { ask(rows == 5, "five moments") }
