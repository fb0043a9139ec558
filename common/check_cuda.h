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

#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

static inline void check_cuda(cudaError_t code, const char *what, const char *file, int line) {
    if (code != cudaSuccess)
        fail(EXIT_FAILED, "%s:%d: %s: error %d, %s: %s", file, line, what, (int)code,
             cudaGetErrorName(code), cudaGetErrorString(code));
}

#endif
