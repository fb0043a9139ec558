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
    WIDTH = 100,
    ROWS = N / WIDTH,
    BINS = 61
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
    "__kernel void sum_rows(__global const float *in, __global float *sums, int n, int width) {\n"
    "    const int row = (int)get_global_id(0);\n"
    "    float sum = 0;\n"
    "    if (row >= n / width)\n"
    "        return;\n"
    "    for (int i = 0; i < width; i++)\n"
    "        sum += in[row * width + i];\n"
    "    sums[row] = sum;\n"
    "}\n"
    "__kernel void count_values(__global const float *in, __global int *bins, int n) {\n"
    "    const int i = (int)get_global_id(0);\n"
    "    if (i < n)\n"
    "        atomic_add(bins + (int)in[i], 1);\n"
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
    one_float, own; /* own: that of `kinds` */

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
static void own_kernel(FIRST) {
    enqueue(queue, own, ITEMS, GROUP, first);
}
static void any_groups(FIRST) { /* of the driver's size */
    const size_t items = ITEMS;
    CHECK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &items, NULL, 0, NULL, first));
}
static void no_input(FIRST) { /* alike each time, if prepare() did not set another version */
    enqueue(queue, fill, ITEMS, GROUP, first);
}
static void ping_pong(FIRST) {
    const cl_mem buffers[] = {input, result.data, other, result.data};
    for (int step = 0; step < 3; step++) {
        CHECK(clSetKernelArg(own, 0, sizeof *buffers, &buffers[step]));
        CHECK(clSetKernelArg(own, 1, sizeof *buffers, &buffers[step + 1]));
        enqueue(queue, own, ITEMS, GROUP, step == 0 ? first : step == 2 ? last : NULL);
    }
}
static void ints(FIRST) {
    enqueue(queue, as_int, ITEMS, GROUP, first);
}
static void workspace(FIRST) { /* which is `other` */
    clear(first);
    enqueue(queue, own, (ROWS + 63) / 64 * 64, 64, NULL);
    enqueue(queue, sum_all, (ROWS + 63) / 64 * 64, 64, last);
}
static void histogram(FIRST) {
    clear(first);
    enqueue(queue, own, ITEMS, GROUP, last);
}
static void fork_and_join(FIRST) { /* the other queue copies the input, between the events */
    const size_t items = ITEMS, group = GROUP, bytes = N * sizeof(float);
    cl_event copied;
    clear(first);
    CHECK(clFlush(queue));
    CHECK(clEnqueueCopyBuffer(side, input, other, 0, 0, bytes, 1, first, &copied));
    CHECK(clFlush(side));
    CHECK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &items, &group, 1, &copied, last));
    CHECK(clReleaseEvent(copied));
}
static void copy_and_kernel(FIRST) { /* the input goes to where the kernel changes it */
    copy(input, result.data, first);
    enqueue(queue, add, ITEMS, GROUP, last);
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

enum shape { TWICE, INTS, SUM, GROUP_SUMS, TRANSPOSED, COPY, NEXT_3, SIDES, HISTOGRAM, ZEROS };
static const struct kind {
    const char *name;
    void (*run)(cl_event *, cl_event *);
    enum shape shape;
    const char *own;
} kinds[] = {
    {"none_1", plain, TWICE, NULL},
    {"none_2", small_groups, TWICE, NULL},
    {"none_3", few_groups, TWICE, NULL},
    {"none_4", in_place, TWICE, NULL},
    {"none_5", three_commands, TWICE, NULL},
    {"none_6", a_sum, SUM, NULL},
    {"none_7", group_sums, GROUP_SUMS, NULL},
    {"none_8", transposition, TRANSPOSED, NULL},
    {"none_9", a_copy, COPY, NULL},
    {"none_10", two_dimensions, TWICE, NULL},
    {"none_11", own_kernel, TWICE, "twice_by_half"}, /* half of the items return early */
    {"none_12", own_kernel, TWICE, "twice_by_4"},
    {"none_13", any_groups, TWICE, NULL},
    {"none_14", no_input, COPY, NULL},
    {"none_15", ping_pong, NEXT_3, "add_next"},
    {"none_16", ints, INTS, NULL},
    {"none_17", workspace, SUM, "sum_rows"},
    {"none_18", own_kernel, SIDES, "add_both_sides"}, /* prepare() writes the border */
    {"none_19", histogram, HISTOGRAM, "count_values"},
    {"none_20", copy_and_kernel, TWICE, NULL},
    {"none_21", fork_and_join, TWICE, NULL},
    {"nothing", nothing, TWICE, NULL},
    {"nothing_after_12", nothing_after_12, TWICE, NULL},
    {"other_queue", other_queue, TWICE, NULL},
    {"next_call", next_call, TWICE, NULL},
    {"no_event", no_event, TWICE, NULL},
    {"zeros", zeros, TWICE, NULL},
    {"first_half", first_half, TWICE, NULL},
    {"stale", stale, TWICE, NULL},
    {"wrong_type", wrong_type, TWICE, NULL},
    {"memo", memo, TWICE, NULL},
    {"small_range", small_range, TWICE, NULL},
    {"sleeps", sleeps, TWICE, NULL},
    {"waits", waits, TWICE, NULL},
    {"prepared", nothing, TWICE, NULL}, /* its prepare() does the work */
    {"zero_input", plain, ZEROS, NULL}, /* its prepare() writes zeros */
};
static const struct kind *kind;
static int elements; /* of the result */

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
    const size_t all = sizeof kinds / sizeof *kinds;
    const cl_int n = N, width = WIDTH, rows = ROWS;
    const size_t bytes = N * sizeof(float);
    cl_int error;
    for (size_t k = 0; k < all && lie; k++)
        if (strcmp(kinds[k].name, lie) == 0)
            kind = &kinds[k];
    if (!kind) {
        fprintf(stderr, "LIE=%s is none of:\n", lie ? lie : "");
        for (size_t k = 0; k < all; k++)
            fprintf(stderr, "%s\n", kinds[k].name);
        exit(2);
    }
    elements = kind->shape == SUM          ? 1
               : kind->shape == GROUP_SUMS ? GROUPS
               : kind->shape == HISTOGRAM  ? BINS
                                           : N;
    result.bytes = (size_t)elements * sizeof(float);
    input = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    check(error, "clCreateBuffer", __FILE__, __LINE__);
    other = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    check(error, "clCreateBuffer", __FILE__, __LINE__);
    result.data = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    check(error, "clCreateBuffer", __FILE__, __LINE__);
    side = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue", __FILE__, __LINE__);
    const cl_program program = build_program(source);
    const cl_mem in = kind->run == in_place || kind->run == no_input ? result.data : input;
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
    if (kind->own)
        own = make_kernel(program, kind->own, input, result.data);
    if (kind->run == fork_and_join)
        CHECK(clSetKernelArg(twice, 0, sizeof other, &other));
    if (kind->run == workspace) { /* from the input to it, from it to the result */
        CHECK(clSetKernelArg(own, 1, sizeof other, &other));
        CHECK(clSetKernelArg(own, 3, sizeof width, &width));
        CHECK(clSetKernelArg(sum_all, 0, sizeof other, &other));
        CHECK(clSetKernelArg(sum_all, 2, sizeof rows, &rows));
    }
}

static void prepare(int version) {
    const cl_int number = version;
    const cl_uint zero = 0;
    CHECK(clSetKernelArg(fill, 2, sizeof number, &number));
    if (kind->run != no_input)
        enqueue(queue, fill, ITEMS, GROUP, NULL);
    if (strcmp(kind->name, "prepared") == 0)
        enqueue(queue, twice, ITEMS, GROUP, NULL);
    for (size_t end = 0; end < 2 && kind->shape == SIDES; end++)
        CHECK(clEnqueueFillBuffer(queue, result.data, &zero, sizeof zero,
                                  end * (N - 1) * sizeof(float), sizeof zero, 0, NULL, NULL));
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

static int input_at(int i, int version) {
    return (i % N + version) % 61;
}

static int sum_of(int from, int end, int version) {
    int sum = 0;
    for (int i = from; i < end && i < N; i++)
        sum += input_at(i, version);
    return sum;
}

/* What element i of the result must be. */
static int expected(int i, int version) {
    const int in = input_at(i, version), following = input_at(i + 1, version);
    switch (kind->shape) {
    case SUM:
        return sum_of(0, N, version);
    case GROUP_SUMS:
        return sum_of(i * GROUP, (i + 1) * GROUP, version);
    case TRANSPOSED:
        return input_at(i % ROWS * WIDTH + i / ROWS, version);
    case COPY:
        return in;
    case NEXT_3:
        return in + 3 * following + 3 * input_at(i + 2, version) + input_at(i + 3, version);
    case SIDES:
        return i == 0 || i == N - 1 ? 0 : input_at(i - 1, version) + following;
    case HISTOGRAM: /* the first one is at element (i - version) modulo BINS */
        return N / BINS + ((i + 999 * BINS - version) % BINS < N % BINS);
    case ZEROS:
        return 0;
    default:
        return 2 * in;
    }
}

static long first_wrong(const void *copied, int version) {
    const int is_int = kind->shape == INTS || kind->shape == SUM || kind->shape == HISTOGRAM;
    const float *floats = (const float *)copied;
    const cl_int *numbers = (const cl_int *)copied;
    for (int i = 0; i < elements; i++) {
        const int right = expected(i, version);
        if (is_int ? numbers[i] != right : !(floats[i] == (float)right))
            return i;
    }
    return -1;
}
