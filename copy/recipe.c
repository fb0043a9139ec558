/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Times one OpenCL launch, which may be several kernels: a file to copy. It needs nothing else of
 * this suite. Put your kernel and its data where the first part has its own.
 *
 * Build: cc -O2 recipe.c -o recipe -lOpenCL -lm
 * Run:   ./recipe; ./recipe --help says what else */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RCP_REFUSE(...) (fprintf(stderr, "refused: " __VA_ARGS__), exit(1))
#define RCP_CHECK(call) rcp_check((call), #call, __FILE__, __LINE__)
#define RCP_MAKE(object, call) (object = (call), rcp_check(rcp_code, #call, __FILE__, __LINE__))
static cl_int rcp_code; /* RCP_MAKE(x, call): the call writes its error there */

static void rcp_check(cl_int error, const char *what, const char *file, int line) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: %s: error %d, %s\n", file, line, what, error,
            error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? "CL_MEM_OBJECT_ALLOCATION_FAILURE"
            : error == CL_OUT_OF_RESOURCES            ? "CL_OUT_OF_RESOURCES"
            : error == CL_INVALID_KERNEL_NAME         ? "CL_INVALID_KERNEL_NAME"
            : error == CL_INVALID_KERNEL_ARGS         ? "CL_INVALID_KERNEL_ARGS"
            : error == CL_INVALID_WORK_GROUP_SIZE     ? "CL_INVALID_WORK_GROUP_SIZE"
                                                      : "see CL/cl.h");
    exit(1);
}

static cl_device_id rcp_device;
static cl_context rcp_context;
static cl_command_queue rcp_queue; /* with CL_QUEUE_PROFILING_ENABLE */
static char rcp_device_name[256];
static int rcp_is_cpu;
static struct {
    cl_mem data;
    size_t bytes;
} rcp_result; /* what launch() writes: set_up() says where */

static cl_program rcp_build_program(const char *text) {
    static char log[1 << 20];
    cl_program program;
    RCP_MAKE(program, clCreateProgramWithSource(rcp_context, 1, &text, NULL, &rcp_code));
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
#ifndef RCP_BYTES
#define RCP_BYTES (2.0 * sizeof host) /* that a launch reads and writes, for GB/s; 0: not said */
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
 * result. Each of its bytes is 0xff before; what must stand there (0 for a sum), write here. */
static void prepare(int version) {
    for (int i = 0; i < N; i++)
        host[i] = (float)(i + version);
    RCP_CHECK(clEnqueueWriteBuffer(rcp_queue, input, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
}

/* What is timed. Of several kernels *first is the event of the first one, *last of the last one;
 * of a single one *last stays NULL. It must not wait for the device. */
static void launch(cl_event *first, cl_event *last) {
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

#ifndef RCP_BYTES
#define RCP_BYTES 0
#endif
enum { RCP_RUNS = 101, RCP_LONGEST_S = 60 }; /* longer than your longest launch */
#ifndef RCP_COLD_BYTES
#define RCP_COLD_BYTES (256 << 20)
#endif
static const char *rcp_source = "__kernel void empty(void) {}\n"
                                "__kernel void read_all(__global uint *data) {\n"
                                "    if (data[get_global_id(0)] != 0)\n" /* never */
                                "        data[0] = 1;\n"
                                "}\n";
static cl_command_queue rcp_aside; /* waits for no other queue */
static cl_kernel rcp_empty, rcp_read_all;
static size_t rcp_other_count;      /* --cold: of what is read before each launch, all 0 */
static void *rcp_before, *rcp_seen; /* the result before the launch, and as it was last seen */
static const char *rcp_last_words;  /* if what follows takes too long */

/* No wait is without end: after so many seconds these are the program's last words. */
static void rcp_on_alarm(int number) {
    (void)number;
    _exit(write(STDERR_FILENO, rcp_last_words, strlen(rcp_last_words)) > 0 ? 1 : 3);
}
#define RCP_LIMIT(seconds, words) (alarm(0), rcp_last_words = (words), alarm(seconds))

static int64_t rcp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copies the result as it is now or, if there is an event, as it is then. */
static void rcp_look(void *copy, const cl_event *event) {
    RCP_CHECK(clEnqueueReadBuffer(rcp_aside, rcp_result.data, !event, 0, rcp_result.bytes, copy,
                                  event != NULL, event, NULL));
}

static cl_ulong rcp_stamp_ns(cl_event event, cl_profiling_info what) {
    cl_ulong ns = 0; /* a driver may answer CL_SUCCESS and leave it alone */
    const cl_int error = clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL);
    if (error == CL_PROFILING_INFO_NOT_AVAILABLE)
        RCP_REFUSE("an event has no time: it is of another queue, or rcp_queue has no profiling\n");
    rcp_check(error, "clGetEventProfilingInfo", __FILE__, __LINE__);
    return ns;
}

struct rcp_span {
    double us, host_us, wait_us; /* from START to END; the host in `work`; until all is done */
    double cpu_us;               /* for which all threads of this program ran meanwhile */
    int64_t start_ns, begin_ns;  /* START by the device's clock; the host began to wait */
};

/* Times `work`, or an empty kernel if it is NULL. If it is watched, a gate keeps it from its start
 * for so many ms, in which the result must not change, and rcp_seen is the result at END. */
static struct rcp_span rcp_time(void (*work)(cl_event *, cl_event *), int watched_ms) {
    static const size_t one = 1;
    struct rcp_span time;
    cl_event gate, first = NULL, last = NULL;
    int is_early = 0;
    if (watched_ms > 0) {
        RCP_MAKE(gate, clCreateUserEvent(rcp_context, &rcp_code));
        RCP_CHECK(clEnqueueBarrierWithWaitList(rcp_queue, 1, &gate, NULL));
    }
    RCP_LIMIT(watched_ms > 0 ? 3 : RCP_LONGEST_S,
              work ? "refused: launch() waits on the host\n"
                   : "refused: the driver does not come back from an empty kernel\n");
    const clock_t ran = clock();
    time.begin_ns = rcp_now_ns();
    if (work)
        work(&first, &last);
    else
        RCP_CHECK(
            clEnqueueNDRangeKernel(rcp_queue, rcp_empty, 1, NULL, &one, &one, 0, NULL, &first));
    const int64_t launched_ns = rcp_now_ns();
    const cl_event end = last ? last : first;
    if (!first)
        RCP_REFUSE("launch() gives no event: it must put one into *first\n");
    time.host_us = (double)(launched_ns - time.begin_ns) / 1e3;
    if (work)
        RCP_LIMIT(RCP_LONGEST_S, "refused: launch() does not end, or the driver\n");
    if (watched_ms > 0) {
        RCP_CHECK(clFlush(rcp_queue));
        do { /* behind the gate nothing may run */
            rcp_look(rcp_seen, NULL);
            is_early = work && memcmp(rcp_seen, rcp_before, rcp_result.bytes) != 0;
        } while (!is_early && rcp_now_ns() - launched_ns < 1000000LL * watched_ms);
        rcp_look(rcp_seen, &end);
        RCP_CHECK(clFlush(rcp_aside));
        time.begin_ns = rcp_now_ns() + 100000;
        while (rcp_now_ns() < time.begin_ns)
            ; /* until the copy stands ready */
        RCP_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        RCP_CHECK(clReleaseEvent(gate));
    }
    RCP_CHECK(clFinish(rcp_queue)); /* the queries do not wait */
    time.wait_us = (double)(rcp_now_ns() - time.begin_ns) / 1e3;
    time.cpu_us = 1e6 * (double)(clock() - ran) / CLOCKS_PER_SEC;
    RCP_CHECK(clFinish(rcp_aside));
    if (is_early) /* not before the gate is open: a driver may wait for it at exit */
        RCP_REFUSE("ran before its turn: its work is in another queue\n");
    const cl_ulong start_ns = rcp_stamp_ns(first, CL_PROFILING_COMMAND_START),
                   end_ns = rcp_stamp_ns(end, CL_PROFILING_COMMAND_END);
    RCP_CHECK(clReleaseEvent(first));
    if (last)
        RCP_CHECK(clReleaseEvent(last));
    /* Unsigned: out of order, the difference is 584 years. Some drivers write 0, or 0, 1, 2, 3. */
    if (start_ns < 1000 || end_ns < start_ns)
        RCP_REFUSE("impossible: START %.0f ns, END %.0f ns\n", (double)start_ns, (double)end_ns);
    time.start_ns = (int64_t)start_ns;
    time.us = (double)(end_ns - start_ns) / 1e3; /* ns, whatever the timer's resolution */
    if (time.us > 1.01 * time.wait_us + 10)
        RCP_REFUSE("impossible: %.2f us from START to END, and the host waited for %.2f us\n",
                   time.us, time.wait_us);
    return time;
}

/* Of a launch that was watched: what is wrong with rcp_seen? */
static void rcp_check_result(int version) {
    const long wrong = first_wrong(rcp_seen, version);
    if (wrong < 0 && first_wrong(rcp_seen, version - 1) >= 0)
        return;
    if (wrong < 0)
        RCP_REFUSE("first_wrong() accepts the result of another version: is the input the same?\n");
    rcp_look(rcp_seen, NULL); /* again: by now all queues are done, or soon */
    if (first_wrong(rcp_seen, version) < 0)
        RCP_REFUSE("was not finished at END of its last event\n");
    if (memcmp(rcp_seen, rcp_before, rcp_result.bytes) == 0)
        RCP_REFUSE("did nothing: the result is what it was before\n");
    for (int earlier = version - 1; earlier >= 0; earlier--)
        if (first_wrong(rcp_seen, earlier) < 0)
            RCP_REFUSE("stale result: of input %d, not of %d\n", earlier, version);
    RCP_REFUSE("wrong result at element %ld\n", wrong);
}

static void rcp_make_ready(int version) {
    const cl_uchar nan = 0xff; /* four of them as a float: not a number */
    RCP_LIMIT(RCP_LONGEST_S, "refused: prepare() does not end, or the driver\n");
    RCP_CHECK(clEnqueueFillBuffer(rcp_queue, rcp_result.data, &nan, sizeof nan, 0, rcp_result.bytes,
                                  0, NULL, NULL));
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

/* For --cold: other data, all 0, twice the cache; many a GPU names its first cache only. Returns
 * how many numbers they are. */
static size_t rcp_make_others(cl_ulong cache_bytes) {
    const size_t bytes = 2 * cache_bytes > RCP_COLD_BYTES ? 2 * cache_bytes : RCP_COLD_BYTES;
    const cl_uint zero = 0;
    cl_mem others;
    RCP_MAKE(others, clCreateBuffer(rcp_context, CL_MEM_READ_WRITE, bytes, NULL, &rcp_code));
    RCP_CHECK(clEnqueueFillBuffer(rcp_queue, others, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    RCP_CHECK(clSetKernelArg(rcp_read_all, 0, sizeof others, &others));
    return bytes / sizeof zero;
}

/* The device of this number, or with this text in its name. NULL: the first GPU, or device 0. */
static void rcp_choose_device(const char *wanted) {
    cl_platform_id platforms[16];
    cl_device_id devices[256];
    cl_device_type type;
    cl_uint count = 0, here, all = 0;
    char name[120], driver[120], number[16], empty[512] = ""; /* platforms without a device */
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint p = 0; p < count && p < 16 && all < 240; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices + all, &here) !=
            CL_SUCCESS) {
            RCP_CHECK(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL));
            snprintf(empty + strlen(empty), sizeof empty - strlen(empty), " '%s'", name);
        } else
            all += here < 16 ? here : 16;
    for (cl_uint d = all; d-- > 0;) { /* the first one that fits is the last one found */
        RCP_CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL));
        RCP_CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL));
        snprintf(number, sizeof number, "%u", d);
        if (!(wanted ? strcmp(number, wanted) == 0 || (*wanted > '9' && strstr(name, wanted))
                     : (type & CL_DEVICE_TYPE_GPU) || (d == 0 && !rcp_device)))
            continue;
        rcp_device = devices[d];
        rcp_is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
        RCP_CHECK(clGetDeviceInfo(rcp_device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
        snprintf(rcp_device_name, sizeof rcp_device_name, "%s, driver %s", name, driver);
    }
    if (rcp_device)
        return;
    if (all > 0)
        fprintf(stderr, "no OpenCL device '%s' among %u, from 0\n", wanted, all);
    else
        fprintf(stderr, "no OpenCL device%s%s\n",
                *empty ? ": may the driver use one, and write its cache?" : " and no driver",
                empty);
    exit(all > 0 ? 2 : 77); /* 77: what test runners count as skipped */
}

/* In ms: this program ran, its threads waited for a core, all cores worked, a VM's host did. */
static struct {
    double ran, waited, busy, stolen;
    int is_seen;
} rcp_counts;
/* Counts, with -1 at the begin and with 1 at the end: proc(5), the kernel's sched-stats.rst. */
static void rcp_count(int sign) {
    const double tick_ms = sign * 1e3 / (double)sysconf(_SC_CLK_TCK);
    double waited_ns, user = 0, nice = 0, system = 0, steal = 0;
    int threads = 0;
    glob_t files;
    glob("/proc/self/task/*/schedstat", 0, NULL, &files);
    glob("/proc/stat", GLOB_APPEND, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        if (!file)
            continue; /* the thread has ended */
        if (fscanf(file, "%*f %lf", &waited_ns) == 1) {
            rcp_counts.waited += sign * waited_ns / 1e6;
            threads++;
        } else if (fscanf(file, "cpu %lf %lf %lf %*f %*f %*f %*f %lf", &user, &nice, &system,
                          &steal) == 4) {
            rcp_counts.busy += tick_ms * (user + nice + system);
            rcp_counts.stolen += tick_ms * steal;
        }
        fclose(file);
    }
    globfree(&files);
    rcp_counts.ran += sign * 1e3 * (double)clock() / CLOCKS_PER_SEC;
    rcp_counts.is_seen = threads > 0 && user + nice + system > 0; /* some systems show zeros */
}

/* NULL, or why not to believe a time on a processor: for over a tenth of its time this program
 * waited while others ran, or the host of the virtual machine did. Its threads also wait for each
 * other, but then no core works for others: with PoCL on two quiet cores 3 % at most, beside one
 * busy loop 31 % and more. 30 ms: a few ticks. */
static const char *rcp_doubt_cores(void) {
    const double ran = rcp_counts.ran, waited = rcp_counts.waited, busy = rcp_counts.busy;
    const double stolen = fmax(0, rcp_counts.stolen - 30);
    if (!rcp_counts.is_seen)
        return "unknown: /proc does not show other programs";
    if (fmin(busy - ran - 30, waited) > 0.1 * (ran + waited))
        return "others had the processor";
    return stolen > 0.1 * (busy + stolen) ? "the host of this virtual machine had its cores" : NULL;
}

static int rcp_by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of n samples the one that so many percent of them are below. */
static double rcp_percentile(const double *samples, size_t n, size_t percent) {
    static double sorted[RCP_RUNS];
    qsort(memcpy(sorted, samples, n * sizeof *sorted), n, sizeof *sorted, rcp_by_size);
    return sorted[n * percent / 100];
}

/* Percent that the last fifth of the runs takes more than the first; 0 if more than a quarter of
 * each is within the other, or a fifth is fewer than five. */
static double rcp_drift(const double *first, size_t n) {
    const size_t k = n / 5;
    const double *last = first + n - k;
    if (k < 5 || (rcp_percentile(first, k, 75) >= rcp_percentile(last, k, 25) &&
                  rcp_percentile(last, k, 75) >= rcp_percentile(first, k, 25)))
        return 0;
    return 100 * (rcp_percentile(last, k, 50) / rcp_percentile(first, k, 50) - 1);
}

/* Do the runs disagree? Of 101 the 41st and the 61st by size have the true median between them: is
 * one of them further away than this factor, and so many us? Do they drift? If so, returns 1. */
static int rcp_print_spread(const double *us, double factor, double slack_us) {
    const double middle = rcp_percentile(us, RCP_RUNS, 50), drift = rcp_drift(us, RCP_RUNS);
    const double low = rcp_percentile(us, RCP_RUNS, 40), high = rcp_percentile(us, RCP_RUNS, 60);
    const int drifts = fabs(drift) > 20 * (factor - 1) && fabs(drift) * middle > 40 * slack_us;
    if ((high > factor * middle && high > middle + slack_us) ||
        (middle > factor * low && middle > low + slack_us))
        printf("disturbed: the runs disagree: the median is between %.2f and %.2f us\n", low, high);
    if (drifts)
        printf("disturbed: the runs drift: the last fifth takes %+.0f %% more than the first\n",
               drift);
    return drifts;
}

int main(int argc, char **argv) {
    static double empty_us[RCP_RUNS], work_us[RCP_RUNS], host_us[RCP_RUNS];
    static double empty_rest_us[RCP_RUNS], rest_us[RCP_RUNS];
    const char *wanted = NULL;
    int cold = 0;
    double cpu_us = 0, all_us = 0;
    struct rcp_span work;
    cl_command_queue_properties order;
    cl_ulong cache;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--cold") == 0)
            cold = 1;
        else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            wanted = argv[++i];
        else {
            const int help = strcmp(argv[i], "--help") == 0;
            fprintf(help ? stdout : stderr, "%s: there are --cold, --device N|TEXT, --help\n",
                    argv[i]);
            return help ? fflush(stdout) != 0 : 2;
        }
    signal(SIGALRM, rcp_on_alarm);
    rcp_choose_device(wanted);
    RCP_MAKE(rcp_context, clCreateContext(NULL, 1, &rcp_device, NULL, NULL, &rcp_code));
    RCP_MAKE(rcp_queue,
             clCreateCommandQueue(rcp_context, rcp_device, CL_QUEUE_PROFILING_ENABLE, &rcp_code));
    RCP_MAKE(rcp_aside, clCreateCommandQueue(rcp_context, rcp_device, 0, &rcp_code));
    const cl_program program = rcp_build_program(rcp_source);
    RCP_MAKE(rcp_empty, clCreateKernel(program, "empty", &rcp_code));
    RCP_MAKE(rcp_read_all, clCreateKernel(program, "read_all", &rcp_code));
    set_up();
    if (!rcp_result.data || rcp_result.bytes == 0)
        RCP_REFUSE("set_up() must say where launch() writes, and how many bytes: rcp_result\n");
    RCP_CHECK(clGetCommandQueueInfo(rcp_queue, CL_QUEUE_PROPERTIES, sizeof order, &order, NULL));
    RCP_CHECK(
        clGetDeviceInfo(rcp_device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL));
    if (order & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        RCP_REFUSE("rcp_queue is out of order: START and END of two kernels are then no span\n");
    if (!(rcp_before = malloc(rcp_result.bytes)) || !(rcp_seen = malloc(rcp_result.bytes)))
        RCP_REFUSE("no memory for the result\n");
    if (cold)
        rcp_other_count = rcp_make_others(cache);
    rcp_make_ready(0);
    const struct rcp_span first = rcp_time(NULL, 1); /* what fails here is not launch()'s fault */
    rcp_time(launch, 0);                             /* the warm-up: a first launch may compile */
    srand((unsigned)time(NULL));
    const struct timespec window = {0, 200000000};
    const int64_t begin_ns = rcp_now_ns();
    rcp_count(-1);
    for (int run = 0, version = 1; run < RCP_RUNS; version++) {
        const int watched_ms = version == 1 ? 100 : rand() < RAND_MAX / 8 ? 1 : 0; /* 1 in 8 */
        const struct rcp_span empty = rcp_time(NULL, 0);
        rcp_make_ready(version);
        work = rcp_time(launch, watched_ms);
        empty_us[run] = empty.us;
        empty_rest_us[run] = empty.wait_us - empty.host_us - empty.us;
        work_us[run] = work.us;
        host_us[run] = work.host_us;
        rest_us[run] = work.wait_us - work.host_us - work.us;
        cpu_us += watched_ms > 0 ? 0 : work.cpu_us;
        all_us += watched_ms > 0 ? 0 : work.wait_us;
        if (watched_ms > 0) {
            rcp_check_result(version);
            const struct rcp_span next = rcp_time(NULL, 0);
            const double counted_ms = (double)(next.start_ns - empty.start_ns) / 1e6;
            const double host_ms = (double)(next.begin_ns - empty.begin_ns) / 1e6;
            if (counted_ms < 0.9 * host_ms)
                RCP_REFUSE("the stamps' clock is too slow: it counts %.1f ms where the host's "
                           "counts %.1f ms\n",
                           counted_ms, host_ms);
            if ((double)(work.start_ns - empty.start_ns) / 1e6 + work.us / 1e3 < 0.9 * watched_ms)
                RCP_REFUSE("its last event ended before the gate opened: is it a marker, which "
                           "this driver stamps early? Take a fill\n");
        } else
            run++; /* one that was watched does not count: the looks read its result before */
    }
    while (rcp_now_ns() - begin_ns < window.tv_nsec) /* too short for the counts */
        nanosleep(&window, NULL);
    rcp_count(1);
    RCP_LIMIT(RCP_LONGEST_S, "refused: the number cannot be written\n");
    const double us = rcp_percentile(work_us, RCP_RUNS, 50);
    const double no_work_us = rcp_percentile(empty_us, RCP_RUNS, 50);
    const double no_rest_us = rcp_percentile(empty_rest_us, RCP_RUNS, 50);
    /* A busy machine adds to most waits, not to each. */
    const double rest_5_us = rcp_percentile(rest_us, RCP_RUNS, 5);
    const double host_5_us = rcp_percentile(host_us, RCP_RUNS, 5);
    if (rest_5_us > 2 * no_rest_us + us / 4 + 20)
        RCP_REFUSE("the events do not cover the work: %.2f us, and the host waited %.2f us more\n",
                   us, rest_5_us);
    if (!(us > 0))
        RCP_REFUSE("no time at all: the kernel is too short for this device's clock\n");
    if (host_5_us > 1000 + 2 * us)
        RCP_REFUSE("launch() waits, or works, on the host, for %.0f us\n", host_5_us);
    printf("%s; %d runs; the caches %s\n"
           "from START to END: median %.2f us, 5th percentile %.2f us, 95th %.2f us\n"
           "95 %% sure: median between %.2f us and %.2f us\n",
           rcp_device_name, RCP_RUNS, cold ? "full of other data" : "as prepare() left them", us,
           rcp_percentile(work_us, RCP_RUNS, 5), rcp_percentile(work_us, RCP_RUNS, 95),
           rcp_percentile(work_us, RCP_RUNS, 40), rcp_percentile(work_us, RCP_RUNS, 60));
    if (RCP_BYTES > 0) /* OpenCL does not know what the memory can give */
        printf("bandwidth: %.1f GB/s%s\n", RCP_BYTES / us / 1e3,
               cold || RCP_BYTES >= (double)cache ? "" : ": the cache holds more; try --cold");
    if (rcp_is_cpu)
        printf("cores: %.1f worked on a launch; in the next process it may be another number\n",
               cpu_us / all_us);
    if (us > no_work_us)
        printf("minus an empty work-group's %.2f us: %.2f us\n", no_work_us, us - no_work_us);
    else
        printf("too short to tell from an empty work-group, which takes %.2f us\n", no_work_us);

    /* Why not to believe it. A processor's threads sleep; its counts say nothing of a GPU. */
    rcp_print_spread(work_us, rcp_is_cpu ? 2 : 1.25, rcp_is_cpu ? 5 : 0.5);
    const double late_ms = rcp_percentile(empty_rest_us, RCP_RUNS, 90) / 1e3; /* 1 of 10 is later */
    const char *doubt = rcp_is_cpu ? rcp_doubt_cores() : NULL;
    if (!rcp_is_cpu && late_ms > 1)
        printf("disturbed: others have the GPU, or this processor: an empty kernel took %.1f ms\n",
               late_ms);
    if (doubt)
        printf("%s%s\n", strncmp(doubt, "unknown", 7) == 0 ? "" : "disturbed: ", doubt);
    /* Between two STARTs, each somewhere in its wait. */
    const double device_ms = (double)(work.start_ns - first.start_ns) / 1e6;
    const double host_ms = (double)(work.begin_ns - first.begin_ns) / 1e6;
    if (device_ms < 0.99 * host_ms - first.wait_us / 1e3 ||
        device_ms > 1.01 * host_ms + work.wait_us / 1e3)
        printf("disturbed: the device's clock counts %.1f ms where the host's counts %.1f ms\n",
               device_ms, host_ms);
    return fflush(stdout) == 0 ? 0 : (perror("cannot write the result"), 1);
}
