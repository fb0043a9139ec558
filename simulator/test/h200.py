#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""h200.py BIN [--all]: lays the model of SIMULATED_TIMES=h200 beside the record of the H200, docs/results/nvidia-h200.

Runs the programs of BIN, build/simulated/bin, and compares the rows with h200.txt beside this file, which the README
quotes. Without --all it leaves out those that take long. REFRESH=1 with --all writes h200.txt anew. Exits with 1 if a
row is not as in h200.txt, a number is more than 5 % off (by the host's clock 20 %: its calls vary from process to
process), the clocks do not rise up to the full device and then fall, or `parts` does not say what two of the numbers are
made of.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from record import Record, read  # pylint: disable=C0413

TABLE = pathlib.Path(__file__).with_suffix(".txt")
# program, its options, what names a row, its numbers, whether it takes long
RUNS = [
    ("05_block_clock/block_clock", "--runs 1 --blocks 1,132,1056,16896", ["blocks", "threads"],
     ["clocks_mean", "span_us"], False),
    ("04_cuda_events/cuda_events", "--runs 1", ["method", "kernel"], ["median_us"], False),
    ("04_cuda_events/three_times", "--runs 1 --blocks 1 --size 16384,262144", ["kernel", "blocks", "stamps"],
     ["event_net_us", "row_slope_us"], False),
    ("06_warmup/warmup", "--runs 1", ["recipe"], ["estimate_us"], True),
]
# Of commands.cu, in us, and how far the model may be off in percent.
COMMANDS = [("memset", "1", 10), ("memset", "256", 10), ("device_copy", "1", 10), ("device_copy", "256", 10),
            ("in_a_graph", "128", 10), ("launch", "0", 10)]
PARTS = [  # more times, program, its options, a line of what parts says; each SM, also if there are two, has two blocks
    (",units=2", "05_block_clock/block_clock", "--runs 1 --blocks 4 --column clocks_mean",
     "  clocks_mean = read + 10 barrier_alone + 80 barrier_warp + barrier_first + 10 neighbour"),
    ("", "04_cuda_events/cuda_events", "--size 1000 --runs 1 --column median_us",
     "  median_us = fetch + launch + drain + block + 8 warp + memory + launch_call + 0.002 us"),
]


def run(*command, more=""):
    environment = {"SIMULATED_TIMES": "h200" + more, "PATH": os.environ["PATH"],
                   "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", "/tmp")}
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def rows(bin_folder, program, options, keys, numbers):
    """A line for each number that the record has, and how far off it is in percent."""
    printed = run(bin_folder / program, *options.split())
    name = program.rpartition("/")[2]
    recorded = read(ROOT / f"docs/results/nvidia-h200/{name}.txt")
    for row in Record(program, printed).rows:
        if row.get("stamps") == "yes" or row.get("method") == "cpu_clock_asleep":  # chance, on a GPU too
            continue
        for number in numbers:
            real = recorded.numbers(number, **{key: row[key] for key in keys})
            if not real:  # a row that the program has got since
                continue
            model, real = float(row[number]), statistics.median(real)
            percent = 100 * (model - real) / real
            digits = 2 if number.endswith("_us") else 0
            what = " ".join(row[key] for key in keys if key != "stamps")
            yield (f"{name:12} {what:28} {number:13}{model:9.{digits}f}{real:9.{digits}f}{percent:8.1f}",
                   percent, row, number)


def us_of(printed):
    us = {tuple(line.split()[:2]): float(line.split()[2]) for line in printed.splitlines()[1:]}
    us["in_a_graph", "128"] -= us["in_a_graph", "0"]
    return us


def commands():
    """The same for what is no kernel, and a full queue; and how far it may be off."""
    with tempfile.TemporaryDirectory() as folder:
        run(ROOT / "simulator/simcc", pathlib.Path(__file__).with_name("commands.cu"), "-o", f"{folder}/commands")
        us = us_of(run(f"{folder}/commands"))
    recorded = us_of((ROOT / "docs/results/nvidia-h200/commands.txt").read_text())
    for name, mib, most in COMMANDS:
        model, real = us[name, mib], recorded[name, mib]
        percent = 100 * (model - real) / real
        yield f"{'commands':12} {name + ' ' + mib:28} {'us':13}{model:9.2f}{real:9.2f}{percent:8.1f}", percent, most


def main(bin_folder, *options):
    lines = [f"{'program':12} {'row':28} {'number':13}{'model':>9}{'record':>9}{'percent':>8}"]
    wrong, clocks = [], []
    for *what, takes_long in RUNS:
        if takes_long and "--all" not in options:
            continue
        for line, percent, row, number in rows(pathlib.Path(bin_folder), *what):
            lines.append(line)
            most = 20 if str(row.get("method")).startswith("host") else 5
            wrong += [f"more than {most} % off: {line}"] if abs(percent) > most else []
            clocks += [float(row[number])] if number == "clocks_mean" else []
    for line, percent, most in commands():
        lines.append(line)
        wrong += [f"more than {most} % off: {line}"] if abs(percent) > most else []
    one, per_sm, full, waves = clocks
    wrong += [] if one <= per_sm < full > waves else [f"clocks_mean of 1, 132, 1056 and 16896 blocks: {clocks}"]
    if os.environ.get("REFRESH") and "--all" in options:
        TABLE.write_text("".join(line + "\n" for line in lines))
    known = TABLE.read_text().splitlines() if TABLE.exists() else []
    wrong += [f"not in {TABLE.name}: {line}" for line in lines if line not in known]
    for more, program, options, wanted in PARTS:
        said = run(ROOT / "simulator/parts", pathlib.Path(bin_folder) / program, *options.split(), more=more)
        wrong += [] if wanted in said.splitlines() else [f"parts {program} {options}: no '{wanted}'"]
    print("\n".join(lines))
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)
