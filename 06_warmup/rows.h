/* SPDX-License-Identifier: MIT
 * What the cold processes of warmup and warmup_opencl bring back, and how it is printed. */
#pragma once
#include "report.h"
#include "samples.h"

enum { RECIPES = 5, STEADY_LAUNCHES = 31, MAX_LAUNCHES = 100 + STEADY_LAUNCHES };

struct experiment; /* the program's own */
struct recipe {
    const char *name;
    double (*estimate_us)(struct experiment *e);
};

/* The input and the results of a cold process. */
struct process {
    const struct recipe *recipe;
    long long size;
    char device[256], driver[512];
    bool is_processor;
    const char *doubt; /* who had the processor, or NULL */
    int run, launches; /* its number; of vector_add, of which the last are the steady ones */
    double us[MAX_LAUNCHES], late_us[MAX_LAUNCHES], start_to_end_us[MAX_LAUNCHES];
    double estimate_us, steady_us, error_percent;
};

static inline double mean(const double *samples, size_t n) {
    return summarize(samples, n).mean;
}

static inline int by_error(const void *left, const void *right) {
    const struct process *p = (const struct process *)left, *q = (const struct process *)right;
    return by_size(&p->error_percent, &q->error_percent) ?: p->run - q->run;
}

/* Prints the row of a recipe, from all of its processes. Returns the one whose error is in the
 * middle, of two the smaller one; its doubt is that of the row. */
static inline const struct process *print_recipe(struct process *processes, size_t runs) {
    static double first_us[MAX_RUNS], estimate_us[MAX_RUNS], steady_us[MAX_RUNS];
    const bool cpu = processes->is_processor; /* NOLINT: main() has run all processes */
    for (size_t run = 0; run < runs; run++) {
        first_us[run] = processes[run].us[0];
        estimate_us[run] = processes[run].estimate_us;
        steady_us[run] = processes[run].steady_us;
        processes[run].run = (int)run;
        processes[run].error_percent = 100 * (estimate_us[run] - steady_us[run]) / steady_us[run];
    }
    const struct summary estimate = summarize_us(estimate_us, runs, cpu);
    const struct summary steady = summarize_us(steady_us, runs, cpu);
    qsort(processes, runs, sizeof *processes, by_error);
    struct process *p = &processes[(runs - 1) / 2];
    const int launches = p->launches - STEADY_LAUNCHES;
    p->doubt = summarize_us(p->us + launches, STEADY_LAUNCHES, cpu).doubt
                   ?: doubt_wait(median(p->late_us + launches, STEADY_LAUNCHES))
                   ?: summarize_us(first_us, runs, cpu).doubt ?: estimate.doubt
                   ?: steady.doubt ?: p->doubt;
    print_row(p->doubt,
              "recipe=%-28s|launches=%9d|first_launch_us=%15.2f|estimate_us=%11.2f|steady_us=%9.2f|"
              "error_percent=%13.1f||estimate_min_us=%.2f|estimate_max_us=%.2f|steady_min_us=%.2f|"
              "steady_max_us=%.2f|error_min_percent=%.1f|error_max_percent=%.1f",
              p->recipe->name, launches, p->us[0], p->estimate_us, p->steady_us, p->error_percent,
              estimate.min, estimate.max, steady.min, steady.max, processes[0].error_percent,
              processes[runs - 1].error_percent);
    return p;
}

/* `p`: the processes of the first recipe, then those of the second, and so on. */
static inline void print_recipes(struct process *p, size_t runs, bool opencl) {
    const struct process *rows[RECIPES];
    const int at[] = {0, 1, 2, 9, 99}; /* the launches to print, from 0 on */
    const char *names[] = {"launch_1_us", "launch_2_us", "launch_3_us", "launch_10_us",
                           "launch_100_us"};
    const char *device[] = {"start_to_end_1_us", "start_to_end_2_us", "start_to_end_3_us",
                            "start_to_end_10_us", "start_to_end_100_us"};
    double steady_us[RECIPES];
    say("Warm-up: vector_add of %lld floats on %s, timed by %s\n"
        "%zu new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        p->size, p->device, opencl ? "the host's clock" : "event pairs", runs, STEADY_LAUNCHES);
    for (size_t r = 0; r < RECIPES; r++) {
        rows[r] = print_recipe(&p[r * runs], runs);
        steady_us[r] = rows[r]->steady_us;
    }
    const struct summary steady = summarize(steady_us, RECIPES);
    const struct process *longest = rows[1]; /* mean_of_100: it has a launch 100 */
    say("\nSome launches of the process in the row %s%s:\n\n", longest->recipe->name,
        longest->doubt ? ", disturbed" : "");
    for (int i = 0; i < 5; i++) {
        say("%-13s %9.2f", names[i], value(names[i], longest->us[at[i]]));
        if (opencl)
            say("    %-19s %9.2f", device[i], value(device[i], longest->start_to_end_us[at[i]]));
        say("\n");
    }
    say("\nEach of the %d rows is another process, and their steady states are %.1f %% apart.\n"
        "So each error is against the steady state of its own row.\n",
        RECIPES, value("steady_apart_percent", 100 * (steady.max - steady.min) / steady.min));
}
