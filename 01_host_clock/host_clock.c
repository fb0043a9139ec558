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
#include <pthread.h>
#include <sys/time.h>

#include "clock.h"
#include "options.h"
#include "summary.h"

static const int64_t work_ns = 20000000, sleep_ns = 20000000; /* work: of processor time */
static const double too_long_ms = 1.1e-6 * (double)work_ns;   /* others had its core */

/* ---- The clocks ---- */

enum { MONOTONIC, RAW, BOOTTIME, REALTIME, GETTIMEOFDAY, CLOCK, HOST_CLOCKS };
static const struct {
    const char *name, *counts;
    clockid_t id;
    int64_t tick_ns; /* the unit in which its call answers */
} host_clocks[HOST_CLOCKS] = {
    {"CLOCK_MONOTONIC", "elapsed_time", CLOCK_MONOTONIC, 1},         /* never set or stepped back */
    {"CLOCK_MONOTONIC_RAW", "elapsed_time", CLOCK_MONOTONIC_RAW, 1}, /* not even slewed by NTP */
    {"CLOCK_BOOTTIME", "elapsed_time", CLOCK_BOOTTIME, 1},           /* goes on while suspended */
    {"CLOCK_REALTIME", "time_of_day", CLOCK_REALTIME, 1},            /* may be set, backwards too */
    {"gettimeofday", "time_of_day", CLOCK_REALTIME, 1000},           /* gone from POSIX.1-2024 */
    {"clock()", "processor_time", CLOCK_PROCESS_CPUTIME_ID, 1000000000 / CLOCKS_PER_SEC},
};

/* What clock `c` says, in nanoseconds since a zero point of its own. */
static int64_t read_ns(int c) {
    struct timeval day;
    if (c == CLOCK) /* of all threads of the process */
        return (int64_t)clock() * host_clocks[c].tick_ns;
    if (c != GETTIMEOFDAY)
        return clock_ns(host_clocks[c].id);
    gettimeofday(&day, NULL);
    return (int64_t)day.tv_sec * 1000000000 + (int64_t)day.tv_usec * host_clocks[c].tick_ns;
}

/* All six, one right after the other: they see the same moment, to a microsecond. */
static void read_all_ns(int64_t ns[HOST_CLOCKS]) {
    for (int c = 0; c < HOST_CLOCKS; c++)
        ns[c] = read_ns(c);
}

static int64_t claimed_step_ns(int c) {
    struct timespec t;
    if (host_clocks[c].tick_ns > 1) /* its answer has no finer digits */
        return host_clocks[c].tick_ns;
    if (clock_getres(host_clocks[c].id, &t) != 0)
        fail(EXIT_FAILED, "clock_getres(%s): %s", host_clocks[c].name, strerror(errno));
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The smallest step of clock `c` seen in 5 ms; where the clock is finer than a call, the call. */
static int64_t smallest_step_ns(int c) {
    const int64_t deadline_ns = now_ns() + 5000000;
    int64_t smallest = INT64_MAX;
    while (now_ns() < deadline_ns || smallest == INT64_MAX) {
        const int64_t before = read_ns(c);
        const int64_t step = read_ns(c) - before;
        if (step < 0 && host_clocks[c].id != CLOCK_REALTIME) /* that one may be set */
            fail(EXIT_FAILED, "%s went back by %lld ns", host_clocks[c].name, (long long)-step);
        smallest = step > 0 && step < smallest ? step : smallest;
    }
    return smallest;
}

/* What a call of clock `c` costs: the cheapest of 11 times 2000; the others were interrupted. */
static double cost_of_a_call_ns(int c) {
    double cheapest_ns = INFINITY;
    for (int batch = 0; batch < 11; batch++) {
        const int64_t start_ns = now_ns();
        for (int i = 0; i < 2000; i++)
            read_ns(c);
        cheapest_ns = fmin(cheapest_ns, (double)(now_ns() - start_ns) / 2000);
    }
    return cheapest_ns;
}

/* ---- What is timed ---- */

enum { WORK, SLEEP, TWO_THREADS, PARTS };

/* Keeps a processor busy until this thread has had `work_ns` of it, however busy the machine is. */
static void *work(void *unused) {
    const int64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + work_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
        ;
    return unused;
}

static void work_on_two_threads(void) {
    pthread_t other;
    if ((errno = pthread_create(&other, NULL, work, NULL)) != 0)
        fail(EXIT_FAILED, "pthread_create: %s", strerror(errno));
    work(NULL);
    if ((errno = pthread_join(other, NULL)) != 0)
        fail(EXIT_FAILED, "pthread_join: %s", strerror(errno));
}

static void print_verdict(struct summary s[PARTS][HOST_CLOCKS]) {
    const struct summary alone = s[WORK][MONOTONIC], threads = s[TWO_THREADS][MONOTONIC];
    const double sleep_ms = s[SLEEP][MONOTONIC].median, slept_ms = s[SLEEP][CLOCK].median;
    const double both_ms = s[TWO_THREADS][CLOCK].median;
    if (alone.median > too_long_ms)
        say("The work took %.3f ms: other programs had its core for part of it.\n", alone.median);
    say("clock() counted %.3f ms of the sleep, which took %.3f ms: %s.\n", slept_ms, sleep_ms,
        slept_ms < sleep_ms / 2 ? "it counts processor time" : "here it counts elapsed time");
    say("For two threads it counted %.3f ms, while %.3f ms passed: %s.\n", both_ms, threads.median,
        both_ms > 1.2 * threads.median         ? "it adds up what they used"
        : alone.disturbed || threads.disturbed ? "other programs had the cores for part of it"
                                               : "they took turns on a core");
}

int main(int argc, char **argv) {
    static double ms[PARTS][HOST_CLOCKS][MAX_RUNS];
    struct summary s[PARTS][HOST_CLOCKS];
    int64_t t[PARTS + 1][HOST_CLOCKS];
    options.runs = 11;
    parse_options(argc, argv, "Which of the host's clocks measures elapsed time?");
    const size_t runs = (size_t)options.runs;

    begin_table(
        "Six clocks of the host around work of %g ms of processor time, a sleep of %g ms, and\n"
        "the work on two threads at once; medians of %zu runs\n\n",
        (double)work_ns / 1e6, (double)sleep_ns / 1e6, runs);
    for (size_t run = 0; run < runs; run++) {
        read_all_ns(t[0]);
        work(NULL);
        read_all_ns(t[1]);
        sleep_for_ns(sleep_ns);
        read_all_ns(t[2]);
        work_on_two_threads();
        read_all_ns(t[3]);
        for (int p = 0; p < PARTS; p++)
            for (int c = 0; c < HOST_CLOCKS; c++)
                ms[p][c][run] = (double)(t[p + 1][c] - t[p][c]) / 1e6;
    }
    for (int c = 0; c < HOST_CLOCKS; c++) {
        for (int p = 0; p < PARTS; p++)
            s[p][c] = summarize(ms[p][c], runs, jitter_us / 1e3);
        s[WORK][c].disturbed |= s[WORK][c].median > too_long_ms; /* in all runs alike */
        label("clock", 19, host_clocks[c].name);
        label("counts", 14, host_clocks[c].counts);
        number("claimed_step", "ns", 0, (double)claimed_step_ns(c));
        number("seen_step", "ns", 0, (double)smallest_step_ns(c));
        number("call", "ns", 1, cost_of_a_call_ns(c));
        number("work", "ms", 3, s[WORK][c].median);
        number("sleep", "ms", 3, s[SLEEP][c].median);
        number("two_threads", "ms", 3, s[TWO_THREADS][c].median);
        const bool restless = s[SLEEP][c].disturbed && c != CLOCK; /* which sees only noise then */
        end_row(s[WORK][c].disturbed || s[TWO_THREADS][c].disturbed || restless);
    }
    end_table();
    print_verdict(s);
    say("For elapsed time use CLOCK_MONOTONIC. CLOCK_BOOTTIME is %.0f s ahead of it: the time for\n"
        "which this machine was suspended.\n",
        value("suspended", "s", (double)(t[0][BOOTTIME] - t[0][MONOTONIC]) / 1e9));
    return EXIT_SUCCESS;
}
