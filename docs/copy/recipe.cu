/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Times one CUDA launch, which may be several kernels: a file to copy. It needs nothing else of
 * this suite. Put your kernel and its data where the first part has its own.
 *
 * Build: nvcc -O2 -arch=native recipe.cu -o recipe
 * Run:   ./recipe; ./recipe --help says what else */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RCP_CHECK(call) rcp_check((call), #call, __FILE__, __LINE__)
static void rcp_check(cudaError_t code, const char *what, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: error %d, %s\n", file, line, what, (int)code,
                cudaGetErrorString(code));
        exit(code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ? 77 : 1);
    } /* 77: what test runners count as skipped */
}
#define RCP_REFUSE(...) (fprintf(stderr, "refused: " __VA_ARGS__), exit(1))

static cudaStream_t rcp_stream; /* where all work goes: the default one, or one of set_up()'s */
static struct {
    void *data; /* on the device */
    size_t bytes;
} rcp_result; /* what launch() writes: set_up() says where */

/* ---- What is timed: yours. All names outside of this part begin with rcp_ or RCP_ ---- */

#ifdef TIMED
#include TIMED /* this part in a file of its own: -DTIMED='"mine.cu"' */
#else

#ifndef N
#define N (1 << 20)
#endif
static float host[N], *input;

static __global__ void my_kernel(const float *in, float *out, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = 2 * in[i];
}

static void set_up(void) {
    rcp_result.bytes = sizeof host;
    RCP_CHECK(cudaMalloc((void **)&input, sizeof host));
    RCP_CHECK(cudaMalloc((void **)&rcp_result.data, rcp_result.bytes));
}

/* Before each launch, not timed: writes the input of this version. Each version has another
 * result. It is spoilt before; if something must stand there, write it here. */
static void prepare(int version) {
    for (int i = 0; i < N; i++)
        host[i] = (float)(i + version);
    RCP_CHECK(cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice));
}

/* What is timed, in rcp_stream. It must not wait for the device. */
static void launch(void) {
    my_kernel<<<(N + 255) / 256, 256, 0, rcp_stream>>>(input, (float *)rcp_result.data, N);
    RCP_CHECK(cudaGetLastError());
}

/* The first wrong element of the result, which was copied to the host; -1: all are right. */
static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < N; i++)
        if (!(out[i] == 2 * (float)(i + version))) /* not a number, too */
            return i;
    return -1;
}

#endif

/* ---- How it is timed ---- */

enum { RCP_RUNS = 101 };
static const double rcp_shared = 0.22; /* see rcp_waited() */
#ifndef RCP_LONGEST_S
#define RCP_LONGEST_S 60 /* longer than your longest launch */
#endif
struct rcp_gate {
    int open, gave_up;
};
static volatile struct rcp_gate *rcp_gate; /* in host memory that the GPU can read */
static cudaEvent_t rcp_start, rcp_stop, rcp_zero;
static struct cudaDeviceProp rcp_device;
static cudaStream_t rcp_look_stream; /* waits for no other stream */
/* The result before the launch, and as it was when it was last looked at. */
static void *rcp_before, *rcp_seen;

/* Holds the stream until the host opens the gate. It gives up after a second, and says so. A
 * mistake of the host must not hang the GPU. */
static __global__ void rcp_block_stream(volatile struct rcp_gate *gate) {
    unsigned long long start_ns, now_ns; /* by the GPU's own clock */
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
    while (!gate->open && now_ns - start_ns < 1000000000);
    if (!gate->open)
        gate->gave_up = 1;
}

static __global__ void rcp_empty(void) {
}

static void rcp_launch_empty(void) {
    rcp_empty<<<1, 1, 0, rcp_stream>>>();
    RCP_CHECK(cudaGetLastError());
}

static char rcp_late[1024]; /* what is said if what follows takes too long */

static void rcp_give_up(int signal) {
    (void)signal;
    _exit(write(STDERR_FILENO, rcp_late, strlen(rcp_late)) > 0 ? 1 : 3);
}

/* From here on the program has so many seconds, until the next call: no wait is without an end. */
static void rcp_within(unsigned seconds, const char *or_else) {
    alarm(0);
    snprintf(rcp_late, sizeof rcp_late, "refused: %s (%s)\n", or_else, rcp_device.name);
    alarm(seconds);
}

static int64_t rcp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copies the result as it is now or, behind a wait in rcp_look_stream, as it will be then. */
static void rcp_look(void *copy, int now) {
    RCP_CHECK(cudaMemcpyAsync(copy, rcp_result.data, rcp_result.bytes, cudaMemcpyDeviceToHost,
                              rcp_look_stream));
    if (now)
        RCP_CHECK(cudaStreamSynchronize(rcp_look_stream));
}

struct rcp_span {
    double us;                /* between two events */
    double host_us;           /* for which the host was in `work` */
    double wait_us;           /* from the opening of the gate until all was done, by the host */
    int64_t begin_ns, end_ns; /* this wait */
};

/* Times `work` between two events, all three queued before the first one is reached, so that the
 * host's launch is not in it. With NULL: what the events themselves cost. If it is watched, for so
 * many ms at first the result must not change, and rcp_seen is the result at the second event,
 * whatever happens later. */
static struct rcp_span rcp_time(void (*work)(void), int watched_ms) {
    const int yours = work && work != rcp_launch_empty;
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    struct rcp_span time;
    float elapsed_ms;
    int early = 0;
    rcp_within(RCP_LONGEST_S, "launch() does not end: an endless kernel, or the driver");
    rcp_gate->open = 0;
    rcp_gate->gave_up = 0;
    rcp_block_stream<<<1, 1, 0, rcp_stream>>>(rcp_gate);
    RCP_CHECK(cudaGetLastError());
    RCP_CHECK(cudaEventRecord(rcp_start, rcp_stream));
    const int64_t launch_ns = rcp_now_ns();
    if (work)
        work();
    const int64_t launched_ns = rcp_now_ns();
    time.host_us = (double)(launched_ns - launch_ns) / 1e3;
    RCP_CHECK(cudaEventRecord(rcp_stop, rcp_stream));
    if (watched_ms > 0) {
        do { /* behind the gate nothing may run */
            rcp_look(rcp_seen, 1);
            early = memcmp(rcp_seen, rcp_before, rcp_result.bytes) != 0;
        } while (!early && rcp_now_ns() - launched_ns < 1000000LL * watched_ms);
        RCP_CHECK(cudaStreamWaitEvent(rcp_look_stream, rcp_stop, 0));
        rcp_look(rcp_seen, 0);
        for (const int64_t queued_ns = rcp_now_ns(); rcp_now_ns() - queued_ns < 100000;)
            ; /* until the copy stands ready */
    }
    const cudaError_t answer = cudaEventQuery(rcp_start);
    rcp_check(answer == cudaErrorNotReady ? cudaSuccess : answer, "cudaEventQuery", __FILE__,
              __LINE__);
    time.begin_ns = rcp_now_ns();
    __atomic_store_n(&rcp_gate->open, 1,
                     __ATOMIC_RELEASE); /* after all that is queued, on Arm too */
    RCP_CHECK(cudaDeviceSynchronize());
    time.end_ns = rcp_now_ns();
    if (rcp_gate->gave_up && blocking && strcmp(blocking, "0") != 0)
        RCP_REFUSE("each launch waits: CUDA_LAUNCH_BLOCKING=%s is set\n", blocking);
    if (rcp_gate->gave_up && yours)
        RCP_REFUSE("launch() waits on the host, or fills the launch queue: the gate was shut for a "
                   "second\n");
    if (rcp_gate->gave_up)
        RCP_REFUSE("the gate does not open, or a launch waits, before launch() is called: a "
                   "profiler, a sanitizer, a debugger, a full launch queue, or memory that the GPU "
                   "does not see\n");
    if (answer == cudaSuccess)
        RCP_REFUSE("the gate did not hold the stream\n");
    if (early)
        RCP_REFUSE("ran before its turn: its work is in another stream\n");
    RCP_CHECK(cudaEventElapsedTime(&elapsed_ms, rcp_start, rcp_stop));
    time.us = (double)elapsed_ms * 1e3;
    time.wait_us = (double)(time.end_ns - time.begin_ns) / 1e3;
    if (!(time.us > 0)) /* also if it is not a number */
        RCP_REFUSE("impossible: %.2f us between two events%s\n", time.us,
                   yours ? ": are they in another stream?" : "");
    if (time.us > 1.01 * time.wait_us + 10)
        RCP_REFUSE("impossible: %.2f us between two events, and the host waited for %.2f us\n",
                   time.us, time.wait_us);
    return time;
}

/* Of a launch that was watched: what is wrong with rcp_seen? */
static void rcp_check_result(int version) {
    if (first_wrong(rcp_seen, version) < 0 && first_wrong(rcp_seen, version - 1) >= 0)
        return;
    if (first_wrong(rcp_seen, version) < 0)
        RCP_REFUSE("first_wrong() accepts the result of another version: is the input the same, or "
                   "zero?\n");
    rcp_look(rcp_seen, 1); /* again: by now all streams are done */
    if (first_wrong(rcp_seen, version) < 0)
        RCP_REFUSE("was not finished when the stop event was\n");
    if (memcmp(rcp_seen, rcp_before, rcp_result.bytes) == 0)
        RCP_REFUSE("did nothing: the result is what it was before\n");
    for (int earlier = version - 1; earlier >= 0; earlier--)
        if (first_wrong(rcp_seen, earlier) < 0)
            RCP_REFUSE("stale result: of input %d, not of %d\n", earlier, version);
    RCP_REFUSE("wrong result at element %ld\n", first_wrong(rcp_seen, version));
}

static unsigned
    *rcp_others; /* --cold: what is read before each launch, twice the L2 cache, all 0 */

static __global__ void rcp_read_all(unsigned *data) {
    if (data[(size_t)blockIdx.x * blockDim.x + threadIdx.x] != 0) /* never */
        data[0] = 1;
}

static void rcp_make_ready(int version) {
    rcp_within(RCP_LONGEST_S, "prepare() does not end, or the driver");
    RCP_CHECK(
        cudaMemsetAsync(rcp_result.data, 0xff, rcp_result.bytes, rcp_stream)); /* not numbers */
    RCP_CHECK(cudaStreamSynchronize(rcp_stream)); /* prepare() may write there by another stream */
    prepare(version);
    RCP_CHECK(cudaDeviceSynchronize());
    rcp_look(rcp_before, 1);
    if (first_wrong(rcp_before, version) < 0)
        RCP_REFUSE("the result is right before the launch: prepare() must not leave it there\n");
    if (rcp_others) {
        if (rcp_device.major >= 8) /* before, nothing persists */
            RCP_CHECK(cudaCtxResetPersistingL2Cache());
        rcp_read_all<<<2 * (rcp_device.l2CacheSize / 1024), 256, 0, rcp_stream>>>(rcp_others);
        RCP_CHECK(cudaGetLastError());
        RCP_CHECK(cudaDeviceSynchronize()); /* or the wait for the launch would have it, too */
    }
}

static int rcp_by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sorts them. */
static double rcp_median(double *us, int count) {
    qsort(us, (size_t)count, sizeof *us, rcp_by_size);
    return us[count / 2];
}

/* Called before and behind what is measured. Returns the share of its time for which a thread of
 * this program waited for a core, of the one that waited least, as the threads also wait for each
 * other; those that hardly ran do not count. Measured on two cores with PoCL 3.1, launches of 1 us
 * to 80 ms: 0 to 0.20 on the quiet machine, 0.26 to 0.81 beside one, two or four busy loops.
 * Source: Documentation/scheduler/sched-stats.rst. Not on Linux: 0. */
static double rcp_waited(int64_t since_ns) {
    static struct {
        int id;
        long long ran_ns, waited_ns;
    } known[1024];
    static int count;
    DIR *tasks = opendir("/proc/self/task");
    double least = 1;
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        const int id = atoi(task->d_name);
        char path[64];
        long long ran_ns, waited_ns;
        int i = 0;
        snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", id);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%lld %lld", &ran_ns, &waited_ns) == 2) {
            while (i < count && known[i].id != id)
                i++;
            const double ran = (double)(ran_ns - known[i].ran_ns);
            const double waited = (double)(waited_ns - known[i].waited_ns);
            if (ran > 0.05 * (double)(rcp_now_ns() - since_ns) && waited < least * (ran + waited))
                least = waited / (ran + waited);
            known[i].id = id;
            known[i].ran_ns = ran_ns;
            known[i].waited_ns = waited_ns;
            count += i == count && count < 1023;
        }
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return least < 1 ? least : 0;
}

/* ms that the host of a virtual machine took, since the start. Source: proc(5). */
static double rcp_stolen_ms(void) {
    unsigned long long stolen = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (file && fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) != 1)
        stolen = 0; /* a system that does not count it */
    if (file)
        fclose(file);
    return (double)stolen * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

static const char *rcp_help =
    "usage: recipe [--cold] [--device N]\n"
    "Times launch() 101 times, each after prepare(). --cold: the caches have lost its data "
    "before.\n"
    "--device: the GPU of this number; else the first one, or that of set_up().\n"
    "A line 'disturbed: ...' below the number says why not to believe it. Ends with 0; 1: a call\n"
    "failed, or the number is refused; 2: wrong options; 77: no GPU.\n";

/* The GPU of --device; without it, NULL, as the driver or set_up() chooses. */
static void rcp_choose_device(const char *wanted) {
    int count;
    if (!wanted)
        return;
    RCP_CHECK(cudaGetDeviceCount(&count));
    const int is_number = *wanted && !wanted[strspn(wanted, "0123456789")];
    if (!is_number || strlen(wanted) > 4 || atoi(wanted) >= count) {
        fprintf(stderr, "--device %s: 0 to %d\n", wanted, count - 1);
        exit(2);
    }
    RCP_CHECK(cudaSetDevice(atoi(wanted)));
}

int main(int argc, char **argv) {
    static double floor_us[RCP_RUNS], empty_us[RCP_RUNS], work_us[RCP_RUNS], host_us[RCP_RUNS];
    static double empty_host_us[RCP_RUNS], late_us[RCP_RUNS], rest_us[RCP_RUNS];
    static double empty_rest_us[RCP_RUNS]; /* of the host's wait: what is not between the events */
    const char *wanted = NULL;
    int cold = 0, driver, number;
    struct rcp_span first, empty, work;
    float device_ms;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return fputs(rcp_help, stdout) < 0 || fflush(stdout) != 0;
        if (strcmp(argv[i], "--cold") == 0)
            cold = 1;
        else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            wanted = argv[++i];
        else {
            fprintf(stderr, "%s: there are --cold, --device N and --help\n", argv[i]);
            return 2;
        }
    }
    signal(SIGALRM, rcp_give_up);
    rcp_choose_device(wanted);
    set_up();
    RCP_CHECK(cudaGetDevice(&number)); /* set_up() may choose another than 0 */
    RCP_CHECK(cudaGetDeviceProperties(&rcp_device, number));
    RCP_CHECK(cudaDriverGetVersion(&driver));
    RCP_CHECK(cudaEventCreate(&rcp_start));
    RCP_CHECK(cudaEventCreate(&rcp_stop));
    RCP_CHECK(cudaEventCreate(&rcp_zero));
    RCP_CHECK(cudaStreamCreateWithFlags(&rcp_look_stream, cudaStreamNonBlocking));
    RCP_CHECK(cudaMallocHost(&rcp_before, rcp_result.bytes));
    RCP_CHECK(cudaMallocHost(&rcp_seen, rcp_result.bytes));
    RCP_CHECK(cudaMallocHost((void **)&rcp_gate, sizeof *rcp_gate));
    if (cold) {
        RCP_CHECK(cudaMalloc((void **)&rcp_others, 2 * (size_t)rcp_device.l2CacheSize));
        RCP_CHECK(cudaMemset(rcp_others, 0, 2 * (size_t)rcp_device.l2CacheSize));
    }
    rcp_make_ready(0);
    rcp_launch_empty();                    /* a first launch loads the kernel, and may wait */
    first = rcp_time(rcp_launch_empty, 0); /* what fails here is not launch()'s fault */
    RCP_CHECK(cudaEventRecord(rcp_zero, rcp_stream));
    first.begin_ns = rcp_now_ns();
    RCP_CHECK(cudaDeviceSynchronize());
    first.end_ns = rcp_now_ns();
    launch();
    srand((unsigned)time(NULL));
    const int64_t begin_ns = rcp_now_ns();
    const double stolen_before_ms = rcp_stolen_ms();
    rcp_waited(begin_ns);
    for (int run = 0, version = 1; run < RCP_RUNS; version++) {
        const int watched_ms = version == 1 ? 100 : rand() < RAND_MAX / 8 ? 1 : 0; /* 1 in 8 */
        floor_us[run] = rcp_time(NULL, 0).us;
        empty = rcp_time(rcp_launch_empty, 0);
        empty_us[run] = empty.us;
        empty_host_us[run] = empty.host_us;
        late_us[run] = empty.wait_us;
        empty_rest_us[run] = empty.wait_us - empty.us;
        rcp_make_ready(version);
        work = rcp_time(launch, watched_ms);
        work_us[run] = work.us;
        host_us[run] = work.host_us;
        rest_us[run] = work.wait_us - work.us;
        if (watched_ms > 0)
            rcp_check_result(version);
        else
            run++; /* one that was watched does not count: the looks read its result before */
    }
    const double all_ms = (double)(rcp_now_ns() - begin_ns) / 1e6, waited = rcp_waited(begin_ns);
    const double stolen_ms = rcp_stolen_ms() - stolen_before_ms;
    RCP_CHECK(cudaEventElapsedTime(&device_ms, rcp_zero, rcp_stop));
    rcp_within(RCP_LONGEST_S, "the number cannot be written");
    double *half_2 = work_us + RCP_RUNS / 2;
    const double half_1_us = rcp_median(work_us, RCP_RUNS / 2);
    const double half_2_us = rcp_median(half_2, RCP_RUNS - RCP_RUNS / 2);
    const int apart = /* three quarters of the one from three quarters of the other */
        work_us[RCP_RUNS * 3 / 8] < half_2[RCP_RUNS / 8] ||
        work_us[RCP_RUNS / 8] > half_2[RCP_RUNS * 3 / 8];
    const double median_us = rcp_median(work_us, RCP_RUNS);
    const double zero_us = rcp_median(floor_us, RCP_RUNS), us = median_us - zero_us;
    const double code_us = median_us - rcp_median(empty_us, RCP_RUNS);
    const double queued_us = rcp_median(host_us, RCP_RUNS);
    const double no_rest_us = rcp_median(empty_rest_us, RCP_RUNS);
    rcp_median(rest_us, RCP_RUNS);
    rcp_median(late_us, RCP_RUNS);
    if (rest_us[RCP_RUNS / 20] > 2 * no_rest_us + us / 4 + 20)
        RCP_REFUSE("the events do not cover the work: %.2f us between them, and each time the host "
                   "waited for %.2f us more; with an empty kernel for %.2f us more\n",
                   us, rest_us[RCP_RUNS / 20], no_rest_us);
    if (!(us > 0))
        RCP_REFUSE("no time at all: too short for events, or in another stream\n");
    if (queued_us > 1000 + 10 * rcp_median(empty_host_us, RCP_RUNS) + 2 * median_us)
        RCP_REFUSE("launch() waits, or works, on the host, for %.0f us\n", queued_us);
    printf("%s, driver for CUDA %d.%d; %d runs; the caches %s\n"
           "on the device: median %.2f us, 5th percentile %.2f us, 95th %.2f us; launch and drain "
           "are in it\n",
           rcp_device.name, driver / 1000, driver % 1000 / 10, RCP_RUNS,
           cold ? "full of other data" : "as prepare() left them", us,
           work_us[RCP_RUNS / 20] - zero_us, work_us[RCP_RUNS - 1 - RCP_RUNS / 20] - zero_us);
    if (code_us > 0)
        printf("its code:      %.2f us: the median minus an empty kernel's\n", code_us);
    else
        printf("its code:      too short to tell: an empty kernel takes as long\n");

    const double much_us = us / 4 + 0.5; /* half a us is no disturbance */
    const double from_us = work_us[RCP_RUNS / 2 - 10], to_us = work_us[RCP_RUNS / 2 + 10];
    const double late_ms = late_us[RCP_RUNS * 9 / 10] / 1e3; /* one of ten is later */
    const double least_ms = (double)(work.begin_ns - first.end_ns) / 1e6;
    const double most_ms = (double)(work.end_ns - first.begin_ns) / 1e6;
    if (to_us - median_us > much_us ||
        median_us - from_us > much_us) /* ranks n/2 -+ 0.98 sqrt(n) */
        printf("disturbed: the runs disagree: the median is somewhere from %.2f to %.2f us\n",
               from_us - zero_us, to_us - zero_us);
    if (apart && (half_1_us - half_2_us > much_us || half_2_us - half_1_us > much_us))
        printf("disturbed: median %.2f us of the first half of the runs, %.2f us of the second\n",
               half_1_us - zero_us, half_2_us - zero_us);
    if (waited > rcp_shared && late_ms > 1)
        printf("disturbed: each thread of this program waited for a core, %.0f %% of its time\n",
               100 * waited);
    else if (late_ms > 1)
        printf("disturbed: somebody else has the GPU: an empty kernel took up to %.1f ms\n",
               late_ms);
    if (stolen_ms > rcp_shared * all_ms)
        printf("disturbed: the virtual machine's host took %.0f of %.0f ms\n", stolen_ms, all_ms);
    if (device_ms < 0.99 * least_ms || device_ms > 1.01 * most_ms)
        printf("disturbed: the device's clock counts %.1f ms where the host's counts %.1f ms\n",
               device_ms, (least_ms + most_ms) / 2);
    if (fflush(stdout) == 0)
        return 0; /* all else goes with the process */
    perror("cannot write the result");
    return 1;
}
