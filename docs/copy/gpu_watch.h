/* SPDX-License-Identifier: MIT
 *
 * The GPUs before, during and after a command: what was least, what greatest. A file to copy, with
 * gpu_state.h, gpu_users.h and cpu_state.h. */
#pragma once

#include "gpu_users.h"

enum { MAX_GPUS = 32, BUSY_PERCENT = 5 /* more is a GPU in use */ };
enum moment { BEFORE, DURING, AFTER };
enum quantity { SM, MEMORY, POWER, TEMPERATURE, BUSY, OTHERS, QUANTITIES };
static const char *const when_words[] = {" before, ", " during, ", " after"};
struct range {
    unsigned least, greatest;
};
static struct gpu {
    char name[96];
    struct gpu_state state[3];
    struct range seen[3][QUANTITIES];
    unsigned long long reasons[3];
    struct pids old; /* the processes that used it before the command */
} gpus[MAX_GPUS];
static unsigned gpu_count;

/* Those that CUDA_VISIBLE_DEVICES leaves. CUDA, too, stops at the first that it does not find. */
static inline void list_gpus(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    memset(gpus, 0xff, sizeof gpus); /* NOT_SEEN, all of it */
    for (; gpu_count < MAX_GPUS; gpu_count++) {
        char *name = gpus[gpu_count].name;
        snprintf(name, sizeof gpus->name, "%u", gpu_count);
        if (visible) {
            snprintf(name, sizeof gpus->name, "%.*s", (int)strcspn(visible, ","), visible);
            visible += strcspn(visible, ",");
            visible += *visible == ',';
        }
        if (!find_gpu(name))
            return;
        gpus[gpu_count].old.count = 0;
    }
}

static inline unsigned in_w(unsigned mw) {
    return mw == NOT_SEEN ? NOT_SEEN : (mw + 500) / 1000;
}

/* The range of what was seen DURING the command; one look BEFORE and AFTER. */
static inline void look(enum moment when) {
    for (struct gpu *gpu = gpus; gpu < gpus + gpu_count; gpu++) {
        struct gpu_state now;
        read_gpu_state(gpu->name, &now);
        gpu->state[when] = now;
        const unsigned values[QUANTITIES] = {
            now.sm_mhz,        now.memory_mhz,   in_w(now.power_mw),
            now.temperature_c, now.busy_percent, count_others(gpu->name, &gpu->old)};
        for (int w = 0; w < QUANTITIES; w++) {
            struct range *r = &gpu->seen[when][w];
            if (when != DURING)
                r->least = r->greatest = values[w];
            else if (values[w] != NOT_SEEN && (r->least == NOT_SEEN || r->greatest < values[w]))
                r->greatest = values[w];
            if (values[w] < r->least)
                r->least = values[w];
        }
        if (when != DURING || gpu->reasons[when] == NOT_SEEN_LONG)
            gpu->reasons[when] = now.reasons;
        else if (now.reasons != NOT_SEEN_LONG)
            gpu->reasons[when] |= now.reasons;
    }
}

/* The words for a quantity; its name in the record, with its unit; what goes before its limit. */
static const struct {
    const char *words, *name, *unit, *limit;
} quantities[QUANTITIES] = {{"SM clock (MHz)", "sm_clock", "_mhz", "; at most "},
                            {"memory clock (MHz)", "memory_clock", "_mhz", NULL},
                            {"power (W)", "power", "_w", "; limit "},
                            {"temperature (C)", "temperature", "_c", "; slower from "},
                            {"in use (% of the last second)", "in_use", "_percent", NULL},
                            {"other processes", "other_processes", "", NULL}};

/* In the record a GPU is called by its place in the list, whatever its name. */
static inline int place(const struct gpu *gpu) {
    return (int)(gpu - gpus);
}

static inline void note_quantity(const struct gpu *gpu, enum quantity what, const char *when,
                                 unsigned value) {
    if (value != NOT_SEEN)
        note("gpu_%d_%s%s%s,%u", place(gpu), quantities[what].name, when, quantities[what].unit,
             value);
}

/* The value before, during and after the command, or only before. `last`: AFTER, or
 * BEFORE, if there was no command. */
static inline void print_quantity(const struct gpu *gpu, enum moment last, enum quantity what,
                                  unsigned limit) {
    const struct range during = gpu->seen[DURING][what];
    fprintf(out, "gpu %s %s: ", gpu->name, quantities[what].words);
    if (gpu->seen[BEFORE][what].least == NOT_SEEN && during.least == NOT_SEEN)
        last = BEFORE; /* it is said once */
    for (int when = BEFORE; when <= (int)last; when++) {
        const struct range r = gpu->seen[when][what];
        print_seen("", r.least != NOT_SEEN, r.least == r.greatest ? "%u" : "%u to %u", r.least,
                   r.greatest);
        fputs(last == AFTER ? when_words[when] : "", out);
    }
    if (quantities[what].limit)
        print_seen(quantities[what].limit, limit != NOT_SEEN, "%u", limit);
    fputc('\n', out);
    note_quantity(gpu, what, "", gpu->seen[BEFORE][what].least);
    note_quantity(gpu, what, "_least", during.least);
    note_quantity(gpu, what, "_greatest", during.greatest);
    note_quantity(gpu, what, "_after", gpu->seen[AFTER][what].least);
    note_quantity(gpu, what, "_limit", limit);
}

static inline void print_reasons(const struct gpu *gpu, enum moment last) {
    fprintf(out, "gpu %s held back by: ", gpu->name);
    if (gpu->reasons[BEFORE] == NOT_SEEN_LONG && gpu->reasons[DURING] == NOT_SEEN_LONG)
        last = BEFORE;
    for (int when = BEFORE; when <= (int)last; when++) {
        static const char *const names[] = {"", "_during", "_after"};
        const unsigned long long all = gpu->reasons[when];
        char text[LINE] = "", name[64];
        for (unsigned bit = 0; bit < 64 && all != NOT_SEEN_LONG; bit++)
            if (all >> bit & 1)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", gpu_reason(bit),
                         all >> bit > 1 ? " and " : "");
        snprintf(name, sizeof name, "gpu_%d_held_back_by%s", place(gpu), names[when]);
        print_text("", name, all != NOT_SEEN_LONG, all ? text : "nothing");
        fputs(last == AFTER ? when_words[when] : "", out);
    }
    fputc('\n', out);
}

static inline void print_mode(const struct gpu *gpu, const char *before, const char *name,
                              unsigned mode) {
    char whole[64];
    snprintf(whole, sizeof whole, "gpu_%d_%s", place(gpu), name);
    print_text(before, whole, mode < 2, mode == 1 ? "on" : "off");
}

static inline void print_gpu(const struct gpu *gpu, enum moment last) {
    const struct gpu_state *s = &gpu->state[BEFORE];
    note("gpu_%d,%s", place(gpu), gpu->name);
    print_quantity(gpu, last, SM, s->sm_most_mhz);
    print_quantity(gpu, last, MEMORY, NOT_SEEN);
    print_quantity(gpu, last, POWER, in_w(s->power_limit_mw));
    print_quantity(gpu, last, TEMPERATURE, s->slowdown_c);
    print_reasons(gpu, last);
    print_quantity(gpu, last, BUSY, NOT_SEEN);
    print_quantity(gpu, last, OTHERS, NOT_SEEN);
    fprintf(out, "gpu %s modes: ", gpu->name);
    print_mode(gpu, "MIG ", "mig", s->mig);
    print_mode(gpu, ", ECC ", "ecc", s->ecc);
    print_mode(gpu, ", persistence ", "persistence", s->persistence);
    fputc('\n', out);
}

/* ---- What disturbed ---- */

static inline bool was_in_use(const struct gpu *gpu) {
    const unsigned percent = gpu->state[BEFORE].busy_percent;
    return percent != NOT_SEEN && percent > BUSY_PERCENT;
}

/* A limit that was `seen` to hold the clock back. The driver may count for how long. */
static inline void judge_limit(const struct gpu *gpu, const char *limit, const char *name,
                               bool seen, unsigned long long from_ns, unsigned long long to_ns) {
    const bool counts = from_ns != NOT_SEEN_LONG && to_ns != NOT_SEEN_LONG && to_ns >= from_ns;
    const double ms = counts ? (double)(to_ns - from_ns) / 1e6 : 0;
    if (counts)
        note("gpu_%d_%s_limited_ms,%.1f", place(gpu), name, ms);
    if (ms > 0)
        DISTURBED("%s held the clock of gpu %s back for %.1f ms", limit, gpu->name, ms);
    else if (seen)
        DISTURBED("%s held the clock of gpu %s back", limit, gpu->name);
}

static inline void judge_gpu(const struct gpu *gpu, enum moment last) {
    const struct gpu_state *from = &gpu->state[BEFORE], *to = &gpu->state[AFTER];
    const unsigned long long seen = gpu->reasons[last == AFTER ? DURING : BEFORE];
    const unsigned long long limits = seen == NOT_SEEN_LONG ? 0 : seen & REASON_LIMITS;
    unsigned others = 0;
    for (int when = BEFORE; when <= AFTER; when++) {
        const struct range r = gpu->seen[when][OTHERS];
        others = r.greatest != NOT_SEEN && r.greatest > others ? r.greatest : others;
    }
    if (others > 0)
        DISTURBED("%u other process%s used gpu %s", others, others > 1 ? "es" : "", gpu->name);
    else if (was_in_use(gpu))
        DISTURBED("somebody used gpu %s before (%u %%)", gpu->name, from->busy_percent);
    judge_limit(gpu, "the power limit", "power", limits & REASON_POWER, from->power_limited_ns,
                to->power_limited_ns);
    judge_limit(gpu, "heat", "heat", limits & REASON_HEAT, from->heat_limited_ns,
                to->heat_limited_ns);
    for (unsigned bit = 0; bit < 64; bit++)
        if (limits >> bit & 1 && !((REASON_POWER | REASON_HEAT) >> bit & 1))
            judge_limit(gpu, gpu_reason(bit), "", true, NOT_SEEN_LONG, 0);
}
