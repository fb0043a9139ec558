/* SPDX-License-Identifier: MIT
 *
 * What must hold for the limits of the block clock. */
#define _GNU_SOURCE
#include "chapter_output.h"

static double value(const struct csv *csv, const char *limit, const char *column) {
    return number(csv, find_row(csv, 1, "limit", limit), column);
}

static void rules(const struct csv *csv) {
    const double whole = value(csv, "counter_64_bit", "clocks");
    const double low = value(csv, "counter_32_bit", "clocks");
    const double mhz = whole / value(csv, "counter_64_bit", "time_us");
    EXPECT(whole > 4294967296.0, "the 64-bit counter ran %g clocks", whole);
    EXPECT(low < 4294967296.0 && low > whole - 4294967296.0 - 1e6 &&
               low < whole - 4294967296.0 + 1e6,
           "the low half says %g of %g clocks: not one wrap less", low, whole);
    EXPECT(mhz > 100 && mhz < 6000, "the clock runs at %g MHz", mhz);

    /* Stamps of two SMs are off by more than the whole launch took. */
    EXPECT(value(csv, "across_sms", "clocks") > 0, "%g", value(csv, "across_sms", "clocks"));
    EXPECT(value(csv, "zero_points", "clocks") > 0, "%g", value(csv, "zero_points", "clocks"));

    EXPECT(value(csv, "outside_one_block", "time_us") > 0 &&
               value(csv, "outside_one_block", "percent") < 100,
           "%g us", value(csv, "outside_one_block", "time_us"));
    EXPECT(value(csv, "outside_full", "time_us") > 0, "%g us",
           value(csv, "outside_full", "time_us"));

    const double seen = value(csv, "without_barrier", "percent");
    EXPECT(seen > 2 && seen < 50, "of eightfold work in the last warp thread 0 sees %g %%", seen);
    EXPECT(value(csv, "with_barrier", "percent") == 100, "with the barrier %g %%",
           value(csv, "with_barrier", "percent"));
    const double probe = value(csv, "with_stamps", "percent");
    EXPECT(probe > 90 && probe < 150, "with stamps the launch takes %g %%", probe);
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv, "device,limit,clocks,time_us,percent", "limit", rules);
}
