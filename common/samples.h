/* SPDX-License-Identifier: MIT
 * What samples say, and why not to believe it: a `doubt` is NULL, or a few words. (a ?: b, of GNU
 * C, is a, or b where a is NULL.) */
#pragma once

#include "base.h"

#include <glob.h>

struct summary {
    double min, median, mean, max;
    const char *doubt;
};

static inline int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Whether the first and the last fifth of the samples, of 5 to 2000 each, lie apart but for one of
 * each, by more than `slack` and more than this part. */
static inline bool drifts(const double *samples, size_t n, double slack, double part) {
    double a[2000], b[2000];
    const size_t k = n / 5, half = k / 2;
    if (k < 5 || k > 2000)
        return false;
    qsort(memcpy(a, samples, k * sizeof *a), k, sizeof *a, by_size);
    qsort(memcpy(b, samples + n - k, k * sizeof *b), k, sizeof *b, by_size);
    return (a[k - 2] < b[1] || b[k - 2] < a[1]) && fabs(b[half] - a[half]) > slack &&
           fabs(b[half] - a[half]) > part * fmin(fabs(a[half]), fabs(b[half]));
}

/* At least one sample, in the order of measurement. From five on they disagree if the true median
 * could be `factor` times this one or 1 / `factor` of it, and more than `slack` away: of n by size,
 * those at n/2 -+ 0.98 sqrt(n) have it between them in 92 or more of 100 cases. From 25 on they
 * drift by a fifth as much: on a GPU, with a factor of 1.25, by 5 %. */
static inline struct summary summarize(const double *samples, size_t n, double slack,
                                       double factor) {
    double *x = (double *)memcpy(new_memory(n * sizeof *x), samples, n * sizeof *x), sum = 0;
    const size_t rank = (size_t)fmax((double)n / 2 - 0.98 * sqrt((double)n), 0);
    qsort(x, n, sizeof *x, by_size);
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    struct summary s = {x[0], (x[(n - 1) / 2] + x[n / 2]) / 2, sum / (double)n, x[n - 1], NULL};
    const double above = x[n - 1 - rank] - s.median, below = s.median - x[rank];
    free(x);
    if (n >= 5 && ((above > slack && above > (factor - 1) * fabs(s.median)) ||
                   (below > slack && below > (1 - 1 / factor) * fabs(s.median))))
        s.doubt = "the runs disagree";
    else if (drifts(samples, n, slack, (factor - 1) / 5))
        s.doubt = "the runs drift";
    return s;
}

static inline double median(const double *samples, size_t n) {
    return summarize(samples, n, 0, 1).median;
}

/* The largest number of ns that divides all these times: a coarse clock shows its step. */
static inline long long common_step_ns(const double *us, size_t n) {
    long long step_ns = 0;
    for (size_t i = 0; i < n; i++)
        for (long long rest, ns = us[i] > 0 ? llround(us[i] * 1e3) : 0; ns > 0; ns = rest) {
            rest = step_ns % ns; /* Euclid's algorithm */
            step_ns = ns;
        }
    return step_ns;
}

/* Times in us. Two steps of the clock are no disturbance; none that we know steps by over 1.1 us. A
 * processor's times vary more: its threads sleep, wake and share a core. */
static inline struct summary summarize_us(const double *us, size_t n, bool is_processor) {
    const double steps_us = 2 * fmin((double)common_step_ns(us, n) / 1e3, 1.1);
    struct summary s =
        is_processor ? summarize(us, n, 5, 2) : summarize(us, n, fmax(steps_us, 0.512), 1.25);
    if (!is_processor && n >= 5 && s.median > 2 * s.min && s.median > s.min + 50)
        s.doubt = "most runs were held up";
    return s;
}

/* How much longer the host waited than the device worked: on an idle machine 5 to 300 us. */
static inline const char *doubt_wait(double late_us) {
    return late_us > 1000 ? "the host waited too long" : NULL;
}

/* ---- Runs that are all late alike look perfect, but Linux counts who had the processor ---- */

struct cores {               /* in ns: by the clock; of this process; of all cores */
    int64_t at, ran, waited; /* waited: its threads were ready, and had no core */
    int64_t busy, stolen; /* stolen: the host of this virtual machine had them; busy 0: unknown */
};

/* Call it between rows. Sources: proc_stat(5), and the kernel's scheduler/sched-stats.rst. */
static inline struct cores cores_now(void) {
    struct cores now = {now_ns(), clock_ns(CLOCK_PROCESS_CPUTIME_ID), 0, 0, 0};
    const long long unit_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    long long c[8], own = 0; /* user, nice, system, idle, iowait, irq, softirq, steal */
    glob_t files;
    glob("/proc/stat", 0, NULL, &files);
    glob("/proc/self/task/*/schedstat", GLOB_APPEND, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r"); /* the thread may have ended */
        if (file && fscanf(file, "%lld %lld", c, c + 1) == 2) {
            own += c[0];
            now.waited += c[1];
        } else if (file && fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", c, c + 1,
                                  c + 2, c + 3, c + 4, c + 5, c + 6, c + 7) == 8) {
            now.busy = (c[0] + c[1] + c[2] + c[5] + c[6]) * unit_ns;
            now.stolen = c[7] * unit_ns;
        }
        if (file)
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
    return !from->busy || !end.busy ? "unknown: /proc does not show other programs"
           : fmin((double)waited, others) > 0.1 * (double)(ran + waited)
               ? "others had the processor"
           : stolen > (busy + stolen) / 10 ? "the host of this virtual machine had its cores"
                                           : NULL;
}
