#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""accuracy_tables.py and compare_tools.py, on invented times: is the arithmetic right?"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))
import accuracy_tables  # noqa: E402
import compare_tools  # noqa: E402

assert abs(compare_tools.slope({n: 1.3 + 4.5 * n for n in (2, 5, 10, 20)}) - 4.5) < 1e-9
assert compare_tools.each_launch([1, 2, 3, 4, 5, 6], 3) == [3, 7, 11]
assert compare_tools.period_us([9000, 5000, 7000, 14000]) == 3  # of 2, 2 and 5 us the mean, not the median
assert compare_tools.period_us([5000]) == ""
assert accuracy_tables.interval(range(1, 21)) == (10.5, 6, 15)
assert accuracy_tables.interval(range(1, 11)) == (5.5, 2, 9)

# A spin of a full device whose code takes 10 us, and a library's mm of 5.1 us; what each method says of them.
SPIN, MM, EMPTY, NOTHING = ("spin_2us", 1056, "yes"), ("mm_1024", 0, "no"), ("empty", 1, "no"), ("nothing", 0, "no")
SAID = [("duration", SPIN, 11.9, 10), ("SM active", SPIN, 10.1, 10), ("floor", SPIN, 1.25, 10),
        ("event_net", SPIN, 12, 10), ("beside: event_net", SPIN, 12, 10), ("code_minus_empty", SPIN, 10.6, 10),
        ("row_slope", SPIN, 11.8, 10), ("do_bench", SPIN, 13.3, 10), ("activity record", SPIN, 20.5, 20),
        ("not recorded", SPIN, "", 10), ("do_bench", EMPTY, 2.5, ""), ("do_bench", NOTHING, 1.5, ""),
        ("duration", MM, 7, ""), ("SM active", MM, 5.1, ""), ("floor", MM, 1.25, ""), ("event_net", MM, 7.1, ""),
        ("code_minus_empty", MM, 5.6, ""), ("do_bench", MM, 9, "")]
RAW = [{"method": method, "kernel": kernel, "blocks": str(blocks), "stamps": stamps, "process": str(process),
        "us": str(us + 0.1 * process if (method, kernel) == ("event_net", "mm_1024") else us), "code_us": str(code_us), "row_us": "11.79" if method == "row_slope" else "", "at_once": "8"}
       for method, (kernel, blocks, stamps), us, code_us in SAID for process in range(5)]
DRAIN = [{"kernel": kernel, "blocks": str(blocks), "drain_us": str(us), "disturbed": "0"} for kernel, blocks, us in (
    ("spin", 1, 0.5), ("spin", 1056, 0.95), ("spin", 67584, 0.7),
    ("vector_add", 1, 0.4), ("vector_add", 1056, 1.1), ("vector_add", 67584, 1.0))]
rows, constant_us = accuracy_tables.what_came_of_it(RAW, DRAIN)
found = {(r["table"], r["kernel"], r["quantity"]): r for r in rows}
for key, us in {
        ("with_stamps", "spin_2us", "stamps_minus_sm_active"): -0.1,
        ("with_stamps", "spin_2us", "minus_empty_minus_stamps"): 0.6,
        ("with_stamps", "spin_2us", "minus_drain_minus_stamps"): 0.6 - (0.95 - 0.5),
        ("with_stamps", "spin_2us", "row_slope_minus_row_stamps"): 0.01,
        ("without_stamps", "mm_1024", "minus_drain_minus_sm_active"): 0.5 - (1.0 - 0.5),
        ("printed", "spin_2us", "suite"): 12 + 1.25 - 10, ("minus_floor", "spin_2us", "suite"): 12 - 11.9,
        ("minus_empty", "spin_2us", "suite"): 0.6, ("printed", "spin_2us", "do_bench"): 3.3,
        ("minus_floor", "spin_2us", "do_bench"): 13.3 - 1.5 - 11.9, ("minus_empty", "spin_2us", "do_bench"): 3.3 - 2.5,
        ("printed", "spin_2us", "cupti"): 0.5, ("printed", "spin_2us", "ncu"): 1.9,
        ("printed", "mm_1024", "do_bench"): 9 - 5.1, ("minus_floor", "mm_1024", "do_bench"): 9 - 1.5 - 7,
        ("minus_empty", "mm_1024", "do_bench"): 9 - 2.5 - 5.1, ("empty", "empty", "do_bench"): 2.5,
        ("cupti", "spin_2us", "recorded"): 20}.items():
    assert abs(found[key]["median_us"] - us) < 1e-3, f"{key}: {found[key]['median_us']}, not {us}"
DRAIN[-1]["disturbed"] = "1"  # then the spin's counts
disturbed, _ = accuracy_tables.what_came_of_it(RAW, DRAIN)
us = [r["median_us"] for r in disturbed if (r["kernel"], r["quantity"]) == ("mm_1024", "minus_drain_minus_sm_active")]
assert abs(us[0] - (0.5 - (0.7 - 0.5))) < 1e-3, us
net = found["times", "mm_1024", "net"]  # the processes from the least to the greatest
assert [round(net[f"{name}_us"], 3) for name in ("median", "low", "high")] == [7.3, 7.1, 7.5]
assert {(r["kernel"], r["kind"]) for r in rows} >= {("spin_2us", "simple"), ("mm_1024", "real")}
assert found["cupti", "spin_2us", "recorded"]["factor"] == 2 and abs(constant_us - 0.1) < 1e-9
