/* SPDX-License-Identifier: MIT
 * Statistics of samples, and doubts: words that say why not to believe them, or NULL. (a ?: b is a
 * or, if a is NULL, b.) */
#pragma once
#include "base.h"

/* low, high: from five samples on, at least 92 of 100 true medians are between them. step: the
 * smallest difference between two samples that is not 0. Only summarize_us() fills in a doubt. */
struct summary {
    double min, low, median, high, max, mean, step;
    const char *doubt;
};

static inline int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b) + !isnan(b) - !isnan(a); /* NaN is above all numbers */
}

/* The numbers of at least one sample. */
static inline struct summary summarize(const double *samples, size_t n) {
    double *x = (double *)memcpy(new_memory(n * sizeof *x), samples, n * sizeof *x);
    double sum = 0, step = INFINITY;
    qsort(x, n, sizeof *x, by_size);
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        if (i > 0 && x[i] > x[i - 1])
            step = fmin(step, x[i] - x[i - 1]);
    }
    const size_t rank = (size_t)fmax((double)n / 2 - 0.98 * sqrt((double)n), 0);
    const double median = (x[(n - 1) / 2] + x[n / 2]) / 2, mean = sum / (double)n;
    const struct summary s = {x[0], x[rank], median, x[n - 1 - rank], x[n - 1], mean, step, NULL};
    free(x);
    return s;
}

static inline double median(const double *samples, size_t n) {
    return summarize(samples, n).median;
}

/* Whether the first and the last third of the samples, of 8 to 4000 each, lie apart except for one
 * sample of each, by more than `slack` and this part. With 8 in each third that happens by chance
 * in 1 of 100 cases, with 10 in 1 of 1000. */
static inline bool drifts(const double *samples, size_t n, double slack, double part) {
    double a[4000], b[4000];
    const size_t k = n / 3;
    if (k < 8 || k > 4000)
        return false;
    qsort(memcpy(a, samples, k * sizeof *a), k, sizeof *a, by_size);
    qsort(memcpy(b, samples + n - k, k * sizeof *b), k, sizeof *b, by_size);
    const double from = a[k / 2], to = b[k / 2], size = fmin(fabs(from), fabs(to));
    return fabs(to - from) > fmax(slack, part * size) && (a[k - 2] < b[1] || b[k - 2] < a[1]);
}

/* Samples in the order of measurement. From five on they disagree if the true median could be
 * `factor` times this one or 1 / `factor` of it, and more than `slack` away. From 24 on they drift
 * if the last third is off by a sixth of that: with 1.25, a GPU's factor, by 4 %. */
static inline const char *doubt_runs(const double *samples, size_t n, double slack, double factor) {
    const struct summary s = summarize(samples, n);
    const double size = fabs(s.median);
    if (n >= 5 && (s.high - s.median > fmax(slack, (factor - 1) * size) ||
                   s.median - s.low > fmax(slack, (1 - 1 / factor) * size)))
        return "the runs disagree";
    return drifts(samples, n, slack, (factor - 1) / 6) ? "the runs drift" : NULL;
}

/* Times in us. CPU timings vary more, because threads sleep: by 5 us, or by a factor of 2. On a GPU
 * a short call varies by 0.5 us, or by two steps of the clock. The smallest difference shows one
 * step; no clock that we know has steps above 1.1 us. */
static inline struct summary summarize_us(const double *us, size_t n, bool is_processor) {
    struct summary s = summarize(us, n);
    if (is_processor)
        s.doubt = doubt_runs(us, n, 5, 2);
    else if (n >= 5 && s.median > 2 * s.min && s.median > s.min + 50)
        s.doubt = "most runs were held up";
    else
        s.doubt = doubt_runs(us, n, fmax(0.512, 2 * fmin(s.step, 1.1)), 1.25);
    return s;
}

/* By how much the host waited longer than the device worked. On an idle machine: 5 to 300 us. */
static inline const char *doubt_wait(double late_us) {
    return late_us > 1000 ? "the host waited too long" : NULL;
}
