#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""read_sass.py NVDISASM NVCC: reads the machine code of the kernels that read a clock.

A compiler may move the read of a clock across the work, or out of a loop, and the numbers still look
right. So each kernel is compiled for several generations of GPUs (none is needed here) and its
listing must hold, from top to bottom:
- the opening reads before all of the work; the closing ones behind all of it, its barrier, and a
  branch on the barrier's answer (05_block_clock/barrier.cu shows why), with nothing but the stamps'
  stores after them;
- 64 bits of the counter for clock64(), and %globaltimer and %smid where they are meant;
- the read of the clock inside the loop that waits by it;
- the loads of a kernel that only reads.
And in its PTX the last clock of a warp stands behind the barrier for its threads, which today's machine code does not
show: where a warp's threads are together, it is a NOP.
One line per kernel says what was seen. Exit: 0; 1 if a listing is not so; 77 if a tool is missing.
"""
import multiprocessing.pool
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_120"]  # of them, those that this nvcc knows

# What an instruction is called in the rules, by the first pattern that fits; others are passed over.
WORDS = [
    (r"CS2U?R U?R\d+, SR_CLOCKLO", "clock"),
    (r"CS2U?R U?R\d+, SR_GLOBALTIMERLO", "timer"),
    (r"\S+ \S+, SR_CLOCK", "clock32"),  # half of the counter: CS2R.32, S2R, S2UR
    (r"\S+ \S+, SR_GLOBALTIMER", "timer32"),
    (r"\S+ \S+, SR_(VIRTUAL)?SMID", "sm"),
    (r"BAR\.(SYNC|RED)", "barrier"),
    (r"B2U?R\.RESULT", "answer"),
    (r"LDG|LD\b", "load"),
    (r"STG|ST\b|ATOMG?\b|RED\b", "store"),
    (r"LDS|STS|ATOMS", "shared"),
    (r"FFMA", "work"),
]
# Beside these, [ and ] are the first and last instruction of a loop, `branch` is any branch forward
# or exit under a condition, `next-clock` a clock read by the very next instruction of a barrier, and
# `used` the first instruction that needs the barrier's answer.
FLOW = r"(?:(?:branch|\[|\]) )*"
WORK = r"(?:(?:load|shared|store|work|barrier|branch|\[|\]) )*"
BLOCK_END = rf"barrier answer used {FLOW}branch clock timer (store )?sm store "
REDUCTION = rf"load shared {FLOW}barrier {FLOW}shared {WORK}"
HOLD = r"(timer clock|clock timer) \[ timer branch clock \] "
BLOCK_STREAM = r"timer \[ load timer \] load branch store "
WARP_STAMPS = {"stamped_spin_blocks", "stamped_vector_add"}  # by stamp()
WARP_END = r"bar\.warp\.sync[^;]*;[^;]*\bmov\.u64 [^;]*%globaltimer;(?!.*%globaltimer)"

RULES = {
    "05_block_clock/block_clock.cu": {
        "timedReduction": rf"{FLOW}timer clock {FLOW}{REDUCTION}store {FLOW}{BLOCK_END}"},
    "05_block_clock/minimal.cu": {
        "timedReduction": rf"{FLOW}clock {FLOW}{REDUCTION}store {FLOW}barrier answer used {FLOW}branch clock store "},
    "05_block_clock/barrier.cu": {
        "divergent": rf"clock {WORK}work {WORK}store clock barrier next-clock "
                     r"barrier answer used branch clock store ",
        "divergent_as_source": rf"clock store {FLOW}work {WORK}store barrier branch clock store "},
    "05_block_clock/sm_counters.cu": {
        "count_clocks": r"timer clock clock32 \[ clock \] clock32 timer store ",
        "stamp_blocks": r"timer clock \[ clock \] timer store "},
    "04_cuda_events/minimal_blocked.cu": {"hold": HOLD},
    "04_cuda_events/cuda_events.cu": {"spin": r"timer \[ timer \] store ", "hold_for": r"timer \[ timer \] "},
    "04_cuda_events/wrong_questions.cu": {"spin": r"timer \[ timer \] store "},
    "04_cuda_events/three_times.cu": {
        "stamped_spin_blocks": r"timer timer \[ timer \] timer branch store ",
        "stamped_vector_add": r"timer branch load store timer branch store "},
    "06_warmup/l2_cache.cu": {"read_through": r"branch \[ load \] branch store "},
    "06_warmup/sm_clock.cu": {"count_clocks": r"clock timer \[ timer \] clock store "},
    "copy/recipe.cu": {
        "rcp_hold": r"timer clock \[ timer clock (?:branch )?\] store ", "rcp_read_all": "load branch store "},
    "copy/compare.cu": {
        "hold": r"timer clock \[ timer clock (?:branch )?\] store ", "read_all": "load branch store ",
        "read_clock": r"branch \[ clock \] branch store "},
}


def words_of(listing):
    """A kernel's listing in words, each with a blank behind it; work of one kind in a row is one."""
    lines = re.findall(r"^(\.L\w+):|^ +/\*\w+\*/ +(@!?\w+ )? *(.+?) *;", listing, re.M)
    place = {label: i for i, (label, _, _) in enumerate(lines) if label}
    goals = [place.get("".join(re.findall(r"^BRA.*\((.+)\)", text)), -1) for _, _, text in lines]
    words, before, answer = [], "", ""
    for i, (label, condition, text) in enumerate(lines):
        word = next((word for pattern, word in WORDS if re.match(pattern, text)), "")
        if label and i in goals[i + 2:]:  # + 2: a kernel ends in `here: BRA here`, which is no loop
            word = "["
        elif 0 <= goals[i] < i - 1:
            word = "]"
        elif goals[i] > i or condition and text == "EXIT":
            word = "branch"
        elif word == "clock" and before.startswith("BAR"):
            word = "next-clock"
        elif answer and re.search(rf"\b{answer}\b", text):
            word, answer = "used", ""
        elif word == "answer":
            answer = text.split()[1].strip(",")
        if word and (words[-1:] != [word + " "] or "clock" in word or "timer" in word):
            words.append(word + " ")
        before = text or before
    return "".join(words)


def ptx_of(nvcc, scratch, architecture, source):
    """Compiles a file, and writes its number behind its kernels' names: other files have the same names."""
    ptx = f"{scratch}/{architecture}-{list(RULES).index(source)}.ptx"
    subprocess.run([nvcc, "-O2", "-ptx", f"-arch={architecture}", f"-I{ROOT}/common", "-o", ptx,
                    f"{ROOT}/{source}"], check=True, cwd=scratch)  # it looks for headers where it runs
    text = pathlib.Path(ptx).read_text()
    return re.sub(r"\b_Z\w+", rf"\g<0>_{list(RULES).index(source)}", text)


def read(nvcc, nvdisasm, scratch, architecture, pool):
    """Yields for each kernel whether it is right, and a line to print. nvdisasm takes its time to start: so all files
    are one for it."""
    texts = pool.starmap(ptx_of, [(nvcc, scratch, architecture, source) for source in RULES])
    head, cubin = re.search(r"\.version.*\.address_size \d+\n", texts[0], re.S)[0], f"{scratch}/{architecture}.cubin"
    pathlib.Path(f"{scratch}/all.ptx").write_text(head + "".join(text.replace(head, "") for text in texts))
    subprocess.run([nvcc, "-cubin", f"-arch={architecture}", "-o", cubin, "all.ptx"], check=True, cwd=scratch)
    code = subprocess.run([nvdisasm, "-c", "-ndf", cubin], check=True, stdout=subprocess.PIPE, text=True).stdout
    entries = re.findall(r"\.entry _ZL?(\d+)(\w+?)_(\d+)\((.*?)^}", "".join(texts), re.M | re.S)
    together = {(name[:int(length)], int(source)) for length, name, source, entry in entries
                if re.search(WARP_END, entry, re.S)}
    listings = re.findall(r"^\.text\._ZL?(\d+)(\w+)_(\d+):$(.*?)(?=^\.text\.|\Z)", code, re.M | re.S)
    seen = {(name[:int(length)], int(source)): words_of(listing) for length, name, source, listing in listings}
    for number, (source, rules) in enumerate(RULES.items()):
        for kernel, rule in rules.items():
            words = seen.get((kernel, number), "not there")
            right = bool(re.fullmatch(rule, words))
            if kernel in WARP_STAMPS and (kernel, number) not in together:
                right, words = False, "no bar.warp.sync before the last clock in its PTX"
            wanted = "" if right else "\nWRONG, not " + rule.replace(WORK, "WORK ").replace(FLOW, "FLOW ")
            yield right, f"{architecture} {source} {kernel}: {words}{wanted}"


nvdisasm, nvcc = map(shutil.which, sys.argv[1:])
if not nvdisasm or not nvcc:
    sys.exit(print("read_sass.py: needs nvdisasm and nvcc", file=sys.stderr) or 77)
os.environ.pop("TMPDIR", None)  # nvcc wants it to exist
known = subprocess.run([nvcc, "--list-gpu-code"], check=True, stdout=subprocess.PIPE, text=True).stdout
with tempfile.TemporaryDirectory() as scratch, multiprocessing.pool.ThreadPool(2) as pool:
    kernels = [kernel for name in ARCHITECTURES if name in known.split()
               for kernel in read(nvcc, nvdisasm, scratch, name, pool)]
print(*(line for _, line in kernels), sep="\n")
# Where a clock is read among loads and stores, only "memory" keeps the next compiler from moving them.
sources = [*(ROOT / source for source in RULES), *(ROOT / "common").glob("*.h")]
bare = [f"WRONG: no \"memory\": {path}: {asm}" for path in sources
        for asm in re.findall(r"asm volatile\(\"mov[^;]*;[^;]*;", path.read_text()) if '"memory"' not in asm]
print(*bare, sep="\n")
sys.exit(0 if kernels and not bare and all(right for right, _ in kernels) else 1)
