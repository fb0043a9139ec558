#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_tools.py BUILD OUT.csv [SHARE]: the same kernels by this suite and by the tools that people use;
compare_tools.py --table OUT.csv [--csv=FILE] prints what came of it, and writes its record, accuracy.csv, into FILE.
docs/accuracy.md explains it.

BUILD is the suite's build folder. Each row of OUT.csv is what one process says of one kernel: `us` by the
method; `code_us` and `row_us` by the kernel's own stamps in that very process: from its first instruction
to its last, and from one launch's start to the next. So a tool that slows the kernel is seen to do so.
Processes come in random order. SHARE, 1 if not given, is the share of them to run. A tool that is missing
is named on stderr and left out.
"""
import collections
import csv
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs/tools"))
from record import Record, read  # noqa: E402

SIZES = [1 << k for k in (14, 18, 20, 22, 24)]
SPIN_NS = 2000
THREADS, WARPS = 256, 8
RUNS = 31     # launches of a kernel, where we decide
WATCHED = 11  # under Nsight Compute, which takes milliseconds for each
RING = 20     # launches whose stamps are kept
COLUMNS = ["tool", "version", "process", "method", "kernel", "blocks", "stamps", "us", "code_us", "row_us", "at_once"]


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- The kernels: those of three_times, compiled by CuPy ----

def source():
    """The device's part of the headers, as it stands there."""
    chapter = ROOT / "04_cuda_events"
    spin, times = (chapter / "spin.h").read_text(), (chapter / "warp_times.h").read_text()
    kernels = (chapter / "stamped.h").read_text()
    parts = [re.search(r"^static __device__ unsigned long long globaltimer_ns.*?^}", spin, re.S | re.M)[0],
             re.search(r"^enum \{ THREADS.*?;", times, re.M)[0],
             re.search(r"^struct warp_time \{.*?^};", times, re.S | re.M)[0],
             re.search(r"^static __device__ void stamp\(.*?^}", times, re.S | re.M)[0],
             re.search(r"^static __device__ void spin_for.*?(?=^/\* ---- The work)", kernels, re.S | re.M)[0]]
    return "\n".join(parts).replace("static __global__", 'extern "C" __global__')


def works(full):
    """(kernel, blocks, floats): a spin of one block, a full device, 8 and 64 times as many; and vector_add."""
    return ([("spin_2us", n, 0) for n in (1, full, 8 * full, 64 * full)] +
            [(f"vector_add_{n}", (n + THREADS - 1) // THREADS, n) for n in SIZES])


def full_device():
    import cupy
    device = cupy.cuda.Device().attributes
    return device["MultiProcessorCount"] * (device["MaxThreadsPerMultiProcessor"] // THREADS)


class Launches:
    """One of the kernels with stamps. A call launches it; the stamps of the last RING launches are kept."""

    def __init__(self, module, kernel, blocks, n):
        import cupy
        import numpy
        self.__name__ = self.kernel = kernel  # cupyx asks for a name
        self.blocks, self.count = blocks, 0
        self.times = cupy.zeros((RING, blocks * WARPS, 2), dtype=cupy.uint64)
        if n:
            a = cupy.arange(n, dtype=cupy.float32) % 4096
            b = cupy.ones(n, dtype=cupy.float32)
            self.c = cupy.zeros(n, dtype=cupy.float32)
            self.function = module.get_function("stamped_vector_add")
            self.arguments = (a, b, self.c, numpy.uint64(n))
        else:
            self.function = module.get_function("stamped_spins")
            self.arguments = (numpy.uint64(SPIN_NS),)
        self()
        if n:
            assert bool((self.c == a + b).all()), "vector_add is wrong"

    def __call__(self):
        self.function((self.blocks,), (THREADS,), (*self.arguments, self.times[self.count % RING]))
        self.count += 1

    def forget(self):
        import cupy
        self.times.fill(0)
        self.count = 0
        cupy.cuda.Device().synchronize()

    def stamps(self):
        """(code_us, row_us, at_once): medians of the launches that are kept; at_once: blocks at one time."""
        import cupy
        import numpy
        cupy.cuda.Device().synchronize()
        times = self.times[:min(self.count, RING)].get()
        first, last = times[:, :, 0].min(axis=1), times[:, :, 1].max(axis=1)
        assert first.min() > 0, "a warp without stamps"
        period = numpy.diff(numpy.sort(first))
        one = times[0]  # +1 where a warp starts, -1 where it ends; at one time the ends first
        at = numpy.concatenate([one[:, 0], one[:, 1]])
        step = numpy.concatenate([numpy.ones(len(one)), -numpy.ones(len(one))])
        at_once = numpy.cumsum(step[numpy.lexsort((step, at))]).max() / WARPS
        return (float(numpy.median(last - first)) / 1e3, float(numpy.median(period)) / 1e3 if len(period) else None,
                round(float(at_once)))

    def row(self, method, samples_us):
        return (method, self.kernel, self.blocks, statistics.median(samples_us), *self.stamps())


def all_launches(more=()):
    import cupy
    module = cupy.RawModule(code=source())
    for work in [*works(full_device()), *more]:
        launches = Launches(module, *work)
        launches.forget()
        yield launches


def on_torchs_stream(launches):
    """CuPy launches on its own current stream; torch's and Triton's events are on torch's."""
    import cupy
    import torch

    def launch():
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            launches()
    return launch


# ---- The tools: each yields (method, kernel, blocks, us, code_us, row_us, at_once) for its process ----

def cupti():
    """CUPTI's activity records, through torch.profiler; and the same launches before it."""
    import cupy
    import torch
    full = full_device()
    every = list(all_launches([("spin_2us", full * k // 8, 0) for k in range(1, 8)]))
    for launches in every:
        for _ in range(RUNS):
            launches()
            cupy.cuda.Device().synchronize()
        yield launches.row("not recorded", [math.nan])
    for launches in every:
        launches.forget()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(RUNS):
                launches()
                torch.cuda.synchronize()
        with tempfile.NamedTemporaryFile(suffix=".json") as trace:
            profile.export_chrome_trace(trace.name)
            events = json.load(open(trace.name))["traceEvents"]
        samples = [e["dur"] for e in events if e.get("cat") == "kernel" and "stamped" in e["name"]]
        assert len(samples) == RUNS, f"{len(samples)} records of {RUNS}"
        yield launches.row("activity record", samples)


def triton():
    import torch
    import triton.testing
    torch.cuda.synchronize()
    for launches in all_launches():
        samples = triton.testing.do_bench(on_torchs_stream(launches), return_mode="all")
        yield launches.row("do_bench", [ms * 1e3 for ms in samples])
    with torch.cuda.stream(torch.cuda.Stream()):
        for launches in all_launches():
            samples = triton.testing.do_bench_cudagraph(on_torchs_stream(launches), return_mode="all")
            yield launches.row("do_bench_cudagraph", [ms * 1e3 for ms in samples])


def cupyx():
    from cupyx.profiler import benchmark
    for launches in all_launches():
        result = benchmark(launches, (), n_repeat=RUNS, n_warmup=10)
        yield launches.row("benchmark", [s * 1e6 for s in result.gpu_times[0]])


def nvbench():
    """nvbench's cold measurement: behind a blocking kernel, the L2 flushed by a memset."""
    import cuda.bench as bench
    import cupy
    every, stamps = list(all_launches()), {}

    def timed(state):
        work = state.get_int64("work")

        def launcher(on):
            with cupy.cuda.ExternalStream(on.get_stream().addressof()):
                every[work]()
        state.exec(launcher, batched=False)
        stamps[work] = every[work].stamps()
    bench.register(timed).add_int64_axis("work", list(range(len(every))))
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        bench.run_all_benchmarks([sys.argv[0], "--min-time", "0.02", "--csv", out.name])
        for row in csv.DictReader(open(out.name)):
            launches = every[int(row["work"])]
            yield ("cold", launches.kernel, launches.blocks, float(row["GPU Time (sec)"]) * 1e6,
                   *stamps[int(row["work"])])


def warm_imports(tool):
    """What takes seconds and does not touch the GPU, before this process's turn."""
    import cupy  # noqa: F401
    if tool in ("cupti", "triton"):
        import torch.profiler  # noqa: F401
    if tool == "triton":
        import triton.testing  # noqa: F401
    if tool == "cupyx":
        import cupyx.profiler  # noqa: F401


def in_this_process(tool):
    """What --tool runs: waits for its turn, keeps its stdout for the rows."""
    rows = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warm_imports(tool)
    sys.stdin.readline()
    for row in globals()[tool]():
        rows.write(json.dumps(row) + "\n")
    rows.flush()


# ---- This suite, and Nsight Compute, which watches the plain launches of the same program ----

def three_times(build, runs, before=()):
    blocks = ",".join(str(b) for k, b, _ in works(full_device()) if k == "spin_2us")
    with tempfile.NamedTemporaryFile("r") as out:  # ncu has words of its own on stdout
        subprocess.run([*before, f"{build}/04_cuda_events/three_times", f"--csv={out.name}", "--runs", str(runs),
                        "--blocks", blocks, "--size", ",".join(map(str, SIZES))],
                       check=True, capture_output=True, text=True)
        return Record("three_times", out.read())


def suite_rows(rows):
    for row in rows:
        for method in ("code_minus_empty", "event_net", "row_slope", "floor"):
            yield (method, row["kernel"], int(row["blocks"]), row["stamps"], float(row[method + "_us"]),
                   row["code_stamps_us"], row["row_stamps_us"], "")


def suite(build):
    yield from suite_rows(three_times(build, RUNS).rows)


def nsight_compute(build):
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        rows = three_times(build, WATCHED, [
            "ncu", "--log-file", log, "--csv", "--print-units", "base", "--clock-control", "none", "--cache-control",
            "none", "--profile-from-start", "off", "--kernel-name", "regex:spins|vector_add", "--metrics",
            "gpu__time_duration.sum,sm__cycles_active.max,sm__cycles_elapsed.max"]).rows
        with open(log) as stream:
            lines = list(csv.DictReader(line for line in stream if line.startswith('"')))
    launches = collections.defaultdict(dict)
    for line in lines:
        launches[int(line["ID"])][line["Metric Name"]] = float(line["Metric Value"].replace(",", ""))
        launches[int(line["ID"])]["name"] = line["Kernel Name"].split("(")[0]
    launches = [launches[i] for i in sorted(launches)]
    assert len(launches) == WATCHED * len(rows), f"{len(launches)} launches of {WATCHED * len(rows)}"
    for i, row in enumerate(rows):
        mine = launches[i * WATCHED:(i + 1) * WATCHED]
        assert {l["name"] for l in mine} == {"stamped_" * (row["stamps"] == "yes") + row["kernel"].split("_2us")[0].
                                             replace("spin", "spins").rstrip("_0123456789")}
        for method, us in (("duration", lambda l: l["gpu__time_duration.sum"] / 1e3),
                           ("SM active", lambda l: l["gpu__time_duration.sum"] / 1e3 * l["sm__cycles_active.max"] /
                            l["sm__cycles_elapsed.max"])):
            yield (method, row["kernel"], int(row["blocks"]), row["stamps"], statistics.median(map(us, mine)),
                   row["plain_stamps_us"], "", "")
    for row in suite_rows(rows):
        yield ("beside: " + row[0], *row[1:])


# ---- All processes, in random order ----

def version(*modules):
    import importlib.metadata
    return " ".join(f"{m} {importlib.metadata.version(m)}" for m in modules)


def ncu_version():
    out = subprocess.run(["ncu", "--version"], capture_output=True, text=True, check=True).stdout
    return out.splitlines()[-1].split()[1]


def cupti_version():
    import importlib.metadata
    names = {d.metadata["Name"] for d in importlib.metadata.distributions()}
    return version("torch", *sorted(n for n in names if n and n.startswith("nvidia-cuda-cupti")))


def versions():
    of = {"suite": lambda: "1.0.0", "nsight_compute": ncu_version, "cupti": cupti_version,
          "triton": lambda: version("triton"), "cupyx": lambda: "cupy " + __import__("cupy").__version__,
          "nvbench": lambda: version("cuda-bench")}
    for tool, ask in of.items():
        try:
            yield tool, ask()
        except Exception as error:
            say(f"{tool}: left out: {type(error).__name__}: {error}")


def measure(build, out, share):
    found = dict(versions())
    often = {"suite": 20, "nsight_compute": 20}
    jobs = [(tool, process) for tool in found for process in range(max(1, round(often.get(tool, 10) * share)))]
    random.shuffle(jobs)
    waiting = {}

    def start(i):
        if i < len(jobs) and jobs[i][0] not in often:
            waiting[i] = subprocess.Popen([sys.executable, __file__, "--tool", jobs[i][0]], text=True,
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    failed = False
    start(0)
    with open(out, "w", newline="") as stream:
        machine = three_times(build, 1).meta
        stream.writelines(f"# {name},{machine[name]}\n" for name in ("device", "driver", "date"))
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        for i, (tool, process) in enumerate(jobs):
            begin = time.monotonic()
            start(i + 1)  # only imports, until its turn
            try:
                if tool in often:
                    rows = list(globals()[tool](build))
                else:
                    text, _ = waiting[i].communicate("go\n", timeout=120)
                    assert waiting[i].returncode == 0, "failed"
                    rows = [(*row[:3], "yes", *row[3:]) for row in map(json.loads, text.splitlines())]
                for method, kernel, blocks, stamps, us, code_us, row_us, at_once in rows:
                    table.writerow([tool, found[tool], process, method, kernel, blocks, stamps,
                                    *("" if x in ("", None) or float(x) != float(x) else f"{float(x):.3f}"
                                      for x in (us, code_us, row_us)), at_once])
                stream.flush()
                say(f"{tool}: {time.monotonic() - begin:.1f} s")
            except Exception as error:  # a tool that fails must not end the others
                failed |= tool == "suite"
                say(f"{tool}, process {process}: left out: {type(error).__name__}: {error}")
                say(getattr(error, "stderr", "") or "")
    return failed


# ---- What came of it ----

def interval(samples):
    """(median, low, high): the median and an interval for it of 95 % or more, which assumes no distribution:
    the k-th smallest and the k-th largest, since each sample is above the true median half of the time."""
    x = sorted(samples)
    n, k, outside = len(x), 0, 0.0
    while k < n // 2 and outside + math.comb(n, k) / 2**n <= 0.025:
        outside += math.comb(n, k) / 2**n
        k += 1
    return statistics.median(x), (x[k - 1] if k else -math.inf), (x[-k] if k else math.inf)


TABLE = ["table", "kernel", "blocks", "stamps", "quantity", "median_us", "low_us", "high_us", "nearest", "factor",
         "at_once"]
# In the record: the tables, with the heads of their quantities.
TIMES = {"code_stamps": "code_stamps", "sm_active": "SM active", "minus_empty": "minus_empty", "ncu": "ncu", "net": "net",
         "row_slope": "row_slope", "row_stamps": "row_stamps"}
PROCESSES = {"minus_empty": "code_minus_empty", "net": "event_net", "ncu": "duration", "row_slope": "row_slope"}
DIFFERENCES = {  # stamps, title, heads, what the last line is called
    "with_stamps": (
        "yes", "Kernels with stamps: differences within one process, the median and its interval of 95 %, in us",
        {"stamps_minus_sm_active": "stamps - SM active", "minus_empty_minus_stamps": "minus_empty - stamps",
         "net_minus_ncu": "net - ncu, minus stamps", "row_slope_minus_row_stamps": "row_slope - row_stamps"},
        "with stamps"),
    "without_stamps": (
        "no", "Kernels without stamps: the same, where it can be had. SM active is another process's: its median",
        {"minus_empty_minus_sm_active": "minus_empty - SM active", "net_minus_ncu": "net - ncu"}, "without stamps"),
    "code": (
        "yes", "How far each tool is from the time of the code, by the stamps in its own process, in us; * nearest, or "
        "a tie", {"suite": "this suite minus_empty", "cupti": "CUPTI",
                  "cupti_minus_code_alone": "CUPTI - code when nothing records"}, "code"),
    "device": (
        "yes", "... from the time on the device, ncu's duration (nvbench and do_bench write to the L2 before)",
        {"suite": "this suite net", "nvbench": "nvbench cold", "do_bench": "Triton do_bench",
         "cupyx": "cupyx benchmark"}, "device"),
    "row": ("yes", "... from the cost in a row, by the stamps",
            {"suite": "this suite row_slope", "do_bench_cudagraph": "Triton do_bench_cudagraph"}, "in a row")}


def what_came_of_it(raw):
    """(rows of the record accuracy.csv, the machine's constant in us), of the rows of OUT.csv."""
    by, rows = collections.defaultdict(dict), []  # by: (method, (kernel, blocks), stamps) -> process -> row
    for r in raw:
        by[r["method"], (r["kernel"], int(r["blocks"])), r["stamps"]][r["process"]] = r
    watched = sorted({k for _, k, _ in by}, key=lambda k: ("spin" not in k[0], k[1]))
    kernels = [k for k in watched if by["event_net", k, "no"]]  # CUPTI watches more

    def values(method, kernel, stamps, column="us"):
        return {p: float(r[column]) for p, r in by[method, kernel, stamps].items() if r[column]}

    def less_by_process(one, other):
        return {p: one[p] - other[p] for p in one if p in other}

    def minus(one, other):
        """The difference in each process that has both."""
        return list(less_by_process(one, other).values())

    def middle(samples):
        return statistics.median(samples.values()) if samples else math.nan

    def add(table, kernel, stamps, quantity, median, low=math.nan, high=math.nan, **more):
        """A row, in the digits of the record, which the tables show too."""
        if not math.isnan(median):
            row = {"median_us": median, "low_us": low, "high_us": high, **more}
            rows.append({"table": table, "kernel": kernel[0], "blocks": kernel[1], "stamps": stamps,
                         "quantity": quantity, **{c: round(x, 4) + 0.0 for c, x in row.items()}})

    def add_differences(table, kernel, samples):
        """The median of each quantity and its interval. `nearest` is 1 for the nearest to 0, and for those that
        are not farther by their intervals: a tie."""
        stamps, _, quantities, _ = DIFFERENCES[table]
        known = {q: interval(s) for q, s in zip(quantities, samples) if s}
        _, least = min((abs(m), max(abs(low), abs(high))) for m, low, high in known.values())
        for quantity, (median, low, high) in known.items():
            tie = low <= 0 <= high or min(abs(low), abs(high)) <= least
            add(table, kernel, stamps, quantity, median, low, high, nearest=int(tie))

    def off(method, kernel, column):
        return minus(values(method, kernel, "yes"), values(method, kernel, "yes", column))

    def off_device(method, kernel):
        """Of what ncu calls the duration, which is longer than the code by the same in every process."""
        return [x - statistics.median(off("duration", kernel, "code_us")) for x in off(method, kernel, "code_us")]

    constants = []
    for k in kernels:
        for stamps in ("no", "yes"):
            for quantity, (method, column) in zip(TIMES, (
                    ("code_minus_empty", "code_us"), ("SM active", "us"), ("code_minus_empty", "us"), ("duration", "us"),
                    ("event_net", "us"), ("row_slope", "us"), ("row_slope", "row_us"))):
                add("times", k, stamps, quantity, middle(values(method, k, stamps, column)))
        for quantity, method in PROCESSES.items():
            us = values(method, k, "no")
            add("processes", k, "no", quantity, middle(us), min(us.values(), default=0), max(us.values(), default=0))

        under_ncu, active = values("duration", k, "yes", "code_us"), middle(values("SM active", k, "no"))
        shell = less_by_process(values("duration", k, "yes"), under_ncu)
        mine = less_by_process(values("beside: event_net", k, "yes"),
                               values("beside: event_net", k, "yes", "code_us"))
        constants.append(interval(minus(mine, shell))[0])
        add_differences("with_stamps", k, [minus(under_ncu, values("SM active", k, "yes")),
                                           off("code_minus_empty", k, "code_us"), minus(mine, shell),
                                           off("row_slope", k, "row_us")])
        add_differences("without_stamps", k, [
            [x - active for x in values("code_minus_empty", k, "no").values()],
            minus(values("beside: event_net", k, "no"), values("duration", k, "no"))])
        add_differences("code", k, [off("code_minus_empty", k, "code_us"), off("activity record", k, "code_us"), minus(
            values("activity record", k, "yes"), values("not recorded", k, "yes", "code_us"))])
        add_differences("device", k, [off_device(m, k) for m in ("event_net", "cold", "do_bench", "benchmark")])
        add_differences("row", k, [off(m, k, "row_us") for m in ("row_slope", "do_bench_cudagraph")])

    for k in watched:
        alone, recorded = (values(m, k, "yes", "code_us") for m in ("not recorded", "activity record"))
        at_once = [middle(values(m, k, "yes", "at_once")) for m in ("not recorded", "activity record")]
        if alone:
            add("cupti", k, "yes", "alone", middle(alone), at_once=at_once[0])
            add("cupti", k, "yes", "recorded", middle(recorded), at_once=at_once[1],
                factor=statistics.median(recorded[p] / alone[p] for p in alone))
    return rows, statistics.median(constants)


def print_tables(rows, constant_us):
    found = {(r["table"], r["kernel"], r["blocks"], r["stamps"], r["quantity"]): r for r in rows}
    tables = []

    def kernels(table):
        return list(dict.fromkeys((r["kernel"], r["blocks"]) for r in rows if r["table"] == table))

    def name(kernel, stamps="no"):
        return f"{kernel[0]} x {kernel[1]}" + (" stamped" if stamps == "yes" else "")

    def add(title, heads, lines):
        width = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads))]
        tables.append("\n".join([title, ""] + [
            "  ".join(f"{text:{'<' if i == 0 else '>'}{width[i]}}" for i, text in enumerate(line)).rstrip()
            for line in [heads, *lines]]))

    def text(form, *key):
        return form.format(**found[key]) if key in found else "-"

    def add_differences(table):
        stamps, title, heads, last = DIFFERENCES[table]
        lines, compared = [], table in ("code", "device", "row")
        for k in kernels(table):
            lines.append([name(k)])
            for quantity in heads:
                star = "*" if found.get((table, *k, stamps, quantity), {}).get("nearest") else " "
                lines[-1].append(text("{median_us:+.2f} ({low_us:+.2f} {high_us:+.2f})" + star * compared,
                                      table, *k, stamps, quantity))
        lines.append([last + ": least to greatest"])
        for quantity in heads:
            us = [r["median_us"] for r in rows if (r["table"], r["quantity"]) == (table, quantity)]
            lines[-1].append(f"{min(us):+.2f} to {max(us):+.2f}" if us else "-")
        add(title, ["kernel x blocks", *heads.values()], lines)

    add("Three times of each kernel: medians of the processes, in us", ["kernel x blocks", *TIMES.values()],
        [[name(k, s), *(text("{median_us:.2f}", "times", *k, s, q) for q in TIMES)]
         for k in kernels("times") for s in ("no", "yes")])
    add_differences("with_stamps")
    tables.append(f"The machine's constant, net minus ncu: {constant_us:+.2f} us.")
    add_differences("without_stamps")
    add("Single processes, kernels without stamps: from the least to the greatest of them, in us",
        ["kernel x blocks", *PROCESSES],
        [[name(k), *(text("{low_us:.2f} to {high_us:.2f}", "processes", *k, "no", q) for q in PROCESSES)]
         for k in kernels("processes")])
    for table in ("code", "device", "row"):
        add_differences(table)
    add("While CUPTI records, as torch.profiler has it: the code by its own stamps, in us; warps at once / 8",
        ["kernel x blocks", "code alone", "code recorded", "factor", "at once alone", "at once recorded"],
        [[name(k), *(text(form, "cupti", *k, "yes", q) for form, q in (
            ("{median_us:.2f}", "alone"), ("{median_us:.2f}", "recorded"), ("{factor:.2f}", "recorded"),
            ("{at_once:.0f}", "alone"), ("{at_once:.0f}", "recorded")))] for k in kernels("cupti")])
    print("\n\n".join(tables))


def write_record(path, machine, rows, constant_us):
    with open(path, "w", newline="") as stream:
        stream.write("# program,compare_tools.py\n")
        stream.writelines(f"# {name},{text}\n" for name, text in {**machine, "constant_us": constant_us}.items())
        table = csv.DictWriter(stream, TABLE, lineterminator="\n")
        table.writeheader()
        table.writerows({c: "" if x != x else f"{x:g}" if c in ("nearest", "at_once") else f"{x:.4f}"
                         if isinstance(x, float) else x for c, x in row.items()} for row in rows)


def main():
    if sys.argv[1:2] == ["--tool"]:
        return in_this_process(sys.argv[2])
    if sys.argv[1:2] == ["--table"] and len(sys.argv) in (3, 4):
        raw = read(sys.argv[2])
        rows, constant_us = what_came_of_it(raw.rows)
        constant_us = round(constant_us, 4)
        print_tables(rows, constant_us)
        if len(sys.argv) == 4:
            write_record(sys.argv[3].removeprefix("--csv="), raw.meta, rows, constant_us)
        return 0
    if len(sys.argv) not in (3, 4) or sys.argv[1].startswith("--"):
        sys.exit("usage: compare_tools.py BUILD OUT.csv [SHARE], or compare_tools.py --table OUT.csv [--csv=FILE]")
    return measure(sys.argv[1], sys.argv[2], float((sys.argv + ["1"])[3]))


if __name__ == "__main__":
    sys.exit(main())
