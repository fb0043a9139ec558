/* SPDX-License-Identifier: MIT
 *
 * Each process has an offset of its own, which no repetition in it can see. How often does the
 * interval of several processes hold the true difference, how often is a difference of 0.2 % found,
 * and how often one that is not there? Three ways, on random numbers from a fixed seed, without a
 * device: compare.h's (the k-th smallest and the k-th largest of the processes), Student's t
 * interval of the processes, and all pairs of all processes in one pool.
 *
 * Build: cc -O2 -I../../../common processes_simulation.c -o processes_simulation -lm
 * Run:   ./processes_simulation       4 000 times each */
#include "options.h"

#include "../compare_report.h"
#include "random.h"

enum { PAIRS = 100, MOST = 40 };
enum { COMPARE, T, POOL, WAYS };

/* The offset of a process, in percent: of so much deviation; `odd`: one in ten is off by 1 % besides, as if disturbed. */
static double offset(double deviation, int odd) {
    return deviation * normal() + (odd && uniform() < 0.1 ? 1 : 0);
}

/* Student's t for 95 %, n - 1 degrees of freedom (Cornish and Fisher's expansion: 2.31 for n of 9). */
static double student(int n) {
    const double z = 1.959964, v = n - 1;
    return z + (pow(z, 3) + z) / (4 * v) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * v * v) +
           (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * pow(v, 3));
}

/* A clock that sees a time grow in steps, which lie elsewhere in each process. All in percent of A. */
static double in_steps(double more, double step) {
    const double phase = step > 0 ? uniform() : 0;
    return step > 0 ? step * (floor((100 + more) / step + phase) - floor(100 / step + phase))
                    : more;
}

/* One run of n processes: the interval of each way. */
static void run(int n, double more, double deviation, int odd, double step, double found[WAYS][3]) {
    static double pool[MOST * PAIRS], ratios[MOST];
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        double pairs[PAIRS], one[3];
        const double off = in_steps(more + offset(deviation, odd), step);
        for (int pair = 0; pair < PAIRS; pair++)
            pool[i * PAIRS + pair] = pairs[pair] = off + 0.4 * normal(); /* 0.3 % of each time */
        cmp_enclose(pairs, PAIRS, one);
        ratios[i] = one[0];
        mean += one[0] / n;
    }
    for (int i = 0; i < n; i++)
        squares += pow(ratios[i] - mean, 2);
    const double half = student(n) * sqrt(squares / (n - 1) / n);
    found[T][1] = mean - half;
    found[T][2] = mean + half;
    cmp_enclose(ratios, (size_t)n, found[COMPARE]);
    cmp_widen(found[COMPARE], step);
    cmp_enclose(pool, (size_t)n * PAIRS, found[POOL]);
}

int main(int argc, char **argv) {
    static const struct {
        int processes;
        double deviation;
        int odd;
        double step;
    } cases[] = {{9, 0.05, 0, 0},  {9, 0.1, 0, 0},   {9, 0.17, 0, 0},    {9, 0.2, 0, 0},
                 {9, 0.1, 1, 0},   {9, 0.2, 1, 0},   {6, 0.17, 0, 0},    {8, 0.17, 0, 0},
                 {12, 0.17, 0, 0}, {15, 0.17, 0, 0}, {17, 0.17, 0, 0},   {20, 0.17, 0, 0},
                 {6, 0.1, 0, 0},   {12, 0.1, 0, 0},  {9, 0.03, 0, 0.22}, {9, 0.03, 0, 0.44},
                 {25, 0.17, 1, 0}};
    static const char *const names[WAYS][3] = {{"holds", "alarms", "finds"},
                                               {"t_holds", "t_alarms", "t_finds"},
                                               {"pool_holds", "pool_alarms", "pool_finds"}};
    options.runs = 4000;
    parse_options(argc, argv, "Does the interval of several processes hold?");
    begin_table("%s", "In percent of the runs: the interval holds the true difference; equal "
                      "kernels are called different (alarms);\n"
                      "0.2 % is found. Each process has an offset of this deviation; odd: one in "
                      "ten is off by 1 % besides;\n"
                      "step: in which the clock sees a time grow.\n\n");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int holds[WAYS] = {0}, alarms[WAYS] = {0}, finds[WAYS] = {0};
        double found[WAYS][3];
        for (int r = 0; r < options.runs; r++)
            for (int longer = 0; longer < 2; longer++) {
                run(cases[c].processes, 0.2 * longer, cases[c].deviation, cases[c].odd,
                    cases[c].step, found);
                for (int way = 0; way < WAYS; way++) {
                    holds[way] += found[way][1] <= 0.2 * longer && 0.2 * longer <= found[way][2];
                    alarms[way] += !longer && (found[way][1] > 0 || found[way][2] < 0);
                    finds[way] += longer && found[way][1] > 0;
                }
            }
        cell("processes", "%d", cases[c].processes);
        number("offset", "percent", 2, cases[c].deviation);
        label("odd", 0, cases[c].odd ? "yes" : "no");
        number("step", "percent", 2, cases[c].step);
        for (int way = 0; way < WAYS; way++) {
            cell(names[way][0], "%.1f", 50.0 * holds[way] / (double)options.runs);
            cell(names[way][1], "%.1f", 100.0 * alarms[way] / (double)options.runs);
            cell(names[way][2], "%.1f", 100.0 * finds[way] / (double)options.runs);
        }
        end_row(false);
    }
    end_table();
    return 0;
}
