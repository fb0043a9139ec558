/* SPDX-License-Identifier: MIT
 *
 * How long does each launch take in a row of launches?
 *
 * Measures: 1, 2, 5, 10 and 20 launches of vector_add in one pair of events behind the blocker,
 *   minus the floor, divided by their number.
 * Does not measure, with more than one: a launch by itself. In a row one launch's end and the next
 *   one's start may overlap, and each finds the caches as the one before left them. It is another
 *   question, neither more nor less right.
 *
 * Build: nvcc -O2 -arch=native -I../common event_batch.cu -o event_batch
 * Run:   ./event_batch
 * Try:   ./event_batch --size 16384        of a short kernel, how much overlaps?
 */
#include "blocker.h"
#include "summary.h"
#include "vectors.h"

static const int in_a_row[] = {1, 2, 5, 10, 20};
enum { BATCHES = sizeof in_a_row / sizeof in_a_row[0] };

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static float *a, *b, *c;
static size_t n;

/* Microseconds between two events with so many launches between them; 0 launches give the floor. */
static double pair_us(int launches) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (int i = 0; i < launches; i++) {
        vector_add<<<(unsigned)((n + 255) / 256), 256>>>(a, b, c, n);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

int main(int argc, char **argv) {
    static double samples_us[BATCHES][MAX_RUNS], floors_us[MAX_RUNS];
    struct summary s[BATCHES];
    options.device = "";
    options.runs = 31;
    options.size = 1 << 24;
    parse_options(argc, argv, "How long does each launch take in a row of launches?");
    const struct cudaDeviceProp device = open_cuda();
    const size_t runs = (size_t)options.runs;
    n = (size_t)options.size;
    check_size(options.size, 3.0 * (double)n * sizeof(float));
    set_up_blocker();
    a = device_vector(A, n);
    b = device_vector(B, n);
    c = device_vector(C, n);

    /* Once without the blocker: the warm-up. With lazy loading the first launch waits for the device. */
    vector_add<<<(unsigned)((n + 255) / 256), 256>>>(a, b, c, n);
    CHECK_CUDA(cudaGetLastError());
    check_vector_add(c, n);
    begin_table(
        "Event batch: vector_add of %zu floats on %s; %zu runs\n"
        "Of each launch: the event pair around all of them, minus its floor, / launches\n\n",
        n, device.name, runs);
    for (size_t run = 0; run < runs; run++) { /* in turns, the floor among them */
        floors_us[run] = pair_us(0);
        for (int i = 0; i < BATCHES; i++)
            samples_us[i][run] = pair_us(in_a_row[i]);
    }
    const struct summary floor = summarize(floors_us, runs, step_us);

    const bool shared = is_shared();
    for (int i = 0; i < BATCHES; i++) {
        for (size_t run = 0; run < runs; run++)
            samples_us[i][run] = (samples_us[i][run] - floor.median) / in_a_row[i];
        s[i] = summarize(samples_us[i], runs, step_us / in_a_row[i]);
        if (s[i].median <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us; the work is too short for events",
                 s[i].median);
        cell("launches", 8, "%d", in_a_row[i]);
        summary_cells("us", 11, s[i]);
        end_row(s[i].disturbed || floor.disturbed || shared ||
                is_interrupted(s[i].median, s[0].median));
    }
    end_table();
    say("One launch by itself takes %.2f us, each of %d in a row %.2f us.\n", s[0].median,
        in_a_row[BATCHES - 1], s[BATCHES - 1].median);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
