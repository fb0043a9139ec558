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
#include "blocked.h" /* the spin, probe_gpu(), a pair of events: nothing is blocked here */

static const unsigned long long spin_ns = 250000;

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

static void print_row(struct table *table, const char *question, struct answer answer,
                      double code_us, double pair_us, const char *words, unsigned marks) {
    text(table, "question", 19, question);
    text(table, "error", 30, cudaGetErrorName(answer.error));
    number(table, "still_set", 0, answer.still_set);
    number(table, "code_us", 2, code_us);
    number(table, "pair_us", 2, pair_us);
    text(table, "what", 30, words);
    end_row(table, marks);
}

/* ---- Questions that get an error ---- */

struct experiment {
    struct blocked_pair pair;
    unsigned long long *ran_ns, *other_ran_ns; /* how long a spin ran; on the device */
};

static void ask_for_errors(struct table *table, const struct experiment *e) {
    const cudaEvent_t start = e->pair.start, stop = e->pair.stop, never = new_event();
    cudaEvent_t untimed;
    CHECK_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK_CUDA(cudaEventRecord(start, 0));
    CHECK_CUDA(cudaEventRecord(untimed, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    print_row(table, "stop_never_recorded", ask(start, never), NAN, NAN, "wrong: stop has no time",
              false);
    print_row(table, "stop_without_timing", ask(start, untimed), NAN, NAN,
              "wrong: cudaEventDisableTiming", false);
    spin<<<1, 1>>>(200 * spin_ns, e->ran_ns); /* far longer than the host takes to ask */
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    const struct answer early = ask(start, stop);
    print_row(table, "stop_not_finished", early, NAN, NAN, "too early: the kernel runs",
              early.error == cudaSuccess);
    CHECK_CUDA(cudaDeviceSynchronize());
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
    double us[MAX_RUNS], code_us[MAX_RUNS]; /* of each run */
};

/* Fills in `run` of the samples. The pair's time may go below 0: it is one event's minus the
 * other's. */
static void time_pair(const struct experiment *e, struct question *q, size_t run) {
    unsigned long long ns = 0;
    CHECK_CUDA(cudaMemset(e->ran_ns, 0, sizeof *e->ran_ns));
    CHECK_CUDA(cudaDeviceSynchronize()); /* cudaStreamNonBlocking does not wait for the memset */
    if (q->behind_work) {
        spin<<<1, 1, 0, q->kernel>>>(spin_ns, e->other_ran_ns);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(e->pair.start, q->start));
    spin<<<1, 1, 0, q->kernel>>>(spin_ns, e->ran_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e->pair.stop, q->stop));
    CHECK_CUDA(cudaDeviceSynchronize()); /* all streams: `stop` may come before the kernel's end */
    q->last = ask(e->pair.start, e->pair.stop);
    check_cuda(q->last.error, "cudaEventElapsedTime(start, stop)", __FILE__, __LINE__);
    CHECK_CUDA(cudaMemcpy(&ns, e->ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    q->us[run] = q->last.us;
    q->code_us[run] = (double)ns / 1e3;
    const bool too_short = q->is_right && q->us[run] < q->code_us[run] - 2; /* clocks' steps */
    if (ns < spin_ns || isnan(q->us[run]) || too_short)
        fail(EXIT_FAILED, "impossible: %s gives %g us for a spin of %g us", q->name, q->us[run],
             q->code_us[run]);
}

static struct question *new_question(const char *name, cudaStream_t start, cudaStream_t kernel,
                                     cudaStream_t stop, bool is_right, const char *words) {
    struct question *q = (struct question *)new_memory(sizeof *q, "the samples");
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

int main(int argc, char **argv) {
    const char *device = "";
    long long runs = 31;
    const struct arg args[] = {ARG_DEVICE(&device), ARG_RUNS(&runs), END_OF_ARGS};
    parse_args(argc, argv, "What does cudaEventElapsedTime answer to a wrong question?", args);
    const struct gpu gpu = open_cuda(device);
    struct experiment e = {};
    e.ran_ns = (unsigned long long *)new_on_device(sizeof *e.ran_ns, NULL);
    e.other_ran_ns = (unsigned long long *)new_on_device(sizeof *e.other_ran_ns, NULL);
    e.pair = new_blocked_pair();

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

    struct table table = {};
    begin_record(args, gpu.properties.name, gpu.driver);
    say("Wrong questions: cudaEventElapsedTime on %s; spins of %llu us, medians of %lld runs\n"
        "still_set: whether cudaGetLastError() returns the error again; code_us: the spin's own "
        "time\n\n",
        gpu.properties.name, spin_ns / 1000, runs);
    ask_for_errors(&table, &e);
    for (int i = 0; questions[i]; i++) /* the warm-up */
        time_pair(&e, questions[i], 0);
    for (size_t run = 0; run < (size_t)runs; run++) /* in turns */
        for (int i = 0; questions[i]; i++)
            time_pair(&e, questions[i], run);

    /* The wrong pairs cannot say whether they were disturbed; the right ones say it for all. */
    unsigned marks = probe_gpu(&e.pair);
    for (int i = 0; questions[i]; i++) {
        const struct question *q = questions[i];
        const struct summary s = summarize_us(q->us, (size_t)runs);
        if (q->is_right)
            marks |= s.marks | (s.median > 1.25e-3 * (double)spin_ns ? INTERRUPTED : 0);
        marks |= summarize_us(q->code_us, (size_t)runs).marks;
    }
    for (int i = 0; questions[i]; i++) {
        const struct question *q = questions[i];
        print_row(&table, q->name, q->last, median(q->code_us, (size_t)runs),
                  median(q->us, (size_t)runs), q->words, marks);
    }
    end_table(&table);
    say("An error that is still_set is found by the next check after a launch, which blames the "
        "launch.\n"
        "An event in another stream gives no error: %.2f us for a kernel of %.2f us, and %.2f us "
        "with\n"
        "start behind other work. Record both events in the kernel's own stream.\n",
        median(default_stream->us, (size_t)runs), median(default_stream->code_us, (size_t)runs),
        median(behind_work->us, (size_t)runs));
    return EXIT_SUCCESS; /* memory, streams and events go with the process */
}
