/* SPDX-License-Identifier: MIT
 *
 * What warmup.cu and warmup_opencl.c both do around their recipes: the options, a new process for
 * each recipe, and the report. The launches and the recipes themselves are in the programs. */
#ifndef RECIPES_H
#define RECIPES_H

#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "summary.h"

enum { SERIES = 100, STEADY = 31, KEY_SERIES = KEY_OWN };
static bool series_only;

/* What a cold process found out; all in us. */
struct outcome {
    char device[256];
    double first_us, estimate_us, steady_us;
    int disturbed;                            /* the steady launches disagree */
    double event_us[SERIES], host_us[SERIES]; /* of the series */
};

/* What such a process does, in the program: sets up, runs the recipe (NULL: the series), then finds
 * the steady state and checks the result. */
static void run_cold(const char *wanted, double (*recipe)(void), struct outcome *o);

static inline error_t parse_own_option(int key, char *value, struct argp_state *state) {
    (void)value, (void)state;
    if (key != KEY_SERIES)
        return ARGP_ERR_UNKNOWN;
    series_only = true;
    return 0;
}

/* Parses the command line of either program. */
static inline struct options parse_warmup_options(int argc, char **argv) {
    static const struct argp_option own_options[] = {
        {"series", KEY_SERIES, NULL, 0, "Print the first 100 launches of one process instead", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp own = {own_options, parse_own_option, NULL, NULL, NULL, NULL, NULL};
    struct options options =
        default_options("How far off is the first launch, and which warm-up mends it?");
    options.has_device = true;
    options.runs = 3;
    options.size = 1 << 24;
    options.own = &own;
    parse_options(argc, argv, &options);
    return options;
}

/* Runs `recipe` in a new process. Ends as the process did if that failed; it has said why. (This
 * process must never touch the device: a child cannot use its parent's context.) */
static inline struct outcome in_new_process(const char *wanted, double (*recipe)(void)) {
    struct outcome o;
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        fail(EXIT_FAILED, "pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child < 0)
        fail(EXIT_FAILED, "fork: %s", strerror(errno));
    if (child == 0) {
        memset(&o, 0, sizeof o);
        run_cold(wanted, recipe, &o);
        _exit(write(ends[1], &o, sizeof o) == (ssize_t)sizeof o ? EXIT_SUCCESS : EXIT_FAILED);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t more;
         got < sizeof o && (more = read(ends[0], (char *)&o + got, sizeof o - got)) > 0;)
        got += (size_t)more;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        fail(EXIT_FAILED, "the cold process died of signal %d", WTERMSIG(status));
    if (got < sizeof o)
        exit(WEXITSTATUS(status)); /* after --device list, that is success */
    return o;
}

static inline void print_series(const struct options *options, const struct outcome *series) {
    printf(options->csv ? "launch,event_us,host_us\n" : "%8s %12s %12s\n", "launch", "event us",
           "host us");
    for (int i = 0; i < SERIES; i++)
        printf(options->csv ? "%d,%.3f,%.3f\n" : "%8d %12.2f %12.2f\n", i + 1, series->event_us[i],
               series->host_us[i]);
    flush_stdout();
}

/* The head of the report; `us` is the series by the program's own clock, which `clock` names. */
static inline void print_recipes_header(const struct options *options, const char *device,
                                        const char *clock, const double us[SERIES]) {
    if (options->csv)
        printf("device,recipe,launches,first_us,estimate_us,steady_us,error_percent,"
               "disturbed\n");
    else
        printf("Warm-up: vector_add of %lld floats on %s; by %s\n"
               "One cold process, launch by launch, us: %.2f %.2f %.2f %.2f ... %.2f\n\n"
               "Five recipes from cold; of %lld processes each the one whose error is in the "
               "middle\n\n%-24s %9s %12s %12s %12s %9s\n",
               options->size, device, clock, us[0], us[1], us[2], us[3], us[SERIES - 1],
               options->runs, "recipe", "launches", "first us", "estimate us", "steady us",
               "error %");
}

struct row { /* of one process: each has a steady state of its own */
    double first_us, estimate_us, steady_us, error_percent;
    int disturbed;
};

static inline int compare_errors(const void *left, const void *right) {
    const double a = ((const struct row *)left)->error_percent;
    const double b = ((const struct row *)right)->error_percent;
    return (a > b) - (a < b);
}

/* Runs one recipe in `runs` processes, and prints the one whose error is in the middle. Returns
 * whether that one was disturbed. */
static inline int report_recipe(const struct options *options, const char *device, const char *name,
                                int launches, double (*recipe)(void)) {
    static struct row rows[MAX_RUNS];
    const size_t runs = (size_t)options->runs;
    for (size_t run = 0; run < runs; run++) {
        const struct outcome o = in_new_process(options->device, recipe);
        const struct row row = {o.first_us, o.estimate_us, o.steady_us,
                                100 * (o.estimate_us - o.steady_us) / o.steady_us, o.disturbed};
        rows[run] = row;
    }
    qsort(rows, runs, sizeof *rows, compare_errors);
    const struct row *row = &rows[(runs - 1) / 2];
    if (options->csv)
        printf("%s,%s,%d,%.3f,%.3f,%.3f,%.3f,%d\n", device, name, launches, row->first_us,
               row->estimate_us, row->steady_us, row->error_percent, row->disturbed);
    else
        printf("%-24s %9d %12.2f %12.2f %12.2f %9.1f%s\n", name, launches, row->first_us,
               row->estimate_us, row->steady_us, row->error_percent,
               disturbed_word(row->disturbed));
    flush_stdout();
    return row->disturbed;
}

#endif
