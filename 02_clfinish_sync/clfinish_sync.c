/* SPDX-License-Identifier: MIT
 *
 * Where must clFinish stand when the host's clock times a kernel?
 *
 * Measures: the host clock around clEnqueueNDRangeKernel with no clFinish, with one after, with one
 *   before and one after; beside them, the device's own time for the same runs.
 * Does not measure: where the difference between host and device time goes (chapter 03).
 *
 * Build: cc -O2 -I../common clfinish_sync.c -o clfinish_sync -lOpenCL -lm
 * Run:   ./clfinish_sync
 * Try:   ./clfinish_sync --size 1024        the overhead is now most of what the host sees
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "event_time.h"
#include "host_clock.h"
#include "opencl_device.h"
#include "summary.h"
#include "vector_data.h"

static cl_command_queue queue;
static cl_kernel kernel; /* vector_add */
static size_t global_size, local_size = 256;

static void enqueue_earlier_command(void) {
    CHECK_CL(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL, NULL));
}

/* ---- The methods: each returns microseconds. Each finds one earlier vector_add in the queue, which
 * its caller never meant to time ---- */

/* Wrong: the enqueue call returns when the command is in the queue, not when it has run. */
static double time_no_finish(void) {
    enqueue_earlier_command();
    const int64_t start_ns = now_ns();
    CHECK_CL(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL, NULL));
    const int64_t end_ns = now_ns();
    CHECK_CL(clFinish(queue)); /* too late to count: only so that the next run starts clean */
    return (double)(end_ns - start_ns) / 1e3;
}

/* Wrong when anything else is in the queue: clFinish waits for that too. */
static double time_finish_after(void) {
    enqueue_earlier_command();
    const int64_t start_ns = now_ns();
    CHECK_CL(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL, NULL));
    CHECK_CL(clFinish(queue));
    const int64_t end_ns = now_ns();
    return (double)(end_ns - start_ns) / 1e3;
}

/* Right: the first clFinish empties the queue, the second waits for the kernel. Stores what the
 * device's clock says of the same run in *event_us. */
static double time_finish_before_and_after(double *event_us) {
    cl_event event;
    enqueue_earlier_command();
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL, &event));
    CHECK_CL(clFinish(queue));
    const int64_t end_ns = now_ns();
    const double host_us = (double)(end_ns - start_ns) / 1e3;
    *event_us = start_to_end_us(event, host_us);
    if (*event_us == 0)
        fail(EXIT_FAILED, "too short for the device's clock: START and END are the same");
    return host_us;
}

/* ---- One row of the report ---- */

/* `held_up`: whether the row is known to be disturbed, besides what its samples say. */
static struct summary report(const struct options *options, const struct opencl_device *device,
                             const char *method, const char *whose, double *samples_us,
                             int held_up) {
    struct summary s = summarize(samples_us, (size_t)options->runs);
    s.disturbed |= held_up;
    if (options->csv)
        printf("%s,%s,%lld,%lld,%.3f,%.3f,%.3f,%.3f,%d\n", device->name, method, options->size,
               options->runs, s.min, s.median, s.mean, s.max, s.disturbed);
    else
        printf("%-24s %-12s %12.2f %12.2f %12.2f %12.2f%s\n", method, whose, s.min, s.median,
               s.mean, s.max, disturbed_word(s.disturbed));
    flush_stdout();
    return s;
}

int main(int argc, char **argv) {
    static double none_us[MAX_RUNS], after_us[MAX_RUNS], both_us[MAX_RUNS], event_us[MAX_RUNS];
    struct options options =
        default_options("Where must clFinish stand when the host's clock times a kernel?");
    options.has_device = true;
    options.runs = 31;
    options.size = 1 << 24;
    parse_options(argc, argv, &options);

    const struct opencl_device device = choose_opencl_device(options.device);
    const size_t n = (size_t)options.size;
    const double bytes = (double)n * sizeof(float);
    check_opencl_memory(&device, options.size, bytes, 3 * bytes);

    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    CHECK_CL_CODE("clCreateContext", code);
    queue = clCreateCommandQueue(context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK_CL_CODE("clCreateCommandQueue", code);
    cl_program program = build_opencl_program(context, device.id, "clfinish_sync.cl", "");
    kernel = clCreateKernel(program, "vector_add", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    global_size = (n + local_size - 1) / local_size * local_size;

    cl_mem a = buffer_of_floats(queue, n, input_a);
    cl_mem b = buffer_of_floats(queue, n, input_b);
    cl_mem c = buffer_of_floats(queue, n, NULL);
    const cl_ulong count = n;
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof a, &a));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof b, &b));
    CHECK_CL(clSetKernelArg(kernel, 2, sizeof c, &c));
    CHECK_CL(clSetKernelArg(kernel, 3, sizeof count, &count));

    /* One run to check the result; it is also the warm-up, which chapter 06 is about. */
    time_no_finish();
    check_vector_add(copy_to_host(queue, c, n), n);

    if (options.csv)
        printf("device,method,size,runs,min_us,median_us,mean_us,max_us,disturbed\n");
    else
        printf("clFinish: vector_add of %lld floats on %s, %s; %lld runs\n\n"
               "%-24s %-12s %12s %12s %12s %12s\n",
               options.size, device.name, device.platform, options.runs, "method", "whose clock",
               "min us", "median us", "mean us", "max us");

    for (int run = 0; run < (int)options.runs; run++) { /* in turns: each meets the same machine */
        none_us[run] = time_no_finish();
        after_us[run] = time_finish_after();
        both_us[run] = time_finish_before_and_after(&event_us[run]);
    }
    const size_t runs = (size_t)options.runs;
    const int held_up = overhead_is_disturbed(median(both_us, runs) - median(event_us, runs));
    const struct summary none = report(&options, &device, "no_finish", "host", none_us, held_up);
    const struct summary after =
        report(&options, &device, "finish_after", "host", after_us, held_up);
    const struct summary both =
        report(&options, &device, "finish_before_and_after", "host", both_us, held_up);
    const struct summary event =
        report(&options, &device, "profiling_event", "device", event_us, held_up);

    if (!options.csv)
        printf(
            "\nWith no clFinish the host saw %.2f us: %s.\n"
            "With one after only, %.2f us: %s.\n"
            "With both, %.2f us: the kernel's %.2f us, and %.2f us of submitting and waiting.\n%s",
            none.median,
            none.median < 0.5 * both.median
                ? "the enqueue call, whatever the kernel takes"
                : "the enqueue call; it took as long as the kernel, or had to wait for a core",
            after.median,
            after.median > 1.2 * both.median ? "the earlier command was in it"
                                             : "the earlier command had little left to do",
            both.median, event.median, both.median - event.median,
            disturbed_verdict(none.disturbed + after.disturbed + both.disturbed + event.disturbed));
    flush_stdout();

    CHECK_CL(clReleaseMemObject(a));
    CHECK_CL(clReleaseMemObject(b));
    CHECK_CL(clReleaseMemObject(c));
    CHECK_CL(clReleaseKernel(kernel));
    CHECK_CL(clReleaseProgram(program));
    CHECK_CL(clReleaseCommandQueue(queue));
    CHECK_CL(clReleaseContext(context));
    return EXIT_SUCCESS;
}
