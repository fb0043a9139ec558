// SPDX-License-Identifier: MIT
// The stopwatches of the chapters: a name, that of the programs and records unless it is ours, the chapter, and the lines.
// start, stop, stream (cudaStreamNonBlocking), gate, h, d, bytes, blocks, threads and N are declared.
"use strict";

const LAUNCH = "kernel<<<blocks, threads>>>();";
const SYNC = "cudaDeviceSynchronize();";
const WARM = `${LAUNCH}  // warm up\n${SYNC}\n`;
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
const BLOCKED = (launch, begin = "") => `${begin}block_stream<<<1, 1>>>(gate);  // load both kernels
gate->open = 1;
${launch}  // warm up
cudaDeviceSynchronize();
gate->open = 0;
block_stream<<<1, 1>>>(gate);  // holds the GPU until the host opens the gate
cudaEventRecord(start, 0);
${launch}
cudaEventRecord(stop, 0);
gate->open = 1;
cudaDeviceSynchronize();
cudaEventElapsedTime(&ms, start, stop);
`;
const FLOOR = `float floor_ms = 0;
gate->open = 0;
block_stream<<<1, 1>>>(gate);
cudaEventRecord(start, 0);
cudaEventRecord(stop, 0);  // a pair with nothing in it
gate->open = 1;
cudaDeviceSynchronize();
cudaEventElapsedTime(&floor_ms, start, stop);
printf("%.3f us", (ms - floor_ms) * 1000);`;
const CHAPTERS = { 2: "02_clfinish_sync", 4: "04_cuda_events", 6: "06_warmup" };

const EXAMPLES = [
  { name: "host_no_sync", chapter: 4, words: ["Host's clock, no wait", "主机时钟，不等待"], text: WARM + HOST(LAUNCH) },
  { name: "host_sync", chapter: 4, words: ["Host's clock and a wait", "主机时钟，等待"], text: WARM + HOST(`${LAUNCH}\n${SYNC}`) },
  { name: "finish_after", chapter: 2, words: ["A wait after alone", "只在之后等待"],
    text: `${WARM}${LAUNCH}  // earlier work\n${HOST(`${LAUNCH}\n${SYNC}`)}` },
  { name: "finish_before_and_after", chapter: 2, words: ["A wait before and after", "前后都等待"],
    text: `${WARM}${LAUNCH}  // earlier work\n${SYNC}\n${HOST(`${LAUNCH}\n${SYNC}`)}` },
  { name: "event", chapter: 4, words: ["Two events", "两个事件"], text: WARM + PAIR + READ + PRINT },
  { name: "event_blocked", chapter: 4, words: ["Events behind a blocker", "阻塞核函数之后的事件"], text: BLOCKED(LAUNCH) + PRINT },
  { name: "event_net", chapter: 4, words: ["Minus an empty pair", "减去一对空事件"], text: BLOCKED(LAUNCH) + FLOOR },
  { name: "cpu_clock", chapter: 4, words: ["C's clock()", "C 的 clock()"], text: `${WARM}clock_t t0 = clock();
${LAUNCH}
${SYNC}
clock_t t1 = clock();
printf("%.3f us", (double)(t1 - t0) * 1e6 / CLOCKS_PER_SEC);` },
  { name: "default_stream", chapter: 4, words: ["Events in the wrong stream", "事件在错误的流"],
    text: WARM + PAIR.replace("threads>>>();", "threads, 0, stream>>>();  // cudaStreamNonBlocking") + READ + PRINT },
  { name: "stop_not_finished", chapter: 4, words: ["No wait for the event", "没有等待事件"],
    text: `${WARM}${PAIR}cudaEventElapsedTime(&ms, start, stop);\n${PRINT}` },
  { name: "exchanged", chapter: 4, isOurs: true, words: ["Exchanged events", "事件写反"], text: WARM + PAIR + READ.replace("start, stop", "stop, start") + PRINT },
  { name: "copy_inside", chapter: 4, isOurs: true, words: ["A copy inside", "包含拷贝"], text: `${WARM}auto t0 = std::chrono::steady_clock::now();
${LAUNCH}
cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
auto t1 = std::chrono::steady_clock::now();
printf("%.3f us", std::chrono::duration<double, std::micro>(t1 - t0).count());` },
  { name: "two_streams", chapter: 4, isOurs: true, words: ["Two streams", "两个流"], text: `cudaStream_t s1, s2;
cudaStreamCreate(&s1);
cudaStreamCreate(&s2);
${WARM}${HOST(`kernel<<<blocks, threads, 0, s1>>>();
kernel<<<blocks, threads, 0, s2>>>();
${SYNC}`)}` },
  { name: "many_in_one_pair", chapter: 4, isOurs: true, words: ["Many launches in one pair", "一对事件，多次启动"],
    text: WARM + PAIR.replace(LAUNCH, LOOP) + READ + PRINT.replace("1000", "1000 / N") },
  { name: "first_launch", chapter: 6, words: ["The first launch", "首次启动"], text: PAIR + READ + PRINT },
  { name: "mean_of_100", chapter: 6, words: ["Mean of 100, the first one in it", "100 次平均，含首次"], settings: { launches: 100 },
    text: HOST(`${LOOP}\n${SYNC}`, PRINT_HOST.replace("1e6", "1e6 / N")) },
  { name: "other_kernel_then_mean_of_10", chapter: 6, words: ["Another kernel, then mean of 10", "先用别的核函数预热，再 10 次平均"], settings: { launches: 10 },
    text: `empty<<<1, 1>>>();  // warm up\n${SYNC}\n${HOST(`${LOOP}\n${SYNC}`, PRINT_HOST.replace("1e6", "1e6 / N"))}` },
  { name: "warm_then_median", chapter: 6, words: ["Warm up, then the median", "预热，再取中位数"], settings: { launches: 100 }, text: `${WARM}for (int i = 0; i < N; i++) {
  cudaEventRecord(start, 0);
  ${LAUNCH}
  cudaEventRecord(stop, 0);
  cudaEventSynchronize(stop);
  cudaEventElapsedTime(&each[i], start, stop);
}
printf("%.3f us", median(each, N) * 1000);` },
];
