/* SPDX-License-Identifier: MIT
 *
 * What must hold for the numbers of chapter 01. All clocks time the very same intervals, so that a
 * busy machine stretches every clock's figure alike. */
#define _GNU_SOURCE
#include <math.h>

#include "chapter_output.h"

static void rules(const struct csv *csv) {
    const int monotonic = find_row(csv, 1, "clock", "CLOCK_MONOTONIC");
    const int cpu = find_row(csv, 1, "clock", "clock");
    const double work_ms = number(csv, monotonic, "work_ms");
    const double sleep_ms = number(csv, monotonic, "sleep_ms");

    EXPECT(csv->rows == 6, "%d clocks", csv->rows);
    EXPECT(sleep_ms >= 20, "a sleep of 20 ms took %g ms", sleep_ms);
    for (int row = 1; row <= csv->rows; row++) {
        const char *name = cell(csv, row, "clock");
        const double step_ns = number(csv, row, "step_ns");
        const double cost_ns = number(csv, row, "cost_ns");
        EXPECT(number(csv, row, "resolution_ns") >= 1, "%s", name);
        EXPECT(step_ns >= 1 && step_ns < 1e8, "%s steps by %g ns", name, step_ns);
        EXPECT(cost_ns > 0 && cost_ns < 100000, "a call of %s costs %g ns", name, cost_ns);
        if (row != cpu) {
            const double off = fabs(number(csv, row, "work_ms") / work_ms - 1);
            EXPECT(off < 0.03, "%s is %.1f %% off CLOCK_MONOTONIC", name, 100 * off);
        }
    }
    /* clock() is processor time: none asleep, never more than one thread can use, twice that for
     * two threads, whether or not they found a processor each. */
    const double cpu_work_ms = number(csv, cpu, "work_ms");
    const double cpu_sleep_ms = number(csv, cpu, "sleep_ms");
    const double cpu_threads_ms = number(csv, cpu, "threads_ms");
    EXPECT(cpu_sleep_ms < 0.25 * sleep_ms, "clock() saw %g ms asleep", cpu_sleep_ms);
    EXPECT(cpu_work_ms > 0 && cpu_work_ms < 1.03 * work_ms, "clock() %g ms of %g ms", cpu_work_ms,
           work_ms);
    EXPECT(cpu_threads_ms > 1.5 * cpu_work_ms && cpu_threads_ms < 6 * cpu_work_ms,
           "clock(): one thread %g ms, two %g ms", cpu_work_ms, cpu_threads_ms);
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv,
                        "clock,resolution_ns,step_ns,cost_ns,work_ms,sleep_ms,threads_ms", "clock",
                        rules);
}
