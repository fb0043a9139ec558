/* SPDX-License-Identifier: MIT
 *
 * What must hold for the shells of a launch. */
#define _GNU_SOURCE
#include <math.h>

#include "chapter_output.h"

static void rules(const struct csv *csv) {
    const double first_us = number(csv, 4, "net_us") - number(csv, 4, "kernel_us"); /* 30 us */
    EXPECT(csv->rows == 7, "%d lengths", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const double told_us = number(csv, row, "length_us");
        const double kernel_us = number(csv, row, "kernel_us");
        const double net_us = number(csv, row, "net_us");
        const double floor_us = number(csv, row, "floor_us");
        const double event_us = number(csv, row, "event_us");
        const double host_us = number(csv, row, "host_us");
        EXPECT(kernel_us >= told_us && kernel_us < told_us + 3, "a spin of %g us ran %g", told_us,
               kernel_us);
        /* Where events step by 1 us, the shortest spins are within a step or two of each other. */
        if (told_us < 30)
            continue;
        EXPECT(kernel_us < net_us && net_us + floor_us + 0.3 < event_us && event_us < host_us,
               "%g us: kernel %g, net %g, event %g, host %g", told_us, kernel_us, net_us, event_us,
               host_us);
        EXPECT(floor_us >= 0 && floor_us < 20, "the floor is %g us", floor_us);
        EXPECT(number(csv, row, "net_p5_us") <= net_us && net_us <= number(csv, row, "net_p95_us"),
               "%g us: the median lies outside p5 to p95", told_us);
        /* The device's launch and drain is a constant: the same for 30 us as for 1 ms. */
        EXPECT(fabs(net_us - kernel_us - first_us) < 1 + 0.005 * told_us,
               "%g us: launch and drain %g us, of 30 us %g us", told_us, net_us - kernel_us,
               first_us);
    }
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv,
                        "device,length_us,runs,kernel_us,net_us,net_p5_us,net_p95_us,floor_us,"
                        "event_us,host_us",
                        "length_us", rules);
}
