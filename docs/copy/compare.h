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

#include <getopt.h>
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
/* What a process finds: a row of the record. Through a pipe it tells the one that started it. */
struct cmp_found {
    char device_name[sizeof cmp_device_name], doubt[160]; /* why not to believe it, or "" */
    struct cmp_interval difference, control; /* percent that B takes more than A, A than A itself */
    double us[CMP_MOST], more[CMP_MOST];     /* more: percent, than A */
    double mhz[CMP_MOST], first_mhz, last_mhz; /* of an SM's clock; A's first fifth, and last */
    double seconds, empty_us, pairs, in_a_row, tick_ns, step_ns, least, warm_us, cold_us, disturbed;
};
/* The columns of the record; %c: one for each candidate. */
static const struct cmp_column {
    const char *name;
    size_t at;
    int places;
} cmp_columns[] = {
/* clang-format off */
#define CMP_AT(member) offsetof(struct cmp_found, member)
    {"difference_percent", CMP_AT(difference.middle), 3},
    {"low_percent", CMP_AT(difference.low), 3},
    {"high_percent", CMP_AT(difference.high), 3}, {"control_percent", CMP_AT(control.middle), 3},
    {"control_low_percent", CMP_AT(control.low), 3},
    {"control_high_percent", CMP_AT(control.high), 3}, {"median_%c_us", CMP_AT(us), 3},
    {"more_%c_percent", CMP_AT(more), 3}, {"sm_clock_%c_mhz", CMP_AT(mhz), 0},
    {"sm_clock_first_mhz", CMP_AT(first_mhz), 0}, {"sm_clock_last_mhz", CMP_AT(last_mhz), 0},
    {"empty_us", CMP_AT(empty_us), 3},
    {"pairs", CMP_AT(pairs), 0}, {"in_a_row", CMP_AT(in_a_row), 0},
    {"tick_ns", CMP_AT(tick_ns), 0}, {"step_in_a_row_ns", CMP_AT(step_ns), 0},
    {"least_percent", CMP_AT(least), 3}, {"probe_warm_us", CMP_AT(warm_us), 0},
    {"probe_cold_us", CMP_AT(cold_us), 0}, {"disturbed", CMP_AT(disturbed), 0},
    /* clang-format on */
};
enum { CMP_COLUMNS = sizeof cmp_columns / sizeof *cmp_columns };

/* ---- What compare.c and compare.cu define ---- */

enum cmp_how {
    CMP_TIMED,
    CMP_CHECKED, /* the result is checked, and the time does not count */
    CMP_FITTING  /* does the row fit into the stream's queue? -1: no */
};
/* Microseconds of a launch of 'A', 'B', ..., or of an empty kernel or, if there are clocks, a spin
 * if which is 0: one of so many in a row. */
static double cmp_time_us(char which, int row, enum cmp_how how, int clocks);
static double cmp_probe_us(int which); /* see cmp_prove_cold() */
static void cmp_look_again(void);      /* copies the result to cmp.seen, when all is over */
static long first_wrong(const void *copy, int version);

/* ---- The state of a run ---- */

struct cmp_rounds {
    double us[CMP_MOST][CMP_RUNS], mhz[CMP_MOST][CMP_RUNS]; /* mhz: see cmp.clock_mhz */
    size_t count;
};
static struct {
    double seconds, percent; /* for one process; the smallest difference that matters */
    double gate_percent;     /* of --gate; 0: none */
    int processes, cold, first, row, delay; /* delay: in clocks, before a row */
    const char *clock, *wanted;             /* which time it is; of --device */
    FILE *record;                           /* of --csv; stdout: in place of the words */
    unsigned char *before, *seen, spoilt; /* the result behind prepare(), and later; its filling */
    int version;                          /* of the input */
    struct cmp_rounds all, aa;            /* aa: A and A again, the control */
    /* Of each candidate, and last of an empty kernel: see cmp_note(). */
    double host_us[CMP_MOST + 1], outside_us[CMP_MOST + 1], least_us[CMP_MOST + 1];
    double times_us[CMP_TIMES], once_us, empty_us;
    int events_are_theirs; /* launch() gives the events (OpenCL): they may leave out a part */
    long long ran_clocks;  /* of the last spin */
    double clock_mhz;      /* of an SM, behind the last row; OpenCL has no way to tell: 0 */
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

static inline double cmp_median(const double *samples, size_t n) {
    static double sorted[CMP_RUNS];
    qsort(memcpy(sorted, samples, n * sizeof *sorted), n, sizeof *sorted, cmp_by_size);
    return n > 0 ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : 0;
}

/* Sorts n samples. Percent: without an interval it is from -100 to infinity. */
static inline struct cmp_interval cmp_enclose(double *samples, size_t n, int intervals) {
    const size_t k = cmp_rank(n, intervals);
    struct cmp_interval found = {cmp_median(samples, n), -100, INFINITY};
    qsort(samples, n, sizeof *samples, cmp_by_size);
    if (k > 0) {
        found.low = samples[k - 1];
        found.high = samples[n - k];
    }
    return found;
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
    signal(SIGALRM, cmp_on_alarm);
    alarm(seconds);
}

/* us: by the device's stamps; host_us: of a launch(); all_us: until the host knew of the end. */
static inline void cmp_note(char which, double us, double all_us, double host_us) {
    const int i = cmp_index(which);
    if (us > 1.02 * all_us + 10)
        CMP_REFUSE(which,
                   "took %.2f us by its stamps, and the host waited for %.2f us: impossible\n", us,
                   all_us);
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
    static char words[100];
    const double others_ms = fmin(cmp_counts.busy - cmp_counts.ran - 30, cmp_counts.waited);
    const double all_ms = cmp_counts.ran + cmp_counts.waited;
    const double stolen_ms = fmax(0, cmp_counts.stolen - 30), busy_ms = cmp_counts.busy + stolen_ms;
    if (!cmp_counts.is_seen)
        return "unknown: whether others had the processor: /proc has no counts here";
    if (others_ms > 0.1 * all_ms)
        snprintf(words, sizeof words, "others had the processor for %.0f %% of this program's time",
                 100 * others_ms / all_ms);
    else if (stolen_ms > 0.1 * busy_ms)
        snprintf(words, sizeof words, "the host of this virtual machine took %.0f %% of the time",
                 100 * stolen_ms / busy_ms);
    else
        return NULL;
    return words;
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
    size_t same = 0;
    if (first_wrong(cmp.seen, cmp.version) < 0) {
        if (first_wrong(cmp.seen, 1 + cmp.version % 999) >= 0)
            return;
        CMP_REFUSE(which,
                   "cannot be checked: another version's result is right, too: is it all 0?\n");
    }
    cmp_look_again();
    const long wrong = first_wrong(cmp.seen, cmp.version);
    while (same < bytes && cmp.seen[same] == cmp.spoilt)
        same++;
    if (wrong < 0)
        CMP_REFUSE(which,
                   "left work for later: it was not finished when the event behind it was\n");
    if (same == bytes || memcmp(cmp.seen, cmp.before, bytes) == 0)
        CMP_REFUSE(which, "did nothing: its result is as it was before\n");
    for (int old = 1; old < 1000; old++)
        if (first_wrong(cmp.seen, old) < 0)
            CMP_REFUSE(which, "left a stale result: that of another input, which it had before\n");
    CMP_REFUSE(which, "is wrong at element %ld of its result: a fast wrong kernel is no kernel\n",
               wrong);
}

/* Does the host wait longer for a launch, each time, than its events, launch() and an empty kernel
 * explain? Then the events do not enclose all of its work. A busy machine does the same: so it is
 * measured for another second, in turns with empty kernels, and only this second counts. */
static inline void cmp_check_outside(char which) {
    const int i = cmp_index(which);
    for (int again = 0; again < 2; again++) {
        const double more_us = cmp.outside_us[i] - cmp.outside_us[CMP_MOST] - cmp.host_us[i];
        if (more_us <= 20 + cmp.least_us[i] / 4)
            break;
        if (again)
            CMP_REFUSE(
                which,
                "took %.2f us, and the host waited %.2f us more: do its events enclose all?\n",
                cmp.least_us[i], more_us);
        cmp.outside_us[i] = cmp.outside_us[CMP_MOST] = INFINITY;
        const int64_t begin_ns = cmp_now_ns();
        do {
            cmp_time_us(0, 1, CMP_TIMED, 0);
            cmp_time_us(which, 1, CMP_TIMED, 0);
        } while (cmp_now_ns() - begin_ns < 1000000000);
    }
    alarm(0);
}

/* Adds a round in random order, of all candidates or of A and A, without the empty kernel's time,
 * which all share. A round with nothing left is dropped. */
static inline void cmp_compare(struct cmp_rounds *to) {
    const int is_control = to == &cmp.aa, n = is_control ? 2 : cmp_candidates;
    int order[CMP_MOST], is_short = 0;
    for (int i = 0; i < n; i++) {
        const int from = i - cmp_random(i + 1);
        order[i] = order[from];
        order[from] = i;
    }
    cmp.delay = 1 + cmp_random(2048); /* to 1 us, the same for all */
    for (int i = 0; i < n; i++) {
        const char which = (char)('A' + (is_control ? 0 : order[i]));
        const double us = cmp_time_us(which, cmp.row, CMP_TIMED, 0) - cmp.empty_us;
        to->us[order[i]][to->count] = us;
        to->mhz[order[i]][to->count] = cmp.clock_mhz;
        is_short |= !(us > 0); /* not a number, too */
    }
    cmp.too_short += (size_t)is_short;
    to->count += !is_short && to->count < CMP_RUNS - 1;
}

/* Of spins in this row, each 64 clocks longer than the one before; if so few clocks make no more
 * than three steps, each 256 or 1024 clocks longer. */
static inline double cmp_measure_step(void) {
    enum { LENGTHS = 24, TIMES = 9 };
    double us[TIMES], clocks[TIMES], all_us[LENGTHS], all_clocks[LENGTHS];
    for (int more = 64;; more *= 4) {
        double rise = 0;
        for (int i = 0; i < LENGTHS; i++) {
            const int l = 7 * i % LENGTHS; /* not in their order */
            for (int time = 0; time < TIMES; time++) {
                us[time] = cmp_time_us(0, cmp.row, CMP_TIMED, 5000 + more * l);
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

/* What an empty kernel costs in a row: what one more adds, without the events and the delay. */
static inline double cmp_launch_us(void) {
    enum { TIMES = 51 };
    const int rows[] = {1, cmp.row > 1 ? cmp.row : 2};
    double us[2][TIMES];
    for (int i = 0; i < 2 * TIMES; i++) {
        const int row = rows[i % 2];
        cmp.delay = 1 + cmp_random(2048);
        us[i % 2][i / 2] = row * cmp_time_us(0, row, CMP_TIMED, 0);
    }
    return (cmp_median(us[1], TIMES) - cmp_median(us[0], TIMES)) / (rows[1] - 1);
}

/* Is what --cold does enough? A probe of some memory takes longer behind the other data than when
 * it has just been read. which 0: it is read again; 1: behind the other data; 2: not at all. */
static inline void cmp_prove_cold(void) {
    enum { TIMES = 11 };
    double us[3][TIMES];
    for (int i = 0; i < 3 * TIMES; i++)
        us[i % 3][i / 3] = cmp_probe_us(i % 3);
    cmp.table[0].warm_us = cmp_median(us[0], TIMES) - cmp_median(us[2], TIMES);
    cmp.table[0].cold_us = cmp_median(us[1], TIMES) - cmp_median(us[2], TIMES);
}

/* How much more time, in percent, does candidate i take than j, by the rounds of this process? */
static inline struct cmp_interval cmp_enclose_ratio(const struct cmp_rounds *of, int i, int j,
                                                    int intervals) {
    static double percent[CMP_RUNS];
    for (size_t r = 0; r < of->count; r++)
        percent[r] = 100 * (of->us[i][r] / of->us[j][r] - 1);
    return cmp_enclose(percent, of->count, intervals);
}

/* Why not to believe this process: the first reason that was seen. */
static inline void cmp_doubt(struct cmp_found *mine) {
    const double drift = cmp_drift(cmp.all.us[0], cmp.all.count);
    const double moved = cmp_drift(cmp.all.mhz[0], cmp.all.count);
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

/* The row of this process, from its rounds. */
static inline void cmp_add_row(double tick_us, double step_us) {
    struct cmp_found *mine = &cmp.table[cmp.rows++];
    double least_us = INFINITY;
    for (int i = 0; i < cmp_candidates; i++) {
        mine->more[i] = cmp_enclose_ratio(&cmp.all, i, 0, 1).middle;
        mine->us[i] = cmp_median(cmp.all.us[i], cmp.all.count);
        mine->mhz[i] = cmp_median(cmp.all.mhz[i], cmp.all.count);
        least_us = fmin(least_us, mine->us[i]);
    }
    const size_t fifth = (cmp.all.count + 4) / 5;
    mine->first_mhz = cmp_median(cmp.all.mhz[0], fifth);
    mine->last_mhz = cmp_median(cmp.all.mhz[0] + cmp.all.count - fifth, fifth);
    mine->difference = cmp_enclose_ratio(&cmp.all, 1, 0, 1);
    mine->control = cmp_enclose_ratio(&cmp.aa, 1, 0, 1);
    mine->least =
        100 * fmax(tick_us / cmp.row, step_us) / (cmp_candidates > 2 ? least_us : *mine->us);
    mine->pairs = (double)cmp.all.count;
    mine->in_a_row = cmp.row;
    mine->tick_ns = 1e3 * tick_us;
    mine->step_ns = 1e3 * step_us;
    cmp_doubt(mine);
}

/* A launch alone, and a row of 5 ms: what is off is off once a row. On the host it may take 100 ms.
 * A stream's queue holds about a thousand commands; one more makes the host wait until the device
 * takes one, which it does only when the gate gives up. So a row that does not fit is halved.
 * Returns the row's step; longest_row 0: there are no spins, by which it is found. */
static inline double cmp_choose_row(int longest_row) {
    enum { SINGLES = 11 };
    double us[CMP_MOST + 1][SINGLES], host_us = 0;
    cmp.once_us = INFINITY;
    for (int time = 0; time < SINGLES; time++)
        for (int i = 0; i <= cmp_candidates; i++)
            us[i][time] = cmp_time_us((char)(i < cmp_candidates ? 'A' + i : 0), 1, CMP_TIMED, 0);
    for (int i = 0; i < cmp_candidates; i++) {
        cmp.once_us = fmin(cmp.once_us, cmp_median(us[i], SINGLES));
        host_us = fmax(host_us, cmp.host_us[i]);
    }
    const double step_us = longest_row > 0 ? cmp_measure_step() : 0; /* shows the tick, too */
    const double each_us = fmax(cmp.once_us, host_us / 20);
    if (longest_row <= 1 || cmp.cold || each_us >= 2500)
        return step_us;
    cmp.row = (int)fmin(5000 / each_us, longest_row);
    for (int i = 0; i < cmp_candidates; i++)
        while (cmp.row > 1 && cmp_time_us((char)('A' + i), cmp.row, CMP_FITTING, 0) < 0)
            cmp.row /= 2;
    return cmp_measure_step();
}

/* What two events and an empty kernel cost, which is taken off each time. */
static inline double cmp_measure_empty_us(int empties) {
    double us[101];
    for (int i = 0; i < empties; i++) {
        cmp.delay = 1 + cmp_random(2048);
        us[i] = cmp_time_us(0, cmp.row, CMP_TIMED, 0);
    }
    return cmp_median(us, (size_t)empties);
}

/* The rounds, for cmp.seconds. A slow machine has 16 all the same, in ten times as long. */
static inline void cmp_measure_rounds(void) {
    const struct timespec window = {0, 200000000};
    const int64_t begin_ns = cmp_now_ns();
    double part = 0;
    if (cmp.seconds <= 0) /* not said */
        cmp.seconds = cmp_is_cpu ? 2.5 : 0.5;
    cmp.table[0].seconds = cmp.seconds;
    cmp_count(-1);
    cmp.samples = cmp.late = 0;
    for (int round = 0; part < 1 || (cmp.all.count < 16 && part < 10); round++) {
        cmp_compare(&cmp.all);
        if (round % 4 == 0)
            cmp_compare(&cmp.aa);
        if (cmp_random(8) == 0)
            cmp_time_us((char)('A' + cmp_random(cmp_candidates)), cmp.row, CMP_CHECKED, 0);
        part = (double)(cmp_now_ns() - begin_ns) / 1e9 / cmp.seconds;
    }
    alarm(0);
    while (cmp_is_cpu && cmp_now_ns() - begin_ns < window.tv_nsec) /* too short for the counts */
        nanosleep(&window, NULL);
    cmp_count(1);
}

/* A whole process, behind the warm-up. longest_row 0: no rows, no spins. 1: of no use. */
static inline int cmp_measure(int longest_row, double relative) {
    const int n = cmp_candidates;
    const double step_us = cmp_choose_row(longest_row);
    for (int i = 0; i < 8 * n; i++)
        cmp_time_us((char)('A' + i % n), cmp.row, CMP_CHECKED, 0);
    for (int i = 0; i <= CMP_MOST; i++)
        cmp.outside_us[i] = INFINITY;
    cmp.empty_us =
        cmp_measure_empty_us(cmp.cold && longest_row == 0 ? 21 : 101); /* some are slow */
    cmp.table[0].empty_us = longest_row > 0 ? cmp_launch_us() : cmp.empty_us;
    cmp_measure_rounds();
    for (int i = 0; i < n && cmp.events_are_theirs; i++)
        cmp_check_outside((char)('A' + i));
    if (cmp.all.count < 50 * cmp.too_short) { /* without the others the ratio would be too near 1 */
        fprintf(stderr, "the launches are too short for this device's clock, or it is disturbed\n");
        return 1;
    }
    cmp_add_row(cmp_tick_us(cmp.times_us, cmp.times, relative), step_us);
    for (int i = 0; i < n; i++)
        if (cmp.host_us[i] > 100 && cmp.host_us[i] > 3 * cmp.table[0].us[i])
            CMP_REFUSE((char)('A' + i),
                       "keeps the host for %ld us in launch(), which is in no time here\n",
                       lround(cmp.host_us[i]));
    return 0;
}

/* ---- What all processes say of two candidates ---- */

static inline int cmp_is_cold(const struct cmp_found *of) {
    return of->cold_us > 0 && of->cold_us > 1.5 * of->warm_us;
}

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
static inline struct cmp_interval cmp_between(int i, int j) {
    static double percent[CMP_PROCESSES];
    const int all = cmp_candidates * (cmp_candidates - 1) / 2;
    if (cmp.rows == 1)
        return cmp_enclose_ratio(&cmp.all, i, j, all);
    for (int r = 0; r < cmp.rows; r++)
        percent[r] = 100 * ((100 + cmp.table[r].more[i]) / (100 + cmp.table[r].more[j]) - 1);
    return cmp_enclose(percent, (size_t)cmp.rows, all);
}

/* How much more time does candidate i take than the best, whichever that is? Not less than 0; if
 * the interval begins at 0, it cannot be told from the best. */
static inline struct cmp_interval cmp_behind(int i, double step) {
    struct cmp_interval most = {0, 0, 0};
    for (int j = 0; j < cmp_candidates; j++)
        if (j != i) {
            const struct cmp_interval pair = cmp_widen(cmp_between(i, j), step);
            most.middle = fmax(most.middle, pair.middle);
            most.low = fmax(most.low, pair.low);
            most.high = fmax(most.high, pair.high);
        }
    return most;
}

/* ---- The report ---- */

/* "B takes 1.02 % more time than A (0.85 to 1.19 %)"; "... between 0.40 % less and 1.10 % more". */
static inline void cmp_print_difference(const char *b, const char *a, struct cmp_interval p) {
    const double low = fmin(fabs(p.low), fabs(p.high)), high = fmax(fabs(p.low), fabs(p.high));
    if (p.low <= 0 && p.high >= 0)
        printf("%s takes between %.2f %% less and %.2f %% more time than %s", b, fabs(p.low),
               p.high, a);
    else
        printf("%s takes %.2f %% %s time than %s (%.2f to %.2f %%)", b, fabs(p.middle),
               p.high < 0 ? "less" : "more", a, low, high);
}

/* What was seen in the first process that was disturbed. Why is another question. */
static inline void cmp_print_disturbed(FILE *to, double processes) {
    const struct cmp_found *row = cmp.table;
    if (processes > 0) {
        while (row->disturbed <= 0)
            row++;
        fprintf(to, "Disturbed: %.0f of %d processes%s%s.\n", processes, cmp.rows,
                *row->doubt ? ": " : "", row->doubt);
    } else if (*row->doubt)
        fprintf(to, "%s\n", row->doubt);
}

/* The verdict on two. */
static inline void cmp_print_two(const struct cmp_found *of, const char *verdict) {
    const double widest = fmax(fabs(of->difference.low), of->difference.high);
    const int one = cmp.rows == 1, undecided = strcmp(verdict, "undecided") == 0;
    if (undecided)
        printf("Not decided: ");
    if (strcmp(verdict, "same") == 0)
        printf("No difference larger than %.2f %% either way", widest);
    else
        cmp_print_difference("B", "A", of->difference);
    if (strstr(verdict, "below_step"))
        printf(", if both meet the same steps: it is less than one.\n");
    else
        printf("%s.\n", one ? " in this process" : ", 95 % sure");
    if (undecided && of->least > fmin(cmp.percent, 0.4 * widest))
        printf("Such times cannot tell less than %.2f %% of A: put more work into one launch.\n",
               of->least);
    else if (undecided && !one)
        printf("To decide on %.2f %% take some %.0f processes.\n", cmp.percent,
               ceil(cmp.rows * pow(widest / cmp.percent, 2) - 1e-9));
    if (of->empty_us > 0) { /* what a launch costs is in this one, for all who pay for it */
        const double part = of->us[0] / (of->us[0] + of->empty_us);
        const struct cmp_interval whole = {part * of->difference.middle, part * of->difference.low,
                                           part * of->difference.high};
        printf("With the %.2f us that an empty kernel takes, ", of->empty_us);
        cmp_print_difference("B", "A", whole);
        printf(".\n");
    }
    printf("Medians: A %.2f us, B %.2f us; %d process%s, %.0f pairs in each.\n", of->us[0],
           of->us[1], cmp.rows, one ? "" : "es", of->pairs);
}

/* The verdict on more: who cannot be told from the best, and how far behind are the others? */
static inline void cmp_print_many(const struct cmp_found *of) {
    struct cmp_interval behind[CMP_MOST];
    int best = 0;
    printf("Fastest: ");
    for (int i = 0; i < cmp_candidates; i++) {
        behind[i] = cmp_behind(i, of->least);
        if (behind[i].low <= 0)
            printf("%s%c", best++ > 0 ? ", " : "", 'A' + i);
    }
    printf("%s%s, %s.\n", best > 1 ? ", which cannot be told apart" : "",
           best < cmp_candidates ? "; the others are slower" : "",
           cmp.rows > 1 ? "95 % sure of all comparisons at once" : "in this process");
    printf("    median_us  slower_percent    from      to\n");
    for (int i = 0; i < cmp_candidates; i++)
        printf("%c %11.2f %15.2f %7.2f %7.2f%s\n", 'A' + i, of->us[i], behind[i].middle,
               behind[i].low, behind[i].high,
               behind[i].low > 0 && behind[i].middle < of->least
                   ? "  if all meet the same steps: it is less than one"
                   : "");
    printf("%d process%s, %.0f rounds in each. An empty kernel takes %.2f us, which are in none of "
           "these times.\n",
           cmp.rows, cmp.rows == 1 ? "" : "es", of->pairs, of->empty_us);
}

/* Did all meet the same clock, and did it stay? */
static inline void cmp_print_clock(const struct cmp_found *of) {
    int differs = 0;
    printf("SM's clock:");
    for (int i = 0; i < cmp_candidates; i++) {
        printf(" %c %.0f,", 'A' + i, of->mhz[i]);
        differs |= fabs(of->mhz[i] / of->mhz[0] - 1) > 0.01;
    }
    printf(" in MHz: %s", differs ? "not the same, which is in the difference" : "the same");
    if (fabs(of->last_mhz / of->first_mhz - 1) >= 0.02)
        printf("; it moved from %.0f to %.0f: lock it", of->first_mhz, of->last_mhz);
    printf(".\n");
}

/* of: what the record's columns are in all processes together. */
static inline void cmp_print_words(const struct cmp_found *of, const char *verdict) {
    const int one = cmp.rows == 1, alone = of->in_a_row <= 1;
    cmp_print_disturbed(stdout, of->disturbed);
    if (!(of->difference.high < INFINITY)) {
        printf("Not decided: too few %s, %.0f.\n", one ? "pairs" : "processes",
               one ? of->pairs : cmp.rows);
        return;
    }
    if (cmp_candidates == 2)
        cmp_print_two(of, verdict);
    else
        cmp_print_many(of);
    printf("Time: %s%s minus an empty kernel's; %.0f launch%s at a time; the caches ",
           alone ? "that of the code, by " : "per launch in a stream,", alone ? cmp.clock : "",
           of->in_a_row, alone ? "" : "es");
    if (!cmp.cold)
        printf("as %s left them.\n", alone ? "prepare()" : "the launch before");
    else
        printf("%s: memory that was just read takes %.2f us to read, behind other data %.2f us.\n",
               cmp_is_cold(of) ? "cold" : "NOT SHOWN TO BE COLD", of->warm_us, of->cold_us);
    if (of->step_ns > 0)
        printf("Steps: the clock's tick is %.0f ns. In this row a launch gets longer in steps of "
               "%.0f ns.\n",
               of->tick_ns, of->step_ns);
    if (of->mhz[0] > 0)
        cmp_print_clock(of);
    if (of->control.high < INFINITY) {
        cmp_print_difference("Control, of a quarter of the pairs: A", "A itself", of->control);
        printf(".\n");
    }
    if (one)
        printf("Another process may find something else.\n");
}

/* The number of a row in a column, of candidate i. */
static inline double *cmp_at(struct cmp_found *row, int column, int i) {
    return (double *)((char *)row + cmp_columns[column].at) + i;
}
static inline int cmp_per_row(int column) {
    return strchr(cmp_columns[column].name, '%') ? cmp_candidates : 1;
}

/* All columns: lines "# name,number" of `of`; or ",name" and, if there is a row, ",number". */
static inline void cmp_print_columns(FILE *to, struct cmp_found *of, struct cmp_found *row) {
    char name[32];
    for (int c = 0; c < CMP_COLUMNS; c++)
        for (int i = 0; i < cmp_per_row(c); i++) {
            snprintf(name, sizeof name, cmp_columns[c].name, 'a' + i);
            if (of)
                fprintf(to, "# %s,%.*f\n", name, cmp_columns[c].places, *cmp_at(of, c, i));
            else if (row)
                fprintf(to, ",%.8g", *cmp_at(row, c, i));
            else
                fprintf(to, ",%s", name);
        }
}

static inline void cmp_print_record(FILE *to, struct cmp_found *of, const char *verdict) {
    fprintf(to, "# program,compare\n# device,%s\n# cold,%d\n# seconds,%g\n# percent,%g\n",
            cmp_device_name, cmp.cold, cmp.table[0].seconds, cmp.percent);
    fprintf(to, "# candidates,%d\n# processes,%d\n# repeated,%d\n# verdict,%s\n", cmp_candidates,
            cmp.rows, cmp.repeated, verdict);
    cmp_print_columns(to, of, NULL);
    fprintf(to, "process");
    cmp_print_columns(to, NULL, NULL);
    for (int i = 0; i < cmp.rows; i++) {
        fprintf(to, "\n%d", i + 1);
        cmp_print_columns(to, NULL, &cmp.table[i]);
    }
    fprintf(to, "\n");
}

/* ---- The gate: one line, and what the program ends with ---- */

enum { CMP_SLOWER = 3, CMP_UNDECIDED, CMP_NOT_MEASURED };

/* No candidate may take so much more time than A. */
static inline int cmp_gate_answer(const struct cmp_found *of) {
    struct cmp_interval worst = {0, -INFINITY, 0};
    double high = -INFINITY;
    char which = 'B';
    for (int i = 1; i < cmp_candidates; i++) {
        const struct cmp_interval pair = cmp_widen(cmp_between(i, 0), of->least);
        high = fmax(high, pair.high);
        if (pair.low > worst.low) {
            worst = pair;
            which = (char)('A' + i);
        }
    }
    /* Each round mixes the candidates: who disturbs may hide a difference, but hardly makes one. */
    const int is_slower = worst.low > cmp.gate_percent, is_disturbed = of->disturbed > 0;
    const int is_warm = cmp.cold && !cmp_is_cold(of);
    const int answer = is_warm || (is_disturbed && !is_slower) ? CMP_NOT_MEASURED
                       : is_slower                             ? CMP_SLOWER
                       : high >= cmp.gate_percent              ? CMP_UNDECIDED
                                                               : 0;
    static const char *const words[] = {"not slower",  "", "", "slower", "not decided",
                                        "not measured"}; /* by exit code */
    cmp_print_disturbed(stderr, of->disturbed);
    if (cmp.record == stdout)
        return answer;
    printf("gate %.2f %%: %s: ", cmp.gate_percent, words[answer]);
    if (answer == CMP_NOT_MEASURED)
        printf("the %s\n", is_warm ? "cache was not shown to be cold" : "machine was disturbed");
    else {
        cmp_print_difference(cmp_name(which), "A", worst);
        printf(is_disturbed ? ", on a disturbed machine.\n" : ".\n");
    }
    return answer;
}

/* A process failed, and has said why. A gate has an answer for that, too. */
__attribute__((noreturn)) static inline void cmp_give_up(int code) {
    if (cmp.gate_percent != 0 && cmp.record != stdout)
        printf("gate: not measured: see above\n");
    if (cmp.gate_percent != 0 && code != 2 && code != 77)
        code = CMP_NOT_MEASURED;
    exit(fflush(stdout) == 0 ? code : 1);
}

/* What all rows say together: record and words. Returns what the program ends with. */
static inline int cmp_finish(void) {
    static double column[CMP_PROCESSES];
    struct cmp_found of, *first = cmp.table;
    const size_t n = (size_t)cmp.rows;
    if (cmp.answer_to) { /* one process of several */
        memcpy(first->device_name, cmp_device_name, sizeof cmp_device_name);
        return write(cmp.answer_to, first, sizeof *first) != sizeof *first;
    }
    for (int c = 0; c < CMP_COLUMNS; c++)
        for (int i = 0; i < cmp_per_row(c); i++) {
            for (size_t r = 0; r < n; r++)
                column[r] = *cmp_at(&cmp.table[r], c, i);
            *cmp_at(&of, c, i) = cmp_median(column, n);
        }
    of.disturbed = 0;
    for (size_t r = 0; r < n; r++) {
        of.disturbed += cmp.table[r].disturbed;
        column[r] = cmp.table[r].control.middle;
    }
    if (n > 1)
        of.control = cmp_enclose(column, n, 1);
    of.difference = cmp_widen(cmp_between(1, 0), of.least);
    const struct cmp_interval *is = &of.difference;
    const int is_below = fabs(is->middle) < of.least;
    const char *verdict = is->low > 0    ? is_below ? "longer_below_step" : "longer"
                          : is->high < 0 ? is_below ? "shorter_below_step" : "shorter"
                          : fmax(-is->low, is->high) <= cmp.percent ? "same"
                                                                    : "undecided";
    const int code = cmp.gate_percent != 0 ? cmp_gate_answer(&of) : 0;
    if (cmp.record)
        cmp_print_record(cmp.record, &of, verdict);
    if (cmp.record != stdout && cmp.gate_percent == 0) {
        if (cmp.processes == 1) /* of many the first one's line has it */
            printf("%s\n", cmp_device_name);
        cmp_print_words(&of, verdict);
    }
    if ((!cmp.record || fflush(cmp.record) == 0) && fflush(stdout) == 0)
        return code;
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

/* Starts this program again, as process number cmp.rows + 1. Returns whether it has found
 * something. What it prints goes to stderr. */
static inline int cmp_run_process(char **argv, struct cmp_found *row) {
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
    if (status != 0) /* else it has said why */
        cmp_give_up(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    return is_told && row->difference.high < INFINITY;
}

/* For several processes: runs them, reports and ends the program. One process returns at once. */
static inline void cmp_run_processes(char **argv) {
    if (cmp.processes == 1)
        return;
    while (cmp.rows < cmp.processes) {
        struct cmp_found *row = &cmp.table[cmp.rows];
        if (!cmp_run_process(argv, row)) {
            fprintf(stderr, "process %d has too few pairs: give it more SECONDS\n", cmp.rows + 1);
            cmp_give_up(1);
        }
        memcpy(cmp_device_name, row->device_name, sizeof cmp_device_name);
        const int again = row->disturbed > 0 && cmp.repeated < cmp.processes;
        if (cmp.record != stdout && cmp.gate_percent == 0) {
            if (cmp.rows + cmp.repeated == 0)
                printf("%s\n", cmp_device_name);
            printf("process %d: B/A %.5f (%.5f to %.5f)", cmp.rows + 1,
                   1 + row->difference.middle / 100, 1 + row->difference.low / 100,
                   1 + row->difference.high / 100);
            for (int i = 2; i < cmp_candidates; i++)
                printf(", %c/A %.5f", 'A' + i, (100 + row->more[i]) / (100 + row->more[0]));
            printf("%s%s\n", row->disturbed > 0 ? ", disturbed" : "", again ? ": once more" : "");
            fflush(stdout);
        }
        cmp.repeated += again;
        cmp.rows += !again;
    }
    exit(cmp_finish());
}

/* Reads the arguments. candidates: how many there are. */
static inline void cmp_begin(int argc, char **argv, int candidates, const char *clock) {
    static const char help[] =
        "usage: compare [SECONDS [PERCENT]] [OPTION...]\n"
        "Which launch is faster, A or B (or C, ...)? Times them in rounds, in several processes.\n"
        "  SECONDS        of each process, up to 3600; else 0.5, or 2.5 on a processor\n"
        "  PERCENT        the smallest difference that matters to you, 0.5\n"
        "  --processes N  1, or 6 to 999; else 9, or more for more candidates\n"
        "  --cold         the caches do not have a launch's data, and each is timed alone\n"
        "  --device D     its number; of OpenCL also a part of its name\n"
        "  --csv[=FILE]   writes the numbers by name; without FILE in place of the words\n"
        "  --gate PERCENT one line: is one slower than A by so much?\n"
        "Ends with 0; 1: no result, and why; 2: wrong arguments; 77: no device. With\n"
        "--gate 0: not slower; 3: slower; 4: not decided; 5: disturbed, or not measured.\n";
    static const char *const few = "--processes is 1, or 6 to 999 (more for more candidates), not";
    static const struct option known[] = {{"processes", required_argument, NULL, 'p'},
                                          {"cold", no_argument, NULL, 'c'},
                                          {"csv", optional_argument, NULL, 'r'},
                                          {"device", required_argument, NULL, 'd'},
                                          {"gate", required_argument, NULL, 'g'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *processes = NULL, *record = NULL, *mine = getenv("CMP_PROCESS");
    const int pairs = candidates * (candidates - 1) / 2;
    cmp_candidates = candidates;
    cmp.clock = clock;
    cmp.percent = 0.5;
    cmp.row = cmp.delay = 1;
    for (int i = 0; i <= CMP_MOST; i++)
        cmp.host_us[i] = cmp.outside_us[i] = INFINITY;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (option == 'p')
            processes = optarg;
        else if (option == 'c')
            cmp.cold = 1;
        else if (option == 'd')
            cmp.wanted = optarg;
        else if (option == 'g')
            cmp.gate_percent = cmp_number(optarg, 100, "--gate is up to 100, not");
        else if (option == 'h')
            exit(fputs(help, stdout) < 0 || fflush(stdout) != 0);
        else if (option == 'r')
            record = optarg ? optarg : "";
        else
            cmp_usage("not an option, or without what it needs (see --help):", argv[optind - 1]);
    char **rest = argv + optind;
    for (cmp.processes = 9; cmp_rank((size_t)cmp.processes, pairs) < 2; cmp.processes++) {
    }
    if (processes) {
        const double n = cmp_number(processes, CMP_PROCESSES, few);
        cmp.processes = (int)n;
        if (cmp.processes != n || (n > 1 && cmp_rank((size_t)n, pairs) < 1))
            cmp_usage(few, processes);
    }
    if (cmp.gate_percent != 0 && cmp.processes == 1)
        cmp_usage("--gate takes several --processes, not", "1");
    if (argc - optind > 2)
        cmp_usage("one argument too many (see --help):", rest[2]);
    if (mine && sscanf(mine, "%d %d", &cmp.first, &cmp.answer_to) == 2) { /* one of several */
        cmp.first = (cmp.first - 1) % candidates;
        cmp.processes = 1;
        record = NULL;
    }
    if (record)
        cmp.record = *record ? fopen(record, "w") : stdout;
    if (record && !cmp.record)
        cmp_usage("cannot write the record:", record);
    if (rest[0])
        cmp.seconds = cmp_number(rest[0], 3600, "SECONDS is up to 3600, not");
    if (rest[0] && rest[1])
        cmp.percent = cmp_number(rest[1], 100, "PERCENT is up to 100, not");
}
