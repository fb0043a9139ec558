/* SPDX-License-Identifier: MIT
 *
 * How long did my kernel take? There are three right answers.
 *
 * Measures: by events, the time of a kernel's code, its time on the device, and what one more
 *   launch adds in a row of launches. The kernel's own stamps check the first and the last.
 * Does not measure: the host's wait.
 *
 * Build: nvcc -O2 -arch=native -I../common three_times.cu -o three_times
 * Run:   ./three_times
 * Try:   ./three_times --blocks 1,132,133        does one block more than SMs take longer?
 */
#include "blocked.h" /* the blocker, its gate and the pair of events behind it; spin_for() */
#include "device_vectors.h"
#include "fit_line.h"

/* ---- The kernels, each without stamps of its own and with them ---- */

enum { THREADS = 256, WARPS = THREADS / 32 }; /* in a block; a warp is 32 threads run together */

/* When a warp began and ended, by %globaltimer. */
struct warp_time {
    unsigned long long start_ns, end_ns;
};

/* The last line of a kernel whose first line reads the clock. Waits for all threads of the warp,
 * takes the time, and stores both for the host. */
static __device__ void stamp(struct warp_time *times, unsigned long long start_ns) {
    __syncwarp();
    const unsigned long long end_ns = globaltimer_ns();
    if (threadIdx.x % 32 == 0) {
        struct warp_time *time = &times[(size_t)blockIdx.x * WARPS + threadIdx.x / 32];
        time->start_ns = start_ns;
        time->end_ns = end_ns;
    }
}

static __global__ void empty(void) {
}

/* Each block takes `length_ns`. */
static __global__ void spin_blocks(unsigned long long length_ns) {
    spin_for(length_ns);
}

static __global__ void stamped_spin_blocks(unsigned long long length_ns, struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    spin_for(length_ns);
    stamp(times, start_ns);
}

/* c = a + b of n floats, one by each thread. */
static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void stamped_vector_add(const float *a, const float *b, float *c, size_t n,
                                          struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

/* ---- Launches ---- */

enum { LONGEST = 20 }; /* launches in a row */

struct experiment {
    bool stamped;               /* whether the kernels have stamps of their own */
    unsigned long long spin_ns; /* how long each block spins; 0: no spin */
    size_t floats;              /* of vector_add; 0: a spin, or without that the empty kernel */
    size_t blocks;              /* of each launch */
    float *a, *b, *c;           /* on the device */
    struct warp_time *times; /* on the device: the last launch's, and behind them the first one's */
    unsigned long long last_ns; /* the start of the launch that code_us() read before */
    struct blocked_pair pair;
    double code_error_us; /* how far code_minus_empty is from the stamps, at most so far */
    int runs;
};

/* Where the first launch of several leaves its stamps. */
static struct warp_time *first_times(const struct experiment *e) {
    return e->times + e->blocks * WARPS;
}

/* The stamps, if the kernel has any, go to `times`. */
static void launch(const struct experiment *e, struct warp_time *times) {
    const unsigned blocks = (unsigned)e->blocks;
    if (e->spin_ns > 0 && e->stamped)
        stamped_spin_blocks<<<blocks, THREADS>>>(e->spin_ns, times);
    else if (e->spin_ns > 0)
        spin_blocks<<<blocks, THREADS>>>(e->spin_ns);
    else if (e->stamped)
        stamped_vector_add<<<blocks, THREADS>>>(e->a, e->b, e->c, e->floats, times);
    else if (e->floats > 0)
        vector_add<<<blocks, THREADS>>>(e->a, e->b, e->c, e->floats);
    else
        empty<<<1, THREADS>>>();
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The methods: each returns microseconds ---- */

/* Two events behind the blocker, with so many launches between them. */
static double event_blocked_us(const struct experiment *e, int launches) {
    if (e->stamped) /* after this no warp has a stamp */
        CHECK_CUDA(cudaMemsetAsync(e->times, 0, 2 * e->blocks * WARPS * sizeof *e->times, 0));
    hold_stream(&e->pair);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    for (int i = 0; i < launches; i++)
        launch(e, i == 0 && launches > 1 ? first_times(e) : e->times);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    release_stream(&e->pair);
    return elapsed_us(e->pair.start, e->pair.stop);
}

/* The start of a launch's first warp and the end of its last. `times` is on the device. Exits with
 * 1 if a warp left no stamps or ended before it began. */
static struct warp_time first_and_last(const struct warp_time *times, size_t blocks) {
    const size_t warps = blocks * WARPS;
    struct warp_time *host = (struct warp_time *)new_memory(warps * sizeof *host, "the stamps");
    struct warp_time code = {~0ull, 0};
    CHECK_CUDA(cudaMemcpy(host, times, warps * sizeof *host, cudaMemcpyDeviceToHost));
    for (size_t w = 0; w < warps; w++) {
        if (host[w].start_ns == 0 || host[w].end_ns < host[w].start_ns)
            fail(EXIT_FAILED, "impossible: warp %zu runs from %llu to %llu ns", w, host[w].start_ns,
                 host[w].end_ns);
        code.start_ns = host[w].start_ns < code.start_ns ? host[w].start_ns : code.start_ns;
        code.end_ns = host[w].end_ns > code.end_ns ? host[w].end_ns : code.end_ns;
    }
    free(host);
    return code;
}

/* The code of the last launch, by its own stamps. Exits with 1 if they are of an earlier launch. */
static double code_us(struct experiment *e) {
    const struct warp_time code = first_and_last(e->times, e->blocks);
    if (code.start_ns <= e->last_ns)
        fail(EXIT_FAILED, "impossible: a warp has the stamps of an earlier launch");
    e->last_ns = code.start_ns;
    return (double)(code.end_ns - code.start_ns) / 1e3;
}

/* From one launch's start to the next one's start, by their own stamps: the mean of LONGEST. */
static double period_us(const struct experiment *e) {
    const int64_t first_ns = (int64_t)first_and_last(first_times(e), e->blocks).start_ns;
    const int64_t last_ns = (int64_t)first_and_last(e->times, e->blocks).start_ns;
    return (double)(last_ns - first_ns) / 1e3 / (LONGEST - 1);
}

/* ---- The rows ---- */

/* In microseconds, of each run. */
struct samples {
    double floor[MAX_RUNS], empty[MAX_RUNS], blocked[MAX_RUNS], slope[MAX_RUNS]; /* by events */
    double code[MAX_RUNS], row_stamps[MAX_RUNS];                                 /* by stamps */
};

/* Warms up, and times the kernel by each method, in turns. Exits with 1 if a sum is wrong. */
static void measure(struct experiment *e, struct samples *us) {
    const double launches[] = {2, 5, 10, LONGEST};
    struct experiment of_empty = {};
    of_empty.pair = e->pair;
    launch(e, e->times); /* the warm-up; then the sums are spoilt: NaNs */
    CHECK_CUDA(cudaMemset(e->c, 0xff, e->floats * sizeof *e->c));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int run = 0; run < e->runs; run++) {
        double row_us[4];
        us->floor[run] = event_floor_us(&e->pair);
        us->empty[run] = event_blocked_us(&of_empty, 1);
        us->blocked[run] = event_blocked_us(e, 1);
        us->code[run] = e->stamped ? code_us(e) : NAN;
        for (int i = 0; i < 4; i++)
            row_us[i] = event_blocked_us(e, (int)launches[i]);
        us->slope[run] = fit_line(launches, row_us, 4).slope;
        us->row_stamps[run] = e->stamped ? period_us(e) : NAN;
    }
    if (e->floats > 0)
        check_vector_add(e->c, e->floats);
}

/* NaN if there are no samples, without stamps. */
static double median_us(const double *samples_us, int runs, unsigned *marks) {
    if (isnan(samples_us[0]))
        return NAN;
    const struct summary s = summarize_us(samples_us, (size_t)runs);
    *marks |= s.marks;
    return s.median;
}

/* Measures and prints a row. Returns by how much code_minus_empty and code_stamps differ; NaN:
 * there are no stamps. */
static double time_row(struct table *table, struct experiment *e, struct samples *us) {
    unsigned marks = probe_gpu(&e->pair);
    measure(e, us);
    const double floor = median_us(us->floor, e->runs, &marks);
    const double empty = median_us(us->empty, e->runs, &marks);
    const double blocked = median_us(us->blocked, e->runs, &marks);
    const double slope = median_us(us->slope, e->runs, &marks);
    const double code = median_us(us->code, e->runs, &marks);
    const double row_stamps = median_us(us->row_stamps, e->runs, &marks);
    const double net_us = blocked - floor, minus_empty_us = blocked - empty;
    char kernel[64] = "spin_2us";
    if (e->floats > 0)
        snprintf(kernel, sizeof kernel, "vector_add_%zu", e->floats);
    if (net_us <= 0 || slope <= 0 || (e->stamped && code > blocked + 2))
        fail(EXIT_FAILED, "impossible: %g us of code, %g us on the device, %g us in a row", code,
             net_us, slope);
    text(table, "kernel", 19, kernel);
    number(table, "blocks", 0, (double)e->blocks);
    text(table, "stamps", 6, e->stamped ? "yes" : "no");
    number(table, "code_stamps_us", 2, code);
    number(table, "code_minus_empty_us", 2, minus_empty_us > 0 ? minus_empty_us : NAN);
    number(table, "event_net_us", 2, net_us);
    number(table, "row_slope_us", 2, slope);
    record_number(table, "row_stamps_us", 2, row_stamps);
    record_number(table, "floor_us", 2, floor);
    end_row(table, marks | mark_interrupted(slope, net_us));
    return fabs(minus_empty_us - code);
}

/* Two rows, of vector_add or, if `floats` is 0, of a spin. The row without stamps comes first: it
 * must not find stamps in the cache. */
static void time_kernel(struct table *table, struct experiment *e, struct samples *samples,
                        size_t floats, size_t blocks) {
    e->floats = floats;
    e->blocks = floats > 0 ? (floats + THREADS - 1) / THREADS : blocks;
    e->spin_ns = floats > 0 ? 0 : 2000;
    e->stamped = false;
    time_row(table, e, samples);
    e->stamped = true;
    e->code_error_us = fmax(e->code_error_us, time_row(table, e, samples));
}

int main(int argc, char **argv) {
    static struct samples samples; /* too large for the stack */
    const char *device = "";
    long long runs = 31;
    struct numbers sizes = {5, false, {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24}};
    struct numbers blocks = {1, false, {1}};
    const struct arg args[] = {
        ARG_DEVICE(&device), ARG_RUNS(&runs),
        ARG_LIST("size", &sizes, 1LL << 40, "numbers of elements, one after the other"),
        ARG_LIST("blocks", &blocks, MAX_BLOCKS, "numbers of blocks, one after the other"),
        END_OF_ARGS};
    parse_args(argc, argv, "How long did my kernel take? There are three right answers.", args);
    const struct gpu gpu = open_cuda(device);
    if (!blocks.given) { /* one, and once, 8 and 64 times as many as run at once on all SMs */
        int per_sm;
        CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_sm, (const void *)stamped_spin_blocks, THREADS, 0));
        const long long full = (long long)per_sm * gpu.sms;
        for (int times = 1; times <= 64; times *= 8)
            blocks.at[blocks.count++] = times * full;
    }
    const size_t floats = (size_t)largest(&sizes);
    const size_t stamped = (floats + THREADS - 1) / THREADS + (size_t)largest(&blocks);
    const double stamp_bytes = 2.0 * (double)stamped * WARPS * sizeof(struct warp_time);
    check_free_memory((long long)floats, 12.0 * (double)floats + stamp_bytes);
    struct experiment e = {};
    e.runs = (int)runs;
    e.a = new_vector(A, floats);
    e.b = new_vector(B, floats);
    e.c = new_vector(C, floats);
    e.times = (struct warp_time *)new_on_device(2 * stamped * WARPS * sizeof *e.times, NULL);
    e.pair = new_blocked_pair();
    launch(&e, NULL); /* the empty kernel; the others' warm-up is in measure() */

    struct table table = {};
    begin_record(args, gpu.properties.name, gpu.driver);
    say("Three times of one kernel on %s; medians of %lld runs; stamps by %%globaltimer\n"
        "code_stamps_us: first to last instruction; event_net_us: also preparation and drain;\n"
        "row_slope_us: what one more launch adds\n\n",
        gpu.properties.name, runs);
    for (int i = 0; i < blocks.count; i++)
        time_kernel(&table, &e, &samples, 0, (size_t)blocks.at[i]);
    for (int i = 0; i < sizes.count; i++)
        time_kernel(&table, &e, &samples, (size_t)sizes.at[i], 0);
    end_table(&table);
    say("In the rows with stamps code_minus_empty_us and code_stamps_us differ by at most %.2f "
        "us.\n"
        "Stamps cost time: trust the rows without them.\n",
        value("code_error_max_us", e.code_error_us));
    return EXIT_SUCCESS;
}
