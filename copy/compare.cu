/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Which of two CUDA launches is faster, A or B? A file to copy, with compare.h. Put your kernels
 * and their data where the first part has its own: here B does more steps than A, by 1 %.
 *
 * Build: nvcc -O2 -arch=native compare.cu -o compare
 * Run:   ./compare                nine processes; ./compare --help and docs/compare.md have more */
#include "compare.h"

#define CMP_CHECK(call) cmp_check((call), #call, __FILE__, __LINE__)
static void cmp_check(cudaError_t code, const char *what, const char *file, int line) {
    const int none = code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver;
    if (code != cudaSuccess) {
        fprintf(stderr, "%s%s:%d: %s: error %d, %s\n",
                none ? "no NVIDIA GPU here, or its driver is missing or too old: " : "", file, line,
                what, (int)code, cudaGetErrorString(code));
        exit(none ? 77 : 1); /* 77: what test runners count as skipped */
    }
}

static cudaStream_t cmp_stream; /* where all work goes: the default one, or one of set_up()'s */
#ifndef CMP_LONGEST_ROW
#define CMP_LONGEST_ROW 256 /* launches between two events */
#endif
static int cmp_longest_row = CMP_LONGEST_ROW; /* set_up() may say 1: each one alone */
static struct {
    void *data; /* on the device */
    size_t bytes;
} cmp_result; /* what A and B write: set_up() says where */

/* ---- What is compared: yours ---- */

#ifdef COMPARED
#include COMPARED /* this part in a file of its own: -DCOMPARED='"mine.cu"' */
#else
#ifndef STEPS_A
#define N (1 << 12)
#define STEPS_A 10000
#define STEPS_B 10100
#endif
static float *input;

static __global__ void fill(float *in, int version) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    in[i] = (float)(version + (int)i % 64);
}

static __global__ void work(const float *in, float *out, int steps) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float x = 0;
    for (int step = 0; step < steps; step++)
        x = x * 0.5f + in[i];
    out[i] = x; /* the steps lead to 2 * in[i] */
}

static void set_up(void) {
    cmp_result.bytes = N * sizeof(float);
    CMP_CHECK(cudaMalloc((void **)&input, cmp_result.bytes));
    CMP_CHECK(cudaMalloc((void **)&cmp_result.data, cmp_result.bytes));
}

/* Before each row, not timed: writes the input of this version, 1 to 999. Each has another result.
 * The result is overwritten before; so prepare() also writes what must stand there. */
static void prepare(int version) {
    fill<<<N / 256, 256, 0, cmp_stream>>>(input, version);
    CMP_CHECK(cudaGetLastError());
}

/* One launch of A or of B. It must not wait; a row of them leaves the result of one. */
static void launch(char which) {
    work<<<N / 256, 256, 0, cmp_stream>>>(input, (float *)cmp_result.data,
                                          which == 'A' ? STEPS_A : STEPS_B);
    CMP_CHECK(cudaGetLastError());
}

/* Of the result, copied to the host: the first wrong element, or -1. */
static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < N; i++)
        if (!(fabsf(out[i] - 2 * (float)(version + i % 64)) < 1e-3f)) /* not a number, too */
            return i;
    return -1;
}
#endif

#ifndef CMP_CANDIDATES
#define CMP_CANDIDATES 2 /* A and B; up to 8 */
#endif
typedef char cmp_candidates_are_2_to_8[CMP_CANDIDATES >= 2 && CMP_CANDIDATES <= 8 ? 1 : -1];

/* ---- How it is timed ---- */

struct cmp_gate {
    int open, gave_up;
    long long clocks, ns; /* see cmp_count_clocks() */
};
static volatile struct cmp_gate *cmp_gate; /* in host memory that the GPU can read */
static struct cudaDeviceProp cmp_device;
static cudaEvent_t cmp_start, cmp_stop;
static cudaStream_t cmp_aside; /* waits for no other stream */

/* The GPU's own clock, in steps of 32 ns on an H200 and of 1024 ns on many others. */
static __device__ unsigned long long cmp_timer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Holds the stream until the host opens the gate. Gives up at the limit: no mistake may hang. */
static __global__ void cmp_block(volatile struct cmp_gate *gate, unsigned limit_ns) {
    const unsigned long long start_ns = cmp_timer_ns();
    unsigned long long now_ns;
    do
        now_ns = cmp_timer_ns();
    while (!gate->open && now_ns - start_ns < limit_ns);
    if (!gate->open)
        gate->gave_up = 1;
}

/* How many clocks does an SM count in 20 us? From a step of the timer to a step. */
static __global__ void cmp_count_clocks(volatile struct cmp_gate *gate) {
    const unsigned long long before_ns = cmp_timer_ns();
    unsigned long long start_ns, now_ns;
    do
        start_ns = cmp_timer_ns();
    while (start_ns == before_ns);
    const long long start = clock64();
    do
        now_ns = cmp_timer_ns();
    while (now_ns - start_ns < 20000);
    gate->clocks = clock64() - start;
    gate->ns = (long long)(now_ns - start_ns);
}

/* Keeps the GPU busy for so many clocks. */
static __global__ void cmp_spin(int clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

static __global__ void cmp_empty(void) {
}

static void cmp_launch_empty(void) {
    cmp_empty<<<1, 1, 0, cmp_stream>>>();
    CMP_CHECK(cudaGetLastError());
}

/* Copies the result as it is now or, behind a wait in cmp_aside, as it will be then. */
static void cmp_look(void *copy, int now) {
    CMP_CHECK(cudaMemcpyAsync(copy, cmp_result.data, cmp_result.bytes, cudaMemcpyDeviceToHost,
                              cmp_aside));
    if (now)
        CMP_CHECK(cudaStreamSynchronize(cmp_aside));
}
static void cmp_look_again(void) {
    cmp_look(cmp.seen, 1);
}

/* The result is spoilt, and the input is new. */
static void cmp_make_ready(char which, int checked) {
    if (which) {
        cmp.version = 1 + cmp_random(999);
        CMP_CHECK(cudaMemsetAsync(cmp_result.data, cmp_random(256), cmp_result.bytes, cmp_stream));
        CMP_CHECK(cudaStreamSynchronize(cmp_stream)); /* prepare() may write by another stream */
        prepare(cmp.version);
    }
    CMP_CHECK(cudaDeviceSynchronize());
    if (checked) {
        cmp_look(cmp.before, 1);
        if (first_wrong(cmp.before, cmp.version) < 0)
            CMP_REFUSE(which, CMP_RIGHT_BEFORE);
    }
}

/* Shuts the gate, and queues behind it: an event, a delay, the row, an event. Before launch number
 * `again`, unless that is 0, the result is spoilt once more: what an earlier launch of the row did
 * does not count. Returns microseconds that the host took for the launches. */
static double cmp_queue_row(char which, int row, enum cmp_how how, int again) {
    cmp_gate->open = 0;
    cmp_gate->gave_up = 0;
    cmp_block<<<1, 1, 0, cmp_stream>>>(cmp_gate, how == CMP_FITTING ? 200000000 : 1000000000);
    CMP_CHECK(cudaGetLastError());
    CMP_CHECK(cudaEventRecord(cmp_start, cmp_stream));
    cmp_spin<<<1, 1, 0, cmp_stream>>>(cmp.delay);
    CMP_CHECK(cudaGetLastError());
    const int64_t launch_ns = cmp_now_ns();
    for (int i = 0; i < row; i++) {
        if (again > 0 && i == again)
            CMP_CHECK(cudaMemcpyAsync(cmp_result.data, cmp.before, cmp_result.bytes,
                                      cudaMemcpyHostToDevice, cmp_stream));
        if (which)
            launch(which);
        else
            cmp_launch_empty();
    }
    const int64_t launched_ns = cmp_now_ns();
    CMP_CHECK(cudaEventRecord(cmp_stop, cmp_stream));
    const cudaError_t answer = cudaEventQuery(cmp_start); /* not ready: the gate holds it */
    if (answer == cudaSuccess && !which)
        CMP_REFUSE(0, "is not held by the gate: CUDA_LAUNCH_BLOCKING, a profiler, a debugger?\n");
    if (answer == cudaSuccess && how != CMP_FITTING)
        CMP_REFUSE(which, "is not held by the gate: launch() waits, or fills the launch queue\n");
    cmp_check(answer == cudaErrorNotReady ? cudaSuccess : answer, "cudaEventQuery", __FILE__,
              __LINE__);
    return (double)(launched_ns - launch_ns) / 1e3;
}

/* The clock of an SM now. Call it behind what was timed, when that is over. */
static double cmp_clock_mhz(void) {
    cmp_count_clocks<<<1, 1, 0, cmp_stream>>>(cmp_gate);
    CMP_CHECK(cudaGetLastError());
    CMP_CHECK(cudaDeviceSynchronize());
    return 1e3 * (double)cmp_gate->clocks / (double)cmp_gate->ns;
}

/* Microseconds of one launch in a row: two events around a delay and all launches of the row,
 * which are queued before the device comes to the first event, so that the host's launch is not
 * in it. which 0: empty kernels. */
static double cmp_time_us(char which, int row, enum cmp_how how) {
    const int checked = how == CMP_CHECKED;
    if (checked)
        row = 1 + cmp_random(1 + cmp_random(row)); /* mostly few */
    const int again = how == CMP_FITTING || (checked && cmp_random(2)) ? row - 1 : 0;
    float ms;
    cmp_make_ready(which, checked);
    cmp_limit(60, which, "has not ended after 60 s, with its prepare()");
    const double launch_us = cmp_queue_row(which, row, how, again);
    if (checked) { /* while the gate is shut nothing may change the result; then a copy waits */
        cmp_wait(row);
        do
            cmp_look(cmp.seen, 1);
        while (cmp_watch(which, cmp_result.bytes));
        CMP_CHECK(cudaStreamWaitEvent(cmp_aside, cmp_stop, 0));
        cmp_look(cmp.seen, 0);
        cmp_wait(0); /* until the copy stands ready */
    }
    const int64_t open_ns = cmp_now_ns();
    __atomic_store_n(&cmp_gate->open, 1, __ATOMIC_RELEASE); /* after all that is queued */
    CMP_CHECK(cudaDeviceSynchronize());
    const double waited_us = (double)(cmp_now_ns() - open_ns) / 1e3;
    if (cmp_gate->gave_up && !which)
        CMP_REFUSE(0, "is still held when the gate is open: the GPU does not see what the host "
                      "writes, or the host was stopped for a second\n");
    if (cmp_gate->gave_up && how == CMP_FITTING)
        return -1; /* the host waited, for room in the stream's queue */
    if (cmp_gate->gave_up)
        CMP_REFUSE(which, "kept the gate shut for a second: does launch() wait?\n");
    if (checked)
        cmp_check_result(which, cmp_result.bytes);
    CMP_CHECK(cudaEventElapsedTime(&ms, cmp_start, cmp_stop));
    if (!(ms >= 0 && ms < 1e9)) /* not a number, too */
        CMP_REFUSE(which, "has an impossible time between its events\n");
    const double us = (double)ms * 1e3;
    if (!checked)
        cmp_note(which, us, waited_us, launch_us / row);
    if (!checked && which)
        cmp.clock_mhz = cmp_clock_mhz();
    return us / row;
}

/* The device of this number; without one CUDA takes the first, or set_up() another. */
static void cmp_choose_device(const char *wanted) {
    int count;
    CMP_CHECK(cudaGetDeviceCount(&count));
    if (!*wanted || strlen(wanted) > 4 || wanted[strspn(wanted, "0123456789")] ||
        atoi(wanted) >= count) {
        fprintf(stderr, "--device %s: 0 to %d\n", wanted, count - 1);
        exit(2);
    }
    CMP_CHECK(cudaSetDevice(atoi(wanted)));
}

int main(int argc, char **argv) {
    int number, driver;
    cmp_begin(argc, argv, CMP_CANDIDATES);
    cmp_run_processes(argv);
    if (cmp.wanted)
        cmp_choose_device(cmp.wanted);
    set_up();
    if (!cmp_result.data || cmp_result.bytes == 0)
        CMP_REFUSE('A', "has no result: set_up() must say where, and how many bytes: cmp_result\n");
    CMP_CHECK(cudaGetDevice(&number)); /* set_up() may choose another than 0 */
    CMP_CHECK(cudaGetDeviceProperties(&cmp_device, number));
    CMP_CHECK(cudaDriverGetVersion(&driver)); /* 13000 for 13.0 */
    snprintf(cmp_device_name, sizeof cmp_device_name, "%.200s, driver for CUDA %d.%d",
             cmp_device.name, driver / 1000, driver % 1000 / 10);
    CMP_CHECK(cudaEventCreate(&cmp_start));
    CMP_CHECK(cudaEventCreate(&cmp_stop));
    CMP_CHECK(cudaStreamCreateWithFlags(&cmp_aside, cudaStreamNonBlocking));
    CMP_CHECK(cudaMallocHost((void **)&cmp.before, 2 * cmp_result.bytes));
    cmp.seen = cmp.before + cmp_result.bytes;
    CMP_CHECK(cudaMallocHost((void **)&cmp_gate, sizeof *cmp_gate));
    cmp_gate->open = 1;
    cmp_block<<<1, 1, 0, cmp_stream>>>(cmp_gate, 1000000000); /* a first launch may wait */
    CMP_CHECK(cudaGetLastError());
    cmp_launch_empty();
    cmp_spin<<<1, 1, 0, cmp_stream>>>(1);
    CMP_CHECK(cudaGetLastError());
    cmp_clock_mhz();
    cmp_time_us(0, 1, CMP_TIMED);                   /* what fails here is not launch()'s fault */
    for (int i = 0; i < 10 * cmp_candidates; i++) { /* the warm-up, not behind the gate */
        const char which = (char)('A' + (i + cmp.first) % cmp_candidates);
        cmp_make_ready(which, i == 0);
        launch(which);
        cmp_check(cudaGetLastError(), "cudaGetLastError() after launch()", __FILE__, __LINE__);
        CMP_CHECK(cudaDeviceSynchronize());
        if (i == 0) { /* none may need what another one left */
            cmp_look_again();
            cmp_check_result(which, cmp_result.bytes);
        }
    }
    /* A launch gets longer in steps: 0.10 to 0.17 us on an H100 and H200. On others: not known. */
    return cmp_measure(cmp_longest_row, 0.17, 1.2e-7) || cmp_finish();
}
