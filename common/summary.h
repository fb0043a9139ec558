/* SPDX-License-Identifier: MIT
 * What a set of samples says: smallest, middle, mean, largest. */
#pragma once

#include <stdint.h>

#include "table.h"

/* All in the samples' own unit. */
struct summary {
    double min, median, max, mean;
    bool disturbed;
};

/* By how much a short call (us) and a short piece of a kernel (clocks) vary on an idle machine. */
static const double jitter_us = 0.512, jitter_clocks = 16;

static inline int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Summarizes `count` samples (at least one), and leaves them sorted. Disturbed: five or more
 * disagree, for the middle half of them spans over a quarter of the median, or the median is over
 * twice the least; and by more than `jitter`, in the samples' unit. */
static inline struct summary summarize(double *samples, size_t count, double jitter) {
    struct summary s;
    double sum = 0;
    qsort(samples, count, sizeof *samples, compare_doubles);
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    s.mean = sum / (double)count;
    s.min = samples[0];
    s.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    s.max = samples[count - 1];
    const double spread = samples[count - 1 - count / 4] - samples[count / 4];
    const bool disagree = spread > jitter && spread > 0.25 * fabs(s.median);
    const bool far_from_least = s.median - s.min > jitter && s.median > 2 * s.min;
    s.disturbed = count >= 5 && (disagree || far_from_least);
    return s;
}

/* The largest number of ns that divides `duration_ns` and all durations before it, whose step was
 * `step_ns` (0: there were none). */
static inline uint64_t common_step_ns(uint64_t step_ns, uint64_t duration_ns) {
    while (duration_ns > 0) { /* Euclid */
        const uint64_t remainder = step_ns % duration_ns;
        step_ns = duration_ns;
        duration_ns = remainder;
    }
    return step_ns;
}

/* Of times in us. Two steps of a coarse clock are no disturbance; its step shows, because all times
 * are multiples of it. No clock that we know steps by more than 1.1 us: more is chance. */
static inline struct summary summarize_us(double *samples_us, size_t count) {
    uint64_t step_ns = 0;
    for (size_t i = 0; i < count; i++)
        if (samples_us[i] > 0) /* a number */
            step_ns = common_step_ns(step_ns, (uint64_t)llround(samples_us[i] * 1e3));
    return summarize(samples_us, count, fmax(2 * fmin((double)step_ns / 1e3, 1.1), jitter_us));
}

/* Leaves the samples sorted. */
static inline double median(double *samples, size_t count) {
    return summarize(samples, count, 0).median;
}

/* Whether a launch and the way back, which take 5 to 30 us on an idle GPU, up to 300 on a CPU, took
 * so long that somebody else had the device: then all repetitions may be late alike. */
static inline bool is_delayed(double overhead_us) {
    return overhead_us > 1000;
}

/* Cells for the smallest, the middle, the mean and the largest. */
static inline void summary_cells(const char *unit, struct summary s) {
    number("min", unit, 2, s.min);
    number("median", unit, 2, s.median);
    number("mean", unit, 2, s.mean);
    number("max", unit, 2, s.max);
}
