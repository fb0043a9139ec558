/* SPDX-License-Identifier: MIT
 *
 * What can the per-block clock not do? Its limits, as numbers.
 *
 * Measures: what is in an event pair and in no block's clock; what thread 0 misses without the
 *   closing barrier; what the stamps themselves cost.
 * Does not measure: the reduction, block_clock.cu does; the counter itself, sm_counters.cu does.
 *
 * Build: nvcc -O2 -arch=native -I../common limits.cu -o limits
 * Run:   ./limits
 * Try:   ./limits --runs 201; and while another program uses the GPU
 */
#include <stdint.h>
#include <stdio.h>

#include "cuda_device.h"
#include "options.h"
#include "summary.h"

struct stamp {
    unsigned long long start_clock, end_clock, start_ns, end_ns;
};

/* ---- The kernels ---- */

static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* Some work that the compiler cannot leave out: `steps` dependent multiply-adds. */
static __device__ float busy(float value, int steps) {
    for (int i = 0; i < steps; i++)
        value = value * 0.5f + 1.0f;
    return value;
}

/* The same work with stamps, and without. */
static __global__ void stamped(struct stamp *stamps, float *sink, int steps) {
    struct stamp s;
    if (threadIdx.x == 0) {
        s.start_ns = globaltimer_ns();
        s.start_clock = (unsigned long long)clock64();
    }
    __syncthreads();
    const float value = busy((float)threadIdx.x, steps);
    if (value < 0)
        *sink = value; /* never, but the compiler does not know */
    __syncthreads();
    if (threadIdx.x == 0) {
        s.end_clock = (unsigned long long)clock64();
        s.end_ns = globaltimer_ns();
        stamps[blockIdx.x] = s;
    }
}

static __global__ void unstamped(float *sink, int steps) {
    __syncthreads();
    const float value = busy((float)threadIdx.x, steps);
    if (value < 0)
        *sink = value;
    __syncthreads();
}

/* A block whose warps do unequal work, thread 0's the least of it, and three ends of it: thread 0's
 * own, before the barrier; the barrier's, read by the very next instruction; and the barrier's,
 * read behind a branch, as timedReduction does: on an H200 that waits. */
static __global__ void divergent(long long *clocks, float *sink, int steps) {
    const long long start = clock64();
    const float value = busy((float)threadIdx.x, steps * (1 + (int)threadIdx.x / 32));
    if (value < 0)
        *sink = value;
    const long long own_end = clock64();
    __syncthreads();
    const long long next_end = clock64();
    if (threadIdx.x == 0) {
        clocks[2] = clock64() - start;
        clocks[1] = next_end - start;
        clocks[0] = own_end - start;
    }
}

/* ---- The measurements ---- */

static const struct options *options;
static int disturbed_rows;
static struct cuda_device device;
static cudaEvent_t start, stop;
static struct stamp *stamps, *host_stamps; /* on the device, and their copy */
static float *sink;

/* A row: a number of clocks, a time, a share. NaN stands for what does not apply. */
static void report(const char *limit, double clocks, double time_us, double percent, int disturbed,
                   const char *words) {
    char cells[3][32] = {"", "", ""};
    if (clocks == clocks)
        snprintf(cells[0], sizeof cells[0], "%.0f", clocks);
    if (time_us == time_us)
        snprintf(cells[1], sizeof cells[1], "%.3f", time_us);
    if (percent == percent)
        snprintf(cells[2], sizeof cells[2], "%.2f", percent);
    if (options->csv)
        printf("%s,%s,%s,%s,%s,%d\n", device.name, limit, cells[0], cells[1], cells[2], disturbed);
    else
        printf("%-20s %14s %14s %9s  %s%s\n", limit, cells[0], cells[1], cells[2], words,
               disturbed_word(disturbed));
    disturbed_rows += disturbed;
    flush_stdout();
}

static double elapsed_us(void) {
    float elapsed_ms;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms > 0))
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}

/* Launches `stamped` between two events, copies the stamps, and returns the span in us. */
static double launch_stamped(int blocks, double *event_us) {
    CHECK_CUDA(cudaMemset(stamps, 0, (size_t)blocks * sizeof *stamps));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaEventRecord(start, 0));
    stamped<<<(unsigned)blocks, 256>>>(stamps, sink, 500);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    *event_us = elapsed_us();
    CHECK_CUDA(
        cudaMemcpy(host_stamps, stamps, (size_t)blocks * sizeof *stamps, cudaMemcpyDeviceToHost));
    unsigned long long first_ns = host_stamps[0].start_ns, last_ns = host_stamps[0].end_ns;
    for (int b = 0; b < blocks; b++) {
        if (host_stamps[b].end_clock <= host_stamps[b].start_clock ||
            host_stamps[b].end_ns < host_stamps[b].start_ns)
            fail(EXIT_FAILED, "impossible: block %d ends before it starts", b);
        first_ns = host_stamps[b].start_ns < first_ns ? host_stamps[b].start_ns : first_ns;
        last_ns = host_stamps[b].end_ns > last_ns ? host_stamps[b].end_ns : last_ns;
    }
    const double span_us = (double)(last_ns - first_ns) / 1e3;
    if (span_us > *event_us + 2) /* %globaltimer steps by 1 us on some devices */
        fail(EXIT_FAILED, "impossible: a span of %.2f us in an event of %.2f us", span_us,
             *event_us);
    return span_us;
}

/* What the event pair sees and no block does: chapter 04's shells, from the host's launch to the
 * drain. */
static void measure_outside(const char *limit, int blocks, const char *words) {
    static double outside_us[MAX_RUNS], share[MAX_RUNS];
    for (int run = 0; run < (int)options->runs; run++) {
        double event_us;
        outside_us[run] = -launch_stamped(blocks, &event_us);
        outside_us[run] += event_us;
        share[run] = 100 * outside_us[run] / event_us;
    }
    struct summary outside = summarize(outside_us, (size_t)options->runs);
    outside.disturbed |= overhead_is_disturbed(outside.median);
    report(limit, NAN, outside.median, median(share, (size_t)options->runs), outside.disturbed,
           words);
}

static void measure_divergence(void) {
    static const char *const limits[] = {"without_barrier", "next_instruction", "with_barrier"};
    static const char *const words[] = {"a block with slow warps, stopped when thread 0 is done",
                                        "the same, by the instruction right after the barrier",
                                        "the same, after the barrier and behind a branch: right"};
    static double samples[3][MAX_RUNS];
    long long *clocks, host_clocks[3];
    CHECK_CUDA(cudaMalloc((void **)&clocks, sizeof host_clocks));
    for (int run = -1; run < (int)options->runs; run++) { /* run -1 is the warm-up */
        divergent<<<1, 256>>>(clocks, sink, 500);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaMemcpy(host_clocks, clocks, sizeof host_clocks, cudaMemcpyDeviceToHost));
        for (int end = 0; end < 3; end++) {
            if (run >= 0)
                samples[end][run] = (double)host_clocks[end];
            if (host_clocks[end] <= 0)
                fail(EXIT_FAILED, "impossible: a block of %lld clocks", host_clocks[end]);
        }
    }
    CHECK_CUDA(cudaFree(clocks));
    const double right = median(samples[2], (size_t)options->runs);
    for (int end = 0; end < 3; end++) {
        const struct summary seen = summarize(samples[end], (size_t)options->runs);
        report(limits[end], seen.median, NAN, 100 * seen.median / right, seen.disturbed,
               words[end]);
    }
}

/* One launch of many between two events, so that the events' own cost does not count. */
static double one_of_twenty_us(int blocks, bool with_stamps) {
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int i = 0; i < 20; i++) {
        if (with_stamps)
            stamped<<<(unsigned)blocks, 256>>>(stamps, sink, 500);
        else
            unstamped<<<(unsigned)blocks, 256>>>(sink, 500);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    return elapsed_us() / 20;
}

static void measure_probe(int blocks) {
    static double with_us[MAX_RUNS], without_us[MAX_RUNS];
    for (int run = 0; run < (int)options->runs; run++) {
        without_us[run] = one_of_twenty_us(blocks, false);
        with_us[run] = one_of_twenty_us(blocks, true);
    }
    const struct summary without = summarize(without_us, (size_t)options->runs);
    const struct summary with = summarize(with_us, (size_t)options->runs);
    report("without_stamps", NAN, without.median, 100, without.disturbed,
           "a launch of 16 times a full device");
    report("with_stamps", NAN, with.median, 100 * with.median / without.median, with.disturbed,
           "the same with each block's stamps");
}

int main(int argc, char **argv) {
    struct options parsed = default_options("What can the per-block clock not do?");
    parsed.has_device = true;
    parsed.runs = 101;
    parse_options(argc, argv, &parsed);
    options = &parsed;
    device = choose_cuda_device(parsed.device);

    int per_sm;
    double event_us;
    CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, (const void *)stamped, 256, 0));
    const int full = per_sm * device.sm_count;
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
    CHECK_CUDA(cudaMalloc((void **)&sink, sizeof *sink));
    CHECK_CUDA(cudaMalloc((void **)&stamps, 16 * (size_t)full * sizeof *stamps));
    host_stamps = (struct stamp *)malloc(16 * (size_t)full * sizeof *stamps);
    if (!host_stamps)
        fail(EXIT_FAILED, "no host memory for %d stamps", 16 * full);
    launch_stamped(full, &event_us); /* warm-up */
    unstamped<<<1, 256>>>(sink, 1);
    CHECK_CUDA(cudaGetLastError());

    if (options->csv)
        printf("device,limit,clocks,time_us,percent,disturbed\n");
    else
        printf("Limits of the block clock on %s; %d SMs, medians of %lld runs\n\n"
               "%-20s %14s %14s %9s\n",
               device.name, device.sm_count, options->runs, "limit", "clocks", "us", "percent");
    measure_outside("outside_one_block", 1,
                    "in the event pair and in no block: the launch, the events, the drain");
    measure_outside("outside_full", full, "the same on a full device");
    measure_divergence();
    measure_probe(16 * full);
    if (!options->csv)
        printf("%s", disturbed_verdict(disturbed_rows));
    flush_stdout();

    free(host_stamps);
    CHECK_CUDA(cudaFree(stamps));
    CHECK_CUDA(cudaFree(sink));
    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
    return EXIT_SUCCESS;
}
