/* SPDX-License-Identifier: MIT
 *
 * How fast does the SMs' clock run after a pause, and when is it steady?
 *
 * Measures: the rate of one SM's clock against the GPU's timer, a millisecond each, --runs times, after
 *   three seconds in which the GPU had nothing to do.
 * Does not measure: a GPU that is hot or at its power limit. One thread does not make it so.
 *
 * Build: nvcc -O2 -arch=native -I../../common clock_ramp.cu -o clock_ramp
 * Run:   ./clock_ramp
 * Try:   ./clock_ramp --csv        every sample; on a laptop, once with and once without its charger
 */
#include <math.h>

#include "../../04_cuda_events/spin.h"
#include "clock.h"
#include "cuda_device.h"

static const time_t idle_s = 3; /* the pause */
static const double near_percent = 1;
enum { SHOWN = 20 /* rows of the table; the record has all */ };

struct rate {
    long long clocks;
    unsigned long long ns;
};

/* One millisecond by the timer, and how often the SM's clock ticked meanwhile. */
static __global__ void count_clocks(struct rate *rate) {
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    unsigned long long ns;
    do
        ns = globaltimer_ns() - start_ns;
    while (ns < 1000000);
    rate->clocks = clock64() - start_clock;
    rate->ns = ns;
}

/* One sample, in MHz. Exits with 1 if the clock stands, or the timer ran faster than the host's. */
static double clock_mhz(struct rate *device_rate) {
    struct rate rate;
    const int64_t start_ns = now_ns();
    count_clocks<<<1, 1>>>(device_rate);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&rate, device_rate, sizeof rate, cudaMemcpyDeviceToHost));
    const double mhz = (double)rate.clocks * 1e3 / (double)rate.ns;
    const double host_ns = (double)(now_ns() - start_ns);
    if (mhz <= 0 || (double)rate.ns > 1.01 * host_ns)
        fail(EXIT_FAILED, "impossible: %lld clocks in %llu ns, while the host waited %.0f ns",
             rate.clocks, rate.ns, host_ns);
    return mhz;
}

int main(int argc, char **argv) {
    const struct timespec pause = {idle_s, 0};
    static double since_ms[MAX_RUNS], mhz[MAX_RUNS];
    struct rate *rate;
    options.device = "";
    options.runs = 400;
    parse_options(argc, argv, "How fast does the SMs' clock run after a pause?");
    open_cuda();
    const int runs = (int)options.runs, last = runs - 1, each = (runs + SHOWN - 1) / SHOWN;
    int steady = last;
    CHECK_CUDA(cudaMalloc((void **)&rate, sizeof *rate));

    clock_mhz(rate); /* its first launch, which loads it */
    if (nanosleep(&pause, NULL) != 0)
        fail(EXIT_FAILED, "nanosleep: %s", strerror(errno));
    const int64_t start_ns = now_ns();
    for (int i = 0; i < runs; i++) {
        since_ms[i] = (double)(now_ns() - start_ns) / 1e6;
        mhz[i] = clock_mhz(rate);
    }

    begin_table("The SMs' clock of %s after %lld s of nothing: %d samples, 1 in %d shown\n\n",
                machine.device, (long long)idle_s, runs, each);
    for (int i = 0; i < runs; i++) {
        number("since", "ms", 10, 2, since_ms[i]);
        number("clock", "MHz", 12, 0, mhz[i]);
        (i % each == 0 ? end_row : end_record_row)(false);
    }
    end_table();

    while (steady > 0 && fabs(mhz[steady - 1] / mhz[last] - 1) < near_percent / 100)
        steady--;
    value("begin", "mhz", mhz[0]);
    value("end", "mhz", mhz[last]);
    if (steady < runs * 7 / 8) {
        value("steady_from", "ms", since_ms[steady]);
        say("It began at %.0f MHz, and stayed within %.0f %% of %.0f MHz from %.1f ms on.\n",
            mhz[0], near_percent, mhz[last], since_ms[steady]);
    } else
        say("It began at %.0f MHz, and was not steady after %.0f ms: see --csv.\n", mhz[0],
            since_ms[last]);
    return EXIT_SUCCESS;
}
