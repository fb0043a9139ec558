/* SPDX-License-Identifier: MIT
 *
 * What summary.h must say of samples whose summary is known. */
#define _GNU_SOURCE
#include "chapter_output.h"
#include "summary.h"

static bool near(double value, double right) {
    return fabs(value - right) < 1e-9;
}

int main(void) {
    double one[] = {7}, even[] = {4, 1, 3, 2}, large[] = {1e9 + 1, 1e9 + 3, 1e9 + 2}, many[101];
    const double x[] = {1, 2, 4}, y[] = {5, 7, 11};
    struct summary s = summarize(one, 1);
    EXPECT(near(s.min, 7) && near(s.median, 7) && near(s.p5, 7) && near(s.p95, 7) &&
               near(s.max, 7) && near(s.mean, 7) && near(s.stddev, 0),
           "of one sample");
    s = summarize(even, 4);
    EXPECT(near(s.median, 2.5) && near(s.min, 1) && near(s.max, 4), "median of 1 to 4: %g",
           s.median);
    s = summarize(large, 3); /* "mean of squares less square of mean" has no digit left here */
    EXPECT(near(s.stddev, 1) && near(s.median, 1e9 + 2), "deviation %g", s.stddev);
    for (int i = 0; i <= 100; i++)
        many[i] = 100 - i;
    s = summarize(many, 101);
    EXPECT(near(s.p5, 5) && near(s.p95, 95) && near(s.mean, 50), "0 to 100: %g to %g", s.p5, s.p95);

    const struct line line = fit_line(x, y, 3);
    EXPECT(near(line.slope, 2) && near(line.intercept, 3), "2 x + 3 became %g x + %g", line.slope,
           line.intercept);
    EXPECT(common_step_ns(common_step_ns(0, 96), 160) == 32 && common_step_ns(32, 0) == 32,
           "96 and 160 ns are steps of 32");
    return broken_rules > 0 ? EXIT_FAILED : EXIT_SUCCESS;
}
