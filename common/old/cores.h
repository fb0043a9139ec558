/* SPDX-License-Identifier: MIT
 * Who had the processor? If all runs are late by as much, they agree, and only Linux can tell. */
#pragma once
#include "base.h"

#include <glob.h>

struct cores {            /* all in ns */
    int64_t at;           /* by the host's clock */
    int64_t ran, waited;  /* this process: its threads ran, they waited for a core */
    int64_t busy, stolen; /* all cores: busy (0: not known), used by the virtual machine's host */
};

/* Adds the first numbers in each of these files to `sums`. */
static inline void add_numbers(const char *pattern, int64_t *sums, int count) {
    glob_t files;
    glob(pattern, 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char line[500] = "", *at = line;
        FILE *file = fopen(files.gl_pathv[i], "r");
        if (!file)
            continue; /* a thread that has just ended */
        if (fgets(line, sizeof line, file))
            at += strcspn(line, "0123456789");
        for (int n = 0; n < count; n++)
            sums[n] += strtoll(at, &at, 10);
        fclose(file);
    }
    globfree(&files);
}

/* Call it between rows. See proc_stat(5), and Documentation/scheduler/sched-stats.rst of Linux. */
static inline struct cores cores_now(void) {
    enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFT_IRQ, STEAL, KINDS };
    struct cores now = {now_ns(), clock_ns(CLOCK_PROCESS_CPUTIME_ID), 0, 0, 0};
    const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    int64_t ticks[KINDS] = {0}, threads[2] = {0}; /* in ns: they ran, they waited */
    add_numbers("/proc/stat", ticks, KINDS);
    add_numbers("/proc/self/task/*/schedstat", threads, 2);
    now.waited = threads[1];
    now.stolen = ticks[STEAL] * tick_ns;
    now.busy = ticks[USER] + ticks[NICE] + ticks[SYSTEM] + ticks[IRQ] + ticks[SOFT_IRQ];
    now.busy *= threads[0] > 0 ? tick_ns : 0; /* some systems show zeros */
    return now;
}

/* Whether others had the processor since `from`, for a tenth of the time for which this process ran
 * or waited. Its threads also wait for each other, so this takes the smaller one of their wait and
 * of what others ran. The wait of a thread that has ended is not in /proc, and does not count.
 * Sleeps until 200 ms have passed, because /proc/stat is exact to 30 ms only. */
static inline const char *wait_and_doubt_cores(const struct cores *from) {
    const struct cores end = cores_now();
    sleep_for_ns(from->at + 200000000 - end.at);
    const struct cores later = cores_now();
    const int64_t slack = 30000000, ran = end.ran - from->ran, waited = end.waited - from->waited;
    const int64_t busy = later.busy - from->busy, stolen = later.stolen - from->stolen - slack;
    const double part = (double)(end.at - from->at) / (double)(later.at - from->at);
    const double others = part * (double)(busy - (later.ran - from->ran) - slack);
    if (from->busy == 0 || end.busy == 0)
        return "unknown: /proc does not show other programs";
    if (fmin((double)waited, others) > 0.1 * (double)(ran + waited))
        return "others had the processor";
    return stolen > (busy + stolen) / 10 ? "the host of this virtual machine had its cores" : NULL;
}
