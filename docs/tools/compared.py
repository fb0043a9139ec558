#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/side_by_side.sh A.csv B.csv          two records of one program, which --csv=FILE wrote
   docs/side_by_side.sh 'A?.csv' 'B?.csv'    several processes each, by turns: docs/change.sh
   docs/side_by_side.sh NAME NAME [...]      machines of docs/results, or folders of records

Prints the rows of both side by side; of two also the ratio, or the difference where a number may be near
zero, and whether the spread of the runs, or of the processes, explains it.
"""
import glob
import itertools
import math
import os
import pathlib
import re
import signal
import statistics
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
DIFFER = "these two runs differ"
NEAR_ZERO = re.compile("extra|error|difference|percent|_minus_")
MOST_LINES = 24  # of a table of two records: one page


def matching(path):
    """The files of a pattern such as folder/A?.csv; in the folder's own name nothing is a pattern."""
    folder, name = os.path.split(path)
    return sorted(glob.glob(os.path.join(glob.escape(folder), name))) if re.search(r"[*?[]", name) else []


def spread(row, column, record):
    """The least and the greatest of the processes; or of the runs of one process, as the row's own columns have them: of
    median_us min_us and max_us, of span_us span_min_us and span_max_us. None if there are none, or if there was one run."""
    if "processes" in row:
        values = [float(of[column]) for of in row["processes"]]
        return min(values), max(values)
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
        self.processes = [len(r.rows[0].get("processes", [r])) if r.rows else 1 for r in records.values()]

    def cell(self, row, mark=" disturbed"):
        return "-" if not row else row[self.column] + (mark if row.get("disturbed") == "1" else "")

    def plain(self, mark=" disturbed"):
        """A line for each row: its keys, and each one's number."""
        return [[*key, *(self.cell(of.get(name), mark) for name in self.names)] for key, of in self.rows]

    def plain_head(self):
        return [*map(as_printed, self.keys), *self.names]

    def pairs(self):
        """Of two, a line for each row: its keys, each one's number and its runs, the ratio, what to think of it."""
        for key, of in self.rows:
            both = [of.get(name) for name in self.names]
            ranges = [spread(of[n], self.column, self.records[n]) if n in of else None for n in self.names]
            line = [*key]
            for row, runs in zip(both, ranges):
                line += [self.cell(row, "!"), "{:.7g} to {:.7g}".format(*runs) if runs else "-"]
            if not all(both):
                yield [*line, "-", f"only {' and '.join(of)}"]
                continue
            x, y = (float(row[self.column]) for row in both)
            disturbed = any(row.get("disturbed") == "1" for row in both)
            yield [*line, self.change(x, y), self.verdict(x, y, *ranges, disturbed)]

    def verdict(self, x, y, a, b, disturbed):
        """What to think of A's x, with its runs from a[0] to a[1], and B's y."""
        if not a or not b:
            return "disturbed: do not believe it" if disturbed else "no spread recorded"
        apart = a[1] < b[0] or b[1] < a[0]
        if min(self.processes) > 1:
            mark = " (disturbed)" if disturbed else ""
            return f"{self.names[1]} is {'greater' if y > x else 'less'}{mark}" if apart else "within the noise"
        # A delay only lengthens a run: a time is longer than another if its least run is longer than the other's median.
        is_time = not self.has_difference(x) and not self.column.endswith("gb_s")
        differ = apart or is_time and (b[0] > x if y > x else a[0] > y)
        far = abs(y - x) > min(abs(x), abs(y))  # a factor of 2
        if disturbed and not (differ and far):
            return "disturbed: do not believe it"
        if b[0] <= x <= b[1] and a[0] <= y <= a[1]:
            return "within the spread of the runs"
        return DIFFER if differ else "the runs overlap"

    def change(self, x, y):
        """From x to y, in words: the difference where a number may be near zero, or the ratio."""
        if self.has_difference(x):
            return f"{y - x:+.3f}"
        if 0 < y < 0.01 * x:
            return f"{float(f'{x / y:.2g}'):.0f} times less"
        return f"{y / x:.3f}" if y < 100 * x else f"{y / x:.0f}"

    def counts(self):
        """How many rows say what, in one line."""
        words = [line[-1].split(":")[0] for line in self.pairs() if line[-2] != "-"]
        return "; ".join(f"{words.count(word)} of {len(words)} rows: {word}" for word in dict.fromkeys(words))

    def in_words(self):
        """By what factor B differs, in one line; none if the rows have names, and so are different quantities."""
        paired = [([float(of[name][self.column]) for name in self.names], line[-1])
                  for (_, of), line in zip(self.rows, self.pairs()) if len(of) == 2]
        named = any(not is_number(row[k]) for _, of in self.rows for row in of.values() for k in self.keys if k in row)
        if len(paired) < 2 or named or self.has_difference() or any(0 in xy for xy, _ in paired):
            return ""
        ratios = sorted(y / x for (x, y), word in paired if word == DIFFER or word.startswith("B is "))
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
        a, b = self.names
        runs = "processes" if min(self.processes) > 1 else "runs"
        return [*map(as_printed, self.keys), a, f"{runs} of {a}", b, f"{runs} of {b}",
                f"{b} - {a}" if self.has_difference() else f"{b} / {a}", ""]


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
                    print(f"side_by_side.sh: {path} has no {column}: left out", file=sys.stderr)
        if records:
            yield Side(title, keys.split(), column, records, list(folders))


def of_records(paths):
    """Two records of one program, or several processes each: the program's tables; for another program its numbers with a
    spread, or all numbers."""
    processes = [[read(p) for p in matching(path) or [path]] for path in paths]
    a, b = (records[0] for records in processes)
    for name, record in zip("AB", (a, b)):
        if not record.rows:
            raise RecordError(f"{name} has no rows: its run failed ({record.name})")
    programs = {r.meta.get("program", pathlib.Path(r.name).stem).split(" ")[0] for r in (a, b)}
    if len(programs) > 1:
        raise RecordError(f"not of one program: {' and '.join(sorted(programs))}")
    program = programs.pop()
    if program.startswith("warmup_series"):
        for record in itertools.chain(*processes):
            first_and_steady(record)
    columns = [c for c in a.columns if c in b.columns and c != "disturbed"]
    known = [(keys.split(), column) for _, of, keys, column in TABLES if of == program]
    texts = [c for c in columns if not all(is_number(row[c]) for row in a.rows + b.rows)]
    keys = known[0][0] if known else texts + [c for c in ("launches", "launch", "laps", "groups", "block", "length_us") if c in columns]
    known = [c for _, c in known if c in columns]
    wanted = (known or [c for c in columns if "mean" not in c and spread(a.rows[0], c, a)]
              or [c for c in columns if c not in keys + texts + OPTIONS])
    if not wanted:
        raise RecordError(f"{paths[0]}, {paths[1]}: no numbers in both")
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
    if len(records) > 1:
        records[0].rows = [{**{c: middle([row[c] for row in rows]) for c in rows[0]}, "processes": rows}
                           for rows in zip(*(r.rows for r in records))]


def first_and_steady(record):
    """Of a series of launches two rows: the first, and the median of the last 50, with their spread."""
    steady = {"launch": "steady", "disturbed": record.rows[-1]["disturbed"]}
    for name in ("device", "host"):
        us = sorted(float(row[f"{name}_us"]) for row in record.rows[-50:])
        steady.update({f"{name}_us": f"{statistics.median(us):.3f}", f"{name}_min_us": us[0], f"{name}_max_us": us[-1]})
    record.rows = [{**record.rows[0], "launch": "first"}, steady]


def machines(records_of):
    """What each was recorded on, when: of {name: records}."""
    lines = []
    for name, records in records_of.items():
        for meta in dict.fromkeys(tuple(r.meta.get(m, "not recorded") for m in ("device", "driver", "date"))
                                  for r in records if r.meta.get("device") != "host"):
            lines.append([name, *meta])
    return lines


def print_lines(lines, left):
    """The columns whose number is in `left` begin at their left edge."""
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    for line in lines:
        print("  ".join(cell.ljust(width) if c in left else cell.rjust(width)
                        for c, (cell, width) in enumerate(zip(line, widths))).rstrip())


def print_records(sides, paths):
    """What was changed between A and B, and their tables."""
    a, b = sides[0].records.values()
    device = f" on {a.meta['device']}" if a.meta.get("device") == b.meta.get("device", "host") != "host" else ""
    print(f"{sides[0].title}{device}\nA is {paths[0]}, B is {paths[1]}")
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
              f"docs/change.sh {sides[0].title} --blocks 1 -- --blocks 16")
    said = set()
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
        said.update(cell for line in lines[1:] for cell in line)
    print()
    if min(side.processes) > 1:
        chance = math.comb(sum(side.processes), side.processes[0]) // 2
        print("A, B: the median of the processes. processes: the least and the greatest of them.")
        if "no hardware" in device:
            print("B is less, B is greater: in the model nothing happens by chance. On hardware a small change may be noise.")
        else:
            print("B is less, B is greater: every process of B is below, or above, all of A. Without a change this happens\n"
                  f"by chance in 1 of {chance} rows.\n"
                  "The rows of a process may rise and fall together: before you believe a small change, repeat the command.")
    else:
        print("runs: the least and the greatest run of a row.")
    if "within the spread of the runs" in said:
        print("within the spread: each number is among the other's runs, so the change may have done nothing.")
    if DIFFER in said:
        print(f"{DIFFER}: two processes may differ without a change, some by more than a factor of 2. Only several\n"
              "processes of each, by turns, tell a change from noise: docs/change.sh PROGRAM OPTIONS...")
    if any(cell.endswith("!") for cell in said):
        print("!: disturbed, and the program says why below its table: run it again on an idle machine.")
        print("For small differences: docs/compare.md")


def print_machines(sides, who):
    for line in machines(who):
        print("{}: {}, {}, {}".format(*line))
    for side in sides:
        two = len(who) == len(side.records) == 2
        lines = [side.head(), *side.pairs()] if two else [side.plain_head(), *side.plain("!")]
        print(f"\n{side.title}; {side.what}")
        print_lines(lines, {*range(len(side.keys)), len(lines[0]) - 1} if two else {*range(len(side.keys))})
    print("\n!: disturbed. Do not believe this number.")


def main(arguments):
    recorded = "recorded: " + " ".join(sorted(p.parent.name for p in RESULTS.glob("*/environment.txt")))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if len(arguments) < 2 or any(name.startswith("-") for name in arguments):
        print(f"usage: {__doc__.strip()}\n{recorded}", file=sys.stderr)
        return 2
    if len(arguments) == 2 and all(name.endswith(".csv") for name in arguments):
        sides = of_records(arguments)
        print_records(sides, arguments)
    else:
        folders = {name: RESULTS / name if (RESULTS / name).is_dir() else pathlib.Path(name) for name in arguments}
        for name, folder in folders.items():
            if name.endswith(".csv"):
                raise RecordError("two records, or two patterns in quotes: docs/side_by_side.sh 'A?.csv' 'B?.csv'")
            if not list(folder.glob("*.csv")):
                raise RecordError(f"no record called '{name}'; {recorded}")
        sides = list(of_machines(folders))
        print_machines(sides, {name: [side.records[name] for side in sides if name in side.records] for name in arguments})
    if not any(side.rows for side in sides):
        raise RecordError("no row has a number")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (RecordError, OSError, ValueError) as error:
        sys.exit(f"side_by_side.sh: {error}")
