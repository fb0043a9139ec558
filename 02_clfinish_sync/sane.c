/* SPDX-License-Identifier: MIT
 *
 * What must hold for the numbers of chapter 02. Medians of one run are compared, with room. */
#define _GNU_SOURCE
#include "chapter_output.h"

static double median_us(const struct csv *csv, const char *method) {
    return number(csv, find_row(csv, 1, "method", method), "median_us");
}

static void rules(const struct csv *csv) {
    const double none = median_us(csv, "no_finish");
    const double after = median_us(csv, "finish_after");
    const double both = median_us(csv, "finish_before_and_after");
    const double event = median_us(csv, "profiling_event");

    EXPECT(csv->rows == 4, "%d methods", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const double min = number(csv, row, "min_us");
        const double max = number(csv, row, "max_us");
        EXPECT(min > 0 && min <= number(csv, row, "median_us") &&
                   number(csv, row, "median_us") <= max && min <= number(csv, row, "mean_us") &&
                   number(csv, row, "mean_us") <= max,
               "row %d: min %g us, max %g us", row, min, max);
    }
    EXPECT(none < 0.5 * both, "the enqueue call alone %g us, with both clFinish %g us", none, both);
    EXPECT(after > 1.4 * both, "two kernels %g us, one %g us", after, both);
    EXPECT(event <= both, "by the device %g us, by the host %g us", event, both);
    EXPECT(event > 0.5 * both, "by the device %g us, by the host %g us", event, both);
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv, "device,method,size,runs,min_us,median_us,mean_us,max_us",
                        "method", rules);
}
