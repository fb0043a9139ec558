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
#include "blocked.h"
#include "stamped.h"
#include "vectors.h"

static const size_t waves[] = {0, 1, 64}; /* as many blocks as fill the device; 0: one block */
enum { SIZES = sizeof waves / sizeof waves[0], SPIN_NS = 2000 };

/* ---- The kernels ---- */

/* A spin, or where length_ns is 0 vector_add, with stamps. It lets the next kernel start early,
 * which must wait for the data. The instruction is CUDA 12's
 * cudaTriggerProgrammaticLaunchCompletion(). */
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

/* ---- One launch ---- */

struct experiment {
    struct blocked_pair pair;
    unsigned long long length_ns; /* of the spin; 0: vector_add */
    size_t blocks;
    float *vectors[3]; /* a, b and c: this and the rest is on the device */
    struct warp_time *times, *marked;
};

static void launch_early(const struct experiment *e) {
    early<<<(unsigned)e->blocks, THREADS>>>(e->length_ns, e->vectors[A], e->vectors[B],
                                            e->vectors[C], e->times);
    CHECK_CUDA(cudaGetLastError());
}

/* `is_early`: the marker may start as soon as the kernel before it lets it, and waits by itself. */
static void launch_marker(const struct experiment *e, bool is_early) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t one_thread = {};
    struct warp_time *marked = e->marked;
    void *arguments[] = {&marked};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = is_early;
    one_thread.gridDim.x = one_thread.blockDim.x = one_thread.numAttrs = 1;
    one_thread.attrs = &attribute;
    CHECK_CUDA(cudaLaunchKernelExC(&one_thread, (const void *)marker, arguments));
}

/* What is launched between these two is between the events. Returns the time between them. */
static void begin_pair(const struct experiment *e) {
    clear_stamps(e->times, e->blocks);
    hold_stream(&e->pair);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
}

static double end_pair_us(const struct experiment *e) {
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    release_stream(&e->pair);
    return elapsed_us(e->pair.start, e->pair.stop);
}

static struct warp_time read_marked(const struct experiment *e) {
    struct warp_time seen;
    CHECK_CUDA(cudaMemcpy(&seen, e->marked, sizeof seen, cudaMemcpyDeviceToHost));
    return seen;
}

static double checked_us(unsigned long long from_ns, unsigned long long to_ns, double least_us,
                         double most_us) {
    const double us = (double)(long long)(to_ns - from_ns) / 1e3;
    if (us < least_us || us > most_us + 2) /* clocks' steps */
        fail(EXIT_FAILED, "impossible: %g us between stamps, not %g to %g", us, least_us, most_us);
    return us;
}

/* ---- The methods, in turns ---- */

struct samples {
    double floor_us[MAX_RUNS], event_us[MAX_RUNS], code_us[MAX_RUNS], drain_us[MAX_RUNS],
        waited_us[MAX_RUNS], next_start_us[MAX_RUNS];
};

static void measure(const struct experiment *e, struct samples *s, size_t run) {
    begin_pair(e); /* nothing */
    s->floor_us[run] = end_pair_us(e);

    begin_pair(e); /* the kernel alone */
    launch_early(e);
    double us = s->event_us[run] = end_pair_us(e);
    struct warp_time code = first_and_last(e->times, e->blocks);
    s->code_us[run] = checked_us(code.start_ns, code.end_ns, (double)e->length_ns / 1e3, us);

    begin_pair(e); /* the kernel, and a next one that starts early and waits */
    launch_early(e);
    launch_marker(e, true);
    us = end_pair_us(e);
    code = first_and_last(e->times, e->blocks);
    struct warp_time next = read_marked(e);
    if (next.end_ns == 0)
        fail(EXIT_FAILED, "built for an older GPU, whose kernels cannot wait: use -arch=native");
    s->drain_us[run] = checked_us(code.end_ns, next.end_ns, 0, us);
    s->waited_us[run] = checked_us(next.start_ns, next.end_ns, 0, us);

    begin_pair(e); /* the kernel, and an ordinary next one */
    launch_early(e);
    launch_marker(e, false);
    us = end_pair_us(e);
    code = first_and_last(e->times, e->blocks);
    next = read_marked(e);
    s->next_start_us[run] = checked_us(code.end_ns, next.start_ns, 0, us);
}

/* ---- The experiment ---- */

/* Exits with 1 unless c is a + b. */
static void check_c(const struct experiment *e, size_t floats) {
    float *c = host_vector(C, floats);
    CHECK_CUDA(cudaMemcpy(c, e->vectors[C], floats * sizeof *c, cudaMemcpyDeviceToHost));
    check_sums(c, floats);
    free(c);
}

int main(int argc, char **argv) {
    static struct samples s;
    long long asked_runs = 31;
    const char *wanted = "";
    const struct arg args[] = {ARG_DEVICE(&wanted), ARG_RUNS(&asked_runs), END_OF_ARGS};
    parse_args(argc, argv, "What does the GPU do after a kernel's last instruction?", args);
    const struct gpu gpu = open_cuda(wanted);
    if (gpu.properties.major < 9)
        fail(EXIT_NO_DEVICE, "needs compute capability 9.0, not %d.%d", gpu.properties.major,
             gpu.properties.minor);
    int per_sm;
    CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, (const void *)early, THREADS, 0));
    const size_t runs = (size_t)asked_runs, full = (size_t)per_sm * (size_t)gpu.sms,
                 most_blocks = waves[SIZES - 1] * full, floats = most_blocks * THREADS;
    struct experiment e = {};
    e.pair = new_blocked_pair();
    for (unsigned v = A; v <= C; v++) {
        float *host = host_vector(v, floats);
        e.vectors[v] = (float *)new_on_device(floats * sizeof *host, host);
        free(host);
    }
    e.times = (struct warp_time *)new_on_device(most_blocks * WARPS * sizeof *e.times, NULL);
    e.marked = (struct warp_time *)new_on_device(sizeof *e.marked, NULL);
    e.blocks = most_blocks;
    launch_early(&e);
    launch_marker(&e, true); /* these two are the warm-up */
    check_c(&e, floats);
    CHECK_CUDA(cudaMemset(e.vectors[C], 0xff, floats * sizeof *e.vectors[C])); /* NaNs */
    CHECK_CUDA(cudaDeviceSynchronize());

    struct table table = {};
    double full_drain_us = 0, full_next_start_us = 0;
    begin_record(args, gpu.properties.name, gpu.driver);
    say("Drain: a spin of %d us and vector_add on %s; %zu blocks of %d threads fill it;\n"
        "medians of %zu runs. drain_us and next_start_us are from the last stamp. launch_us is\n"
        "event_net_us - code_us - drain_us. waited_us is how long an early next kernel waits;\n"
        "where it is near 0, that kernel may come too late\n\n",
        SPIN_NS / 1000, gpu.properties.name, full, THREADS, runs);
    for (int row = 0; row < 2 * SIZES; row++) {
        const bool is_spin = row < SIZES;
        e.length_ns = is_spin ? SPIN_NS : 0;
        e.blocks = waves[row % SIZES] > 0 ? waves[row % SIZES] * full : 1;
        for (size_t run = 0; run < runs; run++)
            measure(&e, &s, run);
        const unsigned shared = probe_gpu(&e.pair);
        const struct summary floor = summarize_us(s.floor_us, runs),
                             event = summarize_us(s.event_us, runs),
                             code = summarize_us(s.code_us, runs),
                             drain = summarize_us(s.drain_us, runs),
                             waited = summarize_us(s.waited_us, runs),
                             next_start = summarize_us(s.next_start_us, runs);
        const double event_net_us = event.median - floor.median;
        if (event_net_us <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us", event_net_us);
        text(&table, "kernel", 10, is_spin ? "spin" : "vector_add");
        number(&table, "blocks", 0, (double)e.blocks);
        number(&table, "launch_us", 2, event_net_us - code.median - drain.median);
        number(&table, "code_us", 2, code.median);
        number(&table, "drain_us", 2, drain.median);
        number(&table, "event_net_us", 2, event_net_us);
        number(&table, "waited_us", 2, waited.median);
        number(&table, "next_start_us", 2, next_start.median);
        end_row(&table, shared | floor.marks | event.marks | code.marks | drain.marks |
                            waited.marks | next_start.marks);
        if (is_spin && e.blocks == full) {
            full_drain_us = drain.median;
            full_next_start_us = next_start.median;
        }
    }
    check_c(&e, floats); /* of the last row, which has the most blocks */
    end_table(&table);
    say("%zu blocks of the spin are complete after %.2f us; an ordinary next kernel starts after\n"
        "%.2f us.\n",
        full, full_drain_us, full_next_start_us);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
