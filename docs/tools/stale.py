# SPDX-License-Identifier: MIT
"""Which recorded results that the texts quote or mark are older than their program.

A program's transcript, test/NAME.txt, is always of today. So a record of today, docs/results/MACHINE/NAME.csv, has the
transcript's columns, the tables printed beside it have its headings, and each cell of words stands in the transcript.
"""
import pathlib
import re

import record

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = re.compile(r"^<!-- from ([\w-]+/\w+)(?::| -->)|^\S+ +([\w-]+/\w+) \S", re.M)  # a quoted one, a marked one
HEADING = re.compile(r".*\((?:us|ns|ms|percent|GB/s|MHz|clocks|W)\)[^.:,]*")


def words(line):
    return " ".join(line.split())


def transcript(name):
    """The lines of a program's transcripts: NAME's, and those of its CUDA and its OpenCL page."""
    name = name.removeprefix("try_")
    found = [path for of in (name, f"cuda_{name}", f"opencl_{name}") for room in ("*", "docs/*")
             for path in ROOT.glob(f"{room}/test/{of}.txt")]
    return {words(line) for path in found for line in path.read_text().splitlines()}


def sources(texts):
    """MACHINE/NAME of each record that a text quotes or marks."""
    named = {one or other for text in texts for one, other in SOURCE.findall(text.read_text())}
    return sorted(name for name in named if (ROOT / "docs/results" / name).parent.is_dir())


def older(of, today, printed):
    """What stands first in a record, or in what was printed beside it, and not in the transcript of `today`."""
    path = ROOT / f"docs/results/{of}.csv"
    found = record.read(path) if path.is_file() else None
    if found and found.columns and ",".join(found.columns) not in today:
        return ",".join(found.columns)
    old = [line for line in printed if HEADING.fullmatch(line) and words(line) not in today]
    cells = [cell for row in (found.rows if found else []) for cell in row.values() if not re.search(r"\d", cell)]
    old += [cell for cell in cells if not any(cell in line for line in today)]
    return words(old[0]) if old else None


def stale(texts, printed):
    """What is older than its program. `printed` has the lines that stand in a machine's README.md."""
    for of in sources(texts):
        today = transcript(of.split("/")[1])
        old = older(of, today, printed(of)) if today else None
        if old:
            yield f"{of}: recorded before the program changed: {old}"
