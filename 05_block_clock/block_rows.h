/* SPDX-License-Identifier: MIT
 * A row in the table of block_clock and block_clock_opencl, and lists of numbers of blocks. */
#pragma once
#include "report.h"
#include "samples.h"

/* One number for each launch of a row. NaN: the device cannot tell. */
struct samples {
    double clocks_mean[MAX_RUNS], clocks_median[MAX_RUNS], used_units[MAX_RUNS];
    double span_us[MAX_RUNS], whole_launch_us[MAX_RUNS], wait_us[MAX_RUNS];
};

struct row {
    unsigned blocks, threads;
    const char *note; /* what its number of blocks means */
    struct summary clocks_mean, clocks_median, span_us, whole_launch_us;
    double used_units;
    const char *doubt;
};

/* All numbers of blocks with the first number of threads, then with the next one. */
static inline struct row *new_rows(const struct numbers *blocks, const struct numbers *threads) {
    const int count = threads->count * blocks->count;
    struct row *rows = (struct row *)new_memory((size_t)count * sizeof *rows);
    for (int i = 0; i < count; i++) {
        rows[i].threads = (unsigned)threads->at[i / blocks->count];
        rows[i].blocks = (unsigned)blocks->at[i % blocks->count];
    }
    return rows;
}

/* The span in the first row of so many blocks; there is one. */
static inline double span_us_of(const struct row *rows, unsigned blocks) {
    while (rows->blocks != blocks)
        rows++;
    return rows->span_us.median;
}

/* A step of a coarse clock is 1 us: two of them are allowed, and the error of a counter's rate. A
 * span that the device cannot tell is NaN, and not longer. */
static inline void check_span(double span_us, double launch_us) {
    if (launch_us <= 0 || span_us > 1.001 * launch_us + 2)
        errx(EXIT_FAILED, "impossible: a span of %.2f us in a launch of %.2f us", span_us,
             launch_us);
}

/* Fills in what the launches say. `doubt`: what they cannot say. The host's wait is longer than the
 * span, or than the launch of a device that tells no span. */
static inline void summarize_row(struct row *row, const struct samples *s, size_t runs,
                                 bool is_processor, const char *doubt) {
    const double factor = is_processor ? 2 : 1.25, jitter_clocks = 16;
    row->clocks_mean = summarize(s->clocks_mean, runs);
    row->clocks_median = summarize(s->clocks_median, runs);
    row->span_us = summarize_us(s->span_us, runs, is_processor);
    row->whole_launch_us = summarize_us(s->whole_launch_us, runs, is_processor);
    row->used_units = median(s->used_units, runs);
    const double device_us = fmin(row->span_us.median, row->whole_launch_us.median); /* not NaN */
    row->doubt = doubt_runs(s->clocks_mean, runs, jitter_clocks, factor)
                     ?: doubt_runs(s->clocks_median, runs, jitter_clocks, factor)
                     ?: row->span_us.doubt
                     ?: row->whole_launch_us.doubt
                     ?: doubt_wait(median(s->wait_us, runs) - device_us) ?: doubt;
}

/* `first` is the first row of the table. Rows of other threads stand apart. */
static inline void print_blocks(const struct row *row, const struct row *first) {
    const struct summary *mean = &row->clocks_mean, *span = &row->span_us,
                         *whole = &row->whole_launch_us;
    if (row > first && row->threads != row[-1].threads)
        say("\n");
    print_row(row->doubt,
              "blocks=%9u|threads=%9u|clocks_mean=%11.0f|clocks_median=%13.0f|span_us=%9.2f|"
              "whole_launch_us=%15.2f|used_units=%10.0f|mean_to_first=%13.2f|note=%-s||"
              "clocks_mean_min=%.0f|clocks_mean_max=%.0f|span_min_us=%.2f|span_max_us=%.2f|"
              "whole_launch_min_us=%.2f|whole_launch_max_us=%.2f",
              row->blocks, row->threads, mean->median, row->clocks_median.median, span->median,
              whole->median, row->used_units, mean->median / first->clocks_mean.median, row->note,
              mean->min, mean->max, span->min, span->max, whole->min, whole->max);
}

/* Puts each number in its place in a rising list, unless it is there. */
static inline void insert(struct numbers *list, const unsigned *numbers, int count) {
    for (const unsigned *n = numbers; n < numbers + count; n++) {
        int i = 0;
        while (i < list->count && list->at[i] < *n)
            i++;
        if (i < list->count && list->at[i] == *n)
            continue;
        if (list->count == MAX_LIST)
            errx(EXIT_FAILED, "more than %d numbers of blocks", MAX_LIST);
        memmove(&list->at[i + 1], &list->at[i], (size_t)(list->count++ - i) * sizeof *list->at);
        list->at[i] = *n;
    }
}

static inline unsigned largest(const struct numbers *list) {
    long long most = 0;
    for (int i = 0; i < list->count; i++)
        most = list->at[i] > most ? list->at[i] : most;
    return (unsigned)most;
}
