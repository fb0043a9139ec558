/* SPDX-License-Identifier: MIT
 *
 * What must hold for the limits of the block clock. */
#define _GNU_SOURCE
#include "chapter_output.h"

static double value(const struct csv *csv, const char *limit, const char *column) {
    return number(csv, find_row(csv, 1, "limit", limit), column);
}

static void rules(const struct csv *csv) {
    const double mhz = value(csv, "clock_rate", "clocks") / value(csv, "clock_rate", "time_us");
    EXPECT(mhz > 100 && mhz < 6000, "the clock runs at %g MHz", mhz);
    if (find_row(csv, 1, "limit", "counter_64_bit")) { /* not where kernels have a time limit */
        const double whole = value(csv, "counter_64_bit", "clocks");
        const double low = value(csv, "counter_32_bit", "clocks");
        EXPECT(whole > 4294967296.0, "the 64-bit counter ran %g clocks", whole);
        EXPECT(low > whole - 4294967296.0 - 1e6 && low < whole - 4294967296.0 + 1e6,
               "the low half says %g of %g clocks: not one wrap less", low, whole);
    }
    /* No rule for zero_points and next_instruction: a device may have its counters in step, and
     * wait. */

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
