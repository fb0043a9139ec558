#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/results/compare.sh [--html] NAME NAME [...]   machines of docs/results, or folders, side by side
   docs/results/compare.sh [--html] A.csv B.csv       two records of one program, which --csv=FILE wrote

In the terminal; with --html of two as the page build/compared.html. Of two the ratio stands beside the
numbers, or the difference where a number may be near zero, and the spread of each one's runs. Of machines
gnuplot, if it is there, also draws docs/results/compared.svg.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from page import ROOT, as_printed, element, environment, folded, is_number, page, table
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
    ("05 The whole launch, CUDA", "block_clock", "blocks threads", "whole_launch_us"),
    ("05 Clocks of a work-group, OpenCL: of a GPU cycles of its SM, of a CPU ticks of its time stamp counter",
     "block_clock_opencl", "blocks threads", "clocks_mean"),
    ("05 The whole launch, OpenCL", "block_clock_opencl", "blocks threads", "whole_launch_us"),
    ("06 Error of each recipe, CUDA", "warmup", "recipe", "error_percent"),
    ("06 Error of each recipe, OpenCL", "warmup_opencl", "recipe", "error_percent"),
]
WHO = ("What the numbers are of", ["name", "device", "driver", "date"])
OPTIONS = ["size", "blocks", "threads", "work", "runs"]  # as column, or as a "# " line
NEAR_ZERO = re.compile("extra|error|difference|percent|_minus_")
SPREADS = [("p25", "p75"), ("p5", "p95"), ("min", "max")]


def spread(row, column):
    """The least and the greatest of the runs or blocks, or their quantiles, as the row's own columns have it."""
    for names in SPREADS:
        for form in (re.sub("median|mean", "{}", column), re.sub("(_[a-z]+|)$", r"_{}\1", column, count=1)):
            found = [row.get(form.format(name), "") for name in names]
            if "{}" in form and all(found):
                return tuple(map(float, found))
    return None


class Side:
    """The rows of several records of one program, paired by their keys."""

    def __init__(self, title, keys, column, records, names):
        self.title, self.column, self.names, self.records = title, column, names, records
        keys = [key for key in dict.fromkeys(keys + OPTIONS) if any(key in r.columns for r in records.values())]
        kept, shared = [], []
        for option in dict.fromkeys(keys + OPTIONS):  # one value in each record: no key; changed, or the same
            of = [({row.get(option) for row in r.rows} if option in r.columns else {r.meta.get(option)})
                  for r in records.values()]
            if len(set.union(*of)) > 1 and not all(len(values) == 1 for values in of):
                kept.append(option)
            elif option != "runs" and set.union(*of) != {None}:
                values = [next(iter(v)) or "-" for v in of]
                shared.append(f"{option} {values[0]}" if len(set(values)) == 1 else f"{option} {' | '.join(values)}")
        self.keys = kept or keys[:1]
        self.what = ", ".join([as_printed(column), *shared])
        self.rows = {}
        for name, record in records.items():
            for row in record.rows:
                key, again = tuple(row.get(k, "-") for k in self.keys), 1
                while name in self.rows.get(key, {}):  # the floor of each kernel, for example
                    again += 1
                    key = (*key[:-1], f"{row.get(self.keys[-1], '-')} ({again})")
                if row[column]:
                    self.rows.setdefault(key, {})[name] = row
        if all(is_number(k) for key in self.rows for k in key):
            self.rows = dict(sorted(self.rows.items(), key=lambda item: tuple(map(float, item[0]))))

    def cell(self, row, mark=" disturbed"):
        return "-" if not row else row[self.column] + (mark if row.get("disturbed") == "1" else "")

    def plain(self, mark=" disturbed"):
        """A line for each row: its keys, and each one's number."""
        return [[*key, *(self.cell(of.get(name), mark) for name in self.names)] for key, of in self.rows.items()]

    def pairs(self, mark=" disturbed"):
        """Of two: (whether it clearly differs, the line: keys, numbers, their spread, ratio, what to think of it)."""
        difference = NEAR_ZERO.search(self.column)
        for key, of in self.rows.items():
            both = [of.get(name) for name in self.names]
            line = [*key]
            for row in both:
                runs = spread(row, self.column) if row else None
                line += [self.cell(row, mark), "{:g} to {:g}".format(*runs) if runs else "-"]
            if not all(both):
                yield False, [*line, "-", "one record has no such row"]
                continue
            x, y = (float(row[self.column]) for row in both)
            ranges = [spread(row, self.column) for row in both]
            if any(row.get("disturbed") == "1" for row in both):
                clear, word = False, "disturbed: do not believe it"
            elif x == y:
                clear, word = False, "the same"
            elif not all(ranges) or all(low == high for low, high in ranges):
                clear, word = None, "no spread recorded"
            elif ranges[1][0] <= x <= ranges[1][1] and ranges[0][0] <= y <= ranges[0][1]:
                clear, word = False, "within the spread"
            else:
                clear, word = True, "differs"
            yield clear, [*line, f"{y - x:+.3f}" if difference or x == 0 else f"{y / x:.3f}", word]

    def plain_head(self):
        return [*map(as_printed, self.keys), *self.names]

    def head(self):
        return [*map(as_printed, self.keys), *(part for n in self.names for part in (n, f"{n} spread")),
                "difference" if NEAR_ZERO.search(self.column) else "ratio", "verdict"]


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
                    print(f"compare.sh: {path} has no {column}: left out", file=sys.stderr)
        if records:
            yield Side(title, keys.split(), column, records, list(folders))


def of_records(paths):
    """Two records of one program: the program's tables; for another program its numbers with a spread, or all numbers."""
    a, b = map(read, paths)
    of = [pathlib.Path(path).resolve() for path in paths]
    names = next(n for n in ([p.stem for p in of], [p.parent.name for p in of], ["A", "B"]) if n[0] != n[1])
    records = dict(zip(names, (a, b)))
    programs = {r.meta.get("program", pathlib.Path(r.name).stem).split(" ")[0] for r in (a, b)}
    if len(programs) > 1:
        raise RecordError(f"not of one program: {' and '.join(sorted(programs))}")
    program = programs.pop()
    columns = [c for c in a.columns if c in b.columns and c != "disturbed"]
    known = [(keys.split(), column) for _, of, keys, column in TABLES if of == program]
    texts = [c for c in columns if not all(is_number(row[c]) for row in a.rows + b.rows)]
    keys = known[0][0] if known else texts + [c for c in ("launches", "laps", "groups", "length_us") if c in columns]
    wanted = ([column for _, column in known if column in columns]
              or [c for c in columns if "mean" not in c and a.rows and spread(a.rows[0], c)]
              or [c for c in columns if c not in keys + texts + OPTIONS])
    return [Side(program, keys, column, records, list(records)) for column in wanted]


def machines(records_of):
    """What each was recorded on, when: of {name: records}."""
    lines = []
    for name, records in records_of.items():
        for meta in dict.fromkeys(tuple(r.meta.get(m, "not recorded") for m in ("device", "driver", "date"))
                                  for r in records if r.meta.get("device") != "host"):
            lines.append([name, *meta])
    return lines


def as_page(sides, who, environments):
    a, b = who
    differ, rest = "", ""
    devices = [{line[1] for line in machines({name: records})} for name, records in who.items()]
    same_device = devices[0] == devices[1] != {"not recorded"}
    for side in sides:
        lines = list(side.pairs())
        if len(side.records) < 2:
            rest += element("p", f"{side.title}: one of the two has no such record.")
            continue
        shown = [line for clear, line in lines if clear or (clear is None and not same_device)]
        other = [line for clear, line in lines if line not in shown]
        caption = f"{side.title}; {side.what}"
        differ += table(caption, side.head(), shown) if shown else ""
        rest += table(caption + (": the other rows" if shown else ""), side.head(), other) if other else ""
    texts = {}
    for name, path in environments:
        texts.setdefault(path.read_text() if path.exists() else "not: recorded", []).append(name)
    return page(f"{a} and {b} side by side", f"""<p>The ratio is {b} divided by {a}. Where a number may be near zero it is the \
difference, {b} minus {a}. Beside each number stands its spread: the least and the greatest of its runs, or of its blocks. A row differs when one of the
two numbers is outside the spread of the other. Two runs of one program on one machine may differ by some percent without a
reason that you know: repeat both before you believe a small difference.</p>
{table(*WHO, machines(who))}<h2 id="differ">What differs</h2>
{differ or element("p", "No row differs by more than its spread.")}<h2 id="rest">What does not differ, or cannot be said</h2>
{folded("All other rows", rest) if rest else element("p", "No other rows.")}<h2 id="environments">The machines</h2>
""" + "".join(folded("The environment of " + " and of ".join(names), environment(text)) for text, names in texts.items()))


def as_text(sides, who):
    for line in machines(who):
        print("{}: {}, {}, {}".format(*line))
    marked = False
    for side in sides:
        two = len(who) == len(side.records) == 2
        lines = [side.head(), *(line for _, line in side.pairs("!"))] if two else [side.plain_head(), *side.plain("!")]
        marked |= any(cell.endswith("!") for line in lines for cell in line)
        widths = [max(map(len, cells)) for cells in zip(*lines)]
        print(f"\n{side.title}; {side.what}")
        for line in lines:
            print("  ".join(cell.rjust(width) if c >= len(side.keys) and not (two and c == len(line) - 1) else
                            cell.ljust(width) for c, (cell, width) in enumerate(zip(line, widths))).rstrip())
    if marked:
        print("\n!: disturbed. Do not believe this number.")


def main(arguments):
    html = arguments[:1] == ["--html"]
    names = arguments[html:]
    recorded = "recorded: " + " ".join(sorted(p.parent.name for p in RESULTS.glob("*/environment.txt")))
    if len(names) < 2 or (html and len(names) != 2) or any(name.startswith("-") for name in names):
        print(f"usage: {__doc__.strip()}\n{recorded}", file=sys.stderr)
        return 2
    folders = {}
    if len(names) == 2 and all(name.endswith(".csv") for name in names):
        sides = of_records(names)
        who = {name: [record] for name, record in sides[0].records.items()}
    else:
        folders = {name: RESULTS / name if (RESULTS / name).is_dir() else pathlib.Path(name) for name in names}
        for name, folder in folders.items():
            if not list(folder.glob("*.csv")):
                raise RecordError(f"no record called '{name}'; {recorded}")
        sides = list(of_machines(folders))
        who = {name: [side.records[name] for side in sides if name in side.records] for name in names}
    if html:
        out = ROOT / "build/compared.html"
        out.parent.mkdir(exist_ok=True)
        out.write_text(as_page(sides, who, [(n, f / "environment.txt") for n, f in folders.items()]), encoding="utf-8")
        print(f"Written: {os.path.relpath(out)}")
        return 0
    as_text(sides, who)
    if folders and shutil.which("gnuplot"):
        drawn = subprocess.run(["gnuplot", "-c", "compare.gp", "compared.svg", *map(os.path.abspath, folders.values())],
                               cwd=RESULTS, capture_output=True, text=True)
        if drawn.returncode:
            raise RecordError(f"no picture; gnuplot says: {drawn.stderr.strip()}")
        print("\nDrawn: docs/results/compared.svg")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RecordError as error:
        sys.exit(f"compare.sh: {error}")
