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
#include "cores.h"
#include "kernel_clock.h"
#include "opencl.h"

enum { MAX_UNITS = 4096 };

/* What work-item 0 of a work-group writes down, as in block_clock.cl, which has the kernel. Clocks
 * are its unit's own: within a group their difference means something, between groups nothing. The
 * nanoseconds are one clock's for the whole device, and 0 where there is none. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns;
    unsigned long long unit; /* the number of its SM or core */
};

/* ---- One launch ---- */

/* What all launches use. */
struct experiment {
    struct opencl cl;
    struct kernel_clock clock;
    cl_kernel kernel;
    cl_mem input, output, times; /* on the device */
    float *host_input, *host_output;
    struct block_time *host_times;
    double *clocks; /* of each group */
};

/* Copies random numbers to the device, and returns their minimum, which is at a random place of the
 * upper half or of the lower half: a reduction that skips numbers must fail. */
static float new_input(const struct experiment *e, size_t threads, bool upper_half) {
    const float minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < 2 * threads; i++)
        e->host_input[i] = (float)(rand() % 1000);
    const size_t half = upper_half ? threads : 0;
    e->host_input[half + (size_t)rand() % threads] = minimum; /* NOLINT: threads is not 0 */
    CHECK_CL(clEnqueueWriteBuffer(e->cl.queue, e->input, CL_TRUE, 0, 2 * threads * sizeof(float),
                                  e->host_input, 0, NULL, NULL));
    return minimum;
}

static void launch(const struct experiment *e, size_t blocks, size_t threads, cl_event *event) {
    const size_t global_size = blocks * threads;
    CHECK_CL(clSetKernelArg(e->kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->kernel, 1, NULL, &global_size, &threads, 0,
                                    NULL, event));
}

/* From what the groups wrote to the numbers of the launch. Exits with 1 on a wrong minimum or an
 * impossible stamp. */
static void evaluate(const struct experiment *e, size_t blocks, float minimum, size_t run,
                     struct samples *s) {
    double sum = 0;
    unsigned long long first_ns = ~0ull, last_ns = 0, first_clock = ~0ull, last_clock = 0;
    bool seen[MAX_UNITS] = {false};
    int used = 0;
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
        e->clocks[b] = (double)(t->end_clock - t->start_clock);
        sum += e->clocks[b];
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        first_clock = t->start_clock < first_clock ? t->start_clock : first_clock;
        last_clock = t->end_clock > last_clock ? t->end_clock : last_clock;
        used += !seen[t->unit];
        seen[t->unit] = true;
    }
    s->clocks_mean[run] = sum / (double)blocks;
    s->clocks_median[run] = median(e->clocks, blocks);
    s->used_units[run] = used;
    if (e->clock.is_tsc) /* one counter for all cores: it gives the span, in whole ns */
        s->span_us[run] = floor((double)(last_clock - first_clock) * e->clock.tick_ns) / 1e3;
    else if (last_ns > 0)
        s->span_us[run] = (double)(last_ns - first_ns) / 1e3;
    else
        s->span_us[run] = s->used_units[run] = NAN; /* the device tells neither when nor where */
}

/* Launches with a new input, and stores what this launch says as number `run` of the samples. */
static void measure(const struct experiment *e, size_t blocks, size_t threads, size_t run,
                    struct samples *s) {
    const cl_uint nan_bits = 0xffffffff;
    const cl_ulong zero = 0;
    const cl_command_queue queue = e->cl.queue;
    const size_t output_bytes = blocks * sizeof *e->host_output;
    const size_t times_bytes = blocks * sizeof *e->host_times;
    cl_event event;
    const float minimum = new_input(e, threads, run % 2 == 0);
    launch(e, blocks, threads, NULL); /* not timed: it brings the new input into the caches */
    /* No group has a result (NaN) or a stamp then, and the device is idle. */
    CHECK_CL(clEnqueueFillBuffer(queue, e->output, &nan_bits, sizeof nan_bits, 0, output_bytes, 0,
                                 NULL, NULL));
    CHECK_CL(
        clEnqueueFillBuffer(queue, e->times, &zero, sizeof zero, 0, times_bytes, 0, NULL, NULL));
    CHECK_CL(clFinish(queue));

    const int64_t host_start_ns = now_ns();
    launch(e, blocks, threads, &event);
    CHECK_CL(clFinish(queue));
    const double wait_us = s->wait_us[run] = (double)(now_ns() - host_start_ns) / 1e3;
    const double launch_us = s->launch_us[run] = start_to_end_us(event, wait_us);
    if (launch_us == 0)
        errx(EXIT_FAILED, "too short for the device's clock: START and END are the same");

    CHECK_CL(clEnqueueReadBuffer(queue, e->output, CL_TRUE, 0, output_bytes, e->host_output, 0,
                                 NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, e->times, CL_TRUE, 0, times_bytes, e->host_times, 0, NULL,
                                 NULL));
    evaluate(e, blocks, minimum, run, s);
    /* Allow two steps of a coarse clock, 1 us each, and the error of a counter's rate. A span that
     * the device does not tell is NaN, and not greater. */
    if (s->span_us[run] > 1.001 * launch_us + 2)
        errx(EXIT_FAILED, "impossible: a span of %.2f us in a launch of %.2f us", s->span_us[run],
             launch_us);
}

/* ---- The experiment: every number of blocks with every number of threads ---- */

/* Buffers for so many groups and work-items. */
static void set_up_memory(struct experiment *e, size_t blocks, size_t threads) {
    const cl_int work = 1;
    e->input = new_buffer(&e->cl, 2 * threads * sizeof *e->host_input, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 0, sizeof e->input, &e->input));
    e->output = new_buffer(&e->cl, blocks * sizeof *e->host_output, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 1, sizeof e->output, &e->output));
    e->times = new_buffer(&e->cl, blocks * sizeof *e->host_times, NULL);
    CHECK_CL(clSetKernelArg(e->kernel, 2, sizeof e->times, &e->times));
    CHECK_CL(clSetKernelArg(e->kernel, 4, sizeof work, &work)); /* once in each group */
    e->host_output = new_memory(blocks * sizeof *e->host_output);
    e->host_times = new_memory(blocks * sizeof *e->host_times);
    e->clocks = new_memory(blocks * sizeof *e->clocks);
    e->host_input = new_memory(2 * threads * sizeof *e->host_input);
}

/* What the rows say: `blocks` of them for each number of threads. A CPU's counter steps by some
 * tens. */
static void say_words(const struct row *rows, int blocks, int count) {
    const struct row *one = rows, *most = rows + blocks - 1;
    for (const struct row *row = rows; row < rows + count; row += blocks)
        if (row->clocks_median.median < 100) /* NOLINT: main() has filled in all rows */
            say("Too few threads for this clock, %lld: a group takes only a step or two.\n",
                row->threads);
    if (one->clocks_median.median < 100 || blocks == 1) /* NOLINT */
        return;
    const double clocks_factor =
        value("clocks_factor", most->clocks_median.median / one->clocks_median.median);
    const double launch_factor =
        value("whole_launch_factor", most->launch_us.median / one->launch_us.median);
    say("From %lld to %lld blocks, clocks_median changed by a factor of %.2f, whole_launch_us\n"
        "by %.1f.\n",
        one->blocks, most->blocks, clocks_factor, launch_factor);
}

int main(int argc, char **argv) {
    long long runs = 31;
    struct numbers blocks = {}, threads = {1, {256}};
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("blocks", &blocks, MAX_BLOCKS,
                 "numbers of blocks; else 1,8,16,32,64 and up to 64 for each compute unit"),
        OPT_LIST("threads", &threads, MAX_THREADS,
                 "threads in a block, one number after the other"),
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
    const long long n = units,
                    landmarks[] = {1,     8,     16,    32,    64,     n, /* references.md */
                                   n + 1, 2 * n, 4 * n, 8 * n, 16 * n, 64 * n};
    const bool cpu = e.cl.type & CL_DEVICE_TYPE_CPU;
    if (blocks.count == 0)
        insert(&blocks, landmarks, sizeof landmarks / sizeof *landmarks);
    set_up_memory(&e, largest(&blocks), largest(&threads));
    const int row_count = threads.count * blocks.count;
    struct samples *samples = new_memory(sizeof *samples);
    struct row *rows = new_memory((size_t)row_count * sizeof *rows), *row = rows;
    for (int t = 0; t < threads.count; t++)
        for (int b = 0; b < blocks.count; b++, row++) {
            row->blocks = blocks.at[b];
            row->threads = threads.at[t];
            row->note = row->blocks == units ? "1 per unit" : "";
            const struct cores from = cores_now();
            for (size_t run = 0; run < (size_t)runs; run++)
                measure(&e, (size_t)row->blocks, (size_t)row->threads, run, samples);
            summarize_row(row, samples, (size_t)runs, cpu,
                          cpu ? wait_and_doubt_cores(&from) : NULL);
        }

    begin_record(options, e.cl.name, e.cl.driver);
    say("Block clock: timedReduction on %s, %s; %u compute units\n"
        "Clocks of a launch's blocks: mean, median; each number: the median of %lld launches\n\n",
        e.cl.name, e.cl.driver, units, runs);
    for (row = rows; row < rows + row_count; row++)
        print_blocks(row, rows);
    say("\n");
    say_words(rows, blocks.count, row_count);
    free(samples);
    free(rows);
    return EXIT_SUCCESS;
}
