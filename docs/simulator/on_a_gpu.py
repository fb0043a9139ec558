#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""on_a_gpu.py: what a number is made of, on a GPU and in the model.

A real machine's parts cannot be set, but some can be made longer: a kernel's code, one launch in seven, the host's calls.
Builds cuda_events and warmup so (longer.h), and prints by how much each number grows: on this GPU, in the simulated
machine, and where they are more than 0.1 apart. Needs nvcc and the simulated programs in build/ or build/gpu."""
import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/on_a_gpu"
NS = 5000
CODE = {"block": 1, "late_seventh": 2}  # LONGER_CODE of longer.h; the others are calls of the host
HOST = ["launch_call", "last_error", "record", "sync", "sync_event"]
# Program, options, parts, how often it runs, columns. One block, whose code is the kernel's; and for the host's calls also
# a kernel that takes longer than the step, behind which they hide.
RUNS = [("04_cuda_events/cuda_events", ["--size", "256", "--runs", "49"], [*CODE, *HOST], 3, ["median_us", "mean_us"]),
        ("04_cuda_events/cuda_events", ["--size", "4194304", "--runs", "21"], HOST, 3, ["median_us"]),
        ("06_warmup/warmup", ["--size", "256", "--runs", "3"], [*CODE, "launch_call", "record", "sync_event"], 1,
         ["estimate_us", "steady_us"])]


def build(program):
    """One executable for each LONGER_CODE, from copies of the sources whose kernels end with longer_code()."""
    folder, name = program.split("/")
    copy = BUILD / folder
    shutil.copytree(ROOT / folder, copy, dirs_exist_ok=True)
    shutil.copytree(ROOT / "common", BUILD / "common", dirs_exist_ok=True)
    launch = {"cuda_events": "    if (e->spin_ns > 0)\n", "warmup": "    vector_add<<<"}[name]
    lines = [(copy / f"{name}.cu", "        c[i] = a[i] + b[i];\n", "        c[i] = a[i] + b[i];\n    longer_code(0);\n"),
             (copy / f"{name}.cu", launch, f'    longer_call("launch_call");\n{launch}'),
             (BUILD / "common/blocked.h", "    *ran_ns = spin_for(length_ns);\n",
              "    *ran_ns = spin_for(length_ns);\n    longer_code(1);\n")]
    for path, before, after in lines:
        text = path.read_text()
        if text.count(before) != 1:
            sys.exit(f"on_a_gpu.py: {path.name} has no line '{before.strip()}', or two")
        path.write_text(text.replace(before, after))
    jobs = [subprocess.Popen(["nvcc", "-O2", "-arch=native", f"-DLONGER_NS={NS}", f"-DLONGER_CODE={code}", "-include",
                              ROOT / "docs/simulator/longer.h", f"-I{BUILD}/common", f"{name}.cu", "-o", f"{name}_{code}"],
                             cwd=copy) for code in (0, *CODE.values())]
    if any(job.wait() for job in jobs):
        sys.exit("on_a_gpu.py: nvcc fails")
    return [copy / f"{name}_{code}" for code in (0, *CODE.values())]


def numbers(command, columns, **environment):
    """{(row, column): us} of one run's record."""
    done = subprocess.run([*map(str, command), "--csv"], env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"on_a_gpu.py: {command[0]}: {done.stderr.strip()}")
    rows = list(csv.DictReader(line for line in done.stdout.splitlines() if not line.startswith("#")))
    keys = [key for key in ("method", "kernel", "recipe") if key in rows[0]]
    return {(" ".join(row[key] for key in keys), column): float(row[column]) for row in rows for column in columns}


def medians(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def main():
    simulated = next((path for path in (ROOT / "build/simulated/bin", ROOT / "build/gpu/simulated/bin") if path.exists()), None)
    if not shutil.which("nvidia-smi") or not simulated:
        sys.exit("on_a_gpu.py: no NVIDIA GPU, or no simulated programs in build/")
    ask = ["nvidia-smi", "--id=0", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    device = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    print(f"# device,{device.replace(', ', ' driver ')}\n# date,{time.strftime('%Y-%m-%d')}\n# longer_ns,{NS}")
    print("program,size,row,column,part,on_the_gpu,in_the_model,apart")
    apart = count = 0
    for program, options, parts, times, columns in RUNS:
        programs = build(program)
        def on_the_gpu(part):
            command = [programs[CODE.get(part, 0)], *options]
            return medians([numbers(command, columns, LONGER=part) for _ in range(times)])
        def in_the_model(part, ns):
            return numbers([simulated / program, *options], columns, SIMULATED_TIMES=f"{part}+{ns}")
        real, model = on_the_gpu(""), in_the_model("block", 0)
        for part in parts:
            longer, model_longer = on_the_gpu(part), in_the_model(part, NS)
            for key in real:
                a, b = (1e3 * (after[key] - before[key]) / NS for after, before in ((longer, real), (model_longer, model)))
                if (abs(a) < 0.05 and abs(b) < 0.05) or (key[1] == "mean_us" and part != "late_seventh"):
                    continue  # a mean of few runs has the host's own late ones in it
                count += 1
                apart += abs(a - b) > 0.1
                print(f"{program.split('/')[1]},{options[1]},{key[0]},{key[1]},{part},{a:.2f},{b:.2f},{int(abs(a - b) > 0.1)}")
    print(f"# coefficients,{count}\n# apart,{apart}")


if __name__ == "__main__":
    main()
