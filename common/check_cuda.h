/* SPDX-License-Identifier: MIT
 *
 * CHECK_CUDA(call): evaluates one CUDA runtime call. On an error it prints file, line, the call as
 * written, the code, its name and its meaning on one line of stderr, and exits with 1.
 *
 * After each launch: CHECK_CUDA(cudaGetLastError()) for the launch itself, and the next checked
 * synchronization for the run. Source: CUDA Runtime API, "Error Handling". */
#ifndef COMMON_CHECK_CUDA_H
#define COMMON_CHECK_CUDA_H

#include <cuda_runtime.h>

#include "fail.h"

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        const cudaError_t check_cuda_code = (call);                                                \
        if (check_cuda_code != cudaSuccess) {                                                      \
            fail(EXIT_FAILED, "%s:%d: %s: error %d, %s: %s", __FILE__, __LINE__, #call,            \
                 (int)check_cuda_code, cudaGetErrorName(check_cuda_code),                          \
                 cudaGetErrorString(check_cuda_code));                                             \
        }                                                                                          \
    } while (0)

#endif
