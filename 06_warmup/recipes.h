/* SPDX-License-Identifier: MIT
 * From the launches of cold processes to the rows of warmup and warmup_opencl, which have the
 * recipes. */
#pragma once
#include "report.h"
#include "samples.h"

enum { STEADY_LAUNCHES = 31, MAX_LAUNCHES = 100 + STEADY_LAUNCHES };

/* Launches of vector_add, and how to make an estimate of its time from them. */
struct recipe {
    const char *name;
    bool other_kernel_first; /* which warms the device up */
    int warm_ups, timed;     /* launches of vector_add */
    bool takes_median;       /* of the timed launches; else their mean */
};

/* The input and the results of a cold process. */
struct process {
    const struct recipe *recipe;
    long long size;
    char device[256], driver[512];
    bool is_processor;
    const char *others;      /* who had the processor, or NULL */
    double us[MAX_LAUNCHES]; /* of each launch of vector_add, and of the steady ones after it */
    double late_us[MAX_LAUNCHES], start_to_end_us[MAX_LAUNCHES];
};

/* Of all processes of a recipe; the row shows the one whose error is in the middle. */
struct row {
    const struct process *process;
    double estimate_us, steady_us, error_percent;
    struct summary all_estimates, all_steady, all_errors;
    const char *doubt;
};

static inline int launches_of(const struct recipe *r) {
    return r->warm_ups + r->timed;
}

/* The number of the sample that is the median; of two in the middle the smaller one. */
static inline size_t middle(const double *samples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < count; j++)
            before += samples[j] < samples[i] || (samples[j] == samples[i] && j < i);
        if (before == (count - 1) / 2)
            return i;
    }
    errx(EXIT_FAILED, "impossible: an error that is not a number");
}

static inline struct row summarize_recipe(const struct process *processes, size_t runs) {
    static double first_us[MAX_RUNS], estimate_us[MAX_RUNS], steady_us[MAX_RUNS], error[MAX_RUNS];
    const struct recipe *r = processes->recipe; /* NOLINT: main() has run all processes */
    const bool cpu = processes->is_processor;   /* NOLINT */
    for (size_t run = 0; run < runs; run++) {
        const double *us = processes[run].us;
        const double *timed_us = us + r->warm_ups; /* NOLINT */
        const struct summary timed = summarize_us(timed_us, (size_t)r->timed, false);
        first_us[run] = us[0];
        estimate_us[run] = r->takes_median ? timed.median : timed.mean;
        steady_us[run] = median(us + launches_of(r), STEADY_LAUNCHES);
        error[run] = 100 * (estimate_us[run] - steady_us[run]) / steady_us[run];
    }
    const size_t m = middle(error, runs);
    const struct process *p = &processes[m];
    struct row row = {p,
                      estimate_us[m],
                      steady_us[m],
                      error[m],
                      summarize_us(estimate_us, runs, cpu),
                      summarize_us(steady_us, runs, cpu),
                      summarize(error, runs),
                      NULL};
    row.doubt = summarize_us(p->us + launches_of(r), STEADY_LAUNCHES, cpu).doubt
                    ?: doubt_wait(median(p->late_us + launches_of(r), STEADY_LAUNCHES))
                    ?: summarize_us(first_us, runs, cpu).doubt ?: row.all_estimates.doubt
                    ?: row.all_steady.doubt ?: p->others;
    return row;
}

static inline void print_recipe(const struct row *row) {
    print_row(row->doubt,
              "recipe=%-28s|launches=%d|first_launch_us=%.2f|estimate_us=%.2f|steady_us=%.2f|"
              "error_percent=%.1f||estimate_min_us=%.2f|estimate_max_us=%.2f|steady_min_us=%.2f|"
              "steady_max_us=%.2f|error_min_percent=%.1f|error_max_percent=%.1f",
              row->process->recipe->name, launches_of(row->process->recipe), row->process->us[0],
              row->estimate_us, row->steady_us, row->error_percent, row->all_estimates.min,
              row->all_estimates.max, row->all_steady.min, row->all_steady.max, row->all_errors.min,
              row->all_errors.max);
}
