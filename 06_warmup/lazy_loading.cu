/* SPDX-License-Identifier: MIT
 *
 * How much of a first launch does CUDA do earlier if it loads all kernels early?
 *
 * Measures: the first two launches of vector_add in new processes, by event pairs; in turns with
 *   CUDA_MODULE_LOADING=LAZY, where CUDA loads a kernel when it is first launched (the default on
 *   Linux since CUDA 12.2), and with EAGER, where it loads all kernels before that.
 * Does not measure: what EAGER costs at the start of the program; nor which part of it is for this
 *   kernel alone: the first launch after another kernel has only that part (warmup.cu).
 *
 * Build: nvcc -O2 -arch=native -I../common lazy_loading.cu -o lazy_loading
 * Run:   ./lazy_loading
 * Try:   ./lazy_loading --size 1024 --runs 15        a short kernel, and how far processes differ
 */
#include "clock.h"
#include "cold.h"
#include "summary.h"
#include "vectors.h" /* start, stop, elapsed_us() */

static size_t floats;
static float *vectors[3];

/* One launch. Lazy loading happens between the two events: so it is in this time. */
static double time_vector_add_us(void) {
    const unsigned blocks = (unsigned)((floats + 255) / 256);
    CHECK_CUDA(cudaEventRecord(start, 0));
    vector_add<<<blocks, 256>>>(vectors[A], vectors[B], vectors[C], floats);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    return elapsed_us();
}

/* What a cold process does. */
struct outcome {
    const char *loading; /* which the process is to set */
    double first_us, second_us;
    bool delayed;
};

static void run_cold(void *result) {
    struct outcome *outcome = (struct outcome *)result;
    setenv("CUDA_MODULE_LOADING", outcome->loading, 1); /* before the first call of CUDA */
    open_cuda();
    check_size(options.size, 3.0 * (double)floats * sizeof(float));
    set_up_vectors(vectors, floats);
    create_events();
    outcome->first_us = time_vector_add_us();
    const int64_t start_ns = now_ns();
    outcome->second_us = time_vector_add_us();
    outcome->delayed = is_delayed((double)(now_ns() - start_ns) / 1e3 - outcome->second_us);
    if (!(outcome->first_us > 0 && outcome->second_us > 0))
        fail(EXIT_FAILED, "impossible: launches of %g and %g us", outcome->first_us,
             outcome->second_us);
    check_vector_add(vectors[C], floats);
}

int main(int argc, char **argv) {
    enum { LAZY, EAGER, LOADINGS };
    static const char *const loadings[LOADINGS] = {"LAZY", "EAGER"};
    static double first_us[LOADINGS][MAX_RUNS], second_us[LOADINGS][MAX_RUNS];
    static struct outcome outcome;
    struct summary first[LOADINGS], second[LOADINGS];
    size_t delayed[LOADINGS] = {0, 0};
    options.device = "";
    options.runs = 5;
    options.size = 1 << 24;
    parse_options(argc, argv,
                  "How much of a first launch does CUDA do earlier if it loads all kernels early?");
    floats = (size_t)options.size;
    const size_t runs = (size_t)options.runs;
    for (size_t run = 0; run < runs; run++) /* in turns: each meets the same machine */
        for (int l = LAZY; l < LOADINGS; l++) {
            outcome.loading = loadings[l];
            in_new_process(run_cold, &outcome, sizeof outcome);
            first_us[l][run] = outcome.first_us;
            second_us[l][run] = outcome.second_us;
            delayed[l] += outcome.delayed;
        }

    begin_table("Module loading: vector_add of %zu floats on %s, by event pairs\n"
                "Medians of %zu new processes for each row\n\n",
                floats, machine.device, runs);
    for (int l = LAZY; l < LOADINGS; l++) {
        first[l] = summarize_us(first_us[l], runs);
        second[l] = summarize_us(second_us[l], runs);
        label("loading", 0, loadings[l]);
        number("first launch", "us", 2, first[l].median);
        number("second launch", "us", 2, second[l].median);
        end_row(first[l].disturbed || second[l].disturbed || 2 * delayed[l] > runs);
    }
    end_table();
    const double extra_us = value("extra", "us", first[LAZY].median - second[LAZY].median);
    const double saved_us = value("saved", "us", first[LAZY].median - first[EAGER].median);
    say("With LAZY the first launch takes %.2f us longer than the second.\n", extra_us);
    if (saved_us < 0)
        say("With EAGER it takes %.2f us more than with LAZY:\n", -saved_us);
    else
        say("With EAGER it takes %.2f us less than with LAZY:\n", saved_us);
    if (extra_us <= 0)
        say("no loading is to be seen here.\n");
    else if (saved_us < 0.1 * extra_us)
        say("loading early does not shorten it here.\n");
    else if (saved_us < 0.5 * extra_us)
        say("a part of the extra time is for what EAGER does before.\n");
    else
        say("most of the extra time is for what EAGER does before.\n");
    return EXIT_SUCCESS;
}
