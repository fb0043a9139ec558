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
#include "clock.h"
#include "opencl.h"
#include "others.h"
#include "stats.h"
#include "vectors.h"

struct experiment {
    const struct opencl *cl; /* its queue has CL_QUEUE_PROFILING_ENABLE */
    cl_kernel one_float, four_floats;
    cl_mem vectors[3]; /* half as large again as vector_add needs: for the copy */
};

/* ---- The methods: each returns microseconds from START to END, and stores the host's ---- */

/* c = a + b by `kernel`, which adds `each` floats in a work-item. */
static double vector_add(cl_command_queue queue, cl_kernel kernel, size_t each, size_t n,
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
    return take_start_to_end_us(event, *host_us);
}

/* c = a, `bytes` of it. */
static double copy(cl_command_queue queue, cl_mem a, cl_mem c, size_t bytes, double *host_us) {
    cl_event event;
    CHECK_CL(clFinish(queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueCopyBuffer(queue, a, c, 0, 0, bytes, 0, NULL, &event));
    CHECK_CL(clFinish(queue));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return take_start_to_end_us(event, *host_us);
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
        fail(EXIT_FAILED,
             "impossible, or too short for this clock: %.0f GB/s from %u compute units at %u MHz",
             gb_s, units, mhz);
    return gb_s;
}

/* The bandwidth of the fastest run; NaN if that took no time by its clock. */
static double fastest_gb_s(double bytes, struct summary us) {
    return us.min > 0 ? bytes / us.min / 1e3 : NAN;
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
    float *host = read_c(x, n);
    for (size_t i = 0; i < n; i++)
        if (host[i] != vector_element(A, i))
            fail(EXIT_FAILED, "the copy is wrong at element %zu", i);
    free(host);
}

/* Writes over c: the next vector_add must write the sums anew. */
static void spoil_result(const struct experiment *x, size_t n) {
    const float none = -1;
    CHECK_CL(clEnqueueFillBuffer(x->cl->queue, x->vectors[C], &none, sizeof none, 0,
                                 n * sizeof none, 0, NULL, NULL));
    CHECK_CL(clFinish(x->cl->queue));
}

/* ---- One row: vectors of n floats ---- */

/* Returns the bandwidth with four floats for each work-item, divided by the copy's. */
static double measure(struct table *table, struct experiment *x, size_t n, size_t runs) {
    static double four_us[MAX_RUNS], host_us[MAX_RUNS], one_us[MAX_RUNS], copy_us[MAX_RUNS];
    /* vector_add moves 12 bytes for each element: it loads two floats and stores one. A copy of one
     * and a half floats loads 6 bytes and stores 6. (On a CPU whose caches write-allocate, a store
     * first loads its line. There the 12 bytes of vector_add are 16, and those of the copy 18.) */
    const size_t copied = n + (n + 1) / 2, copied_bytes = copied * sizeof(float);
    const double bytes = 12.0 * (double)n, bytes_of_copy = 2 * (double)copied_bytes;
    const cl_command_queue queue = x->cl->queue;
    const cl_device_id device = x->cl->device;
    const cl_ulong elements = n;
    double unused_us;
    for (cl_uint v = A; v <= C; v++) {
        float *host = host_vector(v, copied);
        x->vectors[v] = new_buffer(x->cl, copied_bytes, host);
        CHECK_CL(clSetKernelArg(x->four_floats, v, sizeof x->vectors[v], &x->vectors[v]));
        CHECK_CL(clSetKernelArg(x->one_float, v, sizeof x->vectors[v], &x->vectors[v]));
        free(host);
    }
    CHECK_CL(clSetKernelArg(x->four_floats, 3, sizeof elements, &elements));
    CHECK_CL(clSetKernelArg(x->one_float, 3, sizeof elements, &elements));

    vector_add(queue, x->four_floats, 4, n, &unused_us); /* the warm-ups */
    check_vector_add(x, n);
    copy(queue, x->vectors[A], x->vectors[C], copied_bytes, &unused_us);
    check_copy(x, copied);
    vector_add(queue, x->one_float, 1, n, &unused_us);
    check_vector_add(x, n);
    const struct processor_time from = processor_time_now();
    for (size_t run = 0; run < runs; run++) { /* in turns: each meets the same machine */
        four_us[run] = vector_add(queue, x->four_floats, 4, n, &host_us[run]);
        if (run == runs - 1) { /* c was a copy before, or the warm-up's sums */
            check_vector_add(x, n);
            spoil_result(x, n);
        }
        one_us[run] = vector_add(queue, x->one_float, 1, n, &unused_us);
        if (run == runs - 1)
            check_vector_add(x, n);
        copy_us[run] = copy(queue, x->vectors[A], x->vectors[C], copied_bytes, &unused_us);
    }
    check_copy(x, copied);
    for (int v = A; v <= C; v++)
        CHECK_CL(clReleaseMemObject(x->vectors[v]));

    const bool cpu = is_processor(x->cl);
    const struct summary four = summarize_on(cpu, four_us, runs),
                         host = summarize_on(cpu, host_us, runs),
                         one = summarize_on(cpu, one_us, runs),
                         copies = summarize_on(cpu, copy_us, runs);
    const unsigned others = mark_others(table, others_of_run(&from)); /* host_us is in each row */
    const double four_gb_s = bandwidth_gb_s(device, bytes, four.median);
    const double copy_gb_s = bandwidth_gb_s(device, bytes_of_copy, copies.median);
    number(table, "size", 0, (double)n);
    number(table, "start_to_end_us", 2, four.median);
    number(table, "host_us", 2, host.median);
    number(table, "four_floats_gb_s", 3, four_gb_s);
    number(table, "one_float_gb_s", 3, bandwidth_gb_s(device, bytes, one.median));
    number(table, "copy_gb_s", 3, copy_gb_s);
    record_number(table, "start_to_end_min_us", 2, four.min);
    record_number(table, "start_to_end_max_us", 2, four.max);
    record_number(table, "host_min_us", 2, host.min);
    record_number(table, "host_max_us", 2, host.max);
    record_number(table, "four_floats_min_gb_s", 3, bytes / four.max / 1e3);
    record_number(table, "four_floats_max_gb_s", 3, fastest_gb_s(bytes, four));
    record_number(table, "one_float_min_gb_s", 3, bytes / one.max / 1e3);
    record_number(table, "one_float_max_gb_s", 3, fastest_gb_s(bytes, one));
    record_number(table, "copy_min_gb_s", 3, bytes_of_copy / copies.max / 1e3);
    record_number(table, "copy_max_gb_s", 3, fastest_gb_s(bytes_of_copy, copies));
    end_row(table, others | four.marks | host.marks | one.marks | copies.marks |
                       mark_delay(host.median - four.median));
    return four_gb_s / copy_gb_s;
}

int main(int argc, char **argv) {
    const char *device = "";
    long long runs = 31;
    struct numbers sizes = {6, false, {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24}};
    const struct arg args[] = {
        ARG_DEVICE(&device), ARG_RUNS(&runs),
        ARG_LIST("size", &sizes, 1LL << 40, "numbers of elements, one after the other"),
        END_OF_ARGS};
    struct experiment x;
    struct table table = {0};
    double of_copy = 0;
    parse_args(argc, argv, "What bandwidth do START and END give?", args);
    const struct opencl cl = open_opencl(device, CL_QUEUE_PROFILING_ENABLE);
    x.cl = &cl;
    for (int i = 0; i < sizes.count; i++)
        check_memory(&cl, sizes.at[i], 6, 18);
    const cl_program program = build_program(&cl, "opencl_profiling.cl", "");
    MAKE_CL(x.four_floats, clCreateKernel(program, "vector_add_float4", &cl_error));
    MAKE_CL(x.one_float, clCreateKernel(program, "vector_add", &cl_error));

    begin_record(args, cl.name, cl.driver);
    say("Bandwidth on %s, %s.\n"
        "vector_add with four floats in each work-item and with one, and a copy of as many bytes.\n"
        "A size is a number of elements; each moves 12 bytes. start_to_end_us and host_us are "
        "those\n"
        "of four floats. Medians of %lld runs:\n\n",
        cl.name, cl.platform, runs);
    for (int i = 0; i < sizes.count; i++)
        of_copy = measure(&table, &x, (size_t)sizes.at[i], (size_t)runs);
    end_table(&table);
    say("At the last size vector_add with four floats has %.0f %% of the copy's bandwidth.\n",
        value("of_copy_percent", of_copy * 100));
    return EXIT_SUCCESS;
}
