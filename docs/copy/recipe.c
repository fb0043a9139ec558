/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Times one OpenCL launch, which may be several kernels: a file to copy. It needs nothing else of
 * this suite. Put your kernel and its data where the first part has its own.
 *
 * Build: cc -O2 recipe.c -o recipe -lOpenCL
 * Run:   ./recipe; ./recipe --help says what else */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RCP_CHECK(call) rcp_check((call), #call, __FILE__, __LINE__)
#define RCP_MAKE(object, call) (object = (call), rcp_check(rcp_code, #call, __FILE__, __LINE__))
static void rcp_check(cl_int code, const char *what, const char *file, int line) {
    static const char names[] =
        " -4 CL_MEM_OBJECT_ALLOCATION_FAILURE -5 CL_OUT_OF_RESOURCES -6 CL_OUT_OF_HOST_MEMORY"
        " -7 CL_PROFILING_INFO_NOT_AVAILABLE -30 CL_INVALID_VALUE -36 CL_INVALID_COMMAND_QUEUE"
        " -46 CL_INVALID_KERNEL_NAME -49 CL_INVALID_ARG_INDEX -51 CL_INVALID_ARG_SIZE"
        " -52 CL_INVALID_KERNEL_ARGS -54 CL_INVALID_WORK_GROUP_SIZE -55 CL_INVALID_WORK_ITEM_SIZE"
        " -58 CL_INVALID_EVENT -61 CL_INVALID_BUFFER_SIZE ";
    char number[16];
    const int length = snprintf(number, sizeof number, " %d ", code);
    const char *at = strstr(names, number), *name = at ? at + length : "see_CL/cl.h";
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s:%d: %s: error %d, %.*s\n", file, line, what, code,
                (int)strcspn(name, " "), name);
        exit(1);
    }
}
#define RCP_REFUSE(...) (fprintf(stderr, "refused: " __VA_ARGS__), exit(1))

static cl_device_id rcp_device;
static cl_context rcp_context;
static cl_command_queue rcp_queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_int rcp_code;            /* RCP_MAKE(x, call): the call writes its error there */
static struct {
    cl_mem data;
    size_t bytes;
} rcp_result; /* what launch() writes: set_up() says where */

static cl_program rcp_build_program(const char *source) {
    static char log[1 << 20];
    cl_program program;
    RCP_MAKE(program, clCreateProgramWithSource(rcp_context, 1, &source, NULL, &rcp_code));
    if (clBuildProgram(program, 1, &rcp_device, "", NULL, NULL) == CL_SUCCESS)
        return program;
    clGetProgramBuildInfo(program, rcp_device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "the kernels do not build:\n%s\n", log);
    exit(1);
}

/* ---- What is timed: yours. All names outside of this part begin with rcp_ or RCP_ ---- */

#ifdef TIMED
#include TIMED /* this part in a file of its own: -DTIMED='"mine.c"' */
#else

#ifndef N
#define N (1 << 20)
#endif
static float host[N];
static cl_mem input;
static cl_kernel my_kernel;

static const char *source =
    "__kernel void my_kernel(__global const float *in, __global float *out, uint n) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = 2 * in[i];\n"
    "}\n";

static void set_up(void) {
    const cl_uint n = N;
    rcp_result.bytes = sizeof host;
    RCP_MAKE(input, clCreateBuffer(rcp_context, CL_MEM_READ_ONLY, sizeof host, NULL, &rcp_code));
    RCP_MAKE(rcp_result.data,
             clCreateBuffer(rcp_context, CL_MEM_READ_WRITE, sizeof host, NULL, &rcp_code));
    RCP_MAKE(my_kernel, clCreateKernel(rcp_build_program(source), "my_kernel", &rcp_code));
    RCP_CHECK(clSetKernelArg(my_kernel, 0, sizeof input, &input));
    RCP_CHECK(clSetKernelArg(my_kernel, 1, sizeof rcp_result.data, &rcp_result.data));
    RCP_CHECK(clSetKernelArg(my_kernel, 2, sizeof n, &n));
}

/* Before each launch, not timed: writes the input of this version. Each version has another
 * result. It is spoilt before; if something must stand there, write it here. */
static void prepare(int version) {
    for (int i = 0; i < N; i++)
        host[i] = (float)(i + version);
    RCP_CHECK(clEnqueueWriteBuffer(rcp_queue, input, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
}

/* What is timed. Of several kernels *first is the event of the first one, *last of the last one;
 * of a single one *last stays NULL. It must not wait for the device. */
static void launch(cl_event *first, cl_event *last) {
    /* In two dimensions: local {16, 16}, global {(w + 15) / 16 * 16, (h + 15) / 16 * 16}, and a 2
     * below. Whole groups: the kernel leaves out what is outside of w and h. */
    const size_t local[] = {256}, global[] = {(size_t)(N + 255) / 256 * 256};
    RCP_CHECK(clEnqueueNDRangeKernel(rcp_queue, my_kernel, 1, NULL, global, local, 0, NULL, first));
    (void)last;
}

/* The first wrong element of the result, which was copied to the host; -1: all are right. */
static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < N; i++)
        if (!(out[i] == 2 * (float)(i + version))) /* not a number, too */
            return i;
    return -1;
}

#endif

/* ---- How it is timed ---- */

enum { RCP_RUNS = 101 };
static const double rcp_shared = 0.22; /* see rcp_waited() */
#ifndef RCP_COLD_BYTES
#define RCP_COLD_BYTES (256 << 20)
#endif
#ifndef RCP_LONGEST_S
#define RCP_LONGEST_S 60 /* longer than your longest launch */
#endif
static cl_command_queue rcp_look_queue; /* waits for no other queue */
static cl_kernel rcp_empty, rcp_read_all;
static char rcp_name[256], rcp_driver[256];
/* The result before the launch, and as it was when it was last looked at. */
static void *rcp_before, *rcp_seen;

static const char *rcp_source = "__kernel void empty(void) {}\n"
                                "__kernel void read_all(__global uint *data) {\n"
                                "    if (data[get_global_id(0)] != 0)\n" /* never */
                                "        data[0] = 1;\n"
                                "}\n";

static char rcp_late[1024]; /* what is said if what follows takes too long */

static void rcp_give_up(int signal) {
    (void)signal;
    _exit(write(STDERR_FILENO, rcp_late, strlen(rcp_late)) > 0 ? 1 : 3);
}

/* From here on the program has so many seconds, until the next call: no wait is without an end. */
static void rcp_within(unsigned seconds, const char *or_else) {
    alarm(0);
    snprintf(rcp_late, sizeof rcp_late, "refused: %s; device %s, driver %s\n", or_else, rcp_name,
             rcp_driver);
    alarm(seconds);
}

static int64_t rcp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copies the result as it is now or, if there is an event, as it is then. */
static void rcp_look(void *copy, const cl_event *event) {
    RCP_CHECK(clEnqueueReadBuffer(rcp_look_queue, rcp_result.data, !event, 0, rcp_result.bytes,
                                  copy, event != NULL, event, NULL));
}

static void rcp_launch_empty(cl_event *first, cl_event *last) {
    const size_t one = 1;
    (void)last;
    RCP_CHECK(clEnqueueNDRangeKernel(rcp_queue, rcp_empty, 1, NULL, &one, &one, 0, NULL, first));
}

struct rcp_span {
    double us;                /* from the first kernel's START to the last one's END */
    double host_us;           /* for which the host was in `work` */
    double wait_us;           /* until the queue was empty, by the host's clock */
    cl_ulong start_ns;        /* by the device's clock */
    int64_t begin_ns, end_ns; /* the wait, by the host's clock */
};

/* Times `work`. If it is watched, a gate keeps it from its start for so many ms, in which the
 * result must not change, and rcp_seen is the result at END, whatever happens later. */
static struct rcp_span rcp_time(void (*work)(cl_event *, cl_event *), int watched_ms) {
    const int yours = work != rcp_launch_empty;
    struct rcp_span time;
    cl_event gate, first = NULL, last = NULL;
    cl_ulong start_ns = 0, end_ns = 0; /* a driver may answer CL_SUCCESS and leave them alone */
    int is_early = 0;
    if (watched_ms > 0) {
        RCP_MAKE(gate, clCreateUserEvent(rcp_context, &rcp_code));
        RCP_CHECK(clEnqueueBarrierWithWaitList(rcp_queue, 1, &gate, NULL));
    }
    rcp_within(watched_ms > 0 ? 3 : RCP_LONGEST_S,
               yours ? "launch() waits on the host"
                     : "the driver waits in an empty kernel's launch");
    int64_t begin_ns = rcp_now_ns();
    work(&first, &last);
    const int64_t launched_ns = rcp_now_ns();
    time.host_us = (double)(launched_ns - begin_ns) / 1e3;
    const cl_event end = last ? last : first;
    rcp_within(yours ? RCP_LONGEST_S : 10,
               yours ? "launch() does not end: an endless kernel, or the driver"
                     : "the driver does not come back from an empty kernel behind a user event");
    if (watched_ms > 0) {
        RCP_CHECK(clFlush(rcp_queue));
        do { /* behind the gate nothing may run */
            rcp_look(rcp_seen, NULL);
            is_early = memcmp(rcp_seen, rcp_before, rcp_result.bytes) != 0;
        } while (!is_early && rcp_now_ns() - launched_ns < 1000000LL * watched_ms);
        rcp_look(rcp_seen, &end);
        RCP_CHECK(clFlush(rcp_look_queue));
        for (const int64_t queued_ns = rcp_now_ns(); rcp_now_ns() - queued_ns < 100000;)
            ; /* until the copy stands ready */
        begin_ns = rcp_now_ns();
        RCP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    }
    RCP_CHECK(clFinish(rcp_queue)); /* the queries do not wait */
    time.begin_ns = begin_ns;
    time.end_ns = rcp_now_ns();
    if (watched_ms > 0) {
        RCP_CHECK(clReleaseEvent(gate));
        RCP_CHECK(clFinish(rcp_look_queue));
        if (is_early) /* not before the gate is open: a driver may wait for it at exit */
            RCP_REFUSE("ran before its turn: its work is in another queue\n");
    }
    RCP_CHECK(clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
                                      NULL));
    RCP_CHECK(clGetEventProfilingInfo(end, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL));
    RCP_CHECK(clReleaseEvent(first));
    if (last)
        RCP_CHECK(clReleaseEvent(last));
    /* Unsigned: out of order, the difference is 584 years. Some drivers write 0, or 0, 1, 2, 3. */
    if (start_ns < 1000 || end_ns < start_ns)
        RCP_REFUSE("impossible: START %.0f ns, END %.0f ns\n", (double)start_ns, (double)end_ns);
    time.start_ns = start_ns;
    time.us = (double)(end_ns - start_ns) / 1e3; /* ns, whatever the timer's resolution */
    time.wait_us = (double)(time.end_ns - begin_ns) / 1e3;
    if (time.us > 1.01 * time.wait_us + 10)
        RCP_REFUSE("impossible: %.2f us from START to END, and the host waited for %.2f us\n",
                   time.us, time.wait_us);
    return time;
}

/* Of a launch that was watched: what is wrong with rcp_seen? */
static void rcp_check_result(int version) {
    if (first_wrong(rcp_seen, version) < 0 && first_wrong(rcp_seen, version - 1) >= 0)
        return;
    if (first_wrong(rcp_seen, version) < 0)
        RCP_REFUSE("first_wrong() accepts the result of another version: is the input the same, or "
                   "zero?\n");
    rcp_look(rcp_seen, NULL); /* again: by now all queues are done, or soon */
    if (first_wrong(rcp_seen, version) < 0)
        RCP_REFUSE("was not finished at END of its last event\n");
    if (memcmp(rcp_seen, rcp_before, rcp_result.bytes) == 0)
        RCP_REFUSE("did nothing: the result is what it was before\n");
    for (int earlier = version - 1; earlier >= 0; earlier--)
        if (first_wrong(rcp_seen, earlier) < 0)
            RCP_REFUSE("stale result: of input %d, not of %d\n", earlier, version);
    RCP_REFUSE("wrong result at element %ld\n", first_wrong(rcp_seen, version));
}

static size_t rcp_other_count; /* --cold: of what is read before each launch, all 0 */

static void rcp_make_ready(int version) {
    const cl_uchar nan = 0xff; /* four of them as a float: not a number */
    const size_t size = rcp_result.bytes;
    rcp_within(RCP_LONGEST_S, "prepare() does not end, or the driver does not come back");
    RCP_CHECK(
        clEnqueueFillBuffer(rcp_queue, rcp_result.data, &nan, sizeof nan, 0, size, 0, NULL, NULL));
    prepare(version);
    RCP_CHECK(clFinish(rcp_queue));
    rcp_look(rcp_before, NULL);
    if (first_wrong(rcp_before, version) < 0)
        RCP_REFUSE("the result is right before the launch: prepare() must not leave it there\n");
    if (rcp_other_count > 0)
        RCP_CHECK(clEnqueueNDRangeKernel(rcp_queue, rcp_read_all, 1, NULL, &rcp_other_count, NULL,
                                         0, NULL, NULL));
    RCP_CHECK(clFinish(rcp_queue));
}

static int rcp_by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sorts them. */
static double rcp_median(double *us, int count) {
    qsort(us, (size_t)count, sizeof *us, rcp_by_size);
    return us[count / 2];
}

/* Called before and behind what is measured. Returns the share of its time for which a thread of
 * this program waited for a core, of the one that waited least, as the threads also wait for each
 * other; those that hardly ran do not count. Measured on two cores with PoCL 3.1, launches of 1 us
 * to 80 ms: 0 to 0.20 on the quiet machine, 0.26 to 0.81 beside one, two or four busy loops.
 * Source: Documentation/scheduler/sched-stats.rst. Not on Linux: 0. */
static double rcp_waited(int64_t since_ns) {
    static struct {
        int id;
        long long ran_ns, waited_ns;
    } known[1024];
    static int count;
    DIR *tasks = opendir("/proc/self/task");
    double least = 1;
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        const int id = atoi(task->d_name);
        char path[64];
        long long ran_ns, waited_ns;
        int i = 0;
        snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", id);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%lld %lld", &ran_ns, &waited_ns) == 2) {
            while (i < count && known[i].id != id)
                i++;
            const double ran = (double)(ran_ns - known[i].ran_ns);
            const double waited = (double)(waited_ns - known[i].waited_ns);
            if (ran > 0.05 * (double)(rcp_now_ns() - since_ns) && waited < least * (ran + waited))
                least = waited / (ran + waited);
            known[i].id = id;
            known[i].ran_ns = ran_ns;
            known[i].waited_ns = waited_ns;
            count += i == count && count < 1023;
        }
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return least < 1 ? least : 0;
}

/* ms that the host of a virtual machine took, since the start. Source: proc(5). */
static double rcp_stolen_ms(void) {
    unsigned long long stolen = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (file && fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) != 1)
        stolen = 0; /* a system that does not count it */
    if (file)
        fclose(file);
    return (double)stolen * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

static void rcp_take(cl_device_id taken) {
    rcp_device = taken;
    RCP_CHECK(clGetDeviceInfo(taken, CL_DEVICE_NAME, sizeof rcp_name, rcp_name, NULL));
    RCP_CHECK(clGetDeviceInfo(taken, CL_DRIVER_VERSION, sizeof rcp_driver, rcp_driver, NULL));
}

/* The device of this number, or the first one with this text in its name. NULL: the first GPU, else
 * the first device. */
static void rcp_choose_device(const char *wanted) {
    const int is_number = wanted && !wanted[strspn(wanted, "0123456789")];
    cl_platform_id platforms[16];
    cl_device_id all[64];
    cl_uint count = 0, here, devices = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint p = 0; p < count && p < 16 && devices < 64; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64 - devices, all + devices, &here) ==
            CL_SUCCESS)
            devices += here < 64 - devices ? here : 64 - devices;
    if (devices == 0) {
        fprintf(stderr, "no OpenCL device\n");
        exit(77); /* what test runners count as skipped */
    }
    for (cl_uint d = 0; d < devices; d++) {
        char number[16];
        cl_device_type type;
        snprintf(number, sizeof number, "%u", d);
        rcp_take(all[d]);
        RCP_CHECK(clGetDeviceInfo(all[d], CL_DEVICE_TYPE, sizeof type, &type, NULL));
        if (!wanted     ? (type & CL_DEVICE_TYPE_GPU) != 0
            : is_number ? strcmp(number, wanted) == 0
                        : strstr(rcp_name, wanted) != NULL)
            return;
    }
    if (wanted) {
        fprintf(stderr, "--device %s: there are", wanted);
        for (cl_uint d = 0; d < devices; d++) {
            rcp_take(all[d]);
            fprintf(stderr, "%s %u %s", d > 0 ? "," : "", d, rcp_name);
        }
        fprintf(stderr, "\n");
        exit(2);
    }
    rcp_take(all[0]);
}

static void rcp_open_device(const char *wanted) {
    rcp_choose_device(wanted);
    RCP_MAKE(rcp_context, clCreateContext(NULL, 1, &rcp_device, NULL, NULL, &rcp_code));
    RCP_MAKE(rcp_queue,
             clCreateCommandQueue(rcp_context, rcp_device, CL_QUEUE_PROFILING_ENABLE, &rcp_code));
    RCP_MAKE(rcp_look_queue, clCreateCommandQueue(rcp_context, rcp_device, 0, &rcp_code));
    const cl_program program = rcp_build_program(rcp_source);
    RCP_MAKE(rcp_empty, clCreateKernel(program, "empty", &rcp_code));
    RCP_MAKE(rcp_read_all, clCreateKernel(program, "read_all", &rcp_code));
}

/* For --cold: other data, which no cache holds beside the kernel's: twice the cache. Many a GPU's
 * answer is that of its first cache, so at least RCP_COLD_BYTES. */
static void rcp_make_others(void) {
    const cl_uint zero = 0;
    cl_ulong bytes;
    cl_mem others;
    RCP_CHECK(
        clGetDeviceInfo(rcp_device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof bytes, &bytes, NULL));
    rcp_other_count = (2 * bytes > RCP_COLD_BYTES ? 2 * bytes : RCP_COLD_BYTES) / sizeof zero;
    bytes = rcp_other_count * sizeof zero;
    RCP_MAKE(others, clCreateBuffer(rcp_context, CL_MEM_READ_WRITE, bytes, NULL, &rcp_code));
    RCP_CHECK(clEnqueueFillBuffer(rcp_queue, others, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    RCP_CHECK(clSetKernelArg(rcp_read_all, 0, sizeof others, &others));
}

static const char *rcp_help =
    "usage: recipe [--cold] [--device N|TEXT]\n"
    "Times launch() 101 times, each after prepare(). --cold: the caches have lost its data "
    "before.\n"
    "--device: by number, or a part of the name; else the first GPU, or else the first device.\n"
    "A line 'disturbed: ...' below the number says why not to believe it. Ends with 0; 1: a call\n"
    "failed, or the number is refused; 2: wrong options; 77: no device.\n";

int main(int argc, char **argv) {
    static double empty_us[RCP_RUNS], work_us[RCP_RUNS], host_us[RCP_RUNS], wait_us[RCP_RUNS];
    static double rest_us[RCP_RUNS]; /* of a wait for an empty kernel: what START to END is not */
    const char *wanted = NULL;
    int cold = 0, looks = 0;
    double least_rest_us = 1e30;
    struct rcp_span empty, work;
    cl_command_queue_properties properties;
    cl_device_type type;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return fputs(rcp_help, stdout) < 0 || fflush(stdout) != 0;
        if (strcmp(argv[i], "--cold") == 0)
            cold = 1;
        else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            wanted = argv[++i];
        else {
            fprintf(stderr, "%s: there are --cold, --device N|TEXT and --help\n", argv[i]);
            return 2;
        }
    }
    signal(SIGALRM, rcp_give_up);
    rcp_open_device(wanted);
    set_up();
    RCP_CHECK(clGetCommandQueueInfo(rcp_queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                                    NULL));
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        RCP_REFUSE("rcp_queue is out of order: START and END of two kernels are then no span\n");
    if (cold)
        rcp_make_others();
    RCP_CHECK(clGetDeviceInfo(rcp_device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    if (!(rcp_before = malloc(rcp_result.bytes)) || !(rcp_seen = malloc(rcp_result.bytes)))
        RCP_REFUSE("no memory for the result\n");
    rcp_make_ready(0);
    rcp_time(rcp_launch_empty, 1); /* behind the gate: what fails here is not launch()'s fault */
    const struct rcp_span first = rcp_time(rcp_launch_empty, 0);
    rcp_time(launch, 0); /* the warm-up: a first launch may compile */
    srand((unsigned)time(NULL));
    const int64_t begin_ns = rcp_now_ns();
    const double stolen_before_ms = rcp_stolen_ms();
    rcp_waited(begin_ns);
    for (int run = 0, version = 1; run < RCP_RUNS; version++) {
        const int watched_ms = version == 1 ? 100 : rand() < RAND_MAX / 8 ? 1 : 0; /* 1 in 8 */
        empty = rcp_time(rcp_launch_empty, 0);
        empty_us[run] = empty.us;
        wait_us[run] = empty.wait_us;
        rcp_make_ready(version);
        if (watched_ms > 0 && looks < RCP_RUNS) {
            empty = rcp_time(rcp_launch_empty, 1);
            rest_us[looks++] = empty.wait_us - empty.us;
        }
        work = rcp_time(launch, watched_ms);
        work_us[run] = work.us;
        host_us[run] = work.host_us;
        if (watched_ms > 0) {
            rcp_check_result(version);
            if (work.wait_us - work.us < least_rest_us)
                least_rest_us = work.wait_us - work.us;
        } else
            run++; /* one that was watched does not count: the looks read its result before */
    }
    const double all_ms = (double)(rcp_now_ns() - begin_ns) / 1e6, waited = rcp_waited(begin_ns);
    const double stolen_ms = rcp_stolen_ms() - stolen_before_ms;
    rcp_within(RCP_LONGEST_S, "the number cannot be written");
    double *half_2 = work_us + RCP_RUNS / 2;
    const double half_1_us = rcp_median(work_us, RCP_RUNS / 2);
    const double half_2_us = rcp_median(half_2, RCP_RUNS - RCP_RUNS / 2);
    const int apart = /* three quarters of the one from three quarters of the other */
        work_us[RCP_RUNS * 3 / 8] < half_2[RCP_RUNS / 8] ||
        work_us[RCP_RUNS / 8] > half_2[RCP_RUNS * 3 / 8];
    const double us = rcp_median(work_us, RCP_RUNS), no_work_us = rcp_median(empty_us, RCP_RUNS);
    const double queued_us = rcp_median(host_us, RCP_RUNS), rest = rcp_median(rest_us, looks);
    rcp_median(wait_us, RCP_RUNS);
    /* From START to START of the first and last launch, by both clocks. */
    const double device_ms = (double)(work.start_ns - first.start_ns) / 1e6;
    const double least_ms = (double)(work.begin_ns - first.end_ns) / 1e6;
    const double most_ms = (double)(work.end_ns - first.begin_ns) / 1e6;
    if (least_rest_us - rest > us / 4 + rest + 20)
        RCP_REFUSE("the events do not cover the work: %.2f us from START to END, and each time the "
                   "host waited for %.2f us more; with an empty kernel for %.2f us more\n",
                   us, least_rest_us, rest);
    if (!(us > 0))
        RCP_REFUSE("no time at all: the kernel is too short for this device's clock\n");
    if (queued_us > 1000 + 2 * us)
        RCP_REFUSE("launch() waits, or works, on the host, for %.0f us\n", queued_us);
    printf("%s, driver %s; %d runs; the caches %s\n"
           "from START to END: median %.2f us, 5th percentile %.2f us, 95th %.2f us\n",
           rcp_name, rcp_driver, RCP_RUNS, cold ? "full of other data" : "as prepare() left them",
           us, work_us[RCP_RUNS / 20], work_us[RCP_RUNS - 1 - RCP_RUNS / 20]);
    if (us > no_work_us)
        printf("minus an empty work-group's %.2f us: %.2f us\n", no_work_us, us - no_work_us);
    else
        printf("too short to tell from an empty work-group, which takes %.2f us\n", no_work_us);

    const double much_us = us / 4 + 0.5; /* half a us is no disturbance */
    const double from_us = work_us[RCP_RUNS / 2 - 10], to_us = work_us[RCP_RUNS / 2 + 10];
    const double late_ms = wait_us[RCP_RUNS * 9 / 10] / 1e3; /* one of ten is later */
    const int is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (to_us - us > much_us || us - from_us > much_us) /* ranks n/2 -+ 0.98 sqrt(n) */
        printf("disturbed: the runs disagree: the median is somewhere from %.2f to %.2f us\n",
               from_us, to_us);
    if (apart && (half_1_us - half_2_us > much_us || half_2_us - half_1_us > much_us))
        printf("disturbed: median %.2f us of the first half of the runs, %.2f us of the second\n",
               half_1_us, half_2_us);
    if (waited > rcp_shared && (is_cpu || late_ms > 1))
        printf("disturbed: each thread of this program waited for a core, %.0f %% of its time\n",
               100 * waited);
    else if (!is_cpu && late_ms > 1)
        printf("disturbed: somebody else has the device: an empty kernel took up to %.1f ms\n",
               late_ms);
    if (stolen_ms > rcp_shared * all_ms)
        printf("disturbed: the virtual machine's host took %.0f of %.0f ms\n", stolen_ms, all_ms);
    if (device_ms < 0.99 * least_ms || device_ms > 1.01 * most_ms)
        printf("disturbed: the device's clock counts %.1f ms where the host's counts %.1f ms\n",
               device_ms, (least_ms + most_ms) / 2);
    if (fflush(stdout) == 0)
        return 0; /* all else goes with the process */
    perror("cannot write the result");
    return 1;
}
