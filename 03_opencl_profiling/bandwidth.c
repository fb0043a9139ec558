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
#include "stamps.h"
#include "summary.h"
#include "vectors.h" /* cl: context, device, queue */

static cl_kernel one_float, four_floats;
static cl_mem vectors[3]; /* with room for the copy, half as much again as vector_add needs */

/* ---- The methods: each returns microseconds from START to END, and stores the host's ---- */

/* c = a + b by `kernel`, which adds `each` floats in a work-item. */
static double vector_add(cl_kernel kernel, size_t each, size_t n, double *host_us) {
    const size_t local_size = 256, in_group = local_size * each;
    const size_t global_size = (n + in_group - 1) / in_group * local_size;
    cl_event event;
    CHECK_CL(clFinish(cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                    &event));
    CHECK_CL(clFinish(cl.queue));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return take_start_to_end_us(event, *host_us);
}

/* c = a, `bytes` of it. */
static double copy(size_t bytes, double *host_us) {
    cl_event event;
    CHECK_CL(clFinish(cl.queue));
    const int64_t start_ns = now_ns();
    CHECK_CL(clEnqueueCopyBuffer(cl.queue, vectors[A], vectors[C], 0, 0, bytes, 0, NULL, &event));
    CHECK_CL(clFinish(cl.queue));
    *host_us = (double)(now_ns() - start_ns) / 1e3;
    return take_start_to_end_us(event, *host_us);
}

static void check_copy(size_t floats) {
    float *host = read_vector(vectors[C], floats);
    for (size_t i = 0; i < floats; i++)
        if (host[i] != vector_element(A, i))
            fail(EXIT_FAILED, "the copy is wrong at element %zu", i);
    free(host);
}

/* ---- From time to bandwidth ---- */

/* Bytes by microseconds, in GB/s. Exits with 1 if no device could be as fast: no compute unit of
 * today moves 512 bytes a clock. */
static double bandwidth_gb_s(double bytes, double us) {
    const double gb_s = bytes / us / 1e3;
    cl_uint units, mhz;
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL));
    if (us <= 0 || (mhz > 0 && gb_s > units * (mhz / 1e3) * 512))
        fail(EXIT_FAILED,
             "impossible, or too short for this clock: %.0f GB/s from %u compute units at %u MHz",
             gb_s, units, mhz);
    return gb_s;
}

/* For the record: the bandwidth of the slowest and of the fastest run, if that has a time. */
static void record_bandwidths(const char *name, double bytes, struct summary us) {
    recorded_spread(name, "gb_s", 4, bytes / us.max / 1e3, us.min > 0 ? bytes / us.min / 1e3 : NAN);
}

/* One row: vectors of n floats. Returns by how much four floats for each work-item are faster
 * than the copy: 1 is as fast. */
static double measure(size_t n) {
    static double four_us[MAX_RUNS], host_us[MAX_RUNS], one_us[MAX_RUNS], copy_us[MAX_RUNS];
    const size_t runs = (size_t)options.runs;
    /* vector_add moves 12 bytes for each element: it loads two floats and stores one. A copy of one
     * and a half floats loads 6 bytes and stores 6. (On a CPU whose caches write-allocate, a store
     * first loads its line. There the 12 bytes of vector_add are 16, and those of the copy 18.) */
    const size_t copied = n + (n + 1) / 2, copied_bytes = copied * sizeof(float);
    const double bytes = 12.0 * (double)n;
    const cl_ulong count = n;
    double unused_us;
    set_up_vectors(vectors, copied, four_floats);
    for (cl_uint v = A; v <= C; v++)
        CHECK_CL(clSetKernelArg(one_float, v, sizeof vectors[v], &vectors[v]));
    CHECK_CL(clSetKernelArg(four_floats, 3, sizeof count, &count));
    CHECK_CL(clSetKernelArg(one_float, 3, sizeof count, &count));

    vector_add(four_floats, 4, n, &unused_us); /* the warm-ups */
    check_vector_add(vectors[C], n);
    copy(copied_bytes, &unused_us);
    check_copy(copied);
    vector_add(one_float, 1, n, &unused_us);
    check_vector_add(vectors[C], n);
    for (size_t run = 0; run < runs; run++) { /* in turns: each meets the same machine */
        four_us[run] = vector_add(four_floats, 4, n, &host_us[run]);
        if (run == runs - 1) { /* after it c was a copy: it has written the sums */
            check_vector_add(vectors[C], n);
            spoil_sums(vectors[C], n);
        }
        one_us[run] = vector_add(one_float, 1, n, &unused_us);
        if (run == runs - 1)
            check_vector_add(vectors[C], n);
        copy_us[run] = copy(copied_bytes, &unused_us);
    }
    check_copy(copied);
    for (int v = A; v <= C; v++)
        CHECK_CL(clReleaseMemObject(vectors[v]));

    const struct summary four = summarize_us(four_us, runs), host = summarize_us(host_us, runs),
                         one = summarize_us(one_us, runs), copies = summarize_us(copy_us, runs);
    const double four_gb_s = bandwidth_gb_s(bytes, four.median);
    const double copy_gb_s = bandwidth_gb_s(2 * (double)copied_bytes, copies.median);
    cell("size", "%10zu", n);
    number("start_to_end", "us", 2, four.median);
    number("host", "us", 2, host.median);
    number("four_floats", "GB/s", 3, four_gb_s);
    number("one_float", "GB/s", 3, bandwidth_gb_s(bytes, one.median));
    number("copy", "GB/s", 3, copy_gb_s);
    recorded_spread("start_to_end", "us", 3, four.min, four.max);
    recorded_spread("host", "us", 3, host.min, host.max);
    record_bandwidths("four_floats", bytes, four);
    record_bandwidths("one_float", bytes, one);
    record_bandwidths("copy", 2 * (double)copied_bytes, copies);
    end_row(four.disturbed || host.disturbed || one.disturbed || copies.disturbed ||
            is_delayed(host.median - four.median));
    return four_gb_s / copy_gb_s;
}

int main(int argc, char **argv) {
    options.device = "";
    options.runs = 31;
    for (int i = 0; i < 6; i++) /* 2^14, 2^16, ... 2^24 */
        options.sizes[i] = 1 << (14 + 2 * i);
    parse_options(argc, argv, "What bandwidth do START and END give?");
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    for (long long *size = options.sizes; *size; size++)
        check_size(*size, 6, 18);
    const cl_program program = build_program("opencl_profiling.cl", "");
    MAKE_CL(four_floats = clCreateKernel(program, "vector_add_float4", &cl_error));
    MAKE_CL(one_float = clCreateKernel(program, "vector_add", &cl_error));

    begin_table(
        "Bandwidth on %s, %s\n"
        "vector_add with four floats in each work-item and with one, and a copy of as many bytes;\n"
        "size: elements, 12 bytes moved for each; start_to_end and host are those of four_floats;\n"
        "medians of %lld runs\n\n",
        cl.name, cl.platform, options.runs);
    double of_copy = 0;
    for (long long *size = options.sizes; *size; size++)
        of_copy = measure((size_t)*size);
    end_table();
    const double of_copy_percent = value("of_copy", "percent", of_copy * 100);
    say("At the last size four_floats has %.0f %% of the copy's bandwidth. Where host is\n"
        "over twice start_to_end, most of the host's wait is overhead.\n",
        of_copy_percent);
    return EXIT_SUCCESS;
}
