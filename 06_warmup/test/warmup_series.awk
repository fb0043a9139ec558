# SPDX-License-Identifier: MIT
NR > 1 { ask(v("launch") == NR - 1 && v("device_us") > 0 && v("host_us") > 0, "every launch takes time") }
END { ask(rows == 100, "a hundred launches") }
