/* SPDX-License-Identifier: MIT
 *
 * What must hold for the numbers of chapter 03. */
#define _GNU_SOURCE
#include <math.h>

#include "chapter_output.h"

static void rules(const struct csv *csv) {
    EXPECT(csv->rows == 6, "%d sizes", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const double n = number(csv, row, "size");
        const double queued_us = number(csv, row, "queued_to_submit_us");
        const double submit_us = number(csv, row, "submit_to_start_us");
        const double run_us = number(csv, row, "start_to_end_us");
        const double host_us = number(csv, row, "host_us");
        const double gb_s = number(csv, row, "bandwidth_gb_s");
        const double copy_gb_s = number(csv, row, "copy_bandwidth_gb_s");

        EXPECT(queued_us >= 0 && submit_us >= 0 && run_us > 0, "%g floats: %g, %g, %g us", n,
               queued_us, submit_us, run_us);
        EXPECT(run_us <= host_us, "%g floats: %g us by the device, %g us by the host", n, run_us,
               host_us);
        EXPECT(queued_us + submit_us + run_us <= 1.02 * host_us + 5,
               "%g floats: the stages make %g us, the host's clock %g us", n,
               queued_us + submit_us + run_us, host_us);
        EXPECT(fabs(gb_s * run_us * 1e3 / (12 * n) - 1) < 0.05,
               "%g floats, 12 bytes each, in %g us are not %g GB/s", n, run_us, gb_s);
        const double scalar_gb_s = number(csv, row, "scalar_bandwidth_gb_s");
        EXPECT(scalar_gb_s > 0.05 * gb_s && scalar_gb_s < 20 * gb_s,
               "%g floats: %g GB/s with four floats each, %g with one", n, gb_s, scalar_gb_s);
        EXPECT(gb_s > 0.01 && gb_s < 50000 && copy_gb_s > 0.01 && copy_gb_s < 50000,
               "%g floats: %g GB/s, the copy %g GB/s", n, gb_s, copy_gb_s);
        EXPECT(number(csv, row, "step_ns") >= 1 && number(csv, row, "step_ns") <= 1000000,
               "the clock steps by %g ns", number(csv, row, "step_ns"));
    }
    /* A thousand times the work takes longer, and much of the host's time is then the kernel (on a
     * busy CPU the host waits some ms more for its turn). */
    const double first_us = number(csv, 1, "start_to_end_us");
    const double last_us = number(csv, csv->rows, "start_to_end_us");
    EXPECT(last_us > 3 * first_us, "the largest size %g us, the smallest %g us", last_us, first_us);
    EXPECT(last_us > 0.2 * number(csv, csv->rows, "host_us"), "%g us of the host's %g us", last_us,
           number(csv, csv->rows, "host_us"));
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv,
                        "device,size,runs,queued_to_submit_us,submit_to_start_us,start_to_end_us,"
                        "host_us,bandwidth_gb_s,copy_bandwidth_gb_s,resolution_ns,step_ns,"
                        "scalar_bandwidth_gb_s",
                        "size", rules);
}
