/* SPDX-License-Identifier: MIT
 * CUDA without the lesson: checked calls, the device of --device, a pair of events. */
#pragma once

#include <cuda_runtime.h>

#include "options.h"

/* Ends the program with 1 and prints the call if it fails. After a launch: cudaGetLastError() for
 * the launch, the next checked synchronization for the run. */
#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

static inline void check_cuda(cudaError_t error, const char *what, const char *file, int line) {
    if (error != cudaSuccess)
        fail(EXIT_FAILED, "%s:%d: %s: error %d, %s: %s", file, line, what, (int)error,
             cudaGetErrorName(error), cudaGetErrorString(error));
}

/* Makes the device of --device ("": the first) current and returns what it is. Prints all and exits
 * with 0 for "list"; exits with 77 if there is no such device. */
static inline struct cudaDeviceProp open_cuda(void) {
    struct cudaDeviceProp device;
    int count = 0, driver = 0, i = 0;
    const bool list = strcmp(options.device, "list") == 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        fail(EXIT_NO_DEVICE, "no NVIDIA GPU, or no driver new enough for this toolkit (%s)",
             cudaGetErrorName(error));
    check_cuda(error, "cudaGetDeviceCount", __FILE__, __LINE__);
    for (; i < count; i++) {
        CHECK_CUDA(cudaGetDeviceProperties(&device, i));
        if (list)
            printf("%d  %s\n", i, device.name);
        else if (device_matches(i, device.name))
            break;
    }
    if (list)
        exit(EXIT_SUCCESS);
    if (i == count)
        fail(EXIT_NO_DEVICE, "--device: no '%s' in --device list", options.device);
    CHECK_CUDA(cudaSetDevice(i));
    CHECK_CUDA(cudaDriverGetVersion(&driver));
    snprintf(machine.device, sizeof machine.device, "%s", device.name);
    snprintf(machine.driver, sizeof machine.driver, "CUDA %d.%d, toolkit %d.%d", driver / 1000,
             driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return device;
}

/* Exits with 2 if `bytes`, which --size asks for, are not free on the device. */
static inline void check_size(long long size, double bytes) {
    size_t free_bytes, all_bytes;
    CHECK_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (bytes > (double)free_bytes)
        fail(EXIT_BAD_USAGE, "--size: '%lld' is more than fits into the %.0f MiB that are free",
             size, (double)free_bytes / 1048576);
}

/* Around what is timed; chapter 04 says what they measure. */
static cudaEvent_t start, stop;

static inline void create_events(void) {
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
}

/* Microseconds between `start` and `stop`, which the device has reached both. Exits with 1 if that
 * is no time. 0 is possible where events step by 1 us. */
static inline double elapsed_us(void) {
    float elapsed_ms;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms >= 0)) /* NaN too */
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}
