/* SPDX-License-Identifier: MIT
 *
 * What does an event pair give when it is recorded in another stream than the kernel's?
 *
 * Measures: a spin of 250 us in a stream of its own, by event pairs in that stream, in the default
 *   stream, and in two streams; beside it the code's time, which the spin itself takes by %globaltimer.
 * Does not measure: the gap while the host launches the kernel, the device's launch and drain, and the
 *   events' own cost. They are in each right pair here; see cuda_events.cu and onion.cu.
 *
 * Build: nvcc -O2 -arch=native -I../common wrong_stream.cu -o wrong_stream
 * Run:   ./wrong_stream
 * Try:   CUDA_LAUNCH_BLOCKING=1 ./wrong_stream        each launch waits: which rows change?
 */
#include "blocker.h" /* start, stop, is_shared(): nothing is blocked here */
#include "summary.h"

static const unsigned long long spin_ns = 250000;
static unsigned long long *ran_ns, *other_ran_ns;

/* OWN and OTHER are made with cudaStreamNonBlocking, as many libraries make theirs: the default stream
 * does not wait for them, nor they for it. ORDINARY is made without. */
enum stream { DEFAULT, ORDINARY, OWN, OTHER, STREAMS };
static const char *const stream_names[STREAMS] = {"default", "ordinary", "own", "other"};
static cudaStream_t streams[STREAMS]; /* streams[DEFAULT] is 0 */

static const struct {
    const char *name;
    enum stream start, kernel, stop;
    bool is_right; /* the kernel is between the events, whatever else is */
    const char *words;
} pairs[] = {
    {"own_stream", OWN, OWN, OWN, true, "right"},
    {"default_stream", DEFAULT, OWN, DEFAULT, false, "no event waits for the kernel"},
    {"default_waits", DEFAULT, ORDINARY, DEFAULT, true, "right: these wait for each other"},
    {"two_streams", OWN, OWN, OTHER, false, "stop does not wait for the kernel"},
    {"behind_work", OWN, OWN, OTHER, false, "start waits for a first spin"}};
enum { WRONG = 1, BEHIND = 4, PAIRS }; /* of them */

/* Microseconds from `start` to `stop`. cudaEventElapsedTime answers cudaSuccess each time, and may go
 * below 0: it gives one event's time minus the other's. */
static double pair_us(int pair, double *code_us) {
    float elapsed_ms;
    unsigned long long ns = 0;
    CHECK_CUDA(cudaMemset(ran_ns, 0, sizeof *ran_ns));
    CHECK_CUDA(cudaDeviceSynchronize()); /* cudaStreamNonBlocking does not wait for the memset */
    if (pair == BEHIND) {
        spin<<<1, 1, 0, streams[pairs[pair].kernel]>>>(spin_ns, other_ran_ns);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(start, streams[pairs[pair].start]));
    spin<<<1, 1, 0, streams[pairs[pair].kernel]>>>(spin_ns, ran_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, streams[pairs[pair].stop]));
    CHECK_CUDA(cudaDeviceSynchronize()); /* all streams: `stop` may come before the kernel's end */
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    CHECK_CUDA(cudaMemcpy(&ns, ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    *code_us = (double)ns / 1e3;
    const double us = (double)elapsed_ms * 1e3;
    if (ns < spin_ns || !(us == us) ||
        (pairs[pair].is_right && us < *code_us - 2)) /* clocks' steps */
        fail(EXIT_FAILED, "impossible: %s gives %g us for a spin of %g us", pairs[pair].name, us,
             *code_us);
    return us;
}

int main(int argc, char **argv) {
    static double samples_us[PAIRS][MAX_RUNS], codes_us[PAIRS][MAX_RUNS];
    struct summary s[PAIRS], code[PAIRS];
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "What does an event pair give that is not in the kernel's stream?");
    const struct cudaDeviceProp device = open_cuda();
    const size_t runs = (size_t)options.runs;
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));
    CHECK_CUDA(cudaMalloc((void **)&other_ran_ns, sizeof *other_ran_ns));
    set_up_blocker();
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[ORDINARY], cudaStreamDefault));
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[OWN], cudaStreamNonBlocking));
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[OTHER], cudaStreamNonBlocking));

    begin_table(
        "Wrong stream: a spin of %llu us on %s, and in which stream start, the spin and stop\n"
        "are; medians of %zu runs\n"
        "own, other: made with cudaStreamNonBlocking; ordinary: made without\n"
        "code: by %%globaltimer in the spin; pair: by the event pair; extra: pair minus "
        "code\n\n",
        spin_ns / 1000, device.name, runs);
    for (int p = 0; p < PAIRS; p++) /* the warm-up */
        pair_us(p, &codes_us[p][0]);
    for (size_t run = 0; run < runs; run++) /* in turns */
        for (int p = 0; p < PAIRS; p++)
            samples_us[p][run] = pair_us(p, &codes_us[p][run]);

    bool disturbed = is_shared(); /* or a pair says it that is right: the wrong ones cannot */
    for (int p = 0; p < PAIRS; p++) {
        s[p] = summarize(samples_us[p], runs, step_us);
        code[p] = summarize(codes_us[p], runs, step_us);
        disturbed |=
            code[p].disturbed || code[p].median > 1.25e-3 * (double)spin_ns ||
            (pairs[p].is_right && (s[p].disturbed || s[p].median > 1.25e-3 * (double)spin_ns));
    }
    for (int p = 0; p < PAIRS; p++) {
        cell("events", -14, "%s", pairs[p].name);
        cell("start", -8, "%s", stream_names[pairs[p].start]);
        cell("kernel", -8, "%s", stream_names[pairs[p].kernel]);
        cell("stop", -8, "%s", stream_names[pairs[p].stop]);
        number("code", "us", 10, 2, code[p].median);
        number("pair", "us", 9, 2, s[p].median);
        /* where it is right: the host's gap, the device's launch, drain, and the floor */
        number("extra", "us", 10, 2, s[p].median - code[p].median);
        cell("what", -32, "%s", pairs[p].words);
        end_row(disturbed);
    }
    end_table();
    say("In a stream that does not wait, the pair gives %.2f us for a kernel of %.2f us, and no\n"
        "call reports an error. With start behind other work it gives %.2f us; below 0 means that "
        "stop\n"
        "came first. Record both events in the kernel's own stream.\n",
        s[WRONG].median, code[WRONG].median, s[BEHIND].median);
    return EXIT_SUCCESS; /* memory, streams and events go with the process */
}
