/* SPDX-License-Identifier: MIT
 *
 * Five recipes for the first figure of a kernel, and how far off each one is. For warmup.cu and
 * warmup_opencl.c, which launch the kernels. */
#pragma once

#include "summary.h"
#include "vectors.h"

enum { WARM_LAUNCHES = 31, STEADY_LAUNCHES = 31, MOST_LAUNCHES = 100 + STEADY_LAUNCHES };

/* ---- The recipes: launches of vector_add, the last `timed` of which make the estimate ---- */

static const struct recipe {
    const char *name;
    bool other_kernel_first; /* which warms the device up */
    int warm_ups, timed;     /* with a warm-up the estimate is the median, else the mean */
} recipes[] = {
    /* Wrong: the first launch also waits until the kernel is loaded or compiled. */
    {"first_launch", false, 0, 1},
    /* Wrong: a hundredth of the first launch's extra time stays in the mean. */
    {"mean_of_100", false, 0, 100},
    /* Wrong: the device is awake now, but the kernel itself is still to be loaded or compiled. */
    {"other_kernel_then_one", true, 0, 1},
    /* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
    {"other_kernel_then_mean_of_10", true, 0, 10},
    /* Right: the kernel that is to be timed is the one that warms up. Of the launches after that
     * the median, not the mean: a few slow ones do not move it. */
    {"warm_then_median", false, 1, WARM_LAUNCHES}};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

/* ---- One recipe in one cold process ---- */

/* The recipe's launches, then STEADY_LAUNCHES more: the estimate is compared with their median. */
struct launches {
    const struct recipe *recipe;
    double us[MOST_LAUNCHES], overhead_us[MOST_LAUNCHES]; /* how much longer the host waited */
};

enum { FIRST, ESTIMATE, STEADY, TIMES };
static struct outcome {
    double error_percent; /* of the estimate, against the steady state; first, to sort by it */
    double us[TIMES];
    bool disturbed; /* the steady launches disagree, or were all held up */
} outcomes[RECIPES][MAX_RUNS];

/* Stores what the launches of process number `run` say, and leaves them sorted. */
static inline void store_outcome(struct launches *l, size_t run) {
    const struct recipe *r = l->recipe;
    const int before = r->warm_ups + r->timed; /* the steady state */
    struct outcome *o = &outcomes[r - recipes][run];
    o->us[FIRST] = l->us[0];
    const struct summary timed = summarize_us(l->us + r->warm_ups, (size_t)r->timed);
    const struct summary steady = summarize_us(l->us + before, STEADY_LAUNCHES);
    o->us[ESTIMATE] = r->warm_ups > 0 ? timed.median : timed.mean;
    o->us[STEADY] = steady.median;
    o->disturbed = steady.disturbed || is_delayed(median(l->overhead_us + before, STEADY_LAUNCHES));
    if (!(o->us[FIRST] > 0 && o->us[ESTIMATE] > 0 && o->us[STEADY] > 0))
        fail(EXIT_FAILED, "impossible: launches of %g, %g and %g us", o->us[FIRST], o->us[ESTIMATE],
             o->us[STEADY]);
    o->error_percent = 100 * (o->us[ESTIMATE] - o->us[STEADY]) / o->us[STEADY];
}

/* Exits with 1 unless other_kernel has filled all of `c` with -2. */
static inline void check_other_kernel(vector c, size_t n) {
    float *host = read_vector(c, n);
    for (size_t i = 0; i < n; i++)
        if (host[i] != -2)
            fail(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i,
                 (double)host[i]);
    free(host);
}

/* ---- The comparison ---- */

/* Reports the process of each recipe whose error is in the middle. */
static inline void report_recipes(const char *clock) {
    static double samples_us[MAX_RUNS];
    struct summary s[TIMES];
    double steady_us[RECIPES], errors_percent[RECIPES];
    const size_t runs = (size_t)options.runs;
    begin_table(
        "Warm-up: vector_add of %lld floats on %s, timed by %s\n"
        "%zu new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        options.size, machine.device, clock, runs, STEADY_LAUNCHES);
    for (int r = 0; r < RECIPES; r++) {
        qsort(outcomes[r], runs, sizeof *outcomes[r], compare_doubles);
        const struct outcome *o = &outcomes[r][(runs - 1) / 2];
        steady_us[r] = o->us[STEADY];
        errors_percent[r] = o->error_percent;
        for (int t = 0; t < TIMES; t++) {
            for (size_t i = 0; i < runs; i++)
                samples_us[i] = outcomes[r][i].us[t];
            s[t] = summarize_us(samples_us, runs);
        }
        label("recipe", 28, recipes[r].name);
        cell("launches", "%d", recipes[r].warm_ups + recipes[r].timed);
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
