/* SPDX-License-Identifier: MIT
 *
 * What does the device's own clock say of a command, stage by stage?
 *
 * Measures: the stamps QUEUED, SUBMIT, START, END and COMPLETE of vector_add, and the host's clock
 *   around the same runs; START to END of an empty kernel, by turns; the clock's step.
 * Does not measure: bandwidth (bandwidth.c), nor the kernel's code alone (known_length.c).
 *
 * Build: cc -O2 -I../common opencl_profiling.c -o opencl_profiling -lOpenCL -lm
 * Run:   ./opencl_profiling
 * Try:   ./opencl_profiling --size 1000        which times shrink, which stay?
 */
#include "cores.h"
#include "opencl.h"
#include "report.h"
#include "samples.h"

struct experiment {
    cl_command_queue queue;         /* with CL_QUEUE_PROFILING_ENABLE: it stamps its commands */
    cl_kernel kernel, empty_kernel; /* vector_add and empty_kernel of opencl_profiling.cl */
    size_t global_size, local_size; /* of vector_add: all work-items; those of a work-group */
};

/* ---- The technique: the stamps of one finished command ---- */

/* The times of one vector_add. QUEUED: the host put the command into the queue. SUBMIT: the driver
 * gave it to the device. START and END: the device began it, and ended it. COMPLETE: the kernels
 * that this kernel launched have ended, too. HOST: all of it by the host's clock.
 * EMPTY_KERNEL: START to END of an empty kernel. */
enum { QUEUED_TO_SUBMIT, SUBMIT_TO_START, START_TO_END, END_TO_COMPLETE, HOST, EMPTY_KERNEL, ROWS };
static const char *const names[ROWS] = {
    "queued_to_submit", "submit_to_start", "start_to_end", "end_to_complete", "host",
    "empty_kernel"};

/* Runs one command. Stores its event; returns what the host's clock says, in us. */
static double run_us(cl_command_queue queue, cl_kernel kernel, size_t global, size_t local,
                     cl_event *event) {
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, event));
    CHECK_CL(clFinish(queue)); /* When the command has finished, it has its stamps. */
    return (double)(now_ns() - start_ns) / 1e3;
}

/* A stamp, in ns already: it is not to be multiplied by the timer's resolution. Exits with 1 if no
 * clock gives it: some drivers succeed and write nothing, or 0, or number the stages 0, 1, 2, 3. */
static cl_ulong stamp_ns(cl_event event, cl_profiling_info which) {
    cl_ulong ns = 0;
    const cl_int error = clGetEventProfilingInfo(event, which, sizeof ns, &ns, NULL);
    if (error == CL_INVALID_VALUE && which == CL_PROFILING_COMMAND_COMPLETE) /* OpenCL 1.2 */
        return stamp_ns(event, CL_PROFILING_COMMAND_END);
    check_cl(error, "clGetEventProfilingInfo", __FILE__, __LINE__);
    if (ns < 1000)
        errx(EXIT_FAILED, "impossible: clGetEventProfilingInfo(%#x) succeeds, and gives %llu ns",
             which, (unsigned long long)ns);
    return ns;
}

/* From one stamp to another. They are unsigned: subtracted and not made signed, a nanosecond below
 * zero is 584 years. */
static double between_us(cl_ulong from_ns, cl_ulong to_ns) {
    return (double)(cl_long)(to_ns - from_ns) / 1e3;
}

/* Runs empty kernels, then one vector_add. Returns by how much the host waited longer than the
 * device ran, the larger one of both kernels. What is before START may be below zero: some drivers
 * translate QUEUED and SUBMIT from the host's clock, and not exactly. START and END are by one
 * clock, and in order: else this exits with 1. */
static double time_stages(const struct experiment *x, double us[ROWS]) {
    double empty_host_us;
    cl_event event;
    for (int i = 0; i < 2; i++) { /* The second one counts. The first one wakes the device. */
        empty_host_us = run_us(x->queue, x->empty_kernel, 1, 1, &event);
        us[EMPTY_KERNEL] = start_to_end_us(event, empty_host_us);
    }
    us[HOST] = run_us(x->queue, x->kernel, x->global_size, x->local_size, &event);
    const cl_ulong queued_ns = stamp_ns(event, CL_PROFILING_COMMAND_QUEUED);
    const cl_ulong submit_ns = stamp_ns(event, CL_PROFILING_COMMAND_SUBMIT);
    const cl_ulong start_ns = stamp_ns(event, CL_PROFILING_COMMAND_START);
    const cl_ulong end_ns = stamp_ns(event, CL_PROFILING_COMMAND_END);
    const cl_ulong complete_ns = stamp_ns(event, CL_PROFILING_COMMAND_COMPLETE);
    us[QUEUED_TO_SUBMIT] = between_us(queued_ns, submit_ns);
    us[SUBMIT_TO_START] = between_us(submit_ns, start_ns);
    us[START_TO_END] = start_to_end_us(event, us[HOST]); /* exits if that cannot be */
    us[END_TO_COMPLETE] = between_us(end_ns, complete_ns);
    if (us[START_TO_END] == 0 || us[END_TO_COMPLETE] < 0)
        errx(EXIT_FAILED,
             "impossible, or too short for this clock: START %llu, END %llu, COMPLETE %llu ns",
             (unsigned long long)start_ns, (unsigned long long)end_ns,
             (unsigned long long)complete_ns);
    return fmax(us[HOST] - us[START_TO_END], empty_host_us - us[EMPTY_KERNEL]);
}

/* ---- The check of the result ---- */

static void check_result(const struct experiment *x, cl_mem c, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CL(clEnqueueReadBuffer(x->queue, c, CL_TRUE, 0, n * sizeof *host, host, 0, NULL, NULL));
    check_sums(host, n);
    free(host);
}

/* Writes over c after the warm-up's check: the timed runs must write the sums anew. */
static void spoil_result(const struct experiment *x, cl_mem c, size_t n) {
    const float none = -1;
    const size_t bytes = n * sizeof none;
    CHECK_CL(clEnqueueFillBuffer(x->queue, c, &none, sizeof none, 0, bytes, 0, NULL, NULL));
    CHECK_CL(clFinish(x->queue));
}

/* ---- From samples to a row ---- */

/* The samples' standard deviation, from the differences to their mean: the mean of squares minus
 * the square of the mean would cancel. */
static double std_dev(const double *samples, size_t count, double mean) {
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (samples[i] - mean) * (samples[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

/* The largest number of ns that divides all these times shows the step of a coarse clock. */
static long long common_step_ns(const double *us, size_t n) {
    long long step_ns = 0;
    for (size_t i = 0; i < n; i++)
        for (long long rest, ns = us[i] > 0 ? llround(us[i] * 1e3) : 0; ns > 0; ns = rest) {
            rest = step_ns % ns; /* Euclid's algorithm */
            step_ns = ns;
        }
    return step_ns;
}

int main(int argc, char **argv) {
    static double us[ROWS][MAX_RUNS], overhead_us[MAX_RUNS];
    double one_us[ROWS];
    struct summary s[ROWS];
    long long runs = 31, size = 1 << 24, threads = 256;
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size),
        OPT_NUMBER("threads", &threads, MAX_THREADS, "work-items in a work-group"), END_OF_OPTIONS};
    struct experiment x;
    cl_mem vectors[3];
    size_t claimed_ns;
    parse_options(argc, argv, "What does the device's own clock say of a command?", options);
    const struct opencl cl = open_opencl(CL_QUEUE_PROFILING_ENABLE);
    x.queue = cl.queue;
    check_size(&cl, size, 3 * sizeof(float));
    const cl_program program = build_program(&cl, "opencl_profiling.cl", "");
    x.kernel = new_kernel(program, "vector_add");
    x.empty_kernel = new_kernel(program, "empty_kernel");
    check_group(&cl, x.kernel, threads);

    const size_t n = (size_t)size, count = (size_t)runs;
    const cl_ulong elements = n;
    for (cl_uint v = A; v <= C; v++) {
        float *floats = host_vector(v, n);
        vectors[v] = new_buffer(&cl, n * sizeof *floats, floats);
        CHECK_CL(clSetKernelArg(x.kernel, v, sizeof vectors[v], &vectors[v]));
        free(floats);
    }
    CHECK_CL(clSetKernelArg(x.kernel, 3, sizeof elements, &elements));
    x.local_size = (size_t)threads;
    x.global_size = (n + x.local_size - 1) / x.local_size * x.local_size;
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof claimed_ns,
                             &claimed_ns, NULL));
    time_stages(&x, one_us); /* the warm-up */
    check_result(&x, vectors[C], n);
    spoil_result(&x, vectors[C], n);

    const struct cores from = cores_now();
    for (size_t run = 0; run < count; run++) {
        overhead_us[run] = time_stages(&x, one_us);
        for (int r = 0; r < ROWS; r++)
            us[r][run] = one_us[r];
    }
    const struct cores to = cores_now();
    /* Others on the processor are in the host's times, and in those of a device that is the CPU. */
    const char *others = wait_and_doubt_cores(&from),
               *delayed = doubt_wait(median(overhead_us, count));
    check_result(&x, vectors[C], n);

    const bool cpu = cl.type & CL_DEVICE_TYPE_CPU;
    for (int r = 0; r < ROWS; r++)
        s[r] = summarize_us(us[r], count, cpu);
    const long long seen_step_ns = common_step_ns(us[START_TO_END], count);
    const double own_cores = (double)(to.ran - from.ran) / (double)(to.at - from.at);

    begin_record(options, cl.name, cl.driver);
    say("OpenCL profiling: vector_add of %zu floats on %s, %s; %lld runs\n\n", n, cl.name,
        cl.driver, runs);
    for (int r = 0; r < ROWS; r++)
        print_row(s[r].doubt ?: delayed ?: r == HOST || cpu ? others : NULL,
                  "interval=%-16s|" US_FORMAT "|std_dev_us=%.2f", names[r], US_OF(s[r]),
                  std_dev(us[r], count, s[r].mean));
    value("claimed_step_ns", (double)claimed_ns);
    say("\nThe host waited %.2f us for a command that the device ran in %.2f us; an empty kernel "
        "took\n"
        "%.2f us. The device's clock claims steps of %zu ns",
        s[HOST].median, s[START_TO_END].median, s[EMPTY_KERNEL].median, claimed_ns);
    if (runs >= 20) { /* fewer are too few to show the step */
        value("seen_step_ns", (double)seen_step_ns);
        say("; all times from START to END are\nmultiples of %lld ns", seen_step_ns);
    }
    say(".\n");
    if (cpu) {
        value("own_cores", own_cores);
        say("The threads of this program kept %.1f cores busy.\n", own_cores);
    }
    return EXIT_SUCCESS;
}
