/* SPDX-License-Identifier: MIT
 *
 * warmup_series.cu's question on any OpenCL device: after how many launches does a kernel take as
 * long as it will take from then on?
 *
 * Measures: each of the first 100 launches of vector_add in a process that has never run it, from
 *   START to END and by the host's clock between two clFinish.
 * Does not measure: building the program, which is done before the first launch.
 *
 * Build: cc -O2 -I../common warmup_series_opencl.c -o warmup_series_opencl -lOpenCL -lm
 * Run:   ./warmup_series_opencl
 * Try:   ./warmup_series_opencl --size 1024    a short kernel: compare the first row's two times
 */
#include "../03_opencl_profiling/stamps.h"
#include "clock.h"
#include "cold.h"
#include "series.h"
#include "vectors.h" /* cl: context, device, queue */

static cl_kernel vector_add;
static size_t floats, global_size, local_size = 256;

/* One launch. What the driver does before START, such as compiling, is in the host's time only. */
static void time_vector_add_us(double *device_us, double *host_us) {
    cl_event event;
    CHECK_CL(clFinish(cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, vector_add, 1, NULL, &global_size, &local_size, 0,
                                    NULL, &event));
    CHECK_CL(clFinish(cl.queue));
    const int64_t end_ns = now_ns();
    *host_us = (double)(end_ns - start_ns) / 1e3;
    *device_us = take_start_to_end_us(event, *host_us);
    if (*device_us == 0)
        fail(EXIT_FAILED, "too short for the device's clock: START and END are the same");
}

/* What the cold process does. */
static void run_cold(void *result) {
    struct series *series = (struct series *)result;
    cl_mem vectors[3];
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    check_size(options.size, 4, 12);
    const cl_program program = build_program("warmup_opencl.cl", "");
    MAKE_CL(vector_add = clCreateKernel(program, "vector_add", &cl_error));
    set_up_vectors(vectors, floats, vector_add);
    for (int i = 0; i < SERIES; i++)
        time_vector_add_us(&series->device_us[i], &series->host_us[i]);
    check_vector_add(vectors[C], floats);
}

int main(int argc, char **argv) {
    static struct series series;
    options.device = "";
    options.size = 1 << 24;
    parse_options(argc, argv, "After how many launches is a kernel's time steady?");
    floats = (size_t)options.size;
    global_size = (floats + local_size - 1) / local_size * local_size;
    in_new_process(run_cold, &series, sizeof series);
    report_series(&series, true, "START to END");
    say("For the first launch START to END gives %.2f us and the host's clock %.2f us.\n",
        series.device_us[0], series.host_us[0]);
    return EXIT_SUCCESS;
}
