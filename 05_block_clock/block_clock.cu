/* SPDX-License-Identifier: MIT
 *
 * How long does one block take, by its SM's clock, and how does that change as blocks are added?
 *
 * Measures: timedReduction, the minimum of 2 x threads floats in every block: the clocks from each
 *   block's start to its end; the span from the first block's start to the last one's end; the time
 *   between two events; how many SMs took part.
 * Does not measure: in a block's clocks, its wait for a place on an SM. That is the point: see how
 *   clocks and span differ where the device is full.
 *
 * Build: nvcc -O2 -arch=native -I../common block_clock.cu -o block_clock
 * Run:   ./block_clock
 * Try:   ./block_clock --blocks 1,132,133,264 --threads 32,256,1024
 */
#include "block_rows.h" /* a row of the table */
#include "block_time.h" /* what a block writes down */
#include "cuda.h"

/* ---- The kernel ---- */

/* The GPU's clock in nanoseconds, one for all SMs, in steps of 32 ns on an H200 and of 1024 ns on
 * many others. "memory" keeps the compiler from moving loads and stores across the reading. */
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

/* Each block finds the minimum of the same 2 x blockDim.x numbers; blockDim.x may be any number.
 * The launch gives the block as many floats of shared memory. */
static __global__ void timedReduction(const float *input, float *output, struct block_time *times) {
    extern __shared__ float shared[];
    const unsigned tid = threadIdx.x;
    struct block_time t;

    /* Clocks are this SM's own: between blocks a difference means nothing. Other warps may begin
     * before thread 0 reads them. A barrier would not change that, and would be in the time. */
    if (tid == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }

    /* Without this line the compiler works out the address of the result after the loop. That of
     * shared[0] it still works out there, in a few instructions that are in the block's time. */
    float *const result = &output[blockIdx.x];
    shared[tid] = input[tid];
    shared[tid + blockDim.x] = input[tid + blockDim.x];

    /* Halve what is left, rounding up: an odd element in the middle waits for the next round. */
    for (unsigned left = 2 * blockDim.x; left > 1;) {
        const unsigned half = (left + 1) / 2;
        __syncthreads();
        if (tid + half < left && shared[tid + half] < shared[tid])
            shared[tid] = shared[tid + half];
        left = half;
    }
    if (tid == 0)
        *result = shared[0];

    /* The block is done when its last warp is, not when thread 0 is. Thread 0 needs the count, and
     * there is none before all threads are here: so it cannot read the clock too early. Right after
     * __syncthreads() it can: see barrier.cu. */
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
    double *clocks; /* of each block */
    cudaEvent_t start, stop;
};

/* Computes the numbers of a launch from what the blocks wrote down. */
static void evaluate(const struct memory *m, unsigned blocks, size_t run, struct samples *s) {
    unsigned long long first_ns = ~0ull, last_ns = 0;
    for (unsigned b = 0; b < blocks; b++) {
        const struct block_time *t = &m->host_times[b];
        m->clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
    }
    const struct summary clocks = summarize(m->clocks, blocks);
    s->clocks_mean[run] = clocks.mean;
    s->clocks_median[run] = clocks.median;
    s->span_us[run] = (double)(last_ns - first_ns) / 1e3;
    s->used_units[run] = count_units(m->host_times, blocks);
}

/* Launches, and stores the numbers of this launch as number `run` of the samples. */
static void measure(const struct memory *m, unsigned blocks, unsigned threads, size_t run,
                    struct samples *s) {
    const size_t output_bytes = blocks * sizeof *m->output, times_bytes = blocks * sizeof *m->times;
    const size_t shared_bytes = 2 * threads * sizeof(float);
    /* Not timed: it brings the new input into the caches. */
    timedReduction<<<blocks, threads, shared_bytes>>>(m->input, m->output, m->times);
    CHECK_CUDA(cudaGetLastError());
    /* No block has a result (NaN) or a stamp now, and the device is idle. */
    CHECK_CUDA(cudaMemset(m->output, 0xff, output_bytes));
    CHECK_CUDA(cudaMemset(m->times, 0, times_bytes));
    CHECK_CUDA(cudaDeviceSynchronize());

    /* Plain events: the gap of chapter 04 is in their time, and with few blocks most of it. That is
     * no harm here: the span, by the kernel's own stamps, is the result, and must only fit in. */
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(m->start, 0));
    timedReduction<<<blocks, threads, shared_bytes>>>(m->input, m->output, m->times);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(m->stop, 0));
    CHECK_CUDA(cudaEventSynchronize(m->stop));
    s->wait_us[run] = (double)(now_ns() - start_ns) / 1e3;
    s->whole_launch_us[run] = elapsed_us(m->start, m->stop);

    CHECK_CUDA(cudaMemcpy(m->host_output, m->output, output_bytes, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(m->host_times, m->times, times_bytes, cudaMemcpyDeviceToHost));
    check_blocks(m->host_times, m->host_output, blocks);
    evaluate(m, blocks, run, s);
    check_span(s->span_us[run], s->whole_launch_us[run]);
}

/* ---- Do two clocks agree? Spans are by %globaltimer, whole launches by events ---- */

struct ran {
    unsigned long long ns, clocks;
};

static __global__ void spin(unsigned long long length_ns, struct ran *ran) {
    const unsigned long long start_ns = globaltimer_ns(), start_clock = clock64();
    unsigned long long elapsed_ns;
    do
        elapsed_ns = globaltimer_ns() - start_ns;
    while (elapsed_ns < length_ns);
    ran->clocks = clock64() - start_clock;
    ran->ns = elapsed_ns;
}

/* Both measure a spin of 2 ms, three times: in one somebody else may have the GPU. */
static const char *doubt_clocks(const struct memory *m) {
    struct ran *const on_device = (struct ran *)m->times, ran = {};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        spin<<<1, 1>>>(2000000, on_device); /* meanwhile the host queues the rest: no gap */
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaEventRecord(m->start, 0));
        spin<<<1, 1>>>(2000000, on_device);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaEventRecord(m->stop, 0));
        CHECK_CUDA(cudaDeviceSynchronize());
        CHECK_CUDA(cudaMemcpy(&ran, on_device, sizeof ran, cudaMemcpyDeviceToHost));
        const double timer_us = (double)ran.ns / 1e3, mhz = (double)ran.clocks / timer_us;
        if (!(mhz > 110 && mhz < 5000)) /* slow and idle clocks are within */
            errx(EXIT_FAILED, "impossible: an SM's clock at %g MHz", mhz);
        least = fmin(least, fabs(elapsed_us(m->start, m->stop) / timer_us - 1));
    }
    return least > 0.01 ? "two clocks disagree" : NULL;
}

/* ---- The experiment: every number of blocks with every number of threads ---- */

/* As many blocks as run at once, all SMs together. */
static unsigned blocks_at_once(unsigned threads, unsigned sms) {
    int per_sm = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)timedReduction, (int)threads, 2 * threads * sizeof(float)));
    return (unsigned)per_sm * sms;
}

static struct memory set_up(unsigned blocks, unsigned threads) {
    struct memory m = {};
    CHECK_CUDA(cudaMalloc(&m.input, 2 * threads * sizeof *m.input));
    CHECK_CUDA(cudaMalloc(&m.output, blocks * sizeof *m.output));
    CHECK_CUDA(cudaMalloc(&m.times, blocks * sizeof *m.times));
    CHECK_CUDA(cudaEventCreate(&m.start));
    CHECK_CUDA(cudaEventCreate(&m.stop));
    m.host_output = (float *)new_memory(blocks * sizeof *m.host_output);
    m.host_times = (struct block_time *)new_memory(blocks * sizeof *m.host_times);
    m.clocks = (double *)new_memory(blocks * sizeof *m.clocks);
    return m;
}

static void measure_row(const struct memory *m, struct row *row, size_t runs, const char *doubt) {
    static struct samples samples; /* these two are too large for the stack */
    static float input[2 * MAX_THREADS];
    const size_t count = 2 * row->threads;
    for (size_t run = 0; run < runs; run++) {
        fill_input(input, count, run, runs);
        CHECK_CUDA(cudaMemcpy(m->input, input, count * sizeof *input, cudaMemcpyHostToDevice));
        measure(m, row->blocks, row->threads, run, &samples);
    }
    summarize_row(row, &samples, runs, false, doubt);
}

int main(int argc, char **argv) {
    long long runs = 31;
    struct numbers blocks = {}, threads = {1, {256}};
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("blocks", &blocks, MAX_BLOCKS,
                 "numbers of blocks; else from 1 to 64 full devices"),
        OPT_LIST("threads", &threads, MAX_THREADS, "threads in a block, one after the other"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "How long does one block take, by its own SM's clock?", options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    const unsigned sms = (unsigned)gpu.multiProcessorCount;
    const bool given = blocks.count > 0;
    for (int t = 0; t < threads.count; t++) {
        check_most("threads", threads.at[t], (size_t)gpu.maxThreadsPerBlock, gpu.name);
        const unsigned full = blocks_at_once((unsigned)threads.at[t], sms);
        /* The source's own table, of a G80, has these: README.md has them beside a GPU of today. */
        const unsigned source[] = {1, 8, 16, 32, 64};
        const unsigned landmarks[] = {sms,      sms + 1,  full,      full + 1,
                                      2 * full, 4 * full, 16 * full, 64 * full};
        if (given)
            continue;
        insert(&blocks, source, sizeof source / sizeof *source);
        insert(&blocks, landmarks, sizeof landmarks / sizeof *landmarks);
    }

    const struct memory m = set_up(largest(&blocks), largest(&threads));
    const char *doubt = doubt_clocks(&m);
    const int row_count = threads.count * blocks.count;
    struct row *const rows = new_rows(&blocks, &threads);
    for (struct row *row = rows; row < rows + row_count; row++) {
        row->note = row->blocks == blocks_at_once(row->threads, sms) ? "full device" : "";
        row->note = row->blocks == sms ? "1 per SM" : row->note;
        measure_row(&m, row, (size_t)runs, doubt);
    }

    begin_record(options, gpu.name, driver);
    say("Block clock: timedReduction on %s; %u units (SMs)\n"
        "Clocks of a launch's blocks: mean, median; each number: the median of %lld launches\n\n",
        gpu.name, sms, runs);
    for (const struct row *row = rows; row < rows + row_count; row++)
        print_blocks(row, rows);
    if (!given) {
        const unsigned full = blocks_at_once(rows->threads, sms);
        const double longer_us = span_us_of(rows, 64 * full) - span_us_of(rows, 4 * full);
        const double wave_us = value("wave_us", longer_us / (64 - 4));
        say("\nA full device has %u blocks. Beyond it each wave of as many takes %.2f us.\n", full,
            wave_us);
    }
    return EXIT_SUCCESS; /* memory and events go with the process */
}
