/* SPDX-License-Identifier: MIT
 *
 * Blocks in OpenCL, beside the lesson: the kernel with the clock that the device has, memory, a new
 * input for each launch. */
#pragma once

#include "block_times.h"
#include "kernel_clock.h"

static struct kernel_clock device_clock;
static cl_kernel kernel; /* timedReduction */
static struct { cl_mem input, output, times; } on_device;

/* Opens the device, and builds timedReduction of `file` with the clock that it has. Exits with 77
 * if it has none, with 2 if it does not run work-groups of --threads. */
static inline void open_blocks(const char *file) {
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    device_clock = find_kernel_clock();
    if (!device_clock.name)
        fail(EXIT_NO_DEVICE, "no clock that a kernel can read on %s: no cl_khr_kernel_clock",
             cl.name);
    const cl_program program = build_program(file, device_clock.flags);
    MAKE_CL(kernel = clCreateKernel(program, "timedReduction", &cl_error));
    for (const long long *threads = options.threads; *threads; threads++)
        check_threads(kernel, *threads, 2 * sizeof(float));
}

static inline void set_up_blocks(size_t most, long long work) {
    const cl_int repetitions = (cl_int)work;
    cl_mem *memory[] = {&on_device.input, &on_device.output, &on_device.times};
    const size_t bytes[] = {(size_t)2 * MAX_THREADS * sizeof(float), most * sizeof *results,
                            most * sizeof *times};
    for (cl_uint i = 0; i < 3; i++) {
        MAKE_CL(*memory[i] =
                    clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes[i], NULL, &cl_error));
        CHECK_CL(clSetKernelArg(kernel, i, sizeof *memory[i], memory[i]));
    }
    CHECK_CL(clSetKernelArg(kernel, 4, sizeof repetitions, &repetitions));
    set_up_host(most);
}

static inline void new_input(size_t threads) {
    const size_t bytes = 2 * threads * sizeof *host_input;
    set_random(2 * threads);
    CHECK_CL(clEnqueueWriteBuffer(cl.queue, on_device.input, CL_TRUE, 0, bytes, host_input, 0, NULL,
                                  NULL));
}

/* After this no group has a result (NaN) or a stamp, and the device is idle. */
static inline void clear_blocks(size_t blocks) {
    const cl_uint nan_bits = 0xffffffff;
    const cl_ulong zero = 0;
    CHECK_CL(clEnqueueFillBuffer(cl.queue, on_device.output, &nan_bits, sizeof nan_bits, 0,
                                 blocks * sizeof *results, 0, NULL, NULL));
    CHECK_CL(clEnqueueFillBuffer(cl.queue, on_device.times, &zero, sizeof zero, 0,
                                 blocks * sizeof *times, 0, NULL, NULL));
    CHECK_CL(clFinish(cl.queue));
}

/* Where the clock is all the device's and its step is known, the nanoseconds come from it: counted
 * from a second before the first start, as 0 would say that there are none. */
static inline void read_blocks(size_t blocks) {
    CHECK_CL(clEnqueueReadBuffer(cl.queue, on_device.output, CL_TRUE, 0, blocks * sizeof *results,
                                 results, 0, NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(cl.queue, on_device.times, CL_TRUE, 0, blocks * sizeof *times,
                                 times, 0, NULL, NULL));
    check_blocks(blocks);
    unsigned long long first = ~0ull;
    for (size_t b = 0; b < blocks; b++)
        first = times[b].start_clock < first ? times[b].start_clock : first;
    for (size_t b = 0; b < blocks && device_clock.is_tsc; b++) {
        const double start_ns = (double)(times[b].start_clock - first) * device_clock.tick_ns;
        const double end_ns = (double)(times[b].end_clock - first) * device_clock.tick_ns;
        times[b].start_ns = 1000000000 + (unsigned long long)start_ns;
        times[b].end_ns = 1000000000 + (unsigned long long)end_ns;
    }
}
