/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Which of two OpenCL launches is faster, A or B? A file to copy, with compare.h. Put your kernels
 * and their data where the first part has its own: here B does more steps than A, by 1 %.
 *
 * Build: cc -O2 compare.c -o compare -lOpenCL -lm
 * Run:   ./compare                nine processes; ./compare --help and docs/compare.md have more */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "compare.h"

#define CMP_CHECK(call) cmp_check((call), #call, __FILE__, __LINE__)
#define CMP_MAKE(object, call) (object = (call), cmp_check(cmp_code, #call, __FILE__, __LINE__))
static cl_int cmp_code; /* CMP_MAKE(x, call): the call writes its error there */

static void cmp_check(cl_int error, const char *what, const char *file, int line) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: %s: error %d, %s\n", file, line, what, error,
            error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? "CL_MEM_OBJECT_ALLOCATION_FAILURE"
            : error == CL_OUT_OF_RESOURCES            ? "CL_OUT_OF_RESOURCES"
            : error == CL_INVALID_KERNEL_NAME         ? "CL_INVALID_KERNEL_NAME"
            : error == CL_INVALID_KERNEL_ARGS         ? "CL_INVALID_KERNEL_ARGS"
            : error == CL_INVALID_WORK_GROUP_SIZE     ? "CL_INVALID_WORK_GROUP_SIZE"
                                                      : "see CL/cl.h");
    exit(1);
}

static cl_device_id cmp_device;
static cl_context cmp_context;
static cl_command_queue cmp_queue; /* where all work goes, with CL_QUEUE_PROFILING_ENABLE */

static cl_program cmp_build_program(const char *text) {
    static char log[1 << 20];
    cl_program program;
    CMP_MAKE(program, clCreateProgramWithSource(cmp_context, 1, &text, NULL, &cmp_code));
    if (clBuildProgram(program, 1, &cmp_device, "", NULL, NULL) == CL_SUCCESS)
        return program;
    clGetProgramBuildInfo(program, cmp_device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "the kernels do not build:\n%s\n", log);
    exit(1);
}

static struct {
    cl_mem data;
    size_t bytes;
} cmp_result; /* what A and B write: set_up() says where */

/* ---- What is compared: yours ---- */

#ifdef COMPARED
#include COMPARED /* this part in a file of its own: -DCOMPARED='"mine.c"' */
#else
#ifndef STEPS_A
#define N (1 << 12)
#define STEPS_A 4000
#define STEPS_B 4040
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
    const cl_program program = cmp_build_program(source);
    cmp_result.bytes = N * sizeof(float);
    CMP_MAKE(input,
             clCreateBuffer(cmp_context, CL_MEM_READ_WRITE, cmp_result.bytes, NULL, &cmp_code));
    CMP_MAKE(cmp_result.data,
             clCreateBuffer(cmp_context, CL_MEM_READ_WRITE, cmp_result.bytes, NULL, &cmp_code));
    CMP_MAKE(work, clCreateKernel(program, "work", &cmp_code));
    CMP_CHECK(clSetKernelArg(work, 0, sizeof input, &input));
    CMP_CHECK(clSetKernelArg(work, 1, sizeof cmp_result.data, &cmp_result.data));
}

/* Before each launch, not timed: writes the input of this version, 1 to 999. Each has another
 * result. The result is overwritten before; so prepare() also writes what must stand there. */
static void prepare(int version) {
    static float in[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)(version + i % 64);
    CMP_CHECK(clEnqueueWriteBuffer(cmp_queue, input, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
}

/* One launch of A or of B. It must not wait for the device. *first and *last: the events of its
 * first and its last command; of a single one *last stays NULL. */
static void launch(char which, cl_event *first, cl_event *last) {
    const size_t global[] = {N}, local[] = {256}; /* a 2-D range: {1024, 768}, {16, 16}; and 2 */
    const cl_uint steps = which == 'A' ? STEPS_A : STEPS_B;
    (void)last;
    CMP_CHECK(clSetKernelArg(work, 2, sizeof steps, &steps));
    CMP_CHECK(clEnqueueNDRangeKernel(cmp_queue, work, 1, NULL, global, local, 0, NULL, first));
}

/* Of the result, copied to the host: the first wrong element, or -1. The result is 2 * in[i]. */
static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < N; i++)
        if (!(fabsf(out[i] - 2 * (float)(version + i % 64)) < 1e-3f)) /* not a number, too */
            return i;
    return -1;
}
#endif

#ifndef CMP_CANDIDATES
#define CMP_CANDIDATES 2 /* A and B; up to 8 */
#endif
typedef char cmp_candidates_are_2_to_8[CMP_CANDIDATES >= 2 && CMP_CANDIDATES <= 8 ? 1 : -1];

/* ---- How it is timed ---- */

static const char *cmp_source = "__kernel void empty(void) {}\n";
static cl_command_queue cmp_aside; /* waits for no other queue */
static cl_kernel cmp_empty;

/* Copies the result as it is now or, if there is an event, as it is then. */
static void cmp_look(void *copy, const cl_event *event) {
    CMP_CHECK(clEnqueueReadBuffer(cmp_aside, cmp_result.data, !event, 0, cmp_result.bytes, copy,
                                  event != NULL, event, NULL));
}
static void cmp_look_again(void) {
    cmp_look(cmp.seen, NULL);
}

static cl_ulong cmp_stamp_ns(char which, cl_event event, cl_profiling_info what) {
    cl_ulong ns = 0; /* a driver may answer CL_SUCCESS and leave it alone */
    const cl_int error = clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL);
    if (error == CL_PROFILING_INFO_NOT_AVAILABLE)
        CMP_REFUSE(which, "has no time: an event of another queue, or cmp_queue has none\n");
    cmp_check(error, "clGetEventProfilingInfo", __FILE__, __LINE__);
    return ns;
}

/* Microseconds from the first START to the last END; which 0: of an empty kernel. */
static double cmp_time_us(char which, int row, enum cmp_how how) {
    static const size_t one = 1;
    cl_event gate = NULL, first = NULL, last = NULL;
    const int checked = how == CMP_CHECKED;
    (void)row; /* one */
    cmp_limit(60, which, "has not ended after 60 s, with its prepare()");
    if (which) { /* another input, and a result that is wrong */
        const cl_uchar spoilt = (cl_uchar)cmp_random(256);
        cmp.version = 1 + cmp_random(999);
        CMP_CHECK(clEnqueueFillBuffer(cmp_queue, cmp_result.data, &spoilt, 1, 0, cmp_result.bytes,
                                      0, NULL, NULL));
        prepare(cmp.version);
    }
    CMP_CHECK(clFinish(cmp_queue));
    if (checked) {
        cmp_look(cmp.before, NULL);
        if (which && first_wrong(cmp.before, cmp.version) < 0)
            CMP_REFUSE(which, CMP_RIGHT_BEFORE);
        CMP_MAKE(gate, clCreateUserEvent(cmp_context, &cmp_code));
        CMP_CHECK(clEnqueueBarrierWithWaitList(cmp_queue, 1, &gate, NULL));
        cmp_limit(3, which, "waits in launch() for the device, which holds it");
    }
    const int64_t before_ns = cmp_now_ns();
    if (which)
        launch(which, &first, &last);
    else
        CMP_CHECK(
            clEnqueueNDRangeKernel(cmp_queue, cmp_empty, 1, NULL, &one, &one, 0, NULL, &first));
    const int64_t launched_ns = cmp_now_ns();
    if (!first)
        CMP_REFUSE(which, "has no event: launch() must put it into *first\n");
    if (checked) {
        cmp_limit(10, which,
                  "is behind a user event, and the driver does not come back: compare cannot check "
                  "launches there");
        CMP_CHECK(clFlush(cmp_queue));
        cmp_wait(1); /* until a launch that is not held would have ended */
        do
            cmp_look(cmp.seen, NULL);
        while (which && cmp_watch(which, cmp_result.bytes));
        cmp_look(cmp.seen, last ? &last : &first);
        CMP_CHECK(clFlush(cmp_aside));
        cmp_wait(0); /* until the copy stands ready */
        CMP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CMP_CHECK(clReleaseEvent(gate));
        CMP_CHECK(clFinish(cmp_aside));
    }
    CMP_CHECK(clFinish(cmp_queue)); /* the query does not wait */
    const int64_t now_ns = cmp_now_ns();
    if (checked && which)
        cmp_check_result(which, cmp_result.bytes);
    const cl_ulong start_ns = cmp_stamp_ns(which, first, CL_PROFILING_COMMAND_START),
                   end_ns = cmp_stamp_ns(which, last ? last : first, CL_PROFILING_COMMAND_END);
    CMP_CHECK(clReleaseEvent(first));
    if (last)
        CMP_CHECK(clReleaseEvent(last));
    if (start_ns < 1000 || end_ns < start_ns)
        CMP_REFUSE(which, "has an impossible START, %ld ns, or an END before it\n", (long)start_ns);
    const double us = (double)(end_ns - start_ns) / 1e3;
    if (!checked)
        cmp_note(which, us, (double)(now_ns - before_ns) / 1e3,
                 (double)(launched_ns - before_ns) / 1e3);
    return us;
}

/* The device of this number, or with this text in its name. NULL: the first GPU, or device 0. */
static void cmp_choose_device(const char *wanted) {
    cl_platform_id platforms[16];
    cl_device_id devices[256];
    cl_device_type type;
    cl_uint count = 0, here, all = 0;
    char name[120], driver[120], number[16], empty[512] = ""; /* platforms without a device */
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint p = 0; p < count && p < 16 && all < 240; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices + all, &here) !=
            CL_SUCCESS) {
            CMP_CHECK(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL));
            snprintf(empty + strlen(empty), sizeof empty - strlen(empty), " '%s'", name);
        } else
            all += here < 16 ? here : 16;
    for (cl_uint d = all; d-- > 0;) { /* the first one that fits is the last one found */
        CMP_CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL));
        CMP_CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL));
        snprintf(number, sizeof number, "%u", d);
        if (!(wanted ? strcmp(number, wanted) == 0 || (*wanted > '9' && strstr(name, wanted))
                     : (type & CL_DEVICE_TYPE_GPU) || (d == 0 && !cmp_device)))
            continue;
        cmp_device = devices[d];
        cmp_is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
        CMP_CHECK(clGetDeviceInfo(cmp_device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
        snprintf(cmp_device_name, sizeof cmp_device_name, "%s, driver %s", name, driver);
    }
    if (cmp_device)
        return;
    if (all > 0)
        fprintf(stderr, "no OpenCL device '%s' among %u, from 0\n", wanted, all);
    else
        fprintf(stderr, "no OpenCL device%s%s\n",
                *empty ? ": may the driver use one, and write its cache?" : " and no driver",
                empty);
    exit(all > 0 ? 2 : 77); /* 77: what test runners count as skipped */
}

int main(int argc, char **argv) {
    cmp.events_are_theirs = 1;
    cmp.clock_mhz = NAN;
    cmp_begin(argc, argv, CMP_CANDIDATES);
    cmp_run_processes(argv);
    cmp_choose_device(cmp.wanted);
    CMP_MAKE(cmp_context, clCreateContext(NULL, 1, &cmp_device, NULL, NULL, &cmp_code));
    CMP_MAKE(cmp_queue,
             clCreateCommandQueue(cmp_context, cmp_device, CL_QUEUE_PROFILING_ENABLE, &cmp_code));
    CMP_MAKE(cmp_aside, clCreateCommandQueue(cmp_context, cmp_device, 0, &cmp_code));
    CMP_MAKE(cmp_empty, clCreateKernel(cmp_build_program(cmp_source), "empty", &cmp_code));
    set_up();
    if (!cmp_result.data || cmp_result.bytes == 0)
        CMP_REFUSE('A', "has no result: set_up() must say where, and how many bytes: cmp_result\n");
    if (!(cmp.before = (unsigned char *)calloc(2, cmp_result.bytes)))
        CMP_REFUSE('A', "needs more memory for its result than there is\n");
    cmp.seen = cmp.before + cmp_result.bytes;
    cmp_time_us(0, 1, CMP_TIMED); /* what fails here is not launch()'s fault */
    cmp_time_us(0, 1, CMP_CHECKED);
    for (int i = 0; i < 10 * cmp_candidates; i++) { /* the warm-up */
        const char which = (char)('A' + (i + cmp.first) % cmp_candidates);
        cmp_time_us(which, 1, CMP_TIMED);
        if (i == 0) { /* none may need what another one left */
            cmp_look_again();
            cmp_check_result(which, cmp_result.bytes);
        }
    }
    return cmp_measure(1, 0, 0) || cmp_finish();
}
