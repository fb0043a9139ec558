/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Which of two CUDA launches is faster, A or B, and how sure? A program, and no file to edit: A and
 * B are shared objects with mine.cu's four functions, of two commits or two compilers' options.
 *
 * Build: nvcc -O2 -arch=native compare.cu -o compare -ldl
 *        nvcc -O2 -arch=native -shared -Xcompiler -fPIC,-fno-gnu-unique mine.cu -o new.so
 * Run:   ./compare old.so new.so
 * In another process buffers and code lie elsewhere, and B against A is another number: so each of
 * N processes gives one, measure(), and two of them enclose the median of all, report(). */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EMPTY, A, B, SIDES, PROCESSES = 99, ROUNDS = 2000, VERSIONS = 199, LENGTHS = 41 };
enum { LOAD_S = 600, ROW_S = 60, HOLD_US = 1000000 }; /* the longest; to load may be to compile */

struct side {
    cudaError_t (*set_up)(cudaStream_t, void **result, size_t *bytes); /* four of mine.cu */
    cudaError_t (*prepare)(cudaStream_t, int version);
    cudaError_t (*launch)(cudaStream_t);
    long (*first_wrong)(const void *copy, int version);
    const char *name;
    void *result; /* on the device */
    size_t bytes;
    double host_us; /* for which the host was in launch(): the least */
};

static struct found { /* by each process, in memory that all of them share */
    double us[SIDES][PROCESSES], mhz[SIDES][PROCESSES];
    double more_percent[PROCESSES], step_us[PROCESSES];
    const char *why[PROCESSES], *who; /* not to believe it, or NULL; who is at work */
    int tries[PROCESSES], rounds, launches, retaken, is_done;
    char device[256];
} * found;

static cudaStream_t stream, aside, captured; /* aside: waits for no other stream */
static cudaEvent_t start, stop;
static volatile struct counted {
    long long clocks, ns;
} * counted;                         /* by hold(), in host memory that the GPU can write */
static unsigned char *before, *seen; /* the result behind prepare(), and later */
static ulonglong2 *others;           /* --cold: what is read before each row, all 0 */
static int version, rows, late, retaken, reads, others_blocks; /* each block reads 4 KiB */

#define REFUSE(...)                                                                                \
    (fprintf(stderr, "refused: %s ", found->who), fprintf(stderr, __VA_ARGS__),                    \
     fputc('\n', stderr), exit(1))
#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t code, const char *call, int line) {
    if (code == cudaSuccess) return;
    fprintf(stderr, "%s: compare.cu:%d: %s: error %d, %s\n", found->who, line, call, (int)code,
            cudaGetErrorString(code));
    exit(!stream && (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver) ? 77 : 1);
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int random_up_to(int most) { return 1 + (int)(random() % most); }

/* The GPU's own clock, in steps of 32 ns on an H200 and of 1024 ns on many others. */
static __device__ long long timer_ns(void) {
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Holds the stream for so long, and ends by itself, also if the timer stands still. */
static __global__ void hold(long long ns, volatile struct counted *to) {
    const long long start_ns = timer_ns(), start = clock64();
    long long for_ns, clocks;
    do {
        for_ns = timer_ns() - start_ns;
        clocks = clock64() - start;
    } while (for_ns < ns && clocks < 8 * ns);
    to->clocks = clocks;
    to->ns = for_ns;
}

static __global__ void read_all(ulonglong2 *data) {
    const ulonglong2 both = data[(size_t)blockIdx.x * blockDim.x + threadIdx.x];
    if ((both.x | both.y) != 0) data[0].x = 1; /* never */
}

/* Reads a clock so often: each reading makes it a little longer. 0: the empty kernel. */
static __global__ void read_clock(int times, volatile struct counted *never) {
    long long sum = 1;
#pragma unroll 1
    for (int i = 0; i < times; i++) sum += clock64();
    if (sum == 0) never->ns = 0;
}

static cudaError_t launch_empty(cudaStream_t where) {
    return read_clock<<<1, 1, 0, where>>>(reads, counted), cudaGetLastError();
}

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of n samples the one that so many percent of them are below; of two in the middle their mean. */
static double percentile(const double *samples, int n, int percent) {
    static double sorted[ROUNDS];
    qsort(memcpy(sorted, samples, (size_t)n * sizeof *sorted), (size_t)n, sizeof *sorted, by_size);
    return (sorted[(n - 1) * percent / 100] + sorted[n * percent / 100]) / 2;
}

/* The largest k for which the k-th smallest and the k-th largest of n enclose the median with 95 %
 * or more: neither fewer than k of n coins may show heads, nor fewer than k tails (Conover 3.2). */
static int rank_of(int n, double *sure_percent) {
    double exactly = pow(0.5, n), fewer = 0;
    int k = 0;
    for (; fewer + exactly <= 0.025; k++) {
        fewer += exactly;
        exactly *= (double)(n - k) / (k + 1);
    }
    *sure_percent = 100 * (1 - 2 * fewer);
    return k;
}

static void copy_result(const struct side *side, void *to) {
    CHECK(cudaMemcpyAsync(to, side->result, side->bytes, cudaMemcpyDeviceToHost, aside));
    CHECK(cudaStreamSynchronize(aside));
}

/* Is what was seen right, and of this input and no other? If not when the last event was: why? */
static void check_result(const struct side *side) {
    const int is_right = side->first_wrong(seen, version) < 0;
    if (is_right && side->first_wrong(seen, version % VERSIONS + 1) >= 0) return;
    if (is_right) REFUSE("cannot be checked: another input's result is right, too: all 0?");
    CHECK(cudaDeviceSynchronize());
    copy_result(side, seen);
    const long wrong = side->first_wrong(seen, version);
    if (wrong < 0) REFUSE("left work for later: it was not finished at its last event");
    if (memcmp(seen, before, side->bytes) == 0)
        REFUSE("did nothing: its result is as it was before");
    for (int old = 1; old <= VERSIONS; old++)
        if (side->first_wrong(seen, old) < 0)
            REFUSE("left a stale result: that of another input, which it had before");
    REFUSE("is wrong at element %ld of its result: a fast wrong kernel is no kernel", wrong);
}

/* Spoils the result, and writes a new input; an empty launch has none. */
static void make_ready(const struct side *side) {
    found->who = side->name;
    alarm(rows > 0 ? ROW_S : LOAD_S);
    if (side->launch == launch_empty) return;
    version = random_up_to(VERSIONS);
    CHECK(cudaMemsetAsync(side->result, 0xff, side->bytes, stream));
    CHECK(cudaStreamSynchronize(stream)); /* prepare() may write by another stream */
    CHECK(side->prepare(stream, version));
    CHECK(cudaDeviceSynchronize());
}

/* A row of launches between two events, queued while the stream is held, so that no work of the
 * host is between them. Before the launch `undone` all that was done is undone; -1: before none. */
static void queue_row(struct side *side, int launches, int undone, double hold_us) {
    hold<<<1, 1, 0, stream>>>((long long)(1e3 * hold_us), counted);
    if (others) read_all<<<others_blocks, 256, 0, stream>>>(others);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(start, stream));
    const long long begin_ns = now_ns();
    for (int i = 0; i < launches; i++) {
        if (i == undone)
            CHECK(cudaMemcpyAsync(side->result, before, side->bytes, cudaMemcpyDefault, stream));
        CHECK(side->launch(stream));
    }
    side->host_us = fmin(side->host_us, (double)(now_ns() - begin_ns) / 1e3 / launches);
    CHECK(cudaEventRecord(stop, stream));
}

/* The result must not change while the stream is held, and must be right when `stop` has come. */
static void check_row(struct side *side, int launches, int watch_us) {
    const double host_us = launches * fmin(side->host_us, 1000) + (double)side->bytes / 15e3;
    make_ready(side);
    copy_result(side, before);
    if (side->first_wrong(before, version) < 0)
        REFUSE("cannot be checked: its result is right before it is launched");
    queue_row(side, launches, launches > 1 && random() % 2 ? launches - 1 : -1,
              1200 + 3 * host_us + 1.2 * watch_us);
    const long long end_ns = now_ns() + 1000 * watch_us;
    do {
        copy_result(side, seen);
        if (cudaEventQuery(start) != cudaErrorNotReady) break;
        if (memcmp(seen, before, side->bytes) != 0)
            REFUSE("ran before its turn: its work is in another stream");
    } while (now_ns() < end_ns);
    CHECK(cudaStreamWaitEvent(aside, stop, 0));
    copy_result(side, seen);
    check_result(side);
}

/* While a stream is captured, calls that allocate, or use the default stream, fail. */
static void check_calls(const struct side *side) {
    cudaGraph_t graph;
    CHECK(cudaStreamCreate(&captured)); /* the default stream would wait for it */
    CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    const cudaError_t code = side->launch(stream), ended = cudaStreamEndCapture(captured, &graph);
    if (code != cudaSuccess || ended != cudaSuccess)
        REFUSE("allocates, or waits, or uses the default stream: %s",
               cudaGetErrorString(code != cudaSuccess ? code : ended));
}

/* Microseconds of one launch in a row. If the hold ends before all is queued, again behind a hold
 * of twice the length; it returns -1 if no hold is long enough. */
static double time_row(struct side *side, int launches, double longest_us) {
    double hold_us = 200 + 3 * launches * fmin(side->host_us, 1000);
    for (; hold_us <= longest_us; hold_us *= 2, retaken++) {
        float ms;
        make_ready(side);
        const long long begin_ns = now_ns();
        queue_row(side, launches, -1, hold_us);
        const int is_held = cudaEventQuery(start) == cudaErrorNotReady;
        CHECK(cudaDeviceSynchronize());
        const double all_us = (double)(now_ns() - begin_ns) / 1e3;
        if (!is_held) continue;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        const double us = 1e3 * (double)ms, rest_us = all_us - hold_us - us;
        if (!(us > 0) || rest_us < -0.02 * all_us - 10 || counted->ns <= 0) /* not a number, too */
            REFUSE("is impossible: %.3f us on the GPU, %.3f us on the host", hold_us + us, all_us);
        rows++;
        late += rest_us > 1000 || (double)counted->ns / 1e3 > hold_us + 100;
        return us / launches;
    }
    if (longest_us == HOLD_US)
        REFUSE("is not held for %.0f ms: launch() waits on the host, or fills the launch queue%s",
               hold_us / 2e3, "; or a profiler, a sanitizer, CUDA_LAUNCH_BLOCKING");
    return -1;
}

/* The step in which a launch in a row gets longer on this GPU. Kernels read a clock so often that
 * they take 5 us, and each some 12 ns more: their times would lie on a line. How far around it do
 * they lie? So much a difference of two launches may be too large or too small. */
static double step_us(struct side *empty, int launches) {
    const int half = LENGTHS / 2;
    double us[LENGTHS], slope = 0;
    reads = 300;
    const double short_us = time_row(empty, launches, HOLD_US);
    reads = 1300;
    const double read_us = fmax((time_row(empty, launches, HOLD_US) - short_us) / 1000, 0.001);
    for (int k = 0; k < 3 * LENGTHS; k++) { /* each seventh in turn; the least of three */
        const int i = k * 7 % LENGTHS;
        reads = (int)(5 / read_us) + i * (int)ceil(0.012 / read_us);
        us[i] = fmin(k < LENGTHS ? INFINITY : us[i], time_row(empty, launches, HOLD_US));
    }
    reads = 0;
    for (int i = 0; i < 2 * half; i++) /* of the line between the means of the two halves */
        slope += (i < half ? -us[i] : us[i]) / half / half;
    for (int i = 0; i < LENGTHS; i++) us[i] -= i * slope;
    return percentile(us, LENGTHS, 99) - percentile(us, LENGTHS, 0);
}

static void set_up_gpu(int is_cold) {
    struct cudaDeviceProp device;
    int driver;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMallocHost((void **)&counted, sizeof *counted));
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaDriverGetVersion(&driver)); /* 13000 for 13.0 */
    snprintf(found->device, sizeof found->device, "%.200s, driver for CUDA %d.%d, toolkit %d.%d",
             device.name, driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
    if (!is_cold) return;
    others_blocks = device.l2CacheSize / 1024; /* four times the cache */
    CHECK(cudaMalloc((void **)&others, 4096 * (size_t)others_blocks));
    CHECK(cudaMemset(others, 0, 4096 * (size_t)others_blocks));
}

/* Two sides need two states, so a file that is given twice is copied. GCC makes a template's static
 * one for all objects, and marks such a file. */
static void load(struct side *side, const char *name, const char *path) {
    static const char *const names[] = {"set_up", "prepare", "launch", "first_wrong"};
    static void *other;
    char copied[32], *const absolute = realpath(path, NULL);
    found->who = side->name = name;
    void *object = dlopen(absolute ? absolute : path, RTLD_NOW | RTLD_LOCAL);
    if (object && object == other) {
        const int from = open(absolute, O_RDONLY), to = memfd_create("copied", 0);
        ssize_t n = 1;
        while (n > 0) n = sendfile(to, from, NULL, 1 << 30);
        if (n < 0) REFUSE("cannot be copied: %m");
        snprintf(copied, sizeof copied, "/proc/self/fd/%d", to);
        object = dlopen(copied, RTLD_NOW | RTLD_LOCAL);
    }
    if (!object) REFUSE("cannot be loaded: %s", dlerror());
    if (((const char *)((struct link_map *)object)->l_addr)[EI_OSABI] == ELFOSABI_GNU)
        REFUSE("shares statics with the other side: build it with -Xcompiler -fno-gnu-unique");
    other = object;
    for (int i = 0; i < 4; i++) { /* the first four of struct side */
        void *const function = dlsym(object, names[i]);
        if (!function) REFUSE("has no %s(), extern \"C\": see mine.cu", names[i]);
        memcpy((void **)side + i, &function, sizeof function);
    }
    CHECK(side->set_up(stream, &side->result, &side->bytes));
    side->host_us = INFINITY;
}

static void measure(int p, char **paths, int is_cold, double seconds) {
    static double us[SIDES][ROUNDS], mhz[SIDES][ROUNDS], more_percent[ROUNDS];
    struct side sides[SIDES] = {};
    int n = 0, launches = 1;
    alarm(LOAD_S);
    set_up_gpu(is_cold); /* no GPU: 77, whatever the files are */
    if (p % 2 == 0) load(&sides[A], "A", paths[0]);
    load(&sides[B], "B", paths[1]); /* who comes first lies elsewhere */
    if (p % 2 == 1) load(&sides[A], "A", paths[0]);
    sides[EMPTY] = sides[A]; /* it has the result of A */
    sides[EMPTY].name = "an empty launch", sides[EMPTY].launch = launch_empty;
    CHECK(cudaMallocHost((void **)&before, sides[A].bytes + sides[B].bytes));
    CHECK(cudaMallocHost((void **)&seen, sides[A].bytes + sides[B].bytes));
    for (int i = A; i <= B; i++) {
        check_row(&sides[i], 1, 0); /* a first launch may wait, until no hold is left */
        check_calls(&sides[i]);
        check_row(&sides[i], 1, 100000); /* work in another stream may be late */
    }
    time_row(&sides[EMPTY], 1, HOLD_US); /* what fails here is not launch()'s fault */
    const double both_us = time_row(&sides[A], 1, HOLD_US) + time_row(&sides[B], 1, HOLD_US);
    if (!is_cold) /* a row takes 2 ms, or a hundredth of the time */
        launches = (int)fmax(1, fmin(fmin(4000, 2e4 * seconds) / both_us, 256));
    for (int i = A; i <= B; i++)
        while (launches > 1 && time_row(&sides[i], launches, HOLD_US / 30) < 0)
            launches /= 2; /* it does not fit into the stream's queue */
    for (int i = 0; i < (p < 2 ? 16 : 6); i++)
        check_row(&sides[i % 2 ? A : B], random_up_to(launches), 300);
    rows = late = retaken = 0;
    found->step_us[p] = p < 3 ? step_us(&sides[EMPTY], launches < 32 ? launches : 32) : 0;
    const long long end_ns = now_ns() + (long long)(1e9 * seconds);
    for (; (now_ns() < end_ns || n < 10) && n < ROUNDS; n++) {
        const int first = random_up_to(SIDES), step = random_up_to(2);
        for (int k = 0; k < SIDES; k++) { /* in one of six orders */
            const int i = (first + k * step) % SIDES;
            us[i][n] = time_row(&sides[i], launches, HOLD_US);
            mhz[i][n] = 1e3 * (double)counted->clocks / (double)counted->ns; /* of the hold's SM */
        }
        more_percent[n] = 100 * (us[B][n] / us[A][n] - 1);
        if (random() % 8 == 0) check_row(&sides[random_up_to(2)], random_up_to(launches), 300);
    }
    for (int i = 0; i < SIDES; i++) {
        found->us[i][p] = percentile(us[i], n, 50);
        found->mhz[i][p] = percentile(mhz[i], n, 50);
        if (i == EMPTY) continue;
        check_row(&sides[i], launches, 300);
        if (sides[i].host_us > fmax(100, 3 * found->us[i][p]))
            REFUSE("keeps the host for %.0f us in launch()", sides[i].host_us);
        if (percentile(us[i], n, 75) > 1.25 * percentile(us[i], n, 25))
            found->why[p] = "runs_disagree";
    }
    if (late + retaken > rows / 4) found->why[p] = "host_waited";
    found->more_percent[p] = percentile(more_percent, n, 50);
    found->rounds = n, found->launches = launches, found->retaken += retaken;
    found->is_done = 1;
}

/* The exit code. A step above the gate could hide a slower B, unless B is so much faster; but then
 * no equal pair of short kernels could pass: an interval within the gate does. gate: -1: none. */
static int judge(double low, double high, double center, double step, double gate) {
    const int could_hide = step >= gate && low <= -gate && high + step >= gate;
    if (gate < 0 || (high < gate && !could_hide)) return 0; /* not slower, sure */
    return low > gate && center >= step ? 3 : 4;            /* slower, sure; cannot say */
}

static int report(int n, int repeated, int is_cold, double gate, char **paths) {
    double us[SIDES], mhz[SIDES], more[PROCESSES], sure_percent;
    char day[16];
    const char *why = "-", *verdict = "undecided";
    for (int i = 0; i < SIDES; i++)
        us[i] = percentile(found->us[i], n, 50), mhz[i] = percentile(found->mhz[i], n, 50);
    for (int p = 0; p < n; p++) why = found->why[p] ? found->why[p] : why;
    const int k = rank_of(n, &sure_percent);
    qsort(memcpy(more, found->more_percent, sizeof more), (size_t)n, sizeof *more, by_size);
    const double low = more[k - 1], high = more[n - k], center = percentile(more, n, 50);
    const double step = percentile(found->step_us, 3, 50), step_percent = 100 * step / us[A];
    const int is_sure = fabs(center) >= step_percent;
    if (low > 0) verdict = is_sure ? "slower" : "slower_below_step";
    if (high < 0) verdict = is_sure ? "faster" : "faster_below_step";
    const int code = *why != '-' ? 4 : judge(low, high, center, step_percent, gate);
    const time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    printf("# Compare, %s: %s; the caches %s\n# A: %s\n# B: %s\n"
           "# %d processes, %d repeated; %d rounds of %d launches; %d taken again\n"
           "launch        us more_percent low_percent high_percent step_percent sm_mhz "
           "verdict           disturbed\n",
           day, found->device, is_cold ? "full of other data" : "as the launch before left them",
           paths[0], paths[1], n, repeated, found->rounds, found->launches, found->retaken);
    for (int i = EMPTY; i <= A; i++)
        printf("%-6s %9.3f %12s %11s %12s %12s %6.0f %-17s %s\n", i ? "A" : "empty", us[i], "-",
               "-", "-", "-", mhz[i], "-", i ? why : "-");
    printf("B      %9.3f %12.2f %11.2f %12.2f %12.2f %6.0f %-17s %s\n", us[B], center, low, high,
           step_percent, mhz[B], verdict, why);
    printf("# step_us %.3f\n# sure_percent %.1f\n", step, sure_percent);
    const char *const judged = code == 0 ? "passed" : code == 3 ? "slower" : "unknown";
    if (gate >= 0) printf("# gate_percent %.2f\n# gate %s\n", gate, judged);
    return fflush(stdout) == 0 ? code : (perror("cannot write the result"), 1);
}

int main(int argc, char **argv) {
    int wrong = argc < 3 || *argv[1] == '-' || *argv[2] == '-', is_cold = 0, repeated = 0, status;
    double gate = -1, n = 9, seconds = 5;
    char rest;
    for (int i = 3; i < argc; i++) {
        double *const to = strcmp(argv[i], "--gate") == 0        ? &gate
                           : strcmp(argv[i], "--processes") == 0 ? &n
                           : strcmp(argv[i], "--seconds") == 0   ? &seconds
                                                                 : NULL;
        if (to) /* not a number is wrong, too */
            wrong |= ++i == argc || sscanf(argv[i], "%lf%c", to, &rest) != 1 ||
                     !(*to >= 0 && *to <= 1e6);
        else
            is_cold = strcmp(argv[i], "--cold") == 0, wrong |= !is_cold;
    }
    static const char usage[] = "usage: compare A.so B.so [--gate PERCENT] [--cold] "
                                "[--processes 6 to 99] [--seconds S]\n";
    if (wrong || n < 6 || n > PROCESSES || n != floor(n)) return fputs(usage, stderr), 2;
    found = (struct found *)mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) return perror("no memory that the processes share"), 1;
    for (int p = 0; p < (int)n; p++) {
        found->who = "compare", found->why[p] = NULL, found->is_done = 0;
        const pid_t child = fork();
        if (child == 0) {
            dup2(STDERR_FILENO, STDOUT_FILENO); /* what set_up() prints is no result */
            srandom((unsigned)now_ns());
            measure(p, argv + 1, is_cold, seconds / n);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) return perror("no process"), 1;
        const char *const how = WIFEXITED(status) ? "exit()" : strsignal(WTERMSIG(status));
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        const int has_no_gpu = code == 77 && !*found->device;
        if (!found->is_done && (code == 1 || code == 2 || has_no_gpu)) return code; /* said why */
        if (!found->is_done) REFUSE("was at work when its process ended: %s", how);
        if (found->why[p] && found->tries[p]++ == 0) repeated++, p--; /* once more */
    }
    return report((int)n, repeated, is_cold, gate, argv + 1);
}
