#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same.py: what the files to copy share is the same text but for the prefix, rcp_ or cmp_, and `inline` in the header.

Shared is each function and kernel whose name is in two files. If it calls CUDA or OpenCL, only files of the same API
are compared. SAME names those that must be in so many files; OTHERS those that do another thing under one name.
"""
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent
FILES = ["recipe.c", "recipe.cu", "compare.h", "compare.c", "compare.cu"]
SAME = {"now_ns": 3, "by_size": 3, "percentile": 3, "drift": 3, "print_spread": 2, "count": 2, "doubt_cores": 2, "block": 2,
        "timer_ns": 2, "count_clocks": 2, "clock_mhz": 2, "empty": 2, "launch_empty": 2, "look": 4, "check": 4,
        "build_program": 2, "choose_device": 4}
OTHERS = {"main", "set_up", "prepare", "launch", "first_wrong",  # of the programs, and the user's part
          "on_alarm",  # compare has a process to end
          "look_again", "stamp_ns", "check_result", "make_ready"}


def functions(file):
    """Name: text with the comment above it. A function begins and ends in the first column."""
    text = re.sub(r"\b(rcp|cmp|RCP|CMP)_", "X_", (FOLDER / file).read_text()).replace("static inline ", "static ")
    found = {}
    comment, head = r"(?:/\*(?:[^*]|\*(?!/))*\*/\n)?", r"static [^;={}]*?\b(?:X_)?(\w+)\([^;{}]*\) \{\n"
    for part in re.finditer(rf"^({comment}{head}.*?^\}}\n)", text, re.S | re.M):
        found[part[2]] = " ".join(part[1].split())
    return found


wrong, seen = [], {}
for name_of_file in FILES:
    for name, text in functions(name_of_file).items():
        if name not in OTHERS:
            seen.setdefault(name, []).append((name_of_file, text))
for name, texts in seen.items():
    for file, text in texts:
        for other, beside in texts:
            calls = re.search(r"\bcl[A-Z_]|\bcuda[A-Z_]|__global__", text + beside)
            if file < other and text != beside and not (calls and file.endswith("cu") != other.endswith("cu")):
                wrong.append(f"{name} differs in {file} and {other}:\n  {text}\n  {beside}")
wrong += [f"{name} is in fewer than {count} files" for name, count in SAME.items() if len(seen.get(name, [])) < count]
print(f"{sum(len(texts) > 1 for texts in seen.values())} functions are in more than one file")
sys.exit("\n".join(wrong) or None)
