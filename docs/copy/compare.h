/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Which of two is faster, and how sure? What compare.c and compare.cu share: a file to copy.
 *
 * Times come in rounds, one of each candidate, in an order drawn at random for each round. If A and
 * B are equal, chance alone decides which of the two is longer, as with a fair coin, whatever the
 * noise does. So the k-th smallest and the k-th largest ratio B/A of the rounds enclose the true
 * median of the ratio. (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2 and 3.4.)
 *
 * That holds for one process. In the next one launches fall otherwise into their steps (see
 * cmp_step_us()), and buffers and code lie elsewhere: its ratio is another. So nine processes give
 * one ratio each. The second smallest and the second largest of nine enclose the median of all
 * processes with a probability of 96 %. Eight candidates have 28 ratios; the range of eleven
 * processes encloses all of them with 97 %, that of nine with 89 %. */
#pragma once

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CMP_MOST = 8 };         /* candidates: A to H */
static int cmp_candidates = 2; /* CMP_CANDIDATES may say more */
/* The columns of the record. Percent: how much more time B takes than A; more: how much more each
 * candidate takes than A. */
/* clang-format off */
enum { CMP_DIFFERENCE, CMP_LOW, CMP_HIGH, CMP_CONTROL, CMP_US = 6, CMP_SINGLE = CMP_US + CMP_MOST,
       CMP_MORE = CMP_SINGLE + CMP_MOST, CMP_EMPTY = CMP_MORE + CMP_MOST, CMP_COUNT,
       CMP_ROW, CMP_TICK, CMP_ALONE, CMP_STEP, CMP_LEAST, CMP_LATE, CMP_TIMED, CMP_WAITED,
       CMP_STOLEN, CMP_WARM, CMP_COLD, CMP_DISTURBED, CMP_COLUMNS };
/* clang-format on */

/* The name of a column; NULL: of a candidate that there is not. */
static inline const char *cmp_column(int c) {
    static const char *const before[] = {"difference_percent",  "low_percent",
                                         "high_percent",        "control_percent",
                                         "control_low_percent", "control_high_percent"};
    static const char *const each[] = {"median_%c_us", "single_%c_us", "more_%c_percent"};
    static const char *const after[] = {
        "empty_us",         "pairs",         "in_a_row",      "tick_ns",  "step_alone_ns",
        "step_in_a_row_ns", "least_percent", "late",          "timed",    "waited_percent",
        "stolen_percent",   "probe_warm_us", "probe_cold_us", "disturbed"};
    static char name[32];
    if (c < CMP_US)
        return before[c];
    if (c >= CMP_EMPTY)
        return after[c - CMP_EMPTY];
    snprintf(name, sizeof name, each[(c - CMP_US) / CMP_MOST], 'a' + (c - CMP_US) % CMP_MOST);
    return (c - CMP_US) % CMP_MOST < cmp_candidates ? name : NULL;
}

/* Microseconds of a launch of 'A', 'B', ...; which 0: of a spin. checked: it does not count. */
typedef double cmp_timer(char which, int checked, int clocks);
enum { CMP_PAIRS = 1 << 18, CMP_TIMES = 1 << 14, CMP_PROCESSES = 999, CMP_REPEATS = 3 };
/* Percent of its time for which a process may wait for a core, and which the host of a virtual
 * machine may take. With PoCL on two cores it waited for 5 to 17 % on the idle machine, for 44 to
 * 47 % beside one busy loop, for 49 to 56 % beside two. */
static const double cmp_most_waited = 25, cmp_most_stolen = 10;
struct cmp_rounds {
    double us[CMP_MOST][CMP_PAIRS];
    size_t count;
};
static struct {
    double seconds, percent; /* for one process; the smallest difference that matters */
    int processes, cold, first, row, delay; /* delay: in clocks, before a row */
    int among;                              /* so many kernels are compared in one night */
    double gate_percent;                    /* of --gate; 0: none, -1: auto */
    int fitting;                            /* how long may a row be? see cmp_fit_row() */
    FILE *record;                           /* of --csv; stdout: in place of the words */
    const char *clock;                      /* which time it is; NULL: times from elsewhere */
    const char *wanted;                     /* of --device */
    int is_cpu;                             /* the device is this processor */
    char device_name[256];
    unsigned char *before, *seen, spoilt; /* the result behind prepare(), and later; its filling */
    int version;                          /* of the input */
    struct cmp_rounds all, aa;            /* aa: A and A again, the control */
    /* Of each candidate, and last of an empty kernel. single: of one launch, the median. */
    double host_us[CMP_MOST + 1], single_us[CMP_MOST + 1];
    double outside_us[CMP_MOST + 1], least_us[CMP_MOST + 1]; /* see cmp_note() */
    int events_are_theirs; /* launch() gives the events (OpenCL): they may leave out a part */
    double times_us[CMP_TIMES], once_us, empty_us, launch_us;
    double alone_us, step_us;                           /* steps: see cmp_step_us() */
    double waited_percent, stolen_percent, probe_us[2]; /* see cmp_prove_cold() */
    char last_words[512];                               /* see cmp_limit() */
    size_t last_length;
    pid_t child;
    long long ran_clocks; /* of the last spin */
    size_t times, samples, late, too_short;
    double table[CMP_PROCESSES][CMP_COLUMNS];
    int rows, repeated, line; /* line: of standard input */
} cmp;

static inline int64_t cmp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A random number from 0 to n - 1. The clock is the seed, so each run gets others; a test that
 * wants the same ones again sets CMP_SEED. */
static inline int cmp_random(int n) {
    static uint64_t state;
    if (state == 0) {
        const char *seed = getenv("CMP_SEED");
        state = (seed ? strtoull(seed, NULL, 10) : (uint64_t)cmp_now_ns()) + 1;
    }
    state ^= state >> 12; /* xorshift64* (Vigna 2016), of which the upper bits are the good ones */
    state ^= state << 25;
    state ^= state >> 27;
    return (int)((state * 2685821657736338717u >> 32) * (uint64_t)n >> 32);
}

/* ---- Statistics ---- */

static inline int cmp_by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The largest k for which the k-th smallest and the k-th largest of n samples enclose the true
 * median, in `intervals` such intervals at once, with a probability of 95 % or more. 0: there is
 * none, n is too small. */
static inline size_t cmp_rank(size_t n, int intervals) {
    /* 14 deviations below n / 2 there is nothing to add. */
    const double far_below = (double)n / 2 - 7 * sqrt((double)n);
    size_t k = far_below > 0 ? (size_t)far_below : 0;
    double chance = exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
                        lgamma((double)(n - k) + 1) - (double)n * log(2)),
           sum = chance; /* that k or fewer of n coins show heads */
    while (k < n && sum <= 0.05 / 2 / intervals) {
        chance *= (double)(n - k) / (double)(k + 1);
        k++;
        sum += chance;
    }
    return k;
}

/* Sorts n samples. found: their median, and its interval. */
static inline void cmp_enclose(double *samples, size_t n, int intervals, double found[3]) {
    const size_t k = cmp_rank(n, intervals);
    qsort(samples, n, sizeof *samples, cmp_by_size);
    found[0] = n > 0 ? (samples[(n - 1) / 2] + samples[n / 2]) / 2 : 0;
    found[1] = k > 0 ? samples[k - 1] : -100; /* percent */
    found[2] = k > 0 ? samples[n - k] : INFINITY;
}

static inline double cmp_median(const double *samples, size_t n) {
    static double sorted[CMP_PAIRS];
    double found[3];
    memcpy(sorted, samples, n * sizeof *sorted);
    cmp_enclose(sorted, n, 1, found);
    return found[0];
}

/* The tick of the clock that gave these times: the smallest step from one to the next, the first
 * from 0. Stamps are whole nanoseconds, and a float has 24 bits (`relative`): times so close may be
 * the same number of ticks. With few times the answer is too large, which is safe. */
static inline double cmp_tick_us(double *times_us, size_t n, double relative) {
    double first = 0, last = 0, step = INFINITY, width = 0;
    qsort(times_us, n, sizeof *times_us, cmp_by_size);
    for (size_t i = 0; i < n; i++) {
        if (times_us[i] - first > 2 * (0.001 + relative * times_us[i])) {
            step = fmin(step, times_us[i] - last + relative * times_us[i]);
            first = times_us[i];
        }
        last = times_us[i];
        width = fmax(width, last - first);
    }
    return step < INFINITY ? step + width : 0;
}

/* The step in which a time grows with the length of what is timed: no repetition sees less.
 * Steps of h lie around a straight line with a deviation of h / sqrt(12). */
static inline double cmp_step_us(const double *length, const double *us, int n) {
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        x += length[i] / n;
        y += us[i] / n;
    }
    for (int i = 0; i < n; i++) {
        xx += (length[i] - x) * (length[i] - x);
        xy += (length[i] - x) * (us[i] - y);
        yy += (us[i] - y) * (us[i] - y);
    }
    return sqrt(12 * fmax(0, yy - xy * xy / xx) / (n - 2));
}

/* ---- Rounds, and the row that they give ---- */

/* A round with nothing left, after the empty kernel's time, is dropped. */
static inline void cmp_add(struct cmp_rounds *to, const double *us, int n) {
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        least = us[i] > 0 ? fmin(least, us[i]) : 0; /* not a number, too */
    if (!(least > 0)) {
        cmp.too_short++;
    } else if (to->count < CMP_PAIRS) {
        for (int i = 0; i < n; i++)
            to->us[i][to->count] = us[i];
        to->count++;
    }
}

/* How much more time, in percent, does candidate i take than j, by the rounds of this process? */
static inline void cmp_enclose_ratio(const struct cmp_rounds *of, int i, int j, int intervals,
                                     double found[3]) {
    static double percent[CMP_PAIRS];
    for (size_t r = 0; r < of->count; r++)
        percent[r] = 100 * (of->us[i][r] / of->us[j][r] - 1);
    cmp_enclose(percent, of->count, intervals, found);
}

static inline void cmp_add_row(double tick_us, double step_us) {
    double *row = cmp.table[cmp.rows++], least_us = INFINITY, found[3];
    for (int i = 0; i < cmp_candidates; i++) {
        cmp_enclose_ratio(&cmp.all, i, 0, 1, found);
        row[CMP_MORE + i] = found[0];
        row[CMP_US + i] = cmp_median(cmp.all.us[i], cmp.all.count);
        least_us = fmin(least_us, row[CMP_US + i]);
        if (cmp.row > 1)
            row[CMP_SINGLE + i] = cmp.single_us[i] - cmp.single_us[CMP_MOST];
    }
    cmp_enclose_ratio(&cmp.all, 1, 0, 1, row);
    cmp_enclose_ratio(&cmp.aa, 1, 0, 1, row + CMP_CONTROL);
    row[CMP_LEAST] =
        100 * fmax(tick_us / cmp.row, step_us) / (cmp_candidates > 2 ? least_us : row[CMP_US]);
    row[CMP_EMPTY] = cmp.launch_us;
    row[CMP_COUNT] = (double)cmp.all.count;
    row[CMP_ROW] = cmp.row;
    row[CMP_TICK] = 1e3 * tick_us;
    row[CMP_ALONE] = 1e3 * cmp.alone_us;
    row[CMP_STEP] = 1e3 * step_us;
    row[CMP_LATE] = (double)cmp.late;
    row[CMP_TIMED] = (double)cmp.samples;
    row[CMP_WAITED] = cmp.waited_percent;
    row[CMP_STOLEN] = cmp.stolen_percent;
    row[CMP_WARM] = cmp.probe_us[0];
    row[CMP_COLD] = cmp.probe_us[1];
    row[CMP_DISTURBED] = cmp.late > cmp.samples / 4 || cmp.waited_percent > cmp_most_waited ||
                         cmp.stolen_percent > cmp_most_stolen;
}

/* ---- While it measures ---- */

static inline const char *cmp_name(char which) {
    static char letter[2];
    letter[0] = which;
    return which >= 'A' && which <= 'H' ? letter : which ? "a process" : "an empty kernel";
}

static inline int cmp_index(char which) {
    return which ? which - 'A' : CMP_MOST;
}

/* Ends with 1: names A or B, and what it does in place of its work. */
__attribute__((noreturn, format(printf, 2, 3))) static inline void
cmp_refuse(char which, const char *format, ...) {
    va_list numbers;
    fprintf(stderr, "%s ", cmp_name(which));
    va_start(numbers, format);
    vfprintf(stderr, format, numbers);
    va_end(numbers);
    fprintf(stderr, "\n");
    exit(1);
}

/* For the clock's tick; for a host that waits a millisecond too long, or works in launch(). us: by
 * the device's stamps; host_us: of launch(); all_us: from before launch() until the host
 * knew that all was over. No stamps enclose more than that. */
static inline void cmp_note(char which, double us, double all_us, double host_us) {
    const int i = cmp_index(which);
    if (us > 1.02 * all_us + 10)
        cmp_refuse(which,
                   "took %.2f us by the device's clock, but the host waited for %.2f us: such "
                   "stamps cannot be right",
                   us, all_us);
    if (cmp.times < CMP_TIMES)
        cmp.times_us[cmp.times++] = us;
    cmp.samples++;
    cmp.late += all_us - us > 1000;
    if (all_us - us < cmp.outside_us[i]) {
        cmp.outside_us[i] = all_us - us;
        cmp.least_us[i] = us;
    }
    if (which)
        cmp.host_us[i] = fmin(cmp.host_us[i], host_us / cmp.row);
}

/* Does the host wait longer for a launch, each time, than its events, launch() and an empty kernel
 * explain? Then the events do not enclose all of its work. */
static inline void cmp_check_outside(char which) {
    const int i = cmp_index(which);
    const double more_us = cmp.outside_us[i] - cmp.outside_us[CMP_MOST] - cmp.host_us[i] * cmp.row;
    if (more_us > 20 + cmp.least_us[i] / 4)
        cmp_refuse(which,
                   "took %.2f us by its events, but the host waited for %.2f us more than for an "
                   "empty kernel, each time: do the events enclose all of its work?",
                   cmp.least_us[i], more_us);
}

/* Behind prepare(). */
static inline void cmp_expect_wrong(char which, long wrong) {
    if (wrong < 0)
        cmp_refuse(which, "cannot be checked: its result is right before it is launched");
}

/* Of a right result: is it wrong for another version? */
static inline void cmp_expect_other(char which, long wrong) {
    if (wrong < 0)
        cmp_refuse(which, "cannot be checked: first_wrong() accepts the result of another version: "
                          "is the input the same, or zero?");
}

/* No wait is without end: after so many seconds these are the program's last words. */
static inline void cmp_on_alarm(int number) {
    (void)number;
    if (cmp.child > 0)
        kill(cmp.child, SIGKILL);
    _exit(write(STDERR_FILENO, cmp.last_words, cmp.last_length) > 0 ? 1 : 3);
}
static inline void cmp_limit(unsigned seconds, char which, const char *words) {
    alarm(0);
    snprintf(cmp.last_words, sizeof cmp.last_words, "%s %s (%s)\n", cmp_name(which), words,
             cmp.device_name);
    cmp.last_length = strlen(cmp.last_words);
    signal(SIGALRM, cmp_on_alarm);
    alarm(seconds);
}

/* Milliseconds for which all threads of this process ran, and for which they were ready and had no
 * core, and which the host of a virtual machine took from all cores. All 0 where Linux does not
 * say it. Source: Documentation/scheduler/sched-stats.rst, proc(5). */
static inline void cmp_cpu_ms(double ms[3]) {
    unsigned long long ran_ns, waited_ns, stolen = 0;
    DIR *tasks = opendir("/proc/self/task");
    ms[0] = ms[1] = 0;
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        char path[300];
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        FILE *file = *task->d_name == '.' ? NULL : fopen(path, "r");
        if (file && fscanf(file, "%llu %llu", &ran_ns, &waited_ns) == 2) {
            ms[0] += (double)ran_ns / 1e6;
            ms[1] += (double)waited_ns / 1e6;
        }
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    FILE *all = fopen("/proc/stat", "r"); /* user nice system idle iowait irq softirq steal */
    if (!all || fscanf(all, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) != 1)
        stolen = 0;
    if (all)
        fclose(all);
    ms[2] = (double)stolen * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

/* While launches are held: waits until those that are not held would have ended. */
static inline void cmp_wait(int launches) {
    const double most_ns = fmin(2e3 * launches * cmp.once_us, 1e8) + 1e5;
    for (const int64_t begin_ns = cmp_now_ns(); (double)(cmp_now_ns() - begin_ns) < most_ns;) {
    }
}

/* While launches are held nothing may change. Returns whether to look again: of each for the first
 * 0.1 s, because on a busy machine work in another stream may start late. */
static inline int cmp_watch(char which, size_t bytes) {
    static int64_t ends_ns[CMP_MOST];
    int64_t *end_ns = &ends_ns[cmp_index(which)];
    if (memcmp(cmp.seen, cmp.before, bytes) != 0)
        cmp_refuse(which, "ran before its turn: its work is in another stream");
    if (*end_ns == 0)
        *end_ns = cmp_now_ns() + 100000000;
    return cmp_now_ns() < *end_ns;
}

/* A launch whose result was wrong when its last event was complete: why? By now all is over. */
static inline void cmp_judge(char which, size_t bytes, long (*first_wrong)(const void *, int)) {
    size_t same = 0;
    const long wrong = first_wrong(cmp.seen, cmp.version);
    while (same < bytes && cmp.seen[same] == cmp.spoilt)
        same++;
    if (wrong < 0)
        cmp_refuse(which, "left work for later: it was not finished when the event behind it was");
    if (same == bytes || memcmp(cmp.seen, cmp.before, bytes) == 0)
        cmp_refuse(which, "did nothing: its result is as it was before");
    for (int old = 1; old < 1000; old++)
        if (first_wrong(cmp.seen, old) < 0)
            cmp_refuse(which, "left a stale result: that of another input, which it had before");
    cmp_refuse(which, "is wrong at element %ld of its result: a fast wrong kernel is no kernel",
               wrong);
}

/* Adds a round, in random order. The empty kernel's time is in none: a constant that all share
 * would make the difference look smaller. */
static inline void cmp_compare(cmp_timer *time_us, struct cmp_rounds *to, const char *names) {
    const int n = (int)strlen(names);
    int order[CMP_MOST];
    double us[CMP_MOST];
    for (int i = 0; i < n; i++) {
        const int from = i - cmp_random(i + 1);
        order[i] = order[from];
        order[from] = i;
    }
    cmp.delay = 1 + cmp_random(2048); /* to 1 us, the same for all */
    for (int i = 0; i < n; i++)
        us[order[i]] = time_us(names[order[i]], 0, 0) - cmp.empty_us;
    cmp_add(to, us, n);
}

/* Of spins in a row of cmp.row, each 64 clocks longer than the one before; if so few clocks make
 * no more than three steps, each 256 or 1024 clocks longer. */
static inline double cmp_measure_step(cmp_timer *time_us) {
    enum { LENGTHS = 24, TIMES = 9 };
    double us[TIMES], clocks[TIMES], all_us[LENGTHS], all_clocks[LENGTHS];
    for (int more = 64;; more *= 4) {
        double rise = 0;
        for (int i = 0; i < LENGTHS; i++) {
            const int l = 7 * i % LENGTHS; /* not in their order */
            for (int time = 0; time < TIMES; time++) {
                us[time] = time_us(0, 0, 5000 + more * l);
                clocks[time] = (double)cmp.ran_clocks;
            }
            all_us[l] = cmp_median(us, TIMES);
            all_clocks[l] = cmp_median(clocks, TIMES);
        }
        for (int l = 1; l < LENGTHS; l++)
            rise = fmax(rise, all_us[l] - all_us[l - 1]);
        if (more == 1024 || all_us[LENGTHS - 1] - all_us[0] > 3 * rise)
            return cmp_step_us(all_clocks, all_us, LENGTHS);
    }
}

/* What an empty kernel costs. In a row: what one more adds, without the events and the delay. */
static inline double cmp_launch_us(cmp_timer *time_us, int longest_row) {
    enum { TIMES = 51 };
    double us[2][TIMES], more[2];
    const int row = cmp.row, rows[] = {1, row > 1 ? row : 2};
    if (longest_row == 0)
        return cmp.empty_us;
    for (int i = 0; i < 2 * TIMES; i++) {
        cmp.row = rows[i % 2];
        cmp.delay = 1 + cmp_random(2048);
        us[i % 2][i / 2] = cmp.row * time_us(0, 0, 0);
    }
    cmp.row = row;
    for (int i = 0; i < 2; i++)
        more[i] = cmp_median(us[i], TIMES);
    return (more[1] - more[0]) / (rows[1] - 1);
}

/* Is what --cold does enough? A probe of some memory takes longer behind the other data than when
 * it has just been read. The device's own answers to how large its caches are, are not believed.
 * which 0: the probe is read again; 1: behind the other data; 2: an empty kernel in its place. */
static inline void cmp_prove_cold(double (*probe_us)(int which)) {
    enum { TIMES = 11 };
    double us[3][TIMES];
    for (int i = 0; i < 3 * TIMES; i++)
        us[i % 3][i / 3] = probe_us(i % 3);
    const double empty_us = cmp_median(us[2], TIMES);
    for (int i = 0; i < 2; i++)
        cmp.probe_us[i] = cmp_median(us[i], TIMES) - empty_us;
}

/* A stream's queue holds about a thousand commands; one more makes the host wait until the device
 * takes one, which it does only when the gate gives up. So a row that does not fit is halved. */
static inline void cmp_fit_row(cmp_timer *time_us) {
    cmp.fitting = 1;
    for (int i = 0; i < cmp_candidates && cmp.row > 1; i++)
        while (cmp.row > 1 && time_us((char)('A' + i), 0, 0) < 0)
            cmp.row /= 2;
    cmp.fitting = 0;
}

/* A whole process, behind the warm-up. longest_row 0: there are neither rows nor spins. Returns 1
 * if the times are of no use. */
static inline int cmp_measure(cmp_timer *time_us, int longest_row, double relative) {
    enum { EMPTIES = 101, SINGLES = 11 };
    char names[CMP_MOST + 1] = "ABCDEFGH";
    double empties_us[EMPTIES], singles_us[CMP_MOST + 1][SINGLES], host_us = 0, before_ms[3],
                                                                   now_ms[3] = {0};
    names[cmp_candidates] = 0; /* also an empty kernel's name */
    cmp.once_us = INFINITY;
    for (int i = 0; i < SINGLES * (cmp_candidates + 1); i++) {
        const char which = names[i % (cmp_candidates + 1)];
        singles_us[cmp_index(which)][i / (cmp_candidates + 1)] = time_us(which, 0, 0);
    }
    cmp.single_us[CMP_MOST] = cmp_median(singles_us[CMP_MOST], SINGLES);
    for (int i = 0; i < cmp_candidates; i++) {
        cmp.single_us[i] = cmp_median(singles_us[i], SINGLES);
        cmp.once_us = fmin(cmp.once_us, cmp.single_us[i]);
        host_us = fmax(host_us, cmp.host_us[i]);
    }
    if (longest_row > 0)
        cmp.alone_us = cmp.step_us = cmp_measure_step(time_us);
    /* A row of 5 ms: what is off is off once a row. On the host it may take 100 ms. */
    const double each_us = fmax(cmp.once_us, host_us / 20);
    if (longest_row > 1 && !cmp.cold && each_us < 2500) {
        cmp.row = (int)fmin(5000 / each_us, longest_row);
        cmp_fit_row(time_us);
        cmp.step_us = cmp_measure_step(time_us);
    }
    for (int i = 0; i < 8 * cmp_candidates; i++)
        time_us(names[i % cmp_candidates], 1, 0);
    for (int i = 0; i <= CMP_MOST; i++)
        cmp.outside_us[i] = INFINITY;
    const int empties =
        cmp.cold && longest_row == 0 ? 21 : EMPTIES; /* a processor's caches take long */
    for (int i = 0; i < empties; i++) {
        cmp.delay = 1 + cmp_random(2048);
        empties_us[i] = time_us(0, 0, 0);
    }
    cmp.empty_us = cmp_median(empties_us, (size_t)empties);
    cmp.launch_us = cmp_launch_us(time_us, longest_row);
    const int64_t begin_ns = cmp_now_ns();
    cmp_cpu_ms(before_ms);
    cmp.samples = cmp.late = 0;
    /* part: of the time. A slow machine has 16 rounds all the same, in ten times as long. */
    double part = 0;
    for (int round = 0; part < 1 || (cmp.all.count < 16 && part < 10); round++) {
        cmp_compare(time_us, &cmp.all, names);
        if (round % 4 == 0)
            cmp_compare(time_us, &cmp.aa, "AA");
        if (cmp_random(8) == 0)
            time_us(names[cmp_random(cmp_candidates)], 1, 0);
        part = (double)(cmp_now_ns() - begin_ns) / 1e9 / cmp.seconds;
    }
    alarm(0);
    if (cmp.is_cpu) { /* of a GPU's work these clocks say nothing */
        cmp_cpu_ms(now_ms);
        for (int i = 0; i < 3; i++)
            now_ms[i] -= before_ms[i];
        cmp.waited_percent = 100 * now_ms[1] / fmax(1e-3, now_ms[0] + now_ms[1]);
        cmp.stolen_percent = 100 * now_ms[2] / fmax(1e-3, now_ms[0] + now_ms[2]);
    }
    if (cmp.all.count < 50 * cmp.too_short) { /* without the others the ratio would be too near 1 */
        fprintf(stderr, "the launches are too short for this device's clock, or it is disturbed\n");
        return 1;
    }
    cmp_add_row(cmp_tick_us(cmp.times_us, cmp.times, relative), cmp.step_us);
    for (int i = 0; i < cmp_candidates; i++) {
        if (cmp.events_are_theirs)
            cmp_check_outside(names[i]);
        if (cmp.host_us[i] > 100 && cmp.host_us[i] > 3 * cmp.table[0][CMP_US + i])
            cmp_refuse(names[i], "keeps the host for %ld us in launch(), which is in no time here",
                       lround(cmp.host_us[i]));
    }
    return 0;
}
