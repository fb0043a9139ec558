/* SPDX-License-Identifier: MIT
 *
 * Which compute unit ran which work-group, and when? On a CPU: which core?
 *
 * Measures: one launch of timedReduction: each work-group's unit, its start and its end by a clock
 *   that all units share, and its clocks.
 * Does not measure: medians of many launches (block_clock_opencl.c). Needs a device that can tell
 *   where and when: an NVIDIA GPU, or an x86 CPU through PoCL.
 *
 * Build: cc -O2 -I../common block_timeline_opencl.c -o block_timeline_opencl -lOpenCL -lm
 * Run:   ./block_timeline_opencl
 * Try:   ./block_timeline_opencl --trace >trace.json  then open the file on https://ui.perfetto.dev
 *        ./block_timeline_opencl --work 20            short work-groups: does one core do it all?
 */
#include "opencl_blocks.h" /* cl, kernel, device_clock */
#include "timeline.h"

int main(int argc, char **argv) {
    options.device = "";
    options.blocks[0] = 20;
    options.threads[0] = 64;
    options.work = 2000;
    options.trace = 1;
    parse_options(argc, argv, "Which compute unit ran which work-group, and when?");
    const size_t blocks = (size_t)only_one("--blocks", options.blocks);
    const size_t threads = (size_t)only_one("--threads", options.threads);
    const size_t global_size = blocks * threads;
    open_blocks("block_clock.cl");
    if (device_clock.tick_ns == 0)
        fail(EXIT_NO_DEVICE, "%s on %s does not tell when or where a work-group runs",
             device_clock.name, cl.name);
    set_up_blocks(blocks, options.work);
    CHECK_CL(clSetKernelArg(kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */

    for (int run = 0; run < 2; run++) { /* the first is the warm-up, which chapter 06 is about */
        new_input(threads);
        clear_blocks(blocks);
        CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global_size, &threads, 0, NULL,
                                        NULL));
        read_blocks(blocks); /* and check them */
    }

    begin_table("Block timeline: %zu blocks of %zu threads on %s, %s\n\n", blocks, threads, cl.name,
                cl.platform);
    report_timeline(device_clock.is_tsc ? "core" : "SM", blocks);
    return EXIT_SUCCESS;
}
