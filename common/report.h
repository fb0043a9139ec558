/* SPDX-License-Identifier: MIT
 * How a program prints: one call writes a line of the table, for people, and of the record (--csv),
 * for programs. A number has one more decimal in the record. */
#pragma once
#include "options.h"

#include <stdarg.h>

#ifndef RECORD_DIGITS /* still more decimals in the record: the tests want nanoseconds */
#define RECORD_DIGITS 0
#endif
#ifdef __CUDACC_DEBUG__
#define DEBUG_DOUBT "built for debugging, with nvcc -G"
#else
#define DEBUG_DOUBT NULL
#endif

/* Words, for people only. */
#define say(...) fprintf(table_file, __VA_ARGS__)

/* A number that the words quote: "# overhead_us,9.48" in the record. Returns it. Call it on a line
 * before the words: C does not say which of printf()'s arguments comes first. */
static inline double value(const char *name, double x) {
    fprintf(record_file, "# %s,%.9g\n", name, x);
    return x;
}

/* The head of the record: the program, what it runs on, the options' numbers. Call it when all is
 * set up: what ends before it prints nothing. */
static inline void begin_record(const struct opt *options, const char *device, const char *driver) {
    const time_t now = time(NULL);
    char date[64];
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fprintf(record_file, "# program,%s " SUITE_VERSION "\n# device,%s\n# driver,%s\n# date,%s\n",
            program_invocation_short_name, device, driver, date);
    for (const struct opt *o = options; o->name; o++)
        if (o->max > 0) {
            fprintf(record_file, "# %s", o->name);
            print_numbers(record_file, o, ",", " ");
            fputc('\n', record_file);
        }
}

/* The text of a number. NaN is "-", and nothing in the record; a rounded 0 has no sign. */
static inline void write_number(char text[1000], double x, int digits, bool exact) {
    digits += exact ? (digits > 0) + RECORD_DIGITS : 0;
    snprintf(text, 1000, "%.*f", digits, x);
    if (isnan(x))
        snprintf(text, 1000, "%s", exact ? "" : "-");
    else if (atof(text) == 0)
        snprintf(text, 1000, "%.*f", digits, 0.0);
}

/* Prints the cells "name=%-9s|name=%.2f" of a row, or their names. For people: in columns, up to
 * "||"; those of "%-9s" begin left. For the record: all, with a comma behind each. */
static inline void print_cells(FILE *file, bool names, const char *cell, va_list arguments) {
    const bool exact = file == record_file;
    const char *blank = "", *end;
    for (; *cell && (exact || *cell != '|'); cell = end + (*end == '|')) {
        cell += *cell == '|';
        const char *format = strchr(cell, '=') + 1;
        char text[1000];
        end = strchrnul(format, '|');
        if (end[-1] == 'f')
            write_number(text, va_arg(arguments, double), atoi(strchr(format, '.') + 1), exact);
        else if (end[-1] == 's')
            snprintf(text, sizeof text, "%s", va_arg(arguments, const char *));
        else
            snprintf(text, sizeof text, "%lld",
                     end[-2] == 'l'   ? va_arg(arguments, long long)
                     : end[-2] == 'z' ? (long long)va_arg(arguments, size_t)
                                      : va_arg(arguments, int));
        const int name = (int)(format - 1 - cell), asked = abs(atoi(format + 1));
        const bool left = format[1] == '-', last = !*end || end[1] == '|';
        const int least = left || asked > 9 ? asked : 9, wide = least > name ? least : name;
        if (names)
            snprintf(text, sizeof text, "%.*s", name, cell);
        for (char *c = text; exact && (c = strchr(c, ',')) != NULL;)
            *c = ';'; /* the record has no quotes */
        if (exact)
            fprintf(file, "%s,", text);
        else
            fprintf(file, left ? "%s%-*s" : "%s%*s", *text ? blank : "", left && last ? 0 : wide,
                    text);
        blank = " ";
    }
}

/* Prints a row, such as print_row(doubt, "method=%-9s|min_us=%.2f", method, us), and above the
 * first one the names. `doubt`: NULL, or why not to believe it. */
__attribute__((format(printf, 2, 3))) static inline void print_row(const char *doubt,
                                                                   const char *format, ...) {
    static const char *before = ""; /* the format of the row before */
    va_list arguments;
    doubt = doubt ?: DEBUG_DOUBT;
    for (int names = strcmp(format, before) != 0; names >= 0; names--)
        for (int record = 0; record <= 1; record++) {
            va_start(arguments, format);
            print_cells(record ? record_file : table_file, names, format, arguments);
            va_end(arguments);
            if (names)
                fputs(record ? "disturbed\n" : "\n", record ? record_file : table_file);
        }
    say("%s%s\n", doubt ? "  disturbed: " : "", doubt ? doubt : "");
    fprintf(record_file, "%d\n", doubt != NULL);
    before = format;
    fflush(NULL);
}

/* Four columns of most tables. */
#define US_FORMAT "min_us=%.2f|median_us=%.2f|mean_us=%.2f|max_us=%.2f"
#define US_OF(s) (s).min, (s).median, (s).mean, (s).max
