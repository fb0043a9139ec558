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
#include "clock.h"
#include "cold.h"
#include "opencl.h"
#include "others.h"
#include "stats.h"
#include "vectors.h"

/* The kernels are in warmup_opencl.cl: vector_add, which is under study, and other_kernel. */

/* ---- The recipes ---- */

/* Launches of vector_add, and how to make an estimate of its time from them. */
struct recipe {
    const char *name;
    bool other_kernel_first; /* which warms the device up */
    int warm_ups, timed;     /* launches of vector_add */
    bool takes_median;       /* of the timed launches; else their mean */
};

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
enum { STEADY_LAUNCHES = 31, MAX_LAUNCHES = 100 + STEADY_LAUNCHES };

/* ---- One launch of each kernel ---- */

struct experiment {
    struct opencl cl;
    cl_kernel vector_add, other_kernel;
    cl_mem vectors[3];
    size_t n, global_size, local_size; /* n floats; work-items in all and in a group */
};

/* Microseconds by the host's clock, and from START to END: what the driver does before START, such
 * as compiling, is in the host's time only. */
static double time_vector_add_us(const struct experiment *e, double *start_to_end_us) {
    cl_event event;
    CHECK_CL(clFinish(e->cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->vector_add, 1, NULL, &e->global_size,
                                    &e->local_size, 0, NULL, &event));
    CHECK_CL(clFinish(e->cl.queue));
    const int64_t end_ns = now_ns();
    const double host_us = (double)(end_ns - start_ns) / 1e3;
    *start_to_end_us = take_start_to_end_us(event, host_us);
    return host_us;
}

static void launch_other_kernel(const struct experiment *e) {
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->other_kernel, 1, NULL, &e->global_size,
                                    &e->local_size, 0, NULL, NULL));
    CHECK_CL(clFinish(e->cl.queue));
}

/* ---- One recipe in one cold process ---- */

/* The input and the results of a cold process. */
struct process {
    const struct recipe *recipe;
    const char *wanted; /* the text of --device */
    long long size;
    char device[256], driver[256];
    bool is_processor;
    struct others others;                                   /* while this process ran */
    double us[MAX_LAUNCHES], start_to_end_us[MAX_LAUNCHES]; /* of each launch of vector_add */
};

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
            fail(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i,
                 (double)host[i]);
    free(host);
}

/* The recipe's launches, then STEADY_LAUNCHES more. */
static void run_cold(void *data) {
    struct process *p = data;
    const struct processor_time from = processor_time_now();
    struct experiment e = {.cl = open_opencl(p->wanted, CL_QUEUE_PROFILING_ENABLE),
                           .n = (size_t)p->size,
                           .local_size = 256};
    e.global_size = (e.n + e.local_size - 1) / e.local_size * e.local_size;
    check_memory(&e.cl, p->size, sizeof(float), 3 * sizeof(float));
    const cl_program program = build_program(&e.cl, "warmup_opencl.cl", "");
    MAKE_CL(e.vector_add, clCreateKernel(program, "vector_add", &cl_error));
    MAKE_CL(e.other_kernel, clCreateKernel(program, "other_kernel", &cl_error));
    set_up_vectors(&e);

    const int launches = p->recipe->warm_ups + p->recipe->timed + STEADY_LAUNCHES;
    if (launches > MAX_LAUNCHES)
        fail(EXIT_FAILED, "%s: more than %d launches", p->recipe->name, MAX_LAUNCHES);
    if (p->recipe->other_kernel_first)
        launch_other_kernel(&e);
    for (int i = 0; i < launches; i++)
        p->us[i] = time_vector_add_us(&e, &p->start_to_end_us[i]);
    p->others = others_of_run(&from);
    p->is_processor = is_processor(&e.cl);

    check_kernels(&e);
    memcpy(p->device, e.cl.name, sizeof p->device);
    memcpy(p->driver, e.cl.driver, sizeof p->driver);
}

/* ---- From the launches to the estimate and its error ---- */

/* Of one recipe, an element for each process; and what its row needs of them all. */
struct outcomes {
    double launch_us[MAX_RUNS][MAX_LAUNCHES], start_to_end_us[MAX_RUNS][MAX_LAUNCHES];
    double first_us[MAX_RUNS], estimate_us[MAX_RUNS], steady_us[MAX_RUNS];
    double error_percent[MAX_RUNS]; /* of the estimate, against the steady state */
    struct others others[MAX_RUNS];
    unsigned marks[MAX_RUNS]; /* the steady launches disagree, or were all held up */
    size_t middle;            /* the process whose error is in the middle */
    struct summary estimate, steady, error;
    unsigned row_marks;
};

/* Stores the estimate and its error of process number `run`. */
static void evaluate(const struct process *p, struct outcomes *o, size_t run) {
    const struct recipe *r = p->recipe;
    const int before = r->warm_ups + r->timed; /* the steady launches */
    const struct summary timed = summarize_us(p->us + r->warm_ups, (size_t)r->timed);
    const struct summary steady = summarize_on(p->is_processor, p->us + before, STEADY_LAUNCHES);
    const double estimate_us = r->takes_median ? timed.median : timed.mean;
    const double device_us = median(p->start_to_end_us + before, STEADY_LAUNCHES);
    memcpy(o->launch_us[run], p->us, sizeof p->us);
    memcpy(o->start_to_end_us[run], p->start_to_end_us, sizeof p->start_to_end_us);
    o->others[run] = p->others;
    o->first_us[run] = p->us[0];
    o->estimate_us[run] = estimate_us;
    o->steady_us[run] = steady.median;
    o->error_percent[run] = 100 * (estimate_us - steady.median) / steady.median;
    o->marks[run] = steady.marks | mark_delay(steady.median - device_us);
}

/* The number of the sample that is the median; of two in the middle the smaller one. */
static size_t middle(const double *samples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < count; j++)
            before += samples[j] < samples[i] || (samples[j] == samples[i] && j < i);
        if (before == (count - 1) / 2)
            return i;
    }
    fail(EXIT_FAILED, "impossible: an error that is not a number");
}

/* Stores what the row needs of all processes. Returns the steady state of the one in the middle. */
static double summarize_recipe(struct table *t, struct outcomes *o, size_t runs, bool cpu) {
    o->middle = middle(o->error_percent, runs);
    o->estimate = summarize_on(cpu, o->estimate_us, runs);
    o->steady = summarize_on(cpu, o->steady_us, runs);
    o->error = summarize(o->error_percent, runs, 0, 1);
    o->row_marks = mark_others(t, o->others[o->middle]) | o->marks[o->middle] |
                   summarize_on(cpu, o->first_us, runs).marks | o->estimate.marks | o->steady.marks;
    return o->steady_us[o->middle];
}

/* Prints the process in the middle. */
static void print_row(struct table *t, const struct recipe *r, const struct outcomes *o) {
    text(t, "recipe", 28, r->name);
    number(t, "launches", 0, r->warm_ups + r->timed);
    number(t, "first_launch_us", 2, o->first_us[o->middle]);
    number(t, "estimate_us", 2, o->estimate_us[o->middle]);
    number(t, "steady_us", 2, o->steady_us[o->middle]);
    number(t, "error_percent", 1, o->error_percent[o->middle]);
    record_number(t, "estimate_min_us", 2, o->estimate.min);
    record_number(t, "estimate_max_us", 2, o->estimate.max);
    record_number(t, "steady_min_us", 2, o->steady.min);
    record_number(t, "steady_max_us", 2, o->steady.max);
    record_number(t, "error_min_percent", 1, o->error.min);
    record_number(t, "error_max_percent", 1, o->error.max);
    end_row(t, o->row_marks);
}

static void print_launch(const char *host, double host_us, const char *device, double device_us) {
    say("%-14s%9.2f    ", host, value(host, host_us));
    say("%-20s%9.2f\n", device, value(device, device_us));
}

/* Some launches of the process in the middle: by the host's clock, and from START to END. */
static void print_launches(const struct outcomes *o) {
    const double *us = o->launch_us[o->middle], *device_us = o->start_to_end_us[o->middle];
    print_launch("launch_1_us", us[0], "start_to_end_1_us", device_us[0]);
    print_launch("launch_2_us", us[1], "start_to_end_2_us", device_us[1]);
    print_launch("launch_3_us", us[2], "start_to_end_3_us", device_us[2]);
    print_launch("launch_10_us", us[9], "start_to_end_10_us", device_us[9]);
    print_launch("launch_100_us", us[99], "start_to_end_100_us", device_us[99]);
}

int main(int argc, char **argv) {
    static struct outcomes outcomes[RECIPES];
    static struct process process;
    struct table table = {0};
    const char *device = "";
    long long runs = 5, size = 1 << 24;
    double steady_us[RECIPES];
    const struct arg args[] = {ARG_DEVICE(&device), ARG_RUNS(&runs), ARG_SIZE(&size), END_OF_ARGS};
    parse_args(argc, argv, "How far off is the first launch, and which warm-up fixes it?", args);

    process.wanted = device;
    process.size = size;
    for (size_t run = 0; run < (size_t)runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            process.recipe = &recipes[r];
            in_new_process(run_cold, &process, sizeof process);
            evaluate(&process, &outcomes[r], run);
        }
    for (int r = 0; r < RECIPES; r++)
        steady_us[r] = summarize_recipe(&table, &outcomes[r], (size_t)runs, process.is_processor);
    const struct summary steady = summarize(steady_us, RECIPES, 0, 1);

    begin_record(args, process.device, process.driver);
    say("Warm-up: vector_add of %lld floats on %s, timed by the host's clock\n"
        "%lld new processes for each recipe; each row is the process with the median error.\n"
        "Its steady state is the median of its %d launches after the recipe\n\n",
        size, process.device, runs, STEADY_LAUNCHES);
    for (int r = 0; r < RECIPES; r++)
        print_row(&table, &recipes[r], &outcomes[r]);
    end_table(&table);
    say("Some launches of the process in the row %s%s:\n\n", recipes[LONGEST].name,
        outcomes[LONGEST].row_marks ? ", disturbed" : "");
    print_launches(&outcomes[LONGEST]);
    say("\nEach of the %d rows is another process, and their steady states are %.1f %% apart.\n"
        "So each error is against the steady state of its own row.\n",
        RECIPES, value("steady_apart_percent", 100 * (steady.max - steady.min) / steady.min));
    return EXIT_SUCCESS;
}
