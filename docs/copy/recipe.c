/* SPDX-License-Identifier: MIT
 *
 * Times one OpenCL launch, which may be several kernels: a file to copy. It needs nothing else of
 * this suite. Put your kernel and its data where the first part has its own.
 *
 * Build: cc -O2 recipe.c -o recipe -lOpenCL
 * Run:   ./recipe; or ./recipe --cold: between launches the caches lose the kernel's data */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)
#define MAKE(object, call) (object = (call), check(code, #call, __FILE__, __LINE__))
static void check(cl_int code, const char *what, const char *file, int line) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s:%d: %s: error %d\n", file, line, what, code);
        exit(1);
    }
}
#define REFUSE(...) (fprintf(stderr, "refused: " __VA_ARGS__), exit(1))

static cl_device_id device;
static cl_context context;
static cl_command_queue queue; /* with CL_QUEUE_PROFILING_ENABLE */
static cl_int code;
static struct {
    cl_mem data;
    size_t bytes;
} result; /* what launch() writes: set_up() says where */

static cl_program build_program(const char *source) {
    static char log[1 << 20];
    cl_program program;
    MAKE(program, clCreateProgramWithSource(context, 1, &source, NULL, &code));
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        return program;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "the kernels do not build:\n%s\n", log);
    exit(1);
}

/* ---- What is timed: yours. Names that are taken: look, before, seen, empty, read_all, median and
 * the functions below ---- */

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
    result.bytes = sizeof host;
    MAKE(input, clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof host, NULL, &code));
    MAKE(result.data, clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof host, NULL, &code));
    MAKE(my_kernel, clCreateKernel(build_program(source), "my_kernel", &code));
    CHECK(clSetKernelArg(my_kernel, 0, sizeof input, &input));
    CHECK(clSetKernelArg(my_kernel, 1, sizeof result.data, &result.data));
    CHECK(clSetKernelArg(my_kernel, 2, sizeof n, &n));
}

/* Before each launch, not timed: writes the input of this version. Each version has another result.
 * The result is spoilt before; if something must stand there, write it here. */
static void prepare(int version) {
    for (int i = 0; i < N; i++)
        host[i] = (float)(i + version);
    CHECK(clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
}

/* What is timed. Of several kernels *first is the event of the first one, *last of the last one;
 * of a single one *last stays NULL. It must not wait for the device. */
static void launch(cl_event *first, cl_event *last) {
    /* In two dimensions: {16, 16}, {1024, 768}, and below a 2. */
    const size_t local[] = {256}, global[] = {(size_t)(N + 255) / 256 * 256};
    CHECK(clEnqueueNDRangeKernel(queue, my_kernel, 1, NULL, global, local, 0, NULL, first));
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

enum { RUNS = 101 };
#ifndef COLD_BYTES
#define COLD_BYTES (256 << 20)
#endif
static cl_command_queue look_queue; /* waits for no other queue */
static cl_kernel empty, read_all;
static void *before, *seen; /* the result before the launch, and when it was looked at last */

static const char *own_source = "__kernel void empty(void) {}\n"
                                "__kernel void read_all(__global uint *data) {\n"
                                "    if (data[get_global_id(0)] != 0)\n" /* never */
                                "        data[0] = 1;\n"
                                "}\n";

static void give_up(int signal) {
    static const char text[] = "refused: launch() waits on the host, behind the gate\n";
    (void)signal;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) > 0 ? 1 : 3);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copies the result as it is now or, if there is an event, as it is then. */
static void look(void *copy, const cl_event *event) {
    CHECK(clEnqueueReadBuffer(look_queue, result.data, !event, 0, result.bytes, copy, event != NULL,
                              event, NULL));
}

static void launch_empty(cl_event *first, cl_event *last) {
    const size_t one = 1;
    (void)last;
    CHECK(clEnqueueNDRangeKernel(queue, empty, 1, NULL, &one, &one, 0, NULL, first));
}

/* Microseconds from the first kernel's START to the last one's END. *host_us: for which the host
 * was in `work`. If it is watched, a gate keeps the launch from its start for so many ms, in which
 * the result must not change, and `seen` is the result at END, whatever happens later. */
static double time_us(void (*work)(cl_event *, cl_event *), int watched_ms, double *host_us) {
    cl_event gate, first, last = NULL;
    cl_ulong start_ns = 0, end_ns = 0; /* a driver may answer CL_SUCCESS and leave them alone */
    if (watched_ms > 0) {
        MAKE(gate, clCreateUserEvent(context, &code));
        CHECK(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
        alarm(3);
    }
    const int64_t begin_host_ns = now_ns();
    work(&first, &last);
    const int64_t end_host_ns = now_ns();
    *host_us = (double)(end_host_ns - begin_host_ns) / 1e3;
    alarm(0);
    const cl_event end = last ? last : first;
    if (watched_ms > 0) {
        CHECK(clFlush(queue));
        int is_early;
        do { /* behind the gate nothing may run */
            look(seen, NULL);
            is_early = memcmp(seen, before, result.bytes) != 0;
        } while (!is_early && now_ns() - end_host_ns < 1000000LL * watched_ms);
        look(seen, &end);
        CHECK(clFlush(look_queue));
        for (const int64_t queued_ns = now_ns(); now_ns() - queued_ns < 100000;)
            ; /* until the copy stands ready */
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clReleaseEvent(gate));
        CHECK(clFinish(look_queue));
        if (is_early) /* not before the gate is open: a driver may wait for it at exit */
            REFUSE("ran before its turn: its work is in another queue\n");
    }
    CHECK(clFinish(queue)); /* the queries do not wait */
    CHECK(clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
                                  NULL));
    CHECK(clGetEventProfilingInfo(end, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL));
    CHECK(clReleaseEvent(first));
    if (last)
        CHECK(clReleaseEvent(last));
    /* Unsigned: out of order, the difference is 584 years. Some drivers write 0, or 0, 1, 2, 3. */
    if (start_ns < 1000 || end_ns < start_ns)
        REFUSE("impossible: START %.0f ns, END %.0f ns\n", (double)start_ns, (double)end_ns);
    return (double)(end_ns - start_ns) / 1e3; /* nanoseconds, whatever the timer's resolution */
}

/* Of a launch that was watched: what is wrong with `seen`? */
static void check_result(int version) {
    if (first_wrong(seen, version) < 0 && first_wrong(seen, version - 1) >= 0)
        return;
    if (first_wrong(seen, version) < 0)
        REFUSE("first_wrong() accepts the result of another version: is the input the same, or "
               "zero?\n");
    look(seen, NULL); /* again: by now all queues are done, or soon */
    if (first_wrong(seen, version) < 0)
        REFUSE("was not finished at END of its last event\n");
    if (memcmp(seen, before, result.bytes) == 0)
        REFUSE("did nothing: the result is what it was before\n");
    for (int earlier = version - 1; earlier >= 0; earlier--)
        if (first_wrong(seen, earlier) < 0)
            REFUSE("stale result: of input %d, not of %d\n", earlier, version);
    REFUSE("wrong result at element %ld\n", first_wrong(seen, version));
}

static size_t other_count; /* --cold: of what is read before each launch, all 0 */

static void make_ready(int version) {
    const cl_uchar nan = 0xff; /* four of them as a float: not a number */
    const size_t size = result.bytes;
    CHECK(clEnqueueFillBuffer(queue, result.data, &nan, sizeof nan, 0, size, 0, NULL, NULL));
    prepare(version);
    CHECK(clFinish(queue));
    look(before, NULL);
    if (first_wrong(before, version) < 0)
        REFUSE("the result is right before the launch: prepare() must not leave it there\n");
    if (other_count > 0)
        CHECK(clEnqueueNDRangeKernel(queue, read_all, 1, NULL, &other_count, NULL, 0, NULL, NULL));
    CHECK(clFinish(queue));
}

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *us) {
    qsort(us, RUNS, sizeof *us, by_size);
    return us[RUNS / 2];
}

/* The first GPU of any platform, else the first device. */
static void choose_device(void) {
    const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) == CL_SUCCESS)
        for (int t = 0; t < 2; t++)
            for (cl_uint p = 0; p < count && p < 16; p++)
                if (clGetDeviceIDs(platforms[p], types[t], 1, &device, NULL) == CL_SUCCESS)
                    return;
    fprintf(stderr, "no OpenCL device\n");
    exit(77); /* what test runners count as skipped */
}

static void open_device(void) {
    choose_device();
    MAKE(context, clCreateContext(NULL, 1, &device, NULL, NULL, &code));
    MAKE(queue, clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code));
    MAKE(look_queue, clCreateCommandQueue(context, device, 0, &code));
    const cl_program program = build_program(own_source);
    MAKE(empty, clCreateKernel(program, "empty", &code));
    MAKE(read_all, clCreateKernel(program, "read_all", &code));
}

/* For --cold: other data, which no cache holds beside the kernel's: twice the cache. Many a GPU's
 * answer is that of its first cache, so at least COLD_BYTES. */
static void make_others(void) {
    const cl_uint zero = 0;
    cl_ulong bytes;
    cl_mem others;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof bytes, &bytes, NULL));
    other_count = (2 * bytes > COLD_BYTES ? 2 * bytes : COLD_BYTES) / sizeof zero;
    bytes = other_count * sizeof zero;
    MAKE(others, clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code));
    CHECK(clEnqueueFillBuffer(queue, others, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    CHECK(clSetKernelArg(read_all, 0, sizeof others, &others));
}

int main(int argc, char **argv) {
    static double empty_us[RUNS], work_us[RUNS], host_us[RUNS];
    const int cold = argc > 1 && strcmp(argv[1], "--cold") == 0;
    char name[256], driver[256];
    if (argc > 1 && !cold)
        REFUSE("%s: there is only --cold\n", argv[1]);
    open_device();
    set_up();
    if (cold)
        make_others();
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    CHECK(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
    if (!(before = malloc(result.bytes)) || !(seen = malloc(result.bytes)))
        REFUSE("no memory for the result\n");
    signal(SIGALRM, give_up);
    make_ready(0);
    time_us(launch_empty, 0, host_us); /* the warm-up: a first launch may compile */
    time_us(launch, 0, host_us);
    srand((unsigned)time(NULL));
    for (int run = 0, version = 1; run < RUNS; version++) {
        const int watched_ms = version == 1 ? 100 : rand() < RAND_MAX / 8 ? 1 : 0; /* 1 in 8 */
        empty_us[run] = time_us(launch_empty, 0, host_us + run);
        make_ready(version);
        work_us[run] = time_us(launch, watched_ms, host_us + run);
        if (watched_ms > 0)
            check_result(version);
        else
            run++; /* one that was watched does not count: the looks read its result before */
    }
    const double us = median(work_us), no_work_us = median(empty_us), queued_us = median(host_us);
    if (!(us > 0))
        REFUSE("no time at all: the kernel is too short for this device's clock\n");
    if (queued_us > 1000 + 2 * us)
        REFUSE("launch() waits, or works, on the host, for %.0f us\n", queued_us);
    printf("%s, driver %s; %d runs; the caches %s\n"
           "from START to END: median %.2f us, 5th percentile %.2f us, 95th %.2f us\n",
           name, driver, RUNS, cold ? "full of other data" : "as prepare() left them", us,
           work_us[RUNS / 20], work_us[RUNS - 1 - RUNS / 20]);
    if (us > no_work_us)
        printf("minus an empty work-group's %.2f us: %.2f us\n", no_work_us, us - no_work_us);
    else
        printf("too short to tell from an empty work-group, which takes %.2f us\n", no_work_us);
    if (fflush(stdout) == 0)
        return 0; /* all else goes with the process */
    perror("cannot write the result");
    return 1;
}
