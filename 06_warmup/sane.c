/* SPDX-License-Identifier: MIT
 *
 * What must hold for the numbers of chapter 06, CUDA or OpenCL. Each error is against the steady
 * state of the same process. */
#define _GNU_SOURCE
#include <math.h>

#include "chapter_output.h"

static bool is_cuda; /* the program under test is warmup, not warmup_opencl */

static double error_percent(const struct csv *csv, const char *recipe) {
    return number(csv, find_row(csv, 1, "recipe", recipe), "error_percent");
}

/* A first launch is slower than the steady state, and by more than the second one is: on PoCL by
 * the compiler's tens of milliseconds, in CUDA by the loading of the kernel. */
static void expect_cold(const char *device, const char *recipe, double first_us, double steady_us) {
    const bool is_pocl = strncmp(device, "pthread", 7) == 0 || strncmp(device, "cpu", 3) == 0;
    EXPECT(first_us > 1.1 * steady_us, "%s: first %g us, steady %g us", recipe, first_us,
           steady_us);
    EXPECT(!is_pocl || first_us > 4 * steady_us, "%s: first %g us, steady %g us", recipe, first_us,
           steady_us);
    EXPECT(!is_cuda || first_us > steady_us + 25, "%s: first %g us, steady %g us", recipe, first_us,
           steady_us);
}

static void rules(const struct csv *csv) {
    const double first = error_percent(csv, "first_launch");
    const double mean_100 = error_percent(csv, "mean_of_100");
    const double cold_us = number(csv, find_row(csv, 1, "recipe", "first_launch"), "first_us");
    const double other_us =
        number(csv, find_row(csv, 1, "recipe", "other_kernel_then_one"), "first_us");
    const double mean_10 = error_percent(csv, "warm_then_mean_of_10");
    const double ours = error_percent(csv, "warm_then_median");

    EXPECT(csv->rows == 5, "%d recipes", csv->rows);
    for (int row = 1; row <= csv->rows; row++) {
        const char *recipe = cell(csv, row, "recipe");
        const double first_us = number(csv, row, "first_us");
        const double steady_us = number(csv, row, "steady_us");
        EXPECT(steady_us > 0 && number(csv, row, "estimate_us") > 0, "%s", recipe);
        if (strcmp(recipe, "other_kernel_then_one") != 0 &&
            strcmp(recipe, "warm_then_mean_of_10") != 0)
            expect_cold(cell(csv, row, "device"), recipe, first_us, steady_us);
        if (strcmp(recipe, "mean_of_100") == 0) /* a hundredth of the first launch is in it */
            EXPECT(number(csv, row, "estimate_us") > 0.0099 * first_us, "mean %g us, first %g us",
                   number(csv, row, "estimate_us"), first_us);
    }
    /* The first launch pays for everything. After another kernel there is less left to pay: nothing
     * at all on NVIDIA's OpenCL, which loads all kernels of a program together. (In us, not in %:
     * on a busy CPU the steady states of two processes can be a factor of four apart.) */
    EXPECT(first > mean_100 && first > mean_10 && first > ours,
           "first %g %%, mean of 100 %g %%, mean of 10 %g %%, ours %g %%", first, mean_100, mean_10,
           ours);
    EXPECT(cold_us > 0.5 * other_us, "first %g us, after another kernel %g us", cold_us, other_us);
    EXPECT(mean_100 > ours, "mean of 100 %g %%, ours %g %%", mean_100, ours);
    EXPECT(fabs(ours) < 15 || fabs(ours) < 0.3 * mean_100, "ours is %g %% off the steady state",
           ours);
}

int main(int argc, char **argv) {
    const char *slash = argc > 1 ? strrchr(argv[1], '/') : NULL;
    is_cuda = slash && strcmp(slash, "/warmup") == 0;
    return check_sanity(argc, argv,
                        "device,recipe,launches,first_us,estimate_us,steady_us,error_percent",
                        "recipe", rules);
}
