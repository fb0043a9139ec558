/* SPDX-License-Identifier: MIT
 *
 * What does the GPU do between a kernel's last instruction and the start of whatever comes next?
 *
 *   start event    first stamp      last stamp      complete          next kernel
 *        |--launch-----|------code------|----drain-----|                   |
 *                                       |---------------gap----------------|
 *
 * Measures: when the device knows that a kernel is complete, so that all it wrote can be seen. A
 *   second kernel waits for that on the device (programmatic dependent launch). Beside it, when an
 *   ordinary next kernel starts; and `net`, an event pair behind the blocker less the floor.
 * Does not measure: the parts of the drain. Needs compute capability 9.0.
 *
 * Build: nvcc -O2 -arch=native -I../common drain.cu -o drain
 * Run:   ./drain
 * Try:   below, waves[] = {0, 1, 256}        does the drain grow with what was written?
 */
#include "../02_clfinish_sync/vector_add.h"
#include "blocker.h"
#include "summary.h"
#include "warp_times.h"

static const unsigned waves[] = {0, 1, 64}; /* as many blocks as fill the device; 0: one block */
static const unsigned long long spin_ns = 2000;
enum { SIZES = sizeof waves / sizeof waves[0] };

/* Spins for `length_ns`, and then does vector_add, if there is a `c`. */
static __global__ void stamped(struct warp_time *times, unsigned long long length_ns,
                               const float *a, const float *b, float *c) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900 /* cudaTriggerProgrammaticLaunchCompletion(), which CUDA 11.8 lacks: */
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); /* the marker may start now */
#endif
    while (length_ns > 0 && globaltimer_ns() - start_ns < length_ns)
        ;
    if (c)
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

struct moments {
    unsigned long long start_ns, complete_ns; /* complete_ns: 0 if it could not wait */
};

/* The next kernel: when it starts, and when the one before it is complete. */
static __global__ void marker(struct moments *moments) {
    const unsigned long long start_ns = globaltimer_ns();
    unsigned long long complete_ns = 0;
#if __CUDA_ARCH__ >= 900 /* cudaGridDependencySynchronize() */
    asm volatile("griddepcontrol.wait;" ::: "memory");
    complete_ns = globaltimer_ns();
#endif
    moments->start_ns = start_ns;
    moments->complete_ns = complete_ns;
}

static unsigned long long length_ns; /* of the kernel to come; 0: vector_add */
static unsigned blocks;
static float *a, *b, *c;
static struct warp_time *times;
static struct moments *moments;

static void launch_kernel(void) {
    stamped<<<blocks, THREADS>>>(times, length_ns, a, b, length_ns > 0 ? NULL : c);
    CHECK_CUDA(cudaGetLastError());
}

/* `early`: it may start when the kernel before it allows it, and has to wait by itself. */
static void launch_marker(bool early) {
    static cudaLaunchAttribute attribute;
    static cudaLaunchConfig_t one_thread;
    void *arguments[] = {&moments};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = early;
    one_thread.gridDim.x = one_thread.blockDim.x = 1;
    one_thread.attrs = &attribute;
    one_thread.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelExC(&one_thread, (const void *)marker, arguments));
}

/* Behind the blocker, so that nothing waits for the host. Returns microseconds between the events. */
enum next { FLOOR_ALONE, NO_MARKER, EARLY_MARKER, ORDINARY_MARKER };
static double pair_us(enum next next) {
    clear_stamps(times, blocks);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (next != FLOOR_ALONE)
        launch_kernel();
    if (next > NO_MARKER)
        launch_marker(next == EARLY_MARKER);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

enum { CODE, DRAIN, NET, WAITED, GAP, FLOOR, FIELDS };
static double samples_us[FIELDS][MAX_RUNS];

/* Exits with 1 unless `to_ns` comes `least_ns` or more after `from_ns`. */
static double us_between(unsigned long long from_ns, unsigned long long to_ns,
                         unsigned long long least_ns) {
    if (to_ns < from_ns + least_ns)
        fail(EXIT_FAILED, "impossible: %llu ns is not %llu ns after %llu ns", to_ns, least_ns,
             from_ns);
    return (double)(to_ns - from_ns) / 1e3;
}

static void measure(size_t run) {
    struct moments seen;
    samples_us[FLOOR][run] = pair_us(FLOOR_ALONE);
    samples_us[NET][run] = pair_us(NO_MARKER); /* less the floor's median, later */
    const struct warp_time code = first_and_last(times, blocks);
    samples_us[CODE][run] = us_between(code.start_ns, code.end_ns, length_ns);

    pair_us(EARLY_MARKER);
    CHECK_CUDA(cudaMemcpy(&seen, moments, sizeof seen, cudaMemcpyDeviceToHost));
    if (seen.complete_ns == 0)
        fail(EXIT_FAILED, "built for an older GPU, whose kernels cannot wait: use -arch=native");
    samples_us[DRAIN][run] = us_between(first_and_last(times, blocks).end_ns, seen.complete_ns, 0);
    samples_us[WAITED][run] = us_between(seen.start_ns, seen.complete_ns, 0);

    pair_us(ORDINARY_MARKER);
    CHECK_CUDA(cudaMemcpy(&seen, moments, sizeof seen, cudaMemcpyDeviceToHost));
    samples_us[GAP][run] = us_between(first_and_last(times, blocks).end_ns, seen.start_ns, 0);
}

int main(int argc, char **argv) {
    struct summary s[FIELDS];
    int per_sm;
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "What does the GPU do after a kernel's last instruction?");
    const struct cudaDeviceProp device = open_cuda();
    if (device.major < 9)
        fail(EXIT_NO_DEVICE, "needs compute capability 9.0; '%s' has %d.%d", device.name,
             device.major, device.minor);
    CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, (const void *)stamped, THREADS, 0));
    const unsigned full = (unsigned)(per_sm * device.multiProcessorCount);
    blocks = waves[SIZES - 1] * full; /* the most */
    const size_t runs = (size_t)options.runs, n = (size_t)blocks * THREADS;
    set_up_blocker();
    a = device_vector(A, n);
    b = device_vector(B, n);
    c = device_vector(C, n);
    CHECK_CUDA(cudaMalloc((void **)&times, (size_t)blocks * WARPS * sizeof *times));
    CHECK_CUDA(cudaMalloc((void **)&moments, sizeof *moments));

    launch_kernel(); /* the warm-up, without the blocker: see cuda_events.cu on lazy loading */
    launch_marker(true);
    clear_stamps(times, blocks);
    check_vector_add(c, n);

    say("Drain: a spin of %llu us and vector_add on %s; %u blocks of %d threads fill it\n"
        "Medians of %zu runs; drain and gap count from the kernel's last stamp\n\n",
        spin_ns / 1000, device.name, full, THREADS, runs);
    for (int row = 0; row < 2 * SIZES; row++) {
        bool disturbed = false;
        length_ns = row < SIZES ? spin_ns : 0;
        blocks = waves[row % SIZES] > 0 ? waves[row % SIZES] * full : 1;
        for (size_t run = 0; run < runs; run++) /* in turns */
            measure(run);
        for (int f = 0; f < FIELDS; f++) {
            s[f] = summarize(samples_us[f], runs);
            disturbed |= s[f].disturbed;
        }
        const double net_us = s[NET].median - s[FLOOR].median;
        if (net_us <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us", net_us);
        begin_row(device.name);
        cell("kernel", -10, "%s", length_ns > 0 ? "spin" : "vector_add");
        cell("blocks", 8, "%u", blocks);
        number("launch", "us", 11, 2, net_us - s[CODE].median - s[DRAIN].median);
        number("code", "us", 9, 2, s[CODE].median);
        number("drain", "us", 10, 2, s[DRAIN].median);
        number("net", "us", 9, 2, net_us);
        number("waited", "us", 11, 2, s[WAITED].median);
        number("gap", "us", 9, 2, s[GAP].median);
        end_row_disturbed(disturbed);
    }
    end_table();
    say("%.2f us after its last stamp the last vector_add is complete; after %.2f us an\n"
        "ordinary next kernel starts. Where `waited` is near 0, the waiting kernel found no\n"
        "room before: there the drain may be shorter than the table says.\n",
        s[DRAIN].median, s[GAP].median);
    return EXIT_SUCCESS;
}
