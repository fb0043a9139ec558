// SPDX-License-Identifier: MIT
// A table of stopwatches: the number in us, the verdict, the cause, and the numbers that the better lines print, step by
// step, if any, with the last one's verdict.
// The kernel is <<<132, 256>>> with a code of 10 us, so 11.577 us on the GPU, and N is 10, unless a row says otherwise.
const page = require("./load.js").load(), { WARM, PAIR, READ, PRINT, PRINT_HOST, HELD, FLOOR, LAUNCH, HOST, SYNC, LOOP } = page;
const rows = page.EXAMPLES.map((each) => [each.name, each.text, each.settings]).concat([
  ["a long kernel, host's clock", WARM + HOST(`${LAUNCH}\n${SYNC}`), { work: 1000000 }],
  ["a short kernel, no wait, near by chance", WARM + HOST(LAUNCH), { work: 2800 }],
  ["the kernel before the events", WARM + `${LAUNCH}\ncudaEventRecord(start, 0);\ncudaEventRecord(stop, 0);\n${READ}${PRINT}`],
  ["stop is never recorded", WARM + `cudaEventRecord(start, 0);\n${LAUNCH}\n${SYNC}\ncudaEventElapsedTime(&ms, start, stop);\n${PRINT}`],
  ["too many threads", WARM + PAIR + READ + PRINT, { threads: 2048 }],
  ["exchanged clocks", WARM + HOST(`${LAUNCH}\n${SYNC}`, 'printf("%.3f us", (t0 - t1) * 1e6);')],
  ["one launch, divided by N", WARM + HOST(`${LAUNCH}\n${SYNC}`, 'printf("%.3f us", (t1 - t0) * 1e6 / N);')],
  ["short kernels, launch-bound", WARM + HOST(`${LOOP}\n${SYNC}`, 'printf("%.3f us", (t1 - t0) * 1e6 / N);'), { work: 500, launches: 100 }],
  ["short kernels in a pair, launch-bound", WARM + `cudaEventRecord(start, 0);\n${LOOP}\ncudaEventRecord(stop, 0);\n${READ}printf("%.3f us", ms * 1000 / N);`, { work: 500, launches: 100 }],
  ["a loop that waits each time", WARM + HOST(`for (int i = 0; i < N; i++) {\n  ${LAUNCH}\n  ${SYNC}\n}`, 'printf("%.3f us", (t1 - t0) * 1e6 / N);')],
  ["an upload inside, two events", WARM + `cudaEventRecord(start, 0);\ncudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);\n${LAUNCH}\ncudaEventRecord(stop, 0);\n${READ}${PRINT}`],
  ["a host that sleeps, clock()", `cudaEvent_t done;\ncudaEventCreateWithFlags(&done, cudaEventBlockingSync);\n${WARM}clock_t t0 = clock();\n${LAUNCH}\ncudaEventRecord(done, 0);\ncudaEventSynchronize(done);\nclock_t t1 = clock();\nprintf("%.3f us", (double)(t1 - t0));`, { work: 1000000 }],
  ["a mean of pairs, the first launch in it", `float sum = 0;\nfor (int i = 0; i < N; i++) {\n${PAIR}${READ}sum += ms;\n}\nprintf("%.3f us", sum * 1000 / N);`],
  ["no time at all", WARM + 'printf("%d us", 7);'],
  ["chrono, cast to whole ms", WARM + `auto a = std::chrono::high_resolution_clock::now();\n${LAUNCH}\n${SYNC}\nauto b = std::chrono::high_resolution_clock::now();\nstd::cout << std::chrono::duration_cast<std::chrono::milliseconds>(b - a).count() << " ms";`],
  ["a hold, its code asked for", HELD(LAUNCH) + FLOOR, {}, "code"],
  ["minus an empty kernel, its code asked for", HELD(LAUNCH) + HELD("empty<<<blocks, threads>>>();").replace("&ms", "&empty_ms").replace("hold", "float empty_ms;\nhold") + 'printf("%.3f us", (ms - empty_ms) * 1000);', {}, "code"],
  ["twenty in a held pair, one more asked for", HELD(LAUNCH).replace(/(start, 0\);\n)/, `$1for (int i = 0; i < N; i++)\n`) + 'printf("%.3f us", ms * 1000 / N);', { launches: 100 }, "row"],
  ["a reset in the loop, chrono", `reduce<<<256, 256>>>(d, 7);\n${SYNC}\nauto t0 = std::chrono::steady_clock::now();\nfor (int i = 0; i < 50; i++) {\n  CUDA_CHECK(cudaMemset(d, 0, sizeof(float)));\n  reduce<<<256, 256>>>(d, 7);\n}\nCUDA_CHECK(cudaDeviceSynchronize());\nauto t1 = std::chrono::steady_clock::now();\nprintf("%.3f us", std::chrono::duration<double, std::micro>(t1 - t0).count() / 50);`],
  ["a reset between two events", `reduce<<<256, 256>>>(d, 7);\n${SYNC}\ncudaEventRecord(start);\ncudaMemset(d, 0, 4);\nreduce<<<256, 256>>>(d, 7);\ncudaEventRecord(stop);\n${READ}${PRINT}`],
  ["1,000 launches, not divided", `${WARM}double t0 = now();\nfor (int i = 0; i < 1000; i++)\n  ${LAUNCH}\n${SYNC}\nprintf("%.3f us", (now() - t0) * 1e6);`],
  ["a two-stage reduction", `reduce<<<2048, 256>>>(d, 7);\nreduce<<<1, 1024>>>(d, 7);\n${SYNC}\ncudaEventRecord(start);\nreduce<<<2048, 256>>>(d, 7);\nreduce<<<1, 1024>>>(d, 7);\ncudaEventRecord(stop);\n${READ}${PRINT}`],
  ["an allocation inside", `${WARM}float *x;\ndouble t0 = now();\ncudaMalloc(&x, 400000);\n${LAUNCH}\n${SYNC}\ncudaFree(x);\ndouble t1 = now();\n${PRINT_HOST}`],
  ["a wait for another stream", `cudaStream_t a, b;\ncudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);\ncudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);\nfoo<<<128, 256, 0, a>>>();\n${SYNC}\ndouble t0 = now();\nfoo<<<128, 256, 0, a>>>();\ncudaStreamSynchronize(b);\ndouble t1 = now();\n${PRINT_HOST}`],
  ["a wait before stop", `${WARM}cudaEventRecord(start);\n${LAUNCH}\n${SYNC}\ncudaEventRecord(stop);\n${READ}${PRINT}`],
  ["a sleep on the launch's line", `${WARM}double t0 = now();\n${LAUNCH} usleep(100);\ndouble t1 = now();\n${PRINT_HOST}`],
  ["minus now, plus now", `${WARM}double t = -now();\n${LAUNCH}\n${SYNC}\nt += now();\nprintf("%.3f us", t * 1e6);`],
  ["an int of us", `${WARM}cudaEventRecord(start);\n${LAUNCH}\ncudaEventRecord(stop);\n${READ}int us = ms * 100;\nprintf("%d us", us);`],
  ["a poll in place of a wait", `${WARM}double t0 = now();\n${LAUNCH}\nwhile (cudaStreamQuery(0) == cudaErrorNotReady)\n  ;\ndouble t1 = now();\n${PRINT_HOST}`],
  ["a sleep between two events", `${WARM}cudaEventRecord(start);\n${LAUNCH}\nusleep(500);\ncudaEventRecord(stop);\n${READ}${PRINT}`],
  ["a sleep, clock()", `${WARM}clock_t t0 = clock();\n${LAUNCH}\nusleep(1000);\nclock_t t1 = clock();\nprintf("%.3f us", (double)(t1 - t0));`],
  ["host's work that hides the kernel", `${WARM}double t0 = now();\n${LAUNCH}\nfor (int i = 0; i < 1000; i++)\n  now();\ndouble t1 = now();\n${PRINT_HOST}`],
  ["seconds printed as us", WARM + PAIR + READ + 'printf("%g us", ms / 1000);'],
  ["whole us of cout, printed as ms", `${WARM}auto a = std::chrono::steady_clock::now();\n${LOOP}\n${SYNC}\nauto b = std::chrono::steady_clock::now();\nstd::cout << std::chrono::duration_cast<std::chrono::microseconds>(b - a).count() << " ms";`],
  ["a copy back in a stream, two events", `${WARM}cudaEventRecord(start, 0);\n${LAUNCH}\ncudaMemcpyAsync(p, d, bytes, cudaMemcpyDeviceToHost, 0);\ncudaEventRecord(stop, 0);\n${READ}${PRINT}`],
]);

const settings = { blocks: 132, threads: 256, launches: 10, work: 10000, bytes: 100000 }, us = (ns) => (ns / 1000).toFixed(3);

// The answer, in which list, sum and band must be one thing.
function adviceFor(name, text, more, target = "duration") {
  const answer = page.advise(page.TIMES, { ...settings, ...more }, text, target), { number, sums, parts } = answer;
  const sum = sums.reduce((all, each) => all + each.ns, 0), band = parts.pieces.reduce((all, each) => all + each.to - each.from, 0), span = parts.main && parts.main.span;
  if (number.spans && Math.abs(sum - number.ns) > Math.max(0.7, 2e-7 * Math.abs(sum))) throw new Error(`${name}: the list adds up to ${sum}, not ${number.ns}`);
  if (span && span.by !== "cpu" && Math.abs(band - Math.abs(span.to - span.from)) > 1e-6) throw new Error(`${name}: the band has a hole`);
  return answer;
}

const shown = rows.map(([name, text, more, target]) => {
  const { verdict, cause, number, better } = adviceFor(name, text, more, target), path = [];
  for (let now = better; now; now = now.better) path.push(now);
  for (const each of path) { // all events in one stream; what the program needs is still there; lines called right have their query
    const { text: lines } = each;
    if (new Set([...lines.matchAll(/Record\(\w+, (\w+)/g)].map((found) => found[1])).size > 1) throw new Error(`${name}: two streams in\n${lines}`);
    if (/Memset/.test(text) && lines.split("Memset").pop().split("reduce<<<").length !== 2) throw new Error(`${name}: the reset is lost in\n${lines}`);
    for (const call of ["cudaMemcpy(", "cudaMemset(", "cudaMalloc(", "cudaFree("])
      if (lines.split(call).length < text.split(call).length) throw new Error(`${name}: ${call} is lost in\n${lines}`);
    if (/MemcpyAsync\(p/.test(text) && !/Synchronize/.test(lines.split("MemcpyAsync(p").pop())) throw new Error(`${name}: nobody waits for the copy in\n${lines}`);
    if (/hold<<</.test(lines) && !/hold<<<1, 1>>>\(\);  \/\/ 80 ms/.test(lines) && !/cudaEventQuery\(/.test(lines)) throw new Error(`${name}: no query in\n${lines}`);
  }
  return `${name.padEnd(46)}${us(number.ns).padStart(9)}  ${verdict.padEnd(8)}${cause.padEnd(16)}` +
    path.map((each) => us(each.number.ns).padStart(9)).concat(path.length ? `  ${path[path.length - 1].verdict}` : "        -").join("");
}).join("\n") + "\n";
for (const [name, text, more] of rows)
  text.split("\n").forEach((off, i, lines) => {
    try {
      adviceFor(`${name} without line ${i + 1}`, lines.filter((_, k) => k !== i).join("\n"), more);
    } catch (error) {
      if (!(error instanceof page.Unknown)) throw error; // it may be refused
    }
  });

// What is not understood is refused, in its line, by a message that has its name.
const REFUSED = [
  ["a label", "again:\nkernel<<<1, 1>>>();", 1, "label"], ["a type", "std::map<int, float> t;", 1, "map"], ["a call", "cudaGraphLaunch(g, 0);", 1, "cudaGraphLaunch"],
  ["an endless loop", "while (1) {}", 1, "never ends"], ["a member", "dim3 g(1);\ng.w = 2;", 2, ".w"], ["no value", "float s;\ns += 1;", 2, "'s' has no value"], ["declared twice", "int i;\nint i;", 2, "'i' is declared twice"],
  ["what a kernel wrote", 'float x;\ncudaMemcpy(&x, d, 4, cudaMemcpyDeviceToHost);\nprintf("%f us", x);', 3, "kernel has written"], ["two calls of unknown order", 'printf("%f %f", now(), now());', 1, "which comes first"],
  ["an old call", "cudaThreadSynchronize();", 1, "cudaDeviceSynchronize"], ["a directive", "#pragma omp parallel\nkernel<<<1, 1>>>();", 1, "#pragma"], ["a character", "kernel<<<1, 1>>>(); @", 1, "'@'"],
  ["a kernel that waits for who knows what", "__global__ void k(int *p) { while (atomicAdd(p, 0) < 3) ; }\nk<<<1, 1>>>(0);", 2, "'k' waits"], ["too many rounds", "for (int i = 0; i < 1000000; i++) kernel<<<1, 1>>>();", 1, "more launches"],
  ["no argument", "cudaMalloc();", 1, "cudaMalloc"], ["the reader's own size", "matmul<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(a, N);", 1, "'N' is not declared"], ["Python", "x = 1\ny = time.time()", 2, "CUDA C"],
  ["an unknown clock", "double t = wall();", 1, "now() if it is a clock"], ["an unknown call", "launch();", 1, "if it launches one"],
];
let kept = 0;
for (const [name, text, line, words] of REFUSED) {
  let found = "nothing";
  try {
    page.advise(page.TIMES, { ...settings, idle: 100 }, text);
  } catch (error) {
    found = `line ${error.line}: ${error.message}`;
    if (error instanceof page.Unknown && error.line === line && error.message.includes(words)) continue;
  }
  kept++;
  console.log(`not refused as it should be: ${name}: ${found}`);
}

// What the answer says: its verdict, the steps and the list.
const SHORT = { work: 1200, launches: 100 }, THRICE = `for (int i = 0; i < 100; i++)\n  ${LAUNCH}`, CLOCK = (name) => `${WARM}auto a = std::chrono::${name}::now();\n${THRICE}\n${SYNC}\nauto b = std::chrono::${name}::now();\nprintf("%.3f ms", std::chrono::duration<double, std::milli>(b - a).count() / 100);`;
const textOf = (name) => page.EXAMPLES.find((each) => each.name === name).text, PRINTED = textOf("event_net").replace("%.3f us", "%.3f ms").replace(" * 1000", "");
for (const [text, more, ...words] of [
  [HELD(THRICE) + FLOOR.replace("* 1000", "* 10"), SHORT, "none: It is the kernel alone"], [textOf("host_sync"), {}, "8.175 us too much. From a kernel of 163.500 us"], [textOf("event"), {}, "3.100 us, and the event overhead, 1.250 us"],
  [textOf("event_net"), {}, "event overhead on the GPU -1250"], [CLOCK("steady_clock"), SHORT, "printed as 0.004 ms", "|Use two events.|Queue it"], [CLOCK("high_resolution_clock"), SHORT, "the clock's error"],
  [PRINTED, SHORT, "few_digits: It is printed as 0.003 ms: this rounding changes it by 8 %", "|Print more digits.|"], ['std::cout << std::setprecision(2) << 12345.0 << " us";', {}, "1.2e+04"], ['timespec time;\ntime.tv_nsec = 5;\nstd::cout << 12.5 << " us";', {}, " 12.5 "],
]) {
  const answer = adviceFor("said", text, { idle: 100, ...more }), list = answer.sums.map((each) => `${each.words[0]} ${each.less ? -each.less : ""}`);
  let said = `${answer.cause}: ${answer.words} ${answer.number.shown} ${list.join(" ")} |`;
  for (let now = answer; now.better; now = now.better) said += `${now.step}|`;
  for (const each of words) if (!said.includes(each) || (/steady/.test(text) && /error|rounding:/.test(list))) kept++, console.log(`'${each}' is not in: ${said}`);
}

// The chapters' first pages are read whole.
const fs = require("fs"), file = require("path").join(__dirname, "advice.txt");
for (const name of ["04_cuda_events/minimal", "04_cuda_events/minimal_blocked", "06_warmup/minimal"])
  if (adviceFor(name, fs.readFileSync(`${__dirname}/../../../${name}.cu`, "utf8"), { idle: 100 }).run.stopped) kept++, console.log(`not whole: ${name}`);

if (process.env.REFRESH) fs.writeFileSync(file, shown);
const expected = fs.readFileSync(file, "utf8").split("\n"), wrong = shown.split("\n").filter((line, i) => line !== expected[i]);
for (const line of wrong) console.log(`not expected: ${line}`);
console.log(`${rows.length} stopwatches, ${wrong.length} not as in advice.txt`);
process.exit(kept || wrong.length || expected.length !== rows.length + 1 ? 1 : 0);
