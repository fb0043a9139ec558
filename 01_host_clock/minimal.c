// How long does a piece of work take, by the host's clock? And why is clock() the wrong one?
// Build: cc -O2 minimal.c -o minimal
// Run:   ./minimal
#define _POSIX_C_SOURCE 199309L // clock_gettime and nanosleep
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORK = 1000000 }; // calls. Try 1000
enum { SLEEP_MS = 20 };  // below 1000

// The time that passes. Its zero is somewhere in the past: only a difference means something.
static long long now_ns(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        perror("clock_gettime");
        exit(1);
    }
    return now.tv_sec * 1000000000LL + now.tv_nsec; // whole numbers: a double may lose digits
}

// The time for which processors work for this program. It stands still while the program sleeps.
static long long processor_ns(void) {
    return clock() * (1000000000LL / CLOCKS_PER_SEC);
}

int main(void) {
    long long start_ns = now_ns(), start_processor_ns = processor_ns();
    for (int i = 0; i < WORK; i++)
        rand(); // the compiler must not leave it out: each call changes the next one's result
    long long used_ns = processor_ns() - start_processor_ns;
    long long elapsed_ns = now_ns() - start_ns;
    // If the two differ much here, other programs had the processor for the rest.
    printf("%7d calls of rand(): clock_gettime %10.3f us, clock() %10.3f us\n", WORK,
           (double)elapsed_ns / 1e3, (double)used_ns / 1e3);

    const struct timespec pause = {0, SLEEP_MS * 1000000L};
    start_ns = now_ns();
    start_processor_ns = processor_ns();
    if (nanosleep(&pause, NULL) != 0) {
        perror("nanosleep");
        return 1;
    }
    used_ns = processor_ns() - start_processor_ns;
    elapsed_ns = now_ns() - start_ns;
    printf("%7d ms of sleep:     clock_gettime %10.3f us, clock() %10.3f us\n", SLEEP_MS,
           (double)elapsed_ns / 1e3, (double)used_ns / 1e3);
    return fflush(stdout) != 0; // 1 if printing failed
}
