/* SPDX-License-Identifier: MIT
 *
 * How long did my kernel take? There are three right answers.
 *
 * Measures: the time of a kernel's code, on the device, and in a row of launches, each by events;
 *   by the kernel's own stamps, whether the first and the last are right.
 * Does not measure: the host's wait.
 *
 * Build: nvcc -O2 -arch=native -I../common three_times.cu -o three_times
 * Run:   ./three_times
 * Try:   ./three_times --blocks 1,132,133
 */
#include "blocker.h" /* the gate, start, stop, elapsed_us() */
#include "fit_line.h"
#include "stamped.h" /* the kernels, their stamps, what they work on */
#include "summary.h"
#include <cuda_profiler_api.h>

static __global__ void empty(void) {
}

enum variant { WITHOUT_STAMPS, WITH_STAMPS, EMPTY_KERNEL };

static void launch(enum variant variant, struct warp_time *to) {
    if (variant == EMPTY_KERNEL)
        empty<<<1, THREADS>>>();
    else
        launch_work(variant == WITH_STAMPS ? to : NULL, 0);
    CHECK_CUDA(cudaGetLastError());
}

enum { COUNTS = 4, LONGEST = 20 }; /* how many counts of launches in a row; the longest */

/* ---- The methods: each returns microseconds ---- */

/* Two events behind the blocker, with so many launches between them. With 0 launches it is the
 * floor. The last launch writes its stamps to work.times, the first of several behind them. */
static double event_blocked(int launches, enum variant variant) {
    if (variant == WITH_STAMPS)
        clear_stamps(work.times, 2 * work.blocks);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int i = 0; i < launches; i++)
        launch(variant, work.times + (i == 0 && launches > 1 ? work.blocks * WARPS : 0));
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* The code of the last launch, by its own stamps. Exits with 1 if they are of an earlier launch. */
static double code_us(void) {
    static unsigned long long last_ns;
    const struct warp_time code = first_and_last(work.times, work.blocks);
    if (code.start_ns <= last_ns)
        fail(EXIT_FAILED, "impossible: a warp has the stamps of an earlier launch");
    last_ns = code.start_ns;
    return (double)(code.end_ns - code.start_ns) / 1e3;
}

/* From one launch's start to the next one's start, by their own stamps: the mean of LONGEST. */
static double period_us(void) {
    const struct warp_time *first = work.times + work.blocks * WARPS;
    const int64_t first_ns = (int64_t)first_and_last(first, work.blocks).start_ns;
    const int64_t last_ns = (int64_t)first_and_last(work.times, work.blocks).start_ns;
    return (double)(last_ns - first_ns) / 1e3 / (LONGEST - 1);
}

enum { FLOOR, EMPTY, BLOCKED, CODE, SLOPE, ROW_OF_20, ROW_STAMPS, PLAIN_STAMPS, TIMES };
static double code_error_us; /* of code_minus_empty, the largest so far */

/* Stores the median of each time. Returns whether runs of one disagree, or the GPU is shared. */
static bool measure(enum variant variant, double us[TIMES]) {
    static const double launches[COUNTS] = {2, 5, 10, LONGEST};
    static double samples_us[TIMES][MAX_RUNS], row_us[COUNTS];
    bool disturbed = probe_sharing();
    launch(variant, work.times); /* the warm-up */
    spoil_sums(vectors[C], work.floats);
    CHECK_CUDA(cudaProfilerStart()); /* ncu --profile-from-start off watches these launches */
    for (int run = 0; run < options.runs; run++) {
        launch(variant, work.times);
        CHECK_CUDA(cudaDeviceSynchronize());
        samples_us[PLAIN_STAMPS][run] = variant == WITH_STAMPS ? code_us() : NAN;
    }
    CHECK_CUDA(cudaProfilerStop()); /* behind the blocker a profiler cannot watch */
    for (int run = 0; run < options.runs; run++) {
        samples_us[FLOOR][run] = event_blocked(0, variant);
        samples_us[EMPTY][run] = event_blocked(1, EMPTY_KERNEL);
        samples_us[BLOCKED][run] = event_blocked(1, variant);
        samples_us[CODE][run] = variant == WITH_STAMPS ? code_us() : NAN;
        for (int i = 0; i < COUNTS; i++)
            row_us[i] = event_blocked((int)launches[i], variant);
        samples_us[SLOPE][run] = fit_line(launches, row_us, COUNTS).slope;
        samples_us[ROW_OF_20][run] = (row_us[COUNTS - 1] - samples_us[FLOOR][run]) / LONGEST;
        samples_us[ROW_STAMPS][run] = variant == WITH_STAMPS ? period_us() : NAN;
    }
    if (work.floats > 0)
        check_vector_add(vectors[C], work.floats);
    for (int t = 0; t < TIMES; t++) {
        const struct summary s = summarize_us(samples_us[t], (size_t)options.runs);
        us[t] = s.median;
        disturbed |= s.disturbed;
    }
    return disturbed;
}

/* Two rows of vector_add of so many floats, or if `floats` is 0 of a spin in so many blocks. The
 * row without stamps comes first: it must not find the other row's stamps in the cache. */
static void time_kernel(size_t floats, size_t blocks) {
    char kernel[64] = "spin_2us";
    double us[TIMES];
    work.floats = floats;
    work.blocks = floats > 0 ? (floats + THREADS - 1) / THREADS : blocks;
    work.length_ns = floats > 0 ? 0 : 2000;
    if (floats > 0)
        snprintf(kernel, sizeof kernel, "vector_add_%zu", floats);
    for (int v = WITHOUT_STAMPS; v <= WITH_STAMPS; v++) {
        const bool disturbed = measure((enum variant)v, us);
        const double net_us = us[BLOCKED] - us[FLOOR], minus_empty_us = us[BLOCKED] - us[EMPTY];
        if (net_us <= 0 || us[SLOPE] <= 0 || us[CODE] > us[BLOCKED] + 2)
            fail(EXIT_FAILED, "impossible: %g us of code, %g us on the device, %g us in a row",
                 us[CODE], net_us, us[SLOPE]);
        label("kernel", 19, kernel);
        cell("blocks", "%zu", work.blocks);
        label("stamps", 0, v == WITH_STAMPS ? "yes" : "no");
        number("code_stamps", "us", 2, us[CODE]);
        number("code_minus_empty", "us", 2, minus_empty_us > 0 ? minus_empty_us : NAN);
        number("event_net", "us", 2, net_us);
        number("row_slope", "us", 2, us[SLOPE]);
        recorded_number("row_of_20_us", 3, us[ROW_OF_20]);
        recorded_number("row_stamps_us", 3, us[ROW_STAMPS]);
        recorded_number("plain_stamps_us", 3, us[PLAIN_STAMPS]);
        recorded_number("floor_us", 3, us[FLOOR]);
        end_row(disturbed || is_interrupted(us[SLOPE], net_us));
    }
    code_error_us = fmax(code_error_us, fabs(us[BLOCKED] - us[EMPTY] - us[CODE]));
}

int main(int argc, char **argv) {
    static const long long sizes[] = {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
    options.device = "";
    options.runs = 31;
    options.blocks[0] = 1;
    memcpy(options.sizes, sizes, sizeof sizes);
    parse_options(argc, argv, "How long did my kernel take? There are three right answers.");
    const struct cudaDeviceProp device = open_cuda();
    for (int i = 1; !options.has_blocks && i <= 3; i++) /* once, 8 and 64 times a full device */
        options.blocks[i] = full_device(device.multiProcessorCount) * (i < 2 ? 1 : i < 3 ? 8 : 64);
    const size_t floats = (size_t)largest(options.sizes);
    const size_t stamped = (floats + THREADS - 1) / THREADS + (size_t)largest(options.blocks);
    check_size((long long)floats, 14.0 * (double)floats); /* three vectors, and the stamps */
    set_up_stamped(floats, 2 * stamped);
    set_up_blocked_pair();
    launch(EMPTY_KERNEL, work.times); /* the others' warm-up is in measure() */

    begin_table("Three times of one kernel on %s; medians of %lld runs; stamps by %%globaltimer\n"
                "code: first to last instruction; event_net: launch to drain; "
                "row_slope: one launch more\n\n",
                device.name, options.runs);
    for (int i = 0; options.blocks[i]; i++)
        time_kernel(0, (size_t)options.blocks[i]);
    for (int i = 0; options.sizes[i]; i++)
        time_kernel((size_t)options.sizes[i], 0);
    end_table();
    say("In the rows with stamps code_minus_empty and code_stamps differ by at most %.2f us.\n"
        "Stamps cost time: trust the rows without them.\n",
        value("code_error_max", "us", code_error_us));
    return EXIT_SUCCESS;
}
