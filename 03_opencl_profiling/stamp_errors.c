/* SPDX-License-Identifier: MIT
 *
 * What does clGetEventProfilingInfo answer when it has no stamp, and what
 * do wrong subtractions give?
 *
 * Measures: nothing; it asks for END of two commands that have none, then of one that does, and
 *   subtracts two stamps in the wrong order.
 *
 * Build: cc -O2 -I../common stamp_errors.c -o stamp_errors -lOpenCL -lm
 * Run:   ./stamp_errors
 * Try:   on another driver: the answers differ
 */
#include "opencl.h"
#include "stamps.h"

static cl_mem buffer; /* one integer, which the commands fill */

/* A command in `queue` that begins when `gate`, if not NULL, is set to CL_COMPLETE. */
static cl_event fill(cl_command_queue queue, const cl_event *gate) {
    const cl_int zero = 0;
    cl_event event;
    CHECK_CL(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof zero, gate != NULL,
                                 gate, &event));
    return event;
}

/* Asks for END, prints code and stamp, and returns the stamp: 0 before, and where there is none. */
static cl_ulong ask(const char *question, cl_event event) {
    cl_ulong end_ns = 0;
    cl_error =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL);
    label("question", 23, question);
    cell("code", "%d", cl_error);
    label("error", 31,
          cl_error == CL_SUCCESS                        ? "CL_SUCCESS"
          : cl_error == CL_PROFILING_INFO_NOT_AVAILABLE ? "CL_PROFILING_INFO_NOT_AVAILABLE"
                                                        : "see CL/cl.h");
    cell("end_ns", "%19llu", (unsigned long long)end_ns);
    end_row(false); /* at once: a driver may crash at the next question */
    return end_ns;
}

int main(int argc, char **argv) {
    options.device = "";
    parse_options(argc, argv, "What does clGetEventProfilingInfo answer when it has no stamp?");
    open_opencl(CL_QUEUE_PROFILING_ENABLE);
    cl_command_queue plain;
    cl_event gate;
    MAKE_CL(plain = clCreateCommandQueue(cl.context, cl.device, 0, &cl_error));
    MAKE_CL(buffer =
                clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &cl_error));
    MAKE_CL(gate = clCreateUserEvent(cl.context, &cl_error));
    begin_table("Stamp errors: END of a command on %s, %s\n"
                "two wrong questions and a right one; end_ns 0: no stamp\n\n",
                cl.name, cl.platform);

    /* Wrong: the queue was made without CL_QUEUE_PROFILING_ENABLE. */
    cl_event event = fill(plain, NULL);
    CHECK_CL(clFinish(plain));
    ask("queue_without_profiling", event);

    /* Wrong: the command has not finished. The query does not wait for it. */
    event = fill(cl.queue, &gate);
    ask("not_finished", event);

    /* Right: the same command after clFinish. */
    CHECK_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_CL(clFinish(cl.queue));
    const cl_ulong end_ns = ask("finished", event);
    if (cl_error != CL_SUCCESS || end_ns < 1000) /* 0, or a 3 that counts stages */
        fail(EXIT_FAILED,
             "impossible: a finished command of a profiling queue has no END: error %d, %llu ns",
             cl_error, (unsigned long long)end_ns);
    end_table();

    const cl_ulong start_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_START);
    const double years =
        value("unsigned", "years", (double)(start_ns - end_ns) / (365.25 * 86400e9));
    const double us = value("signed", "us", between_us(end_ns, start_ns));
    say("START minus END, in the wrong order: %.1f years unsigned, %.3f us signed.\n", years, us);
    return EXIT_SUCCESS;
}
