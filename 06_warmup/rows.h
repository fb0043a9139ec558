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
    int run;           /* its number, of those of its recipe */
    int launches;      /* of vector_add, of which the last are the steady ones */
    double us[MAX_LAUNCHES], late_us[MAX_LAUNCHES], start_to_end_us[MAX_LAUNCHES];
    double estimate_us, steady_us, error_percent;
};

struct row {
    const struct process *middle, *least, *most; /* by their errors; middle: of two the smaller */
    struct summary estimate_us;
    const char *doubt;
};

static inline int by_error(const void *left, const void *right) {
    const struct process *p = (const struct process *)left, *q = (const struct process *)right;
    return by_size(&p->error_percent, &q->error_percent) ?: p->run - q->run;
}

/* The row of a recipe, from all of its processes, which it sorts by their errors. */
static inline struct row row_of(struct process *p, size_t runs) {
    double first_us[MAX_RUNS], estimate_us[MAX_RUNS], steady_us[MAX_RUNS];
    for (size_t run = 0; run < runs; run++) {
        first_us[run] = p[run].us[0];
        estimate_us[run] = p[run].estimate_us;
        steady_us[run] = p[run].steady_us;
    }
    qsort(p, runs, sizeof *p, by_error);
    const struct process *middle = &p[(runs - 1) / 2];
    const bool cpu = p->is_processor;
    const double *us = middle->us + middle->launches - STEADY_LAUNCHES;
    const double *late_us = middle->late_us + middle->launches - STEADY_LAUNCHES;
    const struct summary estimate = summarize_us(estimate_us, runs, cpu);
    const char *doubt = summarize_us(us, STEADY_LAUNCHES, cpu).doubt
                            ?: doubt_wait(median(late_us, STEADY_LAUNCHES))
                            ?: summarize_us(first_us, runs, cpu).doubt
                            ?: estimate.doubt
                            ?: summarize_us(steady_us, runs, cpu).doubt ?: middle->doubt;
    return (struct row){middle, &p[0], &p[runs - 1], estimate, doubt};
}

/* `p`: the processes of the first recipe, then those of the second, and so on. */
static inline void print_recipes(struct process *p, size_t runs, bool opencl) {
    const int at[] = {0, 1, 2, 9, 99}; /* the launches to print, from 0 on */
    const char *names[] = {"launch_1_us", "launch_2_us", "launch_3_us", "launch_10_us",
                           "launch_100_us"};
    const char *device[] = {"start_to_end_1_us", "start_to_end_2_us", "start_to_end_3_us",
                            "start_to_end_10_us", "start_to_end_100_us"};
    struct row rows[RECIPES];
    double steady_us[RECIPES];
    for (size_t r = 0; r < RECIPES; r++) {
        rows[r] = row_of(&p[r * runs], runs);
        steady_us[r] = rows[r].middle->steady_us;
    }
    const struct summary steady = summarize(steady_us, RECIPES);
    const double apart_percent = 100 * (steady.max - steady.min) / steady.min;
    const struct row *longest = &rows[1]; /* mean_of_100: it has a launch 100 */

    say("Warm-up: vector_add of %lld floats on %s, timed by %s\n"
        "%zu new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        p->size, p->device, opencl ? "the host's clock" : "event pairs", runs, STEADY_LAUNCHES);
    for (const struct row *r = rows; r < rows + RECIPES; r++)
        print_row(
            r->doubt,
            "recipe=%-28s|launches=%9d|first_launch_us=%15.2f|estimate_us=%11.2f|steady_us=%9.2f|"
            "error_percent=%13.1f||estimate_min_us=%.2f|estimate_max_us=%.2f|"
            "error_min_percent=%.1f|error_max_percent=%.1f",
            r->middle->recipe->name, r->middle->launches - STEADY_LAUNCHES, r->middle->us[0],
            r->middle->estimate_us, r->middle->steady_us, r->middle->error_percent,
            r->estimate_us.min, r->estimate_us.max, r->least->error_percent,
            r->most->error_percent);
    say("\nSome launches of the process in the row %s%s:\n\n", longest->middle->recipe->name,
        longest->doubt ? ", disturbed" : "");
    for (int i = 0; i < 5; i++) {
        const double us = value(names[i], longest->middle->us[at[i]]);
        say("%-13s %9.2f", names[i], us);
        if (opencl) {
            const double device_us = value(device[i], longest->middle->start_to_end_us[at[i]]);
            say("    %-19s %9.2f", device[i], device_us);
        }
        say("\n");
    }
    value("steady_apart_percent", apart_percent);
    say("\nEach of the %d rows is another process, and their steady states are %.1f %% apart.\n"
        "So each error is against the steady state of its own row.\n",
        RECIPES, apart_percent);
}
