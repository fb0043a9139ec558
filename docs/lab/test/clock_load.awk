# SPDX-License-Identifier: MIT
{
    ask(v("launch_ms") > 0 && v("clock_mhz") > 0 && v("since_s") >= before, "the clock runs, and time goes on")
    ask($column["power_w"] == "" || v("power_w") > 0, "power, where it is seen")
    ask($column["held_back_percent"] == "" || v("held_back_percent") <= 100, "a part of the time")
    ask($column["numbers"] == (rows % 2 ? "zeros" : "random"), "zeros and random numbers in turns")
    ask(v("turn") == int((rows + 1) / 2), "a sample of each in each turn")
    before = v("since_s")
}
END { ask(rows == 10, "5 samples with zeros, 5 with random numbers") }
