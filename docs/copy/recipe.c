/* SPDX-License-Identifier: MIT
 *
 * Times one OpenCL kernel: a file to copy. It needs nothing else of this suite. Put your kernel and
 * its data where the first part has its own.
 *
 * Build: cc -O2 recipe.c -o recipe -lOpenCL
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check((call), #call, __LINE__)
static void check(cl_int code, const char *what, int line) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, line, what, code);
        exit(1);
    }
}

static cl_context context;
static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */

/* ---- What is timed: yours ---- */

#ifndef N
#define N (1 << 20)
#endif
static const size_t local_size = 256; /* CL_KERNEL_WORK_GROUP_SIZE at most */
static const size_t global_size = (size_t)(N + 255) / 256 * 256; /* whole groups */
static float host[N];
static cl_mem input, output;

static const char *source = "__kernel void my_kernel(__global const float *in,\n"
                            "                        __global float *out, uint n) {\n"
                            "    const size_t i = get_global_id(0);\n"
                            "    if (i < n)\n"
                            "        out[i] = 2 * in[i];\n"
                            "}\n"
                            "__kernel void empty(void) {}\n";

static void set_up(cl_kernel kernel) {
    const cl_uint n = N;
    cl_int code;
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    input = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof host, NULL, &code);
    check(code, "clCreateBuffer", __LINE__);
    output = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof host, NULL, &code);
    check(code, "clCreateBuffer", __LINE__);
    CHECK(clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    CHECK(clSetKernelArg(kernel, 0, sizeof input, &input));
    CHECK(clSetKernelArg(kernel, 1, sizeof output, &output));
    CHECK(clSetKernelArg(kernel, 2, sizeof n, &n));
}

static void check_result(void) {
    CHECK(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (host[i] != 2 * (float)i) {
            fprintf(stderr, "element %d is %g: a fast wrong kernel is no kernel\n", i,
                    (double)host[i]);
            exit(1);
        }
}

/* ---- How it is timed ---- */

/* Microseconds from START to END of one launch. */
static double time_us(cl_kernel kernel, size_t global, size_t local) {
    cl_event event;
    cl_ulong start_ns = 0, end_ns = 0; /* a driver may answer CL_SUCCESS and leave them alone */
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event));
    CHECK(clFinish(queue)); /* the query does not wait */
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
                                  NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL));
    CHECK(clReleaseEvent(event));
    /* Unsigned: out of order, the difference is 584 years. Some drivers write 0, or 0, 1, 2, 3. */
    if (start_ns < 1000 || end_ns < start_ns) {
        fprintf(stderr, "impossible: START %llu ns, END %llu ns\n", (unsigned long long)start_ns,
                (unsigned long long)end_ns);
        exit(1);
    }
    return (double)(end_ns - start_ns) / 1e3; /* nanoseconds, whatever the timer's resolution */
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
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

int main(void) {
    enum { RUNS = 101 };
    static double us[RUNS], empty_us[RUNS];
    char name[256], driver[256];
    cl_int code;
    cl_device_id device = choose_device();
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    CHECK(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext", __LINE__);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    check(code, "clCreateCommandQueue", __LINE__);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "clCreateProgramWithSource", __LINE__);
    code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[1 << 20];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "the kernel does not build: error %d\n%s\n", code, log);
        return 1;
    }
    cl_kernel my_kernel = clCreateKernel(program, "my_kernel", &code);
    check(code, "clCreateKernel", __LINE__);
    cl_kernel empty = clCreateKernel(program, "empty", &code);
    check(code, "clCreateKernel", __LINE__);
    set_up(my_kernel);

    for (int run = -1; run < RUNS; run++) { /* run -1 is the warm-up: it compiles */
        const double least = time_us(empty, 1, 1);
        const double full = time_us(my_kernel, global_size, local_size);
        if (run < 0) {
            check_result();
        } else {
            empty_us[run] = least;
            us[run] = full;
        }
    }
    qsort(us, RUNS, sizeof *us, compare);
    qsort(empty_us, RUNS, sizeof *empty_us, compare);
    if (!(us[RUNS / 2] > 0)) {
        fprintf(stderr, "no time at all: the kernel is too short for this device's clock\n");
        return 1;
    }
    printf("%s, driver %s\n"
           "%.2f us from START to END, median of %d; 5th percentile %.2f us, 95th %.2f us.\n"
           "(Of one empty work-group it says %.2f us. The caches are as the run before left "
           "them.)\n",
           name, driver, us[RUNS / 2], RUNS, us[RUNS / 20], us[RUNS - 1 - RUNS / 20],
           empty_us[RUNS / 2]);

    CHECK(clReleaseMemObject(input));
    CHECK(clReleaseMemObject(output));
    CHECK(clReleaseKernel(my_kernel));
    CHECK(clReleaseKernel(empty));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    if (fflush(stdout) == 0)
        return 0;
    perror("cannot write the result");
    return 1;
}
