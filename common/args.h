/* SPDX-License-Identifier: MIT
 * A program's options, on getopt_long, with strict numbers. Each program has a table of its own:
 *
 *     long long runs = 31;
 *     const char *device = "";
 *     const struct arg args[] = {ARG_DEVICE(&device), ARG_RUNS(&runs), END_OF_ARGS};
 *     parse_args(argc, argv, "What does it measure?", args); */
#pragma once

#include <ctype.h>
#include <getopt.h>
#include <strings.h>
#include <time.h>

#include "report.h"

#define SUITE_VERSION "1.0.0"
/* The most that --runs, --blocks and --threads take, numbers in a list, options of a program. */
enum {
    MAX_RUNS = 10000,
    MAX_BLOCKS = 1 << 22,
    MAX_THREADS = 1 << 16,
    MAX_LIST = 1024,
    MAX_ARGS = 12
};

struct numbers {
    int count;
    bool given; /* on the command line; else the program's own */
    long long at[MAX_LIST];
};

/* --name VALUE. One of `number`, `list`, `flag` and `device` says where the value goes, and holds
 * the default. */
struct arg {
    const char *name, *value, *help;
    long long *number;
    struct numbers *list;
    bool *flag;
    const char **device;
    long long max; /* numbers are 1 to max */
};
#define ARG_NUMBER(name, to, max, help)                                                            \
    { name, "N", help, to, NULL, NULL, NULL, max }
#define ARG_LIST(name, to, max, help)                                                              \
    { name, "LIST", help, NULL, to, NULL, NULL, max }
#define ARG_FLAG(name, to, help)                                                                   \
    { name, "", help, NULL, NULL, to, NULL, 0 }
#define ARG_DEVICE(to)                                                                             \
    {                                                                                              \
        "device", "N|TEXT", "number N, or the first with TEXT in its name; list: show all", NULL,  \
            NULL, NULL, to, 0                                                                      \
    }
#define ARG_RUNS(to) ARG_NUMBER("runs", to, MAX_RUNS, "measure N times")
#define ARG_SIZE(to) ARG_NUMBER("size", to, 1LL << 40, "work on N elements")
#define END_OF_ARGS                                                                                \
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

/* Stores the numbers of `text` as an option's: whole, decimal, from 1 to its most, a comma between
 * two. Exits with 2 on anything else: a sign, a blank, nothing, overflow, one too many. */
static inline void parse_numbers(const struct arg *arg, char *text) {
    int count = 0;
    for (char *one; (one = strsep(&text, ",")) != NULL; count++) {
        char *end = NULL;
        errno = 0;
        const long long number = isdigit((unsigned char)*one) ? strtoll(one, &end, 10) : -1;
        if (count == (arg->list ? MAX_LIST : 1))
            fail(EXIT_BAD_USAGE, "--%s: '%s' is a number too many", arg->name, one);
        if (!end || *end || errno != 0 || number < 1 || number > arg->max)
            fail(EXIT_BAD_USAGE, "--%s: '%s' is not a whole number from 1 to %lld", arg->name, one,
                 arg->max);
        *(arg->list ? &arg->list->at[count] : arg->number) = number;
    }
    if (arg->list) {
        arg->list->count = count;
        arg->list->given = true;
    }
}

/* An option's numbers: `first` stands before the first one, `next` before each other one. */
static inline void print_numbers(FILE *to, const struct arg *arg, const char *first,
                                 const char *next) {
    if (arg->number)
        fprintf(to, "%s%lld", first, *arg->number);
    for (int i = 0; arg->list && i < arg->list->count; i++)
        fprintf(to, "%s%lld", i > 0 ? next : first, arg->list->at[i]);
}

static inline void print_help(const char *question, const struct arg *args) {
    printf("%s: %s\n\n", program_name, question);
    for (const struct arg *arg = args; arg->name; arg++) {
        printf("  --%-9s %-7s %s", arg->name, arg->value, arg->help);
        print_numbers(stdout, arg, "; default ", ",");
        putchar('\n');
    }
    puts("  --csv       [=FILE] print the record and nothing else; with FILE: write it there\n"
         "  --help              print this help\n"
         "  --version           print the version");
}

/* Fills in what `args` points to, from the command line. `question` is what the program answers.
 * Exits with 0 after --help and --version, with 2 and one line that names the option on bad usage:
 * then nothing was measured or printed. */
static inline void parse_args(int argc, char **argv, const char *question, const struct arg *args) {
    struct option known[MAX_ARGS + 4] = {{"csv", optional_argument, NULL, 'c'},
                                         {"help", no_argument, NULL, 'h'},
                                         {"version", no_argument, NULL, 'v'}};
    const char *path = NULL; /* of --csv=FILE */
    bool csv = false;
    set_up_output(argv[0]);
    for (int i = 0; args[i].name; i++) {
        if (i == MAX_ARGS)
            fail(EXIT_FAILED, "more than %d options", MAX_ARGS);
        known[i + 3] =
            (struct option){args[i].name, args[i].flag ? no_argument : required_argument, NULL, i};
    }
    for (int i; (i = getopt_long(argc, argv, "+", known, NULL)) != -1;) {
        if (i == '?')
            exit(EXIT_BAD_USAGE); /* getopt_long has said why */
        if (i == 'h') {
            print_help(question, args);
            exit(EXIT_SUCCESS);
        }
        if (i == 'v') {
            printf("%s " SUITE_VERSION "\n", program_name);
            exit(EXIT_SUCCESS);
        }
        if (i == 'c') {
            csv = true;
            path = optarg;
        } else if (args[i].flag) {
            *args[i].flag = true;
        } else if (args[i].device) {
            if (strspn(optarg, "+-0123456789") == strlen(optarg) &&
                (!isdigit((unsigned char)*optarg) || strlen(optarg) > 9))
                fail(EXIT_BAD_USAGE, "--device: '%s' is neither a number nor a name", optarg);
            *args[i].device = optarg;
        } else {
            parse_numbers(&args[i], optarg);
        }
    }
    if (optind < argc)
        fail(EXIT_BAD_USAGE, "'%s': no arguments, only options such as --csv=FILE; see --help",
             argv[optind]);
    if (csv && !(record_file = path ? fopen(path, "w") : stdout))
        fail(EXIT_BAD_USAGE, "--csv: cannot write '%s': %s", path, strerror(errno));
    if (path)
        setvbuf(record_file, NULL, _IOLBF, 0); /* a child must not write what its parent has */
    else if (csv)
        table_file = NULL;
}

/* Whether `wanted`, the text of --device, is number `index` or a part of `name`; "" is any. */
static inline bool device_matches(const char *wanted, int index, const char *name) {
    const size_t length = strlen(wanted);
    if (length > 0 && strspn(wanted, "0123456789") == length)
        return atoi(wanted) == index;
    while (*name && strncasecmp(name, wanted, length) != 0)
        name++;
    return length == 0 || *name;
}

static inline long long largest(const struct numbers *list) {
    long long most = 0;
    for (int i = 0; i < list->count; i++)
        most = list->at[i] > most ? list->at[i] : most;
    return most;
}

/* The head of the record: the program, what it runs on, the options' values. Call it when all is
 * set up: what ends before it prints nothing. */
static inline void begin_record(const struct arg *args, const char *device, const char *driver) {
    char words[64];
    const time_t now = time(NULL);
    snprintf(words, sizeof words, "%s " SUITE_VERSION, program_name);
    describe("program", words);
    describe("device", device);
    describe("driver", driver);
    strftime(words, sizeof words, "%Y-%m-%d", gmtime(&now));
    describe("date", words);
    for (const struct arg *arg = args; record_file && arg->name; arg++)
        if (arg->number || arg->list) {
            fprintf(record_file, "# %s", arg->name);
            print_numbers(record_file, arg, ",", " ");
            fputc('\n', record_file);
        }
}
