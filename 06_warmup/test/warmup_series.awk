# SPDX-License-Identifier: MIT
{ ask(v("launch") == rows && v("device_us") > 0 && v("host_us") > 0, "every launch takes time") }
END { ask(rows == 100, "a hundred launches") }
