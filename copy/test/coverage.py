#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py COMPARE A.so B.so [SECONDS]: how far can one trust compare? On a GPU, of parts.cu built with -DSIDE='"A"' and
'"B"': 60 pairs of kernels that read a clock so many times that a launch takes 3, 10, 30 or 100 us in a row. A third of
the pairs are equal, in the others B reads it more or less often. The time of one reading follows from launches of
2,000 and 12,000, so the true difference is known. A row for each pair; after so many seconds no further pair."""
import os
import subprocess
import sys
import time

PERCENTS = [1, 2, -1, 0.5, -2, 5, -0.5, 3]
begin, until = time.time(), float(sys.argv[4]) if len(sys.argv) > 4 else 1e9


def compare(a, b, *options):
    """What compare says of A and B: the exit code, the '#' lines, and the rows by name."""
    said = subprocess.run([*sys.argv[1:4], *options], env={**os.environ, "A": f"reads:{a}", "B": f"reads:{b}"},
                          stdout=subprocess.PIPE, text=True, check=False)
    lines = said.stdout.splitlines()
    table = [line.split() for line in lines if line[:1] != "#"]
    return said.returncode, lines[0] if lines else "", {row[0]: dict(zip(table[0], row)) for row in table[1:]}


_, head, rows = compare(2000, 12000)
read_us = (float(rows["B"]["us"]) - float(rows["A"]["us"])) / 10000
floor_us = float(rows["A"]["us"]) - 2000 * read_us
print(f"{head}\n# read_us {read_us:.6f}\n# floor_us {floor_us:.3f}")
print("length_us true_percent more_percent low_percent high_percent step_percent holds verdict           disturbed "
      "exit seconds")
pairs = holds = told = wrong = wrong_exits = unequal = 0
equal = []
while pairs < 60 and time.time() - begin < until:
    length_us, percent = [3, 10, 30, 100][pairs % 4], PERCENTS[unequal % len(PERCENTS)] if pairs % 3 else 0
    unequal += pairs % 3 > 0
    a = max(1, round((length_us - floor_us) / read_us))
    b = a + (round(percent / 100 * length_us / read_us) or percent > 0 or -(percent < 0))
    true_percent = 100 * (b - a) * read_us / (floor_us + a * read_us)
    since = time.time()
    code, _, rows = compare(a, b, "--seconds", "1", "--gate", "1")
    row, pairs = rows["B"], pairs + 1
    if row["disturbed"] == "-":
        is_held = float(row["low_percent"]) - 0.005 <= true_percent <= float(row["high_percent"]) + 0.005
        told, holds = told + 1, holds + is_held
        wrong += row["verdict"] == "slower" and true_percent <= 0 or row["verdict"] == "faster" and true_percent >= 0
    wrong_exits += code == 0 and true_percent > 1 or code == 3 and true_percent <= 1 or code not in (0, 3, 4)
    equal += [(length_us, code)] if a == b else []
    print(f"{length_us:9} {true_percent:12.2f} " + " ".join(f"{row[name]:>12}" for name in (
        "more_percent", "low_percent", "high_percent", "step_percent")) +
          f" {'-' if row['disturbed'] != '-' else 'yes' if is_held else 'no':5} {row['verdict']:17} {row['disturbed']:9} "
          f"{code:4} {time.time() - since:7.1f}", flush=True)
print(f"# pairs {pairs}\n# not_disturbed {told}\n# intervals_that_hold {holds}\n# false_verdicts {wrong}\n"
      f"# false_exits {wrong_exits}")
for length_us in (3, 10, 30, 100):
    codes = [code for length, code in equal if length == length_us]
    print(f"# equal_pairs_of_{length_us}_us_that_pass {codes.count(0)} of {len(codes)}")
