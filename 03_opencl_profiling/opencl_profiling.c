/* SPDX-License-Identifier: MIT
 *
 * What does the device's own clock say of a command, stage by stage?
 *
 * Measures: the stamps QUEUED, SUBMIT, START, END and COMPLETE of vector_add, and the host's clock
 *   around the same runs; START to END of an empty kernel, by turns; the clock's step.
 * Does not measure: bandwidth (bandwidth.c), nor the kernel's code alone (docs/lab/known_length.c).
 *
 * Build: cc -O2 -I../common opencl_profiling.c -o opencl_profiling -lOpenCL -lm
 * Run:   ./opencl_profiling
 * Try:   ./opencl_profiling --size 1000        which stages shrink, which stay?
 */
#include "clock.h"
#include "stamps.h"
#include "summary.h"
#include "vectors.h" /* cl: context, device, queue */

static cl_kernel kernel, empty_kernel;
static size_t global_size, local_size;
static long long threads = 256; /* of a work-group */

/* Of vector_add. QUEUED: the host put the command into the queue. SUBMIT: the driver gave it to the
 * device. START and END: the device began it, and ended it. COMPLETE: so did whatever the kernel
 * itself enqueued. */
enum { QUEUED_TO_SUBMIT, SUBMIT_TO_START, START_TO_END, END_TO_COMPLETE, HOST, EMPTY, INTERVALS };
static const char *const names[INTERVALS] = {
    "queued_to_submit", "submit_to_start", "start_to_end", "end_to_complete", "host",
    "empty_kernel", /* its START to END */
};

/* ---- The technique: the stamps of one finished command ---- */

/* A driver of OpenCL 1.2 does not know COMPLETE: then it is END. */
static cl_ulong read_complete_ns(cl_event event, cl_ulong end_ns) {
    cl_ulong complete_ns = 0;
    cl_error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_COMPLETE, sizeof complete_ns,
                                       &complete_ns, NULL);
    if (cl_error == CL_INVALID_VALUE)
        return end_ns;
    check_cl(cl_error, "clGetEventProfilingInfo(COMPLETE)", __FILE__, __LINE__);
    return complete_ns;
}

/* Runs one command. Stores its event; returns what the host's clock says, in us. */
static double run_us(cl_kernel k, const size_t *global, const size_t *local, cl_event *event) {
    CHECK_CL(clFinish(cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, global, local, 0, NULL, event));
    CHECK_CL(clFinish(cl.queue)); /* the stamps are there when the command has finished */
    return (double)(now_ns() - start_ns) / 1e3;
}

/* One vector_add by five stamps and the host's clock, behind empty kernels. Stores intervals in us.
 * Those before START may be below zero: some drivers translate QUEUED and SUBMIT from the host's
 * clock, and not exactly. START and END are by one clock, and in order. */
static void time_stages(double us[INTERVALS]) {
    static const size_t one = 1;
    cl_event event;
    for (int i = 0; i < 2; i++) { /* the second one counts: the first wakes the device */
        us[HOST] = run_us(empty_kernel, &one, &one, &event);
        us[EMPTY] = take_start_to_end_us(event, us[HOST]);
    }
    us[HOST] = run_us(kernel, &global_size, &local_size, &event);
    const cl_ulong queued_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_QUEUED);
    const cl_ulong submit_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_SUBMIT);
    const cl_ulong start_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_START);
    const cl_ulong end_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_END);
    const cl_ulong complete_ns = read_complete_ns(event, end_ns);
    us[QUEUED_TO_SUBMIT] = between_us(queued_ns, submit_ns);
    us[SUBMIT_TO_START] = between_us(submit_ns, start_ns);
    us[END_TO_COMPLETE] = between_us(end_ns, complete_ns);
    us[START_TO_END] = take_start_to_end_us(event, us[HOST]); /* exits if that cannot be */
    if (us[START_TO_END] == 0 || us[END_TO_COMPLETE] < 0)
        fail(EXIT_FAILED,
             "impossible, or too short for this clock: START %llu, END %llu, COMPLETE %llu ns",
             (unsigned long long)start_ns, (unsigned long long)end_ns,
             (unsigned long long)complete_ns);
}

/* The samples' standard deviation, from the differences to their mean: the mean of squares minus
 * the square of the mean would cancel. */
static double std_dev(const double *samples, size_t count, double mean) {
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (samples[i] - mean) * (samples[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

int main(int argc, char **argv) {
    static double samples_us[INTERVALS][MAX_RUNS];
    double us[INTERVALS];
    struct summary s[INTERVALS];
    cl_mem vectors[3];
    size_t claimed_ns;
    uint64_t step_ns = 0;
    options.device = "";
    options.runs = 31;
    options.size = 1 << 24;
    add_option("threads", "work-items in a work-group", &threads, MAX_THREADS);
    parse_options(argc, argv, "What does the device's own clock say of a command?");
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    const size_t n = (size_t)options.size, runs = (size_t)options.runs;
    check_size(options.size, 4, 12);
    const cl_program program = build_program("opencl_profiling.cl", "");
    MAKE_CL(kernel = clCreateKernel(program, "vector_add", &cl_error));
    MAKE_CL(empty_kernel = clCreateKernel(program, "empty_kernel", &cl_error));
    set_up_vectors(vectors, n, kernel);
    check_threads(kernel, threads, 0);
    local_size = (size_t)threads;
    global_size = (n + local_size - 1) / local_size * local_size;
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof claimed_ns,
                             &claimed_ns, NULL));
    time_stages(us); /* the warm-up */
    check_vector_add(vectors[C], n);
    spoil_sums(vectors[C], n);

    begin_table("OpenCL profiling: vector_add of %zu floats on %s, %s; %zu runs\n\n", n, cl.name,
                cl.platform, runs);
    for (size_t run = 0; run < runs; run++) {
        time_stages(us);
        for (int i = 0; i < INTERVALS; i++)
            samples_us[i][run] = us[i];
        step_ns = common_step_ns(step_ns, (uint64_t)llround(us[START_TO_END] * 1e3));
    }
    check_vector_add(vectors[C], n);
    for (int i = 0; i < INTERVALS; i++)
        s[i] = summarize_us(samples_us[i], runs);
    const bool delayed = is_delayed(s[HOST].median - s[START_TO_END].median);
    for (int i = 0; i < INTERVALS; i++) {
        label("interval", 16, names[i]);
        summary_cells("us", s[i]);
        number("std_dev", "us", 2, std_dev(samples_us[i], runs, s[i].mean));
        end_row(s[i].disturbed || (delayed && i != EMPTY));
    }
    end_table();

    say("The host waited %.2f us for a command that the device ran in %.2f us.\n", s[HOST].median,
        s[START_TO_END].median);
    const bool is_long = s[START_TO_END].median >= 20 * s[EMPTY].median;
    say(is_long
            ? "That is at least 20 times an empty kernel's %.2f us: launch and drain are at most\n"
              "5 %% of it.\n"
            : "That is less than 20 times an empty kernel's %.2f us: subtract this.\n",
        s[EMPTY].median);
    if (s[START_TO_END].disturbed)
        say("But start_to_end is disturbed: do not report it.\n");
    if (s[EMPTY].disturbed && !is_long)
        say("But empty_kernel is disturbed: do not subtract it.\n");
    if (s[QUEUED_TO_SUBMIT].min < 0 || s[SUBMIT_TO_START].min < 0)
        say("Some stamps are out of order: here only START and END come from one clock.\n");
    value("claimed_step", "ns", (double)claimed_ns);
    say("The device's clock claims steps of %zu ns.\n", claimed_ns);
    if (runs >= 20) /* fewer are too few to tell the step */
        value("seen_step", "ns", (double)step_ns);
    if (runs >= 20 && step_ns > 1)
        say("All times from START to END are multiples of %llu ns.\n", (unsigned long long)step_ns);
    return EXIT_SUCCESS;
}
