/* SPDX-License-Identifier: MIT
 * The options of all programs, on getopt_long, with strict numbers. */
#pragma once

#include <getopt.h>
#include <strings.h>
#include <time.h>

#include "table.h"

#define SUITE_VERSION "1.0.0"
enum { MAX_RUNS = 10000, MAX_BLOCKS = 1 << 22, MAX_THREADS = 1 << 16, MAX_LIST = 1024 };

/* What the command line says. A program sets the defaults of the options that it takes; what it
 * leaves at zero is refused. A list ends with 0. */
static struct {
    const char *device;                                  /* "": the program chooses */
    long long runs, size, work, seconds, late_us, trace; /* trace: 1 if it can be asked for */
    long long sizes[MAX_LIST + 1], blocks[MAX_LIST + 1], threads[MAX_LIST + 1];
    bool has_blocks; /* on the command line */
} options;

/* Whether device number `index`, called `name`, is the one of --device: a number, or part of a name. */
static inline bool device_matches(int index, const char *name) {
    const size_t length = strlen(options.device);
    if (length > 0 && strspn(options.device, "0123456789") == length)
        return atoi(options.device) == index;
    while (*name && strncasecmp(name, options.device, length) != 0)
        name++;
    return length == 0 || *name;
}

/* The rows of the table below that the parser knows by name. */
enum { DEVICE, BLOCKS = 4, TRACE = 9, CSV, HELP, VERSION, OPTIONS };
static const struct known_option {
    const char *name, *value, *help;
    long long *numbers, max;
    int most; /* numbers */
} all_options[OPTIONS] = {
    {"device", "N|TEXT", "number N, or the first with TEXT in its name; list: show all", 0, 0, 0},
    {"runs", "N", "measure N times", &options.runs, MAX_RUNS, 1},
    {"size", "N", "work on N elements", &options.size, 1LL << 40, 1},
    {"size", "LIST", "work on so many elements, in turn", options.sizes, 1LL << 40, MAX_LIST},
    {"blocks", "LIST", "launch so many blocks, in turn", options.blocks, MAX_BLOCKS, MAX_LIST},
    {"threads", "LIST", "of so many threads, in turn", options.threads, MAX_THREADS, MAX_LIST},
    {"work", "N", "have each block do its work N times", &options.work, 1000000, 1},
    {"seconds", "N", "go on for N seconds", &options.seconds, 3600, 1},
    {"late-us", "N", "make one device N us late", &options.late_us, 1000000, 1},
    {"trace", "", "print Chrome's trace format and nothing else", &options.trace, 0, 0},
    {"csv", "[=FILE]", "print the record and nothing else; with FILE: write it there", 0, 0, 0},
    {"help", "", "print this help", 0, 0, 0},
    {"version", "", "print the version", 0, 0, 0}};

/* Whether the program takes option number k: it has set a default. */
static inline bool is_taken(int k) {
    return all_options[k].numbers ? *all_options[k].numbers > 0 : k != DEVICE || options.device;
}

/* Stores the numbers of `text` as an option's: whole, decimal, in its range and not too many, a comma
 * between two. Exits with 2 on anything else: a sign, a blank, nothing, overflow. */
static inline void parse_numbers(const struct known_option *o, char *text) {
    long long *number = o->numbers;
    int room = o->most;
    for (char *one; (one = strsep(&text, ",")) != NULL; room--) {
        char *end = NULL;
        errno = 0;
        *number = isdigit((unsigned char)*one) ? strtoll(one, &end, 10) : -1;
        if (room < 1)
            fail(EXIT_BAD_USAGE, "--%s: '%s' is a number too many", o->name, one);
        if (!end || *end || errno != 0 || *number < 1 || *number > o->max)
            fail(EXIT_BAD_USAGE, "--%s: '%s' is not a whole number from 1 to %lld", o->name, one,
                 o->max);
        if (room > 1)
            *++number = 0;
    }
}

/* An option's numbers: `first` stands before the first one, `next` before each other one. */
static inline void print_numbers(FILE *file, int k, const char *first, const char *next) {
    for (int n = 0; n < all_options[k].most && all_options[k].numbers[n]; n++)
        fprintf(file, "%s%lld", n > 0 ? next : first, all_options[k].numbers[n]);
}

static inline void print_help(const char *about) {
    printf("%s: %s\n", program_name, about);
    for (int k = 0; k < OPTIONS; k++)
        if (is_taken(k)) {
            const struct known_option *o = &all_options[k];
            printf("\n  --%-7s %-7s %s", o->name, o->value, o->help);
            print_numbers(stdout, k, "; default ", ",");
        }
    putchar('\n');
}

/* Fills in `options` from the command line. `about` is the question that the program answers. Exits
 * with 0 after --help and --version, with 2 and one line that names the option on bad usage. */
static inline void parse_options(int argc, char **argv, const char *about) {
    static struct option taken[OPTIONS + 1];
    const char *path = NULL; /* of --csv=FILE */
    bool csv = false;
    int count = 0;
    set_up_output(argv[0]);
    for (int k = 0; k < OPTIONS; k++)
        if (is_taken(k)) {
            const int has_value = *all_options[k].value ? required_argument : no_argument;
            taken[count++] = (struct option){all_options[k].name,
                                             k == CSV ? optional_argument : has_value, NULL, k};
        }
    for (int k; (k = getopt_long(argc, argv, "+", taken, NULL)) != -1;) {
        if (k == '?')
            exit(EXIT_BAD_USAGE); /* getopt_long has said why */
        if (k == HELP)
            print_help(about);
        if (k == VERSION)
            printf("%s " SUITE_VERSION "\n", program_name);
        if (k == HELP || k == VERSION)
            exit(EXIT_SUCCESS);
        if (all_options[k].most)
            parse_numbers(&all_options[k], optarg);
        if (k == DEVICE && strspn(optarg, "+-0123456789") == strlen(optarg) &&
            (!isdigit((unsigned char)*optarg) || strlen(optarg) > 9))
            fail(EXIT_BAD_USAGE, "--device: '%s' is neither a number nor a name", optarg);
        options.has_blocks |= k == BLOCKS;
        options.device = k == DEVICE ? optarg : options.device;
        csv |= k == CSV;
        path = k == CSV ? optarg : path;
        table_file = k == TRACE ? NULL : table_file;
    }
    if (optind < argc)
        fail(EXIT_BAD_USAGE, "'%s': no arguments, only options such as --csv=FILE; see --help",
             argv[optind]);
    if (csv && !path && !table_file)
        fail(EXIT_BAD_USAGE, "--csv: --trace prints on stdout; give --csv=FILE");
    if (csv && !path)
        table_file = NULL;
    if (csv && !(record_file = path ? fopen(path, "w") : stdout))
        fail(EXIT_BAD_USAGE, "--csv: cannot write '%s': %s", path, strerror(errno));
    if (path)
        setvbuf(record_file, NULL, _IOLBF, 0); /* a child must not write what its parent has */
}

/* In the record: the program, what it runs on, the options' values. */
static inline void begin_record(void) {
    char date[16];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    describe("program", "%s " SUITE_VERSION, program_name);
    describe("device", "%s", machine.device);
    describe("driver", "%s", machine.driver);
    describe("date", "%s", date);
    for (int k = 0; record_file && k < OPTIONS; k++)
        if (all_options[k].most && is_taken(k)) {
            fprintf(record_file, "# %s", all_options[k].name);
            print_numbers(record_file, k, ",", " ");
            fputc('\n', record_file);
        }
}

/* Above the table: what the words say; in the record its first lines. */
#define begin_table(...) (begin_record(), say(__VA_ARGS__))
