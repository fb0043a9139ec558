/* SPDX-License-Identifier: MIT
 *
 * What calibrate.cu and calibrate_opencl.c share: a row, and the same in new processes. */
#pragma once

#include "../../06_warmup/cold.h" /* in_new_process() */
#include "device_timer.h"
#include "options.h"

enum { LENGTHS = 24, IN_A_ROW = 16 };

/* Of spins, each length longer than the one before: the time around one, how much more that is than
 * its code, and how much more for each of IN_A_ROW in a row. */
static struct {
    double pair_us[MAX_RUNS], extra_us[MAX_RUNS], row_extra_us[MAX_RUNS];
} lengths[LENGTHS];

/* The numbers of the lengths, in another order in each run. */
static inline unsigned length_in_turn(unsigned i, size_t run) {
    return (i * 7 + (unsigned)run * 5) % LENGTHS;
}

/* Returns the value: the median; of the rises the largest. `over`: what low and high are of. No row
 * for NaN, which this device does not show. */
static double print_row(const char *quantity, double *samples, size_t count, const char *over,
                        bool disturbed, const char *how) {
    const size_t cut = strcmp(over, "runs") == 0 ? count / 4 : 0;
    if (isnan(samples[0]))
        return NAN;
    const struct summary s = summarize(samples, count, 0);
    const double x = strcmp(over, "rises") == 0 ? s.max : s.median;
    label("quantity", 20, quantity);
    cell("value", "%9.3f", x);
    cell("low", "%9.3f", samples[cut]);
    cell("high", "%9.3f", samples[count - 1 - cut]);
    label("over", 9, over);
    label("how", 0, how);
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
        print_row(quantities[clock], ppm, count, "runs", held_up || disturbed, how);
    }
}

/* A row of times, whose runs may disagree. */
static inline double print_times(const char *quantity, double *us, size_t runs, bool disturbed,
                                 const char *how) {
    disturbed |= summarize_us(us, runs).disturbed;
    return print_row(quantity, us, runs, "runs", disturbed, how);
}

/* Three rows, from `lengths`. Returns the last one's value, the step in ns. A spin of a row may vary
 * by so much. */
static double print_lengths(size_t runs, bool disturbed, double row_jitter_us) {
    double extra[LENGTHS], row_extra[LENGTHS], pair[LENGTHS], rise_ns[LENGTHS];
    for (int l = 0; l < LENGTHS; l++) {
        const struct summary one = summarize_us(lengths[l].extra_us, runs),
                             row = summarize(lengths[l].row_extra_us, runs, row_jitter_us);
        extra[l] = one.median;
        row_extra[l] = row.median;
        pair[l] = median(lengths[l].pair_us, runs);
        rise_ns[l] = l > 0 ? round(1e3 * (pair[l] - pair[l - 1])) + 0.0 : 0; /* never -0 */
        disturbed |= one.disturbed || row.disturbed;
    }
    print_row("extra_us", extra, LENGTHS, "lengths", disturbed,
              "the time of a spin minus its code's");
    print_row("row_extra_us", row_extra, LENGTHS, "lengths", disturbed, "of each of 16 in a row");
    return print_row("event_step_ns", rise_ns + 1, LENGTHS - 1, "rises", disturbed,
                     "the time rises from one length to the next");
}

/* ---- In new processes ---- */

static long long processes = 5; /* --processes */
static double process_us[MAX_RUNS];

/* What measure(us) stores in each new process. Before this one opens the device. */
static inline void measure_processes(void (*measure)(void *us)) {
    for (int p = 0; p < processes; p++)
        in_new_process(measure, &process_us[p], sizeof process_us[p]);
}
