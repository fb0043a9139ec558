/* SPDX-License-Identifier: MIT
 *
 * What compare.h must say of times whose answer is known. Without arguments: its statistics.
 * With arguments it is a compare whose processes say what stands in the file `script`, a line
 * for each: difference, low, high, control (in percent), disturbed, a probe's warm and cold us, and
 * the least percent that the clock can tell. "late": it measures. With CANDIDATES=4 a line is the
 * us of A, B, C and D. */
#include "../compare.h"

static int wrong;

static void expect(const char *what, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
        wrong++;
        fprintf(stderr, "%s: %.12g, not %.12g to %.12g\n", what, value, low, high);
    }
}

/* The tick that is found in `count` times of some 20 steps from `from_us` on, as CUDA gives them or as OpenCL does:
 * `step` ns is the clock's tick, and a stamp is a whole number of ns. */
static double tick_ns(double from_us, double step, int count, int is_float) {
    static double us[1000];
    for (int i = 0; i < count; i++) {
        const double begin = step * cmp_random(1000000),
                     steps = floor(from_us * 1e3 / step) + cmp_random(20);
        const double ns = floor(begin + steps * step + 0.5) - floor(begin + 0.5);
        us[i] = is_float ? (double)((float)ns / 1e6f) * 1e3 : ns / 1e3;
    }
    return 1e3 * cmp_tick_us(us, (size_t)count, is_float ? 1.2e-7 : 0);
}

static double step_us(double step) {
    double clocks[24], us[24];
    for (int i = 0; i < 24; i++) {
        clocks[i] = 5000 + 64 * i;
        us[i] = 3 + (step > 0 ? floor(clocks[i] / 1980 / step) * step : clocks[i] / 1980);
    }
    return cmp_step_us(clocks, us, 24);
}

/* A machine that becomes busy behind the first empty kernel: the host waits 90 us more than the events say, for all. */
static double busy_us(char which, int checked, int clocks) {
    static int launches;
    (void)checked, (void)clocks;
    cmp_note(which, 10, launches++ > 0 ? 100 : 10, 1);
    return 10;
}

static void check_statistics(void) {
    static const double steps[] = {32, 52.0833, 1024, 1000}, lengths_us[] = {3, 60, 1000, 20000};
    double samples[] = {7, 1, 3, 9, 5, 2, 8, 4, 6}, found[3];
    for (int s = 0; s < 4; s++)
        for (int l = 0; l < 4; l++)
            for (int is_float = 0; is_float < 2; is_float++)
                expect("tick", tick_ns(lengths_us[l], steps[s], 300, is_float), steps[s] - 0.2,
                       steps[s] + 2.5 + (is_float ? 3e-4 * lengths_us[l] : 0));
    expect("the tick of times that are all alike", tick_ns(3, 3000, 1, 0), 3000, 1e9);
    expect("a clock without steps", step_us(0), 0, 1e-9);
    expect("steps of 160 ns", step_us(0.16), 0.12, 0.2);
    expect("steps of 32 ns", step_us(0.032), 0.024, 0.04);
    for (size_t n = 0; n < 6; n++)
        expect("too few", (double)cmp_rank(n, 1), 0, 0);
    expect("the rank of 6", (double)cmp_rank(6, 1), 1, 1);
    expect("the rank of 8", (double)cmp_rank(8, 1), 1, 1);
    expect("the rank of 9", (double)cmp_rank(9, 1), 2, 2);
    expect("the rank of 12", (double)cmp_rank(12, 1), 3, 3);
    expect("the rank of 1000", (double)cmp_rank(1000, 1), 469, 469);
    expect("28 intervals of 10 processes", (double)cmp_rank(10, 28), 0, 0);
    expect("28 intervals of 11 processes", (double)cmp_rank(11, 28), 1, 1);
    expect("28 intervals of 15 processes", (double)cmp_rank(15, 28), 2, 2);
    cmp.rows = 4; /* half of the processes choose B, and in the other half B is slower */
    for (int r = 0; r < 4; r++) {
        cmp.table[r][CMP_MORE] = 0;
        cmp.table[r][CMP_MORE + 1] = r % 2 == 0 ? -10 : 10;
        cmp.table[r][CMP_US] = r == 3 ? 300 : 100; /* and one is slow in all that it does */
    }
    expect("the time of the fastest", cmp_fastest_us(), 104.999, 105.001);
    cmp_enclose(samples, 9, 1, found);
    expect("the median of nine", found[0], 5, 5);
    expect("the second", found[1], 2, 2);
    expect("the second last", found[2], 8, 8);
    cmp_widen(found, 6);
    expect("6 to each side, but on its side of 0", found[1], 1e-10, 1e-8);
    expect("6 to the other side", found[2], 11, 11);
    found[1] = -1;
    cmp_widen(found, 7);
    expect("to both sides", found[1], -2, -2);
    found[0] = -5, found[1] = -8, found[2] = -2;
    cmp_widen(found, 9);
    expect("to the one side", found[1], -14, -14);
    expect("not beyond 0 from below", found[2], -1e-8, -1e-10);
    found[0] = 0.049, found[1] = 0.03, found[2] = 0.06;
    cmp_widen(found, 0);
    expect("0.049 % has no side", found[1], -0.0011, -0.0009);
    found[0] = 0.051, found[1] = 0.03, found[2] = 0.06;
    cmp_widen(found, 0);
    expect("0.051 % has one", found[1], 0.0009, 0.0011);
    found[0] = -0.9, found[1] = -1, found[2] = -0.8;
    cmp_widen(found, 10);
    expect("less than a tenth of a step has no side", found[2], 9.09, 9.11);
    /* Threads that wait for each other, on quiet cores and beside others; a host that takes a half. */
    cmp_ran_ms = 700, cmp_waited_ms = 300, cmp_busy_ms = 729;
    cmp_taken_percent(&found[0], &found[1]);
    expect("taken by nobody", found[0], 0, 0);
    cmp_busy_ms = 900;
    cmp_taken_percent(&found[0], &found[1]);
    expect("taken by others", found[0], 17, 17);
    cmp_busy_ms = 5000, cmp_stolen_ms = 5030;
    cmp_taken_percent(&found[0], &found[1]);
    expect("no more than it waited", found[0], 30, 30);
    expect("stolen", found[1], 50, 50);
    cmp_note('A', 5000, 5900, 3);
    expect("5 ms, of which the host waits 5.9", (double)cmp.late, 0, 0);
    cmp_note('A', 5000, 6100, 2);
    expect("5 ms, of which the host waits 6.1", (double)cmp.late, 1, 1);
    for (int i = 0; i <= CMP_MOST; i++)
        cmp.outside_us[i] = cmp.host_us[i] = INFINITY;
    cmp.row = 1;
    busy_us(0, 0, 0);
    busy_us('A', 0, 0);
    cmp_check_outside(busy_us, 'A'); /* ends with 1 if it does not look again, at both */
    cmp_add(&cmp.all, (const double[]){100, 0}, 2);
    cmp_add(&cmp.all, (const double[]){-1, 100}, 2);
    expect("pairs with nothing left", (double)cmp.too_short, 2, 2);
}

/* Nine processes, in which B takes as much time as A, and C 2 % more: who is behind the best, and by how much? */
static void check_the_set(void) {
    double found[3];
    cmp_candidates = 3, cmp.rows = 9;
    for (int r = 0; r < 9; r++) {
        cmp.table[r][CMP_MORE + 1] = 0.1 * (r - 4);
        cmp.table[r][CMP_MORE + 2] = 0.1 * (r - 4) + 2;
    }
    cmp_behind(0, 0, found);
    expect("A may be the best", found[1], 0, 0);
    cmp_behind(1, 0, found);
    expect("B may be the best", found[1], 0, 0);
    cmp_behind(2, 0, found);
    expect("C is 2 % behind", found[0], 1.999, 2.001);
    expect("at least, by B", found[1], 1.94, 1.96);
    expect("at most, by A: of three intervals each takes all nine", found[2], 2.399, 2.401);
}

/* The host waits too long for each pair, and not for what comes before the pairs. */
static double late_pairs_us(char which, int checked, int clocks) {
    static int are_pairs;
    are_pairs |= !which; /* the empty kernels come last */
    if (!checked)
        cmp_note(which, 100, which && are_pairs ? 50000 : 100, 1);
    return which ? 100 : clocks;
}

/* The next line of the script; a file beside it counts. */
static int be_a_process(void) {
    double *row = cmp.table[0];
    int next = 0;
    char line[256] = "";
    FILE *count = fopen("count", "r"), *script = fopen("script", "r");
    if (count && fscanf(count, "%d", &next) == 1)
        fclose(count);
    count = fopen("count", "w");
    fprintf(count, "%d\n", next + 1);
    fclose(count);
    for (int i = 0; i <= next && script; i++)
        if (!fgets(line, sizeof line, script))
            return 1;
    if (strncmp(line, "late", 4) == 0)
        return cmp_measure(late_pairs_us, 0, 0) || cmp_finish();
    row[CMP_LEAST] = 0.1;
    if (cmp_candidates == 2)
        sscanf(line, "%lf%lf%lf%lf%lf%lf%lf%lf", &row[CMP_DIFFERENCE], &row[CMP_LOW],
               &row[CMP_HIGH], &row[CMP_CONTROL], &row[CMP_DISTURBED], &row[CMP_WARM],
               &row[CMP_COLD], &row[CMP_LEAST]);
    const char *drivers = getenv("OCL_ICD_FILENAMES");
    if (drivers && !strchr(drivers, ':'))
        return 1;
    row[CMP_US] = 100;
    row[CMP_US + 1] = 100 + row[CMP_DIFFERENCE];
    row[CMP_MORE + 1] = row[CMP_DIFFERENCE];
    for (int i = 0, at = 0, length; cmp_candidates > 2 && i < cmp_candidates; i++) {
        sscanf(line + at, "%lf%n", &row[CMP_US + i], &length);
        at += length;
        row[CMP_MORE + i] = 100 * (row[CMP_US + i] / row[CMP_US] - 1);
        for (int r = 0; r < 20; r++) /* its rounds, for a single process */
            cmp.all.us[i][r] = row[CMP_US + i] + 0.1 * (r * (i + 3) % 7);
    }
    cmp.all.count = 20;
    row[CMP_ROW] = 16;
    row[CMP_COUNT] = 200;
    cmp.rows = 1;
    strcpy(cmp.device_name, "X");
    return strncmp(line, "end", 3) == 0 ? atoi(line + 3) : cmp_finish();
}

int main(int argc, char **argv) {
    if (argc > 1) {
        char *drivers = getenv("OCL_ICD_FILENAMES");
        const char *candidates = getenv("CANDIDATES");
        cmp_begin(argc, argv, candidates ? atoi(candidates) : 2, "a script");
        if (drivers && !getenv("CMP_PROCESS")) /* as the loader does */
            drivers[strcspn(drivers, ":")] = 0;
        cmp_run_processes(argv);
        return be_a_process();
    }
    check_statistics();
    check_the_set();
    return wrong > 0;
}
