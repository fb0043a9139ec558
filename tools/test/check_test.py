#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check.py see a mistake in a text, and only a mistake? It reads a room with one program."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PAGE = """# Room

It takes 12.34 us, at most 2.5 ms. Run 1 had 4 runs, run 2 had 4 runs. [On](#how). Type `./prog --size 5`.

<!-- numbers
12.34  pc/prog way=a median_us
2.5    pc/prog max median_us /1000
4      pc/prog way=a runs
4      pc/prog way=b runs
-->

## How

<!-- from pc/prog: way ... b -->
```text
way  runs
b    4
```
"""
TEXT, ZH, PRINTED, RECORD = ("room/README.md", "room/README.zh.md", "docs/results/pc/README.md",
                             "docs/results/pc/prog.csv")
FILES = {TEXT: PAGE, ZH: PAGE.replace("It takes", "用时"), RECORD: "way,median_us,runs\na,12.341,4\nb,2499.6,4\n",
         PRINTED: "## prog\n\n```text\nway  runs\nb    4\n```\n",
         "build/programs.txt": "host room/prog\n", "build/room/prog": "#!/bin/sh\necho --size # median_us\n"}
CASES = [  # what is changed, in which file, and what check.py says
    (TEXT, "It takes", "A longer line, which has another sentence, is no mistake. " * 3, None),
    (RECORD, "a,12.341", "c,1,1\na,12.339", None),
    (TEXT, "takes 12.34", "takes 12.35", "12.34 stands 0 times"),
    (TEXT, "2 had 4", "2 had 5", "4 stands 1 times, for 2 marks"),
    (TEXT, "pc/prog way=a median_us", "", "12.34: no number"), (RECORD, "a,12.341,4\n", "", "no row way=a"),
    (RECORD, "a,12.341", "a,56.789", "12.34 is 56.79: pc/prog way=a median_us"),
    (TEXT, "(#how)", "(#why)", "no such heading: #why"), (TEXT, "(#how)", "(how.md)", "dead link how.md"),
    (TEXT, "prog --size", "prog --elements", "no program here has --elements"),
    ("build/room/prog", "median_us", "mean_us", "prog has no median_us"),
    (TEXT, "Type", "See `no_such_row`.", "no file here has `no_such_row`"),
    (PRINTED, "b    4", "b    5", "differs from pc/prog"),
    (ZH, "## How", "# How", "other headings than the original"), (ZH, "b    4", "b    5", "other code blocks")]
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
        if new == "a,56.789":
            subprocess.run([root / "tools/check.py", "--refresh"], capture_output=True)
            wrong += ["not refreshed"] * ((root / TEXT).read_text() != PAGE.replace("12.34", "56.79"))
sys.exit("\n".join(wrong) or None)
