/* SPDX-License-Identifier: MIT
 *
 * How much of the difference between two runs comes from where the buffers lie?
 *
 * Measures: vector_add by event pairs behind a blocker, in medians of 31 launches, each after 0.1 s
 *   of warm-up: with the same buffers again; with new ones in the same process, made while the ones
 *   before are there; and with the first buffers of new processes. In turns, in an order drawn at
 *   random: so a machine that slows down adds to all three alike. See placement.h.
 * Does not measure: the kernel alone. The events' own floor is in each time (chapter 04).
 *
 * Build: nvcc -O2 -arch=native -I../../common placement.cu -o placement
 * Run:   ./placement
 * Try:   ./placement --size 1048576        where all data fits into the L2 cache
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "placement.h"
#include "vectors.h"

static size_t floats;
static float *first[3], *moved[3], **vectors = first;

static void launch(void) {
    const unsigned blocks = (unsigned)((floats + 255) / 256);
    vector_add<<<blocks, 256>>>(vectors[A], vectors[B], vectors[C], floats);
    CHECK_CUDA(cudaGetLastError());
}

static double time_launch_us(double *overhead_us) {
    const int64_t start_ns = now_ns();
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    launch();
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    const int64_t end_ns = now_ns();
    const double event_us = elapsed_us();
    *overhead_us = (double)(end_ns - start_ns) / 1e3 - event_us;
    return event_us;
}

static void check_result(void) {
    check_vector_add(vectors[C], floats);
}

/* A buffer of random size comes first, so that the new ones do not lie where others have been. */
static void move_buffers(void) {
    float *spacer, *before[3];
    CHECK_CUDA(cudaMalloc((void **)&spacer, (1 + random_below(floats)) * sizeof *spacer));
    memcpy(before, moved, sizeof before);
    set_up_vectors(moved, floats);
    for (int v = A; v <= C && before[v]; v++)
        CHECK_CUDA(cudaFree(before[v]));
    CHECK_CUDA(cudaFree(spacer));
    vectors = moved;
}

static void move_back(void) {
    vectors = first;
}

static void set_up(void) {
    open_cuda();
    check_size(options.size, 10.0 * (double)floats * sizeof(float)); /* 3 times 3, and a spacer */
    set_up_vectors(first, floats);
    set_up_blocked_pair();
    launch(); /* no kernel may be launched first while the gate is shut */
}

int main(int argc, char **argv) {
    static const struct steps steps = {set_up, move_buffers, move_back, time_launch_us,
                                       check_result};
    options.device = "";
    options.runs = 15;
    options.size = 1 << 24;
    parse_options(argc, argv, "How much of the difference between runs is the buffers' place?");
    floats = (size_t)options.size;
    compare_places(&steps, "event pairs");
    return EXIT_SUCCESS;
}
