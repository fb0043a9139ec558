/* SPDX-License-Identifier: MIT
 *
 * Thread 0 and the slow warps: where must a block's last clock be read?
 *
 * Measures: three ends of one block whose warps do unequal work, thread 0's the least of it: before
 *   the barrier, by the very next instruction after it, and where the barrier's answer is needed.
 * Does not measure: the barrier's own cost, some tens of clocks: once in the second end, twice in
 *   the last.
 *
 * Build: nvcc -O2 -arch=native -I../common barrier.cu -o barrier
 * Run:   ./barrier
 * Try:   the kernel with steps instead of steps * (1 + ...): now the three agree, nearly
 */
#include "cuda_device.h"
#include "summary.h"

enum { THREADS = 256, STEPS = 500 };
enum { WITHOUT_BARRIER, NEXT_INSTRUCTION, WITH_BARRIER, ENDS };

/* ---- The kernel, with its three ends ---- */

/* Each warp of 32 threads has more steps than the one before it. A step brings x nearer to 2. */
static __global__ void divergent(long long *clocks, float *values, int steps) {
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
        clocks[WITH_BARRIER] = clock64() - start;
        clocks[NEXT_INSTRUCTION] = next_end - start;
        clocks[WITHOUT_BARRIER] = own_end - start;
    }
}

/* ---- The experiment ---- */

static long long *clocks; /* on the device */
static float *values;     /* on the device */
static double samples[ENDS][MAX_RUNS];

/* Launches once, checks what each thread computed, and stores the three ends. */
static void run_once(size_t run) {
    float host_values[THREADS];
    long long host_clocks[ENDS];
    CHECK_CUDA(cudaMemset(values, 0, sizeof host_values)); /* what is read back is this launch's */
    CHECK_CUDA(cudaMemset(clocks, 0, sizeof host_clocks));
    divergent<<<1, THREADS>>>(clocks, values, STEPS);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(host_values, values, sizeof host_values, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(host_clocks, clocks, sizeof host_clocks, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        if (host_values[i] != 2) /* after STEPS there is nothing left to round */
            fail(EXIT_FAILED, "thread %d computed %g, not 2", i, (double)host_values[i]);
    for (int end = 0; end < ENDS; end++) {
        if (host_clocks[end] <= 0)
            fail(EXIT_FAILED, "impossible: a block of %lld clocks", host_clocks[end]);
        samples[end][run] = (double)host_clocks[end];
    }
}

int main(int argc, char **argv) {
    static const char *const ends[] = {"without_barrier", "next_instruction", "with_barrier"};
    static const char *const where[] = {"thread 0's own end", "the instruction after the barrier",
                                        "where the barrier's answer is needed: right"};
    struct summary all[ENDS];
    options.device = "";
    options.runs = 101;
    parse_options(argc, argv, "Where must a block's last clock be read?");
    const struct cudaDeviceProp device = open_cuda();
    CHECK_CUDA(cudaMalloc((void **)&clocks, ENDS * sizeof *clocks));
    CHECK_CUDA(cudaMalloc((void **)&values, THREADS * sizeof *values));
    run_once(0); /* the warm-up */
    for (size_t run = 0; run < (size_t)options.runs; run++)
        run_once(run);

    begin_table("Barrier: a block of %d warps on %s, medians of %lld runs\n"
                "The last warp has %d times the work of the first\n\n",
                THREADS / 32, device.name, options.runs, THREADS / 32);
    for (int end = 0; end < ENDS; end++)
        all[end] = summarize(samples[end], (size_t)options.runs, jitter_clocks);
    for (int end = 0; end < ENDS; end++) {
        label("method", 17, ends[end]);
        cell("clocks", "%8.0f", all[end].median);
        cell("percent", "%8.2f", 100 * all[end].median / all[WITH_BARRIER].median);
        label("clock_read_at", 0, where[end]);
        end_row(all[end].disturbed);
    }
    end_table();
    const double block = all[WITH_BARRIER].median;
    say("Before the barrier, thread 0 saw %.0f %% of the block's %.0f clocks: only its own work.\n",
        100 * all[WITHOUT_BARRIER].median / block, block);
    if (all[NEXT_INSTRUCTION].median < 0.5 * block)
        say("The clock right after the barrier saw no more: it was read before the warp waited.\n");
    else
        say("The clock right after the barrier was read when the slow warps had come.\n");
    return EXIT_SUCCESS;
}
