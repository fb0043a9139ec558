/* SPDX-License-Identifier: MIT
 *
 * How long did my kernel take? There are three right answers.
 *
 * Measures: the time of a kernel's code, from the first instruction to the last; its time on the
 *   device, with launch and drain; what it costs in a row of launches. Events measure all three. The
 *   kernel's own stamps tell whether the first and the last are right. Stamps cost time, so each
 *   kernel is timed without them as well.
 * Does not measure: what the host waits for (onion.cu).
 *
 * Build: nvcc -O2 -arch=native -I../common three_times.cu -o three_times
 * Run:   ./three_times
 * Try:   ./three_times --blocks 1,132,133; and what Nsight Compute says of the same launches:
 *        ncu --profile-from-start off --clock-control none --cache-control none ./three_times
 */
#include "../03_opencl_profiling/clock_error.h"
#include "blocker.h" /* the gate, start, stop, elapsed_us() */
#include "stamped.h" /* the kernels, their stamps, what they work on */
#include "summary.h"

#include <cuda_profiler_api.h>

static const unsigned long long spin_ns = 2000; /* of each block of the spin */
static struct warp_time *first_times;           /* of the first launch in a row */

static __global__ void empty(void) {
}

enum variant { WITHOUT_STAMPS, WITH_STAMPS, IS_EMPTY };

static void launch(enum variant variant, struct warp_time *to) {
    if (variant == IS_EMPTY)
        empty<<<1, THREADS>>>();
    else if (variant == WITH_STAMPS)
        launch_stamped(to, 0);
    else
        launch_unstamped(0);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The clocks: each returns microseconds ---- */

/* Two events with so many launches between them. With 0 it is the floor. */
static double pair_us(int launches, enum variant variant) {
    for (int i = 0; i < 2 && variant == WITH_STAMPS; i++)
        clear_stamps(i ? times : first_times, blocks);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int i = 0; i < launches; i++)
        launch(variant, i == 0 && launches > 1 ? first_times : times);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* The code of the last launch, by its own stamps. */
static double code_us(void) {
    const struct warp_time code = first_and_last(times, blocks);
    return (double)(code.end_ns - code.start_ns) / 1e3;
}

/* From one launch's start to the next one's, by their own stamps: the mean of so many in a row. */
static double period_us(int launches) {
    const struct warp_time first = first_and_last(first_times, blocks),
                           last = first_and_last(times, blocks);
    return (double)(int64_t)(last.start_ns - first.start_ns) / 1e3 / (launches - 1);
}

/* ---- The experiment ---- */

enum { FLOOR, EMPTY, SINGLE, CODE, SLOPE, PERIOD, PLAIN, CLOCKS };
static double samples_us[2][CLOCKS][MAX_RUNS]; /* without stamps, with stamps */
static bool shared;                            /* is the device, with another process */

/* One run: all clocks in turns. */
static void measure(int run, enum variant v) {
    static const double in_a_row[] = {2, 5, 10, 20};
    double us[4];
    samples_us[v][FLOOR][run] = pair_us(0, v);
    samples_us[v][EMPTY][run] = pair_us(1, IS_EMPTY);
    samples_us[v][SINGLE][run] = pair_us(1, v);
    samples_us[v][CODE][run] = v == WITH_STAMPS ? code_us() : NAN;
    for (int i = 0; i < 4; i++)
        us[i] = pair_us((int)in_a_row[i], v);
    samples_us[v][SLOPE][run] = fit_line(in_a_row, us, 4).slope;
    samples_us[v][PERIOD][run] = v == WITH_STAMPS ? period_us(20) : NAN;
}

/* First without stamps: what stamps leave in the cache must not count for the others. */
static void measure_all(void) {
    for (int v = WITHOUT_STAMPS; v <= WITH_STAMPS; v++) {
        CHECK_CUDA(cudaMemset(c, 0xff, n * sizeof *c));
        launch((enum variant)v, times); /* the warm-up, and the check */
        if (n > 0)
            check_vector_add(c, n);
        CHECK_CUDA(cudaProfilerStart());
        for (int run = 0; run < options.runs; run++) {
            if (v == WITH_STAMPS)
                clear_stamps(times, blocks);
            launch((enum variant)v, times);
            CHECK_CUDA(cudaDeviceSynchronize());
            samples_us[v][PLAIN][run] = v == WITH_STAMPS ? code_us() : NAN;
        }
        CHECK_CUDA(cudaProfilerStop()); /* behind the blocker a profiler cannot watch */
        for (int run = 0; run < options.runs; run++)
            measure(run, (enum variant)v);
    }
    shared = is_shared();
}

enum { CODE_ERROR, ROW_ERROR, LAUNCH_AND_DRAIN, STAMPING, FINDINGS };
static const char *const findings[] = {"code_error", "row_error", "launch_and_drain", "stamping"};
static double found_us[FINDINGS][2 * MAX_LIST]; /* a kernel's each */
static size_t kernels;

static void time_kernel(const char *kernel) {
    double us[CLOCKS], net_us[2];
    measure_all();
    for (int v = WITHOUT_STAMPS; v <= WITH_STAMPS; v++) {
        bool disturbed = shared;
        for (int k = 0; k < CLOCKS; k++) {
            const struct summary all = summarize(samples_us[v][k], (size_t)options.runs, step_us);
            us[k] = all.median;
            disturbed |= all.disturbed;
        }
        net_us[v] = us[SINGLE] - us[FLOOR];
        if (net_us[v] <= 0 || us[SLOPE] <= 0 || us[CODE] > us[SINGLE] + 2)
            fail(EXIT_FAILED, "impossible: %g us of code, %g us on the device, %g us in a row",
                 us[CODE], net_us[v], us[SLOPE]);
        cell("kernel", -19, "%s", kernel);
        cell("blocks", 7, "%zu", blocks);
        cell("stamps", 6, "%s", v == WITH_STAMPS ? "yes" : "no");
        number("code_stamps", "us", 16, 2, us[CODE]);
        number("code_minus_empty", "us", 21, 2, us[SINGLE] - us[EMPTY]);
        number("device_net", "us", 15, 2, net_us[v]);
        number("row_slope", "us", 14, 2, us[SLOPE]);
        number("row_stamps", "us", 15, 2, us[PERIOD]);
        number("plain_stamps", "us", 17, 2, us[PLAIN]);
        number("floor", "us", 10, 2, us[FLOOR]);
        end_row(disturbed || is_interrupted(fmax(us[SLOPE], us[PERIOD]), net_us[v]));
    }
    found_us[CODE_ERROR][kernels] = us[SINGLE] - us[EMPTY] - us[CODE];
    found_us[ROW_ERROR][kernels] = us[SLOPE] - us[PERIOD];
    found_us[LAUNCH_AND_DRAIN][kernels] = net_us[1] - us[CODE];
    found_us[STAMPING][kernels++] = net_us[1] - net_us[0];
}

int main(int argc, char **argv) {
    static const long long sizes[] = {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
    struct summary found[FINDINGS];
    char kernel[64] = "spin_2us";
    long long floats = 1;
    options.device = "";
    options.runs = 31;
    options.blocks[0] = 1;
    memcpy(options.sizes, sizes, sizeof sizes);
    parse_options(argc, argv, "How long did my kernel take? There are three right answers.");
    const struct cudaDeviceProp device = open_cuda();
    const long long full = (long long)full_device(device.multiProcessorCount);
    for (int i = 1; !options.has_blocks && i <= 3; i++)
        options.blocks[i] = full << 3 * (i - 1); /* a full device, 8 and 64 times as many */
    for (int i = 0; options.sizes[i]; i++)
        floats = options.sizes[i] > floats ? options.sizes[i] : floats;
    check_size(floats, 14.0 * (double)floats);
    long long most = (floats + THREADS - 1) / THREADS; /* blocks */
    for (int i = 0; options.blocks[i]; i++)
        most = options.blocks[i] > most ? options.blocks[i] : most;
    set_up_stamped((size_t)floats, (size_t)most);
    CHECK_CUDA(cudaMalloc((void **)&first_times, (size_t)most * WARPS * sizeof *times));
    set_up_blocker();
    launch(IS_EMPTY, times); /* the others' warm-up is in measure_all() */

    begin_table(
        "Three times of one kernel on %s; medians of %lld runs; stamps by %%globaltimer\n"
        "code_: first to last instruction; device_: with launch and drain; row_: of one more;\n"
        "plain_stamps: code_stamps of a launch without a blocker\n\n",
        device.name, options.runs);
    for (int i = 0; options.blocks[i]; i++) {
        length_ns = spin_ns;
        blocks = (size_t)options.blocks[i];
        time_kernel(kernel);
    }
    for (int i = 0; options.sizes[i]; i++) {
        length_ns = 0;
        n = (size_t)options.sizes[i];
        blocks = (n + THREADS - 1) / THREADS;
        snprintf(kernel, sizeof kernel, "vector_add_%zu", n);
        time_kernel(kernel);
    }
    end_table();
    for (int f = 0; f < FINDINGS; f++) {
        char name[32];
        found[f] = summarize(found_us[f], kernels, step_us);
        snprintf(name, sizeof name, "%s_min", findings[f]);
        value(name, "us", found[f].min);
        snprintf(name, sizeof name, "%s_max", findings[f]);
        value(name, "us", found[f].max);
    }
    say("Which time do you want?\n"
        "Its code: a blocked event pair minus that around an empty kernel, %+.2f to %+.2f us more\n"
        "than by the stamps. On the device: a blocked pair minus the floor, %.2f to %.2f us more\n"
        "than the code. In a row: what one more launch adds to a blocked pair, %+.2f to %+.2f us\n"
        "more than by the stamps. Stamps add %+.2f to %+.2f us: trust the rows without them.\n",
        found[CODE_ERROR].min, found[CODE_ERROR].max, found[LAUNCH_AND_DRAIN].min,
        found[LAUNCH_AND_DRAIN].max, found[ROW_ERROR].min, found[ROW_ERROR].max,
        found[STAMPING].min, found[STAMPING].max);
    return EXIT_SUCCESS;
}
