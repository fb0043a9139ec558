// SPDX-License-Identifier: MIT
// The stopwatches of the chapters: a name, that of the programs and records, the chapter, and the lines.
"use strict";

const LAUNCH = "kernel<<<blocks, threads>>>();";
const SYNC = "cudaDeviceSynchronize();";
const WARM = `${LAUNCH}  // warm up\n${SYNC}\n`;
const WAITED = `${LAUNCH}\n${SYNC}`;
const ON = (stream) => `kernel<<<blocks, threads, 0, ${stream}>>>();`;
const LOOP = `for (int i = 0; i < N; i++)\n  ${LAUNCH}`;
const PAIR = `cudaEventRecord(start, 0);
${LAUNCH}
cudaEventRecord(stop, 0);
`;
const READ = `cudaEventSynchronize(stop);
cudaEventElapsedTime(&ms, start, stop);
`;
const PRINT = `printf("%.3f us", ms * 1000);`;
const PRINT_HOST = `printf("%.3f us", (t1 - t0) * 1e6);`;
const HOST = (inside, print = PRINT_HOST) => `double t0 = now();
${inside}
double t1 = now();
${print}`;
const MEAN = HOST(`${LOOP}\n${SYNC}`, PRINT_HOST.replace("1e6", "1e6 / N"));
const HELD = (launch) => `hold<<<1, 1>>>();  // load both kernels
${launch}  // warm up
cudaDeviceSynchronize();
hold<<<1, 1>>>();  // holds the GPU for 1 ms, while all is queued behind it
cudaEventRecord(start, 0);
${launch}
cudaEventRecord(stop, 0);
if (cudaEventQuery(start) != cudaErrorNotReady)
  exit(1);  // the host was late: the GPU has waited for it
cudaDeviceSynchronize();
cudaEventElapsedTime(&ms, start, stop);
`;
const FLOOR = `float overhead_ms = 0;
hold<<<1, 1>>>();
cudaEventRecord(start, 0);
cudaEventRecord(stop, 0);  // a pair with nothing in it
if (cudaEventQuery(start) != cudaErrorNotReady)
  exit(1);
cudaDeviceSynchronize();
cudaEventElapsedTime(&overhead_ms, start, stop);
printf("%.3f us", (ms - overhead_ms) * 1000);`;
const DRIVER = "cudaFree(0);  // starts the driver\n";
const CHAPTERS = { 2: "02_clfinish_sync", 4: "04_cuda_events", 6: "06_warmup" };

// `isOurs`: no program and no record has it.
const EXAMPLES = [
  { group: ["Step by step", "一步一步"], name: "host_no_sync", chapter: 4, words: ["Host's clock, no wait", "主机时钟，不等待"],
    text: WARM + HOST(LAUNCH) },
  { name: "host_sync", chapter: 4, words: ["Host's clock and a wait", "主机时钟，等待"], text: WARM + HOST(WAITED) },
  { name: "event", chapter: 4, words: ["Two events", "两个事件"], text: WARM + PAIR + READ + PRINT },
  { name: "event_blocked", chapter: 4, words: ["Events behind a hold", "占住 GPU 之后的事件"], text: HELD(LAUNCH) + PRINT },
  { name: "event_net", chapter: 4, words: ["Minus the event overhead", "减去事件开销"], text: HELD(LAUNCH) + FLOOR },
  { group: ["Warm-up", "预热"], name: "first_launch", chapter: 6, words: ["The first launch", "首次启动"],
    text: PAIR + READ + PRINT },
  { name: "mean_of_100", chapter: 6, words: ["Mean of 100, first in it", "100 次平均，含首次"], settings: { launches: 100 },
    text: DRIVER + MEAN },
  { name: "other_kernel_then_mean_of_10", chapter: 6, words: ["Another kernel, then mean of 10", "先用别的核函数预热，再 10 次平均"],
    settings: { launches: 10 }, text: `empty<<<1, 1>>>();  // warm up\n${SYNC}\n${MEAN}` },
  { name: "warm_then_median", chapter: 6, words: ["Warm up, then the median", "预热，再取中位数"], settings: { launches: 100 },
    text: `${WARM}for (int i = 0; i < N; i++) {
${`${PAIR}${READ}`.replace("&ms", "&each[i]").replace(/^(?=.)/gm, "  ")}}
printf("%.3f us", median(each, N) * 1000);` },
  { name: "many_in_one_pair", chapter: 4, isOurs: true, words: ["Back-to-back in one pair", "一对事件，连续启动"],
    text: WARM + PAIR.replace(LAUNCH, LOOP) + READ + PRINT.replace("1000", "1000 / N") },
  { name: "after_a_pause", chapter: 6, isOurs: true, words: ["After a pause", "停顿之后"], settings: { idle: 50 },
    text: `${WARM}sleep(2);  // the GPU has nothing to do\n${PAIR}${READ}${PRINT}` },
  { group: ["Also seen", "也常见"], name: "cpu_clock", chapter: 4, words: ["C's clock()", "C 的 clock()"],
    text: `${WARM}clock_t t0 = clock();\n${WAITED}\nclock_t t1 = clock();
printf("%.3f us", (double)(t1 - t0) * 1e6 / CLOCKS_PER_SEC);` },
  { name: "finish_after", chapter: 2, words: ["Earlier work, wait after", "有之前的工作，之后等待"],
    text: `${WARM}${LAUNCH}  // earlier work\n${HOST(WAITED)}` },
  { name: "finish_before_and_after", chapter: 2, words: ["Wait before and after", "前后都等待"],
    text: `${WARM}${LAUNCH}  // earlier work\n${SYNC}\n${HOST(WAITED)}` },
  { name: "default_stream", chapter: 4, words: ["Wrong stream", "事件在错误的流"],
    text: WARM + PAIR.replace("threads>>>();", "threads, 0, stream>>>();  // cudaStreamNonBlocking") + READ + PRINT },
  { name: "stop_not_finished", chapter: 4, words: ["No wait for stop", "没有等待事件"],
    text: `${WARM}${PAIR}cudaEventElapsedTime(&ms, start, stop);\n${PRINT}` },
  { name: "exchanged", chapter: 4, isOurs: true, words: ["Exchanged events", "事件写反"],
    text: WARM + PAIR + READ.replace("start, stop", "stop, start") + PRINT },
  { name: "copy_inside", chapter: 4, isOurs: true, words: ["A copy inside", "包含拷贝"],
    text: `${WARM}auto t0 = std::chrono::steady_clock::now();
${LAUNCH}
cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
auto t1 = std::chrono::steady_clock::now();
printf("%.3f us", std::chrono::duration<double, std::micro>(t1 - t0).count());` },
  { name: "two_streams", chapter: 4, isOurs: true, words: ["Two streams", "两个流"],
    text: `cudaStream_t s1, s2;\ncudaStreamCreate(&s1);\ncudaStreamCreate(&s2);
${WARM}${HOST(`${ON("s1")}\n${ON("s2")}\n${SYNC}`)}` },
];
