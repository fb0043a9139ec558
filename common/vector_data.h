/* SPDX-License-Identifier: MIT
 *
 * The inputs of vector_add, which chapters 02, 03, 04 and 06 time, and the check of its result. */
#ifndef COMMON_VECTOR_DATA_H
#define COMMON_VECTOR_DATA_H

#include "fail.h"

/* Element i of input a or b: whole numbers, so that their sum in float is exact, and another one
 * for each of the first 2^24 elements. */
static inline float input_a(size_t i) {
    return (float)(i & 4095);
}

static inline float input_b(size_t i) {
    return (float)(i >> 12 & 4095) * 4096;
}

/* Returns `n` floats that the caller frees: element(i), or -1, which no input and no sum is, if
 * that is NULL. Exits with 1 when there is no memory for them. */
static inline float *allocate_floats(size_t n, float (*element)(size_t)) {
    float *values = (float *)malloc(n * sizeof *values);
    if (!values)
        fail(EXIT_FAILED, "no %.0f MiB of host memory", (double)n * sizeof *values / 1048576);
    for (size_t i = 0; i < n; i++)
        values[i] = element ? element(i) : -1;
    return values;
}

/* Compares c with a + b, computed here, and frees it. Exits with 1 at the first element that
 * differs: a time for a wrong result is no time. */
static inline void check_vector_add(float *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c[i] != input_a(i) + input_b(i))
            fail(EXIT_FAILED, "vector_add is wrong at element %zu: %g, not %g", i, (double)c[i],
                 (double)(input_a(i) + input_b(i)));
    free(c);
}

#ifdef __CUDACC__
#include "check_cuda.h"

/* The same floats in device memory. Free with cudaFree(). */
static inline float *device_floats(size_t n, float (*element)(size_t)) {
    float *host = allocate_floats(n, element);
    float *device;
    CHECK_CUDA(cudaMalloc((void **)&device, n * sizeof *device));
    CHECK_CUDA(cudaMemcpy(device, host, n * sizeof *device, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

static inline float *copy_to_host(const float *device, size_t n) {
    float *host = allocate_floats(n, NULL);
    CHECK_CUDA(cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost));
    return host;
}
#endif

#ifdef COMMON_CHECK_CL_H

/* The same floats in a buffer. Release with clReleaseMemObject(). */
static inline cl_mem buffer_of_floats(cl_command_queue queue, size_t n, float (*element)(size_t)) {
    float *host = allocate_floats(n, element);
    cl_context context;
    cl_int code;
    CHECK_CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof *host, NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    CHECK_CL(
        clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * sizeof *host, host, 0, NULL, NULL));
    free(host);
    return buffer;
}

static inline float *copy_to_host(cl_command_queue queue, cl_mem buffer, size_t n) {
    float *host = allocate_floats(n, NULL);
    CHECK_CL(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, n * sizeof *host, host, 0, NULL, NULL));
    return host;
}
#endif

#endif
