/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel, and which warm-up mends it?
 *
 * Measures: the first launches of vector_add, one by one; then five recipes from cold, each in a
 *   process of its own that never ran the kernel, against the steady state of that same process.
 * Does not measure: the cost of the CUDA context, which is there before the first launch.
 *
 * Build: nvcc -O2 -arch=native -I../common warmup.cu -o warmup
 * Run:   ./warmup
 * Try:   ./warmup --series        every launch of one process; ./warmup --size 1024 --runs 9
 */
#include <stdint.h>
#include <stdio.h>

#include "cuda_device.h"
#include "host_clock.h"
#include "recipes.h"
#include "vector_data.h"

/* ---- Kernels: the one under study, and another to warm up with ---- */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void other_kernel(float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = -1;
}

/* ---- One launch ---- */

static size_t n;
static float *a, *b, *c;
static cudaEvent_t start, stop;

/* One launch of vector_add between two events. Stores what the host's clock saw in *host_us. */
static double time_vector_add_us(double *host_us) {
    float event_ms;
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(start, 0));
    vector_add<<<(unsigned)((n + 255) / 256), 256>>>(a, b, c, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    CHECK_CUDA(cudaEventElapsedTime(&event_ms, start, stop));
    if (!(event_ms > 0))
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)event_ms);
    return (double)event_ms * 1e3;
}

static void launch_other_kernel(void) {
    other_kernel<<<(unsigned)((n + 255) / 256), 256>>>(c, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- The recipes: each returns its estimate in us, and leaves the first launch's time ---- */

static double first_us;

static double mean_of_launches(int launches) {
    double host_us, sum_us = 0;
    for (int i = 0; i < launches; i++) {
        const double event_us = time_vector_add_us(&host_us);
        sum_us += event_us;
        first_us = i == 0 ? event_us : first_us;
    }
    return sum_us / launches;
}

/* No warm-up at all. */
static double first_launch(void) {
    return mean_of_launches(1);
}

/* The first launch's extra time, spread over a hundred: less of it, but never gone. */
static double mean_of_100(void) {
    return mean_of_launches(100);
}

/* The device is awake now, but vector_add itself is still to be loaded. */
static double other_kernel_then_one(void) {
    launch_other_kernel();
    return mean_of_launches(1);
}

static double warm_then_mean_of_10(void) {
    launch_other_kernel();
    return mean_of_launches(10);
}

/* Ours: what is to be timed is what warms up; and of the rest the median, not the mean. */
static double warm_then_median(void) {
    double samples_us[31], host_us;
    first_us = time_vector_add_us(&host_us);
    for (int i = 0; i < 31; i++)
        samples_us[i] = time_vector_add_us(&host_us);
    return median(samples_us, 31);
}

static const struct {
    const char *name;
    int launches; /* of vector_add */
    double (*run)(void);
} recipes[] = {{"first_launch", 1, first_launch},
               {"mean_of_100", 100, mean_of_100},
               {"other_kernel_then_one", 1, other_kernel_then_one},
               {"warm_then_mean_of_10", 10, warm_then_mean_of_10},
               {"warm_then_median", 32, warm_then_median}};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

/* ---- Cold means cold: a process for each ---- */

/* What the process does: sets up, runs the recipe (NULL: the series), then finds the steady state
 * and checks the result. */
static void run_cold(const char *wanted, double (*recipe)(void), struct outcome *o) {
    double samples_us[STEADY], overhead_us[STEADY], host_us;
    const struct cuda_device device = choose_cuda_device(wanted);
    snprintf(o->device, sizeof o->device, "%s", device.name);
    check_cuda_memory((long long)n, 3.0 * (double)n * sizeof(float));
    a = device_floats(n, input_a);
    b = device_floats(n, input_b);
    c = device_floats(n, NULL);
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));

    if (recipe)
        o->estimate_us = recipe();
    else
        for (int i = 0; i < SERIES; i++)
            o->event_us[i] = time_vector_add_us(&o->host_us[i]);
    o->first_us = recipe ? first_us : o->event_us[0];

    for (int i = 0; i < STEADY; i++) {
        samples_us[i] = time_vector_add_us(&host_us);
        overhead_us[i] = host_us - samples_us[i];
    }
    const struct summary steady = summarize(samples_us, STEADY);
    o->steady_us = steady.median;
    o->disturbed = steady.disturbed | overhead_is_disturbed(median(overhead_us, STEADY));
    check_vector_add(copy_to_host(c, n), n);
}

int main(int argc, char **argv) {
    const struct options options = parse_warmup_options(argc, argv);
    n = (size_t)options.size;
    setenv("CUDA_CACHE_DISABLE", "1", 1); /* no compiled kernel from an earlier run */
    setenv("CUDA_MODULE_LOADING", "LAZY", 1);
    const struct outcome series = in_new_process(options.device, NULL);
    if (series_only) {
        print_series(&options, &series);
        return EXIT_SUCCESS;
    }
    print_recipes_header(&options, series.device, "event pairs", series.event_us);
    int disturbed_rows = 0;
    for (int r = 0; r < RECIPES; r++)
        disturbed_rows += report_recipe(&options, series.device, recipes[r].name,
                                        recipes[r].launches, recipes[r].run);
    if (!options.csv) {
        const struct outcome lazy = in_new_process(options.device, first_launch);
        setenv("CUDA_MODULE_LOADING", "EAGER", 1);
        const struct outcome eager = in_new_process(options.device, first_launch);
        printf("\nFirst launch with CUDA_MODULE_LOADING=LAZY %.2f us, EAGER %.2f us; one process "
               "each.\n",
               lazy.first_us, eager.first_us);
        printf("%s", disturbed_verdict(disturbed_rows));
        flush_stdout();
    }
    return EXIT_SUCCESS;
}
