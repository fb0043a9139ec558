/* SPDX-License-Identifier: MIT
 *
 * How much does the state of the L2 cache change the time of a kernel?
 *
 * Measures: vector_add over a sweep of sizes, with its data in the L2 cache from the run before,
 *   with the L2 flushed by reading something else, and with it full of something else that was
 *   written; by event pairs behind a blocker, minus the floor.
 * Does not measure: which of the three is right. That depends on what comes before the kernel in
 *   the program that is to be made faster.
 *
 * Build: nvcc -O2 -arch=native -I../common l2_cache.cu -o l2_cache
 * Run:   ./l2_cache
 * Try:   ./l2_cache --size 1048576,2097152,4194304,8388608        around the size of the L2 cache
 */
#include "../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "summary.h"
#include "vectors.h"

static const long long default_sizes[] = {1 << 14, 1 << 16, 1 << 18, 1 << 20,
                                          1 << 22, 1 << 24, 1 << 26};

/* ---- The kernels ---- */

/* Reads `n` numbers, more than the L2 cache holds, so that its other lines give way: all but
 * those which somebody has set aside to persist (cudaCtxResetPersistingL2Cache() ends that; no
 * program here begins it). Unlike after a memset, nothing waits there to be written back to
 * memory. The thread that reads the last number, a 1 behind zeros, says so: without it the
 * compiler would leave out the loads. */
static __global__ void read_through(const unsigned *data, size_t n, unsigned *last) {
    unsigned sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += data[i];
    if (sum > 0)
        *last = sum;
}

/* ---- The methods: each returns microseconds ---- */

static size_t floats;
static float *vectors[3];
static unsigned *other_data, *last;
static size_t other_count; /* four times the L2 */

static void launch(void) {
    const unsigned blocks = (unsigned)((floats + 255) / 256);
    vector_add<<<blocks, 256>>>(vectors[A], vectors[B], vectors[C], floats);
    CHECK_CUDA(cudaGetLastError());
}

static double event_blocked(void) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* Full of something else that was written: its lines must go to memory
 * first, in the kernel's time. */
static double written(void) {
    CHECK_CUDA(cudaMemsetAsync(other_data, 0, (other_count - 1) * sizeof *other_data, 0));
    return event_blocked();
}

/* Full of something else that was only read: the kernel's data comes from memory. */
static double flushed(void) {
    read_through<<<1024, 256>>>(other_data, other_count, last);
    CHECK_CUDA(cudaGetLastError());
    return event_blocked();
}

/* After a launch of its own, untimed: the kernel's own data, if it fits. */
static double warm(void) {
    launch();
    return event_blocked();
}

/* ---- One row of the report ---- */

static struct summary minus_floor(double *samples_us, double floor_us) {
    for (long long run = 0; run < options.runs; run++)
        samples_us[run] -= floor_us;
    const struct summary s = summarize_us(samples_us, (size_t)options.runs);
    if (!(s.median > 0))
        fail(EXIT_FAILED, "impossible: a median of %g us; --size %zu is too short for events",
             s.median, floats);
    return s;
}

/* Returns how many times as long a run takes after a memset as with its own data in the L2. */
static double measure_size(void) {
    static double warm_us[MAX_RUNS], flushed_us[MAX_RUNS], written_us[MAX_RUNS], floor_us[MAX_RUNS];
    const size_t runs = (size_t)options.runs;
    unsigned found = 0;
    CHECK_CUDA(cudaMemset(last, 0, sizeof *last));
    set_up_vectors(vectors, floats);
    const bool shared = probe_sharing();
    launch(); /* the warm-up; and no kernel may be launched first while the gate is shut */
    check_vector_add(vectors[C], floats);
    spoil_sums(vectors[C], floats);
    for (size_t run = 0; run < runs; run++) { /* in turns; warm() finds nothing of written() */
        written_us[run] = written();
        flushed_us[run] = flushed();
        warm_us[run] = warm();
        floor_us[run] = event_floor();
    }
    check_vector_add(vectors[C], floats);
    CHECK_CUDA(cudaMemcpy(&found, last, sizeof found, cudaMemcpyDeviceToHost));
    if (found != 1)
        fail(EXIT_FAILED, "wrong result: the flush did not read to the end of the other data");
    for (int v = A; v <= C; v++)
        CHECK_CUDA(cudaFree(vectors[v]));
    const double floor = median(floor_us, runs);
    const struct summary all_warm = minus_floor(warm_us, floor),
                         all_flushed = minus_floor(flushed_us, floor),
                         all_written = minus_floor(written_us, floor);
    const double written_to_warm = all_written.median / all_warm.median;
    cell("size", "%10zu", floats);
    number("warm", "us", 2, all_warm.median);
    number("flushed", "us", 2, all_flushed.median);
    number("written", "us", 2, all_written.median);
    cell("flushed_to_warm", "%.2f", all_flushed.median / all_warm.median);
    cell("written_to_warm", "%.2f", written_to_warm);
    end_row(shared || all_warm.disturbed || all_flushed.disturbed || all_written.disturbed);
    return written_to_warm;
}

int main(int argc, char **argv) {
    double most = 0;
    long long most_size = 0;
    options.device = "";
    options.runs = 31;
    memcpy(options.sizes, default_sizes, sizeof default_sizes);
    parse_options(argc, argv, "How much does the state of the L2 cache change a kernel's time?");
    const struct cudaDeviceProp device = open_cuda();
    other_count = (size_t)device.l2CacheSize; /* of 4 bytes each */
    for (int i = 0; options.sizes[i]; i++)
        check_size(options.sizes[i], 12.0 * (double)options.sizes[i] + 4.0 * (double)other_count);
    CHECK_CUDA(cudaMalloc((void **)&other_data, (other_count + 1) * sizeof *other_data));
    CHECK_CUDA(cudaMemset(other_data, 0, other_count * sizeof *other_data));
    last = other_data + other_count;
    CHECK_CUDA(cudaMemset(last - 1, 1, 1)); /* its lowest byte */
    set_up_blocked_pair();
    begin_table(
        "vector_add by size in floats on %s, with its %d MiB of L2 cache in three states:\n"
        "warm after a launch of itself, flushed by reading other data, full of written data.\n"
        "Event pairs behind a blocker, minus the floor; medians of %lld runs\n\n",
        device.name, device.l2CacheSize >> 20, options.runs);
    for (int i = 0; options.sizes[i]; i++) {
        floats = (size_t)options.sizes[i];
        const double ratio = measure_size();
        most_size = ratio > most ? options.sizes[i] : most_size;
        most = fmax(most, ratio);
    }
    end_table();
    say("The largest ratio is at %lld floats: after a memset the kernel takes %.2f times as "
        "long\nas right after itself. Say in which of the three states you measured.\n",
        most_size, most);
    return EXIT_SUCCESS;
}
