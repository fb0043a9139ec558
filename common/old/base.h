/* SPDX-License-Identifier: MIT
 * Errors, memory and the host's clock. err() and errx() of <err.h> print one line on stderr, with
 * the program's name, and end the program. */
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

/* Runs at exit. If the disk is full, the program must not end as if it had written its results. */
static inline void check_written(void) {
    const bool record = fflush(record_file) != 0 || ferror(record_file);
    if (!record && fflush(stdout) == 0 && !ferror(stdout))
        return;
    warnx("cannot write %s", record && record_file != stdout ? "the record" : "to stdout");
    _exit(EXIT_FAILED);
}

/* `bytes` of memory, all 0. Writing it maps its pages before anything is timed. The empty asm hides
 * malloc(): otherwise a compiler may call calloc() for both, which may write nothing. */
static inline void *new_memory(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        errx(EXIT_FAILED, "no host memory for %zu bytes", bytes);
    asm volatile("" : : "r"(memory) : "memory");
    return memset(memory, 0, bytes);
}

/* An integer: from 2^53 ns on, 104 days, a double cannot hold each nanosecond. */
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
