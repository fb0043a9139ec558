/* SPDX-License-Identifier: MIT
 *
 * What bandwidth do START and END give, and from which size on does it mean anything?
 *
 * Measures: vector_add over a sweep of sizes, with four floats and with one float for each
 *   work-item, and a copy that moves as many bytes, in turns.
 * Does not measure: the memory alone. Small vectors are in a cache from the run before.
 *
 * Build: cc -O2 -I../common bandwidth.c -o bandwidth -lOpenCL -lm
 * Run:   ./bandwidth
 * Try:   ./bandwidth --size 1,1000,1000000        where does the overhead end?
 */
#include "cores.h"
#include "opencl.h"
#include "vectors.h"

struct experiment {
    struct opencl cl; /* its queue has CL_QUEUE_PROFILING_ENABLE */
    cl_kernel four_floats, one_float;
    cl_mem vectors[3]; /* for the largest size, one and a half times what vector_add needs */
};

/* ---- The methods: each returns microseconds from START to END, and stores the host's ---- */

/* c = a + b by `kernel`, which adds `each` floats in a work-item. */
static double vector_add_us(const struct experiment *x, cl_kernel kernel, size_t each, size_t n,
                            double *host_us) {
    const cl_command_queue queue = x->cl.queue;
    const size_t local = 256, in_group = local * each;
    const size_t global = (n + in_group - 1) / in_group * local;
    cl_event event;
    CHECK_CL(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &(cl_ulong){n}));
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event));
    CHECK_CL(clFinish(queue));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return start_to_end_us(event, *host_us);
}

/* c = a, `bytes` of it. */
static double copy_us(const struct experiment *x, size_t bytes) {
    const cl_mem a = x->vectors[A], c = x->vectors[C];
    cl_event event;
    CHECK_CL(clFinish(x->cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueCopyBuffer(x->cl.queue, a, c, 0, 0, bytes, 0, NULL, &event));
    CHECK_CL(clFinish(x->cl.queue));
    return start_to_end_us(event, (double)(now_ns() - start_ns) / 1e3);
}

/* ---- From time to bandwidth ---- */

/* The bandwidth in GB/s. Exits with 1 if no device can be as fast: no compute unit of today moves
 * 512 bytes a clock. Some drivers do not know the clock, and say 0 MHz: that is no limit. */
static double bandwidth_gb_s(cl_device_id device, double bytes, double us) {
    const double gb_s = bytes / us / 1e3;
    cl_uint units, mhz;
    CHECK_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CHECK_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL));
    if (us <= 0 || (mhz > 0 && gb_s > units * (mhz / 1e3) * 512))
        errx(EXIT_FAILED,
             "impossible, or too short for this clock: %.0f GB/s from %u compute units at %u MHz",
             gb_s, units, mhz);
    return gb_s;
}

/* ---- The checks of the results ---- */

/* The first n floats of c. Then writes over them: what comes next must write them anew. */
static float *take_c(const struct experiment *x, size_t n) {
    const cl_command_queue queue = x->cl.queue;
    const cl_mem c = x->vectors[C];
    const size_t bytes = n * sizeof(float);
    float *host = host_vector(C, n);
    CHECK_CL(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    CHECK_CL(clEnqueueFillBuffer(queue, c, &(float){-1}, 4, 0, bytes, 0, NULL, NULL));
    return host;
}

static void check_vector_add(const struct experiment *x, size_t n) {
    float *c = take_c(x, n);
    check_sums(c, n);
    free(c);
}

static void check_copy(const struct experiment *x, size_t n) {
    float *c = take_c(x, n), *a = host_vector(A, n);
    for (size_t i = 0; i < n; i++)
        if (c[i] != a[i])
            errx(EXIT_FAILED, "the copy is wrong at element %zu", i);
    free(c);
    free(a);
}

/* ---- One row: vectors of n floats. Returns percents: vector_add's bandwidth of the copy's ---- */

static double print_row(const struct experiment *x, size_t n, size_t runs, struct cores seen[2]) {
    static double four_us[MAX_RUNS + 1], host_us[MAX_RUNS + 1], one_us[MAX_RUNS + 1],
        copies_us[MAX_RUNS + 1];
    /* vector_add moves 12 bytes for each element: it loads two floats and stores one. A copy of one
     * and a half floats loads 6 bytes and stores 6. (On a CPU whose caches write-allocate, a store
     * first loads its line. There the 12 bytes of vector_add are 16, and those of the copy 18.) */
    const size_t copied = n + (n + 1) / 2, copied_bytes = copied * sizeof(float);
    double unused_us;
    for (size_t run = 0; run <= runs; run++) { /* in turns: each meets the same machine */
        const bool check = run == 0 || run == runs;
        four_us[run] = vector_add_us(x, x->four_floats, 4, n, &host_us[run]);
        if (check)
            check_vector_add(x, n);
        one_us[run] = vector_add_us(x, x->one_float, 1, n, &unused_us);
        if (check)
            check_vector_add(x, n);
        copies_us[run] = copy_us(x, copied_bytes);
        if (check)
            check_copy(x, copied);
    }
    /* Run 0 is the warm-up. */
    const double four = median(four_us + 1, runs), host = median(host_us + 1, runs);
    const double four_gb_s = bandwidth_gb_s(x->cl.device, 12.0 * (double)n, four);
    const double one_gb_s =
        bandwidth_gb_s(x->cl.device, 12.0 * (double)n, median(one_us + 1, runs));
    const double copy_gb_s =
        bandwidth_gb_s(x->cl.device, 2 * (double)copied_bytes, median(copies_us + 1, runs));
    const bool is_cpu = x->cl.is_cpu;
    const unsigned doubts = doubt_us(four_us + 1, runs, is_cpu) |
                            doubt_us(host_us + 1, runs, is_cpu) |
                            doubt_us(one_us + 1, runs, is_cpu) |
                            doubt_us(copies_us + 1, runs, is_cpu) | doubt_wait(host - four);
    printf("%9zu %15.3f %9.3f %16.3f %14.3f %9.3f %s\n", n, four, host, four_gb_s, one_gb_s,
           copy_gb_s, first_doubt(doubts | doubt_cores(seen))); /* the host's time is in each row */
    return four_gb_s / copy_gb_s * 100;
}

int main(int argc, char **argv) {
    struct args args = begin_args(argc, argv);
    const size_t runs = number_arg(&args, "--runs", "31", MAX_RUNS, "measure so often");
    const struct numbers sizes =
        list_arg(&args, "--size", "16384,65536,262144,1048576,4194304,16777216", MAX_SIZE,
                 "floats in each vector, one size after the other");
    const char *device = text_arg(&args, "--device", "", "number, or text in its name; or list");
    end_args(&args);

    struct experiment x = {.cl = open_opencl(device, CL_QUEUE_PROFILING_ENABLE)};
    size_t largest = 0;
    double of_copy_percent = 0;
    x.four_floats = build_kernel(&x.cl, "opencl_profiling.cl", "", "vector_add_float4");
    x.one_float = build_kernel(&x.cl, "opencl_profiling.cl", "", "vector_add");
    for (size_t i = 0; i < sizes.count; i++)
        largest = sizes.at[i] > largest ? sizes.at[i] : largest;
    for (cl_uint v = A; v <= C; v++) {
        const size_t floats = largest + (largest + 1) / 2, bytes = floats * sizeof(float);
        x.vectors[v] = new_buffer(&x.cl, bytes);
        float *host = host_vector(v, floats);
        CHECK_CL(
            clEnqueueWriteBuffer(x.cl.queue, x.vectors[v], CL_TRUE, 0, bytes, host, 0, NULL, NULL));
        CHECK_CL(clSetKernelArg(x.four_floats, v, sizeof x.vectors[v], &x.vectors[v]));
        CHECK_CL(clSetKernelArg(x.one_float, v, sizeof x.vectors[v], &x.vectors[v]));
        free(host);
    }
    print_head(x.cl.name);
    printf("# runs %zu\n# size %s\n", runs, sizes.text);
    puts("# Times are those of four floats for each work-item.\n"
         "     size start_to_end_us   host_us four_floats_gb_s one_float_gb_s copy_gb_s disturbed");
    struct cores seen[2] = {cores_now(), cores_now()};
    for (size_t i = 0; i < sizes.count; i++)
        of_copy_percent = print_row(&x, sizes.at[i], runs, seen);
    printf("# of_copy_percent %.3f\n", of_copy_percent); /* at the last size */
    return EXIT_SUCCESS;
}
