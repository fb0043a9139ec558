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
#include "block_time.h" /* what a work-group writes down */
#include "cores.h"
#include "kernel_clock.h"
#include "timeline.h"

/* The kernel is in block_clock.cl. */

/* ---- One launch ---- */

struct experiment {
    struct opencl cl;
    struct kernel_clock clock;
    cl_kernel kernel;
    cl_mem input, output, times; /* on the device */
    float *host_output;
    struct block_time *host_times;
};

/* Buffers for the launch, and the kernel's arguments. */
static void set_up_memory(struct experiment *e, size_t blocks, size_t threads, cl_int work) {
    e->input = new_buffer(&e->cl, 2 * threads * sizeof(float), NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 0, sizeof e->input, &e->input));
    e->output = new_buffer(&e->cl, blocks * sizeof *e->host_output, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 1, sizeof e->output, &e->output));
    e->times = new_buffer(&e->cl, blocks * sizeof *e->host_times, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 2, sizeof e->times, &e->times));
    CHECK_CL(clSetKernelArg(e->kernel, 4, sizeof work, &work));
    e->host_output = new_memory(blocks * sizeof *e->host_output);
    e->host_times = new_memory(blocks * sizeof *e->host_times);
    CHECK_CL(clSetKernelArg(e->kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */
}

/* The time stamp counter is one for all cores: it also says when each work-group ran. */
static void fill_in_ns(struct block_time *times, size_t blocks, double tick_ns) {
    unsigned long long first = ~0ull;
    for (size_t b = 0; b < blocks; b++)
        first = times[b].start_clock < first ? times[b].start_clock : first;
    for (size_t b = 0; b < blocks; b++) {
        times[b].start_ns = (unsigned long long)((double)(times[b].start_clock - first) * tick_ns);
        times[b].end_ns = (unsigned long long)((double)(times[b].end_clock - first) * tick_ns);
    }
}

/* Run 0 or 1: launches, and reads back what the work-groups wrote down. */
static void launch(const struct experiment *e, size_t blocks, size_t threads, size_t run) {
    const cl_uint nan_bits = 0xffffffff;
    const cl_ulong zero = 0;
    const cl_command_queue queue = e->cl.queue;
    const size_t global_size = blocks * threads, input_bytes = 2 * threads * sizeof(float);
    const size_t output_bytes = blocks * sizeof *e->host_output;
    const size_t times_bytes = blocks * sizeof *e->host_times;
    float input[2 * MAX_THREADS];
    fill_input(input, 2 * threads, run, 2);
    CHECK_CL(clEnqueueWriteBuffer(queue, e->input, CL_TRUE, 0, input_bytes, input, 0, NULL, NULL));
    /* No group has a result (NaN) or a stamp then, and the device is idle. */
    CHECK_CL(clEnqueueFillBuffer(queue, e->output, &nan_bits, sizeof nan_bits, 0, output_bytes, 0,
                                 NULL, NULL));
    CHECK_CL(
        clEnqueueFillBuffer(queue, e->times, &zero, sizeof zero, 0, times_bytes, 0, NULL, NULL));
    CHECK_CL(clFinish(queue));

    CHECK_CL(
        clEnqueueNDRangeKernel(queue, e->kernel, 1, NULL, &global_size, &threads, 0, NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, e->output, CL_TRUE, 0, output_bytes, e->host_output, 0,
                                 NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, e->times, CL_TRUE, 0, times_bytes, e->host_times, 0, NULL,
                                 NULL));
    check_blocks(e->host_times, e->host_output, blocks);
    if (e->clock.is_tsc)
        fill_in_ns(e->host_times, blocks, e->clock.tick_ns);
}

int main(int argc, char **argv) {
    long long blocks = 20, threads = 64, work = 2000, trace = false;
    const struct opt options[] = {
        OPT_DEVICE,
        OPT_NUMBER("blocks", &blocks, MAX_BLOCKS, "launch N blocks"),
        OPT_NUMBER("threads", &threads, MAX_THREADS, "N threads in each block"),
        OPT_NUMBER("work", &work, 1000000, "have each block do its work N times"),
        OPT_FLAG("trace", &trace, "print Chrome's trace format and nothing else"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "Which compute unit ran which work-group, and when?", options);
    if (trace && record_file == stdout)
        errx(EXIT_BAD_USAGE, "--csv: --trace prints on stdout; give --csv=FILE");
    const struct cores from = cores_now();
    struct experiment e = {.cl = open_opencl(CL_QUEUE_PROFILING_ENABLE)};
    e.clock = find_kernel_clock(&e.cl);
    if (!e.clock.name)
        errx(EXIT_NO_DEVICE, "no clock that a kernel can read on %s: no cl_khr_kernel_clock",
             e.cl.name);
    const cl_program program = build_program(&e.cl, "block_clock.cl", e.clock.flags);
    e.kernel = new_kernel(program, "timedReduction");
    check_threads(&e.cl, e.kernel, threads);
    if (e.clock.tick_ns == 0)
        errx(EXIT_NO_DEVICE, "%s on %s does not tell when or where a work-group runs", e.clock.name,
             e.cl.name);
    set_up_memory(&e, (size_t)blocks, (size_t)threads, (cl_int)work);
    launch(&e, (size_t)blocks, (size_t)threads, 0); /* the warm-up, which chapter 06 is about */
    launch(&e, (size_t)blocks, (size_t)threads, 1);
    struct timeline line = new_timeline(e.host_times, (size_t)blocks);
    line.unit_name = e.clock.is_tsc ? "core" : "SM";
    line.doubt = e.cl.type & CL_DEVICE_TYPE_CPU ? wait_and_doubt_cores(&from) : NULL;

    begin_record(options, e.cl.name, e.cl.driver);
    record_timeline(&line);
    if (trace) {
        print_trace(&line);
        return EXIT_SUCCESS;
    }
    say("Block timeline: %lld blocks of %lld threads on %s, %s\n\n", blocks, threads, e.cl.name,
        e.cl.driver);
    draw_timeline(&line);
    return EXIT_SUCCESS;
}
