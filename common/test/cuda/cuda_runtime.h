/* SPDX-License-Identifier: MIT
 *
 * Two GPUs on the virtual clock of simulated.c, in place of CUDA's own header and runtime. It knows
 * the calls that the suite makes; the compiler names any other. A .cu file goes through
 * simulated.sed, which writes its launches and its asm as calls, and is then plain C: so the kernels
 * run on the host as they stand. */
#ifndef SIMULATED_CUDA_RUNTIME_H
#define SIMULATED_CUDA_RUNTIME_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"

#define __CUDACC__
#define __global__
#define __device__
#define __syncthreads simulated_barrier
#define clock64() ((long long)simulated_register("clock64"))
#define WORD(i, x) ((uintptr_t)(x))
#define PICK(a, b, c, d, e, name, ...) name
#define W1(a) WORD(0, a)
#define W2(a, b) W1(a), WORD(1, b)
#define W3(a, b, c) W2(a, b), WORD(2, c)
#define W4(a, b, c, d) W3(a, b, c), WORD(3, d)
#define W5(a, b, c, d, e) W4(a, b, c, d), WORD(4, e)
#define SIMULATED_LAUNCH(kernel, shape, ...)                                                       \
    simulated_launch((void (*)())kernel, (const size_t[4]){UNPACK shape},                          \
                     (const uintptr_t[8]){PICK(__VA_ARGS__, W5, W4, W3, W2, W1)(__VA_ARGS__)})
#define UNPACK(...) __VA_ARGS__

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorLaunchFailure = 719
} cudaError_t;

static inline const char *cudaGetErrorName(cudaError_t code) {
    switch (code) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorNoDevice:
        return "cudaErrorNoDevice";
    case cudaErrorInvalidResourceHandle:
        return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
        return "cudaErrorNotReady";
    case cudaErrorLaunchFailure:
        return "cudaErrorLaunchFailure";
    default:
        return "cudaErrorOther";
    }
}

static inline const char *cudaGetErrorString(cudaError_t code) {
    return code ? "in other words" : "no error";
}

/* ---- Devices ---- */

/* units, threads a unit, latency, launch, drain, block, warp, barrier, tick, offset (ns) */
static const struct simulated_device simulated_gpus[] = {
    {3, 512, 2000, 900, 1100, 200, 40, 20, 32, 5000000000007},
    {2, 1024, 2500, 800, 900, 240, 30, 16, 1024, 9000000000000}};
static int current;
static cudaError_t last_error; /* for cudaGetLastError() */
static bool unchecked;         /* a launch that cudaGetLastError() was not asked about */

static inline bool fails(const char *name, int64_t ns) {
    if (unchecked)
        simulated_stop("%s after a launch, and no cudaGetLastError() between", name);
    simulated_device = &simulated_gpus[current];
    return simulated_call(name, ns);
}

#define RETURN(code) return last_error = (code)
#define FAILS(ns)                                                                                  \
    if (fails(__func__, (ns)))                                                                     \
    RETURN(cudaErrorLaunchFailure)

struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock,
    cudaDevAttrKernelExecTimeout,
    cudaDevAttrL2CacheSize
};

static inline cudaError_t cudaGetDeviceCount(int *count) {
    FAILS(300000000);
    *count = simulated_fault("no_device", NULL) ? 0 : 2;
    if (simulated_fault("old_driver", NULL))
        RETURN(cudaErrorInsufficientDriver);
    RETURN(*count ? cudaSuccess : cudaErrorNoDevice);
}

static inline cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *to, int device) {
    FAILS(80000);
    *to = (struct cudaDeviceProp){"Simulated GPU", 9, 0, simulated_gpus[device].units};
    strcat(to->name, device ? ", \"small\"" : "");
    return cudaSuccess;
}

static inline cudaError_t cudaSetDevice(int device) {
    FAILS(90000);
    current = device;
    return cudaSuccess;
}

static inline cudaError_t cudaDriverGetVersion(int *version) {
    FAILS(100);
    *version = 13020;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetAttribute(int *to, enum cudaDeviceAttr what, int device) {
    FAILS(100);
    *to = what == cudaDevAttrMaxThreadsPerBlock  ? simulated_gpus[device].threads_per_unit
          : what == cudaDevAttrKernelExecTimeout ? device
                                                 : 1 << 20;
    return cudaSuccess;
}

static inline cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    FAILS(5000);
    *free_bytes = 1u << 30;
    *total_bytes = 1u << 31;
    return cudaSuccess;
}

static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *to, const void *kernel,
                                                                        int threads,
                                                                        size_t shared_bytes) {
    (void)kernel, (void)shared_bytes;
    FAILS(1000);
    *to = simulated_gpus[current].threads_per_unit / threads;
    *to = *to > 8 ? 8 : *to;
    return cudaSuccess;
}

/* ---- Memory ---- */

enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
typedef struct simulated_command *cudaStream_t;
static void *pinned;

static inline cudaError_t cudaMalloc(void **to, size_t bytes) {
    FAILS(50000);
    *to = simulated_allocate(bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaFree(void *memory) {
    FAILS(20000);
    simulated_wait(NULL, true);
    simulated_free(memory);
    return cudaSuccess;
}

static inline cudaError_t cudaMallocHost(void **to, size_t bytes) {
    FAILS(60000);
    *to = pinned = malloc(bytes);
    memset(pinned, 0xcd, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaFreeHost(void *memory) {
    FAILS(20000);
    free(memory);
    pinned = NULL;
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind) {
    FAILS(4000 + (int64_t)bytes / 20);
    if (simulated_room(kind == cudaMemcpyHostToDevice ? to : from, NULL) < bytes)
        RETURN(cudaErrorInvalidValue);
    simulated_wait(NULL, true);
    memcpy(to, from, bytes);
    simulated_spoil(to, bytes, kind == cudaMemcpyDeviceToHost);
    return cudaSuccess;
}

/* Commands are never given back: a test does not run for long. */
struct memset_command {
    struct simulated_command command;
    void *to;
    int value;
    size_t bytes;
};

static inline void run_memset(struct simulated_command *command) {
    struct memset_command *c = (struct memset_command *)command;
    memset(c->to, c->value, c->bytes);
    simulated_fill_l2(c->to, true);
}

static inline cudaError_t simulated_memset(void *to, int value, size_t bytes, cudaStream_t stream) {
    if (simulated_room(to, NULL) < bytes || stream)
        RETURN(cudaErrorInvalidValue);
    struct memset_command *c = (struct memset_command *)calloc(1, sizeof *c);
    *c = (struct memset_command){{.run = run_memset, .ns = 2000}, to, value, bytes};
    simulated_enqueue(&c->command);
    return cudaSuccess;
}

static inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    FAILS(2500);
    return simulated_memset(to, value, bytes, stream);
}

static inline cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    FAILS(2500);
    return simulated_memset(to, value, bytes, 0);
}

/* ---- Launches ---- */

/* With lazy loading a kernel's first launch waits until the device is idle, and loads for 140 us;
 * the first launch of all takes 90 us more. */
static inline void simulated_launch(void (*kernel)(), const size_t shape[4],
                                    const uintptr_t arguments[8]) {
    static void (*loaded[16])();
    static int count;
    const char *loading = getenv("CUDA_MODULE_LOADING");
    int i = 0;
    const char *no_cache = getenv("CUDA_CACHE_DISABLE");
    const bool kept = !no_cache || strcmp(no_cache, "1") != 0; /* compiled by an earlier process */
    const bool eager = loading && strcmp(loading, "EAGER") == 0;
    simulated_device = &simulated_gpus[current];
    while (i < count && loaded[i] != kernel)
        i++;
    if (i == count && !eager)
        simulated_wait(NULL, true);
    if (simulated_call("cudaLaunchKernel", 2700 +
                                               (i < count ? 0
                                                : eager   ? 30000
                                                          : 140000) +
                                               (count > 0 ? 0 : 90000))) {
        last_error = cudaErrorLaunchFailure;
        unchecked = true;
        return;
    }
    unchecked = true;
    loaded[i] = kernel;
    count += i == count;
    if (shape[0] == 0 || shape[1] == 0 || shape[1] > (size_t)simulated_device->threads_per_unit ||
        shape[3]) {
        last_error = cudaErrorInvalidConfiguration;
        return;
    }
    struct simulated_command *c = (struct simulated_command *)calloc(1, sizeof *c);
    c->run = simulated_run_kernel;
    c->kernel = kernel;
    c->groups = (unsigned)shape[0];
    c->threads = (unsigned)shape[1];
    c->shared_bytes = shape[2];
    memcpy(c->arguments, arguments, sizeof c->arguments);
    simulated_enqueue(c);
}

static inline cudaError_t cudaGetLastError(void) {
    const cudaError_t code = last_error;
    unchecked = false;
    if (simulated_call(__func__, 40))
        return cudaErrorLaunchFailure;
    last_error = cudaSuccess;
    return code;
}

/* FAULT=gate_stuck: what the host writes into pinned memory does not arrive. */
static inline cudaError_t cudaDeviceSynchronize(void) {
    FAILS(600);
    if (pinned && simulated_fault("gate_stuck", NULL))
        memset(pinned, 0, sizeof(int));
    simulated_wait(NULL, true);
    return cudaSuccess;
}

/* ---- Events: two of them with nothing between are 1.25 us apart ---- */

enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
typedef struct simulated_event {
    struct simulated_command *command; /* of the last recording */
    unsigned flags;
} * cudaEvent_t;
static int events;

static inline cudaError_t simulated_event(cudaEvent_t *event, unsigned flags) {
    *event = (cudaEvent_t)calloc(1, sizeof **event);
    (*event)->flags = flags;
    if (++events > 8)
        simulated_stop("more than 8 events: are they destroyed?");
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    FAILS(1000);
    return simulated_event(event, flags);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event) {
    FAILS(1000);
    return simulated_event(event, cudaEventDefault);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    FAILS(500);
    events--;
    free(event);
    return cudaSuccess;
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    FAILS(800);
    if (!event || stream)
        RETURN(cudaErrorInvalidResourceHandle);
    event->command = (struct simulated_command *)calloc(1, sizeof *event->command);
    event->command->ns = 1000 + simulated_noise(NOISE_EVENT);
    simulated_enqueue(event->command);
    return cudaSuccess;
}

static inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    FAILS(500);
    return !event->command ||
                   (event->command->done && event->command->end_ns <= simulated_host_ns())
               ? cudaSuccess
               : cudaErrorNotReady;
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    FAILS(500);
    if (pinned && simulated_fault("gate_stuck", NULL))
        memset(pinned, 0, sizeof(int));
    if (event->command)
        simulated_wait(event->command, !(event->flags & cudaEventBlockingSync));
    return cudaSuccess;
}

/* FAULT=time_nan, time_zero, time_negative. An event's stamp is taken when it has run. */
static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    FAILS(400);
    if (!from->command || !to->command || (from->flags | to->flags) & cudaEventDisableTiming)
        RETURN(cudaErrorInvalidResourceHandle);
    if (!from->command->done || !to->command->done || to->command->end_ns > simulated_host_ns())
        return cudaErrorNotReady;
    *ms = (float)((double)(simulated_stamp_ns(to->command->end_ns) -
                           simulated_stamp_ns(from->command->end_ns)) /
                  1e6);
    *ms = simulated_fault("time_nan", NULL)        ? NAN
          : simulated_fault("time_zero", NULL)     ? 0
          : simulated_fault("time_negative", NULL) ? -*ms
                                                   : *ms;
    return cudaSuccess;
}

#endif
