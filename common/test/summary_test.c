/* SPDX-License-Identifier: MIT
 *
 * What summary.h must say of samples whose summary is known, and what vector_add's inputs are. */
#include "../../03_opencl_profiling/clock_error.h"
#include <stdio.h>

#include "summary.h"

static int wrong;

static void expect(const char *what, double value, double right) {
    if (!(fabs(value - right) < 1e-9)) {
        wrong++;
        fprintf(stderr, "%s: %.12g, not %.12g\n", what, value, right);
    }
}

int main(void) {
    double one[] = {7}, even[] = {4, 1, 3, 2}, large[] = {1e9 + 1, 1e9 + 3, 1e9 + 2}, many[101];
    double near[] = {100, 101, 102, 126, 127, 132, 133}, far[] = {100, 101, 102, 126, 127, 133, 134};
    double twice[] = {49, 99, 100, 100, 100}, small[] = {0.5, 1.5, 2, 2.2, 3.4}, few[] = {1, 50, 99, 99};
    double below[] = {-102, -101, -101, -98, -97};
    const double x[] = {1, 2, 4}, y[] = {5, 7, 11};
    struct summary s = summarize(one, 1);
    expect("one sample, sum of all", s.min + s.median + s.max + s.mean, 28);
    expect("one sample, deviation", s.stddev, 0);
    s = summarize(even, 4);
    expect("median of 1 to 4", s.median, 2.5);
    expect("least of 1 to 4", s.min, 1);
    expect("most of 1 to 4", s.max, 4);
    s = summarize(large, 3); /* "mean of squares less square of mean" has no digit left here */
    expect("deviation of large numbers", s.stddev, 1);
    for (int i = 0; i <= 100; i++) many[i] = 100 - i;
    summarize(many, 101);
    expect("many[0] is the least then", many[0], 0);
    expect("the middle half spans a quarter", summarize(near, 7).disturbed, 0);
    expect("the middle half spans more", summarize(far, 7).disturbed, 1);
    expect("the median is twice the least", summarize(twice, 5).disturbed, 1);
    expect("by less than 2", summarize(small, 5).disturbed, 0);
    expect("a middle half of 3 below zero", summarize(below, 5).disturbed, 0);
    expect("too few to say", summarize(few, 4).disturbed, 0);
    expect("slope of 2 x + 3", fit_line(x, y, 3).slope, 2);
    expect("intercept of 2 x + 3", fit_line(x, y, 3).intercept, 3);
    expect("96 and 160 ns are steps of", (double)common_step_ns(common_step_ns(0, 96), 160), 32);
    expect("after 0 ns still of", (double)common_step_ns(32, 0), 32);
    return wrong > 0;
}
