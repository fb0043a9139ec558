/* SPDX-License-Identifier: MIT
 *
 * How right is the rate of the GPU's timer?
 *
 * Measures: a spin of 5 s by %globaltimer, by two clocks of the host around its launch and the wait
 *   for it. A spin of 0.1 s takes as long to launch and to wait for: the difference of the two is
 *   free of that, and what is left is the difference between the clocks' rates.
 * Does not measure: which clock is right. CLOCK_MONOTONIC_RAW runs as the host's crystal does;
 *   CLOCK_MONOTONIC is the same, kept to the time of day if the host has a time service (NTP).
 *
 * Build: nvcc -O2 -arch=native -I../../common timer_rate.cu -o timer_rate
 * Run:   ./timer_rate
 * Try:   ./timer_rate --runs 12        a minute: does the rate stay? It follows the temperature
 */
#include <stdint.h>
#include <time.h>

#include "../../04_cuda_events/spin.h"
#include "cuda_device.h"
#include "summary.h"

static const unsigned long long short_ns = 100000000, long_ns = 5000000000;
static const unsigned long long allowed_ns = 1000000000; /* the long one with a time limit */

enum { RAW, MONOTONIC, CLOCKS };
static const clockid_t clocks[] = {CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC};
static const char *const names[] = {"CLOCK_MONOTONIC_RAW", "CLOCK_MONOTONIC"};
static unsigned long long *ran_ns; /* on the device */

static int64_t read_ns(int clock) {
    struct timespec t;
    if (clock_gettime(clocks[clock], &t) != 0)
        fail(EXIT_FAILED, "%s: %s", names[clock], strerror(errno));
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Launches a spin and waits for it. Returns how long it ran by the GPU's timer; host_ns: how long all
 * of this took. Exits with 1 if no crystal could be as wrong as the two clocks differ. */
static int64_t time_spin(unsigned long long length_ns, int64_t host_ns[CLOCKS]) {
    int64_t start_ns[CLOCKS];
    unsigned long long gpu_ns;
    for (int clock = 0; clock < CLOCKS; clock++)
        start_ns[clock] = read_ns(clock);
    spin<<<1, 1>>>(length_ns, ran_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int clock = 0; clock < CLOCKS; clock++)
        host_ns[clock] = read_ns(clock) - start_ns[clock];
    CHECK_CUDA(cudaMemcpy(&gpu_ns, ran_ns, sizeof gpu_ns, cudaMemcpyDeviceToHost));
    for (int clock = 0; clock < CLOCKS; clock++)
        if (gpu_ns < length_ns || (double)gpu_ns > 1.01 * (double)host_ns[clock])
            fail(EXIT_FAILED, "impossible: a spin of %llu ns ran %llu ns in %lld ns of %s",
                 length_ns, gpu_ns, (long long)host_ns[clock], names[clock]);
    return (int64_t)gpu_ns;
}

int main(int argc, char **argv) {
    static double ppm[CLOCKS][MAX_RUNS];
    int64_t short_host_ns[CLOCKS], long_host_ns[CLOCKS];
    int index, has_limit;
    bool delayed = false;
    options.device = "";
    options.runs = 3;
    parse_options(argc, argv, "How right is the rate of the GPU's timer?");
    const struct cudaDeviceProp device = open_cuda();
    const size_t runs = (size_t)options.runs;
    CHECK_CUDA(cudaGetDevice(&index));
    CHECK_CUDA(cudaDeviceGetAttribute(&has_limit, cudaDevAttrKernelExecTimeout, index));
    const unsigned long long length_ns = has_limit ? allowed_ns : long_ns;
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));

    begin_table("Timer rate: spins of %g and %g s on %s; %zu runs%s\n"
                "By how many parts per million (ppm) the GPU's timer runs faster than the host's "
                "clock\n\n",
                (double)length_ns / 1e9, (double)short_ns / 1e9, device.name, runs,
                has_limit ? "\nThis GPU has a time limit for kernels: the long spin is a short one"
                          : "");
    time_spin(1000000, short_host_ns);        /* the warm-up */
    for (size_t run = 0; run < runs; run++) { /* in turns */
        const int64_t short_gpu_ns = time_spin(short_ns, short_host_ns);
        const int64_t long_gpu_ns = time_spin(length_ns, long_host_ns);
        const int64_t gpu_ns = long_gpu_ns - short_gpu_ns;
        for (int clock = 0; clock < CLOCKS; clock++) {
            const int64_t host_ns = long_host_ns[clock] - short_host_ns[clock];
            ppm[clock][run] = ((double)gpu_ns / (double)host_ns - 1) * 1e6;
            if (!(fabs(ppm[clock][run]) < 10000))
                fail(EXIT_FAILED, "disturbed: %lld ns by %s are %lld ns by the GPU's timer",
                     (long long)host_ns, names[clock], (long long)gpu_ns);
        }
        delayed |= is_delayed((double)(short_host_ns[MONOTONIC] - short_gpu_ns) / 1e3) ||
                   is_delayed((double)(long_host_ns[MONOTONIC] - long_gpu_ns) / 1e3);
    }
    struct summary s[CLOCKS];
    for (int clock = 0; clock < CLOCKS; clock++) {
        s[clock] = summarize(ppm[clock], runs, 0);
        cell("clock", -19, "%s", names[clock]);
        summary_cells("ppm", 12, s[clock]);
        /* no clock changes its rate so much from run to run: some waits took 100 us longer */
        end_row(delayed || s[clock].max - s[clock].min > 100000 / (double)length_ns * 1e6);
    }
    end_table();
    for (int clock = 0; clock < CLOCKS; clock++) /* 1 ppm is 1 ns in 1 ms */
        say("In 1 ms of %s the GPU's timer counts %.1f ns %s.\n", names[clock],
            fabs(s[clock].median), s[clock].median < 0 ? "less" : "more");
    const double spread = s[MONOTONIC].max - s[MONOTONIC].min;
    value("spread", "ppm", spread);
    if (runs > 1)
        say("The spread of the runs, %.1f ns of 1 ms, is how well this is known.\n", spread);
    return EXIT_SUCCESS;
}
