/* SPDX-License-Identifier: MIT
 *
 * The first launches of one cold process, one by one, and when they are steady. The same for
 * warmup_series.cu and warmup_series_opencl.c. */
#pragma once

#include "cold.h"
#include "options.h"
#include "summary.h"

enum { SERIES = 100, STEADY = 50 /* of them, the last */ };
static const double near_percent = 10;

struct series {
    char device[256];
    double device_us[SERIES],
        host_us[SERIES]; /* of each launch, by the device's clock and the host's */
};

static inline bool is_near(double us, double steady_us) {
    return fabs(us - steady_us) <= steady_us * near_percent / 100;
}

/* Prints all launches as CSV, some of them in the table, and from when on they were steady by `us`,
 * one of the two columns, which is `clock`'s. */
static inline void report_series(const struct series *s, const double us[SERIES],
                                 const char *clock) {
    double steady_us[STEADY], overhead_us[STEADY], until_ms = 0;
    int first = 0, others = 0;
    for (int i = 0; i < STEADY; i++) {
        steady_us[i] = us[SERIES - STEADY + i];
        overhead_us[i] = s->host_us[SERIES - STEADY + i] - s->device_us[SERIES - STEADY + i];
    }
    const struct summary steady = summarize(steady_us, STEADY);
    const bool disturbed = steady.disturbed || is_delayed(median(overhead_us, STEADY));

    say("The first launches: vector_add of %lld floats on %s\n"
        "device: by events, or START and END; host: by the host's clock\n\n",
        options.size, s->device);
    for (int i = 0; i < SERIES; i++)
        if (i < 10 || i % 10 == 9 || output == AS_CSV) {
            cell("launch", 6, "%d", i + 1);
            number("device", "us", 12, 2, s->device_us[i]);
            number("host", "us", 12, 2, s->host_us[i]);
            end_row_disturbed(disturbed && i >= SERIES - STEADY);
        }
    end_table();

    while (first < SERIES && !is_near(us[first], steady.median))
        until_ms += s->host_us[first++] / 1e3;
    for (int i = first + 1; i < SERIES; i++)
        others += !is_near(us[i], steady.median);
    say("Steady state, by %s: %.2f us, the median of the last %d launches.\n"
        "The first launch took %.1f times as long.\n",
        clock, steady.median, STEADY, us[0] / steady.median);
    if (first < SERIES)
        say("Launch %d is the first within %.0f %% of the steady state; those before it took %.2f "
            "ms.\n"
            "Of the %d launches after it, %d are farther off.\n",
            first + 1, near_percent, until_ms, SERIES - 1 - first, others);
    else
        say("No launch is within %.0f %% of the steady state.\n", near_percent);
}
