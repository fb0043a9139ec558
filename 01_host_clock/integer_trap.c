/* SPDX-License-Identifier: MIT
 *
 * What does a time lose when it goes through double?
 *
 * Measures: nothing. It computes the greatest loss for the nanoseconds of a microsecond, at moments
 *   that are farther and farther from the clock's zero.
 * Does not measure: the clock, which may lose more by its steps (host_clock.c).
 *
 * Build: cc -O2 -I../common integer_trap.c -o integer_trap -lm
 * Run:   ./integer_trap
 * Try:   make wrong_ns() use float and 1e9f: what is lost after a day? (README.md has the answer.)
 */
#include "options.h"

static const int64_t day_s = 86400;

/* Wrong: 1e9 is a double, so the product is one too. Beyond 2^53 a double skips whole numbers. (C
 * makes these casts by itself, where nobody writes them.) */
static int64_t wrong_ns(int64_t s, int64_t ns) {
    return (int64_t)((double)s * 1e9 + (double)ns);
}

/* Right: integers, from the clock to the difference. 2^63 ns are 292 years. */
static int64_t right_ns(int64_t s, int64_t ns) {
    return s * 1000000000 + ns;
}

static void print_moment(const char *moment, int64_t s) {
    long long most_ns = 0;
    for (int64_t ns = 0; ns < 1000; ns++) {
        const long long lost_ns = llabs((long long)(right_ns(s, ns) - wrong_ns(s, ns)));
        most_ns = lost_ns > most_ns ? lost_ns : most_ns;
    }
    printf("%-22s %15lld %7lld -\n", moment, llround((double)s / (double)day_s), most_ns);
}

int main(int argc, char **argv) {
    struct args args = begin_args(argc, argv);
    end_args(&args);
    print_head("host");
    puts("moment                 since_zero_days lost_ns disturbed");
    print_moment("a_day_after_boot", day_s);
    print_moment("104_days_after_boot", 104 * day_s);
    print_moment("105_days_after_boot", 105 * day_s);
    print_moment("three_years_after_boot", 1095 * day_s);
    print_moment("today_since_1970", clock_ns(CLOCK_REALTIME) / 1000000000);
    /* A double holds every whole number up to 2^53. Beyond, it rounds to multiples of 2, 4 .. */
    printf("# exact_days %.3f\n", (double)(1LL << 53) / 1e9 / (double)day_s);
    return EXIT_SUCCESS;
}
