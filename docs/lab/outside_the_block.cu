/* SPDX-License-Identifier: MIT
 *
 * What is in the time of a launch and in no block's clock? And what do the stamps cost?
 *
 * Measures: the time between two events minus the span of the blocks between them, for one block
 *   and for a full device; a launch of many blocks with stamps and without.
 * Does not measure: what that time is made of, shell by shell (onion.cu).
 *
 * Build: nvcc -O2 -arch=native -I../../common outside_the_block.cu -o outside_the_block
 * Run:   ./outside_the_block
 * Try:   ./outside_the_block --runs 201; and while another program uses the GPU
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "../../05_block_clock/block_rows.h"
#include "../../05_block_clock/cuda_blocks.h"

enum { THREADS = 256, SHARED_BYTES = 2 * THREADS * sizeof(float), LAUNCHES = 20 /* in a row */ };

/* ---- The kernels: the work with stamps and the barrier that they need, as in block_clock.cu, and
 * without ---- */

static __global__ void stamped(const float *input, float *output, struct block_time *block_times) {
    struct block_time t;
    if (threadIdx.x == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }
    block_minimum(input, &output[blockIdx.x]);
    if (__syncthreads_count(1) && threadIdx.x == 0) {
        t.end_clock = clock64();
        t.end_ns = globaltimer_ns();
        t.unit = sm_number();
        block_times[blockIdx.x] = t;
    }
}

static __global__ void unstamped(const float *input, float *output) {
    block_minimum(input, &output[blockIdx.x]);
}

static void launch_stamped(int blocks) {
    stamped<<<(unsigned)blocks, THREADS, SHARED_BYTES>>>(on_device.input, on_device.output,
                                                         on_device.times);
    CHECK_CUDA(cudaGetLastError());
}

static void launch_unstamped(int blocks) {
    unstamped<<<(unsigned)blocks, THREADS, SHARED_BYTES>>>(on_device.input, on_device.output);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The methods: each returns microseconds ---- */

/* The time between two events minus the span of the blocks; and that as a share of the first. */
static double outside(size_t run, int blocks, double *percent) {
    clear_blocks((size_t)blocks);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch_stamped(blocks);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    const double event_us = elapsed_us();
    read_blocks((size_t)blocks);                            /* and check them */
    sample_launch(run, (size_t)blocks, event_us, event_us); /* behind the blocker */
    const double outside_us = event_us - samples[SPAN_US][run];
    *percent = 100 * outside_us / event_us;
    return outside_us;
}

/* The mean of 20 launches between two events, so that the events' own cost hardly counts. */
static double mean_of_20(void (*launch)(int blocks), int blocks) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int i = 0; i < LAUNCHES; i++)
        launch(blocks);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us() / LAUNCHES;
}

int main(int argc, char **argv) {
    enum { ONE_BLOCK, FULL, WITHOUT, WITH, ROWS };
    static const char *const methods[] = {"outside_one_block", "outside_full", "without_stamps",
                                          "with_stamps"};
    static const char *const words[] = {"one block: events minus span",
                                        "a full device: events minus span",
                                        "16 times a full device: mean of 20 in a row",
                                        "16 times a full device, with stamps: mean of 20 in a row"};
    static double us[ROWS][MAX_RUNS], percent[ROWS][MAX_RUNS], stamps_percent[MAX_RUNS];
    struct summary all[ROWS];
    options.device = "";
    options.runs = 101;
    parse_options(argc, argv, "What is in the time of a launch and in no block's clock?");
    const struct cudaDeviceProp device = open_cuda();
    const int full = blocks_at_once((const void *)stamped, THREADS, device.multiProcessorCount);
    const int many = 16 * full;
    const size_t runs = (size_t)options.runs;
    set_up_blocked_pair();
    set_up_blocks((size_t)many);

    /* The warm-up, and the check: the stamps of the first kernel, the results of the second. */
    new_input(THREADS);
    clear_blocks((size_t)many);
    launch_stamped(many);
    CHECK_CUDA(cudaMemset(on_device.output, 0xff, (size_t)many * sizeof *results));
    launch_unstamped(many);
    read_blocks((size_t)many);

    for (size_t run = 0; run < runs; run++) { /* in turns */
        us[ONE_BLOCK][run] = outside(run, 1, &percent[ONE_BLOCK][run]);
        us[FULL][run] = outside(run, full, &percent[FULL][run]);
        us[WITHOUT][run] = mean_of_20(launch_unstamped, many);
        us[WITH][run] = mean_of_20(launch_stamped, many);
        percent[WITHOUT][run] = NAN;
        percent[WITH][run] = NAN;
        stamps_percent[run] = 100 * us[WITH][run] / us[WITHOUT][run];
    }

    const bool shared = probe_sharing();
    begin_table("Outside the block: timedReduction on %s; %d SMs, medians of %lld runs\n\n",
                device.name, device.multiProcessorCount, options.runs);
    for (int row = 0; row < ROWS; row++) {
        all[row] = summarize_us(us[row], runs);
        const struct summary share = summarize(percent[row], runs, 0);
        label("method", 18, methods[row]);
        number("time", "us", 2, all[row].median);
        number("of_events", "percent", 2, share.median);
        label("what", 0, words[row]);
        end_row(shared || all[row].disturbed || share.disturbed);
    }
    end_table();
    value("full_device", "blocks", full);
    value("large_launch", "blocks", many);
    const double stamps_us = value("stamps", "us", all[WITH].median - all[WITHOUT].median);
    const double with_percent = value("with_stamps", "percent", median(stamps_percent, runs));
    say("The events and the GPU's launch and drain took %.2f us with one block and\n"
        "%.2f us with %d blocks. No block's clock shows that time. The stamps added %.2f us\n"
        "to a launch of %d blocks: with them it took %.2f %% of the time without.\n",
        all[ONE_BLOCK].median, all[FULL].median, full, stamps_us, many, with_percent);
    return EXIT_SUCCESS;
}
