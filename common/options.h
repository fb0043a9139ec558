/* SPDX-License-Identifier: MIT
 * The options of all programs, on getopt_long, with strict numbers. */
#pragma once

#include <getopt.h>
#include <strings.h>
#include <time.h>

#include "table.h"

#define SUITE_VERSION "1.0.0"
enum { MAX_RUNS = 10000, MAX_BLOCKS = 1 << 22, MAX_THREADS = 1 << 16, MAX_LIST = 1024 };

/* The values of the options. A program sets a default for each option that it takes; an option
 * without a default is refused. A 0 ends a list. */
static struct {
    const char *device;                /* "": the program chooses */
    long long runs, size, work, trace; /* trace: 1 in a program that can print one */
    long long sizes[MAX_LIST + 1], blocks[MAX_LIST + 1], threads[MAX_LIST + 1];
    bool has_blocks, wants_trace; /* on the command line */
} options;

/* Whether --device is number `index`, or a part of `name`. */
static inline bool device_matches(int index, const char *name) {
    const size_t length = strlen(options.device);
    if (length > 0 && strspn(options.device, "0123456789") == length)
        return atoi(options.device) == index;
    while (*name && strncasecmp(name, options.device, length) != 0)
        name++;
    return length == 0 || *name;
}

/* All options, in the order of --help, with room for two that a program adds. `key` is for
 * parse_options(). */
enum { OPTIONS = 13 };
static struct known_option {
    char key;
    const char *name, *value, *help;
    long long *numbers, max;
    int most; /* so many numbers may be in its list */
} all_options[OPTIONS] = {
    {'d', "device", "N|TEXT", "number N, or the first with TEXT in its name; list: show all", 0, 0,
     0},
    {'r', "runs", "N", "measure N times", &options.runs, MAX_RUNS, 1},
    {'n', "size", "N", "work on N elements", &options.size, 1LL << 40, 1},
    {'n', "size", "LIST", "numbers of elements, one after the other", options.sizes, 1LL << 40,
     MAX_LIST},
    {'b', "blocks", "LIST", "numbers of blocks, one after the other", options.blocks, MAX_BLOCKS,
     MAX_LIST},
    {'t', "threads", "LIST", "threads in a block, one number after the other", options.threads,
     MAX_THREADS, MAX_LIST},
    {'w', "work", "N", "have each block do its work N times", &options.work, 1000000, 1},
    {'x', "trace", "", "print Chrome's trace format and nothing else", &options.trace, 0, 0},
    {'c', "csv", "[=FILE]", "print the record and nothing else; with FILE: write it there", 0, 0,
     0},
    {'h', "help", "", "print this help", 0, 0, 0},
    {'v', "version", "", "print the version", 0, 0, 0}};

/* Before parse_options(): --NAME N for this program alone. `number` holds the default. */
static inline void add_option(const char *name, const char *help, long long *number,
                              long long max) {
    struct known_option *o = all_options;
    for (; o->name; o++)
        if (o == all_options + OPTIONS - 1)
            fail(EXIT_FAILED, "--%s: no room for one more option", name);
    *o = (struct known_option){'o', name, "N", help, number, max, 1};
}

/* Whether the program takes the option: it has set a default. */
static inline bool is_taken(const struct known_option *o) {
    return o->numbers ? *o->numbers > 0 : o->key == 'd' ? options.device != NULL : o->name != NULL;
}

/* Stores the numbers of `text` as an option's: whole, decimal, in its range and not too many, a
 * comma between two. Exits with 2 on anything else: a sign, a blank, nothing, overflow. */
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
static inline void print_numbers(FILE *file, const struct known_option *o, const char *first,
                                 const char *next) {
    for (int i = 0; i < o->most && o->numbers[i]; i++)
        fprintf(file, "%s%lld", i > 0 ? next : first, o->numbers[i]);
}

static inline void print_help(const char *about) {
    printf("%s: %s\n", program_name, about);
    for (const struct known_option *o = all_options; o < all_options + OPTIONS; o++)
        if (is_taken(o)) {
            printf("\n  --%-9s %-7s %s", o->name, o->value, o->help);
            print_numbers(stdout, o, "; default ", ",");
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
    for (int i = 0; i < OPTIONS; i++)
        if (is_taken(&all_options[i])) {
            const char kind = *all_options[i].value;
            const int has_value = !kind         ? no_argument
                                  : kind == '[' ? optional_argument
                                                : required_argument;
            taken[count++] = (struct option){all_options[i].name, has_value, NULL, i};
        }
    for (int i; (i = getopt_long(argc, argv, "+", taken, NULL)) != -1;) {
        if (i == '?')
            exit(EXIT_BAD_USAGE); /* getopt_long has said why */
        if (all_options[i].most > 0)
            parse_numbers(&all_options[i], optarg);
        switch (all_options[i].key) {
        case 'd':
            if (strspn(optarg, "+-0123456789") == strlen(optarg) &&
                (!isdigit((unsigned char)*optarg) || strlen(optarg) > 9))
                fail(EXIT_BAD_USAGE, "--device: '%s' is neither a number nor a name", optarg);
            options.device = optarg;
            break;
        case 'b':
            options.has_blocks = true;
            break;
        case 'x':
            options.wants_trace = true;
            table_file = NULL;
            break;
        case 'c':
            csv = true;
            path = optarg;
            break;
        case 'h':
            print_help(about);
            exit(EXIT_SUCCESS);
        case 'v':
            printf("%s " SUITE_VERSION "\n", program_name);
            exit(EXIT_SUCCESS);
        }
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

/* The largest number of an option's list. */
static inline long long largest(const long long *numbers) {
    long long most = 0;
    for (; *numbers; numbers++)
        most = *numbers > most ? *numbers : most;
    return most;
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
    for (const struct known_option *o = all_options; o < all_options + OPTIONS; o++)
        if (record_file && o->most > 0 && is_taken(o)) {
            fprintf(record_file, "# %s", o->name);
            print_numbers(record_file, o, ",", " ");
            fputc('\n', record_file);
        }
}

/* Above the table: what the words say; in the record its first lines. */
#define begin_table(...) (begin_record(), say(__VA_ARGS__))
