/* SPDX-License-Identifier: MIT
 *
 * Exercise: 01/elapsed
 * How much time passes during work()? This program asks the wrong clock. Change main() only.
 *
 * In the number must be: the calls of rand(), and the sleep. It must also be right if the work
 * takes seconds, if somebody sets the time of day meanwhile, and if the clock's zero is in 1970.
 *
 * Copy:  cp 01_host_clock/exercise/elapsed.c ~    in the suite's folder
 * Check: simulator/check ~/elapsed.c         there, too
 * Build: cc -O2 elapsed.c -o elapsed              for a real machine */
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
    const clock_t start = clock();
    work();
    const clock_t end = clock();
    printf("during the work %.3f us pass\n", (double)(end - start) * 1e6 / CLOCKS_PER_SEC);
    return fflush(stdout) != 0;
}
