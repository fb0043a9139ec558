/* SPDX-License-Identifier: MIT
 *
 * Which of two CUDA launches is faster, A or B? A file to copy, with compare.h and
 * compare_report.h. Put your kernels and their data where the first part has its own: here B does
 * more steps than A, by 1 %.
 *
 * Build: nvcc -O2 -arch=native compare.cu -o compare
 * Run:   ./compare                nine processes, half a second each; docs/compare.md has more */
#include "compare_report.h"

#define CHECK(call) check((call), #call, __FILE__, __LINE__)
static void check(cudaError_t code, const char *what, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: error %d, %s\n", file, line, what, (int)code,
                cudaGetErrorString(code));
        exit(code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ? 77 : 1);
    } /* 77: what test runners count as skipped */
}

static cudaStream_t stream; /* where all work goes: the default one, or one that set_up() makes */
#ifndef LONGEST_ROW
#define LONGEST_ROW 256 /* launches between two events */
#endif
static int longest_row = LONGEST_ROW; /* set_up() may say 1: each one alone */
static struct {
    void *data; /* on the device */
    size_t bytes;
} result; /* what A and B write: set_up() says where */

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
    result.bytes = N * sizeof(float);
    CHECK(cudaMalloc((void **)&input, result.bytes));
    CHECK(cudaMalloc((void **)&result.data, result.bytes));
}

/* Before each row, not timed: writes the input of this version, 1 to 999. Each has another result.
 * The result is overwritten before; so prepare() also writes what must stand there. */
static void prepare(int version) {
    fill<<<N / 256, 256, 0, stream>>>(input, version);
    CHECK(cudaGetLastError());
}

/* One launch of A or of B. It must not wait; a row of them leaves the result of one. */
static void launch(char which) {
    work<<<N / 256, 256, 0, stream>>>(input, (float *)result.data,
                                      which == 'A' ? STEPS_A : STEPS_B);
    CHECK(cudaGetLastError());
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

/* ---- How it is timed ---- */

struct cmp_gate {
    int open, gave_up;
};
static volatile struct cmp_gate *cmp_gate; /* in host memory that the GPU can read */
static struct cudaDeviceProp cmp_device;
static cudaEvent_t cmp_start, cmp_stop;
static cudaStream_t cmp_aside; /* waits for no other stream */
static long long *cmp_ran;
static float *cmp_flush; /* for --cold */
static size_t cmp_flush_bytes;

/* Holds the stream until the host opens the gate. It gives up at the limit, and says so. A mistake
 * of the host must not hang the GPU. */
static __global__ void cmp_block(volatile struct cmp_gate *gate, unsigned limit_ns) {
    unsigned long long start_ns, now_ns; /* by the GPU's own clock */
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
    while (!gate->open && now_ns - start_ns < limit_ns);
    if (!gate->open)
        gate->gave_up = 1;
}

/* Keeps the GPU busy for so many cycles of its clock. */
static __global__ void cmp_spin(int clocks, long long *ran_clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
    *ran_clocks = clock64() - start;
}

static __global__ void cmp_empty(void) {
}

static __global__ void cmp_read(const float *data, size_t bytes, long long *found) {
    const size_t first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (size_t i = first; i < bytes / sizeof *data; i += all)
        if (data[i] != 0) /* never */
            *found = 1;
}

static void cmp_add_spin(int clocks) {
    if (clocks > 0)
        cmp_spin<<<1, 1, 0, stream>>>(clocks, cmp_ran);
    else
        cmp_empty<<<1, 1, 0, stream>>>();
    CHECK(cudaGetLastError());
}

/* The result as it is now, or when the stream cmp_aside comes to it. */
static void cmp_look(unsigned char *copy, int now) {
    CHECK(cudaMemcpyAsync(copy, result.data, result.bytes, cudaMemcpyDeviceToHost, cmp_aside));
    if (now)
        CHECK(cudaStreamSynchronize(cmp_aside));
}

/* The result is spoilt, the input is new, and with --cold no cache holds them. */
static void cmp_make_ready(char which, int checked) {
    if (which) {
        cmp.spoilt = (unsigned char)cmp_random(256);
        cmp.version = 1 + cmp_random(999);
        CHECK(cudaMemsetAsync(result.data, cmp.spoilt, result.bytes, stream));
        CHECK(cudaStreamSynchronize(stream)); /* prepare() may write there by another stream */
        prepare(cmp.version);
    }
    if (which && cmp.cold) {
        CHECK(cudaDeviceSynchronize());
        if (cmp_device.major >= 8) /* what persists would outlive the reading */
            CHECK(cudaCtxResetPersistingL2Cache());
        cmp_read<<<1024, 256, 0, stream>>>(cmp_flush, cmp_flush_bytes, cmp_ran);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    if (checked) {
        cmp_look(cmp.before, 1);
        cmp_expect_wrong(which, first_wrong(cmp.before, cmp.version));
    }
}

/* Shuts the gate, and queues behind it: an event, a delay, the row, an event. Before launch number
 * `again`, unless that is 0, the result is spoilt once more: what an earlier launch of the row did
 * does not count. Returns microseconds that the host took for the launches. */
static double cmp_queue_row(char which, int row, int again, int clocks) {
    cmp_gate->open = 0;
    cmp_gate->gave_up = 0;
    cmp_block<<<1, 1, 0, stream>>>(cmp_gate, cmp.fitting ? 200000000 : 1000000000);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(cmp_start, stream));
    cmp_add_spin(clocks > 0 ? 1 : cmp.delay);
    const int64_t launch_ns = cmp_now_ns();
    for (int i = 0; i < row; i++) {
        if (again > 0 && i == again)
            CHECK(cudaMemcpyAsync(result.data, cmp.before, result.bytes, cudaMemcpyHostToDevice,
                                  stream));
        if (which)
            launch(which);
        else
            cmp_add_spin(clocks);
    }
    const int64_t launched_ns = cmp_now_ns();
    CHECK(cudaEventRecord(cmp_stop, stream));
    const cudaError_t answer = cudaEventQuery(cmp_start); /* not ready: the gate holds it */
    if (answer == cudaSuccess && !cmp.fitting)
        cmp_refuse(which, "is not held by the gate: does launch() sleep or wait?");
    check(answer == cudaErrorNotReady ? cudaSuccess : answer, "cudaEventQuery", __FILE__, __LINE__);
    return (double)(launched_ns - launch_ns) / 1e3;
}

/* While the gate is shut: nothing may change the result. Then a copy of it waits for the row. */
static void cmp_watch_row(char which, int row) {
    cmp_wait(row);
    do
        cmp_look(cmp.seen, 1);
    while (cmp_watch(which, result.bytes));
    CHECK(cudaStreamWaitEvent(cmp_aside, cmp_stop, 0));
    cmp_look(cmp.seen, 0);
    cmp_wait(0); /* until the copy stands ready */
}

/* What the copy saw when the row had ended is right, and is of this input and of no other. */
static void cmp_check_row(char which) {
    if (first_wrong(cmp.seen, cmp.version) >= 0) {
        cmp_look(cmp.seen, 1);
        cmp_judge(which, result.bytes, first_wrong);
    }
    cmp_expect_other(which, first_wrong(cmp.seen, 1 + cmp.version % 999));
}

/* Microseconds of one launch in a row: two events around a delay and all launches of the row,
 * which are queued before the device comes to the first event, so that the host's launch is not
 * in it. which 0: spins. */
static double cmp_time_us(char which, int checked, int clocks) {
    const int row = checked ? 1 + cmp_random(1 + cmp_random(cmp.row)) : cmp.row; /* mostly few */
    const int again = cmp.fitting || (checked && cmp_random(2)) ? row - 1 : 0;
    float ms;
    cmp_make_ready(which, checked);
    const double launch_us = cmp_queue_row(which, row, again, clocks);
    if (checked)
        cmp_watch_row(which, row);
    const int64_t open_ns = cmp_now_ns();
    __atomic_store_n(&cmp_gate->open, 1, __ATOMIC_RELEASE); /* last of all, on Arm too */
    CHECK(cudaDeviceSynchronize());
    const double waited_us = (double)(cmp_now_ns() - open_ns) / 1e3;
    if (cmp_gate->gave_up && cmp.fitting)
        return -1; /* the host waited, for room in the stream's queue */
    if (cmp_gate->gave_up)
        cmp_refuse(which, "kept the gate shut for a second: does launch() wait?");
    if (checked)
        cmp_check_row(which);
    CHECK(cudaEventElapsedTime(&ms, cmp_start, cmp_stop));
    if (!(ms >= 0)) /* not a number, too */
        cmp_refuse(which, "has an impossible time between its events");
    const double us = (double)ms * 1e3;
    if (clocks > 0)
        CHECK(cudaMemcpy(&cmp.ran_clocks, cmp_ran, sizeof *cmp_ran, cudaMemcpyDeviceToHost));
    if (!checked)
        cmp_note(which, us, waited_us, launch_us);
    return us / cmp.row;
}

int main(int argc, char **argv) {
    int number;
    cmp_begin(argc, argv, "the cost in a stream");
    set_up();
    CHECK(cudaGetDevice(&number)); /* set_up() may choose another than 0 */
    CHECK(cudaGetDeviceProperties(&cmp_device, number));
    snprintf(cmp.device, sizeof cmp.device, "%s", cmp_device.name);
    CHECK(cudaEventCreate(&cmp_start));
    CHECK(cudaEventCreate(&cmp_stop));
    CHECK(cudaStreamCreateWithFlags(&cmp_aside, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&cmp_ran, sizeof *cmp_ran));
    if (cmp.cold) {
        cmp_flush_bytes = 2 * (size_t)cmp_device.l2CacheSize;
        CHECK(cudaMalloc((void **)&cmp_flush, cmp_flush_bytes));
        CHECK(cudaMemset(cmp_flush, 0, cmp_flush_bytes));
    }
    CHECK(cudaMallocHost((void **)&cmp.before, 2 * result.bytes));
    cmp.seen = cmp.before + result.bytes;
    CHECK(cudaMallocHost((void **)&cmp_gate, sizeof *cmp_gate));
    cmp_gate->open = 1;
    cmp_block<<<1, 1, 0, stream>>>(cmp_gate, 1000000000);
    CHECK(cudaGetLastError());
    for (int i = 0; i < 20; i++) { /* the warm-up, not behind the gate: a first launch may wait */
        const char which = "AB"[(i + cmp.b_first) % 2];
        cmp_add_spin(i);
        cmp_make_ready(which, i == 0);
        launch(which);
        CHECK(cudaDeviceSynchronize());
        if (i == 0) { /* B must not need what A left, nor A what B left */
            cmp_look(cmp.seen, 1);
            cmp_check_row(which);
        }
    }
    return cmp_measure(cmp_time_us, longest_row, 1.2e-7) || cmp_finish();
}
