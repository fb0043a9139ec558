/* SPDX-License-Identifier: MIT
 *
 * Launches that lie, and honest ones: LIE=name or LIE=none_1, none_2, ... in the environment.
 * The user's part of recipe.cu (-DTIMED) and of compare.cu (-DCOMPARED: B lies, A does not).
 * Each line of `kinds` is one of them. */
#include "liars.h"
enum { BLOCKS = GROUPS, THREADS = GROUP };
struct kind {
    const char *name;
    enum shape shape; /* of the result */
    void (*run)(void);
    void (*kernel)(const float *in, float *out);
    int blocks, threads;
};
static const struct kind *kind;
static float *input, *other, *output; /* each N floats */
static float host[N], *page = host;   /* page: of two_uploads() in memory that stays where it is */
static cudaGraphExec_t graph;
static cudaStream_t side;
static cudaEvent_t fork_event, join_event;
static int launches, input_version;

static __device__ int own_index(void) {
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}
static __global__ void fill(float *out, int version) {
    const int i = own_index();
    if (i < N)
        out[i] = (float)((i + version) % BINS);
}
/* Does one statement for each element. */
#define KERNEL(name, statement)                                                                    \
    static __global__ void name(const float *in, float *out) {                                     \
        const int i = own_index();                                                                 \
        if (i < N)                                                                                 \
            statement;                                                                             \
    }
KERNEL(twice, out[i] = 2 * in[i])
KERNEL(twice_as_int, ((int *)out)[i] = 2 * (int)in[i])
KERNEL(add, out[i] += in[i])
KERNEL(add_next, out[i] = in[i] + in[(i + 1) % N])
KERNEL(add_both_sides, if (i > 0 && i < N - 1) out[i] = in[i - 1] + in[i + 1])
KERNEL(transpose, out[i % WIDTH * ROWS + i / WIDTH] = in[i])
static __global__ void twice_in_turns(const float *in, float *out) {
    for (int i = own_index(); i < N; i += (int)(gridDim.x * blockDim.x))
        out[i] = 2 * in[i];
}
static __global__ void twice_by_half(const float *in, float *out) {
    const int i = own_index();
    if (i >= N || i % 2 == 1)
        return;
    out[i] = 2 * in[i];
    out[i + 1] = 2 * in[i + 1];
}
static __global__ void sum_blocks(const float *in, float *out) {
    extern __shared__ float part[];
    const int i = own_index(), thread = (int)threadIdx.x;
    part[thread] = i < N ? in[i] : 0;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half)
            part[thread] += part[thread + half];
    }
    if (thread == 0)
        out[blockIdx.x] = part[0];
}
static __global__ void sum_all(const float *in, float *out, int n) {
    const int i = own_index();
    if (i < n)
        atomicAdd(out, in[i]);
}
static __global__ void take_time(long long clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

/* ---- Honest ---- */

static void plain(void) {
    twice<<<BLOCKS, THREADS, 0, stream>>>(input, output);
}
static void one_kernel(void) {
    void (*const kernel)(const float *, float *) = kind->kernel;
    const size_t shared_bytes = kernel == sum_blocks ? THREADS * sizeof(float) : 0;
    kernel<<<kind->blocks, kind->threads, shared_bytes, stream>>>(input, output);
}
static void in_place(void) { /* prepare() writes the input where the result will be */
    twice<<<BLOCKS, THREADS, 0, stream>>>(output, output);
}
static void two_kernels(void) {
    CHECK(cudaMemsetAsync(output, 0, N * sizeof *output, stream));
    add<<<BLOCKS, THREADS, 0, stream>>>(input, output);
    CHECK(cudaGetLastError());
    add<<<BLOCKS, THREADS, 0, stream>>>(input, output);
}
static void a_sum(void) {
    CHECK(cudaMemsetAsync(output, 0, sizeof *output, stream));
    sum_all<<<BLOCKS, THREADS, 0, stream>>>(input, output, N);
}
static void workspace(void) { /* `other`: there are the sums of blocks */
    CHECK(cudaMemsetAsync(output, 0, sizeof *output, stream));
    sum_blocks<<<BLOCKS, THREADS, THREADS * sizeof(float), stream>>>(input, other);
    CHECK(cudaGetLastError());
    sum_all<<<BLOCKS, THREADS, 0, stream>>>(other, output, BLOCKS);
}
static void two_copies(void) {
    CHECK(cudaMemcpyAsync(other, input, N * sizeof *other, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpyAsync(output, other, N * sizeof *output, cudaMemcpyDeviceToDevice, stream));
}
static void two_uploads(void) {
    CHECK(cudaMemcpyAsync(other, page, N * sizeof *other, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(output, page, N * sizeof *output, cudaMemcpyHostToDevice, stream));
}
static void fork_to_side(void) {
    CHECK(cudaEventRecord(fork_event, stream));
    CHECK(cudaStreamWaitEvent(side, fork_event, 0));
}
static void fork_and_join(void) { /* in another stream, but between the events */
    fork_to_side();
    twice<<<BLOCKS, THREADS, 0, side>>>(input, output);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(join_event, side));
    CHECK(cudaStreamWaitEvent(stream, join_event, 0));
}
static void no_input(void) { /* alike each time, if prepare() did not give it another version */
    fill<<<BLOCKS, THREADS, 0, stream>>>(output, input_version);
}
static void ping_pong(void) {
    float *const buffers[] = {input, output, other, output};
    for (int step = 0; step < 3; step++) {
        add_next<<<BLOCKS, THREADS, 0, stream>>>(buffers[step], buffers[step + 1]);
        CHECK(cudaGetLastError());
    }
}
static void a_graph(void) { /* of the three kernels of ping_pong() */
    CHECK(cudaGraphLaunch(graph, stream));
}

/* ---- Liars ---- */

static void nothing(void) {
}
static void nothing_after_12(void) {
    (launches <= 12 ? plain : nothing)();
}
static void other_stream(void) {
    twice<<<BLOCKS, THREADS, 0, side>>>(input, output);
}
static void no_join(void) {
    fork_to_side();
    take_time<<<1, 1, 0, side>>>(200000); /* 0.1 ms */
    CHECK(cudaGetLastError());
    twice<<<BLOCKS, THREADS, 0, side>>>(input, output);
}
static void zeros(void) {
    CHECK(cudaMemsetAsync(output, 0, N * sizeof *output, stream));
}
static void stale(void) { /* `other` keeps the result of the first call */
    if (launches == 1)
        twice<<<BLOCKS, THREADS, 0, stream>>>(input, other);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(output, other, N * sizeof *output, cudaMemcpyDeviceToDevice, stream));
}
static void memo(void) { /* it has seen this pointer, so it has its result */
    static const float *known;
    (known == input ? nothing : plain)();
    known = input;
}
static void sleeps(void) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    plain();
}
static void waits(void) {
    plain();
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
}

/* ---- Honest or not, in compare alone or in recipe alone ---- */

#ifdef COMPARED
static __global__ void product(const float *in, const float *factors, float *out) {
    const int i = own_index();
    if (i < N)
        out[i] = factors[i] * in[i];
}
static __global__ void all_two(float *factors) {
    const int i = own_index();
    if (i < N)
        factors[i] = 2;
}
static void needs_a(void) { /* the factors, which A left: see launch() */
    product<<<BLOCKS, THREADS, 0, stream>>>(input, other, output);
}
static void once_a_row(void) { /* soon after its last launch it does nothing */
    static int64_t last_ns;
    const int64_t now_ns = cmp_now_ns();
    if (now_ns - last_ns > 50000)
        plain();
    last_ns = now_ns;
}
#else
static void next_call(void) { /* each second call does the work of two; a row has all of it */
    if (launches % 2 == 1) {
        plain();
        CHECK(cudaGetLastError());
        plain();
    }
}
#endif

/* ---- Honest, but the simulated device has one dimension, and no kernel that starts early ---- */

#ifdef __NVCC__
static __global__ void twice_2d(const float *in, float *out) {
    const int x = own_index(), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < WIDTH && y < ROWS)
        out[y * WIDTH + x] = 2 * in[y * WIDTH + x];
}
static void two_dimensions(void) {
    const dim3 block(32, 8), grid((WIDTH + 31) / 32, (ROWS + 7) / 8);
    twice_2d<<<grid, block, 0, stream>>>(input, output);
}
static __global__ void twice_late(const float *in, float *out) {
    const int i = own_index();
    const long long start = clock64();
#if __CUDA_ARCH__ >= 900 /* before it, no kernel starts early */
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    while (clock64() - start < 200000) {
    }
    if (i < N)
        out[i] = 2 * in[i];
}
static __global__ void does_not_wait(void) {
}
/* The second kernel does not wait for the first. An event behind it waits for both. */
static void early(void) {
    twice_late<<<BLOCKS, THREADS, 0, stream>>>(input, output);
    CHECK(cudaGetLastError());
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {dim3(1, 1, 1), dim3(1, 1, 1), 0, stream, &attribute, 1};
    CHECK(cudaLaunchKernelEx(&config, does_not_wait));
}
#endif

static const struct kind kinds[] = {
    {"none_1", TWICE, plain, twice, BLOCKS, THREADS},
    {"none_2", TWICE, one_kernel, twice, (N + 31) / 32, 32},
    {"none_3", TWICE, one_kernel, twice_in_turns, 3, 128},
    {"none_4", TWICE, in_place, twice, BLOCKS, THREADS},
    {"none_5", TWICE, two_kernels, twice, BLOCKS, THREADS},
    {"none_6", SUM, a_sum, twice, BLOCKS, THREADS},
    {"none_7", SUMS, one_kernel, sum_blocks, BLOCKS, THREADS},
    {"none_8", TRANSPOSED, one_kernel, transpose, BLOCKS, THREADS},
    {"none_9", COPY, two_copies, twice, BLOCKS, THREADS},
    {"none_10", TWICE, plain, twice, BLOCKS, THREADS}, /* in a stream of its own */
    {"none_11", TWICE, fork_and_join, twice, BLOCKS, THREADS},
    {"none_12", TWICE, plain, twice, BLOCKS, THREADS}, /* prepare() is a cudaMemcpy(): it waits */
    {"none_13", TWICE, one_kernel, twice_by_half, BLOCKS, THREADS},
    {"none_14", COPY, no_input, twice, BLOCKS, THREADS},
    {"none_15", NEXT_3, ping_pong, twice, BLOCKS, THREADS},
    {"none_16", NEXT_3, a_graph, twice, BLOCKS, THREADS},
    {"none_17", INTS, one_kernel, twice_as_int, BLOCKS, THREADS},
    {"none_18", SUM, workspace, twice, BLOCKS, THREADS},
    {"none_19", SIDES, one_kernel, add_both_sides, BLOCKS, THREADS},
    {"none_20", COPY, two_uploads, twice, BLOCKS, THREADS},
#ifdef __NVCC__
    {"none_21", TWICE, early, twice, BLOCKS, THREADS},
    {"none_22", TWICE, in_place, twice, BLOCKS, THREADS}, /* a cudaMemcpy() that does not wait */
    {"none_23", TWICE, two_dimensions, twice, BLOCKS, THREADS},
#endif
#ifdef COMPARED /* the first one is accepted in a single process */
    {"none_needs_a", TWICE, needs_a, twice, BLOCKS, THREADS},
    {"once_a_row", TWICE, once_a_row, twice, BLOCKS, THREADS},
#else
    {"next_call", TWICE, next_call, twice, BLOCKS, THREADS},
#endif
    {"nothing", TWICE, nothing, twice, BLOCKS, THREADS},
    {"nothing_after_12", TWICE, nothing_after_12, twice, BLOCKS, THREADS},
    {"other_stream", TWICE, other_stream, twice, BLOCKS, THREADS},
    {"no_join", TWICE, no_join, twice, BLOCKS, THREADS},
    {"zeros", TWICE, zeros, twice, BLOCKS, THREADS},
    {"first_half", TWICE, one_kernel, twice, BLOCKS / 2, THREADS},
    {"stale", TWICE, stale, twice, BLOCKS, THREADS},
    {"wrong_type", TWICE, one_kernel, twice_as_int, BLOCKS, THREADS},
    {"memo", TWICE, memo, twice, BLOCKS, THREADS},
    {"small_grid", TWICE, one_kernel, twice, N / THREADS, THREADS},
    {"sleeps", TWICE, sleeps, twice, BLOCKS, THREADS},
    {"waits", TWICE, waits, twice, BLOCKS, THREADS},
    {"prepared", TWICE, nothing, twice, BLOCKS, THREADS}, /* its prepare() does the work */
    {"zero_input", ZEROS, plain, twice, BLOCKS, THREADS}, /* its prepare() writes zeros */
};

static int is(const char *name) {
    return strcmp(kind->name, name) == 0;
}

static void make_graph(void) {
    cudaGraph_t captured;
    ping_pong(); /* before the capture, so that no kernel is loaded meanwhile */
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal));
    stream = side;
    ping_pong();
    stream = 0;
    CHECK(cudaStreamEndCapture(side, &captured));
    CHECK(cudaGraphInstantiateWithFlags(&graph, captured, 0));
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
    CHECK(cudaMalloc((void **)&input, sizeof host));
    CHECK(cudaMalloc((void **)&other, sizeof host));
    CHECK(cudaMalloc((void **)&output, sizeof host));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&fork_event));
    CHECK(cudaEventCreate(&join_event));
    if (is("none_10") || is("none_22"))
        CHECK(cudaStreamCreateWithFlags(&stream,
                                        is("none_22") ? cudaStreamNonBlocking : cudaStreamDefault));
    if (kind->run == two_uploads)
        CHECK(cudaMallocHost((void **)&page, sizeof host));
    if (kind->run == a_graph)
        make_graph();
    result.data = output;
    result.bytes = (size_t)elements_of(kind->shape) * sizeof *output;
#ifdef COMPARED
    longest_row = kind->run == in_place ? 1 : longest_row;
#endif
}

static void prepare(int version) {
    float *to = kind->run == in_place ? output : input;
    input_version = version;
    for (int i = 0; i < N; i++)
        page[i] = (float)input_at(i, version);
    if (is("none_12") || is("none_22"))
        CHECK(cudaMemcpy(to, page, sizeof host, cudaMemcpyHostToDevice));
    else
        fill<<<BLOCKS, THREADS, 0, stream>>>(to, version);
    CHECK(cudaGetLastError());
    if (is("prepared"))
        plain();
    CHECK(cudaGetLastError());
    if (kind->shape == SIDES) /* the kernel does not write the border */
        CHECK(cudaMemsetAsync(output, 0, sizeof host, stream));
    if (kind->shape == ZEROS)
        CHECK(cudaMemsetAsync(input, 0, sizeof host, stream));
}

#ifdef COMPARED
static void launch(char which) {
    const int honest = which == 'A' && strncmp(kind->name, "none_", 5) != 0;
    launches += which == 'B';
    if (which == 'A' && kind->run == needs_a) {
        all_two<<<BLOCKS, THREADS, 0, stream>>>(other);
        CHECK(cudaGetLastError());
    }
#else
static void launch(void) {
    const int honest = 0;
    launches++;
#endif
    (honest ? plain : kind->run)();
    CHECK(cudaGetLastError());
}

static long first_wrong(const void *copy, int version) {
    return wrong_at(kind->shape, copy, version);
}
