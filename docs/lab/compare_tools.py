#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_tools.py OUT.csv [--seconds 240]: the same kernels by this suite's method and by the tools that people use.
accuracy_tables.py says what came of it; docs/accuracy.md explains it.

A row of OUT.csv is what one tool says of one kernel in one process: `us`, the median of its samples, and `mean_us`;
`code_us` and `row_us` are by the kernel's own stamps in that very process: from its first instruction to its last, the
median; and from one launch's start to the next one's, the mean. So a tool that slows the kernel is seen to do so.
Kernels of a library have no stamps. The kernel `empty` does nothing; for `nothing` not even that is launched.

When the seconds are over, the process that runs is ended; what was measured stays. With the same OUT.csv again, it goes
on. A tool that is missing is named on stderr and in OUT.csv.
"""
import collections
import csv
import ctypes
import functools
import importlib.metadata
import importlib.util
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs/tools"))
from record import read  # noqa: E402

SIZES = [1 << k for k in (14, 18, 20, 22, 24)]
SPIN_NS = 2000
THREADS, WARPS = 256, 8
RUNS = 31     # launches of a kernel, where we decide; 7 of a kernel of milliseconds
WATCHED = 11  # under Nsight Compute, which takes milliseconds for each
RING = 20     # launches whose stamps are kept
LONGEST_S = 100  # of a process: one that hangs leaves time for the others
COLUMNS = ["tool", "version", "process", "method", "kernel", "blocks", "stamps", "us", "code_us", "row_us", "at_once",
           "mean_us"]


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- The kernels: those of three_times, compiled by CuPy; a sum with atomics; PyTorch's ----

ATOMIC_SUM = """
extern "C" __global__ void atomic_sum(const unsigned *a, unsigned *sum, size_t n) {
    atomicAdd(sum, a[(size_t)blockIdx.x * blockDim.x + threadIdx.x]);
}
extern "C" __global__ void stamped_atomic_sum(const unsigned *a, unsigned *sum, size_t n, struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    atomicAdd(sum, a[(size_t)blockIdx.x * blockDim.x + threadIdx.x]);
    stamp(times, start_ns);
}
extern "C" __global__ void empty() {}
"""


def source():
    """The device's part of the headers, as it stands there."""
    parts = []
    for path, pattern in (
            ("04_cuda_events/spin.h", r"^static __device__ unsigned long long globaltimer_ns.*?^}"),
            ("04_cuda_events/spin.h", r"^static __device__ unsigned long long spin_for.*?^}"),
            ("04_cuda_events/stamped.h", r"^enum \{ THREADS.*?;"),
            ("04_cuda_events/stamped.h", r"^struct warp_time \{.*?^};"),
            ("04_cuda_events/stamped.h", r"^static __device__ void stamp\(.*?^}"),
            ("04_cuda_events/stamped.h", r"^/\* Each block takes.*?(?=^/\* ---- The work)"),
            ("common/vectors.h", r"^static __global__ void vector_add\(.*?^}"),
            ("04_cuda_events/blocker.h", r"^struct gate \{.*?^};"),
            ("04_cuda_events/blocker.h", r"^static __global__ void block_stream.*?^}")):
        parts.append(re.search(pattern, (ROOT / path).read_text(), re.S | re.M)[0])
    return "\n".join(parts).replace("static __global__", 'extern "C" __global__') + ATOMIC_SUM


@functools.cache
def module():
    import cupy
    return cupy.RawModule(code=source())


def launch_empty():
    module().get_function("empty")((1,), (THREADS,), ())


class Kernel:
    """A call launches it; the stamps of the last RING launches are kept, if it makes any."""

    def __init__(self, name, blocks, launch, stamped=False):
        import cupy
        self.__name__ = self.name = name  # cupyx asks for a __name__
        self.blocks, self.launch, self.count = blocks, launch, 0
        self.times = cupy.zeros((RING, blocks * WARPS, 2), dtype=cupy.uint64) if stamped else None
        self.last = ("", "", "")

    def __call__(self):
        self.launch(*([] if self.times is None else [self.times[self.count % RING]]))
        self.count += 1

    def forget(self):
        import cupy
        self.count = 0
        if self.times is not None:
            self.times.fill(0)
        cupy.cuda.Device().synchronize()

    def stamps(self):
        """(code_us, row_us, at_once), of the launches that are kept; at_once: blocks at one time."""
        import cupy
        import numpy
        cupy.cuda.Device().synchronize()
        if self.times is None or self.count == 0:
            return self.last
        times = self.times[:min(self.count, RING)].get()
        first, last = times[:, :, 0].min(axis=1), times[:, :, 1].max(axis=1)
        assert first.min() > 0, "a warp without stamps"
        one = times[0]  # +1 where a warp starts, -1 where it ends; at one time the ends first
        at = numpy.concatenate([one[:, 0], one[:, 1]])
        step = numpy.concatenate([numpy.ones(len(one)), -numpy.ones(len(one))])
        at_once = numpy.cumsum(step[numpy.lexsort((step, at))]).max() / WARPS
        self.last = (float(numpy.median(last - first)) / 1e3, period_us(first.tolist()), round(float(at_once)))
        return self.last


def period_us(starts_ns):
    """From one launch's start to the next one's: the mean, as the slope of a row is one. No number for one launch."""
    return (max(starts_ns) - min(starts_ns)) / (len(starts_ns) - 1) / 1e3 if len(starts_ns) > 1 else ""


def our_kernel(name, function, stamped, blocks, *arguments):
    function = module().get_function("stamped_" * stamped + function)
    return Kernel(name, blocks, lambda *times: function((blocks,), (THREADS,), (*arguments, *times)), stamped)


def spins(stamped, eighths):
    """Of so many eighths of a full device, or of one block."""
    import cupy
    import numpy
    device = cupy.cuda.Device().attributes
    full = device["MultiProcessorCount"] * (device["MaxThreadsPerMultiProcessor"] // THREADS)
    for many in eighths:
        yield our_kernel("spin_2us", "spin_blocks", stamped, max(1, full * many // 8), numpy.uint64(SPIN_NS))


def our_kernels(stamped):
    import cupy
    import numpy
    yield from spins(stamped, (0, 8, 8 * 8, 8 * 64))
    for n in SIZES:
        a, b = cupy.arange(n, dtype=cupy.float32) % 4096, cupy.ones(n, dtype=cupy.float32)
        c = cupy.zeros(n, dtype=cupy.float32)
        k = our_kernel(f"vector_add_{n}", "vector_add", stamped, n // THREADS, a, b, c, numpy.uint64(n))
        k()
        assert bool((c == a + b).all()), "vector_add is wrong"
        yield k
    n = SIZES[3]
    a, total = cupy.arange(n, dtype=cupy.uint32) % 16, cupy.zeros(1, dtype=cupy.uint32)
    k = our_kernel(f"atomic_sum_{n}", "atomic_sum", stamped, n // THREADS, a, total, numpy.uint64(n))
    k()
    assert int(total[0]) == int(a.sum()), "atomic_sum is wrong"
    yield k


def torchs_kernels():
    """The matrix product of 5 ms is the last one: most likely its load lowers the clock for a while."""
    import torch
    torch.manual_seed(1)

    def matrix_product(n):
        a, b, c = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        torch.mm(a, b, out=c)
        assert torch.allclose(c[0].float(), a[0].float() @ b.float(), rtol=0.02, atol=0.02 * n**0.5), "mm is wrong"
        return Kernel(f"mm_{n}", 0, lambda: torch.mm(a, b, out=c))
    x = torch.randn(4096, 4096, device="cuda")
    y = torch.empty_like(x)
    torch.softmax(x, 1, out=y)
    assert torch.allclose(y.sum(1), torch.ones(4096, device="cuda"), atol=1e-3), "softmax is wrong"
    yield matrix_product(1024)  # about 5 us
    yield Kernel("softmax_4096", 0, lambda: torch.softmax(x, 1, out=y))
    yield matrix_product(12288)


def all_kernels():
    every = [Kernel("empty", 1, launch_empty), *our_kernels(True), *torchs_kernels()]
    for kernel in every:
        kernel()
        kernel.forget()
    return every


# ---- The tools: each yields (method, samples in us), for one kernel ----

@functools.cache
class Pair:
    """Two events behind the suite's blocker, on the stream that CuPy and PyTorch have by default."""

    def __init__(self):
        import cupy
        import numpy
        import torch
        self.memory = cupy.cuda.alloc_pinned_memory(8)
        self.gate = numpy.frombuffer(self.memory, dtype=numpy.int32, count=2)  # open, gave_up
        self.arguments = (numpy.uint64(self.memory.ptr), numpy.uint64(1000000000))
        self.block_stream = module().get_function("block_stream")
        self.start, self.stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def us(self, launch, launches):
        import torch
        self.gate[:] = 0
        self.block_stream((1,), (1,), self.arguments)
        self.start.record()
        for _ in range(launches):
            launch()
        self.stop.record()
        held = not self.start.query()
        self.gate[0] = 1
        torch.cuda.synchronize()
        assert held and not self.gate[1], "the blocker did not hold, or gave up"
        return self.start.elapsed_time(self.stop) * 1e3


def runs_of(kernel):
    return 7 if kernel.name == "mm_12288" else RUNS


def slope(row_us):
    """Of the line through {launches: us}."""
    x, y = statistics.mean(row_us), statistics.mean(row_us.values())
    return sum((n - x) * (us - y) for n, us in row_us.items()) / sum((n - x)**2 for n in row_us)


def suite(kernel):
    pair, runs = Pair(), runs_of(kernel)
    us = [(pair.us(None, 0), pair.us(launch_empty, 1), pair.us(kernel, 1)) for _ in range(runs)]
    floor = statistics.median(f for f, _, _ in us)
    empty = statistics.median(e for _, e, _ in us)
    yield "floor", [floor]
    yield "event_net", [u - floor for _, _, u in us]
    yield "code_minus_empty", [u - empty for _, _, u in us]
    yield "row_slope", [slope({n: pair.us(kernel, n) for n in (2, 5, 10, 20)}) for _ in range(runs)]


def not_recorded(kernel):
    import torch
    for _ in range(runs_of(kernel)):
        kernel()
        torch.cuda.synchronize()
    yield "not recorded", []


def do_bench(kernel):
    """As it is; then with a pause of 0.1 ms behind its write to the L2, and with this pause alone: a blocker, behind
    which the GPU cannot wait for the host."""
    import torch
    import triton.testing
    active = triton.runtime.driver.active
    clear_cache = active.clear_cache

    def write_and_pause(cache):
        clear_cache(cache)
        torch.cuda._sleep(200000)
    for method, before in (("do_bench", clear_cache), ("do_bench blocked", write_and_pause),
                           ("do_bench blocked without write", lambda cache: torch.cuda._sleep(200000))):
        active.clear_cache = before
        try:
            samples = triton.testing.do_bench(kernel, warmup=5, rep=20, return_mode="all")
        finally:
            active.clear_cache = clear_cache
        yield method, [ms * 1e3 for ms in samples]


@functools.cache
def cupys_stream(address):
    """CuPy's object for another library's stream; kept to the end, for a Stream may destroy what it stands for."""
    import cupy

    class Other:
        def __cuda_stream__(self):
            return 0, address  # 0: the protocol's version
    from_external = getattr(cupy.cuda.Stream, "from_external", None)  # CuPy 14; before it, ExternalStream
    return from_external(Other()) if from_external else cupy.cuda.ExternalStream(address)


def on_torchs_stream(kernel):
    """CuPy launches on its own current stream, which is not PyTorch's where that one is another."""
    import torch

    def launch():
        with cupys_stream(torch.cuda.current_stream().cuda_stream):
            kernel()
    return launch


def do_bench_cudagraph(kernel):
    import triton.testing
    samples = triton.testing.do_bench_cudagraph(on_torchs_stream(kernel), rep=10, return_mode="all")
    yield "do_bench_cudagraph", [ms * 1e3 for ms in samples]


def do_bench_proton(kernel):
    import triton.testing
    yield "do_bench_proton", [triton.testing.do_bench_proton(kernel, warmup=5, rep=20, return_mode="median") * 1e3]


def cupyx(kernel):
    from cupyx.profiler import benchmark
    yield "benchmark", [s * 1e6 for s in benchmark(kernel, (), n_repeat=runs_of(kernel), n_warmup=10).gpu_times[0]]


def each_launch(samples, launches):
    """A launch may be several kernels."""
    many, rest = divmod(len(samples), launches)
    assert many > 0 and rest == 0, f"{len(samples)} kernels in {launches} launches"
    return [sum(samples[i:i + many]) for i in range(0, len(samples), many)]


def cupti(kernel):
    """CUPTI's activity records, through torch.profiler."""
    import torch
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(runs_of(kernel)):
            kernel()
            torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as trace:
        profile.export_chrome_trace(trace.name)
        events = [e for e in json.load(open(trace.name))["traceEvents"] if e.get("cat") == "kernel"]
    yield "activity record", each_launch([e["dur"] for e in sorted(events, key=lambda e: e["ts"])], runs_of(kernel))


@functools.cache
class SerialRecords:
    """CUPTI from C: records of the kind KERNEL, which watches no concurrent kernels. `us` has a time for each."""
    KERNEL, START = 3, 16  # cupti_activity.h: CUPTI_ACTIVITY_KIND_KERNEL; where start and end stand, in ns

    def __init__(self):
        self.lib, self.us, self.buffers = ctypes.CDLL("libcupti.so.13"), [], {}
        size_p = ctypes.POINTER(ctypes.c_size_t)

        @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), size_p, size_p)
        def requested(buffer, size, records):
            room = (ctypes.c_uint64 * (1 << 18))()
            buffer[0], size[0], records[0] = ctypes.addressof(room), ctypes.sizeof(room), 0
            self.buffers[ctypes.addressof(room)] = room

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
        def completed(_context, _stream, buffer, _size, used):
            one = ctypes.c_void_p()
            while self.lib.cuptiActivityGetNextRecord(ctypes.c_void_p(buffer), ctypes.c_size_t(used),
                                                      ctypes.byref(one)) == 0:
                if ctypes.c_uint32.from_address(one.value).value == self.KERNEL:
                    start_ns, end_ns = (ctypes.c_uint64 * 2).from_address(one.value + self.START)
                    self.us.append((end_ns - start_ns) / 1e3)
            del self.buffers[buffer]
        self.callbacks = requested, completed  # as long as CUPTI may call them
        self.check(self.lib.cuptiActivityRegisterCallbacks(*self.callbacks))
        self.check(self.lib.cuptiActivityEnable(self.KERNEL))

    def check(self, code):
        assert code == 0, f"CUPTI says {code}"

    def flush(self):
        self.check(self.lib.cuptiActivityFlushAll(1))


def cupti_serial(kernel):
    import torch
    records = SerialRecords()
    records.flush()
    records.us.clear()
    for _ in range(runs_of(kernel)):
        kernel()
        torch.cuda.synchronize()
    records.flush()
    yield "serial record", each_launch(records.us, runs_of(kernel))


def row(kernel, method, samples):
    known = [x for x in samples if x == x]
    median, mean = (statistics.median(known), statistics.mean(known)) if known else ("", "")
    found = (method, kernel.name, kernel.blocks, "yes" if kernel.times is not None else "no", median,
             *kernel.stamps(), mean)
    kernel.count = 0  # the samples of one process that follow without a launch have the same stamps
    return found


# ---- What one process does: each yields rows ----

def many_tools():
    every = all_kernels()
    nothing = Kernel("nothing", 0, lambda: None)
    tools = [suite, not_recorded, do_bench, do_bench_cudagraph, do_bench_proton, cupyx]
    random.shuffle(tools)
    more = list(spins(True, range(1, 8)))
    for tool in [*tools, cupti]:  # CUPTI last: what it leaves in the process must not count for others
        begin = time.monotonic()
        for kernel in [*every, *([nothing] if tool in (do_bench, cupyx) else
                                 more if tool in (not_recorded, cupti) else [])]:
            try:
                kernel.forget()
                for method, samples in tool(kernel):
                    yield row(kernel, method, samples)
            except (ImportError, AttributeError) as error:
                say(f"{tool.__name__}: left out: {error}")
                break
            except Exception as error:  # of this tool and this kernel: the others go on
                say(f"{tool.__name__}, {kernel.name}: left out: {type(error).__name__}: {error}")
        say(f"    {tool.__name__}: {time.monotonic() - begin:.1f} s")


def serial_cupti():
    for kernel in all_kernels():
        for method, samples in cupti_serial(kernel):
            yield row(kernel, method, samples)


def nvbench():
    """nvbench's cold measurement: behind a blocking kernel, the L2 flushed by a memset. Its time is a mean."""
    import cuda.bench as bench
    import torch
    every, stamps = all_kernels(), {}

    def timed(state):
        work = state.get_int64("work")

        def launcher(on):
            stream = on.get_stream().addressof()
            with cupys_stream(stream), torch.cuda.stream(torch.cuda.ExternalStream(stream)):
                every[work]()
        state.exec(launcher, batched=False)
        stamps[work] = every[work].stamps()
    bench.register(timed).add_int64_axis("work", list(range(len(every))))
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        bench.run_all_benchmarks([sys.argv[0], "--min-time", "0.02", "--timeout", "4", "--csv", out.name])
        for line in csv.DictReader(open(out.name)):
            kernel, us = every[int(line["work"])], float(line["GPU Time (sec)"]) * 1e6
            yield ("cold", kernel.name, kernel.blocks, "yes" if kernel.times is not None else "no", us,
                   *stamps[int(line["work"])], us)


def watched():
    """What Nsight Compute watches, and beside it the suite's pair, which it does not."""
    import torch
    separator = module().get_function("block_stream")  # a launch between two kernels, to tell them apart
    pair, rows, every = Pair(), [], [*all_kernels(), *our_kernels(False)]
    for kernel in every:
        kernel()
        kernel.forget()
        torch.cuda.cudart().cudaProfilerStart()
        for _ in range(WATCHED):
            kernel()
            torch.cuda.synchronize()
        pair.gate[:] = 1
        separator((1,), (1,), pair.arguments)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()
        rows.append(row(kernel, "duration", []))
        for method, samples in suite(kernel):
            rows.append(row(kernel, "beside: " + method, samples))
    return rows


def nsight_compute(log, rows):
    """From ncu's log the duration and SM active of each launch of the rows that `watched` has made."""
    with open(log) as stream:
        lines = list(csv.DictReader(line for line in stream if line.startswith('"')))
    launches = collections.defaultdict(dict)
    for line in lines:
        launches[int(line["ID"])][line["Metric Name"]] = float(line["Metric Value"].replace(",", ""))
        launches[int(line["ID"])]["name"] = line["Kernel Name"].split("(")[0]
    groups = [[]]
    for i in sorted(launches):
        if launches[i]["name"] == "block_stream":
            groups.append([])
        else:
            groups[-1].append(launches[i])
    kernels = [r for r in rows if r[0] == "duration"]
    assert len(groups) == len(kernels) + 1 and not groups[-1], f"{len(groups)} groups of {len(kernels)} kernels"
    for (_, *kernel, _, code_us, _, _, _), group in zip(kernels, groups):
        durations = [one["gpu__time_duration.sum"] / 1e3 for one in group]
        active = [us * one["sm__cycles_active.max"] / one["sm__cycles_elapsed.max"]
                  for us, one in zip(durations, group)]
        for method, samples in (("duration", durations), ("SM active", active)):
            samples = each_launch(samples, WATCHED)
            yield (method, *kernel, statistics.median(samples), code_us, "", "", statistics.mean(samples))
    yield from (r for r in rows if r[0] != "duration")


NCU = ["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", "none",
       "--profile-from-start", "off", "--metrics",
       "gpu__time_duration.sum,sm__cycles_active.max,sm__cycles_elapsed.max", "--log-file"]


def in_this_process(tool, path):
    """What --tool runs: imports what takes seconds, waits for its turn, writes rows as they come."""
    for name in ("cupy", "cupyx.profiler", "torch", "torch.profiler", "triton.testing"):
        if importlib.util.find_spec(name.split(".")[0]):
            __import__(name)
    if tool != "watched":
        sys.stdin.readline()
    with open(path, "w") as rows:
        for one in globals()[tool]():
            rows.write(json.dumps(one) + "\n")
            rows.flush()


# ---- All processes, in rounds, until the time is over ----

def versions():
    """({a kind of process: the versions of its tools}, {a tool that is missing: why})."""
    packages = sorted({f"{d.metadata['Name']} {d.version}" for d in importlib.metadata.distributions()})
    cupti = " ".join(p for p in packages if p.startswith("nvidia-cuda-cupti"))
    python = " ".join(p for p in packages if p.startswith(("cupy", "torch ", "triton ", "nvidia-cuda-cupti")))
    of = {"many_tools": lambda: python,
          "serial_cupti": lambda: cupti, "nvbench": lambda: "cuda-bench " + importlib.metadata.version("cuda-bench"),
          "watched": lambda: "ncu " + subprocess.run(["ncu", "--version"], capture_output=True, text=True,
                                                     check=True).stdout.splitlines()[-1].split()[1]}
    found, missing = {}, {}
    for tool, ask in of.items():
        try:
            found[tool] = ask()
        except Exception as error:
            missing[tool] = f"{type(error).__name__}: {error}"
    for program in ("nsys", "nvbench-compare-robust"):
        if not shutil.which(program):
            missing[program.replace("-", "_")] = "no such program here"
    triton = importlib.util.find_spec("triton")
    if not triton or "do_bench_proton" not in pathlib.Path(triton.origin).with_name("testing.py").read_text():
        missing["do_bench_proton"] = "this Triton does not have it"
    return found, missing


def start(tool, rows):
    command = [sys.executable, __file__, "--tool", tool, rows]
    return subprocess.Popen([*NCU, rows + ".log", *command] if tool == "watched" else command, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)


def end_of(process):
    """Ends it, with what it has started: they are a session of their own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def finish(tool, process, rows, seconds):
    """The rows of this process; of one that fails or takes longer those that it has written until then."""
    try:
        process.communicate("go\n", timeout=max(1, seconds))
    except subprocess.TimeoutExpired:
        say(f"{tool}: ended: it took {seconds:.0f} s")
    end_of(process)
    found = []
    if pathlib.Path(rows).exists():
        with open(rows) as stream:
            found = [json.loads(line) for line in stream if line.endswith("\n")]
    if tool == "watched":
        try:
            found = list(nsight_compute(rows + ".log", found))
        except Exception as error:
            say(f"{tool}: left out: {type(error).__name__}: {error}")
            found = []
    return found


def measure(out, seconds):
    end, old = time.monotonic() + seconds, pathlib.Path(out).exists() and pathlib.Path(out).stat().st_size > 0
    first = 1 + max((int(r["process"]) for r in read(out).rows), default=-1) if old else 0
    found, missing = versions()
    for tool, why in missing.items():
        say(f"{tool}: left out: {why}")
    jobs = []  # in rounds; what takes long and repeats well, in every second one
    for turn in range(1000):
        kinds = [tool for tool in found if tool == "many_tools" or turn % 2 == 0]
        jobs += [(tool, first + turn) for tool in random.sample(kinds, len(kinds))]
    took, failures = collections.Counter(), collections.Counter()
    with open(out, "a", newline="") as stream, tempfile.TemporaryDirectory() as folder:
        table = csv.writer(stream, lineterminator="\n")
        if not old:
            device, driver = subprocess.run(
                ["nvidia-smi", "--id=0", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                capture_output=True, text=True, check=True).stdout.strip().split(", ")
            stream.write(f"# device,{device}\n# driver,{driver}\n# date,{time.strftime('%Y-%m-%d')}\n")
            stream.writelines(f"# left_out_{tool},{why.splitlines()[0]}\n" for tool, why in missing.items())
            table.writerow(COLUMNS)
        waiting = {}
        for i, (tool, process) in enumerate(jobs):
            for j in range(i, len(jobs))[:2]:  # the next one only imports, until its turn; under ncu that would count
                if j not in waiting and (j == i or jobs[j][0] != "watched") and failures[jobs[j][0]] < 2:
                    waiting[j] = start(jobs[j][0], f"{folder}/{j}")
            if i not in waiting:
                continue
            begin = time.monotonic()
            if end - begin < took[tool]:
                break
            rows = finish(tool, waiting[i], f"{folder}/{i}", min(end - begin, LONGEST_S))
            took[tool] = time.monotonic() - begin
            failures[tool] += not rows
            for method, kernel, blocks, stamps, us, code_us, row_us, at_once, mean_us in rows:
                us, code_us, row_us, mean_us = ("" if x == "" else f"{x:.3f}" for x in (us, code_us, row_us, mean_us))
                table.writerow([tool, found[tool], process, method, kernel, blocks, stamps, us, code_us, row_us,
                                at_once, mean_us])
            stream.flush()
            say(f"{tool} {process}: {len(rows)} rows in {took[tool]:.1f} s")
        for process in waiting.values():
            end_of(process)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--tool"]:
        sys.exit(in_this_process(*sys.argv[2:]))
    if len(sys.argv) not in (2, 4) or sys.argv[1].startswith("--") or sys.argv[2:3] not in ([], ["--seconds"]):
        sys.exit("usage: compare_tools.py OUT.csv [--seconds N]")
    sys.exit(measure(sys.argv[1], int(sys.argv[3]) if len(sys.argv) == 4 else 240))
