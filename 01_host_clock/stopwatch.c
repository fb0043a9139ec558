/* SPDX-License-Identifier: MIT
 *
 * How does one add up the laps of something that is done in pieces?
 *
 * Measures: laps of 5 ms with a stopwatch on now_ns(). The CUDA SDK's cutil timer was such a
 *   stopwatch (cutCreateTimer, cutStartTimer, ...) until it left the toolkit with CUDA 5.0.
 * Does not measure: the pauses between the laps, in which the stopwatch stands still.
 *
 * Build: cc -O2 -I../common stopwatch.c -o stopwatch -lm
 * Run:   ./stopwatch
 * Try:   leave stopwatch_reset() out: by how much is the average wrong now?
 */
#include "report.h"

static const int64_t lap_ns = 5000000, pause_ns = 10000000, first_lap_ns = 50000000;

/* ---- The stopwatch. All zero, it stands still at zero ---- */

struct stopwatch {
    int64_t started_ns, total_ns; /* integers: they add up without rounding */
    int laps;
};

static void stopwatch_start(struct stopwatch *watch) {
    watch->started_ns = now_ns();
}

static void stopwatch_stop(struct stopwatch *watch) {
    watch->total_ns += now_ns() - watch->started_ns;
    watch->laps++;
}

static void stopwatch_reset(struct stopwatch *watch) {
    watch->total_ns = 0;
    watch->laps = 0;
}

static double stopwatch_read_ms(const struct stopwatch *watch) {
    return (double)watch->total_ns / 1e6;
}

static double stopwatch_average_ms(const struct stopwatch *watch) {
    return watch->laps > 0 ? stopwatch_read_ms(watch) / watch->laps : 0;
}

int main(int argc, char **argv) {
    static struct stopwatch laps[MAX_RUNS]; /* the stopwatch as it stands after each */
    struct stopwatch watch = {0, 0, 0};
    long long runs = 5;
    const struct opt options[] = {OPT_RUNS(&runs), END_OF_OPTIONS};
    parse_options(argc, argv, "How does one add up the laps of something that is done in pieces?",
                  options);

    stopwatch_start(&watch);
    sleep_for_ns(first_lap_ns); /* the first lap often takes longer: chapter 06 says why */
    stopwatch_stop(&watch);
    const double first_ms = stopwatch_read_ms(&watch);
    stopwatch_reset(&watch);

    const int64_t start_ns = now_ns();
    for (int lap = 0; lap < (int)runs; lap++) {
        stopwatch_start(&watch);
        sleep_for_ns(lap_ns); /* This stands for a wait for a GPU. */
        stopwatch_stop(&watch);
        laps[lap] = watch;
        sleep_for_ns(pause_ns); /* the stopwatch stands still */
    }
    const int64_t end_ns = now_ns();

    begin_record(options, "host", "");
    value("first_lap_ms", first_ms);
    say("Stopwatch: a first lap of %.3f ms, long on purpose; then %lld laps on the host\n\n",
        first_ms, runs);
    for (const struct stopwatch *w = laps; w < laps + runs; w++) {
        const bool late = stopwatch_average_ms(w) > 1.1e-6 * (double)lap_ns;
        print_row(late ? "the sleeps ended late" : NULL,
                  "laps=%9d|total_ms=%9.3f|average_ms=%10.3f", w->laps, stopwatch_read_ms(w),
                  stopwatch_average_ms(w));
    }
    const double all_ms = value("laps_and_pauses_ms", (double)(end_ns - start_ns) / 1e6);
    say("\nA lap takes %.3f ms on average. All laps and pauses took %.3f ms; the stopwatch "
        "counted\n"
        "%.3f ms.\n",
        stopwatch_average_ms(&watch), all_ms, stopwatch_read_ms(&watch));
    return EXIT_SUCCESS;
}
