# SPDX-License-Identifier: MIT
NR > 1 { ask(v("first_us") > 0 && v("second_us") > 0, "every launch takes time") }
END { ask(rows == 2, "LAZY and EAGER") }
