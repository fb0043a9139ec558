/* SPDX-License-Identifier: MIT
 *
 * Exercise: 01/median
 * How long does work() take, if another process interrupts now and then? Call it eleven times, and
 * print the median. This program prints the mean. Change main() only.
 *
 * In the number must be: the work. Not: an interruption of a few of the eleven calls.
 *
 * Copy:  cp 01_host_clock/exercise/median.c ~    in the suite's folder
 * Check: simulator/check ~/median.c         there, too
 * Build: cc -O2 median.c -o median               for a real machine */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 11 };

static void work(void) {
    for (int i = 0; i < 20000; i++)
        rand();
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void) {
    long long sum_ns = 0;
    for (int run = 0; run < RUNS; run++) {
        const long long start_ns = now_ns();
        work();
        sum_ns += now_ns() - start_ns;
    }
    printf("the work takes %.3f us\n", (double)sum_ns / 1e3 / RUNS);
    return fflush(stdout) != 0;
}
