/* SPDX-License-Identifier: MIT
 * Where and when each block of a launch ran: as a drawing, as the record's rows, or as Chrome's
 * trace, which ui.perfetto.dev opens. */
#pragma once

#include "report.h"

enum { MAX_UNITS = 4096, PLACES = 64, LINES = 20, WIDTH = 64 };

struct slice {
    size_t block;
    unsigned long long unit; /* the number of its SM or core, below MAX_UNITS */
    unsigned long long start_ns, end_ns, clocks;
    unsigned place; /* of those on its unit; new_timeline() finds it */
};

struct timeline {
    struct slice *slices; /* in the order of their starts, in ns from the first one */
    size_t count;
    unsigned long long span_ns;
    unsigned places[MAX_UNITS]; /* of each unit; 0: no block ran there */
};

static inline int compare_starts(const void *left, const void *right) {
    const struct slice *a = (const struct slice *)left, *b = (const struct slice *)right;
    return a->start_ns != b->start_ns ? (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns)
                                      : (a->block > b->block) - (a->block < b->block);
}

/* Sorts the slices, which it keeps, and gives each block the first place on its unit that is free.
 * Exits with 1 if the clock is too coarse to tell the first start from the last end. */
static inline struct timeline new_timeline(struct slice *slices, size_t count) {
    struct timeline line = {slices, count, 0, {0}};
    unsigned long long(*free_ns)[PLACES] =
        (unsigned long long(*)[PLACES])new_memory(MAX_UNITS * sizeof *free_ns);
    qsort(slices, count, sizeof *slices, compare_starts);
    const unsigned long long first_ns = slices[0].start_ns;
    for (struct slice *s = slices; s < slices + count; s++) {
        s->start_ns -= first_ns;
        s->end_ns -= first_ns;
        s->place = 0;
        line.span_ns = s->end_ns > line.span_ns ? s->end_ns : line.span_ns;
        while (s->start_ns < free_ns[s->unit][s->place] && s->place < PLACES - 1)
            s->place++;
        free_ns[s->unit][s->place] = s->end_ns;
        if (s->place >= line.places[s->unit])
            line.places[s->unit] = s->place + 1;
    }
    free(free_ns);
    if (line.span_ns == 0)
        errx(EXIT_FAILED,
             "too short for the device's clock: the first start and the last end are the same");
    return line;
}

/* One line for each place on the first units, and what all of them say. `doubt`: why not to believe
 * it, or NULL. */
static inline void draw_timeline(const struct timeline *line, const char *unit_name,
                                 const char *doubt) {
    const struct slice *end = line->slices + line->count;
    unsigned lines = 0, units = 0, all_places = 0, most_places = 0;
    double busy_ns = 0;
    if (doubt)
        say("disturbed: %s\n", doubt);
    say("%*s0 us%*.2f us\n", (int)strlen(unit_name) + 6, "", WIDTH - 7,
        (double)line->span_ns / 1e3);
    for (unsigned u = 0; u < MAX_UNITS; u++) {
        units += line->places[u] > 0;
        all_places += line->places[u];
        most_places = line->places[u] > most_places ? line->places[u] : most_places;
        for (unsigned place = 0; place < line->places[u] && lines < LINES; place++, lines++) {
            char drawn[WIDTH + 1] = "";
            memset(drawn, '.', WIDTH);
            for (const struct slice *s = line->slices; s < end; s++)
                if (s->unit == u && s->place == place) {
                    const size_t from = s->start_ns * WIDTH / (line->span_ns + 1);
                    const size_t to = s->end_ns * WIDTH / (line->span_ns + 1);
                    memset(drawn + from, "0123456789abcdefghijklmnopqrstuvwxyz"[s->block % 36],
                           to - from + 1);
                }
            say("%s %4u %s\n", unit_name, u, drawn);
        }
    }
    for (const struct slice *s = line->slices; s < end; s++)
        busy_ns += (double)(s->end_ns - s->start_ns);
    say("\n");
    if (lines < all_places)
        say("These are the first lines.\n");
    say("Each line is a place for one block at a time. A character stands for a block: 0\n"
        "to 9, then a to z for 10 to 35, then from 0 again; a dot for none.\n");
    value("used_units", units);
    value("places_on_a_unit", most_places);
    const double span_us = value("span_us", (double)line->span_ns / 1e3);
    const double percent =
        value("in_use_percent", 100 * busy_ns / ((double)line->span_ns * units * most_places));
    say("%zu blocks ran on %u %s%s, at most %u at a time on one. From the first block's start to\n"
        "the last one's end %.2f us passed. On average %.0f %% of these places were in use.\n",
        line->count, units, unit_name, units == 1 ? "" : "s", most_places, span_us, percent);
}

/* A row of the record for each block, in the order of their starts. */
static inline void record_slices(const struct timeline *line, const char *doubt) {
    fprintf(record_file, "block,unit,place,start_ns,end_ns,clocks,disturbed\n");
    for (const struct slice *s = line->slices; s < line->slices + line->count; s++)
        fprintf(record_file, "%zu,%llu,%u,%llu,%llu,%llu,%d\n", s->block, s->unit, s->place,
                s->start_ns, s->end_ns, s->clocks, doubt != NULL);
}

/* Perfetto cuts off what is below a nanosecond, and 31.968 us is a little less in binary: so that
 * it stays 31968 ns, a tenth of one more. */
static inline double trace_us(unsigned long long ns) {
    return ((double)ns + 0.1) / 1e3;
}

/* Chrome's trace event format: a unit is a process, a place on it is a thread (from 1000 on: number
 * 3 would be called the main thread of process 3), a block is a complete event. Times in us. */
static inline void print_trace(const struct timeline *line, const char *unit_name) {
    const struct slice *end = line->slices + line->count;
    printf("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    for (unsigned u = 0; u < MAX_UNITS; u++) {
        if (line->places[u] > 0)
            printf("{\"ph\": \"M\", \"pid\": %u, \"name\": \"process_name\", "
                   "\"args\": {\"name\": \"%s %u\"}},\n",
                   u, unit_name, u);
        for (unsigned place = 0; place < line->places[u]; place++)
            printf("{\"ph\": \"M\", \"pid\": %u, \"tid\": %u, \"name\": \"thread_name\", \"args\": "
                   "{\"name\": \"place %u\"}},\n",
                   u, 1000 + place, place);
    }
    for (const struct slice *s = line->slices; s < end; s++)
        printf("{\"ph\": \"X\", \"pid\": %llu, \"tid\": %u, \"name\": \"block %zu\", \"ts\": %.4f, "
               "\"dur\": %.4f, \"args\": {\"clocks\": %llu}}%s\n",
               s->unit, 1000 + s->place, s->block, trace_us(s->start_ns),
               trace_us(s->end_ns - s->start_ns), s->clocks, s < end - 1 ? "," : "]}");
}

/* With --trace nothing else goes to stdout. Exits with 2 if the record is to go there, too. */
static inline void leave_stdout_to_trace(void) {
    if (record_file == stdout)
        errx(EXIT_BAD_USAGE, "--csv: --trace prints on stdout; give --csv=FILE");
    table_file = fopen("/dev/null", "w");
    if (!table_file)
        err(EXIT_FAILED, "/dev/null");
}

/* The one number of --blocks or --threads: a timeline shows a single launch. */
static inline size_t only_one(const char *option, const struct numbers *list) {
    if (list->count > 1)
        errx(EXIT_BAD_USAGE, "%s: one number only, since a timeline shows a single launch", option);
    return (size_t)list->at[0];
}
