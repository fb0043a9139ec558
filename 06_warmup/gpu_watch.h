/* SPDX-License-Identifier: MIT
 *
 * The GPUs before, during and after a command: what was least, what greatest. A file to copy, with
 * gpu_state.h, gpu_users.h and cpu_state.h. */
#pragma once

#include "gpu_users.h"

enum { MAX_GPUS = 32 };
enum when { BEFORE, DURING, AFTER };
enum what { SM, MEMORY, POWER, TEMPERATURE, BUSY, OTHERS, WHATS };
static const char *const when_words[] = {" before, ", " during, ", " after"};
struct range {
    unsigned least, greatest;
};
static struct gpu {
    char name[96];
    struct gpu_state state[3];
    struct range seen[3][WHATS];
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
static inline void look(enum when when) {
    for (struct gpu *gpu = gpus; gpu < gpus + gpu_count; gpu++) {
        struct gpu_state now;
        read_gpu_state(gpu->name, &now);
        gpu->state[when] = now;
        const unsigned values[WHATS] = {now.sm_mhz,         now.memory_mhz,
                                        in_w(now.power_mw), now.temperature_c,
                                        now.busy_percent,   count_others(gpu->name, &gpu->old)};
        for (int w = 0; w < WHATS; w++) {
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

/* The value before, during and after the command, or only before. */
static inline void print_range(FILE *out, const struct gpu *gpu, enum when last, const char *name,
                               enum what what) {
    fprintf(out, "gpu %s %s: ", gpu->name, name);
    if (gpu->seen[BEFORE][what].least == NOT_SEEN && gpu->seen[DURING][what].least == NOT_SEEN)
        last = BEFORE; /* it is said once */
    for (int when = BEFORE; when <= (int)last; when++) {
        const struct range r = gpu->seen[when][what];
        print_seen(out, "", r.least != NOT_SEEN, r.least == r.greatest ? "%u" : "%u to %u", r.least,
                   r.greatest);
        fputs(last == AFTER ? when_words[when] : "", out);
    }
}

static inline void print_reasons(FILE *out, const struct gpu *gpu, enum when last) {
    fprintf(out, "gpu %s held back by: ", gpu->name);
    if (gpu->reasons[BEFORE] == NOT_SEEN_LONG && gpu->reasons[DURING] == NOT_SEEN_LONG)
        last = BEFORE;
    for (int when = BEFORE; when <= (int)last; when++) {
        const unsigned long long all = gpu->reasons[when];
        print_seen(out, "", all != NOT_SEEN_LONG, "%s", all ? "" : "nothing");
        for (unsigned bit = 0; bit < 64 && all != NOT_SEEN_LONG; bit++)
            if (all >> bit & 1)
                fprintf(out, "%s%s", gpu_reason(bit), all >> bit > 1 ? " and " : "");
        fputs(last == AFTER ? when_words[when] : "", out);
    }
    fputc('\n', out);
}

/* `last`: AFTER, or BEFORE, if there was no command. */
static inline void print_gpu(FILE *out, const struct gpu *gpu, enum when last) {
    static const char *const modes[] = {"off", "on", "not to be seen here"};
    const struct gpu_state *s = &gpu->state[BEFORE];
    print_range(out, gpu, last, "SM clock (MHz)", SM);
    print_seen(out, "; at most ", s->sm_most_mhz != NOT_SEEN, "%u", s->sm_most_mhz);
    fputc('\n', out);
    print_range(out, gpu, last, "memory clock (MHz)", MEMORY);
    fputc('\n', out);
    print_range(out, gpu, last, "power (W)", POWER);
    print_seen(out, "; limit ", s->power_limit_mw != NOT_SEEN, "%u", in_w(s->power_limit_mw));
    fputc('\n', out);
    print_range(out, gpu, last, "temperature (C)", TEMPERATURE);
    print_seen(out, "; slower from ", s->slowdown_c != NOT_SEEN, "%u", s->slowdown_c);
    fputc('\n', out);
    print_reasons(out, gpu, last);
    print_range(out, gpu, last, "in use (% of the last second)", BUSY);
    fputc('\n', out);
    print_range(out, gpu, last, "other processes", OTHERS);
    fprintf(out, "\ngpu %s modes: MIG %s, ECC %s, persistence %s\n", gpu->name,
            modes[s->mig < 2 ? s->mig : 2], modes[s->ecc < 2 ? s->ecc : 2],
            modes[s->persistence < 2 ? s->persistence : 2]);
}
