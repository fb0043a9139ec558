/* SPDX-License-Identifier: MIT
 *
 * How fast do the SMs run: after a pause, and when the whole GPU is busy for long?
 *
 * Measures: the rate of one SM's clock by the GPU's timer, after three seconds of nothing, then in
 *   kernels that take much power, by turns: with zeros and random numbers on the tensor cores, and
 *   without them. Beside it a launch's time, by an event pair. A turn's second half counts.
 * Does not measure: your kernel, whose power depends on what it does and on its data; and the
 *   power, which `nvidia-smi dmon -s p` shows.
 *
 * Build: nvcc -O2 -arch=native -I../common sm_clock.cu -o sm_clock
 * Run:   ./sm_clock
 * Try:   ./sm_clock --runs 1200    a minute each; on a laptop, with and without its charger
 */
#include "cuda.h"
#include "report.h"
#include "samples.h"

enum { PAUSE_S = 3, PAUSE_ROWS = 10, BLOCKS_PER_SM = 4, LAUNCHES = 8, TURNS = 5, NUMBERS = 1024 };

/* What keeps the GPU busy: zeros and random numbers on the tensor cores, and without them (fma). */
enum { ZEROS, RANDOM, FMA, KINDS };
static const struct {
    const char *name;
    bool random, tensor;
    const char *launch_ms, *clock_mhz; /* names in the record */
} kinds[KINDS] = {{"zeros", false, true, "zeros_launch_ms", "zeros_clock_mhz"},
                  {"random", true, true, "random_launch_ms", "random_clock_mhz"},
                  {"fma", true, false, "fma_launch_ms", "fma_clock_mhz"}};

/* ---- The kernels ---- */

/* The GPU's clock in nanoseconds, one for all SMs. "memory" keeps the compiler from moving loads
 * and stores across the reading. */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

struct rate { /* of one SM */
    long long clocks;
    unsigned long long ns;
};

/* One millisecond by the timer, and how often the SM's clock ticked meanwhile. */
static __global__ void count_clocks(struct rate *rate) {
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    unsigned long long ns;
    do
        ns = globaltimer_ns() - start_ns;
    while (ns < 1000000);
    rate->clocks = clock64() - start_clock;
    rate->ns = ns;
}

/* Each step multiplies and adds, on the tensor cores or without them, and loads nothing. Each
 * unsigned is two numbers of 16 bits. The tensor cores' instruction needs compute capability 8.0:
 * in a build for an older GPU such steps do nothing, so that check_found() ends the program. */
static __global__ void multiply(const unsigned *numbers, float *sums, long long steps, bool tensor,
                                struct rate *rate) {
    const unsigned t = threadIdx.x;
    unsigned n[8]; /* a copy: from `numbers` the loop would load them again and again */
    float s[16] = {0}, f[8];
    for (int k = 0; k < 8; k++) {
        n[k] = numbers[t % (NUMBERS - 8) + k];
        f[k] = (float)n[k];
    }
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    for (long long step = 0; step < steps; step++) {
#if __CUDA_ARCH__ >= 800
        if (tensor) {
            for (int k = 0; k < 16; k += 4)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                             "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(s[k]), "+f"(s[k + 1]), "+f"(s[k + 2]), "+f"(s[k + 3])
                             : "r"(n[0]), "r"(n[1]), "r"(n[2]), "r"(n[3]), "r"(n[4]), "r"(n[5]));
            continue;
        }
#else
        if (tensor)
            continue;
#endif
        for (int k = 0; k < 16; k++)
            s[k] = s[k] * 0.5f + f[k % 8];
    }
    if (blockIdx.x == 0 && t == 0) {
        rate->clocks = clock64() - start_clock;
        rate->ns = globaltimer_ns() - start_ns;
    }
    for (int k = 1; k < 16; k++)
        s[0] += s[k];
    sums[(size_t)blockIdx.x * blockDim.x + t] = s[0];
}

/* ---- The measurements ---- */

struct experiment {
    unsigned blocks, threads; /* threads: of each block */
    bool has_tensor; /* the GPU has the instruction for tensor cores that multiply() uses */
    long long steps; /* of each launch */
    cudaEvent_t start, stop;
    unsigned *numbers; /* from here on on the device */
    float *sums;       /* one of each thread */
    struct rate *rate;
};

struct row {
    int turn;
    const char *numbers;
    int64_t start_ns;            /* by the host's clock */
    double launch_ms, clock_mhz; /* launch_ms NaN: no launch of a load */
    const char *doubt;
};

/* The rate that the last kernel has noted; it ran for at most `most_ns`. Exits with 1 if not. */
static double noted_mhz(const struct experiment *e, double most_ns) {
    struct rate rate;
    CHECK_CUDA(cudaMemcpy(&rate, e->rate, sizeof rate, cudaMemcpyDeviceToHost));
    if (rate.clocks <= 0 || rate.ns == 0 || !((double)rate.ns <= most_ns))
        errx(EXIT_FAILED, "impossible: %lld clocks, %llu ns in a kernel; %g ns around it",
             rate.clocks, rate.ns, most_ns);
    return (double)rate.clocks * 1e3 / (double)rate.ns;
}

/* Zeros, or numbers of 16 bits from 1 to 2 and from -2 to -1. And no sums: each is NaN. */
static void set_numbers(const struct experiment *e, bool random) {
    uint16_t host[2 * NUMBERS] = {0};
    for (int i = 0; i < 2 * NUMBERS && random; i++)
        host[i] = (uint16_t)(0x3c00 | (rand() & 0x83ff));
    CHECK_CUDA(cudaMemcpy(e->numbers, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(e->sums, 0xff, (size_t)e->blocks * e->threads * sizeof *e->sums));
}

/* Exits with 1 unless each block found the same as the first, and 0 of zeros alone. */
static void check_found(const struct experiment *e, bool random) {
    const size_t count = (size_t)e->blocks * e->threads;
    float *found = (float *)new_memory(count * sizeof *found);
    CHECK_CUDA(cudaMemcpy(found, e->sums, count * sizeof *found, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        if (!(found[i] == found[i % e->threads]) || (found[i] == 0) == random)
            errx(EXIT_FAILED, "wrong result in block %zu: %g", i / e->threads, (double)found[i]);
    free(found);
}

static struct row time_one_sm(const struct experiment *e) {
    const int64_t start_ns = now_ns();
    count_clocks<<<1, 1>>>(e->rate);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    const double mhz = noted_mhz(e, 1.01 * (double)(now_ns() - start_ns));
    return (struct row){0, "none", start_ns, NAN, mhz, NULL};
}

/* A pause, and then one SM again and again. Each row is the first of so many samples. */
static void measure_after_pause(const struct experiment *e, int samples, struct row *rows) {
    time_one_sm(e); /* the first launch loads the kernel */
    sleep_for_ns(PAUSE_S * 1000000000LL);
    for (int i = 0; i < PAUSE_ROWS * samples; i++) {
        const struct row row = time_one_sm(e);
        if (i % samples == 0)
            rows[i / samples] = row;
    }
}

/* The milliseconds of a launch; several run between two events. *mhz: an SM's rate in the last. */
static double time_launches_ms(const struct experiment *e, bool tensor, double *mhz) {
    CHECK_CUDA(cudaEventRecord(e->start, 0));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        multiply<<<e->blocks, e->threads>>>(e->numbers, e->sums, e->steps, tensor, e->rate);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(e->stop, 0));
    CHECK_CUDA(cudaEventSynchronize(e->stop));
    const double us = elapsed_us(e->start, e->stop);
    *mhz = noted_mhz(e, us > 0 ? 1e3 * us + 2000 : NAN);
    return us / 1e3 / LAUNCHES;
}

/* One turn: so many samples of one kind, of which the second half counts. A slower clock makes a
 * launch longer, but it takes as many cycles: if it takes more, others had the GPU. Milliseconds
 * times MHz are thousands of cycles. */
static struct row measure_load(const struct experiment *e, int k, int turn, int samples,
                               double *fewest_kcycles) {
    static double launch_ms[MAX_RUNS], clock_mhz[MAX_RUNS];
    const size_t half = (size_t)(samples / 2), rest = (size_t)samples - half;
    struct row row = {};
    row.turn = turn + 1;
    row.numbers = kinds[k].name;
    row.start_ns = now_ns();
    set_numbers(e, kinds[k].random);
    for (int i = 0; i < samples; i++) {
        launch_ms[i] = time_launches_ms(e, kinds[k].tensor && e->has_tensor, &clock_mhz[i]);
        *fewest_kcycles = fmin(launch_ms[i] * clock_mhz[i], *fewest_kcycles);
    }
    check_found(e, kinds[k].random);
    row.launch_ms = median(launch_ms + half, rest);
    row.clock_mhz = median(clock_mhz + half, rest);
    if (row.launch_ms - *fewest_kcycles / row.clock_mhz > 0.2 * row.launch_ms)
        row.doubt = "the launches were interrupted";
    return row;
}

int main(int argc, char **argv) {
    long long runs = 200, threads = 256, steps = 65536;
    const struct opt options[] = {OPT_DEVICE, OPT_RUNS(&runs),
                                  OPT_NUMBER("threads", &threads, 1024, "N threads in each block"),
                                  OPT_NUMBER("work", &steps, 1000000, "N steps in each launch"),
                                  END_OF_OPTIONS};
    parse_options(argc, argv, "How fast do the SMs run, after a pause and when busy?", options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    struct experiment e = {};
    e.blocks = BLOCKS_PER_SM * (unsigned)gpu.multiProcessorCount;
    e.threads = (unsigned)threads;
    e.has_tensor = gpu.major >= 8;
    e.steps = steps;
    CHECK_CUDA(cudaMalloc(&e.numbers, NUMBERS * sizeof *e.numbers));
    CHECK_CUDA(cudaMalloc(&e.sums, (size_t)e.blocks * e.threads * sizeof *e.sums));
    CHECK_CUDA(cudaMalloc(&e.rate, sizeof *e.rate));
    CHECK_CUDA(cudaEventCreate(&e.start));
    CHECK_CUDA(cudaEventCreate(&e.stop));

    const int samples = ((int)runs + TURNS - 1) / TURNS; /* in each turn */
    struct row rows[PAUSE_ROWS + TURNS * KINDS], *end = rows + PAUSE_ROWS;
    double fewest_kcycles[KINDS] = {INFINITY, INFINITY, INFINITY};
    double launch_ms[KINDS][TURNS], clock_mhz[KINDS][TURNS], ms[KINDS], mhz[KINDS];
    measure_after_pause(&e, samples, rows);
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < KINDS; k++, end++) {
            *end = measure_load(&e, k, turn, samples, &fewest_kcycles[k]);
            launch_ms[k][turn] = end->launch_ms;
            clock_mhz[k][turn] = end->clock_mhz;
        }
    for (int k = 0; k < KINDS; k++) {
        ms[k] = median(launch_ms[k], TURNS);
        mhz[k] = median(clock_mhz[k], TURNS);
    }

    begin_record(options, gpu.name, driver);
    say("%s: %d ms of one SM after %d s of nothing (none); then all of it busy:\n"
        "%u blocks of %u threads, %lld steps, with zeros and with random numbers %s, in %d "
        "turns of %d samples of %d launches\n\n",
        gpu.name, PAUSE_ROWS * samples, PAUSE_S, e.blocks, e.threads, steps,
        e.has_tensor ? "on the tensor\ncores, and without them (fma)"
                     : "(no tensor\ncores used: they need compute capability 8.0)",
        TURNS, samples, LAUNCHES);
    value("begin_mhz", rows[0].clock_mhz);
    for (const struct row *row = rows; row < end; row++)
        print_row(row->doubt, "turn=%9d|numbers=%-7s|since_s=%9.3f|launch_ms=%9.3f|clock_mhz=%9.0f",
                  row->turn, row->numbers, (double)(row->start_ns - rows[0].start_ns) / 1e9,
                  row->launch_ms, row->clock_mhz);
    say("\n");
    for (int k = 0; k < KINDS; k++) {
        value(kinds[k].launch_ms, ms[k]);
        value(kinds[k].clock_mhz, mhz[k]);
        say("%s: a launch takes %.3f ms, at %.0f MHz.\n", kinds[k].name, ms[k], mhz[k]);
    }
    const double percent = value("random_more_percent", 100 * (ms[RANDOM] / ms[ZEROS] - 1));
    say("With random numbers it takes %.1f %% more time than with zeros.\n", percent);
    return EXIT_SUCCESS; /* memory and events go with the process */
}
