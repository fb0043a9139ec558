/* SPDX-License-Identifier: MIT
 *
 * What simcc.h and simcc.c share. */
#ifndef SIMCC_LAUNCH_H
#define SIMCC_LAUNCH_H

#include "cuda_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct simcc_launch {
    const char *kernel;
    const void *identity; /* one address for each kernel, and for each one that is made of a template */
    const char *place;    /* FILE:LINE */
    unsigned grid[3], block[3];
    size_t bytes; /* of dynamic shared memory */
    cudaStream_t stream;
    void (*run)(); /* with 8 arguments: the pointers, and the closure */
    const void *pointers[7];
    void *closure;
};
void simcc_launch(const struct simcc_launch *launch);
void simcc_source(const char *name);
void *simcc_closure(size_t bytes);
void simcc_begin(void), simcc_fence(void), simcc_step(void);
void simcc_declared(size_t bytes, size_t place); /* of shared memory, which this launch uses */
cudaError_t simcc_last_error(void);
cudaError_t simcc_malloc(void **to, size_t bytes), simcc_malloc_host(void **to, size_t bytes), simcc_free(void *memory);
cudaError_t simcc_memcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t simcc_memcpy_async(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t simcc_to_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t simcc_from_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t simcc_stream_destroy(cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
