#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""simcc_cases.py SIMCC SIMCC_GOOD.cu: builds small programs, each with one thing that simcc must refuse, or that the
program must say when it runs. CXX names the compiler."""
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

LACKS = "is not in the simulated machine"
ADD = "__global__ void add(float *x) { x[threadIdx.x] += 1; }\n"
# What simcc refuses: the program's text, the line, and the words.
REFUSED = [
    ("#include <thrust/sort.h>\nint main() {}", 1, f"<thrust/sort.h> {LACKS}; take a kernel of your own"),
    ("#include <cooperative_groups/scan.h>\nint main() {}", 1, f"<cooperative_groups/scan.h> {LACKS}"),
    ("#include <cuda_fp16.h>\nint main() {}", 1, f"<cuda_fp16.h> {LACKS}; take float"),
    ("__managed__ int x;\nint main() {}", 1, f"managed memory (__managed__) {LACKS}; take cudaMallocManaged()"),
    ("cudaTextureObject_t texture_of_x;\nint main() {}", 1,
     f"cudaTextureObject_t {LACKS}; take an array in global memory"),
    ("#include <cooperative_groups.h>\n__global__ void k() {\n    cooperative_groups::this_grid().sync();\n}\n"
     "int main() {}", 3, f"this_grid {LACKS}; take two launches, one after the other"),
    (ADD + "__global__ void more(float *x) {\n    add<<<1, 1>>>(x);\n}\nint main() {}", 3,
     f"a launch in a kernel (dynamic parallelism) {LACKS}; take a launch from the host"),
    ("__global__ void k(int *x) {\n    int *y = (int *)malloc(4);\n    *x = *y;\n}\nint main() {}", 2,
     f"malloc in a kernel {LACKS}; take memory of cudaMalloc()"),
    ("__global__ void k(int *x) {\n    asm volatile(\"membar.gl;\");\n}\nint main() {}", 2,
     f'asm "membar.gl;" {LACKS}'),
    ("__global__ void k(int *x) {\n    __nanosleep(100);\n}\nint main() {}", 2, f"__nanosleep {LACKS}; take a loop on "
     "clock64(): on a GPU it sleeps from no time up to twice what you ask, on an H200 never over 1,042 us"),
    ("int main() { cudaThreadSynchronize(); }", 1, f"cudaThreadSynchronize {LACKS}; take cudaDeviceSynchronize()"),
    ("__global__ void k(int *x) {\n    cudaDeviceSynchronize();\n}\nint main() {}", 2,
     f"cudaDeviceSynchronize in a kernel {LACKS}; take a launch from the host"),
    ("#include <cstdio>\n#include <sys/times.h>\nint main() {}", 2, f"<sys/times.h> {LACKS}"),
    ("#ifdef __CUDA_ARCH__\n#endif\nint main() {}", 1, f"another text for host and device (__CUDA_ARCH__) {LACKS}"),
    ("#include <thread>\nint main() {\n    std::thread t([] {});\n    t.join();\n}", 3,
     f"a second thread of the host (std::thread) {LACKS}; take streams of one thread"),
    ("#include <x86intrin.h>\nint main() { return (int)__rdtsc(); }", 2, f"__rdtsc() {LACKS}"),
    ("__global__ void __cluster_dims__(2, 1, 1) k() {}\nint main() {}", 1,
     f"__cluster_dims__ {LACKS}; take blocks, and global memory between two launches"),
    ("int main() {\n    cudaDeviceProp p;\n    return p.memoryClockRate;\n}", 3,
     f"memoryClockRate {LACKS}; take cudaDeviceGetAttribute(), as with CUDA 13"),
    ("int main() { cudaMemPrefetchAsync(nullptr, 4, 0); }", 1,
     f"cudaMemPrefetchAsync {LACKS}; take CUDA 13's, with {{cudaMemLocationTypeDevice, 0}}, 0"),
    ("#include <cmath>\n\nint main() { return sqrt(x); }", 3, "error: "),  # the compiler's own words
    (ADD + "int main() {\n    add<<<1, 1>>>();\n}", 3, "error: "),
    ("void nowhere();\nint main() {\n    nowhere();\n}", 3, "undefined reference to `nowhere()'"),
]
# What it builds with a warning, or without one.
WARNED = [
    ("#include <chrono>\nint main() {\n    int ns = std::chrono::steady_clock::now().time_since_epoch().count();\n"
     "    return ns == 3;\n}", 3, "conversion from 'long int' to 'int' may change value", 0),
    ("#include <cstdio>\n#include <ctime>\nint main() {\n    long d = clock(), n = 3;\n    short s = d;\n    unsigned char c = d / 9;\n"
     "    float f = d;\n    timespec x = {};\n    float far = x.tv_sec + x.tv_nsec * 1e-9;\n    printf(\"%d\", d);\n"
     "    float fine = (x.tv_nsec - d) * 1e-6, i = s;\n    short blocks = n;\n    return blocks + s + c + f + far + fine + i == 3;\n}", 5,
     "conversion from 'long int' to 'short int' may change value\nsimcc: x.cu:6: conversion from 'long int' to 'unsigned char' may "
     "change value\nsimcc: x.cu:7: conversion from 'long int' to 'float' may change value\nsimcc: x.cu:9: conversion from 'double' to "
     "'float' may change value\nsimcc: x.cu:10: format '%d' expects argument of type 'int', but argument 2 has type 'long int'", 0),
    ("#include <cstdio>\nint main(int n, char **) {\n    float total;\n"
     "    for (int i = 0; i < n; i++) total += 1;  printf(\"%f\", total);\n}", 4, "'total' may be used uninitialized", 0),
    ("int main() {\n    long n = 3;\n    int blocks = n / 2, h[4];\n    float *d = nullptr, ms;\n    cudaEvent_t a = nullptr;\n    "
     "cudaEventElapsedTime(&ms, a, a);\n    return cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice) + blocks;\n}", 0, "", 0),
]
# Options that it refuses.
USAGE = [("-fopenmp", "-fopenmp is no option of simcc"), ("-lcublas", "-lcublas is no option of simcc"),
         ("-std=c++20", "-std=c++20: only up to c++17"), ("-rdc=true", "-rdc=true is no option of simcc"),
         ("-Xcompiler=-fopenmp", "-Xcompiler -fopenmp is no option of simcc"), ("-o", "-o needs a value"),
         ("other.cu", "other.cu: one file at a time")]
ACCEPTED = "-O2 -g -arch=sm_90 -arch sm_80 -std=c++14 -I . -D X=1 -DY -lineinfo -Xcompiler -Wall,-O2 -lm " \
           "--ptxas-options=-v -Xptxas -v --default-stream legacy -G"
# Each with a cache that other options have filled; clang++ has no compiled header in it, which only some options fit.
OPTIONS = [*(("g++", option) for option in ("-O0", "-O1", "-O2", "-O3", "-g", "-DN=1")), ("clang++", "-O2")]
BEGIN = "#include <cstdio>\n" + ADD + "int main() {\n    float *d, h[64] = {};\n    cudaMalloc(&d, sizeof h);\n"
COPY = "    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n}\n"
KERNEL = "#include <cstdio>\n__global__ void k(int *x) {{\n    {}\n}}\nint main() {{\n    int *d;\n    cudaMalloc(&" \
         "d, 256);\n    cudaMemset(d, 0, 256);\n    {}\n    return cudaGetLastError() || cudaDeviceSynchronize();\n}}\n"
OF_SMS = "clocks of different SMs are compared, as for the least or the greatest clock64()"
ELAPSED = "cudaEventElapsedTime() failed"
START, STOP = "cudaEventRecord(a);", "cudaEventRecord(b); cudaDeviceSynchronize();"


def timed(flags, *lines):
    """Two events, and three lines from line 8 on."""
    return BEGIN.replace("float *d", "cudaStream_t s; cudaGraph_t g; cudaEvent_t a, b; float ms, *d") + "\n".join(
        ["    cudaEventCreate(&a);", f"    cudaEventCreate(&b{flags});", *lines, "    cudaDeviceSynchronize();", "}\n"])


def least_of_sms(statement):
    return KERNEL.format("long long *t = (long long *)x + 2 * blockIdx.x; *t = clock64(); t[1] = clock64();",
                         "long long h[32], least = 1ll << 60; k<<<16, 1>>>(d); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost);\n"
                         f"    for (int i = 0; i < 32; i += 2) {statement}\n    printf(\"%lld\", least);")


# What a program says when it runs: its text, the line (0: none, or in the words), the words, and the exit code.
SAID = [
    (BEGIN + "    add<<<1, 64>>>(d);\n    cudaGetLastError();\n" + COPY, 0, "", 0),
    (BEGIN + "    add<<<1, 64>>>(d);\n" + COPY, 6, "nobody asked for the error of this launch of add", 0),
    (BEGIN.replace(ADD, '#include "k.h"\n') + "    run(d);\n" + COPY, 0, "k.h:4: nobody asked", 0),
    (BEGIN + "    add<<<1, 2000>>>(d);\n" + COPY, 6,
     "the launch of add failed (invalid configuration argument), and nobody asked", 0),
    (timed("", "", "", "cudaEventElapsedTime(&ms, a, b);"), 10,
     f"{ELAPSED} (invalid resource handle), and nobody asked: the first event was never recorded", 0),
    (timed(", cudaEventDisableTiming", START, STOP, "cudaEventElapsedTime(&ms, a, b);"), 10,
     f"{ELAPSED} (invalid resource handle), and nobody asked: the second event was made without timing", 0),
    (timed("", START, STOP.replace("cudaDev", "// "), "printf(\"\"), cudaEventElapsedTime(&ms, a, b);"), 10,
     f"{ELAPSED} (device not ready), and nobody asked: the first event has not ended yet: nobody waited for it", 0),
    (timed("", START, "cudaStreamCreate(&s), cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "
                  "cudaEventRecord(b, s), cudaStreamEndCapture(s, &g);", "cudaEventElapsedTime(&ms, a, b);"), 10,
     f"{ELAPSED} (invalid argument), and nobody asked: the second event was recorded in a capture", 0),
    (timed("", "a = nullptr;", "if (cudaEventDestroy(b) != cudaSuccess || cudaEventDestroy(b) == cudaSuccess) return 7;", START), 10,
     "cudaEventRecord() failed (invalid resource handle), and nobody asked: there is no such event", 0),
    (timed("", "if (cudaSetDevice(1) == cudaSuccess) return 7;", "clock_t t = clock(); if (cudaSetDevice(0) || clock() - t > 9) return 7;",
           "s = (cudaStream_t)h; cudaEventRecord(a, s);"), 0,
     "there is no such stream: nobody has created it", 3),
    *[(BEGIN + f"    clock_t t = clock();{before}\n    for (volatile int i = 0; i < 999; i++) continue;{behind}\n    return clock() < t;\n}}",
       line, words, 0) for before, behind, line, words in (
           ("", "", 7, "the host computes between two readings of a clock: here its own computing takes no time"),
           (" cudaFree(d);", "", 0, ""), ("", " cudaFree(d);", 0, ""))],
    (timed("", START, STOP, "return cudaEventElapsedTime(&ms, b, a);"), 10,
     "cudaEventElapsedTime(): the events are exchanged, the first one was recorded last", 0),
    (timed("", START, STOP, "switch (0) case 0: cudaMemcpy(d, h, 999, cudaMemcpyHostToDevice);"), 10,
     "cudaMemcpy() failed (invalid argument), and nobody asked", 0),
    (timed("", "", "", "if (cudaEventElapsedTime(&ms, a, b)) (void)cudaEventElapsedTime(&ms, a, b);"), 0, "", 0),
    (timed("", START, STOP, "cudaMallocManaged(&d, 4); *d = 1; add<<<1, 1>>>(d); cudaGetLastError(); *d = 2;"), 10,
     "the host writes managed memory while the device works: nobody waited", 0),
    ("int main() {\n    volatile int x = 1 << 30;\n    return x + x > 0;\n}\n", 3,
     "a sum of signed numbers overflows", 0),
    ("__global__ void k(int *x, int i) {\n    __shared__ int s[4];\n    s[i] = 1;\n    *x = s[i];\n}\nint main() {\n"
     "    int *d;\n    cudaMalloc(&d, 4);\n    k<<<1, 1>>>(d, 4);\n    return cudaGetLastError() || "
     "cudaDeviceSynchronize();\n}\n", 3, "an index beyond its array", 3),
    (BEGIN + "    add<<<1, 64>>>(d);\n    cudaGetLastError();\n}\n", 0,
     "the program ends while the device still works: nobody waited for it", 0),
    (BEGIN + "    add<<<1, 64>>>(d);\n    cudaGetLastError();\n    return d[3] == 1;\n}\n", 8,
     "the host reads memory of the device; cudaMemcpy() copies it", 3),
    (BEGIN + "    add<<<1, 64>>>(h);\n    cudaGetLastError();\n" + COPY, 2,
     "add: thread 0 of block 0 reads memory that is no memory of the device, or beyond it", 3),
    (BEGIN + "    add<<<1, 65>>>(d);\n    cudaGetLastError();\n" + COPY, 2,
     "add: thread 64 of block 0 reads memory that is no memory of the device, or beyond it", 3),
    (BEGIN + "    for (int i = 0; i < 3; i++) add<<<1, 64 + i / 2>>>(d);\n    cudaGetLastError();\n" + COPY, 2,
     "add: thread 64 of block 0 reads memory that is no memory of the device, or beyond it", 3),  # the third launch
    (BEGIN + "    float *p;\n    cudaMallocHost(&p, sizeof h);\n    cudaMemcpyAsync(p, d, sizeof h, "
     "cudaMemcpyDeviceToHost);\n    printf(\"%g\", p[1]);\n    cudaDeviceSynchronize();\n}\n", 9,
     "the host reads memory before the copy into it has ended: nobody waited", 0),
    ("__device__ int n;\n__global__ void k() { n = 3; }\nint main() {\n    k<<<1, 1>>>();\n    cudaDeviceSynchronize()"
     ";\n    return n;\n}\n", 6, "the host reads a variable of the device", 3),
    # Lanes of one warp that go by themselves: right on old GPUs, and by luck.
    (KERNEL.format("__shared__ volatile int s[64]; s[threadIdx.x] = 1; s[threadIdx.x] += s[threadIdx.x ^ 1]; "
                   "x[threadIdx.x] = s[threadIdx.x];", "k<<<1, 32>>>(d);"), 3,
     "k: thread 1 of block 0 reads what thread 0 of block 0 has written, and nothing orders the two", 0),
    (KERNEL.format("__shared__ int s[32]; s[threadIdx.x] = 1; __syncwarp(); x[threadIdx.x] = s[threadIdx.x ^ 1];",
                   "k<<<1, 32>>>(d);"), 0, "", 0),
    (KERNEL.format("extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); x[threadIdx.x] = s[threadIdx.x "
                   "^ 40]; s[0] = 2;", "k<<<1, 64, 256>>>(d);"), 3,
     "k: thread 40 of block 0 reads what thread 41 of block 0 has written, and nothing orders the two", 0),
    (KERNEL.format("x[0]++;", "k<<<2, 1>>>(d);"), 3,
     "k: thread 0 of block 1 reads what thread 0 of block 0 has written, and nothing orders the two", 0),
    ("__device__ int n;\n__global__ void k() { n++; }\nint main() {\n    k<<<1, 2>>>();\n    return cudaGetLastError() "
     "|| cudaDeviceSynchronize();\n}\n", 2,
     "k: thread 1 of block 0 reads what thread 0 of block 0 has written, and nothing orders the two", 0),
    (KERNEL.format("x[threadIdx.x] = threadIdx.x < 63 ? x[threadIdx.x + 1] : 0;", "k<<<1, 64>>>(d);"), 3,
     "k: thread 1 of block 0 writes what thread 0 of block 0 has read, and nothing orders the two", 0),
    (KERNEL.format("extern __shared__ int s[]; s[threadIdx.x] = 1; x[threadIdx.x] = s[threadIdx.x];",
                   "k<<<1, 64, 128>>>(d);"), 3, "k: thread 32 of block 0 writes beyond its dynamic shared memory", 3),
    (KERNEL.format("__shared__ int s[10000]; s[0] = 1; x[0] = s[0];", "k<<<1, 1, 20000>>>(d);"), 0,
     "k has more than 49152 bytes of shared memory", 3),
    (KERNEL.format("while (*(volatile int *)x == 0);", "k<<<1, 1>>>(d);"), 0,
     "k: thread 0 of block 0 is in a loop of 400000000 rounds", 3),
    ("__global__ void k(int *x) { *x = 1; }\nint main() {\n    volatile int *p;\n    cudaMallocHost(&p, 4);\n    *p = 0;\n"
     "    k<<<1, 1>>>((int *)p);\n    cudaGetLastError();\n    while (!*p) continue;\n}\n", 8,
     "the host reads one place in a loop: no time passes meanwhile", 3),
    (KERNEL.format("while (*x == 0);", "int *p; cudaMallocHost(&p, 4); *p = 0; k<<<1, 1>>>(p); for (int i = 0; i < 999; i++) "
                   "cudaGetLastError(); *p = 1;"), 3, "the kernel reads one place of the host's memory again and again, by "
     "a pointer that is not volatile", 0),
    (timed("", "", "", "d ? cudaMemset(d, 0, 9999) : cudaFree(h);"), 10, "cudaMemset() failed (invalid argument)", 0),
    (KERNEL.format("atomicMax((unsigned long long *)x, (unsigned long long)clock64());", "k<<<2, 1>>>(d);"), 0,
     "clocks of different SMs are compared", 0),
    *[(least_of_sms(least), 10 * bool(words), words, 0)
      for least, words in (
          ("if (h[i] < least) least = h[i];", OF_SMS), ("least = least < h[i] ? least : h[i];", OF_SMS),
          ("if (i == 0) qsort(h, 32, 8, [](const void *a, const void *b) { return *(long long *)a > *(long long *)b ? 1 : -1; });",
           OF_SMS),
          ("least = std::min(least, h[i + 1] - h[i]);", ""))],
    (KERNEL.format("if (threadIdx.x < 32) __syncthreads(); else\n    __syncthreads();", "k<<<1, 64>>>(d);"), 0,
     "k: threads of one block wait at two barriers, in lines 3 and 4", 3),
    (KERNEL.format("if (threadIdx.x < 5) __syncwarp();", "k<<<1, 64>>>(d);"), 0, "", 0),  # the others have ended
    (KERNEL.format("__syncthreads(); long long a = clock64(); __syncthreads_count(1); long long b = clock64(); "
                   "__syncthreads(); if (b - a != clock64() - b) x[1000] = 0;", "k<<<1, 64>>>(d);"), 0, "", 0),
    (KERNEL.format("if (threadIdx.x < 5) __syncwarp(); __syncthreads();", "k<<<1, 64>>>(d);"), 0,
     "k: thread 0 waits for lanes (mask 0xffffffff) that do not come", 3),
    # Of a warp in which one has ended the others go on.
    (KERNEL.format("if (threadIdx.x % 32 == 31) return; __syncwarp(); if (threadIdx.x == 5) x[64] = 1;",
                   "k<<<1, 64>>>(d);"), 3, "k: thread 5 of block 0 writes memory that is no memory of the device", 3),
    # Another kernel runs while thread 0 of this one is at the barrier; its own thread 0 is at none.
    (KERNEL.format("for (long long t = clock64(); *x == 0 && threadIdx.x && clock64() - t < 2000000;) {} "
                   "__syncthreads();\n}\n__global__ void q() { if (threadIdx.x) __syncthreads();",
                   "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); q<<<1, 2>>>(); "
                   "k<<<1, 2>>>(d); q<<<1, 2, 0, s>>>(); for (int i = 0; i < 99; i++) cudaGetLastError();"),
     0, "", 0),
    (KERNEL.format("x[threadIdx.x] = __shfl_sync(2, 1, 1);", "k<<<1, 1>>>(d);"), 0,
     "k: lane 0 is not in its own mask 0x2", 3),
]


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, **environment})
    return done.returncode, done.stderr, done.stdout


def build(simcc, number, text, *options, **environment):
    """Returns the folder, and what simcc said of its x.cu, beside which a k.h lies."""
    folder = f"case_{number}"
    os.mkdir(folder)
    for name, content in (("x.cu", text), ("k.h", f"\n\n{ADD}inline void run(float *x) {{ add<<<1, 1>>>(x); }}\n")):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(content)
    return folder, *run([simcc, "x.cu", *options], folder, **environment)


def check(simcc, number, case):
    """Returns what is wrong with an option or a text that simcc must refuse, or nothing."""
    if len(case) == 2:
        folder, code, errors, _ = build(simcc, number, "int main() {}", *(["-o", "a.out"] * (case[0] != "-o")), case[0])
        return [] if code == 2 and errors.startswith(f"simcc: {case[1]}") else [case, folder, code, errors]
    text, line, words, *warned = case
    folder, code, errors, _ = build(simcc, number, text)
    right = f"x.cu:{line}: {words}" if words != "error: " else f"x.cu:{line}:"
    good = f"simcc: {right}\n" == errors if words != "error: " else right in errors and "error: " in errors
    good = good or warned and not words and not errors
    return [] if code == (0 if warned else 1) and good else [case, code, errors]


def all_said():
    """Returns one text of all programs of SAID, each in a namespace and with lines from 1 on; the argument chooses."""
    text = "#include <cstdio>\n#include <cstdlib>\n"
    for i, (program, *_) in enumerate(SAID):
        program = program.replace("#include <cstdio>", "").replace("int main()", "int program()").rstrip()
        text += f'namespace case_{i} {{\n#line 1 "x.cu"\n{program[:-1]}return 0; }}\n}}\n'
    cases = "".join(f"    case {i}: return case_{i}::program();\n" for i in range(len(SAID)))
    return f"{text}int main(int, char **words) {{\n    switch (atoi(words[1])) {{\n{cases}    }}\n    return 99;\n}}\n"


def check_said(folder, number, case):
    """Returns what is wrong with what a program says, or nothing."""
    _, line, words, wanted = case
    code, errors, _ = run(["./a.out", str(number)], folder)
    good = (f"x.cu:{line}: " if line else "") + words in errors if words else not errors
    return [] if good and code == wanted and len(errors.splitlines()) <= 2 else [case, code, errors]


def check_moved(simcc):
    """Returns what is wrong if the suite is in the program's folder, and gets another name there, or nothing."""
    cache = {"XDG_CACHE_HOME": os.path.abspath("moved/cache")}
    shutil.copytree(os.path.dirname(simcc), "moved/one")
    with open("moved/x.cu", "w", encoding="utf-8") as file:
        file.write(least_of_sms("least = min(least, h[i]);"))
    run(["one/simcc", "x.cu"], "moved", **cache)
    os.rename("moved/one", "moved/two")
    built, ran = run(["two/simcc", "-DX=1", "x.cu"], "moved", **cache), run(["./a.out"], "moved")
    return [] if built == (0, "", "") and ran[1].startswith(f"simcc: x.cu: {OF_SMS}") else ["moved", *built, *ran]


def check_option(simcc, number, compiler, option):
    """Returns what is wrong with a build with an option, or nothing."""
    _, code, errors, _ = build(simcc, number, ADD + "int main() {}\n", option, CXX=compiler)
    return [f"CXX={compiler} simcc {option}", code, errors] if code or errors else []


def main(simcc, good):
    with open(good, encoding="utf-8") as file:
        text = file.read()
    folder, code, errors, _ = build(simcc, "good", text, *ACCEPTED.split())
    wrong = [[good, code, errors]] if code or errors.count("simcc: -G is ignored") != 1 else []
    if not wrong and (ran := run(["./a.out"], folder)) != (0, "", "0 wrong\n"):
        wrong.append([good, *ran])
    folder, code, errors, _ = build(simcc, "said", all_said())
    if code or errors:
        sys.exit(f"what programs say: {errors}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong += filter(None, pool.map(lambda pair: check(simcc, *pair), enumerate(REFUSED + USAGE + WARNED * ("g++" in os.environ.get("CXX", "g++")))))
        wrong += filter(None, pool.map(lambda pair: check_said(folder, *pair), enumerate(SAID)))
        wrong += filter(None, pool.map(lambda pair: check_option(simcc, "_".join(pair), *pair),
                                       (pair for pair in OPTIONS if shutil.which(pair[0]))))
    wrong += filter(None, [check_moved(simcc)])
    for result in wrong:
        print(*result, sep="\n", end="\n\n")
    return len(wrong) > 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as scratch:
        arguments = [os.path.abspath(name) for name in sys.argv[1:]]
        os.environ.setdefault("XDG_CACHE_HOME", os.path.join(os.getcwd(), "simcc_cache"))
        os.chdir(scratch)
        sys.exit(main(*arguments))
