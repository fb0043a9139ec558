/* SPDX-License-Identifier: MIT
 * What a set of samples says: the least, the middle, the mean, the greatest. */
#pragma once

#include <stdint.h>

#include "report.h"

/* In the samples' own unit. */
struct summary {
    double min, median, mean, max;
    bool disturbed;
};

/* By how much a short call (us) and a short piece of a kernel (clocks) vary on an idle machine. */
static const double jitter_us = 0.512, jitter_clocks = 16;

static inline int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Summarizes `count` samples, at least one. Disturbed: there are five or more, and they disagree:
 * the middle half of them spans over a quarter of the median, or the median is over twice the
 * least; and by more than `jitter`, which is in the samples' unit. */
static inline struct summary summarize(const double *samples, size_t count, double jitter) {
    double *sorted = (double *)new_memory(count * sizeof *sorted, "a copy of the samples"), sum = 0;
    struct summary s;
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    s.min = sorted[0];
    s.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    s.mean = sum / (double)count;
    s.max = sorted[count - 1];
    const double spread = sorted[count - 1 - count / 4] - sorted[count / 4];
    const bool disagree = spread > jitter && spread > 0.25 * fabs(s.median);
    const bool far_from_least = s.median - s.min > jitter && s.median > 2 * s.min;
    s.disturbed = count >= 5 && (disagree || far_from_least);
    free(sorted);
    return s;
}

/* The largest number of ns that divides all these times, which shows the step of a coarse clock:
 * they are multiples of it. Leaves out what is no time: 0 and less, and NaN. */
static inline uint64_t common_step_ns(const double *samples_us, size_t count) {
    uint64_t step_ns = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t ns = samples_us[i] > 0 ? (uint64_t)llround(samples_us[i] * 1e3) : 0;
        while (ns > 0) { /* Euclid's algorithm: the largest divisor of step_ns and ns */
            const uint64_t remainder = step_ns % ns;
            step_ns = ns;
            ns = remainder;
        }
    }
    return step_ns;
}

/* Of times in us: two steps of a coarse clock are no disturbance. No clock that we know steps by
 * more than 1.1 us: a larger divisor is chance. */
static inline struct summary summarize_us(const double *samples_us, size_t count) {
    const double step_us = (double)common_step_ns(samples_us, count) / 1e3;
    return summarize(samples_us, count, fmax(2 * fmin(step_us, 1.1), jitter_us));
}

static inline double median(const double *samples, size_t count) {
    return summarize(samples, count, 0).median;
}

/* Whether a launch and the way back, which take 5 to 30 us on an idle GPU and up to 300 on a CPU,
 * took so long that somebody else had the device: then all repetitions may be late alike. */
static inline bool is_delayed(double overhead_us) {
    return overhead_us > 1000;
}

static inline void number_summary_us(struct table *t, struct summary s) {
    number(t, "min_us", 2, s.min);
    number(t, "median_us", 2, s.median);
    number(t, "mean_us", 2, s.mean);
    number(t, "max_us", 2, s.max);
}
