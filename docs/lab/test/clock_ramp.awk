# SPDX-License-Identifier: MIT
{ ask(v("clock_mhz") > 0 && v("since_ms") >= before, "the clock runs, and time goes on"); before = v("since_ms") }
END { ask(rows == 400, "400 samples") }
