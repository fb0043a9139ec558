/* SPDX-License-Identifier: MIT
 *
 * How long did my kernel take? The time of its code, the time that the device spends on it, launch
 * and drain included, or what it costs in a row of kernels: which of the three is START to END?
 *
 * Measures: a kernel whose work-groups spin for a known time, and note when they start and
 *   end: alone; minus an empty kernel; in the middle of a row of kernels, which the host
 *   enqueues while a long one runs (row); in a row without events, from its first start to
 *   that of the next (in_a_row).
 * Does not measure: launch and drain, each for itself.
 *
 * Build: cc -O2 -I../../common three_times_opencl.c -o three_times_opencl -lOpenCL -lm
 * Run:   ./three_times_opencl
 * Try:   SPIN_US 1, 100 or 1000: which times grow, and which differences stay?
 */
#include "../../03_opencl_profiling/stamps.h"
#include "clock.h"
#include "group_times.h"
#include "summary.h"

enum { SPIN_US = 10, LONG_US = 500, LAUNCHES = 6, ROWS = 3 };

static cl_kernel kernel; /* spin */
static cl_mem stamps;    /* of all launches */

/* more and row_more: START to END minus code. pause: from the end of the code to the next start. */
enum { CODE, ALONE, NET, ROW, PERIOD, IN_A_ROW, EMPTY, MORE, ROW_MORE, GAP, PAUSE, ENQUEUE, TIMES };
static const char *const names[] = {
    "code", "start_to_end", "minus_empty", "row_start_to_end", "row_start_to_start", "in_a_row"};

/* Enqueues launch `number`: `groups` work-groups of one work-item, which spin for `us`. */
static void launch(cl_uint number, size_t groups, double us, cl_event *event) {
    const size_t one = 1;
    const cl_ulong steps = steps_in(us);
    const cl_uint first = number * (cl_uint)groups;
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof steps, &steps));
    CHECK_CL(clSetKernelArg(kernel, 1, sizeof first, &first));
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &groups, &one, 0, NULL, event));
}

/* One launch, alone. Returns START to END. */
static double time_alone(size_t groups, double us, double *code_us) {
    cl_event event;
    clear_groups(stamps, groups);
    const int64_t host_start_ns = now_ns();
    launch(0, groups, us, &event);
    CHECK_CL(clFinish(cl.queue));
    const double device_us = take_start_to_end_us(event, (double)(now_ns() - host_start_ns) / 1e3);
    const struct group_time code = first_and_last(stamps, 0, groups, us);
    *code_us = steps_us(code.start, code.end);
    if ((us > 0 && device_us == 0) || *code_us > 1.01 * device_us + 10)
        fail(EXIT_FAILED, "impossible, or too short: START to END %.3f us, code %llu steps",
             device_us, (unsigned long long)(code.end - code.start));
    return device_us;
}

/* A long kernel, and a row behind it: the host enqueues all of it before the long one ends.
 * Returns how long that takes the host. */
static double time_row(size_t groups, bool has_events, double us[TIMES]) {
    enum { MIDDLE = LAUNCHES / 2, NEXT };
    cl_event events[LAUNCHES];
    double device_us[LAUNCHES];
    clear_groups(stamps, LAUNCHES * groups);
    const int64_t host_start_ns = now_ns();
    for (cl_uint i = 0; i < LAUNCHES; i++)
        launch(i, i == 0 ? 1 : groups, i == 0 ? LONG_US : SPIN_US, has_events ? &events[i] : NULL);
    const double enqueue_us = (double)(now_ns() - host_start_ns) / 1e3;
    CHECK_CL(clFinish(cl.queue));
    const double host_us = (double)(now_ns() - host_start_ns) / 1e3;
    const struct group_time code = first_and_last(stamps, MIDDLE * groups, groups, SPIN_US),
                            next = first_and_last(stamps, NEXT * groups, groups, SPIN_US);
    us[IN_A_ROW] = steps_us(code.start, next.start);
    us[PAUSE] = steps_us(code.end, next.start);
    if (fabs(us[PAUSE]) > host_us) /* their row took no longer; never so of NAN */
        fail(EXIT_FAILED, "impossible: %g us between two kernels, in %g us of the host's",
             us[PAUSE], host_us);
    if (!has_events)
        return enqueue_us;
    us[PERIOD] = between_us(read_stamp_ns(events[MIDDLE], CL_PROFILING_COMMAND_START),
                            read_stamp_ns(events[NEXT], CL_PROFILING_COMMAND_START));
    for (int i = 0; i < LAUNCHES; i++)
        device_us[i] = take_start_to_end_us(events[i], host_us);
    us[ROW] = device_us[MIDDLE];
    us[ROW_MORE] = us[ROW] - steps_us(code.start, code.end);
    us[GAP] = us[PERIOD] - us[ROW];
    return enqueue_us;
}

/* The row without events comes last: its pause and in_a_row count. */
static void time_all(size_t groups, double us[TIMES]) {
    us[EMPTY] = time_alone(1, 0, &us[CODE]);
    us[ALONE] = time_alone(groups, SPIN_US, &us[CODE]);
    us[NET] = us[ALONE] - us[EMPTY];
    us[MORE] = us[ALONE] - us[CODE];
    const double with_events_us = time_row(groups, true, us);
    us[ENQUEUE] = fmax(with_events_us, time_row(groups, false, us));
}

int main(int argc, char **argv) {
    static double samples_us[TIMES][MAX_RUNS];
    double us[TIMES], quiet_us[TIMES][ROWS];
    struct summary s[TIMES];
    size_t quiet = 0; /* rows that are not disturbed: the words below are about these */
    cl_uint units;
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "Which of a kernel's three times is START to END?");
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    const size_t runs = (size_t)options.runs,
                 many = units < MAX_GROUPS / 64 ? 64 * units : MAX_GROUPS,
                 groups[ROWS] = {1, units, many};
    const struct kernel_clock clock = open_spin("spin.cl", LAUNCHES * many, &kernel, &stamps);
    const bool is_loop = isnan(clock_step_ns);
    const char *by = is_loop ? "no clock" : clock.name;
    begin_table("A kernel's three times: work-groups that spin for %d%s on %s, %s\n"
                "code, in_a_row: by %s; the others: by START and END; medians of %zu runs\n\n",
                SPIN_US, is_loop ? "000 steps" : " us", cl.name, cl.platform, by, runs);
    describe("code_by", "%s", by);
    for (int i = 0; i < ROWS; i++) {
        for (size_t run = 0; run <= runs; run++) { /* the last overwrites the warm-up */
            time_all(groups[i], us);
            for (int t = 0; t < TIMES; t++)
                samples_us[t][run % runs] = us[t];
        }
        bool disturbed = false;
        cell("groups", "%zu", groups[i]);
        for (int t = 0; t < TIMES; t++) {
            s[t] = summarize_us(samples_us[t], runs);
            quiet_us[t][quiet] = s[t].median;
            if (t <= IN_A_ROW)
                number(names[t], "us", 2, s[t].median);
            disturbed |= t <= IN_A_ROW ? s[t].disturbed : t == ENQUEUE && s[t].median > LONG_US;
        }
        quiet += !disturbed; /* or the next row takes its place */
        end_row(disturbed);
    }
    end_table();
    for (int t = 0; t < TIMES && quiet > 0; t++)
        s[t] = summarize_us(quiet_us[t], quiet);
    if (quiet == 0) {
        say("Each row is disturbed: this run does not say which of the three START to END is.\n");
    } else if (is_loop) {
        value("empty", "us", s[EMPTY].median);
        value("least_gap", "us", s[GAP].min);
        value("greatest_gap", "us", s[GAP].max);
        say("Here no clock says how long the code runs. START to END of an empty kernel is\n"
            "%.2f us. In a row the next START is %.2f to %.2f us after END.\n",
            s[EMPTY].median, s[GAP].min, s[GAP].max);
    } else {
        value("least_more", "us", s[MORE].min);
        value("greatest_more", "us", s[MORE].max);
        value("least_row_more", "us", s[ROW_MORE].min);
        value("greatest_row_more", "us", s[ROW_MORE].max);
        value("least_pause", "us", s[PAUSE].min);
        value("greatest_pause", "us", s[PAUSE].max);
        const double more = s[MORE].median, pause = s[PAUSE].median;
        const char *closest = more < 0.5 * pause    ? "closest to the time of the code"
                              : more <= 1.5 * pause ? "closest to what it costs in a row"
                                                    : "more than it costs in a row";
        say("Run by run, START to END is the code %+.2f to %+.2f us; in a row, %+.2f to %+.2f us.\n"
            "In a row a kernel costs its code %+.2f to %+.2f us. So START to END is\n%s.\n",
            s[MORE].min, s[MORE].max, s[ROW_MORE].min, s[ROW_MORE].max, s[PAUSE].min, s[PAUSE].max,
            closest);
    }
    return EXIT_SUCCESS;
}
