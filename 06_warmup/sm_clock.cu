/* SPDX-License-Identifier: MIT
 *
 * How fast do the SMs run: after a pause, and when the whole GPU is busy for long?
 *
 * Measures: the rate of one SM's clock by the GPU's timer, after three seconds of nothing, then in
 *   a kernel of multiply-adds on all SMs.
 * Does not measure: the power, which depends on the kernel and its data: nvidia-smi dmon -s p
 *
 * Build: nvcc -O2 -arch=native -I../common sm_clock.cu -o sm_clock
 * Run:   ./sm_clock
 * Try:   ./sm_clock --runs 240    over a minute of load; on a laptop, with and without its charger
 */
#include "doubt.h"
#include "hold.h" /* globaltimer_ns() and wait_ns() */

enum { PAUSE_S = 3, PAUSE_ROWS = 10, LOAD_ROWS = 5, BLOCKS_PER_SM = 4, LAUNCHES = 8 };

struct rate { /* of one SM */
    long long clocks;
    unsigned long long ns;
};

/* One millisecond by the timer, and how often the SM's clock ticked meanwhile. */
static __global__ void count_clocks(struct rate *rate) {
    const long long start_clock = clock64();
    const unsigned long long ns = wait_ns(1000000);
    rate->clocks = clock64() - start_clock;
    rate->ns = ns;
}

/* Each step is 16 multiply-adds of a thread, and loads nothing. */
static __global__ void multiply(float *sums, size_t steps, struct rate *rate) {
    float s[16] = {0}, f[8];
    for (int k = 0; k < 8; k++) /* numbers of many different bits */
        f[k] = 1 / (float)(8 * threadIdx.x + k + 3);
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    for (size_t step = 0; step < steps; step++)
        for (int k = 0; k < 16; k++)
            s[k] = s[k] * 0.5f + f[k % 8];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        rate->clocks = clock64() - start_clock;
        rate->ns = globaltimer_ns() - start_ns;
    }
    for (int k = 1; k < 16; k++)
        s[0] += s[k];
    sums[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = s[0];
}

struct experiment {
    unsigned blocks, threads; /* threads: of each block */
    size_t steps, samples;    /* of each launch; of each row */
    float *sums;              /* on the device, one of each thread */
    struct rate *rate;
};

/* The rate of one SM's clock: alone if there are no launches of multiply, else in the last of them.
 * They are several, so that all SMs are busy while the next one is on its way. Exits with 1 if what
 * the kernel has noted is impossible. */
static double sample_mhz(const struct experiment *x, int launches) {
    struct rate rate;
    const int64_t start_ns = now_ns();
    if (launches == 0)
        count_clocks<<<1, 1>>>(x->rate);
    for (int i = 0; i < launches; i++)
        multiply<<<x->blocks, x->threads>>>(x->sums, x->steps, x->rate);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&rate, x->rate, sizeof rate, cudaMemcpyDeviceToHost));
    const double most_ns = 1.01 * (double)(now_ns() - start_ns);
    if (rate.clocks <= 0 || rate.ns == 0 || (double)rate.ns > most_ns)
        errx(EXIT_FAILED, "impossible: %lld clocks, %llu ns in a kernel; %g ns around it",
             rate.clocks, rate.ns, most_ns);
    return (double)rate.clocks * 1e3 / (double)rate.ns;
}

/* One SM alone, again and again: the first sample is shown. */
static void print_one_sm(const struct experiment *x, int64_t from_ns) {
    const double since_ms = (double)(now_ns() - from_ns) / 1e6, mhz = sample_mhz(x, 0);
    for (size_t i = 1; i < x->samples; i++)
        sample_mhz(x, 0);
    printf("none %10.3f %9.0f -\n", since_ms, mhz);
}

/* All SMs: the median of the second half. No call of the host is in it. Exits with 1 unless each
 * block found the same as the first, and more than 0. */
static void print_load(const struct experiment *x, int64_t from_ns) {
    static double mhz[MAX_RUNS];
    const double since_ms = (double)(now_ns() - from_ns) / 1e6;
    const size_t half = x->samples / 2, count = (size_t)x->blocks * x->threads;
    float *found = (float *)new_memory(count * sizeof *found);
    CHECK_CUDA(cudaMemset(x->sums, 0xff, count * sizeof *x->sums));
    for (size_t i = 0; i < x->samples; i++)
        mhz[i] = sample_mhz(x, LAUNCHES);
    CHECK_CUDA(cudaMemcpy(found, x->sums, count * sizeof *found, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        if (!(found[i] > 0) || found[i] != found[i % x->threads])
            errx(EXIT_FAILED, "wrong result in block %zu: %g", i / x->threads, (double)found[i]);
    free(found);
    printf("fma  %10.3f %9.0f %s\n", since_ms, median(mhz + half, x->samples - half),
           first_doubt(doubt_runs(mhz, x->samples, 0, 1.25)));
}

int main(int argc, char **argv) {
    struct experiment x = {};
    struct args args = begin_args(argc, argv);
    x.samples = number_arg(&args, "--runs", "40", MAX_RUNS, "samples of each row");
    x.threads = (unsigned)number_arg(&args, "--threads", "256", 1024, "threads in each block");
    x.steps = number_arg(&args, "--work", "65536", 1000000, "steps in each launch");
    end_args(&args);
    struct cudaDeviceProp gpu;
    CHECK_CUDA(cudaGetDeviceProperties(&gpu, 0));
    x.blocks = BLOCKS_PER_SM * (unsigned)gpu.multiProcessorCount;
    CHECK_CUDA(cudaMalloc(&x.sums, (size_t)x.blocks * x.threads * sizeof *x.sums));
    CHECK_CUDA(cudaMalloc(&x.rate, sizeof *x.rate));
    print_gpu_head(&gpu);
    printf("# runs %zu\n# threads %u\n# work %zu\n"
           "# One SM alone (none) after %d s of nothing, then %u blocks on all SMs (fma).\n"
           "load   since_ms clock_mhz disturbed\n",
           x.samples, x.threads, x.steps, PAUSE_S, x.blocks);
    sample_mhz(&x, 0); /* a first launch loads the kernel */
    sample_mhz(&x, LAUNCHES);
    sleep_for_ns(PAUSE_S * 1000000000LL);
    const int64_t from_ns = now_ns();
    for (int row = 0; row < PAUSE_ROWS; row++)
        print_one_sm(&x, from_ns);
    for (int row = 0; row < LOAD_ROWS; row++)
        print_load(&x, from_ns);
    return EXIT_SUCCESS; /* memory and events go with the process */
}
