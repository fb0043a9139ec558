/* SPDX-License-Identifier: MIT
 *
 * Does each OpenCL kernel of the chapters write exactly what it should, and nothing else? Of a time
 * this asks only what no load can upset. Run: kernels [DEVICE, as --device takes it]
 * Red: on this device a chapter times a kernel whose result is wrong. */
#include "opencl.h"
#include "vectors.h"

/* AT_A, ...: where a kernel's arguments begin in memory, in floats, with MARGIN before and after. */
enum { MARGIN = 1024, PART = 4096 + MARGIN, AT_A = MARGIN, AT_B = AT_A + PART, AT_C = AT_B + PART, ALL = AT_C + PART };

struct test {
    struct opencl cl;
    cl_mem memory;
    cl_kernel kernel;
    bool told, wrong;             /* of this kernel; of any */
    float right[ALL], found[ALL]; /* right: what goes in, and then what must come out */
};

/* In all of `right`. -97.4: less than any input, so that a minimum shows it. */
static void clear(struct test *t) { memset(t->right, 0xc2, sizeof t->right); }

/* Builds a kernel. Its arguments from number `arg` on are the parts of memory from `at` on, up to `to`. */
static void build(struct test *t, const char *file, const char *flags, const char *name, cl_uint arg, size_t at,
                  size_t to) {
    t->kernel = build_kernel(&t->cl, file, flags, name);
    t->told = false;
    clear(t);
    for (; at < to; at += PART) {
        const cl_buffer_region region = {at * sizeof(float), PART * sizeof(float)};
        cl_int error;
        cl_mem part = clCreateSubBuffer(t->memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        check_cl(error, "clCreateSubBuffer", __FILE__, __LINE__);
        CHECK_CL(clSetKernelArg(t->kernel, arg++, sizeof part, &part));
    }
}

static void run(struct test *t, size_t items, size_t group_size) {
    const cl_command_queue queue = t->cl.queue;
    CHECK_CL(clEnqueueWriteBuffer(queue, t->memory, CL_TRUE, 0, sizeof t->right, t->right, 0, NULL, NULL));
    CHECK_CL(clEnqueueNDRangeKernel(queue, t->kernel, 1, NULL, &items, &group_size, 0, NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, t->memory, CL_TRUE, 0, sizeof t->found, t->found, 0, NULL, NULL));
}

/* Says what did not come out right to the last bit, once for each kernel; clears all for the next run. */
static void expect_right(struct test *t, const char *name, size_t n) {
    for (int i = 0; i < ALL && !t->told; i++)
        if (memcmp((const void *)&t->found[i], (const void *)&t->right[i], sizeof(float)) != 0) {
            fprintf(stderr, "%s %zu: %c[%d] is %g, not %g\n", name, n, "abcc"[i / PART], i % PART - MARGIN,
                    (double)t->found[i], (double)t->right[i]);
            t->told = t->wrong = true;
        }
    clear(t);
}

/* From AT_A on, vector_add and its like, `each` floats a work-item; from AT_C on, other_kernel. */
static void check_vector(struct test *t, const char *file, const char *name, size_t from, cl_ulong each) {
    const cl_ulong sizes[] = {1, 3, 4, 5, 255, 256, 257, 1000, 1021, 4096, 0};
    build(t, file, "", name, 0, from, ALL);
    for (const cl_ulong *n = sizes; *n; n++) {
        for (size_t i = 0; i < *n; i++) { /* no two pairs have the same sum */
            t->right[AT_A + i] = (float)(i + 1);
            t->right[AT_B + i] = (float)(4096 * i);
        }
        CHECK_CL(clSetKernelArg(t->kernel, from == AT_A ? 3 : 1, sizeof *n, n));
        run(t, (*n + 256 * each - 1) / (256 * each) * 256, 256);
        for (size_t i = 0; i < *n; i++)
            t->right[AT_C + i] = from == AT_A ? t->right[AT_A + i] + t->right[AT_B + i] : -2;
        expect_right(t, file, *n);
    }
}

/* spin by a clock, which may go on for longer (2^40 steps: minutes), or by its loop. */
static void check_spin(struct test *t, const char *clock) {
    build(t, "03_opencl_profiling/spin.cl", clock ? clock : "", "spin", 1, AT_C, ALL);
    for (cl_long length = 100000; length >= 0; length -= 50000) {
        CHECK_CL(clSetKernelArg(t->kernel, 0, sizeof length, &length));
        run(t, 1, 1);
        cl_long ran[2], stand_in[] = {1, 1 + length};
        memcpy(ran, &t->found[AT_C], sizeof ran);
        const bool by_clock = clock && ran[0] > 1 && ran[1] - ran[0] >= length && ran[1] - ran[0] < 1LL << 40;
        memcpy(&t->right[AT_C], by_clock ? ran : stand_in, sizeof ran);
        expect_right(t, "spin, steps:", (size_t)length);
    }
}

/* timedReduction, the minimum in `slot`. Its clock is real, or it is the group's minimum, as it stands there, + 200. */
static void check_reduction(struct test *t, size_t threads, size_t groups, size_t slot, bool clock) {
    struct block_time {
        cl_ulong start_clock, end_clock, start_ns, end_ns;
        cl_uint unit;
        cl_float minimum;
    } s;
    for (size_t i = 0; i < 2 * threads; i++)
        t->right[AT_A + i] = (float)(i == slot ? 1 + slot % 7 : 10 + i * 37 % 1021);
    CHECK_CL(clSetKernelArg(t->kernel, 2, 2 * threads * sizeof(float), NULL));
    run(t, groups * threads, threads);
    for (size_t g = 0; g < groups; g++) {
        const cl_float least = t->right[AT_A + slot], before = t->right[AT_B + 10 * g]; /* each is as before */
        memcpy(&s, &t->found[AT_B + 10 * g], sizeof s);
        if (!clock || s.end_clock <= s.start_clock || s.end_ns < s.start_ns)
            s = (struct block_time){(cl_ulong)(before + 200),
                                    (cl_ulong)(least + 200),
                                    (cl_ulong)(before + 300),
                                    (cl_ulong)(least + 300),
                                    7,
                                    least};
        s.minimum = least;
        memcpy(&t->right[AT_B + 10 * g], &s, sizeof s);
    }
    expect_right(t, "timedReduction, threads:", threads);
}

int main(int argc, char **argv) {
    static struct test t;
    const size_t sizes[] = {1, 2, 3, 5, 31, 32, 33, 64, 100, 255, 256, 0}, groups[] = {1, 3, 17, 0};
    const size_t far = 12345678; /* what check_sums() compares with */
    float *a = host_vector(A, far + 1), *b = host_vector(B, far + 1);
    if (a[far] + b[far] != (float)far) errx(EXIT_FAILED, "host_vector: the sum at %zu is another", far);
    t.cl = open_opencl(argc > 1 ? argv[1] : "", CL_QUEUE_PROFILING_ENABLE);
    t.memory = new_buffer(&t.cl, sizeof t.right);
    check_vector(&t, "02_clfinish_sync/clfinish_sync.cl", "vector_add", AT_A, 1);
    check_vector(&t, "03_opencl_profiling/opencl_profiling.cl", "vector_add", AT_A, 1);
    check_vector(&t, "03_opencl_profiling/opencl_profiling.cl", "vector_add_float4", AT_A, 4);
    check_vector(&t, "06_warmup/warmup_opencl.cl", "vector_add", AT_A, 1);
    check_vector(&t, "06_warmup/warmup_opencl.cl", "other_kernel", AT_C, 1);
    check_spin(&t, NULL);
    build(&t, "05_block_clock/block_clock.cl",
          "-Dread_clock()=(times[group].minimum+200) -Dread_ns()=(times[group].minimum+300) -Dread_unit()=7",
          "timedReduction", 0, AT_A, AT_C);
    for (const size_t *size = sizes; *size; size++)
        for (const size_t *g = groups; *g; g++)
            for (size_t slot = 0; slot < 2 * *size; slot += *g) check_reduction(&t, *size, *g, slot, false);
    const char *clock = strstr(t.cl.name, "NVIDIA CUDA") ? "-DCLOCK_PTX" : NULL;
#if defined __x86_64__ || defined __i386__
    if (strstr(t.cl.name, "Portable Computing") && t.cl.is_cpu) clock = "-DCLOCK_TSC";
#endif
    if (clock) {
        check_spin(&t, clock);
        build(&t, "05_block_clock/block_clock.cl", clock, "timedReduction", 0, AT_A, AT_C);
        check_reduction(&t, 64, 17, 64, true);
    }
    return t.wrong ? EXIT_FAILED : EXIT_SUCCESS;
}
