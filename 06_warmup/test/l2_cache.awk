# SPDX-License-Identifier: MIT
{ ask(v("warm_us") > 0 && v("flushed_us") > 0 && v("written_us") > 0, "every launch takes time") }
