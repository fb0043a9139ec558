/* SPDX-License-Identifier: MIT
 *
 * What compare.h must say of times whose answer is known. Without arguments: its statistics.
 * With arguments it is a compare whose processes say what stands in the file `script`, a line
 * for each: difference, low, high (in percent), disturbed, the least percent that the clock can
 * tell, the SM's clock of A and B, and A's at last. "late": it measures. With CANDIDATES=4 a line
 * is the us of A, B, C and D. */
#include "../compare.h"

static int wrong;

static void expect(const char *what, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
        wrong++;
        fprintf(stderr, "%s: %.12g, not %.12g to %.12g\n", what, value, low, high);
    }
}

static void expect_words(const char *what, const char *words, const char *begin) {
    if (begin ? !words || strncmp(words, begin, strlen(begin)) != 0 : words != NULL) {
        wrong++;
        fprintf(stderr, "%s: '%s', not '%s'\n", what, words ? words : "", begin ? begin : "");
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

/* "late": the host waits too long for each round, and not for what comes before the rounds; of that the empty kernels
 * come last. It takes a millisecond: the rounds are few. */
static double cmp_time_us(char which, int row, enum cmp_how how) {
    static const struct timespec millisecond = {0, 1000000};
    static int are_rounds;
    (void)row;
    are_rounds |= !which;
    if (which && are_rounds)
        nanosleep(&millisecond, NULL);
    if (how != CMP_CHECKED)
        cmp_note(which, 100, which && are_rounds ? 50000 : 100, 1);
    return which ? 100 : 0;
}

/* Nothing is checked here. */
static void cmp_look_again(void) {
}
static long first_wrong(const void *copy, int version) {
    (void)copy;
    return version;
}

static void check_statistics(void) {
    static const double steps[] = {32, 52.0833, 1024, 1000}, lengths_us[] = {3, 60, 1000, 20000};
    double samples[] = {7, 1, 3, 9, 5, 2, 8, 4, 6}, runs[30], times_us[] = {3, 3.4, 3.1};
    for (int s = 0; s < 4; s++)
        for (int l = 0; l < 4; l++)
            for (int is_float = 0; is_float < 2; is_float++)
                expect("tick", tick_ns(lengths_us[l], steps[s], 300, is_float),
                       steps[s] - 2.5 - 3e-4 * lengths_us[l],
                       steps[s] + 2.5 + (is_float ? 3e-4 * lengths_us[l] : 0));
    expect("the smallest step, not the last", cmp_tick_us(times_us, 3, 0), 0.099, 0.101);
    expect("the tick of times that are all alike", tick_ns(3, 3000, 1, 0), 3000, 1e9);
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
    struct cmp_interval found = cmp_enclose(samples, 9, 1);
    expect("the median of nine", found.middle, 5, 5);
    expect("the median of eight", cmp_median(samples, 8), 4.5, 4.5);
    expect("the second", found.low, 2, 2);
    expect("the second last", found.high, 8, 8);
    found = cmp_widen(found, 6);
    expect("6 to each side, but on its side of 0", found.low, 1e-10, 1e-8);
    expect("6 to the other side", found.high, 11, 11);
    found.low = -1;
    found = cmp_widen(found, 7);
    expect("to both sides", found.low, -2, -2);
    found = (struct cmp_interval){-5, -8, -2};
    found = cmp_widen(found, 9);
    expect("to the one side", found.low, -14, -14);
    expect("not beyond 0 from below", found.high, -1e-8, -1e-10);
    found = (struct cmp_interval){0.049, 0.03, 0.06};
    found = cmp_widen(found, 0);
    expect("0.049 % has no side", found.low, -0.0011, -0.0009);
    found = (struct cmp_interval){0.051, 0.03, 0.06};
    found = cmp_widen(found, 0);
    expect("0.051 % has one", found.low, 0.0009, 0.0011);
    found = (struct cmp_interval){-0.9, -1, -0.8};
    found = cmp_widen(found, 10);
    expect("less than a tenth of a step has no side", found.high, 9.09, 9.11);
    /* Threads that wait for each other, on quiet cores and beside others; a host that takes a half; no counts. */
    cmp_counts.is_seen = 1;
    cmp_counts.ran = 700, cmp_counts.waited = 300, cmp_counts.busy = 729;
    expect_words("taken by nobody", cmp_doubt_cores(), NULL);
    cmp_counts.busy = 829;
    expect_words("taken by others, less than a tenth", cmp_doubt_cores(), NULL);
    cmp_counts.busy = 900;
    expect_words("taken by others", cmp_doubt_cores(), "others had");
    cmp_counts.busy = 5000;
    expect_words("no more than it waited", cmp_doubt_cores(), "others had");
    cmp_counts.waited = 0, cmp_counts.stolen = 5030;
    expect_words("stolen", cmp_doubt_cores(), "the host of this");
    cmp_counts.is_seen = 0;
    expect_words("unknown", cmp_doubt_cores(), "unknown");
    /* Six runs in each fifth: the last ones are longer, or shorter; the middle ones do not matter. */
    for (int i = 0; i < 30; i++)
        runs[i] = 100 + i % 2 + (i >= 24 ? 10 : 0);
    expect("a drift", cmp_drift(runs, 30), 9.9, 10);
    for (int i = 0; i < 30; i++)
        runs[i] = i >= 24 ? 90 : i >= 6 ? 500 : 100;
    expect("it gets faster", cmp_drift(runs, 30), -10, -9.99);
    runs[0] = runs[1] = 80;
    expect("a third of the first fifth is as short", cmp_drift(runs, 30), 0, 0);
    expect("too few", cmp_drift(runs, 24), 0, 0);
    cmp_note('A', 5000, 5900, 3);
    expect("5 ms, of which the host waits 5.9", (double)cmp.late, 0, 0);
    cmp_note('A', 5000, 6100, 2);
    expect("5 ms, of which the host waits 6.1", (double)cmp.late, 1, 1);
    cmp.row = 1;
    cmp_add_round();
    expect("a round", (double)cmp.rounds, 1, 1);
    cmp.empty_us = 100;
    cmp_add_round();
    expect("no round with nothing left", (double)cmp.rounds, 1, 1);
    expect("it is counted", (double)cmp.too_short, 1, 1);
}

/* The next line of the script; a file beside it counts. */
static int be_a_process(void) {
    struct cmp_found *row = &cmp.table[0];
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
        return cmp_measure(1, 0, 0) || cmp_finish();
    row->least = 0.1;
    if (cmp_candidates == 2)
        sscanf(line, "%lf%lf%lf%lf%lf%lf%lf%lf", &row->difference.middle, &row->difference.low,
               &row->difference.high, &row->disturbed, &row->least, &row->mhz[0], &row->mhz[1],
               &row->last_mhz);
    snprintf(row->doubt, sizeof row->doubt, "%s", row->disturbed > 0 ? "the script says so" : "");
    row->first_mhz = row->mhz[0];
    row->last_mhz = row->last_mhz > 0 ? row->last_mhz : row->mhz[0];
    row->us[0] = 100;
    row->us[1] = 100 + row->difference.middle;
    row->more[1] = row->difference.middle;
    for (int i = 0, at = 0, length; cmp_candidates > 2 && i < cmp_candidates; i++) {
        sscanf(line + at, "%lf%n", &row->us[i], &length);
        at += length;
        row->more[i] = 100 * (row->us[i] / row->us[0] - 1);
        for (int r = 0; r < 20; r++) /* its rounds, for a single process */
            cmp.us[i][r] = row->us[i] + 0.1 * (r * (i + 3) % 7);
    }
    cmp.rounds = 20;
    row->in_a_row = 16;
    row->rounds = 200;
    cmp.rows = 1;
    const char *device = getenv("DEVICE");
    snprintf(cmp_device_name, sizeof cmp_device_name, "%s", device ? device : "X, as an H100");
    return strncmp(line, "end", 3) == 0 ? atoi(line + 3) : cmp_finish();
}

int main(int argc, char **argv) {
    if (argc > 1) {
        const char *candidates = getenv("CANDIDATES");
        cmp_begin(argc, argv, candidates ? atoi(candidates) : 2);
        cmp_run_processes(argv);
        return be_a_process();
    }
    check_statistics();
    return wrong > 0;
}
