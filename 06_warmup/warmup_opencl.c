/* SPDX-License-Identifier: MIT
 *
 * warmup.cu's question on any OpenCL device: how far off is the first launch of a kernel, and which
 * warm-up fixes it?
 *
 * Measures: five recipes from cold, each in processes of its own that have never run the kernel,
 *   against the steady state of the same process. The recipes are in recipes.h. All by the host's
 *   clock between two clFinish.
 * Does not measure: by START and END. They may leave out what a first launch waits for, on PoCL
 *   the compiler: warmup_series_opencl.c shows both side by side.
 *
 * Build: cc -O2 -I../common warmup_opencl.c -o warmup_opencl -lOpenCL -lm
 * Run:   ./warmup_opencl
 * Try:   ./warmup_opencl --size 1024 --runs 9        the first launch of a short kernel
 */
#include "../03_opencl_profiling/stamps.h"
#include "clock.h"
#include "cold.h"
#include "recipes.h"
#include "vectors.h" /* cl: context, device, queue */

static cl_kernel vector_add, other_kernel;
static cl_mem vectors[3];
static size_t floats, global_size, local_size = 256;

/* ---- One launch of each kernel ---- */

/* By the host's clock; the event only shows whether the device was busy with something else. */
static double time_vector_add_us(double *overhead_us) {
    cl_event event;
    CHECK_CL(clFinish(cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, vector_add, 1, NULL, &global_size, &local_size, 0,
                                    NULL, &event));
    CHECK_CL(clFinish(cl.queue));
    const int64_t end_ns = now_ns();
    const double host_us = (double)(end_ns - start_ns) / 1e3;
    *overhead_us = host_us - take_start_to_end_us(event, host_us);
    return host_us;
}

static void launch_other_kernel(void) {
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, other_kernel, 1, NULL, &global_size, &local_size, 0,
                                    NULL, NULL));
    CHECK_CL(clFinish(cl.queue));
}

/* Both kernels' results. */
static void check(void) {
    check_vector_add(vectors[C], floats);
    launch_other_kernel();
    check_other_kernel(vectors[C], floats);
}

/* What a cold process does: the recipe, then the steady state. */
static void run_cold(void *result) {
    struct launches *l = (struct launches *)result;
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    check_size(options.size, 4, 12);
    const cl_program program = build_program("warmup_opencl.cl", "");
    MAKE_CL(vector_add = clCreateKernel(program, "vector_add", &cl_error));
    MAKE_CL(other_kernel = clCreateKernel(program, "other_kernel", &cl_error));
    set_up_vectors(vectors, floats, vector_add);
    const cl_ulong count = floats;
    CHECK_CL(clSetKernelArg(other_kernel, 0, sizeof vectors[C], &vectors[C]));
    CHECK_CL(clSetKernelArg(other_kernel, 1, sizeof count, &count));
    if (l->recipe->other_kernel_first)
        launch_other_kernel();
    for (int i = 0; i < l->recipe->warm_ups + l->recipe->timed + STEADY_LAUNCHES; i++)
        l->us[i] = time_vector_add_us(&l->overhead_us[i]);
    check();
}

int main(int argc, char **argv) {
    static struct launches launches;
    options.device = "";
    options.runs = 5;
    options.size = 1 << 24;
    parse_options(argc, argv, "How far off is the first launch, and which warm-up fixes it?");
    floats = (size_t)options.size;
    global_size = (floats + local_size - 1) / local_size * local_size;
    const size_t runs = (size_t)options.runs;
    for (size_t run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int r = 0; r < RECIPES; r++) {
            launches.recipe = &recipes[r];
            in_new_process(run_cold, &launches, sizeof launches);
            store_outcome(&launches, run);
        }
    report_recipes("the host's clock");
    return EXIT_SUCCESS;
}
