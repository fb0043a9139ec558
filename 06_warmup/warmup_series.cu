/* SPDX-License-Identifier: MIT
 *
 * After how many launches does a kernel take as long as it will take from then on?
 *
 * Measures: each of the first 100 launches of vector_add in a process that has never run it, by an
 *   event pair and by the host's clock.
 * Does not measure: the cost of the CUDA context, which is there before the first launch.
 *
 * Build: nvcc -O2 -arch=native -I../common warmup_series.cu -o warmup_series
 * Run:   ./warmup_series
 * Try:   ./warmup_series --size 1024        a short kernel: the first launch is almost all overhead
 */
#include "clock.h"
#include "cold.h"
#include "series.h"
#include "vectors.h" /* start, stop, elapsed_us() */

static size_t floats;
static float *vectors[3];

/* One launch. What the device waits for between the two events is in both times. */
static void time_vector_add_us(double *device_us, double *host_us) {
    const unsigned blocks = (unsigned)((floats + 255) / 256);
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(start, 0));
    vector_add<<<blocks, 256>>>(vectors[A], vectors[B], vectors[C], floats);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    const int64_t end_ns = now_ns();
    *host_us = (double)(end_ns - start_ns) / 1e3;
    *device_us = elapsed_us();
    if (*device_us == 0)
        fail(EXIT_FAILED, "impossible: 0 us between the events around a kernel");
}

/* What the cold process does. */
static void run_cold(void *result) {
    struct series *series = (struct series *)result;
    open_cuda();
    check_size(options.size, 3.0 * (double)floats * sizeof(float));
    set_up_vectors(vectors, floats);
    create_events();
    for (int i = 0; i < SERIES; i++)
        time_vector_add_us(&series->device_us[i], &series->host_us[i]);
    check_vector_add(vectors[C], floats);
}

int main(int argc, char **argv) {
    static struct series series;
    options.device = "";
    options.size = 1 << 24;
    parse_options(argc, argv, "After how many launches is a kernel's time steady?");
    floats = (size_t)options.size;
    setenv("CUDA_MODULE_LOADING", "LAZY", 1); /* the default of today; lazy_loading.cu has both */
    in_new_process(run_cold, &series, sizeof series);
    report_series(&series, false, "event pairs");
    return EXIT_SUCCESS;
}
