#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes times.js: the times of the model of an H200, and what was measured. With --check: is it as it would be written?"""
import json
import os
import re
import sys
import textwrap

ROOT = os.path.realpath(f"{__file__}/../../../..")


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def times():
    """Those of times.h, of which times.c sets some for the H200: only what a program of the page can need."""
    found = {name: int(ns) for name, ns in re.findall(r"^(?:TIME|RATE)\((\w+), (\d+),", read("simulator/times.h"), re.M)}
    model = re.search(r"static const char h200\[\] =(.*?);\n", read("simulator/times.c"), re.S)[1]
    model = "".join(re.findall(r'"([^"]*)"', re.sub(r"/\*.*?\*/", "", model, flags=re.S)))
    found.update({name: int(ns) for name, ns in re.findall(r"(\w+)=(\d+)", model)})
    scripts = read("docs/stopwatch/machine.js") + read("docs/stopwatch/run.js")
    used = set(re.findall(r"\bT\.(\w+)", scripts) + re.findall(r', "(\w+)"\],$', scripts, re.M))  # the last: LIBRARY's
    return {name: ns for name, ns in found.items() if name in used}


def record(name):
    """A record's facts, from its first lines, and its rows."""
    lines = read(f"docs/results/{name}").splitlines()
    facts = dict(line[2:].partition(" ")[::2] for line in lines if line.startswith("# "))
    facts["device"] = facts["device"].partition(",")[0]
    head, *rows = [line.split() for line in lines if not line.startswith("#")]
    return facts, [dict(zip(head, row)) for row in rows]


def measured():
    """method: [device, date, what was timed, median, least, greatest]"""
    found = {}
    for folder in ("nvidia-h200",):
        facts, rows = record(f"{folder}/cuda_events.txt")
        for row in rows:
            if row["kernel"] == "spin_10us":
                found.setdefault(row["method"], []).append(
                    [facts["device"], facts["date"], "spin_10us", *[float(row[c]) for c in ("median_us", "min_us", "max_us")]])
        facts, rows = record(f"{folder}/warmup.txt")
        for recipe in dict.fromkeys(row["recipe"] for row in rows):  # several rows: its runs
            us, steady_us = (sorted(float(row[c]) for row in rows if row["recipe"] == recipe and row[c] != "-")
                             for c in ("estimate_us", "steady_us"))
            found.setdefault(recipe, []).append(
                [facts["device"], facts["date"], steady_us[len(steady_us) // 2], us[len(us) // 2], us[0], us[-1]])
    return found


def main():
    text = ("// SPDX-License-Identifier: MIT\n// Written by test/times.py, from simulator/times.h, times.c and docs/results.\n"
            '"use strict";\n\nconst TIMES = {\n')
    text += textwrap.fill(", ".join(f"{name}: {ns}" for name, ns in times().items()), 118, initial_indent="  ", subsequent_indent="  ")
    text += (",\n};\n\n// What GPUs took: the device, the day, the kernel (its name, or its steady time in us), median, least, greatest in us.\n"
             "const MEASURED = {\n")
    examples = read("docs/stopwatch/examples.js")
    text += "".join(f"  {name}: {json.dumps(rows)},\n" for name, rows in measured().items() if f'"{name}"' in examples) + "};\n"
    if sys.argv[1:] == ["--check"]:
        if read("docs/stopwatch/times.js") == text:
            return 0
        print("times.js is not as test/times.py writes it")
        return 1
    with open(os.path.join(ROOT, "docs/stopwatch/times.js"), "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
