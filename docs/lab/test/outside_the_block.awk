# SPDX-License-Identifier: MIT
$column["method"] ~ /_stamps$/ { ask(v("time_us") > 0, "a launch takes time") }
END { ask(rows == 4, "two shells, with stamps and without") }
