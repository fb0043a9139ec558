/* SPDX-License-Identifier: MIT
 *
 * How long does one block take, by the clock of its SM (streaming multiprocessor), and how does
 * that change as blocks are added?
 *
 * Measures: timedReduction, the minimum of 2 x threads floats in every block: the SM's clock at
 *   each block's start and end; the span from the first block's start to the last one's end; the
 *   time between two events; how many SMs took part.
 * Does not measure: in a block's clocks, how long it waited for a place on an SM. That is the point
 *   of the experiment: see clocks and span differ where the device is full.
 *
 * Build: nvcc -O2 -arch=native -I../common block_clock.cu -o block_clock
 * Run:   ./block_clock
 * Try:   ./block_clock --blocks 1,132,133,264 --threads 32,256,1024
 */
#include "block_rows.h" /* a row of the table */
#include "cuda.h"

enum { MAX_SMS = 4096 };

/* What thread 0 of a block writes down. Clocks are its SM's own: within a block their difference
 * means something, between blocks nothing. The nanoseconds are one clock's for the whole device. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns, sm;
};

/* ---- The kernel ---- */

/* The GPU's clock in nanoseconds, one for all SMs, in steps of 32 ns on an H200 and of 1024 ns on
 * many others. "memory" keeps the compiler from moving loads and stores across the reading. */
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

/* Each block finds the minimum of the same 2 x blockDim.x numbers; blockDim.x may be any number.
 * The launch gives the block as many floats of shared memory. */
static __global__ void timedReduction(const float *input, float *output, struct block_time *times) {
    extern __shared__ float shared[];
    const unsigned tid = threadIdx.x;
    struct block_time t;

    /* Other warps may begin before thread 0 reads its clock. A barrier would not change that, and
     * would be in the time. */
    if (tid == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }

    /* This address is worked out here: else the compiler may do it when the work is done. */
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
     * there is none before all threads are here: so it cannot read the clock too early. */
    if (__syncthreads_count(1) && tid == 0) {
        t.end_clock = clock64();
        t.end_ns = globaltimer_ns();
        t.sm = sm_number();
        times[blockIdx.x] = t;
    }
}

/* ---- One launch ---- */

/* What all launches use. */
struct memory {
    float *input, *output; /* on the device */
    struct block_time *times;
    float *host_input, *host_output;
    struct block_time *host_times;
    double *clocks; /* of each block */
    cudaEvent_t start, stop;
};

/* Copies random numbers to the device, and returns their minimum, which is at a random place of the
 * upper half or of the lower half: a reduction that skips numbers must fail. */
static float new_input(const struct memory *m, size_t threads, bool upper_half) {
    const size_t bytes = 2 * threads * sizeof *m->input;
    const float minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < 2 * threads; i++)
        m->host_input[i] = (float)(rand() % 1000);
    m->host_input[(upper_half ? threads : 0) + (size_t)rand() % threads] = minimum;
    CHECK_CUDA(cudaMemcpy(m->input, m->host_input, bytes, cudaMemcpyHostToDevice));
    return minimum;
}

static void launch(const struct memory *m, size_t blocks, size_t threads) {
    const size_t shared_bytes = 2 * threads * sizeof(float);
    timedReduction<<<(unsigned)blocks, (unsigned)threads, shared_bytes>>>(m->input, m->output,
                                                                          m->times);
    CHECK_CUDA(cudaGetLastError());
}

/* From what the blocks wrote to the numbers of the launch. Exits with 1 on a wrong minimum or an
 * impossible stamp. */
static void evaluate(const struct memory *m, size_t blocks, float minimum, size_t run,
                     struct samples *s) {
    double sum = 0;
    unsigned long long first_ns = ~0ull, last_ns = 0;
    bool seen[MAX_SMS] = {false};
    int used = 0;
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &m->host_times[b];
        if (m->host_output[b] != minimum)
            errx(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)m->host_output[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            errx(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
        if (t->sm >= MAX_SMS)
            errx(EXIT_FAILED, "impossible: block %zu runs on SM %llu", b, t->sm);
        m->clocks[b] = (double)(t->end_clock - t->start_clock);
        sum += m->clocks[b];
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        used += !seen[t->sm];
        seen[t->sm] = true;
    }
    s->clocks_mean[run] = sum / (double)blocks;
    s->clocks_median[run] = median(m->clocks, blocks);
    s->span_us[run] = (double)(last_ns - first_ns) / 1e3;
    s->used_units[run] = used;
}

/* Launches with a new input, and stores what this launch says as number `run` of the samples. */
static void measure(const struct memory *m, size_t blocks, size_t threads, size_t run,
                    struct samples *s) {
    const size_t output_bytes = blocks * sizeof *m->output, times_bytes = blocks * sizeof *m->times;
    const float minimum = new_input(m, threads, run % 2 == 0);
    launch(m, blocks, threads); /* not timed: it brings the new input into the caches */
    /* No block has a result (NaN) or a stamp now, and the device is idle. */
    CHECK_CUDA(cudaMemset(m->output, 0xff, output_bytes));
    CHECK_CUDA(cudaMemset(m->times, 0, times_bytes));
    CHECK_CUDA(cudaDeviceSynchronize());

    /* Plain events: the gap of chapter 04 is in their time, and with few blocks most of it. That is
     * no harm here: the span, by the kernel's own stamps, is the result, and must only fit in. */
    const int64_t host_start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(m->start, 0));
    launch(m, blocks, threads);
    CHECK_CUDA(cudaEventRecord(m->stop, 0));
    CHECK_CUDA(cudaEventSynchronize(m->stop));
    s->wait_us[run] = (double)(now_ns() - host_start_ns) / 1e3;
    s->launch_us[run] = elapsed_us(m->start, m->stop);

    CHECK_CUDA(cudaMemcpy(m->host_output, m->output, output_bytes, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(m->host_times, m->times, times_bytes, cudaMemcpyDeviceToHost));
    evaluate(m, blocks, minimum, run, s);
    /* %globaltimer steps by 1 us on some devices: allow two such steps. */
    if (s->launch_us[run] <= 0 || s->span_us[run] > 1.001 * s->launch_us[run] + 2)
        errx(EXIT_FAILED, "impossible: a span of %.2f us in a launch of %.2f us", s->span_us[run],
             s->launch_us[run]);
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

/* Both measure a spin of 2 ms, three times: in one somebody else may have the GPU. Exits with 1 if
 * clock64() counts at a rate that no SM's clock has; slow and idle ones are within the limits. */
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
        const double code_us = (double)ran.ns / 1e3, mhz = (double)ran.clocks / code_us;
        if (!(mhz > 110 && mhz < 5000))
            errx(EXIT_FAILED, "impossible: %llu clocks in %llu ns, a rate that no SM's clock has",
                 ran.clocks, ran.ns);
        least = fmin(least, fabs(elapsed_us(m->start, m->stop) / code_us - 1));
    }
    return least > 0.01 ? "two clocks disagree" : NULL;
}

/* ---- The experiment: every number of blocks with every number of threads ---- */

/* As many blocks as run at once, all SMs together. Exits with 1 if not even one does. */
static int blocks_at_once(long long threads, int sms) {
    int per_sm = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)timedReduction, (int)threads, 2 * (size_t)threads * sizeof(float)));
    if (per_sm < 1)
        errx(EXIT_FAILED, "no block of %lld threads has room on an SM", threads);
    return per_sm * sms;
}

/* The row of so many blocks and the first number of threads; it is in the list of rows. */
static const struct row *find_row(const struct row *rows, long long blocks) {
    while (rows->blocks != blocks)
        rows++;
    return rows;
}

static struct memory set_up(size_t blocks, size_t threads) {
    struct memory m = {};
    CHECK_CUDA(cudaMalloc(&m.input, 2 * threads * sizeof *m.input));
    CHECK_CUDA(cudaMalloc(&m.output, blocks * sizeof *m.output));
    CHECK_CUDA(cudaMalloc(&m.times, blocks * sizeof *m.times));
    m.host_output = (float *)new_memory(blocks * sizeof *m.host_output);
    m.host_times = (struct block_time *)new_memory(blocks * sizeof *m.host_times);
    m.clocks = (double *)new_memory(blocks * sizeof *m.clocks);
    m.host_input = (float *)new_memory(2 * threads * sizeof *m.host_input);
    CHECK_CUDA(cudaEventCreate(&m.start));
    CHECK_CUDA(cudaEventCreate(&m.stop));
    return m;
}

int main(int argc, char **argv) {
    static struct samples samples; /* too large for the stack */
    long long runs = 31;
    struct numbers blocks = {}, threads = {1, {256}};
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("blocks", &blocks, MAX_BLOCKS,
                 "numbers of blocks; else 1,8,16,32,64 and those that fill the device"),
        OPT_LIST("threads", &threads, MAX_THREADS,
                 "threads in a block, one number after the other"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "How long does one block take, by its own SM's clock?", options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    const int sms = gpu.multiProcessorCount, most_threads = gpu.maxThreadsPerBlock;
    for (int t = 0; t < threads.count; t++)
        check_most("threads", threads.at[t], (size_t)most_threads, gpu.name);
    const bool given = blocks.count > 0;
    for (int t = 0; t < threads.count; t++) {
        const long long full = blocks_at_once(threads.at[t], sms); /* where this device gets full */
        const long long landmarks[] = {
            1,   8,       16,   32,       64, /* docs/references.md */
            sms, sms + 1, full, full + 1, 2 * full, 4 * full, 16 * full, 64 * full};
        if (!given)
            insert(&blocks, landmarks, sizeof landmarks / sizeof *landmarks);
    }

    const struct memory m = set_up(largest(&blocks), (size_t)most_threads);
    const int row_count = threads.count * blocks.count;
    struct row *rows = (struct row *)new_memory((size_t)row_count * sizeof *rows), *row = rows;
    const char *doubt = doubt_clocks(&m);
    for (int t = 0; t < threads.count; t++)
        for (int b = 0; b < blocks.count; b++, row++) {
            row->blocks = blocks.at[b];
            row->threads = threads.at[t];
            row->note = row->blocks == blocks_at_once(row->threads, sms) ? "full device" : "";
            row->note = row->blocks == sms ? "1 per SM" : row->note;
            for (size_t run = 0; run < (size_t)runs; run++)
                measure(&m, (size_t)row->blocks, (size_t)row->threads, run, &samples);
            summarize_row(row, &samples, (size_t)runs, false, doubt);
        }

    begin_record(options, gpu.name, driver);
    say("Block clock: timedReduction on %s; %d units (SMs)\n"
        "Clocks of a launch's blocks: mean, median; each number: the median of %lld launches\n\n",
        gpu.name, sms, runs);
    for (row = rows; row < rows + row_count; row++)
        print_blocks(row, rows);
    if (!given) { /* the first row is that of one block */
        const long long full = blocks_at_once(threads.at[0], sms);
        const struct row *filled = find_row(rows, full), *four = find_row(rows, 4 * full),
                         *most = find_row(rows, 64 * full);
        say("\nFrom one block to a full device, %lld blocks, clocks_mean changed from %.0f to "
            "%.0f.\n"
            "With 64 times as many blocks it was %.0f, and the span %.2f us in place of %.2f:\n"
            "%.2f us for each further wave of %lld blocks.\n",
            full, rows->clocks_mean.median, filled->clocks_mean.median, most->clocks_mean.median,
            most->span_us.median, filled->span_us.median,
            value("wave_us", (most->span_us.median - four->span_us.median) / (64 - 4)), full);
    }
    return EXIT_SUCCESS; /* memory and events go with the process */
}
