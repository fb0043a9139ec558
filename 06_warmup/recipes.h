/* SPDX-License-Identifier: MIT
 *
 * Five recipes for the first figure of a kernel, each tried in processes that have never run it.
 * The same for warmup.cu and warmup_opencl.c. */
#pragma once

#include "cold.h"
#include "options.h"
#include "summary.h"

/* What a program does with its API. */
struct steps {
    void (*set_up)(void); /* in the cold process: opens the device, makes the vectors */
    double (*time_vector_add_us)(double *overhead_us); /* also how much longer the host waited */
    void (*launch_other_kernel)(void);                 /* and waits for its end */
    void (*check)(void);                               /* the results of both kernels */
};

enum { WARM_LAUNCHES = 31, STEADY_LAUNCHES = 31 };
enum { FIRST, ESTIMATE, STEADY, TIMES };
struct outcome { /* of one recipe in one cold process */
    const struct steps *steps;
    int recipe, launches;
    double us[TIMES], error_percent; /* of the estimate, against the steady state */
    bool disturbed;                  /* the steady launches disagree, or were all held up */
};

static double launch_us(struct outcome *o) {
    double overhead_us;
    const double us = o->steps->time_vector_add_us(&overhead_us);
    if (o->launches++ == 0)
        o->us[FIRST] = us;
    return us;
}

/* ---- The recipes: each returns its estimate in us ---- */

/* Wrong: the first launch also waits until the kernel is loaded or compiled. */
static double first_launch(struct outcome *o) {
    return launch_us(o);
}

static double mean_of(int count, struct outcome *o) {
    double sum_us = 0;
    for (int i = 0; i < count; i++)
        sum_us += launch_us(o);
    return sum_us / count;
}

/* Wrong: a hundredth of the first launch's extra time stays in the mean. */
static double mean_of_100(struct outcome *o) {
    return mean_of(100, o);
}

/* Wrong: the device is awake now, but the kernel itself is still to be loaded or compiled. */
static double other_kernel_then_one(struct outcome *o) {
    o->steps->launch_other_kernel();
    return launch_us(o);
}

/* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
static double other_kernel_then_mean_of_10(struct outcome *o) {
    o->steps->launch_other_kernel();
    return mean_of(10, o);
}

/* Right: the kernel that is to be timed is the one that warms up. Of the launches after that the
 * median, not the mean: a few slow ones do not move it. */
static double warm_then_median(struct outcome *o) {
    double samples_us[WARM_LAUNCHES];
    launch_us(o);
    for (int i = 0; i < WARM_LAUNCHES; i++)
        samples_us[i] = launch_us(o);
    return median(samples_us, WARM_LAUNCHES);
}

static const struct {
    const char *name;
    double (*estimate_us)(struct outcome *o);
} recipes[] = {{"first_launch", first_launch},
               {"mean_of_100", mean_of_100},
               {"other_kernel_then_one", other_kernel_then_one},
               {"other_kernel_then_mean_of_10", other_kernel_then_mean_of_10},
               {"warm_then_median", warm_then_median}};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

/* ---- One recipe in one cold process ---- */

/* The recipe, then the steady state that it is compared with: the median of the launches that
 * follow. */
static inline void try_recipe(void *outcome) {
    struct outcome *o = (struct outcome *)outcome;
    double samples_us[STEADY_LAUNCHES], overheads_us[STEADY_LAUNCHES];
    o->steps->set_up();
    o->us[ESTIMATE] = recipes[o->recipe].estimate_us(o);
    for (int i = 0; i < STEADY_LAUNCHES; i++)
        samples_us[i] = o->steps->time_vector_add_us(&overheads_us[i]);
    const struct summary steady = summarize_us(samples_us, STEADY_LAUNCHES);
    o->us[STEADY] = steady.median;
    o->disturbed = steady.disturbed || is_delayed(median(overheads_us, STEADY_LAUNCHES));
    if (!(o->us[FIRST] > 0 && o->us[ESTIMATE] > 0 && o->us[STEADY] > 0))
        fail(EXIT_FAILED, "impossible: launches of %g, %g and %g us", o->us[FIRST], o->us[ESTIMATE],
             o->us[STEADY]);
    o->error_percent = 100 * (o->us[ESTIMATE] - o->us[STEADY]) / o->us[STEADY];
    o->steps->check();
}

/* Exits with 1 unless other_kernel has filled all of `c` with -2. */
static inline void check_other_kernel(const float *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c[i] != -2)
            fail(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i, (double)c[i]);
}

/* ---- The comparison ---- */

static inline int compare_errors(const void *left, const void *right) {
    return compare_doubles(&((const struct outcome *)left)->error_percent,
                           &((const struct outcome *)right)->error_percent);
}

/* Runs each recipe in --runs new processes and reports the one whose error is in the middle. */
static inline void compare_recipes(const struct steps *steps, const char *clock) {
    static struct outcome outcomes[RECIPES][MAX_RUNS];
    static double samples_us[MAX_RUNS];
    struct summary s[TIMES];
    double steady_us[RECIPES], errors_percent[RECIPES];
    const size_t runs = (size_t)options.runs;
    for (size_t i = 0; i < runs; i++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            outcomes[r][i].steps = steps;
            outcomes[r][i].recipe = r;
            in_new_process(try_recipe, &outcomes[r][i], sizeof outcomes[r][i]);
        }
    begin_table(
        "Warm-up: vector_add of %lld floats on %s, timed by %s\n"
        "%zu new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        options.size, machine.device, clock, runs, STEADY_LAUNCHES);
    for (int r = 0; r < RECIPES; r++) {
        qsort(outcomes[r], runs, sizeof *outcomes[r], compare_errors);
        const struct outcome *o = &outcomes[r][(runs - 1) / 2];
        steady_us[r] = o->us[STEADY];
        errors_percent[r] = o->error_percent;
        for (int t = 0; t < TIMES; t++) {
            for (size_t i = 0; i < runs; i++)
                samples_us[i] = outcomes[r][i].us[t];
            s[t] = summarize_us(samples_us, runs);
        }
        label("recipe", 28, recipes[r].name);
        cell("launches", "%d", o->launches);
        number("first launch", "us", 2, o->us[FIRST]);
        number("estimate", "us", 2, o->us[ESTIMATE]);
        number("steady", "us", 2, o->us[STEADY]);
        number("error", "percent", 1, o->error_percent);
        recorded_spread("estimate", "us", 3, s[ESTIMATE].min, s[ESTIMATE].max);
        recorded_spread("steady", "us", 3, s[STEADY].min, s[STEADY].max);
        recorded_spread("error", "percent", 2, outcomes[r][0].error_percent,
                        outcomes[r][runs - 1].error_percent);
        end_row(o->disturbed || s[FIRST].disturbed || s[ESTIMATE].disturbed || s[STEADY].disturbed);
    }
    end_table();
    const struct summary of_recipes = summarize_us(steady_us, RECIPES);
    const double apart_percent =
        value("steady_apart", "percent", 100 * (of_recipes.max - of_recipes.min) / of_recipes.min);
    if (errors_percent[0] < 1000)
        say("The first launch alone differs from the steady state by %+.1f %%.\n",
            errors_percent[0]);
    else
        say("The first launch alone takes %.0f times as long as the steady state.\n",
            1 + errors_percent[0] / 100);
    say("After a warm-up by the same kernel the median differs from it by %+.1f %%.\n"
        "Each of the %d rows is another process, and their steady states are %.1f %% apart. So\n"
        "each error is against the steady state of its own row.\n",
        round(10 * errors_percent[RECIPES - 1]) / 10 + 0.0 /* never -0 */, RECIPES, apart_percent);
}
