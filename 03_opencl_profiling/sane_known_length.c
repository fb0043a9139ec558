/* SPDX-License-Identifier: MIT
 *
 * What must hold for the kernels of known length. */
#define _GNU_SOURCE
#include "chapter_output.h"

static void rules(const struct csv *csv) {
    EXPECT(csv->rows == 6, "%d lengths", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const double told_us = number(csv, row, "length_us");
        const double truth_us = number(csv, row, "truth_us");
        const double device_us = number(csv, row, "start_to_end_us");
        const double host_us = number(csv, row, "host_us");
        EXPECT(truth_us > 0.95 * told_us && truth_us < 1.1 * told_us + 20, "told %g us, ran %g us",
               told_us, truth_us);
        EXPECT(device_us <= host_us, "%g us: START to END %g us, host %g us", told_us, device_us,
               host_us);
        if (told_us >= 1000)
            EXPECT(device_us > 0.95 * truth_us && device_us < 1.05 * truth_us + 10,
                   "%g us: START to END %g us", truth_us, device_us);
    }
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv,
                        "device,length_us,runs,truth_us,start_to_end_us,host_us,error_us,"
                        "host_error_us",
                        "length_us", rules);
}
