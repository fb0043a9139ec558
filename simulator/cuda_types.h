/* SPDX-License-Identifier: MIT
 *
 * The types of CUDA's runtime, for a program (simcc.h) and for the runtime (cuda.c). */
#ifndef SIMULATED_CUDA_TYPES_H
#define SIMULATED_CUDA_TYPES_H

#include <stddef.h>

#include "machine.h"

#define SIMULATED_ERRORS(ERROR)                                                                                        \
    ERROR(cudaSuccess, 0, "no error")                                                                                  \
    ERROR(cudaErrorInvalidValue, 1, "invalid argument")                                                                \
    ERROR(cudaErrorMemoryAllocation, 2, "out of memory")                                                               \
    ERROR(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                          \
    ERROR(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                    \
    ERROR(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")             \
    ERROR(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                                \
    ERROR(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                       \
    ERROR(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                              \
    ERROR(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")                        \
    ERROR(cudaErrorNotReady, 600, "device not ready")                                                                  \
    ERROR(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                    \
    ERROR(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                   \
    ERROR(cudaErrorNotSupported, 801, "operation not supported")                                                       \
    ERROR(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")                  \
    ERROR(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")           \
    ERROR(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")      \
    ERROR(cudaErrorUnknown, 999, "unknown error")

typedef enum cudaError {
#define SIMULATED_CODE(name, number, words) name = number,
    SIMULATED_ERRORS(SIMULATED_CODE)
} cudaError_t;

#define CUDART_VERSION 13000
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerBlock;
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem;
    int warpSize, maxThreadsPerMultiProcessor, maxThreadsDim[3], maxGridSize[3], concurrentKernels, asyncEngineCount,
        memoryBusWidth;
};
#define SIMULATED_ATTRIBUTES(A) /* d: the device; the second one has a display */                                      \
    A(KernelExecTimeout, d != simulated_devices)                                                                       \
    A(L2CacheSize, (int)simulated_l2_bytes())                                                                          \
    A(MemoryClockRate, 3201000) /* kHz: as an H200's */                                                                \
    A(GlobalMemoryBusWidth, 6144)                                                                                      \
    A(MultiProcessorCount, (int)d->units)                                                                              \
    A(ClockRate, (int)simulated_ns.clocks_a_us * 1000) /* kHz */                                                       \
    A(WarpSize, 32)                                                                                                    \
    A(MaxThreadsPerBlock, simulated_max_threads(d))                                                                    \
    A(MaxThreadsPerMultiProcessor, d->threads_per_unit)                                                                \
    A(MaxSharedMemoryPerBlock, SIMULATED_SHARED_BYTES)                                                                 \
    A(ComputeCapabilityMajor, simulated_major())                                                                       \
    A(ComputeCapabilityMinor, 0) A(ManagedMemory, 1) A(ConcurrentManagedAccess, 1) A(MemoryPoolsSupported, 1)
#define SIMULATED_ATTRIBUTE(name, value) cudaDevAttr##name,
enum cudaDeviceAttr { SIMULATED_ATTRIBUTES(SIMULATED_ATTRIBUTE) };
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost = 2 };
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
typedef struct CUstream_st *cudaStream_t; /* 0: the default stream */
extern struct CUstream_st simcc_per_thread;
extern cudaStream_t simcc_default_stream;
#define cudaStreamPerThread (&simcc_per_thread)
#define cudaStreamLegacy ((cudaStream_t)0)
typedef struct simulated_event *cudaEvent_t;
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventRecordExternal = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };

typedef struct simulated_graph *cudaGraph_t;
typedef struct simulated_executable *cudaGraphExec_t;
typedef struct simulated_graph_node *cudaGraphNode_t;
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};

/* ---- What simcc.h, cuda.c and checks.c share ---- */

#ifdef __cplusplus
extern "C" {
#endif

struct simcc_launch {
    const char *kernel;
    const void *identity; /* one address for each kernel, and for each one that is made of a template */
    const char *place;    /* FILE:LINE */
    struct simulated_index grid, block;
    size_t bytes; /* of dynamic shared memory */
    cudaStream_t stream;
    void (*run)(); /* with 8 arguments: the pointers, and the closure */
    const void *pointers[7];
    void ***places; /* of the first arguments that are as large as a pointer: NULL where one is not */
    void *closure;
};
void simcc_launch(const struct simcc_launch *launch);
void simcc_source(const char *name, const char *folder);
void *simcc_closure(size_t bytes);
void simcc_fence(void), simcc_step(void), simcc_turn(void);
void simcc_extreme(unsigned long long kept, unsigned long long x); /* atomicMin(), atomicMax() */
void simcc_declared(size_t bytes, size_t place);                   /* of shared memory, which this launch uses */
void simcc_dropped(const char *call, const char *place, cudaError_t code);
cudaError_t simcc_to_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t simcc_from_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
const char *cudaGetErrorName(cudaError_t code), *cudaGetErrorString(cudaError_t code);

#ifdef __cplusplus
}
#endif
#endif
