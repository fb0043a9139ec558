/* SPDX-License-Identifier: MIT
 *
 * The experiment of block_clock.cu on any OpenCL device: how long does one work-group take, by the
 * clock of the unit it runs on?
 *
 * Measures: timedReduction's start and end in each work-group, by the clock that the device has: a
 *   kernel clock (cl_khr_kernel_clock), an NVIDIA GPU's %clock64, through PoCL an x86 CPU's time
 *   stamp counter. block_rows.h computes a launch's mean and span.
 * Does not measure: span and units (SMs, or a CPU's cores) where the device cannot tell them: those
 *   columns are empty then.
 *
 * Build: cc -O2 -I../common block_clock_opencl.c -o block_clock_opencl -lOpenCL -lm
 * Run:   ./block_clock_opencl
 * Try:   ./block_clock_opencl --blocks 1,2,3,4,64,1024 --threads 1,64,1024
 */
#include "../03_opencl_profiling/stamps.h"
#include "block_rows.h"    /* rows */
#include "opencl_blocks.h" /* cl, kernel */

static const long long default_blocks[] = {1, 8, 16, 32, 64}; /* docs/references.md */

/* The stamps are in timedReduction, in block_clock.cl, with the ways to
 * read each device's clock. */
static void launch(size_t blocks, size_t threads, cl_event *event) {
    const size_t global_size = blocks * threads;
    CHECK_CL(clSetKernelArg(kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */
    CHECK_CL(
        clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global_size, &threads, 0, NULL, event));
}

/* Launches once with a new input. Returns the time from START to END of the launch.
 * *wait_us: for which the host waited. */
static double time_launch_us(size_t blocks, size_t threads, double *wait_us) {
    cl_event event;
    new_input(threads);
    launch(blocks, threads, NULL); /* not timed: it brings the new input into the caches */
    clear_blocks(blocks);

    const int64_t host_start_ns = now_ns();
    launch(blocks, threads, &event);
    CHECK_CL(clFinish(cl.queue));
    *wait_us = (double)(now_ns() - host_start_ns) / 1e3;
    const double launch_us = take_start_to_end_us(event, *wait_us);
    if (launch_us == 0)
        fail(EXIT_FAILED, "too short for the device's clock: START and END are the same");
    return launch_us;
}

static void print_verdict(int last) {
    const double *one = rows[0][0], *most = rows[0][last];
    const double clocks_factor =
        value("clocks_factor", "", most[CLOCKS_MEDIAN] / one[CLOCKS_MEDIAN]);
    const double launch_factor = value("whole_launch_factor", "", most[LAUNCH_US] / one[LAUNCH_US]);
    say("\nFrom %lld to %lld blocks, clocks_median changed by a factor of %.2f, whole_launch\n"
        "by %.1f. The time for which a block waits for its place is in no block's clock.\n",
        options.blocks[0], options.blocks[last], clocks_factor, launch_factor);
}

int main(int argc, char **argv) {
    cl_uint units;
    options.device = "";
    options.runs = 31;
    memcpy(options.blocks, default_blocks, sizeof default_blocks);
    options.threads[0] = 256;
    parse_options(argc, argv,
                  "How long does one work-group take, by its unit's clock?\n"
                  "Without --blocks it also runs 1, 2, 4, 8, 16 and 64 for each compute unit.");
    open_blocks("block_clock.cl");
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    /* OpenCL cannot say how many groups a unit holds at once. PoCL's are the CPU's cores, and hold
     * one each. */
    const long long n = units, landmarks[] = {n, n + 1, 2 * n, 4 * n, 8 * n, 16 * n, 64 * n, 0};
    for (int i = 0; landmarks[i] && !options.has_blocks; i++)
        insert(options.blocks, landmarks[i]);
    set_up_blocks((size_t)largest(options.blocks), 1);

    begin_table(
        "Block clock: timedReduction on %s, %s; %u compute units\n"
        "Clocks of a launch's blocks: mean, median; each number: the median of %lld launches\n\n",
        cl.name, cl.platform, units, options.runs);
    for (int t = 0; options.threads[t]; t++) {
        const size_t threads = (size_t)options.threads[t];
        int last = 0;
        for (int b = 0; options.blocks[b]; b++) {
            const size_t blocks = (size_t)options.blocks[b];
            for (size_t run = 0; run < (size_t)options.runs; run++) {
                double wait_us;
                const double launch_us = time_launch_us(blocks, threads, &wait_us);
                read_blocks(blocks);
                sample_launch(run, blocks, launch_us, wait_us);
            }
            report_blocks(t, b, blocks == units ? "1 per unit" : "");
            last = b;
        }
        if (rows[t][0][CLOCKS_MEDIAN] < 100) /* a CPU's counter steps by some tens */
            say("\nToo few threads for this clock, %zu: a group takes only a step or two.\n",
                threads);
        else if (t == 0 && last > 0)
            print_verdict(last);
        if (options.threads[t + 1])
            say("\n");
    }
    compare_threads();
    end_table();
    return EXIT_SUCCESS;
}
