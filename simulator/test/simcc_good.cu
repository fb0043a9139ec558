// SPDX-License-Identifier: MIT
// What simcc must get right: each check prints a line if it is wrong. The results are computed by hand or on the host.
#include <chrono>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <ctime>
#include <helper_cuda.h>
#include <helper_timer.h>
#include <vector>

static int wrong = 0;
static void expect(bool right, int line, const char *text) {
    if (!right) printf("line %d: %s\n", line, text), wrong++;
}
#define EXPECT(condition) expect(condition, __LINE__, #condition)
#define OK(call) EXPECT((call) == cudaSuccess)
#define LAUNCH(kernel, grid, block, ...)                                                                               \
    do {                                                                                                               \
        kernel<<<grid, block>>>(__VA_ARGS__);                                                                          \
        OK(cudaGetLastError());                                                                                        \
    } while (0)

template <typename T> struct Buffer { // of the device, as many as the host has
    T *d;
    std::vector<T> h;
    Buffer(size_t n, T x) : h(n, x) {
        OK(cudaMalloc(&d, n * sizeof(T)));
        OK(cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Buffer() { OK(cudaFree(d)); }
    T *read() {
        OK(cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return h.data();
    }
};

__global__ void indices(unsigned *out) {
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] += 1 + block * 1000 + thread;
}

struct Pair {
    float a;
    double b;
};
__global__ void arguments(float f, double d, unsigned char c, Pair p, const float *null, bool yes, double *out) {
    *out = f + d + c + p.a + p.b + (null == nullptr) + yes;
}

template <typename T> __global__ void fill(T *to, T x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = x;
}
template <int N, typename T> __global__ void fill_n(T *to, T x) {
    if (threadIdx.x < N) to[threadIdx.x] = x;
}
namespace inner {
__global__ void one(int *to) { *to = 1; }
} // namespace inner
__global__ void overloaded(int *to) { *to = 2; }
__global__ void overloaded(int *to, int x) { *to = x; }
__global__ void with_default(int *to, int x = 7) { *to = x; }

__global__ void lanes(int *out) {
    const int t = threadIdx.x;
    int *mine = out + t * 12;
    mine[0] = __shfl_sync(0xffffffffu, t, 5);
    mine[1] = __shfl_up_sync(0xffffffffu, t, 3);
    mine[2] = __shfl_down_sync(0xffffffffu, t, 3);
    mine[3] = __shfl_xor_sync(0xffffffffu, t, 9);
    mine[4] = __shfl_down_sync(0xffffffffu, t, 2, 8);
    mine[5] = (int)__ballot_sync(0xffffffffu, t % 3 == 0);
    mine[6] = __any_sync(0xffffffffu, t == 40) + 2 * __all_sync(0xffffffffu, t < 32);
    mine[7] = -1;
    if (t % 2) mine[7] = __shfl_xor_sync(0xaaaaaaaau, t, 2); // the odd lanes alone
    mine[8] = __syncthreads_count(t % 4 == 0);
    mine[9] = __syncthreads_and(t < 64) + 2 * __syncthreads_or(t == 63);
    double wide = t * 0.5;
    wide = __shfl_sync(0xffffffffu, wide, 2, 4);
    mine[10] = (int)(wide * 2);
    mine[11] = __popc(0xf0f0) + __ffs(8) + __clz(1) + max(min(t, 3), -1) * 0;
}

extern __shared__ float of_the_file[];
__global__ void shared_kinds(float *out) {
    __shared__ float tile[4][8 + 1], row[32];
    __shared__ unsigned count;
    __shared__ volatile int last;
    const int t = threadIdx.x;
    if (t == 0) count = 0, last = 0;
    row[t] = t;
    tile[t / 8][t % 8] = t * 2;
    of_the_file[t] = t * 4;
    __syncthreads();
    atomicAdd(&count, 1u);
    if (t == 31) last = 5;
    __syncthreads();
    out[t] = row[31 - t] + tile[(31 - t) / 8][(31 - t) % 8] + of_the_file[31 - t] + count + last;
}
template <typename T> __global__ void shared_template(T *out) {
    extern __shared__ __align__(16) unsigned char bytes[];
    T *values = reinterpret_cast<T *>(bytes);
    __shared__ T fixed[2];
    values[threadIdx.x] = T(threadIdx.x);
    if (threadIdx.x < 2) fixed[threadIdx.x] = T(threadIdx.x + 1);
    __syncthreads();
    out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x] + fixed[1];
}

__device__ int counter = 3;
__constant__ float factors[2];
__device__ float scaled(float x) { return x * factors[0] + factors[1]; }
__global__ void variables(float *out) {
    atomicAdd(&counter, 2);
    if (threadIdx.x == 0) *out = scaled(10.0f);
}

__global__ void atomics(int *i, unsigned *u, float *f, unsigned long long *l) {
    atomicAdd(f, 0.5f), atomicAdd(l, 3ull), atomicMax(i + 1, int(threadIdx.x)), atomicMin(i + 2, -int(threadIdx.x));
    atomicInc(u, 9u), atomicSub(i, 1), atomicOr(u + 1, 1u << threadIdx.x % 8), atomicExch(i + 3, 4);
    for (bool done = false; !done;) {
        int was = i[4];
        done = atomicCAS(i + 4, was, was + 1) == was;
    }
}

__global__ void clocks(long long *out) {
    unsigned long long ns, later;
    unsigned sm, lane;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    long long start = clock64(), stop;
    while (clock64() - start < 20000) {
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(stop));
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[0] = (long long)(later - ns), out[1] = stop - start, out[2] = sm, out[3] = lane;
    long begin = clock();
    out[4] = clock() - begin;
}

__global__ void returns_early(int *out, int n) { // as many kernels do before a barrier
    if (threadIdx.x >= n) return;
    __syncthreads();
    out[threadIdx.x] = n;
}

namespace cg = cooperative_groups;
__device__ void note_size(const cg::thread_group &g, int *to) { g.sync(), to[g.thread_rank()] = int(g.size()); }
__global__ void groups(int *out) {
    __shared__ int turned[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const int t = block.thread_rank();
    turned[63 - t] = t;
    block.sync();
    out[t] = cg::reduce(tile, turned[t], cg::plus<int>()) + 1000 * tile.shfl(t, 3) + int(tile.ballot(t % 3 == 0));
    note_size(cg::tiled_partition(block, 4), out + 64);
}
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }
__global__ void sum(int *x, const int *y) { x[threadIdx.x] += y[threadIdx.x]; }

static void classes(int *x, int *y) { // as classes use them; x and y are of the device
    LAUNCH(groups, 1, 64, x);
    int h[68];
    OK(cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost)), EXPECT(h[64] == 4 && h[67] == 4);
    for (int t = 0, ballot[] = {0x49, 0x92, 0x24}; t < 64; t++)
        EXPECT(h[t] == 8 * (63 - t / 8 * 8) - 28 + 1000 * (t / 8 * 8 + 3) + ballot[t / 8 % 3]);

    // A graph of two branches, launched twice: each launch copies what the host has then.
    cudaStream_t s, other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int least, greatest, *pinned, *freed, *moved, blocks, threads;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest)), OK(cudaMallocHost(&pinned, 4));
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest)), OK(cudaStreamCreate(&other));
    OK(cudaEventCreate(&fork)), OK(cudaEventCreate(&join, cudaEventDefault));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemcpyAsync(x, pinned, 4, cudaMemcpyHostToDevice, s)), OK(cudaMemsetAsync(y, 0, 4, s));
    OK(cudaEventRecord(fork, s)), OK(cudaStreamWaitEvent(other, fork));
    twice<<<1, 1, 0, s>>>(x), sum<<<1, 1, 0, other>>>(y, x + 1);
    OK(cudaEventRecord(join, other)), OK(cudaStreamWaitEvent(s, join));
    sum<<<1, 1, 0, s>>>(x, y);
    OK(cudaStreamEndCapture(s, &graph)), OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    EXPECT(cudaEventQuery(fork) == cudaErrorCapturedEvent);
    for (int i = 1; i <= 2; i++) {
        *pinned = 10 * i, OK(cudaGraphLaunch(exec, s)), OK(cudaStreamSynchronize(s));
        OK(cudaMemcpy(h, x, 8, cudaMemcpyDeviceToHost)), EXPECT(h[0] == 20 * i + h[1]);
    }
    // Meanwhile another stream takes a graph's launch; a wait for the captured one makes the capture invalid.
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), OK(cudaGraphLaunch(exec, other));
    EXPECT(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaMemsetAsync(y, 0, 4, s) == cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
    EXPECT(cudaGetLastError() == cudaErrorStreamCaptureInvalidated), OK(cudaDeviceSynchronize());

    OK(cudaMallocAsync(&freed, 4, cudaStreamPerThread)), OK(cudaMemsetAsync(freed, 1, 4, cudaStreamPerThread));
    sum<<<1, 1, 0, cudaStreamPerThread>>>(x, freed);
    OK(cudaFreeAsync(freed, cudaStreamPerThread)), OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaMemcpy(h + 2, x, 4, cudaMemcpyDeviceToHost)), EXPECT(h[2] == h[0] + 0x01010101);
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, twice, 0, 0)), EXPECT(blocks == 264 && threads == 1024);

    // Managed memory moves to the device before the first launch.
    StopWatchInterface *watch;
    float ms[2];
    OK(cudaMallocManaged(&moved, 1 << 20)), moved[0] = 0, moved[1] = 3, sdkCreateTimer(&watch);
    for (float &taken : ms) {
        sdkResetTimer(&watch), sdkStartTimer(&watch);
        twice<<<1, 2>>>(moved);
        checkCudaErrors(cudaDeviceSynchronize()), sdkStopTimer(&watch), taken = sdkGetTimerValue(&watch);
    }
    EXPECT(ms[0] - ms[1] > 0.050f && ms[0] - ms[1] < 0.070f && moved[1] == 12), OK(cudaFree(moved));
}

int main() {
    Buffer<unsigned> index(2 * 3 * 2 * 60, 0);
    indices<<<dim3(2, 3, 2), dim3(5, 4, 3)>>>(index.d);
    OK(cudaGetLastError());
    index.read();
    for (unsigned i = 0; i < index.h.size(); i++) EXPECT(index.h[i] == 1 + i / 60 * 1000 + i % 60);

    Buffer<double> sum(1, 0);
    LAUNCH(arguments, 1, 1, 1, 2.5f, 300 - 250, Pair{0.25f, 0.125}, NULL, 5 > 3, sum.d);
    EXPECT(*sum.read() == 1 + 2.5 + 50 + 0.25 + 0.125 + 1 + 1);

    Buffer<float> floats(1000, 0);
    fill<<<3, 96>>>(floats.d, 1.5f, 1000);
    fill<float><<<1, 32>>>(floats.d, 2.5f, 1);
    fill_n<4><<<1, 32>>>(floats.d + 10, 3.5f);
    OK(cudaGetLastError());
    EXPECT(floats.read()[0] == 2.5f && floats.h[999] == 1.5f && floats.h[13] == 3.5f && floats.h[14] == 1.5f);
    Buffer<int> ints(32 * 2 * 12, 0);
    inner::one<<<1, 1>>>(ints.d);
    overloaded<<<1, 1>>>(ints.d + 1), overloaded<<<1, 1>>>(ints.d + 2, 9);
    with_default<<<1, 1>>>(ints.d + 3);
    void (*chosen)(int *) = inner::one;
    chosen<<<1, 1>>>(ints.d + 4);
    OK(cudaGetLastError());
    ints.read();
    EXPECT(ints.h[0] == 1 && ints.h[1] == 2 && ints.h[2] == 9 && ints.h[3] == 7 && ints.h[4] == 1);

    LAUNCH(lanes, 1, 64, ints.d);
    ints.read();
    for (int t = 0; t < 64; t++) {
        const int *mine = &ints.h[t * 12], l = t % 32, warp = t - l;
        EXPECT(mine[0] == warp + 5 && mine[1] == (l < 3 ? t : t - 3) && mine[2] == (l + 3 > 31 ? t : t + 3));
        EXPECT(mine[3] == (t ^ 9) && mine[4] == (l % 8 + 2 > 7 ? t : t + 2));
        unsigned ballot = 0;
        for (int k = 0; k < 32; k++) ballot |= unsigned((warp + k) % 3 == 0) << k;
        EXPECT(mine[5] == (int)ballot && mine[6] == (warp == 32 ? 1 : 2));
        EXPECT(mine[7] == (t % 2 ? t ^ 2 : -1) && mine[8] == 16 && mine[9] == 3);
        EXPECT(mine[10] == t / 4 * 4 + 2 && mine[11] == 8 + 4 + 31);
    }

    shared_kinds<<<1, 32, 32 * sizeof(float)>>>(floats.d);
    OK(cudaGetLastError());
    floats.read();
    for (int t = 0; t < 32; t++) EXPECT(floats.h[t] == (31 - t) * 7 + 32 + 5);
    Buffer<double> eight(8, 0);
    shared_template<double><<<1, 8, 8 * sizeof(double)>>>(eight.d);
    EXPECT(eight.read()[0] == 9);
    shared_template<float><<<2, 8, 8 * sizeof(float)>>>(floats.d);
    OK(cudaGetLastError());
    EXPECT(floats.read()[0] == 7 + 2 && floats.h[7] == 2);

    const float two[] = {2.0f, 0.5f};
    int counted = 0;
    OK(cudaMemcpyToSymbol(factors, two, sizeof two));
    variables<<<2, 5>>>(floats.d);
    OK(cudaGetLastError());
    OK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
    EXPECT(floats.read()[0] == 20.5f && counted == 23);

    Buffer<int> i(5, 100);
    Buffer<unsigned> u(2, 0);
    Buffer<float> f(1, 0);
    Buffer<unsigned long long> l(1, 0);
    LAUNCH(atomics, 2, 32, i.d, u.d, f.d, l.d);
    i.read(), u.read();
    EXPECT(*f.read() == 32 && *l.read() == 192 && i.h[0] == 36 && i.h[1] == 100 && i.h[2] == -31 && i.h[3] == 4);
    EXPECT(i.h[4] == 164 && u.h[0] == 4 && u.h[1] == 255);

    Buffer<long long> times(5, 0);
    LAUNCH(clocks, 1, 1, times.d);
    times.read();
    EXPECT(times.h[0] >= 10000 && times.h[0] < 10300 && times.h[1] >= 20000 && times.h[1] < 21000 && times.h[3] == 0 &&
           times.h[4] > 0);

    LAUNCH(returns_early, 1, 64, ints.d, 40);
    EXPECT(ints.read()[39] == 40);

    OK(cudaMemset(ints.d, 0, 64)), classes(ints.d, ints.d + 100);

    // What must fail, and as what.
    returns_early<<<1, 1025>>>(ints.d, 1);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
    returns_early<<<0, 1>>>(ints.d, 1);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    returns_early<<<1, 1, 60000>>>(ints.d, 1);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    void *much;
    EXPECT(cudaMalloc(&much, size_t(1) << 40) == cudaErrorMemoryAllocation &&
           cudaGetLastError() == cudaErrorMemoryAllocation);
    EXPECT(cudaMemcpy(ints.h.data(), ints.h.data(), 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    OK(cudaFree(0));

    // Pinned memory is copied while the host goes on; other memory is taken at once.
    int *pinned;
    OK(cudaMallocHost(&pinned, 4)), *pinned = 5;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    std::vector<int> paged(1, 6);
    OK(cudaMemcpyAsync(ints.d, &paged[0], 4, cudaMemcpyHostToDevice, stream)), paged[0] = 0;
    OK(cudaMemcpyAsync(pinned, ints.d, 4, cudaMemcpyDeviceToHost, stream)), OK(cudaStreamSynchronize(stream));
    EXPECT(*pinned == 6);
    OK(cudaFreeHost(pinned)), OK(cudaStreamDestroy(stream));

    // Two copies share the link to the host; of memory that is not pinned, more than 64 KiB are waited for.
    const size_t mib = 1 << 20;
    char *device, *of_host;
    OK(cudaMalloc(&device, 2 * mib)), OK(cudaMallocHost(&of_host, 2 * mib));
    cudaStream_t pair[2];
    OK(cudaStreamCreate(&pair[0])), OK(cudaStreamCreate(&pair[1]));
    OK(cudaDeviceSynchronize());
    auto c0 = std::chrono::steady_clock::now();
    for (int n = 0; n < 2; n++)
        OK(cudaMemcpyAsync(device + n * mib, of_host + n * mib, mib, cudaMemcpyHostToDevice, pair[n]));
    auto c1 = std::chrono::steady_clock::now();
    OK(cudaDeviceSynchronize());
    auto c2 = std::chrono::steady_clock::now();
    std::vector<char> paged_mib(mib);
    OK(cudaMemcpyAsync(device, paged_mib.data(), mib, cudaMemcpyHostToDevice, pair[0]));
    auto c3 = std::chrono::steady_clock::now();
    EXPECT(c1 - c0 < std::chrono::microseconds(10) && c2 - c0 > std::chrono::microseconds(104));
    EXPECT(c3 - c2 > std::chrono::microseconds(52));
    OK(cudaDeviceSynchronize());

    int *grown = (int *)malloc(4);
    *grown = 5, grown = (int *)realloc(grown, 8000);
    EXPECT(*grown == 5);
    free(grown), free(strdup("not the machine's"));

    // All clocks of the host are virtual.
    timespec ten_ms = {0, 10000000};
    auto s0 = std::chrono::system_clock::now();
    nanosleep(&ten_ms, nullptr);
    EXPECT(std::chrono::system_clock::now() - s0 > std::chrono::milliseconds(9));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
