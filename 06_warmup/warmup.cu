/* SPDX-License-Identifier: MIT
 *
 * How far off is the first launch of a kernel, and which warm-up fixes it?
 *
 * Measures: five recipes from cold, each in processes of its own that have never run the kernel,
 *   against the steady state of the same process; and launch 1, 2, 3, 10 and 100 of one of these.
 * Does not measure: the cost of the CUDA context, which is there before the first launch.
 *
 * Build: nvcc -O2 -arch=native -I../common warmup.cu -o warmup
 * Run:   ./warmup
 * Try:   ./warmup --size 1024 --runs 9        the first launch of a short kernel
 */
#include "clock.h"
#include "cold.h"
#include "device_vectors.h"
#include "stats.h"

/* ---- The kernel under study, and another to warm up with ---- */

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void other_kernel(float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = -2;
}

/* ---- The recipes ---- */

/* Launches of vector_add, and how to make an estimate of its time from them. */
struct recipe {
    const char *name;
    bool other_kernel_first; /* which warms the device up */
    int warm_ups, timed;     /* launches of vector_add */
    bool takes_median;       /* of the timed launches; else their mean */
};

static const struct recipe recipes[] = {
    /* Wrong: the first launch also waits until the kernel is loaded. */
    {"first_launch", false, 0, 1, false},
    /* Wrong: a hundredth of the first launch's extra time stays in the mean. */
    {"mean_of_100", false, 0, 100, false},
    /* Wrong: the device is awake now, but the kernel itself is still to be loaded. */
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
    size_t n;
    float *a, *b, *c; /* on the device, n floats each */
    cudaEvent_t start, stop;
};

/* Microseconds between two events. The host's clock only shows whether the device was busy with
 * something else: *overhead_us is how much longer the host waited. */
static double time_vector_add_us(const struct experiment *e, double *overhead_us) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    const int64_t start_ns = now_ns();
    CHECK_CUDA(cudaEventRecord(e->start, 0));
    vector_add<<<blocks, 256>>>(e->a, e->b, e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(e->stop, 0));
    CHECK_CUDA(cudaEventSynchronize(e->stop));
    const int64_t end_ns = now_ns();
    const double event_us = elapsed_us(e->start, e->stop);
    if (event_us == 0)
        fail(EXIT_FAILED, "impossible: 0 us between the events around a kernel");
    *overhead_us = (double)(end_ns - start_ns) / 1e3 - event_us;
    return event_us;
}

static void launch_other_kernel(const struct experiment *e) {
    const unsigned blocks = (unsigned)((e->n + 255) / 256);
    other_kernel<<<blocks, 256>>>(e->c, e->n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- One recipe in one cold process ---- */

/* The input and the results of a cold process. */
struct process {
    const struct recipe *recipe;
    const char *wanted; /* the text of --device */
    long long size;
    char device[256], driver[64];
    double us[MAX_LAUNCHES], overhead_us[MAX_LAUNCHES]; /* of each launch of vector_add */
};

/* Exits with 1 unless vector_add has left the sums in c, and other_kernel then fills all of it. */
static void check_kernels(const struct experiment *e) {
    float *host = host_vector(C, e->n);
    CHECK_CUDA(cudaMemcpy(host, e->c, e->n * sizeof *host, cudaMemcpyDeviceToHost));
    check_sums(host, e->n);
    launch_other_kernel(e);
    CHECK_CUDA(cudaMemcpy(host, e->c, e->n * sizeof *host, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < e->n; i++)
        if (host[i] != -2)
            fail(EXIT_FAILED, "other_kernel is wrong at element %zu: %g, not -2", i,
                 (double)host[i]);
    free(host);
}

/* The recipe's launches, then STEADY_LAUNCHES more. */
static void run_cold(void *data) {
    struct process *p = (struct process *)data;
    struct experiment e = {};
    const struct gpu gpu = open_cuda(p->wanted);
    e.n = (size_t)p->size;
    check_free_memory(p->size, 3.0 * (double)e.n * sizeof(float));
    e.a = new_vector(A, e.n);
    e.b = new_vector(B, e.n);
    e.c = new_vector(C, e.n);
    e.start = new_event();
    e.stop = new_event();

    const int launches = p->recipe->warm_ups + p->recipe->timed + STEADY_LAUNCHES;
    if (launches > MAX_LAUNCHES)
        fail(EXIT_FAILED, "%s: more than %d launches", p->recipe->name, MAX_LAUNCHES);
    if (p->recipe->other_kernel_first)
        launch_other_kernel(&e);
    for (int i = 0; i < launches; i++)
        p->us[i] = time_vector_add_us(&e, &p->overhead_us[i]);

    check_kernels(&e);
    snprintf(p->device, sizeof p->device, "%s", gpu.properties.name);
    snprintf(p->driver, sizeof p->driver, "%s", gpu.driver);
}

/* ---- From the launches to the estimate and its error ---- */

/* Of one recipe, an element for each process; and what its row needs of them all. */
struct outcomes {
    double launch_us[MAX_RUNS][MAX_LAUNCHES];
    double first_us[MAX_RUNS], estimate_us[MAX_RUNS], steady_us[MAX_RUNS];
    double error_percent[MAX_RUNS]; /* of the estimate, against the steady state */
    unsigned marks[MAX_RUNS];       /* the steady launches disagree, or were all held up */
    size_t middle;                  /* the process whose error is in the middle */
    struct summary estimate, steady, error;
    unsigned row_marks;
};

/* Stores the estimate and its error of process number `run`. */
static void evaluate(const struct process *p, struct outcomes *o, size_t run) {
    const struct recipe *r = p->recipe;
    const int before = r->warm_ups + r->timed; /* the steady launches */
    const struct summary timed = summarize_us(p->us + r->warm_ups, (size_t)r->timed);
    const struct summary steady = summarize_us(p->us + before, STEADY_LAUNCHES);
    const double estimate_us = r->takes_median ? timed.median : timed.mean;
    memcpy(o->launch_us[run], p->us, sizeof p->us);
    o->first_us[run] = p->us[0];
    o->estimate_us[run] = estimate_us;
    o->steady_us[run] = steady.median;
    o->error_percent[run] = 100 * (estimate_us - steady.median) / steady.median;
    o->marks[run] = steady.marks | mark_delay(median(p->overhead_us + before, STEADY_LAUNCHES));
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
static double summarize_recipe(struct outcomes *o, size_t runs) {
    o->middle = middle(o->error_percent, runs);
    o->estimate = summarize_us(o->estimate_us, runs);
    o->steady = summarize_us(o->steady_us, runs);
    o->error = summarize(o->error_percent, runs, 0, 1);
    o->row_marks = o->marks[o->middle] | summarize_us(o->first_us, runs).marks | o->estimate.marks |
                   o->steady.marks;
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

/* Some launches of the process in the middle. */
static void print_launches(const struct outcomes *o) {
    const double *us = o->launch_us[o->middle];
    say("launch_1_us   %9.2f\n", value("launch_1_us", us[0]));
    say("launch_2_us   %9.2f\n", value("launch_2_us", us[1]));
    say("launch_3_us   %9.2f\n", value("launch_3_us", us[2]));
    say("launch_10_us  %9.2f\n", value("launch_10_us", us[9]));
    say("launch_100_us %9.2f\n", value("launch_100_us", us[99]));
}

int main(int argc, char **argv) {
    static struct outcomes outcomes[RECIPES];
    static struct process process;
    struct table table = {};
    const char *device = "";
    long long runs = 5, size = 1 << 24;
    double steady_us[RECIPES];
    const struct arg args[] = {ARG_DEVICE(&device), ARG_RUNS(&runs), ARG_SIZE(&size), END_OF_ARGS};
    parse_args(argc, argv, "How far off is the first launch, and which warm-up fixes it?", args);

    setenv("CUDA_MODULE_LOADING", "LAZY", 1); /* the default of today; lazy_loading.cu has both */
    process.wanted = device;
    process.size = size;
    for (size_t run = 0; run < (size_t)runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            process.recipe = &recipes[r];
            in_new_process(run_cold, &process, sizeof process);
            evaluate(&process, &outcomes[r], run);
        }
    for (int r = 0; r < RECIPES; r++)
        steady_us[r] = summarize_recipe(&outcomes[r], (size_t)runs);
    const struct summary steady = summarize(steady_us, RECIPES, 0, 1);

    begin_record(args, process.device, process.driver);
    say("Warm-up: vector_add of %lld floats on %s, timed by event pairs\n"
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
