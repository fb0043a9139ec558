/* SPDX-License-Identifier: MIT
 *
 * What two_gpus.cu prints: its rows; what the blocks did on one time line, in letters; and as
 * Chrome's trace, which ui.perfetto.dev opens. */
#pragma once

#include "two_reduce.h"

/* ---- Rows ---- */

static bool shared; /* somebody else uses GPU 0 */

static inline void cells(int gpu, const char *quantity, double x, double low, double high,
                         double at_s, const char *how) {
    char pair[32];
    snprintf(pair, sizeof pair, "0-%d", gpu);
    label("pair", 4, pair);
    label("quantity", 14, quantity);
    cell("value", "%13.3f", x);
    cell("low", "%13.3f", low);
    cell("high", "%13.3f", high);
    recorded_number("at_s", 3, at_s);
    label("how", 0, how);
}

static inline void row(int gpu, const char *quantity, double x, double low, double high,
                       bool is_good, const char *how) {
    cells(gpu, quantity, x, low, high, NAN, how);
    end_row(shared || !is_good);
}

static inline void print_drift(int gpu, const char *quantity, int from, int to, const char *how) {
    const struct offset ppm = drift_ppm(&pairs[gpu], from, to);
    row(gpu, quantity, ppm.middle_ns, ppm.low_ns, ppm.high_ns, true, how);
}

/* Prints what the timers are. Returns the bound in ns. */
static inline double print_timers(int gpu) {
    struct timer_pair *pair = &pairs[gpu];
    double ways_ns[SWEEPS];
    int outside = 0, early = 0;
    const double bound_ns = find_offsets(pair, &outside);
    for (int s = 0; s < SWEEPS; s++) {
        const struct way best = shortest_way(pair, s);
        const struct offset *o = &pair->offsets[s];
        ways_ns[s] = (double)(best.back_ns - best.sent_ns);
        for (size_t i = 1; i < pair->ways; i += 2)
            early += is_early(pair, pair->way[s][i]);
        cells(gpu, "moved_ns", o->middle_ns, o->low_ns, o->high_ns, o->at_s, "");
        end_record_row(shared);
    }
    const double way_ns = median(ways_ns, SWEEPS),
                 offset_us = ((double)pair->offset_ns + pair->offsets[0].middle_ns) / 1e3;
    row(gpu, "way_ns", way_ns, ways_ns[0], ways_ns[SWEEPS - 1], true,
        pair->is_peer ? "there and back, by peer access" : "there and back, through host memory");
    row(gpu, "offset_us", offset_us, offset_us - bound_ns / 1e3, offset_us + bound_ns / 1e3, true,
        "its timer minus that of GPU 0, at first");
    print_drift(gpu, "drift_ppm", 0, SWEEPS - 1, "its timer is faster: us in a second");
    print_drift(gpu, "drift_begin_ppm", 0, SWEEPS / 4, "... in the first quarter");
    print_drift(gpu, "drift_end_ppm", SWEEPS - 1 - SWEEPS / 4, SWEEPS - 1, "... in the last");
    row(gpu, "bound_ns", bound_ns, -bound_ns, bound_ns, true, "the offset is no farther off");
    row(gpu, "outside", outside, 0, SWEEPS, outside == 0,
        "sweeps too far from the line between two others");
    row(gpu, "early", early, 0, (double)(pair->ways / 2 * SWEEPS), early == 0,
        "stamps that arrive before they are sent");
    return bound_ns;
}

/* The median and the middle half of the late rounds, or of the others. Returns the median. */
static inline double rounds_row(const char *quantity, const double *us, bool late,
                                const char *how) {
    double samples[ROUNDS / 2];
    for (int r = 0; r < ROUNDS / 2; r++)
        samples[r] = us[2 * r + late];
    const double x = median(samples, ROUNDS / 2);
    row(1, quantity, x, samples[ROUNDS / 8], samples[ROUNDS / 2 - 1 - ROUNDS / 8], true, how);
    return x;
}

static inline void print_rounds(double bound_us) {
    double apart[ROUNDS], wait[2][ROUNDS], all[ROUNDS], moved[ROUNDS], timers[ROUNDS]; /* in us */
    for (int r = 0; r < ROUNDS; r++) {
        const double at_s = on_line(&pairs[1], 0, stamps[r][0][0][START]) / 1e9;
        apart[r] = between_us(r, 0, START, 1, START);
        moved[r] = apart[r] + (offset_at(&pairs[1], at_s) - pairs[1].offsets[0].middle_ns) / 1e3;
        timers[r] = apart[r] + ((double)pairs[1].offset_ns + offset_at(&pairs[1], at_s)) / 1e3;
        all[r] = span_us(r);
        for (int g = 0; g < 2; g++)
            wait[g][r] = between_us(r, g, SENT, g, GOT);
    }
    const double copy_us = span_us(ROUNDS);
    row(1, "copy_us", copy_us, copy_us - bound_us, copy_us + bound_us, true, "from GPU 0 to GPU 1");
    const double apart_us = rounds_row("apart_us", apart, false, "GPU 1 starts after GPU 0"),
                 late_apart_us =
                     rounds_row("late_apart_us", apart, true, "... where it was made late"),
                 seen_us = late_apart_us - apart_us;
    row(1, "seen_late_us", seen_us, seen_us - bound_us, seen_us + bound_us,
        fabs(seen_us - (double)late_us) <= bound_us, "the difference");
    rounds_row("wait_0_us", wait[0], true, "GPU 0 waits for what the late one sends");
    rounds_row("wait_1_us", wait[1], true, "the late one waits");
    rounds_row("all_reduce_us", all, false, "from the first start to the last end");
    rounds_row("late_reduce_us", all, true, "... with the late one");
    rounds_row("host_us", host_us, true, "wrong: the host's clock around both");
    rounds_row("one_offset_us", moved, true, "wrong: late_apart by the first offset");
    rounds_row("no_offset_us", timers, true, "wrong: late_apart by the timers as they are");
}

/* ---- The time line ---- */

enum { SLICES = 4096, WIDTH = 64 };

static struct slice {
    unsigned gpu, block;
    const char *what;
    double start_ns, end_ns;
} slices[SLICES];
static int slice_count;

static inline void add_slice(unsigned gpu, unsigned block, const char *what, double start_ns,
                             double end_ns) {
    if (slice_count == SLICES)
        fail(EXIT_FAILED, "more than %d slices", SLICES);
    slices[slice_count++] = (struct slice){gpu, block, what, start_ns, end_ns};
}

static inline void add_stages(int round, unsigned g, int from, int to, const char *what) {
    for (unsigned b = 0; b < REDUCERS; b++)
        add_slice(g, b, what, on_line(&pairs[1], (int)g, stamps[round][g][b][from]),
                  on_line(&pairs[1], (int)g, stamps[round][g][b][to]));
}

/* Of the copy, and of the last all-reduce, which is a late one. */
static inline void make_slices(void) {
    add_stages(ROUNDS, 0, MET, END, "copy");
    add_stages(ROUNDS, 1, MET, END, "wait");
    add_stages(ROUNDS - 1, 1, MET, START, "late");
    for (unsigned g = 0; g < 2; g++) {
        add_stages(ROUNDS - 1, g, START, SENT, "send");
        add_stages(ROUNDS - 1, g, SENT, GOT, "wait");
        add_stages(ROUNDS - 1, g, GOT, ADDED, "add");
        add_stages(ROUNDS - 1, g, ADDED, END, "wait");
    }
}

/* The blocks 0 and 1 of both GPUs, from slice number `first` on. */
static inline void draw_slices(int first) {
    double from_ns = INFINITY, to_ns = -INFINITY;
    for (const struct slice *s = slices + first; s < slices + slice_count; s++) {
        from_ns = fmin(from_ns, s->start_ns);
        to_ns = fmax(to_ns, s->end_ns);
    }
    say("\n%14s0 us%*.2f us\n", "", WIDTH - 7, (to_ns - from_ns) / 1e3);
    for (unsigned line = 0; line < 4; line++) {
        char text[WIDTH + 1] = "";
        memset(text, '.', WIDTH);
        for (const struct slice *s = slices + first; s < slices + slice_count; s++)
            for (int at = 0; s->gpu == line % 2 && s->block == line / 2 && at < WIDTH; at++) {
                const double ns = from_ns + (to_ns - from_ns) * (at + 0.5) / WIDTH;
                text[at] = s->start_ns <= ns && ns < s->end_ns ? *s->what : text[at];
            }
        say("GPU %u block %u %s\n", line % 2, line / 2, text);
    }
}

/* A GPU is a process, a block is a thread; times in us. Numbers from 1000 on: number 3 would be
 * called the main thread of process 3. */
static inline void print_slices(void) {
    double first_ns = INFINITY;
    printf("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    for (unsigned gpu = 0; gpu < 2; gpu++)
        printf("{\"ph\": \"M\", \"pid\": %u, \"name\": \"process_name\", \"args\": "
               "{\"name\": \"GPU %u\"}},\n",
               gpu, gpu);
    for (const struct slice *s = slices; s < slices + slice_count; s++)
        first_ns = fmin(first_ns, s->start_ns);
    for (const struct slice *s = slices; s < slices + slice_count; s++)
        printf("{\"ph\": \"X\", \"pid\": %u, \"tid\": %u, \"name\": \"%s\", \"ts\": %.4f, "
               "\"dur\": %.4f}%s\n",
               s->gpu, 1000 + s->block, s->what, (s->start_ns - first_ns) / 1e3,
               (s->end_ns - s->start_ns) / 1e3, s < slices + slice_count - 1 ? "," : "]}");
}

static inline void draw_rounds(void) {
    make_slices();
    draw_slices(2 * REDUCERS); /* behind the copy's */
    say("%s",
        "\nThe last all-reduce, on one time line: GPU 1 comes late (l). Each sends (s) a half, "
        "waits\n(w) for the other's, adds (a) and sends the sums, and waits (w) for the other's "
        "sums.\n");
    if (options.wants_trace)
        print_slices();
}
