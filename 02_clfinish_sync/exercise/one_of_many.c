/* SPDX-License-Identifier: MIT
 *
 * Exercise: 02/one_of_many
 * How long does one kernel take, if a hundred run one after another? The device need not wait for
 * the host between them. This program makes it wait. Change main() only, from the warm-up on.
 *
 * In the number must be: the kernel, once. The way to the device, the way back and the host's calls
 * may be in it at most 0.2 times.
 *
 * Copy:  cp 02_clfinish_sync/exercise/one_of_many.c ~    in the suite's folder
 * Check: simulator/check ~/one_of_many.c            there, too
 * Build: cc -O2 one_of_many.c -o one_of_many -lOpenCL    for a real device */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 1024 }; /* numbers to add */

static const char *source =
    "__kernel void vector_add(__global float *a, __global float *b, __global float *c) {\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n";

static void check(cl_int error, const char *call) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s failed: error %d\n", call, error);
        exit(1);
    }
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void) {
    /* The first GPU of any platform, or else any device. */
    cl_platform_id platforms[8];
    cl_device_id device;
    cl_uint platform_count = 0;
    cl_int error = CL_DEVICE_NOT_FOUND;
    check(clGetPlatformIDs(8, platforms, &platform_count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < platform_count && i < 8 && error == CL_DEVICE_NOT_FOUND; i++)
        error = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    for (cl_uint i = 0; i < platform_count && i < 8 && error == CL_DEVICE_NOT_FOUND; i++)
        error = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    check(error, "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "vector_add", &error);
    check(error, "clCreateKernel");
    const size_t count = COUNT, bytes = COUNT * sizeof(float);
    cl_mem buffer[3]; /* a is full of ones, b of twos, c is to become threes */
    for (cl_uint i = 0; i < 3; i++) {
        const float value = i < 2 ? (float)(i + 1) : 0;
        buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
        check(error, "clCreateBuffer");
        error =
            clEnqueueFillBuffer(queue, buffer[i], &value, sizeof value, 0, bytes, 0, NULL, NULL);
        check(error, "clEnqueueFillBuffer");
        check(clSetKernelArg(kernel, i, sizeof buffer[i], &buffer[i]), "clSetKernelArg");
    }

    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    check(error, "clEnqueueNDRangeKernel of the warm-up");
    check(clFinish(queue), "clFinish");

    enum { N = 100 };
    const long long start_ns = now_ns();
    for (int i = 0; i < N; i++) {
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
        check(error, "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
    }
    const long long end_ns = now_ns();
    printf("one of %d kernels: %.3f us\n", N, (double)(end_ns - start_ns) / 1e3 / N);

    static float sums[COUNT];
    error = clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, bytes, sums, 0, NULL, NULL);
    check(error, "clEnqueueReadBuffer");
    if (sums[COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe no time\n", sums[COUNT - 1]);
    return sums[COUNT - 1] != 3 || fflush(stdout) != 0;
}
