/* SPDX-License-Identifier: MIT
 *
 * What does each way of timing a CUDA kernel say of the same kernel, and how far is it from the
 * truth?
 *
 * Measures: spin kernels of a known length, then vector_add, by the host's clocks and by pairs of
 *   CUDA events.
 * Does not measure: where the differences come from (onion.cu); the first launch (chapter 06).
 *
 * Build: nvcc -O2 -arch=native -I../common cuda_events.cu -o cuda_events
 * Run:   ./cuda_events
 * Try:   ./cuda_events --size 16384        a short kernel: most ways are several times too long
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "blocker.h"
#include "cuda_device.h"
#include "host_clock.h"
#include "options.h"
#include "summary.h"
#include "vector_data.h"

/* ---- The work under the clocks: a spin of known length, which blocker.h has, or vector_add ---- */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static struct {
    unsigned long long length_ns, *ran_ns; /* spin, unless length_ns is 0 */
    float *a, *b, *c;                      /* vector_add then */
    size_t n;
} work;

static void launch(void) {
    if (work.length_ns > 0)
        spin<<<1, 1>>>(work.length_ns, work.ran_ns);
    else
        vector_add<<<(unsigned)((work.n + 255) / 256), 256>>>(work.a, work.b, work.c, work.n);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The methods: each returns microseconds ---- */

static cudaEvent_t done;
static double floor_us; /* what two events cost with nothing between them */
enum { BATCH = 10 };

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
    const int64_t end_ns = now_ns();
    return (double)(end_ns - start_ns) / 1e3;
}

/* Processor time: right only while the wait keeps a processor busy, as this one does by default. */
static double cpu_clock(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaDeviceSynchronize());
    const clock_t end_ticks = clock();
    return (double)(end_ticks - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* The same with a wait that lets the processor sleep: it sees next to nothing. Not in the table. */
static double cpu_clock_asleep(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaEventRecord(done, 0)); /* made with cudaEventBlockingSync */
    CHECK_CUDA(cudaEventSynchronize(done));
    const clock_t end_ticks = clock();
    return (double)(end_ticks - start_ticks) * 1e6 / CLOCKS_PER_SEC;
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

/* The same pair behind the blocker, which holds the stream until all three are queued: no gap
 * between them. (Every kernel must have run before. With lazy loading a first launch may wait for the
 * device to be idle, which it is not while the gate is shut: both would wait until the blocker
 * gives up.) */
static double event_blocked(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

static double empty_pair(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* The best of this chapter. */
static double event_net(void) {
    return event_blocked() - floor_us;
}

/* Ten launches in one pair, divided: what each of them costs on average. Neither more nor less
 * right, but another question: one launch's drain and the next one's start may overlap. */
static double event_batch(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int i = 0; i < BATCH; i++)
        launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return (elapsed_us() - floor_us) / BATCH;
}

/* ---- Sampling and reporting ---- */

enum { HOST_NO_SYNC, HOST_SYNC, CPU_CLOCK, EVENT, EVENT_BLOCKED, EVENT_NET, EVENT_BATCH, METHODS };
static const struct {
    const char *name, *whose;
    double (*time_us)(void);
} methods[METHODS] = {
    {"host_no_sync", "host", host_no_sync},     {"host_sync", "host", host_sync},
    {"cpu_clock", "host, CPU time", cpu_clock}, {"event", "device", event},
    {"event_blocked", "device", event_blocked}, {"event_net", "device", event_net},
    {"event_batch", "device", event_batch}};

static double truth_us[MAX_RUNS]; /* how long the spin says it ran */
static uint64_t step_ns;          /* of events, by the times seen so far */
static uint64_t timer_step_ns;    /* of the truth */

/* Times the work `runs` times by one method. A spin that ran 5 us longer than it was told (of a
 * batch, the last) shared the device with somebody: that run is made again, and too many of them
 * end the program. */
static struct summary sample(double (*time_us)(void), int runs) {
    static double samples_us[MAX_RUNS];
    for (int run = 0, disturbed = 0; run < runs; run++) {
        unsigned long long ran_ns;
        samples_us[run] = time_us();
        CHECK_CUDA(cudaMemcpy(&ran_ns, work.ran_ns, sizeof ran_ns, cudaMemcpyDeviceToHost));
        truth_us[run] = (double)ran_ns / 1e3;
        timer_step_ns = common_step_ns(timer_step_ns, work.length_ns > 0 ? ran_ns : 0);
        if (work.length_ns > 0 && ran_ns > work.length_ns + 5000) {
            if (++disturbed > runs)
                fail(EXIT_FAILED, "disturbed: a spin of %llu ns ran %llu ns; is the device shared?",
                     work.length_ns, ran_ns);
            run--;
            continue;
        }
        const bool by_device = time_us == event || time_us == event_blocked || time_us == event_net;
        if (work.length_ns > 0 && by_device && samples_us[run] + 5 < truth_us[run])
            fail(EXIT_FAILED, "impossible: %g us between two events around a spin of %g us",
                 samples_us[run], truth_us[run]);
        if ((time_us == event || time_us == event_blocked) && samples_us[run] < 8000) /* a float */
            step_ns = common_step_ns(step_ns, (uint64_t)(samples_us[run] * 1e3 + 0.5));
    }
    const struct summary s = summarize(samples_us, (size_t)runs);
    if (time_us == event_net && s.median <= 0)
        fail(EXIT_FAILED, "impossible: a median of %g us; the work is too short for events",
             s.median);
    return s;
}

int main(int argc, char **argv) {
    double vector_us[METHODS];
    int disturbed_rows = 0;
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

    set_up_blocker();
    CHECK_CUDA(cudaEventCreateWithFlags(&done, cudaEventBlockingSync | cudaEventDisableTiming));
    CHECK_CUDA(cudaMalloc((void **)&work.ran_ns, sizeof *work.ran_ns));
    work.n = n;
    work.a = device_floats(n, input_a);
    work.b = device_floats(n, input_b);
    work.c = device_floats(n, NULL);

    /* Every kernel once: the warm-up, and for vector_add the check of its result. */
    launch();
    check_vector_add(copy_to_host(work.c, n), n);
    work.length_ns = 1000;
    launch();
    empty_pair();
    work.length_ns = 0; /* no spin runs in the empty pair */
    floor_us = sample(empty_pair, runs).median;

    if (options.csv) {
        printf("device,method,kernel,size,runs,min_us,median_us,mean_us,max_us,truth_us,error_us,"
               "disturbed\n");
    } else {
        printf("CUDA events: spins, and vector_add of %zu floats, on %s; medians of %d runs\n"
               "Floor, two events with nothing between them: %.2f us, taken off in event_net\n\n"
               "%-31s error, us, on a spin of ... us %22s vector_add\n%-14s %-14s",
               n, device.name, runs, floor_us, "", "", "method", "whose clock");
        for (int s = 0; s < SPINS; s++)
            printf(" %7u", spin_us[s]);
        printf("   says us\n");
    }

    for (int m = 0; m < METHODS; m++) {
        int disturbed = 0;
        if (!options.csv)
            printf("%-14s %-14s", methods[m].name, methods[m].whose);
        for (int s = 0; s < SPINS; s++) {
            work.length_ns = spin_us[s] * 1000ull;
            struct summary us = sample(methods[m].time_us, runs);
            const double truth = median(truth_us, (size_t)runs);
            us.disturbed |=
                overhead_is_disturbed((us.median - truth) * (m == EVENT_BATCH ? BATCH : 1));
            disturbed |= us.disturbed;
            if (options.csv)
                printf("%s,%s,spin_%uus,1,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%d\n", device.name,
                       methods[m].name, spin_us[s], runs, us.min, us.median, us.mean, us.max, truth,
                       us.median - truth, us.disturbed);
            else
                printf(" %+7.2f", us.median - truth);
            flush_stdout();
        }
        work.length_ns = 0;
        struct summary us = sample(methods[m].time_us, runs);
        us.disturbed |= disturbed; /* what held up the spins is still there */
        vector_us[m] = us.median;
        if (options.csv)
            printf("%s,%s,vector_add,%zu,%d,%.3f,%.3f,%.3f,%.3f,,,%d\n", device.name,
                   methods[m].name, n, runs, us.min, us.median, us.mean, us.max, us.disturbed);
        else
            printf(" %9.2f%s\n", us.median, disturbed_word(us.disturbed));
        disturbed_rows += us.disturbed;
        flush_stdout();
    }

    if (!options.csv) {
        work.length_ns = 1000000;
        printf("\nOf vector_add, a plain event pair says %.2f us, the host %.2f us; without the "
               "host's launch\nand the events' own cost it is %.2f us.\n",
               vector_us[EVENT], vector_us[HOST_SYNC], vector_us[EVENT_NET]);
        const double asleep_us = sample(cpu_clock_asleep, runs).median;
        const double busy_us = sample(cpu_clock, runs).median;
        printf("clock() counts processor time: of a spin of 1000 us it sees %.0f us when the host "
               "waits busily,\nand %.0f us when it sleeps.\n",
               busy_us, asleep_us);
        printf("Event times here are multiples of %llu ns; the manual says about 500 ns.\n",
               (unsigned long long)step_ns);
        if (timer_step_ns > 100)
            printf("The truth itself steps by %llu ns: a spin ran up to so much less than it "
                   "says.\n",
                   (unsigned long long)timer_step_ns);
        printf("%s", disturbed_verdict(disturbed_rows));
    }
    flush_stdout();

    CHECK_CUDA(cudaFree(work.a));
    CHECK_CUDA(cudaFree(work.b));
    CHECK_CUDA(cudaFree(work.c));
    CHECK_CUDA(cudaFree(work.ran_ns));
    CHECK_CUDA(cudaEventDestroy(done));
    release_blocker();
    return EXIT_SUCCESS;
}
