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
#include <cuda_profiler_api.h>

#include "blocked.h"
#include "stamped.h"
#include "vectors.h"

enum { LAUNCHES = 20, MIDDLE = LAUNCHES / 2, SPIN_NS = 2000 };

/* ---- The kernels, each with stamps ---- */

/* Each block takes `length_ns`. */
static __global__ void stamped_spin_blocks(unsigned long long length_ns, struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    spin_for(length_ns);
    stamp(times, start_ns);
}

static __global__ void stamped_vector_add(const float *a, const float *b, float *c, size_t n,
                                          struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

/* ---- The launches, in a graph and in a stream ---- */

struct experiment {
    struct blocked_pair pair;
    cudaEvent_t nodes[3];         /* inside the graph */
    unsigned long long length_ns; /* of the spin; 0: vector_add */
    size_t blocks, floats;
    float *vectors[3]; /* a, b and c: this and the rest is on the device */
    struct warp_time *times;
};

/* Each of the launches, from number 0 on, has stamps of its own. */
static void launch(const struct experiment *e, int number, cudaStream_t stream) {
    const unsigned blocks = (unsigned)e->blocks;
    struct warp_time *times = &e->times[(size_t)number * e->blocks * WARPS];
    if (e->length_ns > 0)
        stamped_spin_blocks<<<blocks, THREADS, 0, stream>>>(e->length_ns, times);
    else
        stamped_vector_add<<<blocks, THREADS, 0, stream>>>(e->vectors[A], e->vectors[B],
                                                           e->vectors[C], e->floats, times);
    CHECK_CUDA(cudaGetLastError());
}

/* While a stream is captured nothing runs: each call becomes a node of the graph. The default
 * stream cannot be captured. A kernel is launched once before, so that it is not loaded meanwhile.
 * Of the events two stand before the kernel in the middle and one behind it. */
static cudaGraphExec_t capture(const struct experiment *e, bool with_events) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < LAUNCHES; i++) {
        launch(e, i, stream);
        if (with_events && i == MIDDLE - 1)
            for (int n = 0; n < 2; n++)
                CHECK_CUDA(cudaEventRecordWithFlags(e->nodes[n], stream, cudaEventRecordExternal));
        if (with_events && i == MIDDLE)
            CHECK_CUDA(cudaEventRecordWithFlags(e->nodes[2], stream, cudaEventRecordExternal));
    }
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK_CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaStreamDestroy(stream));
    return executable;
}

/* Microseconds between two events around the graph, unless it is NULL, and so many launches. */
static double graph_or_launches_us(const struct experiment *e, cudaGraphExec_t graph,
                                   int launches) {
    clear_stamps(e->times, LAUNCHES * e->blocks);
    hold_stream(&e->pair);
    CHECK_CUDA(cudaEventRecord(e->pair.start, 0));
    if (graph)
        CHECK_CUDA(cudaGraphLaunch(graph, 0));
    for (int i = 0; i < launches; i++)
        launch(e, i, 0);
    CHECK_CUDA(cudaEventRecord(e->pair.stop, 0));
    release_stream(&e->pair);
    return elapsed_us(e->pair.start, e->pair.stop);
}

/* The mean length of the launches' code. *period_us: the mean time from one's start to the next
 * one's. Exits with 1 if two of them overlap, a spin is too short, or the events were closer. */
static double code_us(const struct experiment *e, double events_us, double *period_us) {
    struct warp_time code = {0, 0};
    unsigned long long first_ns = 0, end_ns = 0, sum_ns = 0;
    for (int i = 0; i < LAUNCHES; i++, end_ns = code.end_ns) {
        code = first_and_last(&e->times[(size_t)i * e->blocks * WARPS], e->blocks);
        if (code.start_ns < end_ns || code.end_ns - code.start_ns < e->length_ns)
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
static double node_us(const struct experiment *e, int from, int to) {
    float ms;
    CHECK_CUDA(cudaEventElapsedTime(&ms, e->nodes[from], e->nodes[to]));
    if (!(ms >= 0))
        fail(EXIT_FAILED, "impossible: %g ms between two event nodes", (double)ms);
    return (double)ms * 1e3;
}

/* ---- The methods, in turns ---- */

struct samples {
    double floor_us[MAX_RUNS], stream_us[MAX_RUNS], stream_period_us[MAX_RUNS], graph_us[MAX_RUNS],
        graph_period_us[MAX_RUNS], code_us[MAX_RUNS], node_floor_us[MAX_RUNS], nodes_us[MAX_RUNS];
};

static void measure(const struct experiment *e, cudaGraphExec_t plain, cudaGraphExec_t with_events,
                    struct samples *s, size_t run) {
    s->floor_us[run] = graph_or_launches_us(e, NULL, 0);
    s->stream_us[run] = graph_or_launches_us(e, NULL, LAUNCHES);
    code_us(e, s->stream_us[run], &s->stream_period_us[run]);
    s->graph_us[run] = graph_or_launches_us(e, plain, 0);
    s->code_us[run] = code_us(e, s->graph_us[run], &s->graph_period_us[run]);
    graph_or_launches_us(e, with_events, 0);
    s->node_floor_us[run] = node_us(e, 0, 1);
    s->nodes_us[run] = node_us(e, 1, 2);
}

/* Exits with 1 if a median is no time. Returns it. (code and node_floor may be within a clock's
 * step.) */
static double possible_us(const char *name, double us) {
    if (us <= 0)
        fail(EXIT_FAILED, "impossible: %s has a median of %g us", name, us);
    return us;
}

/* Prints the row, and what vector_add's sentence below the table needs. */
static void print_row(struct table *table, const struct experiment *e, const struct samples *s,
                      size_t runs, double *graph_period_us, double *stream_period_us) {
    const unsigned shared = probe_gpu(&e->pair);
    const struct summary floor = summarize_us(s->floor_us, runs),
                         code = summarize_us(s->code_us, runs),
                         node_floor = summarize_us(s->node_floor_us, runs),
                         nodes = summarize_us(s->nodes_us, runs),
                         graph = summarize_us(s->graph_us, runs),
                         graph_period = summarize_us(s->graph_period_us, runs),
                         stream = summarize_us(s->stream_us, runs),
                         stream_period = summarize_us(s->stream_period_us, runs);
    const double nodes_us = possible_us("nodes_us", nodes.median - node_floor.median);
    const double graph_us = possible_us("graph_us", (graph.median - floor.median) / LAUNCHES);
    *graph_period_us = possible_us("graph_period_us", graph_period.median);
    const double stream_us = possible_us("stream_us", (stream.median - floor.median) / LAUNCHES);
    *stream_period_us = possible_us("stream_period_us", stream_period.median);
    text(table, "kernel", 10, e->length_ns > 0 ? "spin" : "vector_add");
    number(table, "blocks", 0, (double)e->blocks);
    number(table, "code_us", 2, code.median);
    number(table, "node_floor_us", 2, node_floor.median);
    number(table, "nodes_us", 2, nodes_us);
    number(table, "graph_us", 2, graph_us);
    number(table, "graph_period_us", 2, *graph_period_us);
    number(table, "stream_us", 2, stream_us);
    number(table, "stream_period_us", 2, *stream_period_us);
    end_row(table, shared | floor.marks | code.marks | node_floor.marks | nodes.marks |
                       graph.marks | graph_period.marks | stream.marks | stream_period.marks |
                       mark_interrupted(fmax(graph_us, stream_us), nodes_us));
}

int main(int argc, char **argv) {
    static struct samples samples;
    long long asked_runs = 31, size = 1 << 20;
    const char *wanted = "";
    const struct arg args[] = {ARG_DEVICE(&wanted), ARG_RUNS(&asked_runs), ARG_SIZE(&size),
                               END_OF_ARGS};
    parse_args(argc, argv, "How long does each kernel take inside a CUDA graph?", args);
    const struct gpu gpu = open_cuda(wanted);
    struct experiment e = {};
    int per_sm;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)stamped_spin_blocks, THREADS, 0));
    e.floats = (size_t)size;
    const size_t runs = (size_t)asked_runs, full = (size_t)per_sm * (size_t)gpu.sms,
                 add_blocks = (e.floats + THREADS - 1) / THREADS,
                 all_blocks = LAUNCHES * (full > add_blocks ? full : add_blocks);
    check_free_memory(size, 3.0 * (double)(e.floats * sizeof(float)) +
                                (double)(all_blocks * WARPS * sizeof *e.times));
    e.pair = new_blocked_pair();
    for (unsigned v = A; v <= C; v++) {
        float *host = host_vector(v, e.floats);
        e.vectors[v] = (float *)new_on_device(e.floats * sizeof *host, host);
        free(host);
    }
    e.times = (struct warp_time *)new_on_device(all_blocks * WARPS * sizeof *e.times, NULL);
    for (int n = 0; n < 3; n++)
        e.nodes[n] = new_event();

    struct table table = {};
    double graph_period_us = 0, stream_period_us = 0;
    begin_record(args, gpu.properties.name, gpu.driver);
    say("Graph times: %d launches of a spin of %d us and of vector_add of %zu floats on\n"
        "%s; medians of %zu runs. code_us is in the graph. A period is from one start to the\n"
        "next. graph_us and stream_us are event_net / %d. nodes_us is between event nodes, minus\n"
        "node_floor_us\n\n",
        LAUNCHES, SPIN_NS / 1000, e.floats, gpu.properties.name, runs, LAUNCHES);
    for (int add = 0; add < 2; add++) {
        e.length_ns = add ? 0 : SPIN_NS;
        e.blocks = add ? add_blocks : full;
        launch(&e, 0, 0);
        const cudaGraphExec_t plain = capture(&e, false), with_events = capture(&e, true);
        CHECK_CUDA(cudaGraphLaunch(with_events, 0)); /* the warm-up: takes the graph there */
        CHECK_CUDA(cudaProfilerStart());             /* for Nsight Compute */
        CHECK_CUDA(cudaGraphLaunch(plain, 0));
        CHECK_CUDA(cudaDeviceSynchronize());
        CHECK_CUDA(cudaProfilerStop());
        CHECK_CUDA(cudaMemset(e.vectors[C], 0xff, e.floats * sizeof *e.vectors[C])); /* NaNs */
        CHECK_CUDA(cudaDeviceSynchronize());
        for (size_t run = 0; run < runs; run++)
            measure(&e, plain, with_events, &samples, run);
        if (add) {
            float *c = host_vector(C, e.floats);
            CHECK_CUDA(cudaMemcpy(c, e.vectors[C], e.floats * sizeof *c, cudaMemcpyDeviceToHost));
            check_sums(c, e.floats);
            free(c);
        }
        print_row(&table, &e, &samples, runs, &graph_period_us, &stream_period_us);
    }
    end_table(&table);
    say("In the graph vector_add starts every %.2f us, in the stream every %.2f us.\n",
        graph_period_us, stream_period_us);
    return EXIT_SUCCESS; /* memory, gate, graphs and events go with the process */
}
