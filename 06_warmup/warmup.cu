/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel, and which warm-up fixes it?
 *
 * Measures: five recipes from cold, each in processes of its own that have never run the kernel,
 *   against the steady state of the same process. The recipes are in recipes.h.
 * Does not measure: the cost of the CUDA context, which is there before the first launch; launch
 *   after launch of one process (warmup_series.cu).
 *
 * Build: nvcc -O2 -arch=native -I../common warmup.cu -o warmup
 * Run:   ./warmup
 * Try:   ./warmup --size 1024 --runs 9        the first launch of a short kernel
 */
#include "clock.h"
#include "cold.h"
#include "recipes.h"
#include "vectors.h" /* start, stop, elapsed_us() */

/* ---- The kernel under study, and another to warm up with ---- */

static __global__ void other_kernel(float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = -2;
}

/* ---- One launch of each ---- */

static size_t floats;
static float *vectors[3];

/* Between two events; the host's clock only shows whether the device was
 * busy with something else. */
static double time_vector_add_us(double *overhead_us) {
    const unsigned blocks = (unsigned)((floats + 255) / 256);
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(start, 0));
    vector_add<<<blocks, 256>>>(vectors[A], vectors[B], vectors[C], floats);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    const int64_t end_ns = now_ns();
    const double event_us = elapsed_us();
    *overhead_us = (double)(end_ns - start_ns) / 1e3 - event_us;
    return event_us;
}

static void launch_other_kernel(void) {
    const unsigned blocks = (unsigned)((floats + 255) / 256);
    other_kernel<<<blocks, 256>>>(vectors[C], floats);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* Both kernels' results. */
static void check(void) {
    check_vector_add(vectors[C], floats);
    launch_other_kernel();
    check_other_kernel(vectors[C], floats);
}

/* What a cold process does: the recipe, then the steady state. */
static void run_cold(void *result) {
    struct launches *l = (struct launches *)result;
    open_cuda();
    check_size(options.size, 3.0 * (double)floats * sizeof(float));
    set_up_vectors(vectors, floats);
    create_events();
    if (l->recipe->other_kernel_first)
        launch_other_kernel();
    for (int i = 0; i < l->recipe->warm_ups + l->recipe->timed + STEADY_LAUNCHES; i++)
        l->us[i] = time_vector_add_us(&l->overhead_us[i]);
    check();
}

int main(int argc, char **argv) {
    static struct launches launches;
    options.device = "";
    options.runs = 5;
    options.size = 1 << 24;
    parse_options(argc, argv, "How far off is the first launch, and which warm-up fixes it?");
    floats = (size_t)options.size;
    setenv("CUDA_MODULE_LOADING", "LAZY", 1); /* the default of today; lazy_loading.cu has both */
    const size_t runs = (size_t)options.runs;
    for (size_t run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            launches.recipe = &recipes[r];
            in_new_process(run_cold, &launches, sizeof launches);
            store_outcome(&launches, run);
        }
    report_recipes("event pairs");
    return EXIT_SUCCESS;
}
