/* SPDX-License-Identifier: MIT
 * CUDA without the lesson: checked calls, and the device of --device. */
#pragma once

#include <cuda_runtime.h>

#include "options.h"

/* After a launch: cudaGetLastError() for the launch, the next checked
 * synchronization for the run. */
#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

static inline void check_cuda(cudaError_t error, const char *what, const char *file, int line) {
    if (error != cudaSuccess)
        fail(EXIT_FAILED, "%s:%d: %s: error %d, %s: %s", file, line, what, (int)error,
             cudaGetErrorName(error), cudaGetErrorString(error));
}

/* Makes the device of --device ("": the first) current and returns what it is. Prints all and exits
 * with 0 for "list"; exits with 77 when there is no driver, no device, or no such one. */
static inline struct cudaDeviceProp open_cuda(void) {
    struct cudaDeviceProp device;
    int count = 0, driver = 0;
    const bool list = strcmp(options.device, "list") == 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        fail(EXIT_NO_DEVICE, "no NVIDIA GPU, or no driver new enough for this toolkit (%s)",
             cudaGetErrorName(error));
    check_cuda(error, "cudaGetDeviceCount", __FILE__, __LINE__);
    for (int i = 0; i < count; i++) {
        CHECK_CUDA(cudaGetDeviceProperties(&device, i));
        if (list)
            printf("%d  %s (compute capability %d.%d, %d SMs)\n", i, device.name, device.major,
                   device.minor, device.multiProcessorCount);
        else if (device_matches(i, device.name)) {
            CHECK_CUDA(cudaSetDevice(i));
            CHECK_CUDA(cudaDriverGetVersion(&driver));
            snprintf(machine.device, sizeof machine.device, "%s", device.name);
            snprintf(machine.driver, sizeof machine.driver, "CUDA %d.%d, toolkit %d.%d",
                     driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                     CUDART_VERSION % 1000 / 10);
            return device;
        }
    }
    if (list)
        exit(EXIT_SUCCESS);
    fail(EXIT_NO_DEVICE, "--device: no CUDA device matches '%s'; see --device list",
         options.device);
}

/* Exits with 2 if `bytes`, which --size asks for, are not free on the device. */
static inline void check_size(long long size, double bytes) {
    size_t free_bytes, total_bytes;
    CHECK_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (bytes > (double)free_bytes)
        fail(EXIT_BAD_USAGE, "--size: '%lld' needs %.0f MiB of device memory; %.0f MiB are free",
             size, bytes / 1048576, (double)free_bytes / 1048576);
}
