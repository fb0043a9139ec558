/* SPDX-License-Identifier: MIT
 *
 * How much does the state of the L2 cache change the time of a kernel?
 *
 * Measures: vector_add of several sizes, by event pairs behind a blocker, minus the floor. The L2
 *   holds its data from the run before, or other data that was read, or other data that was
 *   written.
 * Does not measure: which of the three is right. That depends on what comes before the kernel in
 *   the program that is to be made faster.
 *
 * Build: nvcc -O2 -arch=native -I../common l2_cache.cu -o l2_cache
 * Run:   ./l2_cache
 * Try:   ./l2_cache --size 1048576,2097152,4194304,8388608        around the size of the L2 cache
 */
#include "blocked.h"
#include "report.h"
#include "samples.h"
#include "vectors.h"

/* ---- The kernels ---- */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* Reads `n` numbers, more than the L2 cache holds, so that nothing else stays in it. (Data that a
 * program has set aside to persist would stay: see cudaCtxResetPersistingL2Cache().) Unlike after a
 * memset, nothing has to be written back to memory. The last number is 1, all others are 0. The
 * thread that reads the 1 stores it: otherwise the compiler would leave out the loads. */
static __global__ void read_through(const unsigned *data, size_t n, unsigned *last) {
    unsigned sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += data[i];
    if (sum > 0)
        *last = sum;
}

/* ---- One launch ---- */

struct experiment {
    size_t n;
    float *a, *b, *c; /* on the device, n floats each */
    unsigned *other_data, *last;
    size_t other_count; /* four times the L2 */
    struct blocked_pair pair;
};

static void launch(const struct experiment *e) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    vector_add<<<blocks, 256>>>(e->a, e->b, e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
}

/* Behind the blocker; without the kernel it is the floor. */
static double blocked_us(struct experiment *e, bool with_kernel) {
    hold_stream(&e->pair, 0);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    if (with_kernel)
        launch(e);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    return release_us(&e->pair);
}

/* ---- The three states of the L2 cache: each method returns microseconds ---- */

/* The L2 is full of other data that was written: it goes to memory while the kernel runs. */
static double written_us(struct experiment *e) {
    CHECK_CUDA(cudaMemsetAsync(e->other_data, 0, (e->other_count - 1) * sizeof *e->other_data, 0));
    return blocked_us(e, true);
}

/* The L2 is full of other data that was only read: the kernel's data comes from memory. */
static double flushed_us(struct experiment *e) {
    read_through<<<1024, 256>>>(e->other_data, e->other_count, e->last);
    CHECK_CUDA(cudaGetLastError());
    return blocked_us(e, true);
}

/* The L2 holds the kernel's data, if that fits, from an untimed launch just before. */
static double warm_us(struct experiment *e) {
    launch(e);
    return blocked_us(e, true);
}

/* ---- The vectors ---- */

/* Exits with 1 unless the thread that reads the last number of the other data has said so. */
static void check_flush(const struct experiment *e) {
    unsigned found = 0;
    CHECK_CUDA(cudaMemcpy(&found, e->last, sizeof found, cudaMemcpyDeviceToHost));
    if (found != 1)
        errx(EXIT_FAILED, "wrong result: the flush did not read to the end of the other data");
}

/* ---- One row of the table ---- */

struct row {
    long long size;
    double warm_us, flushed_us, written_us;
    const char *doubt;
};

/* Of the samples minus the floor. */
static struct summary net_us(const double *samples_us, size_t runs, double floor_us, size_t size) {
    static double net[MAX_RUNS]; /* too large for the stack */
    for (size_t run = 0; run < runs; run++)
        net[run] = samples_us[run] - floor_us;
    const struct summary s = summarize_us(net, runs, false);
    if (!(s.median > 0))
        errx(EXIT_FAILED, "impossible: a median of %g us; --size %zu is too short for events",
             s.median, size);
    return s;
}

static struct row measure(struct experiment *e, size_t size, size_t runs) {
    static double warm[MAX_RUNS], flushed[MAX_RUNS], written[MAX_RUNS], floors_us[MAX_RUNS];
    static double late_us[MAX_RUNS];
    e->n = size;
    CHECK_CUDA(cudaMemset(e->last, 0, sizeof *e->last));
    e->a = new_vector(A, e->n);
    e->b = new_vector(B, e->n);
    e->c = new_vector(C, e->n);
    launch(e); /* the warm-up: a first launch may wait for ever behind a shut gate */
    check_vector_add(e->c, e->n);
    CHECK_CUDA(cudaMemset(e->c, 0xff, e->n * sizeof *e->c)); /* NaNs: to be written anew */
    CHECK_CUDA(cudaDeviceSynchronize());

    for (size_t run = 0; run < runs; run++) { /* in turns */
        written[run] = written_us(e);
        flushed[run] = flushed_us(e);
        warm[run] = warm_us(e);
        floors_us[run] = blocked_us(e, false);
        late_us[run] = e->pair.late_us; /* of the floor */
    }

    check_vector_add(e->c, e->n);
    check_flush(e);
    CHECK_CUDA(cudaFree(e->a));
    CHECK_CUDA(cudaFree(e->b));
    CHECK_CUDA(cudaFree(e->c));
    const double floor_us = median(floors_us, runs);
    const struct summary all_warm = net_us(warm, runs, floor_us, size),
                         all_flushed = net_us(flushed, runs, floor_us, size),
                         all_written = net_us(written, runs, floor_us, size);
    const struct row row = {(long long)size, all_warm.median, all_flushed.median,
                            all_written.median,
                            all_warm.doubt ?: all_flushed.doubt ?: all_written.doubt
                                ?: doubt_wait(median(late_us, runs))};
    return row;
}

int main(int argc, char **argv) {
    static struct row rows[MAX_LIST];
    struct numbers sizes = {7, {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26}};
    struct experiment e = {};
    long long runs = 31;
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("size", &sizes, 1LL << 40, "numbers of elements, one after the other"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "How much does the state of the L2 cache change a kernel's time?",
                  options);

    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    e.other_count = 4 * (size_t)gpu.l2CacheSize / sizeof *e.other_data;
    CHECK_CUDA(cudaMalloc(&e.other_data, (e.other_count + 1) * sizeof *e.other_data));
    CHECK_CUDA(cudaMemset(e.other_data, 0, e.other_count * sizeof *e.other_data));
    e.last = e.other_data + e.other_count;
    CHECK_CUDA(cudaMemset(e.last - 1, 1, 1)); /* its lowest byte */
    for (int i = 0; i < sizes.count; i++)
        check_size(sizes.at[i], 3 * sizeof(float));
    e.pair = new_blocked_pair();
    for (int i = 0; i < sizes.count; i++)
        rows[i] = measure(&e, (size_t)sizes.at[i], (size_t)runs);
    const struct row *most = rows; /* where a memset changes most */
    for (const struct row *r = rows; r < rows + sizes.count; r++)
        most = r->written_us / r->warm_us > most->written_us / most->warm_us ? r : most;

    begin_record(options, gpu.name, driver);
    say("vector_add by size in floats on %s, with its %d MiB of L2 cache in three states:\n"
        "warm after a launch of itself, flushed by reading other data, full of written data.\n"
        "Event pairs behind a blocker, minus the floor; medians of %lld runs\n\n",
        gpu.name, gpu.l2CacheSize >> 20, runs);
    for (const struct row *r = rows; r < rows + sizes.count; r++)
        print_row(
            r->doubt,
            "size=%9lld|warm_us=%9.2f|flushed_us=%10.2f|written_us=%10.2f|flushed_to_warm=%15.2f|"
            "written_to_warm=%15.2f",
            r->size, r->warm_us, r->flushed_us, r->written_us, r->flushed_us / r->warm_us,
            r->written_us / r->warm_us);
    say("\nThe largest ratio is at %lld floats: after a memset the kernel takes %.2f times as "
        "long\nas right after itself. Say in which of the three states you measured.\n",
        most->size, most->written_us / most->warm_us);
    return EXIT_SUCCESS;
}
