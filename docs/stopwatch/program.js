// SPDX-License-Identifier: MIT
// The whole program of what is pasted, for nvcc and for simcc: it stays as it is, except for the user's own headers and
// the bodies of the kernels, which spin for as long as the slider says. What is declared nowhere is declared in front.
"use strict";

const HEADERS = ("algorithm cfloat chrono climits cmath cstdint cstdio cstdlib cstring ctime iomanip iostream " +
  "numeric thread vector sys/time.h unistd.h").split(" ");
const OWN = { // functions that the page knows
  now: `static double now() { // seconds
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}`,
  cpuSecond: `static double cpuSecond() {
    timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec + t.tv_usec * 1e-6;
}`,
  cutTimers: `static std::vector<std::pair<double, double>> cut_timers; // each one's time, and since when it runs
static double cut_ms() { return std::chrono::steady_clock::now().time_since_epoch().count() * 1e-6; }
static cudaError_t cutCreateTimer(unsigned *timer) {
    cut_timers.emplace_back();
    *timer = unsigned(cut_timers.size());
    return cudaSuccess;
}
static cudaError_t cutStartTimer(unsigned timer) { return cut_timers[timer - 1].second = cut_ms(), cudaSuccess; }
static cudaError_t cutStopTimer(unsigned timer) {
    cut_timers[timer - 1].first += cut_ms() - cut_timers[timer - 1].second;
    return cudaSuccess;
}
static float cutGetTimerValue(unsigned timer) { return float(cut_timers[timer - 1].first); }
static cudaError_t cutDeleteTimer(unsigned) { return cudaSuccess; }`,
  median: `static float median(float *list, int count) {
    std::sort(list, list + count);
    return list[count / 2];
}`,
};
OWN.MPI_Wtime = OWN.now.replace("now", "MPI_Wtime");
const checkOf = (name) => `static void ${name}(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\\n", cudaGetErrorString(error));
    exit(1);
}`;
const HOLD = `// Holds the stream for a millisecond by the GPU's clock, while the host queues what is timed.
// It ends by itself.
__global__ void hold() {
    const long long begin_ns = page_globaltimer_ns(), begin = clock64();
    while (page_globaltimer_ns() - begin_ns < 1000000 && clock64() - begin < 10000000)
        ;
}`;

function wholeProgram(text, settings) {
  const run = new Runner(TIMES, settings, text).run(), { reader, assumed } = run, edits = [];
  // By the GPU's time; by the SM's clock if that is slow at first: then the code takes longer. The last reading
  // takes time, too.
  const least = Math.max(0, settings.work - TIMES.read),
    [clock, limit] = settings.idle < 100 ? ["clock64()", 2 * least] : ["page_globaltimer_ns()", least];
  const spin = `if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
        const long long begin = ${clock};
        while (${clock} - begin < ${limit})
            ;
    }`;
  for (const kernel of reader.kernels.values())
    if (kernel.isKernel && /\S/.test(kernel.text) && !kernel.isKept)
      edits.push([kernel.open, kernel.close, `{\n    ${spin}\n}`]);
  for (const { 0: found, index } of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*(?:"|<helper_|<mpi)[^\n]*/gm))
    edits.push([index, index + found.length, `// ${found}`]);
  const has = (kind) => [...assumed].filter(([, each]) => each.kind === kind).map(([name]) => name);
  const made = [], declared = [];
  for (const [name, { kind, x, isStream }] of assumed) {
    const type = {
      event: "cudaEvent_t", stream: "cudaStream_t", device: "char *", host: "char *", pinned: "char *",
      pointer: "char *", handle: isStream ? "cudaStream_t" : "cudaEvent_t", ms: "float", any: "any_value"
    }[kind];
    if (kind === "slider") declared.push(`static const ${x.t === "L" ? "size_t" : "int"} ${name} = ${x.v};`);
    else if (kind === "list") declared.push(`static float ${name}[1000];`);
    else if (type) declared.push(`static ${type}${type.endsWith("*") ? "" : " "}${name};`);
    const call = {
      event: `cudaEventCreate(&${name});`,
      stream: name === "stream" ? "cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);"
        : `cudaStreamCreate(&${name});`,
      device: `cudaMalloc(&${name}, ${settings.bytes});`, pinned: `cudaMallocHost(&${name}, ${settings.bytes});`,
      host: `${name} = (char *)malloc(${settings.bytes});`
    }[kind];
    if (call) made.push(call);
  }
  const parametersOf = (list) => [...list].map((each) => (each === "p" ? "const void *" : "double")).join(", ");
  const kernels = has("kernel").map((name) => (name === "hold" ? HOLD
    : `__global__ void ${name}(${parametersOf(assumed.get(name).list)}) {\n    ${EMPTY.test(name) ? "" : spin}\n}`));
  const isOmp = reader.all.some((each) => each.text === "omp_get_wtime");
  const head = `// What is in my number? A program of docs/stopwatch.
// Build: nvcc -std=c++17 -arch=native${isOmp ? " -Xcompiler -fopenmp" : ""} stopwatch.cu -o stopwatch
// Without a GPU: simulator/simcc stopwatch.cu -o stopwatch && simulator/parts ./stopwatch
${[...HEADERS, ...(isOmp ? ["omp.h"] : [])].map((name) => `#include <${name}>`).join("\n")}
${has("any").length ? "\nstruct any_value {\n    template <class T> operator T() const { return T(); }\n};" : ""}
__device__ static long long page_globaltimer_ns() { // the GPU's clock
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}
${[...kernels, ...has("function").map((name) => OWN[name]), ...has("check").map(checkOf), ...declared].join("\n")}
`;
  if (run.isWhole) {
    const { body } = run.main;
    if (made.length) edits.push([body.from + 1, body.from + 1, `\n    ${made.join("\n    ")}`]);
    return head + changedText(text, edits);
  }
  // What can stand outside of main(), the directives among it, stands in front of it.
  const outside = [], inside = [];
  let at = 0;
  const put = (from, to, isOutside) => (isOutside ? outside : inside).push(changedText(text.slice(from, to), edits
    .filter((each) => each[0] >= from && each[1] <= to).map(([a, b, what]) => [a - from, b - from, what])));
  for (const each of run.body) {
    const isOutside = /^(function|kernel)$/.test(each.is) || (each.is === "block" && !each.body.length
      && /\w/.test(text.slice(each.from, each.to)));
    for (const line of text.slice(at, each.from).split(/(?<=\n)/)) put(at, (at += line.length), /^\s*#/.test(line) || (
      isOutside && line.trim()));
    put(each.from, each.to, isOutside);
    if (isOutside) outside.push("\n");
    at = each.to;
  }
  put(at, text.length, false);
  const names = (list) => list.join("").replace(/\n(?=[^\n])/g, "\n    ");
  const isBare = /(^|[^:\w])(cout|endl|chrono::|steady_clock|duration)/.test(text.replace(/std::/g, "std:"));
  return `${head}${outside.join("")}${isBare ? "using namespace std;\nusing namespace std::chrono;\n" : ""}
int main() {
    ${[...made, names(inside).trimEnd()].join("\n    ")}
    puts("");
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        fprintf(stderr, "%s\\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
`;
}
