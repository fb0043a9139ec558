/* SPDX-License-Identifier: MIT
 * Whether others had the processor while this process measured. Runs that are all late alike look
 * perfect, but the system's own counts know better. Only Linux has these counts. */
#pragma once

#include <dirent.h>
#include <sys/resource.h>

#include "clock.h"

/* What the counts say at one moment, in nanoseconds. */
struct processor_time {
    int64_t wall_ns;
    int64_t ran_ns;    /* all threads of this process, and the child processes that have ended */
    int64_t waited_ns; /* its threads of now: ready to run, but without a core */
    int64_t busy_ns;   /* all cores, by whatever process */
    int64_t stolen_ns; /* all cores: the host of this virtual machine gave them to others */
};

/* Takes some tens of microseconds: call it between rows, not between launches. A count that this
 * system does not have is 0. Sources: getrusage(2); proc_stat(5), whose unit is 10 ms; and for
 * schedstat the kernel's Documentation/scheduler/sched-stats.rst. */
static inline struct processor_time processor_time_now(void) {
    struct processor_time now = {now_ns(), 0, 0, 0, 0};
    const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage u;
        if (getrusage(whose[i], &u) == 0)
            now.ran_ns += (int64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
                          (int64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
    }

    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        char path[300];
        long long ran_ns, waited_ns;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        FILE *file = *task->d_name == '.' ? NULL : fopen(path, "r");
        if (file && fscanf(file, "%lld %lld", &ran_ns, &waited_ns) == 2)
            now.waited_ns += waited_ns;
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);

    FILE *all = fopen("/proc/stat", "r");
    long long user, nice, system, idle, iowait, irq, softirq, steal;
    if (all && fscanf(all, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system,
                      &idle, &iowait, &irq, &softirq, &steal) == 8) {
        const int64_t unit_ns = 1000000000 / sysconf(_SC_CLK_TCK);
        now.busy_ns = (user + nice + system + irq + softirq) * unit_ns;
        now.stolen_ns = steal * unit_ns;
    }
    if (all)
        fclose(all);
    return now;
}

/* Exact to some ticks of 4 ms on each core; a window of this length is long enough for them. */
static const int64_t others_window_ns = 200000000, others_slack_ns = 30000000;

static inline struct others others_between(const struct processor_time *from,
                                           const struct processor_time *to) {
    const double wall_ns = (double)(to->wall_ns - from->wall_ns);
    const double ran_ns = (double)(to->ran_ns - from->ran_ns);
    const double waited_ns = fmax((double)(to->waited_ns - from->waited_ns), 0);
    const double others_ns = (double)(to->busy_ns - from->busy_ns - others_slack_ns) - ran_ns;
    const double stolen_ns = (double)(to->stolen_ns - from->stolen_ns - others_slack_ns);
    struct others o = {0, 0, 0, 0, 0};
    if (wall_ns > 0 && ran_ns > 0 && from->busy_ns > 0) {
        o.own = ran_ns / wall_ns;
        o.cores = fmax(others_ns, 0) / wall_ns;
        o.waited = waited_ns / (ran_ns + waited_ns);
        o.taken = fmax(fmin(waited_ns, others_ns), 0) / (ran_ns + waited_ns);
        o.stolen =
            fmax(stolen_ns, 0) / ((double)(to->busy_ns - from->busy_ns) + fmax(stolen_ns, 1));
    }
    return o;
}

/* What others did since `from`. `from` becomes now, unless it is less than the window ago: then it
 * stays, and the next row is judged together with this one. */
static inline struct others others_since(struct processor_time *from) {
    const struct processor_time now = processor_time_now();
    const struct others o = others_between(from, &now);
    if (now.wall_ns - from->wall_ns >= others_window_ns)
        *from = now;
    return o;
}

/* As others_since(), for a program that measures once. If that took less than the window, this
 * waits for the rest of it: what others and the host of a virtual machine do then stands for what
 * they did before. The threads' wait is exact: that of the run alone counts. */
static inline struct others others_of_run(const struct processor_time *from) {
    const struct processor_time end = processor_time_now();
    const int64_t short_ns = others_window_ns - (end.wall_ns - from->wall_ns);
    if (short_ns <= 0)
        return others_between(from, &end);
    sleep_for_ns(short_ns);
    const struct processor_time later = processor_time_now();
    const struct others longer = others_between(from, &later);
    struct others o = others_between(from, &end);
    const double ran_ns = (double)(end.ran_ns - from->ran_ns);
    o.cores = longer.cores;
    o.stolen = longer.stolen;
    o.taken = ran_ns > 0 ? fmin(o.waited, o.cores * (double)(end.wall_ns - from->wall_ns) *
                                              (1 - o.waited) / ran_ns)
                         : 0;
    return o;
}
