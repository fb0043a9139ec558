/* SPDX-License-Identifier: MIT
 *
 * Two GPUs that run at the same time, as threads of the host, in place of CUDA's own header and runtime: for
 * two_gpus.cu, whose kernels wait for each other. (Those of common/test run one after the other.) A block is a
 * host thread, and a block's threads are one. The second GPU's timer has another zero and another rate, which the
 * test knows. Without exact times: what two_gpus prints, it must be able to say of any two clocks. GPUS=1 and GPUS=0: so
 * many are there. PEER=0: they do not see each other's memory. SLOW=1: what runs on GPU 1 ends 3 ms late. WRONG=1000: where
 * the host reads 1000 bytes, the last one is wrong. TICK=1024: of GPU 0's timer; that of GPU 1 is twice as long. */
#pragma once

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define __CUDACC__
#define __global__ __attribute__((unused))
#define __device__ __attribute__((unused))
#define SIMULATED_STEP ((void)0)
#define __syncthreads() ((void)0)
#define __syncthreads_and(predicate) (predicate)
#define __threadfence_system() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define CUDART_VERSION 13000
enum { THREAD_GPUS = 2, THREAD_BLOCKS = 16, OFFSET_NS = -123456789 };

typedef enum {
    cudaSuccess = 0,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600
} cudaError_t;
static inline const char *cudaGetErrorName(cudaError_t code) {
    return code == cudaErrorInvalidResourceHandle ? "cudaErrorInvalidResourceHandle" : "another";
}
static inline const char *cudaGetErrorString(cudaError_t code) {
    return code ? "in other words" : "no error";
}

/* ---- Blocks ---- */

struct index {
    unsigned x;
};
static __thread struct index threadIdx, blockIdx, blockDim;
static __thread int thread_gpu; /* on which this thread is a block */
static int current_gpu;
static struct block {
    pthread_t thread;
    void (*kernel)();
    uintptr_t arguments[4];
    unsigned number;
    int gpu;
} blocks[THREAD_GPUS][THREAD_BLOCKS];
static unsigned running[THREAD_GPUS];

static inline void *run_block(void *argument) {
    const struct block *b = (const struct block *)argument;
    blockIdx.x = b->number;
    blockDim.x = 1;
    thread_gpu = b->gpu;
    b->kernel(b->arguments[0], b->arguments[1], b->arguments[2], b->arguments[3]);
    return NULL;
}

static inline int number_of(const char *name, int otherwise) {
    return getenv(name) ? atoi(getenv(name)) : otherwise;
}
static inline void wait_for_gpu(int gpu) {
    if (running[gpu] > 0 && gpu == number_of("SLOW", -1))
        nanosleep(&(struct timespec){0, 3000000}, NULL);
    while (running[gpu] > 0)
        pthread_join(blocks[gpu][--running[gpu]].thread, NULL);
}

static inline void launch(void (*kernel)(), unsigned count, const uintptr_t arguments[4]) {
    wait_for_gpu(current_gpu);
    for (unsigned i = 0; i < count; i++) {
        struct block *b = &blocks[current_gpu][i];
        *b = (struct block){.kernel = kernel, .number = i, .gpu = current_gpu};
        memcpy(b->arguments, arguments, sizeof b->arguments);
        if (pthread_create(&b->thread, NULL, run_block, b) != 0)
            abort();
        running[current_gpu]++;
    }
}
#define WORD(x) ((uintptr_t)(x))
#define WORDS_1(a) WORD(a)
#define WORDS_2(a, b) WORD(a), WORD(b)
#define WORDS_3(a, b, c) WORD(a), WORD(b), WORD(c)
#define WORDS_4(a, b, c, d) WORD(a), WORD(b), WORD(c), WORD(d)
#define PICK(a, b, c, d, name, ...) name
#define WORDS(...) PICK(__VA_ARGS__, WORDS_4, WORDS_3, WORDS_2, WORDS_1)(__VA_ARGS__)
#define FIRST(first, ...) first
#define SIMULATED_LAUNCH(kernel, shape, ...)                                                       \
    launch((void (*)())kernel, FIRST shape, (const uintptr_t[4]){WORDS(__VA_ARGS__)})

/* ---- The GPUs' timers ---- */

static inline int64_t host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static inline unsigned long long simulated_globaltimer(void) {
    static int drift_ppm = -1, tick_ns;
    drift_ppm = drift_ppm < 0 ? number_of("DRIFT_PPM", 0) : drift_ppm;
    tick_ns = tick_ns > 0 ? tick_ns : number_of("TICK", 32);
    const int64_t ns = host_ns();
    const int64_t here = thread_gpu == 0 ? ns : ns + OFFSET_NS + ns / 1000 * drift_ppm / 1000;
    return (unsigned long long)(here / (tick_ns << thread_gpu) * (tick_ns << thread_gpu));
}
static inline long long clock64(void) { /* asked in each round of a wait */
    sched_yield();
    return host_ns() /
           10; /* a second is ten here: the host's other work holds a thread up for longer than any GPU is */
}

/* ---- The calls that two_gpus makes ---- */

struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
typedef int cudaStream_t;
typedef struct {
    int gpu;
} * cudaEvent_t;
#define CALL(name, parameters, ...)                                                                \
    static inline cudaError_t name parameters {                                                    \
        __VA_ARGS__;                                                                               \
        return cudaSuccess;                                                                        \
    }
CALL(cudaGetDeviceCount, (int *count), *count = number_of("GPUS", THREAD_GPUS);
     if (*count == 0) return cudaErrorNoDevice)
CALL(cudaGetDeviceProperties, (struct cudaDeviceProp * to, int gpu),
     *to = (struct cudaDeviceProp){"Threads of the host", 9, 0, THREAD_BLOCKS};
     (void)gpu)
CALL(cudaSetDevice, (int gpu), current_gpu = gpu)
CALL(cudaDriverGetVersion, (int *version), *version = 13020)
CALL(cudaDeviceGetPCIBusId, (char *to, int size, int gpu),
     snprintf(to, (size_t)size, "0000:%02x", 6 + gpu))
CALL(cudaDeviceCanAccessPeer, (int *to, int gpu, int other),
     *to = gpu != other && number_of("PEER", 1))
CALL(cudaDeviceEnablePeerAccess, (int other, unsigned flags), (void)other, (void)flags)
CALL(cudaMemGetInfo, (size_t * available, size_t *total), *available = *total = 1u << 30)
CALL(cudaMalloc, (void **to, size_t bytes), *to = malloc(bytes))
CALL(cudaMallocHost, (void **to, size_t bytes), *to = malloc(bytes))
CALL(cudaMemset, (void *to, int value, size_t bytes), wait_for_gpu(current_gpu);
     memset(to, value, bytes))
CALL(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     wait_for_gpu(current_gpu);
     memcpy(to, from, bytes);
     if (kind == cudaMemcpyDeviceToHost && (int)bytes == number_of("WRONG", -1))
         memset((char *)to + bytes - 1, 0xff, 1))
CALL(cudaDeviceSynchronize, (void), wait_for_gpu(current_gpu))
CALL(cudaGetLastError, (void), )
CALL(cudaEventCreate, (cudaEvent_t * event), *event = malloc(sizeof **event);
     (*event)->gpu = current_gpu)
CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (void)event, (void)stream)
CALL(cudaEventQuery, (cudaEvent_t event), (void)event)
CALL(cudaEventSynchronize, (cudaEvent_t event), (void)event)
CALL(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to),
     if (from->gpu != to->gpu) return cudaErrorInvalidResourceHandle;
     *ms = 0)
