/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel on any OpenCL device, and which warm-up fixes it?
 *
 * Measures: five recipes from cold, each in processes of its own that have never run the kernel,
 *   against the steady state of the same process; and launch 1, 2, 3, 10 and 100 of one of these.
 *   By the host's clock between two clFinish; these launches also from START to END, which may
 *   leave out what a first launch waits for, on PoCL the compiler.
 * Does not measure: building the program, which is done before the first launch.
 *
 * Build: cc -O2 -I../common warmup_opencl.c -o warmup_opencl -lOpenCL -lm
 * Run:   ./warmup_opencl
 * Try:   ./warmup_opencl --size 1024 --runs 9        the first launch of a short kernel
 */
#include "cold.h"
#include "cores.h"
#include "opencl.h"
#include "rows.h"

/* The kernels are in warmup_opencl.cl: vector_add, which is under study, and other_kernel. */

/* ---- One launch of each kernel ---- */

struct experiment {
    struct process *process;
    struct opencl cl;
    cl_kernel vector_add, other_kernel;
    cl_mem vectors[3];
    size_t n, global_size, local_size; /* n floats; work-items in all and in a group */
};

/* One launch of vector_add: microseconds by the host's clock. What the driver does before START,
 * such as compiling, is in this time only, not in that from START to END. */
static double time_us(struct experiment *e) {
    struct process *p = e->process;
    cl_event event;
    CHECK_CL(clFinish(e->cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->vector_add, 1, NULL, &e->global_size,
                                    &e->local_size, 0, NULL, &event));
    CHECK_CL(clFinish(e->cl.queue));
    const double host_us = (double)(now_ns() - start_ns) / 1e3;
    const double device_us = start_to_end_us(event, host_us);
    p->start_to_end_us[p->launches] = device_us;
    p->late_us[p->launches] = host_us - device_us;
    p->us[p->launches++] = host_us;
    return host_us;
}

static void launch_other_kernel(const struct experiment *e) {
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->other_kernel, 1, NULL, &e->global_size,
                                    &e->local_size, 0, NULL, NULL));
    CHECK_CL(clFinish(e->cl.queue));
}

/* ---- The recipes: each returns microseconds ---- */

/* Wrong: the first launch also waits until the kernel is loaded or compiled. */
static double first_launch_us(struct experiment *e) {
    return time_us(e);
}

/* Wrong: a hundredth of the first launch's extra time stays in the mean. */
static double mean_of_100_us(struct experiment *e) {
    double us[100];
    for (int i = 0; i < 100; i++)
        us[i] = time_us(e);
    return summarize(us, 100).mean;
}

/* Wrong: the device is awake now, but the kernel itself is still to be loaded or compiled. */
static double other_kernel_then_one_us(struct experiment *e) {
    launch_other_kernel(e);
    return time_us(e);
}

/* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
static double other_kernel_then_mean_of_10_us(struct experiment *e) {
    double us[10];
    launch_other_kernel(e);
    for (int i = 0; i < 10; i++)
        us[i] = time_us(e);
    return summarize(us, 10).mean;
}

/* Right: the kernel that is to be timed is the one that warms up. Of the launches after that the
 * median, not the mean: a few slow ones do not move it. */
static double warm_then_median_us(struct experiment *e) {
    double us[31];
    time_us(e); /* the warm-up, which does not count */
    for (int i = 0; i < 31; i++)
        us[i] = time_us(e);
    return median(us, 31);
}

static const struct recipe recipes[RECIPES] = {
    {"first_launch", first_launch_us},
    {"mean_of_100", mean_of_100_us},
    {"other_kernel_then_one", other_kernel_then_one_us},
    {"other_kernel_then_mean_of_10", other_kernel_then_mean_of_10_us},
    {"warm_then_median", warm_then_median_us}};

/* ---- One recipe in one cold process ---- */

/* Makes the vectors on the device, and gives them to the kernels. */
static void set_up_vectors(struct experiment *e) {
    const cl_ulong n = e->n;
    for (unsigned v = A; v <= C; v++) {
        float *host = host_vector(v, e->n);
        e->vectors[v] = new_buffer(&e->cl, e->n * sizeof *host, host);
        CHECK_CL(clSetKernelArg(e->vector_add, v, sizeof(cl_mem), &e->vectors[v]));
        free(host);
    }
    CHECK_CL(clSetKernelArg(e->vector_add, 3, sizeof n, &n));
    CHECK_CL(clSetKernelArg(e->other_kernel, 0, sizeof(cl_mem), &e->vectors[C]));
    CHECK_CL(clSetKernelArg(e->other_kernel, 1, sizeof n, &n));
}

/* Exits with 1 unless vector_add has left the sums in c, and other_kernel then fills all of it. */
static void check_kernels(const struct experiment *e) {
    float *host = host_vector(C, e->n);
    const size_t bytes = e->n * sizeof *host;
    const cl_mem c = e->vectors[C];
    CHECK_CL(clEnqueueReadBuffer(e->cl.queue, c, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    check_sums(host, e->n);
    launch_other_kernel(e);
    CHECK_CL(clEnqueueReadBuffer(e->cl.queue, c, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    for (size_t i = 0; i < e->n; i++)
        if (host[i] != -2)
            errx(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i, host[i]);
    free(host);
}

/* The recipe, then the steady state, which is the truth here. */
static void run_cold(void *data) {
    struct process *p = data;
    const struct cores from = cores_now();
    struct experiment e = {.process = p, .n = (size_t)p->size, .local_size = 256};
    e.cl = open_opencl(CL_QUEUE_PROFILING_ENABLE);
    p->is_processor = e.cl.type & CL_DEVICE_TYPE_CPU;
    memcpy(p->device, e.cl.name, sizeof p->device);
    memcpy(p->driver, e.cl.driver, sizeof p->driver);
    e.global_size = (e.n + e.local_size - 1) / e.local_size * e.local_size;
    check_size(&e.cl, p->size, 3 * sizeof(float));
    const cl_program program = build_program(&e.cl, "warmup_opencl.cl", "");
    e.vector_add = new_kernel(program, "vector_add");
    e.other_kernel = new_kernel(program, "other_kernel");
    set_up_vectors(&e);

    p->estimate_us = p->recipe->estimate_us(&e);
    for (int i = 0; i < STEADY_LAUNCHES; i++)
        time_us(&e);
    p->steady_us = median(p->us + p->launches - STEADY_LAUNCHES, STEADY_LAUNCHES);
    p->error_percent = 100 * (p->estimate_us - p->steady_us) / p->steady_us;
    p->doubt = wait_and_doubt_cores(&from);
    check_kernels(&e);
}

int main(int argc, char **argv) {
    long long runs = 5, size = 1 << 24;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size), END_OF_OPTIONS};
    parse_options(argc, argv, "How far off is the first launch, and which warm-up fixes it?",
                  options);
    struct process *processes = new_memory(RECIPES * (size_t)runs * sizeof *processes);
    for (int run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            struct process *p = &processes[r * runs + run];
            p->recipe = &recipes[r];
            p->run = run;
            p->size = size;
            in_new_process(run_cold, p, sizeof *p);
        }
    begin_record(options, processes->device, processes->driver);
    print_recipes(processes, (size_t)runs, true);
    return EXIT_SUCCESS;
}
