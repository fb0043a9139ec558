// SPDX-License-Identifier: MIT
// The whole program of some lines, for nvcc and for simcc.
"use strict";

function wholeProgram(text, settings) {
  const declared = (name) => new RegExp(`\\b(?:cudaEvent_t|cudaStream_t|float|double|int|size_t|dim3|auto|struct gate|const \\w+)\\b[^;(=]*\\b${name}\\b\\s*[;,=(\\[]`).test(text);
  const used = (name) => new RegExp(`\\b${name}\\b`).test(text) && !declared(name);
  const kernels = [...new Set([...text.matchAll(/(\w+)\s*<<</g)].map((found) => found[1]))].filter((name) => name !== "block_stream");
  const kernelOf = (name) => `template <class... Any> __global__ void ${name}(Any...) { // its arguments do not matter
    ${/^(empty|nothing|null|noop)/i.test(name) ? "" : `const long long begin_ns = globaltimer_ns();
    while (globaltimer_ns() - begin_ns < ${settings.work})
        ;
`}}`;
  const lines = text.split("\n").filter((line) => line.trim()).map((line) => line
    .replace(/^(\s*)(cuda(?!Get)\w+\(.*\));/, "$1CHECK($2);")
    .replace(/^(\s*)(?=(?:std::)?(?:printf|cout))/, "$1CHECK(cudaGetLastError());\n    $1"));
  return `// What is in my number? A program of docs/stopwatch.
// Build: nvcc -std=c++17 -arch=native stopwatch.cu -o stopwatch
// Without a GPU: simulator/simcc stopwatch.cu -o stopwatch && simulator/parts ./stopwatch
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <thread>
#include <unistd.h>

#define CHECK(call)                                                                              \\
    do {                                                                                         \\
        const cudaError_t error_ = (call);                                                       \\
        if (error_ != cudaSuccess) {                                                             \\
            fprintf(stderr, "line %d: %s: %s\\n", __LINE__, #call, cudaGetErrorString(error_));   \\
            exit(1);                                                                             \\
        }                                                                                        \\
    } while (0)

__device__ long long globaltimer_ns() { // the GPU's clock
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}
${kernels.map(kernelOf).join("\n")}
struct gate_t {
    int open;
};
__global__ void block_stream(volatile gate_t *gate) { // until the host opens the gate, a second at most
    const long long begin_ns = globaltimer_ns();
    while (!gate->open && globaltimer_ns() - begin_ns < 1000000000)
        ;
}

[[maybe_unused]] static double now() { // seconds
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
[[maybe_unused]] static float median(float *list, int count) {
    std::sort(list, list + count);
    return list[count / 2];
}

int main() {
    [[maybe_unused]] const int blocks = ${settings.blocks}, threads = ${settings.threads}${isSize(text) ? "" : `, N = ${settings.launches}`};
    [[maybe_unused]] const size_t bytes = ${settings.bytes};
${[["start", "cudaEvent_t start;\n    CHECK(cudaEventCreate(&start));"], ["stop", "cudaEvent_t stop;\n    CHECK(cudaEventCreate(&stop));"],
    ["stream", "cudaStream_t stream;\n    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));"],
    ["gate", "volatile gate_t *gate;\n    CHECK(cudaMallocHost((void **)&gate, sizeof *gate));\n    gate->open = 0;"],
    ["d", "char *d;\n    CHECK(cudaMalloc(&d, bytes));"], ["h", "char *h = (char *)malloc(bytes);"],
    ["p", "char *p;\n    CHECK(cudaMallocHost(&p, bytes));"], ["ms", "float ms = 0;"], ["each", "static float each[1000];"]]
    .filter(([name]) => used(name)).map(([, made]) => `    ${made}\n`).join("")}
${lines.map((line) => `    ${line}`).join("\n")}
    puts("");
    CHECK(cudaDeviceSynchronize());
}
`;
}
