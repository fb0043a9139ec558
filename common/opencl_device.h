/* SPDX-License-Identifier: MIT
 *
 * Finds the OpenCL device that --device asks for, and builds a program from its file. */
#ifndef COMMON_OPENCL_DEVICE_H
#define COMMON_OPENCL_DEVICE_H

#include "check_cl.h"
#include "options.h"

/* Where the .cl files are: CMake says it; built by hand, in the current folder. */
#ifndef KERNEL_DIR
#define KERNEL_DIR "."
#endif

struct opencl_device {
    cl_device_id id;
    char name[256]; /* fit for a CSV cell */
    char platform[256];
    cl_device_type type;
    int version; /* of the OpenCL it speaks: 120, 200, 300 */
};

static inline struct opencl_device describe_opencl_device(cl_platform_id platform,
                                                          cl_device_id id) {
    struct opencl_device device = {id, "", "", 0, 0};
    char version[256];
    int major = 0, minor = 0;
    CHECK_CL(clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof device.name, device.name, NULL));
    CHECK_CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof device.platform, device.platform,
                               NULL));
    CHECK_CL(clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof device.type, &device.type, NULL));
    CHECK_CL(clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version, version, NULL));
    sscanf(version, "OpenCL %d.%d", &major, &minor);
    make_csv_cell(device.name);
    device.version = major * 100 + minor * 10;
    return device;
}

/* Returns the device that `wanted` names (NULL: the first GPU, else the first device). Prints all
 * and exits with 0 for "list"; exits with 77 when there is no platform, no device, or no such one.
 */
static inline struct opencl_device choose_opencl_device(const char *wanted) {
    struct opencl_device found = {NULL, "", "", 0, 0};
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    int index = 0;
    const bool list = wanted && strcmp(wanted, "list") == 0;

    const cl_int code = clGetPlatformIDs(16, platforms, &platform_count);
    if (code != -1001) /* CL_PLATFORM_NOT_FOUND_KHR */
        CHECK_CL_CODE("clGetPlatformIDs", code);
    if (platform_count == 0)
        fail(EXIT_NO_DEVICE, "no OpenCL platform: install a driver (for the CPU: pocl-opencl-icd)");
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        cl_device_id ids[64];
        cl_uint id_count = 0;
        const cl_int answer = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, ids, &id_count);
        if (answer == CL_DEVICE_NOT_FOUND) /* a platform without devices */
            continue;
        CHECK_CL_CODE("clGetDeviceIDs", answer);
        for (cl_uint d = 0; d < id_count && d < 64; d++, index++) {
            const struct opencl_device device = describe_opencl_device(platforms[p], ids[d]);
            const bool better =
                !found.id || (!wanted && device.type & ~found.type & CL_DEVICE_TYPE_GPU);
            char label[520], driver[256];
            snprintf(label, sizeof label, "%s (%s)", device.name, device.platform);
            if (list) {
                CHECK_CL(
                    clGetDeviceInfo(device.id, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
                printf("%d  %s, driver %s\n", index, label, driver);
            } else if (better && device_matches(wanted, index, label))
                found = device;
        }
    }
    if (list && index > 0) {
        flush_stdout();
        exit(EXIT_SUCCESS);
    }
    if (index == 0)
        fail(EXIT_NO_DEVICE, "no OpenCL device on any platform");
    if (!found.id) {
        fail(EXIT_NO_DEVICE, "--device: no OpenCL device matches '%s'; see --device list", wanted);
    }
    return found;
}

/* Exits with 2 when, for --size `size`, the device cannot hold `total` bytes in all or `largest`
 * in one buffer. (OpenCL tells what a device has, not what of it is free.) */
static inline void check_opencl_memory(const struct opencl_device *device, long long size,
                                       double largest, double total) {
    cl_ulong device_bytes, buffer_bytes;
    CHECK_CL(clGetDeviceInfo(device->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof device_bytes,
                             &device_bytes, NULL));
    CHECK_CL(clGetDeviceInfo(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof buffer_bytes,
                             &buffer_bytes, NULL));
    if (largest > (double)buffer_bytes || total > (double)device_bytes) {
        fail(EXIT_BAD_USAGE,
             "--size: '%lld' needs %.0f MiB of device memory, %.0f in one buffer; "
             "there are %.0f MiB, %.0f in one buffer",
             size, total / 1048576, largest / 1048576, (double)device_bytes / 1048576,
             (double)buffer_bytes / 1048576);
    }
}

/* Builds `file` of KERNEL_DIR with the compiler's `options`. Prints the build log on stderr and
 * exits with 1 when it cannot be read or does not build. */
static inline cl_program build_opencl_program(cl_context context, cl_device_id device,
                                              const char *file, const char *options) {
    char path[4096], source[16384];
    const char *text = source;
    cl_int code;
    snprintf(path, sizeof path, "%s/%s", KERNEL_DIR, file);
    FILE *stream = fopen(path, "r");
    const size_t length = stream ? fread(source, 1, sizeof source, stream) : 0;
    if (length == 0 || length == sizeof source)
        fail(EXIT_FAILED, "cannot read the kernel '%s': %s%s", path,
             stream ? "it is empty or too long" : strerror(errno),
             strcmp(KERNEL_DIR, ".") == 0 ? "; run this in its chapter's folder" : "");
    fclose(stream);

    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &code);
    CHECK_CL_CODE("clCreateProgramWithSource", code);
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        const char *empty = "__kernel void empty(void) {}";
        cl_program check = clCreateProgramWithSource(context, 1, &empty, NULL, NULL);
        if (check && clBuildProgram(check, 1, &device, "", NULL, NULL) != CL_SUCCESS)
            fail(EXIT_NO_DEVICE, "this device's OpenCL compiler cannot even build an empty kernel "
                                 "(an old PoCL on a new processor?)");
        size_t log_bytes = 0;
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log_bytes);
        char *log = (char *)calloc(log_bytes + 1, 1);
        if (log)
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log_bytes, log, NULL);
        fprintf(stderr, "%s\n", log ? log : "");
        fail(EXIT_FAILED, "%s does not build: error %d, %s", path, code, cl_error_name(code));
    }
    return program;
}

#endif
