#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py FOLDER PAGE: writes PAGE from what ./tour.sh left in FOLDER: of each program its record,
program.csv, whose numbers the page has, and what it printed in the same run, program.txt, for the words
beside them; ran.txt, environment.txt, load.txt.
"""
import os
import pathlib
import re
import sys
from html import escape

from compared import NEAR_ZERO, RESULTS, TABLES, WHO, machines, of_machines, spread
from page import MARKED, ROOT, bars, box, element, environment, folded, lines, link, page, rounded, table
from record import RecordError, read

SIMULATED = ("A model of an NVIDIA H200, in software: no number here was measured. "
             + link("simulator/README.md", "What it is good for") + ". The tables beside recorded machines leave it out.")
RECORDED = ["nvidia-h100", "pocl-cpu"]
KEYS = {program: keys.split() for _, program, keys, _ in TABLES}
# The picture of a program: bars or lines, the label's column, the values' columns, the rows.
PICTURES = {
    "host_clock": (bars, "clock", ["sleep_ms", "two_threads_ms"], {}),
    "clfinish_sync": (bars, "method", ["median_us"], {}),
    "opencl_profiling": (bars, "interval", ["median_us"], {}),
    "cuda_events": (bars, "method", ["median_us"], {"kernel": "spin_10us"}),
    "block_clock": (lines, "blocks", ["clocks_mean", "whole_launch_us"], {}),
    "block_clock_opencl": (lines, "blocks", ["clocks_mean", "whole_launch_us"], {}),
    "warmup": (bars, "recipe", ["error_percent"], {}),
    "warmup_opencl": (bars, "recipe", ["error_percent"], {}),
}


# (what, rows that measure it): (program, column, which row); vector_add of one size.
SAME = [
    ("vector_add by the device's clock", [("clfinish_sync", "median_us", {"method": "profiling_event"}),
                                          ("opencl_profiling", "median_us", {"interval": "start_to_end"})]),
    ("vector_add by the host's clock, with a wait before and after",
     [("clfinish_sync", "median_us", {"method": "finish_before_and_after"}),
      ("opencl_profiling", "median_us", {"interval": "host"}),
      ("warmup_opencl", "steady_us", {"recipe": "warm_then_median"})]),
    ("vector_add between two events", [("cuda_events", "median_us", {"method": "event", "kernel": "vector_add"}),
                                       ("warmup", "steady_us", {"recipe": "warm_then_median"})]),
]


def digits(row, record):
    """What its numbers are worth: three digits where its runs, or those of one of its numbers, differ by more than a tenth."""
    ends = [spread(row, column, record) for column in record.columns]
    return 3 if any(end and end[1] > 1.1 * end[0] for end in ends) else 4


def marked(row, column, record):
    return rounded(row[column] or "-", digits(row, record)) + (MARKED if row.get("disturbed") == "1" else "")


def picture(program, record):
    kind, label, values, only = PICTURES.get(program, (None, "", [], {}))
    if not kind:
        return ""
    for column in [label, *values]:
        record.column(column)
    rows = [row for row in record.select(**only) if all(row[v] for v in values)]
    if kind is bars:
        truth = [("the code", rounded(rows[0]["code_us"]), 1)] if only and rows else []  # of a kernel of known length
        on = "".join(f" on {kernel}" for kernel in only.values())
        return "".join(bars(f"{program}: {v} of each {label}{on}",
                            truth + [(row[label], marked(row, v, record), 0) for row in rows]) for v in values)
    rows = [row for row in rows if all(float(row[v]) > 0 for v in values)]
    series = {v: [(float(row[label]), float(row[v]) / float(rows[0][v])) for row in rows] for v in values}
    disturbed = ", ".join(row[label] for row in rows if row.get("disturbed") == "1")
    return lines(f"{program}: {' and '.join(values)} by the number of {label}, as multiples of the first row's; both axes "
                 "logarithmic" + (f"; disturbed: {disturbed} {label}" if disturbed else ""), label, series) if rows else ""


def keys_of(program, record):
    return KEYS.get(program, record.columns[:1])


def row_name(program, row, record):
    keys = keys_of(program, record)
    return ", ".join(row[key] if len(keys) == 1 else f"{key} {row[key]}" for key in keys)


def unsteady(program, record):
    """The rows without a mark of which half of the runs took a quarter longer than the fastest one, and for which number."""
    named = []
    for row in record.rows:
        ends = {c: spread(row, c, record) for c in record.columns if not NEAR_ZERO.search(c)}
        far = [c for c, end in ends.items() if end and end[0] > 0 and float(row[c]) > 1.25 * end[0]]
        if far and row.get("disturbed") != "1":
            named.append(f"{row_name(program, row, record)} ({far[0]} {rounded(row[far[0]], 3)}, "
                         f"least {rounded(str(ends[far[0]][0]), 3)})")
    return named


def disagree(folder):
    """Programs that measure the same, and differ by more than a quarter."""
    doubts = []
    for what, sources in SAME:
        found = {}
        for program, column, which in sources:
            if (folder / f"{program}.csv").exists():
                record = read(folder / f"{program}.csv")
                found.setdefault(record.meta.get("size"), []).append((float(record.find(**which)[column]), program))
        for numbers in found.values():
            if max(numbers)[0] > 1.25 * min(numbers)[0]:
                doubts.append(f"{what}: " + ", ".join(f"{rounded(f'{x:.6f}', 3)} us in {program}" for x, program in numbers)
                              + ": programs that measure the same differ by more than a quarter")
    return doubts


def words(text):
    """What the program printed above and below its tables, whose columns are two blanks apart. A line that only goes on
    with a sentence is joined to the one before."""
    above, below, tables = [], [], 0
    for part in filter(None, re.split(r"\n\s*\n", text.strip())):
        if re.search(r"\S {2,}\S", part):
            tables += 1
        else:
            goes_on = r"[a-z]+[ ,.]|\d" if tables else "[a-z]+[ ,.]"
            part = re.sub(rf"(?<![.:;])\n(?={goes_on})", " ", part)
            (below if tables else above).append(element("p", part, ' class="said"'))
    return "".join(above), "".join(below)


def of_program(path, folder, text, where, look):
    """A program's part of the page, and its record. What to look at stands first in the table."""
    program = path.rpartition("/")[2]
    record = read(folder / f"{program}.csv")
    above, below = words(text)
    columns = [c for c in record.columns if c != "disturbed"  # and not the runs of a number, as clocks_mean_min
               and re.sub("_(min|max)(?=_|$)", "", c) not in set(record.columns) - {c}]
    first = keys_of(program, record)
    columns.sort(key=lambda c: (c not in first, not re.search(rf"\b{c}\b", look)))
    shown = [[row[columns[0]] + (MARKED if row.get("disturbed") == "1" else ""),
              *(rounded(row[c] or "-", digits(row, record)) for c in columns[1:])] for row in record.rows]
    named = [[name, rounded(value)] for name, value in record.meta.items()]
    return (above + table(f"{path} on {where}", columns, shown) + picture(program, record)
            + below + folded("Device, driver, date, options, and the values of the text above",
                             table(f"{path}: the named lines of its record", ["name", "value"], named)), record)


def head(room):
    """The title and the question of a chapter's text."""
    lesson = re.sub("[*`]", "", (ROOT / room / "README.md").read_text())
    question = re.search(r"^Question\.\s*(.*?)\n\n", lesson, re.S | re.M)
    return re.search(r"^# (.*)", lesson, re.M)[1], " ".join(question[1].split()) if question else ""


def of_rooms(ran, folder, told):
    """The part of each room with programs that ran, {room: (its title, HTML)}; what not to believe; how many rows of how
    many these are."""
    rooms, doubts, doubted, rows = {}, [], 0, 0
    for path, code, look, message in ran:
        is_simulated = path.startswith("simulated/")
        inside = "simulated/" if is_simulated else ""  # of the folder: its records are no machine's
        path = path.removeprefix("simulated/")
        room, _, program = path.rpartition("/")
        title, question = head(room)
        part = element("h3", f"{program} on a simulated GPU" if is_simulated else program)
        if is_simulated:
            part += f'<p class="warn">{SIMULATED}</p>\n'
        if code == "0":
            measured, record = of_program(path, folder / inside, told(f"{inside}{program}.txt"),
                                          "the simulated GPU" if is_simulated else "this machine", look)
            part += element("p", look, ' class="look"') + measured
            if is_simulated:
                doubts.append(f"{path}: simulated, for this machine has no NVIDIA GPU")
            else:
                disturbed = [row_name(program, row, record) for row in record.rows if row.get("disturbed") == "1"]
                differ = unsteady(program, record)
                doubts += [f"{path}: disturbed: {'; '.join(disturbed)}"] if disturbed else []
                doubts += [f"{path}: no mark, but half of the runs took over a quarter longer than the fastest one: "
                           + "; ".join(differ)] if differ else []
                doubted, rows = doubted + len(disturbed) + len(differ), rows + len(record.rows)
        else:
            why = ("skipped: " if code == "77" else f"FAILED with exit code {code}: ") + message
            printed = told(f"{inside}{program}.txt")
            part += element("p", why[0].upper() + why[1:], ' class="warn"')
            part += box(f"What {program} printed", element("pre", printed)) if printed else ""
            doubts.append(f"{path}: {why}")
        text = link(f"{room}/README.md", f"{room}/README.md")
        opening = element("h2", title, f' id="{room.replace("/", "_")}"')
        opening += f"<p>{escape(question)} The chapter: {text}</p>\n" if question else ""
        rooms[room] = (title, rooms.get(room, ("", opening))[1] + part)
    return rooms, doubts + disagree(folder), doubted, rows


def beside(folder):
    """The rows of this machine beside those of recorded ones."""
    tables, who = "", {}
    for side in of_machines({"this machine": folder} | {name: RESULTS / name for name in RECORDED}):
        rows = [[*map(rounded, line)] for line in side.plain() if line[len(side.keys)] != "-"]
        if any(cell != "-" for line in rows for cell in line[len(side.keys) + 1:]):
            tables += table(f"{side.title}; {side.what}", side.plain_head(), rows)
            for name, record in side.records.items():
                who.setdefault(name, []).append(record)
    return table(*WHO, machines(who)) + tables if tables else element("p", "No rows: nothing was measured.")


def report(folder, out):
    here = [str(ROOT), os.environ.get("PWD", "")]  # the second may go through a symbolic link
    hidden = {f"{path}/": "" for path in here if pathlib.Path(path).resolve() == ROOT}
    hidden[f"{pathlib.Path.home()}/"] = "~/"

    def told(name):  # without the suite's own path, which may name a user
        text = (folder / name).read_text(errors="replace") if (folder / name).exists() else ""
        for path, shown in hidden.items():
            text = text.replace(path, shown)
        return text

    ran = [line.split("\t", 3) for line in told("ran.txt").splitlines()]
    rooms, doubts, doubted, rows = of_rooms(ran, folder, told)
    nav = "".join(f'<li><a href="#{room}">{escape(title)}</a></li>\n' for room, (title, _) in rooms.items())
    listed = "".join(element("li", doubt) for doubt in doubts)
    listed = f"<ul>\n{listed}</ul>" if listed else "<p>None: no row is disturbed, and all programs ran.</p>"
    measured = [name for name in ("block_clock", "block_clock_opencl") if (folder / f"{name}.csv").exists()]
    name = (measured + ["block_clock"])[0]  # which is simulated, then
    load = told("load.txt").strip()
    load = f"""<p>Load average before the tour, of the last 1, 5 and 15 minutes: {escape(load)}. This is the mean number of \
threads that ran or wanted to run. On an idle machine it is near 0.</p>
""" if load else ""
    written = page("How this machine times a kernel", f"""<p>Written by ./tour.sh: what this machine answered, chapter by chapter. All numbers of a program are of one run, rounded to three or four digits.</p>
<p>Measured: {rows} rows. Do not believe {doubted} of them: <a href="#doubt">which, why, and \
what can still be used</a>.</p>
<nav aria-label="Contents"><ul>
{nav}<li><a href="#doubt">Numbers not to believe</a></li>
<li><a href="#machine">This machine</a></li>
<li><a href="#beside">Beside recorded machines</a></li>
<li><a href="#next">What next</a></li>
</ul></nav>
{"".join(part for _, part in rooms.values())}<h2 id="doubt">Numbers not to believe, or missing</h2>
{listed}
<p>{link("docs/glossary.md#when-a-row-says-disturbed", "Disturbed")}: not to be believed. Below its table each program says \
why. Run it again on an idle machine. If the rows stay disturbed, three things can still be used: a difference that is \
much larger than from a row's shortest run to its longest; a count; and min_us where the host waits for the device, \
because other programs can only make a wait longer. A row without this mark can be wrong, too: compare only numbers of one \
run, and repeat the run.</p>
<h2 id="machine">This machine</h2>
{environment(told("environment.txt"))}{load}<h2 id="beside">This machine beside recorded ones</h2>
<p>The same rows on machines that the suite has in {link("docs/results/README.md", "docs/results")}. A table is left out \
where this machine has no number, or all others have none.</p>
{beside(folder)}<h2 id="next">What next</h2>
<p>Read the first chapter: {link("01_host_clock/README.md", "01_host_clock/README.md")}.</p>
<p>Record every program of this machine: <code>tools/record.sh my-laptop</code>.</p>
<p>Change the blocks, the threads or the size of one program, and see whether the change is more than noise:
<code>./change.sh {name} --threads 64</code>.</p>
""")
    return written.replace('href="suite:', f'href="{escape(os.path.relpath(ROOT, out.resolve().parent))}/')


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder_read, page_written = map(pathlib.Path, sys.argv[1:])
    try:
        written_page = report(folder_read, page_written)
    except RecordError as error:
        sys.exit(f"report.py: {error}")
    page_written.write_text(written_page, encoding="utf-8")
