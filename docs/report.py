#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py FOLDER PAGE: writes PAGE from what ./tour.sh left in FOLDER: ran.txt, environment.txt,
load.txt and the text that each program printed. All numbers of a program are of one run: the table, the
verdict, the picture, and FOLDER/program.csv, from which docs/results/compare.sh takes its rows.
"""
import base64
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
from html import escape

from page import ROOT, box, element, is_number, machine, page, table, tables_of

RECORDED = ["nvidia-h200", "nvidia-h100", "pocl-cpu"]
# The picture of a program: bars or lines, the label's column, the values' columns, the rows.
PICTURES = {
    "host_clock": ("bars", "clock", ["sleep_ms", "threads_ms"], None),
    "clfinish_sync": ("bars", "method", ["median_us"], None),
    "opencl_profiling": ("bars", "interval", ["median_us"], None),
    "cuda_events": ("bars", "method", ["median_us"], ("kernel", "spin_10us")),
    "block_clock": ("lines", "blocks", ["clocks_mean", "outside_us"], None),
    "block_clock_opencl": ("lines", "blocks", ["clocks_mean", "outside_us"], None),
    "warmup": ("bars", "recipe", ["error_percent"], None),
    "warmup_opencl": ("bars", "recipe", ["error_percent"], None),
}
PICTURE_STYLE = ("<style>svg{color:#1f2328}[stroke=black]{stroke:#59636e}[fill=black]{fill:#1f2328}"
                 "@media(prefers-color-scheme:dark){svg{color:#e6edf3}[stroke=black]{stroke:#9ea7b0}"
                 "[fill=black]{fill:#e6edf3}}</style>")


def read_output(text):
    """What a program printed: the words above its table, the head, the rows, the words below."""
    above, _, rest = text.partition("\n\n")
    lines, _, below = rest.partition("\n\n")
    lines = lines.splitlines()
    head = re.findall(r"\S+(?: \([a-z]+\))?", lines[0]) if lines else []
    rows = [line.split(None, len(head)) for line in lines[1:]]
    if len(head) < 2 or not rows or any(len(row) < len(head) for row in rows):
        return text, [], [], ""  # laid out otherwise: shown as it is
    return above, head, [row[:len(head)] + [" ".join(row[len(head):]).strip("# ")] for row in rows], below


def row_name(head, row):
    """Its words, or how many blocks and threads."""
    return " ".join(f"{name} {value}" if name in ("blocks", "threads") else value for name, value in zip(head, row)
                    if name in ("blocks", "threads") or not is_number(value))


def write_csv(path, above, head, rows):
    """With the names of the program's own --csv."""
    size, device = re.search(r" of (\d+) floats", above), re.search(r" on ([^;,\n]+)", above)
    first = {"device": device[1]} if device else {}
    first |= {"size": size[1]} if size else {}
    names = [re.sub(r" \((\w+)\)", r"_\1", name) for name in head]
    rows = [first | dict(zip(names, row)) | {"disturbed": int("disturbed" in row[-1])} for row in rows]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({name: "" if value == "-" else value for name, value in row.items()} for row in rows)
    return rows


def as_printed(name):
    """median_us as "median (us)"."""
    return re.sub(r"_(us|ms|ns|percent)$", r" (\1)", name)


def picture(folder, program, rows):
    kind, label, values, only = PICTURES.get(program, ("", "", [], None))
    rows = [row for row in rows if (not only or row.get(only[0]) == only[1]) and all(row.get(v) for v in values)]
    if not kind or not rows:
        return ""
    if not shutil.which("gnuplot"):
        return element("p", "No picture: gnuplot is not installed (Debian, Ubuntu: gnuplot-nox).")
    data, svg = folder / f"{program}.tsv", folder / f"{program}.svg"
    unit = "blocks" if kind == "lines" else values[0].rpartition("_")[2]
    shown = [[row[label]] + [row[v] for v in values] for row in rows]
    if "code_us" in rows[0]:
        shown.insert(0, ["the code", rows[0]["code_us"]])
    if kind == "lines":
        first = [float(x) for x in shown[0][1:]]
        shown = [[line[0]] + [str(float(x) / y) for x, y in zip(line[1:], first)] for line in shown]
    data.write_text("".join("\t".join(line) + "\n" for line in shown))
    command = ["gnuplot", "-c", ROOT / "docs/report.gp", data, svg, kind, unit, *map(as_printed, values)]
    drawn = subprocess.run(command, capture_output=True, text=True)
    if drawn.returncode:
        return element("p", "No picture: gnuplot failed: " + drawn.stderr.strip()[:200], ' class="warn"')
    image = base64.b64encode(svg.read_text().replace("</desc>", "</desc>" + PICTURE_STYLE, 1).encode()).decode()
    what = " and ".join(map(as_printed, values))
    if kind == "lines":
        what += f" by the number of {label}, as multiples of the first row's"
    else:
        what += f" of each {label}" + (f" on {only[1]}" if only else "")
    return (f'<figure><img src="data:image/svg+xml;base64,{image}" alt="{kind.capitalize()}: {what}. '
            f'The table above has the numbers."/>\n<figcaption>{program}: {what}</figcaption></figure>\n')


def report(folder):
    def read(name):  # without the folder's own path, which may name a user
        text = (folder / name).read_text() if (folder / name).exists() else ""
        return text.replace(f"{ROOT}/", "").replace(str(pathlib.Path.home()) + "/", "~/")

    ran = [line.split("\t", 3) for line in read("ran.txt").splitlines()]
    body, doubts, nav = "", [], ""
    for chapter in dict.fromkeys(program.split("/")[0] for program, *_ in ran):
        lesson = (ROOT / chapter / "README.md").read_text()
        title = re.search(r"^# (.*)", lesson, re.M)[1]
        question = re.search(r"\*\*Question\.\*\*\s*(.*?)\n\n", lesson, re.S)
        body += element("h2", title, f' id="{chapter}"')
        nav += f'<li><a href="#{chapter}">{escape(title)}</a></li>\n'
        body += element("p", re.sub(r"[*`]", "", " ".join(question[1].split()))) if question else ""
        for path, code, look, message in [line for line in ran if line[0].startswith(chapter + "/")]:
            program = path.split("/")[1]
            body += element("h3", program)
            if code != "0":
                why = ("skipped: " if code == "77" else f"FAILED with exit code {code}: ") + message
                body += element("p", why[0].upper() + why[1:], ' class="warn"')
                doubts.append(f"{path}: {why}")
            if not read(program + ".txt"):
                continue
            above, head, rows, below = read_output(read(program + ".txt"))
            body += element("p", look, ' class="look"')
            if not head or code != "0":
                body += box(f"What {program} printed", element("pre", read(program + ".txt")))
                continue
            above_lines = re.sub(r"(?<![.,;:\s])\n(?=[A-Z0-9])", ". ", above.strip())
            body += element("p", " ".join(above_lines.split()))
            notes = any(row[-1] for row in rows)
            body += table(f"{path} on this machine", head + ["note"] * notes, [r if notes else r[:-1] for r in rows])
            numbers = write_csv(folder / f"{program}.csv", above, head, rows)
            body += picture(folder, program, numbers)
            below = re.sub(r"Disturbed: .*?machine\.\n", "", below, flags=re.S)
            body += "".join(element("p", " ".join(part.split())) for part in below.split("\n\n") if part.strip())
            doubts += [f"{path}, row {row_name(head, row)}: disturbed. Its runs disagree, or all were delayed."
                       for row in rows if "disturbed" in row[-1]]
    names = ["this machine", *RECORDED]
    results = ROOT / "docs/results"
    lines = subprocess.run([results / "compare.sh", "--tsv", os.path.relpath(folder, results), *RECORDED],
                           capture_output=True, text=True)
    beside = ""
    for (title, keys), rows in tables_of(lines.stdout).items():
        rows = [row for row in rows if row[1] != "-"]
        beside += table(title, [keys] + names, rows) if rows else ""
    load = (read("load.txt").splitlines() + ["unknown"] * 2)[:2]
    fit = read("fit_to_measure.txt")
    doubts[:0] = [f"the whole machine: {line}" for line in fit.splitlines() if line.startswith("Disturbed")]
    fit = (box("What fit_to_measure printed", element("pre", fit)) if fit
           else element("p", "No program checked whether this machine is fit to measure."))
    listed = "".join(element("li", doubt) for doubt in doubts)
    listed = f"<ul>\n{listed}</ul>" if listed else "<p>None: no row is disturbed, and all programs ran.</p>"
    return page("How this machine times a kernel", f"""<p>Written by <code>./tour.sh</code>: what this machine answered, \
chapter by chapter. All numbers of a program are of one run.</p>
<nav aria-label="Contents"><ul>
<li><a href="#machine">This machine</a></li>
<li><a href="#doubt">Numbers not to believe</a></li>
{nav}<li><a href="#beside">Beside recorded machines</a></li>
<li><a href="#next">What next</a></li>
</ul></nav>
<h2 id="machine">This machine</h2>
{machine(folder / "environment.txt")}<h3>Its state while the programs ran</h3>
<dl><dt>Load average before the tour (1, 5 and 15 minutes)</dt><dd>{escape(load[0])}</dd>
<dt>Load average after the tour, which is itself in it</dt><dd>{escape(load[1])}</dd></dl>
<p>The load average is the mean number of threads that ran or wanted to run. On an idle machine it is near 0 before the
tour.</p>
<!-- The place for what build/06_warmup/fit_to_measure prints. -->
<div id="fit_to_measure">
{fit}</div>
<h2 id="doubt">Numbers not to believe, or missing</h2>
{listed}
<p>Run a disturbed program again on an idle machine. Compare only numbers of one run, and repeat the run.</p>
{body}<h2 id="beside">This machine beside recorded ones</h2>
<p>The same rows on machines that <a href="../docs/results">docs/results</a> has. A table is left out where this machine
has no number.</p>
{beside or element("p", "No rows: " + (lines.stderr.strip() or "nothing was measured."))}<h2 id="next">What next</h2>
<p>Read the first chapter: <a href="../01_host_clock/README.md">01_host_clock/README.md</a>.</p>
<p>Record every program of this machine: <code>docs/results/record.sh my-laptop</code>. Then lay it beside another record:
<code>docs/results/compare.sh --html my-laptop nvidia-h200</code>.</p>
""")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(report(pathlib.Path(sys.argv[1])))
