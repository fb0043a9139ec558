/* SPDX-License-Identifier: MIT
 * What samples say, and why not to believe it: NULL, or words. (a ?: b: a, or b if a is NULL.) */
#pragma once
#include "base.h"

struct summary {
    double min, median, mean, max, step; /* step: the smallest difference between two samples */
    const char *doubt;
};

static inline int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Whether the first and the last third of the samples, of 8 to 4000 each, lie apart but for one of
 * each, by more than `slack` and more than this part. By chance ten do so in 1 of 1000 cases. */
static inline bool drifts(const double *samples, size_t n, double slack, double part) {
    double a[4000], b[4000];
    const size_t k = n / 3;
    if (k < 8 || k > 4000)
        return false;
    qsort(memcpy(a, samples, k * sizeof *a), k, sizeof *a, by_size);
    qsort(memcpy(b, samples + n - k, k * sizeof *b), k, sizeof *b, by_size);
    const double from = a[k / 2], to = b[k / 2], by = fabs(to - from);
    return (a[k - 2] < b[1] || b[k - 2] < a[1]) &&
           by > fmax(slack, part * fmin(fabs(from), fabs(to)));
}

/* At least one sample, in the order of measurement. From five on they disagree if the true median
 * could be `factor` times this one or 1 / `factor` of it, and more than `slack` away: of n by size,
 * those at n/2 -+ 0.98 sqrt(n) have it between them in 92 or more of 100 cases. From 24 on they
 * drift by a sixth as much: on a GPU, with a factor of 1.25, by 4 %. */
static inline struct summary summarize(const double *samples, size_t n, double slack,
                                       double factor) {
    double *x = (double *)memcpy(new_memory(n * sizeof *x), samples, n * sizeof *x);
    double sum = 0, step = INFINITY;
    const size_t rank = (size_t)fmax((double)n / 2 - 0.98 * sqrt((double)n), 0);
    qsort(x, n, sizeof *x, by_size);
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        step = i > 0 && x[i] > x[i - 1] ? fmin(step, x[i] - x[i - 1]) : step;
    }
    const double middle = (x[(n - 1) / 2] + x[n / 2]) / 2, size = fabs(middle);
    struct summary s = {x[0], middle, sum / (double)n, x[n - 1], step, NULL};
    if (n >= 5 && (x[n - 1 - rank] - middle > fmax(slack, (factor - 1) * size) ||
                   middle - x[rank] > fmax(slack, (1 - 1 / factor) * size)))
        s.doubt = "the runs disagree";
    else if (drifts(samples, n, slack, (factor - 1) / 6))
        s.doubt = "the runs drift";
    free(x);
    return s;
}

static inline double median(const double *samples, size_t n) {
    return summarize(samples, n, 0, 1).median;
}

/* Times in us. Two steps of the clock, which the smallest difference shows, are no disturbance; no
 * clock that we know steps by over 1.1 us. A processor's times vary more: its threads sleep. */
static inline struct summary summarize_us(const double *us, size_t n, bool is_processor) {
    if (is_processor)
        return summarize(us, n, 5, 2);
    struct summary s =
        summarize(us, n, fmax(2 * fmin(summarize(us, n, 0, 1).step, 1.1), 0.512), 1.25);
    if (n >= 5 && s.median > 2 * s.min && s.median > s.min + 50)
        s.doubt = "most runs were held up";
    return s;
}

/* By how much the host waited longer than the device worked. On an idle machine: 5 to 300 us. */
static inline const char *doubt_wait(double late_us) {
    return late_us > 1000 ? "the host waited too long" : NULL;
}
