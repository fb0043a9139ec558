/* SPDX-License-Identifier: MIT
 * A row in the table of block_clock and block_clock_opencl, and lists of numbers of blocks. */
#pragma once
#include "report.h"
#include "samples.h"

/* One number for each launch of a row. NaN: the device cannot tell. */
struct samples {
    double clocks_mean[MAX_RUNS], clocks_median[MAX_RUNS], used_units[MAX_RUNS];
    double span_us[MAX_RUNS], launch_us[MAX_RUNS], wait_us[MAX_RUNS];
};

struct row {
    long long blocks, threads;
    const char *note; /* what its number of blocks means */
    struct summary clocks_mean, clocks_median, span_us, launch_us;
    double used_units;
    const char *doubt;
};

/* Fills in what the launches say. `doubt`: what they cannot say. */
static inline void summarize_row(struct row *row, const struct samples *s, size_t runs,
                                 bool is_processor, const char *doubt) {
    const double factor = is_processor ? 2 : 1.25, jitter_clocks = 16;
    row->clocks_mean = summarize(s->clocks_mean, runs);
    row->clocks_median = summarize(s->clocks_median, runs);
    row->span_us = summarize_us(s->span_us, runs, is_processor);
    row->launch_us = summarize_us(s->launch_us, runs, is_processor);
    row->used_units = median(s->used_units, runs);
    row->doubt = doubt_runs(s->clocks_mean, runs, jitter_clocks, factor)
                     ?: doubt_runs(s->clocks_median, runs, jitter_clocks, factor)
                     ?: row->span_us.doubt
                     ?: row->launch_us.doubt
                     ?: doubt_wait(median(s->wait_us, runs) - row->launch_us.median)
                     ?: doubt_wait(row->launch_us.median - row->span_us.median) /* not of NaN */
                     ?: doubt;
}

/* `first` is the first row of the table. Rows of other threads stand apart. */
static inline void print_blocks(const struct row *row, const struct row *first) {
    const double first_clocks = first->clocks_mean.median; /* NOLINT: both are filled in */
    if (row > first && row->threads != row[-1].threads)
        say("\n");
    print_row(row->doubt,
              "blocks=%9lld|threads=%9lld|clocks_mean=%11.0f|clocks_median=%13.0f|span_us=%9.2f|"
              "whole_launch_us=%15.2f|used_units=%10.0f|mean_to_first=%13.2f|note=%-s||"
              "clocks_mean_min=%.0f|clocks_mean_max=%.0f|span_min_us=%.2f|span_max_us=%.2f|"
              "whole_launch_min_us=%.2f|whole_launch_max_us=%.2f",
              row->blocks, row->threads, row->clocks_mean.median, row->clocks_median.median,
              row->span_us.median, row->launch_us.median, row->used_units,
              row->clocks_mean.median / first_clocks, row->note, row->clocks_mean.min,
              row->clocks_mean.max, row->span_us.min, row->span_us.max, row->launch_us.min,
              row->launch_us.max);
}

/* Puts each number in its place in a rising list, unless it is there. */
static inline void insert(struct numbers *list, const long long *numbers, int count) {
    for (const long long *n = numbers; n < numbers + count; n++) {
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

static inline size_t largest(const struct numbers *list) {
    long long most = 0;
    for (int i = 0; i < list->count; i++)
        most = list->at[i] > most ? list->at[i] : most;
    return (size_t)most;
}
