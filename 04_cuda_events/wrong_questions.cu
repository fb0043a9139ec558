/* SPDX-License-Identifier: MIT
 *
 * What does cudaEventElapsedTime answer to a wrong question?
 *
 * Measures: three questions that get an error, by its name; then a spin of 250 us by event pairs in
 *   the spin's own stream and in others, where a wrong question gets a wrong number and no error.
 * Does not measure: the host's gap, preparation, drain and the events' own cost. Each right pair
 *   here holds them; see cuda_events.cu.
 *
 * Build: nvcc -O2 -arch=native -I../common wrong_questions.cu -o wrong_questions
 * Run:   ./wrong_questions
 * Try:   CUDA_LAUNCH_BLOCKING=1 ./wrong_questions        each launch waits: which rows change?
 */
#include "doubt.h"
#include "hold.h" /* wait_ns(), by the GPU's clock */

static const unsigned long long spin_ns = 250000;

/* Runs for `length_ns` by the GPU's clock, and stores how long it did run. */
static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    *ran_ns = wait_ns(length_ns);
}

struct experiment {
    cudaEvent_t start, stop;
    unsigned long long *ran_ns, *other_ran_ns; /* how long a spin ran; on the device */
};

/* A spin between two events, each of the three in a stream of its choice. */
struct question {
    const char *name, *what;
    bool is_right; /* the kernel is between the events, whatever else is */
    cudaStream_t before, start, kernel, stop; /* not 0: another spin is in stream `before`, first */
    double us[MAX_RUNS], code_us[MAX_RUNS], late_us[MAX_RUNS]; /* of each run */
};

static void print_answer(const char *question, cudaError_t error, bool still_set, double code_us,
                         double pair_us, const char *what, unsigned doubts) {
    char times[64] = "       -        -";
    if (error == cudaSuccess)
        snprintf(times, sizeof times, "%8.3f %8.3f", code_us, pair_us);
    printf("%-19s %-30s %9d %s %-29s %s\n", question, cudaGetErrorName(error), still_set, times,
           what, first_doubt(doubts));
}

/* A question that gets an error. still_set: the next cudaGetLastError() returns it again. */
static void ask_for_error(const char *question, cudaEvent_t from, cudaEvent_t to,
                          const char *what) {
    float elapsed_ms = NAN;
    const cudaError_t error = cudaEventElapsedTime(&elapsed_ms, from, to);
    const bool still_set = cudaGetLastError() != cudaSuccess;
    /* Without an error the host asked so late that the spin had ended. */
    print_answer(question, error, still_set, NAN, (double)elapsed_ms * 1e3, what,
                 error == cudaSuccess ? HOST_WAITED : 0);
}

static cudaEvent_t new_event(unsigned flags) {
    cudaEvent_t event;
    CHECK_CUDA(cudaEventCreateWithFlags(&event, flags));
    return event;
}

static cudaStream_t new_stream(unsigned flags) {
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

static void put_question(struct question *q, const char *name, const char *what, bool is_right,
                         cudaStream_t start, cudaStream_t kernel, cudaStream_t stop) {
    q->name = name;
    q->what = what;
    q->is_right = is_right;
    q->start = start;
    q->kernel = kernel;
    q->stop = stop;
}

/* Fills in `run` of the samples. The pair's time may go below 0: it is one event's minus the
 * other's. */
static void time_pair(const struct experiment *e, struct question *q, size_t run) {
    unsigned long long ns = 0;
    float elapsed_ms;
    CHECK_CUDA(cudaMemset(e->ran_ns, 0, sizeof *e->ran_ns));
    CHECK_CUDA(cudaDeviceSynchronize()); /* cudaStreamNonBlocking does not wait for the memset */
    const int64_t start_ns = now_ns();
    if (q->before) {
        spin<<<1, 1, 0, q->before>>>(spin_ns, e->other_ran_ns);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(e->start, q->start));
    spin<<<1, 1, 0, q->kernel>>>(spin_ns, e->ran_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e->stop, q->stop));
    CHECK_CUDA(cudaDeviceSynchronize()); /* all streams: `stop` may come before the kernel's end */
    const double host_us = (double)(now_ns() - start_ns) / 1e3;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, e->start, e->stop));
    CHECK_CUDA(cudaMemcpy(&ns, e->ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    const double us = q->us[run] = (double)elapsed_ms * 1e3;
    const double code_us = q->code_us[run] = (double)ns / 1e3;
    q->late_us[run] = host_us - us;
    const bool too_short = q->is_right && us < code_us - 2; /* the clocks have steps */
    if (ns < spin_ns || isnan(us) || too_short)
        errx(EXIT_FAILED, "impossible: %s gives %g us for a spin of %g us", q->name, us, code_us);
}

int main(int argc, char **argv) {
    static struct question questions[5];
    struct args args = begin_args(argc, argv);
    const size_t runs = number_arg(&args, "--runs", "31", MAX_RUNS, "measure so often");
    end_args(&args);
    struct cudaDeviceProp gpu;
    CHECK_CUDA(cudaGetDeviceProperties(&gpu, 0));
    struct experiment e = {};
    CHECK_CUDA(cudaMalloc(&e.ran_ns, sizeof *e.ran_ns));
    CHECK_CUDA(cudaMalloc(&e.other_ran_ns, sizeof *e.other_ran_ns));
    e.start = new_event(cudaEventDefault);
    e.stop = new_event(cudaEventDefault);
    print_gpu_head(&gpu);
    printf("# runs %zu\n", runs);
    puts("question            error                          still_set  code_us  pair_us "
         "what                          disturbed");

    const cudaEvent_t never = new_event(cudaEventDefault);
    const cudaEvent_t untimed = new_event(cudaEventDisableTiming);
    CHECK_CUDA(cudaEventRecord(e.start, 0));
    CHECK_CUDA(cudaEventRecord(untimed, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    ask_for_error("stop_never_recorded", e.start, never, "wrong:_stop_has_no_time");
    ask_for_error("stop_without_timing", e.start, untimed, "wrong:_cudaEventDisableTiming");
    spin<<<1, 1>>>(200 * spin_ns, e.ran_ns); /* far longer than the host takes to ask */
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e.stop, 0));
    ask_for_error("stop_not_finished", e.start, e.stop, "too_early:_the_kernel_runs");
    CHECK_CUDA(cudaDeviceSynchronize());

    /* Many libraries make their streams with cudaStreamNonBlocking: the default stream, which is 0,
     * does not wait for them, nor they for it. For an ordinary one it does. */
    const cudaStream_t ordinary = new_stream(cudaStreamDefault);
    const cudaStream_t own = new_stream(cudaStreamNonBlocking);
    const cudaStream_t other = new_stream(cudaStreamNonBlocking);
    struct question *q = questions;
    put_question(q++, "own_stream", "right:_all_in_one_stream", true, own, own, own);
    put_question(q++, "default_stream", "wrong:_stream_0_does_not_wait", false, 0, own, 0);
    put_question(q++, "default_waits", "right:_these_two_streams_wait", true, 0, ordinary, 0);
    put_question(q++, "two_streams", "wrong:_stop_does_not_wait", false, own, own, other);
    put_question(q, "behind_work", "wrong:_start_waits_for_a_spin", false, own, own, other);
    q->before = own;
    for (int i = 0; i < 5; i++) /* the warm-up */
        time_pair(&e, &questions[i], 0);
    for (size_t run = 0; run < runs; run++) /* in turns */
        for (int i = 0; i < 5; i++)
            time_pair(&e, &questions[i], run);

    /* The wrong pairs cannot say whether they were disturbed; the right ones say it for all. They
     * hold the spin, and some us. A quarter more: somebody else had the GPU, or two clocks, of the
     * events and %globaltimer, disagree. */
    unsigned doubts = 0;
    for (q = questions; q < questions + 5; q++) {
        doubts |= doubt_us(q->code_us, runs, false);
        if (q->is_right)
            doubts |= doubt_us(q->us, runs, false) | doubt_wait(median(q->late_us, runs)) |
                      (median(q->us, runs) > 1.25e-3 * (double)spin_ns ? INTERRUPTED : 0);
    }
    for (q = questions; q < questions + 5; q++)
        print_answer(q->name, cudaSuccess, false, median(q->code_us, runs), median(q->us, runs),
                     q->what, doubts);
    return EXIT_SUCCESS; /* memory, streams and events go with the process */
}
