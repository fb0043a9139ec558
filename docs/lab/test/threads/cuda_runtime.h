/* SPDX-License-Identifier: MIT
 *
 * Two GPUs that run at the same time, in place of CUDA's own header and runtime, as threads of the host. For
 * two_gpus.cu, whose kernels wait for each other; those of docs/simulator run one after the other. The timer of GPU 1 has
 * another zero, which the test knows. Times are not exact: what two_gpus prints, it must be able to say of any two clocks.
 *
 * DRIFT_PPM=40: GPU 1's timer is faster. TICK=2048: of its timer; that of GPU 0 is 32 ns. GPUS=1: so many are there.
 * TWO=0: both are one. PEER=0: they do not see each other's memory. SLOW=1: what runs on GPU 0 ends 3 ms late.
 * NOT_LATE=1: no answer is late. BEND=1: GPU 1's timer gets faster and faster, by 20 % in a second. */
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
#define CUDART_VERSION 13000
enum { OFFSET_NS = -123456789 };

typedef enum {
    cudaSuccess = 0,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorNotReady = 600
} cudaError_t;
static inline const char *cudaGetErrorName(cudaError_t code) {
    return code == cudaErrorNoDevice ? "none" : "another";
}
static inline const char *cudaGetErrorString(cudaError_t code) {
    return code ? "in other words" : "no error";
}
static inline int number_of(const char *name, int otherwise) {
    return getenv(name) ? atoi(getenv(name)) : otherwise;
}

/* ---- Kernels: the host runs one while it waits for it, and one of the other GPU in a thread meanwhile ---- */

static __thread int thread_gpu; /* of the kernel that this thread runs */
static int current_gpu;
static struct kernel {
    enum { NONE, QUEUED, IN_A_THREAD } state;
    pthread_t thread;
    void (*code)();
    uintptr_t arguments[4];
} kernels[2];

static inline void *run_kernel(void *argument) {
    const struct kernel *k = (const struct kernel *)argument;
    thread_gpu = (int)(k - kernels);
    k->code(k->arguments[0], k->arguments[1], k->arguments[2], k->arguments[3]);
    return NULL;
}
static inline void wait_for_gpu(int gpu) {
    struct kernel *k = &kernels[gpu], *other = &kernels[1 - gpu];
    if (k->state == QUEUED && other->state == QUEUED) {
        if (pthread_create(&other->thread, NULL, run_kernel, other) != 0)
            abort();
        other->state = IN_A_THREAD;
    }
    if (k->state == QUEUED)
        run_kernel(k);
    if (k->state == IN_A_THREAD)
        pthread_join(k->thread, NULL);
    if (k->state != NONE && gpu == 0 && number_of("SLOW", 0))
        nanosleep(&(struct timespec){0, 3000000}, NULL);
    k->state = NONE;
}
static inline void launch(void (*code)(), const uintptr_t arguments[4]) {
    struct kernel *k = &kernels[current_gpu];
    wait_for_gpu(current_gpu);
    k->code = code;
    memcpy(k->arguments, arguments, sizeof k->arguments);
    if (current_gpu == 1 && number_of("NOT_LATE", 0))
        k->arguments[3] = 0; /* of answer_stamps */
    k->state = QUEUED;
}
#define WORD(x) ((uintptr_t)(x))
#define WORDS_1(a) WORD(a)
#define WORDS_2(a, b) WORD(a), WORD(b)
#define WORDS_4(a, b, c, d) WORD(a), WORD(b), WORD(c), WORD(d)
#define PICK(a, b, c, d, name, ...) name
#define WORDS(...) PICK(__VA_ARGS__, WORDS_4, WORDS_3, WORDS_2, WORDS_1)(__VA_ARGS__)
#define SIMULATED_LAUNCH(kernel, shape, ...)                                                       \
    launch((void (*)())kernel, (const uintptr_t[4]){WORDS(__VA_ARGS__)})

/* ---- The GPUs' timers ---- */

static inline int64_t host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static int64_t began_ns;
__attribute__((constructor)) static void begin(void) {
    began_ns = host_ns();
}
static inline unsigned long long simulated_globaltimer(void) {
    static int drift_ppm = -1, tick_ns;
    drift_ppm = drift_ppm < 0 ? number_of("DRIFT_PPM", 0) : drift_ppm;
    tick_ns = tick_ns > 0 ? tick_ns : number_of("TICK", 32);
    const int64_t ns = host_ns(), step_ns = thread_gpu == 0 ? 32 : tick_ns;
    const double s = (double)(ns - began_ns) / 1e9;
    const int64_t bend_ns = number_of("BEND", 0) ? (int64_t)(1e8 * s * s) : 0;
    const int64_t here =
        thread_gpu == 0 ? ns : ns + OFFSET_NS + ns / 1000 * drift_ppm / 1000 + bend_ns;
    return (unsigned long long)(here / step_ns * step_ns);
}
static inline long long clock64(void) { /* asked in each round of a wait */
    sched_yield();
    return host_ns() /
           10; /* the host's other work holds a thread up for longer than any GPU is: ten seconds for one */
}

/* ---- The calls that two_gpus makes ---- */

struct cudaDeviceProp {
    char name[256];
    int multiProcessorCount;
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
typedef int cudaStream_t, cudaEvent_t;
#define CALL(name, parameters, ...)                                                                \
    static inline cudaError_t name parameters {                                                    \
        __VA_ARGS__;                                                                               \
        return cudaSuccess;                                                                        \
    }
CALL(cudaGetDeviceCount, (int *count), *count = number_of("GPUS", 2);
     if (*count == 0) return cudaErrorNoDevice)
CALL(cudaGetDeviceProperties, (struct cudaDeviceProp * to, int gpu),
     *to = (struct cudaDeviceProp){"Threads of the host", 1};
     (void)gpu)
CALL(cudaSetDevice, (int gpu), current_gpu = gpu)
CALL(cudaDriverGetVersion, (int *version), *version = 13020)
CALL(cudaDeviceGetPCIBusId, (char *to, int size, int gpu),
     snprintf(to, (size_t)size, "0000:%02x", gpu *number_of("TWO", 1)))
CALL(cudaDeviceCanAccessPeer, (int *to, int gpu, int other),
     *to = gpu != other && number_of("PEER", 1))
CALL(cudaDeviceEnablePeerAccess, (int other, unsigned flags), (void)other, (void)flags)
CALL(cudaMemGetInfo, (size_t * available, size_t *total), *available = *total = 1u << 30)
CALL(cudaMalloc, (void **to, size_t bytes), *to = malloc(bytes))
CALL(cudaFree, (void *memory), free(memory))
CALL(cudaMallocHost, (void **to, size_t bytes), *to = malloc(bytes))
CALL(cudaMemset, (void *to, int value, size_t bytes), wait_for_gpu(current_gpu);
     memset(to, value, bytes))
CALL(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     wait_for_gpu(current_gpu);
     memcpy(to, from, bytes); (void)kind)
CALL(cudaDeviceSynchronize, (void), wait_for_gpu(current_gpu))
CALL(cudaGetLastError, (void), )
CALL(cudaEventCreate, (cudaEvent_t * event), *event = 0)
CALL(cudaEventDestroy, (cudaEvent_t event), (void)event)
CALL(cudaEventQuery, (cudaEvent_t event), (void)event)
CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (void)event, (void)stream)
CALL(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to), *ms = 0;
     (void)from, (void)to)
