/* SPDX-License-Identifier: MIT
 *
 * A row in the table of block_clock and block_clock_opencl, and a list of numbers of blocks. */
#pragma once

#include "args.h"
#include "stats.h"

/* One number for each launch of a row. NaN: the device cannot tell. */
struct samples {
    double clocks_mean[MAX_RUNS], clocks_median[MAX_RUNS], used_units[MAX_RUNS];
    double span_us[MAX_RUNS], launch_us[MAX_RUNS], wait_us[MAX_RUNS];
};

struct row {
    long long blocks, threads;
    const char *note;                                      /* what its number of blocks means */
    double clocks_mean, clocks_median, span_us, launch_us; /* medians of the launches */
};

/* Prints a row, and fills in its medians. `first` is the table's first row, or `row` itself. */
static inline void print_row(struct table *table, bool is_processor, const struct samples *s,
                             size_t runs, struct row *row, const struct row *first,
                             unsigned marks) {
    const double factor = is_processor ? cpu_factor : gpu_factor;
    const struct summary mean = summarize(s->clocks_mean, runs, jitter_clocks, factor);
    const struct summary middle = summarize(s->clocks_median, runs, jitter_clocks, factor);
    const struct summary span = summarize_on(is_processor, s->span_us, runs);
    const struct summary launch = summarize_on(is_processor, s->launch_us, runs);
    row->clocks_mean = mean.median;
    row->clocks_median = middle.median;
    row->span_us = span.median;
    row->launch_us = launch.median;
    number(table, "blocks", 0, (double)row->blocks);
    number(table, "threads", 0, (double)row->threads);
    number(table, "clocks_mean", 0, mean.median);
    number(table, "clocks_median", 0, middle.median);
    number(table, "span_us", 2, span.median);
    number(table, "whole_launch_us", 2, launch.median);
    number(table, "used_units", 0, median(s->used_units, runs));
    number(table, "mean_to_first", 2, mean.median / first->clocks_mean);
    record_number(table, "clocks_mean_min", 0, mean.min);
    record_number(table, "clocks_mean_max", 0, mean.max);
    record_number(table, "span_min_us", 2, span.min);
    record_number(table, "span_max_us", 2, span.max);
    record_number(table, "whole_launch_min_us", 2, launch.min);
    record_number(table, "whole_launch_max_us", 2, launch.max);
    text(table, "note", 11, row->note);
    const double before_and_after_us = isnan(span.median) ? 0 : launch.median - span.median;
    end_row(table, marks | mean.marks | middle.marks | span.marks | launch.marks |
                       mark_delay(before_and_after_us) |
                       mark_delay(median(s->wait_us, runs) - launch.median));
}

/* Puts `number` in its place in a rising list, unless it is there. */
static inline void insert(struct numbers *list, long long number) {
    int i = 0;
    while (i < list->count && list->at[i] < number)
        i++;
    if (i < list->count && list->at[i] == number)
        return;
    if (list->count == MAX_LIST)
        fail(EXIT_FAILED, "more than %d numbers of blocks", MAX_LIST);
    memmove(&list->at[i + 1], &list->at[i], (size_t)(list->count - i) * sizeof list->at[0]);
    list->at[i] = number;
    list->count++;
}
