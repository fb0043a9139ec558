/* SPDX-License-Identifier: MIT
 *
 * What does clock() see of a kernel that the host waits for?
 *
 * Measures: a spin of 1 ms by clock(), once with a wait that keeps the processor busy, as
 *   cudaDeviceSynchronize() does by default, and once with a wait that lets it sleep.
 * Does not measure: the kernel. clock() counts the processor's time, not the GPU's.
 *
 * Build: nvcc -O2 -arch=native -I../common cpu_clock.cu -o cpu_clock
 * Run:   ./cpu_clock
 * Try:   in main(), cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) before open_cuda(): now both
 *        waits sleep
 */
#include "clock.h"
#include "cuda_device.h"
#include "spin.h"
#include "summary.h"

static const unsigned long long spin_ns = 1000000;
static unsigned long long *ran_ns; /* on the device */
static cudaEvent_t done;

static void launch(void) {
    spin<<<1, 1>>>(spin_ns, ran_ns);
    CHECK_CUDA(cudaGetLastError());
}

/* Looks right: while the host waits, it asks again and again, and that is processor time. */
static double busy_us(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaDeviceSynchronize());
    const clock_t end_ticks = clock();
    return (double)(end_ticks - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* Wrong: the host sleeps, and clock() sees only how it launched, fell asleep and woke up. */
static double asleep_us(void) {
    const clock_t start_ticks = clock();
    launch();
    CHECK_CUDA(cudaEventRecord(done, 0)); /* made with cudaEventBlockingSync */
    CHECK_CUDA(cudaEventSynchronize(done));
    const clock_t end_ticks = clock();
    return (double)(end_ticks - start_ticks) * 1e6 / CLOCKS_PER_SEC;
}

/* How long the last spin says it ran. */
static double code_us(void) {
    unsigned long long ns;
    CHECK_CUDA(cudaMemcpy(&ns, ran_ns, sizeof ns, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemset(ran_ns, 0, sizeof *ran_ns)); /* the next spin must write its own */
    CHECK_CUDA(cudaDeviceSynchronize());
    if (ns < spin_ns)
        fail(EXIT_FAILED, "impossible: a spin of %llu ns ran %llu ns", spin_ns, ns);
    return (double)ns / 1e3;
}

int main(int argc, char **argv) {
    static double processor[2][MAX_RUNS], host[2][MAX_RUNS], code[2][MAX_RUNS];
    double (*const waits[])(void) = {busy_us, asleep_us};
    const char *const names[] = {"busy", "asleep"};
    struct summary s[2];
    options.device = "";
    options.runs = 31;
    parse_options(argc, argv, "What does clock() see of a kernel that the host waits for?");
    const struct cudaDeviceProp device = open_cuda();
    const size_t runs = (size_t)options.runs;
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));
    CHECK_CUDA(cudaEventCreateWithFlags(&done, cudaEventBlockingSync | cudaEventDisableTiming));

    begin_table(
        "clock(): a spin of %llu us on %s; %zu runs\n"
        "host: by the host's clock; code: by %%globaltimer in the spin; medians of these two\n\n",
        spin_ns / 1000, device.name, runs);
    busy_us();                              /* the warm-up */
    for (size_t run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int w = 0; w < 2; w++) {
            const int64_t start_ns = now_ns();
            processor[w][run] = waits[w]();
            host[w][run] = (double)(now_ns() - start_ns) / 1e3;
            code[w][run] = code_us();
        }
    for (int w = 0; w < 2; w++) {
        s[w] = summarize(processor[w], runs, step_us);
        const struct summary by_host = summarize(host[w], runs, step_us);
        cell("wait", -8, "%s", names[w]);
        summary_cells("us", 11, s[w]);
        number("host", "us", 9, 2, by_host.median);
        number("code", "us", 9, 2, median(code[w], runs));
        /* the second: somebody else had the GPU, or the processor, before the spin or during it */
        end_row(s[w].disturbed || by_host.disturbed || by_host.median > 1.25e-3 * (double)spin_ns);
    }
    end_table();
    say("clock() counts processor time. It sees %.0f us when the host waits busily, and\n"
        "%.0f us when it sleeps.\n",
        s[0].median, s[1].median);
    return EXIT_SUCCESS;
}
