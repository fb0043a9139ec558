/* SPDX-License-Identifier: MIT
 * OpenCL without the lesson: checked calls, the device of --device, a program from its file. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for drivers of that age */
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "args.h"

#ifndef KERNEL_DIR /* where the .cl files are: CMake says it; built by hand, in this folder */
#define KERNEL_DIR "."
#endif

/* CHECK_CL(call) is for calls that return their error. MAKE_CL(to, call) is for those that return
 * what they make, which goes into `to`, and store their error in cl_error, which is the macro's.
 * Both end the program with 1 and print the call. */
#define CHECK_CL(call) check_cl((call), #call, __FILE__, __LINE__)
#define MAKE_CL(to, call)                                                                          \
    do {                                                                                           \
        cl_int cl_error = CL_INVALID_OPERATION; /* stays, if the call does not store one */        \
        (to) = (call);                                                                             \
        check_cl(cl_error, #call, __FILE__, __LINE__);                                             \
    } while (0)

/* The errors that people meet. */
#define CL_NAME(code) [-(code)] = #code
static const char *const cl_error_names[] = {
    CL_NAME(CL_DEVICE_NOT_FOUND),       CL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CL_NAME(CL_OUT_OF_RESOURCES),       CL_NAME(CL_OUT_OF_HOST_MEMORY),
    CL_NAME(CL_BUILD_PROGRAM_FAILURE),  CL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    CL_NAME(CL_INVALID_VALUE),          CL_NAME(CL_INVALID_KERNEL_ARGS),
    CL_NAME(CL_INVALID_WORK_GROUP_SIZE)};

static inline void check_cl(cl_int error, const char *what, const char *file, int line) {
    const size_t known = sizeof cl_error_names / sizeof *cl_error_names, code = (size_t)-error;
    const char *name = code < known ? cl_error_names[code] : NULL;
    if (error != CL_SUCCESS)
        fail(EXIT_FAILED, "%s:%d: %s: error %d, %s", file, line, what, error,
             name ? name : "see CL/cl.h");
}

/* What minimal.c of chapter 02 sets up. */
struct opencl {
    cl_device_id device;
    cl_device_type type;
    char name[256], platform[256], version[256];
    char driver[256]; /* the platform and the driver's version, for the record */
    cl_context context;
    cl_command_queue queue;
};

/* Opens the device of --device ("": the first GPU, else the first device), with a queue of these
 * properties. Prints all and exits with 0 for "list"; exits with 77 if there is no such device. */
static inline struct opencl open_opencl(const char *wanted,
                                        cl_command_queue_properties properties) {
    struct opencl cl = {.device = NULL};
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_uint platform_count = 0, device_count;
    cl_int error;
    int number = 0;
    const bool list = strcmp(wanted, "list") == 0;
    if ((error = clGetPlatformIDs(16, platforms, &platform_count)) != CL_PLATFORM_NOT_FOUND_KHR)
        check_cl(error, "clGetPlatformIDs", __FILE__, __LINE__);
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        error = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &device_count);
        if (error == CL_DEVICE_NOT_FOUND) /* a platform without devices */
            continue;
        check_cl(error, "clGetDeviceIDs", __FILE__, __LINE__);
        for (cl_uint d = 0; d < device_count && d < 64; d++, number++) {
            struct opencl one = {.device = devices[d]};
            char full_name[600];
            CHECK_CL(clGetDeviceInfo(one.device, CL_DEVICE_NAME, 256, one.name, NULL));
            CHECK_CL(clGetDeviceInfo(one.device, CL_DEVICE_TYPE, sizeof one.type, &one.type, NULL));
            CHECK_CL(clGetDeviceInfo(one.device, CL_DRIVER_VERSION, 256, one.version, NULL));
            CHECK_CL(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, 256, one.platform, NULL));
            snprintf(full_name, sizeof full_name, "%s (%s)", one.name, one.platform);
            const bool is_gpu = one.type & CL_DEVICE_TYPE_GPU,
                       has_gpu = cl.type & CL_DEVICE_TYPE_GPU;
            const bool is_better = !*wanted && is_gpu && !has_gpu;
            if (list)
                printf("%d  %s, driver %s\n", number, full_name, one.version);
            else if (device_matches(wanted, number, full_name) && (!cl.device || is_better))
                cl = one;
        }
    }
    if (number == 0)
        fail(EXIT_NO_DEVICE,
             "no OpenCL device: install a driver, for the CPU pocl-opencl-icd; if it "
             "is there, set POCL_CACHE_DIR to a folder that can be written");
    if (list)
        exit(EXIT_SUCCESS);
    if (!cl.device)
        fail(EXIT_NO_DEVICE, "--device: no '%s' in --device list", wanted);
    MAKE_CL(cl.context, clCreateContext(NULL, 1, &cl.device, NULL, NULL, &cl_error));
    MAKE_CL(cl.queue, clCreateCommandQueue(cl.context, cl.device, properties, &cl_error));
    snprintf(cl.driver, sizeof cl.driver, "%.120s, %.120s", cl.platform, cl.version);
    return cl;
}

/* Whether the device is the host's own processor: then others that run there are in its times. */
static inline bool is_processor(const struct opencl *cl) {
    return cl->type & CL_DEVICE_TYPE_CPU;
}

/* A buffer on the device, with what is at `host`; NULL: with anything. */
static inline cl_mem new_buffer(const struct opencl *cl, size_t bytes, const void *host) {
    cl_mem buffer;
    MAKE_CL(buffer, clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, &cl_error));
    if (host)
        CHECK_CL(clEnqueueWriteBuffer(cl->queue, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    return buffer;
}

/* Exits with 2 if the device cannot hold `size` elements, with so many bytes of each in the largest
 * buffer and in all. (OpenCL tells what a device has, not what of it is free.) */
static inline void check_memory(const struct opencl *cl, long long size, cl_ulong bytes_in_one,
                                cl_ulong bytes_in_all) {
    cl_ulong all, one;
    CHECK_CL(clGetDeviceInfo(cl->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
    CHECK_CL(clGetDeviceInfo(cl->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof one, &one, NULL));
    if ((cl_ulong)size > one / bytes_in_one || (cl_ulong)size > all / bytes_in_all)
        fail(EXIT_BAD_USAGE, "--size: '%lld' is more than fits into %llu MiB, %llu for one buffer",
             size, (unsigned long long)all >> 20, (unsigned long long)one >> 20);
}

/* Exits with 2 if `kernel` cannot run in groups of so many work-items, which --threads asks for and
 * each of which needs so many bytes of the group's memory. */
static inline void check_threads(const struct opencl *cl, cl_kernel kernel, long long threads,
                                 size_t bytes_each) {
    size_t most;
    cl_ulong bytes;
    CHECK_CL(clGetKernelWorkGroupInfo(kernel, cl->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                      &most, NULL));
    CHECK_CL(clGetDeviceInfo(cl->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    if (bytes_each > 0 && bytes / bytes_each < most)
        most = bytes / bytes_each;
    if ((size_t)threads > most)
        fail(EXIT_BAD_USAGE, "--threads: '%lld' is more than the %zu that %s allows in a group",
             threads, most, cl->name);
}

/* Exits with 1 and the compiler's words if `file` does not build with these flags. */
static inline cl_program build_program(const struct opencl *cl, const char *file,
                                       const char *flags) {
    char path[4096], source[1 << 16] = ""; /* all 0: what is read ends with a 0 */
    const char *text = source;
    cl_program program;
    snprintf(path, sizeof path, "%s/%s", KERNEL_DIR, file);
    FILE *stream = fopen(path, "r");
    if (!stream || !fread(source, 1, sizeof source - 1, stream) || !feof(stream) || fclose(stream))
        fail(EXIT_FAILED, "cannot read '%s': run this in its folder", path);
    MAKE_CL(program, clCreateProgramWithSource(cl->context, 1, &text, NULL, &cl_error));
    if (clBuildProgram(program, 1, &cl->device, flags, NULL, NULL) == CL_SUCCESS)
        return program;
    char *log = (char *)new_memory(1 << 20, "the compiler's words");
    CHECK_CL(clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, 1 << 20, log, NULL));
    fail(EXIT_FAILED, "%s does not build:\n%s", path, log);
}

/* ---- The stamps of a finished command, checked before they are subtracted ---- */

/* One stamp, in ns already: not to be multiplied by the timer's resolution. Exits with 1 on an
 * error, and on a stamp that no clock gives: some drivers answer CL_SUCCESS and write nothing (it
 * stays 0), or write 0, or number the stages 0, 1, 2, 3. */
static inline cl_ulong read_stamp_ns(cl_event event, cl_profiling_info which) {
    cl_ulong stamp_ns = 0;
    CHECK_CL(clGetEventProfilingInfo(event, which, sizeof stamp_ns, &stamp_ns, NULL));
    if (stamp_ns < 1000)
        fail(EXIT_FAILED, "impossible: clGetEventProfilingInfo(%#x) succeeds, and gives %llu ns",
             which, (unsigned long long)stamp_ns);
    return stamp_ns;
}

/* Microseconds between two stamps, below zero if they are out of order. The stamps are unsigned:
 * subtracted and not made signed, a nanosecond below zero is 584 years. */
static inline double between_us(cl_ulong from_ns, cl_ulong to_ns) {
    return (double)(cl_long)(to_ns - from_ns) / 1e3;
}

/* Microseconds from START to END of a command that took `host_us` by the host's clock, from
 * before it was enqueued until after it had finished; releases its event. 0 is possible: a
 * short command on a coarse clock. Exits with 1 if END is before START, or if the command ran
 * longer than the host waited. */
static inline double take_start_to_end_us(cl_event event, double host_us) {
    const cl_ulong start_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_START);
    const cl_ulong end_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_END);
    const double us = between_us(start_ns, end_ns);
    CHECK_CL(clReleaseEvent(event));
    if (us < 0 || us > 1.01 * host_us + 10) /* two clocks, and each has its steps */
        fail(EXIT_FAILED, "impossible: START %llu ns, END %llu ns, while the host waited %.3f us",
             (unsigned long long)start_ns, (unsigned long long)end_ns, host_us);
    return us;
}
