/* SPDX-License-Identifier: MIT
 *
 * How far is each way of timing a CUDA kernel from the time of its code?
 *
 * Measures: a spin of 10 us, which knows its own length, and vector_add; and a spin of 1 ms by
 *   clock(), while the host waits busily and while it sleeps.
 * Does not measure: what launch and drain consist of (docs/lab/drain.cu); the first launch
 *   (chapter 06).
 *
 * Build: nvcc -O2 -arch=native -I../common cuda_events.cu -o cuda_events
 * Run:   ./cuda_events
 * Try:   ./cuda_events --size 16384        a short kernel: most ways are several times too long
 */
#include "blocker.h" /* the gate, start, stop, elapsed_us(); and now_ns() */
#include "summary.h"
#include "vectors.h"

static unsigned long long length_ns, *ran_ns; /* of the spin, 0: vector_add; how long it ran */
static size_t floats;                         /* in each of the vectors on the device */
static float *vectors[3];
static cudaEvent_t wake_up; /* made with cudaEventBlockingSync */

static void launch(void) {
    const unsigned blocks = (unsigned)((floats + 255) / 256);
    if (length_ns > 0)
        spin<<<1, 1>>>(length_ns, ran_ns);
    else
        vector_add<<<blocks, 256>>>(vectors[A], vectors[B], vectors[C], floats);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The methods: each returns microseconds ---- */

/* Wrong: a launch returns before the kernel has run. */
static double host_no_sync(void) {
    const int64_t start_ns = now_ns();
    launch();
    const int64_t end_ns = now_ns();
    CHECK_CUDA(cudaDeviceSynchronize()); /* too late to count */
    return (double)(end_ns - start_ns) / 1e3;
}

/* Right for long kernels: it holds the launch, the kernel, and the way back to the host. */
static double host_sync(void) {
    const int64_t start_ns = now_ns();
    launch();
    CHECK_CUDA(cudaDeviceSynchronize());
    return (double)(now_ns() - start_ns) / 1e3;
}

/* Processor time: right only while the wait keeps a processor busy, as this one does by default. */
static double cpu_clock(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaDeviceSynchronize());
    return (double)(clock() - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* The same with a host that sleeps: clock() counts how it launches, falls asleep and wakes up. With
 * cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) each wait is of this kind. */
static double cpu_clock_asleep(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaEventRecord(wake_up, 0));
    CHECK_CUDA(cudaEventSynchronize(wake_up));
    return (double)(clock() - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* The GPU stamps an event when it comes to it. It comes to the first at once, while the host is
 * still preparing the launch: that gap is in the figure. */
static double event(void) {
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    return elapsed_us();
}

/* Behind the blocker (blocker.h), which holds the stream until all three are queued: no gap. */
static double event_blocked(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* ---- The comparison ---- */

enum { NO_SYNC, SYNC, EVENT, BLOCKED, FLOOR, NET, CPU, CPU_ASLEEP, METHODS };
static const struct {
    const char *name, *clock;
    double (*time_us)(void); /* NULL: event_blocked minus event_floor, the events' own cost */
} methods[METHODS] = {{"host_no_sync", "host", host_no_sync},
                      {"host_sync", "host", host_sync},
                      {"event", "device", event},
                      {"event_blocked", "device", event_blocked},
                      {"event_floor", "device", event_floor},
                      {"event_net", "device", NULL},
                      {"cpu_clock", "processor", cpu_clock},
                      {"cpu_clock_asleep", "processor", cpu_clock_asleep}};
static double medians_us[METHODS];

/* Times one kernel, a spin of `spin_ns` or if that is 0 vector_add, by all methods from `first` to
 * `last` in turns, and prints a row for each. */
static void compare(const char *kernel, unsigned long long spin_ns, int first, int last) {
    static double samples_us[METHODS][MAX_RUNS], codes_us[METHODS][MAX_RUNS];
    const size_t runs = (size_t)options.runs;
    const bool shared = probe_sharing();
    length_ns = spin_ns;
    for (size_t run = 0; run < runs; run++)
        for (int m = first; m <= last; m++) {
            unsigned long long ns; /* for which the last spin ran */
            samples_us[m][run] = methods[m].time_us ? methods[m].time_us() : 0;
            CHECK_CUDA(cudaMemcpy(&ns, ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
            codes_us[m][run] = (double)ns / 1e3;
        }
    for (int m = first; m <= last; m++) {
        if (m == NET)
            for (size_t run = 0; run < runs; run++)
                samples_us[NET][run] = samples_us[BLOCKED][run] - medians_us[FLOOR];
        const struct summary s = summarize_us(samples_us[m], runs);
        const double code_us = length_ns > 0 && m != FLOOR ? median(codes_us[m], runs) : NAN;
        if (code_us * 1e3 < (double)length_ns || (m == NET && s.median <= fmax(code_us - 5, 0)))
            fail(EXIT_FAILED, "impossible: %g us of %g us of code", s.median, code_us);
        medians_us[m] = s.median;
        label("method", 16, methods[m].name);
        label("clock", 9, methods[m].clock);
        label("kernel", 10, kernel);
        summary_cells("us", s);
        number("code", "us", 2, code_us);
        number("extra", "us", 2, s.median - code_us);
        end_row(s.disturbed || shared || code_us * 1e3 > (double)length_ns + 5000);
    }
}

int main(int argc, char **argv) {
    options.device = "";
    options.runs = 31;
    options.size = 1 << 24;
    parse_options(argc, argv, "How far is each way of timing a kernel from the time of its code?");
    const struct cudaDeviceProp device = open_cuda();
    floats = (size_t)options.size;
    check_size(options.size, 3.0 * (double)floats * sizeof(float));
    set_up_blocked_pair();
    CHECK_CUDA(cudaEventCreateWithFlags(&wake_up, cudaEventBlockingSync));
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));
    set_up_vectors(vectors, floats);
    launch(); /* first without a blocker: with lazy loading it may wait for an idle device */
    check_vector_add(vectors[C], floats);
    spoil_sums(vectors[C], floats);
    length_ns = 10000;
    launch();

    begin_table("CUDA events: spins and vector_add of %zu floats on %s; %lld runs\n"
                "code: how long the spin ran, by %%globaltimer; extra: median minus code\n\n",
                floats, device.name, options.runs);
    compare("spin_10us", 10000, NO_SYNC, CPU);
    compare("spin_1ms", 1000000, CPU, CPU_ASLEEP);
    compare("vector_add", 0, NO_SYNC, CPU);
    check_vector_add(vectors[C], floats);
    end_table();
    say("vector_add takes %.2f us on the device: event_blocked minus the events' own %.2f us.\n"
        "While the host sleeps, clock() sees %.0f us of a kernel of 1 ms.\n",
        medians_us[NET], medians_us[FLOOR], medians_us[CPU_ASLEEP]);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
