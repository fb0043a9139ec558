# SPDX-License-Identifier: MIT
{ ask(v("min_ppm") > -10000 && v("max_ppm") < 10000, "no crystal is wrong by a percent") }
END { ask(rows == 2, "two clocks of the host") }
