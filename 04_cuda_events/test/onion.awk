# SPDX-License-Identifier: MIT
NR > 1 {
    ask(v("kernel_us") >= v("length_us"), "a spin runs as long as it was told")
    ask(v("event_us") >= v("kernel_us") - 2 && v("host_us") >= v("event_us") - 2, "each shell is in the next")
}
END { ask(rows == 7, "seven lengths") }
