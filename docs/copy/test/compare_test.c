/* SPDX-License-Identifier: MIT
 *
 * What compare.h must say of times whose answer is known. */
#include "../compare.h"

static int wrong;

static void expect(const char *what, double value, double right) {
    if (!(fabs(value - right) < 1e-9)) {
        wrong++;
        fprintf(stderr, "%s: %.12g, not %.12g\n", what, value, right);
    }
}

static struct pairs p;

/* `count` pairs: A takes 100, B in turn 100 * (1 - apart) and 100 / (1 - apart), but as long as A in the
 * first `equal` ones. */
static void set_pairs(size_t count, double apart, size_t equal) {
    p.count = 0;
    p.tick_us = 0;
    for (size_t i = 0; i < count; i++)
        add_pair(&p, 100, i < equal ? 100 : i % 2 ? 100 * (1 - apart) : 100 / (1 - apart));
}

int main(void) {
    struct interval ratio;
    for (int ns = 32; ns <= 64000; ns += 32)
        note((float)ns / 1e6f * 1e3, 0); /* as CUDA gives it: milliseconds, a float */
    expect("the tick of multiples of 32 ns", (double)tick_ns, 32);
    late = 0;
    note(5000, 5900);
    expect("5 ms, of which the host waits 5.9", (double)late, 0);
    note(5000, 6100);
    expect("5 ms, of which the host waits 6.1", (double)late, 1);

    set_pairs(128, 0.1, 0);
    expect("pairs far apart to both sides", look(&p, 0.9, 0.005, &ratio), RUNNING);
    expect("and the time over", look(&p, 1, 0.005, &ratio), UNDECIDED);
    /* 2 * sqrt(128) = 22.6: of the sorted pairs number 22 counts, from 0 on. */
    set_pairs(128, 0.1, 22);
    expect("22 equal pairs of 128", look(&p, 0.9, 0.005, &ratio), RUNNING);
    set_pairs(128, 0.1, 23);
    expect("23 equal pairs of 128", look(&p, 0.9, 0.005, &ratio), UNDECIDED);
    set_pairs(128, 0.001, 0);
    expect("pairs close together, too early", look(&p, 0.49, 0.005, &ratio), RUNNING);
    expect("pairs close together", look(&p, 0.5, 0.005, &ratio), SAME);
    set_pairs(127, 0.001, 0);
    expect("not a power of two", look(&p, 0.9, 0.005, &ratio), RUNNING);
    set_pairs(16, 0.001, 0);
    expect("fewer than 32", look(&p, 0.9, 0.005, &ratio), RUNNING);

    set_pairs(128, 0.1, 0);
    add_pair(&p, 100, 0);
    add_pair(&p, -1, 100);
    expect("pairs, without those that have nothing left", (double)p.count, 128);
    expect("pairs with nothing left", (double)too_short, 2);
    if (wrong > 0)
        return 1;
    /* The test asks for these words: once disturbed, once not. */
    for (size_t i = 0; i < p.count; i++)
        add_pair(&ab, p.a_us[i], p.b_us[i]);
    samples = 8;
    late = 3;
    print_words(UNDECIDED, (struct interval){0.5, 1, 1.5}, 0.35);
    late = 2;
    print_words(UNDECIDED, (struct interval){0.5, 1, 1.5}, 0.37);
    return 0;
}
