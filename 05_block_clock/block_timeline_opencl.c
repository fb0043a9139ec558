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
#include "cores.h"
#include "kernel_clock.h"
#include "timeline.h"

/* What work-item 0 of a work-group writes down, as in block_clock.cl, which has the kernel. Clocks
 * are its unit's own: within a group their difference means something, between groups nothing. The
 * nanoseconds are one clock's for the whole device, and 0 where there is none. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns;
    unsigned long long unit; /* the number of its SM or core */
};

/* ---- One launch ---- */

struct experiment {
    struct opencl cl;
    struct kernel_clock clock;
    cl_kernel kernel;
    cl_mem input, output, times; /* on the device */
    float *host_input, *host_output;
    struct block_time *host_times;
};

/* Buffers for the launch, and the kernel's arguments. */
static void set_up_memory(struct experiment *e, size_t blocks, size_t threads, cl_int work) {
    e->input = new_buffer(&e->cl, 2 * threads * sizeof *e->host_input, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 0, sizeof e->input, &e->input));
    e->output = new_buffer(&e->cl, blocks * sizeof *e->host_output, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 1, sizeof e->output, &e->output));
    e->times = new_buffer(&e->cl, blocks * sizeof *e->host_times, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 2, sizeof e->times, &e->times));
    CHECK_CL(clSetKernelArg(e->kernel, 4, sizeof work, &work));
    e->host_output = new_memory(blocks * sizeof *e->host_output);
    e->host_times = new_memory(blocks * sizeof *e->host_times);
    e->host_input = new_memory(2 * threads * sizeof *e->host_input);
    CHECK_CL(clSetKernelArg(e->kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */
}

/* Launches with random numbers whose minimum is at a random place of one half, and reads back what
 * the work-groups wrote. Exits with 1 on a wrong minimum or an impossible stamp. */
static void run(const struct experiment *e, size_t blocks, size_t threads, bool upper_half) {
    const cl_uint nan_bits = 0xffffffff;
    const cl_ulong zero = 0;
    const cl_command_queue queue = e->cl.queue;
    const size_t global_size = blocks * threads, input_bytes = 2 * threads * sizeof(float);
    const size_t output_bytes = blocks * sizeof *e->host_output;
    const size_t times_bytes = blocks * sizeof *e->host_times;
    const float minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < 2 * threads; i++)
        e->host_input[i] = (float)(rand() % 1000);
    const size_t half = upper_half ? threads : 0;
    e->host_input[half + (size_t)rand() % threads] = minimum; /* NOLINT: threads is not 0 */
    CHECK_CL(clEnqueueWriteBuffer(queue, e->input, CL_TRUE, 0, input_bytes, e->host_input, 0, NULL,
                                  NULL));
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
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &e->host_times[b];
        if (e->host_output[b] != minimum)
            errx(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)e->host_output[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            errx(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
        if (t->unit >= MAX_UNITS)
            errx(EXIT_FAILED, "impossible: block %zu runs on SM or core %llu", b, t->unit);
    }
}

/* Where and when each group ran. Of a time stamp counter, which is one for all cores, the
 * nanoseconds are worked out here, from the first start on. */
static void fill_slices(const struct experiment *e, struct slice *slices, size_t blocks) {
    unsigned long long first = ~0ull;
    for (size_t b = 0; b < blocks; b++)
        first = e->host_times[b].start_clock < first ? e->host_times[b].start_clock : first;
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &e->host_times[b];
        slices[b] =
            (struct slice){b, t->unit, t->start_ns, t->end_ns, t->end_clock - t->start_clock, 0};
        if (e->clock.is_tsc) {
            const double tick_ns = e->clock.tick_ns;
            slices[b].start_ns = (unsigned long long)((double)(t->start_clock - first) * tick_ns);
            slices[b].end_ns = (unsigned long long)((double)(t->end_clock - first) * tick_ns);
        }
    }
}

int main(int argc, char **argv) {
    struct numbers block_list = {1, {20}}, thread_list = {1, {64}};
    long long work = 2000, trace = false;
    const struct opt options[] = {
        OPT_DEVICE,
        OPT_LIST("blocks", &block_list, MAX_BLOCKS, "number of blocks, one alone"),
        OPT_LIST("threads", &thread_list, MAX_THREADS, "threads in a block, one number"),
        OPT_NUMBER("work", &work, 1000000, "have each block do its work N times"),
        OPT_FLAG("trace", &trace, "print Chrome's trace format and nothing else"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "Which compute unit ran which work-group, and when?", options);
    if (trace)
        leave_stdout_to_trace();
    const size_t blocks = only_one("--blocks", &block_list);
    const size_t threads = only_one("--threads", &thread_list);
    const struct cores from = cores_now();
    struct experiment e = {.cl = open_opencl(CL_QUEUE_PROFILING_ENABLE)};
    e.clock = find_kernel_clock(&e.cl);
    if (!e.clock.name)
        errx(EXIT_NO_DEVICE, "no clock that a kernel can read on %s: no cl_khr_kernel_clock",
             e.cl.name);
    const cl_program program = build_program(&e.cl, "block_clock.cl", e.clock.flags);
    e.kernel = new_kernel(program, "timedReduction");
    check_threads(&e.cl, e.kernel, (long long)threads);
    if (e.clock.tick_ns == 0)
        errx(EXIT_NO_DEVICE, "%s on %s does not tell when or where a work-group runs", e.clock.name,
             e.cl.name);
    set_up_memory(&e, blocks, threads, (cl_int)work);
    struct slice *slices = new_memory(blocks * sizeof *slices);

    run(&e, blocks, threads, true); /* the warm-up, which chapter 06 is about */
    run(&e, blocks, threads, false);
    const char *doubt = e.cl.type & CL_DEVICE_TYPE_CPU ? doubt_cores(&from) : NULL;
    fill_slices(&e, slices, blocks);
    const struct timeline line = new_timeline(slices, blocks);
    const char *unit_name = e.clock.is_tsc ? "core" : "SM";

    begin_record(options, e.cl.name, e.cl.driver);
    say("Block timeline: %zu blocks of %zu threads on %s, %s\n\n", blocks, threads, e.cl.name,
        e.cl.driver);
    draw_timeline(&line, unit_name, doubt);
    record_slices(&line, doubt);
    if (trace)
        print_trace(&line, unit_name);
    return EXIT_SUCCESS;
}
