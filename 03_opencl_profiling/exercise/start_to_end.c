/* SPDX-License-Identifier: MIT
 *
 * Exercise: 03/start_to_end
 * For how long does the device say that the kernel ran? This program prints more than that, and it
 * believes every stamp. Change main() only, from the first launch on.
 *
 * In the number must be: the kernel, of a launch that is not its first one.
 * Not: what host and driver do before, and the way to the device. If the stamps are impossible, say
 * so on stderr and end with 1: a stamp is 0, or END is before START.
 *
 * Copy:  cp 03_opencl_profiling/exercise/start_to_end.c ~    in the suite's folder
 * Check: simulator/check ~/start_to_end.c               there, too
 * Build: cc -O2 start_to_end.c -o start_to_end -lOpenCL      for a real device */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4096 }; /* numbers to add */

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

    cl_event event;
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, &event);
    check(error, "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    cl_ulong from_ns = 0, to_ns = 0;
    error =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof from_ns, &from_ns, NULL);
    check(error, "clGetEventProfilingInfo");
    error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to_ns, &to_ns, NULL);
    check(error, "clGetEventProfilingInfo");
    printf("the kernel ran for %.3f us\n", (double)(to_ns - from_ns) / 1e3);

    static float sums[COUNT];
    error = clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, bytes, sums, 0, NULL, NULL);
    check(error, "clEnqueueReadBuffer");
    if (sums[COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe no time\n", sums[COUNT - 1]);
    return sums[COUNT - 1] != 3 || fflush(stdout) != 0;
}
