/* SPDX-License-Identifier: MIT
 *
 * CHECK_CL(call): evaluates one OpenCL call that returns its error code. On an error it prints
 * file, line, the call as written, the code and its name on one line of stderr, and exits with 1.
 * CHECK_CL_CODE(what, code): the same for the calls that store their code through a pointer. */
#ifndef COMMON_CHECK_CL_H
#define COMMON_CHECK_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for drivers of that age */
#include <CL/cl.h>

#include "fail.h"

#define CHECK_CL(call) check_cl((call), #call, __FILE__, __LINE__)
#define CHECK_CL_CODE(what, code) check_cl((code), (what), __FILE__, __LINE__)

/* The name of an OpenCL error code as CL/cl.h and CL/cl_ext.h spell it. Source: OpenCL
 * specification 3.0, appendix F, "Error Codes". */
static inline const char *cl_error_name(cl_int code) {
    /* clang-format off */
    static const char *const from_0[] = {
        "CL_SUCCESS", "CL_DEVICE_NOT_FOUND", "CL_DEVICE_NOT_AVAILABLE",
        "CL_COMPILER_NOT_AVAILABLE", "CL_MEM_OBJECT_ALLOCATION_FAILURE", "CL_OUT_OF_RESOURCES",
        "CL_OUT_OF_HOST_MEMORY", "CL_PROFILING_INFO_NOT_AVAILABLE", "CL_MEM_COPY_OVERLAP",
        "CL_IMAGE_FORMAT_MISMATCH", "CL_IMAGE_FORMAT_NOT_SUPPORTED", "CL_BUILD_PROGRAM_FAILURE",
        "CL_MAP_FAILURE", "CL_MISALIGNED_SUB_BUFFER_OFFSET",
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "CL_COMPILE_PROGRAM_FAILURE",
        "CL_LINKER_NOT_AVAILABLE", "CL_LINK_PROGRAM_FAILURE", "CL_DEVICE_PARTITION_FAILED",
        "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"};
    static const char *const from_30[] = {
        "CL_INVALID_VALUE", "CL_INVALID_DEVICE_TYPE", "CL_INVALID_PLATFORM", "CL_INVALID_DEVICE",
        "CL_INVALID_CONTEXT", "CL_INVALID_QUEUE_PROPERTIES", "CL_INVALID_COMMAND_QUEUE",
        "CL_INVALID_HOST_PTR", "CL_INVALID_MEM_OBJECT", "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
        "CL_INVALID_IMAGE_SIZE", "CL_INVALID_SAMPLER", "CL_INVALID_BINARY",
        "CL_INVALID_BUILD_OPTIONS", "CL_INVALID_PROGRAM", "CL_INVALID_PROGRAM_EXECUTABLE",
        "CL_INVALID_KERNEL_NAME", "CL_INVALID_KERNEL_DEFINITION", "CL_INVALID_KERNEL",
        "CL_INVALID_ARG_INDEX", "CL_INVALID_ARG_VALUE", "CL_INVALID_ARG_SIZE",
        "CL_INVALID_KERNEL_ARGS", "CL_INVALID_WORK_DIMENSION", "CL_INVALID_WORK_GROUP_SIZE",
        "CL_INVALID_WORK_ITEM_SIZE", "CL_INVALID_GLOBAL_OFFSET", "CL_INVALID_EVENT_WAIT_LIST",
        "CL_INVALID_EVENT", "CL_INVALID_OPERATION", "CL_INVALID_GL_OBJECT",
        "CL_INVALID_BUFFER_SIZE", "CL_INVALID_MIP_LEVEL", "CL_INVALID_GLOBAL_WORK_SIZE",
        "CL_INVALID_PROPERTY", "CL_INVALID_IMAGE_DESCRIPTOR", "CL_INVALID_COMPILER_OPTIONS",
        "CL_INVALID_LINKER_OPTIONS", "CL_INVALID_DEVICE_PARTITION_COUNT", "CL_INVALID_PIPE_SIZE",
        "CL_INVALID_DEVICE_QUEUE", "CL_INVALID_SPEC_ID", "CL_MAX_SIZE_RESTRICTION_EXCEEDED"};
    /* clang-format on */
    const cl_int count_0 = (cl_int)(sizeof from_0 / sizeof from_0[0]);
    const cl_int count_30 = (cl_int)(sizeof from_30 / sizeof from_30[0]);

    if (code <= 0 && code > -count_0)
        return from_0[-code];
    if (code <= -30 && code > -30 - count_30)
        return from_30[-30 - code];
    return code == -1001 ? "CL_PLATFORM_NOT_FOUND_KHR" : "unknown OpenCL error";
}

static inline void check_cl(cl_int code, const char *what, const char *file, int line) {
    if (code != CL_SUCCESS)
        fail(EXIT_FAILED, "%s:%d: %s: error %d, %s", file, line, what, code, cl_error_name(code));
}

#endif
