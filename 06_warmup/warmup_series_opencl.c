/* SPDX-License-Identifier: MIT
 *
 * After how many launches is a kernel warm: its time no longer changes? As warmup_series.cu, on any
 * OpenCL device.
 *
 * Measures: each of the first 100 launches of vector_add in a process that has never run it, from
 *   START to END and by the host's clock between two clFinish.
 * Does not measure: building the program, which is done before the first launch.
 *
 * Build: cc -O2 -I../common warmup_series_opencl.c -o warmup_series_opencl -lOpenCL -lm
 * Run:   ./warmup_series_opencl
 * Try:   ./warmup_series_opencl --size 1024    a short kernel: compare the first row's two times
 */
#include "clock.h"
#include "cold.h"
#include "opencl.h"
#include "others.h"
#include "stats.h"
#include "vectors.h"

enum { LAUNCHES = 100, LAST_LAUNCHES = 50, BEFORE = LAUNCHES - LAST_LAUNCHES };
static const double near_percent = 10; /* so close to the steady state counts as steady */

/* ---- One launch of vector_add, which is in warmup_opencl.cl ---- */

struct experiment {
    struct opencl cl;
    cl_kernel vector_add;
    cl_mem vectors[3];
    size_t n, global_size, local_size; /* n floats; work-items in all and in a group */
};

/* What the driver does before START, such as compiling, is in the host's time only. */
static void time_vector_add_us(const struct experiment *e, double *device_us, double *host_us) {
    cl_event event;
    CHECK_CL(clFinish(e->cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(e->cl.queue, e->vector_add, 1, NULL, &e->global_size,
                                    &e->local_size, 0, NULL, &event));
    CHECK_CL(clFinish(e->cl.queue));
    const int64_t end_ns = now_ns();
    *host_us = (double)(end_ns - start_ns) / 1e3;
    *device_us = take_start_to_end_us(event, *host_us);
    if (*device_us == 0)
        fail(EXIT_FAILED, "too short for the device's clock: START and END are the same");
}

/* ---- The cold process ---- */

/* The input and the results of a cold process. */
struct process {
    const char *wanted; /* the text of --device */
    long long size;
    char device[256], driver[256];
    bool is_processor;
    struct others others;                          /* while this process ran */
    double device_us[LAUNCHES], host_us[LAUNCHES]; /* of each launch, by either's clock */
};

/* Makes the vectors on the device, and gives them to the kernel. */
static void set_up_vectors(struct experiment *e) {
    const cl_ulong n = e->n;
    for (unsigned v = A; v <= C; v++) {
        float *host = host_vector(v, e->n);
        e->vectors[v] = new_buffer(&e->cl, e->n * sizeof *host, host);
        CHECK_CL(clSetKernelArg(e->vector_add, v, sizeof(cl_mem), &e->vectors[v]));
        free(host);
    }
    CHECK_CL(clSetKernelArg(e->vector_add, 3, sizeof n, &n));
}

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
    set_up_vectors(&e);

    for (int i = 0; i < LAUNCHES; i++)
        time_vector_add_us(&e, &p->device_us[i], &p->host_us[i]);

    p->others = others_of_run(&from);
    p->is_processor = is_processor(&e.cl);
    float *host = host_vector(C, e.n);
    CHECK_CL(clEnqueueReadBuffer(e.cl.queue, e.vectors[C], CL_TRUE, 0, e.n * sizeof *host, host, 0,
                                 NULL, NULL));
    check_sums(host, e.n);
    free(host);
    memcpy(p->device, e.cl.name, sizeof p->device);
    memcpy(p->driver, e.cl.driver, sizeof p->driver);
}

/* ---- The table, and the words below it ---- */

/* All launches are in the record; the table shows some of them. */
static void print_launches(const struct process *p, unsigned marks) {
    struct table table = {0};
    marks |= mark_others(&table, p->others); /* host_us is in each row */
    for (int i = 0; i < LAUNCHES; i++) {
        number(&table, "launch", 0, i + 1);
        number(&table, "device_us", 2, p->device_us[i]);
        number(&table, "host_us", 2, p->host_us[i]);
        if (i < 10 || i % 10 == 9)
            end_row(&table, marks);
        else
            end_record_row(&table, marks);
    }
    end_table(&table);
}

/* Says which launch is the first near the steady state, and whether the others stay there. */
static void print_first_near(const double *host_us, double steady_us) {
    const double near_us = steady_us * near_percent / 100;
    double before_it_ms = 0;
    int first_near = 0, far_after = 0;
    while (first_near < LAUNCHES && fabs(host_us[first_near] - steady_us) > near_us)
        before_it_ms += host_us[first_near++] / 1e3;
    for (int i = first_near + 1; i < LAUNCHES; i++)
        far_after += fabs(host_us[i] - steady_us) > near_us;
    if (first_near == LAUNCHES) {
        say("No launch is within %.0f %% of the steady state.\n", near_percent);
        return;
    }
    value("first_near_launch", first_near + 1);
    value("before_it_ms", before_it_ms);
    value("far_after_it", far_after);
    say("Launch %d is the first within %.0f %% of it, after %.2f ms; "
        "of the %d launches after it\n%d are farther off.\n",
        first_near + 1, near_percent, before_it_ms, LAUNCHES - 1 - first_near, far_after);
}

int main(int argc, char **argv) {
    static struct process process;
    const char *device = "";
    long long size = 1 << 24;
    double overhead_us[LAST_LAUNCHES]; /* how much longer the host waited */
    const struct arg args[] = {ARG_DEVICE(&device), ARG_SIZE(&size), END_OF_ARGS};
    parse_args(argc, argv, "After how many launches is a kernel's time steady?", args);

    process.wanted = device;
    process.size = size;
    in_new_process(run_cold, &process, sizeof process);

    const bool cpu = process.is_processor;
    const struct summary last_device = summarize_on(cpu, process.device_us + BEFORE, LAST_LAUNCHES),
                         last_host = summarize_on(cpu, process.host_us + BEFORE, LAST_LAUNCHES);
    for (int i = 0; i < LAST_LAUNCHES; i++)
        overhead_us[i] = process.host_us[BEFORE + i] - process.device_us[BEFORE + i];
    begin_record(args, process.device, process.driver);
    say("The first launches: vector_add of %lld floats on %s,\n"
        "by the device's clock (START to END) and by the host's\n\n",
        size, process.device);
    print_launches(&process, last_device.marks | last_host.marks |
                                 mark_delay(median(overhead_us, LAST_LAUNCHES)) |
                                 mark_drift(process.host_us + BEFORE, LAST_LAUNCHES, cpu_jitter_us,
                                            cpu ? cpu_factor : gpu_factor));

    const double steady_us = value("steady_us", last_host.median);
    say("The steady state by the host's clock is %.2f us, the median of the last %d launches; "
        "the first\nlaunch took %.1f times as long.\n",
        steady_us, LAST_LAUNCHES, value("first_to_steady", process.host_us[0] / steady_us));
    print_first_near(process.host_us, steady_us);
    return EXIT_SUCCESS;
}
