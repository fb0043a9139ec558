/* SPDX-License-Identifier: MIT
 *
 * placement.cu's question on any OpenCL device: how much of the difference between two runs comes
 * from where the buffers lie?
 *
 * Measures: vector_add by the host's clock between two clFinish, in medians of 31 launches, each
 *   after 0.1 s of warm-up: with the same buffers again; with new ones in the same process, made
 *   while the ones before are there; and with the first buffers of new processes. In turns, in an
 *   order drawn at random: so a machine that slows down adds to all three alike. See placement.h.
 * Does not measure: why. On a CPU it may be the cache lines that two buffers share, or the size of
 *   the pages.
 *
 * Build: cc -O2 -I../../common placement_opencl.c -o placement_opencl -lOpenCL -lm
 * Run:   ./placement_opencl
 * Try:   ./placement_opencl --size 65536        where all data fits into a processor's cache
 */
#include "../../03_opencl_profiling/stamps.h"
#include "placement.h"
#include "vectors.h" /* cl: context, device, queue */

static cl_kernel vector_add;
static cl_mem first[3], moved[3], *vectors = first;
static size_t floats, global_size, local_size = 256;

/* By the host's clock; the event only shows whether the device was busy with something else. */
static double time_launch_us(double *overhead_us) {
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

static void check_result(void) {
    check_vector_add(vectors[C], floats);
}

static void use(cl_mem buffers[3]) {
    vectors = buffers;
    for (int v = A; v <= C; v++)
        CHECK_CL(clSetKernelArg(vector_add, (cl_uint)v, sizeof vectors[v], &vectors[v]));
}

/* A buffer of random size comes first, so that the new ones do not lie where others have been. */
static void move_buffers(void) {
    const size_t spacer_floats = 1 + random_below(floats), bytes = spacer_floats * sizeof(float);
    cl_mem spacer, before[3];
    MAKE_CL(spacer = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &cl_error));
    spoil_sums(spacer, spacer_floats); /* some drivers make room at the first use */
    memcpy(before, moved, sizeof before);
    set_up_vectors(moved, floats, vector_add);
    for (int v = A; v <= C && before[v]; v++)
        CHECK_CL(clReleaseMemObject(before[v]));
    CHECK_CL(clReleaseMemObject(spacer));
    use(moved);
}

static void move_back(void) {
    use(first);
}

static void set_up(void) {
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    /* 3 times three vectors, and the spacer */
    check_size(options.size, 4, 40);
    const cl_program program = build_program("../../06_warmup/warmup_opencl.cl", "");
    MAKE_CL(vector_add = clCreateKernel(program, "vector_add", &cl_error));
    set_up_vectors(first, floats, vector_add);
}

int main(int argc, char **argv) {
    static const struct steps steps = {set_up, move_buffers, move_back, time_launch_us,
                                       check_result};
    options.device = "";
    options.runs = 15;
    options.size = 1 << 24;
    parse_options(argc, argv, "How much of the difference between runs is the buffers' place?");
    floats = (size_t)options.size;
    global_size = (floats + local_size - 1) / local_size * local_size;
    compare_places(&steps, "the host's clock");
    return EXIT_SUCCESS;
}
