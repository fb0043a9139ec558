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
#include "block_time.h" /* what a block writes down */
#include "cuda.h"
#include "samples.h"
#include "timeline.h"

/* A few waves, the last one not full: so many blocks on 132 SMs, and as many for each SM
 * elsewhere. */
enum { FEW_WAVES = 600, ON_SMS = 132 };

/* ---- The kernel ---- */

/* The GPU's clock in nanoseconds, one for all SMs. "memory" keeps the compiler from moving loads
 * and stores across the reading. */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

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
        t.unit = sm_number(); /* by PTX it may change while a block runs */
        times[blockIdx.x] = t;
    }
}

/* ---- One launch ---- */

struct memory {
    float *input, *output, *host_output; /* those without host_ are on the device */
    struct block_time *times, *host_times;
};

static struct memory set_up(unsigned blocks, unsigned threads) {
    struct memory m = {};
    CHECK_CUDA(cudaMalloc(&m.input, 2 * threads * sizeof *m.input));
    CHECK_CUDA(cudaMalloc(&m.output, blocks * sizeof *m.output));
    CHECK_CUDA(cudaMalloc(&m.times, blocks * sizeof *m.times));
    m.host_output = (float *)new_memory(blocks * sizeof *m.host_output);
    m.host_times = (struct block_time *)new_memory(blocks * sizeof *m.host_times);
    return m;
}

/* Run 0 or 1: launches, and reads back what the blocks wrote down. Returns for how long the host
 * waited, in us. */
static double run_us(const struct memory *m, unsigned blocks, unsigned threads, int work,
                     size_t run) {
    float input[2 * MAX_THREADS];
    const size_t output_bytes = blocks * sizeof *m->output, times_bytes = blocks * sizeof *m->times;
    const size_t input_bytes = 2 * threads * sizeof *input;
    fill_input(input, 2 * threads, run, 2);
    CHECK_CUDA(cudaMemcpy(m->input, input, input_bytes, cudaMemcpyHostToDevice));
    /* No block has a result (NaN) or a stamp now, and the device is idle. */
    CHECK_CUDA(cudaMemset(m->output, 0xff, output_bytes));
    CHECK_CUDA(cudaMemset(m->times, 0, times_bytes));
    CHECK_CUDA(cudaDeviceSynchronize());

    const int64_t start_ns = now_ns();
    timedReduction<<<blocks, threads, input_bytes>>>(m->input, m->output, m->times, work);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    const int64_t end_ns = now_ns();

    CHECK_CUDA(cudaMemcpy(m->host_output, m->output, output_bytes, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(m->host_times, m->times, times_bytes, cudaMemcpyDeviceToHost));
    check_blocks(m->host_times, m->host_output, blocks);
    return (double)(end_ns - start_ns) / 1e3;
}

/* As many blocks as run at once, all SMs together. */
static unsigned blocks_at_once(unsigned threads, unsigned sms) {
    int per_sm = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)timedReduction, (int)threads, 2 * threads * sizeof(float)));
    return (unsigned)per_sm * sms;
}

int main(int argc, char **argv) {
    long long asked_blocks = 0, asked_threads = 1024, work = 20, trace = false;
    const struct opt options[] = {
        OPT_DEVICE,
        OPT_NUMBER("blocks", &asked_blocks, MAX_BLOCKS,
                   "launch N blocks; else 600 on 132 SMs, and as many for each SM"),
        OPT_NUMBER("threads", &asked_threads, MAX_THREADS, "N threads in each block"),
        OPT_NUMBER("work", &work, 1000000, "have each block do its work N times"),
        OPT_FLAG("trace", &trace, "print Chrome's trace format and nothing else"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "Which SM ran which block, and when?", options);
    if (trace && record_file == stdout)
        errx(EXIT_BAD_USAGE, "--csv: --trace prints on stdout; give --csv=FILE");
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    const unsigned sms = (unsigned)gpu.multiProcessorCount;
    check_most("threads", asked_threads, (size_t)gpu.maxThreadsPerBlock, gpu.name);
    if (asked_blocks == 0)
        asked_blocks = FEW_WAVES * sms / ON_SMS;
    const unsigned blocks = (unsigned)asked_blocks, threads = (unsigned)asked_threads;
    const struct memory m = set_up(blocks, threads);
    run_us(&m, blocks, threads, (int)work, 0); /* the warm-up, which chapter 06 is about */
    const double wait_us = run_us(&m, blocks, threads, (int)work, 1);
    struct timeline line = new_timeline(m.host_times, blocks);
    line.unit_name = "SM";
    line.doubt = doubt_wait(wait_us - line.span_us) ?: DEBUG_DOUBT;

    begin_record(options, gpu.name, driver);
    record_timeline(&line);
    if (trace) {
        print_trace(&line);
        return EXIT_SUCCESS;
    }
    say("Block timeline: %u blocks of %u threads on %s; %u SMs, %u blocks at a time\n\n", blocks,
        threads, gpu.name, sms, blocks_at_once(threads, sms));
    draw_timeline(&line);
    return EXIT_SUCCESS;
}
