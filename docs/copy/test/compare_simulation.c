/* SPDX-License-Identifier: MIT
 *
 * How often does each way to compare call A and B different when they are equal? And how often does
 * it find a difference of 1 %? On ten kinds of noise, without a device: random numbers from a fixed
 * seed, so the output is the same each time.
 *
 * Build: cc -O2 -I../../common compare_simulation.c -o compare_simulation -lm
 * Run:   ./compare_simulation         10 000 comparisons of each kind */
#include "options.h"

#include "../compare_report.h"
#include "random.h"

enum { PAIRS = 200, TIMES = 2 * PAIRS };

/* ---- What a machine does to the `i`th time of a run, all of `us` without it ---- */

static double steady(double us, int i) {
    (void)i;
    return us * (1 + 0.01 * normal());
}

static double heavy_tail(double us, int i) {
    (void)i;
    return us * (1 + 0.005 * fabs(normal() / (0.1 + fabs(normal()))));
}

static double rare_delays(double us, int i) {
    (void)i;
    return us * (1 + (uniform() < 0.02 ? 3 * uniform() : 0) + 0.003 * normal());
}

static double in_ticks(double us, double tick_us) {
    const double begin_us = tick_us * uniform();
    return (floor((begin_us + us * (1 + 0.003 * normal())) / tick_us)) * tick_us;
}

static double ticks_of_32_ns(double us, int i) {
    (void)i;
    return in_ticks(us, 0.032);
}

static double ticks_of_1024_ns(double us, int i) {
    (void)i;
    return in_ticks(us, 1.024);
}

static double drift(double us, int i) {
    return us * (1 + 0.0005 * i + 0.003 * normal());
}

static double two_levels(double us, int i) {
    static double level;
    level = i == 0 ? 0 : uniform() < 0.02 ? 0.05 - level : level;
    return us * (1 + level + 0.003 * normal());
}

static double every_fourth_is_slow(double us, int i) {
    return us * (1 + (i % 4 == 3 ? 0.03 : 0) + 0.003 * normal());
}

/* Each length swings in a phase of its own, as on a GPU: A and B are apart now more, now less. Each run
 * has a swing of another period, drawn between `shortest` and `longest`. */
static double swing(double us, int i, double shortest, double longest) {
    static double phase, period;
    if (i == 0) {
        phase = uniform();
        period = shortest + (longest - shortest) * uniform();
    }
    return us * (1 + 0.005 * sin(2 * 3.14159265358979 * (i / period + phase + us / 1.2)) +
                 0.001 * normal());
}

static double slow_swing(double us, int i) { /* three to seven times up and down in a run */
    return swing(us, i, TIMES / 7.0, TIMES / 3.0);
}

static double slower_swing(double us, int i) { /* two times to half a time: no run can know it */
    return swing(us, i, TIMES / 2.0, TIMES * 2.0);
}

static const struct {
    const char *name;
    double (*of)(double us, int i);
    double tick_us;
} noises[] = {{"normal", steady, 0},
              {"heavy_tail", heavy_tail, 0},
              {"rare_delays", rare_delays, 0},
              {"ticks_32_ns", ticks_of_32_ns, 0.032},
              {"ticks_1024_ns", ticks_of_1024_ns, 1.024},
              {"drift", drift, 0},
              {"two_levels", two_levels, 0},
              {"every_fourth_slow", every_fourth_is_slow, 0},
              {"slow_swing", slow_swing, 0},
              {"slower_swing", slower_swing, 0}};
enum { NOISES = sizeof noises / sizeof noises[0] };

/* ---- Ways to compare: each says whether A and B differ ---- */

enum order { RANDOM, ABAB, ABBA };
static struct cmp_pairs p;
static double tick_us;

static int b_is_first(enum order order, int pair) {
    return order == RANDOM ? uniform() < 0.5 : order == ABBA && pair % 2;
}

/* Measures one pair, where A takes 60 us and B so much more. */
static void measure(int noise, enum order order, double more, int pair) {
    double us[2];
    const int b_first = b_is_first(order, pair);
    for (int i = 0; i < 2; i++)
        us[i ^ b_first] = noises[noise].of(60 * (i == b_first ? 1 : 1 + more), 2 * pair + i);
    cmp_add(&p, us[0], us[1]);
}

static void begin(int noise) {
    p.count = 0;
    tick_us = noises[noise].tick_us;
}

/* compare.h's interval of one process. */
static int differs(double ratio[3]) {
    static double percent[PAIRS];
    for (size_t i = 0; i < p.count; i++)
        percent[i] = 100 * (p.b_us[i] / p.a_us[i] - 1);
    cmp_enclose(percent, p.count, ratio);
    cmp_widen(ratio, 100 * tick_us / cmp_median(p.a_us, p.count));
    return ratio[1] > 0 || ratio[2] < 0;
}

static int covered; /* of compare.h's way: the interval has the true ratio */

static int by_compare_h(int noise, double more) {
    double ratio[3];
    begin(noise);
    for (int pair = 0; pair < PAIRS; pair++)
        measure(noise, RANDOM, more, pair);
    const int found = differs(ratio);
    covered += ratio[1] <= 100 * more && 100 * more <= ratio[2];
    return found;
}

static int by_order(int noise, enum order order, double more) {
    double ratio[3];
    begin(noise);
    for (int pair = 0; pair < PAIRS; pair++)
        measure(noise, order, more, pair);
    return differs(ratio);
}

/* The mistake: looks again after each ten pairs, until they differ. */
static int until_it_differs(int noise, double more) {
    double ratio[3];
    begin(noise);
    for (int pair = 0; pair < PAIRS; pair++) {
        measure(noise, RANDOM, more, pair);
        if (pair % 10 == 9 && differs(ratio))
            return 1;
    }
    return 0;
}

/* Student's t-test, for samples of a normal distribution: of the pairs' differences, or, in Welch's form,
 * of A's times and B's as if they were independent. */
static int by_t_test(int noise, double more, int of_pairs) {
    double sum[2] = {0}, squares[2] = {0}, of_differences = 0;
    begin(noise);
    for (int pair = 0; pair < PAIRS; pair++)
        measure(noise, RANDOM, more, pair);
    for (int pair = 0; pair < PAIRS; pair++) {
        sum[0] += p.a_us[pair] / PAIRS;
        sum[1] += p.b_us[pair] / PAIRS;
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        squares[0] += pow(p.a_us[pair] - sum[0], 2) / (PAIRS - 1);
        squares[1] += pow(p.b_us[pair] - sum[1], 2) / (PAIRS - 1);
        of_differences += pow(p.b_us[pair] - p.a_us[pair] - (sum[1] - sum[0]), 2) / (PAIRS - 1);
    }
    const double variance = of_pairs ? of_differences : squares[0] + squares[1];
    return fabs(sum[1] - sum[0]) > (of_pairs ? 1.972 : 1.966) * sqrt(variance / PAIRS);
}

/* A number of the record, which the table shows below a shorter head. */
static void share(const char *name, int width, int count) {
    const double percent = 100.0 * count / (double)options.runs;
    number(name, "percent", 2, percent);
    say(" %*.2f", width, percent);
}

int main(int argc, char **argv) {
    options.runs = 10000;
    parse_options(argc, argv, "How often does each way to compare call A and B different?");
    begin_table("%s", "");
    for (int longer = 0; longer < 2; longer++) {
        const double more = longer ? 0.01 : 0;
        say("%s: called different, in percent of %lld comparisons of %d pairs\n\n",
            longer ? "\nB takes 1 % more time" : "A and B are equal", options.runs, PAIRS);
        say("%-18s %9s %8s %8s %9s %8s %8s %9s\n", "noise", "compare.h", "ABAB", "ABBA", "until it",
            "t-test,", "t-test", "interval");
        say("%-18s %9s %8s %8s %9s %8s %8s %9s\n", "", "", "order", "order", "differs", "pairs", "",
            "is right");
        for (int noise = 0; noise < NOISES; noise++) {
            int found[6] = {0};
            covered = 0;
            for (int run = 0; run < options.runs; run++) {
                found[0] += by_compare_h(noise, more);
                found[1] += by_order(noise, ABAB, more);
                found[2] += by_order(noise, ABBA, more);
                found[3] += until_it_differs(noise, more);
                found[4] += by_t_test(noise, more, 1);
                found[5] += by_t_test(noise, more, 0);
            }
            number("b_longer", "percent", 0, 100 * more);
            label("noise", 0, noises[noise].name);
            say("%-18s", noises[noise].name);
            share("compare_h", 9, found[0]);
            share("abab", 8, found[1]);
            share("abba", 8, found[2]);
            share("until_it_differs", 9, found[3]);
            share("t_test_pairs", 8, found[4]);
            share("t_test", 8, found[5]);
            share("interval_right", 9, covered);
            say("\n");
            end_record_row(false);
        }
    }
    return 0;
}
