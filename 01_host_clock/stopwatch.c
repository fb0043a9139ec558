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
#include "doubt.h"
#include "options.h"

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
    struct stopwatch watch = {0, 0, 0};
    struct args args = begin_args(argc, argv);
    const size_t runs = number_arg(&args, "--runs", "5", MAX_RUNS, "measure so many laps");
    end_args(&args);
    print_head("host");
    printf("# runs %zu\n", runs);

    stopwatch_start(&watch);
    sleep_for_ns(first_lap_ns); /* the first lap often takes longer: chapter 06 says why */
    stopwatch_stop(&watch);
    printf("# first_lap_ms %.6f\nlaps  total_ms average_ms disturbed\n", stopwatch_read_ms(&watch));
    stopwatch_reset(&watch);

    const int64_t start_ns = now_ns();
    for (size_t lap = 0; lap < runs; lap++) {
        stopwatch_start(&watch);
        sleep_for_ns(lap_ns); /* This stands for a wait for a GPU. */
        stopwatch_stop(&watch);
        const double average_ms = stopwatch_average_ms(&watch);
        printf("%4d %9.6f %10.6f %s\n", watch.laps, stopwatch_read_ms(&watch), average_ms,
               first_doubt(average_ms > 1.1e-6 * (double)lap_ns ? INTERRUPTED : 0));
        sleep_for_ns(pause_ns); /* the stopwatch stands still */
    }
    printf("# laps_and_pauses_ms %.6f\n", (double)(now_ns() - start_ns) / 1e6);
    return EXIT_SUCCESS;
}
