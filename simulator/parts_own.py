# SPDX-License-Identifier: MIT
"""`parts` for a program that simcc has built: the numbers that it prints, in order, and what each holds, in words."""
import re
import textwrap
from fractions import Fraction

from parts_table import KINDS, Entry, item, sum_of

UNITS = {"ns": Fraction(1, 1000), "us": Fraction(1), "ms": Fraction(1000), "s": Fraction(1000000)}
NAMES = {"nsec": "ns", "nanosecond": "ns", "usec": "us", "µs": "us", "μs": "us", "microsecond": "us", "msec": "ms",
         "millisecond": "ms", "sec": "s", "second": "s"}
UNIT = r"(?:[nuµμm]s|[num]?secs?|(?:nano|micro|milli)?seconds?|s)"
NUMBER = re.compile(r"(?<![\w.])([-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)(?:(?=" + UNIT + r"\b)|(?![\w.]*\w))", re.I)
BEHIND = re.compile(r"\s*[\[(]?(" + UNIT + r")\b(?!/)")
BEFORE = re.compile(r"[\[( ](" + UNIT + r")[\])]?\s*[:=]?\s*$")
KERNEL = ("fetch", "unit_0", "read", "step", "launch", "drain", "block", "warp", "barrier", "row_saves", "dispatch_100",
          "barrier_alone", "barrier_warp", "barrier_first", "neighbour", "neighbour_later", "memory", "memory_1000000",
          "l2_1000000")
INSIDE = {*KERNEL} - {"fetch", "launch", "drain"}  # between two readings of a clock in a kernel
HOST_CLOCKS = {"now", "clock", "raw", "boottime", "cpu_time", "timeofday"}
LONGER_NS = 100000
# The words for parts, in this order. {} is how often.
WORDS = [
    (("drain",), "the kernel, with its start and its end on the device, {}"),
    (("launch_call",), "the host's launch call, {}"),
    (("event",), "an event, {} (the floor: chapter 04)"),
    (("load", "load_anew", "load_eager"), "the loading of the kernel's code, {} (chapter 06)"),
    (("load_first", "load_lazy"), "the start of the first kernel of all, {} (chapter 06)"),
    (("copy_1000",), "copies, and moves of managed memory, of {0} bytes"),
    (("copy_call",), "the host's call of a copy, {}"),
    (("wake",), "the end of the host's wait, {}"),
    (("latency", "submit"), "the way to the device, {}"),
    (("now", "clock", "raw", "boottime", "cpu_time", "timeofday"), "the reading of the host's clock, {}"),
]


class OwnNumber:
    """As parts' Number. A number without a unit is no time, unless the reader says its unit, or it counts clocks."""

    def __init__(self, text, unit, line, number, unit_us):
        self.line, self.text, self.unit = line.strip(), text, unit
        self.key = (f"number {number}", unit or "number")
        self.is_time = unit is not None
        factor = unit_us if unit else Fraction(1)
        digits, _, power = text.lower().partition("e")
        self.value = Fraction(text) * factor
        places = len(digits.partition(".")[2]) - int(power or 0)
        self.error = Fraction(10) ** -places / 2 * factor + abs(self.value) / 2**23


class Own:
    """How the program is run and read: with all times `scale` times as long, so that its digits show 20 ns."""

    def __init__(self, unit):
        self.unit, self.scale, self.longer, self.timed, self.outputs = unit, 1, "", set(), {}
        self.clocks, self.clocks_a_us = set(), Fraction(1)  # which numbers count an SM's clocks, of clock64()

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
            for found in NUMBER.finditer(line):
                behind, before = BEHIND.match(line[found.end():]), BEFORE.search(line[:found.start()])
                unit = (behind or before or [None, None])[1]
                unit = NAMES.get(unit.lower().removesuffix("s") if unit and len(unit) > 2 else unit, unit)
                if unit is None and len(numbers) in self.clocks:
                    unit = "clocks"
                if unit is None and len(numbers) in self.timed:
                    unit = self.unit
                unit_us = 1 / self.clocks_a_us if unit == "clocks" else UNITS.get(unit, 1)
                numbers.append(OwnNumber(found[1], unit, line, len(numbers) + 1, Fraction(unit_us) / self.scale))
        return numbers

    def choose(self, program):
        """Finds the scale, the numbers that count clocks, and with --unit those that have no unit and grow with the
        times. A number of clocks grows with the times, and doubles if the SM counts twice as many in a us."""
        self.clocks_a_us = program.clocks_a_us
        base, faster = program.read(""), program.read(f"clocks_a_us+{program.clocks_a_us}")
        rates = {i for i, (one, two) in enumerate(zip(base, faster))
                 if two.value - one.value > 2 * (one.error + two.error) >= abs(two.value - 2 * one.value)}
        if self.unit or rates:
            grows = {i for i, (one, two) in enumerate(zip(base, program.read("*2")))
                     if two.value - one.value > 2 * (one.error + two.error)}
            self.clocks, self.timed = rates & grows, {i for i in grows if self.unit and not base[i].is_time}
        best = None  # the longest may be too long for the program, such as for its blocker; not each longer time has more digits: the last ones may be zeros, which C++ does not print
        for scale in (1, 10, 100, 1000, 10000, 100000):
            self.scale, counts = scale, set()
            for self.longer in (f"launch+{LONGER_NS}", f"launch_call+{LONGER_NS}", "") if scale > 1 else [""]:
                counts |= {program.count(""), program.count("*2")}
            if scale > 1 and counts != {len(base)}:
                break
            coarse = max((number.error for number in program.read("") if number.is_time), default=Fraction(0))
            if best is None or coarse < best[0] * Fraction(3, 4):
                best = coarse, scale
            if coarse <= Fraction(1, 20000):
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
            bytes_or_often = f"{float(counts[0] * 1000):.7g}" if parts[0] == "copy_1000" else how_often(counts[0])
            words.append(text.format(bytes_or_often))
    for part in KERNEL if kernel else ():
        left.pop(part, None)
    return words + [f"{said[part]}, {how_often(count)}" for part, count in left.items()]


def besides(entry, times):
    """Returns how long what is no part of the kernel takes, in us: another command's fetch, too, such as an event's."""
    fetches = max(0, entry.parts.get("fetch", 0) - entry.parts.get("drain", 0)) * times["fetch"]
    return float(fetches + sum(count * times[part] for part, count in entry.parts.items() if part not in KERNEL)) / 1000


def verdict(entry, growths, times):
    """Returns a sentence: is it the kernel's time? `growths` in us: with a longer kernel, with longer parts besides and
    a longer kernel, and with a longer call, each beside what the first sum says."""
    kernel, others, call = growths
    longer_us = LONGER_NS / 1000
    count = round(kernel / longer_us, 4)
    if abs(count) < 0.005 and "read" not in entry.parts and INSIDE & set(entry.parts):
        return "It holds the code of kernels, and nothing of their start and end."
    if abs(count) < 0.005 and INSIDE & set(entry.parts):
        return ("It is taken inside the kernel, between two readings of a clock there: what runs before the first one "
                "and after the last one is not in it, and no launch.")
    if count < -0.005:
        return ("It falls if the kernel takes longer: its two ends are exchanged. cudaEventElapsedTime() takes the event "
                "before the kernel first.")
    if abs(count) < 0.005:
        return f"Nothing of the kernel is in it: it stays if the kernel takes {longer_us:.0f} us longer."
    if Fraction(count).limit_denominator(20) != Fraction(count).limit_denominator(2000) or "launch" in entry.uneven:
        grows = f"If the kernel takes {longer_us:.0f} us longer, it grows by {kernel:.3f} us:"
        if entry.parts.get("launch_call", 0) > 2 * entry.parts.get("drain", 0) and not entry.parts.get("copy_1000"):
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


def in_clocks(number, counts_clocks, own):
    """Returns a line for a number that counts clocks of an SM."""
    if not counts_clocks:
        return []
    if number.unit == "clocks":
        return [f"It counts clocks of the SM, in the model {own.clocks_a_us} in a us: it is no time" +
                f", whatever --unit {own.unit} says." * bool(own.unit) + "." * (not own.unit)]
    return [f"It doubles if the SM counts twice as many clocks in a us: it is made of clocks, and is a time in "
            f"{number.unit} only if the SM's clock has the rate that the program takes for it."]


def sums(program, answers, simplest, known):
    """Returns an Entry for each number, and the growths for its verdict. One run with all parts half as much longer
    shows whether they add up. The parts that are neither in `known` nor likely are asked for together, and each by itself
    only if a number grows."""
    base = program.base
    likely = [part for part in known or LIKELY if part in program.times]
    rest = [part for part in program.times if part not in likely and not OTHERS.match(part)]
    # A step is small, so that what takes longest stays so. A clock of whole ns may move by 1 ns, divided by the scale,
    # for nothing: a step is more than that, if it is in a mean of many.
    least, part_of = max(1, Fraction(20, program.own.scale)), 10 if program.own.scale < 10 else 100
    step = {part: 2 * round(5 * min(max(least, ns / part_of), 20000 / Fraction(part_of))) / Fraction(10)
            for part, ns in program.times.items()}
    step.update((part, 20) for part in rest if part not in LIKELY)
    doubled, all_rest, *grown = program.growths(["*2", ",".join(f"{part}+{float(step[part])}" for part in rest)] +
                                                [f"{part}+{float(step[part])}" for part in likely])
    grown = dict(zip(likely, grown))
    in_rest = any(number.is_time and abs(growth) > 2 * number.error for number, growth in zip(base, all_rest))
    if in_rest and known:
        return sums(program, answers, simplest, [])
    if in_rest:
        grown.update(answers(program, rest, 20))
    entries = [Entry() for _ in base]
    for i, (number, entry) in enumerate(zip(base, entries)):
        for part in program.times:
            growth = grown[part][i] if part in grown else 0
            count = simplest(growth * 1000 / step[part], 2000 * number.error / step[part])
            if number.is_time and abs(growth) > Fraction(11, 10000) / program.own.scale and count:
                entry.parts[part] = count
    found = [part for part in program.times if any(part in entry.parts for entry in entries)]
    halves = ",".join(f"{part}+{float(step[part] / 2)}" for part in found)
    program.own.longer = f"launch+{LONGER_NS}"
    others = [part for part in found if part not in KERNEL]
    with_kernel = program.growths(["", ",".join(f"{part}+{float(step[part])}" for part in others)])
    program.own.longer = f"launch_call+{LONGER_NS}"
    with_call = program.growths([""])[0]
    program.own.longer = ""
    half = program.growths([halves])[0] if found else [0] * len(base)
    growths = []
    for i, (number, entry) in enumerate(zip(base, entries)):
        right = sum(count * step[part] for part, count in entry.parts.items()) / 2000
        if number.is_time and abs(half[i] - right) > 4 * number.error + Fraction(len(found), 5000):
            entry.uneven = list(entry.parts)
        extra = sum(entry.parts.get(part, 0) * step[part] for part in others) / 1000
        growths.append((float(with_kernel[0][i]), float(with_kernel[1][i] - with_kernel[0][i] - extra),
                        float(with_call[i] - entry.parts.get("launch_call", 0) * LONGER_NS / 1000)))
    return entries, growths


def too_fast(number, times):
    """Returns a line for a number of bytes in a second that is more than the model's memory gives."""
    unit = r"(?:in )?[\[(]?([kMGTP]?)(i?)B(?:ytes)?(?:/s|/sec|ps)\b[\])]?"
    text = r"(?<![\w.])" + re.escape(number.text) + r"(?![\w.])"
    found = re.search(rf"{text}\s*{unit}", number.line) or re.search(rf"{unit}\s*[:=]?\s*{text}", number.line)
    if not found or "memory_1000000" not in times:
        return []
    gb_s = float(number.text) * (1024 if found[2] else 1000) ** " kMGTP".index(found[1] or " ") / 1e9
    memory, l2 = (1e6 / float(times[part]) for part in ("memory_1000000", "l2_1000000"))
    return [f"The model's memory gives {memory:.0f} GB/s at most, its L2 cache {l2:.0f}: are the bytes right, and the "
            "unit of the time?"] if gb_s > memory else []


RATIO = "ratio of times"


def ask_others(program, entries):
    """Finds what a number without a unit is: it halves, doubles or stays with all times doubled, or moves with a longer
    kernel. Returns of each rate the number of the time that it is made of, or None."""
    own, made_of = program.own, {}
    scale, own.scale = own.scale, 1
    base, doubled = program.read(""), program.read("*2")
    own.longer = f"launch+{LONGER_NS}"
    longer = program.read("")
    own.scale, own.longer = scale, ""
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
    made_of, at_full = ask_others(program, entries), program.at_full_clock()
    for number, entry in zip(printed, entries):
        entry.rest = number.value - entry.sum_us(program.times)
        if entry.uneven or abs(entry.rest) <= 2 * number.error + abs(number.value) / 1000:
            entry.rest = Fraction(0)
        if number.error > Fraction(1, 10):  # then what is left is known to a us
            entry.step_us = Fraction(1)
    print("In the model, which knows what a number holds, and not how long a kernel takes on a GPU:")
    told = []  # the numbers' lines, and the answer for all of them
    for i, (number, entry, growth) in enumerate(zip(printed, entries, growths)):
        if entry.kind == KINDS[0]:
            continue
        shown = [other for other, its in zip(printed, entries) if its.kind != KINDS[0] and other.line == number.line]
        head = [number.line] + [f"  the number {number.text}:"] * (len(shown) > 1)
        if entry.kind:
            time = made_of.get(i)
            text = {KINDS[1]: "It is a rate: it halves if all times double." if time is None else
                              f"It is a rate, made of the time {printed[time].text} {printed[time].unit}: what that "
                              "holds, it holds, too.",
                    RATIO: "It is a ratio of times: it stays if all times double, and moves if the kernel takes longer.",
                    KINDS[2]: "It doubles if all times double, and has no unit: --unit ns, us, ms or s says which."}
            lines = [text.get(entry.kind, "It neither doubles nor halves nor stays if all times double."),
                     *too_fast(number, program.times)]
        else:
            words = words_of(entry, program.said)
            places = 0 if entry.step_us else 3
            words += [f"{float(entry.rest):.{places}f} us of the program's own"] if entry.rest else []
            lines = [f"= {sum_of(entry)}", f"It holds {'; '.join(words) or 'no part'}.",
                     *["It does not grow in proportion to these parts: the sum may miss."] * bool(entry.uneven),
                     *[f"The SM's clock is not full in it: {float(us):.3f} us if it were." for us in at_full[i:i + 1]
                       if us is not None], verdict(entry, growth, program.times), *in_clocks(number, i in program.own.clocks, program.own)]
        answer = [textwrap.fill(line, 110, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
                  for line in lines]
        if told and told[-1][1] == answer and len(shown) == 1 and not told[-1][0][-1].startswith("  the number"):
            told[-1][0].append(number.line)
        elif told and told[-1][1] == answer and told[-1][0][0] == number.line:
            told[-1][0][-1] = f"{told[-1][0][-1][:-1]}, {number.text}:".replace("number ", "numbers ")
        else:
            told.append((head, answer))
    for head, answer in told:
        print("", *head, *answer, sep="\n")
    if not told:
        print("No number that this program prints changes with a time.")


LIKELY = (*KERNEL, "submit", "latency", "wake", "no_wait", "launch_call", "event", "load", "load_first", "now", "clock",
          "record", "copy_call", "copy_1000")
# What a CUDA program cannot hold, or what shows in another one of these.
OTHERS = re.compile(r"(cl|khr|cpu|old|small|noise|thread)_|(flush|finish|complete|build|compile\w*|profiling|fill|"
                    r"transfer\w*|interruption|noise|slice|held_up|uneven|tsc|tsc_late|"
                    r"device_copy_1000)$")
