/* SPDX-License-Identifier: MIT
 * How every program ends, and how it prints a number: once, under the name that the number has in
 * the table (for people) and in the record (--csv, for programs). */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- How a program ends: an exit code, one line that says why, and a checked stdout ---- */

/* 0: measured, and the numbers are possible. 77 is what CTest counts as skipped. */
enum { EXIT_FAILED = 1, EXIT_BAD_USAGE = 2, EXIT_NO_DEVICE = 77 };
static const char *program_name = "";

/* Where results go: words and tables for people, the record for programs. NULL: not wanted. */
static FILE *table_file, *record_file;

/* Prints "program: message" as one line on stderr and exits with `code`. */
__attribute__((noreturn, format(printf, 2, 3))) static inline void fail(int code,
                                                                        const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(code);
}

/* `bytes` of memory, all 0. Exits with 1 if there are none; `what` says what they are for. */
static inline void *new_memory(size_t bytes, const char *what) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        fail(EXIT_FAILED, "no host memory for %s", what);
    return memset(memory, 0, bytes);
}

/* At exit, so that no program has to ask: a full disk must not pass for a result. */
static inline void check_written(void) {
    const bool record = record_file && (fflush(record_file) != 0 || ferror(record_file));
    if (!record && fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "%s: cannot write %s\n", program_name,
            record && record_file != stdout ? "the record" : "to stdout");
    _exit(EXIT_FAILED);
}

/* First in every program: with stdout closed, the next file to be opened would get the results. */
static inline void set_up_output(const char *program) {
    program_name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
        fail(EXIT_FAILED, "stdout is closed: %s", strerror(errno));
    table_file = stdout;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error message, not a signal */
    atexit(check_written);
}

/* ---- Words, and numbers by name ---- */

#ifndef RECORD_DIGITS /* decimals that the record has besides; the tests want nanoseconds */
#define RECORD_DIGITS 0
#endif

/* Why not to believe a row. Several may be true: they are added with |. */
enum {
    RUNS_DISAGREE = 1, /* so far that the median means little: stats.h */
    RUNS_DELAYED = 2,  /* all of them, since the host waited too long for an idle device: stats.h */
    OTHERS_RAN = 4,    /* on the processor, while this program waited for it: others.h */
    CORES_STOLEN = 8,  /* by the host of this virtual machine: others.h */
    CLOCKS_DIFFER = 16, /* two that should agree */
    DRIFTED = 64,       /* the later runs are slower or faster than the earlier ones: stats.h */
    INTERRUPTED = 32    /* work of known length took longer than it can by itself */
};

/* What other processes did to this one: others.h. The shares are of the time for which its threads
 * ran or waited for a core, 0 to 1. */
struct others {
    double own;    /* cores that this program kept busy, on average */
    double cores;  /* that others kept busy */
    double waited; /* the share for which the threads waited for a core, for whatever reason */
    double taken;  /* waited, but at most as long as others ran: threads also wait for each other */
    double stolen; /* of the time of all busy cores: what the host of the virtual machine took */
};

enum { MAX_CELLS = 32, MAX_TEXT = 300 };
struct cell {
    const char *name; /* with its unit: "median_us" */
    int width;        /* in the table: to the right edge, below 0 to the left one; 0: not there */
    char shown[MAX_TEXT], recorded[MAX_TEXT];
};
struct table {
    int cell_count;                /* of this row */
    int rows_shown, rows_recorded; /* so far: in the table, in the record */
    unsigned marks;                /* of all rows */
    struct others others;          /* the worst of them */
    struct cell cell[MAX_CELLS];
};

/* Words, for people only. */
__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (table_file)
        vfprintf(table_file, format, arguments);
    va_end(arguments);
}

/* A line of the record that is no row: "# device,NVIDIA H200". */
static inline void describe(const char *name, const char *text) {
    if (record_file)
        fprintf(record_file, "# %s,%s\n", name, text);
}

/* A number that the words below the table quote: "# overhead_us,9.48" in the record. Returns it. */
static inline double value(const char *name, double x) {
    if (record_file)
        fprintf(record_file, "# %s,%.9g\n", name, x);
    return x;
}

/* ---- The cells of a row ---- */

static inline struct cell *new_cell(struct table *t, const char *name, int width) {
    const int least = (int)strlen(name);
    if (t->cell_count == MAX_CELLS)
        fail(EXIT_FAILED, "more than %d columns", MAX_CELLS);
    struct cell *cell = &t->cell[t->cell_count++];
    cell->name = name;
    cell->width = width > 0 && width < least ? least : width < 0 && -width < least ? -least : width;
    return cell;
}

/* Words. `width` is that of the longest that the column will have; 0: for the record alone. */
static inline void text(struct table *t, const char *name, int width, const char *words) {
    struct cell *cell = new_cell(t, name, -width);
    if (strlen(words) >= MAX_TEXT)
        fail(EXIT_FAILED, "%s: more than %d characters", name, MAX_TEXT - 1);
    snprintf(cell->shown, MAX_TEXT, "%s", words);
    snprintf(cell->recorded, MAX_TEXT, "%s", words);
    for (char *c = cell->recorded; *c; c++)
        if (*c == ',' || *c == '"') /* the record has no quotes */
            *c = ';';
}

/* Without the sign of a number that was rounded to zero. NaN is `none`. */
static inline void print_number(char *to, int places, double x, const char *none) {
    if (isnan(x))
        snprintf(to, MAX_TEXT, "%s", none);
    else if (fabs(x) < 0.5 * pow(10, -places))
        snprintf(to, MAX_TEXT, "%.*f", places, 0.0);
    else
        snprintf(to, MAX_TEXT, "%.*f", places, x);
}

/* A number with so many decimals, in the record with one more; a whole number stays whole. NaN:
 * there is none. */
static inline void number(struct table *t, const char *name, int places, double x) {
    struct cell *cell = new_cell(t, name, 9);
    const bool whole = places == 0 && x == floor(x);
    print_number(cell->shown, places, x, "-");
    print_number(cell->recorded, places + (places > 0) + !whole * RECORD_DIGITS, x, "");
}

/* The same for the record alone; the table has no such column. */
static inline void record_number(struct table *t, const char *name, int places, double x) {
    number(t, name, places, x);
    t->cell[t->cell_count - 1].width = 0;
}

/* ---- The rows ---- */

/* A line of the table, without its end: the names, or the row. Returns how many blanks come before
 * whatever else there is in it; a line does not end with blanks. */
static inline int print_line(const struct table *t, bool names) {
    int blanks = 0;
    for (const struct cell *c = t->cell; c < t->cell + t->cell_count; c++)
        if (c->width) {
            const char *words = names ? c->name : c->shown;
            const int missing = abs(c->width) - (int)strlen(words);
            if (c->width > 0 && missing > 0)
                blanks += missing;
            if (*words) {
                say("%*s%s", blanks, "", words);
                blanks = 0;
            }
            if (c->width < 0 && missing > 0)
                blanks += missing;
            blanks++;
        }
    return blanks;
}

/* Ends the row for the record alone: where the table shows some rows of many. */
static inline void end_record_row(struct table *t, unsigned marks) {
    const struct cell *end = t->cell + t->cell_count;
    t->cell_count = 0;
    if (!record_file)
        return;
    if (t->rows_recorded++ == 0) {
        for (const struct cell *c = t->cell; c < end; c++)
            fprintf(record_file, "%s,", c->name);
        fprintf(record_file, "disturbed\n");
    }
    for (const struct cell *c = t->cell; c < end; c++)
        fprintf(record_file, "%s,", c->recorded);
    fprintf(record_file, "%d\n", marks != 0);
}

/* Ends the row and prints it at once. `marks`: why not to believe it, or 0. */
static inline void end_row(struct table *t, unsigned marks) {
    if (t->rows_shown++ == 0) {
        print_line(t, true);
        say("\n");
    }
    const int blanks = print_line(t, false);
    say("%*s%s\n", marks ? blanks : 0, "", marks ? "disturbed" : "");
    end_record_row(t, marks);
    t->marks |= marks;
    fflush(NULL); /* both: a driver may crash behind it. Checked at exit */
}

/* Whether rows are not to be believed for what others did: the table keeps the worst for its words.
 * A tenth: on idle machines up to 0.03 of the time was taken, beside one busy process 0.31 and more
 * (two cores, PoCL). */
static inline unsigned mark_others(struct table *t, struct others o) {
    if (o.taken > t->others.taken)
        t->others = (struct others){o.own, o.cores, o.waited, o.taken, t->others.stolen};
    t->others.stolen = fmax(t->others.stolen, o.stolen);
    return (o.taken > 0.1 ? OTHERS_RAN : 0) | (o.stolen > 0.1 ? CORES_STOLEN : 0);
}

/* What the marks of the rows mean: only what was measured. */
static inline void explain_marks(const struct table *t) {
    if (t->marks)
        say("Disturbed rows are not to be believed:\n");
    if (t->marks & RUNS_DISAGREE)
        say("- the runs of a row disagree: its median is uncertain\n");
    if (t->marks & RUNS_DELAYED)
        say("- the host waited over a millisecond longer than the device worked\n");
    if (t->marks & OTHERS_RAN)
        say("- other programs kept %.1f cores busy, and this one waited for a core for %.0f %% of "
            "its time\n",
            t->others.cores, value("waited_percent", 100 * t->others.waited));
    if (t->marks & CORES_STOLEN)
        say("- the host of this virtual machine took its cores for %.0f %% of their busy time\n",
            value("stolen_percent", 100 * t->others.stolen));
    if (t->marks & DRIFTED)
        say("- the later half of the runs is much slower or faster than the earlier half\n");
    if (t->marks & INTERRUPTED)
        say("- work of known length took longer than it can by itself: it was interrupted\n");
    if (t->marks & CLOCKS_DIFFER)
        say("- two clocks that should agree do not: the time is wrong by one of them\n");
    if (t->marks)
        say("\n");
}

/* An empty line, and what the marks mean. */
static inline void end_table(const struct table *t) {
    say("\n");
    explain_marks(t);
}
