/* SPDX-License-Identifier: MIT
 *
 * How long does one block take, by the clock of its SM (streaming multiprocessor), and how does
 * that change as blocks are added?
 *
 * Measures: timedReduction, the minimum of 2 x threads floats in every block: the SM's clock at
 *   each block's start and end; the span from the first block's start to the last one's end; the
 *   time between two events; how many SMs took part. block_rows.h computes mean and span.
 * Does not measure: in a block's clocks, how long it waited for a place on an SM. That is the point
 *   of the experiment: see clocks and span differ where the device is full.
 *
 * Build: nvcc -O2 -arch=native -I../common block_clock.cu -o block_clock
 * Run:   ./block_clock
 * Try:   ./block_clock --blocks 1,132,133,264 --threads 32,256,1024
 */
#include "block_rows.h" /* rows */
#include "clock.h"
#include "cuda_blocks.h" /* on_device; start, stop, elapsed_us() */

static const long long default_blocks[] = {1, 8, 16, 32, 64}; /* docs/references.md */

/* ---- The kernel: stamps around the work, which cuda_blocks.h has ---- */

static __global__ void timedReduction(const float *input, float *output,
                                      struct block_time *block_times) {
    struct block_time t;

    /* No barrier behind these stamps, unlike minimal.cu: other warps may begin earlier. */
    if (threadIdx.x == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }

    block_minimum(input, &output[blockIdx.x]);

    /* The block is done when its last warp is, not when thread 0 is. Thread 0 needs the count, and
     * there is none before all threads are here: so it cannot read the clock too early. */
    if (__syncthreads_count(1) && threadIdx.x == 0) {
        t.end_clock = clock64();
        t.end_ns = globaltimer_ns();
        t.unit = sm_number();
        block_times[blockIdx.x] = t;
    }
}

static void launch(long long blocks, long long threads) {
    const size_t shared_bytes = 2 * (size_t)threads * sizeof(float);
    timedReduction<<<(unsigned)blocks, (unsigned)threads, shared_bytes>>>(
        on_device.input, on_device.output, on_device.times);
    CHECK_CUDA(cudaGetLastError());
}

/* Launches once with a new input. Returns the time between two events around the launch.
 * *wait_us: how long the host waited. */
static double time_launch_us(long long blocks, long long threads, double *wait_us) {
    new_input((size_t)threads);
    launch(blocks, threads); /* not timed: it brings the new input into the caches */
    clear_blocks((size_t)blocks);

    const int64_t host_start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch(blocks, threads);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    *wait_us = (double)(now_ns() - host_start_ns) / 1e3;
    return elapsed_us();
}

/* ---- The experiment: every number of blocks with every number of threads ---- */

static const double *row_of(long long count) {
    for (int row = 0; options.blocks[row]; row++)
        if (options.blocks[row] == count)
            return rows[0][row];
    fail(EXIT_FAILED, "no row of %lld blocks", count);
}

/* Beside the default numbers of blocks: those where this device gets full. */
static void add_landmarks(long long sms, long long full) {
    const long long landmarks[] = {sms,      sms + 1,   full,      full + 1, 2 * full,
                                   4 * full, 16 * full, 64 * full, 0};
    for (int i = 0; landmarks[i]; i++)
        insert(options.blocks, landmarks[i]);
}

static void print_verdict(int sms, int full) {
    const double *one = row_of(1), *spread = row_of(sms), *filled = row_of(full);
    const double *four = row_of(4LL * full), *most = row_of(64LL * full);
    const double wave_us = value("wave", "us", (most[SPAN_US] - four[SPAN_US]) / (64 - 4));
    say("\nOne block alone took %.0f clocks. With one block on each of the %d SMs a block\n"
        "took %.0f (x %.2f). On a full device, with %d blocks, it took %.0f (x %.2f): the\n"
        "blocks of an SM share it. With 64 times as many blocks it took %.0f (x %.2f),\n"
        "while the span grew from %.2f to %.2f us: %.2f us for each further wave of %d\n"
        "blocks. The time for which a block waits for its place is in no block's clock.\n",
        one[CLOCKS_MEAN], sms, spread[CLOCKS_MEAN], spread[CLOCKS_MEAN] / one[CLOCKS_MEAN], full,
        filled[CLOCKS_MEAN], filled[CLOCKS_MEAN] / one[CLOCKS_MEAN], most[CLOCKS_MEAN],
        most[CLOCKS_MEAN] / one[CLOCKS_MEAN], filled[SPAN_US], most[SPAN_US], wave_us, full);
}

int main(int argc, char **argv) {
    options.device = "";
    options.runs = 31;
    memcpy(options.blocks, default_blocks, sizeof default_blocks);
    options.threads[0] = 256;
    parse_options(argc, argv,
                  "How long does one block take, by its own SM's clock?\n"
                  "Without --blocks it also runs one block per SM, a full device and more.");
    const struct cudaDeviceProp device = open_blocks();
    const int sms = device.multiProcessorCount;
    if (!options.has_blocks)
        for (const long long *threads = options.threads; *threads; threads++)
            add_landmarks(sms, blocks_at_once((const void *)timedReduction, (int)*threads, sms));
    set_up_blocks((size_t)largest(options.blocks));
    create_events();

    begin_table(
        "Block clock: timedReduction on %s; %d units (SMs)\n"
        "Clocks of a launch's blocks: mean, median; each number: the median of %lld launches\n\n",
        device.name, sms, options.runs);
    for (int t = 0; options.threads[t]; t++) {
        const long long threads = options.threads[t];
        const int full = blocks_at_once((const void *)timedReduction, (int)threads, sms);
        for (int b = 0; options.blocks[b]; b++) {
            const long long blocks = options.blocks[b];
            for (size_t run = 0; run < (size_t)options.runs; run++) {
                double wait_us;
                const double launch_us = time_launch_us(blocks, threads, &wait_us);
                read_blocks((size_t)blocks);
                sample_launch(run, (size_t)blocks, launch_us, wait_us);
            }
            report_blocks(t, b, blocks == sms ? "1 per SM" : blocks == full ? "full device" : "");
        }
        if (t == 0 && !options.has_blocks)
            print_verdict(sms, full);
        if (options.threads[t + 1])
            say("\n");
    }
    compare_threads();
    end_table();
    return EXIT_SUCCESS;
}
