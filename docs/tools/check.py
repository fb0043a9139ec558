#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--refresh | --stale] [BUILD]: compares the texts with the programs and the recorded results.

In every Markdown file:
- A code block after  <!-- from FILE -->  is FILE, whole; after  <!-- from FILE: A ... B -->  it is
  FILE's lines from the first with A in it to the next with B in it (or the next that is just }).
  For FILE may stand MACHINE/PROGRAM: what it printed there. --refresh writes it anew.
- A number with a decimal point and a unit was measured, so a mark says where it comes from. The
  marks stand together at the end of a section:

      <!-- numbers
      3.08  pocl-cpu/clfinish_sync method=no_finish median_us
      9.5   nvidia-h200/clfinish_sync way_us
      0.71  nvidia-h200/accuracy table=code "kernel=a b" max median_us /1000
      -->

  First the number, as the section has it; then docs/results/RECORD.csv; then what chooses exactly
  one row, and the column. Without a column=value before it the name is that of a '# name,' line. After
  min or max it is the column's least or greatest of all chosen rows. /1000 divides.
  The recorded value, rounded as the text rounds it, is the number. --refresh writes a changed value
  into the mark and into the section, unless the number also stands there unmarked, or its marks
  now disagree: then it asks for a change by hand, for it cannot know which is meant.
- Every link within the repository leads to a file that git tracks; a link with #anchor leads to a
  heading. A picture also has an alternative text, and .gitignore does not name it. It has colours for a dark page, or a
  white ground.
- Every option in a line that runs one of our programs stands in the --help of that program; every
  other option in a --help of its chapter, or, in a text outside the chapters, in that of any
  program. They are those in BUILD (default: build); what cannot run here is there as a simulation.
- Every word in *italics* is a term, and docs/glossary.md has it: in bold, or in a column before
  the last one. (Emphasis is bold.)
- A path between backquotes in CONTRIBUTING.md is one in the repository ("my_program" aside).
- Each program of a chapter or of docs/lab stands wherever CONTRIBUTING.md says. common/test/faults.txt has every fault.
- A line has at most 120 columns, tables, pictures and what cannot be broken aside. None begins with <details>: what
  follows would be no Markdown.
- A README.zh.md has the headings, code blocks, links and marks of the README.md beside it, and names the README.md that
  it is a translation of:  <!-- of README.md 1a2b3c4d -->. (A refreshed number changes no name.) A link to another
  README.md may lead to that one's README.zh.md instead, to any heading of it.
With --stale it only lists the records that are older than their program (stale.py). COUNT_STALE
makes each of them a fault.
"""
import collections
import decimal
import hashlib
import itertools
import pathlib
import re
import shlex
import subprocess
import sys
import unicodedata

import record
from stale import stale

COUNT_STALE = True  # True, when all that --stale lists is recorded anew
ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- from (\S+?)(?:: (.+?) \.\.\. (.+?))? -->\n+```\w*\n)(.*?)(^```$)", re.S | re.M)
MARKS = re.compile(r"<!-- numbers\n(.*?)-->", re.S)
MARK = re.compile(r"^(\S+)( +)(.+)$", re.M)
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?:(?<![A-Za-z0-9_.)])[+-])?\d+(?:\.\d+)?(?![A-Za-z0-9_]|\.\d)")
UNIT = re.compile(r"\s*(?:us|ms|ns|GB/s|MHz|%|percent|times)(?!\w)")
NO_WORDS = re.compile(r"^ *```.*?^ *```$|^#+ [^\n]*|^ *\d+\. ", re.S | re.M)
FENCE = re.compile(r"^ *```.*?^ *```$", re.S | re.M)
COMMENT = re.compile(r"<!--.*?-->", re.S)
LINK = re.compile(r"(?:(!)\[([^]]*))?\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
ITALICS = re.compile(r"(?<![*\w])\*(?![*\s])((?:(?!\n\n)[^*])+)(?<!\s)\*(?!\*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHERS = {"--preset", "--refresh", "--build", "--clock-control", "--cache-control", "--table",
          "--lock-gpu-clocks", "--reset-gpu-clocks", "--processes", "--cold",  # the last two: of the files to copy
          "--dry-run",  # of fooled.py
          "--ntasks-per-node", "--gpus-per-task", "--map-by", "--nonall", "--wd", "--limit"}  # of fleet.md


def git(arguments):
    """What git answers, as a set of lines: an empty one where there is no git."""
    answer = subprocess.run(f"git {arguments}", shell=True, cwd=ROOT, capture_output=True, text=True)
    return set(answer.stdout.splitlines())


def terms(text):
    """The terms of the glossary: what is bold, and the columns of a table but the last."""
    columns = re.findall(r"^\|(.+)\|[^|]+\|$", text, re.M)
    words = re.split(r"[|,]", "|".join(columns + re.findall(r"\*\*(.+?)\*\*", text, re.S)))
    return {" ".join(re.sub(r"\([^)]*\)|`|^ *to ", "", word).lower().split()) for word in words}


NO_SWEEP = {"integer_trap", "two_gpus"}  # it calls nothing; it has test/two_gpus.sh
TRACKED, IGNORED = git("ls-files"), git("ls-files -ci --exclude-standard")
TERMS = terms((ROOT / "docs/glossary.md").read_text())


def printed(record_of):
    """What a program printed on a machine, from docs/results/MACHINE/README.md: its lines."""
    machine, _, program = record_of.partition("/")
    page = ROOT / f"docs/results/{machine}/README.md"
    found = page.is_file() and re.search(rf"^## {re.escape(program)}\n+```text\n(.*?)^```$", page.read_text(), re.S | re.M)
    return found.group(1).splitlines() if found else []


def lines_of(file, first, last):
    """The lines of `file` from the one with `first` to the next with `last`, moved to the left."""
    path = ROOT / file
    lines = path.read_text().splitlines() if path.is_file() else printed(file)
    if first:
        start = next((i for i, line in enumerate(lines) if first in line), len(lines))
        end = next((i for i in range(start, len(lines))
                    if (lines[i] == "}" if last == "}" else last in lines[i])), -1)
        lines = lines[start:end + 1]
    if not lines:
        return None
    indent = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
    return "".join(l[indent:].rstrip() + "\n" for l in lines)


def blank(pattern, text):
    """`text` with blanks in place of what the pattern finds: nothing else moves."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), text)


def sections(text):
    """The sections of a text, whole, and each with blanks for its heading, code blocks and the numbers of a list."""
    prose, headings = blank(NO_WORDS, text), re.finditer(r"^#+ ", blank(COMMENT, blank(FENCE, text)), re.M)
    starts = [0, *(heading.start() for heading in headings), len(text)]
    return [(text[start:end], prose[start:end]) for start, end in zip(starts, starts[1:])]


def marks_of(prose):
    """The marks of a section: (number, source) each."""
    return [(number, source) for marks in MARKS.findall(prose) for number, _, source in MARK.findall(marks)]


def replace(section, prose, new):
    """The section with new numbers for the old ones, in its words and in its marks."""
    def in_mark(mark):
        number = new.get(mark[1], mark[1])
        return number.ljust(len(mark[1] + mark[2]) - 1) + " " + mark[3]

    for found in reversed([*NUMBER.finditer(blank(COMMENT, prose))]):
        if found.group(0) in new:
            section = section[:found.start()] + new[found.group(0)] + section[found.end():]
    return MARKS.sub(lambda marks: MARK.sub(in_mark, marks.group(0)), section)


def recorded(source):
    """The value that a mark names, exact."""
    try:
        file, *words = shlex.split(source)
        divisor = int(words.pop()[1:]) if words[-1][0] == "/" else 1
        name = words.pop()
        choose = {"min": min, "max": max}[words.pop()] if words and "=" not in words[-1] else None
        keys = dict(word.split("=", 1) for word in words)
    except (ValueError, IndexError, KeyError):
        raise record.RecordError(f"not a mark: {source}") from None
    found = record.read(ROOT / f"docs/results/{file}.csv")
    found.name = file
    if choose:
        values = [row[name] for row in found.select(**keys) if row[found.column(name)]]
    elif keys:
        values = [found.find(**keys)[found.column(name)]]
    elif name in found.meta:
        values = [found.meta[name]]
    else:
        raise record.RecordError(f"{file}: no '# {name},'")
    if not values or not all(re.fullmatch(r"[+-]?\d+(\.\d+)?(e[+-]\d+)?", value) for value in values):
        raise record.RecordError(f"{file}: no number in {name}: {', '.join(values)}")
    return (choose or min)(map(decimal.Decimal, values)) / divisor


def rounded(value, number):
    """`value` as the text rounds `number`. A value halfway between two: the number, if it is one of them."""
    step = decimal.Decimal(1).scaleb(-len(number.partition(".")[2]))
    both = [f"{value.quantize(step, way):{'+' if number[0] == '+' else ''}f}"
            for way in (decimal.ROUND_HALF_UP, decimal.ROUND_HALF_DOWN)]
    return number if number in both else both[0]


def check_numbers(section, prose, refresh):
    """The section with its numbers refreshed, and what is wrong with them."""
    words, marks, faults, values, new = blank(COMMENT, prose), marks_of(prose), [], [], {}
    stands = collections.Counter(NUMBER.findall(words))
    named = collections.Counter(number for number, _ in marks)
    for number, source in marks:
        try:
            values.append(rounded(recorded(source), number))
        except record.RecordError as error:
            values.append(None)
            faults.append(f"{number}: {error}")
    for number in named:
        of_this = {value for (other, _), value in zip(marks, values) if other == number}
        if refresh and stands[number] == named[number] and len(of_this) == 1 and None not in of_this:
            new[number] = of_this.pop()
    for (number, source), value in zip(marks, values):
        if stands[number] < named[number]:
            faults.append(f"{number} stands {stands[number]} times, for {named[number]} marks: {source}")
        elif value not in (None, number, new.get(number)):
            faults.append(f"{number} is {value}: {source}" + "; change this one by hand" * refresh)
    measured = collections.Counter(found.group(0) for found in NUMBER.finditer(words)
                                   if "." in found.group(0) and UNIT.match(words, found.end()))
    faults += [f"measured where? {number}" for number in measured - named]
    lines = [line for found in MARKS.findall(prose) for line in found.splitlines()]
    if prose.count("<!-- numbers") != len(MARKS.findall(prose)) or len(lines) != len(marks):
        faults.append("not a mark: NUMBER RECORD [COLUMN=VALUE ...] [min|max] NAME [/DIVISOR]")
    if marks and MARKS.split(prose)[-1].strip():
        faults.append("the marks do not stand at the end of the section")
    return replace(section, prose, new), faults


def help_of(build):
    """Program name -> (its room, the options of its --help)."""
    programs = {}
    for line in (build / "programs.txt").read_text().splitlines():
        folder, name = line.split()[1].rsplit("/", 1)
        built = [path for path in (build / "simulated/bin" / folder / name, build / folder / name) if path.is_file()]
        if not built:
            sys.exit(f"{folder}/{name} is not built in {build}")
        text = subprocess.run([built[0], "--help"], capture_output=True, text=True, check=True).stdout
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
        elif picture and not re.search('prefers-color-scheme: dark|fill="(white|#ffffff)"', to.read_text()):
            yield f"nobody can read it on a dark page: {target}"
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
        columns = sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
        words = re.sub(r"^\s*([-*]|\d+\.)? *", "", COMMENT.sub("", line)).split()
        if columns > 120 and len(words) > 1 and not re.match(r" *(\||!\[)", line):
            yield f"{columns} columns: {line[:60]}"
        if re.match(r" *</?(details|summary)", line):
            yield f"behind this at a line's beginning Markdown is shown raw: {line.strip()[:40]}"


def missing_paths(text):
    """The paths in CONTRIBUTING.md that lead nowhere."""
    for path in re.findall(r"`(?:\./)?([\w.]+/[\w./]*\w)`", FENCE.sub("", text)):
        if not any("my_program" in path or "NAME" in path or (folder / path).exists() for folder in (ROOT, *ROOT.glob("0?_*"))):
            yield f"no such path: {path}"


def missing_programs():
    """Where a program of a chapter or of docs/lab does not stand: see CONTRIBUTING.md."""
    for name in sorted(TRACKED):
        path = ROOT / name
        if not re.match(r"(0\d_\w+|docs/lab)/\w+\.cu?$", name) or not re.search(r"\bmain\(", path.read_text()):
            continue
        room, stem = path.parent, path.stem
        built, rules, text = ((room / file).read_text() for file in ("CMakeLists.txt", "test/sane.awk", "README.md"))
        line = re.search(rf"^(\w+)\((\w+) (?:\w+ )?{path.name}\b", built, re.M)
        page = line and line[1] == "add_minimal"
        transcript = room / f"test/{f'{room.name[:3]}{line[2]}_' if page else ''}{stem}.txt"
        sweeps = transcript.is_file() and re.search(r"^(\$ FAULT=)?sweep\b", transcript.read_text(), re.M)
        stands = {
            "CMakeLists.txt": line,
            f"test/{transcript.name} with sweep": sweeps or stem in NO_SWEEP,
            "test/sane.awk": page or re.search(rf"^# ---- {stem.removesuffix('_opencl')}(_opencl)? ----", rules, re.M),
            "README.md": re.search(rf"\[{stem}\]\(\w+\.md\)" if room.name == "lab" else rf"(`|/|-o ){stem}\b", text)}
        yield from (f"{name} is not in {room.relative_to(ROOT)}/{where}" for where in stands if not stands[where])


def missing_faults():
    """Faults that only the simulation knows, or only common/test/faults.txt."""
    code = "".join(path.read_text() for path in (ROOT / "common/test").glob("*.[ch]"))
    asked = re.findall(r'"(\w+)"', "".join(re.findall(r"simulated_fault\([^()]*\)|where\[\] = {[^}]*}", code)))
    listed = re.findall(r"^[a-z_0-9]+", (ROOT / "common/test/faults.txt").read_text(), re.M)
    for fault in sorted({*asked} ^ {*listed}):
        yield f"common/test/faults.txt {'has' if fault in listed else 'lacks'} {fault}, not so the simulation"


def other_headings(*texts):
    """The headings that one of two texts has alone: without them the sections have most names in common."""
    parts = [[(part.partition("\n")[0], {*re.findall(r"[A-Za-z0-9_]{2,}", part)}) for part, _ in sections(text)]
             for text in texts]
    less, more = sorted(parts, key=len)

    def paired(alone):
        return list(zip(less, (part for i, part in enumerate(more) if i not in alone)))

    alone = max(itertools.combinations(range(len(more)), len(more) - len(less)),
                key=lambda alone: sum(len(left[1] & right[1]) for left, right in paired(alone)))
    for i in alone:
        yield f"{'lacks the' if more is parts[0] else 'has one more'} heading: {more[i][0]}"
    for (left, _), (right, _) in paired(alone):
        if left.split(" ")[0] != right.split(" ")[0]:
            yield f"other headings than README.md: {left}, {right}"


def behind(original, translation):
    """Where README.zh.md differs from README.md."""
    texts = [text.replace("README.zh.md", "README.md") for text in (original, translation)]
    yield from other_headings(*texts)
    for what, pattern in (("code blocks", r"^```.*?^```$"), ("links", r"\]\(([^)#]+)"),
                          ("marks", r"<!-- numbers\n.*?-->")):
        left, right = (sorted(re.findall(pattern, text, re.S | re.M)) for text in texts)
        if left != right:
            yield f"other {what} than README.md: {sorted(set(left) ^ set(right)) or len(left)}"
    unnumbered = "".join(replace(section, prose, {number: "0" for number, _ in marks_of(prose)})
                         for section, prose in sections(original))
    version = hashlib.sha256(COMMENT.sub("", unnumbered).encode()).hexdigest()[:8]
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

    new = ""
    for section, prose in sections(BLOCK.sub(compare, text)):
        section, wrong = check_numbers(section, prose, refresh)
        heading = section.partition("\n")[0].strip("# ")
        faults += [f"{name}, {heading}: {fault}" for fault in wrong]
        new += section
    if new != text:
        path.write_text(new)
        print(f"{name}: refreshed")
    if new.count("<!-- from ") != len(BLOCK.findall(new)):
        faults.append(f"{name}: a 'from' mark without its code block")
    own = BLOCK.sub("", new)
    found = [*dead_links(path, FENCE.sub("", own)), *missing_terms(FENCE.sub("", own)),
             *wrong_lines(str(name.parent if name.parent.name else name), own, programs)]
    if name.name == "CONTRIBUTING.md":
        found += missing_paths(own)
    if name.name == "README.zh.md":
        found += behind((path.parent / "README.md").read_text(), new)
    return faults + [f"{name}: {fault}" for fault in found]


def main():
    arguments = [a for a in sys.argv[1:] if a not in ("--refresh", "--stale")]
    texts = sorted(p for p in ROOT.rglob("*.md") if not p.match("docs/results/*/README.md")
                   if not any(part == "build" or part[0] == "." for part in p.relative_to(ROOT).parts))
    if "--stale" in sys.argv:
        return print("\n".join(stale(texts, printed)))
    programs = help_of(ROOT / (arguments[0] if arguments else "build"))
    faults = [f for t in texts for f in check(t, programs, "--refresh" in sys.argv)]
    faults += [*missing_programs(), *missing_faults()]
    faults += stale(texts, printed) if COUNT_STALE else []
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(texts)} texts, {len(faults)} faults" + ("" if TRACKED else "; git was not asked"))
    return 1 if faults or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
