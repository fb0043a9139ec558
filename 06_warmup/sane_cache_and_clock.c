/* SPDX-License-Identifier: MIT
 *
 * What must hold for the L2 cache, warm and flushed. */
#define _GNU_SOURCE
#include "chapter_output.h"

static void rules(const struct csv *csv) {
    double largest_gain = 0;
    EXPECT(csv->rows == 7, "%d sizes", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const double n = number(csv, row, "size");
        const double warm_us = number(csv, row, "warm_us");
        const double flushed_us = number(csv, row, "flushed_us");
        /* Larger than the L2, flushed may be the faster one: warm leaves results to be written
         * back. */
        EXPECT(warm_us > 0 && flushed_us > 0.7 * warm_us, "%g floats: warm %g us, flushed %g us", n,
               warm_us, flushed_us);
        EXPECT(number(csv, row, "written_us") > 0.9 * warm_us,
               "%g floats: warm %g us, written %g us", n, warm_us, number(csv, row, "written_us"));
        largest_gain = flushed_us / warm_us > largest_gain ? flushed_us / warm_us : largest_gain;
    }
    EXPECT(largest_gain > 1.1, "flushing the L2 costs at most x %g, at any size", largest_gain);
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv, "device,size,runs,warm_us,flushed_us,written_us", "size",
                        rules);
}
