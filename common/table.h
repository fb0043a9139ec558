/* SPDX-License-Identifier: MIT
 * The one way out for a number, which a program gives once: as a cell of a row, or by its name. It
 * comes out in the table, for people, and in the record, for programs: rows of CSV, and lines that
 * begin with "# " for what is no row. */
#pragma once

#include "fail.h"

static struct { /* what the record says it was measured on: open_cuda(), open_opencl() */
    char device[256], driver[256];
} machine = {"host", ""};

static struct {
    int cells, shown, recorded; /* cells in this row; rows in the table, in the record */
    bool disturbed;             /* whether a row is */
    struct {
        bool is_label, only_recorded; /* only_recorded: the table has no such column */
        char name[48], text[300], recorded[300];
    } cell[24];
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

/* ---- The cells of a row: each stands under its name, which may be wider ---- */

/* A cell with the text as it is, in the table and in the record. */
PRINTF_LIKE(2, 3)
static inline void cell(const char *name, const char *format, ...) {
    const int c = table.cells++;
    if (c >= (int)(sizeof table.cell / sizeof *table.cell))
        fail(EXIT_FAILED, "more than %d cells in a row", c);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(table.cell[c].text, sizeof table.cell->text, format, arguments);
    va_end(arguments);
    memcpy(table.cell[c].recorded, table.cell[c].text, sizeof table.cell->recorded);
    snprintf(table.cell[c].name, sizeof table.cell->name, "%s", name);
    table.cell[c].is_label = table.cell[c].only_recorded = false;
}

/* Words, which begin at the left edge. A row is printed before the program has the next one: so
 * `width` is that of the longest words in this column. */
static inline void label(const char *name, int width, const char *words) {
    cell(name, "%-*s", width, words);
    table.cell[table.cells - 1].is_label = true;
}

/* A number that was rounded to zero has no sign. */
static inline void drop_minus_zero(char *text) {
    char *minus = strchr(text, '-');
    if (minus && strspn(minus, "-0.") == strlen(minus))
        *minus = ' ';
}

/* A number with a unit: "clock (MHz)"; in the record with a decimal more. NaN: there is none. */
static inline void number(const char *name, const char *unit, int places, double x) {
    char head[48];
    snprintf(head, sizeof head, "%s (%s)", name, unit);
    cell(head, "%9.*f", places, x);
    char *text = table.cell[table.cells - 1].text, *recorded = table.cell[table.cells - 1].recorded;
    snprintf(recorded, sizeof table.cell->recorded, "%.*f", places + (places > 0), x);
    drop_minus_zero(text);
    drop_minus_zero(recorded);
    if (x != x) {
        memcpy(text, "-", 2);
        *recorded = '\0';
    }
}

/* A number for the record alone; the table has no such column. NaN: there is none. */
static inline void recorded_number(const char *name, int places, double x) {
    cell(name, "%.*f", places, x);
    table.cell[table.cells - 1].only_recorded = true;
    if (x != x)
        *table.cell[table.cells - 1].recorded = '\0';
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

/* A cell of the record. A name such as "clock (MHz)" is clock_mhz
 * there, and a text has no comma. */
static inline void print_recorded(const char *text, bool is_name) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (size_t i = strspn(text, " "); i < length; i++)
        if (!is_name)
            fputc(strchr(",\"", text[i]) ? ';' : text[i], record_file);
        else if (!strchr("()", text[i]))
            fputc(strchr(" /", text[i]) ? '_' : tolower((unsigned char)text[i]), record_file);
    fputc(',', record_file);
}

/* A line of the table: the names, or the row that has them. */
static inline void print_line(bool is_head, bool disturbed) {
    for (int c = 0; c < table.cells; c++)
        if (!table.cell[c].only_recorded) {
            const char *name = table.cell[c].name, *text = table.cell[c].text;
            const bool is_last = c == table.cells - 1 && !disturbed; /* no blanks behind it */
            const int width = (int)(strlen(name) > strlen(text) ? strlen(name) : strlen(text));
            const int left = is_last ? 0 : -width;
            fprintf(table_file, "%s%*s", c > 0 ? " " : "", table.cell[c].is_label ? left : width,
                    is_head ? name : text);
        }
    fputs(disturbed ? " disturbed\n" : "\n", table_file);
}

/* The row's end, for the record alone: where the table shows some rows of many. */
static inline void end_record_row(bool disturbed) {
    if (record_file && table.recorded++ == 0) {
        for (int c = 0; c < table.cells; c++)
            print_recorded(table.cell[c].name, true);
        fputs("disturbed\n", record_file);
    }
    for (int c = 0; record_file && c < table.cells; c++)
        print_recorded(table.cell[c].recorded, false);
    print_to(record_file, "%d\n", disturbed);
    table.cells = 0;
}

/* Prints the row at once, so that it appears when it was measured. `disturbed`: its repetitions
 * disagree, or were held up (summary.h). */
static inline void end_row(bool disturbed) {
    if (table_file) {
        if (table.shown++ == 0)
            print_line(true, false);
        print_line(false, disturbed);
    }
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
