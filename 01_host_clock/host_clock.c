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
#include "cores.h"
#include "report.h"
#include "samples.h"

#include <pthread.h>
#include <sys/time.h>

static const int64_t work_ns = 20000000, sleep_ns = 20000000; /* The work is processor time. */
/* Work that takes longer than this was interrupted. */
static const double too_long_ms = 1.1e-6 * (double)work_ns;

/* ---- The clocks ---- */

enum { MONOTONIC, RAW, BOOTTIME, REALTIME, GETTIMEOFDAY, CLOCK, HOST_CLOCKS };
static const struct {
    const char *name, *counts;
    clockid_t id;
    int64_t tick_ns; /* the unit in which its call answers */
} host_clocks[HOST_CLOCKS] = {
    /* never set, and never stepped back */
    [MONOTONIC] = {"CLOCK_MONOTONIC", "elapsed_time", CLOCK_MONOTONIC, 1},
    /* like CLOCK_MONOTONIC, and NTP does not correct its rate */
    [RAW] = {"CLOCK_MONOTONIC_RAW", "elapsed_time", CLOCK_MONOTONIC_RAW, 1},
    /* like CLOCK_MONOTONIC, and goes on while the machine is suspended */
    [BOOTTIME] = {"CLOCK_BOOTTIME", "elapsed_time", CLOCK_BOOTTIME, 1},
    /* somebody may set it, backwards too */
    [REALTIME] = {"CLOCK_REALTIME", "time_of_day", CLOCK_REALTIME, 1},
    /* POSIX.1-2024 no longer has it */
    [GETTIMEOFDAY] = {"gettimeofday", "time_of_day", CLOCK_REALTIME, 1000},
    /* the processor time of all threads of the process */
    [CLOCK] = {"clock()", "processor_time", CLOCK_PROCESS_CPUTIME_ID, 1000000000 / CLOCKS_PER_SEC},
};

/* What clock `c` says, in nanoseconds since a zero point of its own. */
static int64_t read_ns(int c) {
    struct timeval day;
    if (c == CLOCK)
        return (int64_t)clock() * host_clocks[c].tick_ns;
    if (c != GETTIMEOFDAY)
        return clock_ns(host_clocks[c].id);
    gettimeofday(&day, NULL);
    return (int64_t)day.tv_sec * 1000000000 + (int64_t)day.tv_usec * host_clocks[c].tick_ns;
}

/* What all six say. They are read one right after the other, so it is the same moment to about a
 * microsecond. */
struct moment {
    int64_t ns[HOST_CLOCKS];
};

static struct moment read_all(void) {
    struct moment now;
    for (int c = 0; c < HOST_CLOCKS; c++)
        now.ns[c] = read_ns(c);
    return now;
}

static double elapsed_ms(const struct moment *from, const struct moment *to, int c) {
    return (double)(to->ns[c] - from->ns[c]) / 1e6;
}

/* ---- What the clocks themselves are like ---- */

static int64_t claimed_step_ns(int c) {
    struct timespec t;
    if (host_clocks[c].tick_ns > 1) /* The call's answer has no finer digits. */
        return host_clocks[c].tick_ns;
    if (clock_getres(host_clocks[c].id, &t) != 0)
        err(EXIT_FAILED, "clock_getres(%s)", host_clocks[c].name);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The smallest step of clock `c` seen in 5 ms. Where the clock is finer than a call takes, this is
 * the time of the call. */
static int64_t smallest_step_ns(int c) {
    const int64_t deadline_ns = now_ns() + 5000000;
    int64_t smallest = INT64_MAX;
    while (now_ns() < deadline_ns || smallest == INT64_MAX) {
        const int64_t before = read_ns(c);
        const int64_t step = read_ns(c) - before;
        if (step < 0 && host_clocks[c].id != CLOCK_REALTIME) /* it may be set */
            errx(EXIT_FAILED, "%s went back by %lld ns", host_clocks[c].name, (long long)-step);
        smallest = step > 0 && step < smallest ? step : smallest;
    }
    return smallest;
}

/* What a call of clock `c` costs: that of the cheapest of 11 batches of 2000 calls. Others may have
 * been interrupted. */
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
        err(EXIT_FAILED, "pthread_create");
    work(NULL);
    if ((errno = pthread_join(other, NULL)) != 0)
        err(EXIT_FAILED, "pthread_join");
}

/* ---- The rows ---- */

struct row {
    double claimed_step_ns, seen_step_ns, call_ns, work_ms, sleep_ms, threads_ms;
    const char *doubt;
};

int main(int argc, char **argv) {
    static double work_ms[HOST_CLOCKS][MAX_RUNS], sleep_ms[HOST_CLOCKS][MAX_RUNS],
        threads_ms[HOST_CLOCKS][MAX_RUNS];
    long long runs = 11;
    const struct opt options[] = {OPT_RUNS(&runs), END_OF_OPTIONS};
    struct moment start = {{0}};
    struct row rows[HOST_CLOCKS];
    parse_options(argc, argv, "Which of the host's clocks measures elapsed time?", options);
    const struct cores from = cores_now();
    for (int run = 0; run < (int)runs; run++) {
        start = read_all();
        work(NULL);
        const struct moment worked = read_all();
        sleep_for_ns(sleep_ns);
        const struct moment slept = read_all();
        work_on_two_threads();
        const struct moment end = read_all();
        for (int c = 0; c < HOST_CLOCKS; c++) {
            work_ms[c][run] = elapsed_ms(&start, &worked, c);
            sleep_ms[c][run] = elapsed_ms(&worked, &slept, c);
            threads_ms[c][run] = elapsed_ms(&slept, &end, c);
        }
    }
    const char *others = wait_and_doubt_cores(&from);
    for (int c = 0; c < HOST_CLOCKS; c++) {
        struct row *r = &rows[c];
        r->claimed_step_ns = (double)claimed_step_ns(c);
        r->seen_step_ns = (double)smallest_step_ns(c);
        r->call_ns = cost_of_a_call_ns(c);
        const size_t n = (size_t)runs;
        r->work_ms = median(work_ms[c], n);
        r->sleep_ms = median(sleep_ms[c], n);
        r->threads_ms = median(threads_ms[c], n);
        /* clock() sees only noise of a sleep: that marks no row. */
        r->doubt = doubt_runs(work_ms[c], n, 0.0005, 2) ?: doubt_runs(threads_ms[c], n, 0.0005, 2);
        if (!r->doubt && c != CLOCK)
            r->doubt = doubt_runs(sleep_ms[c], n, 0.0005, 2);
        if (r->work_ms > too_long_ms || (c != CLOCK && r->threads_ms > too_long_ms))
            r->doubt = "the work was interrupted";
        r->doubt = r->doubt ?: others;
    }

    begin_record(options, "host", "");
    say("Six clocks of the host around work of %g ms of processor time, a sleep of %g ms, and\n"
        "the work on two threads at once; medians of %lld runs\n\n",
        (double)work_ns / 1e6, (double)sleep_ns / 1e6, runs);
    for (int c = 0; c < HOST_CLOCKS; c++)
        print_row(
            rows[c].doubt,
            "clock=%-19s|counts=%-14s|claimed_step_ns=%15.0f|seen_step_ns=%12.0f|call_ns=%9.1f|"
            "work_ms=%9.3f|sleep_ms=%9.3f|two_threads_ms=%14.3f",
            host_clocks[c].name, host_clocks[c].counts, rows[c].claimed_step_ns,
            rows[c].seen_step_ns, rows[c].call_ns, rows[c].work_ms, rows[c].sleep_ms,
            rows[c].threads_ms);
    const double suspended_s =
        value("suspended_s", (double)(start.ns[BOOTTIME] - start.ns[MONOTONIC]) / 1e9);
    say("\nThe sleep took %.3f ms, and clock() counted %.3f ms of it. The work on two threads "
        "took\n"
        "%.3f ms, and clock() counted %.3f ms.\n"
        "CLOCK_BOOTTIME is %.0f s ahead of CLOCK_MONOTONIC: the time for which this machine was\n"
        "suspended.\n",
        rows[MONOTONIC].sleep_ms, rows[CLOCK].sleep_ms, rows[MONOTONIC].threads_ms,
        rows[CLOCK].threads_ms, suspended_s);
    return EXIT_SUCCESS;
}
