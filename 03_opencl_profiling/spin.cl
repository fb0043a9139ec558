/* SPDX-License-Identifier: MIT
 *
 * A kernel that spins, and writes down when it started and ended, by the clock that the host
 * program says this device has. */
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

struct stamp {
    ulong start, end;
};

/* For one work-item. Spins for `length` steps of the clock. */
__kernel void spin(ulong length, __global struct stamp *stamps) {
    struct stamp t;
#if defined CLOCK_PTX || defined CLOCK_TSC
    t.start = read_clock();
    do
        t.end = read_clock();
    while (t.end - t.start < length);
#else /* no clock: as many steps of work */
    uint state = 1;
    for (ulong i = 0; i < length; i++)
        state = state * 1664525u + 1013904223u + (state >> 16);
    t.start = 1;
    t.end = 1 + length + (state == 0); /* so that the work is not left out */
#endif
    *stamps = t;
}
