/* SPDX-License-Identifier: MIT
 * How every program ends: an exit code, one line that says why, and a checked stdout. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 0: measured, and the numbers are possible. 77 is what CTest counts as skipped. */
enum { EXIT_FAILED = 1, EXIT_BAD_USAGE = 2, EXIT_NO_DEVICE = 77 };
static const char *program_name = "";

/* Where results go: words and tables for people, the record for programs. NULL: not wanted. */
static FILE *table_file, *record_file;

/* Prints "program: message" as one line on stderr and exits with `code`. */
__attribute__((noreturn, format(printf, 2, 3))) static inline void fail(int code,
                                                                        const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(code);
}

/* `bytes` of memory, all 0. Exits with 1 if there are none; `what` says what they are for. */
static inline void *new_memory(size_t bytes, const char *what) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        fail(EXIT_FAILED, "no host memory for %s", what);
    return memset(memory, 0, bytes);
}

/* At exit, so that no program has to ask: a full disk must not pass for a result. */
static inline void check_written(void) {
    const bool record = record_file && (fflush(record_file) != 0 || ferror(record_file));
    if (!record && fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "%s: cannot write %s\n", program_name,
            record && record_file != stdout ? "the record" : "to stdout");
    _exit(EXIT_FAILED);
}

/* First in every program: with stdout closed, the next file to be opened would get the results. */
static inline void set_up_output(const char *program) {
    program_name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
        fail(EXIT_FAILED, "stdout is closed: %s", strerror(errno));
    table_file = stdout;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error message, not a signal */
    atexit(check_written);
}
