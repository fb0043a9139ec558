// SPDX-License-Identifier: MIT
// How long commands take that are no kernels, and a launch if the queue is full: on a GPU, and in the model of an H200.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    if (const cudaError_t error = (call)) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)), exit(1)

__global__ void spin(long long clocks) {
    for (const long long begin = clock64(); clock64() - begin < clocks;) continue;
}

__global__ void add(float *x) {
    const size_t n = 1 << 20, i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    x[2 * n + i] = x[i] + x[n + i];
}

static char *a, *b;
static cudaStream_t stream;
static cudaEvent_t start, stop;

// The median of 9 event pairs around a call, behind three that warm up.
template <class F> static void print(const char *name, size_t mib, F call) {
    float us[12];
    for (float &each : us) {
        CHECK(cudaEventRecord(start, stream));
        call(mib << 20);
        CHECK(cudaEventRecord(stop, stream));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&each, start, stop));
        for (float *at = &each; at - 1 > us + 3 && at[-1] > *at; at--) std::swap(at[-1], *at);
    }
    printf("%-12s %6zu %9.3f\n", name, mib, us[7] * 1000);
}

// So many nodes in one graph, and the time of its launch.
template <class F> static void print_graph(const char *name, size_t mib, int nodes, F node) {
    cudaGraph_t graph;
    static cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < nodes; k++) node(k, mib << 20);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    print(name, mib, [](size_t) { CHECK(cudaGraphLaunch(executable, stream)); });
}

int main(int argc, char **) {
    for (char **each : {&a, &b}) CHECK(cudaMalloc(each, 256 << 20));
    for (cudaEvent_t *each : {&start, &stop}) CHECK(cudaEventCreate(each));
    CHECK(cudaStreamCreate(&stream));
    puts("command         mib        us");
    for (const size_t mib : {1, 16, 256}) {
        print("memset", mib, [](size_t bytes) { CHECK(cudaMemsetAsync(a, 0, bytes, stream)); });
        print("device_copy", mib,
              [](size_t bytes) { CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream)); });
    }
    for (const size_t mib : {0, 128})
        print_graph("in_a_graph", mib, 10, [](int, size_t bytes) {
            if (bytes) CHECK(cudaMemsetAsync(a, 0, bytes, stream));
            spin<<<1, 1, 0, stream>>>(20000);
        });
    // Twenty sums of 2^20 floats: of the same 12 MiB, of others each time, each behind a memset; and these memsets. The
    // model has no caches, so only if asked: commands sums
    if (argc > 1) {
        print_graph("same_sums", 0, 20, [](int, size_t) { add<<<4096, 256, 0, stream>>>((float *)a); });
        print_graph("other_sums", 0, 20,
                    [](int k, size_t) { add<<<4096, 256, 0, stream>>>((float *)a + k * (3 << 20)); });
        print_graph("memsets_sums", 256, 20, [](int, size_t bytes) {
            CHECK(cudaMemsetAsync(b, 0, bytes, stream));
            add<<<4096, 256, 0, stream>>>((float *)a);
        });
        print_graph("memsets", 256, 20, [](int, size_t bytes) { CHECK(cudaMemsetAsync(b, 0, bytes, stream)); });
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 3000; i++) spin<<<1, 1, 0, stream>>>(198000);
    const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - begin;
    printf("%-12s %6d %9.3f\n", "launch", 0, us.count() / 3000);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
