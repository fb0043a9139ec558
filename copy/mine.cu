/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * What is timed: put your kernel and its data here. recipe.cu times it; of two builds of it,
 * compare.cu says which is faster. Each function returns the first error that it meets.
 *
 * Build: nvcc -O2 -arch=native recipe.cu -o recipe
 *        nvcc -O2 -arch=native -shared -Xcompiler -fPIC,-fno-gnu-unique mine.cu -o new.so */
#ifndef N
#define N (1 << 20)
#endif
#define MOVED_BYTES (8.0 * N) /* that a launch reads and writes; recipe makes GB/s of it */

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const cudaError_t code = (call);                                                           \
        if (code != cudaSuccess) return code;                                                      \
    } while (0)

static float host[N], *input, *output;

static __global__ void my_kernel(const float *in, float *out, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = 2 * in[i];
}

/* Makes the buffers. Where does launch() write its result, and how many bytes? */
extern "C" cudaError_t set_up(cudaStream_t, void **result, size_t *result_bytes) {
    TRY(cudaMalloc((void **)&input, sizeof host));
    TRY(cudaMalloc((void **)&output, sizeof host));
    *result = output;
    *result_bytes = sizeof host;
    return cudaSuccess;
}

/* Not timed, before a launch: writes the input of this version, 1 to 199. Each version has another
 * result. The result has been spoilt; what must stand there (0 for a sum), write here. */
extern "C" cudaError_t prepare(cudaStream_t stream, int version) {
    for (int i = 0; i < N; i++) host[i] = (float)(i % 1000 + version);
    return cudaMemcpyAsync(input, host, sizeof host, cudaMemcpyHostToDevice, stream);
}

/* What is timed: all of it in this stream. It must not wait for the device, nor allocate. */
extern "C" cudaError_t launch(cudaStream_t stream) {
    my_kernel<<<(N + 255) / 256, 256, 0, stream>>>(input, output, N);
    return cudaGetLastError();
}

/* The first wrong element of the result, which was copied to the host; -1: all are right. */
extern "C" long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < N; i++)
        if (!(out[i] == 2 * (float)(i % 1000 + version))) /* not a number, too */
            return i;
    return -1;
}
