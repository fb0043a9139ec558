/* SPDX-License-Identifier: MIT
 * What a set of samples says: the least, the middle, the mean, the greatest. */
#pragma once

#include <stdint.h>

#include "report.h"

/* In the samples' own unit. `marks`: RUNS_DISAGREE or 0. */
struct summary {
    double min, median, mean, max;
    unsigned marks;
};

/* By how much short times (us) and short pieces of a kernel (clocks) vary on an idle machine, and
 * how uncertain a median may be: by a quarter on a GPU, by a factor of two on a processor, whose
 * worker threads sleep, wake, and share one core in some runs. */
static const double jitter_us = 0.512, jitter_clocks = 16, gpu_factor = 1.25;
static const double cpu_jitter_us = 5, cpu_factor = 2;

static inline int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Summarizes `count` samples, at least one. From five on they disagree if the true median could be
 * `factor` times this one or more, or this one divided by `factor` or less, and more than `jitter`
 * away: of n samples in order, those at n/2 -+ 0.98 sqrt(n) have the true median between them in 92
 * or more of 100 cases, whatever the distribution. */
static inline struct summary summarize(const double *samples, size_t count, double jitter,
                                       double factor) {
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
    const double rank = floor((double)count / 2 - 0.98 * sqrt((double)count));
    const size_t low = rank > 0 ? (size_t)rank : 0;
    const double below = s.median - sorted[low], above = sorted[count - 1 - low] - s.median;
    const double size = fabs(s.median);
    s.marks = count >= 5 && ((above > jitter && above > (factor - 1) * size) ||
                             (below > jitter && below > (1 - 1 / factor) * size))
                  ? RUNS_DISAGREE
                  : 0;
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

/* Summarizes times in us of a GPU, or of its host: two steps of a coarse clock are no disturbance.
 * No clock that we know steps by more than 1.1 us: a larger divisor is chance. If most runs take
 * over twice as long as the fastest, and 50 us longer, most were held up. */
static inline struct summary summarize_us(const double *samples_us, size_t count) {
    const double step_us = (double)common_step_ns(samples_us, count) / 1e3;
    struct summary s =
        summarize(samples_us, count, fmax(2 * fmin(step_us, 1.1), jitter_us), gpu_factor);
    if (count >= 5 && s.median > 2 * s.min && s.median - s.min > 50)
        s.marks = RUNS_DISAGREE;
    return s;
}

/* Summarizes times in us of a device that may be the host's processor. others.h says whether other
 * programs had the processor. */
static inline struct summary summarize_on(bool is_processor, const double *samples_us,
                                          size_t count) {
    return is_processor ? summarize(samples_us, count, cpu_jitter_us, cpu_factor)
                        : summarize_us(samples_us, count);
}

static inline double median(const double *samples, size_t count) {
    return summarize(samples, count, 0, 1).median;
}

/* DRIFTED if the medians of the two halves of samples in the order of their measurement differ by
 * more than this factor, and by more than `jitter`. */
static inline unsigned mark_drift(const double *samples, size_t count, double jitter,
                                  double factor) {
    const double early = median(samples, count / 2);
    const double late = median(samples + count / 2, count - count / 2);
    return count >= 10 && fabs(late - early) > jitter &&
                   fmax(early, late) > factor * fmin(early, late)
               ? DRIFTED
               : 0;
}

/* RUNS_DELAYED if the overhead, by which the host waited longer than the device worked, is over a
 * millisecond: then all runs may be late alike. It is 5 to 30 us on an idle GPU, and up to 300 on a
 * CPU. */
static inline unsigned mark_delay(double overhead_us) {
    return overhead_us > 1000 ? RUNS_DELAYED : 0;
}

static inline void number_summary_us(struct table *t, struct summary s) {
    number(t, "min_us", 2, s.min);
    number(t, "median_us", 2, s.median);
    number(t, "mean_us", 2, s.mean);
    number(t, "max_us", 2, s.max);
}
