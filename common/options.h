/* SPDX-License-Identifier: MIT
 *
 * The options that the programs share, on GNU argp, with strict numbers. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <argp.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>

#include "fail.h"

#define SUITE_VERSION "1.0.0"

/* The most that --runs and --size take; a device may take less. */
enum { MAX_RUNS = 10000 };
static const long long max_size = 1LL << 40;

/* A comma-separated list of numbers. */
struct number_list {
    size_t count;
    long long values[1024];
};

/* What the command line said. Before parse_options() a program sets its defaults; what it leaves at
 * zero here is an option that it does not take, and that is refused as unknown. */
struct options {
    const char *about; /* for --help: the question that this program answers */
    bool has_device;
    const char *device; /* NULL: the program chooses */
    long long runs;
    long long size;            /* elements ... */
    struct number_list *sizes; /* ... or a list of such numbers */
    bool csv;
    const struct argp *own; /* options of this program alone, or NULL */
};

/* Returns `text` as a whole decimal number from `min` to `max`. Exits with 2 on anything else: a
 * sign, a blank, trailing characters, overflow. `option` is named in the message. */
static inline long long parse_number(const char *option, const char *text, long long min,
                                     long long max) {
    char *end = NULL;
    errno = 0;
    const long long value = isdigit((unsigned char)text[0]) ? strtoll(text, &end, 10) : -1;
    if (!end || *end != '\0' || errno != 0 || value < min || value > max) {
        fail(EXIT_BAD_USAGE, "%s: '%s' is not a whole number from %lld to %lld", option, text, min,
             max);
    }
    return value;
}

/* Reads `text`, numbers from `min` to `max` with a comma between two, into `list`, and cuts it up.
 * Exits with 2 on more numbers than the list holds, and as parse_number() does, on an empty one too. */
static inline void parse_list(const char *option, char *text, long long min, long long max,
                              struct number_list *list) {
    const size_t capacity = sizeof list->values / sizeof list->values[0];
    char *element;
    for (list->count = 0; (element = strsep(&text, ",")) != NULL; list->count++) {
        if (list->count == capacity)
            fail(EXIT_BAD_USAGE, "%s: more than %zu numbers", option, capacity);
        list->values[list->count] = parse_number(option, element, min, max);
    }
}

/* Whether device number `index`, called `name`, is the one that `wanted` asks for: digits are an
 * index, anything else a part of the name in any case. NULL asks for none in particular. */
static inline bool device_matches(const char *wanted, int index, const char *name) {
    if (!wanted)
        return true;
    if (strspn(wanted, "0123456789") == strlen(wanted))
        return strtoll(wanted, NULL, 10) == index;
    return strcasestr(name, wanted) != NULL;
}

/* Makes `text` fit for a CSV cell: commas and quotes become blanks. */
static inline void make_csv_cell(char *text) {
    for (char *at = text; *at; at++)
        if (*at == ',' || *at == '"')
            *at = ' ';
}

enum { KEY_DEVICE = 256, KEY_RUNS, KEY_SIZE, KEY_CSV, KEY_HELP, KEY_USAGE, KEY_VERSION, KEY_OWN };

static inline error_t parse_shared_option(int key, char *value, struct argp_state *state) {
    struct options *options = (struct options *)state->input;
    switch (key) {
    case KEY_DEVICE: {
        const char *digits = value + (value[0] == '-' || value[0] == '+');
        if (strspn(digits, "0123456789") == strlen(digits))
            parse_number("--device", value, 0, INT32_MAX);
        options->device = value;
        return 0;
    }
    case KEY_RUNS:
        options->runs = parse_number("--runs", value, 1, MAX_RUNS);
        return 0;
    case KEY_SIZE:
        if (options->sizes)
            parse_list("--size", value, 1, max_size, options->sizes);
        else
            options->size = parse_number("--size", value, 1, max_size);
        return 0;
    case KEY_CSV:
        options->csv = true;
        return 0;
    case KEY_HELP:
    case KEY_USAGE:
        argp_help(state->root_argp, stdout, key == KEY_HELP ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE,
                  program_invocation_short_name);
        flush_stdout();
        exit(EXIT_SUCCESS);
    case KEY_VERSION:
        printf("%s %s\n", program_invocation_short_name, SUITE_VERSION);
        flush_stdout();
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARG:
        fail(EXIT_BAD_USAGE, "'%s': no arguments are allowed, only options; see --help", value);
    case ARGP_KEY_ERROR: {
        /* getopt stays on a cluster of short options, which is never right, and passes the rest. */
        const char *next = state->next < state->argc ? state->argv[state->next] : "";
        const bool cluster = next[0] == '-' && next[1] != '-' && strlen(next) > 2;
        fail(EXIT_BAD_USAGE, "%s: no such option, or its value is missing or surplus; see --help",
             cluster ? next : state->argv[state->next - 1]);
    }
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Options with nothing set but what --help says first. */
static inline struct options default_options(const char *about) {
    struct options options;
    memset(&options, 0, sizeof options);
    options.about = about;
    return options;
}

/* Fills in `options` from the command line. Exits with 0 after --help, --usage and --version, and
 * with 2 on bad usage, with one line that names the option. (argp's own messages take two lines,
 * and ARGP_NO_ERRS, which turns them off, mutes its --help as well: so these three are ours.) */
static inline void parse_options(int argc, char **argv, struct options *options) {
    char runs[64], size[64];
    snprintf(runs, sizeof runs, "Measure N times (default %lld)", options->runs);
    snprintf(size, sizeof size, "Work on N elements (default %lld)", options->size);
    const struct {
        bool taken;
        const char *name;
        int key;
        const char *value, *doc;
    } rows[] = {{options->has_device, "device", KEY_DEVICE, "N|TEXT",
                 "Use device number N, or the first with TEXT in its name; 'list' shows all"},
                {options->runs != 0, "runs", KEY_RUNS, "N", runs},
                {options->size != 0, "size", KEY_SIZE, "N", size},
                {options->sizes != NULL, "size", KEY_SIZE, "LIST",
                 "Work on so many elements, each in turn"},
                {true, "csv", KEY_CSV, NULL, "Print the numbers as CSV and nothing else"},
                {true, "help", KEY_HELP, NULL, "Print this help"},
                {true, "usage", KEY_USAGE, NULL, "Print a short usage message"},
                {true, "version", KEY_VERSION, NULL, "Print the version"}};
    struct argp_option table[sizeof rows / sizeof rows[0] + 1];
    struct argp_child children[2];
    struct argp argp;
    size_t taken = 0;

    check_stdout();
    memset(table, 0, sizeof table);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].taken) {
            table[taken].name = rows[i].name;
            table[taken].key = rows[i].key;
            table[taken].arg = rows[i].value;
            table[taken++].doc = rows[i].doc;
        }
    memset(children, 0, sizeof children);
    children[0].argp = options->own;
    memset(&argp, 0, sizeof argp);
    argp.options = table;
    argp.parser = parse_shared_option;
    argp.doc = options->about;
    argp.children = children;
    argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, options);
}

#endif
