# SPDX-License-Identifier: MIT
{ ask(v("first_launch_us") >= 0 && v("last_launch_us") > 0 && v("last_to_same") > 0, "every launch takes time") }
$column["input"] == "same" { ask(v("last_to_same") == 1, "as long as itself") }
END { ask(rows == 4, "four inputs") }
