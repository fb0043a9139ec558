#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py FOLDER PAGE: writes PAGE from what ./tour.sh left in FOLDER: of each program its record,
program.csv, whose numbers the page has, and what it printed in the same run, program.txt, for the words
beside them; ran.txt, environment.txt, load.txt, fit_to_measure.txt.
"""
import os
import pathlib
import re
import sys
from html import escape

from compared import RESULTS, TABLES, WHO, machines, of_machines
from page import ROOT, as_printed, bars, box, element, environment, folded, lines, page, table
from record import RecordError, read

SIMULATED = ("A model of an NVIDIA H200, in software: no number here was measured. docs/simulator/README.md says what it is good for."
             " It has no part in the tables beside recorded machines.")
RECORDED = ["nvidia-h200", "pocl-cpu"]
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


def marked(row, column):
    return (row[column] or "-") + (" disturbed" if row.get("disturbed") == "1" else "")


def picture(program, record):
    kind, label, values, only = PICTURES.get(program, (None, "", [], {}))
    if not kind:
        return ""
    for column in [label, *values]:
        record.column(column)
    rows = [row for row in record.select(**only) if all(row[v] for v in values)]
    if kind is bars:
        truth = [("the code", rows[0]["code_us"], 1)] if only and rows else []  # of a kernel of known length
        on = "".join(f" on {kernel}" for kernel in only.values())
        return "".join(bars(f"{program}: {as_printed(v)} of each {label}{on}",
                            truth + [(row[label], marked(row, v), 0) for row in rows]) for v in values)
    rows = [row for row in rows if all(float(row[v]) > 0 for v in values)]
    series = {as_printed(v): [(float(row[label]), float(row[v]) / float(rows[0][v])) for row in rows] for v in values}
    what = " and ".join(map(as_printed, values))
    disturbed = ", ".join(row[label] for row in rows if row.get("disturbed") == "1")
    return lines(f"{program}: {what} by the number of {label}, as multiples of the first row's; both axes logarithmic"
                 + (f"; disturbed: {disturbed} {label}" if disturbed else ""), label, series) if rows else ""


def row_name(program, row):
    keys = KEYS.get(program, list(row)[:1])
    return ", ".join(row[key] if len(keys) == 1 else f"{key} {row[key]}" for key in keys)


def words(text):
    """What the program printed above and below its tables, whose columns are two blanks apart. A line that only goes on
    with a sentence is joined to the one before."""
    above, below, tables = [], [], 0
    for part in re.split(r"\n\s*\n", text.strip()):
        if re.search(r"\S {2,}\S", part):
            tables += 1
        else:
            part = re.sub(r"(?<![.:;])\n(?=[a-z]+[ ,.])", " ", part)
            (below if tables else above).append(element("p", part, ' class="said"'))
    return "".join(above), "".join(below)


def of_program(path, folder, text, where):
    """A program's part of the page, and the names of its rows that are disturbed."""
    program = path.rpartition("/")[2]
    record = read(folder / f"{program}.csv")
    above, below = words(text)
    columns = [c for c in record.columns if c != "disturbed"  # and not the runs of a number, as clocks_mean_min
               and re.sub("_(min|max)(?=_|$)", "", c) not in set(record.columns) - {c}]
    shown = [[marked(row, columns[0]), *(row[c] or "-" for c in columns[1:])] for row in record.rows]
    named = [[as_printed(name), value] for name, value in record.meta.items()]
    return (above + table(f"{path} on {where}", list(map(as_printed, columns)), shown) + picture(program, record)
            + below + folded("On what and with which options, and the values in these words",
                             table(f"{path}: the named lines of its record", ["name", "value"], named)),
            [row_name(program, row) for row in record.rows if row.get("disturbed") == "1"])


def head(room):
    """The title and the question of a chapter's text. The laboratory's program is for the clocks."""
    if room == "docs/lab":
        return "What the clocks here can tell", ""
    lesson = re.sub("[*`]", "", (ROOT / room / "README.md").read_text())
    question = re.search(r"^Question\.\s*(.*?)\n\n", lesson, re.S | re.M)
    return re.search(r"^# (.*)", lesson, re.M)[1], " ".join(question[1].split()) if question else ""


def of_rooms(ran, folder, told):
    """The part of each room with programs that ran, {room: (its title, HTML)}, and what not to believe."""
    rooms, doubts = {}, []
    for path, code, look, message in ran:
        is_simulated = path.startswith("simulated/")
        inside = "simulated/" if is_simulated else ""  # of the folder: its records are no machine's
        path = path.removeprefix("simulated/")
        room, _, program = path.rpartition("/")
        title, question = head(room)
        part = element("h3", f"{program} on a simulated GPU" if is_simulated else program)
        if is_simulated:
            part += element("p", SIMULATED, ' class="warn"')
        if code == "0":
            measured, disturbed = of_program(path, folder / inside, told(f"{inside}{program}.txt"),
                                             "the simulated GPU" if is_simulated else "this machine")
            part += element("p", look, ' class="look"') + measured
            doubts += [f"{path}: simulated, for this machine has no NVIDIA GPU"] if is_simulated else []
            doubts += [f"{path}: disturbed: " + "; ".join(disturbed)] if disturbed else []
        else:
            why = ("skipped: " if code == "77" else f"FAILED with exit code {code}: ") + message
            printed = told(f"{inside}{program}.txt")
            part += element("p", why[0].upper() + why[1:], ' class="warn"')
            part += box(f"What {program} printed", element("pre", printed)) if printed else ""
            doubts.append(f"{path}: {why}")
        opening = element("h2", title, f' id="{room.replace("/", "_")}"') + (element("p", question) if question else "")
        rooms[room] = (title, rooms.get(room, ("", opening))[1] + part)
    return rooms, doubts


def disturbers(name, record):
    """What was noted of a recorded machine NAME while it ran this program."""
    environment = RESULTS / name / "environment.txt"
    noted = environment.read_text() if environment.exists() else ""
    program = record.meta["program"].split()[0]
    return "".join(f"; {name} was disturbed: {by}" for by in re.findall(f"^disturbed: {program}: (.*)", noted, re.M))


def beside(folder):
    """The rows of this machine beside those of recorded ones."""
    tables, who = "", {}
    for side in of_machines({"this machine": folder} | {name: RESULTS / name for name in RECORDED}):
        rows = [line for line in side.plain() if line[len(side.keys)] != "-"]
        if rows:
            notes = "".join(disturbers(name, record) for name, record in side.records.items())
            tables += table(f"{side.title}; {side.what}{notes}", side.plain_head(), rows)
            for name, record in side.records.items():
                who.setdefault(name, []).append(record)
    return table(*WHO, machines(who)) + tables if tables else element("p", "No rows: nothing was measured.")


def report(folder):
    here = [str(ROOT), os.environ.get("PWD", "")]  # the second may go through a symbolic link
    hidden = {f"{path}/": "" for path in here if pathlib.Path(path).resolve() == ROOT}
    hidden[f"{pathlib.Path.home()}/"] = "~/"

    def told(name):  # without the suite's own path, which may name a user
        text = (folder / name).read_text(errors="replace") if (folder / name).exists() else ""
        for path, shown in hidden.items():
            text = text.replace(path, shown)
        return text

    rooms, doubts = of_rooms([line.split("\t", 3) for line in told("ran.txt").splitlines()], folder, told)
    clocks = rooms.pop("docs/lab", ("", ""))[1]
    nav = "".join(f'<li><a href="#{room}">{escape(title)}</a></li>\n' for room, (title, _) in rooms.items())
    load = (told("load.txt").splitlines() + ["unknown"] * 2)[:2]
    fit = told("fit_to_measure.txt")
    if fit and read(folder / "fit_to_measure.csv").meta["disturbed"] != "no":
        doubts.insert(0, "the whole machine: " + read(folder / "fit_to_measure.csv").meta["disturbed"])
    fit = (box("What fit_to_measure printed", element("pre", fit)) if fit
           else element("p", "No program checked whether this machine is fit to measure."))
    listed = "".join(element("li", doubt) for doubt in doubts)
    listed = f"<ul>\n{listed}</ul>" if listed else "<p>None: no row is disturbed, and all programs ran.</p>"
    measured = [name for name in ("block_clock", "block_clock_opencl") if (folder / f"{name}.csv").exists()]
    name = (measured + ["block_clock"])[0]  # which is simulated, then
    return page("How this machine times a kernel", f"""<p>Written by <code>./tour.sh</code>: what this machine answered, \
chapter by chapter. All numbers of a program are of one run.</p>
<nav aria-label="Contents"><ul>
{nav}<li><a href="#doubt">Numbers not to believe</a></li>
<li><a href="#machine">This machine</a></li>
<li><a href="#beside">Beside recorded machines</a></li>
<li><a href="#next">What next</a></li>
{'<li><a href="#docs_lab">What the clocks here can tell</a></li>' if clocks else ""}
</ul></nav>
{"".join(part for _, part in rooms.values())}<h2 id="doubt">Numbers not to believe, or missing</h2>
{listed}
<p>Disturbed: not to be believed. Below its table each program says why. Run it again on an idle machine. A row without
this mark can be wrong, too: compare only numbers of one run, and repeat the run.</p>
<h2 id="machine">This machine</h2>
{environment(told("environment.txt"))}<h3>Its state before the build and the programs</h3>
<dl><dt>Load average before the tour (1, 5 and 15 minutes)</dt><dd>{escape(load[0])}</dd>
<dt>Load average after the tour, which is itself in it</dt><dd>{escape(load[1])}</dd></dl>
<p>The load average is the mean number of threads that ran or wanted to run. On an idle machine it is near 0 before the
tour.</p>
<div id="fit_to_measure">
{fit}</div>
<h2 id="beside">This machine beside recorded ones</h2>
<p>The same rows on machines that the suite has in <code>docs/results</code>. A table is left out where this machine has
no number.</p>
{beside(folder)}<h2 id="next">What next</h2>
<p>Read the first chapter: <code>01_host_clock/README.md</code>, in the folder of the suite.</p>
<p>Record every program of this machine: <code>docs/results/record.sh my-laptop</code>. Then lay it beside another record:
<code>docs/side_by_side.sh my-laptop nvidia-h200</code>.</p>
<p>Change the blocks, the threads or the size of one program, and see whether the change is more than noise:
<code>docs/change.sh {name} --threads 64</code>.</p>
{clocks}""")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        written = report(pathlib.Path(sys.argv[1]))
    except RecordError as error:
        sys.exit(f"report.py: {error}")
    pathlib.Path(sys.argv[2]).write_text(written, encoding="utf-8")
