#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compared.py FOLDER: what ./change.sh prints of FOLDER/A1.txt, A2.txt, ... and FOLDER/B1.txt, B2.txt, ...,
what several processes each of one program printed. A row has the median of A's processes beside that of B's,
the ratio, or the difference where a number may be near zero, and whether the spread of the processes explains it.
"""
import math
import pathlib
import re
import signal
import statistics
import sys

from record import RecordError, read

NUMBERS = {  # what is compared; of other programs median_us, or every time
    "host_clock": ["call_ns"], "bandwidth": ["four_floats_gb_s"], "known_length": ["extra_us", "extra_minus_empty_us"],
    "block_clock": ["clocks_mean", "span_us", "whole_launch_us"], "warmup": ["estimate_us", "error_percent", "steady_us"]}
OPTIONS = ["size", "blocks", "threads", "work", "runs"]
NEAR_ZERO = re.compile("extra|error|difference|percent|_minus_")
MOST_LINES = 24  # of a table: one page


class Side:
    """A or B: its processes, and {what names a row: the rows of each process with this name, several if it has runs}."""

    def __init__(self, name, folder):
        self.name, self.records = name, [read(path) for path in sorted(folder.glob(f"{name}?.txt"))]
        if not self.records or not self.records[0].rows:
            raise RecordError(f"{folder}: no table of {name}")
        self.meta, self.columns, self.keys = self.records[0].meta, self.records[0].columns, self.records[0].keys()
        tables = []
        for record in self.records:
            tables.append({})
            for row in record.rows:
                tables[-1].setdefault(tuple(row[key] or "-" for key in self.keys), []).append(row)
        if len({tuple(table) for table in tables}) > 1:
            raise RecordError(f"{self.records[0].name}: each process has other rows, so there is nothing to pair")
        self.rows = {key: [table[key] for table in tables] for key in tables[0]}

    def of(self, key, column):
        """(median of the processes, their numbers, the median as printed, with ! if most are disturbed), or None."""
        processes = [[row[column] for row in rows if row[column]] for rows in self.rows.get(key, [])]
        if not processes or not all(processes):
            return None
        numbers = [statistics.median_low(map(float, texts)) for texts in processes]
        digits = len(processes[0][0].partition(".")[2])
        disturbed = sum(any(row["disturbed"] for row in rows) for rows in self.rows[key]) * 2 > len(processes)
        middle = statistics.median_low(numbers)
        return middle, numbers, f"{middle:.{digits}f}{'!' * disturbed}"

    def all_of(self):
        """In words: all its processes."""
        return f"all {len(self.records)}" if len(self.records) > 2 else "both"


def pairs(a, b):
    """The columns that name a row, as shown, and pairs (their cells, A's key, B's key). Where a key itself was changed,
    so that A and B have no value of it in common, the other keys pair the rows, then their order."""
    values = [[{key[i] for key in side.rows} for side in (a, b)] for i in range(len(a.keys))]
    changed = [i for i, (of_a, of_b) in enumerate(values) if not of_a & of_b]
    shown = [i for i, (of_a, of_b) in enumerate(values) if len(of_a) > 1 or len(of_b) > 1] or [0]
    shown = [i for i in shown if i not in changed] + [i for i in shown if i in changed]
    groups = {}
    for n, side in enumerate((a, b)):
        for key in side.rows:
            groups.setdefault(tuple(k for i, k in enumerate(key) if i not in changed), ([], []))[n].append(key)
    paired = []
    for of_a, of_b in groups.values():
        paired += zip(of_a, of_b) if len(of_a) == len(of_b) else [(key, None) for key in of_a] + [(None, key) for key in of_b]
    lines = [([" -> ".join(dict.fromkeys(key[i] for key in both if key)) for i in shown], *both) for both in paired]
    return shown, [i for i in changed if i in shown], lines


def change(column, x, y):
    """From x to y, in words: the difference where a number may be near zero, or the ratio."""
    if x == 0 or NEAR_ZERO.search(column):
        return f"{y - x:+.3f}"
    if 0 < y < 0.01 * x:
        return f"{float(f'{x / y:.2g}'):.0f} times less"
    return f"{y / x:.3f}" if y < 100 * x else f"{y / x:.0f}"


def in_words(column, ratios, of):
    """By what factor B differs, in one line, from the ratios of the rows in which it does."""
    if not ratios:
        return f"{column} differs in none of {of} rows"
    less = max(ratios) < 1
    ends = sorted(1 / ratio if less else ratio for ratio in (min(ratios), max(ratios)))
    ends = dict.fromkeys(f"{r:.2f}" if r < 2 else f"{float(f'{r:.2g}'):g}" for r in ends)
    rows = f"all {of}" if len(ratios) == of else f"{len(ratios)} of {of}"
    return f"{column} is {' to '.join(ends)} times {'less' if less else 'as great'} in {rows} rows"


def table(column, a, b, lines):
    """Its lines, the words behind each, the ratios of rows that differ, and the rows that one side alone has."""
    printed, ratios, alone = [], [], []
    for cells, *keys in lines:
        both = [side.of(key, column) for side, key in zip((a, b), keys)]
        if not all(both):
            alone += [f"only {side.name}: {' '.join(cells)} ({found[2]})" for side, found in zip((a, b), both) if found]
            continue
        (x, of_a, _), (y, of_b, _) = both
        verdict = "B is greater" if min(of_b) > max(of_a) else "B is less" if max(of_b) < min(of_a) else "within the noise"
        ratios += [y / x] if verdict.startswith("B") and x else []
        printed.append([*cells, *(cell for _, of, text in both for cell in (text, f"{min(of):.7g} to {max(of):.7g}")),
                        change(column, x, y), verdict + " (disturbed)" * any("!" in text for _, _, text in both)])
    return printed, ratios, alone


def print_lines(lines, left):
    """The columns whose number is in `left` begin at their left edge."""
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    for line in lines:
        print("  ".join(cell.ljust(width) if c in left else cell.rjust(width)
                        for c, (cell, width) in enumerate(zip(line, widths))).rstrip())


def main(arguments):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if len(arguments) != 1:
        print(f"usage: {__doc__.strip()}", file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[0])
    a, b = (Side(name, folder) for name in "AB")
    program, device = (a.meta.get(name, "") for name in ("program", "device"))
    program = program.split(" ")[0] or folder.name
    print(program + (f" on {device}" if device == b.meta.get("device") and device not in ("", "host") else "")
          + f"\nA is {folder}/A?.txt, B is {folder}/B?.txt")
    changes = [(name, *(side.meta.get(name, "not recorded") for side in (a, b))) for name in ["program", "device", *OPTIONS]]
    changes = [f"{name} {was} -> {now}" for name, was, now in changes if was != now]
    print("Changed:", "; ".join(changes) or "no option. (A record does not show a change in the source.)")
    shown, changed, lines = pairs(a, b)
    keys = [a.keys[i] for i in shown]
    times = [c for c in a.columns if c not in a.keys and re.search("_(us|ns|ms|percent)$|clocks", c) and "_m" not in c]
    wanted = NUMBERS.get(program.removesuffix("_opencl"), ["median_us"] if "median_us" in a.columns else times)
    tables = {column: table(column, a, b, lines) for column in wanted if column in a.columns and column in b.columns}
    numeric = all(re.fullmatch(r"\d+", cell) for cells, *_ in lines for cell in " -> ".join(cells).split(" -> "))
    for column, (printed, ratios, _) in tables.items():
        if numeric and len(printed) > 1 and not NEAR_ZERO.search(column):
            print(in_words(column, ratios, len(printed)))
    used = [" ".join(row["used_units"] for row in side.records[0].rows if row.get("used_units")) for side in (a, b)]
    if used[0] != used[1] and len(used[0].split()) == len(used[1].split()):
        print(f"used_units, row by row: {used[0]} -> {used[1]}")
    if not any(printed for printed, *_ in tables.values()):
        print("No row is in both, so nothing is compared. Give A and B equally many values, as in\n"
              f"./change.sh {program} --blocks 1 -- --blocks 16")
    elif changed and len(lines) > 1:
        how = [f"by {' and '.join(a.keys[i] for i in shown if i not in changed)}"] * (len(changed) < len(shown)) + ["in their order"]
        print(f"A and B have no value of {' or '.join(a.keys[i] for i in changed)} in common: rows are paired {', then '.join(how)}.")
    for column, (printed, _, alone) in tables.items():
        words = [line[-1] for line in printed]
        counts = "; ".join(f"{words.count(word)} of {len(words)} rows: {word}" for word in dict.fromkeys(words))
        print(f"\n{': '.join(filter(None, (column, counts)))}")
        head = [f"{what}{side.name}" for side in (a, b) for what in ("median of ", f"{side.all_of()} of ")]
        last = ["B - A" if NEAR_ZERO.search(column) else "B / A", ""]
        print_lines([[*keys, *head, *last], *printed[:MOST_LINES]], {*range(len(keys)), len(keys) + 5})
        if len(printed) > MOST_LINES:
            print(f"... and {len(printed) - MOST_LINES} more rows")
        for line in alone:
            print(line)
    rows = math.comb(2 * len(a.records), len(a.records)) // 2
    print(f"\nB is greater, or less: {b.all_of()} of B are above, or below, {a.all_of().split()[0]} of A.",
          "In the model nothing is by chance." if "no hardware" in device else
          f"A change without any effect\ndoes that by chance in one of {rows} rows: repeat the command before you believe a row.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (RecordError, OSError, ValueError) as error:
        sys.exit(f"change.sh: {error}")
