// How much longer does the first launch of a kernel take than the later ones?
// Build: cc -O2 minimal.c -o minimal -lOpenCL
// Run:   ./minimal
// Try:   POCL_KERNEL_CACHE=0 ./minimal, so that PoCL keeps no compiled kernel of an earlier run
#define _POSIX_C_SOURCE 199309L // clock_gettime
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef COUNT
#define COUNT (1 << 20) // numbers to add. Try cc -DCOUNT=1024
#endif

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
    // The first GPU of any platform, or else any device. Try CL_DEVICE_TYPE_CPU
    cl_platform_id platforms[8];
    cl_device_id device;
    cl_uint platform_count = 0;
    cl_int error = CL_DEVICE_NOT_FOUND;
    check(clGetPlatformIDs(8, platforms, &platform_count), "clGetPlatformIDs (no driver?)");
    for (cl_uint i = 0; i < platform_count && i < 8 && error == CL_DEVICE_NOT_FOUND; i++)
        error = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    for (cl_uint i = 0; i < platform_count && i < 8 && error == CL_DEVICE_NOT_FOUND; i++)
        error = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    check(error, "clGetDeviceIDs (no device?)");
    char name[256];
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    printf("%s adds %d numbers\n", name, COUNT);

    // A queue for its commands, and the kernel, which is compiled for the device.
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "vector_add", &error);
    check(error, "clCreateKernel");

    // Its arguments: a is full of ones, b is full of twos, c is to become threes.
    const size_t count = COUNT, bytes = count * sizeof(float);
    cl_mem buffer[3];
    for (cl_uint i = 0; i < 3; i++) {
        const float value = i < 2 ? (float)(i + 1) : 0;
        buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
        check(error, "clCreateBuffer");
        error =
            clEnqueueFillBuffer(queue, buffer[i], &value, sizeof value, 0, bytes, 0, NULL, NULL);
        check(error, "clEnqueueFillBuffer");
        check(clSetKernelArg(kernel, i, sizeof buffer[i], &buffer[i]), "clSetKernelArg");
    }

    double first_us = 0, smallest_us = 1e12;
    for (int launch = 1; launch <= 10; launch++) {
        check(clFinish(queue), "clFinish"); // Try nanosleep(&(struct timespec){1, 0}, NULL); here
        const long long start_ns = now_ns();
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
        check(error, "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
        const double elapsed_us = (double)(now_ns() - start_ns) / 1e3;
        printf("launch %2d: %10.3f us\n", launch, elapsed_us);
        if (launch == 1)
            first_us = elapsed_us;
        if (elapsed_us < smallest_us)
            smallest_us = elapsed_us;
    }
    printf("launch 1 takes %.3f us longer than the shortest one\n", first_us - smallest_us);

    static float sums[COUNT];
    error = clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, bytes, sums, 0, NULL, NULL);
    check(error, "clEnqueueReadBuffer");
    if (sums[COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe no time\n", sums[COUNT - 1]);
    return sums[COUNT - 1] != 3 || fflush(stdout) != 0;
}
