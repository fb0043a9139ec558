/* SPDX-License-Identifier: MIT
 *
 * Does each OpenCL kernel of the chapters write exactly what it should, and nothing else? Of a time
 * this asks only what no load can upset. Run: kernels [DEVICE, as --device takes it] */
#include "vectors.h"

/* AT_A, ...: where a kernel's arguments begin in memory, in floats, with ROOM before and after. */
enum { ROOM = 1024, PART = 4096 + ROOM, AT_A = ROOM, AT_B = AT_A + PART, AT_C = AT_B + PART, ALL = AT_C + PART };
static float right[ALL], found[ALL]; /* right: what goes in, and then what must come out */
static cl_mem memory;
static cl_kernel kernel, broken; /* the one under test; the last one that was wrong */

/* Builds a kernel. Its arguments from number `arg` on are the parts of memory from `at` on. */
static void build(const char *file, const char *flags, const char *name, cl_uint arg, size_t at) {
    const cl_program program = build_program(file, flags);
    MAKE_CL(kernel = clCreateKernel(program, name, &cl_error));
    memset(right, 0xc2, sizeof right); /* -97.4: less than any input, so a minimum shows it */
    for (; at < ALL; at += PART) {
        const cl_buffer_region region = {at * sizeof(float), PART * sizeof(float)};
        cl_mem part;
        MAKE_CL(part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &cl_error));
        CHECK_CL(clSetKernelArg(kernel, arg++, sizeof part, &part));
    }
}

static void run(size_t items, size_t group_size) {
    CHECK_CL(clEnqueueWriteBuffer(cl.queue, memory, CL_TRUE, 0, sizeof right, right, 0, NULL, NULL));
    CHECK_CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &group_size, 0, NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(cl.queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
}

/* Says which bits did not come out right, once for each kernel; clears all for the next test. */
static void expect_right(const char *test, size_t n) {
    for (int i = 0; i < ALL; i++)
        if (memcmp((const void *)&found[i], (const void *)&right[i], 4) != 0 && kernel != broken) {
            fprintf(stderr, "%s %zu: %c[%d] is %g, not %g\n", test, n, "abcc"[i / PART], i % PART - ROOM,
                    (double)found[i], (double)right[i]);
            broken = kernel;
        }
    memset(right, 0xc2, sizeof right);
}

/* From AT_A on, vector_add and its like, `each` floats a work-item; from AT_C on, other_kernel. */
static void check_vector(const char *file, const char *name, size_t from, cl_ulong each) {
    static const cl_ulong sizes[] = {1, 3, 4, 5, 255, 256, 257, 1000, 1021, 4096, 0};
    build(file, "", name, 0, from);
    for (const cl_ulong *n = sizes; *n; n++) {
        for (size_t i = 0; i < *n; i++) { /* no two pairs have the same sum */
            right[AT_A + i] = (float)(i + 1);
            right[AT_B + i] = (float)(4096 * i);
        }
        CHECK_CL(clSetKernelArg(kernel, from == AT_A ? 3 : 1, sizeof *n, n));
        run((*n + 256 * each - 1) / (256 * each) * 256, 256);
        for (size_t i = 0; i < *n; i++) right[AT_C + i] = from == AT_A ? right[AT_A + i] + right[AT_B + i] : -2;
        expect_right(file, *n);
    }
}

/* spin by a clock, which may go on for longer (2^40 steps: minutes), or by its loop. */
static void check_spin(const char *clock) {
    build("docs/lab/spin.cl", clock ? clock : "", "spin", 1, AT_C);
    for (cl_long length = 100000; length >= 0; length -= 50000) {
        CHECK_CL(clSetKernelArg(kernel, 0, sizeof length, &length));
        run(1, 1);
        cl_long ran[2], stand_in[] = {1, 1 + length};
        memcpy(ran, &found[AT_C], sizeof ran);
        const bool by_clock = clock && ran[0] > 1 && ran[1] - ran[0] >= length && ran[1] - ran[0] < 1LL << 40;
        memcpy(&right[AT_C], by_clock ? ran : stand_in, sizeof ran);
        expect_right("spin, steps:", (size_t)length);
    }
}

/* timedReduction, the minimum in `slot`. Its clock is real, or it is output[group] + 100. */
static void check_reduction(size_t threads, size_t groups, size_t slot, cl_int work, bool clock) {
    for (size_t i = 0; i < 2 * threads; i++) right[AT_A + i] = (float)(i == slot ? 1 + slot % 7 : 10 + i * 37 % 1021);
    CHECK_CL(clSetKernelArg(kernel, 3, 2 * threads * sizeof(float), NULL));
    CHECK_CL(clSetKernelArg(kernel, 4, sizeof work, &work));
    run(groups * threads, threads);
    for (size_t g = 0; g < groups; g++) {
        right[AT_B + g] = right[work > 0 ? AT_A + slot : AT_B + g];
        const cl_long end = (cl_long)(right[AT_B + g] + 100);
        cl_long t[5], stand_in[] = {2, end, 102, end + 100, 7}; /* clock, clock, ns, ns, SM */
        memcpy(t, &found[AT_C + 10 * g], sizeof t);
        clock = clock && t[0] >= 0 && t[1] - t[0] >= work && t[2] >= 0 && t[3] >= t[2] && t[4] >= 0;
        memcpy(&right[AT_C + 10 * g], clock ? t : stand_in, sizeof t);
    }
    expect_right("timedReduction, threads:", threads);
}

int main(int argc, char **argv) {
    const size_t sizes[] = {1, 2, 3, 5, 31, 32, 33, 64, 100, 255, 256, 0}, groups[] = {1, 3, 17, 0};
    set_up_output(argv[0]);
    const size_t far = 12345678; /* what check_vector_add() compares with */
    if (vector_element(A, far) + vector_element(B, far) != (float)far)
        fail(EXIT_FAILED, "vector_element: the sum at %zu is another", far);
    options.device = argc > 1 ? argv[1] : "";
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    MAKE_CL(memory = clCreateBuffer(cl.context, 0, sizeof right, NULL, &cl_error));
    check_vector("02_clfinish_sync/clfinish_sync.cl", "vector_add", AT_A, 1);
    check_vector("03_opencl_profiling/opencl_profiling.cl", "vector_add", AT_A, 1);
    check_vector("03_opencl_profiling/opencl_profiling.cl", "vector_add_float4", AT_A, 4);
    check_vector("06_warmup/warmup_opencl.cl", "vector_add", AT_A, 1);
    check_vector("06_warmup/warmup_opencl.cl", "other_kernel", AT_C, 1);
    check_spin(NULL);
    build("05_block_clock/block_clock.cl",
          "-Dread_clock()=(output[group]+100) -Dread_ns()=(output[group]+200) -Dread_unit()=7", "timedReduction", 0,
          AT_A);
    for (const size_t *size = sizes; *size; size++)
        for (const size_t *g = groups; *g; g++)
            for (size_t slot = 0; slot < 2 * *size; slot += *g)
                for (cl_int work = 0; work < 3; work++) check_reduction(*size, *g, slot, work, false);
    const char *clock = strstr(cl.platform, "NVIDIA") ? "-DCLOCK_PTX" : NULL;
#if defined __x86_64__ || defined __i386__
    if (strstr(cl.platform, "Portable Computing") && cl.type & CL_DEVICE_TYPE_CPU) clock = "-DCLOCK_TSC";
#endif
    if (clock) {
        check_spin(clock);
        build("05_block_clock/block_clock.cl", clock, "timedReduction", 0, AT_A);
        check_reduction(64, 17, 64, 20000, true);
    }
    return broken ? EXIT_FAILED : EXIT_SUCCESS;
}
