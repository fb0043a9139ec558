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

int main() {
    CHECK(cudaMalloc(&a, 256 << 20));
    CHECK(cudaMalloc(&b, 256 << 20));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    puts("command         mib        us");
    for (const size_t mib : {1, 16, 256}) {
        print("memset", mib, [](size_t bytes) { CHECK(cudaMemsetAsync(a, 0, bytes, stream)); });
        print("device_copy", mib,
              [](size_t bytes) { CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream)); });
    }
    // Ten kernels in a graph, each behind a memset of so many MiB.
    for (const size_t mib : {0, 128}) {
        cudaGraph_t graph;
        static cudaGraphExec_t executable;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < 10; i++) {
            if (mib) CHECK(cudaMemsetAsync(a, 0, mib << 20, stream));
            spin<<<1, 1, 0, stream>>>(20000);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        print("in_a_graph", mib, [](size_t) { CHECK(cudaGraphLaunch(executable, stream)); });
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 3000; i++) spin<<<1, 1, 0, stream>>>(198000);
    const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - begin;
    printf("%-12s %6d %9.3f\n", "launch", 0, us.count() / 3000);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
