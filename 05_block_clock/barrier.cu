/* SPDX-License-Identifier: MIT
 *
 * Thread 0 and the slow warps: where must a block's last clock be read?
 *
 * Measures: one block whose warps do unequal work; that of thread 0 has the least. Its end is read
 *   before the barrier, by the very next instruction, and where the barrier's answer is needed; in
 *   a second kernel, as in the source, in an `if` behind a plain barrier.
 * Does not measure: the barrier's own cost, some tens of clocks. with_barrier holds it twice,
 *   barrier_then_if once. next_instruction holds it once, if the GPU waits there at all.
 *
 * Build: nvcc -O2 -arch=native -I../common barrier.cu -o barrier
 * Run:   ./barrier
 * Try:   `steps` in place of steps * (1 + ...) in the kernels: do the four ends still differ?
 */
#include "doubt.h"
#include "gpu.h"

enum { THREADS = 256, STEPS = 500 };

/* ---- The kernels ---- */

struct ends { /* clocks of one block until three ends of it */
    long long without_barrier, next_instruction, with_barrier;
};

/* Each warp of 32 threads has more steps than the one before it. A step brings x nearer to 2. */
static __global__ void divergent(struct ends *ends, float *values, int steps) {
    const long long start = clock64();
    float x = 1;
    for (int i = 0; i < steps * (1 + (int)threadIdx.x / 32); i++)
        x = x * 0.5f + 1.0f;
    values[threadIdx.x] = x;

    /* Wrong: thread 0 is done, its block is not. */
    const long long own_end = clock64();
    __syncthreads();
    /* Wrong on an H200: the GPU reads this clock before the warp has stopped at the barrier. */
    const long long next_end = clock64();
    /* Right: thread 0 needs the count, and there is none before all threads have come. */
    if (__syncthreads_count(1) && threadIdx.x == 0) {
        ends->with_barrier = clock64() - start;
        ends->next_instruction = next_end - start;
        ends->without_barrier = own_end - start;
    }
}

/* The same work with the two readings of the source's timedReduction, and nothing behind them. The
 * barrier has no answer, but an `if` stands between it and the clock. */
static __global__ void divergent_as_source(clock_t *timer, float *values, int steps) {
    if (threadIdx.x == 0)
        timer[0] = clock();
    float x = 1;
    for (int i = 0; i < steps * (1 + (int)threadIdx.x / 32); i++)
        x = x * 0.5f + 1.0f;
    values[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x == 0)
        timer[1] = clock();
}

/* ---- The experiment ---- */

enum { WITHOUT_BARRIER, NEXT_INSTRUCTION, WITH_BARRIER, BARRIER_THEN_IF, ENDS };

struct memory { /* on the device */
    struct ends *ends;
    clock_t *timer;
    float *values;
};

/* Exits with 1 unless each thread computed 2, and clears that: the next launch computes it anew. */
static void check_values(const struct memory *m) {
    float values[THREADS];
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(values, m->values, sizeof values, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemset(m->values, 0, sizeof values));
    for (int i = 0; i < THREADS; i++)
        if (values[i] != 2) /* after STEPS there is nothing left to round */
            errx(EXIT_FAILED, "thread %d computed %g, not 2", i, (double)values[i]);
}

/* Launches each kernel once, and stores the clocks until the four ends. */
static void measure(const struct memory *m, double clocks[ENDS][MAX_RUNS], size_t run) {
    struct ends ends;
    clock_t timer[2];
    CHECK_CUDA(cudaMemset(m->ends, 0, sizeof ends)); /* what is read back is this launch's */
    CHECK_CUDA(cudaMemset(m->timer, 0, sizeof timer));
    divergent<<<1, THREADS>>>(m->ends, m->values, STEPS);
    check_values(m);
    divergent_as_source<<<1, THREADS>>>(m->timer, m->values, STEPS);
    check_values(m);
    CHECK_CUDA(cudaMemcpy(&ends, m->ends, sizeof ends, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(timer, m->timer, sizeof timer, cudaMemcpyDeviceToHost));
    clocks[WITHOUT_BARRIER][run] = (double)ends.without_barrier;
    clocks[NEXT_INSTRUCTION][run] = (double)ends.next_instruction;
    clocks[WITH_BARRIER][run] = (double)ends.with_barrier;
    clocks[BARRIER_THEN_IF][run] = (double)((unsigned)timer[1] - (unsigned)timer[0]); /* 32 bits */
    for (int end = 0; end < ENDS; end++)
        if (clocks[end][run] <= 0 || clocks[end][run] > 1e9)
            errx(EXIT_FAILED, "impossible: a block of %.0f clocks", clocks[end][run]);
}

/* `block`: the clocks of the whole block. */
static void print_end(const char *method, const double *clocks, size_t runs, double block) {
    printf("%-16s %9.0f %9.2f %s\n", method, median(clocks, runs),
           100 * median(clocks, runs) / block, first_doubt(doubt_runs(clocks, runs, 16, 1.25)));
}

int main(int argc, char **argv) {
    static double clocks[ENDS][MAX_RUNS]; /* too large for the stack */
    struct args args = begin_args(argc, argv);
    const size_t runs = number_arg(&args, "--runs", "101", MAX_RUNS, "launches of each kernel");
    end_args(&args);
    struct cudaDeviceProp gpu;
    struct memory m;
    CHECK_CUDA(cudaGetDeviceProperties(&gpu, 0));
    CHECK_CUDA(cudaMalloc(&m.ends, sizeof *m.ends));
    CHECK_CUDA(cudaMalloc(&m.timer, 2 * sizeof *m.timer));
    CHECK_CUDA(cudaMalloc(&m.values, THREADS * sizeof *m.values));
    CHECK_CUDA(cudaMemset(m.values, 0, THREADS * sizeof *m.values));
    measure(&m, clocks, 0); /* the warm-up */
    for (size_t run = 0; run < runs; run++)
        measure(&m, clocks, run);

    const double block = median(clocks[WITH_BARRIER], runs);
    print_gpu_head(&gpu);
    printf("# runs %zu\n", runs);
    puts("method              clocks   percent disturbed");
    print_end("without_barrier", clocks[WITHOUT_BARRIER], runs, block);
    print_end("next_instruction", clocks[NEXT_INSTRUCTION], runs, block);
    print_end("with_barrier", clocks[WITH_BARRIER], runs, block);
    print_end("barrier_then_if", clocks[BARRIER_THEN_IF], runs, block);
    return EXIT_SUCCESS; /* memory goes with the process */
}
