/* SPDX-License-Identifier: MIT
 * What a set of samples says: smallest, middle, mean, spread, largest. */
#pragma once

#include <math.h>

#include "table.h"

/* All in the samples' own unit. */
struct summary {
    double min, median, max, mean, stddev;
    bool disturbed; /* five or more disagree: the middle half spans over a quarter of the median */
                    /* or the median is over twice the least; and by more than 2 */
};

static inline int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Summarizes `count` samples (at least one) and leaves them sorted. The standard deviation is the
 * sample's, from the differences to the mean: "mean of squares less square of mean" cancels. */
static inline struct summary summarize(double *samples, size_t count) {
    struct summary s;
    double sum = 0, squares = 0;
    qsort(samples, count, sizeof *samples, compare_doubles);
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (samples[i] - s.mean) * (samples[i] - s.mean);
    s.stddev = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    s.min = samples[0];
    s.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    s.max = samples[count - 1];
    const double spread = samples[count - 1 - count / 4] - samples[count / 4];
    s.disturbed = count >= 5 && ((spread > 2 && spread > 0.25 * fabs(s.median)) ||
                                 (s.median - s.min > 2 && s.median > 2 * s.min));
    return s;
}

static inline double median(double *samples, size_t count) {
    return summarize(samples, count).median;
}

/* Whether a launch and the way back, which take 5 to 30 us on an idle GPU, up to 300 on a CPU, took
 * so long that somebody else had the device: then all repetitions may be late alike. */
static inline bool is_delayed(double overhead_us) {
    return overhead_us > 1000;
}

/* Cells for the smallest, the middle, the mean and the largest. */
static inline void summary_cells(const char *unit, int width, struct summary s) {
    number("min", unit, width, 2, s.min);
    number("median", unit, width, 2, s.median);
    number("mean", unit, width, 2, s.mean);
    number("max", unit, width, 2, s.max);
}
