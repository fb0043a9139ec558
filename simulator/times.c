/* SPDX-License-Identifier: MIT
 *
 * The times of times.h, as SIMULATED_TIMES sets them: name=NS, name+NS and *N, with commas between. h200 sets many: the
 * GPU is then a model of a real one. list prints them all, as the program has them if nothing else is set. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

struct simulated_times simulated_ns = {
#define TIME(name, ns, what) ns,
#define RATE(name, value, what) value,
#include "times.h"
#undef TIME
#undef RATE
};

static const struct {
    const char *name, *what;
    int64_t *value;
    bool is_time;
} times[] = {
#define TIME(name, ns, what) {#name, what, &simulated_ns.name, true},
#define RATE(name, value, what) {#name, what, &simulated_ns.name, false},
#include "times.h"
#undef TIME
#undef RATE
};
enum { TIMES = sizeof times / sizeof times[0] };

__attribute__((noreturn)) static void refuse(const char *text, size_t length, const char *why) {
    fprintf(stderr, "simulation: SIMULATED_TIMES: '%.*s': %s\n", (int)length, text, why);
    _exit(2);
}

/* What the GPU is made after: docs/results/nvidia-h200, of which each number here meets a few; README.md has them side
 * by side. A step of its clocks is 1 ns, and its units count 2,000 clocks a us, where the H200 has 32 ns and 1,980: so
 * parts can say what a number is made of. */
static const char h200[] =
    "units=132,threads_a_unit=2048,blocks_a_unit=32,l2_kib=61440," /* as its driver says */
    /* cuda_events: host_no_sync; host_sync and event; event_floor; event_net of the spin; cpu_clock_asleep */
    "launch_call=4350,submit=300,latency=1500,wake=2000,fetch=250,event=1000,unit_0=0,launch=600,drain=375,"
    "asleep=78000,"
    /* warmup: first_launch; other_kernel_then_one. lazy_loading: EAGER */
    "load_first=20000,load_lazy=152000,load=6400,load_anew=6400,load_eager=5000,"
    /* block_clock: one block, of 256 and of 32 and 1,024 threads; a full device; the span; 16 times as many blocks */
    "read=10,barrier=0,barrier_alone=49,barrier_warp=1,barrier_first=300,neighbour=4,dispatch_100=68,neighbour_later=2,"
    "block=175,warp=11,"
    /* three_times: vector_add of 16,384 floats; of 2^24; of 2^20; row_slope */
    "memory=450,memory_1000000=287,l2_1000000=200,row_saves=60,"
    /* test/commands.cu: 1 MiB and 256 MiB */
    "memset_1000000=221,device_copy_1000000=466";

bool simulated_model;
__attribute__((weak)) const char *simulated_usual_times;

static void set_all(const char *text);

/* One of the list, which has `length` characters. */
static void set(const char *text, size_t length) {
    const size_t name = strcspn(text, "=+*,");
    const char operation = name < length ? text[name] : '\0', *digits = text + name + 1;
    const size_t count = operation ? strspn(digits, "0123456789") : 0;
    const bool for_all = operation == '*' && name == 0;
    bool found = for_all;
    if (length == strlen("h200") && !memcmp(text, "h200", length)) {
        simulated_model = true;
        set_all(h200);
        return;
    }
    if (!for_all && operation != '=' && operation != '+') refuse(text, length, "neither NAME=NS nor NAME+NS nor *N");
    for (int i = 0; i < TIMES && !found; i++)
        found = strlen(times[i].name) == name && !memcmp(times[i].name, text, name);
    if (!found) refuse(text, length, "no such time; SIMULATED_TIMES=list names them");
    if (count == 0 || count > 15 || name + 1 + count != length) refuse(text, length, "not a number of ns");
    const int64_t number = strtoll(digits, NULL, 10);
    for (int i = 0; i < TIMES; i++) {
        const bool it = strlen(times[i].name) == name && !memcmp(times[i].name, text, name);
        if (for_all && times[i].is_time && __builtin_mul_overflow(*times[i].value, number, times[i].value))
            refuse(text, length, "too much");
        if (it) *times[i].value = operation == '=' ? number : *times[i].value + number;
    }
}

static void set_all(const char *text) {
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strcmp(at, "list") == 0) {
            for (int i = 0; i < TIMES; i++)
                printf("%s %" PRId64 " %s\n", times[i].name, *times[i].value, times[i].what);
            fflush(stdout);
            _exit(0);
        }
        if (*at && *at != ',') set(at, strcspn(at, ","));
    }
}

int simulated_noise_factor;

/* SIMULATED_NOISE=N: N times the noise of times.h. */
__attribute__((constructor(101))) static void set_noise(void) {
    const char *text = getenv("SIMULATED_NOISE");
    if (!text || !*text) return;
    const size_t length = strlen(text);
    if (length > 9 || strspn(text, "0123456789") != length) {
        fprintf(stderr, "simulation: SIMULATED_NOISE: '%s': not a number\n", text);
        _exit(2);
    }
    simulated_noise_factor = atoi(text);
}

/* Before main(), and before the machine makes its devices of them. */
__attribute__((constructor(101))) static void set_times(void) {
    const char *set = getenv("SIMULATED_TIMES"), *text = set ? set : simulated_usual_times;
    if (!text || !*text) return;
    if (strcmp(text, "list") == 0 && simulated_usual_times) set_all(simulated_usual_times);
    set_all(text);
    for (int i = 0; i < TIMES; i++) {
        const size_t length = strlen(times[i].name);
        const bool divides = length >= 4 && strcmp(times[i].name + length - 4, "tick") == 0;
        if (*times[i].value < 1 && (divides || !times[i].is_time || times[i].value == &simulated_ns.slice))
            refuse(times[i].name, length, "must be 1 or more");
    }
}
