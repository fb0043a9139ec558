/* SPDX-License-Identifier: MIT
 * OpenCL without the lesson: checked calls, the device of --device, kernels, a command's time. */
#pragma once
#include "options.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for drivers of that age */
#include <CL/cl.h>
#ifndef KERNEL_DIR /* where the .cl files are: CMake says it; built by hand, in this folder */
#define KERNEL_DIR "."
#endif

/* Ends the program and prints the call if it fails, with the names of the errors that people meet.
 * CHECK_CL is for a call that returns its error; after one that stores it, call check_cl(). */
#define CHECK_CL(call) check_cl((call), #call, __FILE__, __LINE__)
/* clang-format off */
static inline void check_cl(cl_int error, const char *what, const char *file, int line) {
#define NAME(code) error == code ? #code :
    const char *name = NAME(CL_DEVICE_NOT_FOUND) NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        NAME(CL_OUT_OF_RESOURCES) NAME(CL_OUT_OF_HOST_MEMORY) NAME(CL_BUILD_PROGRAM_FAILURE)
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE) NAME(CL_INVALID_VALUE) NAME(CL_INVALID_KERNEL_ARGS)
        NAME(CL_INVALID_WORK_GROUP_SIZE) "see CL/cl.h";
    /* clang-format on */
    if (error != CL_SUCCESS)
        errx(EXIT_FAILED, "%s:%d: %s: error %d, %s", file, line, what, error, name);
}

struct opencl { /* what minimal.c of chapter 02 sets up */
    cl_device_id device;
    cl_device_type type;
    cl_context context;
    cl_command_queue queue;
    char name[256], driver[512]; /* driver: the platform, and the driver's version */
};
/* Opens the device of --device, by default the first GPU, else the first device, with a queue of
 * these properties. Prints all and exits with 0 for "list"; exits with 77 if there is none. */
static inline struct opencl open_opencl(cl_command_queue_properties properties) {
    struct opencl cl = {.device = NULL}, one = cl;
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_uint platform_count = 0, count;
    int number = 0;
    const bool list = strcmp(wanted_device, "list") == 0;
    char platform[256] = "any platform (for the CPU: pocl-opencl-icd)";
    cl_int error = clGetPlatformIDs(16, platforms, &platform_count);
    check_cl(error == -1001 ? 0 : error, "clGetPlatformIDs", __FILE__, __LINE__); /* no platform */
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        CHECK_CL(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, 256, platform, NULL));
        error = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count);
        check_cl(error == CL_DEVICE_NOT_FOUND ? 0 : error, "clGetDeviceIDs", __FILE__, __LINE__);
        for (cl_uint d = 0; error == CL_SUCCESS && d < count && d < 64; d++, number++) {
            one.device = devices[d];
            CHECK_CL(clGetDeviceInfo(one.device, CL_DEVICE_NAME, 256, one.name, NULL));
            CHECK_CL(clGetDeviceInfo(one.device, CL_DEVICE_TYPE, sizeof one.type, &one.type, NULL));
            const int at = snprintf(one.driver, 300, "%s, ", platform);
            CHECK_CL(clGetDeviceInfo(one.device, CL_DRIVER_VERSION, 200, one.driver + at, NULL));
            const bool better = one.type & ~cl.type & CL_DEVICE_TYPE_GPU && !*wanted_device;
            const bool wanted = is_wanted(number, one.name) || is_wanted(number, one.driver);
            if (list)
                printf("%d  %s, %s\n", number, one.name, one.driver);
            else if (wanted && (!cl.device || better))
                cl = one;
        }
    }
    if (list && number > 0)
        exit(EXIT_SUCCESS);
    if (number == 0)
        errx(EXIT_NO_DEVICE, "no OpenCL device on %s; can POCL_CACHE_DIR be written?", platform);
    if (!cl.device)
        errx(EXIT_NO_DEVICE, "--device: no '%s' in --device list", wanted_device);
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
    check_cl(error, "clCreateContext", __FILE__, __LINE__);
    cl.queue = clCreateCommandQueue(cl.context, cl.device, properties, &error);
    check_cl(error, "clCreateCommandQueue", __FILE__, __LINE__);
    return cl;
}

static inline cl_mem new_buffer(const struct opencl *cl, size_t bytes, const void *host) {
    cl_int error;
    const cl_mem buffer = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    check_cl(error, "clCreateBuffer", __FILE__, __LINE__);
    if (host)
        CHECK_CL(clEnqueueWriteBuffer(cl->queue, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    return buffer;
}

/* Exits with 2 if `size` elements, of so many bytes in three equal buffers, are more than fit. */
static inline void check_size(const struct opencl *cl, long long size, cl_ulong bytes_each) {
    cl_ulong all, one;
    CHECK_CL(clGetDeviceInfo(cl->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
    CHECK_CL(clGetDeviceInfo(cl->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof one, &one, NULL));
    check_most("size", size, (one < all / 3 ? 3 * one : all) / bytes_each, cl->name);
}

/* Exits with 2 if a work-group of this kernel cannot have so many work-items. */
static inline void check_group(const struct opencl *cl, cl_kernel kernel, long long threads) {
    size_t most;
    CHECK_CL(clGetKernelWorkGroupInfo(kernel, cl->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                      &most, NULL));
    check_most("threads", threads, most, cl->name);
}

/* Exits with 1 and the compiler's words if `file` does not build with these flags. */
static inline cl_program build_program(const struct opencl *cl, const char *file,
                                       const char *flags) {
    char text[1 << 18], *source = NULL;
    size_t bytes = 0;
    cl_int error;
    snprintf(text, sizeof text, "%s/%s", KERNEL_DIR, file);
    FILE *stream = fopen(text, "r");
    if (!stream || getdelim(&source, &bytes, '\0', stream) < 0) /* all of it */
        err(EXIT_FAILED, "cannot read '%s': run this in its folder", text);
    fclose(stream);
    const char *kernels = source;
    const cl_program program = clCreateProgramWithSource(cl->context, 1, &kernels, NULL, &error);
    check_cl(error, "clCreateProgramWithSource", __FILE__, __LINE__);
    free(source);
    if (clBuildProgram(program, 1, &cl->device, flags, NULL, NULL) == CL_SUCCESS)
        return program;
    CHECK_CL(
        clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    errx(EXIT_FAILED, "%s/%s does not build:\n%s", KERNEL_DIR, file, text);
}

static inline cl_kernel new_kernel(cl_program program, const char *name) {
    cl_int error;
    const cl_kernel kernel = clCreateKernel(program, name, &error);
    check_cl(error, "clCreateKernel", __FILE__, __LINE__);
    return kernel;
}

/* Microseconds from START to END of a finished command; the host's clock around it gave host_us.
 * Exits with 1 if that cannot be: some drivers write no stamps, or 0, 1, 2. */
static inline double start_to_end_us(cl_event event, double host_us) {
    cl_ulong from = 0, to = 0;
    CHECK_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
    CHECK_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
    const double us = (double)(cl_long)(to - from) / 1e3;  /* below 0 if they change places */
    if (from < 1000 || us < 0 || us > 1.01 * host_us + 10) /* two clocks, each has its steps */
        errx(EXIT_FAILED, "impossible: START %llu ns, END %llu ns, while the host waited %.3f us",
             (unsigned long long)from, (unsigned long long)to, host_us);
    return us;
}
