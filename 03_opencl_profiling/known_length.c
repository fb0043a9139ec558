/* SPDX-License-Identifier: MIT
 *
 * How far are START to END, and the host's clock with clFinish, from the truth?
 *
 * Measures: a kernel that runs for a known time, by its own clock: an NVIDIA GPU's %globaltimer, or
 *   through PoCL an x86 CPU's time stamp counter. In turns with it an empty kernel: what START to
 *   END says of that, less what that ran, is taken off each time, and net error is the median of
 *   what is left. Where a kernel has no clock, a loop: what START to END says of twice the steps
 *   less what it says of once is the truth.
 * Does not measure: kernels with more than one work-item. Giving out and collecting many comes on
 *   top, and is part of what such a kernel takes.
 *
 * Build: cc -O2 -I../common known_length.c -o known_length -lOpenCL -lm
 * Run:   ./known_length
 * Try:   ./known_length --runs 301; with and without another program on the processor's cores
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "event_time.h"
#include "host_clock.h"
#include "opencl_device.h"
#include "summary.h"

static const unsigned lengths_us[] = {10, 30, 100, 300, 1000, 3000};
enum { LENGTHS = sizeof lengths_us / sizeof lengths_us[0] };

static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_kernel kernel;       /* spin */
static cl_mem ran;
static bool is_loop; /* no clock that a kernel could read */

struct times {
    double truth_us, start_to_end_us, host_us;
};

/* Spins for `steps` of the kernel's clock, `step_ns` each, by three clocks. */
static struct times time_spin(cl_ulong steps, double step_ns) {
    const size_t one = 1;
    cl_event event;
    cl_ulong ran_steps;
    struct times times;
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof steps, &steps));
    CHECK_CL(clFinish(queue));
    const int64_t host_start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, &event));
    CHECK_CL(clFinish(queue));
    times.host_us = (double)(now_ns() - host_start_ns) / 1e3;
    times.start_to_end_us = start_to_end_us(event, times.host_us);
    CHECK_CL(
        clEnqueueReadBuffer(queue, ran, CL_TRUE, 0, sizeof ran_steps, &ran_steps, 0, NULL, NULL));
    times.truth_us = (double)ran_steps * step_ns / 1e3;
    if ((steps > 0 && times.start_to_end_us == 0) || ran_steps < steps)
        fail(EXIT_FAILED,
             "impossible, or too short for this clock: START to END %.3f us, %llu steps of %llu",
             times.start_to_end_us, (unsigned long long)ran_steps, (unsigned long long)steps);
    return times;
}

/* The same right after an empty one, so that all that is timed finds host and device just used:
 * after a long wait even an empty kernel takes longer. */
static struct times time_after_empty(cl_ulong steps, double step_ns) {
    time_spin(0, step_ns);
    return time_spin(steps, step_ns);
}

enum { TRUTH, START_TO_END, HOST, EMPTY, NET_ERROR, FIELDS };

/* Medians of `runs` spins, and of as many empty kernels in turns with them. Returns whether the
 * repetitions disagree. */
static int measure(cl_ulong steps, double step_ns, int runs, double medians_us[FIELDS]) {
    static double samples_us[FIELDS][MAX_RUNS];
    for (int run = -1; run < runs; run++) { /* run -1 is the warm-up */
        const struct times empty = time_after_empty(0, step_ns);
        struct times times = time_after_empty(steps, step_ns);
        if (is_loop)
            times.truth_us =
                time_after_empty(2 * steps, step_ns).start_to_end_us - times.start_to_end_us;
        if (run < 0)
            continue;
        samples_us[TRUTH][run] = times.truth_us;
        samples_us[START_TO_END][run] = times.start_to_end_us;
        samples_us[HOST][run] = times.host_us;
        samples_us[EMPTY][run] = empty.start_to_end_us - empty.truth_us;
        samples_us[NET_ERROR][run] =
            times.start_to_end_us - times.truth_us - samples_us[EMPTY][run];
    }
    int disturbed = 0;
    for (int f = 0; f < FIELDS; f++) {
        const struct summary s = summarize(samples_us[f], (size_t)runs);
        medians_us[f] = s.median;
        disturbed |= f == START_TO_END || f == HOST ? s.disturbed : 0;
    }
    return disturbed | overhead_is_disturbed(medians_us[HOST] - medians_us[TRUTH]);
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
    *words = "a loop twice as long";
    return 0; /* to be measured */
}

int main(int argc, char **argv) {
    double x[LENGTHS], device_us[LENGTHS], host_us[LENGTHS], empty_us[LENGTHS], net_us[LENGTHS];
    const char *build_options, *words;
    int disturbed_rows = 0;
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
    queue = clCreateCommandQueue(context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK_CL_CODE("clCreateCommandQueue", code);
    cl_program program = build_opencl_program(context, device.id, "known_length.cl", build_options);
    kernel = clCreateKernel(program, "spin", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    ran = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof ran, &ran));

    is_loop = step_ns == 0;
    for (cl_ulong steps = 1000; step_ns == 0; steps *= 2) { /* as told, to some percent */
        double us[FIELDS];
        measure(steps, 0, 5, us);
        if (steps > 1ull << 40)
            fail(EXIT_FAILED, "impossible: a loop of %llu steps takes next to no time",
                 (unsigned long long)steps);
        if (us[TRUTH] >= 1000)
            step_ns = us[TRUTH] * 1e3 / (double)steps;
    }

    if (options.csv)
        printf("device,length_us,runs,truth_us,start_to_end_us,host_us,error_us,host_error_us,"
               "empty_us,net_error_us,truth_by,disturbed\n");
    else
        printf("Known lengths: a kernel that spins, on %s, %s; truth by %s, medians of %d runs\n\n"
               "%8s %9s %13s %9s %9s %9s %10s %9s\n",
               device.name, device.platform, words, runs, "told us", "truth us", "START-END us",
               "error us", "empty us", "net error", "host us", "error us");
    for (int i = 0; i < LENGTHS; i++) {
        double us[FIELDS];
        int disturbed = measure((cl_ulong)(lengths_us[i] * 1e3 / step_ns), step_ns, runs, us);
        disturbed |= us[TRUTH] > 1.2 * lengths_us[i] + 20; /* the spin itself was held up */
        disturbed_rows += disturbed;
        x[i] = us[TRUTH];
        device_us[i] = us[START_TO_END];
        host_us[i] = us[HOST];
        empty_us[i] = us[EMPTY];
        net_us[i] = us[NET_ERROR];
        if (options.csv)
            printf("%s,%u,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%s,%d\n", device.name,
                   lengths_us[i], runs, x[i], device_us[i], host_us[i], device_us[i] - x[i],
                   host_us[i] - x[i], empty_us[i], net_us[i], words, disturbed);
        else
            printf("%8u %9.2f %13.2f %+9.2f %9.2f %+9.2f %10.2f %+9.2f%s\n", lengths_us[i], x[i],
                   device_us[i], device_us[i] - x[i], empty_us[i], net_us[i], host_us[i],
                   host_us[i] - x[i], disturbed_word(disturbed));
        flush_stdout();
    }
    const struct line by_device = fit_line(x, device_us, LENGTHS);
    const struct line by_host = fit_line(x, host_us, LENGTHS);
    const struct summary empty = summarize(empty_us, LENGTHS);
    const struct summary net = summarize(net_us, LENGTHS);
    if (!options.csv)
        printf("\nSTART to END is %.4f x the truth %+.2f us, the host's clock %.4f x %+.2f us.\n"
               "Of an empty kernel START to END says %.2f to %.2f us; less that, it errs by %+.2f "
               "to %+.2f us.\n%s%s",
               by_device.slope, by_device.intercept, by_host.slope, by_host.intercept, empty.min,
               empty.max, net.min, net.max,
               is_loop ? "(The truth is START to END's own here, to some percent: what it says of "
                         "the second half\nof a loop.)\n"
                       : "",
               disturbed_verdict(disturbed_rows));
    flush_stdout();

    CHECK_CL(clReleaseMemObject(ran));
    CHECK_CL(clReleaseKernel(kernel));
    CHECK_CL(clReleaseProgram(program));
    CHECK_CL(clReleaseCommandQueue(queue));
    CHECK_CL(clReleaseContext(context));
    return EXIT_SUCCESS;
}
