/* SPDX-License-Identifier: MIT
 *
 * The experiment of block_clock.cu on any OpenCL device: how long does one work-group take, by the
 * clock of the unit it runs on?
 *
 * Measures: timedReduction's start and end in each work-group, by the clock that the device has: a
 *   kernel clock (cl_khr_kernel_clock), an NVIDIA GPU's %clock64, a CPU's cycle counter.
 * Does not measure: the span and the number of units, where the device cannot tell; those columns
 *   stay empty then.
 *
 * Build: cc -O2 -I../common block_clock_opencl.c -o block_clock_opencl -lOpenCL -lm
 * Run:   ./block_clock_opencl
 * Try:   ./block_clock_opencl --blocks 1,2,3,4,64,1024 --threads 1,64,1024
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "opencl_device.h"
#include "summary.h"

static struct number_list block_counts; /* empty: the source's, then this device's landmarks */
static struct number_list thread_counts = {1, {256}};

/* As in block_clock.cl. */
struct block_time {
    cl_ulong start_clock, end_clock, start_ns, end_ns, unit;
};

enum { CLOCKS_MIN, CLOCKS_MEAN, CLOCKS_MEDIAN, CLOCKS_MAX, SPAN_US, EVENT_US, UNITS, FIELDS };

static struct opencl_device device;
static cl_context context;
static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_kernel kernel;       /* timedReduction */
static cl_mem input, output, timer;
static float *results; /* their copies here */
static struct block_time *times;
static double *clocks;   /* of each work-group */
static bool has_ns_unit; /* whether the stamps hold start_ns, end_ns and unit */

/* ---- Which clock does this device have? ---- */

/* Returns the compiler option that chooses it in block_clock.cl, and says it in words. Exits with
 * 77 when there is none. */
static const char *choose_clock(const char **words) {
    static char extensions[16384];
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (strstr(extensions, "cl_khr_kernel_clock")) {
        *words = "clock_read_work_group()";
        return "-cl-std=CL3.0 -DCLOCK_KHR";
    }
    if (strstr(extensions, "cl_nv_")) {
        *words = "%clock64";
        has_ns_unit = true;
        return "-DCLOCK_PTX";
    }
#if defined __x86_64__ || defined __i386__ /* elsewhere a program may not read the counter */
    if (device.type & CL_DEVICE_TYPE_CPU) {
        *words = "the processor's time stamp counter";
        return "-DCLOCK_LLVM";
    }
#endif
    fail(EXIT_NO_DEVICE, "%s has no clock that a kernel can read (cl_khr_kernel_clock)",
         device.name);
}

/* ---- One launch ---- */

/* Puts the minimum in a random slot of an otherwise random input, and returns it: a reduction that
 * leaves out a slot misses it sooner or later. */
static float new_input(size_t threads) {
    static float host[2 * MAX_THREADS];
    const size_t count = 2 * threads;
    const float minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < count; i++)
        host[i] = (float)(rand() % 1000);
    host[(size_t)rand() % count] = minimum; // NOLINT: threads is at least 1
    CHECK_CL(clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, 2 * threads * sizeof *host, host, 0,
                                  NULL, NULL));
    return minimum;
}

/* Launches once, checks every group's result and stamps, and stores what they say in `row`. */
static void run_once(size_t blocks, size_t threads, double row[FIELDS]) {
    const size_t global_size = blocks * threads;
    const float minimum = new_input(threads);
    const float poison = 1e30F;
    const cl_ulong zero = 0;
    cl_event event;
    cl_ulong start_ns, end_ns;

    CHECK_CL(clEnqueueFillBuffer(queue, output, &poison, sizeof poison, 0, blocks * sizeof *results,
                                 0, NULL, NULL));
    CHECK_CL(clEnqueueFillBuffer(queue, timer, &zero, sizeof zero, 0, blocks * sizeof *times, 0,
                                 NULL, NULL));
    CHECK_CL(clSetKernelArg(kernel, 3, 2 * threads * sizeof(float), NULL)); /* local memory */
    CHECK_CL(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &threads, 0, NULL, &event));
    CHECK_CL(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, blocks * sizeof *results, results, 0,
                                 NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, timer, CL_TRUE, 0, blocks * sizeof *times, times, 0, NULL,
                                 NULL));
    CHECK_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
                                     NULL));
    CHECK_CL(
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL));
    CHECK_CL(clReleaseEvent(event));
    if (end_ns <= start_ns)
        fail(EXIT_FAILED, "impossible: START %llu ns, END %llu ns", (unsigned long long)start_ns,
             (unsigned long long)end_ns);

    cl_ulong first_ns = times[0].start_ns, last_ns = times[0].end_ns;
    unsigned char seen[4096] = {0}; /* unit numbers */
    row[UNITS] = 0;
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        if (results[b] != minimum)
            fail(EXIT_FAILED, "group %zu of %zu, %zu work-items: found %g, not the minimum %g", b,
                 blocks, threads, (double)results[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            fail(EXIT_FAILED, "impossible: group %zu starts at clock %llu, ends at %llu", b,
                 (unsigned long long)t->start_clock, (unsigned long long)t->end_clock);
        clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        row[UNITS] += !seen[t->unit % sizeof seen];
        seen[t->unit % sizeof seen] = 1;
    }
    const struct summary s = summarize(clocks, blocks);
    row[CLOCKS_MIN] = s.min;
    row[CLOCKS_MEAN] = s.mean;
    row[CLOCKS_MEDIAN] = s.median;
    row[CLOCKS_MAX] = s.max;
    row[SPAN_US] = (double)(last_ns - first_ns) / 1e3;
    row[EVENT_US] = (double)(end_ns - start_ns) / 1e3;
    /* %globaltimer may step by 1 us: allow two such steps. */
    if (has_ns_unit && row[SPAN_US] > row[EVENT_US] + 2)
        fail(EXIT_FAILED, "impossible: a span of %.2f us in an event of %.2f us", row[SPAN_US],
             row[EVENT_US]);
}

/* ---- The experiment ---- */

/* Measures one pair, prints its row, and stores the medians of its runs in `row`. */
static void measure(const struct options *options, size_t blocks, size_t threads,
                    double row[FIELDS]) {
    static double samples[FIELDS][MAX_RUNS];
    char span[32] = "", units[32] = ""; /* where the device cannot tell */
    run_once(blocks, threads, row);     /* warm-up */
    for (int run = 0; run < (int)options->runs; run++) {
        run_once(blocks, threads, row);
        for (int f = 0; f < FIELDS; f++)
            samples[f][run] = row[f];
    }
    for (int f = 0; f < FIELDS; f++)
        row[f] = median(samples[f], (size_t)options->runs);
    if (has_ns_unit) {
        snprintf(span, sizeof span, options->csv ? "%.3f" : "%.2f", row[SPAN_US]);
        snprintf(units, sizeof units, "%.0f", row[UNITS]);
    }
    if (options->csv)
        printf("%s,%zu,%zu,%lld,%.0f,%.1f,%.1f,%.0f,%s,%.3f,%s\n", device.name, blocks, threads,
               options->runs, row[CLOCKS_MIN], row[CLOCKS_MEAN], row[CLOCKS_MEDIAN],
               row[CLOCKS_MAX], span, row[EVENT_US], units);
    else
        printf("%8zu %8zu %8.0f %8.0f %8.0f %8.0f %10s %10.2f %5s\n", blocks, threads,
               row[CLOCKS_MIN], row[CLOCKS_MEAN], row[CLOCKS_MEDIAN], row[CLOCKS_MAX], span,
               row[EVENT_US], units);
    flush_stdout();
}

/* What --blocks says; else the source's five counts, and multiples of the device's compute units.
 */
static void choose_blocks(void) {
    cl_uint compute_units;
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                             &compute_units, NULL));
    const long long units = compute_units;
    const struct number_list list = {
        11, {1, 8, 16, 32, 64, units, units + 1, 4 * units, 16 * units, 64 * units, 256 * units}};
    if (block_counts.count > 0)
        return;
    block_counts = list;
    sort_list(&block_counts);
}

/* Exits with 2 if a --threads is more than this device runs in a work-group. */
static void check_threads(void) {
    size_t most;
    cl_ulong local_bytes;
    CHECK_CL(clGetKernelWorkGroupInfo(kernel, device.id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                      &most, NULL));
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes,
                             NULL));
    if (local_bytes / (2 * sizeof(float)) < most)
        most = local_bytes / (2 * sizeof(float));
    for (size_t t = 0; t < thread_counts.count; t++)
        if ((size_t)thread_counts.values[t] > most)
            fail(EXIT_BAD_USAGE, "--threads: '%lld' is more than the %zu that %s allows in a group",
                 thread_counts.values[t], most, device.name);
}

int main(int argc, char **argv) {
    struct options options =
        default_options("How long does one work-group take, by its unit's clock?");
    options.has_device = true;
    options.runs = 31;
    options.blocks = &block_counts;
    options.threads = &thread_counts;
    parse_options(argc, argv, &options);
    device = choose_opencl_device(options.device);
    const char *clock_words;
    const char *build_options = choose_clock(&clock_words);

    cl_int code;
    context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    CHECK_CL_CODE("clCreateContext", code);
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    queue = clCreateCommandQueueWithProperties(context, device.id, profiling, &code);
    CHECK_CL_CODE("clCreateCommandQueueWithProperties", code);
    cl_program program = build_opencl_program(context, device.id, "block_clock.cl", build_options);
    kernel = clCreateKernel(program, "timedReduction", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    check_threads();
    choose_blocks();

    size_t most_blocks = 0;
    for (size_t b = 0; b < block_counts.count; b++)
        if ((size_t)block_counts.values[b] > most_blocks)
            most_blocks = (size_t)block_counts.values[b];
    results = (float *)malloc(most_blocks * sizeof *results);
    times = (struct block_time *)malloc(most_blocks * sizeof *times);
    clocks = (double *)malloc(most_blocks * sizeof *clocks);
    if (!results || !times || !clocks)
        fail(EXIT_FAILED, "no host memory for %zu blocks", most_blocks);
    input = clCreateBuffer(context, CL_MEM_READ_ONLY, 2 * sizeof(float) * MAX_THREADS, NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    output = clCreateBuffer(context, CL_MEM_WRITE_ONLY, most_blocks * sizeof *results, NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    timer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, most_blocks * sizeof *times, NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof input, &input));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof output, &output));
    CHECK_CL(clSetKernelArg(kernel, 2, sizeof timer, &timer));

    if (options.csv)
        printf("device,blocks,threads,runs,clocks_min,clocks_mean,clocks_median,clocks_max,"
               "span_us,event_us,sms\n");
    else
        printf("timedReduction on %s, %s; medians of %lld launches\n"
               "A block (work-group) by %s; the event by the device's clock\n\n"
               "%8s %8s %8s %8s %8s %8s %10s %10s %5s\n",
               device.name, device.platform, options.runs, clock_words, "blocks", "threads", "min",
               "mean", "median", "max", "span us", "event us", "SMs");
    for (size_t t = 0; t < thread_counts.count; t++) {
        double row[FIELDS] = {0}, first[FIELDS] = {0};
        for (size_t b = 0; b < block_counts.count; b++) {
            measure(&options, (size_t)block_counts.values[b], (size_t)thread_counts.values[t], row);
            if (b == 0)
                memcpy(first, row, sizeof row);
        }
        if (!options.csv)
            printf("  %lld threads, from %lld to %lld blocks: a block's clocks x %.2f, the event "
                   "x %.2f\n",
                   thread_counts.values[t], block_counts.values[0],
                   block_counts.values[block_counts.count - 1],
                   row[CLOCKS_MEAN] / first[CLOCKS_MEAN], row[EVENT_US] / first[EVENT_US]);
    }
    flush_stdout();
    return EXIT_SUCCESS;
}
