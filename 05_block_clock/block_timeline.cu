/* SPDX-License-Identifier: MIT
 *
 * Which SM ran which block, and when?
 *
 * Measures: one launch of timedReduction: each block's SM, its start and its end by
 *   %globaltimer, and its clocks.
 * Does not measure: medians of many launches (block_clock.cu).
 *
 * Build: nvcc -O2 -arch=native -I../common block_timeline.cu -o block_timeline
 * Run:   ./block_timeline
 * Try:   ./block_timeline --trace >trace.json        then open the file on https://ui.perfetto.dev
 *        ./block_timeline --blocks 40 --threads 64   now hardly a block waits for a place
 */
#include "cuda.h"
#include "samples.h"
#include "timeline.h"

/* A few waves, the last one not full: so many blocks on 132 SMs, and as many for each SM
 * elsewhere. */
enum { FEW_WAVES = 600, ON_SMS = 132 };

/* What thread 0 of a block writes down. Clocks are its SM's own: within a block their difference
 * means something, between blocks nothing. The nanoseconds are one clock's for the whole device. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns, sm;
};

/* ---- The kernel ---- */

/* The GPU's clock in nanoseconds, one for all SMs. "memory" keeps the compiler from moving loads
 * and stores across the reading. */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* PTX calls this number volatile: it may change while a block runs. */
static __device__ unsigned sm_number(void) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)::"memory");
    return sm;
}

/* timedReduction of block_clock.cu, which does its work several times. Each block finds the minimum
 * of the same 2 x blockDim.x numbers; blockDim.x may be any number. The launch gives the block as
 * many floats of shared memory. */
static __global__ void timedReduction(const float *input, float *output, struct block_time *times,
                                      int work) {
    extern __shared__ float shared[];
    const unsigned tid = threadIdx.x;
    struct block_time t;

    /* Other warps may begin before thread 0 reads its clock. A barrier would not change that, and
     * would be in the time. */
    if (tid == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }

    /* Several times: else the start of a block would take most of its time. */
    for (int i = 0; i < work; i++) {
        float *const result = &output[blockIdx.x]; /* as in block_clock.cu */
        shared[tid] = input[tid];
        shared[tid + blockDim.x] = input[tid + blockDim.x];

        /* Halve what is left, rounding up: an odd element in the middle waits a round. */
        for (unsigned left = 2 * blockDim.x; left > 1;) {
            const unsigned half = (left + 1) / 2;
            __syncthreads();
            if (tid + half < left && shared[tid + half] < shared[tid])
                shared[tid] = shared[tid + half];
            left = half;
        }
        if (tid == 0)
            *result = shared[0];
        __syncthreads(); /* the next round overwrites what thread 0 still reads */
    }

    /* The block is done when its last warp is, not when thread 0 is. Thread 0 needs the count, and
     * there is none before all threads are here: so it cannot read the clock too early. */
    if (__syncthreads_count(1) && tid == 0) {
        t.end_clock = clock64();
        t.end_ns = globaltimer_ns();
        t.sm = sm_number();
        times[blockIdx.x] = t;
    }
}

/* ---- One launch ---- */

struct memory {
    float *input, *output; /* on the device */
    struct block_time *times;
    float *host_input, *host_output;
    struct block_time *host_times;
};

static struct memory set_up(size_t blocks, size_t threads) {
    struct memory m = {};
    CHECK_CUDA(cudaMalloc(&m.input, 2 * threads * sizeof *m.input));
    CHECK_CUDA(cudaMalloc(&m.output, blocks * sizeof *m.output));
    CHECK_CUDA(cudaMalloc(&m.times, blocks * sizeof *m.times));
    m.host_output = (float *)new_memory(blocks * sizeof *m.host_output);
    m.host_times = (struct block_time *)new_memory(blocks * sizeof *m.host_times);
    m.host_input = (float *)new_memory(2 * threads * sizeof *m.host_input);
    return m;
}

/* Launches with random numbers whose minimum is at a random place of one half, and reads back what
 * the blocks wrote. Returns how long the host waited, in us. Exits with 1 on a wrong minimum or an
 * impossible stamp. */
static double run_us(const struct memory *m, size_t blocks, size_t threads, int work,
                     bool upper_half) {
    const size_t output_bytes = blocks * sizeof *m->output, times_bytes = blocks * sizeof *m->times;
    const size_t input_bytes = 2 * threads * sizeof *m->input;
    const float minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < 2 * threads; i++)
        m->host_input[i] = (float)(rand() % 1000);
    m->host_input[(upper_half ? threads : 0) + (size_t)rand() % threads] = minimum;
    CHECK_CUDA(cudaMemcpy(m->input, m->host_input, input_bytes, cudaMemcpyHostToDevice));
    /* No block has a result (NaN) or a stamp now, and the device is idle. */
    CHECK_CUDA(cudaMemset(m->output, 0xff, output_bytes));
    CHECK_CUDA(cudaMemset(m->times, 0, times_bytes));
    CHECK_CUDA(cudaDeviceSynchronize());

    const int64_t start_ns = now_ns();
    timedReduction<<<(unsigned)blocks, (unsigned)threads, input_bytes>>>(m->input, m->output,
                                                                         m->times, work);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    const int64_t end_ns = now_ns();
    CHECK_CUDA(cudaMemcpy(m->host_output, m->output, output_bytes, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(m->host_times, m->times, times_bytes, cudaMemcpyDeviceToHost));
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &m->host_times[b];
        if (m->host_output[b] != minimum)
            errx(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)m->host_output[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            errx(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
        if (t->sm >= MAX_UNITS)
            errx(EXIT_FAILED, "impossible: block %zu runs on SM %llu", b, t->sm);
    }
    return (double)(end_ns - start_ns) / 1e3;
}

/* As many blocks as run at once, all SMs together. Exits with 1 if not even one does. */
static int blocks_at_once(size_t threads, int sms) {
    int per_sm = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)timedReduction, (int)threads, 2 * threads * sizeof(float)));
    if (per_sm < 1)
        errx(EXIT_FAILED, "no block of %zu threads has room on an SM", threads);
    return per_sm * sms;
}

int main(int argc, char **argv) {
    struct numbers block_list = {}, thread_list = {1, {1024}};
    long long work = 20, trace = false;
    const struct opt options[] = {
        OPT_DEVICE,
        OPT_LIST("blocks", &block_list, MAX_BLOCKS,
                 "number of blocks, one alone; else 600 on 132 SMs, and as many for each SM"),
        OPT_LIST("threads", &thread_list, MAX_THREADS, "threads in a block, one number"),
        OPT_NUMBER("work", &work, 1000000, "have each block do its work N times"),
        OPT_FLAG("trace", &trace, "print Chrome's trace format and nothing else"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "Which SM ran which block, and when?", options);
    if (trace)
        leave_stdout_to_trace();
    only_one("--blocks", &block_list);
    const size_t threads = only_one("--threads", &thread_list);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    const int sms = gpu.multiProcessorCount;
    check_most("threads", (long long)threads, (size_t)gpu.maxThreadsPerBlock, gpu.name);
    if (block_list.count == 0) {
        block_list.count = 1;
        block_list.at[0] = FEW_WAVES * sms / ON_SMS;
    }
    const size_t blocks = (size_t)block_list.at[0];
    const struct memory m = set_up(blocks, threads);
    struct slice *slices = (struct slice *)new_memory(blocks * sizeof *slices);

    run_us(&m, blocks, threads, (int)work, true); /* the warm-up, which chapter 06 is about */
    const double wait_us = run_us(&m, blocks, threads, (int)work, false);
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &m.host_times[b];
        slices[b] =
            (struct slice){b, t->sm, t->start_ns, t->end_ns, t->end_clock - t->start_clock, 0};
    }
    const struct timeline line = new_timeline(slices, blocks);
    const char *doubt = doubt_wait(wait_us - (double)line.span_ns / 1e3) ?: DEBUG_DOUBT;

    begin_record(options, gpu.name, driver);
    say("Block timeline: %zu blocks of %zu threads on %s; %d SMs, %d blocks at a time\n\n", blocks,
        threads, gpu.name, sms, blocks_at_once(threads, sms));
    draw_timeline(&line, "SM", doubt);
    record_slices(&line, doubt);
    if (trace)
        print_trace(&line, "SM");
    return EXIT_SUCCESS;
}
