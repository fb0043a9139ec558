#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often is docs/copy/compare right on this machine?

compare_trials.py --time 480 pool.csv: for 480 seconds, processes of compare one after the other: kernels in turns
(compare_kernels.cu; with --opencl compare_kernels.c), where B is A, and where B has 2 per mille more work (OpenCL: 10).
Each process is a row of pool.csv, so a run that is cut off is a smaller pool.

compare_trials.py --table pool.csv...: from the pools of a device, runs of nine are drawn, 4000 of each kind. In how many
does the interval hold the median of all processes, in how many is B called longer, or shorter; and below: how many of
these differences are less than a step of the clock, so that compare does not call them 95 % sure?

Two GPUs in half the time: CUDA_VISIBLE_DEVICES=0 and =1, with a pool each. --program takes what another one has built.
"""
import argparse
import csv
import datetime
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs/tools"))
from record import Record, read  # noqa: E402

KERNELS = ("arithmetic", "copy", "sum", "product")
COLUMNS = ("kernel", "more_per_mille", "difference_percent", "low_percent", "high_percent", "least_percent", "median_a_us",
           "pairs", "in_a_row", "step_alone_ns", "step_in_a_row_ns", "disturbed", "took_s")
PROCESSES, RUNS = 9, 4000


def usual_cases(opencl):
    more = 10 if opencl else 2
    return [f"{kernel}:{m}" for kernel in KERNELS for m in (0, more)] + ([] if opencl else ["arithmetic_60us:2"])


def build(opencl, program):
    command = (["cc", "-O2", '-DCOMPARED="test/compare_kernels.c"', "compare.c", "-lOpenCL", "-lm"] if opencl else
               ["nvcc", "-O2", "-arch=native", '-DCOMPARED="test/compare_kernels.cu"', "compare.cu"])
    subprocess.run([*command, "-o", program], cwd=ROOT / "docs/copy", check=True)


def measure(program, case, seconds):
    """The record of one process, and the seconds from its start to its end."""
    kernel, more = case.split(":")
    start = time.monotonic()
    done = subprocess.run([program, seconds, "--processes=1", "--csv"], check=True, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, "KERNEL": kernel, "MORE": more})
    said = Record("compare", done.stdout)
    return said.meta["device"], {**said.rows[0], "kernel": kernel, "more_per_mille": more,
                                 "took_s": f"{time.monotonic() - start:.2f}"}


def collect(arguments, program, path):
    cases, end, rows = arguments.cases or usual_cases(arguments.opencl), time.monotonic() + arguments.time, 0
    with open(path, "w", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n", extrasaction="ignore")
        while time.monotonic() < end:
            device, row = measure(program, cases[rows % len(cases)], arguments.seconds)
            if rows == 0:
                stream.write(f"# program,compare_trials.py\n# device,{device}\n# date,{datetime.date.today()}\n"
                             f"# seconds,{arguments.seconds}\n")
                table.writeheader()
            table.writerow(row)
            stream.flush()
            rows += 1
    print(f"{rows} processes", file=sys.stderr)


def rank(n):
    """As cmp_rank() of compare.h."""
    k = 0
    while 2 * sum(math.comb(n, i) for i in range(k + 1)) <= 0.05 * 2 ** n:
        k += 1
    return k


def draw(pool):
    """What one run of nine says: its interval in percent, as cmp_finish() and cmp_widen() make it; whether its median is
    less than a step."""
    run = random.choices(pool, k=PROCESSES)
    ratios, least = sorted(ratio for ratio, _ in run), statistics.median(least for _, least in run)
    k, middle = rank(PROCESSES), statistics.median(ratios)
    low, high, wide = ratios[k - 1], ratios[-k], max(least, 0.05)
    has_side = abs(middle) >= max(0.05, least / 10)
    return (max(1e-9 if has_side and low > 0 else -100, min(low, middle - wide)),
            min(-1e-9 if has_side and high < 0 else math.inf, max(high, middle + wide)), abs(middle) < least)


def print_table(device, records):
    print(f"{device}, {', '.join(sorted({record.meta['date'] for record in records}))}: "
          f"in percent of {RUNS} runs of {PROCESSES} processes\n\n"
          f"{'kernel':17}{'more (%)':>9}{'processes':>11}{'took (s)':>10}{'A (us)':>9}{'median (%)':>12}"
          f"{'deviation (%)':>15}{'above 0':>9}{'least (%)':>11}{'holds':>7}{'longer':>8}{'shorter':>9}{'below':>7}")
    everything = [row for record in records for row in record.rows]
    random.seed(1)  # the same pools, the same table
    for kernel, more in sorted({(row["kernel"], row["more_per_mille"]) for row in everything}):
        rows = [row for row in everything if (row["kernel"], row["more_per_mille"]) == (kernel, more)]
        pool = [(float(row["difference_percent"]), float(row["least_percent"])) for row in rows]
        ratios = [ratio for ratio, _ in pool]
        truth = statistics.median(ratios)
        runs = [draw(pool) for _ in range(RUNS)]
        shares = [100 * sum(test(*run) for run in runs) / RUNS for test in (
            lambda low, high, _: low <= truth <= high, lambda low, *_: low > 0, lambda _, high, __: high < 0,
            lambda low, high, below: below and (low > 0 or high < 0))]
        middle = {column: statistics.median(float(row[column]) for row in rows)
                  for column in ("took_s", "median_a_us", "least_percent")}
        print(f"{kernel:17}{float(more) / 10:9.1f}{len(rows):11}{middle['took_s']:10.2f}{middle['median_a_us']:9.2f}"
              f"{truth:12.3f}{statistics.pstdev(ratios):15.3f}{sum(ratio > 0 for ratio in ratios):9}"
              f"{middle['least_percent']:11.3f}{shares[0]:7.1f}{shares[1]:8.1f}{shares[2]:9.1f}{shares[3]:7.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opencl", action="store_true", help="compare.c in place of compare.cu")
    parser.add_argument("--seconds", default="0.25", help="for which a process measures")
    parser.add_argument("--cases", type=lambda text: text.split(","), help="as copy:0,sum:2, in per mille")
    parser.add_argument("--program", type=os.path.abspath, help="is built if it is not there")
    parser.add_argument("--table", action="store_true", help="of the POOLs that are there")
    parser.add_argument("--time", type=int, help="in seconds, of all processes together")
    parser.add_argument("pool", nargs="+")
    arguments = parser.parse_args()
    if not arguments.table:
        if len(arguments.pool) > 1 or not arguments.time:
            parser.error("needs --time and one POOL, or --table")
        with tempfile.TemporaryDirectory() as folder:
            program = arguments.program or f"{folder}/trial"
            if not os.path.exists(program):
                build(arguments.opencl, program)
            collect(arguments, program, arguments.pool[0])
    records = [read(path) for path in arguments.pool]
    for device in sorted({record.meta["device"] for record in records}):
        print_table(device, [record for record in records if record.meta["device"] == device])
    return 0


if __name__ == "__main__":
    sys.exit(main())
