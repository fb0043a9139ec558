/* SPDX-License-Identifier: MIT
 *
 * What did two GPUs do at the same time?
 *
 * Measures: how far %globaltimer of each other GPU is from that of GPU 0, by a stamp that goes
 *   there and back, with its bounds, and how the two drift apart; on one time line a copy from GPU
 *   0 to GPU 1 and an all-reduce to which GPU 1 comes late, block by block. Wrong ways beside it.
 * Does not measure: which of the timers is right; NCCL, whose kernels take no stamps.
 *
 * Build: nvcc -O2 -arch=native -I../../common two_gpus.cu -o two_gpus
 * Run:   ./two_gpus
 * Try:   ./two_gpus --late-us 5                how little is still seen?
 *        ./two_gpus --trace >two_gpus.json     what happened when, for ui.perfetto.dev
 */
#include "two_rows.h"

static long long seconds = 20;

/* ---- A stamp goes to and fro ---- */

/* Waits until the flag is another than `old`, and returns it; `old` if that takes too long. */
static __device__ unsigned long long next_stamp(const volatile unsigned long long *flag,
                                                unsigned long long old) {
    const long long start_clock = clock64();
    unsigned long long stamp;
    do
        stamp = *flag;
    while (stamp == old && clock64() - start_clock < limit_clocks);
    return stamp;
}

/* The flag's value is the stamp itself: so it cannot be seen before it was taken. The pause varies,
 * and with it where in a tick a stamp is taken. */
static __global__ void send_stamps(volatile unsigned long long *there,
                                   const volatile unsigned long long *here, struct way *ways,
                                   size_t count) {
    unsigned long long there_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned long long sent_ns = globaltimer_ns(), old_ns = there_ns;
        *there = sent_ns;
        there_ns = next_stamp(here, old_ns);
        const unsigned long long back_ns = globaltimer_ns();
        if (there_ns == old_ns)
            return;
        ways[i] = (struct way){sent_ns, there_ns, back_ns};
        while (globaltimer_ns() - back_ns < 2500 + i * 97 % 1000)
            continue;
    }
}

static __global__ void answer_stamps(volatile unsigned long long *there,
                                     const volatile unsigned long long *here, size_t count) {
    for (unsigned long long sent_ns = 0, old_ns = 0; count > 0; count--, old_ns = sent_ns) {
        sent_ns = next_stamp(here, old_ns);
        if (sent_ns == old_ns)
            return;
        *there = globaltimer_ns();
    }
}

/* Sends the pair's stamps, or none, which only loads the kernels. */
static void sweep(int gpu, struct way *ways, size_t count) {
    static unsigned long long no_flags[FLAG_BYTES / 8];
    struct timer_pair *pair = &pairs[gpu];
    const size_t bytes = count * sizeof *ways;
    for (int i = 0; i < 2; i++) {
        CHECK_CUDA(cudaSetDevice(i * gpu));
        CHECK_CUDA(cudaMemcpy(pair->flags[i], no_flags, FLAG_BYTES, cudaMemcpyDefault));
        CHECK_CUDA(cudaMemset(gpus[i * gpu].stamps, 0, bytes));
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    answer_stamps<<<1, 1>>>(pair->flags[0], pair->flags[1], count);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaSetDevice(0));
    send_stamps<<<1, 1>>>(pair->flags[1], pair->flags[0], (struct way *)gpus[0].stamps, count);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaSetDevice(gpu));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaMemcpy(ways, gpus[0].stamps, bytes, cudaMemcpyDeviceToHost));
    if (count > 0 && ways[count - 1].sent_ns == 0)
        fail(EXIT_FAILED, "no answer of GPU %d for a second: is it held up?", gpu);
}

/* ---- Events of two GPUs ---- */

/* Wrong, and an error. */
static const char *ask_events(void) {
    cudaEvent_t events[2];
    float ms;
    for (int g = 0; g < 2; g++) {
        CHECK_CUDA(cudaSetDevice(g));
        CHECK_CUDA(cudaEventCreate(&events[g]));
        CHECK_CUDA(cudaEventRecord(events[g], 0));
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    const cudaError_t code = cudaEventElapsedTime(&ms, events[0], events[1]);
    cudaGetLastError(); /* it would stay */
    return cudaGetErrorName(code);
}

int main(int argc, char **argv) {
    double bound_us = 0; /* of GPUs 0 and 1 */
    options.runs = 10000;
    options.trace = 1;
    add_option("seconds", "go on for N seconds", &seconds, 3600);
    add_option("late-us", "make one device N us late", &late_us, 500000);
    parse_options(argc, argv, "What did two GPUs do at the same time?");
    options.device = "0"; /* the others are opened below */
    const struct cudaDeviceProp device = open_cuda();
    const int count = set_up_gpus();
    for (int gpu = 1; gpu < count; gpu++)
        sweep(gpu, NULL, 0);
    const int64_t start_ns = now_ns();
    for (int s = 0; s < SWEEPS; s++) {
        while (now_ns() - start_ns < seconds * 1000000000 * s / (SWEEPS - 1))
            continue;
        for (int gpu = 1; gpu < count; gpu++)
            sweep(gpu, pairs[gpu].way[s], pairs[gpu].ways);
        for (int r = 0; r <= ROUNDS && s == SWEEPS / 2 && pairs[1].is_peer; r++)
            run_round(r);
    }
    const char *error = ask_events();
    CHECK_CUDA(cudaSetDevice(0));
    shared = probe_sharing();
    begin_table(
        "Two GPUs: %d of %s; in %lld s %d sweeps of %lld stamps, there and back\n"
        "low to high: bounds, the sweeps, or the middle half of %d all-reduces of %d KiB\n\n",
        count, device.name, seconds, SWEEPS, options.runs, ROUNDS / 2, HALF / 128);
    for (int gpu = 1; gpu < count; gpu++) {
        const double bound_ns = print_timers(gpu);
        bound_us = gpu == 1 ? bound_ns / 1e3 : bound_us;
    }
    if (pairs[1].is_peer)
        print_rounds(bound_us);
    end_table();
    describe("events_of_two_gpus", "%s", error);
    say("cudaEventElapsedTime of events of two GPUs: %s.\n", error);
    if (pairs[1].is_peer)
        draw_rounds();
    else
        say("No peer access between GPUs 0 and 1: no copy and no all-reduce.\n");
    return EXIT_SUCCESS; /* memory and events go with the process */
}
