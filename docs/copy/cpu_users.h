/* SPDX-License-Identifier: MIT
 *
 * How much CPU time do others take, while a command runs or in this second, on the cores that it
 * may use? /proc/stat counts the work of all processes, also of those outside the container that we
 * may be in. Minus what the command takes, that is the others' time. A file to copy, with
 * gpu_users.h (whose process is it?), gpu_state.h and cpu_state.h. */
#pragma once

#include <ctype.h>
#include <sys/resource.h>

#include "gpu_users.h"

/* Half a core: the services of an idle machine take some percent, a
 * process that computes takes 100. */
enum { STEAL_PERCENT = 1, OTHERS_PERCENT = 50 };

struct cpu_time {
    double passed_s; /* this and the next: since the start of the machine; -1: not seen */
    double worked_s; /* for any process; in steps of 0.01 s, as passed_s */
    double own_s;    /* by this process, and all that it started */
};

/* Whether a list like "0-3,8" has the core. */
static inline bool has_core(const char *list, unsigned core) {
    for (unsigned first, last; *list; list += *list == ',') {
        char *end;
        first = last = (unsigned)strtoul(list, &end, 10);
        if (*end == '-')
            last = (unsigned)strtoul(end + 1, &end, 10);
        if (end == list || (core >= first && core <= last))
            return end != list;
        list = end;
    }
    return false;
}

/* Interrupts do not count: the kernel does not say for whom they are. */
static inline double worked_s(void) {
    char list[LINE], line[LINE];
    double ticks = 0, user, nice, system;
    unsigned core;
    FILE *file = fopen(ROOT "/proc/stat", "r");
    read_lines("/proc/self/status", "Cpus_allowed_list:\t", list);
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3]) &&
            sscanf(line + 3, "%u %lf %lf %lf", &core, &user, &nice, &system) == 4 &&
            has_core(list, core))
            ticks += user + nice + system;
    if (file)
        fclose(file);
    return ticks > 0 ? ticks / (double)sysconf(_SC_CLK_TCK) : -1;
}

static inline double used_s(int whose_time) {
    struct rusage used;
    if (getrusage(whose_time, &used) != 0)
        return 0;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* What still runs has not been waited for: proc(5) has its time, and that
 * of its children, in ticks. */
static inline double running_s(void) {
    double ticks = 0, t[4];
    DIR *processes = opendir(ROOT "/proc");
    for (struct dirent *d; processes && (d = readdir(processes));) {
        char path[64], text[LINE];
        const unsigned pid = (unsigned)strtoul(d->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%u/stat", pid);
        if (pid == 0 || pid == (unsigned)getpid() || owner_of(pid) != OURS ||
            !read_lines(path, "", text) || !strrchr(text, ')'))
            continue;
        if (sscanf(strrchr(text, ')'),
                   ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf %lf %lf", t, t + 1, t + 2,
                   t + 3) == 4)
            ticks += t[0] + t[1] + t[2] + t[3];
    }
    if (processes)
        closedir(processes);
    return ticks / (double)sysconf(_SC_CLK_TCK);
}

static inline struct cpu_time read_cpu_time(void) {
    char text[LINE];
    struct cpu_time now = {-1, worked_s(), used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN)};
    now.own_s += running_s();
    if (read_lines("/proc/uptime", "", text))
        now.passed_s = strtod(text, NULL);
    return now;
}

/* The others' CPU time, in percent of one core. -1: not seen; or in less than half a second, where
 * the steps are too coarse; or our own work is not counted in /proc/stat, as in some containers. */
static inline double others_percent(struct cpu_time from, struct cpu_time to) {
    const double passed = to.passed_s - from.passed_s, own = to.own_s - from.own_s;
    const double others = to.worked_s - from.worked_s - own;
    if (from.passed_s < 0 || from.worked_s < 0 || to.worked_s < 0 || passed < 0.5 ||
        others < -0.1 - 0.1 * own)
        return -1;
    return others > 0 ? 100 * others / passed : 0;
}

static inline const char *when_others(bool command) {
    return command ? " during the command" : "";
}

static inline void print_others(double percent, bool command) {
    fprintf(out, "others' CPU time%s: ", when_others(command));
    print_number("", "others_percent", percent >= 0, 0, percent, " % of one core\n");
    if (percent < 0)
        fputc('\n', out);
}

/* What disturbed. `others` in percent, `command`: whether there was one. */
static inline void judge_cpu(const struct cpu_state *from, const struct cpu_state *to,
                             double others, bool command) {
    if (from->cores > 0 && from->running >= from->cores)
        DISTURBED("%.0f others ran on the %u cores", from->running, from->cores);
    if (command && from->stolen >= 0 && to->stolen >= 0 && steal_percent(from, to) > STEAL_PERCENT)
        DISTURBED("other virtual machines took %.1f %% of the busy CPU time",
                  steal_percent(from, to));
    if (others > OTHERS_PERCENT)
        DISTURBED("others took %.0f %% of one core%s", others, when_others(command));
    if (command && from->throttled_ms >= 0 && to->throttled_ms > from->throttled_ms)
        DISTURBED("the cgroup's limit stopped the command for %.1f ms",
                  to->throttled_ms - from->throttled_ms);
}
