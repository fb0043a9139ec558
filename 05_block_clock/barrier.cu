/* SPDX-License-Identifier: MIT
 *
 * Thread 0 and the slow warps: where must a block's last clock be read?
 *
 * Measures: one block whose warps do unequal work; that of thread 0 has the least. Its end is read
 *   before the barrier, by the very next instruction, and where the barrier's answer is needed.
 * Does not measure: the barrier's own cost, some tens of clocks. The last end holds it twice. The
 *   second one holds it once, if the GPU waits there at all.
 *
 * Build: nvcc -O2 -arch=native -I../common barrier.cu -o barrier
 * Run:   ./barrier
 * Try:   `steps` in place of steps * (1 + ...) in the kernel: do the three ends still differ?
 */
#include "cuda.h"
#include "report.h"
#include "samples.h"

enum { THREADS = 256, STEPS = 500 };

/* Clocks of one block until three ends of it. */
struct ends {
    long long without_barrier, next_instruction, with_barrier;
};

/* ---- The kernel, with its three ends ---- */

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
    /* Wrong on an H100: the GPU reads this clock before the warp has stopped at the barrier. */
    const long long next_end = clock64();
    /* Right: thread 0 needs the count, and there is none before all threads have come. */
    if (__syncthreads_count(1) && threadIdx.x == 0) {
        ends->with_barrier = clock64() - start;
        ends->next_instruction = next_end - start;
        ends->without_barrier = own_end - start;
    }
}

/* ---- The experiment ---- */

struct memory { /* on the device */
    struct ends *ends;
    float *values;
};

/* Launches once, checks what each thread computed, and returns the three ends. */
static struct ends run(const struct memory *m) {
    float values[THREADS];
    struct ends ends;
    CHECK_CUDA(cudaMemset(m->values, 0, sizeof values)); /* what is read back is this launch's */
    CHECK_CUDA(cudaMemset(m->ends, 0, sizeof ends));
    divergent<<<1, THREADS>>>(m->ends, m->values, STEPS);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(values, m->values, sizeof values, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(&ends, m->ends, sizeof ends, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        if (values[i] != 2) /* after STEPS there is nothing left to round */
            errx(EXIT_FAILED, "thread %d computed %g, not 2", i, (double)values[i]);
    const long long clocks[] = {ends.without_barrier, ends.next_instruction, ends.with_barrier};
    for (int i = 0; i < 3; i++)
        if (clocks[i] <= 0)
            errx(EXIT_FAILED, "impossible: a block of %lld clocks", clocks[i]);
    return ends;
}

static void print_end(const char *method, const double *samples, size_t n, double block,
                      const char *where) {
    const double clocks = median(samples, n);
    print_row(doubt_runs(samples, n, 16, 1.25),
              "method=%-16s|clocks=%9.0f|percent=%9.2f|clock_read_at=%-s", method, clocks,
              100 * clocks / block, where);
}

int main(int argc, char **argv) {
    long long runs = 101;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), END_OF_OPTIONS};
    parse_options(argc, argv, "Where must a block's last clock be read?", options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    const size_t count = (size_t)runs, bytes = count * sizeof(double);
    struct memory m;
    CHECK_CUDA(cudaMalloc(&m.ends, sizeof *m.ends));
    CHECK_CUDA(cudaMalloc(&m.values, THREADS * sizeof *m.values));
    double *without_barrier = (double *)new_memory(bytes);
    double *next_instruction = (double *)new_memory(bytes);
    double *with_barrier = (double *)new_memory(bytes);

    run(&m); /* the warm-up */
    for (size_t i = 0; i < count; i++) {
        const struct ends ends = run(&m);
        without_barrier[i] = (double)ends.without_barrier;
        next_instruction[i] = (double)ends.next_instruction;
        with_barrier[i] = (double)ends.with_barrier;
    }

    const double own = median(without_barrier, count), next = median(next_instruction, count),
                 block = median(with_barrier, count);
    begin_record(options, gpu.name, driver);
    say("Barrier: a block of %d warps on %s, medians of %lld runs\n"
        "The last warp has %d times the work of the first\n\n",
        THREADS / 32, gpu.name, runs, THREADS / 32);
    print_end("without_barrier", without_barrier, count, block, "thread 0's own end");
    print_end("next_instruction", next_instruction, count, block,
              "the instruction after the barrier");
    print_end("with_barrier", with_barrier, count, block,
              "where the barrier's answer is needed: right");
    say("\nBefore the barrier, thread 0 saw %.0f %% of the block's %.0f clocks: only its own "
        "work.\n"
        "By the instruction right after the barrier it saw %.0f %%.\n",
        100 * own / block, block, 100 * next / block);
    return EXIT_SUCCESS;
}
