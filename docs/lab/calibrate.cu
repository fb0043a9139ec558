/* SPDX-License-Identifier: MIT
 *
 * What can the clocks of this machine tell, and what do they cost?
 *
 * Measures: the rate and the tick of %globaltimer, and an SM's clock by it; in which steps an event
 *   pair sees a kernel get longer; what the pair itself, one more event, launch and drain, and the
 *   host's gap add; how far new processes lie apart.
 * Does not measure: your kernel; nor which clock is right. CLOCK_MONOTONIC_RAW runs as the host's
 *   crystal does; CLOCK_MONOTONIC is the same, kept to the time of day by a time service (NTP).
 *
 * Build: nvcc -O2 -arch=native -I../../common calibrate.cu -o calibrate
 * Run:   ./calibrate
 * Try:   ./calibrate --runs 1001    does repeating make event_step_ns smaller?
 *        ncu --profile-from-start off ./calibrate    an empty kernel, by Nsight Compute
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "calibrate.h"
#include "gpu_timer.h"

#include <cuda_profiler_api.h>

static const unsigned long long spin_ns = 10000;
/* Between two events: 'x' one more event, 'e' an empty kernel, 's' a spin; '-': no blocker. */
enum { FLOOR, EMPTY, SPIN, GAP, EVENT, EVENT_EMPTY, EMPTY_EVENT, EVENT_SPIN, SPIN_EVENT, PAIRS };
static const struct {
    const char *queue;
    int minus; /* the pair without what this one adds; floor: none */
    const char *quantity, *how;
} pairs[PAIRS] = {{"", FLOOR, "floor_us", "two events behind the blocker"},
                  {"e", FLOOR, "empty_us", "an empty kernel adds"},
                  {"s", FLOOR, "launch_drain_us", "a spin adds to its code"},
                  {"-s", SPIN, "launch_gap_us", "the same without the blocker adds"},
                  {"x", FLOOR, "event_us", "one more event adds"},
                  {"xe", EMPTY, "event_empty_us", "before an empty kernel it adds"},
                  {"ex", EMPTY, "empty_event_us", "behind an empty kernel it adds"},
                  {"xs", SPIN, "event_spin_us", "before a spin it adds"},
                  {"sx", SPIN, "spin_event_us", "behind a spin it adds"}};

static const char row_of_spins[IN_A_ROW + 1] = "ssssssssssssssss";
static cudaEvent_t between;
static unsigned long long *noted_ns; /* on the device: what a kernel notes */
static unsigned long long tick;      /* of %globaltimer, in ns */

static __global__ void empty(void) {
}

/* Microseconds that two events around `queue` show more than the spins' code took, for each spin.
 * *code_us: how long the code of one ran. */
static double extra_us(const char *queue, unsigned long long length_ns, double *code_us) {
    unsigned long long ran_ns[IN_A_ROW], all_ns = 0, spins = 0;
    const bool blocked = *queue != '-';
    CHECK_CUDA(cudaMemset(noted_ns, 0, sizeof ran_ns)); /* each spin must write its own anew */
    CHECK_CUDA(cudaDeviceSynchronize());
    if (blocked)
        close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (; *queue; queue++) {
        if (*queue == 'x')
            CHECK_CUDA(cudaEventRecord(between, 0));
        if (*queue == 'e')
            empty<<<1, 1>>>();
        if (*queue == 's')
            spin<<<1, 1>>>(length_ns, noted_ns + spins++);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(stop, 0));
    if (blocked)
        open_gate();
    CHECK_CUDA(cudaMemcpy(ran_ns, noted_ns, sizeof ran_ns, cudaMemcpyDeviceToHost));
    const double us = elapsed_us();
    for (unsigned i = 0; i < spins; i++) {
        all_ns += ran_ns[i];
        if (ran_ns[i] < length_ns || (double)all_ns / 1e3 > us + 2)
            fail(EXIT_FAILED, "impossible: spin %u of %llu ns ran %llu ns, in a pair of %g us",
                 i + 1, length_ns, ran_ns[i], us);
    }
    *code_us = (double)all_ns / 1e3 / (double)(spins ? spins : 1);
    return us / (double)(spins ? spins : 1) - *code_us;
}

static void set_up(void) {
    double code_us;
    open_cuda();
    set_up_blocked_pair();
    CHECK_CUDA(cudaEventCreate(&between));
    CHECK_CUDA(cudaMalloc((void **)&noted_ns, (TICKS + 1) * sizeof *noted_ns));
    note_time<<<1, 1>>>(noted_ns); /* the warm-up: see cuda_events.cu on lazy loading */
    CHECK_CUDA(cudaGetLastError());
    extra_us("-es", spin_ns, &code_us);
    tick = (unsigned long long)llround(tick_ns(noted_ns, NULL));
}

static void measure_lengths(size_t run) {
    double code_us;
    for (unsigned i = 0; i < LENGTHS; i++) {
        const unsigned l = length_in_turn(i, run);
        lengths[l].extra_us[run] = extra_us("s", spin_ns + l * tick, &code_us);
        lengths[l].pair_us[run] = lengths[l].extra_us[run] + code_us;
        lengths[l].row_extra_us[run] = extra_us(row_of_spins, spin_ns + l * tick, &code_us);
    }
}

static void measure_process(void *median_us) {
    set_up();
    for (size_t run = 0; run < (size_t)options.runs; run++)
        measure_lengths(run);
    *(double *)median_us = median_of_lengths((size_t)options.runs, true);
}

int main(int argc, char **argv) {
    static int64_t moments_ns[MAX_RUNS + 1][TIMERS];
    static double ticks_ns[MAX_RUNS], clocks_mhz[MAX_RUNS], all_us[PAIRS][MAX_RUNS],
        added_us[PAIRS][MAX_RUNS];
    double value_us[PAIRS], code_us;
    bool disturbed[PAIRS];
    options.device = "";
    options.runs = 101;
    add_option("processes", "measure in N new processes, too", &processes, MAX_RUNS);
    parse_options(argc, argv, "What can the clocks of this machine tell, and what do they cost?");
    measure_processes(measure_process);
    set_up();
    const size_t runs = (size_t)options.runs, half = (runs + 1) / 2;
    CHECK_CUDA(cudaProfilerStart());
    for (int i = 0; i < 20; i++) /* without the blocker: these a profiler can watch */
        extra_us("-e", spin_ns, &code_us);
    CHECK_CUDA(cudaProfilerStop());
    begin_table("Calibrate: the clocks of %s and of its host; medians of %zu runs\n"
                "Low to high: of runs the middle half, else all. Time: from event to event, behind "
                "the blocker\n\n",
                machine.device, runs);
    for (size_t run = 0; run < runs; run++) { /* in turns */
        take_moment(noted_ns, moments_ns[run]);
        ticks_ns[run] = tick_ns(noted_ns, &clocks_mhz[run]);
        for (int p = 0; p < PAIRS; p++) {
            all_us[p][run] = extra_us(pairs[p].queue, spin_ns, &code_us);
            added_us[p][run] = all_us[p][run] - (p > 0 ? all_us[pairs[p].minus][run] : 0);
        }
        measure_lengths(run);
    }
    take_moment(noted_ns, moments_ns[runs]);
    const bool shared = probe_sharing();
    print_rates(moments_ns, half, shared, "%globaltimer");
    print_row("timer_tick_ns", ticks_ns, runs, over_runs, shared, "the mean step of %globaltimer");
    const double mhz = print_row("sm_clock_mhz", clocks_mhz, runs, over_runs, shared,
                                 "the rate of an SM's clock, by %globaltimer");
    for (int p = 0; p < PAIRS; p++) {
        disturbed[p] = shared || summarize_us(all_us[p], runs).disturbed ||
                       (p > 0 && disturbed[pairs[p].minus]);
        value_us[p] =
            print_row(pairs[p].quantity, added_us[p], runs, over_runs, disturbed[p], pairs[p].how);
    }
    bool bad = shared;
    for (int l = 0; l < LENGTHS; l++)
        bad |= is_interrupted(median(lengths[l].row_extra_us, runs),
                              median(lengths[l].extra_us, runs));
    const double step_ns = print_lengths(runs, (double)tick, bad, true);
    end_table();
    const struct summary event = summarize(value_us + EVENT, PAIRS - EVENT, 0);
    value("event_adds_min", "us", event.min);
    value("event_adds_max", "us", event.max);
    say("One more event adds %.2f to %.2f us, wherever it stands. Subtract the floor, %.2f us.\n",
        event.min, event.max, value_us[FLOOR]);
    say_step(step_ns);
    say("An SM's clock ran at %.0f MHz, with one warp at work; %s.\n", mhz,
        shared ? "somebody else uses this GPU" : "no sign that somebody else uses this GPU");
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
