/* SPDX-License-Identifier: MIT
 *
 * timedReduction in OpenCL C. OpenCL has no clock of its own below cl_khr_kernel_clock; the host
 * program says which one this device has. */
#if defined CLOCK_KHR
#pragma OPENCL EXTENSION cl_khr_kernel_clock : enable
ulong read_clock(void) {
    return clock_read_work_group();
}
#elif defined CLOCK_PTX  /* NVIDIA: the same registers as in block_clock.cu */
ulong read_clock(void) {
    ulong clocks;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks));
    return clocks;
}
#elif defined CLOCK_LLVM /* a CPU, through LLVM: the time stamp counter on x86 */
ulong read_clock(void) {
    return __builtin_readcyclecounter();
}
#endif

#if defined CLOCK_PTX
ulong read_ns(void) {
    ulong ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}
ulong read_unit(void) {
    uint sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}
#else /* this device cannot tell */
ulong read_ns(void) {
    return 0;
}
ulong read_unit(void) {
    return 0;
}
#endif

/* What work-item 0 of a work-group writes down. */
struct block_time {
    ulong start_clock, end_clock;
    ulong start_ns, end_ns;
    ulong unit;
};

__kernel void timedReduction(__global const float *input, __global float *output,
                             __global struct block_time *timer, __local float *shared) {
    const uint tid = get_local_id(0);
    const uint threads = get_local_size(0);
    const size_t group = get_group_id(0);
    struct block_time t;

    if (tid == 0) {
        t.start_ns = read_ns();
        t.start_clock = read_clock();
    }

    shared[tid] = input[tid];
    shared[tid + threads] = input[tid + threads];

    /* Halve what is left, rounding up, so that an odd element in the middle stays for next time. */
    for (uint left = 2 * threads; left > 1;) {
        const uint half_left = (left + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tid + half_left < left && shared[tid + half_left] < shared[tid])
            shared[tid] = shared[tid + half_left];
        left = half_left;
    }

    if (tid == 0)
        output[group] = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* the group ends when its last work-item does */

    if (tid == 0) {
        t.end_clock = read_clock();
        t.end_ns = read_ns();
        t.unit = read_unit();
        timer[group] = t;
    }
}
