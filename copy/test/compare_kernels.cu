/* SPDX-License-Identifier: MIT
 *
 * Four kernels for compare_trials.py, as the user's part of copy/compare.cu:
 * KERNEL=arithmetic, copy, sum or product in the environment; arithmetic_60us takes longer. B has
 * MORE per mille more work, which does not change the result: more steps, or zeros. */

enum { SIZE = 256, TILE = 16, DEPTH = 8000, THREADS = 256, ELEMENTS = 1 << 22 };
enum { MOST = ELEMENTS + ELEMENTS / 50 };
static const char *kernel;
static double more;
static int steps; /* 10000 take some 23 us on an H200 */
static float *input;

static __global__ void fill(float *in, int count, int version) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        in[i] = (float)(version + i % 64);
}

static __global__ void arithmetic(const float *in, float *out, int steps) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float x = 0;
    for (int step = 0; step < steps; step++)
        x = x * 0.5f + in[i];
    out[i] = x;
}

static __global__ void copy(const float *in, float *out, int count) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        out[i] = in[i];
}

static __global__ void sum(const float *in, unsigned *out, int count) {
    unsigned all = 0;
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
         i += (int)(gridDim.x * blockDim.x))
        all += (unsigned)in[i];
    atomicAdd(out, all);
}

/* out[row][column] = the sum over k of in[k][row] * in[k][column]. */
static __global__ void product(const float *in, float *out, int depth) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, row = (int)blockIdx.y * TILE,
              column = (int)blockIdx.x * TILE;
    float all = 0;
    for (int k = 0; k < depth; k += TILE) {
        a[y][x] = in[(k + y) * SIZE + row + x];
        b[y][x] = in[(k + y) * SIZE + column + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            all += a[i][y] * b[i][x];
        __syncthreads();
    }
    out[(row + y) * SIZE + column + x] = all;
}

/* How many numbers of the input are not zero. */
static int filled(void) {
    return *kernel == 'p' ? SIZE : *kernel == 'a' ? 1 << 15 : ELEMENTS;
}

static void set_up(void) {
    kernel = getenv("KERNEL") ? getenv("KERNEL") : "arithmetic";
    more = getenv("MORE") ? atof(getenv("MORE")) / 1000 : 0;
    steps = strcmp(kernel, "arithmetic_60us") == 0 ? 26000 : 10000;
    if (!strstr(" arithmetic arithmetic_60us copy sum product ", kernel) ||
        !(more >= 0 && more <= 0.02)) {
        fprintf(stderr, "KERNEL=%s MORE=%g: no such kernel, or more than 20\n", kernel,
                1000 * more);
        exit(2);
    }
    cmp_result.bytes = *kernel == 's'   ? sizeof(unsigned)
                       : *kernel == 'p' ? SIZE * SIZE * 4
                                        : (size_t)filled() * 4;
    CMP_CHECK(cudaMalloc((void **)&input, MOST * sizeof *input));
    CMP_CHECK(cudaMalloc((void **)&cmp_result.data, MOST * sizeof *input));
    CMP_CHECK(cudaMemset(input, 0, MOST * sizeof *input));
}

static void prepare(int version) {
    fill<<<(unsigned)filled() / THREADS, THREADS, 0, cmp_stream>>>(input, filled(), version);
    CMP_CHECK(cudaGetLastError());
}

static void launch(char which) {
    const double times = which == 'A' ? 1 : 1 + more;
    const int count = (int)((double)ELEMENTS * times);
    float *out = (float *)cmp_result.data;
    if (*kernel == 'a') {
        arithmetic<<<(1 << 15) / THREADS, THREADS, 0, cmp_stream>>>(input, out,
                                                                    (int)(steps * times));
    } else if (*kernel == 'c') {
        copy<<<(unsigned)(count + THREADS - 1) / THREADS, THREADS, 0, cmp_stream>>>(input, out,
                                                                                    count);
    } else if (*kernel == 's') {
        CMP_CHECK(cudaMemsetAsync(out, 0, sizeof(unsigned), cmp_stream));
        sum<<<512, THREADS, 0, cmp_stream>>>(input, (unsigned *)out, count);
    } else {
        const dim3 blocks(SIZE / TILE, SIZE / TILE), threads(TILE, TILE);
        product<<<blocks, threads, 0, cmp_stream>>>(input, out,
                                                    (int)((double)DEPTH * times) / TILE * TILE);
    }
    CMP_CHECK(cudaGetLastError());
}

static long first_wrong(const void *copied, int version) {
    const float *out = (const float *)copied;
    unsigned all = 0;
    for (int i = 0; i < filled() && *kernel == 's'; i++)
        all += (unsigned)(version + i % 64);
    if (*kernel == 's')
        return *(const unsigned *)copied == all ? -1 : 0;
    for (int i = 0; i < (*kernel == 'p' ? SIZE * SIZE : filled()); i++) {
        const float x = (float)(version + i % 64), y = (float)(version + i / SIZE % 64);
        const float right = *kernel == 'a' ? 2 * x : *kernel == 'c' ? x : x * y;
        if (!(fabsf(out[i] - right) <= 1e-5f * right))
            return i;
    }
    return -1;
}
