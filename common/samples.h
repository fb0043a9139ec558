/* SPDX-License-Identifier: MIT
 * What samples say, and why not to believe it: NULL, or words. (a ?: b: a, or b if a is NULL.) */
#pragma once

#include "base.h"

#include <glob.h>

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
    return (a[k - 2] < b[1] || b[k - 2] < a[1]) && by > slack &&
           by > part * fmin(fabs(from), fabs(to));
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
    const double middle = (x[(n - 1) / 2] + x[n / 2]) / 2;
    struct summary s = {x[0], middle, sum / (double)n, x[n - 1], step, NULL};
    const double above = x[n - 1 - rank] - middle, below = middle - x[rank], size = fabs(middle);
    free(x);
    if (n >= 5 && ((above > slack && above > (factor - 1) * size) ||
                   (below > slack && below > (1 - 1 / factor) * size)))
        s.doubt = "the runs disagree";
    else if (drifts(samples, n, slack, (factor - 1) / 6))
        s.doubt = "the runs drift";
    return s;
}

static inline double median(const double *samples, size_t n) {
    return summarize(samples, n, 0, 1).median;
}

/* Times in us. Two steps of the clock, which the smallest difference shows, are no disturbance; no
 * clock that we know steps by over 1.1 us. A processor's times vary more: its threads sleep. */
static inline struct summary summarize_us(const double *us, size_t n, bool is_processor) {
    const double steps_us = 2 * fmin(summarize(us, n, 0, 1).step, 1.1);
    struct summary s =
        is_processor ? summarize(us, n, 5, 2) : summarize(us, n, fmax(steps_us, 0.512), 1.25);
    if (!is_processor && n >= 5 && s.median > 2 * s.min && s.median > s.min + 50)
        s.doubt = "most runs were held up";
    return s;
}

/* By how much the host waited longer than the device worked. On an idle machine: 5 to 300 us. */
static inline const char *doubt_wait(double late_us) {
    return late_us > 1000 ? "the host waited too long" : NULL;
}

/* Runs that are all late alike look perfect, but Linux counts who had the processor. In ns, of this
 * process: it ran, its threads waited for a core. Of all cores: busy (0: not known), stolen by the
 * host of this virtual machine. Call cores_now() between rows. */
struct cores {
    int64_t at, ran, waited, busy, stolen;
};

/* Sources: proc_stat(5), and the kernel's Documentation/scheduler/sched-stats.rst. */
static inline struct cores cores_now(void) {
    struct cores now = {now_ns(), clock_ns(CLOCK_PROCESS_CPUTIME_ID), 0, 0, 0};
    const long long unit_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    long long c[6], own = 0;
    glob_t files;
    glob("/proc/stat", 0, NULL, &files);
    glob("/proc/self/task/*/schedstat", GLOB_APPEND, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        if (!file)
            continue; /* the thread has ended */
        if (fscanf(file, "%lld %lld", c, c + 1) == 2) {
            own += c[0];
            now.waited += c[1];
        } else if (fscanf(file, "cpu %lld %lld %lld %*d %*d %lld %lld %lld", c, c + 1, c + 2, c + 3,
                          c + 4, c + 5) == 6) { /* user, nice, system, irq, softirq, steal */
            now.busy = (c[0] + c[1] + c[2] + c[3] + c[4]) * unit_ns;
            now.stolen = c[5] * unit_ns;
        }
        fclose(file);
    }
    globfree(&files);
    now.busy = own > 0 ? now.busy : 0;
    return now;
}

/* Whether others had the processor since `from`, for a tenth of the time for which this process ran
 * or waited. Threads also wait for each other: so the smaller one of their wait and of what others
 * ran. /proc/stat is exact to 30 ms: what others do until 200 ms have passed stands for all. */
static inline const char *doubt_cores(const struct cores *from) {
    const struct cores end = cores_now();
    const int64_t slack = 30000000;
    sleep_for_ns(from->at + 200000000 - end.at);
    const struct cores later = cores_now();
    const double part = (double)(end.at - from->at) / (double)(later.at - from->at);
    const int64_t busy = later.busy - from->busy, stolen = later.stolen - from->stolen - slack;
    const int64_t ran = end.ran - from->ran, waited = end.waited - from->waited;
    const double others = part * (double)(busy - (later.ran - from->ran) - slack);
    if (from->busy == 0 || end.busy == 0)
        return "unknown: /proc does not show other programs";
    if (fmin((double)waited, others) > 0.1 * (double)(ran + waited))
        return "others had the processor";
    return stolen > (busy + stolen) / 10 ? "the host of this virtual machine had its cores" : NULL;
}
