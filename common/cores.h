/* SPDX-License-Identifier: MIT
 * Runs that are all late alike look perfect, but Linux counts who had the processor. */
#pragma once
#include "base.h"

#include <glob.h>

/* In ns, of this process: it ran, its threads waited for a core. Of all cores: busy (0: not known),
 * stolen by the host of this virtual machine. Call cores_now() between rows. */
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
