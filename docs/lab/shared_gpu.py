#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shared_gpu.py BUILD QUIET SHARED: does a program say so when others use its GPU?

QUIET is a folder of records that docs/results/record.sh made on this machine, alone. Runs each program that times
something on the GPU beside two processes that launch kernels of 200 us without a pause, its record into SHARED. A
number that differs by more than a quarter (and by more than 0.5 us), in a row that does not say 'disturbed', is a
fault. The greatest run of a row and the mean of its runs are left out: they are what one interruption makes of them,
and nobody should quote them. ONLY="NAME ...": these programs alone. Wants nvcc, and some four minutes.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs/tools"))
import record  # noqa: E402

BUSY = r"""
#include <cstdio>
__global__ void spin(long long clocks) { for (const long long start = clock64(); clock64() - start < clocks;); }
int main() {
    while (cudaDeviceSynchronize() == cudaSuccess)
        for (int i = 0; i < 10; i++) spin<<<1056, 128>>>(400000);
}
"""
JUDGED = r"_(us|ms|gb_s)$|clocks|^value$"
MEASURED = r"_(us|ns|ms|percent|gb_s|mhz|w|c)$|clocks|step|^value$|^low$|^high$|ratio|_to_"
LIMIT_S = 150  # of a program: beside others sm_clock takes over 90 s
LEFT_OUT = {"integer_trap", "stamp_errors", "sm_counters", "block_timeline",
            "block_timeline_opencl", "two_gpus"}  # they time nothing, draw one launch, or need another GPU


def programs(build):
    for needs, program in map(str.split, (build / "programs.txt").read_text().splitlines()):
        name = pathlib.Path(program).name
        if needs != "host" and name not in LEFT_OUT and name in os.environ.get("ONLY", name).split() \
                and (build / program).exists():
            yield name, [build / program] + (["--device", "NVIDIA"] if needs == "opencl" else [])


def run(command, path):
    try:
        done = subprocess.run([*command, f"--csv={path}"], capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return 1, f"not done after {LIMIT_S} s"
    return done.returncode, done.stderr.strip()


def numbers(recorded):
    """(row's keys, column) -> number and whether its row is disturbed. A key is a word or a whole number that is no
    measurement; rows with the same keys are counted."""
    found, rows = {}, collections.Counter()
    for row in recorded.rows:
        keys = " ".join(v for n, v in row.items() if "." not in v and not re.search(MEASURED + "|used|disturbed|seed", n))
        rows[keys] += 1
        for column, text in row.items():
            if re.search(JUDGED, column) and not re.match(r"max_|mean_|clocks_max", column) and text:
                found[f"{keys} ({rows[keys]})", column] = float(text), row["disturbed"] == "1"
    return found


def judge(name, command, quiet, folder):
    """Runs a program beside the others; how many of its numbers are off without a mark."""
    code, message = run(command, folder / f"{name}.csv")
    if code:
        print(f"{name}: exit {code}: {message}", flush=True)
        return 0
    alone, shared = (numbers(record.read(where / f"{name}.csv")) for where in (quiet, folder))
    shared = {key: found for key, found in shared.items() if key in alone}
    marked = sum(disturbed for _, disturbed in shared.values())
    off = [(key, alone[key][0], x) for key, (x, disturbed) in shared.items() if not disturbed
           and abs(x - alone[key][0]) > max(0.25 * abs(alone[key][0]), 0.5)]
    print(f"{name}: {len(shared)} numbers, {marked} marked, {len(off)} off without a mark", flush=True)
    for (words, column), a, b in off:
        print(f"    {words} {column}: alone {a:g}, shared {b:g}", flush=True)
    return len(off)


def main():
    build, quiet, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    todo = [(name, command) for name, command in programs(build) if (quiet / f"{name}.csv").exists()]
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        source, busy = pathlib.Path(scratch) / "busy.cu", pathlib.Path(scratch) / "busy"
        source.write_text(BUSY)
        subprocess.run(["nvcc", "-O2", "-arch=native", source, "-o", busy], check=True)
        others = [subprocess.Popen([busy]) for _ in range(2)]
        time.sleep(3)
        try:
            for name, command in todo:
                wrong += judge(name, command, quiet, folder)
        finally:
            for other in others:
                other.kill()
    print(f"{len(todo)} programs, {wrong} faults")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) == 4 else __doc__)
