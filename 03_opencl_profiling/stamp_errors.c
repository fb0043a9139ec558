/* SPDX-License-Identifier: MIT
 *
 * What does clGetEventProfilingInfo answer when it has no stamp, and what does a wrong subtraction
 * give?
 *
 * Measures: nothing. It asks for END of two commands that have none, then of one that does, and
 *   subtracts two stamps in the wrong order.
 *
 * Build: cc -O2 -I../common stamp_errors.c -o stamp_errors -lOpenCL -lm
 * Run:   ./stamp_errors
 * Try:   on another driver, the answers differ: README.md has those of four
 */
#include "opencl.h"

/* Fills `buffer`, which is one integer, in `queue`. The command begins when `gate`, if not NULL, is
 * set to CL_COMPLETE. */
static cl_event fill(cl_command_queue queue, cl_mem buffer, const cl_event *gate) {
    const cl_int zero = 0;
    cl_event event;
    CHECK_CL(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof zero, gate != NULL,
                                 gate, &event));
    return event;
}

/* Asks for END, prints the answer, and returns its code. The stamp is 0 where there is none. */
static cl_int ask(struct table *table, const char *question, cl_event event, cl_ulong *end_ns) {
    char digits[32]; /* all of them: a double does not hold every stamp */
    *end_ns = 0;
    const cl_int code =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *end_ns, end_ns, NULL);
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)*end_ns);
    text(table, "question", 23, question);
    number(table, "code", 0, code);
    text(table, "error", 31,
         code == CL_SUCCESS                        ? "CL_SUCCESS"
         : code == CL_PROFILING_INFO_NOT_AVAILABLE ? "CL_PROFILING_INFO_NOT_AVAILABLE"
                                                   : "see CL/cl.h");
    text(table, "end_ns", 19, digits);
    end_row(table, false); /* at once: a driver may crash at the next question */
    return code;
}

enum { LONGEST_S = 10 };

/* Ends the program; with what is allowed in a signal's handler. */
static void end_late(int signal) {
    static const char words[] = "stamp_errors: a command behind a user event did not come back "
                                "within 10 s: the driver's fault\n";
    (void)signal;
    _exit(write(STDERR_FILENO, words, sizeof words - 1) > 0 ? EXIT_FAILED : EXIT_FAILED + 2);
}

int main(int argc, char **argv) {
    const char *device = "";
    const struct arg args[] = {ARG_DEVICE(&device), END_OF_ARGS};
    struct table table = {0};
    cl_command_queue plain;
    cl_event gate;
    cl_ulong end_ns;
    parse_args(argc, argv, "What does clGetEventProfilingInfo answer when it has no stamp?", args);
    const struct opencl cl = open_opencl(device, CL_QUEUE_PROFILING_ENABLE);
    MAKE_CL(plain, clCreateCommandQueue(cl.context, cl.device, 0, &cl_error));
    const cl_mem buffer = new_buffer(&cl, sizeof(cl_int), NULL);
    MAKE_CL(gate, clCreateUserEvent(cl.context, &cl_error));
    begin_record(args, cl.name, cl.driver);
    say("Stamp errors: END of a command on %s, %s.\n"
        "Two questions are wrong, one is right. An end_ns of 0 is no stamp.\n\n",
        cl.name, cl.platform);

    /* Wrong: the queue was made without CL_QUEUE_PROFILING_ENABLE. */
    cl_event event = fill(plain, buffer, NULL);
    CHECK_CL(clFinish(plain));
    ask(&table, "queue_without_profiling", event, &end_ns);

    /* Wrong: the command has not finished. The query does not wait for it. */
    signal(SIGALRM, end_late); /* else a driver that never comes back would hang this program */
    alarm(LONGEST_S);
    event = fill(cl.queue, buffer, &gate);
    ask(&table, "not_finished", event, &end_ns);

    /* Right: the same command after clFinish. */
    CHECK_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_CL(clFinish(cl.queue));
    alarm(0);
    const cl_int code = ask(&table, "finished", event, &end_ns);
    if (code != CL_SUCCESS || end_ns < 1000) /* 0, or a 3 that counts stages */
        fail(EXIT_FAILED,
             "impossible: a finished command of a profiling queue has no END: error %d, %llu ns",
             code, (unsigned long long)end_ns);
    end_table(&table);

    const cl_ulong start_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_START);
    const double years = value("unsigned_years", (double)(start_ns - end_ns) / (365.25 * 86400e9));
    const double us = value("signed_us", between_us(end_ns, start_ns));
    say("START minus END, in the wrong order: %.1f years unsigned, %.3f us signed.\n", years, us);
    return EXIT_SUCCESS;
}
