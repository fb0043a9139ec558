// SPDX-License-Identifier: MIT
// Writes programs as cases.cu for simcc and, as cases.json, what the page says that they print.
// Usage: node cases.js COUNT SEED FOLDER
const fs = require("fs");
const { Runner, TIMES, EXAMPLES, wholeProgram } = require("./load.js").load();
const [count, firstSeed, folder] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];

let state = firstSeed, data = 120000; // bytes at d, and at d2
const random = (n) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0, (state >>> 8) % n);
const pick = (list) => list[random(list.length)];

const SHAPES = [[1, 1], [7, 33], [1, 1024], [100, 32], [131, 64], [133, 1], [265, 512], [1057, 128], [140, 1024], [4300, 1], [5000, 33]];
function settings() {
  const large = random(40) === 0, [blocks, threads] = large ? [pick([20000, 50000, 100000]), pick([1, 2])] : pick(SHAPES);
  // The C machine runs each thread and each round of a loop.
  const cost = (work, n) => n * blocks * (threads + work / 4), work = 2 * pick([0, 0, 7, 50, 500, 1000, 2500, 4000].filter((half) => half < 8 || cost(2 * half, 1) < 5e5));
  return { blocks, threads, work, launches: pick([1, 2, 3, 5, 40, 200].filter((n) => n === 1 || cost(work, n) < 5e5)), bytes: 4 * (1 + random(30000)), idle: pick([100, 100, 75, 50, 33]), queue: pick([1024, 1024, 100, 20, 5]) };
}

const STREAMS = ["0", "0", "0", "stream", "s2"], EVENTS = ["start", "stop", "asleep"];
const shape = () => pick(["blocks, threads", "blocks, threads", "1, 32"]) + pick(["", "", ", 0, stream", ", 0, s2"]);
const LINES = [
  () => `${pick(["kernel", "kernel", "other"])}<<<${shape()}>>>();`, () => `kernel<<<${shape()}>>>();`, () => `reads<<<${pick([shape(), "130, 1024"])}>>>(d);`,
  () => "cudaDeviceSynchronize();", () => `cudaEventRecord(${pick(EVENTS)}, ${pick(STREAMS)});`, () => `cudaEventRecord(${pick(EVENTS)}, ${pick(STREAMS)});`,
  () => `cudaEventSynchronize(${pick(EVENTS)});`, () => `cudaStreamSynchronize(${pick(STREAMS)});`, () => "check(cudaGetLastError());",
  () => `usleep(${pick([0, 20, 60, 60000, 1100000])});`, () => "cudaEventQuery(start);", () => `cudaStreamWaitEvent(${pick(STREAMS)}, start, 0);`, () => "t2 = now();",
  () => "cudaEventElapsedTime(&ms, start, stop);",
  () => `cudaMemcpy(${pick(["h", "p"])}, d, bytes, cudaMemcpyDeviceToHost);`, () => `cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);`,
  () => `cudaMemcpyAsync(${pick(["h", "p"])}, d, bytes, cudaMemcpyDeviceToHost, ${pick(STREAMS)});`,
  () => `cudaMemcpyAsync(d, ${pick(["h", "p"])}, bytes, cudaMemcpyHostToDevice, ${pick(STREAMS)});`];
const ofMemory = () => pick([4 * (1 + random(1000)), 4 * (1 + random(data / 4)), "bytes"]);
LINES.push(() => `cudaMemset(d, 0, ${ofMemory()});`, () => `cudaMemsetAsync(d, 0, ${ofMemory()}, ${pick(STREAMS)});`,
  () => `cudaMemcpy(d2, d, ${ofMemory()}, cudaMemcpyDeviceToDevice);`, () => `cudaMemcpyAsync(d, d2, ${ofMemory()}, cudaMemcpyDeviceToDevice, ${pick(STREAMS)});`,
  () => fill(pick([6, 30, 130])), () => `while (${pick(["cudaEventQuery(start)", "cudaEventQuery(stop)", "cudaStreamQuery(s2)", "cudaStreamQuery(0)"])} != cudaSuccess) t2 = now();`);
const fill = (count) => `for (int k = 0; k < ${count}; k++) cudaEventRecord(${pick(EVENTS)}, ${pick(STREAMS)});`;
const some = (least, more) => Array.from({ length: least + random(more) }, () => pick(LINES)());
const blocked = () => ["hold<<<1, 1>>>();", "cudaEventRecord(start, 0);", `for (int k = 0; k < ${random(30)}; k++) t2 = now();`,
  pick(["", "", "kernel<<<blocks, threads>>>();", "for (int k = 0; k < 7; k++) cudaEventRecord(start, 0);"]), "cudaEventRecord(stop, 0);", `for (int k = 0; k < ${random(200)}; k++) t2 = now();`];

function randomProgram() {
  const ofProcessor = random(2) === 0;
  data = Math.max(120000, 4 * (1 + pick([10, 1000, 300000, 20000000, 20000000].map(random))));
  const lines = [`cudaMalloc(&d, ${data});`, `cudaMalloc(&d2, ${data});`, "cudaMallocHost(&p, 120000);",
    "cudaEventCreate(&start);", "cudaEventCreate(&stop);", "cudaEventCreateWithFlags(&asleep, cudaEventBlockingSync);",
    "cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);", "cudaStreamCreate(&s2);", "float ms = 0, ms2 = 0;",
    "cudaEventRecord(asleep, 0);", "cudaEventRecord(start, 0);", "kernel<<<blocks, threads>>>();", "other<<<1, 1>>>();", ...some(0, 3), "cudaEventRecord(stop, 0);"];
  if (random(2)) lines.push("hold<<<1, 1>>>();", pick(["", "cudaDeviceSynchronize();"]), ...blocked());
  lines.push(pick(["cudaDeviceSynchronize();", "cudaEventSynchronize(stop);"]), pick(["", "", "usleep(1100000);"]), ofProcessor ? "c0 = clock();" : "t0 = now();");
  if (random(3) === 0) lines.push(...blocked());
  lines.push(...some(2, 6), random(6) ? "" : fill(3100)); // which fills even a queue of 1024
  if (random(2)) lines.push("for (int i = 0; i < N; i++) {", ...some(1, 3), "}");
  lines.push(...some(0, 4), ofProcessor ? "c1 = clock();" : "t1 = now();", pick(["cudaDeviceSynchronize();", "cudaEventSynchronize(stop); cudaEventSynchronize(start);"]));
  lines.push("cudaEventElapsedTime(&ms2, start, stop);", ofProcessor ? 'printf("%.3f us", (double)(c1 - c0));' : 'printf("%.3f us", (t1 - t0) * 1e6);', 'printf("%.3f us", ms2 * 1000);');
  return lines.join("\n");
}

// Each program stands twice: in one file for simcc, and whole, as it is pasted, for the page.
const HEAD = `#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>
#include <sys/time.h>
#include <vector>
static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static float median(float *list, int n) { std::sort(list, list + n); return list[n / 2]; }
static void check(cudaError_t) {}
__device__ long long globaltimer_ns() { long long ns; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory"); return ns; }
__global__ void hold() { const long long begin = globaltimer_ns(); while (globaltimer_ns() - begin < 1000000) ; }
__global__ void kernel(int rounds) { if (threadIdx.x == 0) for (int i = 0; i < rounds; i++) ; }
__global__ void other(int rounds) { if (threadIdx.x == 0) for (int i = 0; i < rounds; i++) ; }
__global__ void reads(float *, int rounds) { if (threadIdx.x == 0) for (int i = 0; i < rounds; i++) ; }
__global__ void empty(int) {}
`;
const DECLARED = "cudaEvent_t start, stop, asleep; cudaStream_t stream, s2; float ms = 0, ms2 = 0, *d = nullptr, *d2 = nullptr, *h = (float *)malloc(1 << 20), *p = nullptr; static float each[1000];\ndouble t0 = 0, t1 = 0, t2 = 0; clock_t c0 = 0, c1 = 0; (void)t0, (void)t1, (void)t2, (void)c0, (void)c1, (void)d, (void)d2, (void)h, (void)p, (void)ms2, (void)each;\n";
const CREATE = `cudaEventCreate(&start), cudaEventCreate(&stop), cudaMalloc(&d, 120000);
cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
`;
const cases = [];
for (const each of EXAMPLES) {
  const settings = { blocks: 132, threads: 256, launches: 10, work: 10000, bytes: 100000, idle: 100, ...each.settings };
  cases.push({ name: each.name, text: CREATE + each.text, settings });
}
// Behind a pause, a command of a stream apart wakes the clock, also if the default stream gets one just behind it.
cases.push({
  name: "two streams behind a pause",
  text: `cudaEventCreate(&start), cudaEventCreate(&stop), cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
kernel<<<blocks, threads>>>();
usleep(1100000);
t0 = now();
cudaEventRecord(stop, stream);
cudaStreamWaitEvent(0, start, 0);
usleep(0);
kernel<<<blocks, threads, 0, stream>>>();
cudaStreamSynchronize(stream);
t1 = now();
printf("%.3f us", (t1 - t0) * 1e6);`,
  settings: { blocks: 4300, threads: 1, work: 0, launches: 1, bytes: 4, idle: 33 },
});
// The GPU comes to an event behind the kernels that were queued before it, also in another stream.
cases.push({
  name: "an event behind another stream's launches",
  text: `cudaStreamCreate(&s2), cudaStreamCreate(&stream), cudaEventCreate(&stop);
t0 = now();
for (int i = 0; i < 1100; i++) { kernel<<<1, 32, 0, s2>>>(); cudaEventRecord(stop, stream); }
while (cudaEventQuery(stop) != cudaSuccess) t2 = now();
for (int i = 0; i < 1100; i++) kernel<<<1, 32>>>();
while (cudaStreamQuery(s2) == cudaErrorNotReady) t2 = now();
printf("%.3f us", (now() - t0) * 1e6);`,
  settings: { blocks: 1, threads: 32, work: 4000, launches: 1, bytes: 4, idle: 100 },
});
// C++ as people write it: each of these prints numbers that depend on a rule of the language.
const WARM = "cudaEventCreate(&start), cudaEventCreate(&stop);\nkernel<<<64, 64>>>();\ncudaDeviceSynchronize();\n";
const TIMED = (inside) => `${WARM}cudaEventRecord(start);\n${inside}\ncudaEventRecord(stop);\ncudaEventSynchronize(stop);\ncudaEventElapsedTime(&ms, start, stop);\nprintf("%.3f us", ms * 1000);`;
const BOTH = "kernel<<<64, 64>>>();\ncudaDeviceSynchronize();\n";
const CHRONO = (print, clock = "steady_clock") => `${WARM}using clk = std::chrono::${clock};\nconst auto a = clk::now();\n${BOTH}const auto b = clk::now();\n${print}`;
const WRITTEN = [
  `${WARM}t0 = now();\ncudaSetDevice(0);\nt1 = now();\nprintf("%.3f us", (t1 - t0) * 1e6);`,
  TIMED("int left = -1; unsigned right = 1;\nfor (int i = 0; i < (left < right ? 2 : 9); i++) kernel<<<64, 64>>>();"),
  TIMED("bool twice = 2; unsigned char c = (unsigned char)300; signed char n = (signed char)200; short k = (short)70000;\nfor (int i = 0; i < twice + (c == 44) + (n == -56) + (k == 4464); i++) kernel<<<64, 64>>>();"),
  TIMED("for (int i = 0; i < 3; i++) if (i == 1) kernel<<<64, 64>>>(); else if (i > 1) kernel<<<1, 64>>>(); else kernel<<<999, 64>>>();"),
  TIMED("size_t n = 3;\nfor (size_t i = n; i-- > 0;) kernel<<<64 + i, 64>>>();"),
  TIMED("for (int i = 0; i < 0x10 - 0xA; i++) kernel<<<64, 1'28>>>();"),
  TIMED("unsigned m = 1u << 4 | 3, k = (m ^ (m & ~1u)) + (7 >> 1) % 4;\nfor (unsigned i = 0; i < k; i++) kernel<<<m, 64>>>();"),
  TIMED("int n = 10;\nwhile (n --> 0) { if (n % 3 == 0) continue; if (n == 1) break; kernel<<<n, 64>>>(); }"),
  TIMED("int n = 2;\n{ int n = 5; for (int i = 0; i < n; i++) kernel<<<64, 64>>>(); }\nfor (int i = 0; i < n; i++) kernel<<<1, 64>>>();"),
  TIMED("dim3 g, t = {32, 4};\ng.x = 3; g.y = 5;\nkernel<<<g, t>>>();\nkernel<<<g.x * g.z, t.x + t.y>>>();"),
  TIMED("int n = 1000, t = 96;\nkernel<<<(n + t - 1) / t, t>>>();\nkernel<<<n / t, t>>>();\nkernel<<<-n / t + 12, t>>>();"),
  TIMED("int i, j, n;\nn = i = 4;\nfor (i = 0, j = n; i < j; i++, j--) kernel<<<64, 64>>>();\ndo kernel<<<i, 64>>>(); while (--i);\nif ((n = 3) == 3 && std::max(n = 5, 2) == 5) kernel<<<n, 64>>>();"),
  TIMED("float list[2][3] = {{1, 2}, {3}};\nint sum = 0;\nfor (int i = 0; i < 2; i++) for (int k = 0; k < 3; k++) sum += list[i][k];\nkernel<<<sum + sizeof list, 64>>>();\nkernel<<<sizeof list[0] + sizeof(double) + sizeof *d, 64>>>();"),
  TIMED("#define TWICE(what, ...) do { what; __VA_ARGS__; } while (0)\n#define N2 3\nTWICE((kernel<<<N2, 64>>>()), kernel<<<7, 64>>>());\n#ifdef N2\nkernel<<<7, 64>>>();\n#else\nkernel<<<7000, 64>>>();\n#endif"),
  TIMED("/* kernel<<<1, 1>>>(); // */ kernel<<<64, 64>>>(); // the next line is a comment, too \\\nkernel<<<64, 64>>>();\nconst char *s = \"/* no } comment\"; (void)s;"),
  CHRONO('printf("%.3f us", std::chrono::duration<double, std::micro>{b - a}.count());'),
  CHRONO('int us = std::chrono::duration_cast<std::chrono::microseconds>(b - a).count();\nprintf("%d us", us);', "high_resolution_clock"),
  CHRONO('std::chrono::duration<double> s = b - a;\nprintf("%.9f s", s.count());\nprintf("%.3f us", (double)(b - a).count() / 1000);', "system_clock"),
  `${WARM}timespec a, b;\nclock_gettime(CLOCK_REALTIME, &a);\nusleep(2100000);\n${BOTH}clock_gettime(CLOCK_REALTIME, &b);\nint ns = (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec;\nprintf("%d ns", ns);\nprintf("%ld us", (b.tv_nsec - a.tv_nsec) / 1000);`,
  `${WARM}timespec a, b;\nclock_gettime(CLOCK_REALTIME, &a);\n${BOTH}clock_gettime(CLOCK_REALTIME, &b);\nint64_t from = a.tv_sec * 1000000000ll + a.tv_nsec, to = b.tv_sec * 1000000000ll + b.tv_nsec;\nuint64_t least = -1, ns = to - from;\nif (ns < least) least = ns;\nsize_t few = 3;\nprintf("%.3f us", (double)(few - 5 > 0 ? least : 0) / 1000);\nprintf("%.3f us", (double)(int64_t)(ns - 100000) / 1000);`,
  `${WARM}timeval a, b;\ngettimeofday(&a, NULL);\n${BOTH}gettimeofday(&b, NULL);\nfloat s0 = a.tv_sec + a.tv_usec * 1e-6f, s1 = b.tv_sec + b.tv_usec * 1e-6f;\nprintf("%.3f s", s1 - s0);\nprintf("%.3f us", (b.tv_sec + b.tv_usec * 1e-6 - (a.tv_sec + a.tv_usec * 1e-6)) * 1e6);`,
  `${WARM}clock_t a = clock();\n${BOTH}a = clock() - a;\nprintf("%.3f s", (float)a / CLOCKS_PER_SEC);\nprintf("%ld s", (long)(a / CLOCKS_PER_SEC));`,
  `${WARM}double t = -now();\n${BOTH}t += now();\nprintf("%.3f us", t * 1e6);\nt -= now();\n${BOTH}t += now();\nprintf("%.3f us", t * 1e6);`,
  `${WARM}std::vector<float> list;\nfor (int i = 1; i < 6; i++) { cudaEventRecord(start); kernel<<<100 * (i * 7 % 5), 64>>>(); cudaEventRecord(stop); cudaEventSynchronize(stop); cudaEventElapsedTime(&ms, start, stop); if (i % 5) list.push_back(ms * 1e3f); }\nstd::sort(list.begin(), list.end());\nfloat sum = 0;\nfor (size_t i = 0; i < list.size(); i++) { list[i] *= 2; sum += list[i]; }\nprintf("%.3f us", sum / list.size());\nprintf("%.3f us", list[list.size() / 2]);\nprintf("%.3f us", std::max(list.front(), list.back()));`,
  `${WARM}cudaEvent_t untimed;\ncudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);\ncudaEventRecord(untimed);\ncudaDeviceSynchronize();\nms = 5;\nprintf("%d us", (int)cudaEventElapsedTime(&ms, untimed, untimed));\nprintf("%.3f us", ms);`,
  `${WARM}cudaEventRecord(start);\nkernel<<<64, 2000>>>();\ncudaEventRecord(stop);\ncudaEventSynchronize(stop);\ncudaEventElapsedTime(&ms, start, stop);\nint first = cudaGetLastError(), second = cudaGetLastError();\nprintf("%d us", first + 1000 * second);\nprintf("%.3f us", ms * 1000);`,
  `${WARM}cudaMalloc(&d, 4000000);\ncudaMallocHost(&p, 120000);\ncudaEventRecord(start);\ncudaMemcpyAsync(&d[500], &p[10], 80000, cudaMemcpyHostToDevice, 0);\nreads<<<100, 256>>>(d + 999000);\ncudaMemcpyAsync(p + 1, d + 500, 80000, cudaMemcpyDeviceToHost, 0);\ncudaEventRecord(stop);\ncudaEventSynchronize(stop);\ncudaEventElapsedTime(&ms, start, stop);\nprintf("%.3f us", ms * 1000);`,
];
WRITTEN.forEach((text, i) => cases.push({ name: `written ${i}`, text, settings: { blocks: 132, threads: 256, launches: 3, work: 4000, bytes: 100000, idle: 100 } }));
for (let i = 0; i < count; i++) cases.push({ name: `seed ${firstSeed}, program ${i}`, text: randomProgram(), settings: settings() });

// A small cache: the C machine runs each thread, so no program here goes through 30 MB.
let cu = HEAD, functions = [];
cases.forEach((each, i) => {
  const { blocks, threads, launches, work, bytes } = each.settings;
  const c = each.text.replace(/(\w+)(<<<[^;]*?>>>)\((d[\w +]*)?\)/g, (all, name, shape, given) => `${name}${shape}(${name === "hold" ? "" : (given ? `${given}, ` : "") + work / 2})`).replace(/%\.\d+f (us|ms|s)"/g, '%.9f $1\\n"').replace(/(%l?d \w+)"/g, '$1\\n"');
  const body = `${DECLARED}const int blocks = ${blocks}, threads = ${threads}, N = ${launches}; const size_t bytes = ${bytes}; (void)blocks, (void)threads, (void)N, (void)bytes;\n{\n${c}\n}\n`;
  each.whole = `${HEAD}int main() {\n${body}}\n`;
  functions.push(`static void case_${i}() {\n${body}}\n`);
});
cu += `${functions.join("")}static void (*const all[])() = {${cases.map((_, i) => `case_${i}`).join(", ")}};\nint main(int, char **argv) { all[atoi(argv[1])](); }\n`;
fs.writeFileSync(`${folder}/cases.cu`, cu);
for (const c of cases) {
  try {
    c.page = new Runner({ ...TIMES, l2_kib: 8, queue_holds: c.settings.queue ?? 1024 }, c.settings, c.whole).run().printed.map((each) => each.ns);
  } catch (error) {
    c.page = String(error.message);
  }
  delete c.whole;
}
// Each example's .cu prints the example's number.
const MPI = `#include <mpi.h>\n${BOTH}double t0 = MPI_Wtime();\n${BOTH}printf("%.3f us", (MPI_Wtime() - t0) * 1e6);`;
const CUT = `unsigned int timer = 0;
cutCreateTimer(&timer);
CUT_SAFE_CALL(cutStartTimer(timer));
${BOTH}CUT_SAFE_CALL(cutStopTimer(timer));
printf("%.3f us", cutGetTimerValue(timer) * 1000);`;
const SECOND = `${BOTH}double iStart = cpuSecond();\n${BOTH}printf("%.3f us", (cpuSecond() - iStart) * 1e6);`;
const OWN_CLOCKS = [["cut_timers", CUT], ["cpu_second", SECOND], ["mpi", MPI]];
const wholes = [...EXAMPLES, ...OWN_CLOCKS.map(([name, text]) => ({ name, text }))].map((each) => {
  const settings = { blocks: 132, threads: 256, launches: 10, work: 10000, bytes: 100000, idle: 100, ...each.settings };
  fs.writeFileSync(`${folder}/${each.name}.cu`, wholeProgram(each.text, settings));
  return { name: each.name, us: new Runner(TIMES, settings, each.text).run().number.ns / 1000, idle: settings.idle };
});
fs.writeFileSync(`${folder}/wholes.json`, JSON.stringify(wholes));
fs.writeFileSync(`${folder}/cases.json`, JSON.stringify(cases));
