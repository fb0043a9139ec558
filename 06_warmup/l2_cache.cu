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
#include "device_vectors.h"

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

static double blocked_us(const struct experiment *e) {
    hold_stream(&e->pair);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    launch(e);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    release_stream(&e->pair);
    return elapsed_us(e->pair.start, e->pair.stop);
}

/* ---- The three states of the L2 cache: each method returns microseconds ---- */

/* The L2 is full of other data that was written: it goes to memory while the kernel runs. */
static double written_us(const struct experiment *e) {
    CHECK_CUDA(cudaMemsetAsync(e->other_data, 0, (e->other_count - 1) * sizeof *e->other_data, 0));
    return blocked_us(e);
}

/* The L2 is full of other data that was only read: the kernel's data comes from memory. */
static double flushed_us(const struct experiment *e) {
    read_through<<<1024, 256>>>(e->other_data, e->other_count, e->last);
    CHECK_CUDA(cudaGetLastError());
    return blocked_us(e);
}

/* The L2 holds the kernel's data, if that fits, from an untimed launch just before. */
static double warm_us(const struct experiment *e) {
    launch(e);
    return blocked_us(e);
}

/* ---- The vectors ---- */

/* Exits with 1 unless the thread that reads the last number of the other data has said so. */
static void check_flush(const struct experiment *e) {
    unsigned found = 0;
    CHECK_CUDA(cudaMemcpy(&found, e->last, sizeof found, cudaMemcpyDeviceToHost));
    if (found != 1)
        fail(EXIT_FAILED, "wrong result: the flush did not read to the end of the other data");
}

/* ---- One row of the table ---- */

/* Of the samples minus the floor. */
static struct summary net_us(const double *samples_us, size_t runs, double floor_us, size_t size) {
    static double net[MAX_RUNS]; /* too large for the stack */
    for (size_t run = 0; run < runs; run++)
        net[run] = samples_us[run] - floor_us;
    const struct summary s = summarize_us(net, runs);
    if (!(s.median > 0))
        fail(EXIT_FAILED, "impossible: a median of %g us; --size %zu is too short for events",
             s.median, size);
    return s;
}

/* Returns how many times as long a run takes after a memset as with its own data in the L2. */
static double print_row(struct table *t, struct experiment *e, size_t size, size_t runs) {
    static double warm[MAX_RUNS], flushed[MAX_RUNS], written[MAX_RUNS], floors_us[MAX_RUNS];
    e->n = size;
    CHECK_CUDA(cudaMemset(e->last, 0, sizeof *e->last));
    e->a = new_vector(A, e->n);
    e->b = new_vector(B, e->n);
    e->c = new_vector(C, e->n);
    const unsigned shared = probe_gpu(&e->pair);
    launch(e); /* the warm-up: a first launch may wait for ever behind a shut gate */
    check_vector_add(e->c, e->n);
    CHECK_CUDA(cudaMemset(e->c, 0xff, e->n * sizeof *e->c)); /* NaNs: to be written anew */
    CHECK_CUDA(cudaDeviceSynchronize());

    for (size_t run = 0; run < runs; run++) { /* in turns */
        written[run] = written_us(e);
        flushed[run] = flushed_us(e);
        warm[run] = warm_us(e);
        floors_us[run] = event_floor_us(&e->pair);
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
    number(t, "size", 0, (double)size);
    number(t, "warm_us", 2, all_warm.median);
    number(t, "flushed_us", 2, all_flushed.median);
    number(t, "written_us", 2, all_written.median);
    number(t, "flushed_to_warm", 2, all_flushed.median / all_warm.median);
    number(t, "written_to_warm", 2, all_written.median / all_warm.median);
    end_row(t, shared | all_warm.marks | all_flushed.marks | all_written.marks);
    return all_written.median / all_warm.median;
}

int main(int argc, char **argv) {
    struct numbers sizes = {
        7, false, {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26}};
    struct table table = {};
    struct experiment e = {};
    const char *device = "";
    long long runs = 31, most_size = 0;
    double most = 0;
    const struct arg args[] = {
        ARG_DEVICE(&device), ARG_RUNS(&runs),
        ARG_LIST("size", &sizes, 1LL << 40, "numbers of elements, one after the other"),
        END_OF_ARGS};
    parse_args(argc, argv, "How much does the state of the L2 cache change a kernel's time?", args);

    const struct gpu gpu = open_cuda(device);
    const int l2_bytes = gpu.properties.l2CacheSize;
    e.other_count = 4 * (size_t)l2_bytes / sizeof *e.other_data;
    for (int i = 0; i < sizes.count; i++)
        check_free_memory(sizes.at[i], 12.0 * (double)sizes.at[i] + 4.0 * (double)e.other_count);
    e.other_data = (unsigned *)new_on_device((e.other_count + 1) * sizeof *e.other_data, NULL);
    CHECK_CUDA(cudaMemset(e.other_data, 0, e.other_count * sizeof *e.other_data));
    e.last = e.other_data + e.other_count;
    CHECK_CUDA(cudaMemset(e.last - 1, 1, 1)); /* its lowest byte */
    e.pair = new_blocked_pair();

    begin_record(args, gpu.properties.name, gpu.driver);
    say("vector_add by size in floats on %s, with its %d MiB of L2 cache in three states:\n"
        "warm after a launch of itself, flushed by reading other data, full of written data.\n"
        "Event pairs behind a blocker, minus the floor; medians of %lld runs\n\n",
        gpu.properties.name, l2_bytes >> 20, runs);
    for (int i = 0; i < sizes.count; i++) {
        const double ratio = print_row(&table, &e, (size_t)sizes.at[i], (size_t)runs);
        most_size = ratio > most ? sizes.at[i] : most_size;
        most = fmax(most, ratio);
    }
    end_table(&table);
    say("The largest ratio is at %lld floats: after a memset the kernel takes %.2f times as "
        "long\nas right after itself. Say in which of the three states you measured.\n",
        most_size, most);
    return EXIT_SUCCESS;
}
