/* SPDX-License-Identifier: MIT
 *
 * Which of two OpenCL launches is faster, A or B? A file to copy, with compare.h. Put your kernels and
 * their data where the first part has its own: here B does 1 % more steps than A.
 *
 * Build: cc -O2 compare.c -o compare -lOpenCL -lm
 * Run:   ./compare                    for 2 s; or ./compare 10 0.2: for 10 s, 0.2 % matters
 *        ./compare - <times.txt       for two columns of times from elsewhere
 *        ./compare 2 --csv=FILE       writes the numbers by their names, too
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "compare.h"

#define CHECK(call) check((call), #call, __LINE__)
static void check(cl_int code, const char *what, int line) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, line, what, code);
        exit(1);
    }
}

static cl_context context;
static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_program program;

/* ---- What is compared: yours ---- */

#ifndef N
#define N (1 << 12)
#endif
#ifndef STEPS_A
#define STEPS_A 1000
#define STEPS_B 1010
#endif
static cl_mem input, output;
static cl_kernel kernel, empty;

static const char *source = "__kernel void work(__global const float *in, __global float *out,\n"
                            "                   uint steps) {\n"
                            "    const size_t i = get_global_id(0);\n"
                            "    float x = in[i];\n"
                            "    for (uint step = 0; step < steps; step++)\n"
                            "        x = x * 0.5f + 1;\n"
                            "    out[i] = x;\n"
                            "}\n"
                            "__kernel void empty(void) {}\n";

static void set_up(void) {
    static float host[N];
    cl_int code;
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    input = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof host, NULL, &code);
    check(code, "clCreateBuffer", __LINE__);
    output = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof host, NULL, &code);
    check(code, "clCreateBuffer", __LINE__);
    CHECK(clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    kernel = clCreateKernel(program, "work", &code);
    check(code, "clCreateKernel", __LINE__);
    empty = clCreateKernel(program, "empty", &code);
    check(code, "clCreateKernel", __LINE__);
    CHECK(clSetKernelArg(kernel, 0, sizeof input, &input));
    CHECK(clSetKernelArg(kernel, 1, sizeof output, &output));
}

/* A, B, or one empty work-group. The arguments are set before the clock runs. */
enum variant { LAUNCH_A, LAUNCH_B, LAUNCH_EMPTY };
static void launch(enum variant variant, cl_event *event) {
    const cl_uint steps = variant == LAUNCH_A ? STEPS_A : STEPS_B;
    const size_t global = variant == LAUNCH_EMPTY ? 1 : N,
                 local = variant == LAUNCH_EMPTY ? 1 : 256;
    if (variant != LAUNCH_EMPTY)
        CHECK(clSetKernelArg(kernel, 2, sizeof steps, &steps));
    CHECK(clEnqueueNDRangeKernel(queue, variant == LAUNCH_EMPTY ? empty : kernel, 1, NULL, &global,
                                 &local, 0, NULL, event));
}

/* Overwrites it too: a launch that does nothing must not pass with the one before it. */
static void check_result(void) {
    static float host[N];
    CHECK(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (!(fabsf(host[i] - 2) < 1e-5f)) { /* where the steps lead to */
            fprintf(stderr, "element %d is %g: a fast wrong kernel is no kernel\n", i,
                    (double)host[i]);
            exit(1);
        }
    const float zero = 0;
    CHECK(clEnqueueFillBuffer(queue, output, &zero, sizeof zero, 0, sizeof host, 0, NULL, NULL));
    CHECK(clFinish(queue));
}

/* ---- How it is timed ---- */

/* Microseconds from START to END of one launch. */
static double time_us(enum variant variant) {
    cl_event event;
    cl_ulong start_ns = 0, end_ns = 0; /* a driver may answer CL_SUCCESS and leave them alone */
    const double before_s = now_s();
    launch(variant, &event);
    CHECK(clFinish(queue)); /* the query does not wait */
    const double waited_us = (now_s() - before_s) * 1e6;
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
                                  NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL));
    CHECK(clReleaseEvent(event));
    if (start_ns < 1000 || end_ns < start_ns) {
        fprintf(stderr, "impossible: START %llu ns, END %llu ns\n", (unsigned long long)start_ns,
                (unsigned long long)end_ns);
        exit(1);
    }
    const double us = (double)(end_ns - start_ns) / 1e3;
    note(us, waited_us);
    return us;
}

/* Adds a pair, in random order. The empty kernel's time is in neither: a constant that both share would
 * make the difference look smaller. */
static void compare(struct pairs *pairs, enum variant other, double empty_us) {
    double a_us = 0, b_us = 0;
    const int b_first = (int)(random_bits() >> 63); /* a coin */
    for (int i = 0; i < 2; i++)
        if (i == b_first)
            a_us = time_us(LAUNCH_A) - empty_us;
        else
            b_us = time_us(other) - empty_us;
    add_pair(pairs, a_us, b_us);
}

/* The first GPU of any platform, else the first device. */
static cl_device_id choose_device(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id device;
    if (clGetPlatformIDs(16, platforms, &count) == CL_SUCCESS)
        for (int any = 0; any < 2; any++)
            for (cl_uint p = 0; p < count && p < 16; p++)
                if (clGetDeviceIDs(platforms[p], any ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_GPU, 1,
                                   &device, NULL) == CL_SUCCESS)
                    return device;
    fprintf(stderr, "no OpenCL device\n");
    exit(77); /* what test runners count as skipped */
}

static void open_device(char name[256]) {
    cl_int code;
    cl_device_id device = choose_device();
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, 256, name, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext", __LINE__);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    check(code, "clCreateCommandQueue", __LINE__);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "clCreateProgramWithSource", __LINE__);
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[1 << 20];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "the kernels do not build: error %d\n%s\n", code, log);
        exit(1);
    }
}

int main(int argc, char **argv) {
    enum { EMPTIES = 101 };
    static double empties_us[EMPTIES];
    char name[256];
    struct interval ratio;
    enum verdict verdict = RUNNING;
    read_arguments(argc, argv);
    open_device(name);
    set_up();
    for (int i = 0; i < 10; i++) { /* the warm-up, and the check */
        time_us(LAUNCH_A);
        check_result();
        time_us(LAUNCH_B);
        check_result();
    }
    for (int i = 0; i < EMPTIES; i++)
        empties_us[i] = time_us(LAUNCH_EMPTY);
    const double empty_us = median_of(empties_us, EMPTIES);

    const double start_s = now_s();
    samples = late = 0;
    for (int round = 0; verdict == RUNNING; round++) {
        compare(&ab, LAUNCH_B, empty_us);
        if (round % 4 == 0)
            compare(&aa, LAUNCH_A, empty_us);
        ab.tick_us = aa.tick_us = (double)tick_ns / 1e3;
        verdict = look(&ab, (now_s() - start_s) / seconds, least, &ratio);
    }
    check_result();                                         /* of the last launch */
    return report(name, verdict, ratio, now_s() - start_s); /* all else goes with the process */
}
