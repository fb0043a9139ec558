/* SPDX-License-Identifier: MIT
 *
 * What must hold for the numbers of chapter 04. */
#define _GNU_SOURCE
#include <math.h>

#include "chapter_output.h"

static int row_of(const struct csv *csv, const char *kernel, const char *method) {
    for (int row = 1; (row = find_row(csv, row, "method", method)) != 0; row++)
        if (strcmp(cell(csv, row, "kernel"), kernel) == 0)
            return row;
    fail(EXIT_FAILED, "the CSV has no row for %s by %s", kernel, method);
}

static double median_us(const struct csv *csv, const char *kernel, const char *method) {
    return number(csv, row_of(csv, kernel, method), "median_us");
}

static void rules(const struct csv *csv) {
    const char *const kernel = "spin_1000us";
    const double no_sync = median_us(csv, kernel, "host_no_sync");
    const double net = median_us(csv, kernel, "event_net");
    const double event = median_us(csv, kernel, "event");
    const double host = median_us(csv, kernel, "host_sync");
    EXPECT(no_sync < 0.2 * net && net <= event && event <= host + 1,
           "a spin of 1 ms: no sync %g, net %g, event %g, host %g us", no_sync, net, event, host);
    EXPECT(median_us(csv, kernel, "cpu_clock") > 0.5 * net, "clock() while the host waits busily");

    for (int row = 1; row <= csv->rows; row++) {
        const char *name = cell(csv, row, "kernel");
        const char *method = cell(csv, row, "method");
        const double us = number(csv, row, "median_us");
        EXPECT(number(csv, row, "min_us") > 0 || strcmp(method, "cpu_clock") == 0 ||
                   strcmp(method, "event_net") == 0 /* the floor is a median */,
               "%s by %s", name, method);
        EXPECT(number(csv, row, "min_us") <= us && us <= number(csv, row, "max_us"), "%s by %s",
               name, method);
        if (strcmp(name, "vector_add") == 0)
            continue;
        /* What the spin says of itself is what it was told to do, to a step of the timer or two. */
        const double truth_us = number(csv, row, "truth_us");
        const double told_us = atof(name + strlen("spin_"));
        EXPECT(fabs(number(csv, row, "error_us") - (us - truth_us)) < 0.01, "%s by %s", name,
               method);
        EXPECT(truth_us >= told_us && truth_us < told_us + 3, "%s ran %g us", name, truth_us);
        if (strncmp(method, "event", 5) == 0 && told_us >= 100)
            EXPECT(us > truth_us && us < 1.1 * truth_us + 5, "%s by %s: %g us", name, method, us);
        if (strcmp(method, "event_net") == 0 && told_us >= 30)
            EXPECT(us - truth_us > 0 && us - truth_us < 5, "%s by %s: %g us", name, method, us);
    }
    static const char *const short_spins[] = {"spin_3us", "spin_10us", "spin_30us"};
    for (int i = 0; i < 3; i++) {
        const double blocked_us = median_us(csv, short_spins[i], "event_blocked");
        const double event_us = median_us(csv, short_spins[i], "event");
        EXPECT(blocked_us < event_us - 0.5,
               "%s: behind the blocker %g us, without %g us: the launch "
               "is not hidden",
               short_spins[i], blocked_us, event_us);
    }
    EXPECT(median_us(csv, "spin_10us", "event_net") <
               median_us(csv, "spin_10us", "event_blocked") - 0.3,
           "behind the blocker %g us, net %g us: the floor is not taken off",
           median_us(csv, "spin_10us", "event_blocked"), median_us(csv, "spin_10us", "event_net"));
    /* One of many in a row costs about what one alone does. */
    static const char *const long_spins[] = {"spin_30us", "spin_1000us"};
    for (int i = 0; i < 2; i++) {
        const double net_us = median_us(csv, long_spins[i], "event_net");
        const double batch_us = median_us(csv, long_spins[i], "event_batch");
        EXPECT(fabs(batch_us - net_us) < 3 + 0.01 * net_us, "%s: alone %g us, in a row %g us",
               long_spins[i], net_us, batch_us);
    }
}

int main(int argc, char **argv) {
    return check_sanity(argc, argv,
                        "device,method,kernel,size,runs,min_us,median_us,mean_us,max_us,truth_us,"
                        "error_us",
                        "method", rules);
}
