#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_trials.py [--time SECONDS [--opencl]] [--step US] POOL.csv: how often is compare right on this machine?

For so many seconds it starts processes of compare one after the other, with the kernels of compare_kernels.cu by turns
(--opencl: compare_kernels.c), where B is A, or has 2 per mille more work (OpenCL: 10). Each is a row at the end of POOL.csv.

Then it prints rows for docs/results/compare_trials.csv. No row is of whole runs: from the pool's processes nine are drawn
(each may come twice), 4000 times, and compare's rule is applied to them. In how many percent of these draws does the interval
hold the truth, which is 0 for equal kernels and for the others the work that B has more? In how many is B called longer, or
shorter, and in how many only longer_below_step or shorter_below_step, which nobody should believe?
--step: compare.cu's step, for a pool of an older compare, which had another one.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from record import Record, read  # noqa: E402

POOL = "kernel", "more_per_mille", "difference_percent", "least_percent", "median_a_us", "disturbed"
PROCESSES, RUNS = 9, 4000


def collect(pool, seconds, opencl):
    """Rows for the pool; a process measures for 0.25 s, on a processor for 2.5."""
    cases = [(kernel, more) for kernel in ("arithmetic", "copy", "sum", "product") for more in (0, 10 if opencl else 2)]
    cases += [] if opencl else [("arithmetic_60us", 2)]
    command = (["cc", "-O2", '-DCOMPARED="test/compare_kernels.c"', "compare.c", "-lOpenCL", "-lm"] if opencl else
               ["nvcc", "-O2", "-arch=native", '-DCOMPARED="test/compare_kernels.cu"', "compare.cu"])
    each = "2.5" if opencl else "0.25"
    with open(pool, "a", newline="") as stream, tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "-o", f"{folder}/trial"], cwd=ROOT / "copy", check=True)
        table = csv.DictWriter(stream, POOL, lineterminator="\n", extrasaction="ignore")
        rows, end = 0, time.monotonic() + seconds
        while rows == 0 or time.monotonic() < end:
            kernel, more = cases[rows % len(cases)]
            said = Record("compare", subprocess.run(
                [f"{folder}/trial", each, "--processes", "1", "--csv"], check=True, text=True, stdout=subprocess.PIPE,
                env={**os.environ, "KERNEL": kernel, "MORE": str(more)}).stdout)
            a, b = said.rows
            if stream.tell() == 0:
                stream.write(f"# device,{said.meta['device'].replace(',', '')}\n# date,{datetime.date.today()}\n# seconds,{each}\n")
                table.writeheader()
            table.writerow({**said.meta, "kernel": kernel, "more_per_mille": more, "median_a_us": a["median_us"],
                            "difference_percent": b["more_percent"], "disturbed": b["disturbed"]})
            stream.flush()
            rows += 1


def rank(n):
    """As cmp_rank() of compare.h."""
    return sum(2 * sum(math.comb(n, i) for i in range(k + 1)) <= 0.05 * 2 ** n for k in range(n // 2))


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


def print_rows(record, step_us):
    print("device,date,seconds,kernel,more_percent,processes,disturbed,a_us,median_percent,deviation_percent,least_percent,holds,"
          "longer,shorter,longer_below_step,shorter_below_step")
    random.seed(1)  # the same pool, the same rows
    about = ",".join(record.meta[name] for name in ("device", "date", "seconds"))
    for row in record.rows if step_us else ():
        row["least_percent"] = 100 * step_us / float(row["median_a_us"])
    for kernel, more in sorted({(row["kernel"], row["more_per_mille"]) for row in record.rows}):
        rows, truth = record.select(kernel=kernel, more_per_mille=more), float(more) / 10
        pool = [(float(row["difference_percent"]), float(row["least_percent"])) for row in rows]
        median, deviation = statistics.median(ratio for ratio, _ in pool), statistics.pstdev(ratio for ratio, _ in pool)
        a_us, least = (statistics.median(float(row[column]) for row in rows) for column in ("median_a_us", "least_percent"))
        runs = [draw(pool) for _ in range(RUNS)]
        shares = [100 * sum(test(*run) for run in runs) / RUNS for test in (
            lambda low, high, _: low <= truth <= high,
            lambda low, _, below: low > 0 and not below, lambda _, high, below: high < 0 and not below,
            lambda low, _, below: low > 0 and below, lambda _, high, below: high < 0 and below)]
        print(about, kernel, truth, len(rows), sum(float(row["disturbed"]) > 0 for row in rows),
              f"{a_us:.2f},{median:.3f},{deviation:.3f},{least:.3f}", *(f"{share:.1f}" for share in shares), sep=",")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opencl", action="store_true")
    parser.add_argument("--time", type=int, metavar="SECONDS", default=0)
    parser.add_argument("--step", type=float, metavar="US")
    parser.add_argument("pool", metavar="POOL.csv")
    asked = parser.parse_args()
    if asked.time:
        collect(asked.pool, asked.time, asked.opencl)
    print_rows(read(asked.pool), asked.step)
