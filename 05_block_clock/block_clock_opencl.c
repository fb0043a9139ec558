/* SPDX-License-Identifier: MIT
 *
 * The experiment of block_clock.cu on any OpenCL device: how long does one work-group take, by the
 * clock of the unit it runs on?
 *
 * Measures: timedReduction's start and end in each work-group, by the clock that the device has: a
 *   kernel clock (cl_khr_kernel_clock), an NVIDIA GPU's %clock64, through PoCL an x86 CPU's time
 *   stamp counter.
 * Does not measure: span and units (SMs, or a CPU's cores) where the device cannot tell them: those
 *   columns are empty then.
 *
 * Build: cc -O2 -I../common block_clock_opencl.c -o block_clock_opencl -lOpenCL -lm
 * Run:   ./block_clock_opencl
 * Try:   ./block_clock_opencl --blocks 1,2,3,4,64,1024 --threads 1,64,1024
 */
#include "block_rows.h" /* a row of the table */
#include "block_time.h" /* what a work-group writes down */
#include "cores.h"
#include "kernel_clock.h"
#include "opencl.h"

/* The kernel is in block_clock.cl. Clocks are those of a group's unit: between two groups their
 * difference means nothing. The nanoseconds are one clock's for the device; 0: it has none. */

/* ---- One launch ---- */

struct experiment {
    struct opencl cl;
    struct kernel_clock clock;
    cl_kernel kernel;
    cl_mem input, output, times; /* on the device */
    float *host_output;
    struct block_time *host_times;
    double *clocks; /* of each group */
};

static void launch(const struct experiment *e, size_t blocks, size_t threads, cl_event *event) {
    const size_t global_size = blocks * threads;
    CHECK_CL(clSetKernelArg(e->kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->kernel, 1, NULL, &global_size, &threads, 0,
                                    NULL, event));
}

/* Computes the numbers of a launch from what the groups wrote down. */
static void evaluate(const struct experiment *e, size_t blocks, size_t run, struct samples *s) {
    unsigned long long first_ns = ~0ull, last_ns = 0, first_clock = ~0ull, last_clock = 0;
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &e->host_times[b];
        e->clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        first_clock = t->start_clock < first_clock ? t->start_clock : first_clock;
        last_clock = t->end_clock > last_clock ? t->end_clock : last_clock;
    }
    const struct summary clocks = summarize(e->clocks, blocks);
    s->clocks_mean[run] = clocks.mean;
    s->clocks_median[run] = clocks.median;
    s->used_units[run] = count_units(e->host_times, blocks);
    s->span_us[run] = (double)(last_ns - first_ns) / 1e3;
    if (e->clock.is_tsc) /* one counter for all cores: it gives the span, in whole ns */
        s->span_us[run] = floor((double)(last_clock - first_clock) * e->clock.tick_ns) / 1e3;
    else if (last_ns == 0) /* the device tells neither when nor where */
        s->span_us[run] = s->used_units[run] = NAN;
}

/* Launches, and stores the numbers of this launch as number `run` of the samples. */
static void measure(const struct experiment *e, size_t blocks, size_t threads, size_t run,
                    struct samples *s) {
    const cl_uint nan_bits = 0xffffffff;
    const cl_ulong zero = 0;
    const cl_command_queue queue = e->cl.queue;
    const size_t output_bytes = blocks * sizeof *e->host_output;
    const size_t times_bytes = blocks * sizeof *e->host_times;
    cl_event event;
    launch(e, blocks, threads, NULL); /* not timed: it brings the new input into the caches */
    /* No group has a result (NaN) or a stamp then, and the device is idle. */
    CHECK_CL(clEnqueueFillBuffer(queue, e->output, &nan_bits, sizeof nan_bits, 0, output_bytes, 0,
                                 NULL, NULL));
    CHECK_CL(
        clEnqueueFillBuffer(queue, e->times, &zero, sizeof zero, 0, times_bytes, 0, NULL, NULL));
    CHECK_CL(clFinish(queue));

    const int64_t start_ns = now_ns();
    launch(e, blocks, threads, &event);
    CHECK_CL(clFinish(queue));
    s->wait_us[run] = (double)(now_ns() - start_ns) / 1e3;
    s->whole_launch_us[run] = start_to_end_us(event, s->wait_us[run]);
    CHECK_CL(clReleaseEvent(event));

    CHECK_CL(clEnqueueReadBuffer(queue, e->output, CL_TRUE, 0, output_bytes, e->host_output, 0,
                                 NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, e->times, CL_TRUE, 0, times_bytes, e->host_times, 0, NULL,
                                 NULL));
    check_blocks(e->host_times, e->host_output, blocks);
    evaluate(e, blocks, run, s);
    check_span(s->span_us[run], s->whole_launch_us[run]);
}

/* ---- The experiment: every number of blocks with every number of threads ---- */

/* Buffers for so many groups and work-items. */
static void set_up_memory(struct experiment *e, size_t blocks, size_t threads) {
    const cl_int work = 1;
    e->input = new_buffer(&e->cl, 2 * threads * sizeof(float), NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 0, sizeof e->input, &e->input));
    e->output = new_buffer(&e->cl, blocks * sizeof *e->host_output, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 1, sizeof e->output, &e->output));
    e->times = new_buffer(&e->cl, blocks * sizeof *e->host_times, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 2, sizeof e->times, &e->times));
    CHECK_CL(clSetKernelArg(e->kernel, 4, sizeof work, &work)); /* once in each group */
    e->host_output = new_memory(blocks * sizeof *e->host_output);
    e->host_times = new_memory(blocks * sizeof *e->host_times);
    e->clocks = new_memory(blocks * sizeof *e->clocks);
}

static void measure_row(const struct experiment *e, struct row *row, size_t runs) {
    static struct samples samples; /* too large for the stack */
    float input[2 * MAX_THREADS];
    const bool cpu = e->cl.type & CL_DEVICE_TYPE_CPU;
    const size_t count = (size_t)2 * row->threads;
    const struct cores from = cores_now();
    for (size_t run = 0; run < runs; run++) {
        fill_input(input, count, run, runs);
        CHECK_CL(clEnqueueWriteBuffer(e->cl.queue, e->input, CL_TRUE, 0, count * sizeof *input,
                                      input, 0, NULL, NULL));
        measure(e, row->blocks, row->threads, run, &samples);
    }
    summarize_row(row, &samples, runs, cpu, cpu ? wait_and_doubt_cores(&from) : NULL);
}

int main(int argc, char **argv) {
    long long runs = 31;
    struct numbers blocks = {}, threads = {1, {256}};
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("blocks", &blocks, MAX_BLOCKS,
                 "numbers of blocks; else from 1 to 64 for each unit"),
        OPT_LIST("threads", &threads, MAX_THREADS, "threads in a block, one after the other"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "How long does one work-group take, by its unit's clock?", options);
    struct experiment e = {.cl = open_opencl(CL_QUEUE_PROFILING_ENABLE)};
    e.clock = find_kernel_clock(&e.cl);
    if (!e.clock.name)
        errx(EXIT_NO_DEVICE, "no clock that a kernel can read on %s: no cl_khr_kernel_clock",
             e.cl.name);
    const cl_program program = build_program(&e.cl, "block_clock.cl", e.clock.flags);
    e.kernel = new_kernel(program, "timedReduction");
    for (int t = 0; t < threads.count; t++)
        check_threads(&e.cl, e.kernel, threads.at[t]);
    cl_uint units;
    CHECK_CL(clGetDeviceInfo(e.cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    /* OpenCL cannot say how many groups a unit holds at once. PoCL's are the CPU's cores, and hold
     * one each. */
    const unsigned n = units;
    /* The source's own table, of a G80, has 1 to 64: see README.md. */
    const unsigned landmarks[] = {1, 8, 16, 32, 64, n, n + 1, 2 * n, 4 * n, 8 * n, 16 * n, 64 * n};
    if (blocks.count == 0)
        insert(&blocks, landmarks, sizeof landmarks / sizeof *landmarks);
    set_up_memory(&e, largest(&blocks), largest(&threads));
    const int row_count = threads.count * blocks.count;
    struct row *const rows = new_rows(&blocks, &threads);
    for (struct row *row = rows; row < rows + row_count; row++) {
        row->note = row->blocks == units ? "1 per unit" : "";
        measure_row(&e, row, (size_t)runs);
    }
    const struct row *one = rows, *most = rows + blocks.count - 1;
    const struct summary from = one->clocks_median, to = most->clocks_median;
    const double clocks_factor = to.median / from.median; /* NOLINT: all rows are filled in */
    /* NOLINTNEXTLINE */
    const double launch_factor = most->whole_launch_us.median / one->whole_launch_us.median;

    begin_record(options, e.cl.name, e.cl.driver);
    say("Block clock: timedReduction on %s, %s; %u compute units\n"
        "Clocks of a launch's blocks: mean, median; each number: the median of %lld launches\n\n",
        e.cl.name, e.cl.driver, units, runs);
    for (const struct row *row = rows; row < rows + row_count; row++)
        print_blocks(row, rows);
    say("\n");
    for (const struct row *row = rows; row < rows + row_count; row += blocks.count)
        if (row->clocks_median.median < 100) /* a CPU's counter steps by some tens */
            say("Too few threads for this clock, %u: a group takes only a step or two.\n",
                row->threads);
    if (from.median >= 100 && most > one) {
        value("clocks_factor", clocks_factor);
        value("whole_launch_factor", launch_factor);
        say("From %u to %u blocks, clocks_median changed by a factor of %.2f, whole_launch_us\n"
            "by %.1f.\n",
            one->blocks, most->blocks, clocks_factor, launch_factor);
    }
    free(rows);
    return EXIT_SUCCESS;
}
