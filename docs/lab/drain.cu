/* SPDX-License-Identifier: MIT
 *
 * What does the GPU do between a kernel's last instruction and the start of whatever comes next?
 *
 *   start event    first stamp      last stamp      complete          next kernel
 *        |--launch-----|------code------|----drain-----|                   |
 *                                       |-----------next_start-------------|
 *
 * Measures: when a kernel is complete, so that all it wrote can be seen: a second kernel waits for
 *   that (programmatic dependent launch); when an ordinary next kernel starts; and event_net.
 * Does not measure: the parts of the drain. Needs compute capability 9.0.
 *
 * Build: nvcc -O2 -arch=native -I../../common drain.cu -o drain
 * Run:   ./drain
 * Try:   below, waves[] = {0, 1, 256}        does the drain grow with what was written?
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "../../04_cuda_events/stamped.h"
#include "summary.h"

static const size_t waves[] = {0, 1, 64}; /* as many blocks as fill the device; 0: one block */
enum { SIZES = sizeof waves / sizeof waves[0], SPIN_NS = 2000 };

/* A spin or vector_add with stamps, which lets the next kernel start early. The next kernel must
 * wait for the data. The instruction is CUDA 12's cudaTriggerProgrammaticLaunchCompletion(). */
static __global__ void early(unsigned long long length_ns, const float *a, const float *b, float *c,
                             struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    if (length_ns > 0)
        spin_for(length_ns);
    else
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

/* The next kernel: when it starts and, in end_ns, when the one before it is complete. The
 * instruction is CUDA 12's cudaGridDependencySynchronize(). An older GPU's cannot wait: 0. */
static __global__ void marker(struct warp_time *marked) {
    struct warp_time seen = {globaltimer_ns(), 0};
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    seen.end_ns = globaltimer_ns();
#endif
    *marked = seen;
}

static struct warp_time *marked; /* what the marker wrote, on the device */

/* `is_early`: the marker may start as soon as the kernel before it lets it, and waits by itself. */
static void launch_marker(bool is_early) {
    static cudaLaunchAttribute attribute;
    static cudaLaunchConfig_t one_thread;
    void *arguments[] = {&marked};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = is_early;
    one_thread.gridDim.x = one_thread.blockDim.x = one_thread.numAttrs = 1;
    one_thread.attrs = &attribute;
    CHECK_CUDA(cudaLaunchKernelExC(&one_thread, (const void *)marker, arguments));
}

enum queue { NOTHING, KERNEL, WITH_EARLY_MARKER, WITH_MARKER };
struct pair {
    double us;
    struct warp_time code, next; /* of the kernel and the marker between the events */
};
static struct pair time_pair(enum queue queue) {
    struct pair pair = {0, {0, 0}, {0, 0}};
    clear_stamps(work.times, work.blocks);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (queue >= KERNEL) {
        early<<<(unsigned)work.blocks, THREADS>>>(work.length_ns, vectors[A], vectors[B],
                                                  vectors[C], work.times);
        CHECK_CUDA(cudaGetLastError());
    }
    if (queue > KERNEL)
        launch_marker(queue == WITH_EARLY_MARKER);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    pair.us = elapsed_us();
    if (queue >= KERNEL)
        pair.code = first_and_last(work.times, work.blocks);
    if (queue > KERNEL)
        CHECK_CUDA(cudaMemcpy(&pair.next, marked, sizeof pair.next, cudaMemcpyDeviceToHost));
    return pair;
}

static double checked_us(unsigned long long from_ns, unsigned long long to_ns, double least_us,
                         double most_us) {
    const double us = (double)(long long)(to_ns - from_ns) / 1e3;
    if (us < least_us || us > most_us + 2) /* clocks' steps */
        fail(EXIT_FAILED, "impossible: %g us between stamps, not %g to %g", us, least_us, most_us);
    return us;
}

enum { LAUNCH, CODE, DRAIN, EVENT_NET, WAITED, NEXT_START, FLOOR, ALL };
static const char *const names[] = {"launch", "code", "drain", "event_net", "waited", "next_start"};
static double samples_us[ALL][MAX_RUNS];

static void measure(size_t run) {
    samples_us[FLOOR][run] = time_pair(NOTHING).us;
    struct pair p = time_pair(KERNEL);
    samples_us[EVENT_NET][run] = p.us; /* minus the floor, once its median is known */
    samples_us[CODE][run] = checked_us(p.code.start_ns, p.code.end_ns, work.length_ns / 1e3, p.us);
    p = time_pair(WITH_EARLY_MARKER);
    if (p.next.end_ns == 0)
        fail(EXIT_FAILED, "built for an older GPU, whose kernels cannot wait: use -arch=native");
    samples_us[DRAIN][run] = checked_us(p.code.end_ns, p.next.end_ns, 0, p.us);
    samples_us[WAITED][run] = checked_us(p.next.start_ns, p.next.end_ns, 0, p.us);
    p = time_pair(WITH_MARKER);
    samples_us[NEXT_START][run] = checked_us(p.code.end_ns, p.next.start_ns, 0, p.us);
}

int main(int argc, char **argv) {
    double us[ALL], full_us[ALL] = {0};
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "What does the GPU do after a kernel's last instruction?");
    const struct cudaDeviceProp device = open_cuda();
    if (device.major < 9)
        fail(EXIT_NO_DEVICE, "needs compute capability 9.0, not %d.%d", device.major, device.minor);
    const size_t runs = (size_t)options.runs, full = full_device(device.multiProcessorCount);
    work.blocks = waves[SIZES - 1] * full; /* the most */
    work.floats = work.blocks * THREADS;
    set_up_blocked_pair();
    set_up_stamped(work.floats, work.blocks);
    CHECK_CUDA(cudaMalloc((void **)&marked, sizeof *marked));
    early<<<(unsigned)work.blocks, THREADS>>>(0, vectors[A], vectors[B], vectors[C], work.times);
    CHECK_CUDA(cudaGetLastError());
    launch_marker(true); /* these two are the warm-up */
    check_vector_add(vectors[C], work.floats);
    spoil_sums(vectors[C], work.floats);
    begin_table("Drain: a spin of %d us and vector_add on %s; %zu blocks of %d threads fill it;\n"
                "medians of %zu runs; drain, next_start: from the last stamp; launch: event_net\n"
                "- code - drain; waited: by an early next kernel; near 0: it may be too late\n\n",
                SPIN_NS / 1000, device.name, full, THREADS, runs);
    for (int row = 0; row < 2 * SIZES; row++) {
        work.length_ns = row < SIZES ? SPIN_NS : 0;
        work.blocks = waves[row % SIZES] > 0 ? waves[row % SIZES] * full : 1;
        for (size_t run = 0; run < runs; run++) /* in turns */
            measure(run);
        bool disturbed = probe_sharing();
        for (int i = CODE; i < ALL; i++) {
            const struct summary s = summarize_us(samples_us[i], runs);
            us[i] = s.median;
            disturbed |= s.disturbed;
        }
        us[EVENT_NET] -= us[FLOOR];
        if (us[EVENT_NET] <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us", us[EVENT_NET]);
        us[LAUNCH] = us[EVENT_NET] - us[CODE] - us[DRAIN];
        label("kernel", 10, work.length_ns > 0 ? "spin" : "vector_add");
        cell("blocks", "%8zu", work.blocks);
        for (int i = 0; i < FLOOR; i++)
            number(names[i], "us", 2, us[i]);
        end_row(disturbed);
        if (row == 1)
            memcpy(full_us, us, sizeof us);
    }
    check_vector_add(vectors[C], work.floats); /* of the last row, which has the most blocks */
    end_table();
    say("%zu blocks of the spin are complete after %.2f us; an ordinary next kernel starts after\n"
        "%.2f us.\n",
        full, full_us[DRAIN], full_us[NEXT_START]);
    return EXIT_SUCCESS;
}
