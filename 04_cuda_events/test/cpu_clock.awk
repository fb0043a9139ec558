# SPDX-License-Identifier: MIT
NR > 1 { ask(v("code_us") >= 1000, "a spin runs as long as it was told") }
END { ask(rows == 2, "two waits") }
