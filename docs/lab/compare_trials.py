#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_trials.py [--opencl] --csv=FILE PART=TRIALS ...: how often is docs/copy/compare.cu right on this machine?
compare_trials.py --table FILE: prints the tables of what is recorded in FILE.

Puts kernels of known length into docs/copy/compare.cu (with --opencl: other numbers of steps into
docs/copy/compare.c), and runs them again and again, in random order, each run a fresh process:

power=N    B is 0.2 % longer (OpenCL: 1 %). How often is that found? Does the interval hold the truth?
alarms=N   A and B are equal. How often are they called different? And by the best of n?
methods=N  What other tools do with times of two processes, one of A and then one of B: the Mann-Whitney
           test of Google Benchmark's compare.py -u, the Welch test of hyperfine's welch_ttest.py,
           nvbench_compare.py's rule (the means differ by more than the smaller of the two relative
           deviations). The first two also on the pairs of compare itself.
shared=N   Two other processes keep the GPU busy: how often is the run called disturbed?
processes=N  docs/copy/compare_processes.sh, eight processes of 0.25 s each: how often does it find that B is
           longer, and does its interval hold the truth?
busy=N     OpenCL: like alarms, beside a process that keeps a core busy.

Wants scipy (of PyPI), and nvcc or cc in the PATH. FILE gets its rows as they are known; in the end the tables are
printed.
"""
import csv
import datetime
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs/tools"))
from record import Record, read  # noqa: E402

COLUMNS = ["part", "case", "kernels", "method", "pairs", "runs", "seconds", "different", "holds", "disturbed",
           "truth_ratio", "ratio_median", "ratio_min", "ratio_max", "apart_median_percent", "apart_p95_percent",
           "apart_max_percent"]
LABELS = {"spin_60us": "spin of 60.00 and 60.12 us", "spin_3us": "spin of 3.00 and 3.03 us",
          "vector_add": "vector_add, 0.2 % more floats", "steps": "1 % more steps"}
REPORT = "    return report("
# Put before it: the pairs go to stderr, as a record.
PAIRS = r"""
    fprintf(stderr, "a_us,b_us\n");
    for (size_t i = 0; i < ab.count; i++)
        fprintf(stderr, "%.9g,%.9g\n", ab.a_us[i], ab.b_us[i]);
"""
TRUTH = r"""
    if (IS_SPIN)
        fprintf(stderr, "# truth_ratio,%.9g\n", mean_ns(LAUNCH_B) / mean_ns(LAUNCH_A));
"""
YOURS = r"""
enum { MAX_SPINS = 1 << 20 }; /* of which each notes its own length */
static unsigned long long *ran_ns;
static size_t spins[3];
static float *a, *b, *c;

static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    unsigned long long start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
    while (now_ns - start_ns < length_ns);
    *ran_ns = now_ns - start_ns;
}

static __global__ void vector_add(const float *a, const float *b, float *c, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void empty(void) {
}

static void set_up(void) {
    const size_t bytes = ((size_t)1 << 24) * 101 / 100 * sizeof(float);
    CHECK(cudaMallocHost((void **)&ran_ns, 2 * MAX_SPINS * sizeof *ran_ns));
    CHECK(cudaMalloc((void **)&a, bytes));
    CHECK(cudaMalloc((void **)&b, bytes));
    CHECK(cudaMalloc((void **)&c, bytes));
    CHECK(cudaMemset(a, 0, bytes));
    CHECK(cudaMemset(b, 0, bytes));
}

enum which { LAUNCH_A, LAUNCH_B, LAUNCH_EMPTY };
static void launch(enum which which) {
    const unsigned long long size = which == LAUNCH_A ? SIZE_A : SIZE_B;
    if (which == LAUNCH_EMPTY)
        empty<<<1, 1>>>();
    else if (IS_SPIN)
        spin<<<1, 1>>>(size, ran_ns + which * MAX_SPINS + spins[which]++ % MAX_SPINS);
    else
        vector_add<<<((int)size + 255) / 256, 256>>>(a, b, c, (int)size);
    CHECK(cudaGetLastError());
}

static void check_result(void) {
    CHECK(cudaDeviceSynchronize());
}

static double mean_ns(enum which which) {
    const size_t count = spins[which] < MAX_SPINS ? spins[which] : MAX_SPINS;
    double sum_ns = 0;
    for (size_t i = 0; i < count; i++)
        sum_ns += (double)ran_ns[which * MAX_SPINS + i];
    return sum_ns / (double)count;
}

"""
SPIN, ADD = ("-DIS_SPIN=1",), ("-DIS_SPIN=0",)
# name: what makes it, A, B, seconds, percent that matters; B 0: only for alarms
CUDA = {"spin_60us": (SPIN, 60000, 60120, 2, 0.1),
        "spin_3us": (SPIN, 3000, 3030, 2, 4),
        "vector_add": (ADD, 1 << 24, (1 << 24) + 33554, 2, 0.1)}
OPENCL = {"steps": ((), 1000, 1010, 5, 0.5)}


class Machine:
    def __init__(self, opencl, folder, path):
        self.opencl, self.folder, self.path, self.built = opencl, folder, path, {}
        self.runs = self.disturbed = 0
        source = (ROOT / f"docs/copy/compare.{'c' if opencl else 'cu'}").read_text()
        assert source.count(REPORT) == 1
        source = source.replace(REPORT, PAIRS + (TRUTH if not opencl else "") + REPORT)
        if not opencl:
            source = re.sub(r"(/\* ---- What is compared: yours ---- \*/\n).*?(?=/\* ---- How it is timed)",
                            lambda m: m.group(1) + YOURS, source, flags=re.S)
        self.source = folder / f"trial.{'c' if opencl else 'cu'}"
        self.source.write_text(source)

    def add(self, **row):
        """A row of the record; before the first one, what it was measured on."""
        is_first = not self.path.exists()
        with open(self.path, "a", newline="") as stream:
            if is_first:
                stream.write(f"# program,compare_trials.py\n# device,{self.device}\n"
                             f"# date,{datetime.date.today()}\n")
            table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
            if is_first:
                table.writeheader()
            table.writerow({c: f"{x:.5f}" if isinstance(x, float) and c != "seconds" else x for c, x in row.items()})

    def program(self, options, a, b):
        key = (options, a, b)
        if key not in self.built:
            name = self.folder / f"trial{len(self.built)}"
            if self.opencl:
                command = ["cc", "-O2", f"-DSTEPS_A={a}", f"-DSTEPS_B={b}", self.source, "-o", name,
                           "-lOpenCL", "-lm"]
            else:
                command = ["nvcc", "-O2", "-arch=native", *options, f"-DSIZE_A={a}", f"-DSIZE_B={b}",
                           self.source, "-o", name]
            subprocess.run([*command, f"-I{ROOT / 'docs'}"], check=True)
            self.built[key] = name
        return self.built[key]

    def run(self, options, a, b, seconds, percent):
        """What one process says: its verdict, B/A and its interval, the truth, the pairs."""
        done = subprocess.run([self.program(options, a, b), str(seconds), str(percent), "--csv"], check=True,
                              capture_output=True, text=True)
        said, beside = Record("compare", done.stdout).meta, Record("the pairs", done.stderr)
        self.device = said["device"]
        self.runs += 1
        self.disturbed += int(said["disturbed"])
        return {"verdict": {"longer": 1, "shorter": -1}.get(said["verdict"], 0),
                "ratio": tuple(1 + float(said[x + "_percent"]) / 100 for x in ("difference", "low", "high")),
                "truth": float(beside.meta["truth_ratio"]) if "truth_ratio" in beside.meta else None,
                "pairs": [(float(row["a_us"]), float(row["b_us"])) for row in beside.rows],
                "disturbed": int(said["disturbed"])}


def mann_whitney(a, b):
    from scipy import stats
    return stats.mannwhitneyu(a, b, alternative="two-sided").pvalue < 0.05


def welch(a, b):
    from scipy import stats
    return stats.ttest_ind(a, b, equal_var=False).pvalue < 0.05


def nvbench(a, b):
    """The rule of nvbench_compare.py."""
    means = [statistics.fmean(x) for x in (a, b)]
    noise = min(statistics.stdev(x) / m for x, m in zip((a, b), means))
    return abs(means[1] / means[0] - 1) > noise


METHODS = {"mann_whitney": mann_whitney, "welch": welch, "nvbench": nvbench}


def split(run):
    return [[p[i] for p in run["pairs"]] for i in (0, 1)]


FIRST = (32, 128, 512)


def power(machine, cases, trials):
    order = [c for c in cases for _ in range(trials)]
    random.shuffle(order)
    results = {c: [] for c in cases}
    for case in order:
        results[case].append(machine.run(*cases[case]))
    for case, runs in results.items():
        truths = [r["truth"] for r in runs if r["truth"]]
        truth = statistics.median(truths) if truths else cases[case][2] / cases[case][1] if machine.opencl else None
        holds = "" if truth is None else sum(r["ratio"][1] <= (r["truth"] or truth) <= r["ratio"][2] for r in runs)
        ratios = [r["ratio"][0] for r in runs]
        of = {"part": "power", "case": case, "kernels": "longer", "runs": len(runs), "seconds": cases[case][3]}
        machine.add(**of, method="compare", different=sum(r["verdict"] == 1 for r in runs), holds=holds,
                    disturbed=sum(r["disturbed"] for r in runs), truth_ratio=truth,
                    ratio_median=statistics.median(ratios), ratio_min=min(ratios), ratio_max=max(ratios))
        for name in ("mann_whitney", "welch"):
            machine.add(**of, method=name, different=sum(METHODS[name](*split(r)) for r in runs))
        for n in FIRST:
            ratios = [statistics.median(b / a for a, b in r["pairs"][:n]) for r in runs]
            machine.add(part="first_pairs", case=case, kernels="longer", method="compare", pairs=n, runs=len(runs),
                        ratio_median=statistics.median(ratios), ratio_min=min(ratios), ratio_max=max(ratios))


def alarms(machine, cases, trials, part="alarms"):
    case = list(cases)[-1]
    options, a, _, _, percent = cases[case]
    runs = [machine.run(options, a, a, 1, percent) for _ in range(trials)]
    of = {"part": part, "case": case, "kernels": "equal", "runs": trials, "seconds": 1}
    machine.add(**of, method="compare", different=sum(r["verdict"] != 0 for r in runs),
                disturbed=sum(r["disturbed"] for r in runs))
    for name in ("mann_whitney", "welch"):
        machine.add(**of, method=name, different=sum(METHODS[name](*split(r)) for r in runs))
    for name, estimate in (("medians", statistics.median), ("bests", min)):
        off = sorted(abs(estimate(split(r)[1]) / estimate(split(r)[0]) - 1) * 100 for r in runs)
        machine.add(**of, method=name, apart_median_percent=off[len(off) // 2],
                    apart_p95_percent=off[len(off) * 95 // 100], apart_max_percent=off[-1])


def methods(machine, cases, trials):
    case = list(cases)[-1]
    options, a, b, _, percent = cases[case]
    found = {which: dict.fromkeys(["compare", *METHODS], 0) for which in ("equal", "longer")}
    for _ in range(trials):
        series = []
        for size in (a, a, b):
            runs = machine.run(options, size, size, 0.5, 1e-4)
            series.append([t for pair in runs["pairs"] for t in pair])
        for which, other, size in (("equal", series[1], a), ("longer", series[2], b)):
            found[which]["compare"] += machine.run(options, a, size, 1, percent)["verdict"] != 0
            for name, method in METHODS.items():
                found[which][name] += method(series[0], other)
    for which, of in found.items():
        for name, different in of.items():
            machine.add(part="methods", case=case, kernels=which, method=name, runs=trials, seconds=1,
                        different=different)


def shared(machine, cases, trials):
    case = list(cases)[-1]
    options, a, b, _, percent = cases[case]
    machine.run(options, a, b, 1, percent)
    machine.add(part="shared", case=case, kernels="longer", method="free", runs=machine.runs,
                disturbed=machine.disturbed)
    other = machine.program(options, a, a) if machine.opencl else machine.program(SPIN, 5000000, 5000000)
    others = [subprocess.Popen([other, "3600", "1e-9"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL) for _ in range(2)]
    try:
        disturbed = sum(machine.run(options, a, b, 1, percent)["disturbed"] for _ in range(trials))
    finally:
        for other in others:
            other.kill()
            other.wait()
    machine.add(part="shared", case=case, kernels="longer", method="beside_two", runs=trials, seconds=1,
                disturbed=disturbed)


def processes(machine, cases, trials):
    case = list(cases)[0]
    options, a, b, _, percent = cases[case]
    truth = machine.run(options, a, b, 0.25, percent)["truth"] or b / a
    different, holds, path = {"longer": 0, "equal": 0}, 0, machine.folder / "all.csv"
    for _ in range(trials):
        for which, size in (("longer", b), ("equal", a)):
            subprocess.run([ROOT / "docs/copy/compare_processes.sh", f"--csv={path}", "8",
                            machine.program(options, a, size), "0.25", str(percent)], check=True, capture_output=True)
            said = read(path).meta
            different[which] += said["verdict"] == "longer" or which == "equal" and said["verdict"] == "shorter"
            holds += which == "longer" and (1 + float(said["low_percent"]) / 100 <= truth <=
                                            1 + float(said["high_percent"]) / 100)
    for which, count in different.items():
        machine.add(part="processes", case=case, kernels=which, method="compare", runs=trials, seconds=0.25,
                    different=count, holds=holds if which == "longer" else "")


def busy(machine, cases, trials):
    other = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        alarms(machine, cases, trials, "busy")
    finally:
        other.kill()
        other.wait()


# ---- The tables ----

def print_table(title, heads, lines):
    width = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads))]
    print(title + "\n")
    for line in [heads, *lines]:
        print("  ".join(f"{text:{'<' if i == 0 else '>'}{width[i]}}" for i, text in enumerate(line)).rstrip())
    print()


def print_tables(path):
    record = read(path)

    def cases(part):
        return dict.fromkeys(row["case"] for row in record.select(part=part))

    def of(column, **keys):
        """In as many digits as it is worth; "-" if it is not known."""
        found = record.select(**keys)
        text = found[0][column] if found else ""
        digits = {"ratio_min": 4, "ratio_max": 4}.get(column, 3 if column.startswith("apart") else 5)
        return f"{float(text):.{digits}f}" if "." in text and column != "seconds" else text or "-"

    def span(**keys):
        return f"{of('ratio_min', **keys)} to {of('ratio_max', **keys)}"

    print(", ".join(record.meta[name] for name in ("device", "driver", "date") if name in record.meta) + "\n")
    if cases("power"):
        lines = []
        for case in cases("power"):
            mine = {"part": "power", "case": case, "method": "compare"}
            lines.append([LABELS[case], *(of(column, **mine) for column in (
                "runs", "seconds", "different", "holds", "ratio_median", "truth_ratio")), span(**mine),
                *(of("different", **{**mine, "method": name}) for name in ("mann_whitney", "welch"))])
        print_table("power: B takes longer; runs of at most so many seconds", [
            "case", "runs", "seconds", "found", "holds truth", "median B/A", "truth", "B/A of the runs",
            "Mann-Whitney", "Welch"], lines)
    if cases("first_pairs"):
        print_table("B/A of the runs, from their first pairs alone", ["case", *(f"{n} pairs" for n in FIRST)], [
            [LABELS[case], *(span(part="first_pairs", case=case, pairs=n) for n in FIRST)]
            for case in cases("first_pairs")])
    for part, where in (("alarms", ""), ("busy", ", beside a busy loop")):
        for case in cases(part):
            runs = of("runs", part=part, method="compare")
            print_table(f"{part}: {runs} runs of at most 1 s, A against A ({case}){where}", ["called different", "runs"], [
                ["by compare", of("different", part=part, method="compare")],
                ["by Mann-Whitney, on the same pairs", of("different", part=part, method="mann_whitney")],
                ["by Welch, on the same pairs", of("different", part=part, method="welch")]])
            print_table("how far A and B lie apart, in percent", ["by their", "median", "95th percentile", "most"], [
                [label, *(of(f"apart_{x}_percent", part=part, method=method) for x in ("median", "p95", "max"))]
                for label, method in (("medians", "medians"), ("best ones", "bests"))])
    for case in cases("methods"):
        runs = of("runs", part="methods", method="compare")
        print_table(f"methods: {runs} comparisons of 1 s; except for compare, a process of A and then one of B "
                    f"({LABELS[case]})", ["called different", "A and A", "A and B"], [
                        [label, *(of("different", part="methods", method=method, kernels=which)
                                  for which in ("equal", "longer"))]
                        for label, method in (("compare", "compare"), ("Mann-Whitney", "mann_whitney"),
                                              ("Welch", "welch"), ("nvbench rule", "nvbench"))])
    if cases("shared"):
        print_table("shared: how many runs are called disturbed", ["the device is", "runs", "disturbed"], [
            [label, of("runs", part="shared", method=method), of("disturbed", part="shared", method=method)]
            for label, method in (("free", "free"), ("used by two other processes", "beside_two"))])
    for case in cases("processes"):
        print_table(f"processes: each time eight processes of 0.25 s ({LABELS[case]})",
                    ["B is", "times", "called different", "holds truth"], [
                        [which, *(of(column, part="processes", kernels=which)
                                  for column in ("runs", "different", "holds"))] for which in ("longer", "equal")])


def main():
    if sys.argv[1:2] == ["--table"] and len(sys.argv) == 3:
        return print_tables(sys.argv[2])
    opencl = "--opencl" in sys.argv
    files = [a.removeprefix("--csv=") for a in sys.argv[1:] if a.startswith("--csv=")]
    parts = [a.split("=") for a in sys.argv[1:] if not a.startswith("--")]
    known = {"power": power, "alarms": alarms, "methods": methods, "shared": shared, "processes": processes, "busy": busy}
    if len(files) != 1 or not parts or any(len(p) != 2 or p[0] not in known or not p[1].isdigit() for p in parts):
        sys.exit(__doc__)
    path = pathlib.Path(files[0])
    path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(opencl, pathlib.Path(folder), path)
        for part, trials in parts:
            known[part](machine, OPENCL if opencl else CUDA, int(trials))
    print_tables(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
