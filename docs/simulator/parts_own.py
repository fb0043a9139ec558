# SPDX-License-Identifier: MIT
"""`parts` for a program that simcc has built: the numbers that it prints, in order, and what each holds, in words."""
import re
import textwrap
from fractions import Fraction

from parts_table import Entry, item, sum_of

UNITS = {"ns": Fraction(1, 1000), "us": Fraction(1), "ms": Fraction(1000), "s": Fraction(1000000)}
NAMES = {"nsec": "ns", "nanosecond": "ns", "usec": "us", "µs": "us", "μs": "us", "microsecond": "us", "msec": "ms",
         "millisecond": "ms", "sec": "s", "second": "s"}
UNIT = r"(?:[nuµμm]s|[num]?secs?|(?:nano|micro|milli)?seconds?|s)"
NUMBER = re.compile(r"(?<![\w.])([-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)(?:(?=" + UNIT + r"\b)|(?![\w.]*\w))", re.I)
BEHIND = re.compile(r"\s*[\[(]?(" + UNIT + r")\b(?!/)")
BEFORE = re.compile(r"[\[( ](" + UNIT + r")[\])]?\s*[:=]?\s*$")
KERNEL = ("fetch", "unit_0", "read", "step", "launch", "drain", "block", "warp", "barrier")
LONGER_NS = 100000
# The words for parts, in this order. {} is how often.
WORDS = [
    (("drain",), "the kernel, with its start and its end on the device, {}"),
    (("launch_call",), "the host's launch call, {}"),
    (("event",), "an event {} (the floor: chapter 04)"),
    (("load", "load_anew", "load_eager"), "the loading of the kernel's code, {} (chapter 06)"),
    (("load_first",), "the start of the first kernel of all, {} (chapter 06)"),
    (("copy_1000",), "copies of {0} bytes"),
    (("copy_call",), "the host's call of a copy, {}"),
    (("wake",), "the end of the host's wait, {}"),
    (("latency", "submit"), "the way to the device, {}"),
    (("now", "clock", "raw", "boottime", "cpu_time", "timeofday"), "the reading of the host's clock, {}"),
]


class OwnNumber:
    """As parts' Number. A number without a unit is no time, unless `unit` is what the reader says."""

    def __init__(self, text, unit, line, scale, number):
        self.line, self.text, self.unit = line.strip(), text, unit
        self.key = (f"number {number}", unit or "number")
        self.is_time = unit is not None
        factor = UNITS.get(unit, Fraction(1)) / (scale if unit else 1)
        digits, _, power = text.lower().partition("e")
        self.value = Fraction(text) * factor
        places = len(digits.partition(".")[2]) - int(power or 0)
        self.error = Fraction(10) ** -places / 2 * factor + abs(self.value) / 2**23


class Own:
    """How the program is run and read: with all times `scale` times as long, so that its digits show 20 ns."""

    def __init__(self, unit):
        self.unit, self.scale, self.longer, self.timed = unit, 1, "", set()

    def times(self, asked):
        """Returns SIMULATED_TIMES for what parts asks for."""
        factor = int(asked[1:]) if asked.startswith("*") else 1
        scaled = re.sub(r"\+([0-9]+)", lambda n: f"+{int(n[1]) * self.scale}", "" if factor > 1 else asked)
        return ",".join(filter(None, (self.longer, f"*{self.scale * factor}" if self.scale * factor > 1 else "", scaled)))

    def read(self, output):
        numbers = []
        for line in output.splitlines():
            for found in NUMBER.finditer(line):
                behind, before = BEHIND.match(line[found.end():]), BEFORE.search(line[:found.start()])
                unit = (behind or before or [None, None])[1]
                unit = NAMES.get(unit.lower().removesuffix("s") if unit and len(unit) > 2 else unit, unit)
                if unit is None and len(numbers) in self.timed:
                    unit = self.unit
                numbers.append(OwnNumber(found[1], unit, line, self.scale, len(numbers) + 1))
        return numbers

    def choose(self, program):
        """Finds the scale, and with --unit the numbers that have none and double when all times do."""
        if self.unit:
            base, doubled = program.read(""), program.read("*2")
            self.timed = {i for i, (one, two) in enumerate(zip(base, doubled)) if not one.is_time and one.value and
                          abs(two.value - 2 * one.value) <= 5 * (one.error + two.error) + one.value / 100}
        worst = None
        for scale in (1, 10, 100, 1000, 10000, 100000):
            self.scale, before = scale, self.scale
            coarse = max((number.error for number in program.read("") if number.is_time), default=Fraction(0))
            if worst is not None and coarse > worst * Fraction(3, 4):
                self.scale = before
                return
            worst = coarse
            if coarse <= Fraction(1, 1000):
                return


def how_often(count):
    known = {1: "once", 2: "twice"}
    return known.get(count, f"{item(count, 'times')}" if count > 1 else f"{count} of it" if count > 0 else f"{count}")


def words_of(entry, said):
    """Returns the words for the sum of an entry; what has none is said in the words of times.h."""
    left, words = dict(entry.parts), []
    kernel = left.get("drain", 0)
    for parts, text in WORDS:
        counts = [left.pop(part) for part in parts if part in left]
        if counts:
            bytes_or_often = f"{float(counts[0] * 1000):.7g}" if parts[0] == "copy_1000" else how_often(counts[0])
            words.append(text.format(bytes_or_often))
    for part in KERNEL if kernel else ():
        left.pop(part, None)
    return words + [f"{said[part]}: {how_often(count)}" for part, count in left.items()]


def verdict(entry, longer, times):
    """Returns a sentence: does the number follow the kernel, and what does it hold besides?"""
    kernel = longer.parts.get("launch", 0)
    us = {part: float(count * times[part]) / 1000 for part, count in longer.parts.items() if part not in KERNEL}
    gone = {part: float(count * times[part]) / 1000 for part, count in entry.parts.items()
            if part not in KERNEL and part not in longer.parts}
    if "launch" in longer.uneven:
        return "It does not grow evenly with the kernel."
    if not kernel:
        return f"Nothing of the kernel is in it: it stays if the kernel takes {LONGER_NS // 1000} us longer."
    many = "" if kernel == 1 else f" {how_often(kernel)}"
    if {part for part in us if part != "event"}:
        return (f"It is more than the kernel{many}: {sum(us.values()):.3f} us of it are something else, however long "
                "the kernel is.")
    text = f"It is the time of the kernel{many} if the kernel is long"
    if gone:
        text += f": then {', '.join(gone)} ({sum(gone.values()):.3f} us here, the gap: chapter 04) is no longer in it"
    return text + (f", and {sum(us.values()):.3f} us of an event remain." if us else ".")


def tell(program, compute, said):
    """Prints each number with what it holds."""
    own = program.own
    printed = program.printed
    entries = compute(program, [part for part in program.times if not OTHERS.match(part)], True)
    found = {part for entry in entries for part in (*entry.parts, *entry.uneven)}
    own.longer = f"launch+{LONGER_NS}"
    program.base = program.read("")
    longer = compute(program, [part for part in program.times if part in found or part in KERNEL], False)
    print("In the model, which knows what a number holds, and not how long a kernel takes on a GPU:")
    count = 0
    for number, entry, long in zip(printed, entries, longer):
        if entry.kind == "stays with all times doubled":
            continue
        count += 1
        print(f"\n{number.line}")
        if len([other for other in printed if other.line == number.line]) > 1:
            print(f"  the number {number.text}:")
        if not number.is_time or entry.kind:
            text = {"doubles with all times doubled": "It grows with the times, and its unit is unknown: --unit ns|us|ms|s",
                    "halves with all times doubled": "It is a rate: it halves if all times double."}
            lines = [text.get(entry.kind, "It neither doubles nor halves nor stays if all times double.")]
        else:
            entry.rest = number.value - entry.sum_us(program.times)
            if abs(entry.rest) <= 2 * number.error + abs(number.value) / 1000:
                entry.rest = Fraction(0)
            uneven = [f"Not in proportion: {', '.join(entry.uneven)}."] if entry.uneven else []
            words = words_of(entry, said)
            words += [f"{float(entry.rest):.3f} us of the program's own"] if entry.rest else []
            lines = [f"= {sum_of(entry)}", f"It holds {'; '.join(words) or 'no part'}.", *uneven,
                     verdict(entry, long, program.times)]
        for line in lines:
            print(textwrap.fill(line, 110, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))
    if not count:
        print("No number that this program prints changes with a time.")


OTHERS = re.compile(r"(cl|khr|cpu|old|small|noise|thread)_|(flush|finish|complete|build|compile\w*|profiling|fill|transfer"
                    r"\w*|interruption|noise|slice|held_up|uneven|pause|slow|faster|tsc_late|tsc|device_copy_1000)$")
