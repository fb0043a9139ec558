/* SPDX-License-Identifier: MIT
 *
 * What programs take from helper_cuda.h, helper_functions.h and helper_timer.h of NVIDIA's samples. */
#pragma once
#pragma GCC system_header

#define checkCudaErrors(call) simcc::checked(call, #call, __FILE__, __LINE__)
#define getLastCudaError(words) simcc::checked(cudaGetLastError(), words, __FILE__, __LINE__)
namespace simcc {
inline void checked(cudaError_t error, const char *what, const char *file, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, int(error), cudaGetErrorName(error), what);
    exit(EXIT_FAILURE);
}
} // namespace simcc
inline int findCudaDevice(int, const char **) {
    cudaDeviceProp p;
    checkCudaErrors(cudaSetDevice(0));
    checkCudaErrors(cudaGetDeviceProperties(&p, 0));
    printf("GPU Device 0: \"%s\" with compute capability %d.%d\n\n", p.name, p.major, p.minor);
    return 0;
}
struct StopWatchInterface {
    timespec from;
    double ms;
    int count;
};
inline bool sdkCreateTimer(StopWatchInterface **t) { return *t = new StopWatchInterface{{}, 0, 0}, true; }
inline bool sdkDeleteTimer(StopWatchInterface **t) { return delete *t, *t = nullptr, true; }
inline bool sdkResetTimer(StopWatchInterface **t) { return (*t)->ms = 0, (*t)->count = 0, true; }
inline bool sdkStartTimer(StopWatchInterface **t) { return clock_gettime(CLOCK_MONOTONIC, &(*t)->from) == 0; }
inline bool sdkStopTimer(StopWatchInterface **t) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    (*t)->ms += double(now.tv_sec - (*t)->from.tv_sec) * 1e3 + double(now.tv_nsec - (*t)->from.tv_nsec) * 1e-6;
    (*t)->count++;
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface **t) { return float((*t)->ms); }
inline float sdkGetAverageTimerValue(StopWatchInterface **t) { return (*t)->count ? float((*t)->ms / (*t)->count) : 0; }
