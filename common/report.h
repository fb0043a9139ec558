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

/* Prints a row "name=text|name=text", or its names. For people: in columns, up to "||". For the
 * record: all, with a comma behind each. What is not a number is "-", and nothing in the record;
 * what was rounded to 0 has no sign. "%-9s" in the format is a column whose words begin left. */
static inline void print_cells(FILE *file, const char *format, bool names, va_list arguments) {
    char line[2000], *rest = line;
    vsnprintf(line, sizeof line, format, arguments);
    for (char *name; (name = strsep(&rest, "|")) != NULL && (*name || file == record_file);) {
        if (!*name)
            continue;
        char *text = strchr(name, '='), *end = text + strlen(text);
        *text++ = '\0';
        format = strchr(format, '=') + 2;
        const bool left = *format == '-', last = !rest || *rest == '|';
        const int length = (int)strlen(text), head = (int)strlen(name);
        const int least = left || length > 9 ? length : 9, wide = least > head ? least : head;
        text += strspn(text, " ");
        text += *text == '-' && text[1] && strspn(text, "-0.") == strlen(text);
        while (end > text && end[-1] == ' ')
            *--end = '\0';
        for (char *c = text; file == record_file && (c = strchr(c, ',')) != NULL;)
            *c = ';'; /* the record has no quotes */
        const bool is_nan = strcmp(text + (*text == '-'), "nan") == 0;
        const char *shown = names ? name : !is_nan ? text : file == record_file ? "" : "-";
        if (file == record_file)
            fprintf(file, "%s,", shown);
        else
            fprintf(file, left ? "%s%-*s" : "%s%*s", name == line || !*shown ? "" : " ",
                    left && last ? 0 : wide, shown);
    }
}

/* Prints a row, such as print_row(doubt, "method=%-9s|min_us=%.2f", method, us), and above the
 * first one the names. `doubt`: NULL, or why not to believe it. No text has a | in it. */
__attribute__((format(printf, 2, 3))) static inline void print_row(const char *doubt,
                                                                   const char *format, ...) {
    static const char *before = ""; /* the format of the row before */
    char exact[1000];
    va_list arguments;
    doubt = doubt ?: DEBUG_DOUBT;
    snprintf(exact, sizeof exact, "%s", format);
    for (char *dot = exact; (dot = strchr(dot, '.')) != NULL; dot++)
        dot[1] = (char)(dot[1] + (dot[1] > '0') + RECORD_DIGITS);
    for (int names = strcmp(format, before) != 0; names >= 0; names--)
        for (int record = 0; record <= 1; record++) {
            va_start(arguments, format);
            print_cells(record ? record_file : table_file, record ? exact : format, names,
                        arguments);
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
