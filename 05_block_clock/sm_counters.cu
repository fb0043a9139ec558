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
#include "doubt.h"
#include "hold.h" /* globaltimer_ns(), the GPU's clock, one for all SMs */

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

/* *late_us: how much longer than the kernel the host waited, see doubt_wait(). */
static struct count run_count(long long length, double *late_us) {
    struct count *on_device, count;
    CHECK_CUDA(cudaMalloc(&on_device, sizeof *on_device));
    CHECK_CUDA(cudaMemset(on_device, 0, sizeof *on_device));
    CHECK_CUDA(cudaDeviceSynchronize());
    const int64_t start_ns = now_ns();
    count_clocks<<<1, 1>>>(length, on_device);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    const int64_t end_ns = now_ns();
    CHECK_CUDA(cudaMemcpy(&count, on_device, sizeof count, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(on_device));
    if (count.clocks <= 0 || (long long)count.ran_ns <= 0)
        errx(EXIT_FAILED, "impossible: %lld clocks in %llu ns", count.clocks, count.ran_ns);
    *late_us = (double)(end_ns - start_ns - (long long)count.ran_ns) / 1e3;
    return count;
}

/* Where would each SM's counter have stood when the timer of all SMs stood at block 0's start? */
struct zero_points {
    double apart;     /* of two SMs' counters, at most */
    long long across; /* the last end minus the first start */
    double launch_us; /* by the timer */
};

static struct zero_points find_zero_points(int sms, double clocks_per_us) {
    const int blocks = 4 * sms; /* enough for every SM to get some */
    const size_t bytes = (size_t)blocks * sizeof(struct stamp);
    struct stamp *on_device, *stamps = (struct stamp *)new_memory(bytes);
    double least = 0, most = 0;
    long long first = 0, last = 0;
    unsigned long long first_ns = UINT64_MAX, last_ns = 0;
    CHECK_CUDA(cudaMalloc(&on_device, bytes));
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
            errx(EXIT_FAILED, "impossible: block %d ends before it starts", b);
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
    free(stamps);
    const struct zero_points z = {most - least, last - first, (double)(last_ns - first_ns) / 1e3};
    return z;
}

/* `time_by`: the timer of all SMs, or the clocks and their rate. One run: nothing can disagree. */
static void print_what(const char *what, long long clocks, double time_us, const char *time_by,
                       unsigned doubts) {
    printf("%-15s %12lld %12.3f %-7s %s\n", what, clocks, time_us, time_by, first_doubt(doubts));
}

int main(int argc, char **argv) {
    struct args args = begin_args(argc, argv);
    end_args(&args);
    struct cudaDeviceProp gpu;
    double late_us, wrap_late_us;
    int has_watchdog;
    CHECK_CUDA(cudaGetDeviceProperties(&gpu, 0));
    CHECK_CUDA(cudaDeviceGetAttribute(&has_watchdog, cudaDevAttrKernelExecTimeout, 0));
    run_count(200000000, &late_us); /* the warm-up: 0.1 s, in which an idle GPU's clock goes up */
    const struct count rate = run_count(20000000, &late_us);
    const double rate_us = (double)rate.ran_ns / 1e3;
    const double clocks_per_us = (double)rate.clocks / rate_us;
    const struct zero_points zero = find_zero_points(gpu.multiProcessorCount, clocks_per_us);

    print_gpu_head(&gpu);
    puts("what                  clocks      time_us time_by disturbed");
    print_what("clock_rate", rate.clocks, rate_us, "timer", doubt_wait(late_us));
    print_what("zero_points", llround(zero.apart), zero.apart / clocks_per_us, "rate",
               doubt_wait(late_us));
    print_what("across_sms", zero.across, (double)zero.across / clocks_per_us, "rate",
               doubt_wait(late_us));
    /* Last, since it takes seconds; and not at all where the driver ends long kernels, as it does
     * on a GPU with a display. */
    if (has_watchdog) {
        warnx("counter_64_bit and _32_bit are left out: this GPU has a time limit for kernels");
    } else {
        const struct count wrap = run_count((1LL << 32) + (1LL << 28), &wrap_late_us);
        print_what("counter_64_bit", wrap.clocks, (double)wrap.ran_ns / 1e3, "timer",
                   doubt_wait(wrap_late_us));
        print_what("counter_32_bit", wrap.low_clocks, (double)wrap.low_clocks / clocks_per_us,
                   "rate", doubt_wait(wrap_late_us));
    }
    printf("# clock_mhz %.3f\n# across_sms_launch_us %.3f\n", clocks_per_us, zero.launch_us);
    return EXIT_SUCCESS;
}
