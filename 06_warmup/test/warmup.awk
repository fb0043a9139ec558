# SPDX-License-Identifier: MIT
{ ask(v("first_launch_us") > 0 && v("estimate_us") > 0 && v("steady_us") > 0, "every launch takes time") }
END { ask(rows == 5, "five recipes") }
