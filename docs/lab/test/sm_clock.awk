# SPDX-License-Identifier: MIT
{
    ask(v("clock_mhz") > 0 && v("since_s") >= before, "the clock runs, and time goes on")
    before = v("since_s")
}
rows <= 10 { ask($column["numbers"] == "none" && v("turn") == 0 && $column["launch_ms"] == "", "first one SM alone") }
rows > 10 {
    ask(v("launch_ms") > 0, "a launch takes time")
    ask($column["power_w"] == "" || v("power_w") > 0, "power, where it is seen")
    ask($column["held_back_percent"] == "" || v("held_back_percent") <= 100, "a part of the time")
    ask($column["numbers"] == (rows % 2 ? "zeros" : "random"), "zeros and random numbers in turns")
    ask(v("turn") == int((rows - 9) / 2), "a sample of each in each turn")
}
END { ask(rows == 20, "10 samples of one SM, 5 with zeros, 5 with random numbers") }
