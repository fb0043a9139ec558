/* SPDX-License-Identifier: MIT
 *
 * What does each way of timing a CUDA kernel say of the same kernel, and how far is it from the
 * truth?
 *
 * Measures: vector_add, and spin kernels of a known length, by the host's clocks and by pairs of
 *   CUDA events.
 * Does not measure: why the ways differ, shell by shell; the first launch (chapter 06).
 *
 * Build: nvcc -O2 -arch=native -I../common cuda_events.cu -o cuda_events
 * Run:   ./cuda_events
 * Try:   ./cuda_events --size 16384        a short kernel, where most ways are far off
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "cuda_device.h"
#include "host_clock.h"
#include "options.h"
#include "summary.h"
#include "vector_data.h"

static const unsigned long long spin_lengths_ns[] = {10000, 100000, 1000000};
static const unsigned long long blocker_limit_ns = 1000000000;

/* ---- Kernels ---- */

/* The GPU's own wall clock in nanoseconds, one for all SMs. PTX ISA, "Special Registers". */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* The known truth: runs for `length_ns`, and says how long it really ran. */
static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    unsigned long long elapsed_ns;
    do {
        elapsed_ns = globaltimer_ns() - start_ns;
    } while (elapsed_ns < length_ns);
    *ran_ns = elapsed_ns;
}

struct gate { /* in host memory that the device sees too */
    int open, gave_up;
};

/* Keeps the stream busy until the host opens the gate, so that what the host queues meanwhile runs
 * back to back. Gives up after `limit_ns` and says so: a mistake must not hang the device. */
static __global__ void block_stream(volatile struct gate *gate, unsigned long long limit_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    while (!gate->open)
        if (globaltimer_ns() - start_ns > limit_ns) {
            gate->gave_up = 1;
            return;
        }
}

/* ---- The work under the clocks ---- */

static struct {
    size_t n; /* vector_add when not 0 ... */
    float *a, *b, *c;
    unsigned long long length_ns, *ran_ns; /* ... else spin */
} work;

static void launch(void) {
    if (work.n > 0)
        vector_add<<<(unsigned)((work.n + 255) / 256), 256>>>(work.a, work.b, work.c, work.n);
    else
        spin<<<1, 1>>>(work.length_ns, work.ran_ns);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The methods: each returns microseconds ---- */

static cudaEvent_t start, stop, done;
static volatile struct gate *gate;

/* Wrong: a launch returns before the kernel has run. */
static double time_host_no_sync(void) {
    const int64_t start_ns = now_ns();
    launch();
    const int64_t end_ns = now_ns();
    CHECK_CUDA(cudaDeviceSynchronize()); /* too late to count */
    return (double)(end_ns - start_ns) / 1e3;
}

static double time_host_sync(void) {
    const int64_t start_ns = now_ns();
    launch();
    CHECK_CUDA(cudaDeviceSynchronize());
    const int64_t end_ns = now_ns();
    return (double)(end_ns - start_ns) / 1e3;
}

/* Processor time: right only while the wait keeps a processor busy, as this one does by default. */
static double time_cpu_clock(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaDeviceSynchronize());
    const clock_t end_ticks = clock();
    return (double)(end_ticks - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* The same with a wait that lets the processor sleep: clock() sees next to nothing. */
static double time_cpu_clock_asleep(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaEventRecord(done, 0)); /* made with cudaEventBlockingSync */
    CHECK_CUDA(cudaEventSynchronize(done));
    const clock_t end_ticks = clock();
    return (double)(end_ticks - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

static double elapsed_us(void) {
    float elapsed_ms;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms > 0)) /* NaN too */
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}

/* The GPU stamps each event when it comes to it. It comes to the first at once, while the host is
 * still preparing the launch: for a short kernel, that is most of what this says. */
static double time_event(void) {
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    return elapsed_us();
}

static void close_gate(void) {
    gate->open = 0;
    gate->gave_up = 0;
    block_stream<<<1, 1>>>(gate, blocker_limit_ns);
    CHECK_CUDA(cudaGetLastError());
}

/* The same behind a kernel that holds the stream until all three are queued, so that the GPU finds
 * no gap between them. Returns a negative number if that kernel gave up. (Every kernel must have
 * run before: with lazy loading its first launch may wait for the device to be idle, which it never
 * is while the host is here.) */
static double time_pair_behind_blocker(bool with_work) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (with_work)
        launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    gate->open = 1;
    CHECK_CUDA(cudaEventSynchronize(stop));
    return gate->gave_up ? -1 : elapsed_us();
}

static double time_event_blocked(void) {
    return time_pair_behind_blocker(true);
}

/* What two events cost with nothing between them: the floor, which event_net takes off. */
static double time_empty_pair(void) {
    return time_pair_behind_blocker(false);
}

/* ---- Sampling and reporting ---- */

enum { HOST_NO_SYNC, HOST_SYNC, CPU_CLOCK, EVENT, EVENT_BLOCKED, EVENT_NET, METHODS };
static const struct {
    const char *name, *whose;
    double (*time_us)(void);
} methods[METHODS] = {{"host_no_sync", "host", time_host_no_sync},
                      {"host_sync", "host", time_host_sync},
                      {"cpu_clock", "host, processor time", time_cpu_clock},
                      {"event", "device", time_event},
                      {"event_blocked", "device", time_event_blocked},
                      {"event_net", "device", NULL}}; /* the samples before, less floor_us */

static double samples_us[MAX_RUNS], truth_us[MAX_RUNS], floor_us;
static uint64_t step_ns; /* of events, by the times seen so far */

/* Fills samples_us by one method, and truth_us with how long the spin says it ran. A run in which
 * the blocker gave up, because the host was kept away too long, is made again. */
static void sample(double (*time_us)(void), int runs) {
    int disturbed = 0;
    for (int run = 0; run < runs;) {
        unsigned long long ran_ns;
        samples_us[run] = time_us();
        if (samples_us[run] < 0 && ++disturbed > 3)
            fail(EXIT_FAILED, "the blocking kernel ran into its limit of %llu ms, four times",
                 blocker_limit_ns / 1000000);
        CHECK_CUDA(cudaMemcpy(&ran_ns, work.ran_ns, sizeof ran_ns, cudaMemcpyDeviceToHost));
        truth_us[run] = (double)ran_ns / 1e3;
        run += samples_us[run] >= 0;
    }
}

/* Measures the current work by every method, prints a row for each, and stores the medians. */
static void measure(const struct options *options, const char *device, const char *kernel,
                    double medians_us[METHODS]) {
    const int runs = (int)options->runs;
    for (int m = 0; m < METHODS; m++) {
        char truth[32] = "", error[32] = "";
        if (methods[m].time_us)
            sample(methods[m].time_us, runs);
        for (int run = 0; run < runs; run++) {
            if (m == EVENT || m == EVENT_BLOCKED)
                step_ns = common_step_ns(step_ns, (uint64_t)llround(samples_us[run] * 1e3));
            if (m == EVENT_NET)
                samples_us[run] -= floor_us;
        }
        const struct summary s = summarize(samples_us, (size_t)runs);
        medians_us[m] = s.median;
        if (work.n == 0) {
            const double median_truth_us = median(truth_us, (size_t)runs);
            snprintf(truth, sizeof truth, "%.3f", median_truth_us);
            snprintf(error, sizeof error, "%.3f", s.median - median_truth_us);
        }
        if (options->csv)
            printf("%s,%s,%s,%zu,%d,%.3f,%.3f,%.3f,%.3f,%s,%s\n", device, methods[m].name, kernel,
                   work.n > 0 ? work.n : 1, runs, s.min, s.median, s.mean, s.max, truth, error);
        else
            printf("%-12s %-14s %-21s %10.2f %10.2f %10.2f %10.2f %10s\n", kernel, methods[m].name,
                   methods[m].whose, s.min, s.median, s.mean, s.max, error);
        flush_stdout();
    }
}

/* ---- Set-up, and the report ---- */

int main(int argc, char **argv) {
    double medians_us[METHODS];
    struct options options =
        default_options("How far is each way of timing a CUDA kernel from the truth?");
    options.has_device = true;
    options.runs = 31;
    options.size = 1 << 24;
    parse_options(argc, argv, &options);
    const struct cuda_device device = choose_cuda_device(options.device);
    const size_t n = (size_t)options.size;
    const int runs = (int)options.runs;
    check_cuda_memory(options.size, 3.0 * (double)n * sizeof(float));

    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
    CHECK_CUDA(cudaEventCreateWithFlags(&done, cudaEventBlockingSync | cudaEventDisableTiming));
    CHECK_CUDA(cudaMallocHost((void **)&gate, sizeof *gate));
    CHECK_CUDA(cudaMalloc((void **)&work.ran_ns, sizeof *work.ran_ns));
    work.a = device_floats(n, input_a);
    work.b = device_floats(n, input_b);
    work.c = device_floats(n, NULL);

    /* Every kernel once: the warm-up, and for vector_add the check of its result. */
    work.length_ns = 1000;
    launch();
    work.n = n;
    launch();
    close_gate();
    gate->open = 1;
    check_vector_add(copy_to_host(work.c, n), n);

    sample(time_empty_pair, runs);
    floor_us = median(samples_us, (size_t)runs);

    if (options.csv)
        printf(
            "device,method,kernel,size,runs,min_us,median_us,mean_us,max_us,truth_us,error_us\n");
    else
        printf("CUDA events: spin kernels and vector_add of %zu floats on %s; %d runs\n"
               "Floor, two events with nothing between them: %.2f us, taken off in event_net\n\n"
               "%-12s %-14s %-21s %10s %10s %10s %10s %10s\n",
               n, device.name, runs, floor_us, "kernel", "method", "whose clock", "min us",
               "median us", "mean us", "max us", "error us");

    for (size_t i = 0; i < sizeof spin_lengths_ns / sizeof spin_lengths_ns[0]; i++) {
        char kernel[32];
        work.n = 0;
        work.length_ns = spin_lengths_ns[i];
        snprintf(kernel, sizeof kernel, "spin_%lluus", work.length_ns / 1000);
        measure(&options, device.name, kernel, medians_us);
    }
    const double busy_us = medians_us[CPU_CLOCK];
    sample(time_cpu_clock_asleep, runs);
    const double asleep_us = median(samples_us, (size_t)runs);
    work.n = n;
    measure(&options, device.name, "vector_add", medians_us);

    if (!options.csv) {
        printf("\nvector_add: %.2f us behind the blocker less the floor; a plain event pair says "
               "%.2f us,\nthe host %.2f us with a synchronization and %.2f us without.\n",
               medians_us[EVENT_NET], medians_us[EVENT], medians_us[HOST_SYNC],
               medians_us[HOST_NO_SYNC]);
        printf("clock() of the longest spin: %.2f us while the host waits busily, %.2f us while it "
               "sleeps:\nit counts processor time.\n",
               busy_us, asleep_us);
        printf("Event times here are multiples of %llu ns; the manual says about 500 ns.\n",
               (unsigned long long)step_ns);
    }
    flush_stdout();

    CHECK_CUDA(cudaFree(work.a));
    CHECK_CUDA(cudaFree(work.b));
    CHECK_CUDA(cudaFree(work.c));
    CHECK_CUDA(cudaFree(work.ran_ns));
    CHECK_CUDA(cudaFreeHost((void *)gate));
    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
    CHECK_CUDA(cudaEventDestroy(done));
    return EXIT_SUCCESS;
}
