/* SPDX-License-Identifier: MIT
 *
 * How every program ends: exit codes, the one line that says why, and a checked stdout. */
#ifndef COMMON_FAIL_H
#define COMMON_FAIL_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 0: measured, and the numbers are possible. 77 is what CTest and Automake count as skipped. */
enum { EXIT_FAILED = 1, EXIT_BAD_USAGE = 2, EXIT_NO_DEVICE = 77 };

/* Prints "program: message" as one line on stderr and exits with `code`. Does not return. */
__attribute__((format(printf, 2, 3), noreturn)) static inline void fail(int code,
                                                                        const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(code);
}

/* Call before anything is opened: with stdout closed, the next open() would be given its number,
 * and the results would be written into that file. Exits with 1 if stdout is closed. */
static inline void check_stdout(void) {
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
        fail(EXIT_FAILED, "stdout is closed: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error message, not a signal */
}

/* Sends what was printed on its way, so that a row appears when it was measured. Exits with 1 if
 * it cannot be written: a full disk must not pass for a result. */
static inline void flush_stdout(void) {
    if (fflush(stdout) != 0 || ferror(stdout))
        fail(EXIT_FAILED, "cannot write to stdout: %s", strerror(errno));
}

#endif
