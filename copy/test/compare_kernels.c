/* SPDX-License-Identifier: MIT
 *
 * Four kernels for compare_trials.py, as the user's part of copy/compare.c: KERNEL=arithmetic,
 * copy, sum or product in the environment. B has MORE per mille more work, which does not change
 * the result: more steps, or zeros. */

enum { SIZE = 64, DEPTH = 4000, GROUP = 64, ELEMENTS = 1 << 20, ITEMS = 1 << 12, STEPS = 1000 };
enum { MOST = ELEMENTS + ELEMENTS / 50 };
static const char *name;
static double more;
static cl_kernel kernel;
static cl_mem input;

static const char *source =
    "__kernel void arithmetic(__global const float *in, __global float *out, int steps) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    float x = 0;\n"
    "    for (int step = 0; step < steps; step++)\n"
    "        x = x * 0.5f + in[i];\n"
    "    out[i] = x;\n"
    "}\n"
    "__kernel void copy(__global const float *in, __global float *out, int count) {\n"
    "    for (int i = (int)get_global_id(0); i < count; i += (int)get_global_size(0))\n"
    "        out[i] = in[i];\n"
    "}\n"
    "__kernel void sum(__global const float *in, __global uint *out, int count) {\n"
    "    uint all = 0;\n"
    "    for (int i = (int)get_global_id(0); i < count; i += (int)get_global_size(0))\n"
    "        all += (uint)in[i];\n"
    "    atomic_add(out, all);\n"
    "}\n"
    "__kernel void product(__global const float *in, __global float *out, int depth) {\n"
    "    const int row = (int)get_global_id(0) / 64, column = (int)get_global_id(0) % 64;\n"
    "    float all = 0;\n"
    "    for (int k = 0; k < depth; k++)\n"
    "        all += in[k * 64 + row] * in[k * 64 + column];\n"
    "    out[row * 64 + column] = all;\n"
    "}\n";

/* How many numbers of the input are not zero, and of the result. */
static int filled(void) {
    return *name == 'p' ? SIZE : *name == 'a' ? ITEMS : ELEMENTS;
}
static int results(void) {
    return *name == 'p' ? SIZE * SIZE : *name == 's' ? 1 : filled();
}

static void set_up(void) {
    const cl_uint zero = 0;
    name = getenv("KERNEL") ? getenv("KERNEL") : "arithmetic";
    more = getenv("MORE") ? atof(getenv("MORE")) / 1000 : 0;
    if (!strstr(" arithmetic copy sum product ", name) || !(more >= 0 && more <= 0.02)) {
        fprintf(stderr, "KERNEL=%s MORE=%g: no such kernel, or more than 20\n", name, 1000 * more);
        exit(2);
    }
    cmp_result.bytes = (size_t)results() * sizeof(float);
    CMP_MAKE(input,
             clCreateBuffer(cmp_context, CL_MEM_READ_WRITE, MOST * sizeof(float), NULL, &cmp_code));
    CMP_MAKE(cmp_result.data,
             clCreateBuffer(cmp_context, CL_MEM_READ_WRITE, MOST * sizeof(float), NULL, &cmp_code));
    CMP_MAKE(kernel, clCreateKernel(cmp_build_program(source), name, &cmp_code));
    CMP_CHECK(clEnqueueFillBuffer(cmp_queue, input, &zero, sizeof zero, 0, MOST * sizeof(float), 0,
                                  NULL, NULL));
    CMP_CHECK(clSetKernelArg(kernel, 0, sizeof input, &input));
    CMP_CHECK(clSetKernelArg(kernel, 1, sizeof cmp_result.data, &cmp_result.data));
}

static void prepare(int version) {
    static float in[ELEMENTS];
    const cl_uint zero = 0;
    for (int i = 0; i < filled(); i++)
        in[i] = (float)(version + i % 64);
    CMP_CHECK(clEnqueueWriteBuffer(cmp_queue, input, CL_TRUE, 0, (size_t)filled() * sizeof *in, in,
                                   0, NULL, NULL));
    if (*name == 's')
        CMP_CHECK(clEnqueueFillBuffer(cmp_queue, cmp_result.data, &zero, sizeof zero, 0,
                                      sizeof zero, 0, NULL, NULL));
}

static void launch(char which, cl_event *first, cl_event *last) {
    const size_t items = ITEMS, group = GROUP;
    const cl_int work = (cl_int)((*name == 'a'   ? STEPS
                                  : *name == 'p' ? DEPTH
                                                 : ELEMENTS) *
                                 (which == 'A' ? 1 : 1 + more));
    *last = NULL;
    CMP_CHECK(clSetKernelArg(kernel, 2, sizeof work, &work));
    CMP_CHECK(clEnqueueNDRangeKernel(cmp_queue, kernel, 1, NULL, &items, &group, 0, NULL, first));
}

static long first_wrong(const void *copied, int version) {
    const float *out = (const float *)copied;
    cl_uint all = 0;
    for (int i = 0; i < filled() && *name == 's'; i++)
        all += (cl_uint)(version + i % 64);
    if (*name == 's')
        return *(const cl_uint *)copied == all ? -1 : 0;
    for (int i = 0; i < results(); i++) {
        const float x = (float)(version + i % 64), y = (float)(version + i / SIZE % 64);
        const float right = *name == 'a' ? 2 * x : *name == 'c' ? x : x * y;
        if (!(fabsf(out[i] - right) <= 1e-5f * right))
            return i;
    }
    return -1;
}
