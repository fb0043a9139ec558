/* SPDX-License-Identifier: MIT
 *
 * How much of a first launch does CUDA do earlier if it loads all kernels early?
 *
 * Measures: the first two launches of vector_add in new processes, by event pairs. In turns the
 *   processes have CUDA_MODULE_LOADING=LAZY, so that CUDA loads a kernel when it is first launched
 *   (the default on Linux since CUDA 12.2), and EAGER: it loads all kernels before.
 * Does not measure: what EAGER costs at the start of the program; how much of that is for this
 *   kernel alone (warmup.cu: the first launch after another kernel).
 *
 * Build: nvcc -O2 -arch=native -I../common lazy_loading.cu -o lazy_loading
 * Run:   ./lazy_loading
 * Try:   ./lazy_loading --size 1024 --runs 15        a short kernel, and how far processes differ
 */
#include "cold.h"
#include "cuda.h"
#include "report.h"
#include "samples.h"
#include "vectors.h"

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* ---- One launch ---- */

struct experiment {
    size_t n;
    float *a, *b, *c; /* on the device, n floats each */
    cudaEvent_t start, stop;
};

/* Lazy loading happens between the two events: so it is in this time. */
static double time_vector_add_us(const struct experiment *e) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    CHECK_CUDA(cudaEventRecord(e->start, 0));
    vector_add<<<blocks, 256>>>(e->a, e->b, e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e->stop, 0));
    CHECK_CUDA(cudaEventSynchronize(e->stop));
    return elapsed_us(e->start, e->stop);
}

/* ---- One cold process ---- */

/* The input and the results of a cold process. */
struct process {
    const char *loading; /* LAZY or EAGER */
    long long size;
    char device[256], driver[64];
    double first_us, second_us;
    double late_us; /* how much longer than the second launch the host waited for it */
};

static void run_cold(void *data) {
    struct process *p = (struct process *)data;
    struct experiment e = {};
    setenv("CUDA_MODULE_LOADING", p->loading, 1); /* before the first call of CUDA */
    const struct cudaDeviceProp gpu = open_cuda(p->driver);
    snprintf(p->device, sizeof p->device, "%s", gpu.name);
    e.n = (size_t)p->size;
    check_size(p->size, 3 * sizeof(float));
    e.a = new_vector(A, e.n);
    e.b = new_vector(B, e.n);
    e.c = new_vector(C, e.n);
    CHECK_CUDA(cudaEventCreate(&e.start));
    CHECK_CUDA(cudaEventCreate(&e.stop));

    p->first_us = time_vector_add_us(&e);
    const int64_t start_ns = now_ns();
    p->second_us = time_vector_add_us(&e);
    p->late_us = (double)(now_ns() - start_ns) / 1e3 - p->second_us;
    if (!(p->first_us > 0 && p->second_us > 0))
        errx(EXIT_FAILED, "impossible: launches of %g and %g us", p->first_us, p->second_us);

    check_vector_add(e.c, e.n);
}

/* ---- All processes with LAZY, or all with EAGER ---- */

struct launches {
    double first_us[MAX_RUNS], second_us[MAX_RUNS], late_us[MAX_RUNS];
};

static void measure(struct process *p, const char *loading, struct launches *l, long long run) {
    p->loading = loading;
    in_new_process(run_cold, p, sizeof *p);
    l->first_us[run] = p->first_us;
    l->second_us[run] = p->second_us;
    l->late_us[run] = p->late_us;
}

static void print_loading(const char *loading, const struct launches *l, size_t runs) {
    const struct summary first = summarize_us(l->first_us, runs, false),
                         second = summarize_us(l->second_us, runs, false);
    print_row(first.doubt ?: second.doubt ?: doubt_wait(median(l->late_us, runs)),
              "loading=%-7s|first_launch_us=%15.2f|second_launch_us=%16.2f", loading, first.median,
              second.median);
}

int main(int argc, char **argv) {
    static struct launches lazy, eager;
    static struct process process;
    long long runs = 5, size = 1 << 24;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size), END_OF_OPTIONS};
    parse_options(argc, argv,
                  "How much of a first launch does CUDA do earlier if it loads all kernels early?",
                  options);

    process.size = size;
    for (long long run = 0; run < runs; run++) { /* in turns: each meets the same machine */
        measure(&process, "LAZY", &lazy, run);
        measure(&process, "EAGER", &eager, run);
    }
    const size_t count = (size_t)runs;
    const double lazy_us = median(lazy.first_us, count);

    begin_record(options, process.device, process.driver);
    say("Module loading: vector_add of %lld floats on %s, by event pairs\n"
        "Medians of %lld new processes for each row\n\n",
        size, process.device, runs);
    print_loading("LAZY", &lazy, count);
    print_loading("EAGER", &eager, count);
    const double extra_us = value("extra_us", lazy_us - median(lazy.second_us, count));
    const double saved_us = value("saved_us", lazy_us - median(eager.first_us, count));
    say("\nWith LAZY the first launch takes %.2f us longer than the second.\n"
        "With EAGER it takes %.2f us less than with LAZY.\n",
        extra_us, saved_us);
    return EXIT_SUCCESS;
}
