/* SPDX-License-Identifier: MIT
 *
 * Launches that lie, and honest ones: LIE=name or LIE=none_1, none_2, ... in the environment.
 * The user's part of recipe.cu (-DTIMED) and of compare.cu (-DCOMPARED: B lies, A does not).
 * Each line of `kinds` is one of them. */
#include <time.h>
#ifndef SIZE
#define SIZE 10000 /* whole thousands, but no whole blocks; a sum of all is exact up to 500000 */
#endif
enum {
    N = SIZE,
    WIDTH = 100,
    ROWS = N / WIDTH,
    THREADS = 256,
    BLOCKS = (N + THREADS - 1) / THREADS /* the last block is not full */
};
static float *input, *other, *output; /* each N floats */
static float *page;                   /* N floats of the host, in memory that stays where it is */
static int seed;
static cudaGraphExec_t graph;
static cudaStream_t side;
static cudaEvent_t fork_event, join_event;
static int launches;

static __global__ void fill(float *in, int version) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        in[i] = (float)((i + version) % 61);
}

static __global__ void twice(const float *in, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        out[i] = 2 * in[i];
}

static __global__ void twice_in_turns(const float *in, float *out, int threads) {
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < N; i += threads)
        out[i] = 2 * in[i];
}

static __global__ void add(const float *in, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        out[i] += in[i];
}

static __global__ void transpose(const float *in, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        out[i % WIDTH * ROWS + i / WIDTH] = in[i];
}

static __global__ void twice_by_half(const float *in, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= N || i % 2 == 1)
        return;
    out[i] = 2 * in[i];
    out[i + 1] = 2 * in[i + 1];
}

static __global__ void add_next(const float *in, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        out[i] = in[i] + in[(i + 1) % N];
}

static __global__ void add_both_sides(const float *in, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i > 0 && i < N - 1)
        out[i] = in[i - 1] + in[i + 1];
}

static __global__ void sum_rows(const float *in, float *sums) {
    const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0;
    if (row >= ROWS)
        return;
    for (int i = 0; i < WIDTH; i++)
        sum += in[row * WIDTH + i];
    sums[row] = sum;
}

static __global__ void sum_all(const float *in, float *out, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        atomicAdd(out, in[i]);
}

static __global__ void sum_blocks(const float *in, float *out) {
    extern __shared__ float part[];
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), thread = (int)threadIdx.x;
    part[thread] = i < N ? in[i] : 0;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half)
            part[thread] += part[thread + half];
    }
    if (thread == 0)
        out[blockIdx.x] = part[0];
}

static __global__ void twice_as_int(const float *in, int *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        out[i] = 2 * (int)in[i];
}

static __global__ void twice_unless_kept(const float *in, float *kept, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const long long start = clock64();
    while (i < N && kept[i] != in[i] && clock64() - start < 40000) {
    } /* the work of 20 us that this input has not had */
    if (i < N) {
        kept[i] = in[i];
        out[i] = 2 * in[i];
    }
}

static __global__ void product(const float *in, const float *factors, float *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        out[i] = factors[i] * in[i];
}

static __global__ void all_two(float *factors) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        factors[i] = 2;
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
static void small_blocks(void) {
    twice<<<(N + 31) / 32, 32, 0, stream>>>(input, output);
}
static void few_blocks(void) {
    twice_in_turns<<<3, 128, 0, stream>>>(input, output, 3 * 128);
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
static void block_sums(void) {
    sum_blocks<<<BLOCKS, THREADS, THREADS * sizeof(float), stream>>>(input, output);
}
static void transposition(void) {
    transpose<<<BLOCKS, THREADS, 0, stream>>>(input, output);
}
static void two_copies(void) {
    CHECK(cudaMemcpyAsync(other, input, N * sizeof *other, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpyAsync(output, other, N * sizeof *output, cudaMemcpyDeviceToDevice, stream));
}
static void fork_and_join(void) { /* in another stream, but between the events */
    CHECK(cudaEventRecord(fork_event, stream));
    CHECK(cudaStreamWaitEvent(side, fork_event, 0));
    twice<<<BLOCKS, THREADS, 0, side>>>(input, output);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(join_event, side));
    CHECK(cudaStreamWaitEvent(stream, join_event, 0));
}
static void half_exits(void) {
    twice_by_half<<<BLOCKS, THREADS, 0, stream>>>(input, output);
}
static void no_input(void) { /* alike each time, if prepare() did not give it another seed */
    fill<<<BLOCKS, THREADS, 0, stream>>>(output, seed);
}
static void ping_pong(void) {
    const float *from = input;
    float *to = output;
    for (int step = 0; step < 3; step++) {
        add_next<<<BLOCKS, THREADS, 0, stream>>>(from, to);
        CHECK(cudaGetLastError());
        from = to;
        to = to == output ? other : output;
    }
}
static void a_graph(void) { /* of the three kernels of ping_pong() */
    CHECK(cudaGraphLaunch(graph, stream));
}
static void ints(void) {
    twice_as_int<<<BLOCKS, THREADS, 0, stream>>>(input, (int *)output);
}
static void workspace(void) { /* which is `other` */
    CHECK(cudaMemsetAsync(output, 0, sizeof *output, stream));
    sum_rows<<<(ROWS + 63) / 64, 64, 0, stream>>>(input, other);
    CHECK(cudaGetLastError());
    sum_all<<<(ROWS + 63) / 64, 64, 0, stream>>>(other, output, ROWS);
}
static void border(void) { /* which it does not write: prepare() does */
    add_both_sides<<<BLOCKS, THREADS, 0, stream>>>(input, output);
}
static void two_uploads(void) {
    CHECK(cudaMemcpyAsync(other, page, N * sizeof *other, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(output, page, N * sizeof *output, cudaMemcpyHostToDevice, stream));
}
#ifdef __NVCC__ /* the simulated device has one dimension */
static __global__ void twice_2d(const float *in, float *out) {
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < WIDTH && y < ROWS)
        out[y * WIDTH + x] = 2 * in[y * WIDTH + x];
}
static void two_dimensions(void) {
    const dim3 block(32, 8), grid((WIDTH + 31) / 32, (ROWS + 7) / 8);
    twice_2d<<<grid, block, 0, stream>>>(input, output);
}
#endif

/* ---- Liars ---- */

static void nothing(void) {
}
static void nothing_after_12(void) {
    if (launches <= 12)
        plain();
}
static void other_stream(void) {
    twice<<<BLOCKS, THREADS, 0, side>>>(input, output);
}
__attribute__((unused)) static void next_call(void) {
    /* each second call does the work of two */
    if (launches % 2 == 1) {
        plain();
        CHECK(cudaGetLastError());
        plain();
    }
}
static void no_join(void) {
    CHECK(cudaEventRecord(fork_event, stream));
    CHECK(cudaStreamWaitEvent(side, fork_event, 0));
    take_time<<<1, 1, 0, side>>>(200000); /* 0.1 ms */
    CHECK(cudaGetLastError());
    twice<<<BLOCKS, THREADS, 0, side>>>(input, output);
}
static void zeros(void) {
    CHECK(cudaMemsetAsync(output, 0, N * sizeof *output, stream));
}
static void first_half(void) {
    twice<<<BLOCKS / 2, THREADS, 0, stream>>>(input, output);
}
static void stale(void) { /* `other` keeps the result of the first call */
    if (launches == 1)
        twice<<<BLOCKS, THREADS, 0, stream>>>(input, other);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(output, other, N * sizeof *output, cudaMemcpyDeviceToDevice, stream));
}
static void wrong_type(void) {
    twice_as_int<<<BLOCKS, THREADS, 0, stream>>>(input, (int *)output);
}
static void memo(void) { /* it has seen this pointer, so it has its result */
    static const float *known;
    if (known != input)
        plain();
    known = input;
}
#ifdef COMPARED
static void kept_by_content(void) { /* right, and slow by itself; in a row it works once */
    twice_unless_kept<<<BLOCKS, THREADS, 0, stream>>>(input, other, output);
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
#endif
static void small_grid(void) {
    twice<<<N / THREADS, THREADS, 0, stream>>>(input, output);
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

#ifdef __NVCC__ /* the simulated device ends a kernel that starts early behind the one before */
static __global__ void late(const float *in, float *out) {
#if __CUDA_ARCH__ >= 900 /* before it, no kernel starts early */
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    const long long start = clock64();
    while (clock64() - start < 200000) {
    }
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < N)
        out[i] = 2 * in[i];
}
static __global__ void does_not_wait(void) {
}
/* A second kernel that does not wait for the first: an event behind it waits for both all the
 * same. */
static void early(void) {
    late<<<BLOCKS, THREADS, 0, stream>>>(input, output);
    CHECK(cudaGetLastError());
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1, 1, 1);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelExC(&config, (const void *)does_not_wait, NULL));
}
#endif

/* ---- Which one ---- */

enum shape { TWICE, INTS, SUM, BLOCK_SUMS, TRANSPOSED, COPY, NEXT_3, SIDES, ZEROS };
static const struct kind {
    const char *name;
    void (*run)(void);
    enum shape shape;
} kinds[] = {
    {"none_1", plain, TWICE},
    {"none_2", small_blocks, TWICE},
    {"none_3", few_blocks, TWICE},
    {"none_4", in_place, TWICE},
    {"none_5", two_kernels, TWICE},
    {"none_6", a_sum, SUM},
    {"none_7", block_sums, BLOCK_SUMS},
    {"none_8", transposition, TRANSPOSED},
    {"none_9", two_copies, COPY},
    {"none_10", plain, TWICE}, /* in a stream of its own */
    {"none_11", fork_and_join, TWICE},
    {"none_12", plain, TWICE}, /* prepare() is a cudaMemcpy(), which waits for the stream */
    {"none_13", half_exits, TWICE},
    {"none_14", no_input, COPY},
    {"none_15", ping_pong, NEXT_3},
    {"none_16", a_graph, NEXT_3},
    {"none_17", ints, INTS},
    {"none_18", workspace, SUM},
    {"none_19", border, SIDES},
    {"none_20", two_uploads, COPY},
#ifdef __NVCC__
    {"none_21", early, TWICE},
    {"none_22", in_place, TWICE}, /* a cudaMemcpy() that does not: the stream is non-blocking */
    {"none_23", two_dimensions, TWICE},
#endif
#ifdef COMPARED /* accepted: the first with a warning, the second in a single process */
    {"none_kept", kept_by_content, TWICE},
    {"none_needs_a", needs_a, TWICE},
#endif
    {"nothing", nothing, TWICE},
    {"nothing_after_12", nothing_after_12, TWICE},
    {"other_stream", other_stream, TWICE},
#ifdef COMPARED
    {"once_a_row", once_a_row, TWICE},
#else /* a row has the work of all its launches */
    {"next_call", next_call, TWICE},
#endif
    {"no_join", no_join, TWICE},
    {"zeros", zeros, TWICE},
    {"first_half", first_half, TWICE},
    {"stale", stale, TWICE},
    {"wrong_type", wrong_type, TWICE},
    {"memo", memo, TWICE},
    {"small_grid", small_grid, TWICE},
    {"sleeps", sleeps, TWICE},
    {"waits", waits, TWICE},
    {"prepared", nothing, TWICE}, /* its prepare() does the work */
    {"zero_input", plain, ZEROS}, /* its prepare() writes zeros */
};
static const struct kind *kind;
static int elements; /* of the result */

static int is(const char *name) {
    return strcmp(kind->name, name) == 0;
}

/* A kernel is launched once before the capture, so that it is not loaded meanwhile. */
static void make_graph(void) {
    cudaGraph_t captured;
    ping_pong();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal));
    stream = side;
    ping_pong();
    stream = 0;
    CHECK(cudaStreamEndCapture(side, &captured));
    CHECK(cudaGraphInstantiateWithFlags(&graph, captured, 0));
    CHECK(cudaGraphDestroy(captured));
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
    CHECK(cudaMalloc((void **)&input, N * sizeof *input));
    CHECK(cudaMalloc((void **)&other, N * sizeof *other));
    CHECK(cudaMalloc((void **)&output, N * sizeof *output));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&fork_event));
    CHECK(cudaEventCreate(&join_event));
    if (is("none_10") || is("none_22"))
        CHECK(cudaStreamCreateWithFlags(&stream,
                                        is("none_22") ? cudaStreamNonBlocking : cudaStreamDefault));
    if (kind->run == two_uploads)
        CHECK(cudaMallocHost((void **)&page, N * sizeof *page));
    if (kind->run == a_graph)
        make_graph();
    elements = kind->shape == SUM ? 1 : kind->shape == BLOCK_SUMS ? BLOCKS : N;
    result.data = output;
    result.bytes = (size_t)elements * sizeof *output;
#ifdef COMPARED
    longest_row = kind->run == in_place ? 1 : longest_row;
#endif
}

static void prepare(int version) {
    static float host[N];
    float *to = kind->run == in_place ? output : input;
    seed = version;
    for (int i = 0; i < N; i++)
        host[i] = (float)((i + version) % 61);
    if (page)
        memcpy(page, host, sizeof host);
    if (is("none_12") || is("none_22"))
        CHECK(cudaMemcpy(to, host, sizeof host, cudaMemcpyHostToDevice));
    else
        fill<<<BLOCKS, THREADS, 0, stream>>>(to, version);
    CHECK(cudaGetLastError());
    if (is("prepared"))
        plain();
    CHECK(cudaGetLastError());
    if (kind->run == border) {
        CHECK(cudaMemsetAsync(output, 0, sizeof *output, stream));
        CHECK(cudaMemsetAsync(output + N - 1, 0, sizeof *output, stream));
    }
    if (kind->shape == ZEROS)
        CHECK(cudaMemsetAsync(input, 0, N * sizeof *input, stream));
}

#ifdef COMPARED
static void launch(char which) {
    void (*const run)(void) =
        which == 'B' || strncmp(kind->name, "none_", 5) == 0 ? kind->run : plain;
    launches += which == 'B';
    if (which == 'A' && kind->run == needs_a) {
        all_two<<<BLOCKS, THREADS, 0, stream>>>(other);
        CHECK(cudaGetLastError());
    }
#else
static void launch(void) {
    void (*const run)(void) = kind->run;
    launches++;
#endif
    run();
    CHECK(cudaGetLastError());
}

static float input_at(int i, int version) {
    return (float)((i % N + version) % 61);
}

static float sum_of(int from, int end, int version) {
    float sum = 0;
    for (int i = from; i < end && i < N; i++)
        sum += input_at(i, version);
    return sum;
}

/* What element i of the result must be. */
static float expected(int i, int version) {
    const float in = input_at(i, version), next = input_at(i + 1, version);
    switch (kind->shape) {
    case SUM:
        return sum_of(0, N, version);
    case BLOCK_SUMS:
        return sum_of(i * THREADS, (i + 1) * THREADS, version);
    case TRANSPOSED:
        return input_at(i % ROWS * WIDTH + i / ROWS, version);
    case COPY:
        return in;
    case NEXT_3:
        return in + 3 * next + 3 * input_at(i + 2, version) + input_at(i + 3, version);
    case SIDES:
        return i == 0 || i == N - 1 ? 0 : input_at(i - 1, version) + next;
    case ZEROS:
        return 0;
    default:
        return 2 * in;
    }
}

static long first_wrong(const void *copy, int version) {
    const float *floats = (const float *)copy;
    const int *numbers = (const int *)copy;
    for (int i = 0; i < elements; i++)
        if (!((kind->shape == INTS ? (float)numbers[i] : floats[i]) == expected(i, version)))
            return i;
    return -1;
}
