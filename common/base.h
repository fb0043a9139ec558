/* SPDX-License-Identifier: MIT
 * Errors, memory, the host's clock, the vectors that most chapters add. err() and errx() of <err.h>
 * print one line on stderr, with the program's name, and end the program. */
#pragma once
#define _GNU_SOURCE 1 /* program_invocation_short_name, strsep(), strcasestr() */

#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* 0: measured, and the numbers are possible. 77: what CTest counts as skipped. */
enum { EXIT_FAILED = 1, EXIT_BAD_USAGE = 2, EXIT_NO_DEVICE = 77 };

static FILE *table_file, *record_file; /* for people; for programs (--csv): see report.h */

/* At exit, so that no program has to ask: a full disk must not pass for a result. */
static inline void check_written(void) {
    const bool record = fflush(record_file) != 0 || ferror(record_file);
    if (!record && fflush(stdout) == 0 && !ferror(stdout))
        return;
    warnx("cannot write %s", record && record_file != stdout ? "the record" : "to stdout");
    _exit(EXIT_FAILED);
}

/* `bytes` of memory, all 0, and touched: of calloc()'s, a timed run could be the first to touch. */
static inline void *new_memory(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        errx(EXIT_FAILED, "no host memory for %zu bytes", bytes);
    return memset(memory, 0, bytes);
}

/* In integers: beyond 2^53 ns, 104 days, a double skips some. */
static inline int64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The host's clock; chapter 01 says why it is this one. */
static inline int64_t now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

static inline void sleep_for_ns(int64_t ns) {
    const struct timespec pause = {ns / 1000000000, ns % 1000000000};
    if (ns > 0 && nanosleep(&pause, NULL) != 0)
        err(EXIT_FAILED, "nanosleep");
}

/* The work of chapters 02, 03, 04 and 06 is c = a + b. This is A, B, or C before it is written. The
 * sum is i, beyond 2^24 again from 0 on: a float holds these exactly. The caller frees it. */
enum { A, B, C };
static inline float *host_vector(unsigned v, size_t n) {
    float *host = (float *)new_memory(n * sizeof *host);
    for (size_t i = 0; i < n; i++)
        host[i] = v == A ? (float)(i % 4096) : v == B ? (float)(i / 4096 % 4096 * 4096) : -1;
    return host;
}

/* Exits with 1 unless c is a + b: then no time counts. */
static inline void check_sums(const float *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c[i] != (float)(i % (1 << 24)))
            errx(EXIT_FAILED, "vector_add is wrong at element %zu: %g, not %zu", i, (double)c[i],
                 i % (1 << 24));
}
