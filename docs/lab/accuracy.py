#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""accuracy.py OUT.csv [PROCESSES]: how right are this suite's methods, and what does each tool say of the same kernel?
accuracy.py --table OUT.csv: what each tool says, as a table.

Needs CuPy, PyTorch, Triton, and Nsight Compute for its rows. The truth is the code by the kernel's stamps in that process.
OUT.csv gets rows of this GPU: medians of 9 PROCESSES in us, with an interval of 95 %, which takes six. `quantity`:
  event_net       minus Nsight Compute's duration, when the code is subtracted from both
  row_slope       minus the cost in a row by the stamps
  while_profiled  the code while torch.profiler records; factor: by the code without it
  a tool's name   what it prints minus what it prints for an empty kernel, minus the code; printed_us: minus the code alone
"""
import csv
import functools
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "docs/copy"))
from compare_trials import rank  # noqa: E402
from record import read  # noqa: E402, from docs/tools, where compare_trials looks

if sys.argv[1:2] == ["--part"]:  # a process that measures
    import cupy
    import numpy
    import torch
    import triton.testing
    from cupyx.profiler import benchmark
THREADS, WARPS, RUNS, RING = 256, 8, 31, 20  # of a block; launches of a kernel, and of how many the stamps are kept
COLUMNS = "device,driver,date,quantity,kernel,blocks,kind,processes,median_us,low_us,high_us,printed_us,factor"
TOOLS = {"suite": "this suite", "nvbench": "nvbench (mean)", "do_bench": "do_bench", "cupyx": "cupyx",
         "torch_profiler": "torch.profiler", "ncu": "Nsight Compute"}  # nvbench: only in the record
NCU = ["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", "none", "--metrics",
       "gpu__time_duration.sum", "--profile-from-start", "off", "--log-file"]
ATOMIC_SUM = """
extern "C" __global__ void stamped_atomic_sum(const unsigned *a, unsigned *sum, size_t n, struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    atomicAdd(sum, a[(size_t)blockIdx.x * blockDim.x + threadIdx.x]);
    stamp(times, start_ns);
}
"""


@functools.cache
def function(name):
    """Of what runs on the device in these files, as it stands there, and of ATOMIC_SUM."""
    part = r"^enum \{ THREADS.*?;|^struct (?:warp_time|gate) \{.*?^\};|^static __(?:device|global)__.*?^\}"
    paths = "common/blocked.h", "04_cuda_events/three_times.cu"
    code = "\n".join(found for path in paths for found in re.findall(part, (ROOT / path).read_text(), re.S | re.M))
    code = code.replace("static __global__", 'extern "C" __global__') + ATOMIC_SUM
    return cupy.RawModule(code=code).get_function(name)


class Kernel:
    """A call launches it; the stamps of its last RING launches are kept."""

    def __init__(self, name, work, blocks, *arguments):
        self.__name__ = self.name = name  # cupyx asks for a __name__
        self.function, self.blocks, self.arguments, self.count = function(work), blocks, arguments, 0
        self.times = cupy.zeros((RING, blocks * WARPS, 2), dtype=cupy.uint64) if work != "empty" else None

    def __call__(self):
        stamps = [] if self.times is None else [self.times[self.count % RING]]
        self.function((self.blocks,), (THREADS,), (*self.arguments, *stamps))
        self.count += 1

    def row(self, method, us):
        """What a method says of it; by its stamps the code's median, and the mean from one start to the next."""
        torch.cuda.synchronize()
        if self.times is None:
            return method, self.name, self.blocks, us, 0, 0
        times = self.times[:min(self.count, RING)].get().astype(int)
        first, last = times[:, :, 0].min(axis=1), times[:, :, 1].max(axis=1)
        assert first.min() > 0, "a warp without stamps"
        row_us = int(numpy.ptp(first)) / (len(first) - 1) / 1e3
        return method, self.name, self.blocks, us, float(numpy.median(last - first)) / 1e3, row_us


def all_kernels():
    """Those of three_times, and a sum with atomics."""
    device = cupy.cuda.Device().attributes
    full = device["MultiProcessorCount"] * (device["MaxThreadsPerMultiProcessor"] // THREADS)
    every = [Kernel("spin_2us", "stamped_spin_blocks", n, numpy.uint64(2000)) for n in (1, full, 8 * full, 64 * full)]
    for n in (1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24):
        a, b, c = cupy.arange(n, dtype="float32") % 4096, cupy.ones(n, "float32"), cupy.zeros(n, "float32")
        every.append(Kernel(f"vector_add_{n}", "stamped_vector_add", n // THREADS, a, b, c, numpy.uint64(n)))
        every[-1]()
        assert bool((c == a + b).all()), "vector_add is wrong"
    a, total = cupy.arange(1 << 22, dtype="uint32") % 16, cupy.zeros(1, "uint32")
    every.append(Kernel(f"atomic_sum_{a.size}", "stamped_atomic_sum", a.size // THREADS, a, total, numpy.uint64(a.size)))
    every[-1]()
    assert int(total[0]) == int(a.sum()), "atomic_sum is wrong"
    return [Kernel("empty", "empty", 1), *every]


def pair_us(launch, launches):
    """Between two events behind the suite's blocker, on the stream that CuPy and PyTorch have by default."""
    memory = cupy.cuda.alloc_pinned_memory(8)
    gate = numpy.frombuffer(memory, numpy.int32, 2)
    gate[:] = 0  # open, gave_up
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    function("block_stream")((1,), (1,), (numpy.uint64(memory.ptr), numpy.uint64(10**9)))
    start.record()
    for _ in range(launches):
        launch()
    stop.record()
    held = not start.query()
    gate[0] = 1
    torch.cuda.synchronize()
    assert held and not gate[1], "the blocker did not hold, or gave up"
    return start.elapsed_time(stop) * 1e3


def suite(kernel):
    empty = Kernel("empty", "empty", 1)
    us = [(pair_us(None, 0), pair_us(empty, 1), pair_us(kernel, 1)) for _ in range(RUNS)]
    floor, empty_us, pair = map(statistics.median, zip(*us))
    yield from (("suite", pair), ("event_net", pair - floor), ("code_minus_empty", pair - empty_us))
    launches = (2, 5, 10, 20)
    slopes = [statistics.linear_regression(launches, [pair_us(kernel, n) for n in launches]).slope for _ in range(RUNS)]
    yield "row_slope", statistics.median(slopes)


def alone(kernel):
    for _ in range(RUNS):
        kernel()
        torch.cuda.synchronize()
    yield "alone", 0


def others(kernel):
    yield "do_bench", triton.testing.do_bench(kernel, warmup=5, rep=20, return_mode="median") * 1e3
    yield "cupyx", 1e6 * statistics.median(benchmark(kernel, (), n_repeat=RUNS, n_warmup=10).gpu_times[0].tolist())


def torch_profiler(kernel):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        list(alone(kernel))
    kernels = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    assert len(kernels) == RUNS, f"{len(kernels)} kernels in {RUNS} launches"
    yield "torch_profiler", statistics.median(e.time_range.elapsed_us() for e in kernels)


def tools():
    """What one process says of each kernel."""
    by_turns, every = [suite, alone, others], all_kernels()
    random.shuffle(by_turns)
    for tool in [*by_turns, torch_profiler]:  # the profiler last: what it leaves in the process must not count for others
        for kernel in every:
            kernel.count = 0
            yield from [kernel.row(*said) for said in tool(kernel)]


def ncu():
    """What a process does that Nsight Compute watches."""
    for kernel in all_kernels():
        kernel.count = 0
        torch.cuda.cudart().cudaProfilerStart()
        list(alone(kernel))
        torch.cuda.cudart().cudaProfilerStop()
        yield kernel.row("ncu", 0)


def nsight_compute(log, rows):
    """ncu's rows, with the times that Nsight Compute has written into its log."""
    us = [float(one["Metric Value"].replace(",", "")) / 1e3 for one in csv.DictReader(line for line in log if line[0] == '"')]
    assert len(us) == RUNS * len(rows), f"Nsight Compute saw {len(us)} launches of {len(rows)} kernels"
    return [(*row[:3], statistics.median(us[i * RUNS:(i + 1) * RUNS]), *row[4:]) for i, row in enumerate(rows)]


def measure(path, processes):
    said = {}  # (method, kernel, blocks): {process: (us, code_us, row_us)}
    with tempfile.TemporaryDirectory() as folder:
        out, log = pathlib.Path(folder, "out"), pathlib.Path(folder, "log")
        for process, part in [(process, part) for process in range(processes) for part in ("tools", "ncu")]:
            command = [*(NCU + [log] if part == "ncu" else []), sys.executable, __file__, "--part", part, out]
            if subprocess.run(["timeout", "200", *command], stdout=subprocess.DEVNULL).returncode:
                print(f"accuracy.py: {part} of process {process} failed: left out", file=sys.stderr)
                continue
            rows = [json.loads(line) for line in out.read_text().splitlines()]
            for method, kernel, blocks, *us in rows if part == "tools" else nsight_compute(log.open(), rows):
                said.setdefault((method, kernel, blocks), {})[process] = us
    assert said, "no process has measured anything"
    about = subprocess.run(["nvidia-smi", "--id=0", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                           capture_output=True, text=True, check=True).stdout.strip().split(", ")
    with open(path, "a", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        stream.write("" if stream.tell() else COLUMNS + "\n")
        for row in rows_of(said):
            table.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in (*about, time.strftime("%F"), *row)])


def rows_of(said):
    """The rows of the record, from `quantity` on."""
    def of(method, kernel, column=0):  # the us; 1: the code's, 2: in a row
        return {process: us[column] for process, us in said.get((method, *kernel), {}).items()}

    def minus(one, other):
        return {process: us - other[process] for process, us in one.items() if process in other}

    def beside_code(method, kernel):  # as far as it is from the code of the same process
        return minus(of(method, kernel), of(method, kernel, 1))

    for kernel in dict.fromkeys(key[1:] for key in said if key[1] != "empty"):
        kind = "real" if kernel[0].startswith("atomic") else "simple"
        profiled, alone_us = of("torch_profiler", kernel, 1), of("alone", kernel, 1)
        rows = [("event_net", minus(beside_code("event_net", kernel), beside_code("ncu", kernel)), "", ""),
                ("row_slope", minus(of("row_slope", kernel), of("row_slope", kernel, 2)), "", ""),
                ("while_profiled", profiled, "", statistics.median([us / alone_us[p] for p, us in profiled.items()] or [0]))]
        for tool in TOOLS:
            printed = beside_code(tool, kernel)
            net = beside_code("code_minus_empty", kernel) if tool == "suite" else minus(printed, of(tool, ("empty", 1)))
            rows.append((tool, net, statistics.median(printed.values() or [0]), ""))
        for quantity, samples, printed_us, factor in filter(lambda row: row[1], rows):
            x, k = sorted(samples.values()), rank(len(samples))
            ends = (x[k - 1], x[-k]) if k else ("", "")
            yield quantity, *kernel, kind, len(x), statistics.median(x), *ends, printed_us, factor


def print_table(path):
    rows = [row for row in read(path).rows if row["printed_us"]]
    for device in dict.fromkeys(row["device"] for row in rows):
        print(f"{device}: what each tool says minus the code, in us. Of nine simple kernels the least and the greatest\n\n"
              f"{'tool':16}{'simple, as printed':>20}{'simple, minus empty':>21}{'atomic_sum':>12}{'minus empty':>13}")
        for tool, head in TOOLS.items():
            us = [[float(row[column]) for row in rows if (row["device"], row["quantity"], row["kind"]) == (device, tool, kind)]
                  for kind in ("simple", "real") for column in ("printed_us", "median_us")]
            if us[0]:
                print(f"{head:16}{f'{min(us[0]):+.2f} to {max(us[0]):+.2f}':>20}"
                      f"{f'{min(us[1]):+.2f} to {max(us[1]):+.2f}':>21}{us[2][0]:+12.2f}{us[3][0]:+13.2f}")
        print()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--part"]:
        pathlib.Path(sys.argv[3]).write_text("".join(json.dumps(row) + "\n" for row in globals()[sys.argv[2]]()))
    elif len(sys.argv) not in (2, 3) or sys.argv[-1:] == ["--table"] or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    elif sys.argv[1] == "--table":
        print_table(sys.argv[2])
    else:
        measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 9)
