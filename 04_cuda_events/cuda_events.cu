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

/* Of each run: what a method says, and for how long the spin ran. NaN: no spin ran. */
struct samples {
    double us[MAX_RUNS], code_us[MAX_RUNS];
};

struct experiment {
    const char *kernel;         /* its name in the table */
    unsigned long long spin_ns; /* how long the spin is to run; 0: vector_add runs */
    unsigned long long *ran_ns; /* how long the last spin ran; on the device */
    float *a, *b, *c;           /* on the device */
    size_t floats, runs;        /* in each of the three; of each method */
    struct blocked_pair pair;   /* two events and a blocker */
    cudaEvent_t wake_up;        /* the host sleeps while it waits for this one */
    struct samples no_sync, sync, event, blocked, floor, net, cpu_clock, asleep;
    double late_us[MAX_RUNS]; /* how much longer than the floor the host waited for it */
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

/* `us` is what `method` has just said. Exits with 1 if the spin ran for less than it was to. */
static void keep(const struct experiment *e, const char *method, double us, struct samples *s,
                 size_t run) {
    unsigned long long ns = 0;
    if (e->spin_ns > 0)
        CHECK_CUDA(cudaMemcpy(&ns, e->ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    if (ns < e->spin_ns)
        errx(EXIT_FAILED, "impossible: %s: a spin of %llu ns ran for %llu", method, e->spin_ns, ns);
    s->us[run] = us;
    s->code_us[run] = e->spin_ns > 0 ? (double)ns / 1e3 : NAN;
}

/* In turns, so that all methods meet the same GPU. Exits with 1 if event_net is not above 0, or
 * over 5 us below the code: the clocks differ by less. */
static void time_kernel(struct experiment *e) {
    for (size_t run = 0; run < e->runs; run++) {
        keep(e, "host_no_sync", host_no_sync_us(e), &e->no_sync, run);
        keep(e, "host_sync", host_sync_us(e), &e->sync, run);
        keep(e, "event", event_us(e), &e->event, run);
        keep(e, "event_blocked", event_blocked_us(e), &e->blocked, run);
        e->floor.us[run] = event_floor_us(e);
        e->floor.code_us[run] = NAN;
        e->late_us[run] = e->pair.late_us;
        keep(e, "cpu_clock", cpu_clock_us(e), &e->cpu_clock, run);
    }
    const double floor_us = median(e->floor.us, e->runs);
    e->net = e->blocked;
    for (size_t run = 0; run < e->runs; run++)
        e->net.us[run] -= floor_us;
    const double net_us = median(e->net.us, e->runs);
    if (net_us <= 0 || net_us <= (double)e->spin_ns / 1e3 - 5)
        errx(EXIT_FAILED, "impossible: event_net: %g us of %s", net_us, e->kernel);
}

/* Two clocks measure the same spin of 1 ms: %globaltimer, which is the truth here, and the events'.
 * Launch and drain, some us, are in that. Three times: somebody else may have the GPU in one. */
static const char *doubt_clocks(struct experiment *e) {
    double least = INFINITY;
    for (size_t i = 0; i < 3; i++) {
        keep(e, "two clocks", event_blocked_us(e), &e->blocked, i);
        least = fmin(least, fabs(e->blocked.us[i] / e->blocked.code_us[i] - 1));
    }
    return least > 0.01 ? "two clocks disagree" : NULL;
}

/* The smallest difference other than 0 between the event times of a kernel. A small one shows the
 * step of the events; without noise, as on the simulated GPU, it is that of two methods. */
static double step_ns(const struct experiment *e) {
    static double ns[3 * MAX_RUNS];
    for (size_t run = 0; run < e->runs; run++) { /* whole ns: an event time is a float */
        ns[3 * run] = round(e->event.us[run] * 1e3);
        ns[3 * run + 1] = round(e->blocked.us[run] * 1e3);
        ns[3 * run + 2] = round(e->floor.us[run] * 1e3);
    }
    return summarize(ns, 3 * e->runs).step;
}

static void print_method(const struct experiment *e, const char *method, const char *clock,
                         const struct samples *samples, const char *doubt) {
    const struct summary s = summarize_us(samples->us, e->runs, false);
    const double code = median(samples->code_us, e->runs);
    if (code * 1e3 > (double)e->spin_ns + 5000) /* above any step of the clock; NaN is not */
        doubt = "the spin was interrupted";
    print_row(s.doubt ?: doubt,
              "method=%-16s|clock=%-9s|kernel=%-10s|" US_FORMAT "|code_us=%9.2f|extra_us=%9.2f",
              method, clock, e->kernel, US_OF(s), code, s.median - code);
}

/* `gpu` and `host`: why not to believe any row, and any whose time holds a call of the host. */
static void print_kernel(const struct experiment *e, const char *gpu, const char *host) {
    print_method(e, "host_no_sync", "host", &e->no_sync, host);
    print_method(e, "host_sync", "host", &e->sync, host);
    print_method(e, "event", "device", &e->event, host);
    print_method(e, "event_blocked", "device", &e->blocked, gpu);
    print_method(e, "event_floor", "device", &e->floor, gpu);
    print_method(e, "event_net", "device", &e->net, gpu);
    print_method(e, "cpu_clock", "processor", &e->cpu_clock, host);
}

int main(int argc, char **argv) {
    static struct experiment add, spin_10us, spin_1ms; /* too large for the stack */
    long long runs = 31, size = 1 << 24;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size), END_OF_OPTIONS};
    parse_options(argc, argv, "How far is each way of timing a kernel from the time of its code?",
                  options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    check_size(size, 3 * sizeof(float));
    add.kernel = "vector_add";
    add.runs = (size_t)runs;
    add.floats = (size_t)size;
    add.pair = new_blocked_pair();
    CHECK_CUDA(cudaEventCreateWithFlags(&add.wake_up, cudaEventBlockingSync));
    CHECK_CUDA(cudaMalloc(&add.ran_ns, sizeof *add.ran_ns));
    add.a = new_vector(A, add.floats);
    add.b = new_vector(B, add.floats);
    add.c = new_vector(C, add.floats);
    spin_10us = spin_1ms = add;
    spin_10us.kernel = "spin_10us";
    spin_10us.spin_ns = 10000;
    spin_1ms.kernel = "spin_1ms";
    spin_1ms.spin_ns = 1000000;

    /* The warm-up, without the blocker: with lazy loading a first launch may wait for an idle
     * device. Then the sums are spoilt: the timed launches must write them anew. */
    launch(&add);
    check_vector_add(add.c, add.floats);
    CHECK_CUDA(cudaMemset(add.c, 0xff, add.floats * sizeof *add.c)); /* NaNs */
    CHECK_CUDA(cudaDeviceSynchronize());
    launch(&spin_10us);

    const struct cores from = cores_now();
    const char *clocks = doubt_clocks(&spin_1ms);
    time_kernel(&spin_10us);
    for (size_t run = 0; run < add.runs; run++) {
        keep(&spin_1ms, "cpu_clock", cpu_clock_us(&spin_1ms), &spin_1ms.cpu_clock, run);
        keep(&spin_1ms, "cpu_clock_asleep", cpu_clock_asleep_us(&spin_1ms), &spin_1ms.asleep, run);
    }
    time_kernel(&add);
    check_vector_add(add.c, add.floats);
    const char *others = wait_and_doubt_cores(&from); /* they lengthen each call of the host */
    const char *gpu_spins = clocks ?: doubt_wait(median(spin_10us.late_us, add.runs));
    const char *gpu_adds = clocks ?: doubt_wait(median(add.late_us, add.runs));
    const double event_step_ns = step_ns(&add);

    begin_record(options, gpu.name, driver);
    say("CUDA events: spins and vector_add of %zu floats on %s; %lld runs\n"
        "code_us: how long the spin ran, by %%globaltimer; extra_us: median_us minus code_us\n\n",
        add.floats, gpu.name, runs);
    print_kernel(&spin_10us, gpu_spins, gpu_spins ?: others);
    print_method(&spin_1ms, "cpu_clock", "processor", &spin_1ms.cpu_clock, gpu_spins ?: others);
    print_method(&spin_1ms, "cpu_clock_asleep", "processor", &spin_1ms.asleep, gpu_spins ?: others);
    print_kernel(&add, gpu_adds, gpu_adds ?: others);
    value("event_step_ns", event_step_ns);
    say("\nvector_add takes %.2f us on the device: event_blocked minus the events' own %.2f us.\n"
        "Unequal event times differ by %.0f ns at least; while the host sleeps, clock() sees\n"
        "%.0f us of a kernel of 1 ms.\n",
        median(add.net.us, add.runs), median(add.floor.us, add.runs), event_step_ns,
        median(spin_1ms.asleep.us, add.runs));
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
