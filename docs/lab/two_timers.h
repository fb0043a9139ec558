/* SPDX-License-Identifier: MIT
 *
 * The timers of two GPUs on one time line, that of the first: the offset by stamps that go there
 * and back, a line through the offsets, and how far off the line can be. For two_gpus.cu. */
#pragma once

#include "../../04_cuda_events/fit_line.h"
#include "summary.h"

enum { SWEEPS = 20 };

/* One stamp's way: sent by the first timer, seen there by the second, back by the first. */
struct way {
    uint64_t sent_ns, there_ns, back_ns;
};

struct timer_pair {
    bool is_peer;                 /* each sees the other's memory */
    unsigned long long *flags[2]; /* that each waits for: in its memory, or else in the host's */
    double tick_ns[2];
    int64_t zero_ns, offset_ns; /* when the first sweep was, by the first timer; the offset then */
    size_t ways;                /* of a sweep */
    struct way *way[SWEEPS];
    struct line line; /* what is to be added to offset_ns, in ns, over the seconds since zero_ns */
};

/* The second timer minus the first, and both its bounds, in ns from pair->offset_ns on. */
struct offset {
    double at_s, low_ns, middle_ns, high_ns;
};

/* The stamp was there after it was sent, and before it was back: so the offset is between there -
 * back and there - sent. Each stamp may be up to a tick too early. */
static inline struct offset get_offset(const struct timer_pair *pair, struct way way) {
    struct offset o;
    o.at_s = (double)((int64_t)way.sent_ns - pair->zero_ns) / 1e9;
    o.low_ns = (double)((int64_t)(way.there_ns - way.back_ns) - pair->offset_ns) - pair->tick_ns[0];
    o.high_ns =
        (double)((int64_t)(way.there_ns - way.sent_ns) - pair->offset_ns) + pair->tick_ns[1];
    o.middle_ns = (o.low_ns + o.high_ns) / 2;
    return o;
}

static inline double line_at(const struct timer_pair *pair, double at_s) {
    return pair->line.slope * at_s + pair->line.intercept;
}

/* Of a sweep's even ways the shortest; the odd ones check the line that goes through these. */
static inline struct way shortest_way(const struct timer_pair *pair, int sweep) {
    const struct way *ways = pair->way[sweep];
    size_t best = 0;
    for (size_t i = 2; i < pair->ways; i += 2)
        if (ways[i].back_ns - ways[i].sent_ns < ways[best].back_ns - ways[best].sent_ns)
            best = i;
    return ways[best];
}

/* The straight line through the offsets by least squares. A wide one, which was held up on its way,
 * weighs less: by the square of its width. */
static inline struct line fit_wide_and_narrow(const struct offset *offsets) {
    double sum = 0, mean_s = 0, mean_ns = 0, xx = 0, xy = 0;
    struct line line;
    for (const struct offset *o = offsets; o < offsets + SWEEPS; o++) {
        const double weight = pow(o->high_ns - o->low_ns, -2);
        sum += weight;
        mean_s += weight * o->at_s;
        mean_ns += weight * o->middle_ns;
    }
    mean_s /= sum;
    mean_ns /= sum;
    for (const struct offset *o = offsets; o < offsets + SWEEPS; o++) {
        const double weight = pow(o->high_ns - o->low_ns, -2);
        xx += weight * (o->at_s - mean_s) * (o->at_s - mean_s);
        xy += weight * (o->at_s - mean_s) * (o->middle_ns - mean_ns);
    }
    line.slope = xy / xx;
    line.intercept = mean_ns - line.slope * mean_s;
    return line;
}

/* Sets pair->line through each sweep's shortest way, and offsets[]. Returns how far the line can be
 * from the true offset, in ns. Between two sweeps this holds if the rate is steady there. */
static inline double fit_offsets(struct timer_pair *pair, struct offset *offsets) {
    double bound_ns = 0;
    const struct way first = shortest_way(pair, 0);
    pair->zero_ns = (int64_t)first.sent_ns;
    pair->offset_ns = (int64_t)(first.there_ns - first.sent_ns);
    for (int s = 0; s < SWEEPS; s++) {
        offsets[s] = get_offset(pair, shortest_way(pair, s));
        if (!(offsets[s].low_ns < offsets[s].high_ns))
            fail(EXIT_FAILED, "impossible: a stamp was back before it was sent");
    }
    pair->line = fit_wide_and_narrow(offsets);
    for (int s = 0; s < SWEEPS; s++) {
        bound_ns = fmax(bound_ns, offsets[s].high_ns - line_at(pair, offsets[s].at_s));
        bound_ns = fmax(bound_ns, line_at(pair, offsets[s].at_s) - offsets[s].low_ns);
    }
    return bound_ns;
}

/* A stamp of timer 0 or 1 on the time line of timer 0: ns since zero_ns. */
static inline double on_line(const struct timer_pair *pair, int timer, uint64_t stamp_ns) {
    if (timer == 0)
        return (double)((int64_t)stamp_ns - pair->zero_ns);
    const double ns = (double)((int64_t)stamp_ns - pair->offset_ns - pair->zero_ns);
    return ns - line_at(pair, ns / 1e9);
}

/* Whether, on that line, it was there before it was sent, or back before it was there. */
static inline bool is_early(const struct timer_pair *pair, struct way way) {
    const double there_ns = on_line(pair, 1, way.there_ns);
    return there_ns < on_line(pair, 0, way.sent_ns) - pair->tick_ns[1] ||
           on_line(pair, 0, way.back_ns) < there_ns - pair->tick_ns[0];
}
