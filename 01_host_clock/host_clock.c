/* SPDX-License-Identifier: MIT
 *
 * Which of the host's clocks measures elapsed time, how finely, and at what cost?
 *
 * Measures: six clocks around the same work, the same sleep, and the same work on two threads.
 * Does not measure: anything on a GPU. A host clock only sees what the host waits for (chapter 02).
 *
 * Build: cc -O2 -I../common host_clock.c -o host_clock -lm -pthread
 * Run:   ./host_clock
 * Try:   ./host_clock --runs 101        and again while another program keeps the cores busy
 */
#define _GNU_SOURCE /* CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#include "host_clock.h"
#include "options.h"
#include "summary.h"

enum { CLOCKS = 6, ACTS = 3 };
static const int64_t work_ns = 20000000; /* of processor time */
static const int64_t sleep_ns = 20000000;

/* ---- The clocks ---- */

static const struct {
    const char *name, *counts;
    clockid_t id;
} clocks[CLOCKS] = {
    {"CLOCK_MONOTONIC", "elapsed time", CLOCK_MONOTONIC},         /* never set, never steps back */
    {"CLOCK_MONOTONIC_RAW", "elapsed time", CLOCK_MONOTONIC_RAW}, /* not even slewed by NTP */
    {"CLOCK_BOOTTIME", "elapsed time", CLOCK_BOOTTIME},           /* goes on while suspended */
    {"CLOCK_REALTIME", "time of day", CLOCK_REALTIME},            /* may be set, backwards too */
    {"gettimeofday", "time of day", CLOCK_REALTIME}, /* the same in us; gone from POSIX.1-2024 */
    {"clock", "processor time", CLOCK_PROCESS_CPUTIME_ID}, /* of all threads of the process */
};
enum { GETTIMEOFDAY = 4, CLOCK = 5 };

/* What clock `c` says, in nanoseconds since a zero point of its own. */
static int64_t read_ns(int c) {
    if (c == GETTIMEOFDAY) {
        struct timeval t;
        gettimeofday(&t, NULL);
        return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
    }
    if (c == CLOCK)
        return (int64_t)clock() * (1000000000 / CLOCKS_PER_SEC);
    struct timespec t;
    clock_gettime(clocks[c].id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The step that clock `c` claims: by clock_getres(), or by the unit that its call counts in. */
static int64_t claimed_resolution_ns(int c) {
    struct timespec t;
    if (c == GETTIMEOFDAY)
        return 1000;
    if (c == CLOCK)
        return 1000000000 / CLOCKS_PER_SEC;
    if (clock_getres(clocks[c].id, &t) != 0)
        fail(EXIT_FAILED, "clock_getres(%s): %s", clocks[c].name, strerror(errno));
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The smallest step that clock `c` was seen to take in 5 ms. Where the clock is finer than a call
 * is long, that is the call. */
static int64_t smallest_step_ns(int c) {
    const int64_t deadline_ns = now_ns() + 5000000;
    int64_t smallest = INT64_MAX;
    while (now_ns() < deadline_ns || smallest == INT64_MAX) {
        const int64_t before = read_ns(c);
        const int64_t step = read_ns(c) - before;
        if (step < 0 && clocks[c].id != CLOCK_REALTIME) /* that one may be set */
            fail(EXIT_FAILED, "%s went back by %" PRId64 " ns", clocks[c].name, -step);
        smallest = step > 0 && step < smallest ? step : smallest;
    }
    return smallest;
}

/* What a call of clock `c` costs: the cheapest of some batches; the others were interrupted. */
static double cost_of_a_call_ns(int c) {
    enum { BATCHES = 11, CALLS = 2000 };
    double cheapest_ns = INFINITY;
    for (int batch = 0; batch < BATCHES; batch++) {
        const int64_t start_ns = now_ns();
        for (int i = 0; i < CALLS; i++)
            read_ns(c);
        const double cost_ns = (double)(now_ns() - start_ns) / CALLS;
        cheapest_ns = cost_ns < cheapest_ns ? cost_ns : cheapest_ns;
    }
    return cheapest_ns;
}

/* ---- What is timed ---- */

/* Keeps a processor busy until this thread has had `work_ns` of it. */
static void *use_processor(void *unused) {
    struct timespec t;
    int64_t end_ns = 0, used_ns;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        used_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
        end_ns = end_ns ? end_ns : used_ns + work_ns;
    } while (used_ns < end_ns);
    return unused;
}

static void do_work(void) {
    use_processor(NULL);
}

static void do_sleep(void) {
    const struct timespec pause = {0, sleep_ns};
    if (nanosleep(&pause, NULL) != 0)
        fail(EXIT_FAILED, "nanosleep: %s", strerror(errno));
}

static void do_work_on_two_threads(void) {
    pthread_t other;
    int code = pthread_create(&other, NULL, use_processor, NULL);
    if (code != 0)
        fail(EXIT_FAILED, "pthread_create: %s", strerror(code));
    use_processor(NULL);
    code = pthread_join(other, NULL);
    if (code != 0)
        fail(EXIT_FAILED, "pthread_join: %s", strerror(code));
}

/* All six clocks around one call of `act`: they see the same interval, to a microsecond. */
static void time_with_all_clocks(void (*act)(void), double elapsed_ms[CLOCKS]) {
    int64_t start_ns[CLOCKS];
    for (int c = 0; c < CLOCKS; c++)
        start_ns[c] = read_ns(c);
    act();
    for (int c = 0; c < CLOCKS; c++)
        elapsed_ms[c] = (double)(read_ns(c) - start_ns[c]) / 1e6;
}

/* ---- The stopwatch: laps added up, what the cutil timer of old was ---- */

struct stopwatch {
    int64_t started_ns, total_ns;
    int laps;
};

static void stopwatch_reset(struct stopwatch *watch) {
    *watch = (struct stopwatch){0, 0, 0};
}

static void stopwatch_start(struct stopwatch *watch) {
    watch->started_ns = now_ns();
}

static void stopwatch_stop(struct stopwatch *watch) {
    watch->total_ns += now_ns() - watch->started_ns;
    watch->laps++;
}

static double stopwatch_read_ms(const struct stopwatch *watch) {
    return (double)watch->total_ns / 1e6;
}

static double stopwatch_average_ms(const struct stopwatch *watch) {
    return watch->laps > 0 ? stopwatch_read_ms(watch) / watch->laps : 0;
}

static void show_stopwatch(void) {
    struct stopwatch watch;
    stopwatch_reset(&watch);
    for (int lap = 0; lap < 5; lap++) {
        stopwatch_start(&watch);
        do_work();
        stopwatch_stop(&watch);
        do_sleep(); /* between two laps: not counted */
    }
    printf("Stopwatch: %d laps of the work, %.3f ms in all, %.3f ms on average; the sleeps between "
           "are left out.\n",
           watch.laps, stopwatch_read_ms(&watch), stopwatch_average_ms(&watch));
}

/* ---- The integer trap: what is left of a time that goes through double ---- */

static void show_integer_trap(void) {
    const int64_t seconds[] = {86400, INT64_C(105) * 86400, time(NULL)};
    const char *const what[] = {"a day after zero", "105 days after zero", "today, since 1970"};
    for (int i = 0; i < 3; i++) {
        int64_t most_lost_ns = 0;
        for (int64_t ns = 0; ns < 1000; ns++) {
            const int64_t exact = seconds[i] * 1000000000 + ns;
            const int64_t through_double = (int64_t)((double)seconds[i] * 1e9 + (double)ns);
            if (llabs(exact - through_double) > most_lost_ns)
                most_lost_ns = llabs(exact - through_double);
        }
        printf("Integer trap: (int64_t)(s * 1e9 + ns), %s, is off by up to %" PRId64 " ns.\n",
               what[i], most_lost_ns);
    }
}

int main(int argc, char **argv) {
    static double samples_ms[ACTS][CLOCKS][MAX_RUNS];
    static void (*const acts[ACTS])(void) = {do_work, do_sleep, do_work_on_two_threads};
    double ms[ACTS][CLOCKS];
    int disturbed[CLOCKS] = {0}, disturbed_rows = 0;
    struct options options = default_options("Which of the host's clocks measures elapsed time?");
    options.runs = 11;
    parse_options(argc, argv, &options);

    for (int act = 0; act < ACTS; act++) {
        for (int run = 0; run < (int)options.runs; run++) {
            double elapsed_ms[CLOCKS];
            time_with_all_clocks(acts[act], elapsed_ms);
            for (int c = 0; c < CLOCKS; c++)
                samples_ms[act][c][run] = elapsed_ms[c];
        }
        for (int c = 0; c < CLOCKS; c++) {
            const struct summary s = summarize(samples_ms[act][c], (size_t)options.runs);
            ms[act][c] = s.median;
            disturbed[c] |= s.disturbed && s.median > 1; /* asleep, clock() sees only noise */
        }
    }

    if (options.csv) {
        printf("clock,resolution_ns,step_ns,cost_ns,work_ms,sleep_ms,threads_ms,disturbed\n");
    } else {
        printf(
            "Host clocks: %g ms of work, a sleep of %g ms, the work on two threads, on the host; "
            "medians of %lld runs\n\n",
            (double)work_ns / 1e6, (double)sleep_ns / 1e6, options.runs);
        printf("%-20s %-14s %10s %8s %8s %9s %9s %11s\n", "clock", "counts", "claims ns", "step ns",
               "cost ns", "work ms", "sleep ms", "threads ms");
    }
    for (int c = 0; c < CLOCKS; c++) {
        const int64_t resolution_ns = claimed_resolution_ns(c);
        const int64_t step_ns = smallest_step_ns(c);
        const double cost_ns = cost_of_a_call_ns(c);
        if (options.csv) {
            printf("%s,%" PRId64 ",%" PRId64 ",%.1f,%.3f,%.3f,%.3f,%d\n", clocks[c].name,
                   resolution_ns, step_ns, cost_ns, ms[0][c], ms[1][c], ms[2][c], disturbed[c]);
        } else {
            printf("%-20s %-14s %10" PRId64 " %8" PRId64 " %8.1f %9.3f %9.3f %11.3f%s\n",
                   clocks[c].name, clocks[c].counts, resolution_ns, step_ns, cost_ns, ms[0][c],
                   ms[1][c], ms[2][c], disturbed_word(disturbed[c]));
        }
        disturbed_rows += disturbed[c];
        flush_stdout();
    }
    if (options.csv)
        return EXIT_SUCCESS;

    printf(
        "\nOf the sleep clock() saw %.3f ms; of the two threads %.2f times what it saw of one, in "
        "%.2f times\nthe time: it counts processor time. For elapsed time, CLOCK_MONOTONIC.\n",
        ms[1][CLOCK], ms[2][CLOCK] / ms[0][CLOCK], ms[2][0] / ms[0][0]);
    const int64_t monotonic_ns = read_ns(0);
    printf("This machine was suspended for %.0f s since boot: CLOCK_BOOTTIME less "
           "CLOCK_MONOTONIC.\n",
           (double)(read_ns(2) - monotonic_ns) / 1e9);
    show_stopwatch();
    show_integer_trap();
    printf("%s", disturbed_verdict(disturbed_rows));
    flush_stdout();
    return EXIT_SUCCESS;
}
