// SPDX-License-Identifier: MIT
// A reusable GpuTimer class around a pair of events.
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
#define CHECK(call) check((call), #call)

class GpuTimer {
public:
    explicit GpuTimer(cudaStream_t stream = 0) : stream_(stream) {
        CHECK(cudaEventCreate(&start_));
        CHECK(cudaEventCreate(&stop_));
    }
    ~GpuTimer() {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }
    void Start() { CHECK(cudaEventRecord(start_, stream_)); }
    void Stop() { CHECK(cudaEventRecord(stop_, stream_)); }
    float Elapsed() const {
        float ms = 0;
        CHECK(cudaEventSynchronize(stop_));
        CHECK(cudaEventElapsedTime(&ms, start_, stop_));
        return ms;
    }

private:
    cudaStream_t stream_;
    cudaEvent_t start_, stop_;
};

__global__ void square(double *data, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) data[i] *= data[i];
}

int main() try {
    const size_t n = 1 << 16;
    std::vector<double> h(n, 3.0);
    double *d = nullptr;
    CHECK(cudaMalloc(&d, n * sizeof(double)));
    CHECK(cudaMemcpy(d, h.data(), n * sizeof(double), cudaMemcpyHostToDevice));

    GpuTimer timer;
    for (int run = 0; run < 2; ++run) {
        timer.Start();
        square<<<unsigned((n + 127) / 128), 128>>>(d, n);
        timer.Stop();
        std::cout << "run " << run << ": " << std::fixed << std::setprecision(6) << timer.Elapsed() << " ms\n";
    }
    CHECK(cudaMemcpy(h.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    std::cout << (h[0] == 81.0 && h[n - 1] == 81.0 ? "PASS" : "FAIL") << std::endl;
    return h[n - 1] == 81.0 ? 0 : 1;
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
