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
#include "cuda.h"
#include "report.h"
#include "samples.h"

static const unsigned long long spin_ns = 250000;

/* Runs for `length_ns` by the GPU's clock, and says how long it did run. */
static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    unsigned long long start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
    while (now_ns - start_ns < length_ns);
    *ran_ns = now_ns - start_ns;
}

/* ---- One question ---- */

struct answer {
    cudaError_t error;
    bool still_set; /* the next cudaGetLastError() returns the error again */
    double us;      /* NaN: there is none */
};

static struct answer ask(cudaEvent_t from, cudaEvent_t to) {
    float elapsed_ms = NAN;
    struct answer answer;
    answer.error = cudaEventElapsedTime(&elapsed_ms, from, to);
    answer.still_set = cudaGetLastError() != cudaSuccess;
    answer.us = (double)elapsed_ms * 1e3;
    return answer;
}

static void print_question(const char *question, struct answer answer, double code_us,
                           double pair_us, const char *what, const char *doubt) {
    print_row(doubt,
              "question=%-19s|error=%-30s|still_set=%9d|code_us=%9.2f|pair_us=%9.2f|what=%-s",
              question, cudaGetErrorName(answer.error), answer.still_set, code_us, pair_us, what);
}

/* ---- Questions that get an error ---- */

struct experiment {
    cudaEvent_t start, stop;
    unsigned long long *ran_ns, *other_ran_ns; /* how long a spin ran; on the device */
};

static cudaEvent_t new_event(unsigned flags) {
    cudaEvent_t event;
    CHECK_CUDA(cudaEventCreateWithFlags(&event, flags));
    return event;
}

struct errors {
    struct answer never, untimed, early;
};

static struct errors ask_for_errors(const struct experiment *e) {
    const cudaEvent_t start = e->start, stop = e->stop, never = new_event(cudaEventDefault);
    const cudaEvent_t untimed = new_event(cudaEventDisableTiming);
    struct errors errors;
    CHECK_CUDA(cudaEventRecord(start, 0));
    CHECK_CUDA(cudaEventRecord(untimed, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    errors.never = ask(start, never);
    errors.untimed = ask(start, untimed);
    spin<<<1, 1>>>(200 * spin_ns, e->ran_ns); /* far longer than the host takes to ask */
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    errors.early = ask(start, stop);
    CHECK_CUDA(cudaDeviceSynchronize());
    return errors;
}

/* ---- Questions that get a number ---- */

/* A spin between two events, each of the three in a stream of its choice. */
struct question {
    const char *name;
    cudaStream_t start, kernel, stop;
    bool is_right;    /* the kernel is between the events, whatever else is */
    bool behind_work; /* another spin is in the kernel's stream before all three */
    const char *words;
    struct answer last;
    double us[MAX_RUNS], code_us[MAX_RUNS], late_us[MAX_RUNS]; /* of each run */
};

/* Fills in `run` of the samples. The pair's time may go below 0: it is one event's minus the
 * other's. */
static void time_pair(const struct experiment *e, struct question *q, size_t run) {
    unsigned long long ns = 0;
    CHECK_CUDA(cudaMemset(e->ran_ns, 0, sizeof *e->ran_ns));
    CHECK_CUDA(cudaDeviceSynchronize()); /* cudaStreamNonBlocking does not wait for the memset */
    const int64_t start_ns = now_ns();
    if (q->behind_work) {
        spin<<<1, 1, 0, q->kernel>>>(spin_ns, e->other_ran_ns);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(e->start, q->start));
    spin<<<1, 1, 0, q->kernel>>>(spin_ns, e->ran_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e->stop, q->stop));
    CHECK_CUDA(cudaDeviceSynchronize()); /* all streams: `stop` may come before the kernel's end */
    const double host_us = (double)(now_ns() - start_ns) / 1e3;
    q->last = ask(e->start, e->stop);
    check_cuda(q->last.error, "cudaEventElapsedTime(start, stop)", __FILE__, __LINE__);
    CHECK_CUDA(cudaMemcpy(&ns, e->ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    q->us[run] = q->last.us;
    q->code_us[run] = (double)ns / 1e3;
    q->late_us[run] = host_us - q->us[run];
    const bool too_short = q->is_right && q->us[run] < q->code_us[run] - 2; /* clocks' steps */
    if (ns < spin_ns || isnan(q->us[run]) || too_short)
        errx(EXIT_FAILED, "impossible: %s gives %g us for a spin of %g us", q->name, q->us[run],
             q->code_us[run]);
}

static struct question *new_question(const char *name, cudaStream_t start, cudaStream_t kernel,
                                     cudaStream_t stop, bool is_right, const char *words) {
    struct question *q = (struct question *)new_memory(sizeof *q);
    q->name = name;
    q->start = start;
    q->kernel = kernel;
    q->stop = stop;
    q->is_right = is_right;
    q->words = words;
    return q;
}

static cudaStream_t new_stream(unsigned flags) {
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

/* A right pair holds the spin, and some us. Where it holds a quarter more, somebody else had the
 * GPU, or two clocks disagree: events and %globaltimer. */
static const char *doubt_right(const struct question *q, size_t runs) {
    const struct summary s = summarize_us(q->us, runs, false);
    const char *late = doubt_wait(median(q->late_us, runs));
    if (s.median > 1.25e-3 * (double)spin_ns)
        late = "the right pairs are too long";
    return s.doubt ?: late;
}

int main(int argc, char **argv) {
    long long runs = 31;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), END_OF_OPTIONS};
    parse_options(argc, argv, "What does cudaEventElapsedTime answer to a wrong question?",
                  options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    const size_t count = (size_t)runs;
    struct experiment e = {};
    CHECK_CUDA(cudaMalloc(&e.ran_ns, sizeof *e.ran_ns));
    CHECK_CUDA(cudaMalloc(&e.other_ran_ns, sizeof *e.other_ran_ns));
    e.start = new_event(cudaEventDefault);
    e.stop = new_event(cudaEventDefault);

    /* Many libraries make their streams with cudaStreamNonBlocking: the default stream, which is 0,
     * does not wait for them, nor they for it. For an ordinary one it does. */
    const cudaStream_t ordinary = new_stream(cudaStreamDefault);
    const cudaStream_t own = new_stream(cudaStreamNonBlocking);
    const cudaStream_t other = new_stream(cudaStreamNonBlocking);
    struct question *own_stream =
        new_question("own_stream", own, own, own, true, "right: all in one stream");
    struct question *default_stream =
        new_question("default_stream", 0, own, 0, false, "wrong: stream 0 does not wait");
    struct question *default_waits =
        new_question("default_waits", 0, ordinary, 0, true, "right: these two streams wait");
    struct question *two_streams =
        new_question("two_streams", own, own, other, false, "wrong: stop does not wait");
    struct question *behind_work =
        new_question("behind_work", own, own, other, false, "wrong: start waits for a spin");
    behind_work->behind_work = true;
    struct question *const questions[] = {own_stream,  default_stream, default_waits,
                                          two_streams, behind_work,    NULL};

    const struct errors errors = ask_for_errors(&e);
    for (int i = 0; questions[i]; i++) /* the warm-up */
        time_pair(&e, questions[i], 0);
    for (size_t run = 0; run < count; run++) /* in turns */
        for (int i = 0; questions[i]; i++)
            time_pair(&e, questions[i], run);
    /* The wrong pairs cannot say whether they were disturbed; the right ones say it for all. */
    const char *doubt = doubt_right(own_stream, count) ?: doubt_right(default_waits, count);
    for (int i = 0; questions[i]; i++)
        doubt = doubt ?: summarize_us(questions[i]->code_us, count, false).doubt;

    begin_record(options, gpu.name, driver);
    say("Wrong questions: cudaEventElapsedTime on %s; spins of %llu us, medians of %lld runs\n"
        "still_set: whether cudaGetLastError() returns the error again; code_us: the spin's own "
        "time\n\n",
        gpu.name, spin_ns / 1000, runs);
    print_question("stop_never_recorded", errors.never, NAN, NAN, "wrong: stop has no time", NULL);
    print_question("stop_without_timing", errors.untimed, NAN, NAN, "wrong: cudaEventDisableTiming",
                   NULL);
    print_question("stop_not_finished", errors.early, NAN, NAN, "too early: the kernel runs",
                   errors.early.error == cudaSuccess ? "the host asked too late" : NULL);
    for (int i = 0; questions[i]; i++) {
        const struct question *q = questions[i];
        print_question(q->name, q->last, median(q->code_us, count), median(q->us, count), q->words,
                       doubt);
    }
    say("\nAn error that is still_set is found by the next check after a launch, which blames the "
        "launch.\n"
        "An event in another stream gives no error: %.2f us for a kernel of %.2f us, and %.2f us "
        "with\n"
        "start behind other work. Record both events in the kernel's own stream.\n",
        median(default_stream->us, count), median(default_stream->code_us, count),
        median(behind_work->us, count));
    return EXIT_SUCCESS; /* memory, streams and events go with the process */
}
