/* SPDX-License-Identifier: MIT
 *
 * Five recipes for the first figure of a kernel, each tried in processes that have never run it.
 * The same for warmup.cu and warmup_opencl.c, which say how a kernel is launched and timed. */
#pragma once

#include "cold.h"
#include "options.h"
#include "summary.h"

/* The program that includes this header has three functions. time_vector_add_us() launches the
 * kernel under study once, returns its time, and stores the host's time minus the device's.
 * launch_other_kernel() waits for its end. run_cold() is what a cold process does: it sets up,
 * tries the recipe of its struct outcome, and checks the result. */
static double time_vector_add_us(double *overhead_us);
static void launch_other_kernel(void);
static void run_cold(void *outcome);

static int launches; /* of the kernel under study, in this process */
static double first_us;

static double launch_us(void) {
    double overhead_us;
    const double us = time_vector_add_us(&overhead_us);
    first_us = launches++ == 0 ? us : first_us;
    return us;
}

/* Exits with 1 unless each of the `n` numbers at `c`, which it frees, is `right`. */
static inline void check_all(float *c, size_t n, float right, const char *kernel) {
    for (size_t i = 0; i < n; i++)
        if (c[i] != right)
            fail(EXIT_FAILED, "%s is wrong at element %zu: %g, not %g", kernel, i, (double)c[i],
                 (double)right);
    free(c);
}

/* ---- The recipes: each returns its estimate in us ---- */

/* Wrong: the first launch also waits until the kernel is loaded or compiled. */
static double first_launch(void) {
    return launch_us();
}

/* Wrong: a hundredth of the first launch's extra time stays in the mean. */
static double mean_of_100(void) {
    double sum_us = 0;
    for (int i = 0; i < 100; i++)
        sum_us += launch_us();
    return sum_us / 100;
}

/* Wrong: the device is awake now, but the kernel itself is still to be loaded or compiled. */
static double other_kernel_then_one(void) {
    launch_other_kernel();
    return launch_us();
}

/* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
static double other_kernel_then_mean_of_10(void) {
    double sum_us = 0;
    launch_other_kernel();
    for (int i = 0; i < 10; i++)
        sum_us += launch_us();
    return sum_us / 10;
}

/* Right: the kernel that is to be timed is the one that warms up. Of the launches after that the
 * median, not the mean: a few slow ones do not move it. */
static double warm_then_median(void) {
    double samples_us[31];
    launch_us();
    for (int i = 0; i < 31; i++)
        samples_us[i] = launch_us();
    return median(samples_us, 31);
}

static const struct {
    const char *name;
    double (*estimate_us)(void);
} recipes[] = {{"first_launch", first_launch},
               {"mean_of_100", mean_of_100},
               {"other_kernel_then_one", other_kernel_then_one},
               {"other_kernel_then_mean_of_10", other_kernel_then_mean_of_10},
               {"warm_then_median", warm_then_median}};
enum {
    RECIPES = sizeof recipes / sizeof recipes[0],
    FIRST = 0,
    LAST = RECIPES - 1,
    STEADY_LAUNCHES = 31
};

/* ---- One recipe in one cold process ---- */

struct outcome {
    int recipe, launches;
    double first_us, estimate_us, steady_us, error_percent;
    bool disturbed; /* the steady launches disagree, or were all held up */
};

/* In the cold process, when all is set up: the recipe, then the steady state that it is compared
 * with, the median of the launches that follow. */
static inline void try_recipe(struct outcome *o) {
    double samples_us[STEADY_LAUNCHES], overheads_us[STEADY_LAUNCHES];
    o->estimate_us = recipes[o->recipe].estimate_us();
    o->launches = launches;
    o->first_us = first_us;
    for (int i = 0; i < STEADY_LAUNCHES; i++)
        samples_us[i] = time_vector_add_us(&overheads_us[i]);
    const struct summary steady = summarize(samples_us, STEADY_LAUNCHES, step_us);
    o->steady_us = steady.median;
    o->disturbed = steady.disturbed || is_delayed(median(overheads_us, STEADY_LAUNCHES));
    if (!(o->first_us > 0 && o->estimate_us > 0 && o->steady_us > 0))
        fail(EXIT_FAILED, "impossible: launches of %g, %g and %g us", o->first_us, o->estimate_us,
             o->steady_us);
    o->error_percent = 100 * (o->estimate_us - o->steady_us) / o->steady_us;
}

/* ---- The comparison ---- */

static inline int compare_errors(const void *left, const void *right) {
    return compare_doubles(&((const struct outcome *)left)->error_percent,
                           &((const struct outcome *)right)->error_percent);
}

/* Runs each recipe in --runs new processes and reports the one whose error is in the middle. */
static inline void compare_recipes(const char *clock) {
    static struct outcome outcomes[RECIPES][MAX_RUNS];
    static double first[MAX_RUNS], estimate[MAX_RUNS], steady[MAX_RUNS];
    double steady_us[RECIPES];
    const size_t runs = (size_t)options.runs;
    for (size_t i = 0; i < runs; i++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            outcomes[r][i].recipe = r;
            in_new_process(run_cold, &outcomes[r][i], sizeof outcomes[r][i]);
        }
    begin_table(
        "Warm-up: vector_add of %lld floats on %s, timed by %s\n"
        "%zu new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        options.size, machine.device, clock, runs, STEADY_LAUNCHES);
    for (int r = 0; r < RECIPES; r++) {
        qsort(outcomes[r], runs, sizeof *outcomes[r], compare_errors);
        const struct outcome *o = &outcomes[r][(runs - 1) / 2];
        steady_us[r] = o->steady_us;
        for (size_t i = 0; i < runs; i++) {
            first[i] = outcomes[r][i].first_us;
            estimate[i] = outcomes[r][i].estimate_us;
            steady[i] = outcomes[r][i].steady_us;
        }
        const struct summary firsts = summarize(first, runs, step_us),
                             estimates = summarize(estimate, runs, step_us),
                             steadies = summarize(steady, runs, step_us);
        label("recipe", 28, recipes[r].name);
        cell("launches", "%d", o->launches);
        number("first launch", "us", 2, o->first_us);
        number("estimate", "us", 2, o->estimate_us);
        number("steady", "us", 2, o->steady_us);
        number("error", "percent", 1, o->error_percent);
        recorded_spread("estimate", "us", 3, estimates.min, estimates.max);
        recorded_spread("steady", "us", 3, steadies.min, steadies.max);
        recorded_spread("error", "percent", 2, outcomes[r][0].error_percent,
                        outcomes[r][runs - 1].error_percent);
        end_row(o->disturbed || firsts.disturbed || estimates.disturbed || steadies.disturbed);
    }
    end_table();
    const struct summary of_recipes = summarize(steady_us, RECIPES, step_us);
    const double apart_percent =
        value("steady_apart", "percent", 100 * (of_recipes.max - of_recipes.min) / of_recipes.min);
    say("The first launch alone differs from the steady state by %+.1f %%.\n"
        "After a warm-up by the same kernel the median differs from it by %+.1f %%.\n"
        "The steady states of these %d processes are %.1f %% apart, so each error is against its "
        "own.\n",
        outcomes[FIRST][(runs - 1) / 2].error_percent, outcomes[LAST][(runs - 1) / 2].error_percent,
        RECIPES, apart_percent);
}
