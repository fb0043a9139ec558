/* SPDX-License-Identifier: MIT
 *
 * Finds the CUDA device that --device asks for. */
#ifndef COMMON_CUDA_DEVICE_H
#define COMMON_CUDA_DEVICE_H

#include "check_cuda.h"
#include "options.h"

struct cuda_device {
    int index;
    char name[256]; /* fit for a CSV cell */
    int sm_count;
};

/* Makes the device that `wanted` names current (NULL: device 0) and returns it. Prints the devices
 * and exits with 0 for "list"; exits with 77 when there is no driver, no device, or no such one. */
static inline struct cuda_device choose_cuda_device(const char *wanted) {
    struct cuda_device found = {-1, "", 0};
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver)
        fail(EXIT_NO_DEVICE, "no NVIDIA GPU, or no driver new enough for this toolkit (%s)",
             cudaGetErrorName(code));
    check_cuda(code, "cudaGetDeviceCount", __FILE__, __LINE__);
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp properties;
        CHECK_CUDA(cudaGetDeviceProperties(&properties, i));
        if (wanted && strcmp(wanted, "list") == 0) {
            printf("%d  %s (compute capability %d.%d, %d SMs)\n", i, properties.name,
                   properties.major, properties.minor, properties.multiProcessorCount);
        } else if (found.index < 0 && device_matches(wanted, i, properties.name)) {
            found.index = i;
            found.sm_count = properties.multiProcessorCount;
            snprintf(found.name, sizeof found.name, "%s", properties.name);
            make_csv_cell(found.name);
        }
    }
    if (wanted && strcmp(wanted, "list") == 0) {
        flush_stdout();
        exit(EXIT_SUCCESS);
    }
    if (found.index < 0) {
        fail(EXIT_NO_DEVICE, "--device: no CUDA device matches '%s'; see --device list", wanted);
    }
    CHECK_CUDA(cudaSetDevice(found.index));
    return found;
}

/* Exits with 2 when `bytes` of device memory, for --size `size`, are not free on the device. */
static inline void check_cuda_memory(long long size, double bytes) {
    size_t free_bytes, total_bytes;
    CHECK_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (bytes > (double)free_bytes) {
        fail(EXIT_BAD_USAGE, "--size: '%lld' needs %.0f MiB of device memory; %.0f MiB are free",
             size, bytes / 1048576, (double)free_bytes / 1048576);
    }
}

#endif
