/* SPDX-License-Identifier: MIT
 *
 * Where and when each block of a launch ran: as a drawing, as the record's rows, or as Chrome's
 * trace, which ui.perfetto.dev opens. */
#pragma once

#include "block_times.h"
#include "options.h"

enum { PLACES = 64, LINES = 20, WIDTH = 64 };

struct slice {
    struct block_time time; /* in ns from the first block's start */
    size_t block;
    unsigned place; /* of those on its unit, an SM or a core */
};

static struct slice *slices; /* in the order of their starts */
static size_t slice_count;
static unsigned places[MAX_UNITS]; /* of each unit; 0: no block ran there */
static unsigned long long span_ns;

static inline int compare_starts(const void *left, const void *right) {
    const struct slice *a = (const struct slice *)left, *b = (const struct slice *)right;
    const unsigned long long a_ns = a->time.start_ns, b_ns = b->time.start_ns;
    return a_ns != b_ns ? (a_ns > b_ns) - (a_ns < b_ns)
                        : (a->block > b->block) - (a->block < b->block);
}

/* Makes the slices of `times`. A block gets the first place on its unit that is free. */
static inline void set_slices(size_t blocks) {
    static unsigned long long free_ns[MAX_UNITS][PLACES]; /* check_blocks() knows the units */
    slices = (struct slice *)malloc(blocks * sizeof *slices);
    if (!slices)
        fail(EXIT_FAILED, "no host memory for %zu blocks", blocks);
    for (size_t b = 0; b < blocks; b++)
        slices[b] = (struct slice){times[b], b, 0};
    slice_count = blocks;
    qsort(slices, blocks, sizeof *slices, compare_starts);
    const unsigned long long first_ns = slices[0].time.start_ns;
    for (struct slice *s = slices; s < slices + blocks; s++) {
        struct block_time *t = &s->time;
        t->start_ns -= first_ns;
        t->end_ns -= first_ns;
        span_ns = t->end_ns > span_ns ? t->end_ns : span_ns;
        while (t->start_ns < free_ns[t->unit][s->place] && s->place < PLACES - 1)
            s->place++;
        free_ns[t->unit][s->place] = t->end_ns;
        if (s->place >= places[t->unit])
            places[t->unit] = s->place + 1;
    }
    if (span_ns == 0)
        fail(EXIT_FAILED,
             "too short for the device's clock: the first start and the last end are the same");
}

/* One line for each place on the first units, and what all of them say. */
static inline void draw_timeline(const char *unit_name) {
    unsigned lines = 0, units = 0, all_places = 0, most_places = 0;
    double busy_ns = 0;
    say("%*s0 us%*.2f us\n", (int)strlen(unit_name) + 6, "", WIDTH - 7, (double)span_ns / 1e3);
    for (unsigned u = 0; u < MAX_UNITS; u++) {
        units += places[u] > 0;
        all_places += places[u];
        most_places = places[u] > most_places ? places[u] : most_places;
        for (unsigned place = 0; place < places[u] && lines < LINES; place++, lines++) {
            char line[WIDTH + 1] = "";
            memset(line, '.', WIDTH);
            for (const struct slice *s = slices; s < slices + slice_count; s++)
                if (s->time.unit == u && s->place == place) {
                    const size_t from = s->time.start_ns * WIDTH / (span_ns + 1);
                    const size_t to = s->time.end_ns * WIDTH / (span_ns + 1);
                    memset(line + from, "0123456789abcdefghijklmnopqrstuvwxyz"[s->block % 36],
                           to - from + 1);
                }
            say("%s %4u %s\n", unit_name, u, line);
        }
    }
    for (const struct slice *s = slices; s < slices + slice_count; s++)
        busy_ns += (double)(s->time.end_ns - s->time.start_ns);
    say("\n");
    if (lines < all_places)
        say("These are the first lines.\n");
    say("Each line is a place for one block at a time. A character stands for a block: 0\n"
        "to 9, then a to z for 10 to 35, then from 0 again; a dot for none.\n");
    value("used", "units", units);
    value("places_on_a_unit", "", most_places);
    const double span_us = value("span", "us", (double)span_ns / 1e3);
    const double percent =
        value("in_use", "percent", 100 * busy_ns / ((double)span_ns * units * most_places));
    say("%zu blocks ran on %u %s%s, at most %u at a time on one. From the first block's start to\n"
        "the last one's end %.2f us passed. On average %.0f %% of these places were in use.\n",
        slice_count, units, unit_name, units == 1 ? "" : "s", most_places, span_us, percent);
}

/* Perfetto cuts off what is below a nanosecond, and 31.968 us is a little less in binary: so that
 * it stays 31968 ns, a tenth of one more. */
static inline double trace_us(unsigned long long ns) {
    return ((double)ns + 0.1) / 1e3;
}

/* Chrome's trace event format: a unit is a process, a place on it is a thread (from 1000 on: number
 * 3 would be called the main thread of process 3), a block is a complete event. Times in us. */
static inline void print_trace(const char *unit_name) {
    printf("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    for (unsigned u = 0; u < MAX_UNITS; u++) {
        if (places[u] > 0)
            printf("{\"ph\": \"M\", \"pid\": %u, \"name\": \"process_name\", "
                   "\"args\": {\"name\": \"%s %u\"}},\n",
                   u, unit_name, u);
        for (unsigned place = 0; place < places[u]; place++)
            printf("{\"ph\": \"M\", \"pid\": %u, \"tid\": %u, \"name\": \"thread_name\", \"args\": "
                   "{\"name\": \"place %u\"}},\n",
                   u, 1000 + place, place);
    }
    for (const struct slice *s = slices; s < slices + slice_count; s++)
        printf("{\"ph\": \"X\", \"pid\": %llu, \"tid\": %u, \"name\": \"block %zu\", \"ts\": %.4f, "
               "\"dur\": %.4f, \"args\": {\"clocks\": %llu}}%s\n",
               s->time.unit, 1000 + s->place, s->block, trace_us(s->time.start_ns),
               trace_us(s->time.end_ns - s->time.start_ns), s->time.end_clock - s->time.start_clock,
               s < slices + slice_count - 1 ? "," : "]}");
}

/* Reports the launch whose `blocks` were read back, in the forms that the options ask for. */
static inline void report_timeline(const char *unit_name, size_t blocks) {
    set_slices(blocks);
    draw_timeline(unit_name);
    for (const struct slice *s = slices; s < slices + blocks; s++) {
        cell("block", "%zu", s->block);
        cell("unit", "%llu", s->time.unit);
        cell("place", "%u", s->place);
        cell("start_ns", "%llu", s->time.start_ns);
        cell("end_ns", "%llu", s->time.end_ns);
        cell("clocks", "%llu", s->time.end_clock - s->time.start_clock);
        end_record_row(false);
    }
    if (options.wants_trace)
        print_trace(unit_name);
}

/* The one number of --blocks or --threads: a timeline shows a single launch. */
static inline long long only_one(const char *option, const long long *list) {
    if (list[1])
        fail(EXIT_BAD_USAGE, "%s: one number only, since a timeline shows a single launch", option);
    return list[0];
}
