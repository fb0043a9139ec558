# SPDX-License-Identifier: MIT
"""The table of `parts`, for people and for --check.

    ROW, ROW          these rows are equal; in 'every row' stands what is equal in all
      COLUMN = SUM    what the number holds
      WORDS: COLUMNS  what else is to say about them; 'all' are those with a sum
      late: KIND COUNT COLUMNS, ...; KIND ...
"""
import re
import sys
import textwrap
from fractions import Fraction

HEAD = "In the model: each number as a sum of parts, and of what the program adds; parts --help explains."
BELOW, EVERY = "below the table", "every row"
LATE = {"late_first": 1000, "late_seventh": 100, "late_each": 4}  # the step of each, in ns
ITEM = re.compile(r"(?:^|([-+,]) )?(?:([0-9./]+) )?([a-z_][a-z_0-9]*)")
KINDS = ("stays with all times doubled", "halves with all times doubled", "doubles with all times doubled",
         "no parts: neither doubles, halves nor stays")


class Entry:
    """What a number holds: `parts` and `late` by name, `uneven` parts without a coefficient, `rest` in us.
    If its clock is coarse, step_us is that clock's step; full_us is the number with the SM's clock always full."""

    def __init__(self):
        self.kind, self.step_us, self.rest = None, Fraction(0), Fraction(0)
        self.parts, self.late, self.uneven, self.full_us = {}, {}, [], None

    def sum_us(self, times):
        return sum(count * times[part] for part, count in self.parts.items()) / 1000


def item(count, name):
    """Returns the count and the name, of 1 the name alone."""
    if count == 1:
        return name
    text = f"{float(count):.10g}"
    return f"{text if len(text.partition('.')[2]) <= 4 else count} {name}"


def full_text(full_us):
    return None if full_us is None else f"with the SM's clock full {float(full_us):.3f} us"


def sum_of(entry):
    terms = [(count, part) for part, count in entry.parts.items()]
    if abs(entry.rest) >= (entry.step_us or Fraction(6, 10000)) or not terms:
        terms.append((entry.rest, "us"))
    places = 0 if entry.step_us == 1 else 3
    text = "".join((" - " if count < 0 else " + ") +
                   (f"{abs(float(count)):.{places}f} us" if part == "us" else item(abs(count), part))
                   for count, part in terms)
    return text.removeprefix(" + ").strip()


def body(columns):
    """Returns the lines for `columns`, a dict of entries by name."""
    def by(key):
        found = {}
        for name, entry in columns.items():
            for each in key(entry):
                found.setdefault(each, []).append(name)
        return found.items()

    summed = [name for name, entry in columns.items() if not entry.kind]

    def words(names):
        others = [name for name in summed if name not in names]
        if len(names) < 2 or len(others) >= len(names):
            return " ".join(names)
        return " ".join(["all"] + ["but"] * bool(others) + others)

    lines = [f"{' '.join(names)} = {text}" for text, names in by(lambda e: [] if e.kind else [sum_of(e)])]
    kinds = dict(by(lambda e: [e.kind] if e.kind else []))
    lines += [f"{kind}: {' '.join(kinds[kind])}" for kind in KINDS if kind in kinds]
    lines += [f"by steps of {float(step):g} us: {words(names)}"
              for step, names in by(lambda e: [] if e.kind or not e.step_us else [e.step_us])]
    lines += [f"{text}: {words(names)}"
              for text, names in by(lambda e: [] if e.kind or e.full_us is None else [full_text(e.full_us)])]
    late = {}
    for (name, count), names in by(lambda e: [(name, e.late[name]) for name in LATE if e.late.get(name)]):
        late.setdefault(name, []).append(item(count, " ".join(names)))
    if late:
        lines.append("late: " + "; ".join(f"{name[5:]} {', '.join(late[name])}" for name in LATE if name in late))
    lines += [f"uneven {part}: {words(names)}" for part, names in by(lambda e: [] if e.kind else e.uneven)]
    return lines


def fill(text, first, more):
    print(textwrap.fill(text, 100, initial_indent=" " * first, subsequent_indent=" " * more, break_on_hyphens=False,
                        break_long_words=False))


def write_table(asked):
    """Prints the table for people of pairs of a number and its entry; read_table() reads it."""
    rows = {}
    for number, entry in asked:
        rows.setdefault(number.key[0], {})[number.key[1]] = entry
    true_rows = [columns for row, columns in rows.items() if row != BELOW]
    equal = {name: entry for name, entry in (true_rows[0] if len(true_rows) > 1 else {}).items()
             if all(name in columns and body({name: columns[name]}) == body({name: entry}) for columns in true_rows)}
    if all(len(columns) == len(equal) for columns in true_rows):
        equal = {}
    blocks = {tuple(body(equal)): [EVERY]} if equal else {}
    for row, columns in rows.items():
        own = {name: entry for name, entry in columns.items() if row == BELOW or name not in equal}
        blocks.setdefault((*body(own), *["below"] * (row == BELOW)), []).append(row)
    print(HEAD)
    for lines, names in blocks.items():
        fill(", ".join(names), 0, 4)
        for line in lines[:len(lines) - (names == [BELOW])]:
            fill(line, 2, 6)


def read_body(lines):
    """Returns the entries of a block by column."""
    entries = {}
    def entry_of(column):
        return entries.setdefault(column, Entry())

    for line in lines:
        left, sign, right = line.partition(" = ")
        if sign:
            for column in left.split():
                for minus, count, part in ITEM.findall(right):
                    count = Fraction(count or 1) * (-1 if minus == "-" else 1)
                    if part == "us":
                        entry_of(column).rest = count
                    else:
                        entry_of(column).parts[part] = count
            summed = list(entries)
            continue
        left, _, right = line.rpartition(": ")
        if left == "late":
            for kind, items in (text.split(" ", 1) for text in right.split("; ")):
                for each in items.split(", "):
                    count, names = re.fullmatch(r"(-?[0-9./]+ )?(.*)", each).groups()
                    for column in names.split():
                        entry_of(column).late["late_" + kind] = Fraction((count or "1").strip())
            continue
        names = right.split()
        if names[0] == "all":
            names = [name for name in summed if name not in names[2:]]
        step = re.fullmatch(r"(by steps of|with the SM's clock full) ([0-9.]+) us", left)
        for column in names:
            if left in KINDS:
                entry_of(column).kind = left
            elif step:
                setattr(entry_of(column), "step_us" if step[1][0] == "b" else "full_us", Fraction(step[2]))
            else:
                entry_of(column).uneven.append(left.removeprefix("uneven "))
    return entries


def read_table(text):
    """Returns the entries of a table by row and column; none if it is no table."""
    head, _, text = text.rstrip("\n").partition("\n")
    entries, equal, rows = {}, {}, []
    if head != HEAD:
        return entries
    for line in re.sub(r"\n {4}( {2})?(?! )", " ", text).splitlines():
        if line.startswith("  ") and rows:
            rows[-1][1].append(line.strip())
        else:
            rows.append((line.split(", "), []))
    for names, lines in rows:
        columns = read_body(lines)
        if names == [EVERY]:
            equal = columns
        for row in names if names != [EVERY] else []:
            for column, entry in {**(equal if row != BELOW else {}), **columns}.items():
                entries[row, column] = entry
    return entries
