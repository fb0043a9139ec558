/* SPDX-License-Identifier: MIT
 *
 * A launch has shells, and each clock sees one more of them. How thick is each?
 *
 * Measures: spin kernels of seven lengths, each by four clocks in turn: the kernel's own, an event
 *   pair behind a blocker minus the floor, a plain event pair, the host's clock. What one clock
 *   says more than the one inside it is a shell.
 * Does not measure: launch and drain each for itself (drain.cu); more than one thread
 *   (three_times.cu).
 *
 * Build: nvcc -O2 -arch=native -I../../common onion.cu -o onion
 * Run:   ./onion
 * Try:   ./onion --runs 1001        do the shells stay as they are?
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "../../04_cuda_events/fit_line.h"
#include "clock.h"
#include "summary.h"

static const unsigned lengths_us[] = {1, 3, 10, 30, 100, 300, 1000};
enum { LENGTHS = sizeof lengths_us / sizeof lengths_us[0] };

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

/* Two events behind the blocker. Minus event_floor(), this adds the launch by the device, and the
 * drain: the device waits for all that the kernel wrote before it goes on. */
static double event_blocked(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch_spin();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* On an idle device. Adds the gap in which the host prepares the launch. Around all of it the
 * host's clock, in *host_us, adds the way to the device and back. */
static double event(double *host_us) {
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch_spin();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return elapsed_us();
}

/* ---- The experiment ---- */

enum { KERNEL, NET, FLOOR, EVENT, HOST, TIMES };
static double samples_us[TIMES][MAX_RUNS];
static uint64_t timer_step_ns, event_tick_ns; /* of the clocks, by the times seen so far */

/* Every run goes through all clocks, so that each sees the device in the same state. A spin that
 * ran 5 us longer than it was told shared the device with somebody: that run is made again. */
static void measure(int runs) {
    for (int run = 0, disturbed = 0; run < runs;) {
        samples_us[FLOOR][run] = event_floor();
        samples_us[NET][run] = event_blocked(); /* minus the floor, once its median is known */
        samples_us[KERNEL][run] = kernel_us();
        samples_us[EVENT][run] = event(&samples_us[HOST][run]);
        const double longest_us = fmax(samples_us[KERNEL][run], kernel_us());
        timer_step_ns = common_step_ns(timer_step_ns, (uint64_t)(longest_us * 1e3 + 0.5));
        event_tick_ns =
            common_step_ns(event_tick_ns, (uint64_t)(samples_us[EVENT][run] * 1e3 + 0.5));
        if (longest_us * 1e3 <= (double)length_ns + 5000)
            run++;
        else if (++disturbed > runs)
            fail(EXIT_FAILED, "disturbed: a spin of %llu ns ran %.0f ns; is the device shared?",
                 length_ns, longest_us * 1e3);
    }
}

int main(int argc, char **argv) {
    double kernels_us[LENGTHS], nets_us[LENGTHS], us[TIMES], least = INFINITY, most = -INFINITY;
    options.device = "";
    options.runs = 101;
    parse_options(argc, argv, "How thick is each shell of a launch?");
    const struct cudaDeviceProp device = open_cuda();
    const int runs = (int)options.runs;
    set_up_blocked_pair();
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));

    /* Every kernel once before the first blocker: see cuda_events.cu on lazy loading. */
    length_ns = 1000;
    event(&us[HOST]);
    event_blocked();

    begin_table("Onion: spins of known length on %s; medians of %d runs\n"
                "kernel: by %%globaltimer; each column after it is one more shell; host: all of "
                "them\n\n",
                device.name, runs);
    for (int i = 0; i < LENGTHS; i++) {
        bool disturbed = false;
        length_ns = lengths_us[i] * 1000ull;
        measure(runs);
        const double floor = median(samples_us[FLOOR], (size_t)runs);
        for (int run = 0; run < runs; run++)
            samples_us[NET][run] -= floor;
        for (int t = 0; t < TIMES; t++) {
            const struct summary s = summarize_us(samples_us[t], (size_t)runs);
            us[t] = s.median;
            disturbed |= s.disturbed;
        }
        kernels_us[i] = us[KERNEL];
        nets_us[i] = us[NET];
        least = fmin(least, nets_us[i] - kernels_us[i]);
        most = fmax(most, nets_us[i] - kernels_us[i]);
        if (nets_us[i] <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us for %u us", nets_us[i], lengths_us[i]);
        number("length", "us", 0, lengths_us[i]);
        number("kernel", "us", 2, us[KERNEL]);
        number("launch_and_drain", "us", 2, us[NET] - us[KERNEL]);
        number("floor", "us", 2, us[FLOOR]);
        number("host_launch", "us", 2, us[EVENT] - us[NET] - us[FLOOR]);
        number("way_and_back", "us", 2, us[HOST] - us[EVENT]);
        number("host", "us", 2, us[HOST]);
        end_row(disturbed || is_delayed(us[HOST] - us[KERNEL]));
    }
    end_table();

    const struct line line = fit_line(kernels_us, nets_us, LENGTHS);
    value("line_slope", "", line.slope);
    value("line_intercept", "us", line.intercept);
    value("launch_and_drain_min", "us", least);
    value("launch_and_drain_max", "us", most);
    value("event_tick", "ns", (double)event_tick_ns);
    value("timer_step", "ns", (double)timer_step_ns);
    say("kernel and launch_and_drain together are %.5f x the kernel + %.2f us: launch and drain\n"
        "take %.2f to %.2f us, whatever the length.\n",
        line.slope, line.intercept, least, most);
    say("Event times here are multiples of %llu ns; the manual says about 500 ns.\n",
        (unsigned long long)event_tick_ns);
    if (timer_step_ns > 100)
        say("%%globaltimer steps by %llu ns: a spin ran up to so much less than it says.\n",
            (unsigned long long)timer_step_ns);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
