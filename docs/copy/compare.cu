/* SPDX-License-Identifier: MIT
 *
 * Which of two CUDA launches is faster, A or B? A file to copy, with compare.h. Put your kernels and
 * their data where the first part has its own: here B does 1 % more steps than A.
 *
 * Build: nvcc -O2 -arch=native compare.cu -o compare
 * Run:   ./compare                    for 2 s; or ./compare 10 0.2: for 10 s, 0.2 % matters
 *        ./compare - <times.txt       for two columns of times from elsewhere
 *        ./compare 2 --csv=FILE       writes the numbers by their names, too
 */
#include "compare.h"

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t code, const char *what, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: error %d, %s\n", __FILE__, line, what, (int)code,
                cudaGetErrorString(code));
        exit(1);
    }
}

/* ---- What is compared: yours ---- */

#ifndef N
#define N (1 << 12)
#endif
#ifndef STEPS_A
#define STEPS_A 10000
#define STEPS_B 10100
#endif
static float host[N], *input, *output;

static __global__ void work(const float *in, float *out, int steps) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float x = in[i];
    for (int step = 0; step < steps; step++)
        x = x * 0.5f + 1;
    out[i] = x;
}

static __global__ void empty(void) {
}

static void set_up(void) {
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    CHECK(cudaMalloc((void **)&input, sizeof host));
    CHECK(cudaMalloc((void **)&output, sizeof host));
    CHECK(cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice));
}

/* A, B, or one empty block. In the default stream; it must not wait for the device; up to 16 in a row
 * leave the same result. */
enum variant { LAUNCH_A, LAUNCH_B, LAUNCH_EMPTY };
static void launch(enum variant variant) {
    if (variant == LAUNCH_EMPTY)
        empty<<<1, 1>>>();
    else
        work<<<N / 256, 256>>>(input, output, variant == LAUNCH_A ? STEPS_A : STEPS_B);
    CHECK(cudaGetLastError());
}

/* Overwrites it too: a launch that does nothing must not pass with the one before it. */
static void check_result(void) {
    CHECK(cudaMemcpy(host, output, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (!(fabsf(host[i] - 2) < 1e-5f)) { /* where the steps lead to */
            fprintf(stderr, "element %d is %g: a fast wrong kernel is no kernel\n", i,
                    (double)host[i]);
            exit(1);
        }
    CHECK(cudaMemset(output, 0, sizeof host));
}

/* ---- How it is timed ---- */

struct gate { /* in host memory that the device sees too */
    int open, gave_up;
};
static volatile struct gate *gate;
static cudaEvent_t start, stop;
static const double step_us = 0.25; /* which a row of one cannot tell apart: see below */

/* Keeps the stream busy until the host opens the gate, for a second at most. */
static __global__ void block_stream(volatile struct gate *gate) {
    unsigned long long start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    while (!gate->open) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
        if (now_ns - start_ns > 1000000000) {
            gate->gave_up = 1;
            return;
        }
    }
}

/* Keeps the GPU busy for so many cycles of its clock. */
static __global__ void delay(int clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

static int row = 1; /* so many launches between two events */

/* Microseconds of one launch in a row: two events around a delay and all launches of the row, which are
 * queued before the device comes to the first event, so that the host's launch is not in it.
 *
 * Why a row? Around one launch a pair is off by an amount of its own for each kernel, which no repetition
 * takes away. In a row it is less for each launch, and changes within tenths of a second; but not all of
 * it goes. So the interval is never narrower than step_us / sqrt(row): docs/compare_more.md. */
static double time_us(enum variant variant) {
    float elapsed_ms;
    const double before_s = now_s();
    gate->open = 0;
    gate->gave_up = 0;
    block_stream<<<1, 1>>>(gate);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(start, 0));
    delay<<<1, 1>>>((int)(random_bits() >> 53)); /* up to 2047 cycles, about 1 us */
    CHECK(cudaGetLastError());
    for (int i = 0; i < row; i++)
        launch(variant);
    CHECK(cudaEventRecord(stop, 0));
    const cudaError_t answer = cudaEventQuery(start);
    const int held = answer == cudaErrorNotReady;
    check(held ? cudaSuccess : answer, "cudaEventQuery", __LINE__);
    __atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE); /* after all that is queued, on Arm too */
    CHECK(cudaDeviceSynchronize());
    const double waited_us = (now_s() - before_s) * 1e6;
    if (gate->gave_up || !held) {
        fprintf(stderr, "the gate %s\n",
                gate->gave_up ? "was shut for a second: does launch() wait for the device?"
                              : "did not hold the stream");
        exit(1);
    }
    CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));
    const double us = (double)elapsed_ms * 1e3;
    if (!(us >= 0)) { /* not a number, too */
        fprintf(stderr, "impossible: %g us between two events\n", us);
        exit(1);
    }
    note(us, waited_us);
    return us / row;
}

/* Adds a pair, in random order. The time of the delay and an empty kernel is in neither: a constant
 * that both share would make the difference look smaller. */
static void compare(struct pairs *pairs, enum variant other, double empty_us) {
    double a_us = 0, b_us = 0;
    const int b_first = (int)(random_bits() >> 63); /* a coin */
    for (int i = 0; i < 2; i++)
        if (i == b_first)
            a_us = time_us(LAUNCH_A) - empty_us;
        else
            b_us = time_us(other) - empty_us;
    add_pair(pairs, a_us, b_us);
}

static void open_device(char name[256]) {
    int devices = 0;
    struct cudaDeviceProp device;
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver) {
        fprintf(stderr, "%s\n", cudaGetErrorString(code));
        exit(77); /* what test runners count as skipped */
    }
    check(code, "cudaGetDeviceCount", __LINE__);
    CHECK(cudaGetDeviceProperties(&device, 0)); /* 0 is in use until cudaSetDevice() */
    snprintf(name, 256, "%s", device.name);
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMallocHost((void **)&gate, sizeof *gate));
}

int main(int argc, char **argv) {
    enum { EMPTIES = 101 };
    static double empties_us[EMPTIES];
    char name[256];
    struct interval ratio;
    enum verdict verdict = RUNNING;
    read_arguments(argc, argv);
    open_device(name);
    set_up();
    launch(LAUNCH_EMPTY);
    delay<<<1, 1>>>(0);
    CHECK(cudaGetLastError());
    for (int i = 0; i < 10; i++) { /* the warm-up, and the check; not behind the gate */
        launch(LAUNCH_A);
        check_result();
        launch(LAUNCH_B);
        check_result();
    }
    double once_us = time_us(LAUNCH_A);
    for (int i = 0; i < 10; i++)
        once_us = fmin(once_us, time_us(LAUNCH_A));
    row = once_us < 1000.0 / 16 ? 16 : once_us < 1000 ? (int)(1000 / once_us) : 1; /* about 1 ms */
    for (int i = 0; i < EMPTIES; i++)
        empties_us[i] = time_us(LAUNCH_EMPTY);
    const double empty_us = median_of(empties_us, EMPTIES);

    const double start_s = now_s();
    samples = late = 0;
    for (int round = 0; verdict == RUNNING; round++) {
        compare(&ab, LAUNCH_B, empty_us);
        if (round % 4 == 0)
            compare(&aa, LAUNCH_A, empty_us);
        ab.tick_us = aa.tick_us = fmax((double)tick_ns / 1e3 / row, step_us / sqrt(row));
        verdict = look(&ab, (now_s() - start_s) / seconds, least, &ratio);
    }
    check_result();                                         /* of the last row */
    return report(name, verdict, ratio, now_s() - start_s); /* all else goes with the process */
}
