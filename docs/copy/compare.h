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

#include <getopt.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CMP_MOST = 8 };         /* candidates: A to H */
static int cmp_candidates = 2; /* CMP_CANDIDATES may say more */
/* The columns of the record. Percent: how much more time B takes than A; more: how much more each
 * candidate takes than A. */
/* clang-format off */
enum { CMP_DIFFERENCE, CMP_LOW, CMP_HIGH, CMP_CONTROL, CMP_US = 6, CMP_SINGLE = CMP_US + CMP_MOST,
       CMP_MORE = CMP_SINGLE + CMP_MOST, CMP_EMPTY = CMP_MORE + CMP_MOST, CMP_COUNT,
       CMP_ROW, CMP_TICK, CMP_ALONE, CMP_STEP, CMP_LEAST, CMP_LATE, CMP_TIMED, CMP_OTHERS,
       CMP_STOLEN, CMP_WARM, CMP_COLD, CMP_DISTURBED, CMP_COLUMNS };
static const char *const cmp_before[] = {"difference_percent", "low_percent", "high_percent",
    "control_percent", "control_low_percent", "control_high_percent"};
static const char *const cmp_each[] = {"median_%c_us", "single_%c_us", "more_%c_percent"};
static const char *const cmp_after[] = {"empty_us", "pairs", "in_a_row", "tick_ns", "step_alone_ns",
    "step_in_a_row_ns", "least_percent", "late", "timed", "others_percent", "stolen_percent",
    "probe_warm_us", "probe_cold_us", "disturbed"};
/* clang-format on */

/* The name of a column; NULL: of a candidate that there is not. */
static inline const char *cmp_column(int c) {
    static char name[32];
    if (c < CMP_US || c >= CMP_EMPTY)
        return c < CMP_US ? cmp_before[c] : cmp_after[c - CMP_EMPTY];
    snprintf(name, sizeof name, cmp_each[(c - CMP_US) / CMP_MOST], 'a' + (c - CMP_US) % CMP_MOST);
    return (c - CMP_US) % CMP_MOST < cmp_candidates ? name : NULL;
}

/* Microseconds of a launch of 'A', 'B', ...; which 0: of a spin. checked: it does not count. */
typedef double cmp_timer(char which, int checked, int clocks);
enum { CMP_PAIRS = 1 << 18, CMP_TIMES = 1 << 14, CMP_PROCESSES = 999 };
static const double cmp_most_taken = 10; /* percent: see cmp_taken_percent() */
struct cmp_rounds {
    double us[CMP_MOST][CMP_PAIRS];
    size_t count;
};
static struct {
    double seconds, percent; /* for one process; the smallest difference that matters */
    int processes, cold, first, row, delay; /* delay: in clocks, before a row */
    double gate_percent;                    /* of --gate; 0: none, -1: auto */
    int fitting;                            /* how long may a row be? see cmp_fit_row() */
    FILE *record;                           /* of --csv; stdout: in place of the words */
    const char *clock;                      /* which time it is */
    const char *wanted, *program;           /* of --device; argv[0] */
    char *drivers; /* OCL_ICD_FILENAMES as it was: loader or drivers may cut it behind the first */
    int is_cpu;    /* the device is this processor */
    char device_name[256];
    unsigned char *before, *seen, spoilt; /* the result behind prepare(), and later; its filling */
    int version;                          /* of the input */
    struct cmp_rounds all, aa;            /* aa: A and A again, the control */
    /* Of each candidate, and last of an empty kernel. single: of one launch, the median. */
    double host_us[CMP_MOST + 1], single_us[CMP_MOST + 1];
    double outside_us[CMP_MOST + 1], least_us[CMP_MOST + 1]; /* see cmp_note() */
    int events_are_theirs; /* launch() gives the events (OpenCL): they may leave out a part */
    double times_us[CMP_TIMES], once_us, empty_us;
    char last_words[512]; /* see cmp_limit() */
    size_t last_length;
    pid_t child;
    long long ran_clocks; /* of the last spin */
    size_t times, samples, late, too_short;
    double table[CMP_PROCESSES][CMP_COLUMNS];
    int answer_to; /* the pipe to the process that started this one, or 0 */
    int rows, repeated;
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

/* What is measured once stands in the row already: the times of empty kernels, steps, probes. */
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
    row[CMP_COUNT] = (double)cmp.all.count;
    row[CMP_ROW] = cmp.row;
    row[CMP_TICK] = 1e3 * tick_us;
    row[CMP_STEP] = 1e3 * step_us;
    row[CMP_LATE] = (double)cmp.late;
    row[CMP_TIMED] = (double)cmp.samples;
    row[CMP_DISTURBED] = cmp.late > cmp.samples / 4 || row[CMP_OTHERS] > cmp_most_taken ||
                         row[CMP_STOLEN] > cmp_most_taken;
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

/* us: by the device's stamps; host_us: of launch(); all_us: from before launch() until the host
 * knew that all was over. No stamps enclose more than that. */
static inline void cmp_note(char which, double us, double all_us, double host_us) {
    const int i = cmp_index(which);
    if (us > 1.02 * all_us + 10)
        cmp_refuse(which, "took %.2f us by its stamps, and the host waited for %.2f us: impossible",
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

/* This program ran, its threads waited for a core, all cores worked, a virtual machine's host
 * took some. */
static double cmp_ran_ms, cmp_waited_ms, cmp_busy_ms, cmp_stolen_ms;
/* Counts what the processor did, in ms; with -1 at the begin, with 1 at the end. Sources: clock(3),
 * proc(5), the kernel's sched-stats.rst. */
static inline void cmp_count(int sign) {
    const double tick_ms = sign * 1e3 / (double)sysconf(_SC_CLK_TCK);
    double waited_ns, user, nice, system, steal;
    glob_t tasks;
    const int failed = glob("/proc/self/task/*/schedstat", 0, NULL, &tasks);
    for (size_t task = 0; failed == 0 && task < tasks.gl_pathc; task++) {
        FILE *file = fopen(tasks.gl_pathv[task], "r");
        if (file && fscanf(file, "%*f %lf", &waited_ns) == 1)
            cmp_waited_ms += sign * waited_ns / 1e6;
        if (file)
            fclose(file);
    }
    if (failed == 0)
        globfree(&tasks);
    FILE *file = fopen("/proc/stat", "r");
    if (file &&
        fscanf(file, "cpu %lf %lf %lf %*f %*f %*f %*f %lf", &user, &nice, &system, &steal) == 4) {
        cmp_busy_ms += tick_ms * (user + nice + system);
        cmp_stolen_ms += tick_ms * steal;
    }
    if (file)
        fclose(file);
    cmp_ran_ms += sign * 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

/* Percent of its time for which this program waited while others ran, or the host of the virtual
 * machine did. Its threads also wait for each other, but then no core works for others: with PoCL
 * on two quiet cores 3 % at most, beside one busy loop 31 % and more. 30 ms: a few ticks. */
static inline void cmp_taken_percent(double *others, double *stolen) {
    const double others_ms = cmp_busy_ms - cmp_ran_ms - 30, stolen_ms = cmp_stolen_ms - 30;
    const double taken_ms = others_ms < cmp_waited_ms ? others_ms : cmp_waited_ms;
    *others = taken_ms > 0 ? 100 * taken_ms / (cmp_ran_ms + cmp_waited_ms) : 0;
    *stolen = stolen_ms > 0 ? 100 * stolen_ms / (cmp_busy_ms + stolen_ms) : 0;
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

/* Behind set_up(). */
static inline void cmp_expect_result(int is_said) {
    if (is_said)
        return;
    fprintf(stderr, "set_up() must say where launch() writes, and how many bytes: cmp_result\n");
    exit(1);
}

/* Behind prepare(): is the result wrong? */
static inline void cmp_expect_wrong(char which, long wrong) {
    if (wrong < 0)
        cmp_refuse(which, "cannot be checked: its result is right before it is launched");
}

/* Is what was seen right, and of this input and of no other? If it was wrong when the last event
 * was complete: why? look() looks again, when all is over. */
static inline void cmp_check(char which, size_t bytes, long (*first_wrong)(const void *, int),
                             void (*look)(void)) {
    size_t same = 0;
    if (first_wrong(cmp.seen, cmp.version) < 0) {
        if (first_wrong(cmp.seen, 1 + cmp.version % 999) >= 0)
            return;
        cmp_refuse(which,
                   "cannot be checked: another version's result is right, too: is it all 0?");
    }
    look();
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

/* Does the host wait longer for a launch, each time, than its events, launch() and an empty kernel
 * explain? Then the events do not enclose all of its work. On a busy machine a wait is longer, too:
 * so a launch that looks so is measured for another second, in turns with empty kernels, and only
 * this second counts. */
static inline void cmp_check_outside(cmp_timer *time_us, char which) {
    const int i = cmp_index(which);
    for (int again = 0; again < 2; again++) {
        const double more_us =
            cmp.outside_us[i] - cmp.outside_us[CMP_MOST] - cmp.host_us[i] * cmp.row;
        if (more_us <= 20 + cmp.least_us[i] / 4)
            break;
        if (again)
            cmp_refuse(which,
                       "took %.2f us, and the host waited %.2f us more: do its events enclose all?",
                       cmp.least_us[i], more_us);
        cmp.outside_us[i] = cmp.outside_us[CMP_MOST] = INFINITY;
        const int64_t begin_ns = cmp_now_ns();
        do {
            time_us(0, 0, 0);
            time_us(which, 0, 0);
        } while (cmp_now_ns() - begin_ns < 1000000000);
    }
    alarm(0);
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
        cmp.table[0][CMP_WARM + i] = cmp_median(us[i], TIMES) - empty_us;
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
    double empties_us[EMPTIES], singles_us[CMP_MOST + 1][SINGLES], host_us = 0, step_us = 0;
    double *row = cmp.table[0];
    const struct timespec window = {0, 200000000};
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
        step_us = cmp_measure_step(time_us);
    row[CMP_ALONE] = 1e3 * step_us;
    /* A row of 5 ms: what is off is off once a row. On the host it may take 100 ms. */
    const double each_us = fmax(cmp.once_us, host_us / 20);
    if (longest_row > 1 && !cmp.cold && each_us < 2500) {
        cmp.row = (int)fmin(5000 / each_us, longest_row);
        cmp_fit_row(time_us);
        step_us = cmp_measure_step(time_us);
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
    row[CMP_EMPTY] = cmp_launch_us(time_us, longest_row);
    const int64_t begin_ns = cmp_now_ns();
    cmp_count(-1);
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
        while (cmp_now_ns() - begin_ns < window.tv_nsec) /* too short for the counts */
            nanosleep(&window, NULL);
        cmp_count(1);
        cmp_taken_percent(&row[CMP_OTHERS], &row[CMP_STOLEN]);
    }
    for (int i = 0; i < cmp_candidates && cmp.events_are_theirs; i++)
        cmp_check_outside(time_us, names[i]);
    if (cmp.all.count < 50 * cmp.too_short) { /* without the others the ratio would be too near 1 */
        fprintf(stderr, "the launches are too short for this device's clock, or it is disturbed\n");
        return 1;
    }
    cmp_add_row(cmp_tick_us(cmp.times_us, cmp.times, relative), step_us);
    for (int i = 0; i < cmp_candidates; i++)
        if (cmp.host_us[i] > 100 && cmp.host_us[i] > 3 * cmp.table[0][CMP_US + i])
            cmp_refuse(names[i], "keeps the host for %ld us in launch(), which is in no time here",
                       lround(cmp.host_us[i]));
    return 0;
}

/* ---- What all processes say of two candidates ---- */

static inline int cmp_is_cold(const double *of) {
    return of[CMP_COLD] > 0 && of[CMP_COLD] > 1.5 * of[CMP_WARM];
}

/* Where launches get longer in steps, a difference is shown up to a step too large or too small. If
 * both meet the same steps, it is not turned round: the interval gets a step's width to each side,
 * and stays on its side of 0; the words say the condition. Below 0.05 % or a tenth of a step it has
 * no side: two kernels of one text differ as much by where they and their data lie. */
static inline void cmp_widen(double found[3], double step) {
    const double least = 0.05, side = 1e-9, wide = fmax(step, least),
                 low = fmin(found[1], found[0] - wide), high = fmax(found[2], found[0] + wide);
    const int has_side = fabs(found[0]) >= fmax(least, step / 10);
    found[1] = fmax(has_side && found[1] > 0 ? side : -100, low);
    found[2] = has_side && found[2] < 0 ? fmin(-side, high) : high;
}

/* How much more time does candidate i take than j, in percent: the median and its interval, which
 * holds for all comparisons at once. Returns its width before it gets that of a step. */
static inline double cmp_between(int i, int j, double step, double found[3]) {
    static double percent[CMP_PROCESSES];
    const int all = cmp_candidates * (cmp_candidates - 1) / 2;
    for (int r = 0; r < cmp.rows; r++)
        percent[r] =
            100 * ((100 + cmp.table[r][CMP_MORE + i]) / (100 + cmp.table[r][CMP_MORE + j]) - 1);
    if (cmp.rows > 1)
        cmp_enclose(percent, (size_t)cmp.rows, all, found);
    else
        cmp_enclose_ratio(&cmp.all, i, j, all, found);
    const double width = found[2] - found[1];
    cmp_widen(found, step);
    return width;
}

/* How much more time does candidate i take than the best, whichever that is? Not less than 0; if
 * the interval begins at 0, it cannot be told from the best. */
static inline void cmp_behind(int i, double step, double found[3]) {
    double pair[3];
    found[0] = found[1] = found[2] = 0;
    for (int j = 0; j < cmp_candidates; j++)
        if (j != i) {
            cmp_between(i, j, step, pair);
            for (int k = 0; k < 3; k++)
                found[k] = fmax(found[k], pair[k]);
        }
}

/* The time of the fastest. Who chooses the least of several times by the same times gets too
 * little; so one half of the processes, or of the rounds of a single one, chooses, and the other
 * half gives the time. Both halves do both. Of several processes the ratios to A count, times A's
 * median: one process may be slower than the next in all that it does. */
static inline double cmp_fastest_us(void) {
    static double chosen_by[CMP_PAIRS], timed[CMP_PAIRS], a_us[CMP_PROCESSES];
    const size_t n = cmp.rows > 1 ? (size_t)cmp.rows : cmp.all.count;
    double sum = 0;
    for (size_t half = 0; half < 2; half++) {
        double least = INFINITY, fastest = 0;
        for (int i = 0; i < cmp_candidates; i++) {
            size_t choosing = 0, timing = 0;
            for (size_t k = 0; k < n; k++) {
                const double time =
                    cmp.rows > 1 ? 1 + cmp.table[k][CMP_MORE + i] / 100 : cmp.all.us[i][k];
                if (k % 2 == half)
                    chosen_by[choosing++] = time;
                else
                    timed[timing++] = time;
            }
            const double middle = cmp_median(chosen_by, choosing);
            if (middle < least) {
                least = middle;
                fastest = cmp_median(timed, timing);
            }
        }
        sum += fastest;
    }
    for (int k = 0; k < cmp.rows; k++)
        a_us[k] = cmp.table[k][CMP_US];
    return sum / 2 * (cmp.rows > 1 ? cmp_median(a_us, (size_t)cmp.rows) : 1);
}

/* ---- The report ---- */

/* "B takes 1.02 % more time than A (0.85 to 1.19 %)"; "... between 0.40 % less and 1.10 % more
 * time". */
static inline void cmp_print_difference(const char *b, const char *a, const double p[3]) {
    const double low = fmin(fabs(p[1]), fabs(p[2])), high = fmax(fabs(p[1]), fabs(p[2]));
    if (p[1] <= 0 && p[2] >= 0)
        printf("%s takes between %.2f %% less and %.2f %% more time than %s", b, fabs(p[1]), p[2],
               a);
    else
        printf("%s takes %.2f %% %s time than %s (%.2f to %.2f %%)", b, fabs(p[0]),
               p[2] < 0 ? "less" : "more", a, low, high);
}

/* What was seen in the first process that was disturbed. Why is another question. */
static inline void cmp_print_disturbed(FILE *to, double processes) {
    int first = 0;
    if (processes <= 0)
        return;
    while (cmp.table[first][CMP_DISTURBED] <= 0)
        first++;
    const double *row = cmp.table[first];
    fprintf(to, "Disturbed: %.0f of %d processes.", processes, cmp.rows);
    if (row[CMP_LATE] > row[CMP_TIMED] / 4)
        fprintf(to, " The host waited a millisecond too long in %.0f of %.0f timings.",
                row[CMP_LATE], row[CMP_TIMED]);
    if (row[CMP_OTHERS] > cmp_most_taken)
        fprintf(to, " Others had the processor for %.0f %% of the time.", row[CMP_OTHERS]);
    if (row[CMP_STOLEN] > cmp_most_taken)
        fprintf(to, " The virtual machine's host took %.0f %% of the time.", row[CMP_STOLEN]);
    fprintf(to, "\n");
}

/* A launch that is alone finds nothing of an earlier one. Is it much longer than in the row? Or is
 * B/A another one? Half a microsecond: short grids drain differently. */
static inline void cmp_print_alone(const double *of) {
    const double *alone = of + CMP_SINGLE, *in_row = of + CMP_US;
    const double may_differ = 0.1 + (0.5 + of[CMP_ALONE] / 1e3) / alone[0];
    for (int i = 1; i < cmp_candidates && alone[0] > 0; i++)
        if (alone[0] > 2 * in_row[0] + 1 || alone[i] > 2 * in_row[i] + 1 ||
            fabs(alone[i] / alone[0] - in_row[i] / in_row[0]) > may_differ) {
            printf("Alone A takes %.2f us, %c %.2f us; in the row %.2f and %.2f: launches overlap, "
                   "or use what others left. To time each alone: cmp_longest_row = 1.\n",
                   alone[0], 'A' + i, alone[i], in_row[0], in_row[i]);
            return;
        }
}

/* The verdict on two. */
static inline void cmp_print_two(const double *of, const char *verdict, double finds) {
    const double widest = fmax(fabs(of[CMP_LOW]), of[CMP_HIGH]);
    const int one = cmp.rows == 1, undecided = strcmp(verdict, "undecided") == 0;
    if (undecided)
        printf("Not decided: ");
    if (strcmp(verdict, "same") == 0)
        printf("No difference larger than %.2f %% either way", widest);
    else
        cmp_print_difference("B", "A", of);
    if (strstr(verdict, "below_step"))
        printf(", if both meet the same steps: it is less than one.\n");
    else
        printf("%s.\n", one ? " in this process" : ", 95 % sure");
    if (undecided && of[CMP_LEAST] > fmin(cmp.percent, 0.45 * finds))
        printf("Such times cannot tell less than %.2f %% of A: put more work into one launch.\n",
               of[CMP_LEAST]);
    else if (undecided && !one)
        printf("To decide on %.2f %% take some %.0f processes.\n", cmp.percent,
               ceil(cmp.rows * pow(widest / cmp.percent, 2) - 1e-9));
    if (of[CMP_EMPTY] > 0) { /* what a launch costs is in this one, for all who pay for it */
        const double part = of[CMP_US] / (of[CMP_US] + of[CMP_EMPTY]);
        const double whole[] = {part * of[0], part * of[1], part * of[2]};
        printf("With the %.2f us that an empty kernel takes, ", of[CMP_EMPTY]);
        cmp_print_difference("B", "A", whole);
        printf(".\n");
    }
    printf("Medians: A %.2f us, B %.2f us; %d process%s, %.0f pairs in each.\n", of[CMP_US],
           of[CMP_US + 1], cmp.rows, one ? "" : "es", of[CMP_COUNT]);
}

/* The verdict on more: who cannot be told from the best, and how far behind are the others? */
static inline void cmp_print_many(const double *of) {
    double behind[CMP_MOST][3];
    const char *comma = "";
    int out = 0;
    printf("Fastest: ");
    for (int i = 0; i < cmp_candidates; i++) {
        cmp_behind(i, of[CMP_LEAST], behind[i]);
        out += behind[i][1] > 0;
        if (behind[i][1] <= 0) {
            printf("%s%c", comma, 'A' + i);
            comma = ", ";
        }
    }
    printf("%s%s, %s.\n", cmp_candidates - out > 1 ? ", which cannot be told apart" : "",
           out > 0 ? "; the others are slower" : "",
           cmp.rows > 1 ? "95 % sure of all comparisons at once" : "in this process");
    printf("    median_us  slower_percent    from      to\n");
    for (int i = 0; i < cmp_candidates; i++)
        printf("%c %11.2f %15.2f %7.2f %7.2f%s\n", 'A' + i, of[CMP_US + i], behind[i][0],
               behind[i][1], behind[i][2],
               behind[i][1] > 0 && behind[i][0] < of[CMP_LEAST]
                   ? "  if all meet the same steps: it is less than one"
                   : "");
    printf("The fastest takes %.2f us: by rounds that did not choose it. %d process%s, %.0f rounds "
           "in each.\n",
           cmp_fastest_us(), cmp.rows, cmp.rows == 1 ? "" : "es", of[CMP_COUNT]);
    printf("An empty kernel takes %.2f us, which are in none of these times.\n", of[CMP_EMPTY]);
}

/* Which time, and how full were the caches? */
static inline void cmp_print_time(const double *of) {
    const int alone = of[CMP_ROW] <= 1;
    printf("Time: %s%s minus an empty kernel's; %.0f launch%s at a time; the caches ",
           alone ? "that of the code, by " : "per launch in a stream,", alone ? cmp.clock : "",
           of[CMP_ROW], alone ? "" : "es");
    if (!cmp.cold)
        printf("as %s left them.\n", alone ? "prepare()" : "the launch before");
    else
        printf("%s: memory that was just read takes %.2f us to read, behind other data %.2f us.\n",
               cmp_is_cold(of) ? "cold" : "NOT SHOWN TO BE COLD", of[CMP_WARM], of[CMP_COLD]);
}

/* of: what the record's columns are in all processes together. */
static inline void cmp_print_words(const double *of, const char *verdict, double finds) {
    const int one = cmp.rows == 1;
    cmp_print_disturbed(stdout, of[CMP_DISTURBED]);
    if (!(of[CMP_HIGH] < INFINITY)) {
        printf("Not decided: too few %s, %.0f.\n", one ? "pairs" : "processes",
               one ? of[CMP_COUNT] : cmp.rows);
        return;
    }
    if (cmp_candidates == 2)
        cmp_print_two(of, verdict, finds);
    else
        cmp_print_many(of);
    cmp_print_alone(of);
    cmp_print_time(of);
    if (of[CMP_ALONE] > 0)
        printf("Steps: the clock's tick is %.0f ns. A launch gets longer in steps of %.0f ns if "
               "alone, of %.0f ns in this row.\n",
               of[CMP_TICK], of[CMP_ALONE], of[CMP_STEP]);
    if (of[CMP_CONTROL + 2] < INFINITY) {
        cmp_print_difference("Control, of a quarter of the pairs: A", "A itself", of + CMP_CONTROL);
        printf(".\n");
    }
    printf(one ? "Another process may find something else.\n"
           : cmp_candidates == 2
               ? "A run with such a spread would find some %.2f %%.\n"
               : "A run with such a spread would find some %.2f %% between the two fastest.\n",
           fmax(finds, 0.05));
}

static inline void cmp_print_record(FILE *to, const double *of, const char *verdict) {
    double behind[3];
    const char *name;
    fprintf(to, "# program,compare\n# device,%s\n# cold,%d\n# seconds,%g\n# percent,%g\n",
            cmp.device_name, cmp.cold, cmp.seconds, cmp.percent);
    fprintf(to, "# candidates,%d\n# processes,%d\n# repeated,%d\n# verdict,%s\n", cmp_candidates,
            cmp.rows, cmp.repeated, verdict);
    for (int i = 0; i < cmp_candidates && cmp_candidates > 2; i++) {
        cmp_behind(i, of[CMP_LEAST], behind);
        fprintf(to, "# slower_%c_percent,%.3f\n# slower_%c_low_percent,%.3f\n", 'a' + i, behind[0],
                'a' + i, behind[1]);
        fprintf(to, "# slower_%c_high_percent,%.3f\n", 'a' + i, behind[2]);
    }
    if (cmp_candidates > 2)
        fprintf(to, "# fastest_us,%.3f\n", cmp_fastest_us());
    for (int c = 0; c < CMP_COLUMNS; c++)
        if ((name = cmp_column(c)))
            fprintf(to, "# %s,%.*f\n", name, c < CMP_COUNT || c == CMP_LEAST ? 3 : 0, of[c]);
    fprintf(to, "process");
    for (int c = 0; c < CMP_COLUMNS; c++)
        if ((name = cmp_column(c)))
            fprintf(to, ",%s", name);
    for (int i = 0; i < cmp.rows; i++) {
        fprintf(to, "\n%d", i + 1);
        for (int c = 0; c < CMP_COLUMNS; c++)
            if (cmp_column(c))
                fprintf(to, ",%.8g", cmp.table[i][c]);
    }
    fprintf(to, "\n");
}

/* ---- The gate: one line, and what the program ends with ---- */

enum { CMP_SLOWER = 3, CMP_UNDECIDED, CMP_NOT_MEASURED };

/* Says the line. worst: of the candidate that is most behind A. */
static inline int cmp_say_gate(int answer, int which, const double *worst, const double *of) {
    static const char *const words[] = {"not slower",  "", "", "slower", "not decided",
                                        "not measured"};
    if (cmp.record == stdout)
        return answer;
    if (cmp.gate_percent < 0) /* auto, and nothing was measured */
        printf("gate auto: %s: ", words[answer]);
    else
        printf("gate %.2f %%: %s: ", cmp.gate_percent, words[answer]);
    if (cmp.rows > 0)
        cmp_print_disturbed(stderr, of[CMP_DISTURBED]);
    if (answer == CMP_NOT_MEASURED) {
        printf("%s\n", cmp.rows == 0                  ? "see above"
                       : cmp.cold && !cmp_is_cold(of) ? "the cache was not shown to be cold"
                                                      : "the machine was disturbed");
        return answer;
    }
    cmp_print_difference(cmp_name((char)which), "A", worst);
    printf(answer == CMP_SLOWER && of[CMP_DISTURBED] > 0 ? ", on a disturbed machine.\n" : ".\n");
    return answer;
}

/* No candidate may take so much more time than A. */
static inline int cmp_gate_answer(const double *of) {
    double pair[3], worst[3] = {-100, -100, -100}, high = -100;
    int which = 'B';
    if (cmp.gate_percent < 0) { /* auto: by A against A, of this run; noise must not hide much */
        cmp.gate_percent =
            2 * fmax(0.1, fmax(of[CMP_LEAST], fmax(-of[CMP_CONTROL + 1], of[CMP_CONTROL + 2])));
        cmp.gate_percent = fmin(cmp.gate_percent, 2 * cmp.percent);
    }
    for (int i = 1; i < cmp_candidates; i++) {
        cmp_between(i, 0, of[CMP_LEAST], pair);
        high = fmax(high, pair[2]);
        if (i == 1 || pair[1] > worst[1]) {
            memcpy(worst, pair, sizeof pair);
            which = 'A' + i;
        }
    }
    /* Each round mixes the candidates. So who disturbs meets all alike: he may hide a difference,
     * but hardly makes one. */
    int answer = CMP_UNDECIDED;
    if (cmp.cold && !cmp_is_cold(of))
        answer = CMP_NOT_MEASURED;
    else if (worst[1] > cmp.gate_percent)
        answer = CMP_SLOWER;
    else if (of[CMP_DISTURBED] > 0)
        answer = CMP_NOT_MEASURED;
    else if (high < cmp.gate_percent)
        answer = 0;
    return cmp_say_gate(answer, which, worst, of);
}

/* A process failed, and has said why. A gate has an answer for that, too. */
__attribute__((noreturn)) static inline void cmp_give_up(int code) {
    static const double none[CMP_COLUMNS] = {0};
    cmp.rows = 0;
    if (cmp.gate_percent != 0)
        code = cmp_say_gate(CMP_NOT_MEASURED, '-', none, none);
    if (fflush(stdout) != 0)
        code = 1;
    exit(code);
}

/* What a process tells the one that started it. */
struct cmp_answer {
    char device_name[sizeof cmp.device_name];
    double row[CMP_COLUMNS];
};

/* The answer of this process, which is one of several. Returns what it ends with. */
static inline int cmp_tell(void) {
    struct cmp_answer answer;
    memcpy(answer.device_name, cmp.device_name, sizeof answer.device_name);
    memcpy(answer.row, cmp.table[0], sizeof answer.row);
    return write(cmp.answer_to, &answer, sizeof answer) != sizeof answer;
}

/* What all rows say together: record and words. Returns what the program ends with. */
static inline int cmp_finish(void) {
    if (cmp.answer_to)
        return cmp_tell();
    static double column[CMP_PROCESSES];
    double of[CMP_COLUMNS] = {0}, all[3], disturbed = 0;
    const size_t n = (size_t)cmp.rows;
    for (int c = 0; c < CMP_COLUMNS; c++) {
        for (size_t i = 0; i < n; i++)
            column[i] = cmp.table[i][c];
        cmp_enclose(column, n, 1, all);
        of[c] = all[0];
        if (n > 1 && c == CMP_CONTROL + 2) { /* by now its median is in its place */
            for (size_t i = 0; i < n; i++)
                column[i] = cmp.table[i][CMP_CONTROL];
            cmp_enclose(column, n, 1, of + CMP_CONTROL);
        }
    }
    for (size_t i = 0; i < n; i++)
        disturbed += cmp.table[i][CMP_DISTURBED];
    of[CMP_DISTURBED] = disturbed;
    double finds = cmp_between(1, 0, of[CMP_LEAST], of);
    if (cmp_candidates > 2) { /* of the two fastest, between whom it is open */
        const double *more = of + CMP_MORE;
        int best = 0;
        for (int i = 1; i < cmp_candidates; i++)
            best = more[i] < more[best] ? i : best;
        int next = best == 0;
        for (int i = 0; i < cmp_candidates; i++)
            next = i != best && more[i] < more[next] ? i : next;
        finds = cmp_between(next, best, of[CMP_LEAST], all);
    }
    finds = fmax(finds, of[CMP_LEAST]);
    const int is_below = fabs(of[CMP_DIFFERENCE]) < of[CMP_LEAST];
    const char *verdict = of[CMP_LOW] > 0    ? is_below ? "longer_below_step" : "longer"
                          : of[CMP_HIGH] < 0 ? is_below ? "shorter_below_step" : "shorter"
                          : fmax(-of[CMP_LOW], of[CMP_HIGH]) <= cmp.percent ? "same"
                                                                            : "undecided";
    int answer = 0;
    if (cmp.gate_percent != 0)
        answer = cmp_gate_answer(of);
    if (cmp.record)
        cmp_print_record(cmp.record, of, verdict);
    if (cmp.record != stdout && cmp.processes == 1)
        printf("%s\n", cmp.device_name); /* of many the first one's line has it */
    if (cmp.record != stdout && cmp.gate_percent == 0)
        cmp_print_words(of, verdict, finds);
    if ((!cmp.record || fflush(cmp.record) == 0) && fflush(stdout) == 0)
        return answer;
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

/* Starts this program again, as process number cmp.rows + 1. Returns whether it has an answer. What
 * it prints goes to stderr. */
static inline int cmp_run_process(char **argv, struct cmp_answer *answer) {
    char words[32];
    int ends[2], status;
    if (cmp.drivers)
        setenv("OCL_ICD_FILENAMES", cmp.drivers, 1);
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
    const int is_told = read(ends[0], answer, sizeof *answer) == sizeof *answer;
    close(ends[0]);
    if (waitpid(cmp.child, &status, 0) != cmp.child) {
        perror("cannot wait for a process");
        exit(1);
    }
    alarm(0);
    cmp.child = 0;
    if (WIFSIGNALED(status))
        fprintf(stderr, "process %d: signal %d, %s\n", cmp.rows + 1, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    if (status != 0) /* else it has said why */
        cmp_give_up(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    return is_told;
}

/* For several processes: runs them, reports and ends the program. One process returns at once. */
static inline void cmp_run_processes(char **argv) {
    const int is_terminal = isatty(STDERR_FILENO);
    if (cmp.seconds <= 0) /* not said */
        cmp.seconds = cmp.is_cpu ? 2.5 : 0.5;
    if (cmp.processes == 1)
        return;
    if (cmp.processes * cmp.seconds >= 3)
        fprintf(stderr, "%d processes of %g s and their set-up: some %.0f s\n", cmp.processes,
                cmp.seconds, cmp.processes * (cmp.seconds + 0.5 + 0.1 * cmp_candidates));
    while (cmp.rows < cmp.processes) {
        struct cmp_answer answer;
        double *row = cmp.table[cmp.rows];
        if (is_terminal)
            fprintf(stderr, "\rprocess %d of %d\r", cmp.rows + 1, cmp.processes);
        if (!cmp_run_process(argv, &answer) || !(answer.row[CMP_HIGH] < INFINITY)) {
            fprintf(stderr, "process %d has too few pairs: give it more SECONDS\n", cmp.rows + 1);
            cmp_give_up(1);
        }
        memcpy(row, answer.row, sizeof answer.row);
        memcpy(cmp.device_name, answer.device_name, sizeof cmp.device_name);
        const int again = row[CMP_DISTURBED] > 0 && cmp.repeated < cmp.processes;
        if (cmp.record != stdout && cmp.gate_percent == 0) {
            if (cmp.rows + cmp.repeated == 0)
                printf("%s\n", cmp.device_name);
            printf("process %d: B/A %.5f (%.5f to %.5f)", cmp.rows + 1,
                   1 + row[CMP_DIFFERENCE] / 100, 1 + row[CMP_LOW] / 100, 1 + row[CMP_HIGH] / 100);
            for (int i = 2; i < cmp_candidates; i++)
                printf(", %c/A %.5f", 'A' + i, (100 + row[CMP_MORE + i]) / (100 + row[CMP_MORE]));
            printf("%s%s\n", row[CMP_DISTURBED] > 0 ? ", disturbed" : "",
                   again ? ": once more" : "");
            fflush(stdout);
        }
        cmp.repeated += again;
        cmp.rows += !again;
    }
    exit(cmp_finish());
}

/* Is it the device that --device names, by its number or a part of its name? */
static inline int cmp_is_wanted(int number, const char *name) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    return !cmp.wanted || strcmp(cmp.wanted, digits) == 0 ||
           (strspn(cmp.wanted, "0123456789") < strlen(cmp.wanted) && strstr(name, cmp.wanted));
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
        "  --device D     its number, or a part of its name\n"
        "  --csv[=FILE]   writes the numbers by name; without FILE in place of the words\n"
        "  --gate PERCENT one line: is one slower than A by so much? auto: by twice what A\n"
        "                 differs from A, at most 2 PERCENT\n"
        "Ends with 0; 1: no result, and why; 2: wrong arguments; 77: no device. With\n"
        "--gate 0: not slower; 3: slower; 4: not decided; 5: disturbed, or not measured.\n";
    static const struct option known[] = {{"processes", required_argument, NULL, 'p'},
                                          {"cold", no_argument, NULL, 'c'},
                                          {"csv", optional_argument, NULL, 'r'},
                                          {"device", required_argument, NULL, 'd'},
                                          {"gate", required_argument, NULL, 'g'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *processes = NULL, *record = NULL, *number = getenv("CMP_PROCESS");
    cmp_candidates = candidates;
    cmp.program = argv[0];
    const char *drivers = getenv("OCL_ICD_FILENAMES");
    cmp.drivers = drivers ? strdup(drivers) : NULL;
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
            cmp.gate_percent = strcmp(optarg, "auto") == 0
                                   ? -1
                                   : cmp_number(optarg, 100, "--gate is up to 100, or auto, not");
        else if (option == 'h')
            exit(fputs(help, stdout) < 0 || fflush(stdout) != 0);
        else if (option != 'r')
            cmp_usage("not an option, or without what it needs (see --help):", argv[optind - 1]);
        else
            record = optarg ? optarg : "";
    char **rest = argv + optind;
    const int pairs = candidates * (candidates - 1) / 2;
    for (cmp.processes = 9; cmp_rank((size_t)cmp.processes, pairs) < 2; cmp.processes++) {
    }
    if (processes) {
        static const char *const what = "--processes is 1, or 6 to 999, not";
        const double n = cmp_number(processes, CMP_PROCESSES, what);
        cmp.processes = (int)n;
        if (cmp.processes != n || (n > 1 && n < 6))
            cmp_usage(what, processes);
        if (n > 1 && cmp_rank((size_t)n, pairs) < 1)
            cmp_usage("so many comparisons at once take more --processes than", processes);
    }
    if (cmp.gate_percent != 0 && cmp.processes == 1)
        cmp_usage("--gate takes several --processes, not", "1");
    if (argc - optind > 2)
        cmp_usage("one argument too many (see --help):", rest[2]);
    if (number && sscanf(number, "%d %d", &cmp.first, &cmp.answer_to) == 2) { /* one of several */
        cmp.first = (cmp.first - 1) % candidates;
        cmp.processes = 1;
        record = NULL;
    }
    if (record)
        cmp.record = *record ? fopen(record, "w") : stdout;
    if (record && !cmp.record)
        cmp_usage("cannot write the record:", record);
    cmp.clock = clock;
    if (rest[0])
        cmp.seconds = cmp_number(rest[0], 3600, "SECONDS is up to 3600, not");
    if (rest[0] && rest[1])
        cmp.percent = cmp_number(rest[1], 100, "PERCENT is up to 100, not");
}
