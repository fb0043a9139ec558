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
#include "rows.h"
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

/* ---- One launch of each kernel ---- */

struct experiment {
    struct process *process;
    size_t n;
    float *a, *b, *c; /* on the device, n floats each */
    cudaEvent_t start, stop;
};

/* One launch of vector_add, by plain events. Chapter 04 warns of the gap before the kernel. Here it
 * is wanted: in it the driver loads the kernel, and a blocker would hide that. late_us is how much
 * longer the host waited: that only shows whether the device was busy with other work. */
static double time_us(struct experiment *e) {
    struct process *p = e->process;
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
    p->late_us[p->launches] = (double)(end_ns - start_ns) / 1e3 - event_us;
    p->us[p->launches++] = event_us;
    return event_us;
}

static void launch_other_kernel(const struct experiment *e) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    other_kernel<<<blocks, 256>>>(e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- The recipes: each returns microseconds ---- */

/* Wrong: the first launch also waits until the kernel is loaded. */
static double first_launch_us(struct experiment *e) {
    return time_us(e);
}

/* Wrong: a hundredth of the first launch's extra time stays in the mean. */
static double mean_of_100_us(struct experiment *e) {
    double us[100];
    for (int i = 0; i < 100; i++)
        us[i] = time_us(e);
    return summarize(us, 100).mean;
}

/* Wrong: the device is awake now, but the kernel itself is still to be loaded. */
static double other_kernel_then_one_us(struct experiment *e) {
    launch_other_kernel(e);
    return time_us(e);
}

/* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
static double other_kernel_then_mean_of_10_us(struct experiment *e) {
    double us[10];
    launch_other_kernel(e);
    for (int i = 0; i < 10; i++)
        us[i] = time_us(e);
    return summarize(us, 10).mean;
}

/* Right: the kernel that is to be timed is the one that warms up. Of the launches after that the
 * median, not the mean: a few slow ones do not move it. */
static double warm_then_median_us(struct experiment *e) {
    double us[31];
    time_us(e); /* the warm-up, which does not count */
    for (int i = 0; i < 31; i++)
        us[i] = time_us(e);
    return median(us, 31);
}

static const struct recipe recipes[RECIPES] = {
    {"first_launch", first_launch_us},
    {"mean_of_100", mean_of_100_us},
    {"other_kernel_then_one", other_kernel_then_one_us},
    {"other_kernel_then_mean_of_10", other_kernel_then_mean_of_10_us},
    {"warm_then_median", warm_then_median_us}};

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
            errx(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i, host[i]);
    free(host);
}

/* The recipe, then the steady state, which is the truth here. */
static void run_cold(void *data) {
    struct process *p = (struct process *)data;
    struct experiment e = {};
    const struct cudaDeviceProp gpu = open_cuda(p->driver);
    snprintf(p->device, sizeof p->device, "%s", gpu.name);
    e.process = p;
    e.n = (size_t)p->size;
    check_size(p->size, 3 * sizeof(float));
    e.a = new_vector(A, e.n);
    e.b = new_vector(B, e.n);
    e.c = new_vector(C, e.n);
    CHECK_CUDA(cudaEventCreate(&e.start));
    CHECK_CUDA(cudaEventCreate(&e.stop));

    p->estimate_us = p->recipe->estimate_us(&e);
    for (int i = 0; i < STEADY_LAUNCHES; i++)
        time_us(&e);
    p->steady_us = median(p->us + p->launches - STEADY_LAUNCHES, STEADY_LAUNCHES);
    p->error_percent = 100 * (p->estimate_us - p->steady_us) / p->steady_us;
    check_kernels(&e);
}

int main(int argc, char **argv) {
    long long runs = 5, size = 1 << 24;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size), END_OF_OPTIONS};
    parse_options(argc, argv, "How far off is the first launch, and which warm-up fixes it?",
                  options);
    setenv("CUDA_MODULE_LOADING", "LAZY", 1); /* the default of today; lazy_loading.cu has both */
    struct process *processes =
        (struct process *)new_memory(RECIPES * (size_t)runs * sizeof *processes);
    for (int run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            struct process *p = &processes[r * runs + run];
            p->recipe = &recipes[r];
            p->run = run;
            p->size = size;
            in_new_process(run_cold, p, sizeof *p);
        }
    begin_record(options, processes->device, processes->driver);
    print_recipes(processes, (size_t)runs, false);
    return EXIT_SUCCESS;
}
