/* SPDX-License-Identifier: MIT
 *
 * How small a difference between two kernels can an event pair show?
 *
 * Measures: spins that get longer by one tick of the GPU's timer from row to row. extra: how much
 *   longer than the code the pair is; row_extra: the same for each of 16 launches between two events.
 *   If a pair could show every difference, both columns would be the same in all rows.
 * Does not measure: why they are not; and not the timer's own tick, which is in `code` as well.
 *
 * Build: nvcc -O2 -arch=native -I../../common event_step.cu -o event_step
 * Run:   ./event_step
 * Try:   ./event_step --runs 1001       does repeating make the differences smaller?
 */
#include "../../04_cuda_events/blocker.h"
#include "summary.h"

enum { LENGTHS = 24, ROW = 16 };
static const unsigned long long first_ns = 20000, tick_ns = 32;
static unsigned long long *ran_ns; /* on the device, of the launches of a row */

/* `launches` spins between two events. Returns the time of each, and stores that of its code. */
static double pair_us(int launches, unsigned long long length_ns, double *code_us) {
    unsigned long long ran[ROW], all_ns = 0;
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int i = 0; i < launches; i++) {
        spin<<<1, 1>>>(length_ns, ran_ns + i);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    const double us = elapsed_us();
    CHECK_CUDA(cudaMemcpy(ran, ran_ns, (size_t)launches * sizeof *ran, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemset(ran_ns, 0, ROW * sizeof *ran)); /* each launch must write its own anew */
    for (int i = 0; i < launches; i++) {
        if (ran[i] < length_ns || (double)(all_ns += ran[i]) / 1e3 > us + 2)
            fail(EXIT_FAILED, "impossible: spin %d of %llu ns ran %llu ns, in a pair of %g us",
                 i + 1, length_ns, ran[i], us);
    }
    *code_us = (double)all_ns / launches / 1e3;
    return us / launches;
}

int main(int argc, char **argv) {
    static double code_us[LENGTHS][MAX_RUNS], pairs_us[LENGTHS][MAX_RUNS],
        extra_us[LENGTHS][MAX_RUNS], row_extra_us[LENGTHS][MAX_RUNS];
    double extras_us[LENGTHS], row_extras_us[LENGTHS], row_code_us;
    options.device = "";
    options.runs = 101;
    parse_options(argc, argv, "How small a difference between two kernels can an event pair show?");
    const struct cudaDeviceProp device = open_cuda();
    const int runs = (int)options.runs;
    set_up_blocker();
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, ROW * sizeof *ran_ns));
    spin<<<1, 1>>>(first_ns, ran_ns); /* the warm-up: see cuda_events.cu on lazy loading */
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    begin_table(
        "Event step: spins, each %llu ns longer than the one before, on %s; medians of %d runs\n"
        "extra: the pair minus the code; row_extra: of each of %d launches between two "
        "events\n\n",
        tick_ns, device.name, runs, ROW);
    for (int run = 0; run < runs; run++)
        for (int i = 0; i < LENGTHS; i++) { /* in turns, and not in the order of the lengths */
            const int l = (i * 7 + run * 5) % LENGTHS;
            const unsigned long long length_ns = first_ns + (unsigned)l * tick_ns;
            pairs_us[l][run] = pair_us(1, length_ns, &code_us[l][run]);
            extra_us[l][run] = pairs_us[l][run] - code_us[l][run];
            row_extra_us[l][run] = pair_us(ROW, length_ns, &row_code_us);
            row_extra_us[l][run] -= row_code_us;
        }

    const bool shared = is_shared();
    for (int l = 0; l < LENGTHS; l++) {
        const struct summary extra = summarize(extra_us[l], (size_t)runs, step_us),
                             row = summarize(row_extra_us[l], (size_t)runs, step_us / ROW);
        extras_us[l] = extra.median;
        row_extras_us[l] = row.median;
        number("length", "us", 11, 3, (double)(first_ns + (unsigned)l * tick_ns) / 1e3);
        number("code", "us", 10, 3, median(code_us[l], (size_t)runs));
        number("pair", "us", 10, 3, median(pairs_us[l], (size_t)runs));
        number("extra", "us", 10, 3, extra.median);
        number("row_extra", "us", 14, 3, row.median);
        end_row(extra.disturbed || row.disturbed || shared ||
                is_interrupted(row.median, extra.median));
    }
    end_table();
    const struct summary extra = summarize(extras_us, LENGTHS, step_us),
                         row = summarize(row_extras_us, LENGTHS, step_us);
    value("extra_min", "us", extra.min);
    value("extra_max", "us", extra.max);
    value("extra_change", "us", extra.max - extra.min);
    value("row_extra_change", "us", row.max - row.min);
    say("The pair is %.3f to %.3f us longer than the code: extra changes by %.3f us with\n"
        "the length, row_extra by %.3f us. A smaller difference between two kernels may be\n"
        "the events' and not the kernels'.\n",
        extra.min, extra.max, extra.max - extra.min, row.max - row.min);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
