/* SPDX-License-Identifier: MIT
 * The one way out for a number, which a program gives once: as a cell of a row, or by its name. It
 * comes out in the table, for people, and in the record, for programs: rows of CSV, and lines that
 * begin with "# " for what is no row. */
#pragma once

#include <math.h>

#include "fail.h"

static struct { /* what the record says it was measured on: open_cuda(), open_opencl() */
    char device[256], driver[256];
} machine = {"host", ""};

enum { LINE = 4096 };
static struct {
    int shown, recorded; /* rows so far in the table, in the record */
    bool disturbed;      /* whether one of them is */
    char names[LINE], row[LINE], recorded_names[LINE], recorded_row[LINE];
} table;

/* printf() to a file that may be NULL. */
PRINTF_LIKE(2, 3)
static inline void print_to(FILE *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (to)
        vfprintf(to, format, arguments);
    va_end(arguments);
}

/* Words: for people only. And a line "# name,text" of the record. */
#define say(...) print_to(table_file, __VA_ARGS__)
#define describe(name, format, ...) print_to(record_file, "# " name "," format "\n", __VA_ARGS__)

/* A number that the words below the table quote, under a name of its own: "# way_us,9.48".
 * Returns it. */
static inline double value(const char *name, const char *unit, double x) {
    print_to(record_file, "# %s%s%s,%.9g\n", name, *unit ? "_" : "", unit, x);
    return x;
}

/* ---- The cells of a row ---- */

PRINTF_LIKE(2, 3)
static inline void append(char line[LINE], const char *format, ...) {
    const size_t length = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(line + length, LINE - length, format, arguments) >= (int)(LINE - length))
        fail(EXIT_FAILED, "a row of more than %d characters", LINE);
    va_end(arguments);
}

/* In the table, under its name, which may be wider. `side`: 1 is the right edge, -1 the left. */
static inline void show_cell(const char *name, int side, const char *text) {
    const size_t width = strlen(name) > strlen(text) ? strlen(name) : strlen(text);
    const char *between = *table.names ? " " : "";
    append(table.names, "%s%*s", between, side * (int)width, name);
    append(table.row, "%s%*s", between, side * (int)width, text);
}

/* In the record: a name such as "clock (MHz)" is clock_mhz there, and a text has no comma. */
static inline void record_cell(const char *name, const char *text) {
    for (; *name; name++)
        if (!strchr("()", *name))
            append(table.recorded_names, "%c",
                   strchr(" /", *name) ? '_' : tolower((unsigned char)*name));
    append(table.recorded_names, ",");
    for (text += strspn(text, " "); *text; text++)
        append(table.recorded_row, "%c", strchr(",\"", *text) ? ';' : *text);
    append(table.recorded_row, ",");
}

/* A number as the format has it, in the table and in the record. */
PRINTF_LIKE(2, 3)
static inline void cell(const char *name, const char *format, ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    show_cell(name, 1, text);
    record_cell(name, text);
}

/* Words, from the left edge. `width` is that of the longest words that the column will have. */
static inline void label(const char *name, int width, const char *words) {
    char text[300];
    snprintf(text, sizeof text, "%-*s", width, words);
    show_cell(name, -1, text);
    record_cell(name, words);
}

/* For the record alone; the table has no such column. NaN: there is none. */
static inline void recorded_number(const char *name, int places, double x) {
    char text[64] = "";
    if (!isnan(x))
        snprintf(text, sizeof text, "%.*f", places, x);
    record_cell(name, text);
}

/* Prints `x`. A number that was rounded to zero has no sign; NaN is `none`. */
static inline void format_number(char text[64], int width, int places, double x, const char *none) {
    snprintf(text, 64, "%*.*f", width, places, x);
    char *minus = strchr(text, '-');
    if (minus && strspn(minus, "-0.") == strlen(minus))
        *minus = ' ';
    if (isnan(x))
        snprintf(text, 64, "%s", none);
}

/* A number with a unit: "clock (MHz)"; in the record with a decimal more. NaN: there is none. */
static inline void number(const char *name, const char *unit, int places, double x) {
    char head[48], text[64], recorded[64];
    snprintf(head, sizeof head, "%s (%s)", name, unit);
    format_number(text, 9, places, x, "-");
    format_number(recorded, 0, places + (places > 0), x, "");
    show_cell(head, 1, text);
    record_cell(head, recorded);
}

/* For the record alone: the least and the greatest of the runs whose median is `name`. */
static inline void recorded_spread(const char *name, const char *unit, int places, double min,
                                   double max) {
    char head[48];
    snprintf(head, sizeof head, "%s_min%s%s", name, *unit ? "_" : "", unit);
    recorded_number(head, places, min);
    snprintf(head, sizeof head, "%s_max%s%s", name, *unit ? "_" : "", unit);
    recorded_number(head, places, max);
}

/* ---- The rows ---- */

/* The row's end, for the record alone: where the table shows some rows of many. */
static inline void end_record_row(bool disturbed) {
    if (table.recorded++ == 0)
        print_to(record_file, "%sdisturbed\n", table.recorded_names);
    print_to(record_file, "%s%d\n", table.recorded_row, disturbed);
    *table.names = *table.row = *table.recorded_names = *table.recorded_row = '\0';
}

/* Without the blanks behind it. */
static inline void print_line(const char *line) {
    int length = (int)strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        length--;
    say("%.*s\n", length, line);
}

/* Prints the row at once, so that it appears when it was measured. `disturbed`: its repetitions
 * disagree, or were held up (summary.h). */
static inline void end_row(bool disturbed) {
    if (table.shown++ == 0)
        print_line(table.names);
    append(table.row, "%s", disturbed ? " disturbed" : "");
    print_line(table.row);
    table.disturbed |= disturbed;
    end_record_row(disturbed);
    fflush(NULL); /* both: a driver may crash behind it. Checked at exit */
}

/* An empty line, and what disturbed rows mean. */
static inline void end_table(void) {
    say("\n");
    if (table.disturbed)
        say("Disturbed: in these rows the runs disagree, or all were delayed. "
            "Run this again on an\nidle machine.\n\n");
}
