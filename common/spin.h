/* SPDX-License-Identifier: MIT
 *
 * A kernel of known length, and the clock by which it knows it. */
#pragma once

/* The GPU's clock in nanoseconds, one for all multiprocessors (SMs), in steps of 32 ns on an H200
 * and of 1024 ns on many others; a profiler may change that. NVIDIA means it for its own tools: PTX
 * ISA, "Special Registers". "memory" keeps the compiler from moving loads and stores across the
 * reading. */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Runs for `length_ns`, and says how long it did run. It begins between two steps of the clock, so
 * it says half a step too much, in the mean: 16 ns where the clock steps by 32, half a us where by
 * 1024. */
static __device__ unsigned long long spin_for(unsigned long long length_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    unsigned long long elapsed_ns;
    do
        elapsed_ns = globaltimer_ns() - start_ns;
    while (elapsed_ns < length_ns);
    return elapsed_ns;
}

/* The known truth, to a step of that clock. */
static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    *ran_ns = spin_for(length_ns);
}
