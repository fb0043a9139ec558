/* SPDX-License-Identifier: MIT
 *
 * What can the clocks of this machine tell, and what do they cost?
 *
 * Measures: the tick of %globaltimer; in which steps an event pair sees a kernel get longer; what
 *   the pair itself, one more event, launch and drain add; how far new processes lie apart.
 * Does not measure: your kernel, nor the rate of an SM's clock (sm_counters.cu).
 *
 * Build: nvcc -O2 -arch=native -I../../common calibrate.cu -o calibrate
 * Run:   ./calibrate
 * Try:   ./calibrate --runs 1001    does repeating make event_step_ns smaller?
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "../../04_cuda_events/fit_line.h"
#include "../../06_warmup/cold.h" /* in_new_process() */

enum { TICKS = 500, SPIN_NS = 10000, LENGTHS = 24, IN_A_ROW = 16 };
enum { FLOOR, EMPTY, SPIN, EVENT, EVENT_EMPTY, EMPTY_EVENT, EVENT_SPIN, SPIN_EVENT, PAIRS };
static const struct {
    const char *queue, *quantity, *how; /* 'x': one more event, 'e': an empty kernel, 's': a spin */
    int minus;                          /* the pair without what this one adds; floor: none */
} pairs[PAIRS] = {{"", "floor_us", "two events behind the blocker", FLOOR},
                  {"e", "empty_us", "an empty kernel adds", FLOOR},
                  {"s", "launch_drain_us", "a spin adds to its code", FLOOR},
                  {"x", "event_us", "one more event adds", FLOOR},
                  {"xe", "event_empty_us", "before an empty kernel it adds", EMPTY},
                  {"ex", "empty_event_us", "behind an empty kernel it adds", EMPTY},
                  {"xs", "event_spin_us", "before a spin it adds", SPIN},
                  {"sx", "spin_event_us", "behind a spin it adds", SPIN}};

/* Of spins, each a tick longer than the one before: the time around one, by how much it exceeds the
 * time of the code, and the same for each of IN_A_ROW in a row. */
static double pair_us[LENGTHS][MAX_RUNS], alone_us[LENGTHS][MAX_RUNS], row_us[LENGTHS][MAX_RUNS];

static cudaEvent_t between;
static unsigned long long *noted_ns; /* on the device: what a kernel notes */
static double tick_ns;               /* of %globaltimer */

static __global__ void empty(void) {
}

/* By how much %globaltimer goes on, each time that it does. */
static __global__ void note_steps(unsigned long long *steps_ns) {
    for (int i = 0; i < TICKS; i++) {
        unsigned long long ns, last_ns = globaltimer_ns();
        while ((ns = globaltimer_ns()) == last_ns)
            continue;
        steps_ns[i] = ns - last_ns;
    }
}

/* The tick may be no whole number: 52.08 shows as 52 and 53. A late reading shows several ticks. */
static double measure_tick_ns(void) {
    unsigned long long steps_ns[TICKS], least_ns = ~0ull, all_ns = 0, ticks = 0;
    note_steps<<<1, 1>>>(noted_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(steps_ns, noted_ns, sizeof steps_ns, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TICKS; i++)
        least_ns = steps_ns[i] < least_ns ? steps_ns[i] : least_ns;
    if (least_ns < 1 || least_ns > 1000000)
        fail(EXIT_FAILED, "impossible: %%globaltimer goes on by %llu ns", least_ns);
    for (int i = 0; i < TICKS; i++) {
        ticks += (steps_ns[i] + least_ns / 2) / least_ns;
        all_ns += steps_ns[i];
    }
    return (double)all_ns / (double)ticks;
}

/* Microseconds that two events around `queue` show more than the spins' code took, for each spin.
 * *code_us: how long the code of one ran. */
static double extra_us(const char *queue, unsigned long long length_ns, double *code_us) {
    unsigned long long ran_ns[IN_A_ROW], all_ns = 0, spins = 0;
    CHECK_CUDA(cudaMemset(noted_ns, 0, sizeof ran_ns)); /* each spin must write its own anew */
    CHECK_CUDA(cudaDeviceSynchronize());
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
    open_cuda();
    set_up_blocked_pair();
    CHECK_CUDA(cudaEventCreate(&between));
    CHECK_CUDA(cudaMalloc((void **)&noted_ns, TICKS * sizeof *noted_ns));
    empty<<<1, 1>>>(); /* the warm-up: see cuda_events.cu on lazy loading */
    CHECK_CUDA(cudaGetLastError());
    spin<<<1, 1>>>(SPIN_NS, noted_ns);
    CHECK_CUDA(cudaGetLastError());
    tick_ns = measure_tick_ns();
}

static void measure_lengths(size_t run) {
    double code_us;
    for (unsigned i = 0; i < LENGTHS; i++) { /* in another order in each run */
        const unsigned l = (i * 11 + (unsigned)run * 3) % LENGTHS;
        const unsigned long long length_ns = (unsigned long long)(SPIN_NS + l * tick_ns);
        alone_us[l][run] = extra_us("s", length_ns, &code_us);
        pair_us[l][run] = alone_us[l][run] + code_us;
        row_us[l][run] = extra_us("ssssssssssssssss", length_ns, &code_us);
    }
}

static void measure_process(void *median_us) {
    double medians_us[LENGTHS];
    set_up();
    for (size_t run = 0; run < (size_t)options.runs; run++)
        measure_lengths(run);
    for (int l = 0; l < LENGTHS; l++)
        medians_us[l] = median(row_us[l], (size_t)options.runs);
    *(double *)median_us = median(medians_us, LENGTHS);
}

/* Prints and returns the median. Low to high: of runs the middle half, of anything else all. */
static double print_row(const char *quantity, double *samples, size_t count, const char *over,
                        bool disturbed, const char *how) {
    const size_t cut = strcmp(over, "runs") == 0 ? count / 4 : 0;
    label("quantity", 20, quantity);
    cell("value", "%9.3f", median(samples, count)); /* which sorts them */
    cell("low", "%9.3f", samples[cut]);
    cell("high", "%9.3f", samples[count - 1 - cut]);
    label("over", 9, over);
    label("how", 43, how);
    end_row(disturbed);
    return median(samples, count);
}

/* How far the times of all lengths lie from a straight line: of steps of h the standard deviation
 * is h / sqrt(12). Returns h in ns. */
static double step_of_ns(const double us[LENGTHS]) {
    double length[LENGTHS], squares = 0;
    for (int l = 0; l < LENGTHS; l++)
        length[l] = l;
    const struct line line = fit_line(length, us, LENGTHS);
    for (int l = 0; l < LENGTHS; l++)
        squares += pow(us[l] - line.slope * l - line.intercept, 2);
    return 1e3 * sqrt(12 * squares / (LENGTHS - 2));
}

/* Five rows. Returns the step in ns, which is a tick at least. NaN: it is disturbed, or less than
 * what looks like a step in noise, by which two halves of the runs differ. */
static double print_lengths(size_t runs, bool disturbed, double *process_us, size_t processes) {
    double extra[LENGTHS], row_extra[LENGTHS], pair[LENGTHS], noise[LENGTHS];
    bool row_disturbed = disturbed;
    for (int l = 0; l < LENGTHS; l++) {
        const struct summary one = summarize_us(alone_us[l], runs),
                             row = summarize(row_us[l], runs, jitter_us / IN_A_ROW);
        extra[l] = one.median;
        row_extra[l] = row.median;
        noise[l] = runs < 2 ? NAN /* there are no halves */
                            : median(pair_us[l], runs - runs / 2) / 2 -
                                  median(pair_us[l] + runs - runs / 2, runs / 2) / 2;
        pair[l] = median(pair_us[l], runs);
        disturbed |= one.disturbed || is_interrupted(row.median, one.median);
        row_disturbed |= row.disturbed || is_interrupted(row.median, one.median);
    }
    double noise_ns = step_of_ns(noise), step_ns = NAN;
    print_row("extra_us", extra, LENGTHS, "lengths", disturbed, "a spin's time minus its code's");
    print_row("row_extra_us", row_extra, LENGTHS, "lengths", row_disturbed,
              "the same for each of 16 spins in a row");
    if (runs >= 2) {
        step_ns = fmax(tick_ns, sqrt(fmax(0, pow(step_of_ns(pair), 2) - pow(noise_ns, 2))));
        print_row("event_step_ns", &step_ns, 1, "all", disturbed,
                  "in such steps a spin's time grows");
        print_row("step_noise_ns", &noise_ns, 1, "all", disturbed,
                  "noise looks like a step of so much");
    }
    print_row("process_row_extra_us", process_us, processes, "processes", row_disturbed,
              "row_extra_us in new processes");
    return !disturbed && step_ns > 2 * noise_ns ? step_ns : NAN;
}

int main(int argc, char **argv) {
    static double ticks_ns[MAX_RUNS], all_us[PAIRS][MAX_RUNS], added_us[PAIRS][MAX_RUNS],
        process_us[MAX_RUNS];
    double us[PAIRS], code_us;
    bool disturbed[PAIRS];
    long long processes = 5;
    options.device = "";
    options.runs = 101;
    add_option("processes", "measure in N new processes, too", &processes, MAX_RUNS);
    parse_options(argc, argv, "What can the clocks of this machine tell, and what do they cost?");
    for (int p = 0; p < processes; p++) /* before this one opens the device */
        in_new_process(measure_process, &process_us[p], sizeof process_us[p]);
    set_up();
    const size_t runs = (size_t)options.runs;
    begin_table("Calibrate: %s; medians of %zu runs; low to high: their middle half, else all\n\n",
                machine.device, runs);
    for (size_t run = 0; run < runs; run++) { /* in turns */
        ticks_ns[run] = measure_tick_ns();
        for (int p = 0; p < PAIRS; p++) {
            all_us[p][run] = extra_us(pairs[p].queue, SPIN_NS, &code_us);
            added_us[p][run] = all_us[p][run] - (p > 0 ? all_us[pairs[p].minus][run] : 0);
        }
        measure_lengths(run);
    }
    const bool shared = probe_sharing();
    print_row("timer_tick_ns", ticks_ns, runs, "runs", shared, "the mean step of %globaltimer");
    for (int p = 0; p < PAIRS; p++) {
        disturbed[p] = shared || summarize_us(all_us[p], runs).disturbed ||
                       (p > 0 && disturbed[pairs[p].minus]);
        us[p] = print_row(pairs[p].quantity, added_us[p], runs, "runs", disturbed[p], pairs[p].how);
    }
    const double step_ns = print_lengths(runs, shared, process_us, (size_t)processes);
    end_table();
    say("One more event adds at most %.2f us, wherever it stands. Subtract the floor, %.2f us.\n",
        value("event_adds_max", "us", summarize(us + EVENT, PAIRS - EVENT, 0).max), us[FLOOR]);
    if (!isnan(step_ns))
        say("Two kernels whose times differ by less than %.0f ns may be equally long.\n", step_ns);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
