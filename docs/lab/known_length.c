/* SPDX-License-Identifier: MIT
 *
 * How far are START to END, and the host's clock with clFinish, from the truth?
 *
 * Measures: a kernel that runs for a known time by its own clock: an NVIDIA GPU's %globaltimer,
 *   or through PoCL an x86 CPU's time stamp counter. In turns with it an empty kernel, whose
 *   extra time is taken off each time: extra_minus_empty is the median of what is left. Where
 *   kernels have no such clock, a loop: its code is START to END of twice the steps minus START
 *   to END of once the steps.
 * Does not measure: kernels with more than one work-item. To give out and collect many takes
 *   longer, and is part of such a kernel's time.
 *
 * Build: cc -O2 -I../../common known_length.c -o known_length -lOpenCL -lm
 * Run:   ./known_length
 * Try:   ./known_length --runs 301; with and without another program on the processor's cores
 */
#include "../../03_opencl_profiling/stamps.h"
#include "../../04_cuda_events/fit_line.h"
#include "../../05_block_clock/kernel_clock.h"
#include "summary.h"

enum { LENGTHS = 6 };
static const unsigned lengths_us[LENGTHS] = {10, 30, 100, 300, 1000, 3000};

static cl_kernel kernel;     /* spin */
static cl_mem stamps;        /* of its one work-group */
static double clock_step_ns; /* of the clock that the kernel reads, or of its loop */
static bool is_loop;         /* kernels have no such clock */

struct times {
    double code_us, start_to_end_us, host_us;
};

/* Builds the kernel with the clock that this device has, and returns its name. Without a clock the
 * kernel counts the rounds of a loop. */
static const char *open_spin(void) {
    const struct kernel_clock clock = find_kernel_clock();
    is_loop = !(clock.tick_ns > 0); /* an extension's clock may count in anything */
    const cl_program program = build_program("spin.cl", is_loop ? "" : clock.flags);
    MAKE_CL(kernel = clCreateKernel(program, "spin", &cl_error));
    MAKE_CL(stamps = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 2 * sizeof(cl_ulong), NULL,
                                    &cl_error));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof stamps, &stamps));
    clock_step_ns = clock.tick_ns;
    return is_loop ? "a loop twice as long" : clock.name;
}

/* One spin of `steps`, by three clocks. */
static struct times time_spin(cl_ulong steps) {
    const size_t one = 1;
    cl_event event;
    cl_ulong code[2]; /* start and end */
    struct times t;
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof steps, &steps));
    CHECK_CL(clFinish(cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &one, &one, 0, NULL, &event));
    CHECK_CL(clFinish(cl.queue));
    t.host_us = (double)(now_ns() - start_ns) / 1e3;
    t.start_to_end_us = take_start_to_end_us(event, t.host_us);
    CHECK_CL(clEnqueueReadBuffer(cl.queue, stamps, CL_TRUE, 0, sizeof code, code, 0, NULL, NULL));
    const cl_long ran_steps = (cl_long)(code[1] - code[0]);
    t.code_us = (double)ran_steps * clock_step_ns / 1e3;
    if ((steps > 0 && t.start_to_end_us == 0) || ran_steps < (cl_long)steps ||
        (!is_loop && t.code_us > 1.01 * t.host_us + 10))
        fail(
            EXIT_FAILED,
            "impossible, or too short for this clock: %lld steps of %llu ran, START to END %.3f us",
            (long long)ran_steps, (unsigned long long)steps, t.start_to_end_us);
    return t;
}

/* The same right after an empty one, so that all that is timed finds host and device just used:
 * after a long wait even an empty kernel takes longer. */
static struct times time_after_empty(cl_ulong steps) {
    time_spin(0);
    return time_spin(steps);
}

/* START to END of the second half of a loop. Launch and end are in both halves, and cancel. */
static double second_half_us(cl_ulong steps, double first_half_us) {
    return time_after_empty(2 * steps).start_to_end_us - first_half_us;
}

/* A loop's step, to some percent: the steps are doubled until they take a millisecond. */
static double find_loop_step_ns(void) {
    double us[5];
    for (cl_ulong steps = 1000; steps < 1ull << 40; steps *= 2) {
        for (int run = 0; run < 5; run++)
            us[run] = second_half_us(steps, time_after_empty(steps).start_to_end_us);
        if (median(us, 5) >= 1000)
            return median(us, 5) * 1e3 / (double)steps;
    }
    fail(EXIT_FAILED, "impossible: a loop of 2^40 steps takes next to no time");
}

int main(int argc, char **argv) {
    static double code_us[MAX_RUNS], device_us[MAX_RUNS], host_us[MAX_RUNS], empty_us[MAX_RUNS],
        extra_us[MAX_RUNS];
    double codes_us[LENGTHS], by_device[LENGTHS], empties[LENGTHS], extras[LENGTHS],
        host_extras[LENGTHS];
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv,
                  "How much longer than the code are START to END and the host's clock?");
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    const size_t runs = (size_t)options.runs;
    const char *code_by = open_spin();
    if (is_loop)
        clock_step_ns = find_loop_step_ns();

    begin_table("Known lengths: a kernel that spins, on %s, %s\n"
                "code by %s; extra: start_to_end minus code; medians of %zu runs\n\n",
                cl.name, cl.platform, code_by, runs);
    describe("code_by", "%s", code_by);
    for (int i = 0; i < LENGTHS; i++) {
        const cl_ulong steps = (cl_ulong)(lengths_us[i] * 1e3 / clock_step_ns);
        time_after_empty(steps);                  /* the warm-up */
        for (size_t run = 0; run < runs; run++) { /* in turns */
            const struct times empty = time_after_empty(0), spin = time_after_empty(steps);
            code_us[run] = is_loop ? second_half_us(steps, spin.start_to_end_us) : spin.code_us;
            device_us[run] = spin.start_to_end_us;
            host_us[run] = spin.host_us;
            empty_us[run] = empty.start_to_end_us - empty.code_us;
            extra_us[run] = device_us[run] - code_us[run] - empty_us[run];
        }
        const struct summary code = summarize_us(code_us, runs),
                             device = summarize_us(device_us, runs),
                             empty = summarize_us(empty_us, runs),
                             host = summarize_us(host_us, runs);
        codes_us[i] = code.median;
        by_device[i] = device.median;
        host_extras[i] = host.median - codes_us[i];
        empties[i] = empty.median;
        extras[i] = median(extra_us, runs);
        extras[i] = fabs(extras[i]) < 0.005 ? 0 : extras[i]; /* else the words have -0.00 */
        number("length", "us", 0, lengths_us[i]);
        number("code", "us", 2, codes_us[i]);
        number("start_to_end", "us", 2, by_device[i]);
        number("extra", "us", 2, by_device[i] - codes_us[i]);
        number("empty", "us", 2, empties[i]);
        number("extra_minus_empty", "us", 2, extras[i]);
        number("host", "us", 2, host.median);
        number("host_extra", "us", 2, host_extras[i]);
        end_row(code.disturbed || device.disturbed || empty.disturbed || host.disturbed ||
                is_delayed(host_extras[i]) ||
                codes_us[i] > 1.2 * lengths_us[i] + 20 /* the spin itself was held up */);
    }
    end_table();

    const struct line device = fit_line(codes_us, by_device, LENGTHS);
    const struct summary empty = summarize_us(empties, LENGTHS),
                         extra = summarize_us(extras, LENGTHS),
                         host_extra = summarize_us(host_extras, LENGTHS);
    value("slope", "", device.slope);
    value("intercept", "us", device.intercept);
    say("A line through the rows: START to END is %.4f x the code %+.2f us. The host's clock\n"
        "says %+.2f to %+.2f us more than the code.\n",
        device.slope, device.intercept, host_extra.min, host_extra.max);
    say("For an empty kernel START to END is %.2f to %.2f us more than its code. Minus that,\n"
        "run by run, extra is %+.2f to %+.2f us.\n",
        empty.min, empty.max, extra.min, extra.max);
    if (is_loop)
        say("Here kernels have no clock that all work-groups share. The code is START to END of\n"
            "the second half of a loop, good to some percent.\n");
    return EXIT_SUCCESS;
}
