/* SPDX-License-Identifier: MIT
 *
 * What can the clocks of this machine tell, and what do they cost?
 *
 * Measures: the rate and the tick of %globaltimer; in which steps an event pair sees a kernel get
 *   longer; what the pair itself, one more event, launch and drain, and the host's gap add.
 * Does not measure: your kernel; nor which clock is right. CLOCK_MONOTONIC_RAW runs as the host's
 *   crystal does; CLOCK_MONOTONIC is the same, kept to the time of day by a time service (NTP).
 *
 * Build: nvcc -O2 -arch=native -I../../common calibrate.cu -o calibrate
 * Run:   ./calibrate
 * Try:   ./calibrate --runs 1001    does repeating make event_step_ns smaller?
 *        ncu --profile-from-start off ./calibrate    an empty kernel, by Nsight Compute
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "gpu_timer.h"
#include "summary.h"

#include <cuda_profiler_api.h>

enum { LENGTHS = 24, IN_A_ROW = 16 };
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

static cudaEvent_t between;
static unsigned long long *noted_ns; /* on the device: what a kernel notes */

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
    for (unsigned i = 0; i < spins; i++)
        if (ran_ns[i] < length_ns || (double)(all_ns += ran_ns[i]) / 1e3 > us + 2)
            fail(EXIT_FAILED, "impossible: spin %u of %llu ns ran %llu ns, in a pair of %g us",
                 i + 1, length_ns, ran_ns[i], us);
    *code_us = (double)all_ns / 1e3 / (double)(spins ? spins : 1);
    return us / (double)(spins ? spins : 1) - *code_us;
}

/* Returns the value: the median; of the rises the largest. `over`: what low and high are of. */
static double print_row(const char *quantity, double *samples, size_t count, const char *over,
                        bool disturbed, const char *how) {
    const size_t cut = strcmp(over, "runs") == 0 ? count / 4 : 0;
    const struct summary s = summarize(samples, count, 0);
    const double x = strcmp(over, "rises") == 0 ? s.max : s.median;
    label("quantity", 18, quantity);
    cell("value", "%9.3f", x);
    cell("low", "%9.3f", samples[cut]);
    cell("high", "%9.3f", samples[count - 1 - cut]);
    label("over", 7, over);
    label("how", 0, how);
    end_row(disturbed);
    return x;
}

int main(int argc, char **argv) {
    static int64_t moments_ns[MAX_RUNS + 1][TIMERS];
    static double ppm[MAX_RUNS], ticks_ns[MAX_RUNS], all_us[PAIRS][MAX_RUNS],
        added_us[PAIRS][MAX_RUNS], pair_us[LENGTHS][MAX_RUNS], more_us[LENGTHS][MAX_RUNS],
        row_us[LENGTHS][MAX_RUNS];
    double value_us[PAIRS], extra[LENGTHS], row_extra[LENGTHS], pair[LENGTHS], rise_ns[LENGTHS],
        code_us;
    bool disturbed[PAIRS], bad = false; /* a length is */
    options.device = "";
    options.runs = 101;
    parse_options(argc, argv, "What can the clocks of this machine tell, and what do they cost?");
    const struct cudaDeviceProp device = open_cuda();
    const size_t runs = (size_t)options.runs, half = (runs + 1) / 2;
    set_up_blocked_pair();
    CHECK_CUDA(cudaEventCreate(&between));
    CHECK_CUDA(cudaMalloc((void **)&noted_ns, TICKS * sizeof *noted_ns));
    note_time<<<1, 1>>>(noted_ns); /* the warm-up: see cuda_events.cu on lazy loading */
    CHECK_CUDA(cudaGetLastError());
    extra_us("-es", spin_ns, &code_us);
    CHECK_CUDA(cudaProfilerStart());
    for (int i = 0; i < 20; i++) /* without the blocker: these a profiler can watch */
        extra_us("-e", spin_ns, &code_us);
    CHECK_CUDA(cudaProfilerStop());
    const unsigned long long tick = (unsigned long long)llround(tick_ns(noted_ns));
    begin_table("Calibrate: the clocks of %s and of its host; medians of %zu runs\n"
                "low to high: the middle half of the runs; of lengths and rises all\n\n",
                device.name, runs);
    for (size_t run = 0; run < runs; run++) { /* in turns, the lengths not in their order */
        take_moment(noted_ns, moments_ns[run]);
        ticks_ns[run] = tick_ns(noted_ns);
        for (int p = 0; p < PAIRS; p++) {
            all_us[p][run] = extra_us(pairs[p].queue, spin_ns, &code_us);
            added_us[p][run] = all_us[p][run] - (p > 0 ? all_us[pairs[p].minus][run] : 0);
        }
        for (unsigned i = 0; i < LENGTHS; i++) {
            const unsigned l = (i * 7 + (unsigned)run * 5) % LENGTHS;
            more_us[l][run] = extra_us("s", spin_ns + l * tick, &code_us);
            pair_us[l][run] = more_us[l][run] + code_us;
            row_us[l][run] = extra_us("ssssssssssssssss", spin_ns + l * tick, &code_us);
        }
    }
    take_moment(noted_ns, moments_ns[runs]);
    const bool shared = probe_sharing();
    print_row("timer_rate_ppm", ppm, half, "runs",
              compare_rates(moments_ns, half, MONOTONIC, ppm) || shared,
              "%globaltimer is faster than CLOCK_MONOTONIC");
    print_row("timer_rate_raw_ppm", ppm, half, "runs",
              compare_rates(moments_ns, half, RAW, ppm) || shared,
              "%globaltimer is faster than CLOCK_MONOTONIC_RAW");
    print_row("timer_tick_ns", ticks_ns, runs, "runs", shared, "the mean step of %globaltimer");
    for (int p = 0; p < PAIRS; p++) {
        disturbed[p] = shared || summarize_us(all_us[p], runs).disturbed ||
                       (p > 0 && disturbed[pairs[p].minus]);
        value_us[p] =
            print_row(pairs[p].quantity, added_us[p], runs, "runs", disturbed[p], pairs[p].how);
    }
    for (int l = 0; l < LENGTHS; l++) {
        const struct summary more = summarize_us(more_us[l], runs),
                             row = summarize(row_us[l], runs, jitter_us / IN_A_ROW);
        extra[l] = more.median;
        row_extra[l] = row.median;
        pair[l] = median(pair_us[l], runs);
        rise_ns[l] = l > 0 ? round(1e3 * (pair[l] - pair[l - 1])) + 0.0 : 0; /* never -0 */
        bad |= shared || more.disturbed || row.disturbed || is_interrupted(row.median, more.median);
    }
    print_row("extra_us", extra, LENGTHS, "lengths", bad, "a pair around a spin minus its code");
    print_row("row_extra_us", row_extra, LENGTHS, "lengths", bad, "of each of 16 in a row");
    print_row("event_step_ns", rise_ns + 1, LENGTHS - 1, "rises", bad,
              "the pair rises when the spin gets a tick longer");
    end_table();
    const struct summary event = summarize(value_us + EVENT, PAIRS - EVENT, 0);
    value("event_adds_min", "us", event.min);
    value("event_adds_max", "us", event.max);
    say("One more event adds %.2f to %.2f us, wherever it stands, and the floor is %.2f us.\n"
        "In this run two kernels whose pairs differ by less than %.0f ns may be equally long.\n",
        event.min, event.max, value_us[FLOOR], rise_ns[LENGTHS - 1]);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
