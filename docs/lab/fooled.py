#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fooled.py: thirteen launches that lie about their time (fooled.cu), each timed by seven harnesses.

Prints the matrix of fooled.md; on stderr stands what the harnesses say. Needs an NVIDIA GPU, nvcc, cuBLAS, Nsight
Compute, PyTorch and Triton, and some minutes.
"""
import ctypes
import importlib.metadata
import multiprocessing
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/fooled"
LIES = ["nothing_later", "other_stream", "memo", "early", "next_launch", "persisting", "zeros", "small", "async_copy",
        "fails", "first_launches", "half", "flag"]
OTHER = ["early", "persisting", "zeros", "small", "async_copy"]  # each has an honest launch of its own
WATCHED, TIMEOUT_S = 12, 60  # launches that Nsight Compute sees; a process that does not end has noticed


def build():
    """The library, recipe and compare, with the cuBLAS of nvcc's CUDA or, if it has none, of PyTorch's."""
    roots = [pathlib.Path(shutil.which("nvcc")).resolve().parents[1],
             *(pathlib.Path(folder, "nvidia/cu13") for folder in sys.path)]
    root = next(root for root in roots if (root / "include/cublas_v2.h").exists())
    cublas = next(root.glob("lib*/libcublas.so*"))
    flags = [f"-I{root}/include", f"-L{cublas.parent}", f"-Xlinker=-rpath={cublas.parent}", f"-l:{cublas.name}"]
    BUILD.mkdir(parents=True, exist_ok=True)
    for job in (["-shared", "-Xcompiler=-fPIC", "-cudart=shared", "../lab/fooled.cu", "-o", BUILD / "fooled.so"],
                ['-DTIMED="../lab/fooled.cu"', "recipe.cu", "-o", BUILD / "recipe"],
                ['-DCOMPARED="../lab/fooled.cu"', "compare.cu", "-o", BUILD / "compare"]):
        subprocess.run(["nvcc", "-O2", "-arch=native", *job, *flags], cwd=ROOT / "docs/copy", check=True)


# ---- Harnesses in Python: each takes the library of fooled.cu, and returns the time of a launch in us ----

def check(*codes):
    if any(codes):
        raise RuntimeError(f"CUDA errors {codes}")


def host(lib):
    def once_us():
        check(lib.cudaDeviceSynchronize())
        start_ns = time.perf_counter_ns()
        lib.fooled_launch(None)
        check(lib.cudaDeviceSynchronize())
        return (time.perf_counter_ns() - start_ns) / 1e3
    return statistics.median([once_us() for _ in range(111)][10:])  # ten to warm up


def events(lib):
    start, stop, ms = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    check(lib.cudaEventCreate(ctypes.byref(start)), lib.cudaEventCreate(ctypes.byref(stop)))

    def once_us():
        check(lib.cudaEventRecord(start, None))
        lib.fooled_launch(None)
        check(lib.cudaEventRecord(stop, None), lib.cudaEventSynchronize(stop),
              lib.cudaEventElapsedTime(ctypes.byref(ms), start, stop))
        return ms.value * 1e3
    return statistics.median([once_us() for _ in range(111)][10:])


def do_bench(lib):
    import triton.testing  # here: a process that has imported it cannot be forked and use CUDA
    return triton.testing.do_bench(lambda: lib.fooled_launch(None)) * 1e3


def torch_timer(lib):
    import torch.utils.benchmark
    timer = torch.utils.benchmark.Timer("lib.fooled_launch(None)", globals={"lib": lib})
    return timer.blocked_autorange(min_run_time=0.2).median * 1e6


PYTHON = {"host": host, "events": events, "do_bench": do_bench, "torch_timer": torch_timer}
HARNESSES = [*PYTHON, "ncu", "recipe", "compare"]


def watched(lib):  # by Nsight Compute, which prints the times itself
    for launch in range(10 + WATCHED):
        check(lib.cudaProfilerStart() if launch == 10 else 0)
        lib.fooled_launch(None)
        check(lib.cudaDeviceSynchronize())


def library():
    lib = ctypes.CDLL(str(BUILD / "fooled.so"))
    lib.fooled_launch.argtypes, lib.fooled_launch.restype = [ctypes.c_void_p], None
    lib.fooled_set_up()
    return lib


# ---- One lie under one harness, in a process of its own: the time in us, or None if there is none ----

def forked(harness, lie):
    def child():
        os.environ["LIE"] = lie
        lib = library()
        print("ready", file=said, flush=True)  # what fails from now on, the harness has noticed
        print(harness(lib), file=said, flush=True)
    with tempfile.TemporaryFile("w+") as said:
        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join(TIMEOUT_S)
        process.kill()
        said.seek(0)
        ready, *us = said.read().split() or sys.exit(f"LIE={lie}: the library does not start")
    return float(us[0]) if us else None


def found(pattern, lie, *command):  # in what a program prints; nothing if it fails
    done = subprocess.run(["timeout", str(TIMEOUT_S), *map(str, command)], env={**os.environ, "LIE": lie},
                          stdout=subprocess.PIPE, text=True)
    numbers = re.findall(pattern, done.stdout) if done.returncode == 0 else []
    return [float(number.replace(",", "")) for number in numbers]


def timed(harness, lie):
    print(f"-- {lie}, {harness}", file=sys.stderr, flush=True)
    cold = ["--cold"] * ("persisting" in lie)
    if harness in PYTHON:
        return forked(PYTHON[harness], lie)
    if harness == "ncu":  # a launch may be several kernels
        ns = found('"gpu__time_duration.sum","n[a-z]+","([0-9.,]+)"', lie, "ncu", "--csv", "--print-units", "base",
                   "--clock-control", "none", "--profile-from-start", "off", "--metrics", "gpu__time_duration.sum",
                   sys.executable, __file__, "--watched")
        return statistics.mean(ns) / 1e3 * max(1, len(ns) // WATCHED) if ns else None
    us = (found(r"its code: +(\S+) us", lie, BUILD / "recipe", *cold) if harness == "recipe" else
          found(r"# median_b_us,(\S+)", lie, BUILD / "compare", "0.5", "--processes", "1", "--csv", *cold))
    return us[0] if us else None


def shown(us, honest_us):
    """A lie fools the harness if its time is more than 3 us and 5 % from what the same harness gives the honest one."""
    if us is None or honest_us is None:
        return "noticed" if honest_us else "-"
    text = f"{us:.1f}" if us < 100 else f"{us:.0f}"
    return f"({text})" if abs(us - honest_us) > max(3, 0.05 * honest_us) else text


def row(name, cells):
    print(f"{name:<14}", *(f"{cell:>11}" for cell in cells), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--watched"]:
        sys.exit(watched(library()))
    if not shutil.which("nvidia-smi"):
        sys.exit("fooled.py: no NVIDIA GPU here")
    build()
    ask = ["nvidia-smi", "--id=0", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    device, driver = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip().split(", ")
    torch, triton = (importlib.metadata.version(package) for package in ("torch", "triton"))
    print(f"{device}, driver {driver}, PyTorch {torch}, Triton {triton}, {time.strftime('%Y-%m-%d')}. In us.\n"
          "honest: the honest launch. (2.0): the lie fools the harness.\n")
    row("lie", HARNESSES)
    honest = [timed(harness, "honest") for harness in HARNESSES]
    row("  honest", [shown(us, us) for us in honest])
    cells = []
    for lie in LIES:
        own = [timed(harness, f"honest_{lie}") for harness in HARNESSES] if lie in OTHER else honest
        cells.append([shown(timed(harness, lie), us) for harness, us in zip(HARNESSES, own)])
        row(lie, cells[-1])
        if lie in OTHER:
            row("  honest", [shown(us, us) for us in own])
    row("noticed", [column.count("noticed") for column in zip(*cells)])
    row("fooled", [sum(cell.startswith("(") for cell in column) for column in zip(*cells)])
