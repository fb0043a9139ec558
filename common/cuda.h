/* SPDX-License-Identifier: MIT
 * CUDA without the lesson: checked calls, the device of --device, memory, a pair of events. */
#pragma once

#include <cuda_runtime.h>

#include "args.h"

/* Ends the program with 1 and prints the call if it fails. After a launch: cudaGetLastError() for
 * the launch, the next checked synchronization for the run. */
#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

static inline void check_cuda(cudaError_t error, const char *what, const char *file, int line) {
    if (error != cudaSuccess)
        fail(EXIT_FAILED, "%s:%d: %s: error %d, %s: %s", file, line, what, (int)error,
             cudaGetErrorName(error), cudaGetErrorString(error));
}

struct gpu {
    int number, sms; /* of --device list; its streaming multiprocessors */
    char driver[64]; /* and the toolkit */
    struct cudaDeviceProp properties;
};

/* Makes the device of --device ("": the first) current, and says what it is. Prints all and exits
 * with 0 for "list"; exits with 77 if there is no such device. */
static inline struct gpu open_cuda(const char *wanted) {
    struct gpu gpu;
    int count = 0, driver = 0, i = 0;
    const bool list = strcmp(wanted, "list") == 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        fail(EXIT_NO_DEVICE, "no NVIDIA GPU, or no driver new enough for this toolkit (%s)",
             cudaGetErrorName(error));
    check_cuda(error, "cudaGetDeviceCount", __FILE__, __LINE__);
    for (; i < count; i++) {
        CHECK_CUDA(cudaGetDeviceProperties(&gpu.properties, i));
        if (list)
            printf("%d  %s\n", i, gpu.properties.name);
        else if (device_matches(wanted, i, gpu.properties.name))
            break;
    }
    if (list)
        exit(EXIT_SUCCESS);
    if (i == count)
        fail(EXIT_NO_DEVICE, "--device: no '%s' in --device list", wanted);
    CHECK_CUDA(cudaSetDevice(i));
    CHECK_CUDA(cudaDriverGetVersion(&driver));
    snprintf(gpu.driver, sizeof gpu.driver, "CUDA %d.%d, toolkit %d.%d", driver / 1000,
             driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    gpu.number = i;
    gpu.sms = gpu.properties.multiProcessorCount;
    return gpu;
}

/* Exits with 2 if `bytes`, which --size asks for, are not free on the device. */
static inline void check_free_memory(long long size, double bytes) {
    size_t free_bytes, all_bytes;
    CHECK_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (bytes > (double)free_bytes)
        fail(EXIT_BAD_USAGE, "--size: '%lld' is more than fits into the %.0f MiB that are free",
             size, (double)free_bytes / 1048576);
}

/* Memory on the device, with what is at `host`; NULL: with anything. */
static inline void *new_on_device(size_t bytes, const void *host) {
    void *memory;
    CHECK_CUDA(cudaMalloc(&memory, bytes));
    if (host)
        CHECK_CUDA(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
    return memory;
}

static inline cudaEvent_t new_event(void) {
    cudaEvent_t event;
    CHECK_CUDA(cudaEventCreate(&event));
    return event;
}

/* Microseconds between two events that the device has reached. Exits with 1 if that is no time. 0
 * is possible where events step by 1 us. */
static inline double elapsed_us(cudaEvent_t start, cudaEvent_t stop) {
    float elapsed_ms;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms >= 0)) /* NaN too */
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}
