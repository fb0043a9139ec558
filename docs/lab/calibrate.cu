/* SPDX-License-Identifier: MIT
 *
 * What can the clocks of this machine tell, and what do they cost?
 *
 * Measures: the tick of %globaltimer; in which steps an event pair sees a kernel get longer; what
 *   the pair itself, one more event, preparation and drain add; how far new processes lie apart.
 * Does not measure: your kernel, nor the rate of an SM's clock (sm_counters.cu).
 *
 * Build: nvcc -O2 -arch=native -I../../common calibrate.cu -o calibrate
 * Run:   ./calibrate
 * Try:   ./calibrate --runs 1001    does repeating make event_step_ns smaller?
 */
#include "../../04_cuda_events/fit_line.h"
#include "../../06_warmup/cold.h" /* in_new_process() */
#include "blocked.h"

enum { TICKS = 500, SPIN_NS = 10000, LENGTHS = 24, IN_A_ROW = 16, PAIRS = 8 };

/* What is queued between two events: 'x' is one more event, 'e' an empty kernel, 's' a spin. */
static const struct quantity {
    const char *queue, *name, *how;
    const char *without; /* the queue without what this one adds; NULL: nothing is subtracted */
} quantities[PAIRS] = {{"", "floor_us", "two events behind the blocker", NULL},
                       {"e", "empty_us", "an empty kernel adds", ""},
                       {"s", "launch_drain_us", "a spin adds to its code", ""},
                       {"x", "event_us", "one more event adds", ""},
                       {"xe", "event_empty_us", "before an empty kernel it adds", "e"},
                       {"ex", "empty_event_us", "behind an empty kernel it adds", "e"},
                       {"xs", "event_spin_us", "before a spin it adds", "s"},
                       {"sx", "spin_event_us", "behind a spin it adds", "s"}};

/* The number of the quantity with this queue. */
static int with_queue(const char *queue) {
    int p = 0;
    while (strcmp(quantities[p].queue, queue) != 0)
        p++;
    return p;
}

/* ---- The kernels ---- */

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

/* ---- The measurements ---- */

struct experiment {
    struct blocked_pair pair;
    cudaEvent_t between;
    unsigned long long *noted_ns; /* on the device: what a kernel notes */
    double tick_ns;               /* of %globaltimer */
};

/* Of spins, each a tick longer than the one before: the time around one, by how much it exceeds the
 * time of the code, and the same for each of IN_A_ROW in a row. */
struct lengths {
    double pair_us[LENGTHS][MAX_RUNS], alone_us[LENGTHS][MAX_RUNS], row_us[LENGTHS][MAX_RUNS];
};

/* The tick may be no whole number: 52.08 shows as 52 and 53. A late reading shows several ticks. */
static double measure_tick_ns(const struct experiment *e) {
    unsigned long long steps_ns[TICKS], least_ns = ~0ull, all_ns = 0, ticks = 0;
    note_steps<<<1, 1>>>(e->noted_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(steps_ns, e->noted_ns, sizeof steps_ns, cudaMemcpyDeviceToHost));
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
static double extra_us(const struct experiment *e, const char *queue, unsigned long long length_ns,
                       double *code_us) {
    unsigned long long ran_ns[IN_A_ROW], all_ns = 0, spins = 0;
    CHECK_CUDA(cudaMemset(e->noted_ns, 0, sizeof ran_ns)); /* each spin must write its own anew */
    CHECK_CUDA(cudaDeviceSynchronize());
    hold_stream(&e->pair);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    for (; *queue; queue++) {
        if (*queue == 'x')
            CHECK_CUDA(cudaEventRecord(e->between, 0));
        if (*queue == 'e')
            empty<<<1, 1>>>();
        if (*queue == 's')
            spin<<<1, 1>>>(length_ns, e->noted_ns + spins++);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    release_stream(&e->pair);
    CHECK_CUDA(cudaMemcpy(ran_ns, e->noted_ns, sizeof ran_ns, cudaMemcpyDeviceToHost));
    const double us = elapsed_us(e->pair.start, e->pair.stop);
    for (unsigned i = 0; i < spins; i++) {
        all_ns += ran_ns[i];
        if (ran_ns[i] < length_ns || (double)all_ns / 1e3 > us + 2)
            fail(EXIT_FAILED, "impossible: spin %u of %llu ns ran %llu ns, in a pair of %g us",
                 i + 1, length_ns, ran_ns[i], us);
    }
    *code_us = (double)all_ns / 1e3 / (double)(spins ? spins : 1);
    return us / (double)(spins ? spins : 1) - *code_us;
}

static struct experiment set_up(void) {
    struct experiment e = {new_blocked_pair(), new_event(), NULL, 0};
    e.noted_ns = (unsigned long long *)new_on_device(TICKS * sizeof *e.noted_ns, NULL);
    empty<<<1, 1>>>(); /* the warm-up: see cuda_events.cu on lazy loading */
    CHECK_CUDA(cudaGetLastError());
    spin<<<1, 1>>>(SPIN_NS, e.noted_ns);
    CHECK_CUDA(cudaGetLastError());
    e.tick_ns = measure_tick_ns(&e);
    return e;
}

static void measure_lengths(const struct experiment *e, struct lengths *s, size_t run) {
    double code_us;
    for (unsigned i = 0; i < LENGTHS; i++) { /* in another order in each run */
        const unsigned l = (i * 11 + (unsigned)run * 3) % LENGTHS;
        const unsigned long long length_ns = (unsigned long long)(SPIN_NS + l * e->tick_ns);
        s->alone_us[l][run] = extra_us(e, "s", length_ns, &code_us);
        s->pair_us[l][run] = s->alone_us[l][run] + code_us;
        s->row_us[l][run] = extra_us(e, "ssssssssssssssss", length_ns, &code_us);
    }
}

struct process { /* what a new process gets, and what it answers */
    const char *device;
    size_t runs;
    struct lengths *lengths; /* its own copy */
    double row_extra_us;
};

static void measure_process(void *data) {
    struct process *p = (struct process *)data;
    double medians_us[LENGTHS];
    open_cuda(p->device);
    const struct experiment e = set_up();
    for (size_t run = 0; run < p->runs; run++)
        measure_lengths(&e, p->lengths, run);
    for (int l = 0; l < LENGTHS; l++)
        medians_us[l] = median(p->lengths->row_us[l], p->runs);
    p->row_extra_us = median(medians_us, LENGTHS);
}

/* ---- The rows ---- */

/* Prints and returns the median of the samples, which this sorts. Low to high: of runs the middle
 * half, of anything else all. */
static double print_row(struct table *table, const char *quantity, double *samples, size_t count,
                        const char *over, unsigned marks, const char *how) {
    const size_t cut = strcmp(over, "runs") == 0 ? count / 4 : 0;
    qsort(samples, count, sizeof *samples, compare_doubles);
    text(table, "quantity", 20, quantity);
    number(table, "value", 2, median(samples, count));
    number(table, "low", 2, samples[cut]);
    number(table, "high", 2, samples[count - 1 - cut]);
    text(table, "over", 9, over);
    text(table, "how", 43, how);
    end_row(table, marks);
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
static double print_lengths(struct table *table, const struct lengths *s, size_t runs,
                            double tick_ns, unsigned marks, double *process_us, size_t processes) {
    double extra[LENGTHS], row_extra[LENGTHS], pair[LENGTHS], noise[LENGTHS];
    const size_t half = runs / 2;
    unsigned row_marks = marks;
    for (int l = 0; l < LENGTHS; l++) {
        const struct summary one = summarize_us(s->alone_us[l], runs),
                             row = summarize(s->row_us[l], runs, jitter_us / IN_A_ROW, gpu_factor);
        extra[l] = one.median;
        row_extra[l] = row.median;
        noise[l] = runs < 2 ? NAN /* there are no halves */
                            : median(s->pair_us[l], runs - half) / 2 -
                                  median(s->pair_us[l] + runs - half, half) / 2;
        pair[l] = median(s->pair_us[l], runs);
        marks |= one.marks | mark_interrupted(row.median, one.median);
        row_marks |= row.marks | mark_interrupted(row.median, one.median);
    }
    double noise_ns = step_of_ns(noise), step_ns = NAN;
    print_row(table, "extra_us", extra, LENGTHS, "lengths", marks,
              "a spin's time minus its code's");
    print_row(table, "row_extra_us", row_extra, LENGTHS, "lengths", row_marks,
              "the same for each of 16 spins in a row");
    if (runs >= 2) {
        step_ns = fmax(tick_ns, sqrt(fmax(0, pow(step_of_ns(pair), 2) - pow(noise_ns, 2))));
        print_row(table, "event_step_ns", &step_ns, 1, "all", marks,
                  "in such steps a spin's time grows");
        print_row(table, "step_noise_ns", &noise_ns, 1, "all", marks,
                  "noise looks like a step of so much");
    }
    print_row(table, "process_row_extra_us", process_us, processes, "processes", row_marks,
              "row_extra_us in new processes");
    return !marks && step_ns > 2 * noise_ns ? step_ns : NAN;
}

int main(int argc, char **argv) {
    static struct lengths lengths;
    static double ticks_ns[MAX_RUNS], all_us[PAIRS][MAX_RUNS], added_us[PAIRS][MAX_RUNS],
        process_us[MAX_RUNS];
    double code_us, floor_us = NAN, event_us = NAN; /* the most that one more event adds */
    unsigned marks[PAIRS];
    const char *wanted = "";
    long long asked_runs = 101, processes = 5;
    const struct arg args[] = {
        ARG_DEVICE(&wanted), ARG_RUNS(&asked_runs),
        ARG_NUMBER("processes", &processes, MAX_RUNS, "measure in N new processes, too"),
        END_OF_ARGS};
    parse_args(argc, argv, "What can the clocks of this machine tell, and what do they cost?",
               args);
    const size_t runs = (size_t)asked_runs;
    for (int p = 0; p < processes; p++) { /* before this one opens the device */
        struct process process = {wanted, runs, &lengths, 0};
        in_new_process(measure_process, &process, sizeof process);
        process_us[p] = process.row_extra_us;
    }
    const struct gpu gpu = open_cuda(wanted);
    const struct experiment e = set_up();

    struct table table = {};
    begin_record(args, gpu.properties.name, gpu.driver);
    say("Calibrate: %s; medians of %zu runs; low to high: their middle half, else all\n\n",
        gpu.properties.name, runs);
    for (size_t run = 0; run < runs; run++) { /* in turns */
        ticks_ns[run] = measure_tick_ns(&e);
        for (int p = 0; p < PAIRS; p++) {
            const char *without = quantities[p].without;
            all_us[p][run] = extra_us(&e, quantities[p].queue, SPIN_NS, &code_us);
            added_us[p][run] = all_us[p][run] - (without ? all_us[with_queue(without)][run] : 0);
        }
        measure_lengths(&e, &lengths, run);
    }
    const unsigned shared = probe_gpu(&e.pair);
    print_row(&table, "timer_tick_ns", ticks_ns, runs, "runs", shared,
              "the mean step of %globaltimer");
    for (int p = 0; p < PAIRS; p++) {
        const struct quantity *q = &quantities[p];
        marks[p] = shared | summarize_us(all_us[p], runs).marks;
        if (q->without)
            marks[p] |= marks[with_queue(q->without)];
        const double us = print_row(&table, q->name, added_us[p], runs, "runs", marks[p], q->how);
        floor_us = *q->queue ? floor_us : us;
        if (strchr(q->queue, 'x'))
            event_us = fmax(event_us, us); /* of NaN and a number this is the number */
    }
    const double step_ns =
        print_lengths(&table, &lengths, runs, e.tick_ns, shared, process_us, (size_t)processes);
    end_table(&table);
    say("One more event adds at most %.2f us, wherever it stands. Subtract the floor, %.2f us.\n",
        value("event_adds_max_us", event_us), floor_us);
    if (!isnan(step_ns))
        say("Two kernels whose times differ by less than %.0f ns may be equally long.\n", step_ns);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
