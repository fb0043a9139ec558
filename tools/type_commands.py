#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""type_commands.py [--require-devices] [TEXT]: types in every command of the chapters' texts,
each as it stands, in the text's own folder (of a copy), and those of docs/*.md in copy/: the lines of
their sh blocks, and whatever in the text begins with ./ between backquotes; each once. With a TEXT it types that text's
alone, in the suite's folder. A command may end with 0, with 4 if its time was disturbed, or with 77 where a device is
missing, but not with --require-devices. One whose tool is not installed, or that needs a tour or a build that was not
taken, is left out and named. Without --require-devices the copy's programs do by themselves what a processor can do
in seconds, see LESS: the tour runs them as they are. Several folders at once, so the times mean nothing here.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[1]
ALLOWED = {0, 4} if "--require-devices" in sys.argv else {0, 4, 77}  # 4: disturbed
TEXTS = [argument for argument in sys.argv[1:] if argument != "--require-devices"]
LESS = [("0*/*.c", r"(size = |COUNT \()1 << 24", r"\g<1>1 << 20"),
        ("0*/*.c", r'16777216"', '1048576"')]
NEEDS = {"build/tour/": "build/tour", "change.sh": "build/tour", "build/simulated/": "build/simulated"}


def commands(text):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    lines = [line for kind, body in blocks if kind == "sh"
             for line in body.replace("\\\n", " ").splitlines()]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    return dict.fromkeys(lines + re.findall(r"`(\./[^`]+)`", prose))


def make_less(copy):
    """Makes the programs of this copy of the suite run for a shorter time."""
    for files, more, less in LESS:
        texts = {file: file.read_text() for file in copy.glob(files)}
        found = [file.write_text(re.sub(more, less, text)) for file, text in texts.items() if re.search(more, text)]
        if not found:
            sys.exit(f"type_commands.py: {files} has no {more}")


def type_in(place):
    """Those of the texts of one folder, one after another. Returns how many were typed, and how many failed."""
    failed = typed = left_out = 0
    folder, texts = place
    known = list(dict.fromkeys(command for text in texts for command in commands(text.read_text())))
    for command in known:
        if any(other.endswith(f"&& {command}") for other in known):
            continue  # typed there
        tool = next(word for word in command.split() if "=" not in word)  # behind variables
        not_built = tool.startswith("./build/") and not (folder / tool).exists() and not shutil.which("nvcc")
        if not_built or not tool.startswith(".") and not shutil.which(tool):
            left_out += 1
            print(f"left out, not installed: {command}")
            continue
        if not all((folder.parent / need).exists() for word, need in NEEDS.items() if word in command):
            print(f"left out, no tour: {command}")
            continue
        if left_out and not (folder / tool).exists() and tool.startswith("./"):
            print(f"left out, not built: {command}")
            continue
        run = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
        typed += 1
        code = run.returncode
        if re.search(r"\./minimal\w*$", command) and code == 1 and "driver" in run.stderr:
            code = 77  # a first page only says that there is none
        failed += code not in ALLOWED
        what = run.stdout[-2000:] + run.stderr[-2000:] if code not in ALLOWED else ""
        print(f"{code:3}  {folder.name}: {command}\n{what}", end="", flush=True)
    return typed, failed


def main():
    if any(text.startswith("-") for text in TEXTS):
        print(__doc__, file=sys.stdout if "--help" in TEXTS else sys.stderr)
        return 0 if "--help" in TEXTS else 2
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "suite"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build", ".*"))
        if 77 in ALLOWED:
            make_less(copy)
        if (ROOT / "build").exists():
            (copy / "build").symlink_to(ROOT / "build")
        folders = [(folder, [text for text in sorted(folder.glob("*.md")) if ".zh" not in text.suffixes])
                   for folder in sorted(copy.glob("0*"))]
        folders.append((copy / "copy", [copy / f"docs/{name}.md" for name in ("recipe", "compare")]))
        if TEXTS:
            folders = [(copy, [copy / text for text in TEXTS])]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(type_in, folders))
    typed, failed = map(sum, zip(*results))
    print(f"{typed} commands, {failed} failed")
    return 1 if failed or not typed else 0


if __name__ == "__main__":
    sys.exit(main())
