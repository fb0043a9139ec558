/* SPDX-License-Identifier: MIT
 *
 * What does an SM's clock count, from where, and when does it wrap?
 *
 * Measures: at what rate the counter runs; how far apart the counters of the SMs are, and what
 *   subtracting across SMs would give; where a read of its low 32 bits wraps.
 * Does not measure: any kernel's time; block_clock.cu does.
 *
 * Build: nvcc -O2 -arch=native -I../common sm_counters.cu -o sm_counters
 * Run:   ./sm_counters
 * Try:   start it twice: which rows are the same again?
 */
#include <stdint.h>

#include "blocked.h"
#include "cuda.h"

/* ---- The kernels ---- */

/* Runs for `length` clocks, and times that by the whole counter, by its low half, and by the timer
 * that all SMs share. */
struct count {
    long long clocks, low_clocks;
    unsigned long long ran_ns;
};

static __global__ void count_clocks(long long length, struct count *count) {
    const unsigned long long start_ns = globaltimer_ns();
    const long long start = clock64();
    unsigned start_low, end_low;
    long long end;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start_low)::"memory");
    do
        end = clock64();
    while (end - start < length);
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end_low)::"memory");
    count->ran_ns = globaltimer_ns() - start_ns;
    count->clocks = end - start;
    count->low_clocks = (long long)(end_low - start_low); /* unsigned: right below 2^32 clocks */
}

/* Every block writes down its SM's counter and the timer, then a thousand clocks later again. */
struct stamp {
    long long start_clock, end_clock;
    unsigned long long start_ns, end_ns;
};

static __global__ void stamp_blocks(struct stamp *stamps) {
    struct stamp s;
    s.start_ns = globaltimer_ns();
    s.start_clock = clock64();
    do
        s.end_clock = clock64();
    while (s.end_clock - s.start_clock < 1000);
    s.end_ns = globaltimer_ns();
    stamps[blockIdx.x] = s;
}

/* ---- The measurements ---- */

/* `time_by`: the timer of all SMs, or the clocks and their rate. */
static void print_row(struct table *table, const char *what, long long clocks, double time_us,
                      const char *time_by, const char *meaning, unsigned marks) {
    text(table, "what", 15, what);
    number(table, "clocks", 0, (double)clocks);
    number(table, "time_us", 2, time_us);
    table->cell[1].width = table->cell[2].width = 12; /* for more than 2^32 clocks */
    text(table, "time_by", 7, time_by);
    text(table, "meaning", 62, meaning);
    end_row(table, marks); /* one run: nothing can disagree */
}

static struct count run_count(long long length) {
    struct count *on_device, count;
    CHECK_CUDA(cudaMalloc((void **)&on_device, sizeof *on_device));
    CHECK_CUDA(cudaMemset(on_device, 0, sizeof *on_device));
    count_clocks<<<1, 1>>>(length, on_device);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&count, on_device, sizeof count, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(on_device));
    if (count.clocks <= 0 || (long long)count.ran_ns <= 0)
        fail(EXIT_FAILED, "impossible: %lld clocks in %llu ns", count.clocks, count.ran_ns);
    return count;
}

/* Returns the rate, in clocks per us. */
static double measure_rate(struct table *table, unsigned marks) {
    run_count(200000000); /* the warm-up: 0.1 s, in which an idle GPU's clock goes up */
    const struct count count = run_count(20000000);
    const double us = (double)count.ran_ns / 1e3;
    print_row(table, "clock_rate", count.clocks, us, "timer", "counted in that time", marks);
    return (double)count.clocks / us;
}

/* Where would each SM's counter have stood when the timer of all SMs stood at block 0's start?
 * Returns how long the launch took by that timer, in us. */
static double measure_zero_points(struct table *table, unsigned marks, int sms,
                                  double clocks_per_us) {
    const int blocks = 4 * sms; /* enough for every SM to get some */
    const size_t bytes = (size_t)blocks * sizeof(struct stamp);
    struct stamp *on_device, *stamps = (struct stamp *)malloc(bytes);
    double least = 0, most = 0;
    long long first = 0, last = 0;
    unsigned long long first_ns = UINT64_MAX, last_ns = 0;
    if (!stamps)
        fail(EXIT_FAILED, "no host memory for %d stamps", blocks);
    CHECK_CUDA(cudaMalloc((void **)&on_device, bytes));
    for (int launch = 0; launch < 2; launch++) { /* the first is the warm-up */
        CHECK_CUDA(cudaMemset(on_device, 0, bytes));
        stamp_blocks<<<(unsigned)blocks, 1>>>(on_device);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaMemcpy(stamps, on_device, bytes, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(on_device));

    for (int b = 0; b < blocks; b++) {
        const struct stamp *s = &stamps[b];
        if (s->end_clock <= s->start_clock || s->end_ns < s->start_ns)
            fail(EXIT_FAILED, "impossible: block %d ends before it starts", b);
        const long long start_clock = s->start_clock - stamps[0].start_clock;
        const long long end_clock = s->end_clock - stamps[0].start_clock;
        const double late_us = (double)(long long)(s->start_ns - stamps[0].start_ns) / 1e3;
        const double offset = (double)start_clock - late_us * clocks_per_us;
        least = offset < least ? offset : least;
        most = offset > most ? offset : most;
        first = start_clock < first ? start_clock : first;
        last = end_clock > last ? end_clock : last;
        first_ns = s->start_ns < first_ns ? s->start_ns : first_ns;
        last_ns = s->end_ns > last_ns ? s->end_ns : last_ns;
    }
    print_row(table, "zero_points", llround(most - least), (most - least) / clocks_per_us, "rate",
              "how far apart two SMs' counters stand at one moment, at most", marks);
    print_row(table, "across_sms", last - first, (double)(last - first) / clocks_per_us, "rate",
              "wrong: the last end minus the first start, of two SMs", marks);
    return (double)(last_ns - first_ns) / 1e3;
}

/* Last, since it takes seconds; and not at all where the driver ends long kernels, as it does on a
 * GPU with a display. */
static void measure_wrap(struct table *table, unsigned marks, int device, double clocks_per_us) {
    int has_watchdog;
    CHECK_CUDA(cudaDeviceGetAttribute(&has_watchdog, cudaDevAttrKernelExecTimeout, device));
    if (has_watchdog) {
        fprintf(stderr,
                "counter_64_bit and _32_bit are left out: this GPU has a time limit for kernels\n");
        return;
    }
    const struct count count = run_count((1LL << 32) + (1LL << 28));
    print_row(table, "counter_64_bit", count.clocks, (double)count.ran_ns / 1e3, "timer",
              "more than 2^32", marks);
    print_row(table, "counter_32_bit", count.low_clocks, (double)count.low_clocks / clocks_per_us,
              "rate", "the same run, by the low 32 bits of the counter", marks);
}

int main(int argc, char **argv) {
    const char *wanted = "";
    const struct arg args[] = {ARG_DEVICE(&wanted), END_OF_ARGS};
    parse_args(argc, argv, "What does an SM's clock count, from where, and how far?", args);
    const struct gpu gpu = open_cuda(wanted);
    const struct blocked_pair pair = new_blocked_pair();
    const unsigned marks = probe_gpu(&pair);
    struct table table = {};
    begin_record(args, gpu.properties.name, gpu.driver);
    say("SM counters on %s; %d SMs, single launches\n\n", gpu.properties.name, gpu.sms);
    const double clocks_per_us = measure_rate(&table, marks);
    const double launch_us = measure_zero_points(&table, marks, gpu.sms, clocks_per_us);
    measure_wrap(&table, marks, gpu.number, clocks_per_us);
    end_table(&table);
    value("clock_mhz", clocks_per_us);
    value("across_sms_launch_us", launch_us);
    say("The clock runs at %.0f MHz. By the timer of all SMs the launch of across_sms took\n"
        "%.2f us.\n",
        clocks_per_us, launch_us);
    return EXIT_SUCCESS;
}
