/* SPDX-License-Identifier: MIT
 *
 * How long does each kernel take inside a CUDA graph?
 *
 * Measures: 20 launches of a spin of 2 us and of vector_add, once as one graph and once one by one
 *   in a stream: by the kernels' own stamps, by an event pair around all of them, behind the blocker
 *   and less the floor, and by event nodes around one kernel inside the graph, less the two event
 *   nodes beside it that have nothing between them.
 * Does not measure: what the host saves. Its one call for a graph is shorter than 20 launches.
 *
 * Build: nvcc -O2 -arch=native -I../common graph_times.cu -o graph_times
 * Run:   ./graph_times
 * Try:   ./graph_times --size 16384        does the graph help a short kernel more?
 */
#include "../02_clfinish_sync/vector_add.h"
#include "blocker.h"
#include "summary.h"
#include "warp_times.h"

enum { LAUNCHES = 20, MIDDLE = LAUNCHES / 2 };
static const unsigned long long spin_ns = 2000;

static __global__ void stamped_spin(struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    while (globaltimer_ns() - start_ns < spin_ns)
        ;
    stamp(times, start_ns);
}

static __global__ void stamped_add(struct warp_time *times, const float *a, const float *b,
                                   float *c, size_t n) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

enum { SPIN, ADD, KERNELS };
static size_t blocks[KERNELS], n;
static float *a, *b, *c;
static struct warp_time *times; /* of each launch its own */
static cudaEvent_t nodes[3];    /* the floor's two, and the one behind the kernel */

static void launch(int kernel, int number, cudaStream_t stream) {
    struct warp_time *mine = &times[(size_t)number * blocks[kernel] * WARPS];
    if (kernel == SPIN)
        stamped_spin<<<(unsigned)blocks[SPIN], THREADS, 0, stream>>>(mine);
    else
        stamped_add<<<(unsigned)blocks[ADD], THREADS, 0, stream>>>(mine, a, b, c, n);
    CHECK_CUDA(cudaGetLastError());
}

/* While a stream is captured, nothing runs: each call becomes a node of a graph. The default stream
 * cannot be captured. cudaEventRecordExternal makes the event a node, which anybody can ask later. */
static cudaGraphExec_t capture(int kernel, bool with_events) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < LAUNCHES; i++) {
        for (int e = 0; e < 2 && with_events && i == MIDDLE; e++)
            CHECK_CUDA(cudaEventRecordWithFlags(nodes[e], stream, cudaEventRecordExternal));
        launch(kernel, i, stream);
        if (with_events && i == MIDDLE)
            CHECK_CUDA(cudaEventRecordWithFlags(nodes[2], stream, cudaEventRecordExternal));
    }
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK_CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaStreamDestroy(stream));
    return executable;
}

/* Microseconds between two events around the graph, or so many launches where there is none. */
static double pair_us(int kernel, cudaGraphExec_t graph, int launches) {
    clear_stamps(times, LAUNCHES * blocks[kernel]);
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (graph)
        CHECK_CUDA(cudaGraphLaunch(graph, 0));
    for (int i = 0; i < launches; i++)
        launch(kernel, i, 0);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    open_gate();
    return elapsed_us();
}

/* The mean length of the launches' code. *period_us: the mean time from one's start to the next
 * one's. Exits with 1 if two of them overlap, or a spin is too short. */
static double code_us(int kernel, double *period_us) {
    struct warp_time first = {0, 0}, last = {0, 0};
    unsigned long long sum_ns = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        const size_t at = (size_t)i * blocks[kernel] * WARPS;
        const struct warp_time code = first_and_last(&times[at], blocks[kernel]);
        if (code.start_ns < last.end_ns)
            fail(EXIT_FAILED, "impossible: launch %d starts before the one before it ends", i);
        if (kernel == SPIN && code.end_ns - code.start_ns < spin_ns)
            fail(EXIT_FAILED, "impossible: a spin of %llu ns ran %llu ns", spin_ns,
                 code.end_ns - code.start_ns);
        sum_ns += code.end_ns - code.start_ns;
        first = i == 0 ? code : first;
        last = code;
    }
    *period_us = (double)(last.start_ns - first.start_ns) / 1e3 / (LAUNCHES - 1);
    return (double)sum_ns / 1e3 / LAUNCHES;
}

static double node_us(int from, int to) {
    float ms;
    CHECK_CUDA(cudaEventElapsedTime(&ms, nodes[from], nodes[to]));
    if (!(ms >= 0))
        fail(EXIT_FAILED, "impossible: %g ms between two event nodes", (double)ms);
    return (double)ms * 1e3;
}

enum {
    CODE,
    NODE,
    GRAPH,
    GRAPH_PERIOD,
    STREAM,
    STREAM_PERIOD,
    METHODS,
    FLOOR = METHODS,
    NODE_FLOOR
};
static double samples_us[METHODS + 2][MAX_RUNS];
static const char *const names[] = {"code",         "event_nodes",   "graph_events",
                                    "graph_period", "stream_events", "stream_period"};
static const char *const words[] = {"first stamp to last stamp, in the graph",
                                    "code, its launch and drain, in the graph",
                                    "the graph's time / 20",
                                    "start to start, in the graph",
                                    "20 launches' time / 20",
                                    "start to start, in the stream"};

static void measure(int kernel, cudaGraphExec_t plain, cudaGraphExec_t with_events, size_t run) {
    samples_us[FLOOR][run] = pair_us(kernel, NULL, 0);
    samples_us[STREAM][run] = pair_us(kernel, NULL, LAUNCHES);
    code_us(kernel, &samples_us[STREAM_PERIOD][run]);
    samples_us[GRAPH][run] = pair_us(kernel, plain, 0);
    samples_us[CODE][run] = code_us(kernel, &samples_us[GRAPH_PERIOD][run]);
    pair_us(kernel, with_events, 0);
    samples_us[NODE_FLOOR][run] = node_us(0, 1);
    samples_us[NODE][run] = node_us(1, 2);
}

int main(int argc, char **argv) {
    struct summary s[METHODS];
    int per_sm;
    options.device = "";
    options.runs = 31;
    options.size = 1 << 20;
    parse_options(argc, argv, "How long does each kernel take inside a CUDA graph?");
    const struct cudaDeviceProp device = open_cuda();
    const size_t runs = (size_t)options.runs;
    n = (size_t)options.size;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, (const void *)stamped_spin,
                                                             THREADS, 0));
    blocks[SPIN] = (size_t)per_sm * (size_t)device.multiProcessorCount;
    blocks[ADD] = (n + THREADS - 1) / THREADS;
    const size_t most = blocks[ADD] > blocks[SPIN] ? blocks[ADD] : blocks[SPIN];
    const double stamp_bytes = (double)(LAUNCHES * most * WARPS * sizeof *times);
    check_size(options.size, 3.0 * (double)n * sizeof(float) + stamp_bytes);
    set_up_blocker();
    a = device_vector(A, n);
    b = device_vector(B, n);
    c = device_vector(C, n);
    CHECK_CUDA(cudaMalloc((void **)&times, (size_t)stamp_bytes));
    for (int e = 0; e < 3; e++)
        CHECK_CUDA(cudaEventCreate(&nodes[e]));

    say("Graph times: %d launches of a spin of %llu us on %zu blocks, and of vector_add of %zu\n"
        "floats, on %s; time for each launch, %zu runs\n\n",
        LAUNCHES, spin_ns / 1000, blocks[SPIN], n, device.name, runs);
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        launch(kernel, 0, 0); /* loads the kernel, which must not happen during a capture */
        const cudaGraphExec_t plain = capture(kernel, false), with_events = capture(kernel, true);
        CHECK_CUDA(cudaGraphLaunch(plain, 0)); /* the warm-up, and the first upload */
        CHECK_CUDA(cudaGraphLaunch(with_events, 0));
        CHECK_CUDA(cudaDeviceSynchronize());
        if (kernel == ADD)
            check_vector_add(c, n);
        for (size_t run = 0; run < runs; run++) /* in turns */
            measure(kernel, plain, with_events, run);
        const double floor_us = median(samples_us[FLOOR], runs);
        const double node_floor_us = median(samples_us[NODE_FLOOR], runs);
        for (int m = 0; m < METHODS; m++) {
            for (size_t run = 0; run < runs && m == NODE; run++)
                samples_us[m][run] -= node_floor_us;
            for (size_t run = 0; run < runs && (m == GRAPH || m == STREAM); run++)
                samples_us[m][run] = (samples_us[m][run] - floor_us) / LAUNCHES;
            s[m] = summarize(samples_us[m], runs);
            if (s[m].median <= 0)
                fail(EXIT_FAILED, "impossible: a median of %g us (%s)", s[m].median, names[m]);
            begin_row(device.name);
            cell("kernel", -10, "%s", kernel == SPIN ? "spin_2us" : "vector_add");
            cell("method", -13, "%s", names[m]);
            number("median", "us", 11, 2, s[m].median);
            number("min", "us", 9, 2, s[m].min);
            number("max", "us", 9, 2, s[m].max);
            cell("", -1, " %s", words[m]);
            end_row_disturbed(s[m].disturbed);
        }
        CHECK_CUDA(cudaGraphExecDestroy(plain));
        CHECK_CUDA(cudaGraphExecDestroy(with_events));
    }
    end_table();
    say("In the graph vector_add starts every %.2f us, in the stream every %.2f us; its code\n"
        "runs %.2f us of that.\n",
        s[GRAPH_PERIOD].median, s[STREAM_PERIOD].median, s[CODE].median);
    return EXIT_SUCCESS;
}
