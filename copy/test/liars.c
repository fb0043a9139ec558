/* SPDX-License-Identifier: MIT
 *
 * In place of recipe.c's own part: launches that lie, and honest ones (none_...). LIE in the environment says which. */
#ifndef SIZE
#define SIZE 10000 /* no whole groups */
#endif
#define EVENTS cl_event *first, cl_event *last __attribute__((unused))
enum {
    N = SIZE,
    GROUP = 256,
    ITEMS = (N + GROUP - 1) / GROUP * GROUP,
    FEW = SIZE > 100000 ? 384 : 1, /* long work by few work-items; in the simulation by one */
    FEW_GROUP = SIZE > 100000 ? 128 : 1
};

/* Each kernel has the arguments in, out, n. */
static const char *source = "__kernel void twice(__global const float *in, __global float *out, int n) {\n"
                            "    const int i = (int)get_global_id(0);\n"
                            "    if (i < n)\n"
                            "        out[i] = 2 * in[i];\n"
                            "}\n"
                            "__kernel void twice_slowly(__global const float *in, __global float *out, int n) {\n"
                            "    const int again = 1 + (n > 100000 ? 5000000 : 600000) / n;\n"
                            "    for (int turn = 0; turn < again; turn++)\n"
                            "        for (int i = (int)get_global_id(0); i < n; i += (int)get_global_size(0))\n"
                            "            out[i] = 2 * in[i];\n"
                            "}\n"
                            "__kernel void add(__global const float *in, __global float *out, int n) {\n"
                            "    const int i = (int)get_global_id(0);\n"
                            "    if (i < n)\n"
                            "        out[i] += in[i];\n"
                            "}\n"
                            "__kernel void twice_as_int(__global const float *in, __global int *out, int n) {\n"
                            "    const int i = (int)get_global_id(0);\n"
                            "    if (i < n)\n"
                            "        out[i] = 2 * (int)in[i];\n"
                            "}\n";

static cl_mem input, other; /* each N floats */
static cl_command_queue side;
static cl_kernel twice, slowly, add, as_int;
static int launches;
static const char *lie;
static float host[N];

static void enqueue(cl_command_queue where, cl_kernel which, size_t items, size_t group, cl_event *event) {
    RCP_CHECK(clEnqueueNDRangeKernel(where, which, 1, NULL, &items, &group, 0, NULL, event));
}
static void plain(EVENTS) { enqueue(rcp_queue, twice, ITEMS, GROUP, first); }
static void work_slowly(cl_event *event) { enqueue(rcp_queue, slowly, FEW, FEW_GROUP, event); }
static void zero(cl_mem where, size_t count, cl_event *event) {
    const cl_uint none = 0;
    RCP_CHECK(clEnqueueFillBuffer(rcp_queue, where, &none, sizeof none, 0, count * sizeof none, 0, NULL, event));
}
static void copy(cl_mem from, cl_mem to, cl_event *event) {
    RCP_CHECK(clEnqueueCopyBuffer(rcp_queue, from, to, 0, 0, sizeof host, 0, NULL, event));
}
static void mark(cl_event *event) { RCP_CHECK(clEnqueueMarkerWithWaitList(rcp_queue, 0, NULL, event)); }

/* ---- Honest ---- */

static void three_commands(EVENTS) {
    zero(rcp_result.data, N, first);
    enqueue(rcp_queue, add, ITEMS, GROUP, NULL);
    enqueue(rcp_queue, add, ITEMS, GROUP, last);
}
static void fork_and_join(EVENTS) { /* the other queue copies the input, between the events */
    const size_t items = ITEMS, group = GROUP;
    cl_event copied;
    zero(rcp_result.data, N, first);
    RCP_CHECK(clFlush(rcp_queue));
    RCP_CHECK(clEnqueueCopyBuffer(side, input, other, 0, 0, sizeof host, 1, first, &copied));
    RCP_CHECK(clFlush(side));
    RCP_CHECK(clSetKernelArg(twice, 0, sizeof other, &other));
    RCP_CHECK(clEnqueueNDRangeKernel(rcp_queue, twice, 1, NULL, &items, &group, 1, &copied, last));
    RCP_CHECK(clReleaseEvent(copied));
}
static void markers(EVENTS) { /* what to do with a library */
    mark(first);
    work_slowly(NULL);
    mark(last);
}
static void kernel_marker(EVENTS) { /* its event, and one of nothing behind */
    plain(first, NULL);
    mark(last);
}
static void kernel_fill(EVENTS) { /* behind the work a fill */
    plain(first, NULL);
    zero(other, 1, last);
}

/* ---- Liars: a command of no use has the event ---- */

static void nothing(EVENTS) { zero(other, 1, first); }
static void nothing_after_12(EVENTS) { (launches <= 12 ? plain : nothing)(first, last); }
static void other_queue(EVENTS) {
    enqueue(side, twice, ITEMS, GROUP, NULL);
    RCP_CHECK(clFlush(side));
    nothing(first, last);
}
static void own_queue(EVENTS) { /* its event is of a queue without profiling */
    enqueue(side, twice, ITEMS, GROUP, first);
    RCP_CHECK(clFlush(side));
}
static void forgets(EVENTS) {
    (void)first;
    plain(NULL, NULL);
}
static void next_call(EVENTS) { /* each second call does the work of two */
    (launches % 2 == 1 ? plain : nothing)(first, NULL);
    if (launches % 2 == 1) plain(last, NULL);
}
static void no_event(EVENTS) { /* the work follows behind the event */
    nothing(first, last);
    work_slowly(NULL);
}
static void zeros(EVENTS) { zero(rcp_result.data, N, first); }
static void first_half(EVENTS) { enqueue(rcp_queue, twice, ITEMS / GROUP / 2 * GROUP, GROUP, first); }
static void wrong_type(EVENTS) { enqueue(rcp_queue, as_int, ITEMS, GROUP, first); }
static void stale(EVENTS) { /* `other` keeps the result of the first call */
    plain(first, NULL);
    if (launches == 1) copy(rcp_result.data, other, NULL);
    copy(other, rcp_result.data, last);
}
static void last_event(EVENTS) { /* as libraries do: the event is that of the last kernel alone */
    work_slowly(NULL);
    plain(first, last);
}
static void half_event(EVENTS) { /* of the second of two kernels that take equally long */
    work_slowly(NULL);
    work_slowly(first);
}
static void marker(EVENTS) { /* the work, and then an event of nothing */
    work_slowly(NULL);
    mark(first);
}
static void sleeps(EVENTS) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    plain(first, last);
}
static void waits(EVENTS) {
    plain(first, last);
    RCP_CHECK(clFinish(rcp_queue));
}

static const struct {
    const char *name;
    void (*run)(EVENTS);
} kinds[] = {{"none_plain", plain},
             {"none_three_commands", three_commands},
             {"none_fork_and_join", fork_and_join},
             {"none_markers", markers},
             {"none_kernel_marker", kernel_marker},
             {"none_kernel_fill", kernel_fill},
             {"last_event", last_event},
             {"half_event", half_event},
             {"marker", marker},
             {"nothing", nothing},
             {"nothing_after_12", nothing_after_12},
             {"other_queue", other_queue},
             {"own_queue", own_queue},
             {"forgets", forgets},
             {"next_call", next_call},
             {"no_event", no_event},
             {"zeros", zeros},
             {"first_half", first_half},
             {"wrong_type", wrong_type},
             {"stale", stale},
             {"sleeps", sleeps},
             {"waits", waits},
             {"prepared", nothing},
             {"same_input", plain}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static cl_kernel make_kernel(cl_program from, const char *name) {
    const cl_int n = N;
    cl_kernel made;
    RCP_MAKE(made, clCreateKernel(from, name, &rcp_code));
    RCP_CHECK(clSetKernelArg(made, 0, sizeof input, &input));
    RCP_CHECK(clSetKernelArg(made, 1, sizeof rcp_result.data, &rcp_result.data));
    RCP_CHECK(clSetKernelArg(made, 2, sizeof n, &n));
    return made;
}

static void set_up(void) {
    for (int i = 0; i < KINDS && getenv("LIE"); i++)
        if (strcmp(kinds[i].name, getenv("LIE")) == 0) lie = kinds[i].name;
    if (!lie) {
        fprintf(stderr, "LIE=%s is none of:\n", getenv("LIE") ? getenv("LIE") : "");
        for (int i = 0; i < KINDS; i++) fprintf(stderr, "%s\n", kinds[i].name);
        exit(2);
    }
    rcp_result.bytes = sizeof host;
    RCP_MAKE(input, clCreateBuffer(rcp_context, CL_MEM_READ_WRITE, sizeof host, NULL, &rcp_code));
    RCP_MAKE(other, clCreateBuffer(rcp_context, CL_MEM_READ_WRITE, sizeof host, NULL, &rcp_code));
    RCP_MAKE(rcp_result.data, clCreateBuffer(rcp_context, CL_MEM_READ_WRITE, sizeof host, NULL, &rcp_code));
    RCP_MAKE(side, clCreateCommandQueue(rcp_context, rcp_device, 0, &rcp_code));
    const cl_program program = rcp_build_program(source);
    twice = make_kernel(program, "twice");
    slowly = make_kernel(program, "twice_slowly");
    add = make_kernel(program, "add");
    as_int = make_kernel(program, "twice_as_int");
}

static void prepare(int version) {
    for (int i = 0; i < N; i++) host[i] = (float)(strcmp(lie, "same_input") == 0 ? 3 : (i + version) % 61);
    RCP_CHECK(clEnqueueWriteBuffer(rcp_queue, input, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    if (strcmp(lie, "prepared") == 0) plain(NULL, NULL);
}

static void launch(cl_event *first, cl_event *last) {
    launches++;
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].name == lie) kinds[i].run(first, last);
}

static long first_wrong(const void *copied, int version) {
    const float *out = (const float *)copied;
    for (int i = 0; i < N; i++)
        if (!(out[i] == 2 * (float)(strcmp(lie, "same_input") == 0 ? 3 : (i + version) % 61))) return i;
    return -1;
}
