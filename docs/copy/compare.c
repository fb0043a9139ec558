/* SPDX-License-Identifier: MIT
 *
 * Which of two OpenCL launches is faster, A or B? A file to copy, with compare.h and
 * compare_report.h. Put your kernels and their data where the first part has its own: here B does
 * more steps than A, by 1 %.
 *
 * Build: cc -O2 compare.c -o compare -lOpenCL -lm
 * Run:   ./compare                nine processes, half a second each; docs/compare.md has more */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "compare_report.h"

#define CHECK(call) check((call), #call, __FILE__, __LINE__)
#define MAKE(object, call) (object = (call), check(code, #call, __FILE__, __LINE__))
static cl_int code; /* of what MAKE makes */

static void check(cl_int error, const char *what, const char *file, int line) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s:%d: %s: error %d\n", file, line, what, error);
        exit(1);
    }
}

static cl_device_id device;
static cl_context context;
static cl_command_queue queue; /* where all work goes, with CL_QUEUE_PROFILING_ENABLE */

static cl_program build_program(const char *text) {
    static char log[1 << 20];
    cl_program program;
    MAKE(program, clCreateProgramWithSource(context, 1, &text, NULL, &code));
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        return program;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "the kernels do not build:\n%s\n", log);
    exit(1);
}

static struct {
    cl_mem data;
    size_t bytes;
} result; /* what A and B write: set_up() says where */

/* ---- What is compared: yours ---- */

#ifdef COMPARED
#include COMPARED /* this part in a file of its own: -DCOMPARED='"mine.c"' */
#else
#ifndef STEPS_A
#define N (1 << 12)
#define STEPS_A 1000
#define STEPS_B 1010
#endif
static cl_mem input;
static cl_kernel work;

static const char *source = "__kernel void work(__global const float *in, __global float *out,\n"
                            "                   uint steps) {\n"
                            "    const size_t i = get_global_id(0);\n"
                            "    float x = 0;\n"
                            "    for (uint step = 0; step < steps; step++)\n"
                            "        x = x * 0.5f + in[i];\n"
                            "    out[i] = x;\n"
                            "}\n";

static void set_up(void) {
    const cl_program program = build_program(source);
    result.bytes = N * sizeof(float);
    MAKE(input, clCreateBuffer(context, CL_MEM_READ_WRITE, result.bytes, NULL, &code));
    MAKE(result.data, clCreateBuffer(context, CL_MEM_READ_WRITE, result.bytes, NULL, &code));
    MAKE(work, clCreateKernel(program, "work", &code));
    CHECK(clSetKernelArg(work, 0, sizeof input, &input));
    CHECK(clSetKernelArg(work, 1, sizeof result.data, &result.data));
}

/* Before each launch, not timed: writes the input of this version, 1 to 999. Each has another
 * result. The result is overwritten before; so prepare() also writes what must stand there. */
static void prepare(int version) {
    static float in[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)(version + i % 64);
    CHECK(clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
}

/* One launch of A or of B. It must not wait for the device. *first and *last: the events of its
 * first and its last command; of a single one *last stays NULL. */
static void launch(char which, cl_event *first, cl_event *last) {
    const size_t global[] = {N}, local[] = {256}; /* a 2-D range: {1024, 768}, {16, 16}; and 2 */
    const cl_uint steps = which == 'A' ? STEPS_A : STEPS_B;
    (void)last;
    CHECK(clSetKernelArg(work, 2, sizeof steps, &steps));
    CHECK(clEnqueueNDRangeKernel(queue, work, 1, NULL, global, local, 0, NULL, first));
}

/* Of the result, copied to the host: the first wrong element, or -1. The steps lead to twice the
 * input. */
static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < N; i++)
        if (!(fabsf(out[i] - 2 * (float)(version + i % 64)) < 1e-3f)) /* not a number, too */
            return i;
    return -1;
}
#endif

/* ---- How it is timed ---- */

static cl_command_queue cmp_aside; /* waits for no other queue: what has the result become? */
static cl_kernel cmp_empty, cmp_read;
/* What --cold reads, or twice the cache: many a GPU answers with the size of its first cache. */
#ifndef CMP_COLD_BYTES
#define CMP_COLD_BYTES (256 << 20)
#endif
static size_t cmp_cold_count; /* of uint, all 0 */

static const char *const cmp_source = "__kernel void cmp_empty(void) {}\n"
                                      "__kernel void cmp_read(__global uint *zeros) {\n"
                                      "    if (zeros[get_global_id(0)] != 0)\n" /* never */
                                      "        zeros[0] = 1;\n"
                                      "}\n";

/* The result as it is now, or when `event` is complete. */
static void cmp_look(unsigned char *copy, const cl_event *event) {
    CHECK(clEnqueueReadBuffer(cmp_aside, result.data, !event, 0, result.bytes, copy, event != NULL,
                              event, NULL));
    CHECK(clFlush(cmp_aside));
}

/* Another input, a result that is wrong and, with --cold, neither of them in a cache. */
static void cmp_renew(void) {
    cmp.spoilt = (unsigned char)cmp_random(256);
    cmp.version = 1 + cmp_random(999);
    CHECK(clEnqueueFillBuffer(queue, result.data, &cmp.spoilt, sizeof cmp.spoilt, 0, result.bytes,
                              0, NULL, NULL));
    prepare(cmp.version);
    if (cmp.cold)
        CHECK(
            clEnqueueNDRangeKernel(queue, cmp_read, 1, NULL, &cmp_cold_count, NULL, 0, NULL, NULL));
}

static cl_ulong cmp_stamp_ns(cl_event event, cl_profiling_info what) {
    cl_ulong ns = 0; /* a driver may answer CL_SUCCESS and leave it alone */
    CHECK(clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL));
    return ns;
}

/* What was seen is right, and is of this input and of no other. */
static void cmp_check(char which) {
    if (first_wrong(cmp.seen, cmp.version) >= 0) {
        cmp_look(cmp.seen, NULL);
        cmp_judge(which, result.bytes, first_wrong);
    }
    cmp_expect_other(which, first_wrong(cmp.seen, 1 + cmp.version % 999));
}

/* Microseconds from the first START to the last END; which 0: of an empty kernel. */
static double cmp_time_us(char which, int checked, int clocks) {
    const size_t one = 1;
    cl_event gate, first, last = NULL;
    (void)clocks; /* OpenCL C has no clock for a spin */
    if (which)
        cmp_renew();
    CHECK(clFinish(queue));
    if (checked) {
        cmp_look(cmp.before, NULL);
        cmp_expect_wrong(which, first_wrong(cmp.before, cmp.version));
        MAKE(gate, clCreateUserEvent(context, &code));
        CHECK(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
        cmp_hold(which); /* a launch() that waits is named after 3 s */
    }
    const int64_t before_ns = cmp_now_ns();
    if (which)
        launch(which, &first, &last);
    else
        CHECK(clEnqueueNDRangeKernel(queue, cmp_empty, 1, NULL, &one, &one, 0, NULL, &first));
    const int64_t launched_ns = cmp_now_ns();
    if (checked) {
        cmp_hold(0);
        CHECK(clFlush(queue));
        cmp_wait(1); /* until a launch that is not held would have ended */
        do
            cmp_look(cmp.seen, NULL);
        while (cmp_watch(which, result.bytes));
        cmp_look(cmp.seen, last ? &last : &first);
        cmp_wait(0); /* until the copy stands ready */
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clReleaseEvent(gate));
        CHECK(clFinish(cmp_aside));
    }
    CHECK(clFinish(queue)); /* the query does not wait */
    const double waited_us = (double)(cmp_now_ns() - before_ns) / 1e3;
    if (checked)
        cmp_check(which);
    const cl_ulong start_ns = cmp_stamp_ns(first, CL_PROFILING_COMMAND_START),
                   end_ns = cmp_stamp_ns(last ? last : first, CL_PROFILING_COMMAND_END);
    CHECK(clReleaseEvent(first));
    if (last)
        CHECK(clReleaseEvent(last));
    if (start_ns < 1000 || end_ns < start_ns)
        cmp_refuse(which, "has an impossible START, %ld ns, or an END before it", (long)start_ns);
    const double us = (double)(end_ns - start_ns) / 1e3;
    if (!checked)
        cmp_note(which, us, waited_us, (double)(launched_ns - before_ns) / 1e3);
    return us;
}

/* The first GPU of any platform, else the first device. */
static void cmp_choose_device(void) {
    const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) == CL_SUCCESS)
        for (int t = 0; t < 2; t++)
            for (cl_uint p = 0; p < count && p < 16; p++)
                if (clGetDeviceIDs(platforms[p], types[t], 1, &device, NULL) == CL_SUCCESS)
                    return;
    fprintf(stderr, "no OpenCL device\n");
    exit(77); /* what test runners count as skipped */
}

static void cmp_open_device(void) {
    const cl_uint zero = 0;
    cl_ulong bytes = 0; /* of the cache, then of what --cold reads */
    cl_mem zeros;
    cmp_choose_device();
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof cmp.device, cmp.device, NULL));
    MAKE(context, clCreateContext(NULL, 1, &device, NULL, NULL, &code));
    MAKE(queue, clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code));
    MAKE(cmp_aside, clCreateCommandQueue(context, device, 0, &code));
    const cl_program program = build_program(cmp_source);
    MAKE(cmp_empty, clCreateKernel(program, "cmp_empty", &code));
    if (!cmp.cold)
        return;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof bytes, &bytes, NULL));
    cmp_cold_count = (2 * bytes > CMP_COLD_BYTES ? 2 * bytes : CMP_COLD_BYTES) / sizeof zero;
    bytes = cmp_cold_count * sizeof zero;
    MAKE(cmp_read, clCreateKernel(program, "cmp_read", &code));
    MAKE(zeros, clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code));
    CHECK(clEnqueueFillBuffer(queue, zeros, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    CHECK(clSetKernelArg(cmp_read, 0, sizeof zeros, &zeros));
}

int main(int argc, char **argv) {
    cmp_begin(argc, argv, "START to END");
    cmp_open_device();
    set_up();
    cmp.before = calloc(2, result.bytes);
    check(cmp.before ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "calloc", __FILE__, __LINE__);
    cmp.seen = cmp.before + result.bytes;
    for (int i = 0; i < 20; i++) { /* the warm-up */
        cmp_time_us("AB"[(i + cmp.b_first) % 2], 0, 0);
        if (i == 0) { /* B must not need what A left, nor A what B left */
            cmp_look(cmp.seen, NULL);
            cmp_check("AB"[cmp.b_first]);
        }
    }
    return cmp_measure(cmp_time_us, 0, 0) || cmp_finish();
}
