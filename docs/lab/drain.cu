/* SPDX-License-Identifier: MIT
 *
 * What does the GPU do between a kernel's last instruction and the start of whatever comes next?
 *
 *   start event    first stamp      last stamp      complete          next kernel
 *        |--launch-----|------code------|----drain-----|                   |
 *                                       |-----------next_start-------------|
 *
 * Measures: when the device knows that a kernel is complete, so that all it wrote can be seen. A
 *   second kernel waits for that on the device (programmatic dependent launch). Beside it, when an
 *   ordinary next kernel starts; and `net`, an event pair behind the blocker minus the
 *   floor.
 * Does not measure: the parts of the drain. Needs compute capability 9.0.
 *
 * Build: nvcc -O2 -arch=native -I../../common drain.cu -o drain
 * Run:   ./drain
 * Try:   below, waves[] = {0, 1, 256}        does the drain grow with what was written?
 */
#include "../../04_cuda_events/blocker.h"
#include "../../04_cuda_events/stamped.h"
#include "summary.h"

static const size_t waves[] = {0, 1, 64}; /* as many blocks as fill the device; 0: one block */
static const unsigned long long spin_ns = 2000;
enum { SIZES = sizeof waves / sizeof waves[0] };

/* A kernel with stamps, a spin or vector_add, which lets the next one start early: what the next one
 * reads it must wait for. */
static __global__ void early(unsigned long long length_ns, const float *a, const float *b, float *c,
                             struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900 /* CUDA 12's cudaTriggerProgrammaticLaunchCompletion() */
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    if (length_ns > 0)
        spin_for(length_ns);
    else
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

struct moments {
    unsigned long long start_ns, complete_ns;
};

/* The next kernel: when it starts, and when the one before it is complete. The instruction is CUDA
 * 12's cudaGridDependencySynchronize(). Built for an older GPU it cannot wait: 0. */
static __global__ void marker(struct moments *moments) {
    const unsigned long long start_ns = globaltimer_ns();
    unsigned long long complete_ns = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    complete_ns = globaltimer_ns();
#endif
    moments->start_ns = start_ns;
    moments->complete_ns = complete_ns;
}

static struct moments *moments; /* on the device */

static void launch_early(void) {
    early<<<(unsigned)blocks, THREADS>>>(length_ns, a, b, c, times);
    CHECK_CUDA(cudaGetLastError());
}

/* `may_be_early`: it may start as soon as the kernel before it lets it, and has to wait by itself. */
static void launch_marker(bool may_be_early) {
    static cudaLaunchAttribute attribute;
    static cudaLaunchConfig_t one_thread;
    void *arguments[] = {&moments};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = may_be_early;
    one_thread.gridDim.x = one_thread.blockDim.x = 1;
    one_thread.attrs = &attribute;
    one_thread.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelExC(&one_thread, (const void *)marker, arguments));
}

/* Microseconds between two events around nothing, a kernel, or both. All is queued behind the blocker, so that nothing waits for the
 * host. */
enum between { NOTHING, KERNEL, WITH_EARLY_MARKER, WITH_MARKER };
static double around_us(enum between between) {
    clear_stamps(times, blocks);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (between >= KERNEL)
        launch_early();
    if (between > KERNEL)
        launch_marker(between == WITH_EARLY_MARKER);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

enum { CODE, DRAIN, NET, WAITED, NEXT_START, FLOOR, COLUMNS };
static double samples_us[COLUMNS][MAX_RUNS];

/* Exits with 1 unless they are at least `least_ns` apart and, to 2 us, at most `most_us`. */
static double us_between(unsigned long long from_ns, unsigned long long to_ns,
                         unsigned long long least_ns, double most_us) {
    const double us = (double)(long long)(to_ns - from_ns) / 1e3;
    if (us < (double)least_ns / 1e3 || us > most_us + 2)
        fail(EXIT_FAILED, "impossible: %g us between two stamps, not %g to %g", us,
             (double)least_ns / 1e3, most_us);
    return us;
}

static void measure(size_t run) {
    struct moments seen;
    samples_us[FLOOR][run] = around_us(NOTHING);
    samples_us[NET][run] = around_us(KERNEL); /* minus the floor, once its median is known */
    const struct warp_time code = first_and_last(times, blocks);
    samples_us[CODE][run] = us_between(code.start_ns, code.end_ns, length_ns, samples_us[NET][run]);

    const double early_us = around_us(WITH_EARLY_MARKER);
    unsigned long long end_ns = first_and_last(times, blocks).end_ns;
    CHECK_CUDA(cudaMemcpy(&seen, moments, sizeof seen, cudaMemcpyDeviceToHost));
    if (seen.complete_ns == 0)
        fail(EXIT_FAILED, "built for an older GPU, whose kernels cannot wait: use -arch=native");
    samples_us[DRAIN][run] = us_between(end_ns, seen.complete_ns, 0, early_us);
    samples_us[WAITED][run] = us_between(seen.start_ns, seen.complete_ns, 0, early_us);

    const double ordinary_us = around_us(WITH_MARKER);
    end_ns = first_and_last(times, blocks).end_ns;
    CHECK_CUDA(cudaMemcpy(&seen, moments, sizeof seen, cudaMemcpyDeviceToHost));
    samples_us[NEXT_START][run] = us_between(end_ns, seen.start_ns, 0, ordinary_us);
}

int main(int argc, char **argv) {
    struct summary s[COLUMNS];
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "What does the GPU do after a kernel's last instruction?");
    const struct cudaDeviceProp device = open_cuda();
    if (device.major < 9)
        fail(EXIT_NO_DEVICE, "needs compute capability 9.0; '%s' has %d.%d", device.name,
             device.major, device.minor);
    const size_t runs = (size_t)options.runs, full = full_device(device.multiProcessorCount);
    blocks = waves[SIZES - 1] * full; /* the most */
    n = blocks * THREADS;
    set_up_blocker();
    set_up_stamped(n, blocks);
    CHECK_CUDA(cudaMalloc((void **)&moments, sizeof *moments));

    launch_early(); /* the warm-up: see cuda_events.cu on lazy loading */
    launch_marker(true);
    clear_stamps(times, blocks);
    check_vector_add(c, n);

    begin_table(
        "Drain: a spin of %llu us and vector_add on %s; %zu blocks of %d threads fill it\n"
        "Medians of %zu runs; launch = net - code - drain; drain, next_start: from the last "
        "stamp;\n"
        "waited: how long a kernel that started early waited until this one was complete\n\n",
        spin_ns / 1000, device.name, full, THREADS, runs);
    for (int row = 0; row < 2 * SIZES; row++) {
        length_ns = row < SIZES ? spin_ns : 0;
        blocks = waves[row % SIZES] > 0 ? waves[row % SIZES] * full : 1;
        for (size_t run = 0; run < runs; run++) /* in turns */
            measure(run);
        bool disturbed = is_shared();
        for (int i = 0; i < COLUMNS; i++) {
            s[i] = summarize(samples_us[i], runs, step_us);
            disturbed |= s[i].disturbed;
        }
        const double net_us = s[NET].median - s[FLOOR].median;
        if (net_us <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us", net_us);
        cell("kernel", -10, "%s", length_ns > 0 ? "spin" : "vector_add");
        cell("blocks", 8, "%zu", blocks);
        number("launch", "us", 11, 2, net_us - s[CODE].median - s[DRAIN].median);
        number("code", "us", 9, 2, s[CODE].median);
        number("drain", "us", 10, 2, s[DRAIN].median);
        number("net", "us", 9, 2, net_us);
        number("waited", "us", 11, 2, s[WAITED].median);
        number("next_start", "us", 15, 2, s[NEXT_START].median);
        end_row(disturbed);
    }
    end_table();
    say("%.2f us after its last stamp the last row's vector_add is complete; after %.2f us an\n"
        "ordinary next kernel starts. Where `waited` is near 0, the waiting kernel started late:\n"
        "there the drain may be shorter than the table says.\n",
        s[DRAIN].median, s[NEXT_START].median);
    return EXIT_SUCCESS;
}
