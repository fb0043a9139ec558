# SPDX-License-Identifier: MIT
$2 ~ /_stamps$/ { ask(v("time_us") > 0, "a launch takes time") }
END { ask(rows == 4, "two shells, with stamps and without") }
