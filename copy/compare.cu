/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Which of two CUDA launches is faster, A or B, and how sure? A program, and no file to edit: A and
 * B are shared objects with mine.cu's four functions, of two commits or two compilers' options.
 *
 * Build: nvcc -O2 -arch=native compare.cu -o compare -ldl
 *        nvcc -O2 -arch=native -shared -Xcompiler -fPIC,-fno-gnu-unique mine.cu -o new.so
 * Run:   ./compare old.so new.so
 * In another process buffers and code lie elsewhere, and B against A is another number. So each of
 * N processes gives one, and two of them enclose the median of all, as coins say (Conover 3.2). */
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

enum { EMPTY, A, B, KINDS, PROCESSES = 99, ROUNDS = 2000, VERSIONS = 199, LENGTHS = 41 };
enum how { IF_IT_FITS, TIMED, CHECKED };
static struct side { /* the first four are mine.cu's */
    cudaError_t (*set_up)(cudaStream_t, void **result, size_t *bytes);
    cudaError_t (*prepare)(cudaStream_t, int version);
    cudaError_t (*launch)(cudaStream_t);
    long (*first_wrong)(const void *copy, int version);
    const char *name;
    void *result; /* on the device */
    size_t bytes;
    double host_us;            /* of the host, for one launch: the least that was seen */
    int is_watched;            /* one row of it has been checked */
} sides[KINDS], *side = sides; /* side: whose turn it is */
static volatile struct counted {
    long long clocks, ns;
} * counted;                       /* by hold(), in host memory that the GPU can write */
static cudaStream_t stream, aside; /* aside: waits for no other stream */
static cudaEvent_t start, stop;
static unsigned char *before, *seen;            /* the result behind prepare(), and later */
static ulonglong2 *others;                      /* --cold: what is read before each launch, all 0 */
static unsigned others_blocks;                  /* each reads 4 KiB */
static int reads, version, rows, late, retaken; /* reads: of the empty kernel: see step_us() */

static struct found { /* by each process, in memory that all of them share */
    char device[256];
    const char *why[PROCESSES]; /* not to believe it; NULL: no reason */
    double us[KINDS][PROCESSES], mhz[KINDS][PROCESSES], more[PROCESSES], step_us[PROCESSES];
    int rounds, row, retaken;
} * found;

/* Ends with 1: names the side, and what it does in place of its work. */
#define REFUSE(...)                                                                                \
    (fprintf(stderr, "refused: %s ", side->name), fprintf(stderr, __VA_ARGS__),                    \
     fputc('\n', stderr), exit(1))
#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t code, const char *what, int line) {
    if (code == cudaSuccess) return;
    fprintf(stderr, "%s: compare.cu:%d: %s: error %d, %s\n", side->name, line, what, (int)code,
            cudaGetErrorString(code));
    exit(code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ? 77 : 1);
}

/* The GPU's own clock, in steps of 32 ns on an H200 and of 1024 ns on many others. */
static __device__ unsigned long long timer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Holds the stream for so long, and ends by itself, also if the timer stands still. */
static __global__ void hold(long long ns, volatile struct counted *to) {
    const unsigned long long start_ns = timer_ns();
    const long long start = clock64();
    long long for_ns, clocks;
    do {
        for_ns = (long long)(timer_ns() - start_ns);
        clocks = clock64() - start;
    } while (for_ns < ns && clocks < 8 * ns);
    to->clocks = clocks;
    to->ns = for_ns;
}

static __global__ void read_all(ulonglong2 *data) {
    const ulonglong2 both = data[(size_t)blockIdx.x * blockDim.x + threadIdx.x];
    if ((both.x | both.y) != 0) /* never */
        data[0].x = 1;
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

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
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
 * or more: neither fewer than k of n coins may show heads, nor fewer than k tails. */
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

static void copy_result(void *to, int now) { /* or behind a wait in `aside` */
    CHECK(cudaMemcpyAsync(to, side->result, side->bytes, cudaMemcpyDeviceToHost, aside));
    if (now) CHECK(cudaStreamSynchronize(aside));
}

/* The result is spoilt, and the input is new. */
static void make_ready(int is_checked) {
    version = 1 + (int)(random() % VERSIONS);
    CHECK(cudaMemsetAsync(side->result, 0xff, side->bytes, stream));
    CHECK(cudaStreamSynchronize(stream)); /* prepare() may write by another stream */
    CHECK(side->prepare(stream, version));
    CHECK(cudaDeviceSynchronize());
    if (is_checked) copy_result(before, 1);
    if (is_checked && side->first_wrong(before, version) < 0)
        REFUSE("cannot be checked: its result is right before it is launched");
}

/* Is what was seen right, and of this input and no other? If not when the last event was: why? */
static void check_result(void) {
    if (side->first_wrong(seen, version) < 0) {
        if (side->first_wrong(seen, version % VERSIONS + 1) < 0)
            REFUSE("cannot be checked: another input's result is right, too: all 0?");
        return;
    }
    copy_result(seen, 1);
    const long wrong = side->first_wrong(seen, version);
    if (wrong < 0) REFUSE("left work for later: it was not finished at its last event");
    if (memcmp(seen, before, side->bytes) == 0)
        REFUSE("did nothing: its result is as it was before");
    for (int old = 1; old <= VERSIONS; old++)
        if (side->first_wrong(seen, old) < 0)
            REFUSE("left a stale result: that of another input, which it had before");
    REFUSE("is wrong at element %ld of its result: a fast wrong kernel is no kernel", wrong);
}

/* While a stream is captured, calls that allocate, or use the default stream, fail. */
static void check_calls(void) {
    cudaStream_t captured;
    cudaGraph_t graph = NULL;
    CHECK(cudaStreamCreate(&captured));
    CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    cudaError_t code = side->launch(stream);
    const cudaError_t ended = cudaStreamEndCapture(captured, &graph);
    code = code == cudaSuccess ? ended : code;
    if (code != cudaSuccess)
        REFUSE("allocates, or waits, or uses the default stream: %s", cudaGetErrorString(code));
}

/* Microseconds of one launch in a row: two events around the row, all queued while the stream is
 * held, so that no launch of the host is in it; else it is taken again behind a hold of twice the
 * length. In a checked row the result must not change while the stream is held, and must be right
 * when `stop` has come. -1: it does not fit into the queue. */
static double time_row(int which, int row, enum how how) {
    side = &sides[which];
    const int undo = how == CHECKED && row > 1 && random() % 2 ? row - 1 : -1;
    double hold_us = 200 + 3 * row * fmin(side->host_us, 1000);
    if (how == CHECKED) /* work in another stream may start late; a copy takes its time */
        hold_us += (side->is_watched ? 1000 : 120000) + (double)side->bytes / 5e3;
    for (int tries = how == IF_IT_FITS ? 3 : 10; tries > 0; tries--, hold_us *= 2, retaken++) {
        int is_early = 0;
        float ms;
        alarm(60); /* no wait is without end */
        make_ready(how == CHECKED);
        const long long begin_ns = now_ns();
        hold<<<1, 1, 0, stream>>>((long long)(1e3 * hold_us), counted);
        if (others) read_all<<<others_blocks, 256, 0, stream>>>(others);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(start, stream));
        const long long launch_ns = now_ns();
        for (int i = 0; i < row; i++) {
            if (i == undo) /* what the launches before did does not count */
                CHECK(
                    cudaMemcpyAsync(side->result, before, side->bytes, cudaMemcpyDefault, stream));
            CHECK(side->launch(stream));
        }
        const long long launched_ns = now_ns();
        CHECK(cudaEventRecord(stop, stream));
        if (how == CHECKED) {
            do {
                copy_result(seen, 1);
                is_early = memcmp(seen, before, side->bytes) != 0;
            } while (!is_early && cudaEventQuery(start) == cudaErrorNotReady &&
                     now_ns() - launched_ns < (side->is_watched ? 300000 : 100000000));
            CHECK(cudaStreamWaitEvent(aside, stop, 0));
            copy_result(seen, 0);
        }
        const cudaError_t answer = cudaEventQuery(start);
        if (answer != cudaErrorNotReady) check(answer, "cudaEventQuery(start)", __LINE__);
        CHECK(cudaDeviceSynchronize());
        const double all_us = (double)(now_ns() - begin_ns) / 1e3;
        if (answer == cudaSuccess) continue; /* it was not held until all was queued */
        if (is_early) REFUSE("ran before its turn: its work is in another stream");
        if (how == CHECKED) check_result(), side->is_watched = 1;
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        const double us = (double)ms * 1e3, rest_us = all_us - hold_us - us;
        if (!(us > 0) || rest_us < -0.02 * all_us - 10) /* not a number, too */
            REFUSE("is impossible: %.3f us on the GPU, %.3f us on the host", hold_us + us, all_us);
        side->host_us = fmin(side->host_us, (double)(launched_ns - launch_ns) / 1e3 / row);
        rows++;
        late += rest_us > 1000 || (double)counted->ns / 1e3 > hold_us + 100;
        return us / row;
    }
    if (how != IF_IT_FITS || row == 1)
        REFUSE("is not held: launch() waits on the host, or fills the launch queue%s",
               which ? "" : "; or a profiler, a sanitizer, CUDA_LAUNCH_BLOCKING");
    return -1;
}

/* The step in which a launch in a row gets longer on this GPU. Kernels read a clock so often that
 * they take 5 us, and each some 12 ns more: their times would lie on a line. How far around it do
 * they lie? So much a difference of two launches may be too large or too small. */
static double step_us(int row) {
    const int half = LENGTHS / 2;
    double us[LENGTHS], slope = 0;
    const double short_us = (reads = 300, time_row(EMPTY, row, TIMED));
    const double long_us = (reads = 1300, time_row(EMPTY, row, TIMED));
    const double read_us = fmax((long_us - short_us) / 1000, 0.001);
    for (int k = 0; k < 3 * LENGTHS; k++) { /* a prime number of lengths, each seventh in turn */
        const int i = k * 7 % LENGTHS;
        reads = (int)(5 / read_us) + i * (int)ceil(0.012 / read_us);
        const double this_us = time_row(EMPTY, row, TIMED);
        us[i] = k < LENGTHS ? this_us : fmin(us[i], this_us);
    }
    reads = 0;
    for (int i = 0; i < 2 * half; i++) /* of the line between the means of the two halves */
        slope += (i < half ? -us[i] : us[i]) / half / half;
    for (int i = 0; i < LENGTHS; i++) us[i] -= i * slope;
    return percentile(us, LENGTHS, 99) - percentile(us, LENGTHS, 0);
}

/* Two sides need two states, so a file that is given twice is copied. GCC makes a template's static
 * one for all objects, and marks such a file: its byte 7 is 3. */
static void load(int which, const char *path) {
    static const char *const functions[] = {"set_up", "prepare", "launch", "first_wrong"};
    static void *object;
    char name[4096];
    side = &sides[which];
    const void *const other = object;
    object = dlopen(realpath(path, name) ? name : path, RTLD_NOW | RTLD_LOCAL);
    if (object && object == other) {
        const int from = open(path, O_RDONLY), to = memfd_create(path, 0);
        for (ssize_t n = 1; n > 0;) n = sendfile(to, from, NULL, 1 << 30);
        snprintf(name, sizeof name, "/proc/self/fd/%d", to);
        object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (!object) REFUSE("cannot be loaded: %s", dlerror());
    if (((const char *)((struct link_map *)object)->l_addr)[7] == 3)
        REFUSE("shares statics with the other side: build it with -Xcompiler -fno-gnu-unique");
    for (int i = 0; i < 4; i++) {
        void *const function = dlsym(object, functions[i]);
        if (!function) REFUSE("has no %s(), extern \"C\": see mine.cu", functions[i]);
        memcpy((void **)side + i, &function, sizeof function);
    }
    CHECK(side->set_up(stream, &side->result, &side->bytes));
    if (!side->result || side->bytes == 0)
        REFUSE("has no result: set_up() must say where it is, and how many bytes");
    side->host_us = 5;
}

static void measure(int p, char **paths, int cold, double seconds) {
    static double us[KINDS][ROUNDS], mhz[KINDS][ROUNDS], more[ROUNDS];
    struct cudaDeviceProp device;
    int driver, n = 0, row = 1;
    CHECK(cudaStreamCreate(&stream));  /* no GPU: 77, whatever the files are */
    load(p % 2 ? B : A, paths[p % 2]); /* who comes first lies elsewhere */
    load(p % 2 ? A : B, paths[1 - p % 2]);
    sides[EMPTY] = sides[A]; /* it has the result of A */
    sides[EMPTY].name = "an empty launch", sides[EMPTY].launch = launch_empty;
    side = sides;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaDriverGetVersion(&driver)); /* 13000 for 13.0 */
    snprintf(found->device, sizeof found->device, "%.200s, driver for CUDA %d.%d, toolkit %d.%d",
             device.name, driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking));
    const size_t bytes = sides[A].bytes + sides[B].bytes;
    CHECK(cudaMallocHost((void **)&before, 2 * bytes));
    seen = before + bytes;
    CHECK(cudaMallocHost((void **)&counted, sizeof *counted));
    if (cold) {
        others_blocks = (unsigned)device.l2CacheSize / 1024; /* four times the cache */
        CHECK(cudaMalloc((void **)&others, 4096 * (size_t)others_blocks));
        CHECK(cudaMemset(others, 0, 4096 * (size_t)others_blocks));
    }
    hold<<<1, 1, 0, stream>>>(1000, counted);
    for (int i = 0; i < KINDS; i++) { /* the warm-up, not held: a first launch may wait */
        side = &sides[i];
        make_ready(i != EMPTY);
        CHECK(side->launch(stream));
        CHECK(cudaDeviceSynchronize());
        if (i == EMPTY) continue;
        copy_result(seen, 1);
        check_result(); /* none may need what another one left */
        check_calls();
    }
    time_row(EMPTY, 1, IF_IT_FITS); /* what fails here is not launch()'s fault */
    const double both_us = time_row(A, 1, IF_IT_FITS) + time_row(B, 1, IF_IT_FITS);
    if (!cold) /* a row takes 2 ms, or a hundredth of the time */
        row = (int)fmax(1, fmin(fmin(4000, 2e4 * seconds) / both_us, 256));
    for (int which = A; which <= B; which++)
        while (row > 1 && time_row(which, row, IF_IT_FITS) < 0)
            row /= 2; /* it does not fit into the stream's queue */
    for (int i = 0; i < (p < 2 ? 16 : 6); i++)
        time_row(i % 2 ? A : B, 1 + (int)(random() % row), CHECKED);
    rows = late = retaken = 0;
    found->step_us[p] = p < 3 ? step_us(row < 32 ? row : 32) : 0;
    const long long end_ns = now_ns() + (long long)(1e9 * seconds);
    for (; (now_ns() < end_ns || n < 10) && n < ROUNDS; n++) {
        const int first = (int)(random() % KINDS), step = 1 + (int)(random() % 2);
        for (int k = 0; k < KINDS; k++) {
            const int i = (first + k * step) % KINDS;
            us[i][n] = time_row(i, row, TIMED);
            mhz[i][n] = 1e3 * (double)counted->clocks / (double)counted->ns;
        }
        more[n] = 100 * (us[B][n] / us[A][n] - 1);
        if (random() % 8 == 0) time_row(random() % 2 ? A : B, 1 + (int)(random() % row), CHECKED);
    }
    time_row(A, row, CHECKED);
    time_row(B, row, CHECKED);
    for (int i = 0; i < KINDS; i++) {
        side = &sides[i];
        found->us[i][p] = percentile(us[i], n, 50);
        found->mhz[i][p] = percentile(mhz[i], n, 50);
        if (i && side->host_us > 100 && side->host_us > 3 * found->us[i][p])
            REFUSE("keeps the host for %.0f us in launch()", side->host_us);
    }
    found->more[p] = percentile(more, n, 50), found->why[p] = NULL;
    found->rounds = n, found->row = row, found->retaken += retaken;
    if (percentile(us[A], n, 75) > 1.25 * percentile(us[A], n, 25)) found->why[p] = "runs_disagree";
    if (late + retaken > rows / 4) found->why[p] = "host_waited";
}

/* The table and the exit code. gate: -1: none. */
static int report(const struct found *f, int n, int repeated, int cold, double gate, char **paths) {
    double more[PROCESSES], sure_percent;
    const int k = rank_of(n, &sure_percent);
    const char *why = "-", *verdict = "undecided";
    char day[16];
    const time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    qsort(memcpy(more, f->more, sizeof more), (size_t)n, sizeof *more, by_size);
    const double low = more[k - 1], high = more[n - k], center = percentile(more, n, 50);
    const double step = percentile(f->step_us, 3, 50);
    const double step_percent = 100 * step / percentile(f->us[A], n, 50);
    const int is_sure = fabs(center) >= step_percent;
    if (low > 0) verdict = is_sure ? "slower" : "slower_below_step";
    if (high < 0) verdict = is_sure ? "faster" : "faster_below_step";
    for (int i = 0; i < n; i++) why = f->why[i] ? f->why[i] : why;
    /* A step above the gate could hide a slower B, if the interval is not within the gate. */
    const int is_within = step_percent < gate || low > -gate || high < -step_percent;
    int code = gate < 0 || (high < gate && is_within) ? 0 : low > gate && is_sure ? 3 : 4;
    if (*why != '-') code = 4;
    printf("# Compare, %s: %s; the caches %s\n# A: %s\n# B: %s\n"
           "# %d processes, %d repeated; %d rounds of %d launches; %d taken again\n"
           "launch        us more_percent low_percent high_percent step_percent sm_mhz "
           "verdict           disturbed\n",
           day, f->device, cold ? "full of other data" : "as the launch before left them", paths[0],
           paths[1], n, repeated, f->rounds, f->row, f->retaken);
    for (int i = EMPTY; i <= A; i++)
        printf("%-6s %9.3f %12s %11s %12s %12s %6.0f %-17s %s\n", i ? "A" : "empty",
               percentile(f->us[i], n, 50), "-", "-", "-", "-", percentile(f->mhz[i], n, 50), "-",
               i ? why : "-");
    printf("B      %9.3f %12.2f %11.2f %12.2f %12.2f %6.0f %-17s %s\n", percentile(f->us[B], n, 50),
           center, low, high, step_percent, percentile(f->mhz[B], n, 50), verdict, why);
    printf("# step_us %.3f\n# sure_percent %.1f\n", step, sure_percent);
    const char *const judged = code == 0 ? "passed" : code == 3 ? "slower" : "unknown";
    if (gate >= 0) printf("# gate_percent %.2f\n# gate %s\n", gate, judged);
    return fflush(stdout) == 0 ? code : (perror("cannot write the result"), 1);
}

int main(int argc, char **argv) {
    char *paths[2] = {NULL, NULL}, rest;
    int cold = 0, repeated = 0, is_wrong = 0, given = 0;
    double gate = -1, n = 9, seconds = 5;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        double *const to = strcmp(word, "--gate") == 0        ? &gate
                           : strcmp(word, "--processes") == 0 ? &n
                           : strcmp(word, "--seconds") == 0   ? &seconds
                                                              : NULL;
        if (to)
            is_wrong |= ++i == argc || sscanf(argv[i], "%lf%c", to, &rest) != 1 || !(*to >= 0);
        else if (strcmp(word, "--cold") == 0)
            cold = 1;
        else if (*word != '-' && given < 2)
            paths[given++] = argv[i];
        else
            is_wrong = 1;
    }
    static const char usage[] = "usage: compare A.so B.so [--gate PERCENT] [--cold] "
                                "[--processes 6 to 99] [--seconds S]\n";
    if (is_wrong || given < 2 || n < 6 || n > PROCESSES || n != floor(n) || seconds > 1e6)
        return fputs(usage, stderr), 2;
    sides[EMPTY].name = "an empty launch", sides[A].name = "A", sides[B].name = "B";
    found = (struct found *)mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) return perror("no memory that the processes share"), 1;
    for (int p = 0; p < (int)n; p++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            dup2(STDERR_FILENO, STDOUT_FILENO); /* what set_up() prints is no result */
            srandom((unsigned)now_ns());
            measure(p, paths, cold, seconds / n);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
            return fprintf(stderr, "refused: process %d: signal %d\n", p, WTERMSIG(status)), 1;
        if (status != 0) return WEXITSTATUS(status);             /* it has said why */
        if (found->why[p] && repeated < (int)n) repeated++, p--; /* once more */
    }
    return report(found, (int)n, repeated, cold, gate, paths);
}
