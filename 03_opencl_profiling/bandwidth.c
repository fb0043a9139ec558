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
#include "report.h"
#include "samples.h"

struct experiment {
    const struct opencl *cl; /* its queue has CL_QUEUE_PROFILING_ENABLE */
    cl_kernel one_float, four_floats;
    cl_mem vectors[3]; /* half as large again as vector_add needs: for the copy */
};

/* ---- The methods: each returns microseconds from START to END, and stores the host's ---- */

/* c = a + b by `kernel`, which adds `each` floats in a work-item. */
static double vector_add_us(cl_command_queue queue, cl_kernel kernel, size_t each, size_t n,
                            double *host_us) {
    const size_t local_size = 256, in_group = local_size * each;
    const size_t global_size = (n + in_group - 1) / in_group * local_size;
    cl_event event;
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL, &event));
    CHECK_CL(clFinish(queue));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return start_to_end_us(event, *host_us);
}

/* c = a, `bytes` of it. */
static double copy_us(cl_command_queue queue, cl_mem a, cl_mem c, size_t bytes, double *host_us) {
    cl_event event;
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueCopyBuffer(queue, a, c, 0, 0, bytes, 0, NULL, &event));
    CHECK_CL(clFinish(queue));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return start_to_end_us(event, *host_us);
}

/* ---- From time to bandwidth ---- */

/* Bytes by microseconds, in GB/s. Exits with 1 if no device could be as fast: no compute unit of
 * today moves 512 bytes a clock. */
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

/* The first n floats of c. The caller frees them. */
static float *read_c(const struct experiment *x, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CL(clEnqueueReadBuffer(x->cl->queue, x->vectors[C], CL_TRUE, 0, n * sizeof *host, host, 0,
                                 NULL, NULL));
    return host;
}

static void check_vector_add(const struct experiment *x, size_t n) {
    float *host = read_c(x, n);
    check_sums(host, n);
    free(host);
}

static void check_copy(const struct experiment *x, size_t n) {
    float *host = read_c(x, n), *a = host_vector(A, n);
    for (size_t i = 0; i < n; i++)
        if (host[i] != a[i])
            errx(EXIT_FAILED, "the copy is wrong at element %zu", i);
    free(host);
    free(a);
}

/* Writes over c: the next vector_add must write the sums anew. */
static void spoil_result(const struct experiment *x, size_t n) {
    const float none = -1;
    CHECK_CL(clEnqueueFillBuffer(x->cl->queue, x->vectors[C], &none, sizeof none, 0,
                                 n * sizeof none, 0, NULL, NULL));
    CHECK_CL(clFinish(x->cl->queue));
}

/* ---- One row: vectors of n floats ---- */

/* Medians of the runs. */
struct row {
    double start_to_end_us, host_us; /* of four floats in each work-item */
    double four_floats_gb_s, one_float_gb_s, copy_gb_s;
    const char *doubt;
};

/* Fills the three vectors anew, and gives them to both kernels. */
static void new_vectors(struct experiment *x, size_t n, size_t copied) {
    const cl_ulong elements = n;
    for (cl_uint v = A; v <= C; v++) {
        float *host = host_vector(v, copied);
        x->vectors[v] = new_buffer(x->cl, copied * sizeof *host, host);
        CHECK_CL(clSetKernelArg(x->four_floats, v, sizeof x->vectors[v], &x->vectors[v]));
        CHECK_CL(clSetKernelArg(x->one_float, v, sizeof x->vectors[v], &x->vectors[v]));
        free(host);
    }
    CHECK_CL(clSetKernelArg(x->four_floats, 3, sizeof elements, &elements));
    CHECK_CL(clSetKernelArg(x->one_float, 3, sizeof elements, &elements));
}

static struct row measure(struct experiment *x, size_t n, size_t runs) {
    static double four_us[MAX_RUNS], host_us[MAX_RUNS], one_us[MAX_RUNS], copies_us[MAX_RUNS];
    /* vector_add moves 12 bytes for each element: it loads two floats and stores one. A copy of one
     * and a half floats loads 6 bytes and stores 6. (On a CPU whose caches write-allocate, a store
     * first loads its line. There the 12 bytes of vector_add are 16, and those of the copy 18.) */
    const size_t copied = n + (n + 1) / 2, copied_bytes = copied * sizeof(float);
    const double bytes = 12.0 * (double)n, bytes_of_copy = 2 * (double)copied_bytes;
    const cl_command_queue queue = x->cl->queue;
    double unused_us;
    new_vectors(x, n, copied);
    vector_add_us(queue, x->four_floats, 4, n, &unused_us); /* the warm-ups */
    check_vector_add(x, n);
    copy_us(queue, x->vectors[A], x->vectors[C], copied_bytes, &unused_us);
    check_copy(x, copied);
    vector_add_us(queue, x->one_float, 1, n, &unused_us);
    check_vector_add(x, n);
    const struct cores from = cores_now();
    for (size_t run = 0; run < runs; run++) { /* in turns: each meets the same machine */
        four_us[run] = vector_add_us(queue, x->four_floats, 4, n, &host_us[run]);
        if (run == runs - 1) { /* c was a copy before, or the warm-up's sums */
            check_vector_add(x, n);
            spoil_result(x, n);
        }
        one_us[run] = vector_add_us(queue, x->one_float, 1, n, &unused_us);
        if (run == runs - 1)
            check_vector_add(x, n);
        copies_us[run] = copy_us(queue, x->vectors[A], x->vectors[C], copied_bytes, &unused_us);
    }
    const char *others = wait_and_doubt_cores(&from); /* the host's time is in each row */
    check_copy(x, copied);
    for (int v = A; v <= C; v++)
        CHECK_CL(clReleaseMemObject(x->vectors[v]));

    const bool cpu = x->cl->type & CL_DEVICE_TYPE_CPU;
    const struct summary four = summarize_us(four_us, runs, cpu),
                         host = summarize_us(host_us, runs, cpu),
                         one = summarize_us(one_us, runs, cpu),
                         copies = summarize_us(copies_us, runs, cpu);
    struct row r = {.start_to_end_us = four.median, .host_us = host.median};
    r.four_floats_gb_s = bandwidth_gb_s(x->cl->device, bytes, four.median);
    r.one_float_gb_s = bandwidth_gb_s(x->cl->device, bytes, one.median);
    r.copy_gb_s = bandwidth_gb_s(x->cl->device, bytes_of_copy, copies.median);
    r.doubt = four.doubt ?: host.doubt ?: one.doubt ?: copies.doubt;
    r.doubt = r.doubt ?: doubt_wait(host.median - four.median) ?: others;
    return r;
}

int main(int argc, char **argv) {
    long long runs = 31;
    struct numbers sizes = {6, {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24}};
    const struct opt options[] = {
        OPT_DEVICE, OPT_RUNS(&runs),
        OPT_LIST("size", &sizes, 1LL << 40, "numbers of elements, one after the other"),
        END_OF_OPTIONS};
    static struct row rows[MAX_LIST];
    struct experiment x;
    parse_options(argc, argv, "What bandwidth do START and END give?", options);
    const struct opencl cl = open_opencl(CL_QUEUE_PROFILING_ENABLE);
    x.cl = &cl;
    for (int i = 0; i < sizes.count; i++)
        check_size(&cl, sizes.at[i], 18); /* one and a half floats in each of three buffers */
    const cl_program program = build_program(&cl, "opencl_profiling.cl", "");
    x.four_floats = new_kernel(program, "vector_add_float4");
    x.one_float = new_kernel(program, "vector_add");
    for (int i = 0; i < sizes.count; i++)
        rows[i] = measure(&x, (size_t)sizes.at[i], (size_t)runs);
    const struct row *last = &rows[sizes.count - 1];
    const double percent = last->four_floats_gb_s / last->copy_gb_s * 100;

    begin_record(options, cl.name, cl.driver);
    say("Bandwidth on %s, %s.\n"
        "vector_add with four floats in each work-item and with one, and a copy of as many bytes.\n"
        "A size is a number of elements; each moves 12 bytes. start_to_end_us and host_us are "
        "those\n"
        "of four floats. Medians of %lld runs:\n\n",
        cl.name, cl.driver, runs);
    for (int i = 0; i < sizes.count; i++)
        print_row(rows[i].doubt,
                  "size=%9lld|start_to_end_us=%15.2f|host_us=%9.2f|four_floats_gb_s=%16.3f|"
                  "one_float_gb_s=%14.3f|copy_gb_s=%9.3f",
                  sizes.at[i], rows[i].start_to_end_us, rows[i].host_us, rows[i].four_floats_gb_s,
                  rows[i].one_float_gb_s, rows[i].copy_gb_s);
    value("of_copy_percent", percent);
    say("\nAt the last size vector_add with four floats has %.0f %% of the copy's bandwidth.\n",
        percent);
    return EXIT_SUCCESS;
}
