/* SPDX-License-Identifier: MIT
 *
 * timedReduction in OpenCL C. OpenCL has no clock of its own below cl_khr_kernel_clock; the host
 * program says which one this device has. */
#if defined CLOCK_KHR
ulong read_clock(void) {
    return clock_read_work_group();
}
ulong read_ns(void) {
    return 0; /* the extension does not tell when ... */
}
uint read_unit(void) {
    return 0; /* ... nor where */
}

#elif defined CLOCK_PTX /* NVIDIA: the registers of block_clock.cu */
ulong read_clock(void) {
    ulong clocks;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks) : : "memory");
    return clocks;
}
ulong read_ns(void) {
    ulong ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
    return ns;
}
uint read_unit(void) {
    uint sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm) : : "memory");
    return sm;
}

#elif defined CLOCK_TSC /* an x86 processor: its time stamp counter, which all cores share */
ulong read_clock(void) {
    return __builtin_readcyclecounter();
}
ulong read_ns(void) {
    return 0; /* the host works it out from the counter */
}
uint read_unit(void) {
    uint core;
    __builtin_ia32_rdtscp(&core);
    return core & 0xfff; /* Linux puts the core there, above it the NUMA node */
}
#endif

/* What work-item 0 of a work-group writes down, as in block_clock.cu. */
struct block_time {
    ulong start_clock, end_clock, start_ns, end_ns;
    uint unit;
    float minimum;
};

/* Each work-group finds the minimum of the same numbers, two for each work-item. */
__kernel void timedReduction(__global const float *input, __global struct block_time *times,
                             __local float *shared) {
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

    /* Halve what is left, rounding up: an odd element in the middle waits for the next round. */
    for (uint left = 2 * threads; left > 1;) {
        const uint half_left = (left + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tid + half_left < left && shared[tid + half_left] < shared[tid])
            shared[tid] = shared[tid + half_left];
        left = half_left;
    }
    if (tid == 0)
        times[group].minimum = shared[0];

    /* The group is done when its last work-item is. No barrier of OpenCL C 1.2 gives an answer, as
     * CUDA's __syncthreads_count() does. So the `if` needs a number read behind the barrier,
     * and no clock can be read before the barrier has ended: see barrier.cu. */
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid == 0 && shared[0] < 1000) { /* as all numbers are */
        t.end_clock = read_clock();
        t.end_ns = read_ns();
        t.unit = read_unit();
        t.minimum = shared[0];
        times[group] = t;
    }
}
