/* SPDX-License-Identifier: MIT
 *
 * What the readings of a device's timer tell of it: its tick, and its rate against the host's
 * clocks. */
#pragma once

#include "clock.h"
#include "summary.h"

/* The mean tick, by how much the timer went on each time that it did. It may be no whole number:
 * 52.08 shows as steps of 52 and 53. A step may be two or three ticks, where a reading takes longer
 * than one; more is an interruption. NaN: the timer did not go on. */
static inline double mean_tick_ns(const unsigned long long *steps_ns, size_t count) {
    unsigned long long least_ns = ~0ull, sum_ns = 0, ticks = 0;
    for (size_t i = 0; i < count; i++)
        least_ns = steps_ns[i] < least_ns ? steps_ns[i] : least_ns;
    if (count == 0 || least_ns == 0)
        return NAN;
    for (size_t i = 0; i < count; i++)
        if (2 * steps_ns[i] < 7 * least_ns) {
            ticks += (steps_ns[i] + least_ns / 2) / least_ns;
            sum_ns += steps_ns[i];
        }
    return (double)sum_ns / (double)ticks;
}

enum { MONOTONIC, RAW, DEVICE, TIMERS }; /* one moment by three clocks */

/* By how many parts per million (ppm) the device's timer is faster than a clock of the host,
 * from `count` pairs of moments; those of a pair are `count` moments apart. Exits with 1 if
 * no crystal is so wrong. Returns whether the host was held up: the middle half of the
 * pairs is over 100 us apart. */
static inline bool compare_rates(int64_t (*ns)[TIMERS], size_t count, int clock, double *ppm) {
    const double apart_ns = (double)(ns[count][clock] - ns[0][clock]);
    for (size_t i = 0; i < count; i++)
        ppm[i] = 1e6 * ((double)(ns[i + count][DEVICE] - ns[i][DEVICE]) /
                            (double)(ns[i + count][clock] - ns[i][clock]) -
                        1);
    const double middle_ppm = median(ppm, count); /* sorts them, for the quartiles below */
    if (!(fabs(middle_ppm) < 10000))
        fail(EXIT_FAILED, "impossible: the device's timer is %g ppm faster than %s", middle_ppm,
             clock == RAW ? "CLOCK_MONOTONIC_RAW" : "CLOCK_MONOTONIC");
    return (ppm[count - 1 - count / 4] - ppm[count / 4]) * apart_ns > 1e5 * 1e6;
}

/* The tick of the clock that took `count` times, in us, which end up sorted: from one to the next
 * longer one it went on. */
static inline double tick_of_times_ns(double *us, size_t count) {
    static unsigned long long steps_ns[1 << 18];
    long long last_ns = 0;
    size_t steps = 0;
    qsort(us, count, sizeof *us, compare_doubles);
    for (size_t i = 0; i < count && steps < sizeof steps_ns / sizeof *steps_ns; i++) {
        const long long ns = llround(us[i] * 1e3);
        if (ns > last_ns)
            steps_ns[steps++] = (unsigned long long)(ns - last_ns);
        last_ns = ns;
    }
    return mean_tick_ns(steps_ns, steps);
}
