/* SPDX-License-Identifier: MIT
 *
 * What must hold for the counters of the SMs. */
#define _GNU_SOURCE
#include "chapter_output.h"

static double value(const struct csv *csv, const char *what, const char *column) {
    return number(csv, find_row(csv, 1, "what", what), column);
}

static void rules(const struct csv *csv) {
    const double mhz = value(csv, "clock_rate", "clocks") / value(csv, "clock_rate", "time_us");
    EXPECT(mhz > 100 && mhz < 6000, "the clock runs at %g MHz", mhz);
    /* No upper rule for zero_points and across_sms: a device may have its counters in step. */
    EXPECT(value(csv, "zero_points", "clocks") >= 0, "%g", value(csv, "zero_points", "clocks"));
    EXPECT(value(csv, "across_sms", "clocks") >= 1000, "blocks of 1000 clocks, all in %g",
           value(csv, "across_sms", "clocks"));
    if (find_row(csv, 1, "what", "counter_64_bit")) { /* not where kernels have a time limit */
        const double whole = value(csv, "counter_64_bit", "clocks");
        const double low = value(csv, "counter_32_bit", "clocks");
        EXPECT(whole > 4294967296.0, "the 64-bit counter ran %g clocks", whole);
        EXPECT(low > whole - 4294967296.0 - 1e6 && low < whole - 4294967296.0 + 1e6,
               "the low half says %g of %g clocks: not one wrap less", low, whole);
    }
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv, "device,what,clocks,time_us", "what", rules);
}
