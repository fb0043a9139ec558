/* SPDX-License-Identifier: MIT
 *
 * In place of mine.cu: honest launches, work of known length, and launches that lie. The environment says which: PART,
 * or the name in SIDE, is NAME or NAME:NUMBER, as in A=reads:1000 B=reads:1010 ./compare a.so b.so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef SIDE
#define SIDE "PART"
#endif
#ifndef SIZE
#define SIZE 5000 /* elements of a small result; its last block is not full */
#endif
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t code = (call);                                                                               \
        if (code != cudaSuccess) return code;                                                                          \
    } while (0)
enum { THREADS = 256, ROW = 1024, CHECKED_ROWS = 256, TURNS = 12 }; /* sum_rotated: a launch reads one of 12 inputs */

static const char *part, *const known[] = {"reads", "copy", "sum", "sum_rotated", "rows", "slower_later", "exits"};
static const char *const parts[] = {
    "plain",        "two_kernels",   "fork_and_join", "atomic_sum", "in_a_template", "graph", /* honest */
    "nothing",      "nothing_later", "wrong_element", "half",       "other_stream",  "default_stream",
    "no_join",      "stale",         "sleeps",        "waits",      "allocates",     "fails",
    "fails_unseen", "prepared",      "same_input",    "later"};
enum { PARTS = sizeof parts / sizeof *parts, KNOWN = sizeof known / sizeof *known };
static int number, calls, elements = SIZE; /* of the result */
static float *input, *other, *output;
static cudaStream_t side;
static cudaEvent_t forked, joined;
static cudaGraphExec_t graph;

/* A template's static is one for all objects of a process, unless they are built with -fno-gnu-unique. */
template <int> struct shared { static float *place; };
template <int I> float *shared<I>::place;

static bool is(const char *name) { return strcmp(part, name) == 0; }

static __global__ void fill(float *to, float value, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) to[i] = value;
}
static __global__ void twice(const float *in, float *out, int n, int times, float wrong) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    long long sum = 1;
#pragma unroll 1
    for (int k = 0; k < times; k++) sum += clock64(); /* the time is proportional to `times` */
    if (i < n && sum) out[i] = 2 * in[i] + (i == 7 ? wrong : 0);
}
static __global__ void add(const float *in, float *out, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) atomicAdd(out + i, in[i]);
}
static __global__ void copy_4(const float4 *in, float4 *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const float4 x = in[i];
    out[i] = make_float4(2 * x.x, 2 * x.y, 2 * x.z, 2 * x.w);
}
/* A block adds a row, and writes the sum, or each element times the sum. */
static __global__ void add_row(const float *in, float *out, int per_row) {
    __shared__ float sums[THREADS];
    const float *row = in + (size_t)blockIdx.x * ROW;
    float sum = 0;
    for (int i = (int)threadIdx.x; i < ROW; i += THREADS) sum += row[i];
    sums[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < per_row; i += THREADS)
        out[(size_t)blockIdx.x * (size_t)per_row + i] = per_row == 1 ? sums[0] : row[i] * sums[0];
}

static void plain(int times, float wrong, cudaStream_t stream) {
    twice<<<(SIZE + THREADS - 1) / THREADS, THREADS, 0, stream>>>(input, output, SIZE, times, wrong);
}

extern "C" cudaError_t launch(cudaStream_t stream) {
    calls++;
    if (is("exits")) exit(number);
    if (is("copy"))
        copy_4<<<number, THREADS, 0, stream>>>((const float4 *)input, (float4 *)output);
    else if (is("sum"))
        add_row<<<number, THREADS, 0, stream>>>(input, output, 1);
    else if (is("sum_rotated"))
        add_row<<<number, THREADS, 0, stream>>>(input + (size_t)(calls % TURNS) * (size_t)number * ROW, output, 1);
    else if (is("rows"))
        add_row<<<number, THREADS, 0, stream>>>(input, output, ROW);
    else if (is("reads"))
        plain(number, 0, stream);
    else if (is("slower_later"))
        plain(calls > 60 ? 4 * number : number, 0, stream);
    else if (is("wrong_element"))
        plain(0, 1, stream);
    else if (is("half"))
        twice<<<SIZE / THREADS / 2, THREADS, 0, stream>>>(input, output, SIZE, 0, 0);
    else if (is("other_stream"))
        twice<<<1, 2, 0, stream>>>(input, output, 2, 0, 0), // the others:
            twice<<<(SIZE + THREADS - 1) / THREADS, THREADS, 0, side>>>(input + 2, output + 2, SIZE - 2, 0, 0);
    else if (is("default_stream"))
        plain(0, 0, 0);
    else if (is("in_a_template"))
        twice<<<(SIZE + THREADS - 1) / THREADS, THREADS, 0, stream>>>(input, shared<0>::place, SIZE, 0, 0);
    else if (is("two_kernels") || is("atomic_sum")) {
        TRY(cudaMemsetAsync(output, 0, SIZE * sizeof *output, stream));
        for (int i = 0; i < 2; i++) add<<<(SIZE + THREADS - 1) / THREADS, THREADS, 0, stream>>>(input, output, SIZE);
    } else if (is("fork_and_join") || is("no_join")) {
        TRY(cudaEventRecord(forked, stream));
        TRY(cudaStreamWaitEvent(side, forked, 0));
        if (is("no_join")) twice<<<1, 1, 0, side>>>(input, output, 0, 50000, 0); /* takes its time */
        plain(0, 0, side);
        TRY(cudaEventRecord(joined, side));
        if (is("fork_and_join")) TRY(cudaStreamWaitEvent(stream, joined, 0));
    } else if (is("graph"))
        TRY(cudaGraphLaunch(graph, stream));
    else if (is("stale")) { /* `other` keeps the result of the first call */
        if (calls == 1) {
            plain(0, 0, stream);
            TRY(cudaMemcpyAsync(other, output, SIZE * sizeof *other, cudaMemcpyDeviceToDevice, stream));
        }
        TRY(cudaMemcpyAsync(output, other, SIZE * sizeof *other, cudaMemcpyDeviceToDevice, stream));
    } else if (is("fails"))
        plain(0, 0, stream), twice<<<1, 4096, 0, stream>>>(input, output, SIZE, 0, 0);
    else if (is("fails_unseen")) { /* and the error is left for who asks next */
        twice<<<1, 4096, 0, stream>>>(input, output, SIZE, 0, 0);
        return cudaSuccess;
    } else if (!is("nothing") && !is("prepared") && !(is("nothing_later") && calls > 12))
        plain(0, 0, stream);
    if (is("sleeps")) {
        const struct timespec time = {0, 2000000};
        nanosleep(&time, NULL);
    }
    if (is("waits") || (is("later") && calls > 5)) TRY(cudaStreamSynchronize(stream));
    if (is("allocates")) TRY(cudaMalloc((void **)&other, 1000));
    return cudaGetLastError();
}

extern "C" cudaError_t set_up(cudaStream_t stream, void **result, size_t *result_bytes) {
    const char *text = getenv(SIDE);
    for (int i = 0; i < PARTS + KNOWN && text; i++) {
        const char *name = i < PARTS ? parts[i] : known[i - PARTS];
        if (strlen(name) == strcspn(text, ":") && strncmp(text, name, strlen(name)) == 0) part = name;
    }
    if (!part) {
        fprintf(stderr, "%s=%s is none of:\n", SIDE, text ? text : "");
        for (int i = 0; i < PARTS; i++) fprintf(stderr, "%s\n", parts[i]);
        exit(2);
    }
    number = strchr(text, ':') ? atoi(strchr(text, ':') + 1) : 0;
    size_t in = SIZE, out = SIZE;
    if (is("copy")) in = out = (size_t)number * THREADS * 4;
    if (is("sum")) in = (size_t)number * ROW, out = (size_t)number;
    if (is("sum_rotated")) in = (size_t)number * ROW * TURNS, out = (size_t)number;
    if (is("rows")) in = out = (size_t)number * ROW;
    TRY(cudaMalloc((void **)&input, in * sizeof(float)));
    TRY(cudaMalloc((void **)&other, SIZE * sizeof(float)));
    TRY(cudaMalloc((void **)&output, out * sizeof(float)));
    elements = is("copy") || is("rows") ? CHECKED_ROWS * ROW : (int)out; /* the last ones */
    elements = elements > (int)out ? (int)out : elements;
    shared<0>::place = output;
    *result = output + out - elements;
    *result_bytes = (size_t)elements * sizeof(float);
    TRY(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&forked));
    TRY(cudaEventCreate(&joined));
    if (!is("graph")) return cudaSuccess;
    cudaGraph_t captured;
    plain(0, 0, stream);
    TRY(cudaDeviceSynchronize());
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    plain(0, 0, stream);
    TRY(cudaStreamEndCapture(stream, &captured));
    return cudaGraphInstantiateWithFlags(&graph, captured, 0);
}

extern "C" cudaError_t prepare(cudaStream_t stream, int version) {
    const int n = is("copy")                ? number * THREADS * 4
                  : is("sum") || is("rows") ? number * ROW
                  : is("sum_rotated")       ? number * ROW * TURNS
                                            : SIZE;
    fill<<<(unsigned)(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(input, is("same_input") ? 3 : (float)version,
                                                                        n);
    if (is("prepared")) plain(0, 0, stream);
    return cudaGetLastError();
}

extern "C" long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy, v = (float)version;
    const float right = is("same_input")               ? 6
                        : strncmp(part, "sum", 3) == 0 ? ROW * v
                        : is("rows")                   ? ROW * v * v
                                                       : 2 * v;
    for (int i = 0; i < elements; i++)
        if (!(out[i] <= right * 1.0001f && out[i] >= right * 0.9999f)) return i;
    return -1;
}
