#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_trials.py [--opencl] SECONDS POOL.csv: how often is docs/copy/compare right on this machine?
compare_trials.py --table POOL.csv: the table again.

For SECONDS, processes of compare one after the other: four kernels in turns (compare_kernels.cu; with --opencl
compare_kernels.c), where B is A, and where B has 2 per mille more work (OpenCL: 10). Each process is a row of POOL.csv, so a run
that is cut off is a smaller pool. Then runs of nine are drawn from the pool, 4000 of each kind: in how many does the
interval hold the median of the whole pool, in how many are A and A called different, in how many is B found longer?
"""
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
           "in_a_row", "step_alone_ns", "step_in_a_row_ns", "disturbed")
PROCESSES, RUNS, SECONDS_OF_ONE = 9, 4000, "0.5"


def rank(n):
    """As cmp_rank() of compare.h."""
    k = 0
    while 2 * sum(math.comb(n, i) for i in range(k + 1)) <= 0.05 * 2 ** n:
        k += 1
    return k


def collect(opencl, seconds, path):
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder, open(path, "w", newline="") as stream:
        program = f"{folder}/trial"
        command = (["cc", "-O2", '-DCOMPARED="test/compare_kernels.c"', "compare.c", "-lOpenCL", "-lm"] if opencl else
                   ["nvcc", "-O2", "-arch=native", '-DCOMPARED="test/compare_kernels.cu"', "compare.cu"])
        subprocess.run([*command, "-o", program], cwd=ROOT / "docs/copy", check=True)
        table, rows = csv.DictWriter(stream, COLUMNS, lineterminator="\n", extrasaction="ignore"), 0
        while time.monotonic() < end:
            for kernel in KERNELS:
                for more in (0, 10 if opencl else 2):
                    done = subprocess.run([program, SECONDS_OF_ONE, "--processes=1", "--csv"], check=True, text=True,
                                          stdout=subprocess.PIPE, env={**os.environ, "KERNEL": kernel, "MORE": str(more)})
                    said = Record("compare", done.stdout)
                    if rows == 0:
                        stream.write(f"# program,compare_trials.py\n# device,{said.meta['device']}\n"
                                     f"# date,{datetime.date.today()}\n# seconds,{SECONDS_OF_ONE}\n")
                        table.writeheader()
                    table.writerow({**said.rows[0], "kernel": kernel, "more_per_mille": more})
                    stream.flush()
                    rows += 1
            print(f"{rows} processes", file=sys.stderr)


def draw(pool):
    """What one run of nine says: its interval in percent."""
    run = random.choices(pool, k=PROCESSES)
    ratios, least = sorted(r[0] for r in run), statistics.median(r[1] for r in run)
    k, middle = rank(PROCESSES), statistics.median(ratios)
    return min(ratios[k - 1], middle - least), max(ratios[-k], middle + least)


def print_table(path):
    record = read(path)
    print(f"{record.meta['device']}, {record.meta['date']}: in percent of {RUNS} runs of {PROCESSES} processes\n")
    print(f"{'kernel':12}{'more (%)':>9}{'processes':>11}{'A (us)':>9}{'median (%)':>12}{'deviation (%)':>15}"
          f"{'least (%)':>11}{'holds':>7}{'longer':>8}{'shorter':>9}")
    for kernel, more in sorted({(row["kernel"], row["more_per_mille"]) for row in record.rows}):
        rows = record.select(kernel=kernel, more_per_mille=more)
        pool = [(float(row["difference_percent"]), float(row["least_percent"])) for row in rows]
        ratios = [ratio for ratio, _ in pool]
        truth = statistics.median(ratios)
        runs = [draw(pool) for _ in range(RUNS)]
        shares = [100 * sum(test(low, high) for low, high in runs) / RUNS for test in (
            lambda low, high: low <= truth <= high, lambda low, _: low > 0, lambda _, high: high < 0)]
        print(f"{kernel:12}{float(more) / 10:9.1f}{len(rows):11}"
              f"{statistics.median(float(row['median_a_us']) for row in rows):9.2f}{truth:12.3f}"
              f"{statistics.pstdev(ratios):15.3f}{statistics.median(least for _, least in pool):11.3f}"
              f"{shares[0]:7.1f}{shares[1]:8.1f}{shares[2]:9.1f}")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--table" not in sys.argv and len(arguments) == 2 and arguments[0].isdigit():
        collect("--opencl" in sys.argv, int(arguments[0]), arguments[1])
    elif "--table" not in sys.argv or len(arguments) != 1:
        sys.exit(__doc__)
    print_table(arguments[-1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
