/* SPDX-License-Identifier: MIT
 *
 * How much does the state of the L2 cache change the time of a kernel?
 *
 * Measures: vector_add of several sizes, by events behind a hold, minus the floor. The L2
 *   holds its data from the run before, or other data that was read, or other data that was
 *   written.
 * Does not measure: which of the three is right. That depends on what comes before the kernel in
 *   the program that is to be made faster.
 *
 * Build: nvcc -O2 -arch=native -I../common l2_cache.cu -o l2_cache
 * Run:   ./l2_cache
 * Try:   ./l2_cache --size 1048576,2097152,4194304,8388608        around the size of the L2 cache
 */
#include "doubt.h"
#include "hold.h"
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
    size_t n;    /* floats in each vector */
    float *v[3]; /* A, B and C, on the device */
    unsigned *other_data, *last;
    size_t other_count; /* four times the L2 */
    struct hold hold;
};

static void launch(const struct experiment *x) {
    vector_add<<<(unsigned)((x->n + 255) / 256), 256>>>(x->v[A], x->v[B], x->v[C], x->n);
    CHECK_CUDA(cudaGetLastError());
}

/* Behind the hold. False: take the sample again, with what comes before it. */
static bool launch_held_us(struct experiment *x, double *us) {
    hold_stream(&x->hold, 1000);
    CHECK_CUDA(cudaEventRecord(x->hold.start, 0));
    launch(x);
    CHECK_CUDA(cudaEventRecord(x->hold.stop, 0));
    return held_us(&x->hold, us);
}

/* The same without the kernel: what the events cost. */
static double floor_us(struct experiment *x) {
    double us;
    do {
        hold_stream(&x->hold, 1000);
        CHECK_CUDA(cudaEventRecord(x->hold.start, 0));
        CHECK_CUDA(cudaEventRecord(x->hold.stop, 0));
    } while (!held_us(&x->hold, &us));
    return us;
}

/* ---- The three states of the L2 cache: each method returns microseconds ---- */

/* The L2 is full of other data that was written: it goes to memory while the kernel runs. */
static double written_us(struct experiment *x) {
    const size_t bytes = (x->other_count - 1) * sizeof *x->other_data;
    double us;
    do
        CHECK_CUDA(cudaMemsetAsync(x->other_data, 0, bytes, 0));
    while (!launch_held_us(x, &us));
    return us;
}

/* The L2 is full of other data that was only read: the kernel's data comes from memory. */
static double flushed_us(struct experiment *x) {
    double us;
    do {
        read_through<<<1024, 256>>>(x->other_data, x->other_count, x->last);
        CHECK_CUDA(cudaGetLastError());
    } while (!launch_held_us(x, &us));
    return us;
}

/* The L2 holds the kernel's data, if that fits, from an untimed launch just before. */
static double warm_us(struct experiment *x) {
    double us;
    do
        launch(x);
    while (!launch_held_us(x, &us));
    return us;
}

/* Exits with 1 unless the thread that reads the last number of the other data has said so. */
static void check_flush(const struct experiment *x) {
    unsigned found;
    CHECK_CUDA(cudaMemcpy(&found, x->last, sizeof found, cudaMemcpyDeviceToHost));
    if (found != 1)
        errx(EXIT_FAILED, "wrong result: the flush did not read to the end of the other data");
}

/* ---- One row of the table ---- */

/* Subtracts the floor from each sample, and returns the median. Exits with 1 unless that is > 0. */
static double net_us(double *us, size_t runs, double median_floor_us, size_t size) {
    for (size_t run = 0; run < runs; run++)
        us[run] -= median_floor_us;
    const double median_us = median(us, runs);
    if (median_us <= 0)
        errx(EXIT_FAILED, "impossible: a median of %g us; --size %zu is too short for events",
             median_us, size);
    return median_us;
}

/* No call of the host is in these times, so nobody asks who had the processor. */
static void print_row(struct experiment *x, size_t runs) {
    static double warm[MAX_RUNS], flushed[MAX_RUNS], written[MAX_RUNS], floors[MAX_RUNS];
    static double late_us[MAX_RUNS];
    CHECK_CUDA(cudaMemset(x->last, 0, sizeof *x->last));
    launch(x); /* the warm-up, without the hold: a first launch may wait until the GPU is idle */
    check_vector_add(x->v[C], x->n);
    CHECK_CUDA(cudaMemset(x->v[C], 0xff, x->n * sizeof *x->v[C])); /* NaNs: to be written anew */
    CHECK_CUDA(cudaDeviceSynchronize());

    for (size_t run = 0; run < runs; run++) { /* in turns */
        written[run] = written_us(x);
        flushed[run] = flushed_us(x);
        warm[run] = warm_us(x);
        floors[run] = floor_us(x);
        late_us[run] = x->hold.late_us;
    }
    check_vector_add(x->v[C], x->n);
    check_flush(x);
    const double median_floor_us = median(floors, runs);
    const double median_warm_us = net_us(warm, runs, median_floor_us, x->n);
    const double median_flushed_us = net_us(flushed, runs, median_floor_us, x->n);
    const double median_written_us = net_us(written, runs, median_floor_us, x->n);
    const unsigned doubts = doubt_us(warm, runs, false) | doubt_us(flushed, runs, false) |
                            doubt_us(written, runs, false) | doubt_us(floors, runs, false) |
                            doubt_wait(median(late_us, runs));
    printf("%9zu %9.3f %10.3f %10.3f %15.3f %15.3f %s\n", x->n, median_warm_us, median_flushed_us,
           median_written_us, median_flushed_us / median_warm_us,
           median_written_us / median_warm_us, first_doubt(doubts));
}

int main(int argc, char **argv) {
    struct args args = begin_args(argc, argv);
    const size_t runs = number_arg(&args, "--runs", "31", MAX_RUNS, "measure so often");
    const struct numbers sizes =
        list_arg(&args, "--size", "16384,65536,262144,1048576,4194304,16777216,67108864", MAX_SIZE,
                 "floats in each vector, one after the other");
    end_args(&args);
    struct cudaDeviceProp gpu;
    CHECK_CUDA(cudaGetDeviceProperties(&gpu, 0));
    struct experiment x = {};
    new_vectors(x.v, sizes.most);
    x.other_count = 4 * (size_t)gpu.l2CacheSize / sizeof *x.other_data;
    CHECK_CUDA(cudaMalloc(&x.other_data, (x.other_count + 1) * sizeof *x.other_data));
    CHECK_CUDA(cudaMemset(x.other_data, 0, x.other_count * sizeof *x.other_data));
    x.last = x.other_data + x.other_count;
    CHECK_CUDA(cudaMemset(x.last - 1, 1, 1)); /* its lowest byte */
    x.hold = new_hold();
    print_gpu_head(&gpu);
    printf("# runs %zu\n# size %s\n# l2_bytes %d\n"
           "# The L2 cache is warm after a launch, flushed by reading, or full of written data.\n"
           "     size   warm_us flushed_us written_us flushed_to_warm written_to_warm disturbed\n",
           runs, sizes.text, gpu.l2CacheSize);
    for (size_t i = 0; i < sizes.count; i++) {
        x.n = sizes.at[i];
        print_row(&x, runs);
    }
    printf("# retaken %d\n", x.hold.retaken);
    return EXIT_SUCCESS; /* memory and events go with the process */
}
