/* SPDX-License-Identifier: MIT
 *
 * The first launches of one cold process, one by one, and when they are steady. The same for
 * warmup_series.cu and warmup_series_opencl.c. */
#pragma once

#include "options.h"
#include "summary.h"

enum { SERIES = 100, LAST_LAUNCHES = 50, BEFORE = SERIES - LAST_LAUNCHES };
static const double near_percent = 10;

struct series { /* of each launch, by the device's clock and the host's */
    double device_us[SERIES], host_us[SERIES];
};

/* Reports all launches, some of them in the table, and from when on they were steady, by the host's
 * clock or by the device's, whose name is `device_clock`. */
static inline void report_series(const struct series *s, bool by_host, const char *device_clock) {
    const double *us = by_host ? s->host_us : s->device_us;
    struct series sorted = *s; /* its last launches, by the summaries */
    double overhead_us[LAST_LAUNCHES], until_ms = 0;
    int first_near = 0, far_after = 0;
    for (int i = 0; i < LAST_LAUNCHES; i++)
        overhead_us[i] = s->host_us[BEFORE + i] - s->device_us[BEFORE + i];
    const struct summary device = summarize_us(sorted.device_us + BEFORE, LAST_LAUNCHES),
                         host = summarize_us(sorted.host_us + BEFORE, LAST_LAUNCHES);
    const bool disturbed =
        device.disturbed || host.disturbed || is_delayed(median(overhead_us, LAST_LAUNCHES));

    begin_table("The first launches: vector_add of %lld floats on %s,\n"
                "by the device's clock (%s) and by the host's\n\n",
                options.size, machine.device, device_clock);
    for (int i = 0; i < SERIES; i++) {
        cell("launch", "%d", i + 1);
        number("device", "us", 2, s->device_us[i]);
        number("host", "us", 2, s->host_us[i]);
        if (i < 10 || i % 10 == 9)
            end_row(disturbed);
        else
            end_record_row(disturbed);
    }
    end_table();

    const double steady_us = value("steady", "us", by_host ? host.median : device.median);
    const double near_us = steady_us * near_percent / 100;
    const double ratio = value("first_to_steady", "", us[0] / steady_us);
    while (first_near < SERIES && fabs(us[first_near] - steady_us) > near_us)
        until_ms += s->host_us[first_near++] / 1e3;
    for (int i = first_near + 1; i < SERIES; i++)
        far_after += fabs(us[i] - steady_us) > near_us;
    say("Steady state, by %s: %.2f us, the median of the last %d launches.\n"
        "The first launch took %.1f times as long.\n",
        by_host ? "the host's clock" : device_clock, steady_us, LAST_LAUNCHES, ratio);
    if (first_near == SERIES) {
        say("No launch is within %.0f %% of the steady state.\n", near_percent);
        return;
    }
    value("first_near_launch", "", first_near + 1);
    value("before_it", "ms", until_ms);
    value("far_after_it", "", far_after);
    say("Launch %d is the first within %.0f %% of the steady state; those before it took %.2f ms.\n"
        "Of the %d launches after it, %d are farther off.\n",
        first_near + 1, near_percent, until_ms, SERIES - 1 - first_near, far_after);
}
