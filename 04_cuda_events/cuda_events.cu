/* SPDX-License-Identifier: MIT
 *
 * How far is each way of timing a CUDA kernel from the time of its code?
 *
 * Measures: a spin of 10 us, which knows its own length, then vector_add, in six ways.
 * Does not measure: where the differences come from (onion.cu); the first launch (chapter 06).
 *
 * Build: nvcc -O2 -arch=native -I../common cuda_events.cu -o cuda_events
 * Run:   ./cuda_events
 * Try:   ./cuda_events --size 16384        a short kernel: most ways are several times too long
 */
#include "blocker.h"
#include "clock.h"
#include "summary.h"
#include "vectors.h"

/* ---- The work under the clocks: a spin of known length (spin.h), or vector_add ---- */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static unsigned long long length_ns, *ran_ns; /* of the spin; 0: vector_add */
static float *a, *b, *c;
static size_t n;

static void launch(void) {
    if (length_ns > 0)
        spin<<<1, 1>>>(length_ns, ran_ns);
    else
        vector_add<<<(unsigned)((n + 255) / 256), 256>>>(a, b, c, n);
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

/* The GPU stamps an event when it comes to it. It comes to the first at once, while the host is
 * still preparing the launch: that gap is in the figure. */
static double event(void) {
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    return elapsed_us();
}

/* The same pair behind the blocker (blocker.h), which holds the stream until all three are queued:
 * no gap between them. */
static double event_blocked(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* What two events cost with nothing between them. event_blocked minus this is event_net, the time on
 * the device. */
static double event_floor(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* ---- The comparison ---- */

enum { HOST_NO_SYNC, HOST_SYNC, CPU_CLOCK, EVENT, EVENT_BLOCKED, EVENT_FLOOR, EVENT_NET, METHODS };
static const struct {
    const char *name, *clock;
    double (*time_us)(void);
} methods[METHODS] = {{"host_no_sync", "host", host_no_sync},
                      {"host_sync", "host", host_sync},
                      {"cpu_clock", "processor", cpu_clock},
                      {"event", "device", event},
                      {"event_blocked", "device", event_blocked},
                      {"event_floor", "device", event_floor},
                      {"event_net", "device", NULL}}; /* the difference of the two before */

/* Times the work by method `m`. Stores how long the spin says it ran. A spin that ran 5 us too long
 * shared the device with somebody: again, a few times. */
static double sample(int m, double *code_us) {
    for (int tries = 0; tries < 10; tries++) {
        const double us = methods[m].time_us();
        unsigned long long ns;
        CHECK_CUDA(cudaMemcpy(&ns, ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
        *code_us = (double)ns / 1e3;
        if (length_ns > 0 && ns > length_ns + 5000)
            continue;
        if (length_ns > 0 && (m == EVENT || m == EVENT_BLOCKED) && us + 5 < *code_us)
            fail(EXIT_FAILED, "impossible: %g us around a spin of %g us", us, *code_us);
        return us;
    }
    fail(EXIT_FAILED, "disturbed: a spin of 10 us ran for %g us; is the GPU shared?", *code_us);
}

/* Times one kernel by all methods in turns, prints a row for each, and stores what it says in s. */
static void compare(const char *kernel, struct summary s[METHODS]) {
    static double samples_us[METHODS][MAX_RUNS], codes_us[METHODS][MAX_RUNS];
    const size_t runs = (size_t)options.runs;
    for (size_t run = 0; run < runs; run++)
        for (int m = 0; m < EVENT_NET; m++)
            samples_us[m][run] = sample(m, &codes_us[m][run]);
    const double floor_us = median(samples_us[EVENT_FLOOR], runs);
    for (size_t run = 0; run < runs; run++) {
        samples_us[EVENT_NET][run] = samples_us[EVENT_BLOCKED][run] - floor_us;
        codes_us[EVENT_NET][run] = codes_us[EVENT_BLOCKED][run];
    }
    for (int m = 0; m < METHODS; m++)
        s[m] = summarize(samples_us[m], runs, step_us);
    s[EVENT_NET].disturbed |= s[EVENT_BLOCKED].disturbed || s[EVENT_FLOOR].disturbed;
    const double net_us = s[EVENT_NET].median;
    if (net_us <= 0)
        fail(EXIT_FAILED, "impossible: a median of %g us; the work is too short", net_us);
    for (int m = 0; m < METHODS; m++) {
        const bool has_code = length_ns > 0 && m != EVENT_FLOOR;
        const double code_us = has_code ? median(codes_us[m], runs) : NAN;
        cell("method", -13, "%s", methods[m].name);
        cell("clock", -9, "%s", methods[m].clock);
        cell("kernel", -10, "%s", kernel);
        summary_cells("us", 11, s[m]);
        number("code", "us", 9, 2, code_us);
        number("extra", "us", 10, 2, s[m].median - code_us);
        end_row(s[m].disturbed || is_delayed(s[HOST_SYNC].median - net_us));
    }
}

int main(int argc, char **argv) {
    struct summary s[METHODS];
    options.device = "";
    options.runs = 31;
    options.size = 1 << 24;
    parse_options(argc, argv, "How far is each way of timing a kernel from the time of its code?");
    const struct cudaDeviceProp device = open_cuda();
    n = (size_t)options.size;
    check_size(options.size, 3.0 * (double)n * sizeof(float));
    set_up_blocker();
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));
    a = device_vector(A, n);
    b = device_vector(B, n);
    c = device_vector(C, n);
    /* The warm-up, and the check of the result. With lazy loading a kernel's first launch may wait for
     * an idle device: behind the blocker it would wait for the host, and the host for it. */
    launch();
    check_vector_add(c, n);
    length_ns = 10000;
    launch();
    event_floor();

    begin_table("CUDA events: a spin of 10 us, then vector_add of %zu floats, on %s; %lld runs\n"
                "code: how long the spin ran, by %%globaltimer; extra: median minus code\n"
                "blocked: all is queued before it starts; floor: no kernel between; net: blocked - "
                "floor\n\n",
                n, device.name, options.runs);
    compare("spin_10us", s);
    length_ns = 0;
    compare("vector_add", s);
    end_table();
    say("vector_add takes %.2f us by the host's clock and %.2f us by a plain event pair.\n"
        "Its time on the device is %.2f us: the blocked pair minus the events' own %.2f us.\n",
        s[HOST_SYNC].median, s[EVENT].median, s[EVENT_NET].median, s[EVENT_FLOOR].median);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
