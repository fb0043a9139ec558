// When was a kernel queued, submitted, started and ended, by the device's clock?
// Build: cc -O2 minimal.c -o minimal -lOpenCL
// Run:   ./minimal
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef COUNT
#define COUNT (1 << 24) // numbers to add; or cc -DCOUNT=1024
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

static long long stamp_ns(cl_event event, cl_profiling_info which) {
    cl_ulong ns = 0; // a bad driver may report success and write nothing
    check(clGetEventProfilingInfo(event, which, sizeof ns, &ns, NULL), "clGetEventProfilingInfo");
    return (long long)ns; // unsigned, a difference below zero would be 584 years
}

int main(void) {
    // The first GPU of any platform, or else any device. CL_DEVICE_TYPE_CPU asks for a processor.
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
    // A queue that stamps its commands, and the kernel, which is compiled for the device.
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
    check(clFinish(queue), "clFinish");          // the buffers are full
    long long least_ns = 1LL << 62, most_ns = 0; // from START to END, in runs 2 to 5
    for (int run = 1; run <= 5; run++) {         // run 1 may also compile or load the kernel
        cl_event event;
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, &event);
        check(error, "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish"); // before that there is no END
        const long long queued_ns = stamp_ns(event, CL_PROFILING_COMMAND_QUEUED);
        const long long submit_ns = stamp_ns(event, CL_PROFILING_COMMAND_SUBMIT);
        const long long start_ns = stamp_ns(event, CL_PROFILING_COMMAND_START);
        const long long end_ns = stamp_ns(event, CL_PROFILING_COMMAND_END);
        check(clReleaseEvent(event), "clReleaseEvent"); // else each run keeps its event
        if (queued_ns == 0 || submit_ns == 0 || start_ns == 0 || end_ns < start_ns) {
            fprintf(stderr, "impossible: %lld, %lld, %lld, %lld ns\n", queued_ns, submit_ns,
                    start_ns, end_ns);
            return 1;
        }
        printf("run %d: SUBMIT %.3f, START %.3f, END %.3f us after QUEUED; START to END %.3f us\n",
               run, (double)(submit_ns - queued_ns) / 1e3, (double)(start_ns - queued_ns) / 1e3,
               (double)(end_ns - queued_ns) / 1e3, (double)(end_ns - start_ns) / 1e3);
        if (run > 1 && end_ns - start_ns < least_ns)
            least_ns = end_ns - start_ns;
        if (run > 1 && end_ns - start_ns > most_ns)
            most_ns = end_ns - start_ns;
    }
    if (most_ns > least_ns + least_ns / 2) // run 1 does not count
        printf("the runs disagree: start this again on an idle machine\n");
    static float sums[COUNT];
    error = clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, bytes, sums, 0, NULL, NULL);
    check(error, "clEnqueueReadBuffer");
    if (sums[COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe no time\n", sums[COUNT - 1]);
    return sums[COUNT - 1] != 3 || fflush(stdout) != 0;
}
