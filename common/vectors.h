/* SPDX-License-Identifier: MIT
 * The work that chapters 02, 03, 04 and 06 time: a, b and c of c = a + b on the device, and the
 * check of c. CUDA's kernel is here, OpenCL's are in the chapters. */
#pragma once

#ifdef __CUDACC__
#include "cuda_device.h"
typedef float *vector; /* on the device */
#else
#include "opencl.h"
typedef cl_mem vector;
#endif

enum { A, B, C };

/* Element i of a, of b, or of c before it is written. The sum of a and b is i, beyond 2^24 again
 * from 0 on: a float holds all of these exactly. */
static inline float vector_element(unsigned v, size_t i) {
    return v == A ? (float)(i & 4095) : v == B ? (float)(i >> 12 & 4095) * 4096 : -1;
}

/* The caller frees it. */
static inline float *host_vector(unsigned v, size_t n) {
    float *host = (float *)malloc(n * sizeof *host);
    if (!host)
        fail(EXIT_FAILED, "no host memory for %zu floats", n);
    for (size_t i = 0; i < n; i++)
        host[i] = vector_element(v, i);
    return host;
}

#ifdef __CUDACC__

/* c = a + b of n floats, one by each thread. */
static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* Makes a, b and c, of n floats each. */
static inline void set_up_vectors(vector vectors[3], size_t n) {
    for (unsigned v = A; v <= C; v++) {
        float *host = host_vector(v, n);
        CHECK_CUDA(cudaMalloc((void **)&vectors[v], n * sizeof *host));
        CHECK_CUDA(cudaMemcpy(vectors[v], host, n * sizeof *host, cudaMemcpyHostToDevice));
        free(host);
    }
}

/* What is in c. The caller frees it. */
static inline float *read_vector(vector c, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CUDA(cudaMemcpy(host, c, n * sizeof *host, cudaMemcpyDeviceToHost));
    return host;
}

/* Writes over c after the warm-up's check: the timed launches must write the sums anew. */
static inline void spoil_sums(vector c, size_t n) {
    CHECK_CUDA(cudaMemset(c, 0xff, n * sizeof *c)); /* NaNs */
    CHECK_CUDA(cudaDeviceSynchronize());
}

#else

/* Makes a, b and c, of n floats each, and gives them and n to `kernel` as its arguments. */
static inline void set_up_vectors(vector vectors[3], size_t n, cl_kernel kernel) {
    const cl_ulong count = n;
    const size_t bytes = n * sizeof(float);
    for (unsigned v = A; v <= C; v++) {
        float *host = host_vector(v, n);
        MAKE_CL(vectors[v] = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &cl_error));
        CHECK_CL(
            clEnqueueWriteBuffer(cl.queue, vectors[v], CL_TRUE, 0, bytes, host, 0, NULL, NULL));
        CHECK_CL(clSetKernelArg(kernel, v, sizeof vectors[v], &vectors[v]));
        free(host);
    }
    CHECK_CL(clSetKernelArg(kernel, 3, sizeof count, &count));
}

/* What is in c. The caller frees it. */
static inline float *read_vector(vector c, size_t n) {
    float *host = host_vector(C, n);
    const size_t bytes = n * sizeof *host;
    CHECK_CL(clEnqueueReadBuffer(cl.queue, c, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    return host;
}

/* Writes over c after the warm-up's check: the timed runs must write the sums anew. */
static inline void spoil_sums(vector c, size_t n) {
    const float none = -1;
    const size_t bytes = n * sizeof none;
    CHECK_CL(clEnqueueFillBuffer(cl.queue, c, &none, sizeof none, 0, bytes, 0, NULL, NULL));
    CHECK_CL(clFinish(cl.queue));
}

#endif

/* Exits with 1 at the first element of c that is not a + b: then no time counts. */
static inline void check_vector_add(vector c, size_t n) {
    float *host = read_vector(c, n);
    for (size_t i = 0; i < n; i++)
        if (host[i] != (float)(i % (1 << 24)))
            fail(EXIT_FAILED, "vector_add is wrong at element %zu: %g, not %zu", i, (double)host[i],
                 i % (1 << 24));
    free(host);
}
