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
 * Try:   ./clfinish_sync --size 1024        the overhead is now most of what the host sees
 */
#include "clock.h"
#include "summary.h"
#include "vectors.h" /* cl: context, device, queue */

static cl_command_queue event_queue; /* with CL_QUEUE_PROFILING_ENABLE, for the device's time */
static cl_kernel kernel;             /* vector_add */
static size_t global_size, local_size;
static long long threads = 256; /* of a work-group */

/* ---- The methods: each returns microseconds. Those of the host find one earlier vector_add in
 * the queue, which their caller never meant to time ---- */

static void enqueue_earlier_command(void) {
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                    NULL));
}

/* Wrong: the enqueue call returns when the command is in the queue, not when it has run. */
static double no_finish(void) {
    enqueue_earlier_command();
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                    NULL));
    const int64_t end_ns = now_ns();
    CHECK_CL(clFinish(cl.queue)); /* too late to count: only so that the next run starts clean */
    return (double)(end_ns - start_ns) / 1e3;
}

/* Wrong when anything else is in the queue: clFinish waits for that too. */
static double finish_after(void) {
    enqueue_earlier_command();
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                    NULL));
    CHECK_CL(clFinish(cl.queue));
    const int64_t end_ns = now_ns();
    return (double)(end_ns - start_ns) / 1e3;
}

/* Right: the first clFinish empties the queue, the second waits for the kernel. */
static double finish_before_and_after(void) {
    enqueue_earlier_command();
    CHECK_CL(clFinish(cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                    NULL));
    CHECK_CL(clFinish(cl.queue));
    const int64_t end_ns = now_ns();
    return (double)(end_ns - start_ns) / 1e3;
}

/* The device's own time, which chapter 03 is about. Exits with 1 if it cannot be true: some drivers
 * write nothing, or number the stages 0, 1, 2, 3. */
static double profiling_event(void) {
    cl_event event;
    cl_ulong start_ns = 0, end_ns = 0;
    const int64_t host_start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(event_queue, kernel, 1, NULL, &global_size, &local_size, 0,
                                    NULL, &event));
    CHECK_CL(clFinish(event_queue));
    const double host_us = (double)(now_ns() - host_start_ns) / 1e3;
    CHECK_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
                                     NULL));
    CHECK_CL(
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL));
    CHECK_CL(clReleaseEvent(event));
    const double us = (double)(cl_long)(end_ns - start_ns) / 1e3;
    if (start_ns < 1000 || us <= 0 ||
        us > 1.01 * host_us + 10) /* two clocks, each with its steps */
        fail(EXIT_FAILED, "impossible: START %llu ns, END %llu ns, while the host waited %.3f us",
             (unsigned long long)start_ns, (unsigned long long)end_ns, host_us);
    return us;
}

/* ---- One row of the report ---- */

/* `delayed`: all runs took too long alike, which the samples of one method cannot show. */
static struct summary report(const char *method, const char *clock, double *samples_us,
                             bool delayed) {
    const struct summary s = summarize_us(samples_us, (size_t)options.runs);
    label("method", 23, method);
    label("clock", 9, clock);
    summary_cells("us", s);
    end_row(s.disturbed || delayed);
    return s;
}

int main(int argc, char **argv) {
    static double none_us[MAX_RUNS], after_us[MAX_RUNS], both_us[MAX_RUNS], event_us[MAX_RUNS];
    cl_mem vectors[3];
    options.device = "";
    options.runs = 31;
    options.size = 1 << 24;
    add_option("threads", "work-items in a work-group", &threads, MAX_THREADS);
    parse_options(argc, argv, "Where must clFinish stand when the host's clock times a kernel?");
    open_opencl(0);
    MAKE_CL(event_queue =
                clCreateCommandQueue(cl.context, cl.device, CL_QUEUE_PROFILING_ENABLE, &cl_error));
    const size_t n = (size_t)options.size, runs = (size_t)options.runs;
    check_size(options.size, 4, 12);
    const cl_program program = build_program("clfinish_sync.cl", "");
    MAKE_CL(kernel = clCreateKernel(program, "vector_add", &cl_error));
    set_up_vectors(vectors, n, kernel);
    check_threads(kernel, threads, 0);
    local_size = (size_t)threads;
    global_size = (n + local_size - 1) / local_size * local_size;

    no_finish(); /* the warm-up, which chapter 06 is about */
    check_vector_add(vectors[C], n);
    spoil_sums(vectors[C], n);

    begin_table("clFinish: vector_add of %zu floats on %s, %s; %zu runs.\n"
                "By the host's clock: behind an earlier vector_add in the queue\n\n",
                n, cl.name, cl.platform, runs);
    for (size_t run = 0; run < runs; run++) { /* in turns: each meets the same machine */
        none_us[run] = no_finish();
        after_us[run] = finish_after();
        both_us[run] = finish_before_and_after();
        event_us[run] = profiling_event();
    }
    check_vector_add(vectors[C], n);

    const bool delayed = is_delayed(median(both_us, runs) - median(event_us, runs));
    const struct summary none = report("no_finish", "host", none_us, delayed);
    const struct summary after = report("finish_after", "host", after_us, delayed);
    const struct summary both = report("finish_before_and_after", "host", both_us, delayed);
    const struct summary event = report("profiling_event", "device", event_us, delayed);
    end_table();

    say("With no clFinish the host saw %.2f us: the enqueue call, ", none.median);
    if (none.median < 0.5 * both.median)
        say("whatever the kernel takes.\n");
    else
        say("which is long here: the kernel is short, or the host lost its core.\n");
    say("With one after only, %.2f us: ", after.median);
    if (after.disturbed || both.disturbed || delayed)
        say("a disturbed row says no more.\n");
    else if (after.median > 1.2 * both.median)
        say("the earlier command was in it.\n");
    else
        say("the earlier command had little left to do.\n");
    const double way_us = value("way", "us", both.median - event.median);
    if (both.disturbed || event.disturbed || delayed)
        say("With both, %.2f us. How long the way there and back takes is unknown this time:\n"
            "finish_before_and_after or profiling_event is disturbed.\n",
            both.median);
    else if (way_us > 0)
        say("With both, %.2f us: the kernel's %.2f us, and %.2f us for the way there and back.\n",
            both.median, event.median, way_us);
    else
        say("With both, %.2f us. The kernel's %.2f us, in other runs, are not less:\n"
            "the runs vary by more than the way there and back.\n",
            both.median, event.median);
    return EXIT_SUCCESS; /* what was created goes with the process */
}
