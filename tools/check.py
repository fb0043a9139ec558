#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--refresh] [BUILD]: compares every Markdown file that git tracks with the programs and the recorded results.

- Quotes. A code block after  <!-- from FILE -->  is FILE, whole; after  <!-- from FILE: A ... B -->  its lines from
  the first with A to the next with B (for }: just }). FILE may also be MACHINE/NAME, for docs/results/MACHINE/NAME.txt.
- Numbers. A mark names a number of its section, then its record in docs/results, then what chooses exactly one row, and
  the column; the number is the recorded value, rounded. Without column=value the name is that of a '# name value' line:

      <!-- numbers
      12.7  nvidia-h200/sm_counters what=zero_points time_us /1000
      6.4   nvidia-h200/clfinish_sync overhead_us
      3.4   nvidia-h200/warmup recipe=mean_of_100 median error_percent
      -->

  max, min or median is of all chosen rows that have the number; /1000 divides.
- Links. Each leads to a file that git tracks, and with #anchor to a heading. A picture has an alternative text, and
  colours for a dark page or a white ground.
- Options. One in a line that runs a program stands in the --help of that program; any other in a --help of its
  chapter, or, outside the chapters, of any program in BUILD (default: build), simulated where it cannot run.
- Names. A column, value or row that a mark or a quoted output names, stands in the program as it is built now; and a
  `name_in_code` of any text stands in a source file of the suite.
- Translations. A NAME.zh.md has headings of the same levels, and the same code blocks, marks and links, as the
  NAME.md beside it. A link to another NAME.md may lead to its NAME.zh.md instead.

--refresh writes changed quotes and numbers anew. It names those to change by hand: those which also stand without a
mark, or whose marks now disagree.
"""
import collections
import decimal
import itertools
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import textwrap

import record

ROOT = pathlib.Path(__file__).resolve().parents[1]
CODE, COMMENT = r"^ *```.*?^ *```$", "<!--.*?-->"
HEADING = re.compile(rf"{CODE}|{COMMENT}|^(#+) ([^\n]*)", re.S | re.M)
QUOTE = re.compile(r"(<!-- from (\S+?)(?:: (.+?) \.\.\. (.+?))? -->\n+```\w*\n)(.*?)(^```$)", re.S | re.M)
MARKS = re.compile(r"<!-- numbers\n(.*?)-->", re.S)
MARK = re.compile(r"^(\S+)( *)(.*)$", re.M)
NUMBER = r"(?<![A-Za-z0-9_.])(?:(?<![A-Za-z0-9_.)])[+-])?\d+(?:\.\d+)?(?![A-Za-z0-9_]|\.\d)"
PROSE = re.compile(rf"{CODE}|{COMMENT}|^#+ [^\n]*|^ *\d+\. |({NUMBER})", re.S | re.M)  # its numbers
LINK = re.compile(r"(?:(!)\[([^]]*))?\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHERS = {"--help", "--preset", "--build", "--no-install", "--refresh",  # CMake, ours
          "--processes", "--cold", "--gate", "--seconds",  # of the files to copy
          "--unit",  # of parts
          "--clock-control", "--cache-control", "--lock-gpu-clocks", "--reset-gpu-clocks"}  # of NVIDIA's tools
FOREIGN = {"CHANGELOG.md", "CONTRIBUTING.md", "docs/other_tools.md", "docs/references.md"}  # name what is not in the tree
TRACKED = set(subprocess.run("git ls-files", shell=True, cwd=ROOT, capture_output=True, text=True).stdout.splitlines())


def headings(text):
    """The headings of a text, none of which is in a code block or a comment: [1] is the level, [2] the words."""
    return [found for found in HEADING.finditer(text) if found[1]]


def lines_of(file, first, last):
    """The lines of `file` from the one with `first` to the next with `last`, moved to the left."""
    path = next((path for path in (ROOT / file, ROOT / f"docs/results/{file}.txt") if path.is_file()), None)
    lines = path.read_text().splitlines() if path else []
    if first:
        lines = list(itertools.dropwhile(lambda line: first not in line, lines))
        end = next((i for i, line in enumerate(lines) if (line == "}" if last == "}" else last in line)), -1)
        lines = lines[:end + 1]
    return "".join(line.rstrip() + "\n" for line in textwrap.dedent("\n".join(lines)).splitlines())


def check_quotes(text, refresh):
    """The text with its quotes refreshed, and what is wrong with them."""
    faults = []

    def compare(quote):
        head, file, first, last, body, tail = quote.groups()
        right = lines_of(file, first, last)
        if right and refresh:
            return head + right + tail
        if right != body:
            faults.append(f"{'differs from' if right else 'cannot find'} {file}: {head.splitlines()[0]}")
        return quote[0]

    return QUOTE.sub(compare, text), faults


def recorded(source, number):
    """The value that a mark names, as the text rounds `number`, which stays if it is right."""
    try:
        file, *words = shlex.split(source)
        divisor = int(words.pop()[1:]) if words[-1][0] == "/" else 1
        name = words.pop()
        choose = {"min": min, "max": max, "median": statistics.median_low}[words.pop()] if words and "=" not in words[-1] else None
        keys = dict(word.split("=", 1) for word in words)
        found = record.read(ROOT / f"docs/results/{file}.txt")
        if choose:
            value = choose(decimal.Decimal(row[name]) for row in found.select(**keys) if row[found.column(name)])
        else:
            value = decimal.Decimal(found.find(**keys)[found.column(name)] if keys else found.meta[name])
        value, step = value / divisor, decimal.Decimal(1).scaleb(-len(number.partition(".")[2]))
        right = abs(value - decimal.Decimal(number)) <= step / 2
        return number if right else f"{value.quantize(step):{'+' if number[0] == '+' else ''}f}"
    except (ValueError, IndexError, KeyError, ArithmeticError):
        raise record.RecordError(f"no number: {source}") from None


def check_numbers(section, refresh):
    """The section with its numbers refreshed, and what is wrong with them."""
    blocks, stands = "".join(MARKS.findall(section)), collections.Counter(PROSE.findall(section))
    marks, new, faults = collections.defaultdict(list), {}, []
    for number, _, source in MARK.findall(blocks):
        marks[number].append(source)
    for number, sources in marks.items():
        try:
            values = {recorded(source, number) for source in sources}
        except record.RecordError as error:
            faults.append(f"{number}: {error}")
            continue
        if stands[number] < len(sources):
            faults.append(f"{number} stands {stands[number]} times, for {len(sources)} marks: {'; '.join(sources)}")
        elif refresh and len(values) == 1 and stands[number] == len(sources):
            new[number] = values.pop()
        elif values != {number}:
            faults.append(f"{number} is {' and '.join(sorted(values))}: {'; '.join(sources)}")

    def in_mark(mark):
        return f"{new[mark[1]].ljust(len(mark[1] + mark[2]) - 1)} {mark[3]}" if mark[1] in new else mark[0]

    section = PROSE.sub(lambda found: new.get(found[1], found[0]), section)
    return MARKS.sub(lambda block: MARK.sub(in_mark, block[0]), section), faults


def anchors(path):
    """The anchors of a Markdown file's headings, as GitHub makes them."""
    words = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", found[2].lower()) for found in headings(path.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in words}


def dead_links(path, text):
    """What is wrong with the links and pictures of a text."""
    for picture, words, target, anchor in LINK.findall(re.sub(CODE, "", text, flags=re.S | re.M)):
        to = (path.parent / target).resolve() if target else path
        if "://" in target:
            continue
        if not to.exists():
            yield f"dead link {target}"
        elif to.is_file() and TRACKED and str(to).removeprefix(f"{ROOT}/") not in TRACKED:
            yield f"git does not track {target}"
        elif picture and not (words.strip() and (to.suffix == ".png" or  # which has a ground of its own
                                                 re.search('scheme: dark|fill="(white|#ffffff)"', to.read_text()))):
            yield f"without an alternative text, or nobody can read it on a dark page: {target}"
        elif anchor and to.suffix == ".md" and anchor not in anchors(to):
            yield f"no such heading: {target}#{anchor}"


def options_of(build):
    """Program name -> (its room, the options of its --help, the words in its file)."""
    programs = {}
    for line in (build / "programs.txt").read_text().splitlines():
        folder, name = line.split()[1].rsplit("/", 1)
        built = [path for path in (build / "simulated/bin" / folder / name, build / folder / name) if path.is_file()]
        if not built:
            sys.exit(f"{folder}/{name} is not built in {build}")
        text = subprocess.run([built[0], "--help"], capture_output=True, text=True, check=True).stdout
        programs[name] = (folder, set(OPTION.findall(text)), built[0].read_bytes().decode(errors="ignore"))
    return programs


def unknown_options(name, text, programs):
    """The options of a text that no program has. The changelog names those of the past, too."""
    chapter = [options for folder, options, _ in programs.values() if folder == str(name.parent)]
    known = set().union(*(chapter or [options for _, options, _ in programs.values()]))
    for line in QUOTE.sub("", text).splitlines() if name.name != "CHANGELOG.md" else []:
        run = re.search(r"\./(?:build/\w+/)?(\w+)", line)
        own = programs[run[1]][1] if run and run[1] in programs else known
        for option in sorted(set(OPTION.findall(line)) - own - OTHERS):
            yield f"no program here has {option}: {line.strip()[:70]}"


def unknown_names(name, text, programs, sources):
    """What a text quotes of a program that has no such word: a record and a page keep the words of the past."""
    quoted = [(quote[2].rpartition("/")[2], quote[5]) for quote in QUOTE.finditer(text)]
    quoted += [(mark[3].split(" ")[0].rpartition("/")[2], mark[3].partition(" ")[2])
               for block in MARKS.findall(text) for mark in MARK.finditer(block)]
    for program, words in quoted:
        for word in sorted(set(re.findall(r"[a-z]\w*_\w+", words))) if program in programs else []:
            if word not in programs[program][2] and re.sub(r"\d+$", "", word) not in programs[program][2]:
                yield f"{program} has no {word}"
    for word in sorted(set(re.findall(r"`([a-z]\w*_\w+)`", text))) if str(name) not in FOREIGN else []:
        if word not in sources:
            yield f"no file here has `{word}`"


def behind(original, translation):
    """Where a translation differs from its original."""
    texts = [text.replace(".zh.md", ".md") for text in (original, translation)]
    for what, pattern in (("headings", "^#+ "), ("code blocks", CODE), ("links", r"\]\(([^)#]+)"),
                          ("marks", "<!-- numbers\n.*?-->")):
        here, there = (collections.Counter(re.findall(pattern, text, re.S | re.M)) for text in texts)
        if here != there:
            yield f"other {what} than the original: {[*(here - there), *(there - here)]}"


def check(path, programs, sources, refresh):
    """What is wrong with a text."""
    text, name = path.read_text(), path.relative_to(ROOT)
    quoted, faults = check_quotes(text, refresh)
    if [text.count("<!-- from "), text.count("<!-- numbers")] != [len(form.findall(text)) for form in (QUOTE, MARKS)]:
        faults.append("a '<!-- from' without its code block, or a '<!-- numbers' without its lines")
    starts = [0, *(found.start() for found in headings(quoted)), len(quoted)]
    new = ""
    for start, end in zip(starts, starts[1:]):
        section, wrong = check_numbers(quoted[start:end], refresh)
        new += section
        faults += [f"{section.splitlines()[0].strip('# ')}: {fault}" for fault in wrong]
    if new != text:
        path.write_text(new)
        print(f"{name}: refreshed")
    faults += [*dead_links(path, new), *unknown_options(name, new, programs), *unknown_names(name, new, programs, sources)]
    if name.name.endswith(".zh.md"):
        faults += behind(path.with_name(name.name.replace(".zh.md", ".md")).read_text(), new)
    return [f"{name}: {fault}" for fault in faults]


def main(arguments):
    build, = [argument for argument in arguments if argument != "--refresh"] or ["build"]
    names = TRACKED or {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md")}  # a reader's own notes are left alone
    texts = sorted(ROOT / name for name in names if re.search(r"^(?!build/|\.).*\.md$", name)
                   and (ROOT / name).is_file())
    programs = options_of(ROOT / build)
    sources = "".join(path.read_text(errors="ignore") for path in (ROOT.rglob("*.*") if not TRACKED else map(ROOT.joinpath, TRACKED))
                      if path.is_file() and path.suffix not in (".md", ".svg", ".png", ".txt", ".ipynb"))
    faults = [fault for path in texts for fault in check(path, programs, sources, "--refresh" in arguments)]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    print(f"{len(texts)} texts, {len(faults)} faults" + ("" if TRACKED else "; git was not asked"))
    return bool(faults) or not texts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
