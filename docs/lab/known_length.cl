/* SPDX-License-Identifier: MIT
 *
 * A kernel that runs for a known time, by the clock that the host program says this device has. */
#if defined CLOCK_PTX /* NVIDIA: nanoseconds */
ulong read_clock(void) {
    ulong ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}
#elif defined CLOCK_TSC /* an x86 processor: steps of its time stamp counter */
ulong read_clock(void) {
    return __builtin_readcyclecounter();
}
#endif

/* Runs until `length` steps of the clock have gone by, and says how many steps those were. */
__kernel void spin(ulong length, __global ulong *ran) {
#if defined CLOCK_PTX || defined CLOCK_TSC
    const ulong start = read_clock();
    ulong elapsed;
    do
        elapsed = read_clock() - start;
    while (elapsed < length);
    *ran = elapsed;
#else /* no clock: as many steps of work, which take as long each time */
    uint state = 1;
    for (ulong i = 0; i < length; i++)
        state = state * 1664525u + 1013904223u + (state >> 16);
    *ran = length + (state == 0); /* so that the work is not left out */
#endif
}
