/* SPDX-License-Identifier: MIT
 *
 * What must hold for the limits of the block clock. */
#define _GNU_SOURCE
#include "chapter_output.h"

static double value(const struct csv *csv, const char *limit, const char *column) {
    return number(csv, find_row(csv, 1, "limit", limit), column);
}

static void rules(const struct csv *csv) {
    /* No rule for next_instruction: a device may wait. */
    EXPECT(value(csv, "outside_one_block", "time_us") > 0 &&
               value(csv, "outside_one_block", "percent") < 100,
           "%g us", value(csv, "outside_one_block", "time_us"));
    EXPECT(value(csv, "outside_full", "time_us") > 0, "%g us",
           value(csv, "outside_full", "time_us"));

    const double seen = value(csv, "without_barrier", "percent");
    EXPECT(seen > 2 && seen < 50, "of eightfold work in the last warp thread 0 sees %g %%", seen);
    EXPECT(value(csv, "with_barrier", "clocks") > 4 * value(csv, "without_barrier", "clocks"),
           "with the barrier %g clocks, without %g", value(csv, "with_barrier", "clocks"),
           value(csv, "without_barrier", "clocks"));
    const double probe = value(csv, "with_stamps", "percent");
    EXPECT(probe > 90 && probe < 150, "with stamps the launch takes %g %%", probe);
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv, "device,limit,clocks,time_us,percent", "limit", rules);
}
