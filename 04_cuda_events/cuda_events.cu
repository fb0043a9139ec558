/* SPDX-License-Identifier: MIT
 *
 * How far is each way of timing a CUDA kernel from the time of its code?
 *
 * Measures: a spin of 10 us, which knows its own length, and vector_add; and a spin of 1 ms by
 *   clock(), while the host waits busily and while it sleeps; the step of the event times.
 * Does not measure: what preparation and drain consist of; the first launch (chapter 06).
 *
 * Build: nvcc -O2 -arch=native -I../common cuda_events.cu -o cuda_events
 * Run:   ./cuda_events
 * Try:   ./cuda_events --size 16384        a short kernel: most ways are several times too long
 */
#include "blocked.h" /* the spin; the blocker, its gate and the pair of events behind it */
#include "device_vectors.h"
#include "others.h"

/* c = a + b of n floats, one by each thread. */
static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* ---- One launch ---- */

struct experiment {
    const char *kernel;         /* its name in the table */
    unsigned long long spin_ns; /* how long the spin is to run; 0: launch vector_add instead */
    unsigned long long *ran_ns; /* how long the last spin ran; on the device */
    float *a, *b, *c;           /* on the device */
    size_t floats;              /* in each of the three */
    struct blocked_pair pair;   /* two events and a blocker */
    cudaEvent_t wake_up;        /* the host sleeps while it waits for this one */
    size_t runs;
};

static void launch(const struct experiment *e) {
    if (e->spin_ns > 0)
        spin<<<1, 1>>>(e->spin_ns, e->ran_ns);
    else
        vector_add<<<(unsigned)((e->floats + 255) / 256), 256>>>(e->a, e->b, e->c, e->floats);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The methods: each returns microseconds ---- */

/* Wrong: the launch call returns before the kernel has run. */
static double host_no_sync_us(const struct experiment *e) {
    const int64_t start_ns = now_ns();
    launch(e);
    const int64_t end_ns = now_ns();
    CHECK_CUDA(cudaDeviceSynchronize()); /* not in the time */
    return (double)(end_ns - start_ns) / 1e3;
}

/* Right for long kernels. The time also holds the launch call and the wait for the GPU's answer. */
static double host_sync_us(const struct experiment *e) {
    const int64_t start_ns = now_ns();
    launch(e);
    CHECK_CUDA(cudaDeviceSynchronize());
    return (double)(now_ns() - start_ns) / 1e3;
}

/* The GPU takes the time when it reaches an event. It reaches the first one at once, while the host
 * is still in the launch call: that gap is in the time. */
static double event_us(const struct experiment *e) {
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    launch(e);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    CHECK_CUDA(cudaEventSynchronize(e->pair.stop));
    return elapsed_us(e->pair.start, e->pair.stop);
}

/* Behind the blocker, which holds the stream until all is queued: no gap. Without the kernel this
 * is the floor: what the events themselves cost. */
static double event_blocked_us(const struct experiment *e, bool with_kernel) {
    hold_stream(&e->pair);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    if (with_kernel)
        launch(e);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    release_stream(&e->pair);
    return elapsed_us(e->pair.start, e->pair.stop);
}

/* Processor time: right only while the wait keeps a processor busy, as this one does by default. */
static double cpu_clock_us(const struct experiment *e) {
    const clock_t start_ticks = clock();
    launch(e);
    CHECK_CUDA(cudaDeviceSynchronize());
    return (double)(clock() - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* The same with a host that sleeps: clock() counts the launch call, falling asleep and waking up.
 * With cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) each wait is of this kind. */
static double cpu_clock_asleep_us(const struct experiment *e) {
    const clock_t start_ticks = clock();
    launch(e);
    CHECK_CUDA(cudaEventRecord(e->wake_up, 0));
    CHECK_CUDA(cudaEventSynchronize(e->wake_up));
    return (double)(clock() - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* ---- The rows ---- */

/* The time of one method in each run, and how long the spin ran. */
struct samples {
    double us[MAX_RUNS], code_us[MAX_RUNS];
};
struct all_samples {
    struct samples host_no_sync, host_sync, event, event_blocked, event_floor, event_net;
    struct samples cpu_clock, cpu_clock_asleep;
};

/* Stores the time of a method in this run, and how long the spin ran. */
static void store(struct samples *samples, size_t run, double us, const struct experiment *e) {
    unsigned long long ran_ns;
    CHECK_CUDA(cudaMemcpy(&ran_ns, e->ran_ns, sizeof ran_ns, cudaMemcpyDeviceToHost));
    samples->us[run] = us;
    samples->code_us[run] = (double)ran_ns / 1e3;
}

/* Prints the row of a method, and returns its median. A spin knows how long its code ran, others do
 * not: has_code. `marks`: what the samples alone do not show. */
static double print_row(struct table *table, const struct experiment *e, const char *method,
                        const char *clock, const struct samples *samples, bool has_code,
                        unsigned marks) {
    const struct summary s = summarize_us(samples->us, e->runs);
    const double code_us = has_code ? median(samples->code_us, e->runs) : NAN;
    const unsigned interrupted = /* 5 us: above any step of the clock */
        has_code && code_us * 1e3 > (double)e->spin_ns + 5000 ? INTERRUPTED : 0;
    if (has_code && code_us * 1e3 < (double)e->spin_ns)
        fail(EXIT_FAILED, "impossible: %g us of %g us of code", s.median, code_us);
    text(table, "method", 16, method);
    text(table, "clock", 9, clock);
    text(table, "kernel", 10, e->kernel);
    number_summary_us(table, s);
    number(table, "code_us", 2, code_us);
    number(table, "extra_us", 2, s.median - code_us);
    end_row(table, s.marks | marks | interrupted);
    return s.median;
}

/* The smallest difference other than 0 between the event times of a kernel. A small one shows the
 * step of the events; without noise, as on the simulated GPU, it is that of two methods. */
static double find_step_ns(const struct all_samples *all, size_t runs) {
    static double us[3 * MAX_RUNS];
    double step_ns = INFINITY;
    memcpy(us, all->event.us, runs * sizeof *us);
    memcpy(us + runs, all->event_blocked.us, runs * sizeof *us);
    memcpy(us + 2 * runs, all->event_floor.us, runs * sizeof *us);
    qsort(us, 3 * runs, sizeof *us, compare_doubles);
    for (size_t i = 1; i < 3 * runs; i++) {
        const double ns = round((us[i] - us[i - 1]) * 1e3); /* an event time is a float */
        step_ns = ns > 0 ? fmin(step_ns, ns) : step_ns;
    }
    return step_ns;
}

/* Times a kernel by every method but cpu_clock_asleep, in turns, so that all meet the same GPU, and
 * prints a row for each. Finds the medians of event_floor and event_net, and lowers *step_ns. */
static void compare(struct table *table, const struct experiment *e, struct all_samples *all,
                    double *floor, double *net, double *step_ns) {
    struct processor_time from = processor_time_now();
    const unsigned shared = probe_gpu(&e->pair), spins = e->spin_ns > 0;
    for (size_t run = 0; run < e->runs; run++) {
        store(&all->host_no_sync, run, host_no_sync_us(e), e);
        store(&all->host_sync, run, host_sync_us(e), e);
        store(&all->event, run, event_us(e), e);
        store(&all->event_blocked, run, event_blocked_us(e, true), e);
        store(&all->event_floor, run, event_blocked_us(e, false), e);
        store(&all->cpu_clock, run, cpu_clock_us(e), e);
    }
    /* Other programs on the processor lengthen all times that hold a call of the host. */
    const unsigned others = shared | mark_others(table, others_since(&from));
    print_row(table, e, "host_no_sync", "host", &all->host_no_sync, spins, others);
    print_row(table, e, "host_sync", "host", &all->host_sync, spins, others);
    print_row(table, e, "event", "device", &all->event, spins, others);
    print_row(table, e, "event_blocked", "device", &all->event_blocked, spins, shared);
    *floor = print_row(table, e, "event_floor", "device", &all->event_floor, false, shared);
    for (size_t run = 0; run < e->runs; run++) {
        all->event_net.us[run] = all->event_blocked.us[run] - *floor;
        all->event_net.code_us[run] = all->event_blocked.code_us[run];
    }
    *net = median(all->event_net.us, e->runs);
    const double code_us = spins ? median(all->event_net.code_us, e->runs) : 0;
    if (*net <= 0 || *net <= code_us - 5) /* the two clocks differ by less than 5 us */
        fail(EXIT_FAILED, "impossible: %g us of %g us of code", *net, code_us);
    *step_ns = fmin(*step_ns, find_step_ns(all, e->runs));
    print_row(table, e, "event_net", "device", &all->event_net, spins, shared);
    print_row(table, e, "cpu_clock", "processor", &all->cpu_clock, spins, others);
}

/* Times the spin by clock(), while the host waits busily and while it sleeps. Returns the median of
 * the host that sleeps. */
static double compare_processor_times(struct table *table, const struct experiment *e,
                                      struct all_samples *all) {
    struct processor_time from = processor_time_now();
    const unsigned shared = probe_gpu(&e->pair);
    for (size_t run = 0; run < e->runs; run++) {
        store(&all->cpu_clock, run, cpu_clock_us(e), e);
        store(&all->cpu_clock_asleep, run, cpu_clock_asleep_us(e), e);
    }
    const unsigned others = shared | mark_others(table, others_since(&from));
    print_row(table, e, "cpu_clock", "processor", &all->cpu_clock, true, others);
    return print_row(table, e, "cpu_clock_asleep", "processor", &all->cpu_clock_asleep, true,
                     others);
}

/* ---- The experiment ---- */

int main(int argc, char **argv) {
    static struct all_samples samples; /* too large for the stack */
    const char *device = "";
    long long runs = 31, size = 1 << 24;
    const struct arg args[] = {ARG_DEVICE(&device), ARG_RUNS(&runs), ARG_SIZE(&size), END_OF_ARGS};
    parse_args(argc, argv, "How far is each way of timing a kernel from the time of its code?",
               args);
    const struct gpu gpu = open_cuda(device);
    check_free_memory(size, 3.0 * (double)size * sizeof(float));
    struct experiment e = {};
    e.runs = (size_t)runs;
    e.floats = (size_t)size;
    e.pair = new_blocked_pair();
    CHECK_CUDA(cudaEventCreateWithFlags(&e.wake_up, cudaEventBlockingSync));
    e.ran_ns = (unsigned long long *)new_on_device(sizeof *e.ran_ns, NULL);
    e.a = new_vector(A, e.floats);
    e.b = new_vector(B, e.floats);
    e.c = new_vector(C, e.floats);

    /* The warm-up, without the blocker: with lazy loading a first launch may wait for an idle
     * device. Then the sums are spoilt: the timed launches must write them anew. */
    launch(&e);
    check_vector_add(e.c, e.floats);
    CHECK_CUDA(cudaMemset(e.c, 0xff, e.floats * sizeof *e.c)); /* NaNs */
    CHECK_CUDA(cudaDeviceSynchronize());
    e.spin_ns = 10000;
    launch(&e);

    struct table table = {};
    double floor, net, asleep_us, step_ns = INFINITY;
    begin_record(args, gpu.properties.name, gpu.driver);
    say("CUDA events: spins and vector_add of %zu floats on %s; %lld runs\n"
        "code_us: how long the spin ran, by %%globaltimer; extra_us: median_us minus code_us\n\n",
        e.floats, gpu.properties.name, runs);
    e.kernel = "spin_10us";
    compare(&table, &e, &samples, &floor, &net, &step_ns);
    e.kernel = "spin_1ms";
    e.spin_ns = 1000000;
    asleep_us = compare_processor_times(&table, &e, &samples);
    e.kernel = "vector_add";
    e.spin_ns = 0;
    compare(&table, &e, &samples, &floor, &net, &step_ns);
    check_vector_add(e.c, e.floats);
    end_table(&table);
    say("vector_add takes %.2f us on the device: event_blocked minus the events' own %.2f us.\n"
        "Unequal event times differ by %.0f ns at least; while the host sleeps, clock() sees\n"
        "%.0f us of a kernel of 1 ms.\n",
        net, floor, value("event_step_ns", step_ns), asleep_us);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
