#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_trials.py [--opencl] [PART=TRIALS ...]: how often is docs/compare.cu right on this machine?

Puts kernels of known length into docs/compare.cu (with --opencl: other numbers of steps into
docs/compare.c), and runs them again and again, in random order, each run a fresh process:

power=N    B is 0.2 % longer (OpenCL: 1 %). How often is that found? Does the interval hold the truth?
alarms=N   A and B are equal. How often are they called different? And by the best of n?
methods=N  What other tools do with times of two processes, one of A and then one of B: the Mann-Whitney
           test of Google Benchmark's compare.py -u, the Welch test of hyperfine's welch_ttest.py,
           nvbench_compare.py's rule (the means differ by more than the smaller of the two relative
           deviations). The first two also on the pairs of compare itself.
shared=N   Two other processes keep the GPU busy: how often is the run called disturbed?
processes=N  docs/compare_processes.sh, eight processes of 0.25 s each: how often does it find that B is
           longer, and does its interval hold the truth?
busy=N     OpenCL: like alarms, beside a process that keeps a core busy.

Wants scipy (of PyPI), and nvcc or cc in the PATH. Prints a table to be recorded.
"""
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

from scipy import stats

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DUMP = r"""
    for (size_t i = 0; i < ab.count; i++)
        fprintf(stderr, "pair %.9g %.9g\n", ab.a_us[i], ab.b_us[i]);
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
CUDA = {"spin of 60.00 and 60.12 us": (SPIN, 60000, 60120, 2, 0.1),
        "spin of 3.00 and 3.03 us": (SPIN, 3000, 3030, 2, 4),
        "vector_add, 0.2 % more floats": (ADD, 1 << 24, (1 << 24) + 33554, 2, 0.1)}
OPENCL = {"1 % more steps": ((), 1000, 1010, 5, 0.5)}


class Machine:
    def __init__(self, opencl, folder):
        self.opencl, self.folder, self.built = opencl, folder, {}
        self.runs = self.disturbed = 0
        source = (ROOT / f"docs/compare.{'c' if opencl else 'cu'}").read_text()
        source = source.replace("    report(verdict,", DUMP + "    report(verdict,")
        if not opencl:
            source = re.sub(r"(/\* ---- What is compared: yours ---- \*/\n).*?(?=/\* ---- How it is timed)",
                            lambda m: m.group(1) + YOURS, source, flags=re.S)
            source = source.replace("    report(verdict,", "    if (IS_SPIN)\n        fprintf(stderr, "
                                    "\"truth %.9g, A %.1f, B %.1f ns\\n\", mean_ns(LAUNCH_B) / mean_ns(LAUNCH_A), mean_ns(LAUNCH_A), "
                                    "mean_ns(LAUNCH_B));\n"
                                    "    report(verdict,")
        self.source = folder / f"trial.{'c' if opencl else 'cu'}"
        self.source.write_text(source)

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
        """What one process says: its text, B/A and its interval, the truth, the pairs."""
        done = subprocess.run([self.program(options, a, b), str(seconds), str(percent)], check=True,
                              capture_output=True, text=True)
        ratio = re.search(r"B/A ([\d.]+) \(([\d.]+) to ([\d.]+)\)", done.stdout)
        truth = re.search(r"truth ([\d.]+)", done.stderr)
        pairs = [tuple(map(float, p)) for p in re.findall(r"pair (\S+) (\S+)", done.stderr)]
        self.runs += 1
        self.disturbed += "Disturbed" in done.stdout
        return {"verdict": 0 if "Not decided" in done.stdout or "No difference" in done.stdout else
                           1 if "more time than A (" in done.stdout.split("Medians")[0] else -1,
                "ratio": tuple(map(float, ratio.groups())), "truth": truth and float(truth.group(1)),
                "pairs": pairs, "disturbed": "Disturbed" in done.stdout}


def mann_whitney(a, b):
    return stats.mannwhitneyu(a, b, alternative="two-sided").pvalue < 0.05


def welch(a, b):
    return stats.ttest_ind(a, b, equal_var=False).pvalue < 0.05


def nvbench(a, b):
    means = [statistics.fmean(x) for x in (a, b)]
    noise = min(statistics.stdev(x) / m for x, m in zip((a, b), means))
    return abs(means[1] / means[0] - 1) > noise


METHODS = {"Mann-Whitney": mann_whitney, "Welch": welch, "nvbench rule": nvbench}


def split(run):
    return [[p[i] for p in run["pairs"]] for i in (0, 1)]


FIRST = (32, 128, 512)


def power(machine, cases, trials):
    print(f"power: {trials} runs of each, at most so many seconds long\n\n"
          "case                          seconds found holds  median    truth   B/A of the runs  Mann-   Welch\n"
          "                                             truth  B/A                              Whitney")
    order = [c for c in cases for _ in range(trials)]
    random.shuffle(order)
    results = {c: [] for c in cases}
    for case in order:
        results[case].append(machine.run(*cases[case]))
    for case, runs in results.items():
        truths = [r["truth"] for r in runs if r["truth"]]
        truth = statistics.median(truths) if truths else cases[case][2] / cases[case][1] if machine.opencl else None
        holds = "-" if truth is None else sum(r["ratio"][1] <= (r["truth"] or truth) <= r["ratio"][2] for r in runs)
        others = [sum(m(*split(r)) for r in runs) for m in (mann_whitney, welch)]
        ratios = [r["ratio"][0] for r in runs]
        print(f"{case:29} {cases[case][3]:7} {sum(r['verdict'] == 1 for r in runs):5} {holds:>5} "
              f"{statistics.median(ratios):.5f} {f'{truth:.5f}' if truth else '-':>7} "
              f"{min(ratios):.4f} to {max(ratios):.4f} {others[0]:5} {others[1]:7}")
    print(f"\nB/A of the runs, from their first pairs alone\n\n{'case':29}", *(f"{f'{n} pairs':>16}" for n in FIRST))
    for case, runs in results.items():
        of_first = [[statistics.median(b / a for a, b in r["pairs"][:n]) for r in runs] for n in FIRST]
        print(f"{case:29}", *(f"{min(o):.4f} to {max(o):.4f}" for o in of_first))
    print()


def alarms(machine, cases, trials, label="alarms"):
    case = list(cases)[-1]
    options, a, _, _, percent = cases[case]
    runs = [machine.run(options, a, a, 1, percent) for _ in range(trials)]
    print(f"{label}: {trials} runs of at most 1 s, A against A ({case.split(',')[0]})\n")
    print(f"called different by compare            {sum(r['verdict'] != 0 for r in runs):5}")
    for name in ("Mann-Whitney", "Welch"):
        print(f"by {name + ', on the same pairs':35} {sum(METHODS[name](*split(r)) for r in runs):5}")
    for what, of in (("medians", statistics.median), ("best ones", min)):
        off = sorted(abs(of(split(r)[1]) / of(split(r)[0]) - 1) * 100 for r in runs)
        print(f"the {what} of A and B lie apart, percent: median {off[len(off) // 2]:.3f}, "
              f"95th percentile {off[len(off) * 95 // 100]:.3f}, most {off[-1]:.3f}")
    print()


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
    print(f"methods: {trials} comparisons of 1 s; but for compare, a process of A and then one of B ({case})\n")
    print(f"{'called different':22} {'A and A':>8} {'A and B':>8}")
    for name in ("compare", *METHODS):
        print(f"{name:22} {found['equal'][name]:8} {found['longer'][name]:8}")
    print()


def shared(machine, cases, trials):
    options, a, b, _, percent = list(cases.values())[-1]
    def count():
        return sum(machine.run(options, a, b, 1, percent)["disturbed"] for _ in range(trials))
    machine.run(options, a, b, 1, percent)
    free = machine.disturbed, machine.runs
    other = machine.program(options, a, a) if machine.opencl else machine.program(SPIN, 5000000, 5000000)
    others = [subprocess.Popen([other, "3600", "1e-9"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL) for _ in range(2)]
    try:
        disturbed = count()
    finally:
        for other in others:
            other.kill()
            other.wait()
    print(f"shared: called disturbed beside two busy processes {disturbed} of {trials}; "
          f"before, on a free GPU, {free[0]} of {free[1]}\n")


def processes(machine, cases, trials):
    case = list(cases)[0]
    options, a, b, _, percent = cases[case]
    truth = machine.run(options, a, b, 0.25, percent)["truth"] or b / a
    found = holds = alarms_raised = 0
    for _ in range(trials):
        for size in (b, a):
            done = subprocess.run([ROOT / "docs/compare_processes.sh", "8", machine.program(options, a, size),
                                   "0.25", str(percent)], check=True, capture_output=True, text=True)
            verdict = done.stdout.split("\n\n")[1]
            ratio = re.search(r"B/A ([\d.]+) \(([\d.]+) to ([\d.]+)\)", verdict)
            if size == b:
                found += verdict.startswith("B takes") and "more time" in verdict
                holds += float(ratio.group(2)) <= truth <= float(ratio.group(3))
            else:
                alarms_raised += verdict.startswith("B takes")
    print(f"processes: {trials} times 8 processes of 0.25 s ({case}): found {found}, truth in interval {holds}; "
          f"A against A called different {alarms_raised}\n")


def busy(machine, cases, trials):
    other = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        alarms(machine, cases, trials, "beside a busy loop")
    finally:
        other.kill()
        other.wait()


def main():
    opencl = "--opencl" in sys.argv
    parts = [a.split("=") for a in sys.argv[1:] if a != "--opencl"]
    known = {"power": power, "alarms": alarms, "methods": methods, "shared": shared, "processes": processes, "busy": busy}
    if not parts or any(len(p) != 2 or p[0] not in known or not p[1].isdigit() for p in parts):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(opencl, pathlib.Path(folder))
        for part, trials in parts:
            known[part](machine, OPENCL if opencl else CUDA, int(trials))
            sys.stdout.flush()
    print(f"{machine.runs} runs in all, {machine.disturbed} called disturbed")


if __name__ == "__main__":
    main()
