/* SPDX-License-Identifier: MIT
 *
 * How a table looks, that its record has the same numbers, what stats.h must say of samples whose summary is known, and
 * each chapter's CUDA vector_add beyond 2^32 elements. */
#include "../../04_cuda_events/fit_line.h"
#include <sys/mman.h>

#include "stats.h"

/* CMake takes the kernels from the chapters' programs: vector_add_1 to vector_add_N, each named in EACH_VECTOR_ADD.
 * Here they run in the thread of element 2^32 + 1 of a large grid. */
#define __global__ __attribute__((unused))
static const struct { unsigned x; } blockIdx = {1 << 24}, blockDim = {256}, threadIdx = {1};
#include "vector_adds.h"

static int wrong; /* results so far */

static void expect(const char *what, double value, double right) {
    if (!(fabs(value - right) < 1e-9)) {
        wrong++;
        fprintf(stderr, "%s: %.12g, not %.12g\n", what, value, right);
    }
}

static void expect_file(const char *what, FILE *file, const char *right) {
    char text[2048];
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    if (strcmp(text, right) != 0) {
        wrong++;
        fprintf(stderr, "%s:\n%s-- not --\n%s", what, text, right);
    }
    fclose(file);
}

static void print_row(struct table *t, const char *method, double us, double mhz, const char *by, bool disturbed) {
    text(t, "method", 8, method);
    number(t, "first_time_us", 2, us);
    number(t, "clock_mhz", 0, mhz);
    record_number(t, "clock_min_mhz", 1, mhz);
    text(t, "of_by_whom", 8, by);
    end_row(t, disturbed);
}

static void check_table(void) {
    struct table t = {0};
    table_file = tmpfile();
    record_file = tmpfile();
    describe("device", "A, \"B\"");
    say("Words.\n\n");
    print_row(&t, "a", 1.234567, 1980, "it", true);
    print_row(&t, "longer than all", -1234567.891, NAN, "somebody, \"else\"", false);
    text(&t, "method", 0, "only recorded");
    end_record_row(&t, true);
    print_row(&t, "", -0.0001, 1980.5, "", false);
    say("%.1f\n", value("of_all_us", 2.25));
    end_table(&t);
    expect_file("the table", table_file,
                "Words.\n\n"
                "method   first_time_us clock_mhz of_by_whom\n"
                "a                 1.23      1980 it         disturbed\n"
                "longer than all   -1234567.89         - somebody, \"else\"\n"
                "                  0.00      1980\n"
                "2.2\n\n"
                "Disturbed: in these rows the runs disagree, or all were delayed. "
                "Run this again on an\nidle machine.\n\n");
    expect_file("the record", record_file,
                "# device,A, \"B\"\n"
                "method,first_time_us,clock_mhz,clock_min_mhz,of_by_whom,disturbed\n"
                "a,1.235,1980,1980.00,it,1\n"
                "longer than all,-1234567.891,,,somebody; ;else;,0\n"
                "only recorded,1\n"
                ",0.000,1980,1980.50,,0\n"
                "# of_all_us,2.25\n");
    table_file = record_file = NULL;
    print_row(&t, "nobody wants it", 1, 1, "", false);
    expect("a value is what it was", value("x", 3), 3);
}

/* Of 16 GiB of addresses this needs two pages. */
static void check_far_element(void) {
    const size_t far = (size_t)1 << 32;
    float *v = (float *)mmap(NULL, (far + 2) * sizeof *v, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int kernels = 0;
    if (v == MAP_FAILED) fail(EXIT_FAILED, "mmap: %s", strerror(errno));
#define CHECK(kernel)                                                                                                  \
    v[far + 1] = 3;                                                                                                    \
    kernel(v, v, v, far + 2);                                                                                          \
    expect("element 2^32 + 1 of " #kernel, (double)v[far + 1], 6);                                                     \
    kernels++;
    EACH_VECTOR_ADD(CHECK)
    expect("there are kernels", kernels > 0, 1);
}

int main(void) {
    double one[] = {7}, even[] = {4, 1, 3, 2}, modes[] = {8, 8, 8, 8, 16, 16, 16, 16, 16}, many[101];
    double near[] = {100, 101, 102, 126, 127, 132, 133}, far[] = {100, 101, 102, 126, 127, 133, 134};
    double twice[] = {49, 99, 100, 100, 100}, small[] = {0.5, 1.5, 2, 2.2, 3.4}, few[] = {1, 50, 99, 99};
    double below[] = {-120, -101, -100, -70, -60};
    const double x[] = {1, 2, 4}, y[] = {5, 7, 11}, steps[] = {0.096, 0, 0.160};
    check_table();
    check_far_element();
    struct summary s = summarize(one, 1, 0);
    expect("one sample, sum of all", s.min + s.median + s.max + s.mean, 28);
    s = summarize(even, 4, 0);
    expect("median of 1 to 4", s.median, 2.5);
    expect("least of 1 to 4", s.min, 1);
    expect("most of 1 to 4", s.max, 4);
    for (int i = 0; i <= 100; i++) many[i] = 100 - i;
    summarize(many, 101, 0);
    expect("the samples stay as they are", many[0], 100);
    for (size_t n = 5; n <= 101; n++) /* a quarter of the samples on each side may be anything, and no more */
        for (size_t more = 0; more < 2; more++) {
            for (size_t i = 0; i < n; i++)
                many[i] = i < n / 4 + more ? 60 : i < n - n / 4 - more ? 100 : 140 + (i == n - 1);
            expect("disturbed by so many", summarize(many, n, 1.6).disturbed, more == 1);
        }
    expect("the middle half spans a quarter", summarize(near, 7, 16).disturbed, 0);
    expect("the middle half spans more", summarize(far, 7, 16).disturbed, 1);
    expect("as much as it jitters", summarize(far, 7, 32).disturbed, 0);
    expect("the median is twice the least", summarize(twice, 5, 16).disturbed, 1);
    expect("by as much as it jitters", summarize(small, 5, 1.5).disturbed, 0);
    expect("by more", summarize(small, 5, 1.49).disturbed, 1);
    expect("two modes", summarize(modes, 9, 0.512).disturbed, 1);
    expect("two modes, one of them rare", summarize(modes + 1, 8, 0.512).disturbed, 1);
    expect("two modes that are jitter", summarize(modes, 9, 128).disturbed, 0);
    double coarse[] = {2.048, 3.072, 4.096, 5.120, 6.144}, three_steps[] = {2.048, 3.072, 4.096, 6.144, 6.144};
    double fine[] = {2.048, 3.072, 4.096, 5.120, 6.112}, nan_first[] = {NAN, 3.072, 4.096, 5.120, 5.120};
    expect("two steps of 1.024 us", summarize_us(coarse, 5).disturbed, 0);
    expect("three steps of 1.024 us", summarize_us(three_steps, 5).disturbed, 1);
    expect("as much by a clock of 32 ns", summarize_us(fine, 5).disturbed, 1);
    summarize_us(nan_first, 5); /* no number, and no end of Euclid's loop */
    expect("a middle half below zero", summarize(below, 5, 16).disturbed, 1);
    expect("too few to say", summarize(few, 4, 1.6).disturbed, 0);
    expect("slope of 2 x + 3", fit_line(x, y, 3).slope, 2);
    expect("intercept of 2 x + 3", fit_line(x, y, 3).intercept, 3);
    expect("the step of 96, 0 and 160 ns", (double)common_step_ns(steps, 3), 32);
    expect("the step of 0 ns", (double)common_step_ns(steps + 1, 1), 0);
    return wrong > 0;
}
