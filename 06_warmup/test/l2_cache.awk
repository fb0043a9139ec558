# SPDX-License-Identifier: MIT
NR > 1 { ask(v("warm_us") > 0 && v("flushed_us") > 0 && v("written_us") > 0, "every launch takes time") }
