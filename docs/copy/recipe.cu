/* SPDX-License-Identifier: MIT
 *
 * Times one CUDA kernel: a file to copy. It needs nothing else of this suite. Put your kernel and
 * its data where the first part has its own.
 *
 * Build: nvcc -O2 -arch=native recipe.cu -o recipe
 */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t code, const char *what, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: error %d, %s\n", __FILE__, line, what, (int)code,
                cudaGetErrorString(code));
        exit(1);
    }
}

/* ---- What is timed: yours ---- */

#ifndef N
#define N (1 << 20)
#endif
static float host[N], *input, *output;

static __global__ void my_kernel(const float *in, float *out, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = 2 * in[i];
}

static void set_up(void) {
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    CHECK(cudaMalloc((void **)&input, sizeof host));
    CHECK(cudaMalloc((void **)&output, sizeof host));
    CHECK(cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice));
}

static void launch(void) {
    my_kernel<<<(N + 255) / 256, 256>>>(input, output, N);
    CHECK(cudaGetLastError());
}

static void check_result(void) {
    CHECK(cudaMemcpy(host, output, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (host[i] != 2 * (float)i) {
            fprintf(stderr, "element %d is %g: a fast wrong kernel is no kernel\n", i, host[i]);
            exit(1);
        }
}

/* ---- How it is timed ---- */

struct gate { /* in host memory that the device sees too */
    int open, gave_up;
};
static volatile struct gate *gate;
static cudaEvent_t start, stop;

/* Keeps the stream busy until the host opens the gate, for a second at most. */
static __global__ void block_stream(volatile struct gate *gate) {
    unsigned long long start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    while (!gate->open) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
        if (now_ns - start_ns > 1000000000) {
            gate->gave_up = 1;
            return;
        }
    }
}

/* Microseconds between two events with `work` between them, all three queued before the first one
 * is reached, so that the host's launch is not in it. With NULL: what the events themselves cost. */
static double time_us(void (*work)(void)) {
    float elapsed_ms;
    gate->open = 0;
    gate->gave_up = 0;
    block_stream<<<1, 1>>>(gate);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(start, 0));
    if (work)
        work();
    CHECK(cudaEventRecord(stop, 0));
    const cudaError_t answer = cudaEventQuery(start);
    const int held = answer == cudaErrorNotReady;
    check(held ? cudaSuccess : answer, "cudaEventQuery", __LINE__);
    __atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE); /* after all that is queued, on Arm too */
    CHECK(cudaDeviceSynchronize());
    if (gate->gave_up || !held) {
        fprintf(stderr, "the gate %s\n",
                gate->gave_up ? "was shut for a second: what stands behind it must not wait"
                              : "did not hold the stream");
        exit(1);
    }
    CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));
    return (double)elapsed_ms * 1e3;
}

static __global__ void empty(void) {
}

static void launch_empty(void) {
    empty<<<1, 1>>>();
    CHECK(cudaGetLastError());
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(void) {
    enum { RUNS = 101 };
    static double us[RUNS], floor_us[RUNS], empty_us[RUNS];
    int devices = 0, driver;
    struct cudaDeviceProp device;
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver) {
        fprintf(stderr, "%s\n", cudaGetErrorString(code));
        return 77; /* what test runners count as skipped */
    }
    check(code, "cudaGetDeviceCount", __LINE__);
    CHECK(cudaGetDeviceProperties(&device, 0)); /* 0 is in use until cudaSetDevice() */
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMallocHost((void **)&gate, sizeof *gate));
    set_up();

    launch_empty();
    launch(); /* before it is timed: a first launch loads the kernel, and may wait for the gate */
    check_result();
    for (int run = -1; run < RUNS; run++) { /* run -1 is the warm-up */
        const int i = run < 0 ? 0 : run;
        floor_us[i] = time_us(NULL);
        empty_us[i] = time_us(launch_empty);
        us[i] = time_us(launch);
    }
    qsort(us, RUNS, sizeof *us, compare);
    qsort(floor_us, RUNS, sizeof *floor_us, compare);
    qsort(empty_us, RUNS, sizeof *empty_us, compare);
    const double events_us = floor_us[RUNS / 2];
    if (!(us[RUNS / 2] > events_us)) {
        fprintf(stderr,
                "impossible: no time at all; the work is too short for events, or in another "
                "stream\n");
        exit(1);
    }
    printf("%s, driver for CUDA %d.%d; %d runs; the caches as the run before left them\n"
           "on the device: median %.2f us, 5th percentile %.2f us, 95th %.2f us; launch and drain "
           "are in it\n"
           "its code:      %.2f us: the median minus an empty kernel's\n",
           device.name, driver / 1000, driver % 1000 / 10, RUNS, us[RUNS / 2] - events_us,
           us[RUNS / 20] - events_us, us[RUNS - 1 - RUNS / 20] - events_us,
           us[RUNS / 2] - empty_us[RUNS / 2]);

    CHECK(cudaFree(input));
    CHECK(cudaFree(output));
    CHECK(cudaFreeHost((void *)gate));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    if (fflush(stdout) == 0)
        return 0;
    perror("cannot write the result");
    return 1;
}
