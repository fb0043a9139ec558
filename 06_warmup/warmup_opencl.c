/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel, and which warm-up fixes it? As warmup.cu, on any
 * OpenCL device.
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
#include "recipes.h"

/* The kernels are in warmup_opencl.cl: vector_add, which is under study, and other_kernel. */

/* ---- The recipes ---- */

/* A name; whether the other kernel warms the device up; launches of vector_add that are not timed,
 * and that are; whether their median is taken, or their mean. */
static const struct recipe recipes[] = {
    /* Wrong: the first launch also waits until the kernel is loaded or compiled. */
    {"first_launch", false, 0, 1, false},
    /* Wrong: a hundredth of the first launch's extra time stays in the mean. */
    {"mean_of_100", false, 0, 100, false},
    /* Wrong: the device is awake now, but the kernel itself is still to be loaded or compiled. */
    {"other_kernel_then_one", true, 0, 1, false},
    /* Wrong: it warms up with the other kernel, so one launch in ten is still a first one. */
    {"other_kernel_then_mean_of_10", true, 0, 10, false},
    /* Right: the kernel that is to be timed is the one that warms up. Of the launches after that
     * the median, not the mean: a few slow ones do not move it. */
    {"warm_then_median", false, 1, 31, true}};

enum { RECIPES = sizeof recipes / sizeof recipes[0] };
enum { LONGEST = 1 }; /* in recipes: its processes have a launch 100 */

/* ---- One launch of each kernel ---- */

struct experiment {
    struct opencl cl;
    cl_kernel vector_add, other_kernel;
    cl_mem vectors[3];
    size_t n, global_size, local_size; /* n floats; work-items in all and in a group */
};

/* Microseconds by the host's clock, and from START to END: what the driver does before START, such
 * as compiling, is in the host's time only. */
static double time_vector_add_us(const struct experiment *e, double *device_us) {
    cl_event event;
    CHECK_CL(clFinish(e->cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->vector_add, 1, NULL, &e->global_size,
                                    &e->local_size, 0, NULL, &event));
    CHECK_CL(clFinish(e->cl.queue));
    const int64_t end_ns = now_ns();
    const double host_us = (double)(end_ns - start_ns) / 1e3;
    *device_us = start_to_end_us(event, host_us);
    return host_us;
}

static void launch_other_kernel(const struct experiment *e) {
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->other_kernel, 1, NULL, &e->global_size,
                                    &e->local_size, 0, NULL, NULL));
    CHECK_CL(clFinish(e->cl.queue));
}

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
    CHECK_CL(
        clEnqueueReadBuffer(e->cl.queue, e->vectors[C], CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    check_sums(host, e->n);
    launch_other_kernel(e);
    CHECK_CL(
        clEnqueueReadBuffer(e->cl.queue, e->vectors[C], CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    for (size_t i = 0; i < e->n; i++)
        if (host[i] != -2)
            errx(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i,
                 (double)host[i]);
    free(host);
}

/* The recipe's launches, then STEADY_LAUNCHES more. */
static void run_cold(void *data) {
    struct process *p = data;
    const struct cores from = cores_now();
    struct experiment e = {
        .cl = open_opencl(CL_QUEUE_PROFILING_ENABLE), .n = (size_t)p->size, .local_size = 256};
    p->is_processor = e.cl.type & CL_DEVICE_TYPE_CPU;
    memcpy(p->device, e.cl.name, sizeof p->device);
    memcpy(p->driver, e.cl.driver, sizeof p->driver);
    e.global_size = (e.n + e.local_size - 1) / e.local_size * e.local_size;
    check_size(&e.cl, p->size, 3 * sizeof(float));
    const cl_program program = build_program(&e.cl, "warmup_opencl.cl", "");
    e.vector_add = new_kernel(program, "vector_add");
    e.other_kernel = new_kernel(program, "other_kernel");
    set_up_vectors(&e);

    if (p->recipe->other_kernel_first)
        launch_other_kernel(&e);
    for (int i = 0; i < launches_of(p->recipe) + STEADY_LAUNCHES; i++) {
        p->us[i] = time_vector_add_us(&e, &p->start_to_end_us[i]);
        p->late_us[i] = p->us[i] - p->start_to_end_us[i];
    }
    p->others = wait_and_doubt_cores(&from);
    check_kernels(&e);
}

static void print_launch(const char *host, double host_us, const char *device, double device_us) {
    say("%-14s%9.2f    ", host, value(host, host_us));
    say("%-20s%9.2f\n", device, value(device, device_us));
}

/* By the host's clock, and from START to END. */
static void print_launches(const struct process *p) {
    const double *us = p->us, *device_us = p->start_to_end_us;
    print_launch("launch_1_us", us[0], "start_to_end_1_us", device_us[0]);
    print_launch("launch_2_us", us[1], "start_to_end_2_us", device_us[1]);
    print_launch("launch_3_us", us[2], "start_to_end_3_us", device_us[2]);
    print_launch("launch_10_us", us[9], "start_to_end_10_us", device_us[9]);
    print_launch("launch_100_us", us[99], "start_to_end_100_us", device_us[99]);
}

int main(int argc, char **argv) {
    long long runs = 5, size = 1 << 24;
    struct row rows[RECIPES];
    double steady_us[RECIPES];
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs), OPT_SIZE(&size), END_OF_OPTIONS};
    parse_options(argc, argv, "How far off is the first launch, and which warm-up fixes it?",
                  options);

    struct process *processes =
        (struct process *)new_memory(RECIPES * (size_t)runs * sizeof *processes);
    for (long long run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            struct process *p = &processes[r * runs + run];
            p->recipe = &recipes[r];
            p->size = size;
            in_new_process(run_cold, p, sizeof *p);
        }
    for (int r = 0; r < RECIPES; r++) {
        rows[r] = summarize_recipe(&processes[r * runs], (size_t)runs);
        steady_us[r] = rows[r].steady_us;
    }
    const struct summary steady = summarize(steady_us, RECIPES);

    begin_record(options, processes->device, processes->driver);
    say("Warm-up: vector_add of %lld floats on %s, timed by the host's clock\n"
        "%lld new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        size, processes->device, runs, STEADY_LAUNCHES);
    for (int r = 0; r < RECIPES; r++)
        print_recipe(&rows[r]);
    say("\nSome launches of the process in the row %s%s:\n\n", recipes[LONGEST].name,
        rows[LONGEST].doubt ? ", disturbed" : "");
    print_launches(rows[LONGEST].process);
    say("\nEach of the %d rows is another process, and their steady states are %.1f %% apart.\n"
        "So each error is against the steady state of its own row.\n",
        RECIPES, value("steady_apart_percent", 100 * (steady.max - steady.min) / steady.min));
    return EXIT_SUCCESS;
}
