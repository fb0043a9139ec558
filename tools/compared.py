#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compared.py FOLDER: what ./change.sh prints of FOLDER/A1.csv, A2.csv, ... and FOLDER/B1.csv, B2.csv, ...,
the records of several processes each of one program. A row has the median of A's processes beside that of B's,
the ratio, or the difference where a number may be near zero, and whether the spread of the processes explains it.

report.py takes the tables of whole machines from here.
"""
import itertools
import math
import pathlib
import re
import signal
import sys

from page import ROOT, UNITS, as_printed, is_number
from record import RecordError, read

RESULTS = ROOT / "docs/results"
TABLES = [  # title, program, keys, number
    ("01 What a call of each clock costs", "host_clock", "clock", "call_ns"),
    ("02 vector_add by the host's clock and the event's", "clfinish_sync", "method", "median_us"),
    ("03 Stages of a command", "opencl_profiling", "interval", "median_us"),
    ("03 Bandwidth of vector_add", "bandwidth", "size", "four_floats_gb_s"),
    ("03 START to END, minus the code", "known_length", "length_us", "extra_us"),
    ("03 START to END, minus the code and the empty kernel's", "known_length", "length_us", "extra_minus_empty_us"),
    ("04 Each method on each kernel", "cuda_events", "method kernel", "median_us"),
    ("05 Clocks of a block, CUDA", "block_clock", "blocks threads", "clocks_mean"),
    ("05 The span of the blocks, CUDA", "block_clock", "blocks threads", "span_us"),
    ("05 The whole launch, CUDA", "block_clock", "blocks threads", "whole_launch_us"),
    ("05 Clocks of a work-group, OpenCL: cycles of a GPU, ticks of a CPU",
     "block_clock_opencl", "blocks threads", "clocks_mean"),
    ("05 The span of the work-groups, OpenCL", "block_clock_opencl", "blocks threads", "span_us"),
    ("05 The whole launch, OpenCL", "block_clock_opencl", "blocks threads", "whole_launch_us"),
    ("06 Estimate of each recipe, CUDA", "warmup", "recipe", "estimate_us"),
    ("06 Error of each recipe, CUDA", "warmup", "recipe", "error_percent"),
    ("06 Estimate of each recipe, OpenCL", "warmup_opencl", "recipe", "estimate_us"),
    ("06 Error of each recipe, OpenCL", "warmup_opencl", "recipe", "error_percent"),
]
WHO = ("What the numbers are of", ["name", "device", "driver", "date"])
OPTIONS = ["size", "blocks", "threads", "work", "runs"]  # as column, or as a "# " line
NEAR_ZERO = re.compile("extra|error|difference|percent|_minus_")
MOST_LINES = 24  # of a table of two records: one page


def spread(row, column, record):
    """The least and the greatest of the runs, as the row's own columns have them: of median_us min_us and max_us, of
    span_us span_min_us and span_max_us. None if there are none, or if there was one run."""
    unit = next(("_" + u for u in UNITS if column.endswith("_" + u)), "")
    name = column.removesuffix(unit)
    for form in [name + "_{}"] + ([name.replace("median", "{}")] if "median" in name else []):
        ends = [row.get(form.format(end) + unit, "") for end in ("min", "max")]
        if all(ends) and (ends[0] != ends[1] or record.meta.get("runs", "1") != "1"):
            return tuple(map(float, ends))
    return None


def in_order(rows):
    """Pairs (keys, anything) in the order of their keys, if all keys are numbers."""
    numbers = all(is_number(k) for key, _ in rows for k in key)
    return sorted(rows, key=lambda row: [*map(float, row[0])]) if numbers else rows


class Side:
    """The rows of several records of one program, paired by their keys; of two by_place, where a key itself was changed
    and no value is left in both, by the other keys, and by the order of the rows, if both have equally many."""

    def __init__(self, title, keys, column, records, names, by_place=False):
        self.title, self.column, self.names, self.records = title, column, names, records
        candidates = [key for key in dict.fromkeys(keys + OPTIONS) if any(key in r.columns for r in records.values())]
        values = {key: [list(dict.fromkeys(row.get(key) or "-" for row in r.rows)) if key in r.columns
                        else [r.meta.get(key, "-")] for r in records.values()] for key in candidates + OPTIONS}
        several = [key for key in candidates if any(len(v) > 1 for v in values[key])]
        several = several or candidates[:1]
        self.changed = [key for key in candidates if by_place and not set.intersection(*map(set, values[key]))]
        self.paired_by = [key for key in several if key not in self.changed]
        self.placed_by = [key for key in several if key in self.changed]
        self.keys = self.paired_by + self.placed_by
        shared = [(key, [v[0] for v in values[key]]) for key in values
                  if key not in self.keys + ["runs"] and all(len(v) == 1 for v in values[key])]
        self.what = ", ".join([as_printed(column)] + [
            f"{key} {v[0] if len(set(v)) == 1 else ' | '.join(v)}" for key, v in shared if set(v) != {"-"}])
        groups = {}
        for name, record in records.items():
            for row in record.rows:
                if row[column]:
                    key = tuple(row.get(k, "-") for k in self.paired_by)
                    groups.setdefault(key, {}).setdefault(name, []).append(row)
        self.rows = []  # ([what stands under each key], {name: row})
        for key, of in in_order(groups.items()):
            if self.placed_by and len({*map(len, of.values())}) > 1:  # their order pairs nothing
                self.rows += in_order([([*key, *(row.get(k, "-") for k in self.placed_by)], {name: row})
                                       for name, rows in of.items() for row in rows])
                continue
            for rows in itertools.zip_longest(*of.values()):
                row_of = {name: row for name, row in zip(of, rows) if row}
                self.rows.append(([*key, *(" -> ".join(row.get(k, "-") for row in row_of.values())
                                           for k in self.placed_by)], row_of))

    def cell(self, row, mark):
        return "-" if not row else row[self.column] + (mark if row.get("disturbed", "0") not in ("0", "") else "")

    def plain(self):
        """A line for each row: its keys, and each one's number."""
        return [[*key, *(self.cell(of.get(name), " disturbed") for name in self.names)] for key, of in self.rows]

    def plain_head(self):
        return [*map(as_printed, self.keys), *self.names]

    def pairs(self):
        """Of A and B, a line for each row: its keys, each one's number and its processes, the ratio, what to think of it."""
        for key, of in self.rows:
            both = [of.get(name) for name in self.names]
            ends = []
            line = [*key]
            for row in both:
                values = [float(process[self.column]) for process in row["processes"]] if row else []
                ends.append((min(values), max(values)) if row else None)
                line += [self.cell(row, "!"), "{:.7g} to {:.7g}".format(*ends[-1]) if row else "-"]
            if not all(both):
                yield [*line, "-", f"only {' and '.join(of)}"]
                continue
            x, y = (float(row[self.column]) for row in both)
            (a_min, a_max), (b_min, b_max) = ends
            verdict = "B is greater" if b_min > a_max else "B is less" if b_max < a_min else "within the noise"
            disturbed = any(row.get("disturbed", "0") not in ("0", "") for row in both)
            yield [*line, self.change(x, y), verdict + (" (disturbed)" if disturbed else "")]

    def change(self, x, y):
        """From x to y, in words: the difference where a number may be near zero, or the ratio."""
        if self.has_difference(x):
            return f"{y - x:+.3f}"
        if 0 < y < 0.01 * x:
            return f"{float(f'{x / y:.2g}'):.0f} times less"
        return f"{y / x:.3f}" if y < 100 * x else f"{y / x:.0f}"

    def counts(self):
        """How many rows say what, in one line."""
        words = [line[-1] for line in self.pairs() if line[-2] != "-"]
        return "; ".join(f"{words.count(word)} of {len(words)} rows: {word}" for word in dict.fromkeys(words))

    def in_words(self):
        """By what factor B differs, in one line; none if the rows have names, and so are different quantities."""
        paired = [([float(of[name][self.column]) for name in self.names], line[-1])
                  for (_, of), line in zip(self.rows, self.pairs()) if len(of) == 2]
        named = any(not is_number(row[k]) for _, of in self.rows for row in of.values() for k in self.keys if k in row)
        if len(paired) < 2 or named or self.has_difference() or any(0 in xy for xy, _ in paired):
            return ""
        ratios = sorted(y / x for (x, y), word in paired if word.startswith("B is "))
        if not ratios:
            return f"{as_printed(self.column)} differs in none of {len(paired)} rows"
        less = ratios[-1] < 1
        ends = [1 / ratios[-1], 1 / ratios[0]] if less else [ratios[0], ratios[-1]]
        ends = dict.fromkeys(f"{r:.2f}" if r < 2 else f"{float(f'{r:.2g}'):g}" for r in ends)
        rows = f"all {len(paired)}" if len(ratios) == len(paired) else f"{len(ratios)} of {len(paired)}"
        return f"{as_printed(self.column)} is {' to '.join(ends)} times {'less' if less else 'as great'} in {rows} rows"

    def has_difference(self, x=1):
        return x == 0 or NEAR_ZERO.search(self.column)

    def head(self):
        columns = [[f"median of {name}", f"{every(record)} of {name}"]
                   for name, record in self.records.items()]
        return [*map(as_printed, self.keys), *columns[0], *columns[1], "B - A" if self.has_difference() else "B / A", ""]


def of_machines(folders):
    """The tables of {name: folder}. A machine that did not record a program has no numbers in its table."""
    for title, program, keys, column in TABLES:
        records = {}
        for name, folder in folders.items():
            path = pathlib.Path(folder) / f"{program}.csv"
            if path.exists():
                record = read(path)
                if column in record.columns:
                    records[name] = record
                else:
                    print(f"report.py: {path} has no {column}: left out", file=sys.stderr)
        if records:
            yield Side(title, keys.split(), column, records, list(folders))


def of_records(folder):
    """Several processes each of one program: the program's tables; for another program its numbers with a spread, or all
    numbers."""
    processes = [[read(path) for path in sorted(folder.glob(f"{name}?.csv")) or sorted(folder.glob(f"{name}?.txt"))]
                 for name in "AB"]
    a, b = (records[0] for records in processes)
    program = a.meta.get("program", folder.name).split(" ")[0]
    columns = [c for c in a.columns if c in b.columns and c != "disturbed"]
    known = [(keys.split(), column) for _, of, keys, column in TABLES if of == program]
    texts = [c for c in columns if not all(is_number(row[c]) for row in a.rows + b.rows)]
    keys = known[0][0] if known else texts + [c for c in ("launches", "launch", "laps", "groups", "block", "length_us") if c in columns]
    known = [c for _, c in known if c in columns]
    wanted = (known or [c for c in columns if "mean" not in c and spread(a.rows[0], c, a)]
              or [c for c in columns if c not in keys + texts + OPTIONS])
    if not wanted:
        raise RecordError(f"{folder}: no numbers in both")
    if program in ("warmup", "warmup_opencl") and "steady_us" in columns:
        wanted.append("steady_us")
    for records in processes:
        if len({tuple(tuple(row[k] for k in keys if k in row) for row in r.rows) for r in records}) > 1:
            raise RecordError(f"{records[0].name}: each process has other rows, so there is nothing to pair")
        merge(records)
    return [Side(program, keys, column, {"A": a, "B": b}, ["A", "B"], by_place=True) for column in wanted]


def merge(records):
    """Of several processes the first: each number becomes their median, and each row keeps the rows of all."""
    def middle(texts):
        try:
            return sorted(texts, key=float)[len(texts) // 2]
        except ValueError:
            return texts[0]

    if len({len(r.rows) for r in records}) > 1:
        raise RecordError(f"{records[0].name}: its processes have not equally many rows")
    records[0].rows = [{**{c: middle([row[c] for row in rows]) for c in rows[0]}, "processes": rows}
                       for rows in zip(*(r.rows for r in records))]


def machines(records_of):
    """What each was recorded on, when: of {name: records}."""
    lines = []
    for name, records in records_of.items():
        for meta in dict.fromkeys(tuple(r.meta.get(m, "not recorded") for m in ("device", "driver", "date"))
                                  for r in records if r.meta.get("device") != "host"):
            lines.append([name, *meta])
    return lines


def every(record):
    """In words: all its processes."""
    processes = len(record.rows[0]["processes"])
    return f"all {processes}" if processes > 2 else "both"


def print_lines(lines, left):
    """The columns whose number is in `left` begin at their left edge."""
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    for line in lines:
        print("  ".join(cell.ljust(width) if c in left else cell.rjust(width)
                        for c, (cell, width) in enumerate(zip(line, widths))).rstrip())


def print_records(sides, folder):
    """What was changed between A and B, and their tables."""
    a, b = sides[0].records.values()
    device = f" on {a.meta['device']}" if a.meta.get("device") == b.meta.get("device", "host") != "host" else ""
    print(f"{sides[0].title}{device}\nA is {pathlib.Path(a.name).parent}/A?{pathlib.Path(a.name).suffix}, B is B?")
    changed = []
    for name in ["program", "device", "driver", *OPTIONS]:
        was, now = (r.meta.get(name, "not recorded") for r in (a, b))
        if was != now:
            if name in OPTIONS:  # in the record a list has blanks
                was, now = was.replace(" ", ","), now.replace(" ", ",")
            changed.append(f"{name} {was} -> {now}")
    print("Changed:", "; ".join(changed) if changed else "no option. (A record does not show a change in the source.)")
    for words in filter(None, (side.in_words() for side in sides)):
        print(words)
    if "used_units" in a.columns and "used_units" in b.columns and len(a.rows) == len(b.rows):
        used = [" ".join(row["used_units"] for row in r.rows) for r in (a, b)]
        if used[0] != used[1]:
            print(f"used_units, row by row: {used[0]} -> {used[1]}")
    side = sides[0]
    if side.changed and len(side.rows) > 1 and any(len(of) == 2 for _, of in side.rows):
        how = [f"by {' and '.join(side.paired_by)}"] * bool(side.paired_by) + ["in their order"] * bool(side.placed_by)
        print(f"A and B have no value of {' or '.join(side.changed)} in common: rows are paired {', then '.join(how)}.")
    if side.rows and not any(len(of) == 2 for _, of in side.rows):
        print("No row is in both, so nothing is compared. Give A and B equally many values, as in\n"
              f"./change.sh {sides[0].title} --blocks 1 -- --blocks 16")
    for side in sides:
        lines, keys = [*side.pairs()], len(side.keys)
        alone = [line for line in lines if line[-2] == "-"] if any(line[-2] != "-" for line in lines) else []
        lines = [side.head(), *(line for line in lines if line not in alone)]
        print(f"\n{': '.join(filter(None, (as_printed(side.column), side.counts())))}")
        print_lines(lines[:MOST_LINES + 1], {*range(keys), len(lines[0]) - 1})
        if len(lines) > MOST_LINES + 1:
            print(f"... and {len(lines) - MOST_LINES - 1} more rows")
        for n, name in enumerate(side.names):
            rows = [f"{' '.join(line[:keys])} ({line[keys + 2 * n]})" for line in alone if line[-1] == f"only {name}"]
            if rows:
                print(f"only {name}: {', '.join(rows)}")
    processes = len(a.rows[0]["processes"])
    rows = math.comb(2 * processes, processes) // 2
    print(f"\nB is greater, or less: {every(b)} of B are above, or below, {every(a).split()[0]} of A.",
          "In the model nothing is by chance." if "no hardware" in device else
          f"A change without any effect\ndoes that by chance in one of {rows} rows: repeat the command before you believe a row.")


def main(arguments):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if len(arguments) != 1:
        print(f"usage: {__doc__.strip()}", file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[0])
    sides = of_records(folder)
    print_records(sides, folder)
    if not any(side.rows for side in sides):
        raise RecordError("no row has a number")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (RecordError, OSError, ValueError) as error:
        sys.exit(f"change.sh: {error}")
