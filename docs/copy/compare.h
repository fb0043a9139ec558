/* SPDX-License-Identifier: MIT
 *
 * Which of two is faster, and how sure? The statistics of compare.c and compare.cu: a file to copy.
 *
 * Times come in pairs, one of A and one of B, in an order drawn at random for each pair. If A and B
 * are equal, chance alone decides which of the two is longer, as with a fair coin, whatever the noise
 * does. So the number of pairs in which B is longer tells whether they differ (the sign test), and the
 * k-th smallest and the k-th largest ratio B/A enclose the true median of the ratio. Nothing is
 * assumed of the distribution. (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2 and 3.4.)
 *
 * Whoever looks again and again until A and B differ will see them differ. Here the difference is looked
 * at once, when the run is over; and what ends the run does not know which of the two is longer. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_PAIRS = 1 << 20 };
static const double alpha = 0.05; /* the chance to call equal ones different; 1 - alpha: how sure */

struct pairs {
    double a_us[MAX_PAIRS], b_us[MAX_PAIRS];
    size_t count;
    double tick_us; /* what the clock cannot tell apart */
};
static struct pairs ab, aa;  /* aa: A and A again, the control */
static uint64_t tick_ns;     /* of the clock: all times so far are whole multiples of it */
static size_t samples, late; /* late: the host waited a millisecond longer than it took */
static size_t too_short;     /* pairs */

static double sorted[MAX_PAIRS]; /* of one of the functions below, at a time */

struct interval {
    double low, middle, high;
};

/* 64 random bits; the upper ones are the good ones. The clock is the seed, so each run gets others. */
static inline uint64_t random_bits(void) {
    static uint64_t state;
    struct timespec now;
    if (state == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        state = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + 1;
    }
    state ^= state >> 12; /* xorshift64* (Vigna 2016) */
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}

/* For each time that is taken: the clock's tick so far, and whether the host waited far too long. */
static inline void note(double us, double waited_us) {
    samples++;
    late += waited_us - us > 1000;
    for (uint64_t rest = us > 0 ? (uint64_t)(us * 1e3 + 0.5) : 0; rest > 0;) { /* Euclid, in ns */
        const uint64_t remainder = tick_ns % rest;
        tick_ns = rest;
        rest = remainder;
    }
}

/* A pair with nothing left, after the empty kernel's time, is dropped. */
static inline void add_pair(struct pairs *p, double a_us, double b_us) {
    if (!(a_us > 0 && b_us > 0)) {
        too_short++;
    } else if (p->count < MAX_PAIRS) {
        p->a_us[p->count] = a_us;
        p->b_us[p->count++] = b_us;
    }
}

static inline int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The middle one of n times. */
static inline double median_of(const double *times, size_t n) {
    memcpy(sorted, times, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* The largest k for which the k-th smallest and the k-th largest of n samples enclose the true median
 * with a probability of 1 - alpha or more. 0: there is none, n is too small. */
static inline size_t rank_of(size_t n) {
    const double far_below =
        (double)n / 2 - 6 * sqrt((double)n); /* 12 deviations: nothing to add */
    size_t k = far_below > 0 ? (size_t)far_below : 0;
    double chance = exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
                        lgamma((double)(n - k) + 1) - (double)n * log(2)),
           sum = chance; /* that k or fewer of n coins show heads */
    while (k < n && sum <= alpha / 2) {
        chance *= (double)(n - k) / (double)(k + 1);
        k++;
        sum += chance;
    }
    return k;
}

/* The median of B/A and its interval, which goes at least one tick to each side: no clock tells less. */
static inline struct interval ratio_of(const struct pairs *p) {
    struct interval ratio = {0, 1, INFINITY};
    const size_t n = p->count, k = rank_of(n);
    if (k == 0)
        return ratio;
    const double tick = p->tick_us / median_of(p->a_us, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = p->b_us[i] / p->a_us[i];
    qsort(sorted, n, sizeof *sorted, by_size);
    ratio.middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    ratio.low = fmax(0, fmin(sorted[k - 1], ratio.middle - tick));
    ratio.high = fmax(sorted[n - k], ratio.middle + tick);
    return ratio;
}

/* Half the width that the interval would have if A and B were equal. It looks at how far the two times
 * of a pair are apart (the logarithm makes A/B and B/A the same), not at which is longer. So it may
 * decide when to stop. */
static inline double blind_half_width(const struct pairs *p) {
    const size_t within = (size_t)(2 * sqrt((double)p->count));
    for (size_t i = 0; i < p->count; i++)
        sorted[i] = fabs(log(p->b_us[i] / p->a_us[i]));
    qsort(sorted, p->count, sizeof *sorted, by_size);
    return within < p->count ? sorted[within] : INFINITY;
}

enum verdict { RUNNING, DIFFERENT, SAME, UNDECIDED };

/* To be asked after each pair, until it is not RUNNING. `part` of the time budget is over, 0 to 1;
 * `least` is the smallest difference that matters, as a part of A. It never ends in the first half of the
 * time: what moves the times may move them slowly, and a short run sees one side of that. */
static inline enum verdict look(const struct pairs *p, double part, double least,
                                struct interval *ratio) {
    const int is_power_of_two = p->count >= 32 && (p->count & (p->count - 1)) == 0;
    const int may_end = part >= 0.5 && is_power_of_two;
    if (part < 1 && p->count < MAX_PAIRS && !(may_end && blind_half_width(p) <= least / 2))
        return RUNNING;
    *ratio = ratio_of(p);
    if (ratio->low > 1 || ratio->high < 1)
        return DIFFERENT;
    return ratio->low >= 1 - least && ratio->high <= 1 + least ? SAME : UNDECIDED;
}

/* ---- The command line, and the report ---- */

static double seconds = 2, least = 0.005;
static const char *unit = " us";
static FILE *record;      /* of --csv; stdout: in place of the words */
static size_t input_line; /* of standard input, from 1 on */

static inline double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Ends with 2 and one line. */
static inline void refuse(const char *what, const char *text) {
    if (input_line > 0)
        fprintf(stderr, "line %zu of the input: ", input_line);
    fprintf(stderr, "%s: '%s'\n", what, text);
    exit(2);
}

/* The positive number at `text`, up to `most`, and nothing behind it. */
static inline double number_of(const char *text, double most, const char *what) {
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !(x > 0 && x <= most) ||
        strspn(text, "0123456789.eE+-") != strlen(text))
        refuse(what, text);
    return x;
}

/* "B takes 1.02 % more time than A (0.85 to 1.19 %)"; "... between 0.40 % less and 1.10 % more time". */
static inline void print_difference(const char *b, const char *a, struct interval ratio) {
    const double low = 100 * (ratio.low - 1), high = 100 * (ratio.high - 1);
    if (low <= 0 && high >= 0)
        printf("%s takes between %.2f %% less and %.2f %% more time than %s", b, fabs(low), high,
               a);
    else
        printf("%s takes %.2f %% %s time than %s (%.2f to %.2f %%)", b,
               100 * fabs(ratio.middle - 1), high < 0 ? "less" : "more", a, high < 0 ? -high : low,
               high < 0 ? -low : high);
}

/* The verdict, what would decide it, the times, and the control. `took_s`: 0 if not known. */
static inline void print_words(enum verdict verdict, struct interval ratio, double took_s) {
    const double widest = fmax(1 - ratio.low, ratio.high - 1);
    const double a_us = median_of(ab.a_us, ab.count);
    const double tick = ab.tick_us / a_us; /* where it is most of the interval, no time helps */
    if (late > samples / 4)
        printf("Disturbed: for %zu of %zu samples the host waited a millisecond too long: somebody "
               "else uses the device.\n",
               late, samples);
    if (!(widest < INFINITY) || (ratio.low <= 0 && ratio.high >= 1)) {
        printf(widest < INFINITY ? "Not decided: a tick of this clock is %.0f %% of A: put more "
                                   "work into one launch.\n"
                                 : "Not decided: too few pairs, %.0f.\n",
               widest < INFINITY ? 100 * tick : (double)ab.count);
        return;
    }
    if (verdict == SAME)
        printf("No difference larger than %.2f %% either way", 100 * widest);
    else
        print_difference(verdict == DIFFERENT ? "B" : "Not decided: B", "A", ratio);
    printf(", 95 %% sure.\n");
    if (verdict == UNDECIDED && tick > fmin(least, 0.45 * (ratio.high - ratio.low)))
        printf("Such times cannot tell less than %.2f %% of A: put more work into one launch.\n",
               100 * tick);
    else if (verdict == UNDECIDED && took_s > 0) {
        const double wanted_s = ceil(took_s * pow(widest / least, 2));
        printf(wanted_s > 3600 ? "More than an hour would be needed to decide on %.2f %%.\n"
                               : "To decide on %.2f %% would take some %.0f s.\n",
               100 * least, wanted_s);
    }
    printf("Medians: A %.2f%s, B %.2f%s; of the pairs' ratios B/A %.5f (%.5f to %.5f); %zu pairs.\n"
           "Such a run finds a difference of %.2f %% in 19 of 20 cases.\n",
           a_us, unit, median_of(ab.b_us, ab.count), unit, ratio.middle, ratio.low, ratio.high,
           ab.count, 100 * (ratio.high - ratio.low));
    if (rank_of(aa.count) > 0) {
        print_difference("Control: A", "A itself", ratio_of(&aa));
        printf("; %zu pairs.\n", aa.count);
    }
}

/* Named values, a line for each. From -100 % to inf: nothing is known. */
static inline void print_record(const char *device, enum verdict verdict, struct interval ratio) {
    static const char *const verdicts[] = {"", "longer", "same", "undecided"};
    const struct interval control = ratio_of(&aa);
    const char *in_us = *unit ? "_us" : "";
    fprintf(record, "# program,compare\n# device,%s\n# seconds,%g\n# percent,%g\n# verdict,%s\n",
            device, seconds, 100 * least, ratio.high < 1 ? "shorter" : verdicts[verdict]);
    fprintf(record, "# difference_percent,%.3f\n# low_percent,%.3f\n# high_percent,%.3f\n",
            100 * (ratio.middle - 1), 100 * (ratio.low - 1), 100 * (ratio.high - 1));
    fprintf(record, "# control_low_percent,%.3f\n# control_high_percent,%.3f\n",
            100 * (control.low - 1), 100 * (control.high - 1));
    fprintf(record, "# median_a%s,%.3f\n# median_b%s,%.3f\n# pairs,%zu\n# disturbed,%d\n", in_us,
            median_of(ab.a_us, ab.count), in_us, median_of(ab.b_us, ab.count), ab.count,
            late > samples / 4);
}

/* Prints the record, the words, or both. Returns what the program ends with: a full disk is no result. */
static inline int report(const char *device, enum verdict verdict, struct interval ratio,
                         double took_s) {
    if (ab.count < too_short) {
        fprintf(stderr, "A and B are too short for this device's clock, or it is disturbed\n");
        return 1;
    }
    if (record)
        print_record(device, verdict, ratio);
    if (record != stdout) {
        printf("%s%s", device, *device ? "\n" : "");
        print_words(verdict, ratio, took_s);
    }
    if ((!record || fflush(record) == 0) && fflush(stdout) == 0)
        return 0;
    perror("cannot write the result");
    return 1;
}

/* Reads [SECONDS [PERCENT]]: the time budget, the smallest difference that matters. With "- [TICK]" the
 * times are on standard input, a line for each pair, A's and B's in one unit and the clock's tick
 * in the same one: prints the verdict and ends. The last argument may be --csv[=FILE]. */
static inline void read_arguments(int argc, char **argv) {
    static const char usage[] = "usage: compare [SECONDS [PERCENT]] or compare - [TICK], then "
                                "[--csv[=FILE]]; SECONDS up to 3600; not";
    char line[256];
    struct interval ratio;
    const char *last = argv[argc - 1];
    if (argc > 1 && strncmp(last, "--csv", 5) == 0) {
        record = !last[5] ? stdout : last[5] == '=' ? fopen(last + 6, "w") : NULL;
        if (!record)
            refuse("cannot write the record", last);
        argc--;
    }
    if (argc > 3)
        refuse(usage, argv[3]);
    if (argc < 2 || strcmp(argv[1], "-") != 0) {
        seconds = argc > 1 ? number_of(argv[1], 3600, usage) : seconds;
        least = argc > 2 ? number_of(argv[2], 100, "not a percentage up to 100") / 100 : least;
        return;
    }
    unit = "";
    ab.tick_us = argc > 2 ? number_of(argv[2], 1e12, "not a tick") : 0;
    for (input_line = 1; fgets(line, sizeof line, stdin); input_line++) {
        const char *a = strtok(line, " \t,\r\n"), *b = strtok(NULL, " \t,\r\n");
        if (!a || !b || strtok(NULL, " \t,\r\n"))
            refuse("not two times, of A and of B", a ? a : "");
        if (ab.count == MAX_PAIRS)
            refuse("more pairs than there is room for", a);
        const double a_us = number_of(a, 1e12, "not a time");
        add_pair(&ab, a_us, number_of(b, 1e12, "not a time"));
    }
    if (ferror(stdin) || ab.count == 0)
        refuse("no times", "");
    const enum verdict verdict = look(&ab, 1, least, &ratio);
    exit(report("", verdict, ratio, 0));
}
