/* SPDX-License-Identifier: MIT
 *
 * What must hold for the kernels of known length. */
#define _GNU_SOURCE
#include <math.h>

#include "chapter_output.h"

static void rules(const struct csv *csv) {
    /* Without a clock the truth is a difference of two loops, some percent of what was told, with
     * noise; and START to END includes what the driver likes. */
    const bool has_clock = strcmp(cell(csv, 1, "truth_by"), "a loop twice as long") != 0;
    double least_net_us = INFINITY;
    int differing = 0, off = 0;
    EXPECT(csv->rows == 6, "%d lengths", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const double told_us = number(csv, row, "length_us");
        const double truth_us = number(csv, row, "truth_us");
        const double device_us = number(csv, row, "start_to_end_us");
        const double host_us = number(csv, row, "host_us");
        const double empty_us = number(csv, row, "empty_us");
        const double net_error_us = number(csv, row, "net_error_us");
        if (has_clock || told_us >= 1000)
            EXPECT(truth_us > (has_clock ? 0.95 : 0.5) * told_us &&
                       truth_us < (has_clock ? 1.1 : 2) * told_us + 20,
                   "told %g us, ran %g us", told_us, truth_us);
        EXPECT(device_us <= host_us, "%g us: START to END %g us, host %g us", told_us, device_us,
               host_us);
        /* Two medians, and the median of the differences: equal but for the noise. */
        differing += told_us < 1000 && fabs(device_us - truth_us - empty_us - net_error_us) >
                                           0.05 + 0.3 * empty_us + 0.0001 * truth_us;
        off += told_us <= 100 && device_us - truth_us >= 12;
        least_net_us = fmin(least_net_us, fabs(net_error_us) - 0.6 * empty_us);
        if (told_us >= 1000 && has_clock)
            EXPECT(device_us > 0.95 * truth_us && device_us < 1.05 * truth_us + 10,
                   "%g us: START to END %g us", truth_us, device_us);
    }
    EXPECT(!has_clock || differing <= 2,
           "START to END less that of the empty kernel is not the net error in %d rows of 4",
           differing);
    /* A stamp too early, QUEUED or SUBMIT for START, shows on every short kernel, and an empty one
     * mistaken on every kernel. (With many cores to wake, PoCL includes up to 20 us by itself.) */
    EXPECT(!has_clock || off <= 1, "START to END is off by 12 us or more in %d rows of 3", off);
    EXPECT(!has_clock || least_net_us < 1,
           "START to END less that of the empty kernel is off by %g us more than 0.6 of that",
           least_net_us);
    const double by_device_us =
        number(csv, 6, "start_to_end_us") - number(csv, 4, "start_to_end_us");
    const double by_truth_us = number(csv, 6, "truth_us") - number(csv, 4, "truth_us");
    EXPECT(fabs(by_device_us / by_truth_us - 1) < 0.1,
           "from 300 us to 3 ms START to END goes on by %g us, the truth by %g us", by_device_us,
           by_truth_us);
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv,
                        "device,length_us,runs,truth_us,start_to_end_us,host_us,error_us,"
                        "host_error_us,empty_us,net_error_us,truth_by",
                        "length_us", rules);
}
