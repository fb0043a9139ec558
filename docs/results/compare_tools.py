#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_tools.py BUILD OUT.csv: the same kernels by this suite and by the tools that people use;
compare_tools.py --table OUT.csv prints what came of it.

BUILD is the suite's build folder. Every tool that is installed times the spins of known length and
vector_add; the missing ones are named on stderr and left out. `cache` says in what state the tool
leaves the L2 before a launch: warm, flushed, or written: full of other data that is still to be
written back. What each includes is in docs/accuracy.md.
"""
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

SIZES = [1 << k for k in range(14, 29, 2)]
SPINS_US = [1, 3, 10, 30, 100, 300, 1000]
RUNS = 101
PROCESSES = 3  # of this suite and of the profiler
SOURCE = r"""
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    unsigned long long start_ns, ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    while (ns - start_ns < length_ns);
    *ran_ns = ns - start_ns;
}
"""


def say(text):
    print(text, file=sys.stderr, flush=True)


def works():
    """(kernel, size, launch): every kernel to time, its data on the device, loaded and run once."""
    import cupy
    import numpy
    module = cupy.RawModule(code=SOURCE)
    vector_add, spin = module.get_function("vector_add"), module.get_function("spin")
    ran = cupy.zeros(1, dtype=cupy.uint64)
    for us in SPINS_US:
        def launch(length=numpy.uint64(us * 1000)):
            spin((1,), (1,), (length, ran))
        launch()
        yield "spin", us, launch
    for n in SIZES:
        a = cupy.arange(n, dtype=cupy.float32) % 4096
        b = cupy.ones(n, dtype=cupy.float32)
        c = cupy.zeros(n, dtype=cupy.float32)

        def launch(a=a, b=b, c=c, n=n):
            vector_add(((n + 255) // 256,), (256,), (a, b, c, numpy.uint64(n)))
        launch()
        assert bool((c == a + b).all()), "vector_add is wrong"
        yield "vector_add", n, launch


def on_torchs_stream(launch):
    """CuPy launches on its own current stream; torch's and Triton's events are on torch's."""
    import cupy
    import torch

    def launch_there():
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            launch()
    return launch_there


def suite_rows(build, program, *options):
    text = subprocess.run([f"{build}/{program}", "--csv", *options], check=True,
                          capture_output=True, text=True).stdout
    return list(csv.DictReader(text[text.index("device,"):].splitlines()))


# Each tool yields (method, cache, kernel, size, samples in us).

def suite(build):
    seen = {}

    def add(method, cache, kernel, size, us):
        seen.setdefault((method, cache, kernel, int(size)), []).append(float(us))
    for _ in range(PROCESSES):
        for row in suite_rows(build, "04_cuda_events/onion", "--runs", str(RUNS)):
            for method, column in (("event", "event_us"), ("event_net", "net_us")):
                add(method, "warm", "spin", row["length_us"], row[column])
        for n in SIZES:
            for row in suite_rows(build, "04_cuda_events/cuda_events", "--size", str(n),
                                  "--runs", str(RUNS)):
                if row["kernel"] == "vector_add":
                    add(row["method"], "warm", "vector_add", n, row["median_us"])
            for row in suite_rows(build, "04_cuda_events/event_batch", "--size", str(n),
                                  "--runs", str(RUNS)):
                if row["launches"] == "10":
                    add("event_batch", "warm", "vector_add", n, row["median_us"])
        for row in suite_rows(build, "06_warmup/l2_cache", "--runs", str(RUNS),
                              "--size", ",".join(map(str, SIZES))):
            for cache in ("flushed", "written"):
                add("event_net", cache, "vector_add", row["size"], row[cache + "_us"])
    for key, samples in seen.items():
        yield *key, samples


def watcher(log, control, *which):
    """ncu and its options: gpu__time_duration, clocks as they are, the cache warm or flushed."""
    return ["ncu", "--log-file", log, "--csv", "--print-units", "base", "--clock-control", "none",
            "--cache-control", control, "--metrics", "gpu__time_duration.sum", *which]


def watched(log, kernels):
    """What ncu wrote: microseconds of each launch, which must be of these kernels."""
    with open(log) as stream:
        rows = list(csv.DictReader(line for line in stream if line.startswith('"')))
    assert {row["Metric Unit"] for row in rows} == {"ns"}, "not in nanoseconds"
    names = [row["Kernel Name"].split("(")[0] for row in rows]
    assert names == kernels, f"{len(names)} launches, not these"
    return [float(row["Metric Value"].replace(",", "")) / 1e3 for row in rows]


def nsight_compute():
    """Watches this script, whose kernels the other tools time. (The suite's own programs mix their
    methods, and a kernel behind the blocker cannot be watched: it would wait for the profiler.)"""
    seen = {}
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        for _ in range(PROCESSES):
            subprocess.run([*watcher(log, "none", "--kernel-name", "regex:spin|vector_add"),
                            sys.executable, __file__, "--launch"],
                           check=True, stdout=subprocess.DEVNULL)
            us = watched(log, [kernel for kernel, _ in launched() for _ in range(LAUNCHES)])
            for i, (kernel, size) in enumerate(launched()):
                seen.setdefault(("of this script", "warm", kernel, size), []).extend(
                    us[i * LAUNCHES + 1:(i + 1) * LAUNCHES])
    for key, samples in seen.items():
        yield *key, samples


LAUNCHES = 24  # of each kernel under the profilers; the first is left out


def launched():
    return [("spin", us) for us in SPINS_US] + [("vector_add", n) for n in SIZES]


def launch_all():
    """What the profilers watch. works() itself launches each kernel once."""
    import cupy
    for _, _, launch in works():
        for _ in range(LAUNCHES - 1):
            launch()
        cupy.cuda.Device().synchronize()


def cupti():
    """CUPTI's activity records, through torch.profiler."""
    import torch
    for kernel, size, launch in works():
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(RUNS):
                launch()
            torch.cuda.synchronize()
        with tempfile.NamedTemporaryFile(suffix=".json") as trace:
            profile.export_chrome_trace(trace.name)
            events = json.load(open(trace.name))["traceEvents"]
        samples = [e["dur"] for e in events if e.get("cat") == "kernel" and kernel in e["name"]]
        assert len(samples) == RUNS, f"{len(samples)} records of {RUNS}"
        yield "activity record", "warm", kernel, size, samples


def do_bench():
    import triton.testing
    for kernel, size, launch in works():
        samples = triton.testing.do_bench(on_torchs_stream(launch), return_mode="all")
        yield "do_bench", "written", kernel, size, [ms * 1e3 for ms in samples]


def do_bench_cudagraph():
    import torch
    import triton.testing
    with torch.cuda.stream(torch.cuda.Stream()):
        for kernel, size, launch in works():
            samples = triton.testing.do_bench_cudagraph(on_torchs_stream(launch),
                                                        return_mode="all")
            yield "do_bench_cudagraph", "warm", kernel, size, [ms * 1e3 for ms in samples]


def cupyx():
    from cupyx.profiler import benchmark
    for kernel, size, launch in works():
        result = benchmark(launch, (), n_repeat=RUNS, n_warmup=10)
        yield "benchmark", "warm", kernel, size, [s * 1e6 for s in result.gpu_times[0]]


def nvbench():
    """nvbench's cold measurement: behind a blocking kernel, the L2 flushed by a memset."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/nvbench.csv"
        subprocess.run([sys.executable, __file__, "--nvbench", "--csv", path], check=True,
                       stdout=subprocess.DEVNULL)
        for row in csv.DictReader(open(path)):
            kernel, size = list(launched())[int(row["work"])]
            yield "cold", "written", kernel, size, [float(row["GPU Time (sec)"]) * 1e6]


def run_nvbench(arguments):
    import cuda.bench as bench
    import cupy
    every_work = list(works())

    def timed(state):
        launch = every_work[state.get_int64("work")][2]

        def launcher(on):
            with cupy.cuda.ExternalStream(on.get_stream().addressof()):
                launch()
        state.exec(launcher)
    bench.register(timed).add_int64_axis("work", list(range(len(every_work))))
    bench.run_all_benchmarks([sys.argv[0], *arguments])


def in_its_own_process(tool):
    """So that no tool disturbs the next."""
    def rows():
        lines = subprocess.run([sys.executable, __file__, "--tool", tool.__name__], check=True,
                               capture_output=True, text=True).stdout.splitlines()
        return [json.loads(line) for line in lines]
    return rows


def version(*modules):
    import importlib.metadata
    return " ".join(f"{m} {importlib.metadata.version(m)}" for m in modules)


def ncu_version():
    out = subprocess.run(["ncu", "--version"], capture_output=True, text=True, check=True).stdout
    return out.splitlines()[-1].split()[1]


def print_tables(path):
    """What came of it, a line for each tool and a column for each size: how far each is from the
    spins' length; what each says of vector_add; and where Nsight Compute had the cache in the same
    state, how far each is from it."""
    with open(path) as stream:
        rows = [r for r in csv.DictReader(stream)
                if r["method"] not in ("host_no_sync", "cpu_clock", "event_blocked")]
    tables = []

    def add_table(title, cells, form, marked=()):
        names, sizes = dict.fromkeys(at[:2] for at in cells), sorted({at[2] for at in cells})
        lines = [title, "", f"{'tool and method':36}" + "".join(f"{n:>10}" for n in sizes)]
        for name in names:
            numbers = [format(cells[(*name, n)], form) + "*" * ((*name, n) in marked) for n in sizes]
            lines.append(f"{' '.join(name):36}" + "".join(f"{number:>10}" for number in numbers))
        tables.append("\n".join(lines))

    def medians(kernel, cache):
        return {(r["tool"], r["method"], int(r["size"])): float(r["median_us"])
                for r in rows if (r["kernel"], r["cache"]) == (kernel, cache)}

    spins = {**medians("spin", "written"), **medians("spin", "warm")}
    order = dict.fromkeys((r["tool"], r["method"]) for r in rows)
    add_table("Spins of known length: medians less the length, in us",
              {at: spins[at] - at[2] for name in order for at in spins if at[:2] == name}, "+.2f")
    for cache, title in (("warm", "vector_add by number of floats, L2 warm, medians in us"),
                         ("flushed", "... L2 flushed, nothing in it to be written back"),
                         ("written", "... L2 full of other data that is to be written back")):
        us = medians("vector_add", cache)
        add_table(title, us, ".2f")
        # Each is held against what Nsight Compute says of the same program.
        off = {}
        for tool, method, n in us:
            program = "of this suite" if tool.startswith("this suite") else "of this script"
            truth = us.get(("Nsight Compute", program, n))
            if truth and tool != "Nsight Compute":
                off[tool, method, n] = us[tool, method, n] - truth
        if not off:
            continue
        # Of those that, as users have them, run in processes of their own.
        rivals = [at for at in off if at[0] not in ("CUPTI", "this suite watched")]
        closest = [min((at for at in rivals if at[2] == n), key=lambda at: abs(off[at]))
                   for n in {at[2] for at in rivals}]
        several = len({at[:2] for at in rivals}) > 1
        add_table("... less Nsight Compute's of the same program"
                  + "; * the closest that nothing watched" * several,
                  off, "+.2f", closest if several else ())
    print("\n\n".join(tables))


def main():
    if sys.argv[1:2] == ["--table"]:
        return print_tables(sys.argv[2])
    if sys.argv[1:2] == ["--launch"]:
        return launch_all()
    if sys.argv[1:2] == ["--tool"]:
        for row in globals()[sys.argv[2]]():
            print(json.dumps(row))
        return 0
    if sys.argv[1:2] == ["--nvbench"]:
        return run_nvbench(sys.argv[2:])
    if len(sys.argv) != 3:
        sys.exit("usage: compare_tools.py BUILD OUT.csv")
    build, out = sys.argv[1:]
    tools = [("this suite", lambda: "", lambda: suite(build)),
             ("Nsight Compute", ncu_version, nsight_compute),
             ("CUPTI", lambda: version("torch"), in_its_own_process(cupti)),
             ("Triton", lambda: version("triton"), in_its_own_process(do_bench)),
             ("Triton", lambda: version("triton"), in_its_own_process(do_bench_cudagraph)),
             ("cupyx.profiler", lambda: "cupy " + __import__("cupy").__version__,
              in_its_own_process(cupyx)),
             ("nvbench", lambda: version("cuda-bench"), nvbench)]
    failed = False
    with open(out, "w", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["tool", "version", "method", "cache", "kernel", "size", "samples",
                        "median_us", "p5_us", "p95_us"])
        for name, of_version, measure in tools:
            rows = []
            try:
                number = of_version()
                for method, cache, kernel, size, samples in measure():
                    samples = sorted(samples)
                    edge = (len(samples) - 1) * 5 // 100
                    many = len(samples) >= 20  # else it says nothing of the spread
                    rows.append([name, number, method, cache, kernel, size, len(samples),
                                 f"{statistics.median(samples):.3f}",
                                 f"{samples[edge]:.3f}" if many else "",
                                 f"{samples[-1 - edge]:.3f}" if many else ""])
                table.writerows(rows)
                stream.flush()
                say(f"{name}: done")
            except Exception as error:  # a tool that is missing or fails must not end the others
                failed |= name == "this suite"
                say(f"{name}: left out: {type(error).__name__}: {error}")
                if isinstance(error, subprocess.CalledProcessError):
                    say((error.stderr or "")[-800:])
    return int(failed)


if __name__ == "__main__":
    os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")
    sys.exit(main())
