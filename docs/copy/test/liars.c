/* SPDX-License-Identifier: MIT
 *
 * Launches that lie, and honest ones: LIE=name or LIE=none_1, none_2, ... in the environment.
 * The user's part of recipe.c (-DTIMED) and of compare.c (-DCOMPARED: B lies, A does not). Each
 * line of `kinds` is one of them. */

#ifndef SIZE
#define SIZE 10000 /* whole thousands, but no whole blocks; a sum of all is exact up to 500000 */
#endif
enum {
    N = SIZE,
    GROUP = 256,
    GROUPS = (N + GROUP - 1) / GROUP,
    ITEMS = GROUPS * GROUP,
    WIDTH = 100
};
static cl_mem input, other; /* each N floats */
static cl_command_queue side;
static int launches;

static const char *source =
    "__kernel void fill(__global float *in, int n, int version) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        in[i] = (float)((i + version) % 61);\n"
    "}\n"
    "__kernel void twice(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = 2 * in[i];\n"
    "}\n"
    "__kernel void in_turns(__global const float *in, __global float *out, int n, int items) {\n"
    "    for (int i = (int)get_global_id(0); i < n; i += items)\n"
    "        out[i] = 2 * in[i];\n"
    "}\n"
    "__kernel void add(__global const float *in, __global float *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] += in[i];\n"
    "}\n"
    "__kernel void twice_2d(__global const float *in, __global float *out, int width) {\n"
    "    const int i = (int)get_global_id(1) * width + (int)get_global_id(0);\n"
    "    out[i] = 2 * in[i];\n"
    "}\n"
    "__kernel void transpose(__global const float *in, __global float *out, int n, int width) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i % width * (n / width) + i / width] = in[i];\n"
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
    "__kernel void twice_as_int(__global const float *in, __global int *out, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = 2 * (int)in[i];\n"
    "}\n"
    "__kernel void one_float(__global float *to) {\n"
    "    to[0] = 1;\n"
    "}\n";
static cl_kernel fill, twice, in_turns, add, twice_2d, transpose, sum_groups, sum_all, as_int,
    one_float;

static void enqueue(cl_command_queue where, cl_kernel kernel, size_t items, size_t group,
                    cl_event *event) {
    CHECK(clEnqueueNDRangeKernel(where, kernel, 1, NULL, &items, &group, 0, NULL, event));
}
static void clear(cl_event *event) {
    const cl_uint zero = 0;
    CHECK(clEnqueueFillBuffer(queue, result.data, &zero, sizeof zero, 0, result.bytes, 0, NULL,
                              event));
}
static void copy(cl_mem from, cl_mem to, cl_event *event) {
    CHECK(clEnqueueCopyBuffer(queue, from, to, 0, 0, N * sizeof(float), 0, NULL, event));
}

/* ---- Honest ---- */

#define FIRST cl_event *first, cl_event *last __attribute__((unused))

static void plain(FIRST) {
    enqueue(queue, twice, ITEMS, GROUP, first);
}
static void small_groups(FIRST) {
    enqueue(queue, twice, (N + 31) / 32 * 32, 32, first);
}
static void few_groups(FIRST) {
    enqueue(queue, in_turns, 384, 128, first);
}
static void in_place(FIRST) { /* prepare() writes the input where the result will be */
    enqueue(queue, twice, ITEMS, GROUP, first);
}
static void three_commands(FIRST) {
    clear(first);
    enqueue(queue, add, ITEMS, GROUP, NULL);
    enqueue(queue, add, ITEMS, GROUP, last);
}
static void a_sum(FIRST) {
    clear(first);
    enqueue(queue, sum_all, ITEMS, GROUP, last);
}
static void group_sums(FIRST) {
    enqueue(queue, sum_groups, ITEMS, GROUP, first);
}
static void transposition(FIRST) {
    enqueue(queue, transpose, ITEMS, GROUP, first);
}
static void two_dimensions(FIRST) {
    const size_t global[] = {WIDTH, N / WIDTH}, local[] = {20, 10};
    CHECK(clEnqueueNDRangeKernel(queue, twice_2d, 2, NULL, global, local, 0, NULL, first));
}
static void a_copy(FIRST) {
    copy(input, result.data, first);
}

/* ---- Liars: a command of no use has the event ---- */

static void nothing(FIRST) {
    enqueue(queue, one_float, 1, 1, first);
}
static void nothing_after_12(FIRST) {
    enqueue(queue, launches <= 12 ? twice : one_float, launches <= 12 ? ITEMS : 1,
            launches <= 12 ? GROUP : 1, first);
}
static void other_queue(FIRST) {
    enqueue(side, twice, ITEMS, GROUP, NULL);
    CHECK(clFlush(side));
    nothing(first, last);
}
static void next_call(FIRST) { /* does the work of two calls in each second one */
    if (launches % 2 == 0) {
        nothing(first, last);
        return;
    }
    enqueue(queue, twice, ITEMS, GROUP, first);
    enqueue(queue, twice, ITEMS, GROUP, last);
}
static void no_event(FIRST) { /* the work follows behind the event, and takes long */
    nothing(first, last);
    for (int i = 0; i < 1 + 600000 / N; i++)
        enqueue(queue, in_turns, 1, 1, NULL);
}
static void zeros(FIRST) {
    clear(first);
}
static void first_half(FIRST) {
    enqueue(queue, twice, ITEMS / GROUP / 2 * GROUP, GROUP, first);
}
static void stale(FIRST) { /* `other` keeps the result of the first call */
    plain(first, last);
    if (launches == 1)
        copy(result.data, other, NULL);
    copy(other, result.data, last);
}
static void wrong_type(FIRST) {
    enqueue(queue, as_int, ITEMS, GROUP, first);
}
static void memo(FIRST) { /* it has seen this buffer, so it has its result */
    static cl_mem known;
    if (known != input)
        plain(first, last);
    else
        nothing(first, last);
    known = input;
}
static void small_range(FIRST) {
    enqueue(queue, twice, N / GROUP * GROUP, GROUP, first);
}
static void sleeps(FIRST) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    plain(first, last);
}
static void waits(FIRST) {
    plain(first, last);
    CHECK(clFinish(queue));
}

/* ---- Which one ---- */

enum shape { TWICE, SUM, GROUP_SUMS, TRANSPOSED, COPY, ZEROS };
static const struct kind {
    const char *name;
    void (*run)(cl_event *, cl_event *);
    enum shape shape;
} kinds[] = {
    {"none_1", plain, TWICE},
    {"none_2", small_groups, TWICE},
    {"none_3", few_groups, TWICE},
    {"none_4", in_place, TWICE},
    {"none_5", three_commands, TWICE},
    {"none_6", a_sum, SUM},
    {"none_7", group_sums, GROUP_SUMS},
    {"none_8", transposition, TRANSPOSED},
    {"none_9", a_copy, COPY},
    {"none_10", two_dimensions, TWICE},
    {"nothing", nothing, TWICE},
    {"nothing_after_12", nothing_after_12, TWICE},
    {"other_queue", other_queue, TWICE},
    {"next_call", next_call, TWICE},
    {"no_event", no_event, TWICE},
    {"zeros", zeros, TWICE},
    {"first_half", first_half, TWICE},
    {"stale", stale, TWICE},
    {"wrong_type", wrong_type, TWICE},
    {"memo", memo, TWICE},
    {"small_range", small_range, TWICE},
    {"sleeps", sleeps, TWICE},
    {"waits", waits, TWICE},
    {"prepared", nothing, TWICE}, /* its prepare() does the work */
    {"zero_input", plain, ZEROS}, /* its prepare() writes zeros */
};
static const struct kind *kind;

static cl_kernel make_kernel(cl_program program, const char *name, cl_mem in, cl_mem out) {
    const cl_int n = N;
    cl_kernel kernel;
    cl_int error;
    kernel = clCreateKernel(program, name, &error);
    check(error, "clCreateKernel", __FILE__, __LINE__);
    CHECK(clSetKernelArg(kernel, 0, sizeof in, &in));
    if (out)
        CHECK(clSetKernelArg(kernel, 1, sizeof out, &out));
    if (out)
        CHECK(clSetKernelArg(kernel, 2, sizeof n, &n));
    return kernel;
}

static void set_up(void) {
    const char *lie = getenv("LIE");
    const size_t count = sizeof kinds / sizeof *kinds;
    const cl_int n = N, width = WIDTH;
    cl_int error;
    for (size_t k = 0; k < count && lie; k++)
        if (strcmp(kinds[k].name, lie) == 0)
            kind = &kinds[k];
    if (!kind) {
        fprintf(stderr, "LIE=%s is none of:\n", lie ? lie : "");
        for (size_t k = 0; k < count; k++)
            fprintf(stderr, "%s\n", kinds[k].name);
        exit(2);
    }
    const size_t all = N * sizeof(float);
    result.bytes = kind->shape == SUM          ? sizeof(cl_int)
                   : kind->shape == GROUP_SUMS ? GROUPS * sizeof(float)
                                               : all;
    input = clCreateBuffer(context, CL_MEM_READ_WRITE, all, NULL, &error);
    check(error, "clCreateBuffer", __FILE__, __LINE__);
    other = clCreateBuffer(context, CL_MEM_READ_WRITE, all, NULL, &error);
    check(error, "clCreateBuffer", __FILE__, __LINE__);
    result.data = clCreateBuffer(context, CL_MEM_READ_WRITE, all, NULL, &error);
    check(error, "clCreateBuffer", __FILE__, __LINE__);
    side = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue", __FILE__, __LINE__);
    const cl_program program = build_program(source);
    const cl_mem in = kind->run == in_place ? result.data : input;
    const cl_int items = kind->run == few_groups ? 384 : 1;
    fill = make_kernel(program, "fill", in, NULL);
    CHECK(clSetKernelArg(fill, 1, sizeof n, &n));
    twice = make_kernel(program, "twice", in, result.data);
    in_turns = make_kernel(program, "in_turns", input, result.data);
    CHECK(clSetKernelArg(in_turns, 3, sizeof items, &items));
    add = make_kernel(program, "add", input, result.data);
    twice_2d = make_kernel(program, "twice_2d", input, result.data);
    CHECK(clSetKernelArg(twice_2d, 2, sizeof width, &width));
    transpose = make_kernel(program, "transpose", input, result.data);
    CHECK(clSetKernelArg(transpose, 3, sizeof width, &width));
    sum_groups = make_kernel(program, "sum_groups", input, result.data);
    CHECK(clSetKernelArg(sum_groups, 3, GROUP * sizeof(float), NULL));
    sum_all = make_kernel(program, "sum_all", input, result.data);
    as_int = make_kernel(program, "twice_as_int", input, result.data);
    one_float = make_kernel(program, "one_float", other, NULL);
}

static void prepare(int version) {
    const cl_int number = version;
    const cl_uint zero = 0;
    CHECK(clSetKernelArg(fill, 2, sizeof number, &number));
    enqueue(queue, fill, ITEMS, GROUP, NULL);
    if (strcmp(kind->name, "prepared") == 0)
        enqueue(queue, twice, ITEMS, GROUP, NULL);
    if (kind->shape == ZEROS)
        CHECK(clEnqueueFillBuffer(queue, input, &zero, sizeof zero, 0, N * sizeof(float), 0, NULL,
                                  NULL));
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
    const float *out = (const float *)copied;
    float sum = 0;
    cl_int total = 0, found;
    for (int i = 0; i < N; i++) {
        const float in = (float)((i + version) % 61);
        const int transposed = i % WIDTH * (N / WIDTH) + i / WIDTH;
        sum += in;
        total += (cl_int)in;
        if ((kind->shape == TWICE && !(out[i] == 2 * in)) ||
            (kind->shape == COPY && !(out[i] == in)) || (kind->shape == ZEROS && !(out[i] == 0)))
            return i;
        if (kind->shape == TRANSPOSED && !(out[transposed] == in))
            return transposed;
        if (kind->shape == GROUP_SUMS && (i == N - 1 || i % GROUP == GROUP - 1)) {
            if (!(out[i / GROUP] == sum))
                return i / GROUP;
            sum = 0;
        }
    }
    memcpy(&found, copied, sizeof found);
    return kind->shape == SUM && found != total ? 0 : -1;
}
