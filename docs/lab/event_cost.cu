/* SPDX-License-Identifier: MIT
 *
 * Does the floor take off what the events cost, no more and no less?
 *
 * Measures: two events behind the blocker with nothing between them, which is the floor; with an
 *   empty kernel; with a spin of 10 us. Then one more event between the two: alone, before the
 *   kernel, behind the kernel. If it adds the floor each time, the cost of an event does not hide
 *   behind the launch or the drain, and the floor may be subtracted.
 * Does not measure: the kernel's code; see three_times.cu.
 *
 * Build: nvcc -O2 -arch=native -I../../common event_cost.cu -o event_cost
 * Run:   ./event_cost
 * Try:   what Nsight Compute says of an empty kernel:
 *        ncu --profile-from-start off --clock-control none --cache-control none ./event_cost
 */
#include "../../04_cuda_events/blocker.h"
#include "summary.h"

#include <cuda_profiler_api.h>

static cudaEvent_t between;
static unsigned long long *ran_ns;

static __global__ void empty(void) {
}

static void launch(char kernel) {
    if (kernel == 'e')
        empty<<<1, 1>>>();
    else
        spin<<<1, 1>>>(10000, ran_ns);
    CHECK_CUDA(cudaGetLastError());
}

/* Microseconds from `start` to `stop`. Between them comes what `queue` says, in its order: 'x' is an
 * event, 'e' the empty kernel, 's' the spin. */
static double pair_us(const char *queue) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    for (; *queue; queue++)
        if (*queue == 'x')
            CHECK_CUDA(cudaEventRecord(between, 0));
        else
            launch(*queue);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

static const struct {
    const char *name, *queue, *words;
    int without; /* the row without what this one adds; -1: none */
} rows[] = {{"floor", "", "nothing between the two events", -1},
            {"event", "x", "one more event", 0},
            {"empty", "e", "an empty kernel", 0},
            {"event_empty", "xe", "one more event, an empty kernel", 2},
            {"empty_event", "ex", "an empty kernel, one more event", 2},
            {"spin", "s", "a spin of 10 us", 0},
            {"event_spin", "xs", "one more event, a spin", 5},
            {"spin_event", "sx", "a spin, one more event", 5}};
enum { ROWS = sizeof rows / sizeof rows[0] };

int main(int argc, char **argv) {
    static double samples_us[ROWS][MAX_RUNS];
    struct summary s[ROWS];
    double least = INFINITY, most = -INFINITY;
    options.device = "";
    options.runs = 101;
    parse_options(argc, argv, "Does the floor take off what the events cost?");
    const struct cudaDeviceProp device = open_cuda();
    set_up_blocker();
    CHECK_CUDA(cudaEventCreate(&between));
    CHECK_CUDA(cudaMalloc((void **)&ran_ns, sizeof *ran_ns));
    launch('s'); /* the warm-up: see cuda_events.cu on lazy loading */
    launch('e');
    CHECK_CUDA(cudaProfilerStart());
    for (int i = 0; i < 20; i++) { /* these a profiler can watch */
        launch('e');
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    CHECK_CUDA(cudaProfilerStop());
    begin_table("Event cost: what one more event adds between two events, on %s\n"
                "Medians of %lld runs; added: to nothing; in the event_ and _event rows, to that "
                "kernel\n\n",
                device.name, options.runs);
    for (size_t run = 0; run < (size_t)options.runs; run++) /* in turns */
        for (int row = 0; row < ROWS; row++)
            samples_us[row][run] = pair_us(rows[row].queue);
    const bool shared = is_shared();

    for (int row = 0; row < ROWS; row++) {
        const int without = rows[row].without;
        s[row] = summarize(samples_us[row], (size_t)options.runs, step_us);
        const double added_us = s[row].median - (without < 0 ? 0 : s[without].median);
        if (strchr(rows[row].queue, 'x')) {
            least = fmin(least, added_us);
            most = fmax(most, added_us);
        }
        cell("between", -12, "%s", rows[row].name);
        number("pair", "us", 10, 2, s[row].median);
        number("added", "us", 10, 2, added_us);
        cell("what", -31, "%s", rows[row].words);
        end_row(shared || s[row].disturbed || (without >= 0 && s[without].disturbed));
    }
    end_table();
    value("event_adds_min", "us", least);
    value("event_adds_max", "us", most);
    say("One more event adds %.2f to %.2f us, wherever it stands. The floor is %.2f us.\n", least,
        most, s[0].median);
    return EXIT_SUCCESS; /* memory, gate and events go with the process */
}
