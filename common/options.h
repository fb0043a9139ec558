/* SPDX-License-Identifier: MIT
 * A program's options, on getopt_long, with strict numbers:
 *     long long runs = 31;
 *     const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), END_OF_OPTIONS}; */
#pragma once
#include "base.h"

#include <assert.h>
#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>

#define SUITE_VERSION "1.0.0"
enum { MAX_RUNS = 10000, MAX_BLOCKS = 1 << 22, MAX_THREADS = 1 << 16, MAX_LIST = 1024 };

struct numbers {
    int count; /* 0: the program finds some */
    long long at[MAX_LIST];
};

/* `to` holds the default, or 0 if the program finds one. It gets a number from 1 to `max`, those of
 * a list, or 1 of a flag. */
struct opt {
    const char *name, *takes, *help;
    long long max, *to; /* 0: a flag, or without `to` --device */
    int *count;         /* of a list */
};
/* clang-format off */
#define OPT_NUMBER(name, to, max, help) {name, "N", help, max, to, NULL}
#define OPT_LIST(name, list, max, help) {name, "LIST", help, max, (list)->at, &(list)->count}
#define OPT_FLAG(name, to, help) {name, "", help, 0, to, NULL}
#define OPT_DEVICE {"device", "N|TEXT", "number N, or the first with TEXT in its name; list: show all", 0, NULL, NULL}
#define OPT_RUNS(to) OPT_NUMBER("runs", to, MAX_RUNS, "measure N times")
#define OPT_SIZE(to) OPT_NUMBER("size", to, 1LL << 40, "work on N elements")
#define END_OF_OPTIONS {NULL, NULL, NULL, 0, NULL, NULL}
/* clang-format on */

static const char *wanted_device = ""; /* the text of --device; "": by default */

/* Whole, decimal, a comma between two: a sign or a blank is bad usage. */
static inline void parse_numbers(const struct opt *o, char *text) {
    int i = 0;
    for (char *one; (one = strsep(&text, ",")) != NULL; i++) {
        char *end = one;
        errno = 0;
        const long long number = isdigit((unsigned char)*one) ? strtoll(one, &end, 10) : 0;
        if (number < 1 || number > o->max || *end || errno || i == (o->count ? MAX_LIST : 1))
            errx(EXIT_BAD_USAGE, "--%s: '%s' is not a whole number from 1 to %lld, or one too many",
                 o->name, one, o->max);
        o->to[i] = number;
    }
    if (o->count)
        *o->count = i;
}

static inline void print_numbers(FILE *file, const struct opt *o, const char *first,
                                 const char *next) {
    for (int i = 0; i < (o->count ? *o->count : o->max > 0 && *o->to > 0); i++)
        fprintf(file, "%s%lld", i > 0 ? next : first, o->to[i]);
}

static inline void print_help(const char *question, const struct opt *options) {
    printf("%s: %s\n\n", program_invocation_short_name, question);
    for (const struct opt *o = options; o->name; o++) {
        printf("  --%-9s %-7s %s", o->name, o->takes, o->help);
        print_numbers(stdout, o, "; default ", ",");
        putchar('\n');
    }
    puts("  --csv       [=FILE] print the record and nothing else; with FILE: write it there\n"
         "  --help              print this help\n"
         "  --version           print the version");
}

/* Exits with 0 after --help and --version; with 2 and one line that says why on bad usage. */
static inline void parse_options(int argc, char **argv, const char *question,
                                 const struct opt *options) {
    struct option known[16] = {{"csv", optional_argument, NULL, 'c'},
                               {"help", no_argument, NULL, 'h'},
                               {"version", no_argument, NULL, 'v'}};
    const char *csv = NULL; /* the text of --csv=FILE; "-" without one */
    for (int i = 0; options[i].name; i++) {
        assert(i < 12); /* the last of the 16 stays 0: it ends them */
        known[3 + i] = (struct option){options[i].name, *options[i].takes != '\0', NULL, i};
    }
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) /* the next file to be opened would get the results */
        err(EXIT_FAILED, "stdout is closed");
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error message, not a signal */
    FILE *const nowhere = record_file = fopen("/dev/null", "w");
    atexit(check_written);
    for (int i; (i = getopt_long(argc, argv, "+", known, NULL)) != -1;) {
        if (i == '?')
            exit(EXIT_BAD_USAGE); /* getopt_long has said why */
        if (i == 'h')
            print_help(question, options);
        if (i == 'v')
            printf("%s " SUITE_VERSION "\n", program_invocation_short_name);
        if (i == 'h' || i == 'v')
            exit(EXIT_SUCCESS);
        if (i == 'c')
            csv = optarg ?: "-";
        else if (options[i].max > 0)
            parse_numbers(&options[i], optarg);
        else if (options[i].to)
            *options[i].to = 1;
        else if (optarg && isalnum((unsigned char)*optarg))
            wanted_device = optarg;
        else
            errx(EXIT_BAD_USAGE, "--device: '%s' is neither a number nor a name", optarg);
    }
    if (optind < argc)
        errx(EXIT_BAD_USAGE, "'%s': only options such as --csv=FILE; see --help", argv[optind]);
    FILE *const file = !csv ? nowhere : strcmp(csv, "-") == 0 ? stdout : fopen(csv, "w");
    if (!file)
        err(EXIT_BAD_USAGE, "--csv: cannot write '%s'", csv);
    record_file = file;
    table_file = file == stdout ? nowhere : stdout;
}

/* Exits with 2 if `asked`, the value of --option, is more than `most`, which `of` allows. */
static inline void check_most(const char *option, long long asked, size_t most, const char *of) {
    if ((size_t)asked > most)
        errx(EXIT_BAD_USAGE, "--%s: '%lld' is more than %zu, which %s allows", option, asked, most,
             of);
}

/* Whether --device names this one: by its number, or by a part of its name. */
static inline bool is_wanted(int number, const char *name) {
    char *end;
    const long wanted = strtol(wanted_device, &end, 10);
    return *end ? strcasestr(name, wanted_device) != NULL : !*wanted_device || wanted == number;
}
