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
#include "cuda_blocks.h" /* on_device */
#include "timeline.h"

/* A few waves, the last one not full: so many blocks on 132 SMs, and as
 * many for each SM elsewhere. */
enum { FEW_WAVES = 600, ON_SMS = 132 };

/* timedReduction of block_clock.cu, which does its work several times:
 * short blocks are all start. */
static __global__ void timedReduction(const float *input, float *output,
                                      struct block_time *block_times, int work) {
    struct block_time t;

    if (threadIdx.x == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }

    for (int i = 0; i < work; i++) {
        block_minimum(input, &output[blockIdx.x]);
        __syncthreads(); /* the next round overwrites what thread 0 still reads */
    }

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
        on_device.input, on_device.output, on_device.times, (int)options.work);
    CHECK_CUDA(cudaGetLastError());
}

int main(int argc, char **argv) {
    options.device = "";
    options.blocks[0] = FEW_WAVES;
    options.threads[0] = 1024;
    options.work = 20;
    options.trace = 1;
    parse_options(argc, argv,
                  "Which SM ran which block, and when?\n"
                  "Without --blocks a GPU with 132 SMs gets 600, another one as many for each SM.");
    only_one("--blocks", options.blocks);
    const long long threads = only_one("--threads", options.threads);
    const struct cudaDeviceProp device = open_blocks();
    if (!options.has_blocks)
        options.blocks[0] = FEW_WAVES * device.multiProcessorCount / ON_SMS;
    const long long blocks = options.blocks[0];
    set_up_blocks((size_t)blocks);

    for (int run = 0; run < 2; run++) { /* the first is the warm-up, which chapter 06 is about */
        new_input((size_t)threads);
        clear_blocks((size_t)blocks);
        launch(blocks, threads);
        read_blocks((size_t)blocks); /* and check them */
    }

    begin_table(
        "Block timeline: %lld blocks of %lld threads on %s; %d SMs, %d blocks at a time\n\n",
        blocks, threads, device.name, device.multiProcessorCount,
        blocks_at_once((const void *)timedReduction, (int)threads, device.multiProcessorCount));
    report_timeline("SM", (size_t)blocks);
    return EXIT_SUCCESS;
}
