/* SPDX-License-Identifier: MIT
 *
 * warmup.cu's question on any OpenCL device: how far off is the first launch of a kernel, and which
 * warm-up mends it?
 *
 * Measures: the first launches of vector_add, one by one; then five recipes from cold, each in a
 *   process of its own that never ran the kernel, against the steady state of that same process.
 *   All by the host's clock between two clFinish.
 * Does not measure: by START and END. They may leave out what a first launch waits for, on PoCL
 *   the compiler: --series shows both side by side.
 *
 * Build: cc -O2 -I../common warmup_opencl.c -o warmup_opencl -lOpenCL -lm
 * Run:   ./warmup_opencl
 * Try:   ./warmup_opencl --series        every launch of one process; --size 1024 --runs 9
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "event_time.h"
#include "host_clock.h"
#include "opencl_device.h"
#include "recipes.h"
#include "vector_data.h"

/* ---- One launch ---- */

static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_kernel vector_add, other_kernel;
static size_t n, global_size, local_size = 256;

/* One launch of vector_add by the host's clock; stores START to END in *event_us. */
static double time_vector_add_us(double *event_us) {
    cl_event event;
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(queue, vector_add, 1, NULL, &global_size, &local_size, 0, NULL,
                                    &event));
    CHECK_CL(clFinish(queue));
    const double host_us = (double)(now_ns() - start_ns) / 1e3;
    *event_us = start_to_end_us(event, host_us);
    if (*event_us == 0)
        fail(EXIT_FAILED, "too short for the device's clock: START and END are the same");
    return host_us;
}

static void launch_other_kernel(void) {
    CHECK_CL(clEnqueueNDRangeKernel(queue, other_kernel, 1, NULL, &global_size, &local_size, 0,
                                    NULL, NULL));
    CHECK_CL(clFinish(queue));
}

/* ---- The recipes: each returns its estimate in us, and leaves the first launch's time ---- */

static double first_us;

static double mean_of_launches(int launches) {
    double event_us, sum_us = 0;
    for (int i = 0; i < launches; i++) {
        const double host_us = time_vector_add_us(&event_us);
        sum_us += host_us;
        first_us = i == 0 ? host_us : first_us;
    }
    return sum_us / launches;
}

/* No warm-up at all. */
static double first_launch(void) {
    return mean_of_launches(1);
}

/* The first launch's extra time, spread over a hundred: less of it, but never gone. */
static double mean_of_100(void) {
    return mean_of_launches(100);
}

/* The device is awake now, but vector_add itself is still to be compiled or loaded. */
static double other_kernel_then_one(void) {
    launch_other_kernel();
    return mean_of_launches(1);
}

static double warm_then_mean_of_10(void) {
    launch_other_kernel();
    return mean_of_launches(10);
}

/* Ours: what is to be timed is what warms up; and of the rest the median, not the mean. */
static double warm_then_median(void) {
    double samples_us[31], event_us;
    first_us = time_vector_add_us(&event_us);
    for (int i = 0; i < 31; i++)
        samples_us[i] = time_vector_add_us(&event_us);
    return median(samples_us, 31);
}

static const struct {
    const char *name;
    int launches; /* of vector_add */
    double (*run)(void);
} recipes[] = {{"first_launch", 1, first_launch},
               {"mean_of_100", 100, mean_of_100},
               {"other_kernel_then_one", 1, other_kernel_then_one},
               {"warm_then_mean_of_10", 10, warm_then_mean_of_10},
               {"warm_then_median", 32, warm_then_median}};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

/* ---- Cold means cold: a process for each ---- */

/* What the process does: sets up, runs the recipe (NULL: the series), then finds the steady state
 * and checks the result. */
static void run_cold(const char *wanted, double (*recipe)(void), struct outcome *o) {
    double samples_us[STEADY], overhead_us[STEADY], event_us;
    const struct opencl_device device = choose_opencl_device(wanted);
    const double bytes = (double)n * sizeof(float);
    cl_int code;
    snprintf(o->device, sizeof o->device, "%s", device.name);
    check_opencl_memory(&device, (long long)n, bytes, 3 * bytes);
    cl_context context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    CHECK_CL_CODE("clCreateContext", code);
    queue = clCreateCommandQueue(context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK_CL_CODE("clCreateCommandQueue", code);
    cl_program program = build_opencl_program(context, device.id, "warmup_opencl.cl", "");
    vector_add = clCreateKernel(program, "vector_add", &code);
    CHECK_CL_CODE("clCreateKernel", code);
    other_kernel = clCreateKernel(program, "other_kernel", &code);
    CHECK_CL_CODE("clCreateKernel", code);

    cl_mem a = buffer_of_floats(queue, n, input_a);
    cl_mem b = buffer_of_floats(queue, n, input_b);
    cl_mem c = buffer_of_floats(queue, n, NULL);
    const cl_ulong count = n;
    global_size = (n + local_size - 1) / local_size * local_size;
    CHECK_CL(clSetKernelArg(vector_add, 0, sizeof a, &a));
    CHECK_CL(clSetKernelArg(vector_add, 1, sizeof b, &b));
    CHECK_CL(clSetKernelArg(vector_add, 2, sizeof c, &c));
    CHECK_CL(clSetKernelArg(vector_add, 3, sizeof count, &count));
    CHECK_CL(clSetKernelArg(other_kernel, 0, sizeof c, &c));
    CHECK_CL(clSetKernelArg(other_kernel, 1, sizeof count, &count));

    if (recipe)
        o->estimate_us = recipe();
    else
        for (int i = 0; i < SERIES; i++)
            o->host_us[i] = time_vector_add_us(&o->event_us[i]);
    o->first_us = recipe ? first_us : o->host_us[0];

    for (int i = 0; i < STEADY; i++) {
        samples_us[i] = time_vector_add_us(&event_us);
        overhead_us[i] = samples_us[i] - event_us;
    }
    const struct summary steady = summarize(samples_us, STEADY);
    o->steady_us = steady.median;
    o->disturbed = steady.disturbed | overhead_is_disturbed(median(overhead_us, STEADY));
    check_vector_add(copy_to_host(queue, c, n), n);
    CHECK_CL(clReleaseMemObject(a));
    CHECK_CL(clReleaseMemObject(b));
    CHECK_CL(clReleaseMemObject(c));
    CHECK_CL(clReleaseKernel(vector_add));
    CHECK_CL(clReleaseKernel(other_kernel));
    CHECK_CL(clReleaseProgram(program));
    CHECK_CL(clReleaseCommandQueue(queue));
    CHECK_CL(clReleaseContext(context));
}

int main(int argc, char **argv) {
    const struct options options = parse_warmup_options(argc, argv);
    n = (size_t)options.size;
    setenv("POCL_KERNEL_CACHE", "0", 1);            /* no kernel kept by PoCL ... */
    setenv("CUDA_CACHE_DISABLE", "1", 1);           /* ... NVIDIA's driver ... */
    setenv("NEO_CACHE_PERSISTENT", "0", 1);         /* ... Intel's ... */
    setenv("AMD_COMGR_CACHE", "0", 1);              /* ... AMD's ... */
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); /* ... or Mesa's */
    const struct outcome series = in_new_process(options.device, NULL);
    if (series_only) {
        print_series(&options, &series);
        return EXIT_SUCCESS;
    }
    print_recipes_header(&options, series.device, "the host's clock", series.host_us);
    int disturbed_rows = 0;
    for (int r = 0; r < RECIPES; r++)
        disturbed_rows += report_recipe(&options, series.device, recipes[r].name,
                                        recipes[r].launches, recipes[r].run);
    if (!options.csv)
        printf("\nOf the first launch START to END saw %.2f us, the host %.2f us.\n%s",
               series.event_us[0], series.host_us[0], disturbed_verdict(disturbed_rows));
    flush_stdout();
    return EXIT_SUCCESS;
}
