/* SPDX-License-Identifier: MIT
 *
 * The timers of two GPUs on one time line, that of the first: offsets by stamps that go there and
 * back, straight lines from one to the next, and how far off these can be. For two_gpus.cu. */
#pragma once

#include "summary.h"

enum { SWEEPS = 20 };

/* One stamp's way: sent by the first timer, seen there by the second, back by the first. */
struct way {
    uint64_t sent_ns, there_ns, back_ns;
};

/* The second timer minus the first, and both its bounds, in ns from pair->offset_ns on. */
struct offset {
    double at_s, low_ns, middle_ns, high_ns;
};

struct timer_pair {
    bool is_peer;                 /* each sees the other's memory */
    unsigned long long *flags[2]; /* that each waits for: in its memory, or else in the host's */
    double tick_ns[2];
    int64_t zero_ns, offset_ns; /* when the first sweep was, by the first timer; the offset then */
    size_t ways;                /* of a sweep */
    struct way *way[SWEEPS];
    struct offset offsets[SWEEPS];
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

/* The offset at that moment, in ns from pair->offset_ns on: between two sweeps on a straight
 * line. */
static inline double offset_at(const struct timer_pair *pair, double at_s) {
    const struct offset *o = pair->offsets;
    while (o < pair->offsets + SWEEPS - 2 && o[1].at_s < at_s)
        o++;
    return o->middle_ns +
           (o[1].middle_ns - o->middle_ns) * (at_s - o->at_s) / (o[1].at_s - o->at_s);
}

/* Of a sweep's even ways the shortest; the odd ones check the offsets. */
static inline struct way shortest_way(const struct timer_pair *pair, int sweep) {
    const struct way *ways = pair->way[sweep];
    size_t best = 0;
    for (size_t i = 2; i < pair->ways; i += 2)
        if (ways[i].back_ns - ways[i].sent_ns < ways[best].back_ns - ways[best].sent_ns)
            best = i;
    return ways[best];
}

static inline double half_width(const struct offset *o) {
    return (o->high_ns - o->low_ns) / 2;
}

/* How far a sweep's offset is from the straight line between its neighbours. */
static inline double bend(const struct offset *o) {
    const double part = (o->at_s - o[-1].at_s) / (o[1].at_s - o[-1].at_s);
    return fabs(o->middle_ns - o[-1].middle_ns - part * (o[1].middle_ns - o[-1].middle_ns));
}

/* Sets pair->offsets by each sweep's shortest way. Returns how far offset_at() can be from the
 * truth, in ns: half the widest bounds, and between two sweeps a quarter of the bend, if the rate
 * changes evenly. *outside: the sweeps whose bend is more than their and their neighbours' bounds
 * allow. */
static inline double find_offsets(struct timer_pair *pair, int *outside) {
    const struct way first = shortest_way(pair, 0);
    struct offset *o = pair->offsets;
    double widest = 0, most_bent = 0;
    pair->zero_ns = (int64_t)first.sent_ns;
    pair->offset_ns = (int64_t)(first.there_ns - first.sent_ns);
    for (int s = 0; s < SWEEPS; s++) {
        o[s] = get_offset(pair, shortest_way(pair, s));
        if (!(o[s].low_ns < o[s].high_ns))
            fail(EXIT_FAILED, "impossible: a stamp was back before it was sent");
        widest = fmax(widest, half_width(&o[s]));
    }
    for (int s = 1; s < SWEEPS - 1; s++) {
        most_bent = fmax(most_bent, bend(&o[s]));
        *outside +=
            bend(&o[s]) > half_width(&o[s]) + fmax(half_width(&o[s - 1]), half_width(&o[s + 1]));
    }
    return widest + most_bent / 4;
}

/* Parts per million by which the second timer was faster from one sweep to another, and its
 * bounds. */
static inline struct offset drift_ppm(const struct timer_pair *pair, int from, int to) {
    const struct offset *a = &pair->offsets[from], *b = &pair->offsets[to];
    const double per_ns = 1e-3 / (b->at_s - a->at_s);
    return (struct offset){b->at_s, (b->low_ns - a->high_ns) * per_ns,
                           (b->middle_ns - a->middle_ns) * per_ns,
                           (b->high_ns - a->low_ns) * per_ns};
}

/* A stamp of timer 0 or 1 on the time line of timer 0: ns since zero_ns. */
static inline double on_line(const struct timer_pair *pair, int timer, uint64_t stamp_ns) {
    if (timer == 0)
        return (double)((int64_t)stamp_ns - pair->zero_ns);
    const double ns = (double)((int64_t)stamp_ns - pair->offset_ns - pair->zero_ns);
    return ns - offset_at(pair, ns / 1e9);
}

/* Whether, on that line, it was there before it was sent, or back before it was there. */
static inline bool is_early(const struct timer_pair *pair, struct way way) {
    const double there_ns = on_line(pair, 1, way.there_ns);
    return there_ns < on_line(pair, 0, way.sent_ns) - pair->tick_ns[1] ||
           on_line(pair, 0, way.back_ns) < there_ns - pair->tick_ns[0];
}
