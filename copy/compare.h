/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Which of two is faster, and how sure? What compare.c and compare.cu share: a file to copy.
 *
 * Times come in rounds, one of each candidate, in random order. If A and B are equal, chance alone
 * decides which one is longer, as with a fair coin, whatever the noise does. So the k-th smallest
 * and the k-th largest ratio B/A enclose the true median of the ratio. (Conover, Practical
 * Nonparametric Statistics, 3rd ed., 3.2 and 3.4.) In another process buffers and code lie
 * elsewhere, and launches fall otherwise into their steps: its ratio is another. So nine processes
 * give one ratio each; the second smallest and the second largest of nine enclose the median of all
 * processes with 96 %. Of eight candidates all 28 ratios are in the range of eleven with 97 %. */
#pragma once

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CMP_MOST = 8, CMP_RUNS = 1 << 18, CMP_TIMES = 1 << 14, CMP_PROCESSES = 999 };
static int cmp_candidates = 2; /* A to H; CMP_CANDIDATES may say more */
static char cmp_device_name[256];
static int cmp_is_cpu; /* the device is this processor */

struct cmp_interval { /* a median, and what encloses the true one */
    double middle, low, high;
};
/* What a process finds. Through a pipe it tells the one that started it. */
struct cmp_found {
    char device_name[sizeof cmp_device_name], doubt[160]; /* why not to believe it, or "" */
    /* From here on numbers: what all processes say together is the median of each. */
    struct cmp_interval difference;            /* percent that B takes more than A */
    double us[CMP_MOST], more[CMP_MOST];       /* more: percent, than A */
    double mhz[CMP_MOST], first_mhz, last_mhz; /* of an SM's clock; A's first fifth, and last */
    double seconds, empty_us, rounds, in_a_row, tick_ns, least, disturbed;
};

/* ---- What compare.c and compare.cu define ---- */

enum cmp_how {
    CMP_TIMED,
    CMP_CHECKED, /* the result is checked, and the time does not count */
    CMP_FITTING  /* does the row fit into the stream's queue? -1: no */
};
/* Microseconds of a launch of 'A', 'B', ..., or of an empty kernel if which is 0: one of so many in
 * a row. */
static double cmp_time_us(char which, int row, enum cmp_how how);
static void cmp_look_again(void); /* copies the result to cmp.seen, when all is over */
static long first_wrong(const void *copy, int version);

/* ---- The state of a run ---- */

static struct {
    double seconds;                   /* for one process */
    int processes, first, row, delay; /* delay: in clocks, before a row */
    const char *wanted;               /* of --device */
    FILE *record;                     /* of --csv */
    unsigned char *before, *seen;     /* the result behind prepare(), and later */
    int version;                      /* of the input */
    double us[CMP_MOST][CMP_RUNS], mhz[CMP_MOST][CMP_RUNS]; /* of each round; mhz: an SM's clock */
    size_t rounds;
    /* Of each candidate, and last of an empty kernel: see cmp_note(). */
    double host_us[CMP_MOST + 1], outside_us[CMP_MOST + 1], least_us[CMP_MOST + 1];
    double times_us[CMP_TIMES], once_us, empty_us;
    int events_are_theirs; /* launch() gives the events (OpenCL): they may leave out a part */
    double clock_mhz; /* of an SM, behind the last row; not a number in OpenCL: nobody can tell */
    size_t times, samples, late, too_short;
    struct cmp_found table[CMP_PROCESSES]; /* of a process: the first one is its own */
    int rows, repeated, answer_to;         /* the pipe to the process that started this one, or 0 */
    char last_words[512];                  /* see cmp_limit() */
    pid_t child;
} cmp;

static inline int64_t cmp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A random number from 0 to n - 1; the clock is the seed, or CMP_SEED. */
static inline int cmp_random(int n) {
    static uint64_t state;
    const char *seed = getenv("CMP_SEED");
    if (state == 0)
        state = (seed ? strtoull(seed, NULL, 10) : (uint64_t)cmp_now_ns()) + 1;
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

/* Of n samples the one that so many percent of them are below. */
static inline double cmp_percentile(const double *samples, size_t n, size_t percent) {
    static double sorted[CMP_RUNS];
    qsort(memcpy(sorted, samples, n * sizeof *sorted), n, sizeof *sorted, cmp_by_size);
    return sorted[n * percent / 100];
}

/* Percent that the last fifth of the runs takes more than the first; 0 if more than a quarter of
 * each is within the other, or a fifth is fewer than five. */
static inline double cmp_drift(const double *first, size_t n) {
    const size_t k = n / 5;
    const double *last = first + n - k;
    if (k < 5 || (cmp_percentile(first, k, 75) >= cmp_percentile(last, k, 25) &&
                  cmp_percentile(last, k, 75) >= cmp_percentile(first, k, 25)))
        return 0;
    return 100 * (cmp_percentile(last, k, 50) / cmp_percentile(first, k, 50) - 1);
}

/* The largest k for which the k-th smallest and the k-th largest of n samples enclose the true
 * median, in so many intervals at once, with 95 % or more. 0: there is none, n is too small. */
static inline size_t cmp_rank(size_t n, int intervals) {
    const double coins = (double)n;
    size_t k = (size_t)fmax(0, coins / 2 - 7 * sqrt(coins)); /* less: nothing to add */
    for (double heads = 0;; k++) { /* the chance that k or fewer of n coins show heads */
        heads += exp(lgamma(coins + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
                     coins * log(2));
        if (heads > 0.05 / 2 / intervals || k == n)
            return k;
    }
}

/* Percent: without an interval it is from -100 to infinity. */
static inline struct cmp_interval cmp_enclose(const double *samples, size_t n, int intervals) {
    static double sorted[CMP_RUNS];
    const size_t k = cmp_rank(n, intervals);
    qsort(memcpy(sorted, samples, n * sizeof *sorted), n, sizeof *sorted, cmp_by_size);
    const struct cmp_interval found = {n > 0 ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : 0,
                                       k > 0 ? sorted[k - 1] : -100,
                                       k > 0 ? sorted[n - k] : INFINITY};
    return found;
}

static inline double cmp_median(const double *samples, size_t n) {
    return cmp_enclose(samples, n, 1).middle;
}

/* The tick of the clock that gave these times: the smallest step from one to the next, the first
 * from 0. Stamps are whole nanoseconds, and a float has 24 bits (`relative`): times so close may be
 * the same number of ticks. With few times the answer is too large, which is safe. */
static inline double cmp_tick_us(double *times_us, size_t n, double relative) {
    double tick = INFINITY;
    qsort(times_us, n, sizeof *times_us, cmp_by_size);
    for (size_t i = 0; i < n; i++) {
        const double step = times_us[i] - (i > 0 ? times_us[i - 1] : 0);
        if (step > 2 * (0.001 + relative * times_us[i]))
            tick = fmin(tick, step);
    }
    return tick < INFINITY ? tick : 0;
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
#define CMP_REFUSE(which, ...)                                                                     \
    (fprintf(stderr, "%s ", cmp_name(which)), fprintf(stderr, __VA_ARGS__), exit(1))

/* No wait is without end: after so many seconds these are the program's last words. */
static inline void cmp_on_alarm(int number) {
    (void)number;
    if (cmp.child > 0)
        kill(cmp.child, SIGKILL);
    _exit(write(STDERR_FILENO, cmp.last_words, strlen(cmp.last_words)) > 0 ? 1 : 3);
}
static inline void cmp_limit(unsigned seconds, char which, const char *words) {
    alarm(0);
    snprintf(cmp.last_words, sizeof cmp.last_words, "%s %s (%s)\n", cmp_name(which), words,
             cmp_device_name);
    alarm(seconds);
}

/* us: by the device's stamps; host_us: of a launch(); all_us: until the host knew of the end. */
static inline void cmp_note(char which, double us, double all_us, double host_us) {
    const int i = cmp_index(which);
    if (us > 1.02 * all_us + 10)
        CMP_REFUSE(which, "impossible: took %.2f us, and the host waited %.2f us\n", us, all_us);
    if (cmp.times < CMP_TIMES)
        cmp.times_us[cmp.times++] = us;
    cmp.samples++;
    cmp.late += all_us - us > 1000;
    if (all_us - us < cmp.outside_us[i]) {
        cmp.outside_us[i] = all_us - us;
        cmp.least_us[i] = us;
    }
    cmp.host_us[i] = fmin(cmp.host_us[i], host_us);
}

/* In ms: this program ran, its threads waited for a core, all cores worked, a VM's host did. */
static struct {
    double ran, waited, busy, stolen;
    int is_seen;
} cmp_counts;
/* Counts, with -1 at the begin and with 1 at the end: proc(5), the kernel's sched-stats.rst. */
static inline void cmp_count(int sign) {
    const double tick_ms = sign * 1e3 / (double)sysconf(_SC_CLK_TCK);
    double waited_ns, user = 0, nice = 0, system = 0, steal = 0;
    int threads = 0;
    glob_t files;
    glob("/proc/self/task/*/schedstat", 0, NULL, &files);
    glob("/proc/stat", GLOB_APPEND, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        if (!file)
            continue; /* the thread has ended */
        if (fscanf(file, "%*f %lf", &waited_ns) == 1) {
            cmp_counts.waited += sign * waited_ns / 1e6;
            threads++;
        } else if (fscanf(file, "cpu %lf %lf %lf %*f %*f %*f %*f %lf", &user, &nice, &system,
                          &steal) == 4) {
            cmp_counts.busy += tick_ms * (user + nice + system);
            cmp_counts.stolen += tick_ms * steal;
        }
        fclose(file);
    }
    globfree(&files);
    cmp_counts.ran += sign * 1e3 * (double)clock() / CLOCKS_PER_SEC;
    cmp_counts.is_seen = threads > 0 && user + nice + system > 0; /* some systems show zeros */
}

/* NULL, or why not to believe a time on a processor: for over a tenth of its time this program
 * waited while others ran, or the host of the virtual machine did. Its threads also wait for each
 * other, but then no core works for others: with PoCL on two quiet cores 3 % at most, beside one
 * busy loop 31 % and more. 30 ms: a few ticks. */
static inline const char *cmp_doubt_cores(void) {
    const double ran = cmp_counts.ran, waited = cmp_counts.waited, busy = cmp_counts.busy;
    const double stolen = fmax(0, cmp_counts.stolen - 30);
    if (!cmp_counts.is_seen)
        return "unknown: /proc does not show other programs";
    if (fmin(busy - ran - 30, waited) > 0.1 * (ran + waited))
        return "others had the processor";
    return stolen > 0.1 * (busy + stolen) ? "the host of this virtual machine had its cores" : NULL;
}

/* While launches are held: waits until those that are not held would have ended. */
static inline void cmp_wait(int launches) {
    const double most_ns = fmin(2e3 * launches * cmp.once_us, 1e8) + 1e5;
    for (const int64_t begin_ns = cmp_now_ns(); (double)(cmp_now_ns() - begin_ns) < most_ns;) {
    }
}

/* While launches are held nothing may change. Returns whether to look again: of each for 0.1 s,
 * because on a busy machine work in another stream may start late. */
static inline int cmp_watch(char which, size_t bytes) {
    static int64_t ends_ns[CMP_MOST];
    int64_t *end_ns = &ends_ns[cmp_index(which)];
    if (memcmp(cmp.seen, cmp.before, bytes) != 0)
        CMP_REFUSE(which, "ran before its turn: its work is in another stream\n");
    if (*end_ns == 0)
        *end_ns = cmp_now_ns() + 100000000;
    return cmp_now_ns() < *end_ns;
}

#define CMP_RIGHT_BEFORE "cannot be checked: its result is right before it is launched\n"
/* Is what was seen right, and of this input and no other? If not when the last event was: why? */
static inline void cmp_check_result(char which, size_t bytes) {
    if (first_wrong(cmp.seen, cmp.version) < 0) {
        if (first_wrong(cmp.seen, 1 + cmp.version % 999) >= 0)
            return;
        CMP_REFUSE(which, "cannot be checked: another input's result is right, too: all 0?\n");
    }
    cmp_look_again();
    const long wrong = first_wrong(cmp.seen, cmp.version);
    if (wrong < 0)
        CMP_REFUSE(which, "left work for later: it was not finished at its last event\n");
    if (memcmp(cmp.seen, cmp.before, bytes) == 0)
        CMP_REFUSE(which, "did nothing: its result is as it was before\n");
    for (int old = 1; old < 1000; old++)
        if (first_wrong(cmp.seen, old) < 0)
            CMP_REFUSE(which, "left a stale result: that of another input, which it had before\n");
    CMP_REFUSE(which, "is wrong at element %ld of its result: a fast wrong kernel is no kernel\n",
               wrong);
}

/* Does the host wait longer for a launch, each time, than its events, launch() and an empty kernel
 * of the same rounds explain? Then the events do not enclose all of its work. */
static inline void cmp_check_outside(char which) {
    const int i = cmp_index(which);
    const double more_us = cmp.outside_us[i] - cmp.outside_us[CMP_MOST] - cmp.host_us[i];
    if (more_us > 20 + cmp.least_us[i] / 4)
        CMP_REFUSE(which,
                   "took %.2f us, and the host waited %.2f us more: do its events enclose all?\n",
                   cmp.least_us[i], more_us);
}

/* Adds a round in random order, without the empty kernel's time, which all share. A round with
 * nothing left is dropped. */
static inline void cmp_add_round(void) {
    int order[CMP_MOST], is_short = 0;
    for (int i = 0; i < cmp_candidates; i++) {
        const int from = i - cmp_random(i + 1);
        order[i] = order[from];
        order[from] = i;
    }
    cmp.delay = 1 + cmp_random(2048); /* to 1 us, the same for all */
    for (int i = 0; i < cmp_candidates; i++) {
        const double us = cmp_time_us((char)('A' + order[i]), cmp.row, CMP_TIMED) - cmp.empty_us;
        cmp.us[order[i]][cmp.rounds] = us;
        cmp.mhz[order[i]][cmp.rounds] = cmp.clock_mhz;
        is_short |= !(us > 0); /* not a number, too */
    }
    cmp.too_short += (size_t)is_short;
    cmp.rounds += !is_short && cmp.rounds < CMP_RUNS - 1;
}

/* How much more time, in percent, does candidate i take than j, by the rounds of this process? */
static inline struct cmp_interval cmp_enclose_ratio(int i, int j, int intervals) {
    static double percent[CMP_RUNS];
    for (size_t r = 0; r < cmp.rounds; r++)
        percent[r] = 100 * (cmp.us[i][r] / cmp.us[j][r] - 1);
    return cmp_enclose(percent, cmp.rounds, intervals);
}

/* Why not to believe this process: the first reason that was seen. */
static inline void cmp_doubt(struct cmp_found *mine) {
    const double drift = cmp_drift(cmp.us[0], cmp.rounds);
    const double moved = cmp_drift(cmp.mhz[0], cmp.rounds);
    const char *cores = cmp_is_cpu ? cmp_doubt_cores() : NULL; /* nothing of a GPU's work */
    const size_t size = sizeof mine->doubt;
    snprintf(mine->doubt, size, "%s", cores ? cores : "");
    if (cmp.late > cmp.samples / 4)
        snprintf(mine->doubt, size, "the host waited a millisecond too long in %zu of %zu timings",
                 cmp.late, cmp.samples);
    else if (fabs(drift) > (cmp_is_cpu ? 20 : 5))
        snprintf(mine->doubt, size,
                 "A's times drift: the last fifth takes %+.0f %% more than the first", drift);
    else if (fabs(moved) > 5)
        snprintf(mine->doubt, size, "the SM's clock moved by %+.0f %%", moved);
#ifdef __CUDACC_DEBUG__
    strcpy(mine->doubt, "built for debugging (nvcc -G), which makes other kernels");
#endif
    mine->disturbed = *mine->doubt && strncmp(mine->doubt, "unknown", 7) != 0;
}

/* What this process found. step_us: in which a launch gets longer, and no repetition sees less. */
static inline void cmp_sum_up(double tick_us, double step_us) {
    struct cmp_found *mine = &cmp.table[cmp.rows++];
    const size_t n = cmp.rounds, fifth = (n + 4) / 5;
    double least_us = INFINITY;
    for (int i = 0; i < cmp_candidates; i++) {
        mine->more[i] = cmp_enclose_ratio(i, 0, 1).middle;
        mine->us[i] = cmp_median(cmp.us[i], n);
        mine->mhz[i] = cmp_median(cmp.mhz[i], n);
        least_us = fmin(least_us, mine->us[i]);
    }
    mine->difference = cmp_enclose_ratio(1, 0, 1);
    mine->first_mhz = cmp_median(cmp.mhz[0], fifth);
    mine->last_mhz = cmp_median(cmp.mhz[0] + n - fifth, fifth);
    mine->seconds = cmp.seconds;
    mine->empty_us = cmp.empty_us;
    mine->rounds = (double)n;
    mine->in_a_row = cmp.row;
    mine->tick_ns = 1e3 * tick_us;
    mine->least = 100 * fmax(tick_us / cmp.row, step_us) / least_us;
    cmp_doubt(mine);
}

/* A launch alone, or a row of 5 ms: what is off is off once a row. On the host it may take 100 ms.
 * A stream's queue holds about a thousand commands; one more makes the host wait until the device
 * takes one, which it does only when the gate gives up. So a row that does not fit is halved. */
static inline void cmp_choose_row(int longest_row) {
    double host_us = 0;
    cmp.once_us = INFINITY;
    for (int i = 0; i < 11 * cmp_candidates; i++) {
        const int which = i % cmp_candidates;
        cmp.once_us = fmin(cmp.once_us, cmp_time_us((char)('A' + which), 1, CMP_TIMED));
        host_us = fmax(host_us, i >= 10 * cmp_candidates ? cmp.host_us[which] : 0);
    }
    const double each_us = fmax(cmp.once_us, host_us / 20);
    if (each_us < 2500)
        cmp.row = (int)fmin(5000 / each_us, longest_row);
    for (int i = 0; i < cmp_candidates; i++)
        while (cmp.row > 1 && cmp_time_us((char)('A' + i), cmp.row, CMP_FITTING) < 0)
            cmp.row /= 2;
}

/* The rounds, for cmp.seconds. A slow machine has 16 all the same, in ten times as long. */
static inline void cmp_measure_rounds(void) {
    const struct timespec window = {0, 200000000};
    const int64_t begin_ns = cmp_now_ns();
    double part = 0;
    if (cmp.seconds <= 0) /* not said */
        cmp.seconds = cmp_is_cpu ? 2.5 : 0.5;
    cmp_count(-1);
    cmp.samples = cmp.late = 0;
    for (int round = 0; part < 1 || (cmp.rounds < 16 && part < 10); round++) {
        cmp_add_round();
        if (cmp.events_are_theirs && round % 4 == 0)
            cmp_time_us(0, cmp.row, CMP_TIMED);
        if (cmp_random(8) == 0)
            cmp_time_us((char)('A' + cmp_random(cmp_candidates)), cmp.row, CMP_CHECKED);
        part = (double)(cmp_now_ns() - begin_ns) / 1e9 / cmp.seconds;
    }
    alarm(0);
    while (cmp_is_cpu && cmp_now_ns() - begin_ns < window.tv_nsec) /* too short for the counts */
        nanosleep(&window, NULL);
    cmp_count(1);
}

/* How many intervals hold at once: of each candidate against each other one. */
static inline int cmp_intervals(void) {
    return cmp_candidates * (cmp_candidates - 1) / 2;
}

/* A whole process, behind the warm-up. longest_row 1: no rows. */
static inline int cmp_measure(int longest_row, double step_us, double relative) {
    enum { EMPTIES = 101 };
    const int n = cmp_candidates;
    double empty_us[EMPTIES]; /* and two events: it is taken off each time */
    cmp_choose_row(longest_row);
    for (int i = 0; i < 8 * n; i++)
        cmp_time_us((char)('A' + i % n), cmp.row, CMP_CHECKED);
    for (int i = 0; i < EMPTIES; i++) {
        cmp.delay = 1 + cmp_random(2048);
        empty_us[i] = cmp_time_us(0, cmp.row, CMP_TIMED);
    }
    cmp.empty_us = cmp_median(empty_us, EMPTIES);
    for (int i = 0; i <= CMP_MOST; i++)
        cmp.outside_us[i] = INFINITY;
    cmp_measure_rounds();
    for (int i = 0; i < n && cmp.events_are_theirs; i++)
        cmp_check_outside((char)('A' + i));
    for (int i = 0; i < n; i++)
        if (cmp.host_us[i] > 100 && cmp.host_us[i] > 3 * cmp_median(cmp.us[i], cmp.rounds))
            CMP_REFUSE((char)('A' + i), "keeps the host for %.0f us in launch()\n", cmp.host_us[i]);
    const int is_short = cmp.rounds < 50 * cmp.too_short; /* without them the ratio is too near 1 */
    if (is_short || cmp_rank(cmp.rounds, cmp_intervals()) == 0) {
        cmp_doubt(cmp.table);
        fprintf(stderr, "%s: %s\n",
                is_short ? "the launches are too short for this device's clock, or it is disturbed"
                         : "too few rounds: give it more SECONDS",
                *cmp.table->doubt ? cmp.table->doubt : "nobody was seen who disturbs");
        return 1;
    }
    cmp_sum_up(cmp_tick_us(cmp.times_us, cmp.times, relative), step_us);
    return 0;
}

/* ---- What all processes say ---- */

/* Where launches get longer in steps, a difference is up to a step too large or too small: the
 * interval gets a step's width to each side. If both meet the same steps it stays on its side of 0;
 * the words say the condition. Below 0.05 % or a tenth of a step it has no side: two kernels of one
 * text differ as much by where they and their data lie. */
static inline struct cmp_interval cmp_widen(struct cmp_interval found, double step) {
    const double least = 0.05, side = 1e-9, wide = fmax(step, least);
    const int has_side = fabs(found.middle) >= fmax(least, step / 10);
    const double from = has_side && found.low > 0 ? side : -100;
    const double to = has_side && found.high < 0 ? -side : INFINITY;
    found.low = fmax(from, fmin(found.low, found.middle - wide));
    found.high = fmin(to, fmax(found.high, found.middle + wide));
    return found;
}

/* Percent that candidate i takes more than j. The intervals hold for all comparisons at once. */
static inline struct cmp_interval cmp_between(int i, int j, double step) {
    double percent[CMP_PROCESSES];
    for (int r = 0; r < cmp.rows; r++)
        percent[r] = 100 * ((100 + cmp.table[r].more[i]) / (100 + cmp.table[r].more[j]) - 1);
    return cmp_widen(cmp.rows == 1 ? cmp_enclose_ratio(i, j, cmp_intervals())
                                   : cmp_enclose(percent, (size_t)cmp.rows, cmp_intervals()),
                     step);
}

/* ---- The report ---- */

/* The rows of the table, or of the record: how much more time than A takes each one? */
static inline void cmp_print_rows(FILE *to, const char *format, const struct cmp_found *of) {
    for (int i = 0; i < cmp_candidates; i++) {
        struct cmp_interval more = {0, 0, 0};
        if (i > 0)
            more = cmp_between(i, 0, of->least);
        const int is_below = fabs(more.middle) < of->least;
        const char *verdict = more.low > 0    ? is_below ? "longer_below_step" : "longer"
                              : more.high < 0 ? is_below ? "shorter_below_step" : "shorter"
                              : i > 0         ? "undecided"
                                              : "";
        fprintf(to, format, 'A' + i, of->us[i], more.middle, more.low, more.high, of->mhz[i],
                of->disturbed > 0, verdict);
    }
}

static inline void cmp_print_record(FILE *to, const struct cmp_found *of) {
    fprintf(to, "# program,compare\n# device,%s\n# seconds,%g\n", cmp_device_name, of->seconds);
    fprintf(to, "# processes,%d\n# repeated,%d\n# rounds,%g\n", cmp.rows, cmp.repeated, of->rounds);
    fprintf(to, "# in_a_row,%g\n# empty_us,%.3f\n# tick_ns,%.0f\n# least_percent,%.3f\n",
            of->in_a_row, of->empty_us, of->tick_ns, of->least);
    fprintf(to, "# sm_clock_first_mhz,%.0f\n# sm_clock_last_mhz,%.0f\n", of->first_mhz,
            of->last_mhz);
    fprintf(to,
            "candidate,median_us,more_percent,low_percent,high_percent,sm_clock_mhz,disturbed\n");
    cmp_print_rows(to, "%c,%.3f,%.3f,%.3f,%.3f,%.0f,%d\n", of);
}

/* of: what all processes say together. */
static inline void cmp_print_words(const struct cmp_found *of) {
    const int alone = of->in_a_row <= 1;
    const struct cmp_found *row = cmp.table; /* the first one that was disturbed */
    int best = 0, differs = 0;               /* a clock that is not a number does not differ */
    while (of->disturbed > 0 && row->disturbed <= 0)
        row++;
    if (of->disturbed > 0)
        printf("Disturbed: %.0f of %d processes: %s.\n", of->disturbed, cmp.rows, row->doubt);
    else if (*row->doubt)
        printf("%s\n", row->doubt);
    printf("    median_us more_percent low_percent high_percent sm_clock_mhz disturbed verdict\n");
    cmp_print_rows(stdout, "%c %11.2f %12.2f %11.2f %12.2f %12.0f %9d %s\n", of);
    for (int i = 0; i < cmp_candidates && cmp_candidates > 2; i++) {
        double behind = 0; /* another one */
        for (int j = 0; j < cmp_candidates; j++)
            behind = fmax(behind, cmp_between(i, j, of->least).low);
        if (behind <= 0)
            printf("%s%c", best++ > 0 ? ", " : "Fastest: ", 'A' + i);
    }
    if (best > 0)
        printf("%s.\n", best > 1 ? ", which cannot be told apart" : "");
    const int is_known = /* the step: compare.cu's is that of these two */
        cmp.events_are_theirs || strstr(cmp_device_name, "H100") || strstr(cmp_device_name, "H200");
    const char *sure = is_known ? "95 % sure" : "95 % sure if its steps are as an H100's";
    printf(
        "%d process%s, %.0f rounds in each: %s. Below %.2f %% a difference is less than a step.\n",
        cmp.rows, cmp.rows == 1 ? "" : "es", of->rounds,
        cmp.rows == 1 ? "another process may find something else" : sure, of->least);
    printf("Time: %s%s minus an empty kernel's %.2f us; %.0f launch%s at a time; the caches %s.\n",
           alone ? "that of the code, by " : "per launch in a stream,",
           !alone                  ? ""
           : cmp.events_are_theirs ? "START to END"
                                   : "a pair of events",
           of->empty_us, of->in_a_row, alone ? "" : "es",
           alone ? "as prepare() left them" : "as the launch before left them");
    for (int i = 1; i < cmp_candidates; i++)
        differs |= fabs(of->mhz[i] - of->mhz[0]) > 0.01 * of->mhz[0];
    if (differs)
        printf("SM's clock: not the same for all, which is in the difference.\n");
    if (fabs(of->last_mhz - of->first_mhz) > 0.02 * of->first_mhz)
        printf("SM's clock: from %.0f to %.0f MHz: lock it.\n", of->first_mhz, of->last_mhz);
}

/* What all rows say together: record and words. Returns what the program ends with. */
static inline int cmp_finish(void) {
    double column[CMP_PROCESSES];
    struct cmp_found of, *first = cmp.table;
    const size_t n = (size_t)cmp.rows;
    if (cmp.answer_to) { /* one process of several */
        memcpy(first->device_name, cmp_device_name, sizeof cmp_device_name);
        return write(cmp.answer_to, first, sizeof *first) != sizeof *first;
    }
    for (size_t at = offsetof(struct cmp_found, difference); at < sizeof of; at += sizeof(double)) {
        for (size_t r = 0; r < n; r++)
            column[r] = *(double *)((char *)&cmp.table[r] + at);
        *(double *)((char *)&of + at) = cmp_median(column, n);
    }
    of.disturbed = 0;
    for (size_t r = 0; r < n; r++)
        of.disturbed += cmp.table[r].disturbed;
    if (cmp.record)
        cmp_print_record(cmp.record, &of);
    if (cmp.processes == 1) /* of many the first one's line has it */
        printf("%s\n", cmp_device_name);
    cmp_print_words(&of);
    if ((!cmp.record || fflush(cmp.record) == 0) && fflush(stdout) == 0)
        return 0;
    perror("cannot write the result");
    return 1;
}

/* ---- The command line ---- */

/* Ends with 2 and one line. */
__attribute__((noreturn)) static inline void cmp_usage(const char *what, const char *text) {
    fprintf(stderr, "%s '%s'\n", what, text);
    exit(2);
}

/* The positive number at `text`, up to `most`, and nothing behind it. */
static inline double cmp_number(const char *text, double most, const char *what) {
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !(x > 0 && x <= most) ||
        strspn(text, "0123456789.eE+-") != strlen(text))
        cmp_usage(what, text);
    return x;
}

/* Starts this program again, as process number cmp.rows + 1, which writes what it finds into a
 * pipe. What it prints goes to stderr. If it fails, it has said why. */
static inline void cmp_run_process(char **argv, struct cmp_found *row) {
    char words[32];
    int ends[2], status;
    signal(SIGCHLD, SIG_DFL); /* if it is ignored, nobody can wait */
    if (pipe(ends) != 0 || (cmp.child = fork()) < 0) {
        perror("cannot start a process");
        exit(1);
    }
    if (cmp.child == 0) {
        snprintf(words, sizeof words, "%d %d", cmp.rows + 1, ends[1]);
        setenv("CMP_PROCESS", words, 1);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        close(ends[0]);
        execv(access("/proc/self/exe", X_OK) == 0 ? "/proc/self/exe" : argv[0], argv);
        _exit(1);
    }
    close(ends[1]);
    cmp_limit((unsigned)(20 * cmp.seconds) + 600, 'P', "has no end");
    const int is_told = read(ends[0], row, sizeof *row) == sizeof *row;
    close(ends[0]);
    if (waitpid(cmp.child, &status, 0) != cmp.child)
        status = -1;
    alarm(0);
    cmp.child = 0;
    if (WIFSIGNALED(status))
        fprintf(stderr, "process %d: signal %d, %s\n", cmp.rows + 1, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    if (status != 0 || !is_told)
        exit(WIFEXITED(status) && status != 0 ? WEXITSTATUS(status) : 1);
}

/* For several processes: runs them, reports and ends the program. One process returns at once. */
static inline void cmp_run_processes(char **argv) {
    if (cmp.processes == 1)
        return;
    while (cmp.rows < cmp.processes) {
        struct cmp_found *row = &cmp.table[cmp.rows];
        cmp_run_process(argv, row);
        const int again = row->disturbed > 0 && cmp.repeated < cmp.processes;
        memcpy(cmp_device_name, row->device_name, sizeof cmp_device_name);
        if (cmp.rows + cmp.repeated == 0)
            printf("%s\n", cmp_device_name);
        printf("process %d: B more_percent %.2f (%.2f to %.2f)%s%s\n", cmp.rows + 1,
               row->difference.middle, row->difference.low, row->difference.high,
               row->disturbed > 0 ? ", disturbed" : "", again ? ": once more" : "");
        fflush(stdout);
        cmp.repeated += again;
        cmp.rows += !again;
    }
    exit(cmp_finish());
}

/* Reads the arguments. candidates: how many there are. */
static inline void cmp_begin(int argc, char **argv, int candidates) {
    static const char *const help =
        "compare [SECONDS of each process, else 0.5, on a processor 2.5] [OPTION...]\n"
        "  --processes N  1, or 6 to 999 (more for more candidates); else 9\n"
        "  --device D     its number; of OpenCL also a part of its name\n"
        "  --csv[=FILE]   writes the numbers by name; without FILE in place of the words\n"
        "Ends with 0; 1: no result, and why; 2: wrong arguments; 77: no device.\n";
    static const char *const few = "--processes is 1, or 6 to 999 (more for more candidates), not";
    const char *record = NULL, *mine = getenv("CMP_PROCESS");
    cmp_candidates = candidates;
    cmp.row = cmp.delay = 1;
    for (int i = 0; i <= CMP_MOST; i++)
        cmp.host_us[i] = cmp.outside_us[i] = INFINITY;
    signal(SIGALRM, cmp_on_alarm);
    for (cmp.processes = 9; cmp_rank((size_t)cmp.processes, cmp_intervals()) < 2;)
        cmp.processes++;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--processes") == 0) {
            const double n = cmp_number(value, CMP_PROCESSES, few);
            cmp.processes = (int)n;
            if (cmp.processes != n || (n > 1 && cmp_rank((size_t)n, cmp_intervals()) < 1))
                cmp_usage(few, value);
            i++;
        } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            cmp.wanted = argv[++i];
        else if (strcmp(argv[i], "--csv") == 0)
            record = "";
        else if (strncmp(argv[i], "--csv=", 6) == 0)
            record = argv[i] + 6;
        else if (strcmp(argv[i], "--help") == 0)
            exit(fputs(help, stdout) < 0 || fflush(stdout) != 0);
        else if (*argv[i] != '-')
            cmp.seconds = cmp_number(argv[i], 3600, "SECONDS is up to 3600, not");
        else
            cmp_usage("not an option, or without what it needs (see --help):", argv[i]);
    }
    if (mine && sscanf(mine, "%d %d", &cmp.first, &cmp.answer_to) == 2) { /* one of several */
        cmp.first = (cmp.first - 1) % candidates;
        cmp.processes = 1;
        return;
    }
    if (record)
        cmp.record = *record ? fopen(record, "w") : fdopen(dup(STDOUT_FILENO), "w");
    if (record && (!cmp.record || (!*record && !freopen("/dev/null", "w", stdout))))
        cmp_usage("cannot write the record:", record);
}
