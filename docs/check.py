#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--refresh] [BUILD]: holds the texts to the programs and to the recorded results.

In every Markdown file:
- A code block after  <!-- from FILE -->  is FILE, whole; after  <!-- from FILE: A ... B -->  it is
  FILE's lines from the first with A in it to the next with B in it (or the next that is just }).
  --refresh writes it anew.
- A number before  <!--=FILE: START #N-->  is the Nth number after START, which begins a line of
  docs/results/FILE, rounded as the text rounds it. #min2-5 and #max2-5 take the least and the
  greatest of several, /1000 divides. --refresh writes these anew as well.
- A number with a decimal point and a unit has such a mark: it was measured.
- Every link within the repository leads somewhere.
- Every option in a line that runs one of our programs, and every option named in the text of a
  chapter, stands in the --help of that program, or of one of that chapter's. Programs that BUILD
  (default: build) does not have are passed over.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- from (\S+?)(?:: (.+?) \.\.\. (.+?))? -->\n+```\w*\n)(.*?)(^```$)", re.S | re.M)
NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)([^\d\n<]{0,12}"
                    r"<!--=(\S+?): (.+?) #(min|max)?(\d+)(?:-(\d+))?(?: /(\d+))?-->)")
UNMARKED = re.compile(r"\d\.\d+ ?(?:us|ms|ns|GB/s|MHz|%|percent|times)(?![\w<])")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHERS = {"--preset", "--refresh", "--recursive", "--tool", "--clock-control", "--cache-control", "--table",
          "--lock-gpu-clocks", "--reset-gpu-clocks"}


def lines_of(file, first, last):
    """The lines of `file` from the one with `first` to the next with `last`, moved to the left."""
    path = ROOT / file
    if not path.is_file():
        return None
    lines = path.read_text().splitlines()
    if first:
        start = next((i for i, line in enumerate(lines) if first in line), None)
        if start is None:
            return None
        end = next((i for i in range(start, len(lines))
                    if (lines[i] == "}" if last == "}" else last in lines[i])), None)
        if end is None:
            return None
        lines = lines[start:end + 1]
    indent = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
    return "".join(l[indent:].rstrip() + "\n" for l in lines)


def recorded(file, start, which, first, last, divisor):
    """The number that a mark names, or None."""
    path = ROOT / "docs/results" / file
    text = path.read_text() if path.is_file() else ""
    text = "\n" + "\n".join(" ".join(line.split()) for line in text.splitlines())
    begin = re.search("\n" + re.escape(start) + r"(?!\w)", text)
    numbers = re.findall(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?!\w)", text[begin.end():] if begin else "")
    numbers = [float(n) for n in numbers[int(first) - 1:int(last or first)]]
    return (max if which == "max" else min)(numbers) / int(divisor or 1) if numbers else None


def help_of(build):
    """Program name -> (chapter's folder, the options of its --help), for those that are built."""
    programs = {}
    listed = re.findall(r"^add_program\(\w+ (\S+?)/(\S+?)\.c", (ROOT / "CMakeLists.txt").read_text(), re.M)
    for folder, name in listed:
        path = build / folder / name
        text = subprocess.run([path, "--help"], capture_output=True, text=True,
                              check=True).stdout if path.exists() else None
        programs[name] = (folder, text and set(OPTION.findall(text)))
    return programs


def check(path, programs, refresh):
    text = path.read_text()
    name = path.relative_to(ROOT)
    faults = []

    def compare(match):
        head, file, first, last, body, tail = match.groups()
        right = lines_of(file, first, last)
        if right is None:
            faults.append(f"{name}: cannot find: {head.splitlines()[0]}")
        elif right != body:
            if refresh:
                return head + right + tail
            faults.append(f"{name}: differs from {file}: {head.splitlines()[0]}")
        return match.group(0)

    def compare_number(match):
        number, tail, *mark = match.groups()
        value = recorded(*mark)
        if value is None:
            faults.append(f"{name}: no number at {tail}")
            return match.group(0)
        digits = len(number.partition(".")[2])
        right = f"{value:{'+' if number[0] == '+' else ''}.{digits}f}"
        if right != number:
            if refresh:
                return right + tail
            faults.append(f"{name}: {number} is {right} in {mark[0]}: {mark[1]}")
        return match.group(0)

    new = NUMBER.sub(compare_number, BLOCK.sub(compare, text))
    if new != text:
        path.write_text(new)
        print(f"{name}: refreshed")
    if new.count("<!-- from ") != len(BLOCK.findall(new)):
        faults.append(f"{name}: a 'from' mark without its code block")
    for line in re.sub(BLOCK, "", new).splitlines():
        if UNMARKED.search(line):
            faults.append(f"{name}: measured where? {UNMARKED.search(line).group(0)}: {line[:60]}")
    for link in LINK.findall(new):
        if "://" not in link and not (path.parent / link).exists():
            faults.append(f"{name}: dead link {link}")
    for line in re.sub(BLOCK, "", new).splitlines():
        run = re.search(r"\./(?:build/\w+/)?(\w+)", line)
        if run and run.group(1) in programs:
            known = programs[run.group(1)][1]
        else:
            ours = [options for folder, options in programs.values() if folder == name.parts[0]]
            known = None if not ours or None in ours else set().union(*ours)
        for option in OPTION.findall(line) if known is not None else []:
            if option not in known and option not in OTHERS:
                faults.append(f"{name}: no program here has {option}: {line.strip()[:70]}")
    return faults


def main():
    arguments = [a for a in sys.argv[1:] if a != "--refresh"]
    programs = help_of(ROOT / (arguments[0] if arguments else "build"))
    texts = sorted(p for p in ROOT.rglob("*.md")
                   if not any(part == "build" or part[0] == "." for part in p.relative_to(ROOT).parts))
    faults = [f for t in texts for f in check(t, programs, "--refresh" in sys.argv)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(texts)} texts, {len(faults)} faults")
    return 1 if faults or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
