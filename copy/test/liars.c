/* SPDX-License-Identifier: MIT
 *
 * Launches that lie, and honest ones: LIE=name or LIE=none_1, none_2, ... in the environment.
 * The user's part of recipe.c (-DTIMED) and of compare.c (-DCOMPARED: B lies, A does not). Each
 * line of `kinds` is one of them. */
#include "liars.h"
#ifdef COMPARED
#define device cmp_device
#else
#define device rcp_device
#endif
enum { ITEMS = GROUPS * GROUP };

/* Each kernel but `fill` has the arguments in, out, n. */
static const char *source =
    "#define WIDTH 100\n"
    "__kernel void fill(int version, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = (float)((i + version) % 61);\n"
    "}\n"
    "__kernel void twice(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)(get_global_id(1) * get_global_size(0) + get_global_id(0));\n"
    "    if (i < n)\n"
    "        out[i] = 2 * in[i];\n"
    "}\n"
    "__kernel void twice_in_turns(__global const float *in, __global float *out, int n) {\n"
    "    for (int i = (int)get_global_id(0); i < n; i += (int)get_global_size(0))\n"
    "        out[i] = 2 * in[i];\n"
    "}\n"
    "__kernel void twice_slowly(__global const float *in, __global float *out, int n) {\n"
    "    const int again = 1 + (n > 100000 ? 5000000 : 600000) / n;\n"
    "    for (int turn = 0; turn < again; turn++)\n"
    "        for (int i = (int)get_global_id(0); i < n; i += (int)get_global_size(0))\n"
    "            out[i] = 2 * in[i];\n"
    "}\n"
    "__kernel void twice_by_half(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i >= n || i % 2 == 1)\n"
    "        return;\n"
    "    out[i] = 2 * in[i];\n"
    "    out[i + 1] = 2 * in[i + 1];\n"
    "}\n"
    "__kernel void twice_by_4(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (4 * i < n)\n"
    "        vstore4(2.0f * vload4(i, in), i, out);\n"
    "}\n"
    "__kernel void twice_as_int(__global const float *in, __global int *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = 2 * (int)in[i];\n"
    "}\n"
    "__kernel void add(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] += in[i];\n"
    "}\n"
    "__kernel void add_next(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = in[i] + in[(i + 1) % n];\n"
    "}\n"
    "__kernel void add_both_sides(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i > 0 && i < n - 1)\n"
    "        out[i] = in[i - 1] + in[i + 1];\n"
    "}\n"
    "__kernel void transpose(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i % WIDTH * (n / WIDTH) + i / WIDTH] = in[i];\n"
    "}\n"
    "__kernel void sum_groups(__global const float *in, __global float *out, int n,\n"
    "                         __local float *part) {\n"
    "    const int i = (int)get_global_id(0), item = (int)get_local_id(0);\n"
    "    part[item] = i < n ? in[i] : 0;\n"
    "    for (int most = (int)get_local_size(0) / 2; most > 0; most /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (item < most)\n"
    "            part[item] += part[item + most];\n"
    "    }\n"
    "    if (item == 0)\n"
    "        out[get_group_id(0)] = part[0];\n"
    "}\n"
    "__kernel void sum_all(__global const float *in, __global int *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        atomic_add(out, (int)in[i]);\n"
    "}\n"
    "__kernel void count_values(__global const float *in, __global int *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        atomic_add(out + (int)in[i], 1);\n"
    "}\n";

/* ---- Which one ---- */

#define EVENTS cl_event *first, cl_event *last __attribute__((unused))
struct kind {
    const char *name;
    enum shape shape; /* of the result */
    void (*run)(EVENTS);
    const char *kernel;
    size_t items, group; /* group 0: as the driver chooses */
};
static const struct kind *kind;
static cl_mem input, other; /* each N floats */
static cl_command_queue side;
static cl_kernel fill, twice, kernel, last_kernel; /* the last two: of `kind` */
static int launches;

static void enqueue(cl_command_queue where, cl_kernel which, size_t items, size_t group,
                    cl_event *event) {
    CHECK(clEnqueueNDRangeKernel(where, which, 1, NULL, &items, group > 0 ? &group : NULL, 0, NULL,
                                 event));
}
static void zero(cl_mem where, size_t count, cl_event *event) {
    const cl_uint none = 0;
    CHECK(clEnqueueFillBuffer(queue, where, &none, sizeof none, 0, count * sizeof none, 0, NULL,
                              event));
}
static void copy(cl_mem from, cl_mem to, cl_event *event) {
    CHECK(clEnqueueCopyBuffer(queue, from, to, 0, 0, N * sizeof(float), 0, NULL, event));
}

/* ---- Honest ---- */

static void plain(EVENTS) {
    enqueue(queue, twice, ITEMS, GROUP, first);
}
static void one_kernel(EVENTS) {
    enqueue(queue, kernel, kind->items, kind->group, first);
}
static void two_dimensions(EVENTS) {
    const size_t global[] = {WIDTH, ROWS}, local[] = {20, 10};
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, first));
}
static void no_input(EVENTS) { /* alike each time, if prepare() did not set another version */
    enqueue(queue, fill, ITEMS, GROUP, first);
}
static void a_copy(EVENTS) {
    copy(input, result.data, first);
}
static void copy_and_kernel(EVENTS) { /* the input goes to where the kernel changes it */
    copy(input, result.data, first);
    one_kernel(last, NULL);
}
static void zero_and_kernel(EVENTS) {
    zero(result.data, result.bytes / sizeof(float), first);
    one_kernel(last, NULL);
}
static void three_commands(EVENTS) {
    zero_and_kernel(first, NULL);
    one_kernel(last, NULL);
}
static void ping_pong(EVENTS) {
    const cl_mem buffers[] = {input, result.data, other, result.data};
    for (int step = 0; step < 3; step++) {
        CHECK(clSetKernelArg(kernel, 0, sizeof *buffers, &buffers[step]));
        CHECK(clSetKernelArg(kernel, 1, sizeof *buffers, &buffers[step + 1]));
        one_kernel(step == 0 ? first : step == 2 ? last : NULL, NULL);
    }
}
static void workspace(EVENTS) { /* `other`: there are the sums of groups */
    zero_and_kernel(first, NULL);
    enqueue(queue, last_kernel, ITEMS, GROUP, last);
}
static void fork_and_join(EVENTS) { /* the other queue copies the input, between the events */
    const size_t items = ITEMS, group = GROUP;
    cl_event copied;
    zero(result.data, N, first);
    CHECK(clFlush(queue));
    CHECK(clEnqueueCopyBuffer(side, input, other, 0, 0, N * sizeof(float), 1, first, &copied));
    CHECK(clFlush(side));
    CHECK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &items, &group, 1, &copied, last));
    CHECK(clReleaseEvent(copied));
}

/* ---- Liars: a command of no use has the event ---- */

static void nothing(EVENTS) {
    zero(other, 1, first);
}
static void nothing_after_12(EVENTS) {
    (launches <= 12 ? plain : nothing)(first, last);
}
static void other_queue(EVENTS) {
    enqueue(side, twice, ITEMS, GROUP, NULL);
    CHECK(clFlush(side));
    nothing(first, last);
}
static void own_queue(EVENTS) { /* its event is of a queue without profiling */
    enqueue(side, twice, ITEMS, GROUP, first);
    CHECK(clFlush(side));
}
static void forgets(EVENTS) {
    (void)first;
    plain(NULL, NULL);
}
static void next_call(EVENTS) { /* each second call does the work of two */
    (launches % 2 == 1 ? plain : nothing)(first, NULL);
    if (launches % 2 == 1)
        plain(last, NULL);
}
static void no_event(EVENTS) { /* the work follows behind the event, and takes long */
    nothing(first, last);
    for (int i = 0; i < 1 + 600000 / N; i++)
        one_kernel(NULL, NULL);
}
#ifdef COMPARED
static void
last_event(EVENTS) { /* it encloses the last command only, as some libraries' events do */
    one_kernel(NULL, NULL);
    plain(first, last);
}
#endif
static void zeros(EVENTS) {
    zero(result.data, N, first);
}
static void stale(EVENTS) { /* `other` keeps the result of the first call */
    plain(first, NULL);
    if (launches == 1)
        copy(result.data, other, NULL);
    copy(other, result.data, last);
}
static void memo(EVENTS) { /* it has seen this buffer, so it has its result */
    static cl_mem known;
    (known == input ? nothing : plain)(first, last);
    known = input;
}
#ifndef COMPARED
static void last_event(EVENTS) { /* as libraries do: the event is that of the last kernel alone */
    for (int i = 0; i < AGAIN; i++)
        one_kernel(NULL, NULL);
    plain(first, last);
}
static void half_event(EVENTS) { /* of the second of two kernels that take equally long */
    one_kernel(NULL, NULL);
    one_kernel(first, last);
}
static void marker(EVENTS) { /* the work, and then an event of nothing */
    one_kernel(NULL, NULL);
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, first));
}
static void kernel_marker(EVENTS) { /* its event, and one of nothing behind */
    one_kernel(first, NULL);
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, last));
}
static void kernel_fill(EVENTS) { /* behind the work a fill */
    const cl_int zero = 0;
    one_kernel(first, NULL);
    CHECK(clEnqueueFillBuffer(queue, other, &zero, sizeof zero, 0, sizeof zero, 0, NULL, last));
}
static void two_markers(EVENTS) { /* honest: what to do with a library */
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, first));
    one_kernel(NULL, NULL);
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, last));
}
#endif
static void sleeps(EVENTS) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    plain(first, last);
}
static void waits(EVENTS) {
    plain(first, last);
    CHECK(clFinish(queue));
}

static const struct kind kinds[] = {
    {"none_1", TWICE, plain, "twice", ITEMS, GROUP},
    {"none_2", TWICE, one_kernel, "twice", (N + 31) / 32 * 32, 32},
    {"none_3", TWICE, one_kernel, "twice_in_turns", 384, 128},
    {"none_4", TWICE, plain, "twice", ITEMS, GROUP}, /* its input stands where the result will */
    {"none_5", TWICE, three_commands, "add", ITEMS, GROUP},
    {"none_6", INT_SUM, zero_and_kernel, "sum_all", ITEMS, GROUP},
    {"none_7", SUMS, one_kernel, "sum_groups", ITEMS, GROUP},
    {"none_8", TRANSPOSED, one_kernel, "transpose", ITEMS, GROUP},
    {"none_9", COPY, a_copy, "twice", ITEMS, GROUP},
    {"none_10", TWICE, two_dimensions, "twice", ITEMS, GROUP},
    {"none_11", TWICE, one_kernel, "twice_by_half", ITEMS, GROUP}, /* half of the items end early */
    {"none_12", TWICE, one_kernel, "twice_by_4", ITEMS, GROUP},
    {"none_13", TWICE, one_kernel, "twice", ITEMS, 0},
    {"none_14", COPY, no_input, "twice", ITEMS, GROUP},
    {"none_15", NEXT_3, ping_pong, "add_next", ITEMS, GROUP},
    {"none_16", INTS, one_kernel, "twice_as_int", ITEMS, GROUP},
    {"none_17", INT_SUM, workspace, "sum_groups", ITEMS, GROUP},
    {"none_18", SIDES, one_kernel, "add_both_sides", ITEMS, GROUP},
    {"none_19", COUNTS, zero_and_kernel, "count_values", ITEMS, GROUP},
    {"none_20", TWICE, copy_and_kernel, "add", ITEMS, GROUP},
    {"none_21", TWICE, fork_and_join, "twice", ITEMS, GROUP},
#ifndef COMPARED
    {"none_markers", TWICE, two_markers, "twice_in_turns", FEW, FEW_GROUP},
    {"none_kernel_marker", TWICE, kernel_marker, "twice", ITEMS, GROUP},
    {"none_kernel_fill", TWICE, kernel_fill, "twice", ITEMS, GROUP},
    {"last_event", TWICE, last_event, "twice_in_turns", FEW, FEW_GROUP},
    {"half_event", TWICE, half_event, "twice_slowly", FEW, FEW_GROUP},
    {"marker", TWICE, marker, "twice_slowly", FEW, FEW_GROUP},
#endif
    {"nothing", TWICE, nothing, "twice", ITEMS, GROUP},
    {"nothing_after_12", TWICE, nothing_after_12, "twice", ITEMS, GROUP},
    {"other_queue", TWICE, other_queue, "twice", ITEMS, GROUP},
    {"own_queue", TWICE, own_queue, "twice", ITEMS, GROUP},
    {"forgets", TWICE, forgets, "twice", ITEMS, GROUP},
    {"next_call", TWICE, next_call, "twice", ITEMS, GROUP},
    {"no_event", TWICE, no_event, "twice_in_turns", 1, 1},
#ifdef COMPARED
    {"last_event", TWICE, last_event, "twice_in_turns", 1, 1},
#endif
    {"zeros", TWICE, zeros, "twice", ITEMS, GROUP},
    {"first_half", TWICE, one_kernel, "twice", GROUPS / 2 * GROUP, GROUP},
    {"stale", TWICE, stale, "twice", ITEMS, GROUP},
    {"wrong_type", TWICE, one_kernel, "twice_as_int", ITEMS, GROUP},
    {"memo", TWICE, memo, "twice", ITEMS, GROUP},
    {"small_range", TWICE, one_kernel, "twice", ITEMS - GROUP, GROUP},
    {"sleeps", TWICE, sleeps, "twice", ITEMS, GROUP},
    {"waits", TWICE, waits, "twice", ITEMS, GROUP},
    {"prepared", TWICE, nothing, "twice", ITEMS, GROUP}, /* its prepare() does the work */
    {"zero_input", ZEROS, plain, "twice", ITEMS, GROUP}, /* its prepare() writes zeros */
};

static cl_kernel make_kernel(cl_program from, const char *name, cl_mem in, cl_mem out, cl_int n) {
    cl_kernel made;
    MAKE(made, clCreateKernel(from, name, &code));
    if (in)
        CHECK(clSetKernelArg(made, 0, sizeof in, &in));
    CHECK(clSetKernelArg(made, 1, sizeof out, &out));
    CHECK(clSetKernelArg(made, 2, sizeof n, &n));
    return made;
}

static void set_up(void) {
    const char *lie = getenv("LIE");
    const size_t all = sizeof kinds / sizeof *kinds;
    for (size_t k = 0; k < all && lie; k++)
        if (strcmp(kinds[k].name, lie) == 0)
            kind = &kinds[k];
    if (!kind) {
        fprintf(stderr, "LIE=%s is none of:\n", lie ? lie : "");
        for (size_t k = 0; k < all; k++)
            fprintf(stderr, "%s\n", kinds[k].name);
        exit(2);
    }
    MAKE(input, clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(float), NULL, &code));
    MAKE(other, clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(float), NULL, &code));
    MAKE(result.data, clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(float), NULL, &code));
    result.bytes = (size_t)elements_of(kind->shape) * sizeof(float);
    MAKE(side, clCreateCommandQueue(context, device, 0, &code));
    const cl_program program = build_program(source);
    const int in_place = strcmp(kind->name, "none_4") == 0 || kind->run == no_input;
    const cl_mem in = kind->run == fork_and_join ? other : in_place ? result.data : input;
    fill = make_kernel(program, "fill", NULL, in_place ? result.data : input, N);
    twice = make_kernel(program, "twice", in, result.data, N);
    last_kernel = make_kernel(program, "sum_all", other, result.data, GROUPS);
    kernel =
        make_kernel(program, kind->kernel, input, kind->run == workspace ? other : result.data, N);
    if (strcmp(kind->kernel, "sum_groups") == 0)
        CHECK(clSetKernelArg(kernel, 3, GROUP * sizeof(float), NULL));
}

static void prepare(int version) {
    CHECK(clSetKernelArg(fill, 0, sizeof version, &version));
    if (kind->run != no_input)
        enqueue(queue, fill, ITEMS, GROUP, NULL);
    if (strcmp(kind->name, "prepared") == 0)
        enqueue(queue, twice, ITEMS, GROUP, NULL);
    if (kind->shape == SIDES) /* the kernel does not write the border */
        zero(result.data, N, NULL);
    if (kind->shape == ZEROS)
        zero(input, N, NULL);
}

#ifdef COMPARED
static void launch(char which, cl_event *first, cl_event *last) {
    const int honest = which == 'A' && strncmp(kind->name, "none_", 5) != 0;
    launches += which == 'B';
#else
static void launch(cl_event *first, cl_event *last) {
    const int honest = 0;
    launches++;
#endif
    (honest ? plain : kind->run)(first, last);
}

static long first_wrong(const void *copied, int version) {
    return wrong_at(kind->shape, copied, version);
}
