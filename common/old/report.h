/* SPDX-License-Identifier: MIT
 * How a program prints: one call writes a line of the table, for people, and of the record (--csv),
 * for programs. */
#pragma once
#include "options.h"

#include <stdarg.h>

#ifndef RECORD_DIGITS /* further decimals in the record: the tests want nanoseconds */
#define RECORD_DIGITS 0
#endif
#ifdef __CUDACC_DEBUG__
#define DEBUG_DOUBT "built for debugging, with nvcc -G"
#else
#define DEBUG_DOUBT NULL
#endif

/* Words, for people only: they are not in the record. */
#define say(...) fprintf(table_file, __VA_ARGS__)

/* Writes a number that the words quote into the record, "# overhead_us,9.48", and returns it. Call
 * it on a line before the words: C does not say which of printf()'s arguments comes first. */
static inline double value(const char *name, double x) {
    fprintf(record_file, "# %s,%.9g\n", name, x);
    return x;
}

/* Writes the head of the record: the program, what it runs on, the options' numbers. Call it when
 * all is measured: a program that ends before has printed nothing. */
static inline void begin_record(const struct opt *options, const char *device, const char *driver) {
    const time_t now = time(NULL);
    char date[64];
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fprintf(record_file, "# program,%s " SUITE_VERSION "\n# device,%s\n# driver,%s\n# date,%s\n",
            program_invocation_short_name, device, driver, date);
    for (const struct opt *o = options; o->name; o++)
        if (o->takes == TAKES_NUMBER || o->takes == TAKES_LIST) {
            fprintf(record_file, "# %s", o->name);
            print_numbers(record_file, o, ",", " ");
            fputc('\n', record_file);
        }
}

/* Makes a line of names, and printf's format for a line of what they name, from cells such as
 * "name=%-9s|us=%9.2f||least_us=%.2f". The table has those up to "||", in columns. The record has
 * all, without blanks, with a comma behind each, and decimals with one more. */
static inline void split_cells(const char *cells, bool record, char *names, char *format) {
    for (const char *cell = cells; *cell && (record || *cell != '|');) {
        const int name = (int)strcspn(cell, "="), all = (int)strcspn(cell, "|");
        const char *as = cell + name + 1, *end = cell + all, *blank = cell > cells ? " " : "";
        const char *type = as + 1 + strspn(as + 1, "-0123456789.");
        const int digits = *type == 'f' ? atoi(strchr(as, '.') + 1) : 0;
        names += record ? sprintf(names, "%.*s,", name, cell)
                        : sprintf(names, "%s%*.*s", blank, atoi(as + 1), name, cell);
        if (!record)
            format += sprintf(format, "%s%.*s", blank, (int)(end - as), as);
        else if (*type == 'f')
            format += sprintf(format, "%%.%df,", digits + (digits > 0) + RECORD_DIGITS);
        else
            format += sprintf(format, "%%%.*s,", (int)(end - type), type);
        cell = end + (record ? strspn(end, "|") : *end == '|');
    }
}

/* Prints a row, such as print_row(doubt, "method=%-9s|min_us=%9.2f", method, us); above the first
 * one the names. `doubt`: NULL, or why not to believe it. NaN is "-", and nothing in the record. */
__attribute__((format(printf, 2, 3))) static inline void print_row(const char *doubt,
                                                                   const char *cells, ...) {
    static const char *before = ""; /* the cells of the row before */
    doubt = doubt ?: DEBUG_DOUBT;
    for (int record = 0; record <= 1; record++) {
        FILE *const file = record ? record_file : table_file;
        char names[1000], format[1000], text[2000];
        split_cells(cells, record, names, format);
        va_list arguments;
        va_start(arguments, cells);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        for (char *sign; (sign = strstr(text, "-nan")) != NULL;) /* inf - inf has one */
            if (record)
                memmove(sign, sign + 1, strlen(sign));
            else
                *sign = ' ';
        for (char *nan; (nan = strstr(text, record ? ",nan," : "  nan")) != NULL;)
            if (record)
                memmove(nan + 1, nan + 4, strlen(nan + 3));
            else
                memcpy(nan, "    -", 5);
        for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
            text[n - 1] = '\0';
        if (strcmp(cells, before) != 0)
            fprintf(file, "%s%s\n", names, record ? "disturbed" : "");
        if (record)
            fprintf(file, "%s%d\n", text, doubt != NULL);
        else
            fprintf(file, "%s%s%s\n", text, doubt ? "  disturbed: " : "", doubt ?: "");
    }
    before = cells;
    fflush(NULL);
}

/* Four columns that most tables have, and their numbers from a struct summary. */
#define US_FORMAT "min_us=%9.2f|median_us=%9.2f|mean_us=%9.2f|max_us=%9.2f"
#define US_OF(s) (s).min, (s).median, (s).mean, (s).max
