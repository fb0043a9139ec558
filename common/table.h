/* SPDX-License-Identifier: MIT
 * The one way to print: say() for words, cell() and end_row() for numbers. A number is given once.
 * It comes out in the table, or with --csv in the CSV, where the words are left out. */
#pragma once

#include "fail.h"

static enum { AS_TABLE, AS_CSV, AS_TRACE } output; /* what the options ask for */
static struct {
    int cells, rows, disturbed; /* of this row; of this table; whether some row is */
    struct {
        int width;
        char name[48], text[300];
    } cell[24];
} table;

__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (output == AS_TABLE)
        vprintf(format, arguments);
    va_end(arguments);
}

/* Adds a cell to the row, under `name`. `width` is printf's: below 0 for the left edge. With 0 it is
 * for the CSV alone, whose rows repeat what stands above the table; without a name for the table. */
__attribute__((format(printf, 3, 4))) static inline void cell(const char *name, int width,
                                                              const char *format, ...) {
    char *text = table.cell[table.cells].text;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof table.cell->text, format, arguments);
    va_end(arguments);
    while (output == AS_CSV && (text = strpbrk(text, ",\"")) != NULL) /* of a device's name */
        *text = ' ';
    snprintf(table.cell[table.cells].name, sizeof table.cell->name, "%s", name);
    table.cell[table.cells++].width = width;
}

/* The same with a unit: "clock (MHz)", in the CSV clock_mhz and a decimal more. NaN: there is none. */
static inline void number(const char *name, const char *unit, int width, int places, double x) {
    char column[48], text[64];
    snprintf(column, sizeof column, output == AS_CSV ? "%s_%s" : "%s (%s)", name, unit);
    for (char *c = column; output == AS_CSV && *c != '\0'; c++)
        *c = *c == '/' ? '_' : (char)tolower((unsigned char)*c);
    snprintf(text, sizeof text, "%.*f", places + (places > 0 && output == AS_CSV), x);
    cell(column, width, "%s", x == x ? text : output == AS_CSV ? "" : "-");
}

/* Prints the row at once, so that it appears when it was measured; before the first the names. */
static inline void end_row(void) {
    for (int is_head = table.rows++ == 0; is_head >= 0 && output != AS_TRACE; is_head--) {
        const char *between = "";
        for (int c = 0; c < table.cells; c++) {
            const char *name = table.cell[c].name, *text = is_head ? name : table.cell[c].text;
            const int width = output == AS_CSV ? 0 : table.cell[c].width;
            if (output == AS_CSV ? *name == '\0' : width == 0 || (!*name && !*text))
                continue;
            printf("%s%*s", between, width, text);
            between = output == AS_CSV ? "," : " ";
        }
        putchar('\n');
    }
    table.cells = 0;
    fflush(stdout); /* checked at exit */
}

/* The row's last cell: whether its repetitions disagree, or were held up (summary.h). */
static inline void end_row_disturbed(bool disturbed) {
    table.disturbed |= disturbed;
    cell("disturbed", 0, "%d", disturbed);
    cell("", -9, "%s", disturbed ? " disturbed" : "");
    end_row();
}

/* An empty line, and what disturbed rows mean. */
static inline void end_table(void) {
    say("\n%s", !table.disturbed
                    ? ""
                    : "Disturbed: in these rows the runs disagree, or all were delayed. "
                      "Run this again on an\nidle machine.\n\n");
}
