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
#include "blocked.h" /* the blocker, its gate and the pair of events behind it */
#include "cores.h"
#include "report.h"
#include "samples.h"
#include "vectors.h"

/* Runs for `length_ns` by the GPU's clock, and says how long it did run: the known truth, to a step
 * of that clock. (It begins between two steps, so it says half a step too much, in the mean.) */
static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    unsigned long long elapsed_ns;
    do
        elapsed_ns = globaltimer_ns() - start_ns;
    while (elapsed_ns < length_ns);
    *ran_ns = elapsed_ns;
}

/* c = a + b of n floats, one by each thread. */
static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* ---- One launch ---- */

struct experiment {
    const char *kernel;         /* its name in the table */
    unsigned long long spin_ns; /* how long the spin is to run; 0: vector_add runs */
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
static double host_no_sync_us(struct experiment *e) {
    const int64_t start_ns = now_ns();
    launch(e);
    const int64_t end_ns = now_ns();
    CHECK_CUDA(cudaDeviceSynchronize()); /* not in the time */
    return (double)(end_ns - start_ns) / 1e3;
}

/* Right for long kernels. The time also holds the launch call and the wait for the GPU's answer. */
static double host_sync_us(struct experiment *e) {
    const int64_t start_ns = now_ns();
    launch(e);
    CHECK_CUDA(cudaDeviceSynchronize());
    return (double)(now_ns() - start_ns) / 1e3;
}

/* The GPU takes the time when it reaches an event. It reaches the first one at once, while the host
 * is still in the launch call: that gap is in the time. */
static double event_us(struct experiment *e) {
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    launch(e);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    CHECK_CUDA(cudaEventSynchronize(e->pair.stop));
    return elapsed_us(e->pair.start, e->pair.stop);
}

/* Behind the blocker, which holds the stream until all is queued: no gap. */
static double event_blocked_us(struct experiment *e) {
    hold_stream(&e->pair, 0);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    launch(e);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    return release_us(&e->pair);
}

/* The same without the kernel: what the events themselves cost. */
static double event_floor_us(struct experiment *e) {
    hold_stream(&e->pair, 0);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    return release_us(&e->pair);
}

/* Processor time: right only while the wait keeps a processor busy, as this one does by default. */
static double cpu_clock_us(struct experiment *e) {
    const clock_t start_ticks = clock();
    launch(e);
    CHECK_CUDA(cudaDeviceSynchronize());
    return (double)(clock() - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* The same with a host that sleeps: clock() counts the launch call, falling asleep and waking up.
 * With cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) each wait is of this kind. */
static double cpu_clock_asleep_us(struct experiment *e) {
    const clock_t start_ticks = clock();
    launch(e);
    CHECK_CUDA(cudaEventRecord(e->wake_up, 0));
    CHECK_CUDA(cudaEventSynchronize(e->wake_up));
    return (double)(clock() - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* ---- All methods on one kernel ---- */

/* Their places in methods[]. NET is not measured: it is BLOCKED minus the median of FLOOR. */
enum { NO_SYNC, SYNC, EVENT, BLOCKED, FLOOR, NET, CPU_CLOCK, ASLEEP, METHODS };
static const struct method {
    const char *name, *clock;
    double (*us)(struct experiment *e);
} methods[METHODS] = {{"host_no_sync", "host", host_no_sync_us},
                      {"host_sync", "host", host_sync_us},
                      {"event", "device", event_us},
                      {"event_blocked", "device", event_blocked_us},
                      {"event_floor", "device", event_floor_us},
                      {"event_net", "device", NULL},
                      {"cpu_clock", "processor", cpu_clock_us},
                      {"cpu_clock_asleep", "processor", cpu_clock_asleep_us}};

/* Of each method in each run: its time, and for how long the spin ran. NaN: no spin ran. */
struct times {
    double us[METHODS][MAX_RUNS], code_us[METHODS][MAX_RUNS];
    double late_us[MAX_RUNS]; /* how much longer than the floor the host waited for it */
};

/* How long the last spin ran, in us. Exits with 1 if that is less than it was to run. */
static double code_us(const struct experiment *e, const char *method) {
    unsigned long long ns;
    if (e->spin_ns == 0)
        return NAN;
    CHECK_CUDA(cudaMemcpy(&ns, e->ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    if (ns < e->spin_ns)
        errx(EXIT_FAILED, "impossible: %s: a spin of %llu ns ran for %llu", method, e->spin_ns, ns);
    return (double)ns / 1e3;
}

/* The methods from `first` to `last`, in turns, so that all meet the same GPU. */
static void time_all(struct experiment *e, int first, int last, struct times *t) {
    for (size_t run = 0; run < e->runs; run++)
        for (int m = first; m <= last; m++)
            if (m != NET) {
                t->us[m][run] = methods[m].us(e);
                t->code_us[m][run] = m == FLOOR ? NAN : code_us(e, methods[m].name);
                if (m == FLOOR)
                    t->late_us[run] = e->pair.late_us;
            }
}

/* Fills in event_net. Exits with 1 if it is not above 0, or over 5 us below the code: the clocks
 * differ by less. */
static void subtract_floor(const struct experiment *e, struct times *t) {
    const double floor_us = median(t->us[FLOOR], e->runs);
    for (size_t run = 0; run < e->runs; run++) {
        t->us[NET][run] = t->us[BLOCKED][run] - floor_us;
        t->code_us[NET][run] = t->code_us[BLOCKED][run];
    }
    const double net_us = median(t->us[NET], e->runs);
    if (net_us <= 0 || net_us <= (double)e->spin_ns / 1e3 - 5)
        errx(EXIT_FAILED, "impossible: event_net: %g us of %s", net_us, e->kernel);
}

/* Two clocks measure the same spin of 1 ms: %globaltimer, which is the truth here, and the events'.
 * Launch and drain, some us, are in that. Three times: somebody else may have the GPU in one. */
static const char *doubt_clocks(struct experiment *e) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double us = event_blocked_us(e);
        least = fmin(least, fabs(us / code_us(e, "two clocks") - 1));
    }
    return least > 0.01 ? "two clocks disagree" : NULL;
}

/* The smallest difference other than 0 between the event times of a kernel. A small one shows the
 * step of the events; without noise, as on the simulated GPU, it is that of two methods. */
static double step_ns(const struct times *t, size_t runs) {
    static double ns[3 * MAX_RUNS];
    size_t n = 0;
    for (int m = EVENT; m <= FLOOR; m++)
        for (size_t run = 0; run < runs; run++)
            ns[n++] = round(t->us[m][run] * 1e3); /* whole ns: an event time is a float */
    return summarize(ns, n).step;
}

/* `gpu` and `others`: why not to believe any row, and any whose time holds a call of the host. */
static void print_all(const struct experiment *e, int first, int last, const struct times *t,
                      const char *gpu, const char *others) {
    for (int m = first; m <= last; m++) {
        const struct summary s = summarize_us(t->us[m], e->runs, false);
        const double code = median(t->code_us[m], e->runs);
        const char *doubt = gpu ?: m == BLOCKED || m == FLOOR || m == NET ? NULL : others;
        if (code * 1e3 > (double)e->spin_ns + 5000) /* 5 us: above any step of the clock */
            doubt = "the spin was interrupted";
        print_row(s.doubt ?: doubt,
                  "method=%-16s|clock=%-9s|kernel=%-10s|" US_FORMAT "|code_us=%9.2f|extra_us=%9.2f",
                  methods[m].name, methods[m].clock, e->kernel, US_OF(s), code, s.median - code);
    }
}

/* ---- The experiment ---- */

int main(int argc, char **argv) {
    static struct times of_short, of_long, of_vector_add; /* too large for the stack */
    long long runs = 31, size = 1 << 24;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size), END_OF_OPTIONS};
    parse_options(argc, argv, "How far is each way of timing a kernel from the time of its code?",
                  options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    check_size(size, 3 * sizeof(float));
    struct experiment e = {};
    e.kernel = "vector_add";
    e.runs = (size_t)runs;
    e.floats = (size_t)size;
    e.pair = new_blocked_pair();
    CHECK_CUDA(cudaEventCreateWithFlags(&e.wake_up, cudaEventBlockingSync));
    CHECK_CUDA(cudaMalloc(&e.ran_ns, sizeof *e.ran_ns));
    e.a = new_vector(A, e.floats);
    e.b = new_vector(B, e.floats);
    e.c = new_vector(C, e.floats);
    struct experiment spin_10us = e, spin_1ms = e;
    spin_10us.kernel = "spin_10us";
    spin_10us.spin_ns = 10000;
    spin_1ms.kernel = "spin_1ms";
    spin_1ms.spin_ns = 1000000;

    /* The warm-up, without the blocker: with lazy loading a first launch may wait for an idle
     * device. Then the sums are spoilt: the timed launches must write them anew. */
    launch(&e);
    check_vector_add(e.c, e.floats);
    CHECK_CUDA(cudaMemset(e.c, 0xff, e.floats * sizeof *e.c)); /* NaNs */
    CHECK_CUDA(cudaDeviceSynchronize());
    launch(&spin_10us);

    const struct cores from = cores_now();
    const char *doubt = doubt_clocks(&spin_1ms);
    time_all(&spin_10us, NO_SYNC, CPU_CLOCK, &of_short);
    subtract_floor(&spin_10us, &of_short);
    time_all(&spin_1ms, CPU_CLOCK, ASLEEP, &of_long);
    time_all(&e, NO_SYNC, CPU_CLOCK, &of_vector_add);
    subtract_floor(&e, &of_vector_add);
    check_vector_add(e.c, e.floats);
    const char *others = wait_and_doubt_cores(&from); /* they lengthen each call of the host */
    const char *gpu_short = doubt ?: doubt_wait(median(of_short.late_us, e.runs));
    const char *gpu_long = doubt ?: doubt_wait(median(of_vector_add.late_us, e.runs));

    begin_record(options, gpu.name, driver);
    say("CUDA events: spins and vector_add of %zu floats on %s; %lld runs\n"
        "code_us: how long the spin ran, by %%globaltimer; extra_us: median_us minus code_us\n\n",
        e.floats, gpu.name, runs);
    print_all(&spin_10us, NO_SYNC, CPU_CLOCK, &of_short, gpu_short, others);
    print_all(&spin_1ms, CPU_CLOCK, ASLEEP, &of_long, gpu_short, others);
    print_all(&e, NO_SYNC, CPU_CLOCK, &of_vector_add, gpu_long, others);
    say("\nvector_add takes %.2f us on the device: event_blocked minus the events' own %.2f us.\n"
        "Unequal event times differ by %.0f ns at least; while the host sleeps, clock() sees\n"
        "%.0f us of a kernel of 1 ms.\n",
        median(of_vector_add.us[NET], e.runs), median(of_vector_add.us[FLOOR], e.runs),
        value("event_step_ns", fmin(step_ns(&of_short, e.runs), step_ns(&of_vector_add, e.runs))),
        median(of_long.us[ASLEEP], e.runs));
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
