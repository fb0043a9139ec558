/* SPDX-License-Identifier: MIT
 *
 * The experiment of block_clock.cu on any OpenCL device: how long does one work-group take, by the
 * clock of the unit it runs on?
 *
 * Measures: timedReduction's start and end in each work-group, by the clock that the device has: an
 *   NVIDIA GPU's %clock64, through PoCL an x86 CPU's time stamp counter, or cl_khr_kernel_clock.
 * Does not measure: span and units (SMs, or a CPU's cores) where the device cannot tell them.
 *
 * Build: cc -O2 -I../common block_clock_opencl.c -o block_clock_opencl -lOpenCL -lm
 * Run:   ./block_clock_opencl
 * Try:   ./block_clock_opencl --blocks 1,2,3,4,64,1024 --threads 1,64,1024
 *        ./block_clock_opencl --blocks 16 --each   each work-group of one launch: where, and when
 */
#include "cores.h"
#include "kernel_clock.h"

enum { MAX_UNITS = 4096 };

/* Written by work-item 0 of each work-group in block_clock.cl; unit: its SM or core, whose clock it
 * is: between two groups a difference means nothing. The nanoseconds are one clock's for all. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns;
    unsigned unit;
    float minimum;
};

/* ---- One launch ---- */

struct experiment {
    struct opencl cl;
    struct kernel_clock clock;
    cl_kernel kernel;
    cl_mem input, times; /* on the device */
    float numbers[2 * MAX_THREADS];
    struct block_time *host_times;
    double *clocks;              /* of each group of the last launch */
    unsigned long long first_ns; /* when the first of them began */
    size_t runs;                 /* launches for each row, and the numbers of each: */
    double clocks_mean[MAX_RUNS], clocks_median[MAX_RUNS], used_units[MAX_RUNS];
    double span_us[MAX_RUNS], whole_launch_us[MAX_RUNS];
    double late_us[MAX_RUNS]; /* how much longer than the span, or the launch, the host waited */
};

/* From what the groups wrote down. Exits with 1 on a wrong minimum or an impossible stamp. */
static void evaluate(struct experiment *e, size_t blocks, size_t run) {
    unsigned long long first_clock = ~0ull, last_ns = 0;
    const double tick_ns = e->clock.tick_ns;
    bool seen[MAX_UNITS] = {false};
    e->first_ns = ~0ull;
    e->used_units[run] = 0;
    for (const struct block_time *t = e->host_times; t < e->host_times + blocks; t++)
        first_clock = t->start_clock < first_clock ? t->start_clock : first_clock;
    for (size_t b = 0; b < blocks; b++) {
        struct block_time *t = &e->host_times[b];
        if (e->clock.is_tsc) { /* one counter for all cores: it also says when */
            t->start_ns = (uint64_t)llround((double)(t->start_clock - first_clock) * tick_ns);
            t->end_ns = (uint64_t)llround((double)(t->end_clock - first_clock) * tick_ns);
        }
        if (t->minimum != -1 || t->end_clock <= t->start_clock || t->end_ns < t->start_ns ||
            t->unit >= MAX_UNITS)
            errx(EXIT_FAILED,
                 "impossible: group %zu: minimum %g, unit %u, clock %llu to %llu, ns %llu to %llu",
                 b, (double)t->minimum, t->unit, t->start_clock, t->end_clock, t->start_ns,
                 t->end_ns);
        e->clocks[b] = (double)(t->end_clock - t->start_clock);
        e->first_ns = t->start_ns < e->first_ns ? t->start_ns : e->first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        e->used_units[run] += !seen[t->unit];
        seen[t->unit] = true;
    }
    e->clocks_mean[run] = summarize(e->clocks, blocks).mean;
    e->clocks_median[run] = median(e->clocks, blocks);
    e->span_us[run] = (double)(last_ns - e->first_ns) / 1e3;
}

/* The minimum is the last number in run 0, then an earlier one each time: so a reduction that skips
 * many numbers is wrong in some run. */
static void measure(struct experiment *e, size_t blocks, size_t threads, size_t run) {
    const size_t count = 2 * threads, in_bytes = count * sizeof(float), n = blocks * threads;
    const size_t bytes = blocks * sizeof *e->host_times;
    const cl_command_queue queue = e->cl.queue;
    double host_us = 0;
    cl_event event;
    for (size_t i = 0; i < count; i++)
        e->numbers[i] = i == count - 1 - run * count / e->runs ? -1 : (float)(i * 37 % 1000);
    CHECK_CL(clEnqueueWriteBuffer(queue, e->input, 1, 0, in_bytes, e->numbers, 0, NULL, NULL));
    CHECK_CL(clSetKernelArg(e->kernel, 2, in_bytes, NULL)); /* local memory */
    for (int i = 0; i < 2; i++) { /* the first launch brings the new input into the caches */
        CHECK_CL(clEnqueueFillBuffer(queue, e->times, &(cl_ulong){0}, 8, 0, bytes, 0, NULL, NULL));
        CHECK_CL(clFinish(queue));
        const int64_t start_ns = now_ns();
        CHECK_CL(clEnqueueNDRangeKernel(queue, e->kernel, 1, NULL, &n, &threads, 0, NULL, &event));
        CHECK_CL(clFinish(queue));
        host_us = (double)(now_ns() - start_ns) / 1e3;
        e->whole_launch_us[run] = start_to_end_us(event, host_us);
    }
    CHECK_CL(clEnqueueReadBuffer(queue, e->times, 1, 0, bytes, e->host_times, 0, NULL, NULL));
    evaluate(e, blocks, run);
    const double span_us = e->span_us[run], whole_us = e->whole_launch_us[run];
    e->late_us[run] = host_us - (e->clock.tick_ns > 0 ? span_us : whole_us);
    if (whole_us <= 0 || span_us > 1.001 * whole_us + 2) /* two steps of a coarse clock */
        errx(EXIT_FAILED, "impossible: a span of %.2f us in a launch of %.2f us", span_us,
             whole_us);
}

/* ---- The table ---- */

/* Of each number the median of the launches. */
static void print_row(const struct experiment *e, size_t blocks, size_t threads, const char *note,
                      unsigned doubts) {
    const size_t n = e->runs;
    const bool cpu = e->cl.is_cpu;
    const double factor = cpu ? 2 : 1.25;
    char span[32] = "-", units[32] = "-";
    if (e->clock.tick_ns > 0) {
        snprintf(span, sizeof span, "%.3f", median(e->span_us, n));
        snprintf(units, sizeof units, "%.0f", median(e->used_units, n));
    }
    doubts |= doubt_runs(e->clocks_mean, n, 16, factor) |
              doubt_runs(e->clocks_median, n, 16, factor) | doubt_us(e->span_us, n, cpu) |
              doubt_us(e->whole_launch_us, n, cpu) | doubt_wait(median(e->late_us, n));
    printf("%9zu %9zu %11.0f %13.0f %9s %15.3f %10s %-10s %s\n", blocks, threads,
           median(e->clocks_mean, n), median(e->clocks_median, n), span,
           median(e->whole_launch_us, n), units, note, first_doubt(doubts));
}

int main(int argc, char **argv) {
    static struct experiment e; /* too large for the stack */
    struct args args = begin_args(argc, argv);
    bool each = false;
    if (args.help)
        puts("  --each     a row for each work-group of one launch");
    for (int i = 0; i < args.count; i++)
        if (args.rest[i] && strcmp(args.rest[i], "--each") == 0) {
            args.rest[i] = NULL;
            each = true;
        }
    const char *device = text_arg(&args, "--device", "", "number, part of a name, or list");
    e.runs = number_arg(&args, "--runs", each ? "1" : "31", MAX_RUNS, "launches for each row");
    const struct numbers given =
        list_arg(&args, "--blocks", "", MAX_BLOCKS, "work-groups; else up to 64 for each unit");
    const struct numbers threads =
        list_arg(&args, "--threads", "256", MAX_THREADS, "work-items in a work-group");
    end_args(&args);
    if (each && (e.runs != 1 || given.count != 1 || threads.count != 1))
        errx(EXIT_BAD_USAGE, "--each: one run, one number of --blocks and one of --threads");
    e.cl = open_opencl(device, CL_QUEUE_PROFILING_ENABLE);
    e.clock = find_kernel_clock(&e.cl);
    if (!e.clock.name)
        errx(EXIT_NO_DEVICE, "no clock that a kernel can read on %s", e.cl.name);
    if (each && e.clock.tick_ns == 0)
        errx(EXIT_NO_DEVICE, "--each: %s does not tell when or where a group runs", e.clock.name);
    e.kernel = build_kernel(&e.cl, "block_clock.cl", e.clock.flags, "timedReduction");
    cl_uint units;
    CHECK_CL(clGetDeviceInfo(e.cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    /* OpenCL cannot say how many groups a unit holds at once. PoCL's are CPU cores: one group. */
    const size_t n = units, usual[] = {1, n, n + 1, 2 * n, 4 * n, 8 * n, 16 * n, 64 * n};
    size_t most_items;
    cl_ulong local_bytes; /* two floats for each work-item */
    CHECK_CL(clGetKernelWorkGroupInfo(e.kernel, e.cl.device, CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof most_items, &most_items, NULL));
    CHECK_CL(clGetDeviceInfo(e.cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes,
                             &local_bytes, NULL));
    if (threads.most > most_items || threads.most > local_bytes / (2 * sizeof(float)))
        errx(EXIT_BAD_USAGE, "--threads: a work-group here cannot have %zu", threads.most);
    const size_t most_blocks = given.most > 0 ? given.most : 64 * n;
    e.input = new_buffer(&e.cl, 2 * threads.most * sizeof(float));
    e.times = new_buffer(&e.cl, most_blocks * sizeof *e.host_times);
    CHECK_CL(clSetKernelArg(e.kernel, 0, sizeof e.input, &e.input));
    CHECK_CL(clSetKernelArg(e.kernel, 1, sizeof e.times, &e.times));
    e.host_times = new_memory(most_blocks * sizeof *e.host_times);
    e.clocks = new_memory(most_blocks * sizeof *e.clocks);
    struct cores seen[2] = {cores_now(), cores_now()};
    print_head(e.cl.name);
    printf("# runs %zu\n# blocks %s\n# threads %s\n# units %u\n", e.runs,
           given.count > 0 ? given.text : "-", threads.text, units);
    if (each) {
        measure(&e, given.at[0], threads.at[0], 0);
        const unsigned doubts = doubt_wait(e.late_us[0]) | (e.cl.is_cpu ? doubt_cores(seen) : 0);
        puts("    block  unit   start_ns     end_ns     clocks disturbed");
        for (size_t b = 0; b < given.at[0]; b++) {
            const struct block_time t = e.host_times[b];
            printf("%9zu %5u %10llu %10llu %10llu %s\n", b, t.unit, t.start_ns - e.first_ns,
                   t.end_ns - e.first_ns, t.end_clock - t.start_clock, first_doubt(doubts));
        }
        return EXIT_SUCCESS;
    }
    puts("   blocks   threads clocks_mean clocks_median   span_us whole_launch_us used_units note"
         "       disturbed");
    for (size_t t = 0; t < threads.count; t++)
        for (size_t b = 0; b < (given.count > 0 ? given.count : 8); b++) {
            const size_t blocks = given.count > 0 ? given.at[b] : usual[b];
            for (size_t run = 0; run < e.runs; run++)
                measure(&e, blocks, threads.at[t], run);
            print_row(&e, blocks, threads.at[t], blocks == units ? "1_per_unit" : "-",
                      e.cl.is_cpu ? doubt_cores(seen) : 0);
        }
    return EXIT_SUCCESS; /* what was created goes with the process */
}
