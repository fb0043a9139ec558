#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""type_commands.py [--require-devices]: types in every command of the chapters' texts and of
docs/recipe.md and docs/compare.md, each as it stands, in the text's own folder (of a copy): the lines of
their sh blocks, and whatever in the text begins with ./ between backquotes. A command may end with 0, or
with 77 where a device is missing; with --require-devices with 0 alone. One whose tool is not installed
is left out and named. Several folders at once, so the times mean nothing here.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALLOWED = {0} if "--require-devices" in sys.argv else {0, 77}


def commands(text):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    lines = [line for kind, body in blocks if kind == "sh"
             for line in body.replace("\\\n", " ").splitlines()]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    return dict.fromkeys(lines + re.findall(r"`(\./[^`]+)`", prose))


def type_in(texts):
    """Those of one folder, one after another. Returns how many were typed, and how many failed."""
    failed = typed = left_out = 0
    for text, command in ((text, command) for text in texts for command in commands(text.read_text())):
        tool = command.split()[0]
        if not tool.startswith("./") and not shutil.which(tool):
            left_out += 1
            print(f"left out, not installed: {command}")
            continue
        if left_out and not (text.parent / tool).exists() and tool.startswith("./"):
            print(f"left out, not built: {command}")
            continue
        run = subprocess.run(command, shell=True, cwd=text.parent, capture_output=True, text=True)
        typed += 1
        code = run.returncode
        if command in ("./minimal", "./minimal_blocked") and code == 1 and "driver" in run.stderr:
            code = 77  # these pages only say that there is none
        failed += code not in ALLOWED
        what = run.stdout[-2000:] + run.stderr[-2000:] if code not in ALLOWED else ""
        print(f"{code:3}  {text.parent.name}: {command}\n{what}", end="", flush=True)
    return typed, failed


def main():
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "suite"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build", ".*"))
        folders = [sorted(folder.glob("*.md")) for folder in sorted(copy.glob("0*"))]
        folders.append([copy / "docs/recipe.md", copy / "docs/compare.md"])
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(type_in, folders))
    typed, failed = map(sum, zip(*results))
    print(f"{typed} commands, {failed} failed")
    return 1 if failed or not typed else 0


if __name__ == "__main__":
    sys.exit(main())
