/* SPDX-License-Identifier: MIT
 *
 * Exercise: 03/copy_gb_s
 * How many GB/s does the device move when it copies a to c? A GB is 10^9 bytes. This program prints
 * less than that. Change main() only, from the copy on.
 *
 * A copy loads each byte, and stores it: both count. The time is the device's own, of the copy and
 * nothing else. If a stamp is 0 or END is before START, it must say so on stderr and end with 1.
 *
 * Copy:  cp 03_opencl_profiling/exercise/copy_gb_s.c ~    in the suite's folder
 * Check: simulator/check ~/copy_gb_s.c               there, too
 * Build: cc -O2 copy_gb_s.c -o copy_gb_s -lOpenCL         for a real device */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 250000 }; /* numbers to copy */

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
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "vector_add", &error);
    check(error, "clCreateKernel");
    const size_t bytes = COUNT * sizeof(float);
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

    check(clFinish(queue), "clFinish"); /* the buffers are full */
    const long long start_ns = now_ns();
    error = clEnqueueCopyBuffer(queue, buffer[0], buffer[2], 0, 0, bytes, 0, NULL, NULL);
    check(error, "clEnqueueCopyBuffer");
    check(clFinish(queue), "clFinish");
    const long long end_ns = now_ns();
    printf("the copy: %.3f GB/s\n", (double)bytes / (double)(end_ns - start_ns));

    static float sums[COUNT];
    error = clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, bytes, sums, 0, NULL, NULL);
    check(error, "clEnqueueReadBuffer");
    if (sums[COUNT - 1] != 1)
        fprintf(stderr, "the last number is %g, not 1: believe no time\n", sums[COUNT - 1]);
    return sums[COUNT - 1] != 1 || fflush(stdout) != 0;
}
