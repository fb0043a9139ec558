/* SPDX-License-Identifier: MIT
 * A program's options, on getopt_long, with strict numbers:
 *     long long runs = 31;
 *     const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), END_OF_OPTIONS}; */
#pragma once
#include "base.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>

#define SUITE_VERSION "1.0.0"
enum { MAX_RUNS = 10000, MAX_BLOCKS = 1 << 22, MAX_THREADS = 1 << 16, MAX_LIST = 1024 };

struct numbers {
    int count; /* 0: the program finds the numbers itself */
    long long at[MAX_LIST];
};

enum takes { TAKES_NOTHING, TAKES_NUMBER, TAKES_LIST, TAKES_DEVICE };
struct opt {
    const char *name;
    enum takes takes;
    const char *text, *help; /* what --help says: what it takes, what it is for */
    long long max, *to;      /* max: of each number; to: the default, and where the numbers go */
    int *count;              /* of a list */
};
/* clang-format off */
#define OPT_NUMBER(name, to, max, help) {name, TAKES_NUMBER, "N", help, max, to, NULL}
#define OPT_LIST(name, l, max, help) {name, TAKES_LIST, "LIST", help, max, (l)->at, &(l)->count}
#define OPT_FLAG(name, to, help) {name, TAKES_NOTHING, "", help, 0, to, NULL}
#define OPT_DEVICE {"device", TAKES_DEVICE, "N|TEXT", \
                    "number N, or the first with TEXT in its name; list: show all", 0, NULL, NULL}
#define OPT_RUNS(to) OPT_NUMBER("runs", to, MAX_RUNS, "measure N times")
#define OPT_SIZE(to) OPT_NUMBER("size", to, 1LL << 40, "work on N elements")
#define END_OF_OPTIONS {NULL, TAKES_NOTHING, NULL, NULL, 0, NULL, NULL}
/* clang-format on */

static const char *wanted_device = ""; /* the text of --device; "": by default */

/* Decimal digits, and commas in a list. All else is bad usage, even a sign or a blank. */
static inline void parse_numbers(const struct opt *o, char *text) {
    const int most = o->takes == TAKES_LIST ? MAX_LIST : 1;
    int i = 0;
    for (char *one; (one = strsep(&text, ",")) != NULL; i++) {
        char *end = one;
        errno = 0;
        const long long number = isdigit((unsigned char)*one) ? strtoll(one, &end, 10) : 0;
        if (number < 1 || number > o->max || *end || errno || i == most)
            errx(EXIT_BAD_USAGE, "--%s: '%s' is not a whole number from 1 to %lld, or one too many",
                 o->name, one, o->max);
        o->to[i] = number;
    }
    if (o->count)
        *o->count = i;
}

static inline void print_numbers(FILE *file, const struct opt *o, const char *first,
                                 const char *next) {
    const bool has_number = o->takes == TAKES_NUMBER && *o->to > 0;
    const int count = o->takes == TAKES_LIST ? *o->count : has_number;
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%lld", i > 0 ? next : first, o->to[i]);
}

static inline void print_help(const char *question, const struct opt *options) {
    printf("%s: %s\n\n", program_invocation_short_name, question);
    for (const struct opt *o = options; o->name; o++) {
        printf("  --%-9s %-7s %s", o->name, o->text, o->help);
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
    const char *csv = NULL;                         /* the text of --csv=FILE; "-" without one */
    for (int i = 0; options[i].name && i < 12; i++) /* the last of the 16 stays 0: it ends them */
        known[3 + i] = (struct option){options[i].name, options[i].takes != TAKES_NOTHING, NULL, i};
    /* With stdout closed, the next file to be opened would get the results. */
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0 || !(record_file = fopen("/dev/null", "w")))
        err(EXIT_FAILED, "stdout is closed, or there is no /dev/null");
    FILE *const nowhere = record_file;
    signal(SIGPIPE, SIG_IGN); /* if the reader goes away, an error message says so, not a signal */
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
        else if (options[i].takes == TAKES_NOTHING)
            *options[i].to = 1;
        else if (options[i].takes != TAKES_DEVICE)
            parse_numbers(&options[i], optarg);
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

/* Exits with 2 if option --name got more than `most`, which is what `of` allows. */
static inline void check_most(const char *name, long long got, size_t most, const char *of) {
    if ((size_t)got > most)
        errx(EXIT_BAD_USAGE, "--%s: '%lld' is more than %zu, which %s allows", name, got, most, of);
}

/* Whether --device names this one: by its number, or by a part of its name. */
static inline bool is_wanted(int number, const char *name) {
    char *end;
    const long wanted = strtol(wanted_device, &end, 10);
    return *end ? strcasestr(name, wanted_device) != NULL : !*wanted_device || wanted == number;
}
