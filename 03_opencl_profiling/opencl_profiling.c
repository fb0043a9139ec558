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
    size_t floats;                  /* in each of its vectors */
    cl_mem vectors[3];
};

/* ---- The technique: the stamps of one finished command ---- */

/* The times of one vector_add. QUEUED: the host put the command into the queue. SUBMIT: the driver
 * gave it to the device. START and END: the device began it, and ended it. COMPLETE: the kernels
 * that this kernel launched have ended, too. HOST: all of it by the host's clock.
 * EMPTY_KERNEL: START to END of an empty kernel. */
enum { QUEUED_TO_SUBMIT, SUBMIT_TO_START, START_TO_END, END_TO_COMPLETE, HOST, EMPTY_KERNEL, ROWS };
static const char *const names[ROWS] = {[QUEUED_TO_SUBMIT] = "queued_to_submit",
                                        [SUBMIT_TO_START] = "submit_to_start",
                                        [START_TO_END] = "start_to_end",
                                        [END_TO_COMPLETE] = "end_to_complete",
                                        [HOST] = "host",
                                        [EMPTY_KERNEL] = "empty_kernel"};

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

/* Runs empty kernels, then one vector_add. What is before START may be below zero: some drivers
 * translate QUEUED and SUBMIT from the host's clock, and not exactly. START and END are by one
 * clock, and in order: else this exits with 1. */
static void time_stages(const struct experiment *x, double us[ROWS]) {
    cl_event event;
    for (int i = 0; i < 2; i++) { /* The second one counts. The first one wakes the device. */
        const double host_us = run_us(x->queue, x->empty_kernel, 1, 1, &event);
        us[EMPTY_KERNEL] = start_to_end_us(event, host_us);
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
}

/* ---- Set-up, and the check of the result ---- */

static struct experiment new_experiment(const struct opencl *cl, size_t floats, size_t threads) {
    const cl_program program = build_program(cl, "opencl_profiling.cl", "");
    const cl_ulong elements = floats;
    struct experiment x = {.queue = cl->queue, .floats = floats, .local_size = threads};
    x.kernel = new_kernel(program, "vector_add");
    x.empty_kernel = new_kernel(program, "empty_kernel");
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

/* ---- The report's numbers ---- */

/* The largest number of ns that divides all these times shows the step of a coarse clock. */
static long long common_step_ns(const double *us, size_t n) {
    long long step_ns = 0;
    for (size_t i = 0; i < n; i++) {
        long long ns = llround(us[i] * 1e3);
        while (ns != 0) { /* Euclid's algorithm */
            const long long rest = step_ns % ns;
            step_ns = ns;
            ns = rest;
        }
    }
    return step_ns;
}

int main(int argc, char **argv) {
    static double us[ROWS][MAX_RUNS];
    double one_us[ROWS];
    struct summary s[ROWS];
    size_t claimed_ns;
    long long runs = 31, size = 1 << 24, threads = 256;
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size),
        OPT_NUMBER("threads", &threads, MAX_THREADS, "work-items in a work-group"), END_OF_OPTIONS};
    parse_options(argc, argv, "What does the device's own clock say of a command?", options);
    const struct opencl cl = open_opencl(CL_QUEUE_PROFILING_ENABLE);
    check_size(&cl, size, 3 * sizeof(float));
    const struct experiment x = new_experiment(&cl, (size_t)size, (size_t)threads);
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof claimed_ns,
                             &claimed_ns, NULL));
    time_stages(&x, one_us); /* the warm-up */
    check_result(&x);
    spoil_result(&x);

    const struct cores from = cores_now();
    for (int run = 0; run < runs; run++) {
        time_stages(&x, one_us);
        for (int r = 0; r < ROWS; r++)
            us[r][run] = one_us[r];
    }
    const struct cores to = cores_now();
    const char *others = wait_and_doubt_cores(&from);
    check_result(&x);

    const bool cpu = cl.type & CL_DEVICE_TYPE_CPU;
    for (int r = 0; r < ROWS; r++)
        s[r] = summarize_us(us[r], (size_t)runs, cpu);
    const char *delayed = doubt_wait(s[HOST].median - s[START_TO_END].median);
    const long long seen_step_ns = common_step_ns(us[START_TO_END], (size_t)runs);
    const double own_cores = (double)(to.ran - from.ran) / (double)(to.at - from.at);

    begin_record(options, cl.name, cl.driver);
    say("OpenCL profiling: vector_add of %lld floats on %s, %s; %lld runs\n\n", size, cl.name,
        cl.driver, runs);
    for (int r = 0; r < ROWS; r++) /* others are in the host's time, and in all of a CPU's */
        print_row(s[r].doubt ?: delayed ?: r == HOST || cpu ? others : NULL,
                  "interval=%-16s|" US_FORMAT, names[r], US_OF(s[r]));
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
