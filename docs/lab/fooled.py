#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fooled.py OUT.csv [--seconds 300]: thirteen launches that lie about their time (fooled.cu), each timed by nine
harnesses. Which harness believes the lie, and which one notices? fooled.md shows the result.

    fooled.py OUT.csv --dry-run    what would run, in its order; needs no GPU
    fooled.py --table OUT.csv      the matrix

A row of OUT.csv is one lie under one harness in a process of its own: `us` is the time that the harness reports,
`truth_us` the time of the honest launch by its own stamps. `noticed`: the harness gave no time, but in most
cases an error or a message. A row honest_LIE is the honest launch in the lie's place, where `honest` is another one.
When the seconds are over, what was measured stays. With the same OUT.csv again, it goes on.
A harness that is missing is named on stderr and in OUT.csv.
"""
import csv
import ctypes
import importlib
import importlib.metadata
import importlib.util
import json
import os
import pathlib
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

BUILD = ROOT / "build/fooled"
LIES = ["nothing_later", "other_stream", "memo", "early", "next_launch", "persisting", "zeros", "small", "async_copy",
        "fails", "first_launches", "half", "flag"]
OTHER = ["early", "persisting", "zeros", "small", "async_copy"]  # each has an honest launch of its own
COLUMNS = ["lie", "harness", "us", "truth_us", "noticed", "message"]
COLD = {"persisting"}  # where recipe and compare are asked for cold caches
WATCHED = 12           # launches under a profiler
AHEAD = 8              # so many processes import what they need, while another one measures
TIMEOUT_S = 20


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- The harnesses of Python: each returns what it reports, in us ----

def by_host(lib, _launch):
    return lib.fooled_by_host()


def by_events(lib, _launch):
    return lib.fooled_by_events()


def do_bench(_lib, launch):
    import triton.testing
    return triton.testing.do_bench(lambda: launch(None)) * 1e3


def timer(_lib, launch):
    from torch.utils.benchmark import Timer
    return Timer("launch(None)", globals={"launch": launch}).blocked_autorange(min_run_time=0.2).median * 1e6


def cupyx(_lib, launch):
    from cupyx.profiler import benchmark
    return statistics.mean(benchmark(lambda: launch(None), (), n_repeat=100).gpu_times[0]) * 1e6


def nvbench(_lib, launch):
    import cuda.bench as bench

    def timed(state):
        state.exec(lambda on: launch(on.get_stream().addressof()), batched=False)
    bench.register(timed)
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        bench.run_all_benchmarks([sys.argv[0], "--min-time", "0.1", "--timeout", "2", "--csv", out.name])
        with open(out.name) as stream:
            row = next(csv.DictReader(stream))
    if not row.get("GPU Time (sec)"):
        sys.exit(1)  # nvbench has printed why
    return float(row["GPU Time (sec)"]) * 1e6


def of_records(durations_us):
    """One launch's time of a profiler's records of kernels. A launch may be several kernels."""
    if not durations_us:
        raise RuntimeError("no kernel was recorded")
    kernels = max(1, len(durations_us) // WATCHED)
    return sum(durations_us) * kernels / len(durations_us)


def cupti(lib, _launch):
    import torch
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        lib.fooled_by_profiler(WATCHED)
    with tempfile.NamedTemporaryFile(suffix=".json") as trace:
        profile.export_chrome_trace(trace.name)
        with open(trace.name) as stream:
            events = json.load(stream)["traceEvents"]
    events = sorted((e["ts"], e["dur"]) for e in events if e.get("cat") == "kernel")
    return of_records([us for _, us in events][-WATCHED:])


def ncu(lib, _launch):
    lib.fooled_by_profiler(WATCHED)  # ncu's log has the times


def truth(lib, _launch):
    return lib.fooled_truth_us()


IN_PYTHON = {"host": by_host, "events": by_events, "do_bench": do_bench, "nvbench": nvbench, "cupyx": cupyx,
             "torch_timer": timer, "cupti": cupti, "ncu": ncu, "truth": truth}
IMPORTS = {"do_bench": ["torch", "triton.testing"], "nvbench": ["cuda.bench"], "cupyx": ["cupy", "cupyx.profiler"],
           "torch_timer": ["torch", "torch.utils.benchmark"], "cupti": ["torch", "torch.profiler"]}
HARNESSES = ["host", "events", "do_bench", "nvbench", "cupyx", "torch_timer", "ncu", "recipe", "compare"]


def in_this_process(harness, library, path):
    """What --cell runs: imports what takes seconds, waits for its turn, measures one lie."""
    for name in IMPORTS.get(harness, []):
        importlib.import_module(name)
    if harness != "ncu":
        sys.stdin.readline()
    if "torch" in IMPORTS.get(harness, []):
        sys.modules["torch"].cuda.init()
    lib = ctypes.CDLL(library)  # behind the imports: it takes the CUDA runtime that they have loaded
    lib.fooled_by_host.restype = lib.fooled_by_events.restype = lib.fooled_truth_us.restype = ctypes.c_double
    lib.fooled_launch.argtypes, lib.fooled_launch.restype = [ctypes.c_void_p], None
    lib.fooled_set_up(int(harness == "truth"))
    pathlib.Path(path + ".ready").touch()  # what fails from now on, the harness has noticed

    def launch(stream):
        lib.fooled_launch(stream)
    us = IN_PYTHON[harness](lib, launch)
    pathlib.Path(path).write_text(json.dumps(us))


# ---- One cell: a process that is started, has its turn, and is ended ----

NCU = ["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--profile-from-start", "off", "--metrics",
       "gpu__time_duration.sum", "--log-file"]


def command(lie, harness, path):
    cold = ["--cold"] if lie.removeprefix("honest_") in COLD else []
    if harness == "recipe":
        return [str(BUILD / "recipe"), *cold]
    if harness == "compare":
        return [str(BUILD / "compare"), "0.5", "--processes", "1", "--csv", *cold]
    cell = [sys.executable, str(pathlib.Path(__file__).resolve()), "--cell", harness, str(BUILD / "fooled.so"), path]
    return [*NCU, path + ".log", *cell] if harness == "ncu" else cell


def start(lie, harness, path):
    with open(path + ".out", "w") as out, open(path + ".err", "w") as err:
        return subprocess.Popen(command(lie, harness, path), text=True, stdin=subprocess.PIPE, stdout=out, stderr=err,
                                start_new_session=True, env={"CUDA_VISIBLE_DEVICES": "0", **os.environ, "LIE": lie})


def end_of(process):
    """Ends it, with what it has started: they are a session of their own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def text_of(path):
    return pathlib.Path(path).read_text(errors="replace") if pathlib.Path(path).exists() else ""


def reason(text):
    """The line of a log that says what went wrong, else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"[\w.]+(Error|Exception)\b|==(ERROR|WARNING)== (?!Note)|Warn: ", line)]
    return (named or lines or [""])[-1].replace(f"{ROOT}/", "")[:160]


def reported(harness, path):
    """(us, a message beside it) of a process that ended well."""
    if harness == "recipe":
        return float(re.search(r"its code: +(\S+) us", text_of(path + ".out"))[1]), ""
    if harness == "compare":
        found = dict(re.findall(r"^# (\w+),(.*)$", text_of(path + ".out"), re.M))
        return float(found["median_b_us"]), f"{found['verdict']}; A: {found['median_a_us']} us"
    if harness == "ncu":
        log = text_of(path + ".log")
        lines = csv.DictReader(line for line in log.splitlines() if line.startswith('"'))
        times = [float(line["Metric Value"].replace(",", "")) / 1e3 for line in lines]
        if not times:
            raise RuntimeError(reason(log) or "no kernel in its log")
        return of_records(times), ""
    return float(json.loads(text_of(path))), ""


def finish(process, harness, path, seconds):
    """(us, noticed, message): gives the process its turn. Without a time it has noticed, or could not even begin."""
    late = False
    try:
        process.communicate("go\n", timeout=seconds)
    except subprocess.TimeoutExpired:
        late = True
    end_of(process)
    began = harness not in IN_PYTHON or pathlib.Path(path + ".ready").exists()
    if late:
        return None, began, f"did not end within {seconds:.0f} s"
    if process.returncode:
        log = "\n".join(text_of(path + end) for end in (".log", ".out", ".err"))
        return None, began, reason(log) or f"ended with {process.returncode}"
    try:
        us, message = reported(harness, path)
        return us, False, message
    except Exception as error:  # it gives no time
        return None, True, reason(str(error)) or type(error).__name__


# ---- All cells, until the time is over ----

def versions():
    """({harness: version}, {harness that is missing: why})."""
    found, missing = {}, {}
    packages = {"do_bench": "triton", "nvbench": "cuda-bench", "cupyx": "cupy-cuda13x", "torch_timer": "torch"}
    for harness in HARNESSES:
        try:
            found[harness] = ""
            if harness in packages:
                found[harness] = f"{packages[harness]} {importlib.metadata.version(packages[harness])}"
            elif harness == "ncu":
                found[harness] = "ncu " + subprocess.run(["ncu", "--version"], capture_output=True, text=True,
                                                         check=True).stdout.splitlines()[-1].split()[1]
        except Exception as error:
            del found[harness]
            missing[harness] = reason(f"{type(error).__name__}: {error}")
    if "nvbench" in missing and importlib.util.find_spec("torch"):  # CUPTI's records are the ninth then
        found["cupti"] = "torch " + importlib.metadata.version("torch")
    return found, missing


def compile_all():
    """All three at once, with the libraries of nvcc's CUDA, or of the one that PyTorch brings."""
    BUILD.mkdir(parents=True, exist_ok=True)
    cuda = pathlib.Path(os.path.realpath(shutil.which("nvcc") or "nvcc")).parent.parent
    wheels = [pathlib.Path(p) / "nvidia/cu13" for p in sys.path]
    folders = [cuda / "lib64", cuda / "lib", cuda / "targets/x86_64-linux/lib", *(w / "lib" for w in wheels)]
    libraries = [folder for folder in folders if folder.is_dir()]
    cublas = [p.name for folder in libraries for p in sorted(folder.glob("libcublas.so*"))] or ["libcublas.so"]
    headers = [] if (cuda / "include/cublas_v2.h").exists() else [f"-I{w}/include" for w in wheels if w.is_dir()]
    first = ["nvcc", "-O2", "-arch=native", *headers]
    last = [*(flag for p in libraries for flag in (f"-L{p}", f"-Xlinker=-rpath={p}")), f"-l:{cublas[0]}"]
    lies = '"../lab/fooled.cu"'  # as docs/copy sees it
    jobs = [["-shared", "-Xcompiler=-fPIC", "-cudart=shared", "../lab/fooled.cu", "-o", BUILD / "fooled.so"],
            [f"-DTIMED={lies}", "recipe.cu", "-o", BUILD / "recipe"],
            [f"-DCOMPARED={lies}", "compare.cu", "-o", BUILD / "compare"]]
    running = [subprocess.Popen([str(word) for word in (*first, *job, *last)], cwd=ROOT / "docs/copy") for job in jobs]
    if any([process.wait() for process in running]):
        sys.exit("fooled.py: nvcc failed")


def plan(harnesses, done=()):
    """(lie, harness) in order. First the honest launch: a harness that does not take it is left out."""
    cells = [("honest", "truth"), *(("honest", h) for h in harnesses)]
    for lie in LIES:
        cells += [(lie, "truth"), *((lie, h) for h in harnesses)]
        cells += [(f"honest_{lie}", h) for h in harnesses if lie in OTHER]
    return [cell for cell in cells if cell not in done]


def head():
    device, driver = subprocess.run(
        ["nvidia-smi", "--id=0", "--query-gpu=name,driver_version", "--format=csv,noheader"],
        capture_output=True, text=True, check=True).stdout.strip().split(", ")
    nvcc = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout
    return {"program": "fooled.py", "device": device, "driver": driver,
            "toolkit": re.search(r"release ([\d.]+)", nvcc)[1], "date": time.strftime("%Y-%m-%d")}


def measure(out, seconds, found, missing, heads, begin=start):
    end = time.monotonic() + seconds
    known = read(out) if pathlib.Path(out).exists() else None
    old = known.rows if known else []
    truths = {r["lie"]: float(r["us"]) for r in old if r["harness"] == "truth"}
    broken = set()
    jobs = plan(found, {(r["lie"], r["harness"]) for r in old})
    with open(out, "a", newline="") as stream, tempfile.TemporaryDirectory() as folder:
        table = csv.writer(stream, lineterminator="\n")
        if not known:
            stream.writelines(f"# {name},{text}\n" for name, text in heads.items())
            stream.write(f"# versions,{' '.join(filter(None, found.values()))}\n")
            stream.writelines(f"# left_out_{harness},{why}\n" for harness, why in missing.items())
            table.writerow(COLUMNS)
        waiting = {}
        try:
            for i, (lie, harness) in enumerate(jobs):
                for j in range(i, min(len(jobs), i + AHEAD)):  # those ahead import, until their turn
                    if j not in waiting and (j == i or jobs[j][1] in IMPORTS) and jobs[j][1] not in broken:
                        waiting[j] = begin(*jobs[j], f"{folder}/{j}")
                if harness in broken:
                    continue
                before = time.monotonic()
                longest = 4 * TIMEOUT_S if lie == "honest" else TIMEOUT_S  # the first ones import from the disk
                us, noticed, message = finish(waiting.pop(i), harness, f"{folder}/{i}", min(longest, end - before))
                if us is None and time.monotonic() >= end:
                    say(f"the time is over: {len(jobs) - i} cells are left for another call")
                    break
                if us is None and (harness == "truth" or not noticed):
                    say(f"{lie}, {harness}: not measured: {message}")
                    if lie != "honest" or harness == "truth":
                        continue
                if us is None and lie == "honest":
                    broken.add(harness)
                    say(f"{harness}: left out: it does not take an honest launch: {message}")
                    if not known or f"left_out_{harness}" not in known.meta:
                        stream.write(f"# left_out_{harness},{message}\n")
                    continue
                if harness == "truth":
                    truths[lie] = us
                truth_us = truths.get(lie.removeprefix("honest_"))
                table.writerow([lie, harness, "" if us is None else f"{us:.3f}",
                                "" if truth_us is None else f"{truth_us:.3f}", "yes" if noticed else "no", message])
                stream.flush()
                say(f"{lie}, {harness}: {message if noticed else f'{us:.2f} us'} ({time.monotonic() - before:.1f} s)")
        finally:
            for process in waiting.values():
                end_of(process)


# ---- The matrix ----

def verdicts(rows):
    """{(lie, harness): verdict}. "noticed"; "65.1": about the time that the harness gives for the honest launch; else
    "(35.0)", it is fooled. "[82.1]": not fooled, but its time for the honest launch is as far from the truth, after
    what it adds to `honest`. Times are about the same if they differ by 3 us or 5 % at most."""
    times = {(r["lie"], r["harness"]): float(r["us"]) for r in rows if r["us"]}
    found = {}
    for r in rows:
        lie, harness = cell = r["lie"], r["harness"]
        if lie not in LIES or harness == "truth" or ("honest", harness) not in times:
            continue
        if r["noticed"] == "yes":
            found[cell] = "noticed"
        elif r["us"] and r["truth_us"]:
            us, truth_us = float(r["us"]), float(r["truth_us"])
            right = truth_us + times["honest", harness] - times["honest", "truth"]
            honest = times.get((f"honest_{lie}", harness), right)
            near = max(3, 0.05 * truth_us)
            number = as_shown(us)
            found[cell] = (f"({number})" if abs(us - honest) > near else
                           f"[{number}]" if abs(honest - right) > near else number)
    return found


def as_shown(us):
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


def print_table(path):
    record = read(path)
    rows, meta = record.rows, record.meta
    found, truths = verdicts(rows), {r["lie"]: float(r["us"]) for r in rows if r["harness"] == "truth"}
    harnesses = [h for h in (*HARNESSES, "cupti") if any(h == harness for _, harness in found)]
    lines = [["lie", "truth", *harnesses]]
    times = {(r["lie"], r["harness"]): as_shown(float(r["us"])) for r in rows if r["us"]}

    def add_honest(name, truth):  # the honest launch's own times
        if any((name, h) in times for h in harnesses):
            lines.append(["  honest", truth, *(times.get((name, h), "-") for h in harnesses)])
    add_honest("honest", f"{truths['honest']:.1f}" if "honest" in truths else "-")
    for lie in LIES:
        lines.append([lie, f"{truths[lie]:.1f}" if lie in truths else "-",
                      *(found.get((lie, h), "-") for h in harnesses)])
        add_honest(f"honest_{lie}", "")
    cells = {h: [found[lie, h] for lie in LIES if (lie, h) in found] for h in harnesses}
    lines.append(["noticed", "", *(str(cells[h].count("noticed")) for h in harnesses)])
    lines.append(["fooled", "", *(str(sum(cell.startswith("(") for cell in cells[h])) for h in harnesses)])
    width = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print(f"{meta['device']}, driver {meta['driver']}, CUDA {meta['toolkit']}, {meta['date']}. In us.\n"
          "truth: the honest launch, by its stamps; honest: what the harness says of it. (2.0): the lie fools the "
          "harness.\n[2.0]: the harness is as wrong about the honest launch, so the lie does not fool it.\n")
    for line in lines:
        print("  ".join(f"{text:{'<' if i == 0 else '>'}{width[i]}}" for i, text in enumerate(line)).rstrip())


def main(arguments):
    if arguments[:1] == ["--cell"]:
        return in_this_process(*arguments[1:])
    if len(arguments) == 2 and arguments[0] == "--table":
        return print_table(arguments[1])
    options = arguments[1:]
    if not arguments or arguments[0].startswith("--") or not (
            options in ([], ["--dry-run"]) or len(options) == 2 and options[0] == "--seconds" and options[1].isdigit()):
        sys.exit("usage: fooled.py OUT.csv [--seconds N | --dry-run] or fooled.py --table OUT.csv")
    if options != ["--dry-run"] and not (shutil.which("nvidia-smi") and shutil.which("nvcc")):
        say("fooled.py: no NVIDIA GPU here, or no nvcc")
        return 77
    found, missing = versions()
    for harness, why in missing.items():
        say(f"{harness}: left out: {why}")
    if options == ["--dry-run"]:
        lines = [f"LIE={lie} {' '.join(command(lie, harness, 'FILE'))}" for lie, harness in plan(HARNESSES)]
        return print(*lines, sep="\n")
    seconds = int(options[1]) if options else 300
    began = time.monotonic()
    compile_all()
    say(f"built in {time.monotonic() - began:.0f} s")
    return measure(arguments[0], seconds - (time.monotonic() - began), found, missing, head())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
