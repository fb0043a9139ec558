/* SPDX-License-Identifier: MIT
 *
 * How long did my kernel take? The time of its code, the time that the device spends on it, launch
 * and drain included, or what it costs in a row of kernels: which of the three is START to END?
 *
 * Measures: a kernel whose work-groups spin for a known time, and write down when they start and end
 *   by the clock of known_length. code: from the first start to the last end. net: START to END less
 *   that of an empty kernel. row: in the middle of a row of kernels, which the host enqueues while a
 *   long one runs. in_a_row: from a kernel's first start to that of the next, in a row without events.
 * Does not measure: launch and drain, each for itself.
 *
 * Build: cc -O2 -I../common three_times_opencl.c -o three_times_opencl -lOpenCL -lm
 * Run:   ./three_times_opencl
 * Try:   SPIN_US 1, 100 or 1000: which times grow, and which differences stay?
 */
#include "kernel_clock.h"
#include "stamps.h"
#include "summary.h"

enum { SPIN_US = 10, LONG_US = 500, LAUNCHES = 6, MAX_GROUPS = 1 << 15, ROWS = 3 };

static struct opencl cl;
static cl_kernel kernel;                                         /* spin */
static cl_mem on_device;                                         /* the stamps of all launches */
static struct stamp { cl_ulong start, end; } stamps[MAX_GROUPS]; /* of one launch */
static double step_ns;                                           /* of the kernels' clock */
static bool is_loop; /* no clock that a kernel could read */

/* Enqueues launch `number`: `groups` work-groups of one work-item, which spin for `us`. */
static void launch(cl_uint number, size_t groups, double us, cl_event *event) {
    const size_t one = 1;
    const cl_ulong steps = (cl_ulong)(us * 1e3 / step_ns);
    const cl_uint first = number * (cl_uint)groups;
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof steps, &steps));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof first, &first));
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &groups, &one, 0, NULL, event));
}

/* The first start and the last end of launch `number`. */
static struct stamp read_stamps(cl_uint number, size_t groups, double us) {
    CHECK_CL(clEnqueueReadBuffer(cl.queue, on_device, CL_TRUE, number * groups * sizeof *stamps,
                                 groups * sizeof *stamps, stamps, 0, NULL, NULL));
    struct stamp all = stamps[0];
    for (size_t g = 0; g < groups; g++) {
        const cl_ulong start = stamps[g].start, end = stamps[g].end;
        if (start == 0 || (double)(cl_long)(end - start) * step_ns < us * 1e3 - step_ns)
            fail(EXIT_FAILED, "impossible: work-group %zu spins for %g us from %llu to %llu", g, us,
                 (unsigned long long)start, (unsigned long long)end);
        all.start = start < all.start ? start : all.start;
        all.end = end > all.end ? end : all.end;
    }
    return all;
}

static double steps_us(cl_ulong from, cl_ulong to) {
    return is_loop ? NAN : (double)(cl_long)(to - from) * step_ns / 1e3;
}

struct times {
    double code_us, start_to_end_us, start_to_start_us, in_a_row_us, enqueue_us;
};

/* One launch alone, or a row of them behind a long one. Returns the times of the middle one. */
static struct times time_row(cl_uint launches, size_t groups, double us, bool has_events) {
    const cl_uint middle = launches / 2;
    const cl_ulong zero = 0;
    cl_event events[LAUNCHES];
    cl_ulong start_ns[LAUNCHES];
    double device_us[LAUNCHES];
    struct times t = {0};
    CHECK_CL(clEnqueueFillBuffer(cl.queue, on_device, &zero, sizeof zero, 0,
                                 launches * groups * sizeof *stamps, 0, NULL, NULL));
    CHECK_CL(clFinish(cl.queue));
    const int64_t host_start_ns = now_ns();
    for (cl_uint i = 0; i < launches; i++) {
        const bool is_long = i == 0 && launches > 1;
        launch(i, is_long ? 1 : groups, is_long ? LONG_US : us, has_events ? &events[i] : NULL);
    }
    t.enqueue_us = (double)(now_ns() - host_start_ns) / 1e3;
    CHECK_CL(clFinish(cl.queue));
    const double host_us = (double)(now_ns() - host_start_ns) / 1e3;
    for (cl_uint i = 0; i < launches && has_events; i++) {
        start_ns[i] = read_stamp_ns(events[i], CL_PROFILING_COMMAND_START);
        device_us[i] = start_to_end_us(events[i], host_us);
    }
    const struct stamp code = read_stamps(middle, groups, us);
    t.code_us = steps_us(code.start, code.end);
    if (has_events)
        t.start_to_end_us = device_us[middle];
    if ((has_events && t.start_to_end_us == 0) || t.code_us > 1.01 * host_us + 10)
        fail(EXIT_FAILED,
             "impossible, or too short for this clock: START to END %.3f, code %.3f us",
             t.start_to_end_us, t.code_us);
    if (launches > 1 && has_events)
        t.start_to_start_us = between_us(start_ns[middle], start_ns[middle + 1]);
    if (launches > 1)
        t.in_a_row_us = steps_us(code.start, read_stamps(middle + 1, groups, us).start);
    return t;
}

/* Those without a width are for the CSV: differences. gap is from END to the next START. */
enum { CODE, ALONE, NET, ROW, PERIOD, IN_A_ROW, EMPTY, MORE, ROW_MORE, COST, GAP, TIMES };
static const char *const names[TIMES] = {
    "code",     "start_to_end", "net",  "row_start_to_end", "row_start_to_start",
    "in_a_row", "empty",        "more", "row_more",         "cost",
    "gap"};
static const int widths[TIMES] = {10, 17, 9, 21, 23, 13};

int main(int argc, char **argv) {
    static double samples_us[TIMES][MAX_RUNS], enqueue_us[MAX_RUNS];
    double medians_us[TIMES][ROWS];
    struct summary s[TIMES];
    cl_uint units;
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "Which of a kernel's three times is START to END?");
    cl = open_opencl();
    const size_t runs = (size_t)options.runs;
    const struct kernel_clock clock = find_kernel_clock(cl);
    is_loop = clock.unit_ns == 0;
    step_ns = is_loop ? 1 : clock.unit_ns;
    const char *by = is_loop ? "no clock" : clock.name, *flags = is_loop ? "" : clock.flags;
    const cl_program program = build_program(cl, "three_times_opencl.cl", flags);
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    const size_t many = units < MAX_GROUPS / 64 ? 64 * units : MAX_GROUPS;
    const size_t groups[ROWS] = {1, units, many}, bytes = LAUNCHES * many * sizeof *stamps;
    MAKE_CL(kernel = clCreateKernel(program, "spin", &made));
    MAKE_CL(on_device = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &made));
    CHECK_CL(clSetKernelArg(kernel, 2, sizeof on_device, &on_device));

    say("Three times: work-groups that spin for %d %s, on %s, %s\n"
        "code and in_a_row by %s, the others by START and END; medians of %zu runs\n\n",
        is_loop ? SPIN_US * 1000 : SPIN_US, is_loop ? "steps" : "us", cl.name, cl.platform, by,
        runs);
    for (int i = 0; i < ROWS; i++) {
        time_row(LAUNCHES, groups[i], SPIN_US, true); /* the warm-up */
        for (size_t run = 0; run < runs; run++) {     /* in turns */
            const struct times empty = time_row(1, 1, 0, true),
                               alone = time_row(1, groups[i], SPIN_US, true),
                               row = time_row(LAUNCHES, groups[i], SPIN_US, true),
                               bare = time_row(LAUNCHES, groups[i], SPIN_US, false);
            const double us[TIMES] = {alone.code_us,
                                      alone.start_to_end_us,
                                      alone.start_to_end_us - empty.start_to_end_us,
                                      row.start_to_end_us,
                                      row.start_to_start_us,
                                      bare.in_a_row_us,
                                      empty.start_to_end_us,
                                      alone.start_to_end_us - alone.code_us,
                                      row.start_to_end_us - row.code_us,
                                      bare.in_a_row_us - bare.code_us,
                                      row.start_to_start_us - row.start_to_end_us};
            for (int t = 0; t < TIMES; t++)
                samples_us[t][run] = us[t];
            enqueue_us[run] = bare.enqueue_us;
        }
        begin_row(cl.name);
        cell("groups", 6, "%zu", groups[i]);
        for (int t = 0; t < TIMES; t++) {
            s[t] = summarize(samples_us[t], runs);
            medians_us[t][i] = s[t].median;
            number(names[t], "us", widths[t], 2, s[t].median);
        }
        cell("clock", 0, "%s", by);
        end_row_disturbed(s[ALONE].disturbed || s[IN_A_ROW].disturbed ||
                          median(enqueue_us, runs) > LONG_US);
    }
    end_table();

    for (int t = 0; t < TIMES; t++)
        s[t] = summarize(medians_us[t], ROWS);
    if (is_loop)
        say("No kernel can read a clock here: the time of the code is not known. START to END of "
            "an\n"
            "empty kernel is %.2f us. In a row the next START is %.2f to %.2f us after END.\n",
            s[EMPTY].median, s[GAP].min, s[GAP].max);
    else
        say("START to END is the time of the code %+.2f to %+.2f us, in a row %+.2f to %+.2f us.\n"
            "In a row a kernel costs the time of its code %+.2f to %+.2f us.\n"
            "So of the three times START to END is closest to %s.\n",
            s[MORE].min, s[MORE].max, s[ROW_MORE].min, s[ROW_MORE].max, s[COST].min, s[COST].max,
            s[MORE].median < s[COST].median / 2
                ? "the time of the code: most\nof what a kernel costs besides is outside"
            : s[MORE].median > 1.5 * s[COST].median
                ? "the device's, launch and\ndrain included. A kernel in a row costs less"
                : "the device's, launch and\ndrain included. A kernel in a row costs about as "
                  "much");
    return EXIT_SUCCESS;
}
