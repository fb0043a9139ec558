/* SPDX-License-Identifier: MIT
 *
 * What blocks write down, checked, and the row of a launch; for CUDA and OpenCL alike. How a block
 * takes its stamps is in the programs. */
#pragma once

#include "options.h"
#include "summary.h"

/* What thread 0 of a block writes down. Clocks are its SM's own: within a block their difference
 * means something, between blocks nothing. The nanoseconds are one clock's for the whole device,
 * and 0 where there is none. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns, sm;
};

static float *results; /* of a launch's blocks, in host memory as the next two */
static struct block_time *times;
static double *clocks;
static float minimum; /* the right result */

/* Fills `input` with `count` random floats, an even number, and puts the minimum in a random slot: of
 * the upper half and of the lower half in turns. A reduction that skips elements must fail. */
static inline void set_random(float *input, size_t count) {
    static size_t half = 0;
    minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < count; i++)
        input[i] = (float)(rand() % 1000);
    half = half > 0 ? 0 : count / 2;
    input[half + (size_t)rand() % (count / 2)] = minimum; /* NOLINT: count is not 0 */
}

/* Host memory for the blocks of a launch, at most so many. */
static inline void set_up_host(size_t most) {
    results = (float *)malloc(most * sizeof *results);
    times = (struct block_time *)malloc(most * sizeof *times);
    clocks = (double *)malloc(most * sizeof *clocks);
    if (!results || !times || !clocks)
        fail(EXIT_FAILED, "no host memory for %zu blocks", most);
}

/* Exits with 1 on a wrong result or an impossible stamp. */
static inline void check_blocks(size_t blocks) {
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        if (results[b] != minimum)
            fail(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)results[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            fail(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
    }
}

/* ---- One row: launches in the median. SPAN_US and USED are -1 where the device cannot tell ---- */

enum { CLOCKS_MIN, CLOCKS_MEAN, CLOCKS_MEDIAN, CLOCKS_MAX, SPAN_US, OUTSIDE_US, USED, FIELDS };
static double samples[FIELDS][MAX_RUNS];

/* Stores what the blocks of launch number `run` wrote in `samples`. */
static inline void sample_launch(size_t run, size_t blocks, double outside_us) {
    unsigned long long first_ns = ~0ull, last_ns = 0;
    unsigned char seen[4096] = {0}; /* SM numbers */
    int sms = 0;
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        sms += !seen[t->sm % sizeof seen];
        seen[t->sm % sizeof seen] = 1;
    }
    const struct summary s = summarize(clocks, blocks);
    const double span_us = last_ns > 0 ? (double)(last_ns - first_ns) / 1e3 : -1;
    /* %globaltimer steps by 1 us on some devices: allow two such steps; and for a time stamp
     * counter the error of its rate. */
    if (!(outside_us > 0) || span_us > 1.001 * outside_us + 2)
        fail(EXIT_FAILED, "impossible: a span of %.2f us measured from outside as %.2f us", span_us,
             outside_us);
    samples[CLOCKS_MIN][run] = s.min;
    samples[CLOCKS_MEAN][run] = s.mean;
    samples[CLOCKS_MEDIAN][run] = s.median;
    samples[CLOCKS_MAX][run] = s.max;
    samples[SPAN_US][run] = span_us;
    samples[OUTSIDE_US][run] = outside_us;
    samples[USED][run] = span_us < 0 ? -1 : sms;
}

/* Prints the row of options.runs launches, and stores their medians in `row`. In the table a bar shows
 * the mean clocks, ten signs for `one_mean` of them, and `mark` says what the number of blocks stands for. */
static inline void report_blocks(const char *device, long long blocks, long long threads,
                                 double row[FIELDS], const double *one_mean, const char *mark) {
    bool disturbed = false;
    for (int f = 0; f < FIELDS; f++) {
        const struct summary s = summarize(samples[f], (size_t)options.runs);
        row[f] = s.median;
        disturbed |= s.disturbed && (f == CLOCKS_MEAN || f == OUTSIDE_US);
    }
    const bool has_span = row[SPAN_US] >= 0;
    cell("device", 0, "%s", device);
    cell("blocks", 7, "%lld", blocks);
    cell("threads", 7, "%lld", threads);
    cell("runs", 0, "%lld", options.runs);
    cell("clocks_min", 10, "%.0f", row[CLOCKS_MIN]);
    cell("clocks_mean", 11, "%.0f", row[CLOCKS_MEAN]);
    cell("clocks_median", 13, "%.0f", row[CLOCKS_MEDIAN]);
    cell("clocks_max", 10, "%.0f", row[CLOCKS_MAX]);
    if (has_span)
        number("span", "us", 9, 2, row[SPAN_US]);
    else
        cell("span_us", 0, "%s", "");
    number("outside", "us", 12, 2, row[OUTSIDE_US]);
    if (has_span)
        cell("used", 4, "%.0f", row[USED]);
    else
        cell("used", 0, "%s", "");
    cell("", -1, "%.*s%s%s", (int)(row[CLOCKS_MEAN] / *one_mean * 10 + 0.5),
         "########################################", *mark ? " " : "", mark);
    end_row_disturbed(disturbed || (has_span && is_delayed(row[OUTSIDE_US] - row[SPAN_US])));
}

/* Puts `number` in its place in a rising list that ends with 0, unless it is there. */
static inline void insert(long long *list, long long number) {
    while (*list && *list < number)
        list++;
    while (number && *list != number) { /* each moves up the next; the last of them is the 0 */
        const long long next = *list;
        *list++ = number;
        number = next;
    }
}
