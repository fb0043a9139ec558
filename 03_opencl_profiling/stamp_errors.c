/* SPDX-License-Identifier: MIT
 *
 * What does clGetEventProfilingInfo answer when it has no stamp to give?
 *
 * Measures: nothing; it asks for END of two commands that have none, then of one that does, and
 *   subtracts two stamps in the wrong order.
 *
 * Build: cc -O2 -I../common stamp_errors.c -o stamp_errors -lOpenCL -lm
 * Run:   ./stamp_errors
 * Try:   on another driver: the answers differ
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "opencl_device.h"

static struct options options;
static struct opencl_device device;

/* Asks for END, prints code and stamp, and returns both; the stamp was 0 before. */
static cl_ulong ask(const char *question, cl_event event, cl_int *code) {
    cl_ulong end_ns = 0;
    *code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL);
    if (options.csv)
        printf("%s,%s,%d,%s,%llu\n", device.name, question, *code, cl_error_name(*code),
               (unsigned long long)end_ns);
    else
        printf("%-24s error %3d, %-32s %20llu\n", question, *code, cl_error_name(*code),
               (unsigned long long)end_ns);
    flush_stdout(); /* a driver may take the next question badly */
    return end_ns;
}

int main(int argc, char **argv) {
    options = default_options("What does clGetEventProfilingInfo answer when it has no stamp?");
    options.has_device = true;
    parse_options(argc, argv, &options);
    device = choose_opencl_device(options.device);

    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
    CHECK_CL_CODE("clCreateContext", code);
    cl_command_queue queue =
        clCreateCommandQueue(context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK_CL_CODE("clCreateCommandQueue", code);
    cl_command_queue plain = clCreateCommandQueue(context, device.id, 0, &code);
    CHECK_CL_CODE("clCreateCommandQueue", code);

    if (options.csv)
        printf("device,question,code,error,end_ns\n");
    else
        printf("Stamp errors: END of a command on %s, %s; two wrong questions and a right one\n\n"
               "%-24s %-43s %20s\n",
               device.name, device.platform, "command", "answer", "END ns");

    const cl_int zero = 0; /* the command: fills one integer */
    cl_event event;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof zero, NULL, &code);
    CHECK_CL_CODE("clCreateBuffer", code);
    CHECK_CL(
        clEnqueueFillBuffer(plain, buffer, &zero, sizeof zero, 0, sizeof zero, 0, NULL, &event));
    CHECK_CL(clFinish(plain));
    ask("queue_without_profiling", event, &code);
    CHECK_CL(clReleaseEvent(event));

    cl_event gate = clCreateUserEvent(context, &code); /* holds the command back */
    CHECK_CL_CODE("clCreateUserEvent", code);
    CHECK_CL(
        clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof zero, 1, &gate, &event));
    ask("not_finished", event, &code);
    CHECK_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_CL(clFinish(queue));
    cl_int code_of_finished;
    const cl_ulong end_ns = ask("the_same_finished", event, &code_of_finished);

    cl_ulong start_ns = 0;
    if (code_of_finished != CL_SUCCESS || end_ns < 1000) /* 0, or a 3 that counts stages */
        fail(EXIT_FAILED,
             "impossible: a finished command of a profiling queue has no END: %s, %llu ns",
             cl_error_name(code_of_finished), (unsigned long long)end_ns);
    CHECK_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
                                     NULL));
    if (!options.csv)
        printf("\nSTART less END, the wrong way round: %.1f years unsigned, %.3f us signed.\n",
               (double)(start_ns - end_ns) / (365.25 * 86400e9),
               (double)(cl_long)(start_ns - end_ns) / 1e3);
    flush_stdout();

    CHECK_CL(clReleaseEvent(event));
    CHECK_CL(clReleaseEvent(gate));
    CHECK_CL(clReleaseMemObject(buffer));
    CHECK_CL(clReleaseCommandQueue(plain));
    CHECK_CL(clReleaseCommandQueue(queue));
    CHECK_CL(clReleaseContext(context));
    return EXIT_SUCCESS;
}
