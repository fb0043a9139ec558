/* SPDX-License-Identifier: MIT
 *
 * A copy from GPU 0 to GPU 1 and an all-reduce of both, whose blocks note when they did what.
 * Blocks wait for blocks of the other GPU: they are so few that all run at once, and give up after
 * a second. For two_gpus.cu. */
#pragma once

#include "gpu_timer.h"
#include "two_timers.h"

enum { GPUS = 32, ROUNDS = 42, REDUCERS = 16, HALF = 1 << 19, PART = HALF / REDUCERS };
enum { MET, START, SENT, GOT, ADDED, END, STAMPS }; /* of a block */
enum { SETTLE_NS = 5000 }; /* until then what the meeting left to do is done */
enum { APART = 16, FLAG_BYTES = 8 * APART * REDUCERS }; /* each flag has its own cache line */
enum { STAMPS_BYTES = MAX_RUNS * sizeof(struct way) };
static const long long limit_clocks = 2000000000; /* about a second */
static long long late_us = 50; /* so much later GPU 1 starts, where it is made late */

struct gpu { /* what it has in its own memory */
    unsigned long long *flags, *stamps;
    float *numbers, *inbox;
    double tick_ns;
};
static struct gpu gpus[GPUS], *both;  /* both: GPUs 0 and 1, in host memory that they see */
static struct timer_pair pairs[GPUS]; /* each GPU with GPU 0 */

/* ---- The kernels ---- */

/* All that the block wrote is there before the flag is. */
static __device__ void tell(volatile unsigned long long *flags, unsigned long long stage) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        flags[APART * blockIdx.x] = stage;
    }
}

/* Whether the other GPU's block told this one, within a second. */
static __device__ int hear(const volatile unsigned long long *flags, unsigned long long stage) {
    const long long start_clock = clock64();
    int heard = 1;
    if (threadIdx.x == 0) {
        do
            heard = flags[APART * blockIdx.x] >= stage;
        while (!heard && clock64() - start_clock < limit_clocks);
        __threadfence_system();
    }
    return __syncthreads_and(heard);
}

static __device__ void note(const struct gpu *me, int stage) {
    if (threadIdx.x == 0)
        me->stamps[STAMPS * blockIdx.x + stage] = globaltimer_ns();
}

/* GPU 0 waits for GPU 1 and says go: from then on both run, GPU 1 later by the flag's way. */
static __device__ int meet(const struct gpu *me, const struct gpu *it, unsigned g) {
    if (g == 0 && !hear(me->flags, 1))
        return 0;
    tell(it->flags, 1);
    if (g == 1 && !hear(me->flags, 1))
        return 0;
    note(me, MET);
    return 1;
}

static __global__ void copy(const struct gpu *both, unsigned g) {
    if (!both) /* this launch only loads the kernel */
        return;
    const struct gpu me = both[g], it = both[1 - g];
    const size_t first = (size_t)PART * blockIdx.x;
    if (!meet(&me, &it, g))
        return;
    for (size_t i = first + threadIdx.x; g == 0 && i < first + PART; i += blockDim.x)
        it.inbox[i] = me.numbers[i];
    tell(it.flags, 2);
    if (g == 0 || hear(me.flags, 2))
        note(&me, END);
}

/* Each GPU adds one half of the numbers, and both get both: a ring of two. */
static __global__ void all_reduce(const struct gpu *both, unsigned g, unsigned long long late_ns) {
    if (!both)
        return;
    const struct gpu me = both[g], it = both[1 - g];
    const size_t first = (size_t)PART * blockIdx.x;
    float *mine = me.numbers + g * HALF, *given = me.numbers + (1 - g) * HALF;
    if (!meet(&me, &it, g))
        return;
    for (const unsigned long long met_ns = globaltimer_ns();
         globaltimer_ns() - met_ns < SETTLE_NS + late_ns;)
        continue;
    note(&me, START);
    for (size_t i = first + threadIdx.x; i < first + PART; i += blockDim.x)
        it.inbox[i] = given[i];
    tell(it.flags, 2);
    note(&me, SENT);
    if (!hear(me.flags, 2))
        return;
    note(&me, GOT);
    for (size_t i = first + threadIdx.x; i < first + PART; i += blockDim.x)
        it.numbers[g * HALF + i] = mine[i] += me.inbox[i];
    tell(it.flags, 3);
    note(&me, ADDED);
    if (hear(me.flags, 3))
        note(&me, END);
}

/* ---- The GPUs ---- */

/* Peer access both ways, or else flags in host memory, which both see. */
static inline void set_up_pair(int gpu) {
    struct timer_pair *pair = &pairs[gpu];
    char names[2][32];
    int sees[2];
    for (int i = 0; i < 2; i++) {
        CHECK_CUDA(cudaDeviceGetPCIBusId(names[i], sizeof names[i], i * gpu));
        CHECK_CUDA(cudaDeviceCanAccessPeer(&sees[i], i * gpu, gpu - i * gpu));
        pair->flags[i] = gpus[i * gpu].flags;
        pair->tick_ns[i] = gpus[i * gpu].tick_ns;
    }
    /* Kernels that wait for each other would run one after the other there, and wait for ever. */
    if (strcmp(names[0], names[1]) == 0)
        fail(EXIT_NO_DEVICE, "GPUs 0 and %d are one and the same, %s", gpu, names[0]);
    pair->is_peer = sees[0] && sees[1];
    for (int i = 0; i < 2; i++)
        if (pair->is_peer) {
            CHECK_CUDA(cudaSetDevice(i * gpu));
            CHECK_CUDA(cudaDeviceEnablePeerAccess(gpu - i * gpu, 0));
        } else
            CHECK_CUDA(cudaMallocHost((void **)&pair->flags[i], FLAG_BYTES));
    pair->ways = (size_t)options.runs;
    for (int s = 0; s < SWEEPS; s++)
        if (!(pair->way[s] = (struct way *)malloc(pair->ways * sizeof(struct way))))
            fail(EXIT_FAILED, "no host memory for %zu stamps", pair->ways);
}

/* Returns how many GPUs there are; exits with 77 if it is one. Every kernel runs once on each, or
 * its first launch could wait for the other GPU's. */
static inline int set_up_gpus(void) {
    int count;
    CHECK_CUDA(cudaGetDeviceCount(&count));
    count = count < GPUS ? count : GPUS;
    if (count < 2)
        fail(EXIT_NO_DEVICE, "this needs two GPUs, and here is one");
    for (int i = 0; i < count; i++) {
        struct gpu *gpu = &gpus[i];
        CHECK_CUDA(cudaSetDevice(i));
        CHECK_CUDA(cudaMalloc((void **)&gpu->flags, FLAG_BYTES));
        CHECK_CUDA(cudaMalloc((void **)&gpu->stamps, STAMPS_BYTES));
        CHECK_CUDA(cudaMalloc((void **)&gpu->numbers, 2 * HALF * sizeof(float)));
        CHECK_CUDA(cudaMalloc((void **)&gpu->inbox, HALF * sizeof(float)));
        gpu->tick_ns = ceil(tick_ns(gpu->stamps, NULL));
        copy<<<1, 1>>>(NULL, 0);
        CHECK_CUDA(cudaGetLastError());
        all_reduce<<<1, 1>>>(NULL, 0, 0);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    CHECK_CUDA(cudaMallocHost((void **)&both, 2 * sizeof *both));
    memcpy(both, gpus, 2 * sizeof *both);
    for (int gpu = 1; gpu < count; gpu++)
        set_up_pair(gpu);
    CHECK_CUDA(cudaSetDevice(0));
    set_up_blocked_pair();
    return count;
}

/* ---- Their rounds ---- */

static unsigned long long stamps[ROUNDS + 1][2][REDUCERS][STAMPS]; /* the last: the copy's */
static double host_us[ROUNDS + 1];

/* GPU 1 comes late in every second all-reduce. */
static void run_round(int round) {
    static float numbers[2 * HALF];
    const unsigned long long late_ns = round % 2 ? (unsigned long long)late_us * 1000 : 0;
    for (int g = 0; g < 2; g++) {
        for (int i = 0; i < 2 * HALF; i++)
            numbers[i] = (float)(i % 1000 + g);
        CHECK_CUDA(cudaSetDevice(g));
        CHECK_CUDA(cudaMemcpy(gpus[g].numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice));
        CHECK_CUDA(cudaMemset(gpus[g].flags, 0, FLAG_BYTES));
        CHECK_CUDA(cudaMemset(gpus[g].stamps, 0, sizeof stamps[0][0]));
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    const int64_t start_ns = now_ns();
    for (unsigned g = 0; g < 2; g++) {
        CHECK_CUDA(cudaSetDevice((int)g));
        if (round == ROUNDS)
            copy<<<REDUCERS, 256>>>(both, g);
        else
            all_reduce<<<REDUCERS, 256>>>(both, g, g * late_ns);
        CHECK_CUDA(cudaGetLastError());
    }
    for (int g = 0; g < 2; g++) {
        CHECK_CUDA(cudaSetDevice(g));
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    host_us[round] = (double)(now_ns() - start_ns) / 1e3;
    for (int g = 0; g < 2; g++) {
        const bool is_copy = round == ROUNDS;
        CHECK_CUDA(cudaMemcpy(stamps[round][g], gpus[g].stamps, sizeof stamps[0][0],
                              cudaMemcpyDeviceToHost));
        for (int b = 0; b < REDUCERS; b++)
            if (stamps[round][g][b][END] == 0)
                fail(EXIT_FAILED, "GPU %d, block %d: no word of the other for a second", g, b);
        CHECK_CUDA(cudaMemcpy(numbers, is_copy ? gpus[1].inbox : gpus[g].numbers,
                              sizeof numbers / (is_copy ? 2 : 1), cudaMemcpyDeviceToHost));
        for (int i = 0; i < (is_copy ? HALF : 2 * HALF); i++)
            if (numbers[i] != (float)(is_copy ? i % 1000 : 2 * (i % 1000) + 1))
                fail(EXIT_FAILED, "wrong result: number %d is %g", i, (double)numbers[i]);
    }
}

/* Of a round's blocks the median: from one stage of a GPU to another, in us. */
static double between_us(int round, int g, int stage, int to_g, int to_stage) {
    double us[REDUCERS];
    for (int b = 0; b < REDUCERS; b++)
        us[b] = (on_line(&pairs[1], to_g, stamps[round][to_g][b][to_stage]) -
                 on_line(&pairs[1], g, stamps[round][g][b][stage])) /
                1e3;
    return median(us, REDUCERS);
}

/* From the first block's MET to the last one's END, of both GPUs. */
static double span_us(int round) {
    double first_ns = INFINITY, last_ns = -INFINITY;
    for (int g = 0; g < 2; g++)
        for (int b = 0; b < REDUCERS; b++) {
            first_ns = fmin(first_ns, on_line(&pairs[1], g, stamps[round][g][b][MET]));
            last_ns = fmax(last_ns, on_line(&pairs[1], g, stamps[round][g][b][END]));
        }
    return (last_ns - first_ns) / 1e3;
}
