/* SPDX-License-Identifier: MIT
 *
 * What does cudaEventElapsedTime answer to a wrong question?
 *
 * Measures: three questions that get an error, by its name; then a spin of 250 us by event pairs in
 *   the spin's own stream and in others, where a wrong question gets a wrong number and no error.
 * Does not measure: the host's gap, launch, drain and the events' own cost. They are in each right
 *   pair here; see cuda_events.cu.
 *
 * Build: nvcc -O2 -arch=native -I../common wrong_questions.cu -o wrong_questions
 * Run:   ./wrong_questions
 * Try:   CUDA_LAUNCH_BLOCKING=1 ./wrong_questions        each launch waits: which rows change?
 */
#include "blocker.h" /* start, stop, probe_sharing(): nothing is blocked here */
#include "summary.h"

static const unsigned long long spin_ns = 250000;
static unsigned long long *ran_ns, *other_ran_ns;

struct answer {
    cudaError_t error;
    bool still_set; /* in cudaGetLastError(), for whoever asks next */
    double us;
};

static struct answer ask(cudaEvent_t from, cudaEvent_t to) {
    float elapsed_ms = NAN;
    struct answer answer;
    answer.error = cudaEventElapsedTime(&elapsed_ms, from, to);
    answer.still_set = cudaGetLastError() != cudaSuccess;
    answer.us = (double)elapsed_ms * 1e3;
    return answer;
}

static void row(const char *question, struct answer answer, double code_us, double pair_us,
                const char *words, bool disturbed) {
    label("question", 19, question);
    label("error", 30, cudaGetErrorName(answer.error));
    cell("still_set", "%d", answer.still_set);
    number("code", "us", 2, code_us);
    number("pair", "us", 2, pair_us);
    label("what", 0, words);
    end_row(disturbed);
}

/* ---- Questions that get an error ---- */

static void ask_for_errors(void) {
    cudaEvent_t never, untimed;
    CHECK_CUDA(cudaEventCreate(&never));
    CHECK_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK_CUDA(cudaEventRecord(start, 0));
    CHECK_CUDA(cudaEventRecord(untimed, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    row("stop_never_recorded", ask(start, never), NAN, NAN, "wrong: stop has no time", false);
    row("stop_without_timing", ask(start, untimed), NAN, NAN, "wrong: cudaEventDisableTiming",
        false);
    spin<<<1, 1>>>(200 * spin_ns, ran_ns); /* far longer than the host takes to ask */
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    const struct answer early = ask(start, stop);
    row("stop_not_finished", early, NAN, NAN, "too early: the kernel runs",
        early.error == cudaSuccess);
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- Questions that get a number ---- */

/* OWN and OTHER are made with cudaStreamNonBlocking, as many libraries make theirs: the default
 * stream does not wait for them, nor they for it. ORDINARY is made without. */
enum stream { DEFAULT, ORDINARY, OWN, OTHER, STREAMS };
static cudaStream_t streams[STREAMS]; /* streams[DEFAULT] is 0 */

enum { OWN_STREAM, DEFAULT_STREAM, DEFAULT_WAITS, TWO_STREAMS, BEHIND_WORK, PAIRS };
static const struct {
    const char *question;
    enum stream start, kernel, stop;
    bool is_right; /* the kernel is between the events, whatever else is */
    const char *words;
} pairs[PAIRS] = {
    {"own_stream", OWN, OWN, OWN, true, "right: all in one stream"},
    {"default_stream", DEFAULT, OWN, DEFAULT, false, "wrong: stream 0 does not wait"},
    {"default_waits", DEFAULT, ORDINARY, DEFAULT, true, "right: these two streams wait"},
    {"two_streams", OWN, OWN, OTHER, false, "wrong: stop does not wait"},
    {"behind_work", OWN, OWN, OTHER, false, "wrong: start waits for a spin"}};

/* Stores how long the spin ran. The pair's time may go below 0: it is one event's minus the
 * other's. */
static struct answer time_pair(int p, double *code_us) {
    unsigned long long ns = 0;
    CHECK_CUDA(cudaMemset(ran_ns, 0, sizeof *ran_ns));
    CHECK_CUDA(cudaDeviceSynchronize()); /* cudaStreamNonBlocking does not wait for the memset */
    if (p == BEHIND_WORK) {
        spin<<<1, 1, 0, streams[pairs[p].kernel]>>>(spin_ns, other_ran_ns);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(start, streams[pairs[p].start]));
    spin<<<1, 1, 0, streams[pairs[p].kernel]>>>(spin_ns, ran_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, streams[pairs[p].stop]));
    CHECK_CUDA(cudaDeviceSynchronize()); /* all streams: `stop` may come before the kernel's end */
    const struct answer answer = ask(start, stop);
    check_cuda(answer.error, "cudaEventElapsedTime(start, stop)", __FILE__, __LINE__);
    CHECK_CUDA(cudaMemcpy(&ns, ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    *code_us = (double)ns / 1e3;
    if (ns < spin_ns || isnan(answer.us) ||
        (pairs[p].is_right && answer.us < *code_us - 2)) /* clocks' steps */
        fail(EXIT_FAILED, "impossible: %s gives %g us for a spin of %g us", pairs[p].question,
             answer.us, *code_us);
    return answer;
}

int main(int argc, char **argv) {
    static double samples_us[PAIRS][MAX_RUNS], codes_us[PAIRS][MAX_RUNS];
    struct summary s[PAIRS], code[PAIRS];
    struct answer answers[PAIRS];
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "What does cudaEventElapsedTime answer to a wrong question?");
    const struct cudaDeviceProp device = open_cuda();
    const size_t runs = (size_t)options.runs;
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));
    CHECK_CUDA(cudaMalloc((void **)&other_ran_ns, sizeof *other_ran_ns));
    set_up_blocked_pair();
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[ORDINARY], cudaStreamDefault));
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[OWN], cudaStreamNonBlocking));
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[OTHER], cudaStreamNonBlocking));

    begin_table(
        "Wrong questions: cudaEventElapsedTime on %s; spins of %llu us, medians of %zu runs\n"
        "still_set: whether cudaGetLastError() returns the error again; code: the spin's "
        "own time\n\n",
        device.name, spin_ns / 1000, runs);
    ask_for_errors();
    for (int p = 0; p < PAIRS; p++) /* the warm-up */
        time_pair(p, &codes_us[p][0]);
    for (size_t run = 0; run < runs; run++) /* in turns */
        for (int p = 0; p < PAIRS; p++) {
            answers[p] = time_pair(p, &codes_us[p][run]);
            samples_us[p][run] = answers[p].us;
        }
    bool disturbed = probe_sharing(); /* or a pair says it that is right: the wrong ones cannot */
    for (int p = 0; p < PAIRS; p++) {
        s[p] = summarize_us(samples_us[p], runs);
        code[p] = summarize_us(codes_us[p], runs);
        const bool too_long = s[p].median > 1.25e-3 * (double)spin_ns;
        const bool right_one_is_off = pairs[p].is_right && (s[p].disturbed || too_long);
        disturbed |= code[p].disturbed || right_one_is_off;
    }
    for (int p = 0; p < PAIRS; p++)
        row(pairs[p].question, answers[p], code[p].median, s[p].median, pairs[p].words, disturbed);
    end_table();
    say("An error that is still_set is found by the next check after a launch, which blames the "
        "launch.\n"
        "An event in another stream gives no error: %.2f us for a kernel of %.2f us, and %.2f us "
        "with\n"
        "start behind other work. Record both events in the kernel's own stream.\n",
        s[DEFAULT_STREAM].median, code[DEFAULT_STREAM].median, s[BEHIND_WORK].median);
    return EXIT_SUCCESS; /* memory, streams and events go with the process */
}
