/* SPDX-License-Identifier: MIT
 *
 * What the block programs share beside their lesson: the work of a block, the blocks' memory on the
 * device, the check of what they wrote, and the row of a launch. How a block takes its stamps is in
 * the programs. */
#pragma once

#ifdef __CUDACC__
#include "../04_cuda_events/spin.h"
#include "cuda_device.h"
#else
#include "../03_opencl_profiling/kernel_clock.h"
#endif
#include "summary.h"

/* What thread 0 of a block writes down. Clocks are its SM's own: within a block their difference
 * means something, between blocks nothing. The nanoseconds are one clock's for the whole device,
 * and 0 where there is none. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns, sm;
};

static float *results; /* of a launch's blocks, in host memory as the next two */
static struct block_time *times;
static double *clocks;
static float minimum; /* the right result */

/* Fills `input` with `count` random floats, an even number, and puts the minimum in a random slot: of
 * the upper half and of the lower half in turns. A reduction that skips elements must fail. */
static inline void set_random(float *input, size_t count) {
    static size_t half = 0;
    minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < count; i++)
        input[i] = (float)(rand() % 1000);
    half = half > 0 ? 0 : count / 2;
    input[half + (size_t)rand() % (count / 2)] = minimum; /* NOLINT: count is not 0 */
}

/* Host memory for the blocks of a launch, at most so many. */
static inline void set_up_host(size_t most) {
    results = (float *)malloc(most * sizeof *results);
    times = (struct block_time *)malloc(most * sizeof *times);
    clocks = (double *)malloc(most * sizeof *clocks);
    if (!results || !times || !clocks)
        fail(EXIT_FAILED, "no host memory for %zu blocks", most);
}

/* Exits with 1 on a wrong result or an impossible stamp. */
static inline void check_blocks(size_t blocks) {
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        if (results[b] != minimum)
            fail(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)results[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            fail(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
    }
}

/* ---- The blocks on the device: set up once, and for each launch a new input, cleared, read ---- */

#ifdef __CUDACC__

static struct {
    float *input, *output;
    struct block_time *times;
} on_device;

/* Opens the device. Exits with 2 if it does not run blocks of --threads. */
static inline struct cudaDeviceProp open_blocks(void) {
    const struct cudaDeviceProp device = open_cuda();
    for (const long long *threads = options.threads; *threads; threads++)
        if (*threads > device.maxThreadsPerBlock)
            fail(EXIT_BAD_USAGE, "--threads: '%lld' is more than the %d that %s allows in a block",
                 *threads, device.maxThreadsPerBlock, device.name);
    return device;
}

/* PTX calls this number virtual: it need not be the hardware's, and may change while a block runs. */
static __device__ unsigned sm_number(void) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)::"memory");
    return sm;
}

/* The work: thread 0 stores the minimum of 2 x blockDim.x numbers; blockDim.x may be any number. The
 * launch gives the block as many floats of shared memory. */
static __device__ void block_minimum(const float *numbers, float *least) {
    extern __shared__ float shared[];
    const unsigned tid = threadIdx.x;
    shared[tid] = numbers[tid];
    shared[tid + blockDim.x] = numbers[tid + blockDim.x];

    /* Halve what is left, rounding up: an odd element in the middle waits for the next round. */
    for (unsigned left = 2 * blockDim.x; left > 1;) {
        const unsigned half = (left + 1) / 2;
        __syncthreads();
        if (tid + half < left && shared[tid + half] < shared[tid])
            shared[tid] = shared[tid + half];
        left = half;
    }
    if (tid == 0)
        *least = shared[0];
}

/* As many blocks as run at once, all SMs together. */
static inline int full_device(const void *kernel, int threads, int sms) {
    int per_sm;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads,
                                                             2 * (size_t)threads * sizeof(float)));
    return per_sm * sms;
}

static inline void set_up_blocks(size_t most) {
    CHECK_CUDA(cudaMalloc((void **)&on_device.input, 2 * MAX_THREADS * sizeof(float)));
    CHECK_CUDA(cudaMalloc((void **)&on_device.output, most * sizeof *on_device.output));
    CHECK_CUDA(cudaMalloc((void **)&on_device.times, most * sizeof *on_device.times));
    set_up_host(most);
}

static inline void new_input(size_t threads) {
    static float host[2 * MAX_THREADS];
    set_random(host, 2 * threads);
    CHECK_CUDA(
        cudaMemcpy(on_device.input, host, 2 * threads * sizeof *host, cudaMemcpyHostToDevice));
}

/* After this no block has a result (NaN) or a stamp, and the device is idle. */
static inline void clear_blocks(size_t blocks) {
    CHECK_CUDA(cudaMemset(on_device.output, 0xff, blocks * sizeof *results));
    CHECK_CUDA(cudaMemset(on_device.times, 0, blocks * sizeof *times));
    CHECK_CUDA(cudaDeviceSynchronize());
}

static inline void read_blocks(size_t blocks) {
    CHECK_CUDA(
        cudaMemcpy(results, on_device.output, blocks * sizeof *results, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(times, on_device.times, blocks * sizeof *times, cudaMemcpyDeviceToHost));
    check_blocks(blocks);
}

#else

static struct opencl cl;
static struct kernel_clock device_clock;
static cl_kernel kernel; /* timedReduction */
static struct { cl_mem input, output, times; } on_device;

/* Opens the device, and builds timedReduction of `file` with the clock that it has. Exits with 77 if
 * it has none, with 2 if it does not run work-groups of --threads. */
static inline void open_blocks(const char *file) {
    size_t most;
    cl_ulong local_bytes;
    cl = open_opencl();
    device_clock = find_kernel_clock(cl);
    if (!device_clock.name)
        fail(EXIT_NO_DEVICE, "no clock that a kernel can read on %s: no cl_khr_kernel_clock",
             cl.name);
    const cl_program program = build_program(cl, file, device_clock.flags);
    MAKE_CL(kernel = clCreateKernel(program, "timedReduction", &made));
    CHECK_CL(clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                      &most, NULL));
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes,
                             NULL));
    if (local_bytes / (2 * sizeof(float)) < most)
        most = local_bytes / (2 * sizeof(float));
    for (const long long *threads = options.threads; *threads; threads++)
        if ((size_t)*threads > most)
            fail(EXIT_BAD_USAGE, "--threads: '%lld' is more than the %zu that %s allows in a group",
                 *threads, most, cl.name);
}

static inline void set_up_blocks(size_t most, long long work) {
    const cl_int repetitions = (cl_int)work;
    cl_mem *memory[] = {&on_device.input, &on_device.output, &on_device.times};
    const size_t bytes[] = {2 * MAX_THREADS * sizeof(float), most * sizeof *results,
                            most * sizeof *times};
    for (cl_uint i = 0; i < 3; i++) {
        MAKE_CL(*memory[i] = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes[i], NULL, &made));
        CHECK_CL(clSetKernelArg(kernel, i, sizeof *memory[i], memory[i]));
    }
    CHECK_CL(clSetKernelArg(kernel, 4, sizeof repetitions, &repetitions));
    set_up_host(most);
}

static inline void new_input(size_t threads) {
    static float host[2 * MAX_THREADS];
    set_random(host, 2 * threads);
    CHECK_CL(clEnqueueWriteBuffer(cl.queue, on_device.input, CL_TRUE, 0, 2 * threads * sizeof *host,
                                  host, 0, NULL, NULL));
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
 * from a second before group 0 started, for others may have started earlier. */
static inline void read_blocks(size_t blocks) {
    CHECK_CL(clEnqueueReadBuffer(cl.queue, on_device.output, CL_TRUE, 0, blocks * sizeof *results,
                                 results, 0, NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(cl.queue, on_device.times, CL_TRUE, 0, blocks * sizeof *times,
                                 times, 0, NULL, NULL));
    for (size_t b = 0; b < blocks && strstr(device_clock.flags, "TSC"); b++) {
        const double start = (double)(long long)(times[b].start_clock - times[0].start_clock);
        const double end = (double)(long long)(times[b].end_clock - times[0].start_clock);
        times[b].start_ns = (unsigned long long)(1e9 + start * device_clock.step_ns);
        times[b].end_ns = (unsigned long long)(1e9 + end * device_clock.step_ns);
    }
    check_blocks(blocks);
}

#endif

/* ---- One row: launches in the median. SPAN_US and SMS are -1 where the device cannot tell ---- */

enum { CLOCKS_MIN, CLOCKS_MEAN, CLOCKS_MEDIAN, CLOCKS_MAX, SPAN_US, EVENT_US, SMS, FIELDS };
static double samples[FIELDS][MAX_RUNS];

/* Reads back what the blocks of launch number `run` wrote, and stores what that says in `samples`. */
static inline void read_launch(size_t run, size_t blocks, double event_us) {
    unsigned long long first_ns = ~0ull, last_ns = 0;
    unsigned char seen[4096] = {0}; /* SM numbers */
    int sms = 0;
    read_blocks(blocks);
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        sms += !seen[t->sm % sizeof seen];
        seen[t->sm % sizeof seen] = 1;
    }
    const struct summary s = summarize(clocks, blocks);
    const double span_us = last_ns > 0 ? (double)(last_ns - first_ns) / 1e3 : -1;
    /* %globaltimer steps by 1 us on some devices: allow two such steps; and for a time stamp
     * counter the error of its rate. */
    if (!(event_us > 0) || span_us > 1.001 * event_us + 2)
        fail(EXIT_FAILED, "impossible: a span of %.2f us in an event of %.2f us", span_us,
             event_us);
    samples[CLOCKS_MIN][run] = s.min;
    samples[CLOCKS_MEAN][run] = s.mean;
    samples[CLOCKS_MEDIAN][run] = s.median;
    samples[CLOCKS_MAX][run] = s.max;
    samples[SPAN_US][run] = span_us;
    samples[EVENT_US][run] = event_us;
    samples[SMS][run] = span_us < 0 ? -1 : sms;
}

/* Prints the row of options.runs launches, and stores their medians in `row`. In the table a bar shows
 * the mean clocks, ten marks for `one_mean` of them, and `mark` what the number of blocks stands for. */
static inline void report_blocks(const char *device, long long blocks, long long threads,
                                 double row[FIELDS], const double *one_mean, const char *mark) {
    bool disturbed = false;
    for (int f = 0; f < FIELDS; f++) {
        const struct summary s = summarize(samples[f], (size_t)options.runs);
        row[f] = s.median;
        disturbed |= s.disturbed && (f == CLOCKS_MEAN || f == EVENT_US);
    }
    const bool has_span = row[SPAN_US] >= 0;
    cell("device", 0, "%s", device);
    cell("blocks", 7, "%lld", blocks);
    cell("threads", 7, "%lld", threads);
    cell("runs", 0, "%lld", options.runs);
    cell("clocks_min", 10, "%.0f", row[CLOCKS_MIN]);
    cell("clocks_mean", 11, "%.0f", row[CLOCKS_MEAN]);
    cell("clocks_median", 13, "%.0f", row[CLOCKS_MEDIAN]);
    cell("clocks_max", 10, "%.0f", row[CLOCKS_MAX]);
    if (has_span)
        number("span", "us", 9, 2, row[SPAN_US]);
    else
        cell("span_us", 0, "%s", "");
    number("event", "us", 10, 2, row[EVENT_US]);
    if (has_span)
        cell("sms", 4, "%.0f", row[SMS]);
    else
        cell("sms", 0, "%s", "");
    cell("", -1, "%.*s %s", (int)(row[CLOCKS_MEAN] / *one_mean * 10 + 0.5),
         "########################################", mark);
    end_row_disturbed(disturbed || (has_span && is_held_up(row[EVENT_US] - row[SPAN_US])));
}

/* Puts `number` in its place in a rising list that ends with 0, unless it is there. */
static inline void insert(long long *list, long long number) {
    while (*list && *list < number)
        list++;
    while (number && *list != number) { /* each moves up the next; the last of them is the 0 */
        const long long next = *list;
        *list++ = number;
        number = next;
    }
}
