/* SPDX-License-Identifier: MIT
 *
 * A launch has shells, and each clock sees one more of them. How thick is each?
 *
 * Measures: spin kernels of seven lengths, each by four clocks in turn: the kernel's own, an event
 *   pair behind a blocker less the floor, a plain event pair, the host's clock. What one clock says
 *   more than the one inside it is a shell.
 * Does not measure: inside the innermost shell, where a profiler sees the hardware's start and end
 *   (docs/accuracy.md).
 *
 * Build: nvcc -O2 -arch=native -I../common onion.cu -o onion
 * Run:   ./onion
 * Try:   ./onion --runs 1001        do the shells stay as they are?
 */
#include <stdint.h>
#include <stdio.h>

#include "blocker.h"
#include "cuda_device.h"
#include "host_clock.h"
#include "options.h"
#include "summary.h"

/* ---- The clocks, from the core outwards ---- */

static unsigned long long length_ns, *ran_ns; /* ran_ns: on the device */

static void launch_spin(void) {
    spin<<<1, 1>>>(length_ns, ran_ns);
    CHECK_CUDA(cudaGetLastError());
}

/* The kernel's own clock: how long the last spin says it ran. */
static double kernel_us(void) {
    unsigned long long ns;
    CHECK_CUDA(cudaMemcpy(&ns, ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    return (double)ns / 1e3;
}

/* Between two events that the device finds queued, one after the other: with the spin between them,
 * its launch and drain on the device; without, the events' own cost. */
static double blocked_pair_us(bool with_spin) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (with_spin)
        launch_spin();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* The same on an idle device: and the gap in which the host prepares the launch. Around all of it
 * the host's clock, in *host_us: and the way to the device and back. */
static double plain_pair_us(double *host_us) {
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch_spin();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return elapsed_us();
}

/* ---- The experiment ---- */

enum { KERNEL, NET, EVENT, HOST, CLOCKS };
static double samples_us[CLOCKS][MAX_RUNS];
static uint64_t timer_step_ns; /* of the kernel's own clock, by the times seen so far */

/* Every run goes through all clocks, so that each sees the device in the same state. A spin that
 * ran 5 us longer than it was told shared the device with somebody: that run is made again. */
static void measure(int runs, double floor_us) {
    for (int run = 0, disturbed = 0; run < runs; run++) {
        samples_us[NET][run] = blocked_pair_us(true) - floor_us;
        samples_us[KERNEL][run] = kernel_us();
        samples_us[EVENT][run] = plain_pair_us(&samples_us[HOST][run]);
        const double longest_us = fmax(samples_us[KERNEL][run], kernel_us());
        timer_step_ns = common_step_ns(timer_step_ns, (uint64_t)(longest_us * 1e3 + 0.5));
        if (longest_us * 1e3 > (double)length_ns + 5000) {
            if (++disturbed > runs)
                fail(EXIT_FAILED, "disturbed: a spin of %llu ns ran %.0f ns; is the device shared?",
                     length_ns, longest_us * 1e3);
            run--;
        }
    }
}

int main(int argc, char **argv) {
    struct summary s[CLOCKS];
    int disturbed_rows = 0;
    double x[SPINS], y[SPINS], least = 1e9, most = -1e9;
    struct options options = default_options("How thick is each shell of a launch?");
    options.has_device = true;
    options.runs = 101;
    parse_options(argc, argv, &options);
    const struct cuda_device device = choose_cuda_device(options.device);
    const int runs = (int)options.runs;
    set_up_blocker();
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));

    /* Every kernel once before the first blocker: see cuda_events.cu on lazy loading. */
    length_ns = 1000;
    plain_pair_us(&samples_us[HOST][0]);
    blocked_pair_us(true);
    for (int run = 0; run < runs; run++)
        samples_us[NET][run] = blocked_pair_us(false);
    const double floor_us = median(samples_us[NET], (size_t)runs);

    if (options.csv)
        printf("device,length_us,runs,kernel_us,net_us,net_p5_us,net_p95_us,floor_us,event_us,"
               "host_us,disturbed\n");
    else
        printf("Onion: spins of known length on %s; medians of %d runs, in us\n\n"
               "%9s %10s | %10s %10s %10s %10s | %10s\n%9s %10s | %10s %10s %10s %10s | %10s\n",
               device.name, runs, "", "core:", "+ device's", "+ events'", "+ host's", "+ way",
               "= host's", "spin told", "kernel", "launch", "own cost", "launch", "and back",
               "clock");

    for (int i = 0; i < SPINS; i++) {
        length_ns = spin_us[i] * 1000ull;
        measure(runs, floor_us);
        for (int c = 0; c < CLOCKS; c++)
            s[c] = summarize(samples_us[c], (size_t)runs);
        x[i] = s[KERNEL].median;
        y[i] = s[NET].median;
        const double shell_us = y[i] - x[i];
        if (y[i] <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us for %u us", y[i], spin_us[i]);
        least = shell_us < least ? shell_us : least;
        most = shell_us > most ? shell_us : most;
        const int disturbed = s[NET].disturbed | s[EVENT].disturbed | s[HOST].disturbed |
                              overhead_is_disturbed(s[HOST].median - s[KERNEL].median);
        disturbed_rows += disturbed;
        if (options.csv)
            printf("%s,%u,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%d\n", device.name, spin_us[i],
                   runs, x[i], y[i], s[NET].p5, s[NET].p95, floor_us, s[EVENT].median,
                   s[HOST].median, disturbed);
        else
            printf("%9u %10.2f | %10.2f %10.2f %10.2f %10.2f | %10.2f%s\n", spin_us[i], x[i],
                   shell_us, floor_us, s[EVENT].median - y[i] - floor_us,
                   s[HOST].median - s[EVENT].median, s[HOST].median, disturbed_word(disturbed));
        flush_stdout();
    }

    const struct line line = fit_line(x, y, SPINS);
    if (!options.csv)
        printf("\nThe blocked pair less its floor is %.5f x the kernel + %.2f us. That constant is "
               "no error: it is\nwhat the device takes to launch the kernel and to see it out, "
               "%.2f to %.2f us at every length.\n",
               line.slope, line.intercept, least, most);
    if (!options.csv && timer_step_ns > 100)
        printf("The kernel's own clock steps by %llu ns: a spin ran up to so much less than it "
               "says.\n",
               (unsigned long long)timer_step_ns);
    if (!options.csv)
        printf("%s", disturbed_verdict(disturbed_rows));
    flush_stdout();

    CHECK_CUDA(cudaFree(ran_ns));
    release_blocker();
    return EXIT_SUCCESS;
}
