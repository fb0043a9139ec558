/* SPDX-License-Identifier: MIT
 *
 * What Linux tells of the processor while you measure: files below /proc and /sys (proc(5); the
 * kernel's documentation of cgroup v2 and of cpufreq). A file to copy. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ROOT /* the tests put a /proc and a /sys of their own below it */
#define ROOT ""
#endif
enum { LINE = 1024 };

struct cpu_state {
    unsigned cores;      /* 0: not seen */
    double load;         /* the mean of the last minute; this and the next four: -1: not seen */
    double running;      /* processes besides this one that run now, or wait for a core */
    double busy, stolen; /* of all cores, in ticks, since the start of the machine */
    double throttled_ms; /* for how long the cgroup's limit stopped us so far */
    char governor[LINE]; /* "": not seen */
    const char *turbo;   /* "on", "off"; NULL: not seen */
    char limit[LINE];    /* cpu.max of the cgroup: "QUOTA PERIOD", us or "max"; "": not seen */
};

/* How many lines of a file begin with `start`. In `text`, what follows it in the first of them. */
static inline unsigned read_lines(const char *path, const char *start, char text[LINE]) {
    char whole[3 * LINE], line[LINE];
    unsigned count = 0;
    snprintf(whole, sizeof whole, "%s%s", ROOT, path);
    FILE *file = fopen(whole, "r");
    text[0] = '\0';
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, start, strlen(start)) == 0 && count++ == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, LINE, "%s", line + strlen(start));
        }
    if (file)
        fclose(file);
    return count;
}

/* The same of a file of this process's own cgroup. Only version 2 is looked
 * at, and no group above it. */
static inline bool read_cgroup(const char *file, const char *start, char text[LINE]) {
    char group[LINE], path[2 * LINE];
    if (!read_lines("/proc/self/cgroup", "0::", group))
        return false;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, file);
    return read_lines(path, start, text) > 0;
}

static inline struct cpu_state read_cpu_state(void) {
    struct cpu_state now;
    double t[8]; /* user, nice, system, idle, iowait, irq, softirq, steal */
    char text[LINE];
    memset(&now, 0, sizeof now);
    now.load = now.running = now.busy = now.stolen = now.throttled_ms = -1;

    const unsigned lines = read_lines("/proc/stat", "cpu", text);
    now.cores = lines > 0 ? lines - 1 : 0; /* the first line is the sum of the others */
    if (sscanf(text, "%lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6,
               t + 7) == 8) {
        now.busy = t[0] + t[1] + t[2] + t[5] + t[6] + t[7]; /* idle cores would hide the steal */
        now.stolen = t[7];
    }
    if (!read_lines("/proc/loadavg", "", text) ||
        sscanf(text, "%lf %*f %*f %lf", &now.load, &now.running) != 2)
        now.load = now.running = -1;
    now.running -= now.running > 0; /* this process */
    if (read_cgroup("cpu.stat", "throttled_usec ", text))
        now.throttled_ms = strtod(text, NULL) / 1e3;
    read_cgroup("cpu.max", "", now.limit);
    read_lines("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", now.governor);
    if (read_lines("/sys/devices/system/cpu/intel_pstate/no_turbo", "", text))
        now.turbo = *text == '0' ? "on" : "off";
    else if (read_lines("/sys/devices/system/cpu/cpufreq/boost", "", text))
        now.turbo = *text == '1' ? "on" : "off";
    return now;
}

/* What people read; the record, for programs, or NULL; and what disturbed, in memory. */
static FILE *out, *record, *verdict;
#define DISTURBED(...) (fputs(ftell(verdict) ? "; " : "", verdict), fprintf(verdict, __VA_ARGS__))

/* A line of the record: "# name,value". What this machine does not show has none. */
__attribute__((format(printf, 1, 2))) static inline void note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (record) {
        fputs("# ", record);
        vfprintf(record, format, arguments);
        fputc('\n', record);
    }
    va_end(arguments);
}

/* Prints `before`, and then the value, or that this machine does not show it. */
__attribute__((format(printf, 3, 4))) static inline void print_seen(const char *before, bool seen,
                                                                    const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs(before, out);
    if (seen)
        vfprintf(out, format, arguments);
    else
        fputs("not to be seen here", out);
    va_end(arguments);
}

/* The same of a number, which the record has under `name`. */
static inline void print_number(const char *before, const char *name, bool seen, int places,
                                double x, const char *after) {
    print_seen(before, seen, "%.*f%s", places, x, after);
    if (seen)
        note("%s,%.*f", name, places, x);
}

/* The same of a text. */
static inline void print_text(const char *before, const char *name, bool seen, const char *text) {
    print_seen(before, seen, "%s", text);
    if (seen)
        note("%s,%s", name, text);
}

/* The part of the busy CPU time that other virtual machines took, in percent. */
static inline double steal_percent(const struct cpu_state *from, const struct cpu_state *to) {
    const double busy = to->busy - from->busy;
    return busy > 0 ? 100 * (to->stolen - from->stolen) / busy : 0;
}

/* `from` NULL: the machine now. Its counters began with its start. */
static inline void print_cpu_state(const struct cpu_state *from, const struct cpu_state *to) {
    static struct cpu_state start; /* all zeros */
    const char *share = from ? " % of the busy CPU time during the command"
                             : " % of the busy CPU time since the start";
    const char *time = from ? " ms during the command" : " ms since the start";
    long quota, period;
    print_number("cores: ", "cores", to->cores > 0, 0, to->cores, "");
    print_text("\ngovernor: ", "governor", *to->governor, to->governor);
    if (*to->governor && strcmp(to->governor, "performance") != 0)
        fputs(", so the clock rate may change", out);
    print_text("\nturbo: ", "turbo", to->turbo, to->turbo);
    if (from)
        print_number("\nload before: ", "load", from->load >= 0, 2, from->load, "");
    print_number(from ? "; after: " : "\nload: ", from ? "load_after" : "load", to->load >= 0, 2,
                 to->load, "");
    const double running = from ? from->running : to->running;
    print_number(from ? "\nothers running before: " : "\nothers running: ", "others_running",
                 running >= 0, 0, running, "");
    from = from ? from : &start;
    print_number("\nsteal: ", "steal_percent", to->stolen >= 0, 2, steal_percent(from, to), share);
    if (sscanf(to->limit, "%ld %ld", &quota, &period) == 2 && period > 0)
        print_number("\nlimit by cgroup v2: ", "cgroup_limit_cores", true, 2,
                     (double)quota / (double)period, " cores");
    else
        print_text("\nlimit by cgroup v2: ", "cgroup_limit_cores", *to->limit, "none");
    print_number(
        to->throttled_ms >= 0 ? "\nstopped by cgroup v2: for " : "\nstopped by cgroup v2: ",
        "cgroup_stopped_ms", to->throttled_ms >= 0, 1, to->throttled_ms - from->throttled_ms, time);
    fputc('\n', out);
}
