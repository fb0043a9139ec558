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
#include "blocked.h" /* the blocker, its gate and the pair of events behind it */
#include "report.h"
#include "samples.h"
#include "vectors.h"

/* ---- The kernels, each without stamps of its own and with them ---- */

/* Of a block; a warp is 32 threads run together. */
enum { THREADS = 256, WARPS = THREADS / 32, SPIN_NS = 2000 };

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

/* Runs for so long by the GPU's clock. */
static __device__ void spin_for(unsigned long long length_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    while (globaltimer_ns() - start_ns < length_ns)
        ;
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

enum kernel { EMPTY, SPIN, VECTOR_ADD };

struct experiment {
    enum kernel kernel;                    /* SPIN or VECTOR_ADD */
    bool stamped;                          /* whether it has stamps of its own */
    size_t blocks;                         /* of each launch */
    size_t floats;                         /* of vector_add */
    float *a, *b, *c;                      /* on the device */
    struct warp_time *times, *first_times; /* on the device: of the last and the first launch */
    struct blocked_pair pair;
    size_t runs;
    /* Of each run, in us: by events, by stamps, and how late the host saw the floor. */
    double floor[MAX_RUNS], empty[MAX_RUNS], blocked[MAX_RUNS], slope[MAX_RUNS];
    double code[MAX_RUNS], row_stamps[MAX_RUNS], late[MAX_RUNS];
};

/* The stamps, if the kernel has any, go to `times`. */
static void launch(const struct experiment *e, enum kernel kernel, struct warp_time *times) {
    const unsigned blocks = (unsigned)e->blocks;
    if (kernel == EMPTY)
        empty<<<1, THREADS>>>();
    else if (kernel == SPIN && e->stamped)
        stamped_spin_blocks<<<blocks, THREADS>>>(SPIN_NS, times);
    else if (kernel == SPIN)
        spin_blocks<<<blocks, THREADS>>>(SPIN_NS);
    else if (e->stamped)
        stamped_vector_add<<<blocks, THREADS>>>(e->a, e->b, e->c, e->floats, times);
    else
        vector_add<<<blocks, THREADS>>>(e->a, e->b, e->c, e->floats);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- The methods: each returns microseconds ---- */

/* Two events behind the blocker, with so many launches between them; with none it is the floor. */
static double event_blocked_us(struct experiment *e, enum kernel kernel, int launches) {
    if (e->stamped && kernel != EMPTY) /* after this no warp has a stamp */
        CHECK_CUDA(cudaMemsetAsync(e->times, 0, 2 * e->blocks * WARPS * sizeof *e->times, 0));
    hold_stream(&e->pair, 0);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    for (int i = 0; i < launches; i++)
        launch(e, kernel, i == 0 && launches > 1 ? e->first_times : e->times);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    return release_us(&e->pair);
}

/* The start of a launch's first warp and the end of its last. `times` is on the device. Exits with
 * 1 if a warp left no stamps or ended before it began. */
static struct warp_time first_and_last(const struct warp_time *times, size_t blocks) {
    const size_t warps = blocks * WARPS;
    struct warp_time *host = (struct warp_time *)new_memory(warps * sizeof *host);
    struct warp_time code = {~0ull, 0};
    CHECK_CUDA(cudaMemcpy(host, times, warps * sizeof *host, cudaMemcpyDeviceToHost));
    for (size_t w = 0; w < warps; w++) {
        if (host[w].start_ns == 0 || host[w].end_ns < host[w].start_ns)
            errx(EXIT_FAILED, "impossible: warp %zu runs from %llu to %llu ns", w, host[w].start_ns,
                 host[w].end_ns);
        code.start_ns = host[w].start_ns < code.start_ns ? host[w].start_ns : code.start_ns;
        code.end_ns = host[w].end_ns > code.end_ns ? host[w].end_ns : code.end_ns;
    }
    free(host);
    return code;
}

/* The code of the last launch, by its own stamps. */
static double code_us(const struct experiment *e) {
    const struct warp_time code = first_and_last(e->times, e->blocks);
    return (double)(code.end_ns - code.start_ns) / 1e3;
}

/* From one launch's start to the next one's start, by the stamps of the last row of `launches`. */
static double period_us(const struct experiment *e, int launches) {
    const int64_t first_ns = (int64_t)first_and_last(e->first_times, e->blocks).start_ns;
    const int64_t last_ns = (int64_t)first_and_last(e->times, e->blocks).start_ns;
    return (double)(last_ns - first_ns) / 1e3 / (launches - 1);
}

/* ---- The rows ---- */

/* Of the straight line through n points, by least squares. */
static double slope(const double *x, const double *y, int n) {
    double mean_x = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; i++)
        mean_x += x[i] / n;
    for (int i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * y[i];
    }
    return xy / xx;
}

/* Warms up, and times the kernel by each method, in turns. Exits with 1 if a sum is wrong. */
static void measure(struct experiment *e) {
    double launches[4] = {2, 5, 10, 20}, row_us[4]; /* launches in a row, and their time */
    launch(e, e->kernel, e->times); /* the warm-up; then the sums are spoilt: NaNs */
    CHECK_CUDA(cudaMemset(e->c, 0xff, e->floats * sizeof *e->c));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (size_t run = 0; run < e->runs; run++) {
        e->floor[run] = event_blocked_us(e, EMPTY, 0);
        e->late[run] = e->pair.late_us;
        e->empty[run] = event_blocked_us(e, EMPTY, 1);
        e->blocked[run] = event_blocked_us(e, e->kernel, 1);
        e->code[run] = e->stamped ? code_us(e) : NAN;
        for (int i = 0; i < 4; i++)
            row_us[i] = event_blocked_us(e, e->kernel, (int)launches[i]);
        e->slope[run] = slope(launches, row_us, 4);
        e->row_stamps[run] = e->stamped ? period_us(e, (int)launches[3]) : NAN;
    }
    if (e->kernel == VECTOR_ADD)
        check_vector_add(e->c, e->floats);
}

/* In us. NaN: there are no stamps. */
struct row {
    char kernel[64];
    size_t blocks;
    bool stamped;
    struct summary floor, empty, blocked, slope, code, row_stamps;
    double minus_empty, net;
    const char *doubt;
};

/* `size`: the blocks of SPIN or the floats of VECTOR_ADD. A median may be NaN: not greater. */
static void time_row(struct experiment *e, enum kernel kernel, size_t size, bool stamped,
                     struct row *r) {
    e->kernel = kernel;
    e->stamped = r->stamped = stamped;
    e->blocks = r->blocks = kernel == SPIN ? size : (size + THREADS - 1) / THREADS;
    e->floats = kernel == SPIN ? 0 : size;
    snprintf(r->kernel, sizeof r->kernel, kernel == SPIN ? "spin_2us" : "vector_add_%zu", size);
    CHECK_CUDA(cudaMalloc(&e->times, 2 * e->blocks * WARPS * sizeof *e->times));
    e->first_times = e->times + e->blocks * WARPS;
    measure(e);
    CHECK_CUDA(cudaFree(e->times));
    r->floor = summarize_us(e->floor, e->runs, false);
    r->empty = summarize_us(e->empty, e->runs, false);
    r->blocked = summarize_us(e->blocked, e->runs, false);
    r->slope = summarize_us(e->slope, e->runs, false);
    r->code = summarize_us(e->code, e->runs, false);
    r->row_stamps = summarize_us(e->row_stamps, e->runs, false);
    r->minus_empty = r->blocked.median - r->empty.median;
    r->net = r->blocked.median - r->floor.median;
    r->doubt = r->floor.doubt ?: r->empty.doubt ?: r->blocked.doubt ?: r->slope.doubt;
    r->doubt = r->doubt ?: r->code.doubt ?: r->row_stamps.doubt;
    r->doubt = r->doubt ?: doubt_wait(median(e->late, e->runs));
    const double slope_us = r->slope.median;
    if (r->net <= 0 || slope_us <= 0 || r->code.median > r->blocked.median + 2)
        errx(EXIT_FAILED, "impossible: %s: %g us of code, %g us on the device, %g us in a row",
             r->kernel, r->code.median, r->net, slope_us);
    /* 1 us: some GPUs' events step by that. An idle GPU does not need longer in a row. */
    if (slope_us > 1.25 * r->net + 1)
        r->doubt = "a row of launches was interrupted";
    if (fabs(r->row_stamps.median - slope_us) > 0.02 * slope_us + 0.2) /* of the same row */
        r->doubt = "two clocks disagree";
}

int main(int argc, char **argv) {
    static struct experiment e; /* too large for the stack */
    static struct row rows[4 * MAX_LIST];
    long long runs = 31;
    struct numbers sizes = {5, {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24}}, blocks = {};
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("size", &sizes, 1LL << 40, "numbers of elements, one after the other"),
        OPT_LIST("blocks", &blocks, MAX_BLOCKS, "numbers of blocks; else 1 and a full device's"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "How long did my kernel take? There are three right answers.",
                  options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    if (blocks.count == 0) { /* one, and once, 8 and 64 times as many as run at once on all SMs */
        int per_sm;
        CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_sm, (const void *)stamped_spin_blocks, THREADS, 0));
        const long long full = (long long)per_sm * gpu.multiProcessorCount;
        const struct numbers own = {4, {1, full, 8 * full, 64 * full}};
        blocks = own;
    }
    long long floats = 1;
    for (int i = 0; i < sizes.count; i++)
        floats = sizes.at[i] > floats ? sizes.at[i] : floats;
    /* Each thread has three floats, and a part of its warp's stamps of two launches. */
    check_size(floats, 3 * sizeof(float) + 2 * sizeof(struct warp_time) / 32);
    e.runs = (size_t)runs;
    e.a = new_vector(A, (size_t)floats);
    e.b = new_vector(B, (size_t)floats);
    e.c = new_vector(C, (size_t)floats);
    e.pair = new_blocked_pair();
    launch(&e, EMPTY, NULL); /* the others' warm-up is in measure() */

    /* Of each kernel first the row without stamps: it must not find stamps in the cache. */
    int row_count = 0;
    for (int b = 0; b < blocks.count; b++)
        for (int stamped = 0; stamped <= 1; stamped++)
            time_row(&e, SPIN, (size_t)blocks.at[b], stamped, &rows[row_count++]);
    for (int s = 0; s < sizes.count; s++)
        for (int stamped = 0; stamped <= 1; stamped++)
            time_row(&e, VECTOR_ADD, (size_t)sizes.at[s], stamped, &rows[row_count++]);

    begin_record(options, gpu.name, driver);
    say("Three times of one kernel on %s; medians of %lld runs; stamps by %%globaltimer\n"
        "code_stamps_us: first to last instruction; event_net_us: also preparation and drain;\n"
        "row_slope_us: what one more launch adds\n\n",
        gpu.name, runs);
    double code_error_us = 0;
    for (const struct row *r = rows; r < rows + row_count; r++) {
        code_error_us = fmax(code_error_us, fabs(r->minus_empty - r->code.median));
        print_row(
            r->doubt,
            "kernel=%-19s|blocks=%9zu|stamps=%-6s|code_stamps_us=%14.2f|code_minus_empty_us=%19.2f|"
            "event_net_us=%12.2f|row_slope_us=%12.2f||row_stamps_us=%.2f|floor_us=%.2f",
            r->kernel, r->blocks, r->stamped ? "yes" : "no", r->code.median,
            r->minus_empty > 0 ? r->minus_empty : NAN, r->net, r->slope.median,
            r->row_stamps.median, r->floor.median);
    }
    say("\nIn the rows with stamps code_minus_empty_us and code_stamps_us differ by at most "
        "%.2f us.\nStamps cost time: trust the rows without them.\n",
        value("code_error_max_us", code_error_us));
    return EXIT_SUCCESS;
}
