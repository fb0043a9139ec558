/* SPDX-License-Identifier: MIT
 *
 * What does the device's own clock say of a command, stage by stage?
 *
 * Measures: the stamps QUEUED, SUBMIT, START, END and COMPLETE of vector_add over a sweep of sizes;
 *   bandwidth from them, with one float and with four for each work-item, beside that of a copy
 *   that moves as many bytes; the step of the device's clock.
 * Does not measure: what START to END includes besides the kernel; known_length.c does.
 *
 * Build: cc -O2 -I../common opencl_profiling.c -o opencl_profiling -lOpenCL -lm
 * Run:   ./opencl_profiling
 * Try:   ./opencl_profiling --size 1,1000,1000000        where does the overhead end?
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "host_clock.h"
#include "opencl_device.h"
#include "summary.h"
#include "vector_data.h"

static struct number_list sizes = {6, {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24}};

static struct opencl_device device;
static cl_context context;
static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_kernel vector_add, vector_add_float4;

/* ---- The technique: the stamps of one command, checked before they are subtracted ---- */

struct stamps {
    cl_ulong queued_ns, submit_ns, start_ns, end_ns;
    cl_ulong complete_ns; /* and what the kernel itself has enqueued: since OpenCL 2.0, else END */
};

static cl_ulong read_stamp_ns(cl_event event, cl_profiling_info which) {
    /* Nanoseconds already: not to be multiplied by the timer's resolution. No clock gives
     * CL_ULONG_MAX; a driver may answer CL_SUCCESS and leave it there, or write 0, 1, 2, 3. */
    cl_ulong stamp_ns = CL_ULONG_MAX;
    CHECK_CL(clGetEventProfilingInfo(event, which, sizeof stamp_ns, &stamp_ns, NULL));
    if (stamp_ns < 1000 || stamp_ns == CL_ULONG_MAX)
        fail(EXIT_FAILED, "impossible: clGetEventProfilingInfo(%#x) succeeds, and gives %llu ns",
             which, (unsigned long long)stamp_ns);
    return stamp_ns;
}

/* Returns the stamps of a finished command and releases its event. Exits with 1 if it ended before
 * it started, or at once, or ran longer than the host waited for it. */
static struct stamps read_stamps(cl_event event, double host_us) {
    struct stamps s = {read_stamp_ns(event, CL_PROFILING_COMMAND_QUEUED),
                       read_stamp_ns(event, CL_PROFILING_COMMAND_SUBMIT),
                       read_stamp_ns(event, CL_PROFILING_COMMAND_START),
                       read_stamp_ns(event, CL_PROFILING_COMMAND_END), 0};
    s.complete_ns =
        device.version >= 200 ? read_stamp_ns(event, CL_PROFILING_COMMAND_COMPLETE) : s.end_ns;
    CHECK_CL(clReleaseEvent(event));
    if (s.start_ns >= s.end_ns || s.end_ns > s.complete_ns ||
        (double)(s.end_ns - s.start_ns) / 1e3 > 1.01 * host_us + 10) /* two clocks, with steps */
        fail(EXIT_FAILED,
             "impossible, or too short for this clock: START %llu, END %llu, COMPLETE %llu ns, "
             "while "
             "the host waited %.3f us",
             (unsigned long long)s.start_ns, (unsigned long long)s.end_ns,
             (unsigned long long)s.complete_ns, host_us);
    return s;
}

/* Microseconds between two stamps, below zero if they are out of order: some drivers translate
 * QUEUED and SUBMIT from the host's clock, and not exactly. The stamps are unsigned: subtracted and
 * not made signed, a nanosecond below zero is 584 years. */
static double between_us(cl_ulong from_ns, cl_ulong to_ns) {
    return (double)(cl_long)(to_ns - from_ns) / 1e3;
}

/* ---- One size: vector_add and a copy that moves as many bytes, options.runs times each ---- */

enum {
    QUEUED_TO_SUBMIT,
    SUBMIT_TO_START,
    START_TO_END,
    END_TO_COMPLETE,
    HOST,
    ONE_FLOAT,
    COPY,
    INTERVALS
};
static const char *const interval_names[] = {
    "QUEUED to SUBMIT", "SUBMIT to START",           "START to END",      "END to COMPLETE",
    "host, all of it",  "one float each, START-END", "copy, START to END"};
static double samples_us[INTERVALS][MAX_RUNS];
static cl_ulong step_ns; /* of the device's clock, by the times seen so far */

/* By `kernel`, which adds so many floats in each work-item. */
static void measure_vector_add(cl_kernel kernel, size_t floats_each, size_t n, int runs) {
    const size_t local_size = 256;
    const size_t in_group = local_size * floats_each;
    const size_t global_size = (n + in_group - 1) / in_group * local_size;
    const cl_ulong count = n;
    cl_mem a = buffer_of_floats(queue, n, input_a);
    cl_mem b = buffer_of_floats(queue, n, input_b);
    cl_mem c = buffer_of_floats(queue, n, NULL);
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof a, &a));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof b, &b));
    CHECK_CL(clSetKernelArg(kernel, 2, sizeof c, &c));
    CHECK_CL(clSetKernelArg(kernel, 3, sizeof count, &count));

    for (int run = -1; run < runs; run++) { /* run -1 is the warm-up */
        cl_event event;
        CHECK_CL(clFinish(queue));
        const int64_t host_start_ns = now_ns();
        CHECK_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                        &event));
        CHECK_CL(clFinish(queue)); /* the stamps are there when the command has finished */
        const double host_us = (double)(now_ns() - host_start_ns) / 1e3;
        const struct stamps s = read_stamps(event, host_us);
        if (run < 0)
            continue;
        if (kernel == vector_add) {
            samples_us[ONE_FLOAT][run] = between_us(s.start_ns, s.end_ns);
            continue;
        }
        samples_us[QUEUED_TO_SUBMIT][run] = between_us(s.queued_ns, s.submit_ns);
        samples_us[SUBMIT_TO_START][run] = between_us(s.submit_ns, s.start_ns);
        samples_us[START_TO_END][run] = between_us(s.start_ns, s.end_ns);
        samples_us[END_TO_COMPLETE][run] = between_us(s.end_ns, s.complete_ns);
        samples_us[HOST][run] = host_us;
        step_ns = common_step_ns(step_ns, s.end_ns - s.start_ns);
    }
    check_vector_add(copy_to_host(queue, c, n), n);
    CHECK_CL(clReleaseMemObject(a));
    CHECK_CL(clReleaseMemObject(b));
    CHECK_CL(clReleaseMemObject(c));
}

/* vector_add moves 12 bytes an element: two floats read, one written. A copy of one and a half
 * floats an element reads 6 bytes and writes 6: the same. */
static void measure_copy(size_t n, int runs) {
    const size_t floats = n + (n + 1) / 2;
    const size_t bytes = floats * sizeof(float);
    cl_mem from = buffer_of_floats(queue, floats, input_a);
    cl_mem to = buffer_of_floats(queue, floats, NULL);
    for (int run = -1; run < runs; run++) {
        cl_event event;
        const int64_t host_start_ns = now_ns();
        CHECK_CL(clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, &event));
        CHECK_CL(clFinish(queue));
        const struct stamps s = read_stamps(event, (double)(now_ns() - host_start_ns) / 1e3);
        if (run >= 0)
            samples_us[COPY][run] = between_us(s.start_ns, s.end_ns);
    }
    float *host = copy_to_host(queue, to, floats);
    for (size_t i = 0; i < floats; i++)
        if (host[i] != input_a(i))
            fail(EXIT_FAILED, "the copy is wrong at element %zu", i);
    free(host);
    CHECK_CL(clReleaseMemObject(from));
    CHECK_CL(clReleaseMemObject(to));
}

/* Exits with 1 if no device could be as fast: no compute unit of today moves 512 bytes a clock. */
static void check_bandwidth(double gb_s) {
    cl_uint units, mhz;
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL));
    if (mhz > 0 && gb_s > units * (mhz / 1e3) * 512)
        fail(EXIT_FAILED, "impossible: %.0f GB/s from %u compute units at %u MHz", gb_s, units,
             mhz);
}

/* OpenCL 2.1 can read both clocks at once; 3.0 made it optional, with a resolution of 0 for "no".
 */
static void show_one_time_line(void) {
    cl_platform_id platform;
    cl_ulong host_step_ns = 0, device_ns, host_ns;
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    if (device.version >= 210)
        CHECK_CL(clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof host_step_ns,
                                   &host_step_ns, NULL));
    if (host_step_ns == 0) {
        printf("Host and device clock on one time line: not on this device (it reports no host "
               "timer).\n");
        return;
    }
    CHECK_CL(clGetDeviceAndHostTimer(device.id, &device_ns, &host_ns));
    printf("Host and device clock on one time line: %.6f s by the device is %.6f s by the host.\n",
           (double)device_ns / 1e9, (double)host_ns / 1e9);
}

int main(int argc, char **argv) {
    struct options options =
        default_options("What does the device's own clock say of a command, stage by stage?");
    options.has_device = true;
    options.runs = 31;
    options.sizes = &sizes;
    parse_options(argc, argv, &options);
    const size_t runs = (size_t)options.runs;
    device = choose_opencl_device(options.device);
    for (size_t i = 0; i < sizes.count; i++)
        check_opencl_memory(&device, sizes.values[i], 6.0 * (double)sizes.values[i],
                            12.0 * (double)sizes.values[i]);

    cl_int code;
    size_t claimed_ns;
    context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    CHECK_CL_CODE("clCreateContext", code);
    queue = clCreateCommandQueue(context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK_CL_CODE("clCreateCommandQueue", code);
    cl_program program = build_opencl_program(context, device.id, "opencl_profiling.cl", "");
    vector_add = clCreateKernel(program, "vector_add", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    vector_add_float4 = clCreateKernel(program, "vector_add_float4", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    CHECK_CL(clGetDeviceInfo(device.id, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof claimed_ns,
                             &claimed_ns, NULL));

    if (options.csv)
        printf("device,size,runs,queued_to_submit_us,submit_to_start_us,start_to_end_us,host_us,"
               "bandwidth_gb_s,copy_bandwidth_gb_s,resolution_ns,step_ns,"
               "scalar_bandwidth_gb_s,disturbed\n");
    else
        printf("OpenCL profiling: vector_add, four floats for each work-item, on %s, %s; medians "
               "of %lld runs\n\n"
               "%10s %33s us %9s us %8s %8s %8s\n%10s %11s %12s %11s %12s %8s %8s %8s\n",
               device.name, device.platform, options.runs, "", "four floats each: device", "host",
               "GB/s,", "GB/s,", "GB/s,", "floats", "queued-sub.", "submit-start", "start-end",
               "all of it", "4 each", "1 each", "copy");

    struct summary s[INTERVALS] = {{0}};
    int disturbed_rows = 0;
    for (size_t i = 0; i < sizes.count; i++) {
        const long long n = sizes.values[i];
        measure_vector_add(vector_add, 1, (size_t)n, (int)runs);
        measure_vector_add(vector_add_float4, 4, (size_t)n, (int)runs);
        measure_copy((size_t)n, (int)runs);
        for (int k = 0; k < INTERVALS; k++)
            s[k] = summarize(samples_us[k], runs);
        const double bytes = 12.0 * (double)n;
        const double bandwidth_gb_s = bytes / s[START_TO_END].median / 1e3;
        const long long copied_floats = n + (n + 1) / 2;
        const double copied_bytes = 8.0 * (double)copied_floats;
        const double copy_bandwidth_gb_s = copied_bytes / s[COPY].median / 1e3;
        const double scalar_bandwidth_gb_s = bytes / s[ONE_FLOAT].median / 1e3;
        char step[32] = ""; /* of a few times anything may be the common divisor */
        if (runs * (i + 1) >= 20)
            snprintf(step, sizeof step, "%llu", (unsigned long long)step_ns);
        check_bandwidth(bandwidth_gb_s);
        check_bandwidth(scalar_bandwidth_gb_s);
        check_bandwidth(copy_bandwidth_gb_s);
        const int disturbed = s[START_TO_END].disturbed | s[ONE_FLOAT].disturbed |
                              s[COPY].disturbed | s[HOST].disturbed |
                              overhead_is_disturbed(s[HOST].median - s[START_TO_END].median);
        disturbed_rows += disturbed;
        if (options.csv)
            printf("%s,%lld,%zu,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%zu,%s,%.3f,%d\n", device.name, n,
                   runs, s[QUEUED_TO_SUBMIT].median, s[SUBMIT_TO_START].median,
                   s[START_TO_END].median, s[HOST].median, bandwidth_gb_s, copy_bandwidth_gb_s,
                   claimed_ns, step, scalar_bandwidth_gb_s, disturbed);
        else
            printf("%10lld %11.2f %12.2f %11.2f %12.2f %8.2f %8.2f %8.2f%s\n", n,
                   s[QUEUED_TO_SUBMIT].median, s[SUBMIT_TO_START].median, s[START_TO_END].median,
                   s[HOST].median, bandwidth_gb_s, scalar_bandwidth_gb_s, copy_bandwidth_gb_s,
                   disturbed_word(disturbed));
        flush_stdout();
    }

    if (!options.csv) {
        printf("\nThe last size, in us %31s %10s %10s %10s %10s\n", "min", "median", "mean",
               "std dev", "max");
        for (int k = 0; k < INTERVALS; k++)
            printf("  %-40s %10.2f %10.2f %10.2f %10.2f %10.2f\n", interval_names[k], s[k].min,
                   s[k].median, s[k].mean, s[k].stddev, s[k].max);
        printf("\nThe host waited %.2f us for a command that the device ran in %.2f us.\n",
               s[HOST].median, s[START_TO_END].median);
        if (s[QUEUED_TO_SUBMIT].min < 0 || s[SUBMIT_TO_START].min < 0)
            printf("Out of order: here only START and END are by one and the same clock.\n");
        printf("The device's clock claims steps of %zu ns", claimed_ns);
        if (runs * sizes.count >= 20)
            printf("; the times from START to END are multiples of %llu ns",
                   (unsigned long long)step_ns);
        printf(".\n");
        show_one_time_line();
        printf("%s", disturbed_verdict(disturbed_rows));
        flush_stdout();
    }

    CHECK_CL(clReleaseKernel(vector_add));
    CHECK_CL(clReleaseKernel(vector_add_float4));
    CHECK_CL(clReleaseProgram(program));
    CHECK_CL(clReleaseCommandQueue(queue));
    CHECK_CL(clReleaseContext(context));
    return EXIT_SUCCESS;
}
