/* SPDX-License-Identifier: MIT
 * OpenCL without the lesson: checked calls, the device of --device, a program from its file. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for drivers of that age */
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "options.h"

#ifndef KERNEL_DIR /* where the .cl files are: CMake says it; built by hand, in this folder */
#define KERNEL_DIR "."
#endif

/* CHECK_CL(call) is for calls that return their error, MAKE_CL(call) for those that return what
 * they make and store their error in cl_error. Both end the program with 1 and print the call. */
#define CHECK_CL(call) check_cl((call), #call, __FILE__, __LINE__)
#define MAKE_CL(call) ((void)(call), check_cl(cl_error, #call, __FILE__, __LINE__))
static cl_int cl_error;

/* The name of an error, if it is one that people meet. */
static inline const char *cl_error_name(cl_int error) {
    static const struct {
        cl_int error;
        const char *name;
    } known[] = {{CL_SUCCESS, "CL_SUCCESS"},
                 {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
                 {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
                 {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
                 {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
                 {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
                 {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
                 {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
                 {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
                 {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
                 {CL_PLATFORM_NOT_FOUND_KHR, "CL_PLATFORM_NOT_FOUND_KHR"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].error == error)
            return known[i].name;
    return "see CL/cl.h";
}

static inline void check_cl(cl_int error, const char *what, const char *file, int line) {
    if (error != CL_SUCCESS)
        fail(EXIT_FAILED, "%s:%d: %s: error %d, %s", file, line, what, error, cl_error_name(error));
}

struct opencl { /* what minimal.c of chapter 02 sets up */
    cl_device_id device;
    cl_device_type type;
    char name[256], platform[256], driver[256];
    cl_context context;
    cl_command_queue queue;
};

/* Opens the device of --device ("": the first GPU, else the first device), with a queue of these
 * properties. Prints all and exits with 0 for "list"; exits with 77 if there is no such device. */
static inline struct opencl open_opencl(cl_command_queue_properties properties) {
    struct opencl found = {0}, cl = {0};
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_uint platform_count = 0, device_count;
    char full_name[1024];
    int index = 0;
    const bool list = strcmp(options.device, "list") == 0;
    if ((cl_error = clGetPlatformIDs(16, platforms, &platform_count)) != CL_PLATFORM_NOT_FOUND_KHR)
        check_cl(cl_error, "clGetPlatformIDs", __FILE__, __LINE__);
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        cl_error = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &device_count);
        if (cl_error == CL_DEVICE_NOT_FOUND) /* a platform without devices */
            continue;
        check_cl(cl_error, "clGetDeviceIDs", __FILE__, __LINE__);
        for (cl_uint d = 0; d < device_count && d < 64; d++, index++) {
            cl.device = devices[d];
            CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, 256, cl.name, NULL));
            CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof cl.type, &cl.type, NULL));
            CHECK_CL(clGetDeviceInfo(cl.device, CL_DRIVER_VERSION, 256, cl.driver, NULL));
            CHECK_CL(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, 256, cl.platform, NULL));
            snprintf(full_name, sizeof full_name, "%s (%s)", cl.name, cl.platform);
            const bool is_gpu = cl.type & CL_DEVICE_TYPE_GPU,
                       found_gpu = found.device && found.type & CL_DEVICE_TYPE_GPU;
            const bool is_better = !*options.device && is_gpu && !found_gpu;
            if (list)
                printf("%d  %s, driver %s\n", index, full_name, cl.driver);
            else if (device_matches(index, full_name) && (!found.device || is_better))
                found = cl;
        }
    }
    if (index == 0)
        fail(EXIT_NO_DEVICE,
             "no OpenCL device: install a driver (for the CPU: pocl-opencl-icd). If "
             "PoCL is installed, set POCL_CACHE_DIR to a folder that can be written");
    if (list)
        exit(EXIT_SUCCESS);
    if (!found.device)
        fail(EXIT_NO_DEVICE, "--device: no OpenCL device matches '%s'; see --device list",
             options.device);
    MAKE_CL(found.context = clCreateContext(NULL, 1, &found.device, NULL, NULL, &cl_error));
    MAKE_CL(found.queue = clCreateCommandQueue(found.context, found.device, properties, &cl_error));
    memcpy(machine.device, found.name, sizeof machine.device);
    snprintf(machine.driver, sizeof machine.driver, "%.120s, %.120s", found.platform, found.driver);
    return found;
}

/* Exits with 2 if the device cannot hold `all` bytes, or `one` in one buffer, which --size asks
 * for. (OpenCL tells what a device has, not what of it is free.) */
static inline void check_buffer_size(struct opencl cl, long long size, double one, double all) {
    cl_ulong most, most_in_one;
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof most, &most, NULL));
    CHECK_CL(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most_in_one,
                             &most_in_one, NULL));
    if (one > (double)most_in_one || all > (double)most)
        fail(EXIT_BAD_USAGE,
             "--size: '%lld' needs %.0f MiB of device memory, %.0f in one buffer; "
             "there are %.0f MiB, %.0f in one buffer",
             size, all / 1048576, one / 1048576, (double)most / 1048576,
             (double)most_in_one / 1048576);
}

/* Exits with 1 and the compiler's words if `file` does not build with these flags. */
static inline cl_program build_program(struct opencl cl, const char *file, const char *flags) {
    char path[4096], source[1 << 16] = "";
    static char log[1 << 20];
    const char *text = source;
    cl_program program;
    snprintf(path, sizeof path, "%s/%s", KERNEL_DIR, file);
    FILE *stream = fopen(path, "r");
    if (!stream || !fread(source, 1, sizeof source - 1, stream) || !feof(stream) || fclose(stream))
        fail(EXIT_FAILED, "cannot read all of '%s': run this in its chapter's folder", path);
    MAKE_CL(program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &cl_error));
    if ((cl_error = clBuildProgram(program, 1, &cl.device, flags, NULL, NULL)) == CL_SUCCESS)
        return program;
    CHECK_CL(
        clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    fail(EXIT_FAILED, "%s does not build:\n%s", path, log);
}
