#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py FOLDER PAGE: writes PAGE, the pictures of what ./tour.sh left in FOLDER: of each program what it printed,
program.txt; ran.txt; holds.txt, what still holds; environment.txt.
"""
import os
import pathlib
import re
import sys
from html import escape

from page import bars, element, lines, page
from record import RecordError, read

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The picture of a program, be it CUDA or OpenCL: bars or lines, the label's column, the values' columns, the rows.
PICTURES = {
    "host_clock": (bars, "clock", ["sleep_ms", "two_threads_ms"], {}),
    "clfinish_sync": (bars, "method", ["median_us"], {}),
    "opencl_profiling": (bars, "interval", ["median_us"], {}),
    "cuda_events": (bars, "method", ["median_us"], {"kernel": "spin_10us"}),
    "block_clock": (lines, "blocks", ["clocks_mean", "whole_launch_us"], {}),
    "warmup": (bars, "recipe", ["error_percent"], {}),
}


def link(path):
    """To a file of the suite; report() says where from."""
    return f'<a href="suite:{path}">{path}</a>'


def rounded(text):
    """Four digits of a number, or all before its point, never more than it has."""
    shown = f"{float(text):.4g}" if abs(float(text)) < 1000 else f"{float(text):.0f}"
    return shown if len(shown) < len(text) else text


def picture(program, record):
    kind, label, values, only = PICTURES.get(program.removesuffix("_opencl"), (None, "", [], {}))
    for column in [label, *values] if kind else []:
        record.column(column)
    rows = [row for row in record.select(**only) if all(row[v] for v in values)] if kind else []
    if not rows:
        return element("p", f"No picture: {program} has no row for one.")
    if kind is bars:
        truth = [("the code", rounded(rows[0]["code_us"]), "", 1)] if only else []  # of a kernel of known length
        on = "".join(f" on {kernel}" for kernel in only.values())
        return "".join(bars(f"{v} of each {label}{on}", truth + [(r[label], rounded(r[v]), r["disturbed"], 0) for r in rows])
                       for v in values)
    series = {v: [(float(row[label]), float(row[v]) / float(rows[0][v])) for row in rows if float(row[v]) > 0] for v in values}
    disturbed = ", ".join(row[label] for row in rows if row["disturbed"])
    return lines(f"{' and '.join(values)} by the number of {label}, as multiples of the first row's; both axes logarithmic"
                 + (f"; disturbed: {disturbed} {label}" if disturbed else ""), label, series)


def of_program(path, code, look, message, folder):
    """A program's part of the page."""
    simulated = path.startswith("simulated/")
    program = path.rpartition("/")[2]
    part = element("h3", f"{program} on a simulated GPU" if simulated else program)
    if simulated:
        part += element("p", "A model of an NVIDIA H200, in software: no number here was measured.", ' class="warn"')
    if code != "0":
        return part + element("p", ("Skipped: " if code == "77" else f"FAILED with exit code {code}: ") + message, ' class="warn"')
    return (part + element("p", look, ' class="look"')
            + picture(program, read(folder / ("simulated" if simulated else "") / f"{program}.txt")))


def report(folder, out):
    here = [str(ROOT), os.environ.get("PWD", "")]  # the second may go through a symbolic link
    hidden = {f"{path}/": "" for path in here if pathlib.Path(path).resolve() == ROOT}
    hidden[f"{pathlib.Path.home()}/"] = "~/"

    def told(name):  # without the suite's own path, which may name a user
        text = (folder / name).read_text(errors="replace") if (folder / name).exists() else ""
        for path, shown in hidden.items():
            text = text.replace(path, shown)
        return text

    rooms = {}
    for path, code, look, message in (line.split("\t", 3) for line in told("ran.txt").splitlines()):
        room = path.removeprefix("simulated/").rpartition("/")[0]
        rooms[room] = rooms.get(room, "") + of_program(path, code, look, message, folder)
    body = f"""<p>Written by ./tour.sh: the pictures of one run on this machine. The tables are in <code>build/tour</code>. A name in
bold behind a row says why not to believe it.</p>
<h2 id="holds">What still holds</h2>
<p class="said">{escape(told("holds.txt").strip())}</p>
"""
    for room, part in rooms.items():
        lesson = re.sub("[*`]", "", (ROOT / room / "README.md").read_text())
        question = re.search(r"^Question\.\s*(.*?)\n\n", lesson, re.S | re.M)
        body += element("h2", re.search(r"^# (.*)", lesson, re.M)[1], f' id="{room}"')
        body += f"<p>{escape(' '.join(question[1].split()) if question else '')} The chapter: {link(f'{room}/README.md')}</p>\n{part}"
    body += element("h2", "This machine") + element("p", told("environment.txt").strip(), ' class="said"')
    written = page("How this machine times a kernel", (ROOT / "tools/page.css").read_text(), body)
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
