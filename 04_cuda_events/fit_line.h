/* SPDX-License-Identifier: MIT
 *
 * A straight line through times: the slope is what one more launch adds. */
#pragma once

#include <stddef.h>

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
