/* SPDX-License-Identifier: MIT
 *
 * What stats.h, doubt.h and cores.h must say of samples whose summary is known, and each chapter's CUDA vector_add
 * beyond 2^32 elements. (What options.h reads and prints, bad_input.sh and the transcripts say.) */
#include "cores.h"

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

static void expect_word(const char *what, unsigned doubts, const char *right) {
    if (strcmp(first_doubt(doubts), right) != 0) {
        wrong++;
        fprintf(stderr, "%s: %s, not %s\n", what, first_doubt(doubts), right);
    }
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

/* Two cores; in the last second this process ran for 1 s, waited, others ran, the virtual machine's host stole. */
static void expect_others(const char *what, double waited_s, double others_s, double stolen_s, const char *right) {
    const int64_t s = 1000000000;
    struct cores from = cores_now();
    if (from.busy == 0) return; /* this system does not say */
    from.at -= s;
    from.ran -= s;
    from.waited -= (int64_t)(waited_s * 1e9);
    from.busy -= s + (int64_t)(others_s * 1e9);
    from.stolen -= (int64_t)(stolen_s * 1e9);
    struct cores seen[2] = {from, from};
    expect_word(what, doubt_cores(seen), right);
}

static void check_cores(void) {
    const char *had = "others_had_the_processor", *hidden = "unknown_processor";
    int64_t all[8] = {0}; /* in ticks: user, nice, system, idle, I/O, two of interrupts, stolen */
    add_line("/proc/stat", all);
    const int64_t busy_s = (all[0] + all[1] + all[2] + all[5] + all[6]) / sysconf(_SC_CLK_TCK), now = cores_now().busy;
    expect("busy is what niced processes had, too", now == 0 || now >= busy_s * 1000000000, 1);
    expect_others("its threads wait for each other", 0.5, 0.16, 0, "-");
    expect_others("others ran elsewhere", 0.05, 1, 0, "-");
    expect_others("others ran, and it waited", 0.5, 0.5, 0, had);
    expect_others("stolen", 0, 0, 0.2, had);
    expect_others("hardly stolen", 0, 0, 0.12, "-");
    for (int64_t ago_ns = 50000000; ago_ns <= 300000000; ago_ns += 250000000) { /* when the row before ended */
        struct cores seen[2] = {cores_now(), cores_now()};
        const int64_t first_ns = seen[0].at -= 900000000, before_ns = seen[1].at -= ago_ns;
        doubt_cores(seen);
        expect("it looks back for 200 ms and more", (double)seen[0].at,
               (double)(ago_ns > 200000000 ? before_ns : first_ns));
    }
    struct cores none[2] = {cores_now(), cores_now()};
    none[0].busy = 0;
    expect_word("nothing is known", doubt_cores(none), hidden);
    struct cores seen[2] = {cores_now(), cores_now()};
    const int64_t start_ns = now_ns();
    doubt_cores(seen);
    const int64_t first_ns = now_ns();
    for (int row = 0; row < 20; row++) doubt_cores(seen);
    expect("behind the first row it waits for the counts", first_ns - start_ns >= 199000000, 1);
    expect("behind the others it does not", now_ns() - first_ns < 2000000000, 1);
}

static void check_words(void) {
    const char *order[] = {"debug_build",  "clocks_disagree", "interrupted", "others_had_the_processor", "host_waited",
                           "runs_held_up", "runs_disagree",   "runs_drift",  "unknown_processor"};
    expect_word("no doubt", 0, "-");
    for (unsigned bit = 0; bit < 9; bit++) { /* and all that come behind it */
        expect_word("one doubt", 1u << bit, order[bit]);
        expect_word("the first doubt", 0x1ffu << bit & 0x1ff, order[bit]);
    }
    expect_word("a millisecond is not long", doubt_wait(1000), "-");
    expect_word("more is", doubt_wait(1001), "host_waited");
    expect_word("nor is less than no wait", doubt_wait(-5000), "-");
}

static void check_summary(void) {
    double one[] = {7}, even[] = {4, 1, 3, 2}, many[101];
    const double steps[] = {0.096, 0, 0.160}, gaps[] = {3, NAN, 1, NAN, 2}, equal[] = {2, 2, 2};
    struct summary s = summarize(one, 1);
    expect("one sample, sum of all", s.min + s.low + s.median + s.high + s.max + s.mean, 42);
    s = summarize(even, 4);
    expect("median of 1 to 4", s.median, 2.5);
    expect("least and most of 1 to 4", s.min * 10 + s.max, 14);
    expect("mean of 1 to 4", s.mean, 2.5);
    for (int i = 0; i <= 100; i++) many[i] = 100 - i;
    s = summarize(many, 101);
    expect("the samples stay as they are", many[0], 100);
    expect("92 of 100 medians are between these", s.low * 1000 + s.high, 40060);
    expect("the least beside NaN", summarize(gaps, 5).min, 1); /* NaN is above all numbers, whatever the order */
    expect("the median with two NaN", median(gaps, 5), 3);
    expect("the smallest difference", summarize(steps, 3).step, 0.064);
    expect("no difference", summarize(equal, 3).step == INFINITY, 1);
}

static void check_disagree(void) {
    const char *disagree = "runs_disagree";
    double above[] = {100, 100, 100, 110, 125}, more[] = {100, 100, 100, 110, 126}, many[101];
    double less[] = {81, 90, 100, 100, 100}, lesser[] = {79, 90, 100, 100, 100};
    double below[] = {-130, -101, -100, -90, -80}, few[] = {1, 50, 99, 99};
    for (size_t n = 5; n <= 101; n++) { /* so many samples on each side may be anything, and no more */
        const size_t free = n >= 9 ? (size_t)floor((double)n / 2 - 0.98 * sqrt((double)n)) : n == 8 ? 1 : 0;
        for (size_t one_more = 0; one_more < 2; one_more++) {
            for (size_t i = 0; i < n; i++) many[i] = i < free + one_more ? 60 : i < n - free ? 100 : 140;
            expect("so many far below", doubt_runs(many, n, 1.6, 1.25) == RUNS_DISAGREE, (double)one_more);
            for (size_t i = 0; i < n; i++) many[i] = i < free ? 60 : i < n - free - one_more ? 100 : 140;
            expect("so many far above", doubt_runs(many, n, 1.6, 1.25) == RUNS_DISAGREE, (double)one_more);
        }
    }
    expect_word("a quarter more", doubt_runs(above, 5, 0, 1.25), "-");
    expect_word("over a quarter more", doubt_runs(more, 5, 0, 1.25), disagree);
    expect_word("as much as it jitters", doubt_runs(more, 5, 26, 1.25), "-");
    expect_word("more than it jitters", doubt_runs(more, 5, 25, 1.25), disagree);
    expect_word("a fifth less", doubt_runs(less, 5, 0, 1.25), "-");
    expect_word("over a fifth less", doubt_runs(lesser, 5, 0, 1.25), disagree);
    expect_word("a factor of two may be", doubt_runs(lesser, 5, 0, 2), "-");
    expect_word("below zero", doubt_runs(below, 5, 16, 1.25), disagree);
    below[0] = -119;
    expect_word("a fifth below zero", doubt_runs(below, 5, 0, 1.25), "-");
    expect_word("too few to say", doubt_runs(few, 4, 1.6, 1.25), "-");
}

static void check_us(void) {
    double modes[] = {8, 8, 8, 8, 16, 16, 16, 16, 16}, held_up[] = {49, 100, 101, 101, 101, 101, 101, 101, 101};
    double coarse[] = {2.048, 3.072, 4.096, 5.120, 6.144}, three_steps[] = {2.048, 3.072, 4.096, 6.144, 7.168};
    double fine[] = {2.048, 3.072, 4.096, 5.120, 6.112}, long_steps[] = {2, 4, 6, 8, 10}, few[] = {49, 101, 101, 101};
    double jitter[] = {1, 1, 1, 1.5, 1.512}, more[] = {1, 1, 1, 1.5, 1.513}, sleeps[] = {1, 1, 1, 5, 6},
           more_sleep[] = {1, 1, 1, 5, 6.1};
    double hundred[] = {100, 100, 100, 110, 126};
    expect_word("two modes", doubt_us(modes, 9, false), "runs_disagree");
    expect_word("two modes of a processor", doubt_us(modes, 9, true), "-");
    expect_word("most over twice the least, and 50 us longer", doubt_us(held_up, 9, false), "runs_held_up");
    expect_word("a processor's may be", doubt_us(held_up, 9, true), "-");
    expect_word("too few to be held up", doubt_us(few, 4, false), "-");
    for (int i = 0; i < 9; i++) held_up[i] = i == 0 ? 60 : 119;
    expect_word("not twice the least", doubt_us(held_up, 9, false), "-");
    for (int i = 0; i < 9; i++) held_up[i] = i == 0 ? 10 : 60;
    expect_word("not 50 us longer", doubt_us(held_up, 9, false), "-");
    expect_word("two steps of 1.024 us", doubt_us(coarse, 5, false), "-");
    expect_word("three steps of 1.024 us", doubt_us(three_steps, 5, false), "runs_disagree");
    expect_word("as much by a clock of 32 ns", doubt_us(fine, 5, false), "runs_disagree");
    expect_word("no clock steps by 2 us", doubt_us(long_steps, 5, false), "runs_disagree");
    expect_word("over a quarter more of a GPU", doubt_us(hundred, 5, false), "runs_disagree");
    expect_word("half a us of jitter", doubt_us(jitter, 5, false), "-");
    expect_word("more than half a us", doubt_us(more, 5, false), "runs_disagree");
    expect_word("5 us of a processor's sleep", doubt_us(sleeps, 5, true), "-");
    expect_word("more than 5 us", doubt_us(more_sleep, 5, true), "runs_disagree");
}

static void check_drift(void) {
    double drift[31];
    for (int i = 0; i < 31; i++) drift[i] = i < 10 ? 100 : i < 20 ? 103 : 106;
    expect_word("the later runs are 6 % slower", doubt_runs(drift, 31, 1, 1.25), "runs_drift");
    drift[0] = drift[30] = 103;
    expect_word("but for one of each", doubt_runs(drift, 31, 1, 1.25), "runs_drift");
    drift[1] = drift[29] = 103;
    expect_word("not but for two", doubt_runs(drift, 31, 1, 1.25), "-");
    for (int i = 0; i < 31; i++) drift[i] = i < 10 ? 106 : i < 20 ? 103 : 100;
    expect_word("the later runs are faster", doubt_runs(drift, 31, 1, 1.25), "runs_drift");
    expect_word("as much as it jitters", doubt_runs(drift, 31, 6, 1.25), "-");
    expect_word("a sixth of what a processor may", doubt_runs(drift, 31, 1, 2), "-");
    for (int i = 0; i < 24; i++) drift[i] = i < 8 ? 100 : i < 16 ? 103 : 104.3;
    expect_word("4.2 % are a drift, and 24 runs enough", doubt_runs(drift, 24, 1, 1.25), "runs_drift");
    expect_word("too few for thirds of eight", doubt_runs(drift + 1, 23, 1, 1.25), "-");
    for (int i = 0; i < 31; i++) drift[i] = 100 + 0.18 * (i - i % 5);
    expect_word("3.6 % from third to third are no drift", doubt_runs(drift, 31, 1, 1.25), "-");
}

int main(void) {
    check_words();
    check_summary();
    check_disagree();
    check_us();
    check_drift();
    check_cores();
    check_far_element();
    return wrong > 0;
}
