/* SPDX-License-Identifier: MIT
 *
 * What does cudaEventElapsedTime answer when it cannot answer?
 *
 * Measures: nothing; it asks for three times that do not exist, and for one that does, and prints
 *   the error's name for each.
 *
 * Build: nvcc -O2 -arch=native -I../common event_errors.cu -o event_errors
 * Run:   ./event_errors
 * Try:   leave out cudaGetLastError() in ask(): the check after the launch of spin finds the error
 *        of the question before, and blames the launch
 */
#include <stdio.h>

#include "cuda_device.h"
#include "options.h"

static const unsigned long long spin_ns = 50000000; /* far longer than the host takes to ask */

static __global__ void spin(unsigned long long length_ns) {
    unsigned long long start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
    while (now_ns - start_ns < length_ns);
}

static cudaError_t ask(const struct options *options, const char *device, const char *question,
                       cudaEvent_t start, cudaEvent_t stop) {
    float elapsed_ms;
    const cudaError_t code = cudaEventElapsedTime(&elapsed_ms, start, stop);
    const bool stays = cudaGetLastError() != cudaSuccess; /* for whoever asks next */
    if (options->csv)
        printf("%s,%s,%d,%s,%d\n", device, question, (int)code, cudaGetErrorName(code), stays);
    else
        printf("%-20s error %3d, %s: %s%s\n", question, (int)code, cudaGetErrorName(code),
               cudaGetErrorString(code), stays ? "; stays in cudaGetLastError()" : "");
    flush_stdout();
    return code;
}

int main(int argc, char **argv) {
    struct options options =
        default_options("What does cudaEventElapsedTime answer when it cannot answer?");
    options.has_device = true;
    parse_options(argc, argv, &options);
    const struct cuda_device device = choose_cuda_device(options.device);

    cudaEvent_t start, stop, never, untimed;
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
    CHECK_CUDA(cudaEventCreate(&never));
    CHECK_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK_CUDA(cudaEventRecord(start, 0));
    CHECK_CUDA(cudaEventRecord(untimed, 0));
    CHECK_CUDA(cudaDeviceSynchronize());

    if (options.csv)
        printf("device,question,code,error,stays\n");
    else
        printf("Event errors: cudaEventElapsedTime(start, stop) on %s; three wrong questions and a "
               "right one\n\n",
               device.name);
    ask(&options, device.name, "stop_never_recorded", start, never);
    ask(&options, device.name, "stop_without_timing", start, untimed);

    spin<<<1, 1>>>(spin_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    ask(&options, device.name, "stop_not_finished", start, stop);
    CHECK_CUDA(cudaDeviceSynchronize());
    check_cuda(ask(&options, device.name, "all_is_well", start, stop),
               "cudaEventElapsedTime(start, stop)", __FILE__, __LINE__);

    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
    CHECK_CUDA(cudaEventDestroy(never));
    CHECK_CUDA(cudaEventDestroy(untimed));
    return EXIT_SUCCESS;
}
