/* SPDX-License-Identifier: MIT
 *
 * How a table looks, that its record has the same numbers, what samples.h must say of samples whose summary is known,
 * and each chapter's CUDA vector_add beyond 2^32 elements. */
#include "cores.h"
#include "report.h"
#include "samples.h"

#include <sys/mman.h>

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

/* NULL: that there is no doubt. */
static void expect_doubt(const char *what, const char *doubt, const char *right) {
    if (doubt != right && (!doubt || !right || strcmp(doubt, right) != 0)) {
        wrong++;
        fprintf(stderr, "%s: %s, not %s\n", what, doubt ? doubt : "no doubt", right ? right : "no doubt");
    }
}

static void print_method(const char *method, double us, double mhz, const char *by, const char *doubt) {
    print_row(doubt, "method=%-8s|first_time_us=%13.2f|clock_mhz=%9.0f|count=%9d|of_by_whom=%-s||clock_min_v1.2=%.1f",
              method, us, mhz, 7, by, mhz);
}

static void check_table(void) {
    table_file = tmpfile();
    record_file = tmpfile();
    const struct opt none[] = {END_OF_OPTIONS};
    begin_record(none, "A, \"B\"", "");
    say("Words.\n\n");
    print_method("a", 1.234567, 1980, "it", "the runs disagree");
    print_method("longer than all", -1234567.891, NAN, "somebody \"else\"", NULL);
    print_method("a|b=c", 1, 2, "it", NULL);
    print_method("", 0.0001, 1980.5, "", "unknown");
    print_row(NULL, "other=%-6s|us=%9.2f", "table", NAN);
    value("of_all_us", 2.25);
    say("%.1f\n", 2.25);
    expect_file("the table", table_file,
                "Words.\n\n"
                "method   first_time_us clock_mhz     count of_by_whom\n"
                "a                 1.23      1980         7 it  disturbed: the runs disagree\n"
                "longer than all   -1234567.89         -         7 somebody \"else\"\n"
                "a|b=c             1.00         2         7 it\n"
                "                  0.00      1980         7  disturbed: unknown\n"
                "other         us\n"
                "table          -\n"
                "2.2\n");
    rewind(record_file);
    for (int line = 0; line < 4; line++) /* the program, the device, the driver and the date */
        if (fscanf(record_file, "%*[^\n]%*c") != 0) expect("the head of the record", line, -1);
    char text[1000];
    text[fread(text, 1, sizeof text - 1, record_file)] = '\0';
    const char *right = "method,first_time_us,clock_mhz,count,of_by_whom,clock_min_v1.2,disturbed\n"
                        "a,1.235,1980,7,it,1980.00,1\n"
                        "longer than all,-1234567.891,,7,somebody \"else\",,0\n"
                        "a|b=c,1.000,2,7,it,2.00,0\n"
                        ",0.000,1980,7,,1980.50,1\n"
                        "other,us,disturbed\n"
                        "table,,0\n"
                        "# of_all_us,2.25\n";
    if (strcmp(text, right) != 0) {
        wrong++;
        fprintf(stderr, "the record:\n%s-- not --\n%s", text, right);
    }
    fclose(record_file);
    table_file = record_file = fopen("/dev/null", "w");
    expect("a value is what it was", value("x", 3), 3);
}

/* Of 16 GiB of addresses this needs two pages. */
static void check_far_element(void) {
    const size_t far = (size_t)1 << 32;
    float *v = (float *)mmap(NULL, (far + 2) * sizeof *v, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int kernels = 0;
    if (v == MAP_FAILED) err(EXIT_FAILED, "mmap");
#define CHECK(kernel)                                                                                                  \
    v[far + 1] = 3;                                                                                                    \
    kernel(v, v, v, far + 2);                                                                                          \
    expect("element 2^32 + 1 of " #kernel, (double)v[far + 1], 6);                                                     \
    kernels++;
    EACH_VECTOR_ADD(CHECK)
    expect("there are kernels", kernels > 0, 1);
}

/* Two cores; of the last second this process ran, waited, others ran, the virtual machine's host stole. */
static void expect_others(const char *what, double waited_s, double others_s, double stolen_s, const char *doubt) {
    struct cores from = cores_now();
    if (from.busy == 0) return; /* this system does not say */
    from.at -= 1000000000;
    from.ran -= 1000000000;
    from.waited -= (int64_t)(waited_s * 1e9);
    from.busy -= 1000000000 + (int64_t)(others_s * 1e9);
    from.stolen -= (int64_t)(stolen_s * 1e9);
    expect_doubt(what, wait_and_doubt_cores(&from), doubt);
}

static void check_others(void) {
    const char *ran = "others had the processor", *stole = "the host of this virtual machine had its cores";
    expect_others("its threads wait for each other", 0.5, 0.01, 0, NULL);
    expect_others("others ran elsewhere", 0.05, 1, 0, NULL);
    expect_others("others ran, and it waited", 0.5, 0.5, 0, ran);
    expect_others("stolen", 0, 0, 0.2, stole);
    expect_others("hardly stolen", 0, 0, 0.05, NULL);
    struct cores hidden = cores_now();
    hidden.busy = 0;
    expect_doubt("nothing is known", wait_and_doubt_cores(&hidden), "unknown: /proc does not show other programs");
    const struct cores now = cores_now();
    wait_and_doubt_cores(&now);
    expect("it has waited for the counts", now_ns() - now.at >= 200000000, 1);
}

/* And no drift, which these samples have, too. */
static bool disagrees(const char *doubt) { return doubt && strcmp(doubt, "the runs disagree") == 0; }

int main(void) {
    double one[] = {7}, even[] = {4, 1, 3, 2}, modes[] = {8, 8, 8, 8, 16, 16, 16, 16, 16}, many[101];
    double above[] = {100, 100, 100, 110, 125}, more[] = {100, 100, 100, 110, 126};
    double less[] = {81, 90, 100, 100, 100}, lesser[] = {79, 90, 100, 100, 100};
    double held_up[] = {49, 100, 101, 101, 101, 101, 101, 101, 101}, drift[31];
    const char *disagree = "the runs disagree";
    double below[] = {-130, -101, -100, -90, -80}, few[] = {1, 50, 99, 99};
    const double steps[] = {0.096, 0, 0.160};
    check_table();
    check_far_element();
    struct summary s = summarize(one, 1);
    expect("one sample, sum of all", s.min + s.median + s.max + s.mean, 28);
    s = summarize(even, 4);
    expect("median of 1 to 4", s.median, 2.5);
    expect("least of 1 to 4", s.min, 1);
    expect("most of 1 to 4", s.max, 4);
    for (int i = 0; i <= 100; i++) many[i] = 100 - i;
    summarize(many, 101);
    expect("the samples stay as they are", many[0], 100);
    for (size_t n = 5; n <= 101; n++) { /* so many samples on each side may be anything, and no more */
        const size_t free = n >= 9 ? (size_t)floor((double)n / 2 - 0.98 * sqrt((double)n)) : n == 8 ? 1 : 0;
        for (size_t one_more = 0; one_more < 2; one_more++) {
            for (size_t i = 0; i < n; i++) many[i] = i < free + one_more ? 60 : i < n - free ? 100 : 140;
            expect("so many far below", disagrees(doubt_runs(many, n, 1.6, 1.25)), (double)one_more);
            for (size_t i = 0; i < n; i++) many[i] = i < free ? 60 : i < n - free - one_more ? 100 : 140;
            expect("so many far above", disagrees(doubt_runs(many, n, 1.6, 1.25)), (double)one_more);
        }
    }
    expect_doubt("a quarter more", doubt_runs(above, 5, 0, 1.25), NULL);
    expect_doubt("over a quarter more", doubt_runs(more, 5, 0, 1.25), disagree);
    expect_doubt("as much as it jitters", doubt_runs(more, 5, 26, 1.25), NULL);
    expect_doubt("a fifth less", doubt_runs(less, 5, 0, 1.25), NULL);
    expect_doubt("over a fifth less", doubt_runs(lesser, 5, 0, 1.25), disagree);
    expect_doubt("a factor of two may be", doubt_runs(lesser, 5, 0, 2), NULL);
    expect_doubt("two modes", summarize_us(modes, 9, false).doubt, disagree);
    expect_doubt("two modes of a processor", summarize_us(modes, 9, true).doubt, NULL);
    expect_doubt("two modes of another device", summarize_us(modes, 9, false).doubt, disagree);
    expect_doubt("two modes that are jitter", doubt_runs(modes, 9, 128, 1.25), NULL);
    expect_doubt("most over twice the least, and 50 us longer", summarize_us(held_up, 9, false).doubt,
                 "most runs were held up");
    held_up[0] = 51;
    expect_doubt("not twice the least", summarize_us(held_up, 9, false).doubt, NULL);
    double coarse[] = {2.048, 3.072, 4.096, 5.120, 6.144}, three_steps[] = {2.048, 3.072, 4.096, 6.144, 7.168};
    double fine[] = {2.048, 3.072, 4.096, 5.120, 6.112}, nan_first[] = {NAN, 3.072, 4.096, 5.120, 5.120};
    expect_doubt("two steps of 1.024 us", summarize_us(coarse, 5, false).doubt, NULL);
    expect_doubt("three steps of 1.024 us", summarize_us(three_steps, 5, false).doubt, disagree);
    expect_doubt("as much by a clock of 32 ns", summarize_us(fine, 5, false).doubt, disagree);
    summarize_us(nan_first, 5, false); /* no number, and no end of Euclid's loop */
    expect_doubt("below zero", doubt_runs(below, 5, 16, 1.25), disagree);
    expect_doubt("too few to say", doubt_runs(few, 4, 1.6, 1.25), NULL);
    for (int i = 0; i < 31; i++) drift[i] = i < 10 ? 100 : i < 20 ? 103 : 106;
    expect_doubt("the later runs are 6 % slower", doubt_runs(drift, 31, 1, 1.25), "the runs drift");
    drift[0] = drift[30] = 103;
    expect_doubt("but for one of each", doubt_runs(drift, 31, 1, 1.25), "the runs drift");
    drift[1] = drift[29] = 103;
    expect_doubt("not but for two", doubt_runs(drift, 31, 1, 1.25), NULL);
    for (int i = 0; i < 31; i++) drift[i] = i < 10 ? 106 : i < 20 ? 103 : 100;
    expect_doubt("the later runs are faster", doubt_runs(drift, 31, 1, 1.25), "the runs drift");
    expect_doubt("too few for thirds of eight", doubt_runs(drift, 23, 1, 1.25), NULL);
    expect_doubt("as much as it jitters", doubt_runs(drift, 31, 6, 1.25), NULL);
    expect_doubt("a sixth of what a processor may", doubt_runs(drift, 31, 1, 2), NULL);
    for (int i = 0; i < 31; i++) drift[i] = 100 + 0.18 * (i - i % 5);
    expect_doubt("3.6 % from third to third are no drift", doubt_runs(drift, 31, 1, 1.25), NULL);
    expect_doubt("a millisecond is not long", doubt_wait(1000), NULL);
    expect_doubt("more is", doubt_wait(1001), "the host waited too long");
    check_others();
    const double gaps[] = {3, NAN, 1, NAN, 2}; /* NaN is above all numbers, whatever the order */
    expect("the least beside NaN", summarize(gaps, 5).min, 1);
    expect("the median with two NaN", median(gaps, 5), 3);
    expect("the smallest difference", summarize(steps, 3).step, 0.064);
    return wrong > 0;
}
