#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""accuracy_tables.py OUT.csv [--csv=FILE]: what came of compare_tools.py's OUT.csv, as tables, and as the record
accuracy.csv in FILE. The drain of a full device is from drain.csv in OUT.csv's folder, if there is one."""
import collections
import csv
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from record import read  # noqa: E402


def interval(samples):
    """(median, low, high): the median and an interval for it of 95 % or more, which assumes no distribution:
    the k-th smallest and the k-th largest, since each sample is above the true median half of the time."""
    x = sorted(samples)
    n, k, outside = len(x), 0, 0.0
    while k < n // 2 and outside + math.comb(n, k) / 2**n <= 0.025:
        outside += math.comb(n, k) / 2**n
        k += 1
    return statistics.median(x), (x[k - 1] if k else -math.inf), (x[-k] if k else math.inf)


def kind_of(kernel):
    """`simple`: a spin or vector_add, whose code ends when the kernel's work does; `real`: what people run."""
    return "simple" if kernel.startswith(("spin", "vector_add")) else "real"


TABLE = ["table", "kernel", "kind", "blocks", "stamps", "quantity", "median_us", "low_us", "high_us", "processes",
         "factor", "at_once"]
# Quantities of the record, with the heads that the printed tables give them.
TIMES = {"code_stamps": "code_stamps", "sm_active": "SM active", "minus_empty": "minus_empty", "ncu": "ncu",
         "net": "net", "row_slope": "row_slope", "row_stamps": "row_stamps"}
EVENTS = {"suite": "this suite", "nvbench": "nvbench (mean)", "do_bench": "do_bench", "do_bench_blocked": "+ blocker",
          "do_bench_no_write": "+ blocker - write", "cupyx": "cupyx"}
OTHERS = {"proton": "proton", "cupti": "CUPTI", "cupti_serial": "CUPTI serial", "ncu": "ncu"}
METHODS = {"nvbench": "cold", "do_bench": "do_bench", "do_bench_blocked": "do_bench blocked",
           "do_bench_no_write": "do_bench blocked without write", "cupyx": "benchmark", "proton": "do_bench_proton",
           "cupti": "activity record", "cupti_serial": "serial record", "ncu": "duration"}
DIFFERENCES = {  # of the record: title, quantities
    "with_stamps": (
        "Kernels with stamps: differences within one process, the median and its interval of 95 %, in us",
        {"stamps_minus_sm_active": "stamps - SM active", "minus_empty_minus_stamps": "minus_empty - stamps",
         "minus_drain_minus_stamps": "minus_drain - stamps", "net_minus_ncu": "net - ncu, minus stamps",
         "row_slope_minus_row_stamps": "row_slope - row_stamps"}),
    "without_stamps": (
        "Kernels without stamps: the same, where it can be had. SM active is another process's: its median",
        {"minus_empty_minus_sm_active": "minus_empty - SM active", "minus_drain_minus_sm_active":
         "minus_drain - SM active", "net_minus_ncu": "net - ncu"}),
    "printed": ("Each tool as it prints, minus the time of the code (stamps; without them SM active), in us",
                {**EVENTS, **OTHERS}),
    "minus_empty": ("Each tool minus what it prints for an empty kernel, minus the time of the code, in us",
                    {**EVENTS, **OTHERS}),
    "minus_floor": ("Each event pair minus its floor, minus the time on the device (the code, and what ncu's duration "
                    "is longer), in us", EVENTS),
    "row": ("In a row, minus the cost in a row by the stamps, in us",
            {"suite": "this suite row_slope", "do_bench_cudagraph": "do_bench_cudagraph"})}


def what_came_of_it(raw, drain=()):
    """(rows of the record accuracy.csv, the machine's constant in us), of the rows of OUT.csv and of drain.csv."""
    by, rows = collections.defaultdict(dict), []  # by: (method, (kernel, blocks), stamps) -> process -> row
    for r in raw:
        by[r["method"], (r["kernel"], int(r["blocks"])), r["stamps"]][r["process"]] = r
    drains = {}  # of a disturbed row of vector_add the spin's, which comes before it
    for r in drain:
        key = (r["kernel"], int(r["blocks"]))
        drains[key] = drains["spin", key[1]] if r["disturbed"] == "1" and key[0] != "spin" else float(r["drain_us"])
    one, full, many = sorted({blocks for _, blocks in drains}) or (1, math.inf, math.inf)

    def more_drain_us(kernel, blocks):
        """How much longer than a spin of one block such a grid drains: it ends together, or in many waves; it writes
        at its end, as vector_add does, or not. A library's (0 blocks: unknown) is taken for vector_add's largest."""
        size = one if 0 < blocks < full / 2 else full if 0 < blocks <= full else many
        if not drains:
            return math.nan
        return 0 if size == one else drains["spin" if "spin" in kernel else "vector_add", size] - drains["spin", one]

    def values(method, kernel, stamps, column="us"):
        found = by[method, kernel, stamps] or by["beside: " + method, kernel, stamps]
        return {p: float(r[column]) for p, r in found.items() if r.get(column)}

    def minus(one, other):
        """The difference in each process that has both, or from one number."""
        return {p: one[p] - (other[p] if isinstance(other, dict) else other) for p in one
                if not isinstance(other, dict) or p in other}

    def middle(samples):
        return statistics.median(samples.values()) if samples else math.nan

    def add(table, kernel, stamps, quantity, samples, spread=interval, **more):
        """A row, in the digits of the record, which the tables show too."""
        samples = [x for x in samples.values() if not math.isnan(x)]
        if samples:
            found = zip(("median_us", "low_us", "high_us"), spread(samples))
            rows.append({"table": table, "kernel": kernel[0], "kind": kind_of(kernel[0]), "blocks": kernel[1],
                         "stamps": stamps, "quantity": quantity, "processes": len(samples),
                         **{c: round(x, 4) + 0.0 for c, x in (*found, *more.items())}})

    def all_of(samples):
        return statistics.median(samples), min(samples), max(samples)

    kernels = [k for k in {k: 0 for m, k, _ in by if m in ("duration", "event_net")} if k[0] != "empty"]
    kernels.sort(key=lambda k: (["spin", "vect", "atom", "mm_1", "soft"].index(k[0][:4]), k[1], k[0]))
    constants, suites_floor = [], statistics.median(
        float(r["us"]) for r in raw if r["method"] in ("floor", "beside: floor"))
    for k in kernels:
        active = {s: values("SM active", k, s) for s in ("no", "yes")}
        for stamps in ("no", "yes"):
            for quantity, (method, column) in zip(TIMES, (
                    ("code_minus_empty", "code_us"), ("SM active", "us"), ("code_minus_empty", "us"),
                    ("duration", "us"), ("event_net", "us"), ("row_slope", "us"), ("row_slope", "row_us"))):
                add("times", k, stamps, quantity, values(method, k, stamps, column), all_of)
        drain_us = more_drain_us(*k)
        own = "yes" if values("event_net", k, "yes") else "no"  # a library's kernel has no stamps
        under_ncu = values("duration", k, "yes", "code_us")
        shell = minus(values("duration", k, "yes"), under_ncu)
        mine = minus(values("beside: event_net", k, "yes"), values("beside: event_net", k, "yes", "code_us"))
        constants += [middle(minus(mine, shell))] if own == "yes" else []
        off = minus(values("code_minus_empty", k, "yes"), values("code_minus_empty", k, "yes", "code_us"))
        found = minus(values("code_minus_empty", k, "no"), middle(active["no"]))
        for table, stamps, quantity, samples in (
                ("with_stamps", "yes", "stamps_minus_sm_active", minus(under_ncu, active["yes"])),
                ("with_stamps", "yes", "minus_empty_minus_stamps", off),
                ("with_stamps", "yes", "minus_drain_minus_stamps", minus(off, drain_us)),
                ("with_stamps", "yes", "net_minus_ncu", minus(mine, shell)),
                ("with_stamps", "yes", "row_slope_minus_row_stamps",
                 minus(values("row_slope", k, "yes"), values("row_slope", k, "yes", "row_us"))),
                ("without_stamps", "no", "minus_empty_minus_sm_active", found),
                ("without_stamps", "no", "minus_drain_minus_sm_active", minus(found, drain_us)),
                ("without_stamps", "no", "net_minus_ncu",
                 minus(values("beside: event_net", k, "no"), values("duration", k, "no"))),
                ("row", "yes", "suite", minus(values("row_slope", k, "yes"), values("row_slope", k, "yes", "row_us"))),
                ("row", "yes", "do_bench_cudagraph", minus(values("do_bench_cudagraph", k, "yes"),
                                                           values("do_bench_cudagraph", k, "yes", "row_us")))):
            add(table, k, stamps, quantity, samples)

        def code(method):
            return values(method, k, "yes", "code_us") if own == "yes" else middle(active["no"])

        launch_and_drain = middle(shell) if own == "yes" else middle(minus(values("duration", k, "no"), active["no"]))
        net = minus(values("event_net", k, own), code("event_net"))
        floor = values("floor", k, own)
        add("printed", k, own, "suite", {p: net[p] + floor[p] for p in net if p in floor})
        add("minus_floor", k, own, "suite", minus(net, launch_and_drain))
        add("minus_empty", k, own, "suite", minus(values("code_minus_empty", k, own), code("code_minus_empty")))
        for quantity, method in METHODS.items():
            distance = minus(values(method, k, own), code(method))
            nothing = values(method, ("nothing", 0), "no") or suites_floor
            add("printed", k, own, quantity, distance)
            add("minus_empty", k, own, quantity, minus(distance, values(method, ("empty", 1), "no")))
            if quantity in EVENTS:
                add("minus_floor", k, own, quantity, minus(minus(distance, nothing), launch_and_drain))
    empty = ("empty", 1), "no"
    floor, net = values("floor", *empty), values("event_net", *empty)
    add("empty", ("nothing", 0), "no", "suite", floor)
    add("empty", *empty, "suite", {p: net[p] + floor[p] for p in net if p in floor})
    for kernel in (("nothing", 0), ("empty", 1)):
        for quantity, method in METHODS.items():
            add("empty", kernel, "no", quantity, values(method, kernel, "no"))

    for k in sorted({k for m, k, _ in by if m == "activity record"}, key=lambda k: ("spin" not in k[0], k[1], k[0])):
        alone = values("not recorded", k, "yes", "code_us")
        for quantity, method in (("alone", "not recorded"), ("recorded", "activity record"),
                                 ("serial", "serial record")):
            us = values(method, k, "yes", "code_us")
            factor = minus({p: us[p] / alone[p] for p in us if p in alone}, 0)
            if us and alone:
                add("cupti", k, "yes", quantity, us, at_once=middle(values(method, k, "yes", "at_once")),
                    **({"factor": middle(factor)} if quantity != "alone" else {}))
    return rows, round(statistics.median(constants), 4) if constants else math.nan


def print_tables(rows, constant_us):
    found = {(r["table"], r["kernel"], r["blocks"], r["stamps"], r["quantity"]): r for r in rows}
    tables = []

    def kernels(table):
        return list(dict.fromkeys((r["kernel"], r["blocks"], r["stamps"]) for r in rows if r["table"] == table))

    def name(kernel, blocks, stamps):
        return kernel + (f" x {blocks}" if blocks else "") + (" stamped" if stamps == "yes" else "")

    def add(title, heads, lines):
        width = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads))]
        tables.append("\n".join([title, ""] + [
            "  ".join(f"{text:{'<' if i == 0 else '>'}{width[i]}}" for i, text in enumerate(line)).rstrip()
            for line in [heads, *lines]]))

    def text(form, *key):
        return form.format(**found[key]) if key in found else "-"

    def difference(*key):
        """With its interval; of fewer than six processes there is none, only their number."""
        few = key in found and math.isinf(found[key]["low_us"])
        return text("{median_us:+.2f} (of {processes})" if few else "{median_us:+.2f} ({low_us:+.2f} {high_us:+.2f})",
                    *key)

    def least_to_greatest(*which):
        us = [r["median_us"] for r in rows if (r["table"], r["kind"], r["quantity"]) == which]
        return f"{min(us):+.2f} to {max(us):+.2f}" if us else "-"

    add("Three times of each kernel: medians of the processes, in us", ["kernel x blocks", *TIMES.values()],
        [[name(*k), *(text("{median_us:.2f}", "times", *k, q) for q in TIMES)] for k in kernels("times")])
    tables.append(f"The machine's constant, net minus ncu: {constant_us:+.2f} us. minus_drain: minus_empty, minus what "
                  "such a\ngrid drains longer than one block (drain.csv).")
    for table, (title, heads) in DIFFERENCES.items():
        heads = {q: head for q, head in heads.items() if any((r["table"], r["quantity"]) == (table, q) for r in rows)}
        lines = [[name(*k), *(difference(table, *k, q) for q in heads)] for k in kernels(table)]
        for kind in dict.fromkeys(kind_of(k[0]) for k in kernels(table)):
            lines.append([f"{kind}: least to greatest", *(least_to_greatest(table, kind, q) for q in heads)])
        if heads:
            add(title, ["kernel x blocks", *heads.values()], lines)
    heads = {q: head for q, head in {**EVENTS, **OTHERS}.items() if any(r["table"] == "empty" and r["quantity"] == q
                                                                         for r in rows)}
    real = [k for k in kernels("minus_empty") if kind_of(k[0]) == "real"]
    if real:
        add("Each tool minus the time of the code, in us; except for the first column, also minus what the tool prints "
            "for an\nempty kernel. Of the simple kernels the least and the greatest",
            ["", "simple, as printed", "simple", *(k[0] for k in real)],
            [[head, least_to_greatest("printed", "simple", q), least_to_greatest("minus_empty", "simple", q),
              *(text("{median_us:+.2f}", "minus_empty", *k, q) for k in real)] for q, head in heads.items()])
    if heads:
        add("What each tool prints where there is nothing to time, in us", ["", *heads.values()],
            [[k[0], *(text("{median_us:.2f}", "empty", *k, q) for q in heads)] for k in kernels("empty")])
    add("While CUPTI records, as torch.profiler has it: the code by its own stamps, in us; warps at once / 8",
        ["kernel x blocks", "code alone", "code recorded", "factor", "at once alone", "at once recorded", "serial"],
        [[name(*k[:2], "no"), *(text(form, "cupti", *k, q) for form, q in (
            ("{median_us:.2f}", "alone"), ("{median_us:.2f}", "recorded"), ("{factor:.2f}", "recorded"),
            ("{at_once:.0f}", "alone"), ("{at_once:.0f}", "recorded"), ("{factor:.2f}", "serial")))]
         for k in kernels("cupti")])
    print("\n\n".join(tables))


def write_record(path, machine, rows, constant_us):
    with open(path, "w", newline="") as stream:
        stream.write("# program,compare_tools.py\n")
        stream.writelines(f"# {name},{text}\n" for name, text in {**machine, "constant_us": constant_us}.items())
        table = csv.DictWriter(stream, TABLE, lineterminator="\n")
        table.writeheader()
        table.writerows({c: f"{x:g}" if c == "at_once" else f"{x:.4f}" if isinstance(x, float) else x
                         for c, x in row.items()} for row in rows)


def main(path, file=None):
    raw, drain = read(path), pathlib.Path(path).with_name("drain.csv")
    came = what_came_of_it(raw.rows, read(drain).rows if drain.exists() else ())
    print_tables(*came)
    if file:
        write_record(file.removeprefix("--csv="), raw.meta, *came)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not all(a.startswith("--csv=") for a in sys.argv[2:]):
        sys.exit("usage: accuracy_tables.py OUT.csv [--csv=FILE]")
    main(*sys.argv[1:])
