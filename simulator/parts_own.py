# SPDX-License-Identifier: MIT
"""`parts` for a program that simcc has built: the numbers that it prints, in order, and what each holds, in words."""
import math
import re
import struct
import textwrap
from fractions import Fraction

from parts_table import KINDS, Entry, item, sum_of

UNITS = {"ns": Fraction(1, 1000), "us": Fraction(1), "ms": Fraction(1000), "s": Fraction(1000000)}
NAMES = {"nsec": "ns", "nanosecond": "ns", "usec": "us", "µs": "us", "μs": "us", "microsecond": "us", "msec": "ms",
         "millisecond": "ms", "sec": "s", "second": "s"}
UNIT = r"(?:[nuµμm]s|[num]?secs?|(?:nano|micro|milli)?seconds?|s)"
NUMBER = re.compile(r"(?<![\w.])([-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)(?:(?=" + UNIT + r"\b|x\b)|(?![\w.]*\w))", re.I)
NO_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:inf|nan)(?![\w.])", re.I)
BEHIND = re.compile(r"\s*[\[(]?(" + UNIT + r")\b(?!/)")
BEFORE = re.compile(r"[\[( ](" + UNIT + r")[\])]?\s*[:=]?\s*$")
KERNEL = ("fetch", "unit_0", "read", "step", "launch", "drain", "block", "warp", "barrier", "row_saves", "dispatch_100",
          "barrier_alone", "barrier_warp", "barrier_first", "neighbour", "neighbour_later", "memory", "memory_1000000",
          "l2_1000000")
INSIDE = {*KERNEL} - {"fetch", "launch", "drain"}  # between two readings of a clock in a kernel
HOST_CLOCKS = {"now", "clock", "raw", "boottime", "cpu_time", "timeofday"}
OF_BYTES = "copy_1000", "device_copy_1000000", "memset_1000000"
LONGER_NS = 100000
HUGE = Fraction(10) ** 38  # a float has no more
# The words for parts, in this order. {} is how often.
WORDS = [
    (("drain",), "the kernel, with its start and its end on the device, {}"),
    (("launch_call",), "the host's launch call, {}"),
    (("event",), "an event, {} (the floor: chapter 04)"),
    (("load", "load_anew", "load_eager"), "the loading of the kernel's code, {} (chapter 06)"),
    (("load_first", "load_lazy"), "the start of the first kernel of all, {} (chapter 06)"),
    (("copy_1000",), "copies, and moves of managed memory, of about {0} bytes"),
    (("device_copy_1000000",), "copies on the device, of about {0} bytes"),
    (("memset_1000000",), "memsets, of about {0} bytes"),
    (("copy_call",), "the host's call of a copy, {}"),
    (("wake",), "the end of the host's wait, {}"),
    (("latency", "submit"), "the way to the device, {}"),
    (("now", "clock", "raw", "boottime", "cpu_time", "timeofday"), "the reading of the host's clock, {}"),
]


class OwnNumber:
    """As parts' Number. A number without a unit is no time, unless the reader says its unit, or it counts clocks."""

    def __init__(self, text, unit, line, unit_us, scale):
        self.line, self.text, self.unit = line.strip(), text, unit
        self.is_time = unit is not None
        factor = unit_us if unit else Fraction(1)
        digits, _, power = text.lower().partition("e")
        self.value = max(-HUGE, min(Fraction(text) * factor, HUGE))
        places = len(digits.partition(".")[2]) - int(power or 0)
        self.error = Fraction(10) ** -places / 2 * factor
        if places or abs(Fraction(text)) > HUGE or struct.unpack("f", struct.pack("f", float(text)))[0] == float(text):
            self.error += abs(self.value) / 2**21  # it may have been a float, or a sum of some
        if unit:  # the machine's clocks have steps, however many digits are printed
            self.error = max(self.error, Fraction(1, 2000 * scale))

    def become_time(self, of_one_us, scale):
        """Of a rate."""
        self.share, self.is_time, self.value = self.error / abs(self.value), True, of_one_us / (self.value * scale)
        self.error = max(abs(self.value) * self.share, Fraction(1, 2000 * scale))


class Own:
    """How the program is run and read: with all times `scale` times as long, so that its digits show 20 ns."""

    def __init__(self, unit):
        self.unit, self.scale, self.longer, self.timed, self.outputs = unit, 1, "", set(), {}
        self.clocks, self.clocks_a_us = set(), Fraction(1)  # which numbers count an SM's clocks, of clock64()
        self.units = set()  # which ones are a difference of two SMs' clocks
        self.factors, self.rates = {}, {}  # of numbers whose unit is wrong; of rates: 1 is that of a time of so many us
        self.launches = self.queries = self.polls = 0  # of the whole program
        self.scale_of_others = 1  # of numbers without a unit

    def times(self, asked):
        """Returns SIMULATED_TIMES for what parts asks for."""
        factor = int(asked[1:]) if asked.startswith("*") else 1
        scaled = re.sub(r"\+([0-9.]+)", lambda n: f"+{int(Fraction(n[1]) * self.scale)}", "" if factor > 1 else asked)
        factor *= self.scale
        finest = "tick=1" if self.scale > 1 else ""  # of the GPU's clocks
        return ",".join(filter(None, (self.longer, f"*{factor}" if factor > 1 else "", scaled, finest)))

    def read(self, output):
        numbers = []
        for line in output.splitlines():
            taken = 0  # up to here: the unit of the number before
            for found in NUMBER.finditer(line):
                behind, before = BEHIND.match(line[found.end():]), BEFORE.search(line[taken:found.start()])
                taken = found.end() + behind.end() if behind else 0
                unit = (behind or before or [None, None])[1]
                unit = NAMES.get(unit.lower().removesuffix("s") if unit and len(unit) > 2 else unit, unit)
                i = len(numbers)
                unit = unit or ("clocks" if i in self.clocks else self.unit if i in self.timed else None)
                unit_us = 1 / self.clocks_a_us if unit == "clocks" else UNITS.get(unit, 1)
                unit_us *= self.factors.get(i, 1) / Fraction(self.scale)
                numbers.append(OwnNumber(found[1], unit, line, unit_us, self.scale))
                if i in self.rates and numbers[i].value:
                    numbers[i].become_time(self.rates[i], self.scale)
        return numbers

    def choose(self, program):
        """Finds the scale, the numbers that count clocks, and with --unit those that have no unit and grow with the
        times. A number of clocks grows with the times, and doubles if the SM counts twice as many in a us."""
        self.clocks_a_us = program.clocks_a_us
        few, many = (re.search(r"^launches (\d+), queries (\d+)$", program.run(program.command, times).stderr, re.M)
                     for times in ("", f"launch+{LONGER_NS}"))  # a host that asks in a loop asks more often then
        self.launches, self.queries = map(int, many.groups()) if many else (0, 0)
        self.polls = bool(few and many) and int(few[2]) < self.queries
        if not program.base:
            return
        base, faster, moved = map(program.read, ("", f"clocks_a_us+{program.clocks_a_us}", "unit_zero+1000000000000"))
        self.units = {i for i, (one, two) in enumerate(zip(base, moved))
                      if abs(two.value - one.value) > 2 * (one.error + two.error)}
        rates = {i for i, (one, two) in enumerate(zip(base, faster))
                 if two.value - one.value > 2 * (one.error + two.error) >= abs(two.value - 2 * one.value)}
        if self.unit or rates:
            grows = {i for i, (one, two) in enumerate(zip(base, program.read("*2")))
                     if two.value - one.value > 2 * (one.error + two.error)}
            self.clocks, self.timed = rates & grows, {i for i in grows if self.unit and not base[i].is_time}
        self.choose_scale(program, len(base))
        self.find_units(program)
        if self.factors or self.rates:
            self.choose_scale(program, len(base))

    def find_units(self, program):
        """Finds times whose unit is wrong: they hold a thousandth of each part, or all of them 1,000 times; and of which
        time a rate is made that stands alone: one that holds the host's clock once, or else the kernel, or its call."""
        alone = {i for i, time in ask_others(program, [Entry() for _ in program.base]).items() if time is None}
        def counts(parts):
            more = program.read(",".join(f"{part}+{LONGER_NS}" for part in parts if part in program.times))
            return [(two.value - one.value) * 1000 / LONGER_NS if one.is_time else one.value / (two.value or 1) - 1
                    for one, two in zip(base, more)]
        base, clocks = program.read(""), HOST_CLOCKS - {"timeofday"}  # which reads another one
        held = list(zip(*map(counts, (clocks, ["launch"], ["launch_call"], ["event"], ["copy_call"]))))
        for i, (number, each) in enumerate(zip(base, held)):
            most = max(map(abs, each))
            for factor in (1000, 1000000):
                if number.is_time and number.unit != "clocks" and i not in self.factors and (
                        abs(most * factor - 1) < 0.02 or
                        self.launches < most / 2 and 0.98 <= most / factor <= 1.02 * self.launches):
                    self.factors[i] = Fraction(factor) if most < 1 else Fraction(1, factor)
            if number.is_time and i not in self.factors and 4 * number.error * 1000 / LONGER_NS < most < 0.0009:
                self.factors[i] = Fraction(round(1 / most))
        scale, self.scale = self.scale, 1
        base = program.read("")
        for i in alone:
            clock, *others = (counts(parts)[i] for parts in (clocks, ["launch"], ["launch_call"], ["copy_call"], ["memset_call"]))
            share = clock if clock > 0.001 else max(others)
            if share > 0.001:
                self.rates[i] = base[i].value * LONGER_NS / 1000 / share
        self.scale = scale

    def has_room(self, number, scale):
        """Returns whether a number of 31 bits still has no more with these longer times; it is read at a scale of 1."""
        if not re.fullmatch("[-+]?[0-9]+", number.text) or not number.is_time or not 0 < abs(int(number.text)) < 2**31:
            return True
        return scale * (2 * abs(number.value) + self.launches * LONGER_NS // 1000) * int(number.text) / number.value < 2**31

    def choose_scale(self, program, count):
        best = None  # the longest may be too long for the program; the last digits may be zeros, which C++ does not print
        # A rate has fewer digits with longer times.
        self.scale = 1
        shortest = program.read("")
        for scale in (1, 10, 100, 1000) if self.rates else (1000, 10000, 100000, 1000000, 10000000, 100, 10, 1):
            if scale > 1 and not all(self.has_room(number, scale) for number in shortest):
                continue
            if best and scale < 1000 and not self.rates:
                break
            self.scale, counts = scale, set()
            for self.longer in (f"launch+{LONGER_NS}", f"launch_call+{LONGER_NS}", "") if scale > 1 else [""]:
                counts |= {program.count(""), program.count("*2")}
            if scale > 1 and counts != {count}:
                continue
            numbers = program.read("")
            coarse = max((number.error if number.is_time else Fraction(10**9) for i, number in enumerate(numbers)
                          if number.is_time or i in self.rates), default=Fraction(1, 2000 * scale))
            if best is None or coarse < best[0] * Fraction(3, 4):
                best = coarse, scale
            if coarse <= max([Fraction(1, 2000000), *(abs(number.value) / 2**20 for number in numbers if number.is_time)]):
                break
        self.scale, self.longer = best[1], ""


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
            if parts == ("launch_call",) and not HOST_CLOCKS & set(entry.parts):
                text += " (the gap: chapter 04)" if "event" in entry.parts else " (gap and floor: chapter 04)"
            of = re.search("_(1000+)$", parts[0])
            bytes_or_often = f"{float(f'{float(counts[0] * int(of[1])):.4g}'):,.0f}" if of else how_often(counts[0])
            words.append(text.partition(", of about")[0] if of and parts[0] in entry.uneven else text.format(bytes_or_often))
    for part in KERNEL if kernel else ():
        left.pop(part, None)
    return words + [f"{said[part]}, {how_often(count)}" for part, count in left.items()]


def besides(entry, times):
    """Returns how long what is no part of the kernel takes, in us: another command's fetch, too, such as an event's."""
    fetches = max(0, entry.parts.get("fetch", 0) - entry.parts.get("drain", 0)) * times["fetch"]
    return float(fetches + sum(count * times[part] for part, count in entry.parts.items() if part not in KERNEL)) / 1000


def verdict(entry, value, growths, times, launches):
    """Returns a sentence: is it the kernel's time? `growths` in us: with a longer kernel, with longer parts besides and
    a longer kernel, and with a longer call, each beside what the first sum says; and what is nothing."""
    kernel, others, call, least = growths
    longer_us = LONGER_NS / 1000
    count = round(kernel / longer_us, 4)
    count = round(count) if abs(count - round(count)) < 0.001 else count
    if least > longer_us:
        return f"Its last digit is more than {longer_us:.0f} us: whether the kernel is in it is not known. Has each variable a value?"
    is_outside = abs(kernel) < least
    if is_outside and "read" not in entry.parts and INSIDE & set(entry.parts):
        return "It holds the code of kernels, and nothing of their start and end."
    if is_outside and INSIDE & set(entry.parts):
        return ("It is taken inside the kernel, between two readings of a clock there: what runs before the first one "
                "and after the last one is not in it, and no launch.")
    if count < 0 < value and not is_outside:
        return ("It is more than 0, and falls if the kernel takes longer. What is in it is not known: is it too long then for "
                "its type, such as int or float, or are its seconds missing?")
    if count < 0 and not is_outside:
        return ("It falls if the kernel takes longer: its two ends are exchanged. cudaEventElapsedTime() takes the event "
                "before the kernel first.")
    if is_outside and not value and not entry.parts:
        return "It is 0, whatever takes longer: what is in it is not known."
    if is_outside:
        return launches and f"Nothing of the kernel is in it: it stays if the kernel takes {longer_us:.0f} us longer."
    share = Fraction(count).limit_denominator(20)
    if share != Fraction(count).limit_denominator(2000) or share.numerator > max(launches, 1) or "launch" in entry.uneven:
        grows = f"If the kernel takes {longer_us:.0f} us longer, it grows by {kernel:.3f} us:"
        if 2 * entry.parts.get("launch_call", 0) * times["launch_call"] > 1000 * value and not entry.parts.get("copy_1000"):
            return ("The kernels run while the host makes its next calls, and these take longer: it is mostly the time of "
                    f"the calls. {grows} then it is the kernel's.")
        often = round(count)
        if often > 0 and abs(beside_us := often * longer_us - kernel) < 10 * often:
            but = "" if abs(beside_us) < 0.1 else f", except for {beside_us:.3f} us that run beside something else"
            return f"{grows} it holds the kernel {how_often(Fraction(often))}{but}."
        return f"{grows} a part of the kernel runs beside something else."
    many = "" if count == 1 else f" {how_often(Fraction(count).limit_denominator(50))}"
    us = besides(entry, times)
    more = ""
    if abs(others) > 0.01:
        more = " With a longer kernel some of that is no longer in it."
    if abs(call) > 1:
        more += " If the host's launch call is longer than the kernel, the call takes the kernel's place."
    if us < 0.001:
        return f"It is the time of the kernel{many}.{more}"
    if not set(entry.parts) - {*KERNEL, "launch_call", "event"}:
        what = "the gap and the floor" if "launch_call" in entry.parts else "the floor"
        return (f"It is the time of the kernel{many} and {us:.3f} us besides, {what}: right if the kernel is much longer "
                f"than that.{more}")
    return f"It is more than the kernel{many}: {us:.3f} us of it are something else, however long the kernel is.{more}"


def in_clocks(number, own):
    """Returns a line for a number that counts clocks of an SM."""
    if number.unit == "clocks":
        no = f"it is no time, whatever --unit {own.unit} says" if own.unit else "it is no time"
        return f"It counts clocks of the SM, in the model {own.clocks_a_us} in a us: {no}."
    return ("It doubles if the SM counts twice as many clocks in a us: it is made of clocks, and is a time in "
            f"{number.unit} only if the SM's clock has the rate that the program takes for it.")


def sums(program, answers, simplest, known):
    """Returns an Entry for each number, and the growths for its verdict. One run with all parts half as much longer
    shows whether they add up. The parts that are neither in `known` nor likely are asked for together, and each by itself
    only if a number grows."""
    base = program.base
    likely = [part for part in known or LIKELY if part in program.times]
    rest = [part for part in program.times if part not in likely and not OTHERS.match(part)]
    # A step is small, so that what takes longest stays so. A clock of whole ns may move by 1 ns, divided by the scale,
    # for nothing: a step is more than that, if it is in a mean of many.
    least, part_of = max(Fraction(1, 5), Fraction(20, program.own.scale)), 10 if program.own.scale < 10 else 100
    step = {part: 2 * round(5 * min(max(least, ns / part_of), 20000 / Fraction(part_of))) / Fraction(10)
            for part, ns in program.times.items()}
    coarse = min((number.error for number in base if number.is_time), default=0) * 40000  # so that a count has a decimal
    step = {part: max(ns, min(20000, Fraction(math.ceil(coarse * 5), 5))) for part, ns in step.items()}
    if program.own.scale == 1:
        step = {part: 2 * math.ceil(ns / 2) for part, ns in step.items()}
    in_rest_ns = min(20000, max(20, int(coarse))) if program.own.queries <= 20 else int(program.times["query"])
    step.update((part, in_rest_ns) for part in rest if part not in LIKELY)
    if program.own.queries > 20:  # the host goes on with the next answer: a step of one call shows
        step, likely = {part: program.times["query"] for part in step}, [part for part in likely if part != "query"]
    doubled, all_rest, *grown = program.growths(["*2", ",".join(f"{part}+{float(step[part])}" for part in rest)] +
                                                [f"{part}+{float(step[part])}" for part in likely])
    grown = dict(zip(likely, grown))
    in_rest = any(number.is_time and abs(growth) > 2 * number.error for number, growth in zip(base, all_rest))
    if in_rest and known:
        return sums(program, answers, simplest, [])
    if in_rest:
        grown.update(answers(program, rest, in_rest_ns))
    entries = [Entry() for _ in base]
    for i, (number, entry) in enumerate(zip(base, entries)):
        for part in program.times:
            growth = grown[part][i] if part in grown else 0
            count = growth * 1000 / step[part]
            if re.match("(device_)?copy_1000|memset_1000", part):  # bytes
                count = round(count, 4) if abs(growth) > 4 * number.error else 0
            else:
                count = simplest(count, max(2000 * number.error / step[part], abs(count) / 1000))
            least = max(Fraction(11, 10000) / program.own.scale, (i in program.own.rates) * 3 * number.error)
            if number.is_time and abs(growth) > least and count:
                entry.parts[part] = count
                entry.uneven += [part] * (4000 * number.error > step[part])  # its digits are coarser than another number's
    found = [part for part in program.times if any(part in entry.parts for entry in entries)]
    halves = ",".join(f"{part}+{float(step[part] / 2)}" for part in found)
    program.own.longer = f"launch+{LONGER_NS}"
    others = [part for part in found if part not in KERNEL]
    with_kernel = program.growths(["", ",".join(f"{part}+{float(step[part])}" for part in others)])
    program.own.longer = f"launch_call+{LONGER_NS}"
    with_call = program.growths([""])[0]
    program.own.longer = ""
    half = program.growths([halves])[0] if found else [0] * len(base)
    scale, program.own.scale = program.own.scale, min(program.own.scale, 1000)  # no time is too long then
    for part in {part for part in found if part in OF_BYTES}:  # far longer: what runs beside something else shows, too
        for entry, one, two in zip(entries, program.read(""), program.read(f"{part}+{LONGER_NS}")):
            if abs((two.value - one.value) * 1000 / LONGER_NS - entry.parts.get(part, 0)) > abs(entry.parts.get(part, HUGE)) / 50:
                entry.uneven.append(part)
    program.own.scale = scale
    growths = []
    for i, (number, entry) in enumerate(zip(base, entries)):
        right = sum(count * step[part] for part, count in entry.parts.items()) / 2000
        if number.is_time and program.own.queries <= 20 and abs(half[i] - right) > (
                4 + len(found)) * number.error + Fraction(len(found), 5000):
            entry.uneven = list(entry.parts)
        extra = sum(entry.parts.get(part, 0) * step[part] for part in others) / 1000
        growths.append((float(with_kernel[0][i]), float(with_kernel[1][i] - with_kernel[0][i] - extra),
                        float(with_call[i] - entry.parts.get("launch_call", 0) * LONGER_NS / 1000),
                        float(4 * number.error)))
    return entries, growths


def too_fast(number, times, parts):
    """Returns a line for a number of bytes in a second that is more than the model's memory gives."""
    unit = r"(?:in )?[\[(]?([kMGTP]?)(i?)B(?:ytes)?(?:/s|/sec|ps)\b[\])]?"
    text = r"(?<![\w.])" + re.escape(number.text) + r"(?![\w.])"
    found = re.search(rf"{text}\s*{unit}", number.line) or re.search(rf"{unit}\s*[:=]?\s*{text}", number.line)
    if not found or "memory_1000000" not in times:
        return []
    gb_s = float(number.text) * (1024 if found[2] else 1000) ** " kMGTP".index(found[1] or " ") / 1e9
    most = {"memory_1000000": 1e6, "memset_1000000": 1e6, "device_copy_1000000": 2e6}  # a copy reads and writes
    memory = max(most[part] / float(times[part]) for part in {"memory_1000000", *parts} & {*most})
    l2 = 1e6 / float(times["l2_1000000"])
    return [f"The model's memory gives {memory:.0f} GB/s at most, its L2 cache {l2:.0f}: are the bytes right, and the "
            "unit of the time?"] if gb_s > memory else []


RATIO, COUNTERS, UNLIKE, SHORT = "ratio of times", "counters of SMs", "unlike itself", "few digits"
# What a number stands on, and the model does not know.
UNKNOWN = [({"allocate_async"}, "The model has no pool: cudaMallocAsync() and cudaFreeAsync() always take as long there. On a GPU "
            "a pool that must grow takes far longer, and one that has the memory far less."),
           ({"allocate", "allocate_host", "release"}, "Allocating and freeing always take as long in the model, whatever the size.")]


def launches_in(program, growths):
    """Returns a line on which of the program's launches are in its number, if two or more stand outside. If several numbers
    have each its own launches, a reader of the program sees that: then no line."""
    own, lines = program.own, {}
    if own.launches < 3:
        return lines
    own.longer = f"launch+{LONGER_NS}"
    base = program.read("")

    def late(i, first, last):  # how much of launches that are late by 50 us is in it
        if first > last:
            return 0
        numbers = program.read(f"late_between+50000,late_from={first},late_to={last}")
        return float(numbers[i].value - base[i].value) / 50

    for i in [i for i, (kernel, *_) in enumerate(growths) if kernel > 0.05][:4]:
        share = late(i, 1, own.launches)
        low, high = 1, own.launches
        while low < high:  # the first one without which less is in it
            middle = (low + high + 1) // 2
            low, high = (middle, high) if late(i, middle, own.launches) > 0.999 * share else (low, middle - 1)
        first, high = low, own.launches
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if late(i, first, middle) > 0.999 * share else (middle + 1, high)
        others = own.launches - (low - first + 1)
        # Of a median or a maximum no launches are in it by themselves; half of the others are half of it.
        middle, many = (first + low) // 2, low - first + 1
        half = late(i, first, middle) - share * (middle - first + 1) / many
        outside = max(late(i, 1, first - 1), late(i, low + 1, own.launches))
        if others > 1 and abs(half) < 0.1 * share and outside < 0.0005 < 0.999 * share < late(i, first, low):
            many = f"launch {first}" if first == low else f"launches {first} to {low}"
            lines[i] = f"It holds {many} of the program's {own.launches}: the other {others} stand outside of it."
    own.longer = ""
    return lines if len(set(lines.values())) == 1 else {}


def ask_others(program, entries):
    """Finds what a number without a unit is: it halves, doubles or stays with all times doubled, or moves with a longer
    kernel. Returns of each rate the number of the time that it is made of, or None."""
    own, made_of = program.own, {}
    scale, own.scale = own.scale, own.scale_of_others
    base, doubled = program.read(""), program.read("*2")
    own.longer = f"launch+{LONGER_NS}"
    longer = program.read("")
    own.scale, own.longer = scale, ""
    if own.scale_of_others == 1 and all(a.value == b.value == c.value for a, b, c in zip(base, doubled, longer)):  # too few digits
        own.scale_of_others = 10000
        return ask_others(program, entries)
    for i, (one, two, three, entry) in enumerate(zip(base, doubled, longer, entries)):
        if one.is_time:
            continue
        error = 3 * one.error + abs(one.value) / 1000
        entry.kind = next((kind for kind, right in zip(KINDS, (0, -one.value / 2, one.value))
                           if abs(two.value - one.value - right) <= error), KINDS[3])
        if entry.kind == KINDS[0] and abs(three.value - one.value) > error:
            entry.kind = RATIO
        if entry.kind == KINDS[1]:
            def share(number):  # of its error in it
                return float(number.error / abs(number.value)) if number.value else 1
            made_of[i] = next((j for j, (time, its) in enumerate(zip(base, longer)) if time.is_time and its.value and
                               abs(float(one.value * time.value / (three.value * its.value or 1)) - 1) <=
                               share(one) + share(three) + share(time) + share(its)), None)
    return made_of


def tell(program, answers, simplest, known):
    """Prints each number with what it holds; `known` are the parts that it is thought to hold."""
    printed = program.printed
    entries, growths = sums(program, answers, simplest, known)
    made_of, at_full, own = ask_others(program, entries), program.at_full_clock(), program.own
    for i, (number, base, entry) in enumerate(zip(printed, program.base, entries)):
        entry.kind = COUNTERS if i in own.units else entry.kind
        entry.rest = number.value - Fraction(entry.sum_us(program.times))
        off, own_us = base.value - number.value, entry.rest * (1 - Fraction(1, own.scale))
        if number.is_time and min(abs(off), abs(off + own_us)) > 2 * (number.error + base.error) + max(
                abs(number.value) / 100, Fraction({"clock", "timeofday"} & set(entry.parts) != set())):
            entry.kind = entry.kind or UNLIKE
        elif number.is_time and (number.share > Fraction(1, 20000) if i in own.rates else
                                 own.scale >= 100 and 2000 * base.error > abs(base.value) > 0):
            entry.kind = entry.kind or SHORT
        if entry.uneven or abs(entry.rest) <= 2 * number.error + abs(number.value) / 1000:
            entry.rest = Fraction(0)
        if number.error > Fraction(1, 10):  # then what is left is known to a us
            entry.step_us = Fraction(1)
    launches = launches_in(program, growths)
    print("In the model, which knows what a number holds, and not how long a kernel takes on a GPU:")
    told = []  # the numbers' lines, and the answer for all of them
    for i, (number, base, entry, growth) in enumerate(zip(printed, program.base, entries, growths)):
        if entry.kind == KINDS[0]:
            continue
        shown = [other for other, its in zip(printed, entries) if its.kind != KINDS[0] and other.line == number.line]
        name = number.text + f" (no. {shown.index(number) + 1})" * ([each.text for each in shown].count(number.text) > 1)
        head = [number.line] + [f"  the number {name}:"] * (len(shown) > 1)
        if entry.kind:
            time = made_of.get(i)
            parts = (entry if time is None else entries[time]).parts
            text = {KINDS[1]: "It is a rate: it halves if all times double." if time is None else
                              f"It is a rate, made of the time {printed[time].text} {printed[time].unit}: what that "
                              "holds, it holds, too.",
                    COUNTERS: "It holds the zeros of SMs' counters: readings of clock64() of two SMs are subtracted, or one "
                              "is printed as it is. It is no time. Take two readings of one block, or globaltimer.",
                    UNLIKE: f"With all times {own.scale} times as long it is not {own.scale} times as long: what is in it is not "
                            "known. Is it a clock's time in a float, or too long then for its type?",
                    SHORT: "It has too few digits to say what is in it: print more of them.",
                    RATIO: "It is a ratio of times, or a count: it stays if all times double, and moves if the kernel takes longer.",
                    KINDS[2]: "It doubles if all times double, and has no unit: --unit ns, us, ms or s says which."}
            lines = [text.get(entry.kind, "It neither doubles nor halves nor stays if all times double."),
                     *too_fast(number, program.times, parts)]
        else:
            words = words_of(entry, program.said)
            whose = "of the program's own" if entry.rest > 0 else "of these run beside something else"
            words += [f"{abs(float(entry.rest)):.{0 if entry.step_us else 3}f} us {whose}"] if entry.rest and entry.parts else []
            lines = []
            if i in own.factors:
                factor = own.factors[i]
                right = next((unit for unit, us in UNITS.items() if us == UNITS[number.unit] * factor), None)
                share = f"1/{factor} of a" if factor > 1 else f"{1 / factor} times the"
                lines = [f"Its unit is wrong: it is {share} time in {number.unit}, and the time in {right}." if right else
                         f"It is {share} time in {number.unit}, as of one of so many elements; or its unit is wrong. Of the time:"]
            if i in own.rates:
                lines = [f"It is a rate. Its time is {float(number.value):.3f} us, if it holds the host's clock, or else the kernel, "
                         "once:", *too_fast(number, program.times, entry.parts)]
            lines += [f"= {sum_of(entry)}", f"It holds {'; '.join(words) or 'no part'}.",
                     *["It does not grow in proportion to these parts: the sum may miss."] * bool(entry.uneven),
                     *[f"The SM's clock is not full in it: {float(us):.3f} us if it were." for us in at_full[i:i + 1]
                       if us is not None],
                     *filter(None, [verdict(entry, number.value, growth, program.times, own.launches), launches.get(i)]),
                     *[in_clocks(number, own)] * (i in own.clocks), *[text for parts, text in UNKNOWN if parts & set(entry.parts)],
                     *["The model makes one copy at a time to or from the host: on a GPU more may run beside each other."]
                     * ("copy_1000" in entry.uneven),
                     *[f"The digits printed hide it: {float(base.value):.3f} us."]
                     * (i not in own.rates and 20 * number.error > abs(base.value) > 0)]
            lines = [line for line in lines if "is not known" in line] or lines
            if entry.parts and not set(entry.parts) - HOST_CLOCKS:
                lines.append("The host makes no call in it that takes time, and its own work takes none in the model.")
            if own.polls and HOST_CLOCKS & set(entry.parts):
                lines.append("The host asks in a loop until the kernel has ended: its next answer is the end" + (
                             f", up to {float(program.times['query']) / 1000:.3f} us later." if own.queries > 20 else "."))
        answer = [textwrap.fill(line, 110, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
                  for line in lines]
        if told and told[-1][1] == answer and len(shown) == 1 and not told[-1][0][-1].startswith("  the number"):
            told[-1][0].append(number.line)
        elif told and told[-1][1] == answer and told[-1][0][0] == number.line:
            told[-1][0][-1] = f"{told[-1][0][-1][:-1]}, {name}:".replace("number ", "numbers ")
        else:
            told.append((head, answer))
    for head, answer in told:
        print("", *head, *answer, sep="\n")
    for line in dict.fromkeys(line.strip() for line in next(iter(own.outputs.values())).splitlines() if NO_NUMBER.search(line)):
        told.append(print("", line, "  inf and nan are no numbers: something is divided by 0, or has no value.", sep="\n"))
    if not told:
        print("No number that this program prints changes with a time.")


LIKELY = (*KERNEL, "submit", "latency", "wake", "no_wait", "launch_call", "event", "load", "load_first", "now", "clock",
          "record", "copy_call", "copy_1000", "memset", "memset_1000000", "device_copy", "device_copy_1000000")
# What a CUDA program cannot hold, or what shows in another one of these.
OTHERS = re.compile(r"(cl|khr|cpu(?!_time)|old|small|noise|thread)_|(flush|finish|complete|build|compile\w*|profiling|fill|"
                    r"transfer\w*|interruption|noise|slice|held_up|uneven|tsc|tsc_late)$")
