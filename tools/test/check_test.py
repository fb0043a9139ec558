#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check.py see a mistake in a text, and only a mistake? It reads a room with one program.
Red: a reader meets numbers and links in the texts that no longer hold, or a writer cannot commit a right text."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PAGE = """# Room

It takes 12.34 us, at most 2.5 ms, in steps of 32 ns; three runs take 20.5 us. Run 1 had 4 runs, run 2 had 4 runs.
[On](#how). Type `./prog --size 5`.

<!-- numbers
12.34  pc/prog way=a median_us
2.5    pc/prog max median_us /1000
20.5   pc/prog way=c median median_us
32     pc/prog step_ns
4      pc/prog way=a runs
4      pc/prog way=b runs
-->

## How

<!-- from pc/prog: way ... b   -->
```text
way median_us runs disturbed
a      12.341    4 -
b    2499.600    4 -
```
"""
TEXT, ZH, RECORD = "room/README.md", "room/README.zh.md", "docs/results/pc/prog.txt"
FILES = {TEXT: PAGE, ZH: PAGE.replace("It takes", "用时"),
         RECORD: """# program prog 1.0.0
# step_ns 32
# Words, too.
way median_us runs disturbed
a      12.341    4 -
b    2499.600    4 -
c      20.501    1 -
c      19.000    2 -
c           -    3 -
c      30.000    4 runs_drift
""", "build/programs.txt": "host room/prog\n", "build/room/prog": "#!/bin/sh\necho --size # median_us step_ns\n"}
CASES = [  # what is changed, in which file, and what check.py says
    (TEXT, "It takes", "A longer line, which has another sentence, is no mistake. " * 3, None),
    (RECORD, "c           -    3 -", "d       1.000    3 -", None),
    (TEXT, "takes 12.34", "takes 12.35", "12.34 stands 0 times"),
    (TEXT, "2 had 4", "2 had 5", "4 stands 1 times, for 2 marks"),
    (TEXT, "pc/prog way=a median_us", "", "12.34: no number"), (RECORD, "\na ", "\ne ", "no row way=a"),
    (RECORD, "12.341", "56.789", "12.34 is 56.79: pc/prog way=a median_us"),
    (RECORD, "20.501", "21.501", "20.5 is 21.5: pc/prog way=c median"), (RECORD, "step_ns 32", "step_ns 16", "32 is 16"),
    (RECORD, "30.000    4", "30.000 4 4", "5 cells, 4 columns"),
    (TEXT, "(#how)", "(#why)", "no such heading: #why"), (TEXT, "(#how)", "(how.md)", "dead link how.md"),
    (TEXT, "prog --size", "prog --elements", "no program here has --elements"),
    ("build/room/prog", "median_us", "mean_us", "prog has no median_us"),
    (TEXT, "Type", "See `no_such_row`.", "no file here has `no_such_row`"),
    (RECORD, "2499.600    4 -", "2499.600    4 runs_drift", "differs from pc/prog"),
    (ZH, "## How", "# How", "other headings than the original"), (ZH, "b    2499.600", "b    2499.500", "other code blocks")]
wrong = []
with tempfile.TemporaryDirectory() as name:
    root = pathlib.Path(name)
    shutil.copytree(pathlib.Path(__file__).resolve().parents[1], root / "tools", ignore=shutil.ignore_patterns("test"))
    for file, old, new, says in CASES:
        for path, text in FILES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text.replace(old, new, 1) if path == file else text)
        (root / "build/room/prog").chmod(0o755)
        run = subprocess.run([root / "tools/check.py"], capture_output=True, text=True)
        if run.returncode != bool(says) or (says or "") not in run.stderr or "Traceback" in run.stderr:
            wrong.append(f"{file}, {old!r} -> {new!r}: check.py ends with {run.returncode}:\n{run.stderr}")
        if new == "56.789":
            subprocess.run([root / "tools/check.py", "--refresh"], capture_output=True)
            wrong += ["not refreshed"] * ((root / TEXT).read_text() != PAGE.replace("12.341", "56.789").replace("12.34", "56.79"))
sys.exit("\n".join(wrong) or None)
