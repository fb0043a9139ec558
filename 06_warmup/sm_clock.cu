/* SPDX-License-Identifier: MIT
 *
 * How fast do the SMs run: after a pause, and when the whole GPU is busy for 20 seconds?
 *
 * Measures: the rate of one SM's clock against the GPU's timer: for a millisecond each, after three
 *   seconds of nothing; then in kernels that take much power, in turns: on the tensor cores with
 *   numbers that are all zero and with random ones, and without tensor cores. Beside it the time of
 *   a launch by an event pair. A turn's second half counts, when the clock's first fall is over.
 * Does not measure: your kernel, whose power depends on what it does and on its data; and the
 *   power, which `nvidia-smi dmon -s p` shows.
 *
 * Build: nvcc -O2 -arch=native -I../common sm_clock.cu -o sm_clock
 * Run:   ./sm_clock
 * Try:   ./sm_clock --runs 1200    a minute each; on a laptop, with and without its charger
 *        ./sm_clock --load 2    random numbers alone, for their power
 */
#include "cuda.h"
#include "report.h"
#include "samples.h"

enum { PAUSE_S = 3, PAUSE_ROWS = 10, BLOCKS_PER_SM = 4, LAUNCHES = 8, TURNS = 5, NUMBERS = 1024 };

/* What keeps the GPU busy: zeros and random numbers on the tensor cores, and random numbers without
 * them. The last two are names of its values in the record. */
enum { ZEROS, RANDOM, FMA, KINDS };
static const struct kind {
    const char *name;
    bool random, tensor;
    const char *launch_ms, *clock_mhz;
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

/* Multiplies and adds, nothing else: on the tensor cores if `tensor` is set and there
 * are some (compute capability 8.0 and later), which takes the most power. Each unsigned
 * is two numbers of 16 bits. */
static __global__ void multiply(const unsigned *numbers, float *sums, long long steps, bool tensor,
                                struct rate *rate) {
    const unsigned t = threadIdx.x, *n = numbers + t % (NUMBERS - 8);
    float s[16] = {0}, f[8];
    for (int k = 0; k < 8; k++)
        f[k] = (float)n[k];
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
    long long steps;          /* of each launch */
    cudaEvent_t start, stop;
    unsigned *numbers; /* this and the rest is on the device: what the kernels read */
    float *sums;       /* and write: one of each thread */
    struct rate *rate;
    int64_t begin_ns; /* of the samples, by the host's clock */
};

/* Of one kind: the medians of each turn, and the fewest cycles of all of its launches. */
struct result {
    double launch_ms[TURNS], clock_mhz[TURNS], fewest_cycles;
};

/* The rate that the kernel before has noted, while at most `most_ns` passed. */
static double noted_mhz(const struct experiment *e, double most_ns) {
    struct rate rate;
    CHECK_CUDA(cudaMemcpy(&rate, e->rate, sizeof rate, cudaMemcpyDeviceToHost));
    if (rate.clocks <= 0 || rate.ns == 0 || !((double)rate.ns <= most_ns))
        errx(EXIT_FAILED, "impossible: %lld clocks, %llu ns in a kernel; %g ns around it",
             rate.clocks, rate.ns, most_ns);
    return (double)rate.clocks * 1e3 / (double)rate.ns;
}

/* Numbers of 16 bits from 1 to 2 or from -2 to -1; 0 if `random` is not set.
 * And no sums: each is NaN. */
static void set_numbers(const struct experiment *e, bool random) {
    unsigned host[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        host[i] =
            random ? 0x3c003c00u | ((unsigned)rand() & 0x83ff) | ((unsigned)rand() & 0x83ff) << 16
                   : 0;
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
            errx(EXIT_FAILED,
                 "wrong result of %s: thread %zu of block %zu has %g, of the first block %g",
                 random ? "random numbers" : "zeros", i % e->threads, i / e->threads,
                 (double)found[i], (double)found[i % e->threads]);
    free(found);
}

struct row {
    int turn;
    const char *numbers;
    double since_s, launch_ms, clock_mhz; /* launch_ms NaN: no launch of a load */
    const char *doubt;
};

/* What all rows say, and the rates at both ends of the time after the pause. */
struct rows {
    struct row at[PAUSE_ROWS + 1 + TURNS * KINDS];
    int count;
    double begin_mhz, end_mhz;
};

/* A pause, and then `count` samples of one SM; ten get a row. Returns when the samples began. */
static int64_t measure_after_pause(const struct experiment *e, int count, struct rows *rows) {
    static double mhz[2 * MAX_RUNS + 1];
    static int64_t ns[2 * MAX_RUNS + 1];
    for (int i = 0; i <= count; i++) {
        ns[i] = now_ns();
        count_clocks<<<1, 1>>>(e->rate);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaDeviceSynchronize());
        mhz[i] = noted_mhz(e, 1.01 * (double)(now_ns() - ns[i]));
        if (i == 0) /* the first launch loads the kernel */
            sleep_for_ns(PAUSE_S * 1000000000LL);
    }
    for (int i = 1; i <= count; i += (count + PAUSE_ROWS - 1) / PAUSE_ROWS)
        rows->at[rows->count++] =
            (struct row){0, "none", (double)(ns[i] - ns[1]) / 1e9, NAN, mhz[i], NULL};
    rows->begin_mhz = mhz[1];
    rows->end_mhz = mhz[count];
    return ns[1];
}

/* The launches of one sample, between two events: returns the milliseconds of one launch. *mhz: the
 * clock of one SM in the last one. */
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

/* One turn: `count` samples of one kind. A slower clock makes a launch longer, but not its cycles:
 * where these are more, others had the GPU. */
static void measure_load(const struct experiment *e, const struct kind *kind, struct result *r,
                         int turn, int count, struct rows *rows) {
    static double launch_ms[MAX_RUNS], clock_mhz[MAX_RUNS]; /* of the second half */
    const int half = count / 2;
    const int64_t start_ns = now_ns();
    set_numbers(e, kind->random);
    for (int i = 0; i < count; i++) {
        double mhz;
        const double ms = time_launches_ms(e, kind->tensor, &mhz);
        r->fewest_cycles = r->fewest_cycles > 0 ? fmin(r->fewest_cycles, ms * mhz) : ms * mhz;
        if (i >= half) {
            launch_ms[i - half] = ms;
            clock_mhz[i - half] = mhz;
        }
    }
    check_found(e, kind->random);
    const double ms = r->launch_ms[turn] = median(launch_ms, (size_t)(count - half));
    const double mhz = r->clock_mhz[turn] = median(clock_mhz, (size_t)(count - half));
    const bool interrupted = ms - r->fewest_cycles / mhz > fmax(0.2 * ms, 0.000512);
    rows->at[rows->count++] =
        (struct row){turn + 1, kind->name, (double)(start_ns - e->begin_ns) / 1e9,
                     ms,       mhz,        interrupted ? "the launches were interrupted" : NULL};
}

int main(int argc, char **argv) {
    static struct rows rows;
    long long asked_runs = 200, threads = 256, steps = 65536, load = KINDS + 1;
    const struct opt options[] = {
        OPT_DEVICE,
        OPT_RUNS(&asked_runs),
        OPT_NUMBER("threads", &threads, 1024, "N threads in each block"),
        OPT_NUMBER("work", &steps, 1000000, "N steps in each launch"),
        OPT_NUMBER("load", &load, 4, "one load alone: 1 zeros, 2 random, 3 fma; 4 all, in turns"),
        END_OF_OPTIONS};
    parse_options(argc, argv, "How fast do the SMs run, after a pause and when all are busy?",
                  options);
    char driver[64];
    const struct cudaDeviceProp gpu = open_cuda(driver);
    struct experiment e = {};
    e.blocks = BLOCKS_PER_SM * (unsigned)gpu.multiProcessorCount;
    e.threads = (unsigned)threads;
    e.steps = steps;
    e.numbers = (unsigned *)new_on_device(NUMBERS * sizeof *e.numbers);
    e.sums = (float *)new_on_device((size_t)e.blocks * e.threads * sizeof *e.sums);
    e.rate = (struct rate *)new_on_device(sizeof *e.rate);
    CHECK_CUDA(cudaEventCreate(&e.start));
    CHECK_CUDA(cudaEventCreate(&e.stop));
    const int runs = (int)asked_runs, turns = runs < TURNS ? runs : TURNS;
    struct result results[KINDS] = {};
    e.begin_ns = measure_after_pause(&e, 2 * runs, &rows);
    for (int turn = 0; turn < turns; turn++)
        for (int kind = 0; kind < KINDS; kind++)
            if (load == kind + 1 || load > KINDS)
                measure_load(&e, &kinds[kind], &results[kind], turn,
                             runs * (turn + 1) / turns - runs * turn / turns, &rows);

    begin_record(options, gpu.name, driver);
    say("%s: %d ms of one SM after %d s of nothing (none); then all of it busy:\n"
        "%u blocks of %u threads, %lld steps, with zeros and with random numbers on the tensor\n"
        "cores, and without them (fma), in %d turns; of each load %d samples of %d launches\n\n",
        gpu.name, 2 * runs, PAUSE_S, e.blocks, e.threads, steps, turns, runs, LAUNCHES);
    value("begin_mhz", rows.begin_mhz);
    value("end_mhz", rows.end_mhz);
    for (const struct row *r = rows.at; r < rows.at + rows.count; r++)
        print_row(r->doubt, "turn=%d|numbers=%-7s|since_s=%.3f|launch_ms=%.3f|clock_mhz=%.0f",
                  r->turn, r->numbers, r->since_s, r->launch_ms, r->clock_mhz);
    say("\n");
    double launch_ms[KINDS] = {NAN, NAN, NAN};
    for (int kind = 0; kind < KINDS; kind++)
        if (load == kind + 1 || load > KINDS) {
            launch_ms[kind] =
                value(kinds[kind].launch_ms, median(results[kind].launch_ms, (size_t)turns));
            say("%s: a launch takes %.3f ms, at %.0f MHz.\n", kinds[kind].name, launch_ms[kind],
                value(kinds[kind].clock_mhz, median(results[kind].clock_mhz, (size_t)turns)));
        }
    if (load > KINDS)
        say("With random numbers the same kernel takes %.1f %% more time than with zeros.\n",
            value("random_more_percent", 100 * (launch_ms[RANDOM] / launch_ms[ZEROS] - 1)));
    return EXIT_SUCCESS; /* memory and events go with the process */
}
