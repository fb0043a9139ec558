/* SPDX-License-Identifier: MIT
 *
 * What a set of samples says: smallest, middle, mean, spread, largest. */
#ifndef COMMON_SUMMARY_H
#define COMMON_SUMMARY_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* All in the samples' own unit. */
struct summary {
    double min, p5, median, p95, max, mean, stddev;
    int disturbed; /* 1: five samples or more disagree: the middle half of them spans more than a
                      quarter of the median, or the median is more than twice the least, and that
                      by more than 2 of the unit. Then the machine did something else as well, and
                      the median is not to be believed. */
};

static inline int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Summarizes `count` samples (at least one) and leaves them sorted. The median of an even count is
 * the mean of the middle two. The standard deviation is the sample's (divided by count - 1), from
 * the differences to the mean: "mean of squares less square of mean" cancels. Cannot fail. */
static inline struct summary summarize(double *samples, size_t count) {
    struct summary s;
    double sum = 0;
    double squares = 0;

    qsort(samples, count, sizeof *samples, compare_doubles);
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (samples[i] - s.mean) * (samples[i] - s.mean);
    s.stddev = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    s.min = samples[0];
    s.p5 = samples[(count - 1) * 5 / 100]; /* at most one sample in twenty lies below this ... */
    s.p95 = samples[count - 1 - (count - 1) * 5 / 100]; /* ... and one above this */
    s.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    s.max = samples[count - 1];
    const double spread = samples[count - 1 - count / 4] - samples[count / 4];
    s.disturbed = count >= 5 && ((spread > 2 && spread > 0.25 * fabs(s.median)) ||
                                 (s.median - s.min > 2 && s.median > 2 * s.min));
    return s;
}

/* Whether what a method says besides the kernel, in microseconds, shows that something else had the
 * device or the processor. A launch and the way back cost 5 to 30 us on an idle GPU and up to some
 * 300 us on a CPU: over a millisecond it was somebody else's. (All repetitions can be late alike:
 * a GPU that two processes share changes from one to the other every few milliseconds.) */
static inline int overhead_is_disturbed(double overhead_us) {
    return overhead_us > 1000;
}

/* What a table puts behind a row. */
static inline const char *disturbed_word(int disturbed) {
    return disturbed ? "  disturbed" : "";
}

/* The sentence under a table with `rows` disturbed rows; empty if there are none. */
static inline const char *disturbed_verdict(int rows) {
    return rows > 0
               ? "Disturbed: where it says so the repetitions disagree, or all were held up. Those "
                 "numbers are\nnot the methods': run this again on an idle machine.\n"
               : "";
}

/* The median of `count` samples (at least one), which it leaves sorted. */
static inline double median(double *samples, size_t count) {
    return summarize(samples, count).median;
}

struct line {
    double slope, intercept; /* y = slope * x + intercept */
};

/* The straight line through `count` points (two at least, at different x), by least squares. */
static inline struct line fit_line(const double *x, const double *y, size_t count) {
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    struct line line;
    for (size_t i = 0; i < count; i++) {
        mean_x += x[i] / (double)count;
        mean_y += y[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    line.slope = xy / xx;
    line.intercept = mean_y - line.slope * mean_x;
    return line;
}

/* The step of a clock, from the durations it gave: the largest number of ns that divides
 * `duration_ns` and all those before it, whose step was `step_ns` (0: there were none). */
static inline uint64_t common_step_ns(uint64_t step_ns, uint64_t duration_ns) {
    while (duration_ns > 0) { /* Euclid */
        const uint64_t remainder = step_ns % duration_ns;
        step_ns = duration_ns;
        duration_ns = remainder;
    }
    return step_ns;
}

#endif
