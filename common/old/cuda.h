/* SPDX-License-Identifier: MIT
 * CUDA without the lesson: checked calls, the device of --device, the time between two events. */
#pragma once
#include "options.h"

#include <cuda_runtime.h>

/* Ends the program and prints the call if it fails; with 77 if there is no GPU. After a launch:
 * cudaGetLastError() for the launch, the next checked synchronization for the run. */
#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)
static inline void check_cuda(cudaError_t error, const char *what, const char *file, int line) {
    const bool none = error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver;
    if (error != cudaSuccess)
        errx(none ? EXIT_NO_DEVICE : EXIT_FAILED, "%s%s:%d: %s: error %d, %s: %s",
             none ? "no NVIDIA GPU here, or its driver is missing or too old: " : "", file, line,
             what, (int)error, cudaGetErrorName(error), cudaGetErrorString(error));
}

/* Makes the device of --device current, by default the first; `driver` gets its version and the
 * toolkit's. Prints all and exits with 0 for "list"; exits with 77 if there is no such device. */
static inline struct cudaDeviceProp open_cuda(char driver[64]) {
    struct cudaDeviceProp gpu;
    const bool list = strcmp(wanted_device, "list") == 0;
    int count, version;
    CHECK_CUDA(cudaGetDeviceCount(&count));
    CHECK_CUDA(cudaDriverGetVersion(&version));
    snprintf(driver, 64, "CUDA %d.%d, toolkit %d.%d", version / 1000, version % 1000 / 10,
             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    for (int i = 0; i < count; i++) {
        CHECK_CUDA(cudaGetDeviceProperties(&gpu, i));
        if (list) {
            printf("%d  %s\n", i, gpu.name);
        } else if (is_wanted(i, gpu.name)) {
            CHECK_CUDA(cudaSetDevice(i));
            return gpu;
        }
    }
    if (list)
        exit(EXIT_SUCCESS);
    errx(EXIT_NO_DEVICE, "--device: no '%s' in --device list", wanted_device);
}

/* Exits with 2 if `size` elements, of so many bytes in all buffers, are more than what is free. */
static inline void check_size(long long size, size_t bytes_each) {
    size_t free_bytes, all_bytes;
    CHECK_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    check_most("size", size, free_bytes / bytes_each, "the free memory");
}

/* Microseconds between two events that the device has reached. 0 is possible if no kernel is
 * between them: the clock has steps. With a kernel it is impossible, and the caller must exit. */
static inline double elapsed_us(cudaEvent_t start, cudaEvent_t stop) {
    float elapsed_ms;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms >= 0)) /* NaN too */
        errx(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}
