/* SPDX-License-Identifier: MIT
 *
 * How the error of a clock shows: the step it takes, and the line through what it says of kernels of
 * known length. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The step of a clock, from the durations it gave: the largest number of ns that divides
 * `duration_ns` and all those before it, whose step was `step_ns` (0: there were none). */
static inline uint64_t common_step_ns(uint64_t step_ns, uint64_t duration_ns) {
    while (duration_ns > 0) { /* Euclid */
        const uint64_t remainder = step_ns % duration_ns;
        step_ns = duration_ns;
        duration_ns = remainder;
    }
    return step_ns;
}

struct line {
    double slope, intercept; /* y = slope * x + intercept */
};

/* The straight line through `count` points (two at least, at different x), by least squares. */
static inline struct line fit_line(const double *x, const double *y, size_t count) {
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    struct line line;
    for (size_t i = 0; i < count; i++) {
        mean_x += x[i] / (double)count;
        mean_y += y[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    line.slope = xy / xx;
    line.intercept = mean_y - line.slope * mean_x;
    return line;
}
