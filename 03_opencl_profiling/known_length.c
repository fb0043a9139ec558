/* SPDX-License-Identifier: MIT
 *
 * How far are START to END, and the host's clock with clFinish, from the truth?
 *
 * Measures: a kernel that runs for a known time, by its own clock: an NVIDIA GPU's %globaltimer, or
 *   through PoCL an x86 CPU's time stamp counter. Where a kernel has no clock, a loop: twice the
 *   steps take twice the time, and the difference of two long loops sets the scale. Then what is
 *   left of the error when the same kernel, asked for no length at all, is timed and taken off.
 * Does not measure: kernels with more than one work-item. What surrounds a kernel is the same.
 *
 * Build: cc -O2 -I../common known_length.c -o known_length -lOpenCL -lm
 * Run:   ./known_length
 * Try:   ./known_length --runs 301; with and without another program on the processor's cores
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "host_clock.h"
#include "opencl_device.h"
#include "summary.h"

static const unsigned lengths_us[] = {0, 10, 30, 100, 300, 1000, 3000}; /* 0: the empty kernel */
enum { LENGTHS = sizeof lengths_us / sizeof lengths_us[0] };

static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_kernel kernel;       /* spin */
static cl_mem ran;

enum { TRUTH, START_TO_END, HOST, CLOCKS };
static double samples_us[CLOCKS][MAX_RUNS];

/* Spins for `steps` of the kernel's clock, `step_ns` each, `runs` times, by three clocks. */
static void measure(cl_ulong steps, double step_ns, int runs) {
    const size_t one = 1;
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof steps, &steps));
    for (int run = -1; run < runs; run++) { /* run -1 is the warm-up */
        cl_event event;
        cl_ulong start_ns, end_ns, ran_steps;
        CHECK_CL(clFinish(queue));
        const int64_t host_start_ns = now_ns();
        CHECK_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &event));
        CHECK_CL(clFinish(queue));
        const int64_t host_end_ns = now_ns();
        CHECK_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns,
                                         &start_ns, NULL));
        CHECK_CL(
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL));
        CHECK_CL(clReleaseEvent(event));
        CHECK_CL(clEnqueueReadBuffer(queue, ran, CL_TRUE, 0, sizeof ran_steps, &ran_steps, 0, NULL,
                                     NULL));
        if (end_ns < start_ns + (steps > 0) || ran_steps < steps)
            fail(EXIT_FAILED,
                 "impossible, or too short for this clock: START %llu ns, END %llu ns, %llu steps "
                 "of %llu",
                 (unsigned long long)start_ns, (unsigned long long)end_ns,
                 (unsigned long long)ran_steps, (unsigned long long)steps);
        if (run < 0)
            continue;
        samples_us[TRUTH][run] = (double)ran_steps * step_ns / 1e3;
        samples_us[START_TO_END][run] = (double)(end_ns - start_ns) / 1e3;
        samples_us[HOST][run] = (double)(host_end_ns - host_start_ns) / 1e3;
    }
}

/* Nanoseconds of one step of what the kernel counts in; sets the compiler option that chooses it.
 */
static double choose_clock(const struct opencl_device *device, const char **build_options,
                           const char **words) {
    static char extensions[16384];
    CHECK_CL(
        clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (strstr(extensions, "cl_nv_")) {
        *build_options = "-DCLOCK_PTX";
        *words = "%globaltimer";
        return 1;
    }
    if (device->type & CL_DEVICE_TYPE_CPU && strstr(device->platform, "Portable Computing") &&
        tsc_step_ns() > 0) { /* PoCL's compiler knows the counter */
        *build_options = "-DCLOCK_TSC";
        *words = "the time stamp counter";
        return tsc_step_ns();
    }
    *build_options = "";
    *words = "the steps of a loop";
    return 0; /* to be measured */
}

int main(int argc, char **argv) {
    double x[LENGTHS], device_us[LENGTHS], host_us[LENGTHS];
    const char *build_options, *words;
    struct options options =
        default_options("How far are START to END, and the host's clock, from the truth?");
    options.has_device = true;
    options.runs = 31;
    parse_options(argc, argv, &options);
    const int runs = (int)options.runs;
    const struct opencl_device device = choose_opencl_device(options.device);
    double step_ns = choose_clock(&device, &build_options, &words);

    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    CHECK_CL_CODE("clCreateContext", code);
    queue = create_queue(context, &device, CL_QUEUE_PROFILING_ENABLE);
    cl_program program = build_opencl_program(context, device.id, "known_length.cl", build_options);
    kernel = clCreateKernel(program, "spin", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    ran = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof ran, &ran));

    const bool is_loop = step_ns == 0;
    for (cl_ulong steps = 1000; step_ns == 0; steps *= 2) {
        measure(steps, 1, 31);
        const double once_us = median(samples_us[START_TO_END], 31);
        measure(2 * steps, 1, 31);
        const double twice_us = median(samples_us[START_TO_END], 31);
        if (steps > 1ull << 40)
            fail(EXIT_FAILED, "impossible: a loop of %llu steps takes next to no time",
                 (unsigned long long)steps);
        if (twice_us - once_us >= lengths_us[LENGTHS - 1] / 2.0) /* what surrounds both is gone */
            step_ns = (twice_us - once_us) * 1e3 / (double)steps;
    }

    if (options.csv)
        printf("device,length_us,runs,truth_us,start_to_end_us,host_us,error_us,host_error_us,"
               "net_error_us,host_net_error_us\n");
    else
        printf("Known lengths: a kernel that spins, on %s, %s; truth by %s, medians of %d runs\n"
               "net: less what the same kernel takes when it is asked for no length\n\n"
               "%8s %10s %14s %9s %9s %11s %9s %9s\n",
               device.name, device.platform, words, runs, "told us", "truth us", "START-END us",
               "error us", "net error", "host us", "error us", "net error");
    for (int i = 0; i < LENGTHS; i++) {
        measure((cl_ulong)(lengths_us[i] * 1e3 / step_ns), step_ns, runs);
        x[i] = median(samples_us[TRUTH], (size_t)runs);
        device_us[i] = median(samples_us[START_TO_END], (size_t)runs);
        host_us[i] = median(samples_us[HOST], (size_t)runs);
        const double error_us = device_us[i] - x[i], host_error_us = host_us[i] - x[i];
        const double net_error_us = error_us - (device_us[0] - x[0]);
        const double host_net_error_us = host_error_us - (host_us[0] - x[0]);
        if (options.csv)
            printf("%s,%u,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", device.name, lengths_us[i],
                   runs, x[i], device_us[i], host_us[i], error_us, host_error_us, net_error_us,
                   host_net_error_us);
        else
            printf("%8u %10.2f %14.2f %+9.2f %+9.2f %11.2f %+9.2f %+9.2f\n", lengths_us[i], x[i],
                   device_us[i], error_us, net_error_us, host_us[i], host_error_us,
                   host_net_error_us);
        flush_stdout();
    }
    const struct line by_device = fit_line(x + 1, device_us + 1, LENGTHS - 1);
    const struct line by_host = fit_line(x + 1, host_us + 1, LENGTHS - 1);
    if (!options.csv)
        printf("\nFrom %u us on START to END is %.4f x the truth %+.2f us, the host's clock %.4f x "
               "%+.2f us.\nThe constants are what each includes besides; the empty kernel shows "
               "them: %.2f us, %.2f us.\n%s",
               lengths_us[1], by_device.slope, by_device.intercept, by_host.slope,
               by_host.intercept, device_us[0] - x[0], host_us[0] - x[0],
               is_loop ? "(The truth's scale is START to END's own: no slope here proves it.)\n"
                       : "");
    flush_stdout();

    CHECK_CL(clReleaseMemObject(ran));
    CHECK_CL(clReleaseKernel(kernel));
    CHECK_CL(clReleaseProgram(program));
    CHECK_CL(clReleaseCommandQueue(queue));
    CHECK_CL(clReleaseContext(context));
    return EXIT_SUCCESS;
}
