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

enum { LONGEST = 20 }; /* launches in a row */

struct experiment {
    bool stamped;               /* whether the kernels have stamps of their own */
    unsigned long long spin_ns; /* how long each block spins; 0: no spin */
    size_t floats;              /* of vector_add; 0: a spin, or without that the empty kernel */
    size_t blocks;              /* of each launch */
    float *a, *b, *c;           /* on the device */
    struct warp_time *times, *first_times; /* on the device: of the last and the first launch */
    struct blocked_pair pair;
    int runs;
};

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

/* Two events behind the blocker, with so many launches between them; with none it is the floor. */
static double event_blocked_us(const struct experiment *e, int launches, double *late_us) {
    if (e->stamped) /* after this no warp has a stamp */
        CHECK_CUDA(cudaMemsetAsync(e->times, 0, 2 * e->blocks * WARPS * sizeof *e->times, 0));
    hold_stream(&e->pair, 0);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    for (int i = 0; i < launches; i++)
        launch(e, i == 0 && launches > 1 ? e->first_times : e->times);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    return release_us(&e->pair, late_us);
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

/* From one launch's start to the next one's start, by their own stamps: the mean of LONGEST. */
static double period_us(const struct experiment *e) {
    const int64_t first_ns = (int64_t)first_and_last(e->first_times, e->blocks).start_ns;
    const int64_t last_ns = (int64_t)first_and_last(e->times, e->blocks).start_ns;
    return (double)(last_ns - first_ns) / 1e3 / (LONGEST - 1);
}

/* ---- The rows ---- */

/* In microseconds, of each run. */
struct samples {
    double floor[MAX_RUNS], empty[MAX_RUNS], blocked[MAX_RUNS], slope[MAX_RUNS]; /* by events */
    double code[MAX_RUNS], row_stamps[MAX_RUNS];                                 /* by stamps */
    double late[MAX_RUNS]; /* how much longer than the floor the host waited for it */
};

/* Warms up, and times the kernel by each method, in turns. Exits with 1 if a sum is wrong. */
static void measure(struct experiment *e, struct samples *us) {
    const int launches[] = {2, 5, 10, LONGEST};
    const double mean = (2 + 5 + 10 + LONGEST) / 4.0;
    double unused_us;
    struct experiment of_empty = {};
    of_empty.pair = e->pair;
    launch(e, e->times); /* the warm-up; then the sums are spoilt: NaNs */
    CHECK_CUDA(cudaMemset(e->c, 0xff, e->floats * sizeof *e->c));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int run = 0; run < e->runs; run++) {
        double xx = 0, xy = 0;
        us->floor[run] = event_blocked_us(&of_empty, 0, &us->late[run]);
        us->empty[run] = event_blocked_us(&of_empty, 1, &unused_us);
        us->blocked[run] = event_blocked_us(e, 1, &unused_us);
        us->code[run] = e->stamped ? code_us(e) : NAN;
        for (int i = 0; i < 4; i++) {
            xx += (launches[i] - mean) * (launches[i] - mean);
            xy += (launches[i] - mean) * event_blocked_us(e, launches[i], &unused_us);
        }
        us->slope[run] = xy / xx; /* of the straight line through the four, by least squares */
        us->row_stamps[run] = e->stamped ? period_us(e) : NAN;
    }
    if (e->floats > 0)
        check_vector_add(e->c, e->floats);
}

/* In us. NaN: there are no stamps. */
struct row {
    char kernel[64];
    size_t blocks;
    bool stamped;
    double floor, minus_empty, net, slope, code, row_stamps;
    const char *doubt;
};

/* Times the kernel, and fills in the row's medians, which may be NaN: that is not greater. */
static void time_row(struct experiment *e, struct samples *us, struct row *r) {
    const size_t runs = (size_t)e->runs;
    measure(e, us);
    const struct summary floor = summarize_us(us->floor, runs, false),
                         empty = summarize_us(us->empty, runs, false),
                         blocked = summarize_us(us->blocked, runs, false),
                         slope = summarize_us(us->slope, runs, false),
                         code = summarize_us(us->code, runs, false),
                         stamps = summarize_us(us->row_stamps, runs, false);
    r->blocks = e->blocks;
    r->stamped = e->stamped;
    r->floor = floor.median;
    r->minus_empty = blocked.median - empty.median;
    r->net = blocked.median - floor.median;
    r->slope = slope.median;
    r->code = code.median;
    r->row_stamps = stamps.median;
    r->doubt = floor.doubt ?: empty.doubt ?: blocked.doubt ?: slope.doubt;
    r->doubt = r->doubt ?: code.doubt ?: stamps.doubt ?: doubt_wait(median(us->late, runs));
    snprintf(r->kernel, sizeof r->kernel, "spin_2us");
    if (e->floats > 0)
        snprintf(r->kernel, sizeof r->kernel, "vector_add_%zu", e->floats);
    if (r->net <= 0 || r->slope <= 0 || r->code > blocked.median + 2)
        errx(EXIT_FAILED, "impossible: %s: %g us of code, %g us on the device, %g us in a row",
             r->kernel, r->code, r->net, r->slope);
    /* 1 us: some GPUs' events step by that. An idle GPU does not need longer in a row. */
    if (r->slope > 1.25 * r->net + 1)
        r->doubt = "a row of launches was interrupted";
    if (fabs(r->row_stamps - r->slope) > 0.02 * r->slope + 0.2) /* of the same row */
        r->doubt = "two clocks disagree";
}

int main(int argc, char **argv) {
    static struct samples samples; /* too large for the stack */
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
        const long long own[] = {1, full, 8 * full, 64 * full};
        memcpy(blocks.at, own, sizeof own);
        blocks.count = 4;
    }
    size_t floats = 1, most_blocks = 1;
    for (int i = 0; i < sizes.count; i++)
        floats = (size_t)sizes.at[i] > floats ? (size_t)sizes.at[i] : floats;
    for (int i = 0; i < blocks.count; i++)
        most_blocks = (size_t)blocks.at[i] > most_blocks ? (size_t)blocks.at[i] : most_blocks;
    const size_t stamped = (floats + THREADS - 1) / THREADS + most_blocks;
    /* Three floats of each element, and the stamps of two launches. */
    check_size((long long)floats, 12 + 2 * WARPS * sizeof(struct warp_time) * stamped / floats);
    struct experiment e = {};
    e.runs = (int)runs;
    e.a = new_vector(A, floats);
    e.b = new_vector(B, floats);
    e.c = new_vector(C, floats);
    CHECK_CUDA(cudaMalloc(&e.times, 2 * stamped * WARPS * sizeof *e.times));
    e.pair = new_blocked_pair();
    launch(&e, NULL); /* the empty kernel; the others' warm-up is in measure() */

    /* Of each kernel first the row without stamps: it must not find stamps in the cache. */
    const int spins = 2 * blocks.count, row_count = spins + 2 * sizes.count;
    double code_error_us = 0;
    for (int i = 0; i < row_count; i++) {
        e.floats = i < spins ? 0 : (size_t)sizes.at[(i - spins) / 2];
        e.blocks = i < spins ? (size_t)blocks.at[i / 2] : (e.floats + THREADS - 1) / THREADS;
        e.first_times = e.times + e.blocks * WARPS;
        e.spin_ns = i < spins ? 2000 : 0;
        e.stamped = i % 2 == 1;
        time_row(&e, &samples, &rows[i]);
        code_error_us = fmax(code_error_us, fabs(rows[i].minus_empty - rows[i].code));
    }

    begin_record(options, gpu.name, driver);
    say("Three times of one kernel on %s; medians of %lld runs; stamps by %%globaltimer\n"
        "code_stamps_us: first to last instruction; event_net_us: also preparation and drain;\n"
        "row_slope_us: what one more launch adds\n\n",
        gpu.name, runs);
    for (const struct row *r = rows; r < rows + row_count; r++)
        print_row(
            r->doubt,
            "kernel=%-19s|blocks=%zu|stamps=%-6s|code_stamps_us=%.2f|code_minus_empty_us=%.2f|"
            "event_net_us=%.2f|row_slope_us=%.2f||row_stamps_us=%.2f|floor_us=%.2f",
            r->kernel, r->blocks, r->stamped ? "yes" : "no", r->code,
            r->minus_empty > 0 ? r->minus_empty : NAN, r->net, r->slope, r->row_stamps, r->floor);
    say("\nIn the rows with stamps code_minus_empty_us and code_stamps_us differ by at most %.2f "
        "us.\n"
        "Stamps cost time: trust the rows without them.\n",
        value("code_error_max_us", code_error_us));
    return EXIT_SUCCESS;
}
