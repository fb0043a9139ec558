/* SPDX-License-Identifier: MIT
 *
 * The work that chapters 02, 03, 04 and 06 time: a, b and c of c = a + b on the device, and the
 * check of c. OpenCL's kernels are in the chapters, CUDA's in vector_add.h. */
#pragma once

#ifdef __CUDACC__
#include "cuda_device.h"
#else
#include "opencl.h"
#endif

enum vector { A, B, C };

/* An element of A, of B, or of C before it is written. In float the sums are exact, and another one
 * for each of the first 2^24 elements. */
static inline float vector_element(enum vector v, size_t i) {
    return v == A ? (float)(i & 4095) : v == B ? (float)(i >> 12 & 4095) * 4096 : -1;
}

/* The caller frees it. */
static inline float *host_vector(enum vector v, size_t n) {
    float *values = (float *)malloc(n * sizeof *values);
    if (!values)
        fail(EXIT_FAILED, "no host memory for %zu floats", n);
    for (size_t i = 0; i < n; i++)
        values[i] = vector_element(v, i);
    return values;
}

/* Exits with 1 at the first element of c that is not a + b: then no time counts. */
static inline void check_sums(const float *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c[i] != vector_element(A, i) + vector_element(B, i))
            fail(EXIT_FAILED, "vector_add is wrong at element %zu: %g, not %g", i, (double)c[i],
                 (double)(vector_element(A, i) + vector_element(B, i)));
}

#ifndef __CUDACC__

/* A vector on the device. Release with clReleaseMemObject(). */
static inline cl_mem device_vector(struct opencl cl, enum vector v, size_t n) {
    float *host = host_vector(v, n);
    const size_t bytes = n * sizeof *host;
    cl_mem device;
    MAKE_CL(device = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &cl_error));
    CHECK_CL(clEnqueueWriteBuffer(cl.queue, device, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    free(host);
    return device;
}

/* Makes a, b and c, and gives them and n to `kernel` as its arguments. */
static inline void set_up_arguments(struct opencl cl, cl_kernel kernel, size_t n,
                                    cl_mem vectors[3]) {
    const cl_ulong count = n;
    for (int v = A; v <= C; v++) {
        vectors[v] = device_vector(cl, (enum vector)v, n);
        CHECK_CL(clSetKernelArg(kernel, (cl_uint)v, sizeof vectors[v], &vectors[v]));
    }
    CHECK_CL(clSetKernelArg(kernel, 3, sizeof count, &count));
}

/* Writes over c after the warm-up's check: the timed runs must write the sums anew. */
static inline void spoil_sums(struct opencl cl, cl_mem c, size_t n) {
    const float spoiled = vector_element(C, 0);
    CHECK_CL(clEnqueueFillBuffer(cl.queue, c, &spoiled, sizeof spoiled, 0, n * sizeof spoiled, 0,
                                 NULL, NULL));
    CHECK_CL(clFinish(cl.queue));
}

static inline void check_vector_add(struct opencl cl, cl_mem c, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CL(clEnqueueReadBuffer(cl.queue, c, CL_TRUE, 0, n * sizeof *host, host, 0, NULL, NULL));
    check_sums(host, n);
    free(host);
}

#else

/* A vector on the device. Free with cudaFree(). */
static inline float *device_vector(enum vector v, size_t n) {
    float *host = host_vector(v, n), *device;
    CHECK_CUDA(cudaMalloc((void **)&device, n * sizeof *host));
    CHECK_CUDA(cudaMemcpy(device, host, n * sizeof *host, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

/* Writes over c after the warm-up's check: the timed launches must write the sums anew. */
static inline void spoil_sums(float *c, size_t n) {
    CHECK_CUDA(cudaMemset(c, 0xff, n * sizeof *c)); /* NaNs */
    CHECK_CUDA(cudaDeviceSynchronize());
}

static inline void check_vector_add(const float *c, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CUDA(cudaMemcpy(host, c, n * sizeof *host, cudaMemcpyDeviceToHost));
    check_sums(host, n);
    free(host);
}

#endif
