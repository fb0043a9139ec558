/* SPDX-License-Identifier: MIT
 *
 * For a chapter's sane.c: runs its program, reads the CSV, and says which rules the numbers break.
 */
#ifndef COMMON_CHAPTER_OUTPUT_H
#define COMMON_CHAPTER_OUTPUT_H

#include <stdbool.h>
#include <sys/wait.h>

#include "fail.h"

enum { MAX_ROWS = 160, MAX_COLUMNS = 16, MAX_TEXT = 65536 };

struct csv {
    char text[MAX_TEXT];
    const char *cells[MAX_ROWS][MAX_COLUMNS]; /* [0]: the column names */
    int rows, columns;                        /* rows: without the names */
};

static int broken_rules;

/* Counts and reports a rule that does not hold, with the numbers that break it. */
#define EXPECT(rule, ...)                                                                          \
    do {                                                                                           \
        if (!(rule)) {                                                                             \
            broken_rules++;                                                                        \
            fprintf(stderr, "  broken: %s\n          ", #rule);                                    \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* The cell of `row` (1 is the first after the names) under `column`. Exits with 1 if there is none.
 */
static inline const char *cell(const struct csv *csv, int row, const char *column) {
    for (int c = 0; c < csv->columns; c++)
        if (row >= 1 && row <= csv->rows && strcmp(csv->cells[0][c], column) == 0)
            return csv->cells[row][c];
    fail(EXIT_FAILED, "the CSV has no row %d, column %s", row, column);
}

/* The same as a number. Exits with 1 if it is anything else: an empty cell, NaN, infinity. */
static inline double number(const struct csv *csv, int row, const char *column) {
    char *end;
    const char *text = cell(csv, row, column);
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value - value == 0))
        fail(EXIT_FAILED, "row %d, column %s: '%s' is not a number", row, column, text);
    return value;
}

/* The first row from `from` on that has `value` under `column`; 0 if there is none. */
static inline int find_row(const struct csv *csv, int from, const char *column, const char *value) {
    for (int row = from; row <= csv->rows; row++)
        if (strcmp(cell(csv, row, column), value) == 0)
            return row;
    return 0;
}

/* Runs the program of argv[1] with its options and `more`; fills `text` with what it prints and
 * returns its exit code. */
static inline int run_program(int argc, char **argv, const char *more, char *text) {
    char command[4096];
    int length = 0;
    for (int i = 1; i < argc; i++)
        if (length < (int)sizeof command)
            length += snprintf(command + length, sizeof command - (size_t)length, "'%s' ", argv[i]);
    if (length + (int)strlen(more) >= (int)sizeof command)
        fail(EXIT_FAILED, "the command is too long");
    snprintf(command + length, sizeof command - (size_t)length, "%s", more);
    FILE *output = popen(command, "r");
    if (!output)
        fail(EXIT_FAILED, "cannot run %s", command);
    text[fread(text, 1, MAX_TEXT - 1, output)] = '\0';
    const int status = pclose(output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* Cuts csv->text into cells. Exits with 1 unless the first line is `names` and every other line has
 * as many cells. */
static inline void read_csv(struct csv *csv, const char *names) {
    char *rest = csv->text;
    if (strncmp(rest, names, strlen(names)) != 0 || rest[strlen(names)] != '\n')
        fail(EXIT_FAILED, "the first line is not '%s'", names);
    if (rest[strlen(rest) - 1] != '\n')
        fail(EXIT_FAILED, "the last line is cut off");
    for (csv->rows = -1; *rest;) {
        char *line = strsep(&rest, "\n"), *text;
        int columns = 0;
        if (++csv->rows == MAX_ROWS)
            fail(EXIT_FAILED, "more than %d rows", MAX_ROWS);
        while ((text = strsep(&line, ","))) {
            if (columns == MAX_COLUMNS)
                fail(EXIT_FAILED, "more than %d columns", MAX_COLUMNS);
            csv->cells[csv->rows][columns++] = text;
        }
        if (csv->rows > 0 && columns != csv->columns)
            fail(EXIT_FAILED, "row %d has %d cells, not %d", csv->rows, columns, csv->columns);
        csv->columns = columns;
    }
}

/* Whether a line of `table` begins with the word `first`. */
static inline bool has_row(const char *table, const char *first) {
    const size_t length = strlen(first);
    for (const char *line = table; line; line = strchr(line, '\n')) {
        line += strspn(line, " \n");
        if (strncmp(line, first, length) == 0 && line[length] == ' ')
            return true;
    }
    return false;
}

/* The whole of a sanity test: the program's CSV has `names` and keeps the `rules`; its table has a
 * row for every value that the CSV has under `key`. Up to three runs are asked: a busy machine can
 * break a rule about time now and then, or have the program give up ("disturbed"); a broken program
 * does so every time. Returns the test's exit code, 77 if the program has no device. */
static inline int check_sanity(int argc, char **argv, const char *names, const char *key,
                               void (*rules)(const struct csv *csv)) {
    static struct csv csv;
    static char table[MAX_TEXT];
    for (int attempt = 1; attempt == 1 || (broken_rules > 0 && attempt <= 3); attempt++) {
        const int code = run_program(argc, argv, "--csv", csv.text);
        broken_rules = code != EXIT_SUCCESS;
        if (code == EXIT_NO_DEVICE || (code != EXIT_SUCCESS && attempt == 3))
            return code;
        if (code != EXIT_SUCCESS)
            continue;
        read_csv(&csv, names);
        rules(&csv);
        fprintf(stderr, "run %d: %d rows, %d broken rules\n", attempt, csv.rows, broken_rules);
    }
    EXPECT(csv.rows > 0, "the CSV has no rows");
    EXPECT(run_program(argc, argv, "", table) == EXIT_SUCCESS, "without --csv");
    for (int row = 1; row <= csv.rows; row++)
        EXPECT(has_row(table, cell(&csv, row, key)), "the table lacks %s", cell(&csv, row, key));
    return broken_rules > 0 ? EXIT_FAILED : EXIT_SUCCESS;
}

#endif
