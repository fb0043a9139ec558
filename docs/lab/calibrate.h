/* SPDX-License-Identifier: MIT
 *
 * What calibrate.cu and calibrate_opencl.c share: a row, and the same in new processes. */
#pragma once

#include "../../04_cuda_events/fit_line.h"
#include "../../06_warmup/cold.h" /* in_new_process() */
#include "device_timer.h"
#include "options.h"

enum { LENGTHS = 24, IN_A_ROW = 16 };

/* Of spins, each longer than the one before: the time around one, by how much it exceeds the time
 * of the code, and the same for each of IN_A_ROW in a row. */
static struct {
    double pair_us[MAX_RUNS], extra_us[MAX_RUNS], row_extra_us[MAX_RUNS];
} lengths[LENGTHS];

static long long processes = 5; /* --processes */
static double process_us[MAX_RUNS];

/* What measure(us) stores in each new process. Before this one opens the device. */
static inline void measure_processes(void (*measure)(void *us)) {
    for (int p = 0; p < processes; p++)
        in_new_process(measure, &process_us[p], sizeof process_us[p]);
}

/* The median of all lengths: of one spin's extra, or of one in a row. */
static inline double median_of_lengths(size_t runs, bool in_a_row) {
    double medians[LENGTHS];
    for (int l = 0; l < LENGTHS; l++)
        medians[l] = median(in_a_row ? lengths[l].row_extra_us : lengths[l].extra_us, runs);
    return median(medians, LENGTHS);
}

/* The numbers of the lengths, in another order in each run. */
static inline unsigned length_in_turn(unsigned i, size_t run) {
    return (i * 7 + (unsigned)run * 5) % LENGTHS;
}

static const char *const over_runs = "runs";

/* Prints the median, and the range: of runs the middle half, of anything else all samples. Returns
 * the median. NaN, which this device or so few runs do not show, has no row. */
static double print_row(const char *quantity, double *samples, size_t count, const char *over,
                        bool disturbed, const char *how) {
    const size_t cut = over == over_runs ? count / 4 : 0;
    if (isnan(samples[0]))
        return NAN;
    const double x = median(samples, count);
    label("quantity", 20, quantity);
    cell("value", "%9.3f", x);
    cell("low", "%9.3f", samples[cut]);
    cell("high", "%9.3f", samples[count - 1 - cut]);
    label("over", 9, over);
    label("how", 47, how);
    end_row(disturbed);
    return x;
}

/* Two rows: of each clock of the host, how much faster than it the device's timer is. */
static void print_rates(int64_t (*moments_ns)[TIMERS], size_t count, bool disturbed,
                        const char *timer) {
    static double ppm[MAX_RUNS];
    static const char *const quantities[] = {"timer_rate_ppm", "timer_rate_raw_ppm"},
                             *const clocks[] = {"CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW"};
    char how[100];
    for (int clock = MONOTONIC; clock <= RAW; clock++) {
        const bool held_up = compare_rates(moments_ns, count, clock, ppm);
        snprintf(how, sizeof how, "%s is faster than %s", timer, clocks[clock]);
        print_row(quantities[clock], ppm, count, over_runs, held_up || disturbed, how);
    }
}

/* A row of times, whose runs may disagree. */
static inline double print_times(const char *quantity, double *us, size_t runs, bool disturbed,
                                 const char *how) {
    disturbed |= summarize_us(us, runs).disturbed;
    return print_row(quantity, us, runs, over_runs, disturbed, how);
}

/* How far the times of all lengths lie from a straight line: of steps of h the standard deviation
 * is h / sqrt(12). Returns h in ns. */
static double step_of_ns(const double us[LENGTHS]) {
    double length[LENGTHS], squares = 0;
    for (int l = 0; l < LENGTHS; l++)
        length[l] = l;
    const struct line line = fit_line(length, us, LENGTHS);
    for (int l = 0; l < LENGTHS; l++)
        squares += pow(us[l] - line.slope * l - line.intercept, 2);
    return 1e3 * sqrt(12 * squares / (LENGTHS - 2));
}

/* Five rows, from `lengths` and from the processes. Returns the step in ns, which is a tick at
 * least; NaN: it is less than what looks like a step in noise, by which two halves of the runs
 * differ; -1: disturbed. `in_a_row`: what the processes measured, and a spin of a row is the finer
 * measure. */
static double print_lengths(size_t runs, double tick_ns, bool disturbed, bool in_a_row) {
    double extra[LENGTHS], row_extra[LENGTHS], pair[LENGTHS], noise[LENGTHS];
    bool row_disturbed = disturbed;
    for (int l = 0; l < LENGTHS; l++) {
        const struct summary one = summarize_us(lengths[l].extra_us, runs),
                             row = summarize(lengths[l].row_extra_us, runs,
                                             in_a_row ? jitter_us / IN_A_ROW : jitter_us);
        extra[l] = one.median;
        row_extra[l] = row.median;
        noise[l] = runs < 2 ? NAN /* there are no halves */
                            : median(lengths[l].pair_us, runs - runs / 2) / 2 -
                                  median(lengths[l].pair_us + runs - runs / 2, runs / 2) / 2;
        pair[l] = median(lengths[l].pair_us, runs);
        disturbed |= one.disturbed;
        row_disturbed |= row.disturbed;
    }
    double noise_ns = step_of_ns(noise), step_ns = NAN;
    if (runs >= 2)
        step_ns = fmax(tick_ns, sqrt(fmax(0, pow(step_of_ns(pair), 2) - pow(noise_ns, 2))));
    print_row("extra_us", extra, LENGTHS, "lengths", disturbed, "a spin's time minus its code's");
    print_row("row_extra_us", row_extra, LENGTHS, "lengths", row_disturbed,
              "the same for each of 16 spins in a row");
    print_row("event_step_ns", &step_ns, 1, "all", disturbed, "in such steps a spin's time grows");
    print_row("step_noise_ns", &noise_ns, 1, "all", disturbed,
              "noise looks like a step of so much");
    if (in_a_row)
        print_row("process_row_extra_us", process_us, (size_t)processes, "processes", row_disturbed,
                  "row_extra_us in new processes");
    else
        print_row("process_extra_us", process_us, (size_t)processes, "processes", disturbed,
                  "extra_us in new processes");
    return disturbed ? -1 : step_ns > 2 * noise_ns ? step_ns : NAN;
}

static void say_step(double step_ns) {
    if (step_ns < 0)
        say("In which steps a kernel's time grows is not known this time: a row is disturbed.\n");
    else if (isnan(step_ns))
        say("A step in which a kernel's time grows, if there is one, is less than the noise.\n");
    else
        say("Two kernels whose times differ by less than %.0f ns may be equally long.\n", step_ns);
}
