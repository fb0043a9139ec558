/* SPDX-License-Identifier: MIT
 *
 * Where must clFinish stand when the host's clock times a kernel?
 *
 * Measures: the host clock around clEnqueueNDRangeKernel with no clFinish, with one after, with one
 *   before and one after; beside them, the device's own time for another run.
 * Does not measure: where the difference between host and device time goes (chapter 03).
 *
 * Build: cc -O2 -I../common clfinish_sync.c -o clfinish_sync -lOpenCL -lm
 * Run:   ./clfinish_sync
 * Try:   ./clfinish_sync --size 1024        what is most of the host's time now?
 */
#include "cores.h"
#include "opencl.h"
#include "report.h"
#include "samples.h"

/* The kernel is vector_add of clfinish_sync.cl: c = a + b, one element by each work-item. */
struct experiment {
    cl_command_queue queue;
    cl_command_queue event_queue; /* The driver stamps its commands, for profiling_event(). */
    cl_kernel kernel;
    size_t global_size, local_size; /* of all work-items; of a work-group */
    size_t floats;                  /* in each vector */
    cl_mem vectors[3];
};

/* ---- The methods: each returns microseconds. Those of the host find one earlier vector_add in
 * the queue, which their caller never meant to time ---- */

static void enqueue_earlier_command(const struct experiment *x) {
    CHECK_CL(clEnqueueNDRangeKernel(x->queue, x->kernel, 1, NULL, &x->global_size, &x->local_size,
                                    0, NULL, NULL));
}

/* Wrong: the enqueue call returns when the command is in the queue, not when it has run. */
static double no_finish_us(const struct experiment *x) {
    enqueue_earlier_command(x);
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(x->queue, x->kernel, 1, NULL, &x->global_size, &x->local_size,
                                    0, NULL, NULL));
    const int64_t end_ns = now_ns();
    CHECK_CL(clFinish(x->queue)); /* not timed: the next run must find an empty queue */
    return (double)(end_ns - start_ns) / 1e3;
}

/* Wrong when anything else is in the queue: clFinish waits for that, too. */
static double finish_after_us(const struct experiment *x) {
    enqueue_earlier_command(x);
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(x->queue, x->kernel, 1, NULL, &x->global_size, &x->local_size,
                                    0, NULL, NULL));
    CHECK_CL(clFinish(x->queue));
    const int64_t end_ns = now_ns();
    return (double)(end_ns - start_ns) / 1e3;
}

/* Right: the first clFinish empties the queue, the second waits for the kernel. */
static double finish_before_and_after_us(const struct experiment *x) {
    enqueue_earlier_command(x);
    CHECK_CL(clFinish(x->queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(x->queue, x->kernel, 1, NULL, &x->global_size, &x->local_size,
                                    0, NULL, NULL));
    CHECK_CL(clFinish(x->queue));
    const int64_t end_ns = now_ns();
    return (double)(end_ns - start_ns) / 1e3;
}

/* The device's own time, which chapter 03 is about. Exits with 1 if it cannot be true: some drivers
 * write nothing, or number the stages 0, 1, 2, 3. */
static double profiling_event_us(const struct experiment *x) {
    cl_event event;
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(x->event_queue, x->kernel, 1, NULL, &x->global_size,
                                    &x->local_size, 0, NULL, &event));
    CHECK_CL(clFinish(x->event_queue));
    const double us = start_to_end_us(event, (double)(now_ns() - start_ns) / 1e3);
    if (us == 0)
        errx(EXIT_FAILED, "too short for the device's clock: START and END are the same");
    return us;
}

/* ---- Set-up, the check of the result, a row of the table ---- */

static struct experiment new_experiment(const struct opencl *cl, size_t floats, size_t threads) {
    struct experiment x = {.queue = cl->queue, .floats = floats, .local_size = threads};
    const cl_ulong elements = floats;
    cl_int error;
    x.event_queue =
        clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &error);
    check_cl(error, "clCreateCommandQueue", __FILE__, __LINE__);
    x.kernel = new_kernel(build_program(cl, "clfinish_sync.cl", ""), "vector_add");
    check_group(cl, x.kernel, (long long)threads);
    x.global_size = (floats + threads - 1) / threads * threads;
    for (cl_uint v = A; v <= C; v++) {
        float *host = host_vector(v, floats);
        x.vectors[v] = new_buffer(cl, floats * sizeof *host, host);
        CHECK_CL(clSetKernelArg(x.kernel, v, sizeof x.vectors[v], &x.vectors[v]));
        free(host);
    }
    CHECK_CL(clSetKernelArg(x.kernel, 3, sizeof elements, &elements));
    return x;
}

static void check_result(const struct experiment *x) {
    float *host = host_vector(C, x->floats);
    CHECK_CL(clEnqueueReadBuffer(x->queue, x->vectors[C], CL_TRUE, 0, x->floats * sizeof *host,
                                 host, 0, NULL, NULL));
    check_sums(host, x->floats);
    free(host);
}

/* Writes over the sums after the warm-up's check: the timed runs must write them anew. */
static void spoil_result(const struct experiment *x) {
    const float none = -1;
    CHECK_CL(clEnqueueFillBuffer(x->queue, x->vectors[C], &none, sizeof none, 0,
                                 x->floats * sizeof none, 0, NULL, NULL));
    CHECK_CL(clFinish(x->queue));
}

static void print_method(const char *method, const char *clock, struct summary s,
                         const char *doubt) {
    print_row(s.doubt ?: doubt, "method=%-23s|clock=%-9s|" US_FORMAT, method, clock, US_OF(s));
}

int main(int argc, char **argv) {
    static double none_us[MAX_RUNS], after_us[MAX_RUNS], both_us[MAX_RUNS], event_us[MAX_RUNS];
    long long runs = 31, size = 1 << 24, threads = 256;
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size),
        OPT_NUMBER("threads", &threads, MAX_THREADS, "work-items in a work-group"), END_OF_OPTIONS};
    parse_options(argc, argv, "Where must clFinish stand when the host's clock times a kernel?",
                  options);
    const struct opencl cl = open_opencl(0);
    check_size(&cl, size, 3 * sizeof(float));
    const struct experiment x = new_experiment(&cl, (size_t)size, (size_t)threads);
    const size_t count = (size_t)runs;
    no_finish_us(&x); /* the warm-up, which chapter 06 is about */
    check_result(&x);
    spoil_result(&x);

    const struct cores from = cores_now();
    for (size_t run = 0; run < count; run++) { /* in turns: each meets the same machine */
        none_us[run] = no_finish_us(&x);
        after_us[run] = finish_after_us(&x);
        both_us[run] = finish_before_and_after_us(&x);
        event_us[run] = profiling_event_us(&x);
    }
    const struct cores to = cores_now();
    /* Others on the processor are in the host's times, and in those of a device that is the CPU. */
    const char *others = wait_and_doubt_cores(&from);
    check_result(&x);

    const bool cpu = cl.type & CL_DEVICE_TYPE_CPU;
    const struct summary none = summarize_us(none_us, count, cpu),
                         after = summarize_us(after_us, count, cpu),
                         both = summarize_us(both_us, count, cpu),
                         event = summarize_us(event_us, count, cpu);
    const double overhead_us = both.median - event.median;
    const double own_cores = (double)(to.ran - from.ran) / (double)(to.at - from.at);
    const char *delayed = doubt_wait(overhead_us);

    begin_record(options, cl.name, cl.driver);
    say("clFinish: vector_add of %lld floats on %s, %s; %lld runs.\n"
        "The host's clock times it behind an earlier vector_add in the queue.\n\n",
        size, cl.name, cl.driver, runs);
    print_method("no_finish", "host", none, delayed ?: others);
    print_method("finish_after", "host", after, delayed ?: others);
    print_method("finish_before_and_after", "host", both, delayed ?: others);
    print_method("profiling_event", "device", event, delayed ?: cpu ? others : NULL);
    value("overhead_us", overhead_us);
    say("\nThe host's clock says %.2f us with no clFinish, %.2f us with one after the kernel, and\n"
        "%.2f us with one before and one after. This is %.2f us more than the device's %.2f us.\n",
        none.median, after.median, both.median, overhead_us, event.median);
    if (cpu) {
        value("own_cores", own_cores);
        say("The threads of this program kept %.1f cores busy.\n", own_cores);
    }
    return EXIT_SUCCESS; /* what was created goes with the process */
}
