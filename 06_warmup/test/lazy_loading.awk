# SPDX-License-Identifier: MIT
{ ask(v("first_launch_us") > 0 && v("second_launch_us") > 0, "every launch takes time") }
END { ask(rows == 2, "LAZY and EAGER") }
