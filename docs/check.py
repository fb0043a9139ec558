#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--refresh] [BUILD]: compares the texts with the programs and the recorded results.

In every Markdown file:
- A code block after  <!-- from FILE -->  is FILE, whole; after  <!-- from FILE: A ... B -->  it is
  FILE's lines from the first with A in it to the next with B in it (or the next that is just }).
  --refresh writes it anew.
- A number before  <!--=FILE: START #N-->  is the Nth number after START, which begins a line of
  docs/results/FILE, rounded as the text rounds it. #min2-5 and #max2-5 take the least and the
  greatest of several, /1000 divides. --refresh writes these anew as well.
- A number with a decimal point and a unit has such a mark: it was measured.
- Every link within the repository leads to a file that git tracks; a link with #anchor leads to a
  heading. A picture also has an alternative text, and .gitignore does not name it.
- Every option in a line that runs one of our programs stands in the --help of that program; every
  other option in a --help of its chapter, or, in a text outside the chapters, in that of any
  program. A program that BUILD (default: build) does not have is asked in its transcript,
  test/expected/PROGRAM.txt.
- Every word in *italics* is a term, and docs/glossary.md has it: in bold, or in a column before
  the last one. (Emphasis is bold.)
- A line has at most 120 columns, tables, pictures and what cannot be broken aside. A number cannot
  be broken from its mark.
README.zh.md has the headings, code blocks and links of README.md, and names the README.md that it
is a translation of:  <!-- of README.md 1a2b3c4d -->.
"""
import hashlib
import pathlib
import re
import subprocess
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- from (\S+?)(?:: (.+?) \.\.\. (.+?))? -->\n+```\w*\n)(.*?)(^```$)", re.S | re.M)
NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)([^\d\n<]{0,12}"
                    r"<!--=(\S+?): (.+?) #(min|max)?(\d+)(?:-(\d+))?(?: /(\d+))?-->)")
UNMARKED = re.compile(r"\d\.\d+ ?(?:us|ms|ns|GB/s|MHz|%|percent|times)(?![\w<])")
FENCE = re.compile(r"^ *```.*?^ *```$", re.S | re.M)
COMMENT = re.compile(r"<!--.*?-->", re.S)
LINK = re.compile(r"(?:(!)\[([^]]*))?\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
ITALICS = re.compile(r"(?<![*\w])\*(?![*\s])((?:(?!\n\n)[^*])+)(?<!\s)\*(?!\*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHERS = {"--preset", "--refresh", "--build", "--clock-control", "--cache-control", "--table", "--html",
          "--lock-gpu-clocks", "--reset-gpu-clocks"}


def git(arguments):
    """What git answers, as a set of lines: an empty one where there is no git."""
    answer = subprocess.run(f"git {arguments}", shell=True, cwd=ROOT, capture_output=True, text=True)
    return set(answer.stdout.splitlines())


def terms(text):
    """The terms of the glossary: what is bold, and the columns of a table but the last."""
    columns = re.findall(r"^\|(.+)\|[^|]+\|$", text, re.M)
    words = re.split(r"[|,]", "|".join(columns + re.findall(r"\*\*(.+?)\*\*", text, re.S)))
    return {" ".join(re.sub(r"\([^)]*\)|`|^ *to ", "", word).lower().split()) for word in words}


TRACKED, IGNORED = git("ls-files"), git("ls-files -ci --exclude-standard")
TERMS = terms((ROOT / "docs/glossary.md").read_text())


def lines_of(file, first, last):
    """The lines of `file` from the one with `first` to the next with `last`, moved to the left."""
    path = ROOT / file
    lines = path.read_text().splitlines() if path.is_file() else []
    if first:
        start = next((i for i, line in enumerate(lines) if first in line), len(lines))
        end = next((i for i in range(start, len(lines))
                    if (lines[i] == "}" if last == "}" else last in lines[i])), -1)
        lines = lines[start:end + 1]
    if not lines:
        return None
    indent = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
    return "".join(l[indent:].rstrip() + "\n" for l in lines)


def recorded(file, start, which, first, last, divisor):
    """The number that a mark names, or None."""
    path = ROOT / "docs/results" / file
    text = "\n" + (re.sub(r"[ \t]+", " ", path.read_text()).replace("\n ", "\n") if path.is_file() else "")
    begin = re.search("\n" + re.escape(start) + r"(?!\w)", text)
    numbers = re.findall(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?!\w)", text[begin.end():] if begin else "")
    numbers = [float(n) for n in numbers[int(first) - 1:int(last or first)]]
    return (max if which == "max" else min)(numbers) / int(divisor or 1) if numbers else None


def help_of(build):
    """Program name -> (chapter's folder, the options of its --help): as it is built, or else by its transcript."""
    programs = {}
    listed = re.findall(r"^add_program\(\w+ (\S+?)/(\S+?)\.c", (ROOT / "CMakeLists.txt").read_text(), re.M)
    for folder, name in listed:
        path = build / folder / name
        if path.exists():
            text = subprocess.run([path, "--help"], capture_output=True, text=True, check=True).stdout
        else:
            transcript = (ROOT / folder / "test/expected" / f"{name}.txt").read_text()
            text = transcript.partition(f"$ ./{name} --help\n")[2].partition("\n$ ")[0]
        programs[name] = (folder, set(OPTION.findall(text)))
    return programs


def anchors(path):
    """The anchors of a Markdown file's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text()).lower(), re.M)
    words = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", w).replace(" ", "-") for w in words}


def dead_links(path, prose):
    """What is wrong with the links and pictures of a text."""
    for picture, words, target, anchor in LINK.findall(prose):
        to = (path.parent / target).resolve() if target else path
        there = str(to.relative_to(ROOT)) if to.is_relative_to(ROOT) else ""
        if "://" in target:
            continue
        if not to.exists():
            yield f"dead link {target}"
        elif to.is_file() and TRACKED and there not in TRACKED:
            yield f"git does not track {target}"
        elif picture and there in IGNORED:
            yield f".gitignore names the picture {target}"
        elif picture and not words.strip():
            yield f"no alternative text: {target}"
        elif anchor and to.suffix == ".md" and anchor not in anchors(to):
            yield f"no such heading: {target}#{anchor}"


def missing_terms(prose):
    """The words in italics that the glossary lacks."""
    for term in ITALICS.findall(re.sub(r"`[^`]*`", "`", LINK.sub("", COMMENT.sub("", prose)))):
        words = " ".join(term.lower().split())
        if not {words, words.removesuffix("s")} & TERMS:
            yield f"docs/glossary.md lacks *{words}*"


def wrong_lines(folder, text, programs):
    """The lines of a text that are too long, or name an option that no program has."""
    chapter = [options for its_folder, options in programs.values() if its_folder == folder]
    known = set().union(*(chapter or [options for _, options in programs.values()]))
    for line in text.splitlines():
        run = re.search(r"\./(?:build/\w+/)?(\w+)", line)
        own = programs[run.group(1)][1] if run and run.group(1) in programs else known
        options = set(OPTION.findall(line)) if folder != "CHANGELOG.md" else set()  # it names options of the past
        for option in options - own - OTHERS:
            yield f"no program here has {option}: {line.strip()[:70]}"
        if UNMARKED.search(line):
            yield f"measured where? {UNMARKED.search(line).group(0)}: {line[:60]}"
        columns = sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
        words = re.sub(r"^\s*([-*]|\d+\.)? *", "", COMMENT.sub("", NUMBER.sub("0", line))).split()
        if columns > 120 and len(words) > 1 and not re.match(r" *(\||!\[)", line):
            yield f"{columns} columns: {line[:60]}"


def behind(original, translation):
    """Where README.zh.md differs from README.md."""
    for what, pattern in (("headings", r"^(#+) "), ("code blocks", r"^```.*?^```$"), ("links", r"\]\(([^)]+)\)")):
        left, right = (sorted(re.findall(pattern, re.sub(r"\(README.*?\)", "", text), re.S | re.M))
                       for text in (original, translation))
        if left != right:
            yield f"other {what} than README.md: {sorted(set(left) ^ set(right)) or len(left)}"
    version = hashlib.sha256(NUMBER.sub(r"\2", original).encode()).hexdigest()[:8]
    if f"<!-- of README.md {version} -->" not in translation:
        yield f"README.md has changed; translate that, then write <!-- of README.md {version} -->"


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
    if new.count("<!--=") != len(NUMBER.findall(new)):
        faults.append(f"{name}: a mark without its number")
    own = BLOCK.sub("", new)
    found = [*dead_links(path, FENCE.sub("", own)), *missing_terms(FENCE.sub("", own)),
             *wrong_lines(name.parts[0], own, programs)]
    if name.name == "README.zh.md":
        found += behind((ROOT / "README.md").read_text(), new)
    return faults + [f"{name}: {fault}" for fault in found]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--refresh"]
    programs = help_of(ROOT / (arguments[0] if arguments else "build"))
    texts = sorted(p for p in ROOT.rglob("*.md")
                   if not any(part == "build" or part[0] == "." for part in p.relative_to(ROOT).parts))
    faults = [f for t in texts for f in check(t, programs, "--refresh" in sys.argv)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(texts)} texts, {len(faults)} faults" + ("" if TRACKED else "; git was not asked"))
    return 1 if faults or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
