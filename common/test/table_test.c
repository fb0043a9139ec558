/* SPDX-License-Identifier: MIT
 *
 * How a table looks, that its record has the same numbers, what stats.h must say of samples whose summary is known, and
 * each chapter's CUDA vector_add beyond 2^32 elements. */
#include "../../04_cuda_events/fit_line.h"
#include <sys/mman.h>

#include "others.h"
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

static void print_row(struct table *t, const char *method, double us, double mhz, const char *by, unsigned marks) {
    text(t, "method", 8, method);
    number(t, "first_time_us", 2, us);
    number(t, "clock_mhz", 0, mhz);
    record_number(t, "clock_min_mhz", 1, mhz);
    text(t, "of_by_whom", 8, by);
    end_row(t, marks);
}

static void check_table(void) {
    struct table t = {0};
    table_file = tmpfile();
    record_file = tmpfile();
    describe("device", "A, \"B\"");
    say("Words.\n\n");
    print_row(&t, "a", 1.234567, 1980, "it", RUNS_DISAGREE | INTERRUPTED);
    print_row(&t, "longer than all", -1234567.891, NAN, "somebody, \"else\"", 0);
    text(&t, "method", 0, "only recorded");
    end_record_row(&t, mark_others(&t, (struct others){0, 0.5, 0.4, 0.3, 0.1}));
    print_row(&t, "", -0.0001, 1980.5, "", mark_others(&t, (struct others){0, 0.7, 0.6, 0.4, 0.2}));
    say("%.1f\n", value("of_all_us", 2.25));
    end_table(&t);
    expect_file("the table", table_file,
                "Words.\n\n"
                "method   first_time_us clock_mhz of_by_whom\n"
                "a                 1.23      1980 it         disturbed\n"
                "longer than all   -1234567.89         - somebody, \"else\"\n"
                "                  0.00      1980            disturbed\n"
                "2.2\n\n"
                "Disturbed rows are not to be believed:\n"
                "- the runs of a row disagree: its median is uncertain\n"
                "- other programs kept 0.7 cores busy, and this one waited for a core for 60 % of its time\n"
                "- the host of this virtual machine took its cores for 20 % of their busy time\n"
                "- work of known length took longer than it can by itself: it was interrupted\n\n");
    expect_file("the record", record_file,
                "# device,A, \"B\"\n"
                "method,first_time_us,clock_mhz,clock_min_mhz,of_by_whom,disturbed\n"
                "a,1.235,1980,1980.00,it,1\n"
                "longer than all,-1234567.891,,,somebody; ;else;,0\n"
                "only recorded,1\n"
                ",0.000,1980,1980.50,,1\n"
                "# of_all_us,2.25\n# waited_percent,60\n# stolen_percent,20\n");
    table_file = record_file = NULL;
    print_row(&t, "nobody wants it", 1, 1, "", 0);
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

/* Two cores; 2 s of this process's threads, which may have waited; what others ran, and what was stolen. */
static void expect_others(const char *what, double waited_s, double others_s, double stolen_s, unsigned marks) {
    struct table t = {0};
    struct processor_time from = processor_time_now();
    struct processor_time now = from;
    now.wall_ns += 1000000000;
    now.ran_ns += 1000000000;
    now.waited_ns += (int64_t)(waited_s * 1e9);
    now.busy_ns += 1000000000 + (int64_t)(others_s * 1e9);
    now.stolen_ns += (int64_t)(stolen_s * 1e9);
    expect(what, mark_others(&t, others_between(&from, &now)), marks);
}

static void check_others(void) {
    expect_others("nobody", 0, 0, 0, 0);
    expect_others("its threads wait for each other", 0.5, 0.03, 0, 0);
    expect_others("others ran elsewhere", 0.05, 1, 0, 0);
    expect_others("others ran, and it waited", 0.5, 0.5, 0, OTHERS_RAN);
    expect_others("as little as the counts can tell", 0.5, 0.17, 0, 0);
    expect_others("a bit more", 0.5, 0.19, 0, OTHERS_RAN);
    expect_others("stolen", 0, 0, 0.2, CORES_STOLEN);
    expect_others("hardly stolen", 0, 0, 0.13, 0);
    struct processor_time from = processor_time_now();
    const struct processor_time before = from;
    others_since(&from);
    expect("a short row is judged with the next one", (double)from.wall_ns, (double)before.wall_ns);
    sleep_for_ns(210000000);
    others_since(&from);
    expect("a long one alone", from.wall_ns > before.wall_ns, 1);
}

int main(void) {
    double one[] = {7}, even[] = {4, 1, 3, 2}, modes[] = {8, 8, 8, 8, 16, 16, 16, 16, 16}, many[101];
    double above[] = {100, 100, 100, 110, 125}, more[] = {100, 100, 100, 110, 126};
    double less[] = {81, 90, 100, 100, 100}, lesser[] = {79, 90, 100, 100, 100};
    double held_up[] = {49, 100, 101, 101, 101, 101, 101, 101, 101}, drift[20];
    double below[] = {-130, -101, -100, -90, -80}, few[] = {1, 50, 99, 99};
    const double x[] = {1, 2, 4}, y[] = {5, 7, 11}, steps[] = {0.096, 0, 0.160};
    check_table();
    check_far_element();
    struct summary s = summarize(one, 1, 0, 2);
    expect("one sample, sum of all", s.min + s.median + s.max + s.mean, 28);
    s = summarize(even, 4, 0, 2);
    expect("median of 1 to 4", s.median, 2.5);
    expect("least of 1 to 4", s.min, 1);
    expect("most of 1 to 4", s.max, 4);
    for (int i = 0; i <= 100; i++) many[i] = 100 - i;
    summarize(many, 101, 0, 2);
    expect("the samples stay as they are", many[0], 100);
    for (size_t n = 5; n <= 101; n++) { /* so many samples on each side may be anything, and no more */
        const size_t free = n >= 9 ? (size_t)floor((double)n / 2 - 0.98 * sqrt((double)n)) : n == 8 ? 1 : 0;
        for (size_t one_more = 0; one_more < 2; one_more++) {
            for (size_t i = 0; i < n; i++) many[i] = i < free + one_more ? 60 : i < n - free ? 100 : 140;
            expect("so many far below", summarize(many, n, 1.6, 1.25).marks, (double)(one_more * RUNS_DISAGREE));
            for (size_t i = 0; i < n; i++) many[i] = i < free ? 60 : i < n - free - one_more ? 100 : 140;
            expect("so many far above", summarize(many, n, 1.6, 1.25).marks, (double)(one_more * RUNS_DISAGREE));
        }
    }
    expect("a quarter more", summarize(above, 5, 0, 1.25).marks, 0);
    expect("over a quarter more", summarize(more, 5, 0, 1.25).marks, RUNS_DISAGREE);
    expect("as much as it jitters", summarize(more, 5, 26, 1.25).marks, 0);
    expect("a fifth less", summarize(less, 5, 0, 1.25).marks, 0);
    expect("over a fifth less", summarize(lesser, 5, 0, 1.25).marks, RUNS_DISAGREE);
    expect("a factor of two may be", summarize(lesser, 5, 0, 2).marks, 0);
    expect("two modes", summarize_us(modes, 9).marks, RUNS_DISAGREE);
    expect("two modes of a processor", summarize_on(true, modes, 9).marks, 0);
    expect("two modes of another device", summarize_on(false, modes, 9).marks, RUNS_DISAGREE);
    expect("two modes that are jitter", summarize(modes, 9, 128, 1.25).marks, 0);
    expect("most over twice the least, and 50 us longer", summarize_us(held_up, 9).marks, RUNS_DISAGREE);
    held_up[0] = 51;
    expect("not twice the least", summarize_us(held_up, 9).marks, 0);
    double coarse[] = {2.048, 3.072, 4.096, 5.120, 6.144}, three_steps[] = {2.048, 3.072, 4.096, 6.144, 7.168};
    double fine[] = {2.048, 3.072, 4.096, 5.120, 6.112}, nan_first[] = {NAN, 3.072, 4.096, 5.120, 5.120};
    expect("two steps of 1.024 us", summarize_us(coarse, 5).marks, 0);
    expect("three steps of 1.024 us", summarize_us(three_steps, 5).marks, RUNS_DISAGREE);
    expect("as much by a clock of 32 ns", summarize_us(fine, 5).marks, RUNS_DISAGREE);
    summarize_us(nan_first, 5); /* no number, and no end of Euclid's loop */
    expect("below zero", summarize(below, 5, 16, 1.25).marks, RUNS_DISAGREE);
    expect("too few to say", summarize(few, 4, 1.6, 1.25).marks, 0);
    for (int i = 0; i < 20; i++) drift[i] = i < 10 ? 100 : 126;
    expect("the later half is slower", mark_drift(drift, 20, 1, 1.25), DRIFTED);
    expect("too few for halves", mark_drift(drift + 6, 9, 1, 1.25), 0);
    expect("as much as it jitters", mark_drift(drift, 20, 26, 1.25), 0);
    expect("not by the factor", mark_drift(drift, 20, 1, 1.26), 0);
    expect("a millisecond is not long", mark_delay(1000), 0);
    expect("more is", mark_delay(1001), RUNS_DELAYED);
    check_others();
    expect("slope of 2 x + 3", fit_line(x, y, 3).slope, 2);
    expect("intercept of 2 x + 3", fit_line(x, y, 3).intercept, 3);
    expect("the step of 96, 0 and 160 ns", (double)common_step_ns(steps, 3), 32);
    expect("the step of 0 ns", (double)common_step_ns(steps + 1, 1), 0);
    return wrong > 0;
}
