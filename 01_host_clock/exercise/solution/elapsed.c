/* SPDX-License-Identifier: MIT
 *
 * Exercise: 01/elapsed
 * The answer. What changes: diff ../elapsed.c elapsed.c */
#define _GNU_SOURCE /* all clocks */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static void work(void) {
    for (int i = 0; i < 20000; i++)
        rand();
    if (nanosleep(&(struct timespec){0, 2000000}, NULL) != 0) {
        perror("nanosleep");
        exit(1);
    }
}

int main(void) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    work();
    clock_gettime(CLOCK_MONOTONIC, &end);
    const long long elapsed_ns =
        (end.tv_sec - start.tv_sec) * 1000000000LL + (end.tv_nsec - start.tv_nsec);
    printf("during the work %.3f us pass\n", (double)elapsed_ns / 1e3);
    return fflush(stdout) != 0;
}
