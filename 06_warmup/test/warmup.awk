# SPDX-License-Identifier: MIT
NR > 1 { ask(v("first_us") > 0 && v("estimate_us") > 0 && v("steady_us") > 0, "every launch takes time") }
END { ask(rows == 5, "five recipes") }
