#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which of many devices is slow? Lays the records of fleet.sh side by side; docs/lab/fleet.md explains it.

Each device's time is divided by the median of all devices in the same round. The median of these ratios over the
rounds is the device's; its interval holds it in at least 95 of 100 cases, whatever the noise is. Exits with 1 if the
whole interval of a device is more than the limit away from 1.
"""
import argparse
import io
import math
import pathlib
import shutil
import subprocess
import sys

try:
    import pandas
except ImportError:
    sys.exit("fleet.py: needs pandas (Debian: python3-pandas)")

# What is compared: a program, its rows, the column with the time, and the words for it.
MEASURES = [
    ("opencl_profiling", "interval == 'start_to_end'", "median_us", "vector_add"),
    ("cuda_events", "method == 'event_net' and kernel == 'vector_add'", "median_us", "vector_add"),
    ("sm_clock", "numbers == 'random'", "launch_ms", "a kernel at full load"),
    ("calibrate", "quantity == 'launch_drain_us'", "value", "launch and drain"),
]


def read(folder):
    """A row for each device, round and kernel. The folders are HOST/DEVICE/ROUND."""
    rows = []
    for program, query, column, kernel in MEASURES:
        for path in sorted(pathlib.Path(folder).glob(f"*/*/*/{program}.csv")):
            time = pandas.read_csv(path, comment="#").query(query)[column].median()
            host, device, number = path.parts[-4:-1]
            rows.append({"host": host, "device": int(device), "round": int(number), "kernel": kernel, "time": time,
                         "state": state(path.with_suffix(".fit"))})
    return pandas.DataFrame(rows)


def state(path):
    """What fit_to_measure says of the GPU while the program ran."""
    lines = dict(line[2:].rstrip("\n").split(",", 1) for line in open(path) if line.startswith("# ") and "," in line)
    words = [f"{lines[name]} {unit}" for name, unit in (("gpu_0_sm_clock_least_mhz", "MHz at least"),
                                                       ("gpu_0_power_greatest_w", "W at most"),
                                                       ("gpu_0_temperature_greatest_c", "C at most")) if name in lines]
    reason = lines.get("gpu_0_held_back_by_during", "nothing")
    return ", ".join(words + ([] if reason == "nothing" else [f"held back by {reason}"]))


def interval(values):
    """The median, and the k-th least and k-th largest value around it: those that hold the true median in 95 %, or all."""
    values, n = sorted(values), len(values)
    k = max((k for k in range((n + 1) // 2) if 2 * sum(math.comb(n, i) for i in range(k + 1)) <= 0.05 * 2**n), default=0)
    return pandas.Series({"ratio": pandas.Series(values).median(), "low": values[k], "high": values[n - 1 - k]})


def compare(times, limit):
    times["ratio"] = times["time"] / times.groupby(["kernel", "round"])["time"].transform("median")
    groups = times.groupby(["kernel", "host", "device"])
    fleet = groups["ratio"].apply(lambda ratios: interval(ratios)).unstack()
    fleet["rounds"] = groups.size()
    fleet["state"] = groups["state"].last()
    fleet["off"] = (fleet["low"] > 1 + limit / 100) | (fleet["high"] < 1 - limit / 100)
    return fleet.reset_index()


def words(row):
    more = [100 * abs(row[name] - 1) for name in ("ratio", "low", "high")]
    return (f"{row.host} GPU {row.device} takes {more[0]:.1f} % {'more' if row.ratio > 1 else 'less'} time, "
            f"{min(more[1:]):.1f} to {max(more[1:]):.1f}, for {row.kernel}{'; ' + row.state if row.state else ''}")


def main():
    parser = argparse.ArgumentParser(description="Which of many devices is slow?")
    parser.add_argument("folder", help="OUT of fleet.sh")
    parser.add_argument("--limit", type=float, default=5, help="percent; default 5")
    arguments = parser.parse_args()
    times = read(arguments.folder)
    if times.empty:
        sys.exit(f"fleet.py: no records in '{arguments.folder}'")
    fleet = compare(times, arguments.limit)
    print(fleet.drop(columns=["state"]).to_string(index=False, formatters={"off": lambda off: "off" if off else ""},
                                                  float_format="%.3f"))
    table = pathlib.Path(arguments.folder, "fleet.csv")
    fleet.to_csv(table, index=False)
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", "-c", pathlib.Path(__file__).with_name("fleet.gp"), table,
                        table.with_suffix(".svg")], check=True)
        print(f"Picture: {table.with_suffix('.svg')}")
    off = fleet[fleet["off"]]
    few = fleet["rounds"].min()
    print(*off.apply(words, axis=1), sep="\n") if len(off) else print(
        f"No device is more than {arguments.limit:g} % off the median of {len(fleet.groupby(['host', 'device']))}.")
    if few < 6:
        print(f"Only {few} rounds: the intervals are their least and greatest.")
    sys.exit(len(off) > 0)


main()
