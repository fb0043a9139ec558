/* SPDX-License-Identifier: MIT
 *
 * What does cudaEventElapsedTime answer when it cannot answer?
 *
 * Measures: nothing; it asks for three times that do not exist, and for one that does, and prints
 *   the error's name for each.
 *
 * Build: nvcc -O2 -arch=native -I../common event_errors.cu -o event_errors
 * Run:   ./event_errors
 * Try:   in ask(), write `const bool still_set = false;`: the check after the launch of spin finds the
 *        error of the question before, and blames the launch
 */
#include "cuda_device.h"
#include "spin.h"

static const unsigned long long spin_ns = 50000000; /* far longer than the host takes to ask */

static cudaError_t ask(const char *question, cudaEvent_t start, cudaEvent_t stop) {
    float elapsed_ms;
    const cudaError_t code = cudaEventElapsedTime(&elapsed_ms, start, stop);
    const bool still_set = cudaGetLastError() != cudaSuccess; /* for whoever asks next */
    cell("question", -19, "%s", question);
    cell("code", 4, "%d", (int)code);
    cell("error", -30, "%s", cudaGetErrorName(code));
    cell("still_set", 9, "%d", still_set);
    end_row(false);
    return code;
}

int main(int argc, char **argv) {
    cudaEvent_t start, stop, never, untimed;
    unsigned long long *ran_ns;
    options.device = "";
    parse_options(argc, argv, "What does cudaEventElapsedTime answer when it cannot answer?");
    const struct cudaDeviceProp device = open_cuda();
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
    CHECK_CUDA(cudaEventCreate(&never));
    CHECK_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK_CUDA(cudaEventRecord(start, 0));
    CHECK_CUDA(cudaEventRecord(untimed, 0));
    CHECK_CUDA(cudaDeviceSynchronize());

    begin_table(
        "Event errors: cudaEventElapsedTime(start, stop) on %s; three wrong questions and a\n"
        "right one\n\n",
        device.name);
    ask("stop_never_recorded", start, never);
    ask("stop_without_timing", start, untimed);

    spin<<<1, 1>>>(spin_ns, ran_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    ask("stop_not_finished", start, stop);
    CHECK_CUDA(cudaDeviceSynchronize());
    check_cuda(ask("all_is_well", start, stop), "cudaEventElapsedTime(start, stop)", __FILE__,
               __LINE__);
    end_table();
    say("Where `still_set` is 1, the error is still in cudaGetLastError(): the next check after\n"
        "a launch finds it and blames the launch.\n");
    return EXIT_SUCCESS; /* memory and events go with the process */
}
