/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel, and which warm-up fixes it?
 *
 * Measures: five recipes from cold, each in processes of its own that have never run the kernel,
 *   against the steady state of the same process; and launch 1, 2, 3, 10 and 100 of one of these.
 * Does not measure: the cost of the CUDA context, which is there before the first launch.
 *
 * Build: nvcc -O2 -arch=native -I../common warmup.cu -o warmup
 * Run:   ./warmup
 * Try:   ./warmup --size 1024 --runs 9        the first launch of a short kernel
 */
#include "cold.h"
#include "cuda.h"
#include "recipes.h"
#include "vectors.h"

/* ---- The kernel under study, and another to warm up with ---- */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void other_kernel(float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = -2;
}

/* ---- The recipes ---- */

/* A name; whether the other kernel warms the device up; launches of vector_add that are not timed,
 * and that are; whether their median is taken, or their mean. */
static const struct recipe recipes[] = {
    /* Wrong: the first launch also waits until the kernel is loaded. */
    {"first_launch", false, 0, 1, false},
    /* Wrong: a hundredth of the first launch's extra time stays in the mean. */
    {"mean_of_100", false, 0, 100, false},
    /* Wrong: the device is awake now, but the kernel itself is still to be loaded. */
    {"other_kernel_then_one", true, 0, 1, false},
    /* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
    {"other_kernel_then_mean_of_10", true, 0, 10, false},
    /* Right: the kernel that is to be timed is the one that warms up. Of the launches after that
     * the median, not the mean: a few slow ones do not move it. */
    {"warm_then_median", false, 1, 31, true}};

enum { RECIPES = sizeof recipes / sizeof recipes[0] };
enum { LONGEST = 1 }; /* in recipes: its processes have a launch 100 */

/* ---- One launch of each kernel ---- */

struct experiment {
    size_t n;
    float *a, *b, *c; /* on the device, n floats each */
    cudaEvent_t start, stop;
};

/* Microseconds between two events. The host's clock only shows whether the device was busy with
 * something else: *late_us is how much longer the host waited. */
static double time_vector_add_us(const struct experiment *e, double *late_us) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(e->start, 0));
    vector_add<<<blocks, 256>>>(e->a, e->b, e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e->stop, 0));
    CHECK_CUDA(cudaEventSynchronize(e->stop));
    const int64_t end_ns = now_ns();
    const double event_us = elapsed_us(e->start, e->stop);
    if (event_us == 0)
        errx(EXIT_FAILED, "impossible: 0 us between the events around a kernel");
    *late_us = (double)(end_ns - start_ns) / 1e3 - event_us;
    return event_us;
}

static void launch_other_kernel(const struct experiment *e) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    other_kernel<<<blocks, 256>>>(e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- One recipe in one cold process ---- */

/* Exits with 1 unless vector_add has left the sums in c, and other_kernel then fills all of it. */
static void check_kernels(const struct experiment *e) {
    float *host = host_vector(C, e->n);
    CHECK_CUDA(cudaMemcpy(host, e->c, e->n * sizeof *host, cudaMemcpyDeviceToHost));
    check_sums(host, e->n);
    launch_other_kernel(e);
    CHECK_CUDA(cudaMemcpy(host, e->c, e->n * sizeof *host, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < e->n; i++)
        if (host[i] != -2)
            errx(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i,
                 (double)host[i]);
    free(host);
}

/* The recipe's launches, then STEADY_LAUNCHES more. */
static void run_cold(void *data) {
    struct process *p = (struct process *)data;
    struct experiment e = {};
    const struct cudaDeviceProp gpu = open_cuda(p->driver);
    snprintf(p->device, sizeof p->device, "%s", gpu.name);
    e.n = (size_t)p->size;
    check_size(p->size, 3 * sizeof(float));
    e.a = new_vector(A, e.n);
    e.b = new_vector(B, e.n);
    e.c = new_vector(C, e.n);
    CHECK_CUDA(cudaEventCreate(&e.start));
    CHECK_CUDA(cudaEventCreate(&e.stop));

    if (p->recipe->other_kernel_first)
        launch_other_kernel(&e);
    for (int i = 0; i < launches_of(p->recipe) + STEADY_LAUNCHES; i++)
        p->us[i] = time_vector_add_us(&e, &p->late_us[i]);
    check_kernels(&e);
}

static void print_launches(const struct process *p) {
    say("launch_1_us   %9.2f\n", value("launch_1_us", p->us[0]));
    say("launch_2_us   %9.2f\n", value("launch_2_us", p->us[1]));
    say("launch_3_us   %9.2f\n", value("launch_3_us", p->us[2]));
    say("launch_10_us  %9.2f\n", value("launch_10_us", p->us[9]));
    say("launch_100_us %9.2f\n", value("launch_100_us", p->us[99]));
}

int main(int argc, char **argv) {
    long long runs = 5, size = 1 << 24;
    struct row rows[RECIPES];
    double steady_us[RECIPES];
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size), END_OF_OPTIONS};
    parse_options(argc, argv, "How far off is the first launch, and which warm-up fixes it?",
                  options);
    setenv("CUDA_MODULE_LOADING", "LAZY", 1); /* the default of today; lazy_loading.cu has both */
    struct process *processes =
        (struct process *)new_memory(RECIPES * (size_t)runs * sizeof *processes);
    for (long long run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            struct process *p = &processes[r * runs + run];
            p->recipe = &recipes[r];
            p->size = size;
            in_new_process(run_cold, p, sizeof *p);
        }
    for (int r = 0; r < RECIPES; r++) {
        rows[r] = summarize_recipe(&processes[r * runs], (size_t)runs);
        steady_us[r] = rows[r].steady_us;
    }
    const struct summary steady = summarize(steady_us, RECIPES);

    begin_record(options, processes->device, processes->driver);
    say("Warm-up: vector_add of %lld floats on %s, timed by event pairs\n"
        "%lld new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        size, processes->device, runs, STEADY_LAUNCHES);
    for (int r = 0; r < RECIPES; r++)
        print_recipe(&rows[r]);
    say("\nSome launches of the process in the row %s%s:\n\n", recipes[LONGEST].name,
        rows[LONGEST].doubt ? ", disturbed" : "");
    print_launches(rows[LONGEST].process);
    say("\nEach of the %d rows is another process, and their steady states are %.1f %% apart.\n"
        "So each error is against the steady state of its own row.\n",
        RECIPES, value("steady_apart_percent", 100 * (steady.max - steady.min) / steady.min));
    return EXIT_SUCCESS;
}
