/* SPDX-License-Identifier: MIT
 *
 * How long does each kernel take inside a CUDA graph?
 *
 * Measures: 20 launches of a spin of 2 us and of vector_add, as one graph and one by one in a
 *   stream: by the kernels' own stamps; by event_net around all of them, an event pair behind
 *   the blocker minus the floor; and by event nodes around one kernel of the graph, minus two
 *   with nothing between them.
 * Does not measure: what the host saves. Its one call for a graph is shorter than 20 launches.
 *
 * Build: nvcc -O2 -arch=native -I../../common graph_times.cu -o graph_times
 * Run:   ./graph_times
 * Try:   ./graph_times --size 16384        does the graph help a short kernel more?
 */
#include "../../04_cuda_events/blocker.h" /* the gate, start, stop, elapsed_us() */
#include "../../04_cuda_events/stamped.h"
#include "summary.h"

#include <cuda_profiler_api.h>

enum { LAUNCHES = 20, MIDDLE = LAUNCHES / 2, SPIN_NS = 2000 };
static cudaEvent_t nodes[3]; /* inside the graph */

static void launch(int number, cudaStream_t stream) { /* each has stamps of its own */
    launch_work(&work.times[(size_t)number * work.blocks * WARPS], stream);
}

/* While a stream is captured nothing runs: each call becomes a node of the graph. The default
 * stream cannot be captured. A kernel is launched once before, so that it is not loaded meanwhile.
 * Of the events two stand before the kernel in the middle and one behind it. */
static cudaGraphExec_t capture(bool with_events) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < LAUNCHES; i++) {
        launch(i, stream);
        if (with_events && i == MIDDLE - 1)
            for (int e = 0; e < 2; e++)
                CHECK_CUDA(cudaEventRecordWithFlags(nodes[e], stream, cudaEventRecordExternal));
        if (with_events && i == MIDDLE)
            CHECK_CUDA(cudaEventRecordWithFlags(nodes[2], stream, cudaEventRecordExternal));
    }
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK_CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaStreamDestroy(stream));
    return executable;
}

/* Microseconds between two events around the graph and so many launches. */
static double graph_or_launches_us(cudaGraphExec_t graph, int launches) {
    clear_stamps(work.times, LAUNCHES * work.blocks);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (graph)
        CHECK_CUDA(cudaGraphLaunch(graph, 0));
    for (int i = 0; i < launches; i++)
        launch(i, 0);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* The mean length of the launches' code. *period_us: the mean time from one's start to the next
 * one's. Exits with 1 if two of them overlap, a spin is too short, or the events were closer. */
static double code_us(double events_us, double *period_us) {
    struct warp_time code = {0, 0};
    unsigned long long first_ns = 0, end_ns = 0, sum_ns = 0;
    for (int i = 0; i < LAUNCHES; i++, end_ns = code.end_ns) {
        code = first_and_last(&work.times[(size_t)i * work.blocks * WARPS], work.blocks);
        if (code.start_ns < end_ns || code.end_ns - code.start_ns < work.length_ns)
            fail(EXIT_FAILED, "impossible: launch %d runs from %llu to %llu ns, after %llu ns", i,
                 code.start_ns, code.end_ns, end_ns);
        sum_ns += code.end_ns - code.start_ns;
        first_ns = i == 0 ? code.start_ns : first_ns;
    }
    if ((double)(end_ns - first_ns) / 1e3 > events_us + 2) /* their steps */
        fail(EXIT_FAILED, "impossible: %llu ns of launches in %g us between events",
             end_ns - first_ns, events_us);
    *period_us = (double)(code.start_ns - first_ns) / 1e3 / (LAUNCHES - 1);
    return (double)sum_ns / 1e3 / LAUNCHES;
}

/* Microseconds between two event nodes of the graph that ran last. */
static double node_us(int from, int to) {
    float ms;
    CHECK_CUDA(cudaEventElapsedTime(&ms, nodes[from], nodes[to]));
    if (!(ms >= 0))
        fail(EXIT_FAILED, "impossible: %g ms between two event nodes", (double)ms);
    return (double)ms * 1e3;
}

enum { CODE, NODE_FLOOR, NODES, GRAPH, GRAPH_PERIOD, STREAM, STREAM_PERIOD, FLOOR, COLUMNS };
static const char *const names[] = {"code",         "node_floor", "nodes",        "graph",
                                    "graph_period", "stream",     "stream_period"};
static double samples_us[COLUMNS][MAX_RUNS];

static void measure(cudaGraphExec_t plain, cudaGraphExec_t with_events, size_t run) {
    samples_us[FLOOR][run] = graph_or_launches_us(NULL, 0);
    samples_us[STREAM][run] = graph_or_launches_us(NULL, LAUNCHES);
    code_us(samples_us[STREAM][run], &samples_us[STREAM_PERIOD][run]);
    samples_us[GRAPH][run] = graph_or_launches_us(plain, 0);
    samples_us[CODE][run] = code_us(samples_us[GRAPH][run], &samples_us[GRAPH_PERIOD][run]);
    graph_or_launches_us(with_events, 0);
    samples_us[NODE_FLOOR][run] = node_us(0, 1);
    samples_us[NODES][run] = node_us(1, 2);
}

int main(int argc, char **argv) {
    double us[COLUMNS];
    options.device = "";
    options.runs = 31;
    options.size = 1 << 20;
    parse_options(argc, argv, "How long does each kernel take inside a CUDA graph?");
    const struct cudaDeviceProp device = open_cuda();
    work.floats = (size_t)options.size;
    const size_t runs = (size_t)options.runs, full = full_device(device.multiProcessorCount),
                 add_blocks = (work.floats + THREADS - 1) / THREADS,
                 all_blocks = LAUNCHES * (full > add_blocks ? full : add_blocks);
    check_size(options.size,
               3.0 * work.floats * sizeof(float) + all_blocks * WARPS * sizeof *work.times);
    set_up_blocked_pair();
    set_up_stamped(work.floats, all_blocks);
    for (int e = 0; e < 3; e++)
        CHECK_CUDA(cudaEventCreate(&nodes[e]));
    begin_table(
        "Graph times: %d launches of a spin of %d us and of vector_add of %zu floats on\n"
        "%s; medians of %zu runs. code: in the graph; _period: from one start to the next;\n"
        "graph, stream: event_net / %d; nodes: between event nodes, minus node_floor\n\n",
        LAUNCHES, SPIN_NS / 1000, work.floats, device.name, runs, LAUNCHES);
    for (int add = 0; add < 2; add++) {
        work.length_ns = add ? 0 : SPIN_NS;
        work.blocks = add ? add_blocks : full;
        launch(0, 0);
        const cudaGraphExec_t plain = capture(false), with_events = capture(true);
        CHECK_CUDA(cudaGraphLaunch(with_events, 0)); /* the warm-up: takes the graph there */
        CHECK_CUDA(cudaProfilerStart());             /* for Nsight Compute */
        CHECK_CUDA(cudaGraphLaunch(plain, 0));
        CHECK_CUDA(cudaDeviceSynchronize());
        CHECK_CUDA(cudaProfilerStop());
        spoil_sums(vectors[C], work.floats);
        for (size_t run = 0; run < runs; run++) /* in turns */
            measure(plain, with_events, run);
        if (add)
            check_vector_add(vectors[C], work.floats);
        bool disturbed = probe_sharing();
        label("kernel", 10, add ? "vector_add" : "spin");
        cell("blocks", "%7zu", work.blocks);
        for (int i = 0; i < COLUMNS; i++) {
            const struct summary s = summarize_us(samples_us[i], runs);
            us[i] = s.median;
            disturbed |= s.disturbed;
        }
        us[NODES] -= us[NODE_FLOOR];
        us[GRAPH] = (us[GRAPH] - us[FLOOR]) / LAUNCHES;
        us[STREAM] = (us[STREAM] - us[FLOOR]) / LAUNCHES;
        for (int i = 0; i < FLOOR; i++) {
            if (i > NODE_FLOOR && us[i] <= 0) /* the others may be within a clock's step */
                fail(EXIT_FAILED, "impossible: %s has a median of %g us", names[i], us[i]);
            number(names[i], "us", 2, us[i]);
        }
        end_row(disturbed || is_interrupted(fmax(us[GRAPH], us[STREAM]), us[NODES]));
    }
    end_table();
    say("In the graph vector_add starts every %.2f us, in the stream every %.2f us.\n",
        us[GRAPH_PERIOD], us[STREAM_PERIOD]);
    return EXIT_SUCCESS;
}
