// SPDX-License-Identifier: MIT
// Writes programs as cases.cu for simcc and, as cases.json, what the page says that they print.
// Usage: node cases.js COUNT SEED FOLDER
const fs = require("fs");
const { Runner, TIMES, EXAMPLES, wholeProgram } = require("./load.js").load();
const [count, firstSeed, folder] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];

let state = firstSeed;
const random = (n) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0, (state >>> 8) % n);
const pick = (list) => list[random(list.length)];

const SHAPES = [[1, 1], [7, 33], [1, 1024], [100, 32], [131, 64], [133, 1], [265, 512], [1057, 128], [140, 1024], [4300, 1], [5000, 33]];
function settings() {
  const large = random(40) === 0, [blocks, threads] = large ? [pick([20000, 50000, 100000]), pick([1, 2])] : pick(SHAPES);
  // The C machine runs each thread and each round of a loop.
  const cost = (work, n) => n * blocks * (threads + work / 4), work = 2 * pick([0, 0, 7, 50, 500, 1000, 2500, 4000].filter((half) => half < 8 || cost(2 * half, 1) < 5e5));
  return { blocks, threads, work, launches: pick([1, 2, 3, 5, 40, 200].filter((n) => n === 1 || cost(work, n) < 5e5)), bytes: 4 * (1 + random(30000)), idle: pick([100, 100, 75, 50, 33]) };
}

const STREAMS = ["0", "0", "0", "stream", "s2"], EVENTS = ["start", "stop", "asleep"];
const shape = () => pick(["blocks, threads", "blocks, threads", "1, 32"]) + pick(["", "", ", 0, stream", ", 0, s2"]);
const LINES = [
  () => `${pick(["kernel", "kernel", "other"])}<<<${shape()}>>>();`, () => `kernel<<<${shape()}>>>();`, () => `reads<<<${pick([shape(), "130, 1024"])}>>>(d);`,
  () => "cudaDeviceSynchronize();", () => `cudaEventRecord(${pick(EVENTS)}, ${pick(STREAMS)});`, () => `cudaEventRecord(${pick(EVENTS)}, ${pick(STREAMS)});`,
  () => `cudaEventSynchronize(${pick(EVENTS)});`, () => `cudaStreamSynchronize(${pick(STREAMS)});`, () => "check(cudaGetLastError());",
  () => `usleep(${pick([0, 20, 60, 60000, 1100000])});`, () => "cudaEventQuery(start);", () => `cudaStreamWaitEvent(${pick(STREAMS)}, start, 0);`, () => "t2 = now();",
  () => "cudaEventElapsedTime(&ms, start, stop);", () => `cudaMemset(d, 0, ${4 * (1 + random(1000))});`,
  () => `cudaMemcpy(${pick(["h", "p"])}, d, bytes, cudaMemcpyDeviceToHost);`, () => `cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);`,
  () => `cudaMemcpyAsync(${pick(["h", "p"])}, d, bytes, cudaMemcpyDeviceToHost, ${pick(STREAMS)});`,
  () => `cudaMemcpyAsync(d, ${pick(["h", "p"])}, bytes, cudaMemcpyHostToDevice, ${pick(STREAMS)});`];
const some = (least, more) => Array.from({ length: least + random(more) }, () => pick(LINES)());
const blocked = () => ["gate->open = 0;", "block_stream<<<1, 1>>>(gate);", "cudaEventRecord(start, 0);", `for (int k = 0; k < ${random(30)}; k++) t2 = now();`,
  pick(["", "kernel<<<blocks, threads>>>();"]), "cudaEventRecord(stop, 0);", `for (int k = 0; k < ${random(200)}; k++) t2 = now();`, "gate->open = 1;"];

function randomProgram() {
  const ofProcessor = random(2) === 0, data = 4 * (1 + pick([10, 1000, 300000, 20000000, 20000000].map(random)));
  const lines = [`cudaMalloc(&d, ${Math.max(data, 120000)});`, "cudaMallocHost(&p, 120000);", "cudaMallocHost(&gate, sizeof *gate);",
    "cudaEventCreate(&start);", "cudaEventCreate(&stop);", "cudaEventCreateWithFlags(&asleep, cudaEventBlockingSync);",
    "cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);", "cudaStreamCreate(&s2);", "float ms = 0, ms2 = 0;", "gate->open = 1;",
    "cudaEventRecord(asleep, 0);", "cudaEventRecord(start, 0);", "kernel<<<blocks, threads>>>();", "other<<<1, 1>>>();", ...some(0, 3), "cudaEventRecord(stop, 0);"];
  if (random(2)) lines.push("block_stream<<<1, 1>>>(gate);", pick(["", "cudaDeviceSynchronize();"]), ...blocked());
  lines.push(pick(["cudaDeviceSynchronize();", "cudaEventSynchronize(stop);"]), pick(["", "", "usleep(1100000);"]), ofProcessor ? "c0 = clock();" : "t0 = now();");
  if (random(3) === 0) lines.push(...blocked());
  lines.push(...some(2, 6));
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
struct gate_t { volatile int open; };
__device__ long long globaltimer_ns() { long long ns; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory"); return ns; }
__global__ void block_stream(gate_t *gate) { while (!gate->open) ; }
__global__ void hold() { const long long begin = globaltimer_ns(); while (globaltimer_ns() - begin < 1000000) ; }
__global__ void kernel(int rounds) { if (threadIdx.x == 0) for (int i = 0; i < rounds; i++) ; }
__global__ void other(int rounds) { if (threadIdx.x == 0) for (int i = 0; i < rounds; i++) ; }
__global__ void reads(float *, int rounds) { if (threadIdx.x == 0) for (int i = 0; i < rounds; i++) ; }
__global__ void empty(int) {}
`;
const DECLARED = "cudaEvent_t start, stop, asleep; cudaStream_t stream, s2; gate_t *gate = nullptr; float ms = 0, ms2 = 0, *d = nullptr, *h = (float *)malloc(1 << 20), *p = nullptr; static float each[1000];\ndouble t0 = 0, t1 = 0, t2 = 0; clock_t c0 = 0, c1 = 0; (void)t0, (void)t1, (void)t2, (void)c0, (void)c1, (void)gate, (void)d, (void)h, (void)p, (void)ms2, (void)each;\n";
const CREATE = `cudaMallocHost(&gate, sizeof *gate);
cudaEventCreate(&start), cudaEventCreate(&stop), cudaMalloc(&d, 120000);
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
for (let i = 0; i < count; i++) cases.push({ name: `seed ${firstSeed}, program ${i}`, text: randomProgram(), settings: settings() });

// A small cache: the C machine runs each thread, so no program here goes through 30 MB.
let cu = HEAD, functions = [];
cases.forEach((each, i) => {
  const { blocks, threads, launches, work, bytes } = each.settings;
  const c = each.text.replace(/(\w+)(<<<[^;]*>>>)\((d)?\)/g, (all, name, shape, given) => `${name}${shape}(${name === "hold" ? "" : (given ? "d, " : "") + work / 2})`).replace(/%\.\d+f (us|ms|s)"/g, '%.9f $1\\n"');
  const body = `${DECLARED}const int blocks = ${blocks}, threads = ${threads}, N = ${launches}; const size_t bytes = ${bytes}; (void)blocks, (void)threads, (void)N, (void)bytes;\n{\n${c}\n}\n`;
  each.whole = `${HEAD}int main() {\n${body}}\n`;
  functions.push(`static void case_${i}() {\n${body}}\n`);
});
cu += `${functions.join("")}static void (*const all[])() = {${cases.map((_, i) => `case_${i}`).join(", ")}};\nint main(int, char **argv) { all[atoi(argv[1])](); }\n`;
fs.writeFileSync(`${folder}/cases.cu`, cu);
for (const c of cases) {
  try {
    c.page = new Runner({ ...TIMES, l2_kib: 8 }, c.settings, c.whole).run().printed.map((each) => each.ns);
  } catch (error) {
    c.page = String(error.message);
  }
  delete c.whole;
}
// Each example's .cu prints the example's number.
const wholes = EXAMPLES.map((each) => {
  const settings = { blocks: 132, threads: 256, launches: 10, work: 10000, bytes: 100000, idle: 100, ...each.settings };
  fs.writeFileSync(`${folder}/${each.name}.cu`, wholeProgram(each.text, settings));
  return { name: each.name, us: new Runner(TIMES, settings, each.text).run().number.ns / 1000, idle: settings.idle };
});
fs.writeFileSync(`${folder}/wholes.json`, JSON.stringify(wholes));
fs.writeFileSync(`${folder}/cases.json`, JSON.stringify(cases));
