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

/* A block's threads and warps; a warp is 32 threads run together. */
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

/* Each block takes `length_ns`, to a step of the timer, which is 1 us on some GPUs. */
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

/* ---- One launch ---- */

enum kernel { EMPTY, SPIN, VECTOR_ADD };

struct experiment {
    enum kernel kernel;                    /* SPIN or VECTOR_ADD */
    bool stamped;                          /* whether it has stamps of its own */
    size_t blocks, floats, runs;           /* of each launch; of vector_add; of each method */
    float *a, *b, *c;                      /* on the device */
    struct warp_time *times, *first_times; /* on the device: of the last and the first launch */
    struct blocked_pair pair;
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

/* ---- By events: each returns microseconds ---- */

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

enum { LONGEST_ROW = 20 };

/* What one more launch adds: the slope of the straight line through the times of 2, 5, 10 and 20
 * launches in a row, by least squares. */
static double row_slope_us(struct experiment *e) {
    const int launches[] = {2, 5, 10, LONGEST_ROW};
    const double mean = (2 + 5 + 10 + LONGEST_ROW) / 4.0;
    double xy = 0, xx = 0;
    for (int i = 0; i < 4; i++) {
        const double x = launches[i] - mean, y = event_blocked_us(e, e->kernel, launches[i]);
        xy += x * y;
        xx += x * x;
    }
    return xy / xx;
}

/* ---- By the kernel's own stamps, which check the events: each returns microseconds ---- */

/* The start of a launch's first warp and the end of its last. `times` is on the device. Exits with
 * 1 if a warp left no stamps or ended before it began. */
static struct warp_time first_and_last(const struct warp_time *times, size_t blocks) {
    const size_t warps = blocks * WARPS;
    struct warp_time *host = (struct warp_time *)new_memory(warps * sizeof *host);
    struct warp_time code = {~0ull, 0};
    CHECK_CUDA(cudaMemcpy(host, times, warps * sizeof *host, cudaMemcpyDeviceToHost));
    for (size_t w = 0; w < warps; w++) {
        const unsigned long long start_ns = host[w].start_ns, end_ns = host[w].end_ns;
        if (start_ns == 0 || end_ns < start_ns)
            errx(EXIT_FAILED, "impossible: warp %zu runs from %llu to %llu ns", w, start_ns,
                 end_ns);
        code.start_ns = start_ns < code.start_ns ? start_ns : code.start_ns;
        code.end_ns = end_ns > code.end_ns ? end_ns : code.end_ns;
    }
    free(host);
    return code;
}

/* The code of the last launch. */
static double code_stamps_us(const struct experiment *e) {
    const struct warp_time code = first_and_last(e->times, e->blocks);
    return (double)(code.end_ns - code.start_ns) / 1e3;
}

/* From one launch's start to the next one's, in the longest row. Call it behind row_slope_us(),
 * which measures this row last. */
static double row_stamps_us(const struct experiment *e) {
    const int64_t first_ns = (int64_t)first_and_last(e->first_times, e->blocks).start_ns;
    const int64_t last_ns = (int64_t)first_and_last(e->times, e->blocks).start_ns;
    return (double)(last_ns - first_ns) / 1e3 / (LONGEST_ROW - 1);
}

/* ---- A row: first all runs are measured, then they are judged ---- */

/* One number for each run. NaN: there are no stamps. */
struct samples {
    double floor_us[MAX_RUNS], empty_us[MAX_RUNS], pair_us[MAX_RUNS], slope_us[MAX_RUNS];
    double code_stamps_us[MAX_RUNS], row_stamps_us[MAX_RUNS], late_us[MAX_RUNS];
};

/* `size`: the blocks of SPIN or the floats of VECTOR_ADD. Exits with 1 if a sum is wrong. */
static void measure_row(struct experiment *e, enum kernel kernel, size_t size, bool stamped,
                        struct samples *s) {
    e->kernel = kernel;
    e->stamped = stamped;
    e->blocks = kernel == SPIN ? size : (size + THREADS - 1) / THREADS;
    e->floats = kernel == SPIN ? 0 : size;
    CHECK_CUDA(cudaMalloc(&e->times, 2 * e->blocks * WARPS * sizeof *e->times));
    e->first_times = e->times + e->blocks * WARPS;
    launch(e, kernel, e->times); /* the warm-up; then the sums are spoilt: NaNs */
    CHECK_CUDA(cudaMemset(e->c, 0xff, e->floats * sizeof *e->c));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (size_t run = 0; run < e->runs; run++) { /* in turns */
        s->floor_us[run] = event_blocked_us(e, EMPTY, 0);
        s->late_us[run] = e->pair.late_us;
        s->empty_us[run] = event_blocked_us(e, EMPTY, 1);
        s->pair_us[run] = event_blocked_us(e, kernel, 1);
        s->code_stamps_us[run] = stamped ? code_stamps_us(e) : NAN;
        s->slope_us[run] = row_slope_us(e);
        s->row_stamps_us[run] = stamped ? row_stamps_us(e) : NAN;
    }
    if (kernel == VECTOR_ADD)
        check_vector_add(e->c, e->floats);
    CHECK_CUDA(cudaFree(e->times));
}

/* Medians of the runs. NaN: there are no stamps. */
struct row {
    char kernel[64];
    size_t blocks;
    bool stamped;
    double code_stamps_us, code_minus_empty_us, event_net_us, row_slope_us, row_stamps_us, floor_us;
    const char *doubt;
};

/* Exits with 1 if the medians are impossible. Without stamps some of them are NaN, and comparisons
 * with NaN are false: then they are neither impossible nor in doubt. */
static struct row judge_row(const struct experiment *e, const struct samples *s) {
    const struct summary floor = summarize_us(s->floor_us, e->runs, false),
                         empty = summarize_us(s->empty_us, e->runs, false),
                         pair = summarize_us(s->pair_us, e->runs, false),
                         slope = summarize_us(s->slope_us, e->runs, false),
                         code_stamps = summarize_us(s->code_stamps_us, e->runs, false),
                         row_stamps = summarize_us(s->row_stamps_us, e->runs, false);
    struct row r = {};
    snprintf(r.kernel, sizeof r.kernel, e->kernel == SPIN ? "spin_2us" : "vector_add_%zu",
             e->floats);
    r.blocks = e->blocks;
    r.stamped = e->stamped;
    r.floor_us = floor.median;
    r.event_net_us = pair.median - floor.median;
    r.code_minus_empty_us = pair.median - empty.median;
    r.code_stamps_us = code_stamps.median;
    r.row_slope_us = slope.median;
    r.row_stamps_us = row_stamps.median;
    if (r.event_net_us <= 0 || r.row_slope_us <= 0 || r.code_stamps_us > pair.median + 2)
        errx(EXIT_FAILED, "impossible: %s: %g us of code, %g us on the device, %g us in a row",
             r.kernel, r.code_stamps_us, r.event_net_us, r.row_slope_us);
    /* Both measure the same row of launches; and on an idle GPU a launch is not slower in a row
     * than alone. 1 us: some GPUs' events step by that. */
    if (fabs(r.row_stamps_us - r.row_slope_us) > 0.02 * r.row_slope_us + 0.2)
        r.doubt = "two clocks disagree";
    else if (r.row_slope_us > 1.25 * r.event_net_us + 1)
        r.doubt = "a row of launches was interrupted";
    else
        r.doubt = floor.doubt ?: empty.doubt ?: pair.doubt ?: slope.doubt ?: code_stamps.doubt
                  ?: row_stamps.doubt ?: doubt_wait(median(s->late_us, e->runs));
    return r;
}

static struct row time_row(struct experiment *e, enum kernel kernel, size_t size, bool stamped) {
    static struct samples samples; /* too large for the stack */
    measure_row(e, kernel, size, stamped, &samples);
    return judge_row(e, &samples);
}

int main(int argc, char **argv) {
    static struct row rows[4 * MAX_LIST]; /* too large for the stack */
    struct experiment e = {};
    long long runs = 31;
    struct numbers sizes = {5, {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24}},
                   blocks = {4, {1, 1000, 8000, 64000}};
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("size", &sizes, 1LL << 40, "numbers of elements, one after the other"),
        OPT_LIST("blocks", &blocks, MAX_BLOCKS, "numbers of blocks that spin"), END_OF_OPTIONS};
    parse_options(argc, argv, "How long did my kernel take? There are three right answers.",
                  options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    long long floats = 1;
    for (int i = 0; i < sizes.count; i++)
        floats = sizes.at[i] > floats ? sizes.at[i] : floats;
    /* Each thread has three floats, and a part of its warp's stamps, of two launches. */
    check_size(floats, 3 * sizeof(float) + 2 * sizeof(struct warp_time) / 32);
    e.runs = (size_t)runs;
    e.a = new_vector(A, (size_t)floats);
    e.b = new_vector(B, (size_t)floats);
    e.c = new_vector(C, (size_t)floats);
    e.pair = new_blocked_pair();
    launch(&e, EMPTY, NULL); /* the others' warm-up is in measure_row() */

    /* Of each kernel first the row without stamps: it must not find stamps in the cache. */
    int count = 0;
    for (int i = 0; i < blocks.count; i++)
        for (int stamped = 0; stamped <= 1; stamped++)
            rows[count++] = time_row(&e, SPIN, (size_t)blocks.at[i], stamped);
    for (int i = 0; i < sizes.count; i++)
        for (int stamped = 0; stamped <= 1; stamped++)
            rows[count++] = time_row(&e, VECTOR_ADD, (size_t)sizes.at[i], stamped);
    double code_error_us = 0;
    for (int i = 0; i < count; i++) /* fmax() passes over NaN */
        code_error_us =
            fmax(code_error_us, fabs(rows[i].code_minus_empty_us - rows[i].code_stamps_us));

    begin_record(options, gpu.name, driver);
    say("Three times of one kernel on %s; medians of %lld runs; stamps by %%globaltimer\n"
        "code_stamps_us: first to last instruction; event_net_us: also preparation and drain;\n"
        "row_slope_us: what one more launch adds\n\n",
        gpu.name, runs);
    for (const struct row *r = rows; r < rows + count; r++)
        print_row(
            r->doubt,
            "kernel=%-19s|blocks=%9zu|stamps=%-6s|code_stamps_us=%14.2f|code_minus_empty_us=%19.2f|"
            "event_net_us=%12.2f|row_slope_us=%12.2f||row_stamps_us=%.2f|floor_us=%.2f",
            r->kernel, r->blocks, r->stamped ? "yes" : "no", r->code_stamps_us,
            r->code_minus_empty_us > 0 ? r->code_minus_empty_us : NAN, r->event_net_us,
            r->row_slope_us, r->row_stamps_us, r->floor_us);
    value("code_error_max_us", code_error_us);
    say("\nIn the rows with stamps code_minus_empty_us and code_stamps_us differ by at most "
        "%.2f us.\nStamps cost time: trust the rows without them.\n",
        code_error_us);
    return EXIT_SUCCESS;
}
