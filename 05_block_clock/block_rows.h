/* SPDX-License-Identifier: MIT
 *
 * The rows of block_clock: what the launches with so many blocks and threads say in the median. */
#pragma once

#include "block_times.h"
#include "options.h"
#include "summary.h"

/* What a launch says, and a row in the median of its launches. SPAN_US and USED are NaN where the
 * device cannot tell. */
enum { CLOCKS_MEAN, CLOCKS_MEDIAN, CLOCKS_MAX, SPAN_US, LAUNCH_US, WAIT_US, USED, FIELDS };
static double samples[FIELDS][MAX_RUNS];
static double rows[MAX_LIST][MAX_LIST][FIELDS]; /* of options.threads and of options.blocks */

/* Stores what the blocks of launch number `run` wrote in `samples`. The host waited wait_us. */
static inline void sample_launch(size_t run, size_t blocks, double launch_us, double wait_us) {
    static double clocks[MAX_BLOCKS];
    unsigned long long first_ns = ~0ull, last_ns = 0;
    bool seen[MAX_UNITS] = {false};
    int used = 0;
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        used += !seen[t->unit];
        seen[t->unit] = true;
    }
    const struct summary s = summarize(clocks, blocks, jitter_clocks);
    const bool has_span = last_ns > 0;
    const double span_us = has_span ? (double)(last_ns - first_ns) / 1e3 : NAN;
    /* %globaltimer steps by 1 us on some devices: allow two such steps; and for a time stamp
     * counter the error of its rate. */
    if (!(launch_us > 0) || span_us > 1.001 * launch_us + 2)
        fail(EXIT_FAILED, "impossible: a span of %.2f us in a launch of %.2f us", span_us,
             launch_us);
    samples[CLOCKS_MEAN][run] = s.mean;
    samples[CLOCKS_MEDIAN][run] = s.median;
    samples[CLOCKS_MAX][run] = s.max;
    samples[SPAN_US][run] = span_us;
    samples[LAUNCH_US][run] = launch_us;
    samples[WAIT_US][run] = wait_us;
    samples[USED][run] = has_span ? (double)used : NAN;
}

/* Prints the row of options.threads[t] and options.blocks[b], and stores its medians. It is
 * disturbed if one of its times is; the number of SMs or cores is no time: PoCL takes now one core,
 * now more. The record also has the least and the greatest launch, to compare two records with.
 * `note` says what the number of blocks stands for. */
static inline void report_blocks(int t, int b, const char *note) {
    bool disturbed = false;
    struct summary of[FIELDS];
    for (int f = 0; f < FIELDS; f++) {
        of[f] = f < SPAN_US || f == USED
                    ? summarize(samples[f], (size_t)options.runs, jitter_clocks)
                    : summarize_us(samples[f], (size_t)options.runs);
        rows[t][b][f] = of[f].median;
        disturbed |= of[f].disturbed && f < WAIT_US;
    }
    const double *row = rows[t][b];
    cell("blocks", "%lld", options.blocks[b]);
    cell("threads", "%lld", options.threads[t]);
    cell("clocks_mean", "%.0f", row[CLOCKS_MEAN]);
    cell("clocks_median", "%.0f", row[CLOCKS_MEDIAN]);
    recorded_number("clocks_max", 0, row[CLOCKS_MAX]);
    number("span", "us", 2, row[SPAN_US]);
    number("whole_launch", "us", 2, row[LAUNCH_US]);
    number("used", "units", 0, row[USED]);
    cell("mean_to_first", "%.2f", row[CLOCKS_MEAN] / rows[0][0][CLOCKS_MEAN]);
    recorded_number("ratio_of_threads", 2, row[CLOCKS_MEAN] / rows[0][b][CLOCKS_MEAN]);
    recorded_spread("clocks_mean", "", 0, of[CLOCKS_MEAN].min, of[CLOCKS_MEAN].max);
    recorded_spread("span", "us", 3, of[SPAN_US].min, of[SPAN_US].max);
    recorded_spread("whole_launch", "us", 3, of[LAUNCH_US].min, of[LAUNCH_US].max);
    label("note", 0, note);
    end_row(disturbed || is_delayed(row[LAUNCH_US] - row[SPAN_US]) /* NaN is not */ ||
            is_delayed(row[WAIT_US] - row[LAUNCH_US]));
}

/* Below all rows, with two numbers of threads or more: a line for each number of blocks, with the
 * clocks of the first number of threads, and how many times as long the others take. */
static inline void compare_threads(void) {
    if (!options.threads[1])
        return;
    say("\nclocks_mean, as a multiple of that with %lld threads and as many blocks:\nblocks",
        options.threads[0]);
    for (int t = 0; options.threads[t]; t++)
        say(" %5lld threads", options.threads[t]);
    for (int b = 0; options.blocks[b]; b++) {
        say("\n%6lld %6.0f clocks", options.blocks[b], rows[0][b][CLOCKS_MEAN]);
        for (int t = 1; options.threads[t]; t++)
            say(" %7.2f times", rows[t][b][CLOCKS_MEAN] / rows[0][b][CLOCKS_MEAN]);
    }
    say("\n");
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
