/* SPDX-License-Identifier: MIT
 * Where and when each block of a launch ran: as a drawing, as the record's rows, or as Chrome's
 * trace, which ui.perfetto.dev opens. */
#pragma once
#include "block_time.h"
#include "report.h"

enum { PLACES = 64, LINES = 20, WIDTH = 64 };

struct slice {
    size_t block;
    unsigned long long unit, start_ns, end_ns, clocks; /* ns from the first block's start on */
    unsigned place;                                    /* one of those on its unit */
};

struct timeline {
    const char *unit_name, *doubt; /* doubt: why not to believe it, or NULL */
    struct slice *slices;          /* in the order of their starts */
    size_t count;
    unsigned places[MAX_UNITS]; /* of each unit: so many blocks ran on it at a time */
    unsigned units, most_places;
    double span_us, in_use_percent; /* in use: of most_places on each unit */
};

static inline int compare_starts(const void *left, const void *right) {
    const struct slice *a = (const struct slice *)left, *b = (const struct slice *)right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

/* Gives each block the first place on its unit that is free. Exits with 1 if the clock is too
 * coarse to tell the first start from the last end. */
static inline struct timeline new_timeline(const struct block_time *times, size_t count) {
    struct timeline line = {};
    struct slice *const slices = (struct slice *)new_memory(count * sizeof *slices);
    unsigned long long first_ns = ~0ull, span_ns = 0, busy_ns = 0;
    unsigned long long *free_ns =
        (unsigned long long *)new_memory(sizeof *free_ns * MAX_UNITS * PLACES);
    for (size_t b = 0; b < count; b++)
        first_ns = times[b].start_ns < first_ns ? times[b].start_ns : first_ns;
    for (size_t b = 0; b < count; b++) {
        const struct block_time *t = &times[b];
        slices[b] = (struct slice){
            b, t->unit, t->start_ns - first_ns, t->end_ns - first_ns, t->end_clock - t->start_clock,
            0};
    }
    qsort(slices, count, sizeof *slices, compare_starts);
    for (struct slice *s = slices; s < slices + count; s++) {
        unsigned long long *const free_on_unit = free_ns + s->unit * PLACES;
        while (s->start_ns < free_on_unit[s->place] && s->place < PLACES - 1)
            s->place++;
        free_on_unit[s->place] = s->end_ns;
        if (s->place == line.places[s->unit]) {
            line.places[s->unit]++;
            line.units += s->place == 0;
            line.most_places += s->place == line.most_places;
        }
        span_ns = s->end_ns > span_ns ? s->end_ns : span_ns;
        busy_ns += s->end_ns - s->start_ns;
    }
    free(free_ns);
    if (span_ns == 0)
        errx(EXIT_FAILED,
             "too short for the device's clock: the first start and the last end are the same");
    line.slices = slices;
    line.count = count;
    line.span_us = (double)span_ns / 1e3;
    line.in_use_percent = 100 * (double)busy_ns / ((double)span_ns * line.units * line.most_places);
    return line;
}

/* The blocks that ran on this place: a character is a 64th of the span. */
static inline void draw_place(const struct timeline *line, unsigned unit, unsigned place) {
    char drawn[WIDTH + 1] = "";
    const double width_ns = (line->span_us * 1e3 + 1) / WIDTH;
    memset(drawn, '.', WIDTH);
    for (const struct slice *s = line->slices; s < line->slices + line->count; s++)
        if (s->unit == unit && s->place == place) {
            const int from = (int)((double)s->start_ns / width_ns);
            const int to = (int)((double)s->end_ns / width_ns);
            memset(drawn + from, "0123456789abcdefghijklmnopqrstuvwxyz"[s->block % 36],
                   (size_t)(to - from) + 1);
        }
    say("%s %4u %s\n", line->unit_name, unit, drawn);
}

/* One line for each place on the first units, and what all of them say. */
static inline void draw_timeline(const struct timeline *line) {
    unsigned lines = 0;
    if (line->doubt)
        say("disturbed: %s\n", line->doubt);
    say("%*s0 us%*.2f us\n", (int)strlen(line->unit_name) + 6, "", WIDTH - 7, line->span_us);
    for (unsigned u = 0; u < MAX_UNITS; u++)
        for (unsigned place = 0; place < line->places[u]; place++)
            if (lines++ < LINES)
                draw_place(line, u, place);
    say("\n%s"
        "Each line is a place for one block at a time. A character stands for a block: 0\n"
        "to 9, then a to z for 10 to 35, then from 0 again; a dot for none.\n"
        "%zu blocks ran on %u %s%s, at most %u at a time on one. From the first block's start to\n"
        "the last one's end %.2f us passed. On average %.0f %% of these places were in use.\n",
        lines > LINES ? "These are the first lines.\n" : "", line->count, line->units,
        line->unit_name, line->units == 1 ? "" : "s", line->most_places, line->span_us,
        line->in_use_percent);
}

/* What the words quote, and a row for each block, in the order of their starts. */
static inline void record_timeline(const struct timeline *line) {
    value("used_units", line->units);
    value("places_on_a_unit", line->most_places);
    value("span_us", line->span_us);
    value("in_use_percent", line->in_use_percent);
    fprintf(record_file, "block,unit,place,start_ns,end_ns,clocks,disturbed\n");
    for (const struct slice *s = line->slices; s < line->slices + line->count; s++)
        fprintf(record_file, "%zu,%llu,%u,%llu,%llu,%llu,%d\n", s->block, s->unit, s->place,
                s->start_ns, s->end_ns, s->clocks, line->doubt != NULL);
}

/* A unit is a process, a place on it a thread (from 1000 on: number 3 would be called the main
 * thread of process 3), a block is a complete event. Times in us; the 1 at their end is 0.1 ns:
 * 31.968 us is a little less in binary, and Perfetto would show 31967 ns. */
static inline void print_trace(const struct timeline *line) {
    const char *before = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
    for (unsigned u = 0; u < MAX_UNITS; u++)
        for (unsigned place = 0; place < line->places[u]; place++, before = ",") {
            if (place == 0)
                printf("%s\n{\"ph\": \"M\", \"pid\": %u, \"name\": \"process_name\", "
                       "\"args\": {\"name\": \"%s %u\"}}",
                       before, u, line->unit_name, u);
            printf(",\n{\"ph\": \"M\", \"pid\": %u, \"tid\": %u, \"name\": \"thread_name\", "
                   "\"args\": {\"name\": \"place %u\"}}",
                   u, 1000 + place, place);
        }
    for (const struct slice *s = line->slices; s < line->slices + line->count; s++) {
        const unsigned long long ns = s->end_ns - s->start_ns;
        printf(",\n{\"ph\": \"X\", \"pid\": %llu, \"tid\": %u, \"name\": \"block %zu\", "
               "\"ts\": %llu.%03llu1, \"dur\": %llu.%03llu1, \"args\": {\"clocks\": %llu}}",
               s->unit, 1000 + s->place, s->block, s->start_ns / 1000, s->start_ns % 1000,
               ns / 1000, ns % 1000, s->clocks);
    }
    printf("]}\n");
}
