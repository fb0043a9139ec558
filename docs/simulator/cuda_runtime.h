/* SPDX-License-Identifier: MIT
 *
 * Two GPUs on the virtual clock of machine.c, in place of CUDA's own header and runtime. It knows
 * the calls that the suite makes; the compiler names any other. A .cu file goes through
 * cuda.sed, which writes its launches and its asm as calls, and is then plain C: so the kernels
 * run on the host as they stand. */
#ifndef SIMULATED_CUDA_RUNTIME_H
#define SIMULATED_CUDA_RUNTIME_H

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_types.h"
#include "machine.h"

#ifdef SIMULATED_READER /* simcc.c, with which a reader's program is linked */
#define SIMULATED_API
#else
#define SIMULATED_API static inline
#endif

#define __CUDACC__
#define __CUDA_ARCH__ 900
#define __global__ __attribute__((unused)) /* a header may have more kernels than a program launches */
#define __device__ __attribute__((unused))
#define __syncthreads simulated_barrier
#define __syncthreads_count(predicate) (simulated_barrier(), (predicate) ? (int)blockDim.x : 0)
#define __syncwarp() ((void)0)
static inline void simulated_add(float *to, float x) { *to += x; }
#define atomicAdd simulated_add
/* In place of mma.sync: more than 0, unless the numbers are 0. */
static inline void simulated_mma(float *sum, const unsigned *numbers) { *sum += (float)(numbers[0] & 0xffff); }
#define clock64() ((long long)simulated_clock64())
#define W(x) ((uintptr_t)(x + 0)) /* of no argument too */
#define W1(a) W(a)
#define W2(a, b) W(a), W(b)
#define W3(a, b, c) W(a), W(b), W(c)
#define W4(a, b, c, d) W(a), W(b), W(c), W(d)
#define W5(a, b, c, d, e) W(a), W(b), W(c), W(d), W(e)
#define W6(a, b, c, d, e, f) W5(a, b, c, d, e), W(f)
#define PICK(a, b, c, d, e, f, name, ...) name
#define WORDS(...) PICK(__VA_ARGS__, W6, W5, W4, W3, W2, W1)(__VA_ARGS__)
#define SIMULATED_LAUNCH(kernel, shape, ...)                                                                           \
    simulated_launch(#kernel, (void (*)())kernel, (const size_t[4]){WORDS shape},                                      \
                     (const uintptr_t[8]){WORDS(__VA_ARGS__)})

#ifndef SIMULATED_READER
static inline const char *cudaGetErrorName(cudaError_t code) {
    return code == cudaSuccess                         ? "cudaSuccess"
           : code == cudaErrorInsufficientDriver       ? "cudaErrorInsufficientDriver"
           : code == cudaErrorNoDevice                 ? "cudaErrorNoDevice"
           : code == cudaErrorInvalidResourceHandle    ? "cudaErrorInvalidResourceHandle"
           : code == cudaErrorIllegalState             ? "cudaErrorIllegalState"
           : code == cudaErrorNotReady                 ? "cudaErrorNotReady"
           : code == cudaErrorStreamCaptureUnsupported ? "cudaErrorStreamCaptureUnsupported"
                                                       : "cudaErrorLaunchFailure";
}
static inline const char *cudaGetErrorString(cudaError_t code) { return code ? "in other words" : "no error"; }
#endif

/* ---- Devices ---- */

static int current;            /* SIMULATED_GPU or SIMULATED_SMALL */
static cudaError_t last_error; /* for cudaGetLastError() */
static bool eager;             /* as CUDA_MODULE_LOADING says at the first call */
static bool unchecked;         /* a launch that cudaGetLastError() was not asked about */
static bool capturing;         /* some stream is: see "Graphs" */
static bool watched;           /* by a profiler, from cudaProfilerStart() to cudaProfilerStop() */

static inline bool fails(const char *name, int64_t ns) {
    static bool called;
    const char *loading = getenv("CUDA_MODULE_LOADING");
    if (!called) eager = loading && strcmp(loading, "EAGER") == 0;
    if (!called && simulated_fault("second_gpu", NULL)) current = 1;
    called = true;
    if (unchecked) simulated_stop("%s after a launch, and no cudaGetLastError() between", name);
    simulated_device = &simulated_devices[current];
    return simulated_call(name, ns);
}
#define RETURN(code) return last_error = (code)
static void *pinned, *managed; /* the last ones */
/* The call is to fail; `name` is what the program called. */
#define FAILS_AS(name, ns)                                                                                             \
    if (pinned && simulated_fault("gate_stuck", NULL)) memset(pinned, 0, sizeof(int));                                 \
    if (simulated_fault("no_device", NULL)) RETURN(cudaErrorNoDevice);                                                 \
    if (simulated_fault("old_driver", NULL)) RETURN(cudaErrorInsufficientDriver);                                      \
    if (fails(name, ns)) RETURN(cudaErrorLaunchFailure);                                                               \
    if (capturing && strcmp(name, "cudaEventRecordWithFlags") && strcmp(name, "cudaStreamEndCapture"))                 \
    RETURN(cudaErrorStreamCaptureUnsupported)

/* One call: its name and parameters, its time in times.h, and what it does. */
#define API(name, parameters, time, ...)                                                                               \
    SIMULATED_API cudaError_t name parameters {                                                                        \
        FAILS_AS(__func__, simulated_ns.time);                                                                         \
        __VA_ARGS__;                                                                                                   \
        return cudaSuccess;                                                                                            \
    }

static inline int simulated_major(void) {
    int number = 0;
    if (simulated_fault("old_gpu", &number)) return 9 - number;
    return simulated_fault("persisting", &number) && number > 1 ? number : 9;
}

static inline int simulated_max_threads(const struct simulated_device *d) {
    return d->threads_per_unit < 1024 ? d->threads_per_unit : 1024;
}
static inline int simulated_devices_of_cuda(void) { return simulated_model ? 1 : 2; }
API(cudaGetDeviceCount, (int *count), get_device_count, *count = simulated_devices_of_cuda())
API(cudaGetDeviceProperties, (struct cudaDeviceProp * to, int device), get_device_properties,
    if (device < 0 || device >= simulated_devices_of_cuda()) RETURN(cudaErrorInvalidDevice);
    const struct simulated_device *d = &simulated_devices[device];
    *to = ((struct cudaDeviceProp){.major = simulated_major(),
                                   .multiProcessorCount = (int)d->units,
                                   .l2CacheSize = (int)simulated_l2_bytes(),
                                   .maxThreadsPerBlock = simulated_max_threads(d),
                                   .totalGlobalMem = 2 * simulated_memory(),
                                   .sharedMemPerBlock = SIMULATED_SHARED_BYTES,
                                   .totalConstMem = 1 << 16,
                                   .warpSize = 32,
                                   .maxThreadsPerMultiProcessor = d->threads_per_unit,
                                   .maxThreadsDim = {1024, 1024, 64},
                                   .maxGridSize = {INT_MAX, 65535, 65535},
                                   .concurrentKernels = 1,
                                   .asyncEngineCount = 1});
    strcpy(to->name, device ? "Simulated GPU, \"small\"" : simulated_gpu_name()))
API(cudaSetDevice, (int device), set_device, current = device)
API(cudaGetDevice, (int *device), ask_device, *device = current)
API(cudaDeviceGetPCIBusId, (char *to, int size, int device), ask_device,
    snprintf(to, (size_t)size, "0000:00:%02x.0", 6 + device))
API(cudaDriverGetVersion, (int *version), ask_device, *version = 13020)
static inline void watch(bool from_now_on) {
    if (watched == from_now_on) simulated_stop("a profiler is started, or stopped, twice");
    watched = from_now_on;
}
API(cudaProfilerStart, (void), profiler, watch(true))
API(cudaProfilerStop, (void), profiler, watch(false))
API(cudaMemGetInfo, (size_t * available, size_t *total), memory_info, *available = simulated_memory();
    *total = 2 * *available)
API(cudaDeviceGetAttribute, (int *to, enum cudaDeviceAttr what, int device), ask_device,
    *to = what == cudaDevAttrKernelExecTimeout      ? device  /* the second one has a display */
          : what == cudaDevAttrMemoryClockRate      ? 3201000 /* kHz: as an H200's */
          : what == cudaDevAttrGlobalMemoryBusWidth ? 6144
                                                    : (int)simulated_l2_bytes())
API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *to, const void *kernel, int threads, size_t shared_bytes __attribute__((unused))), occupancy,
    const struct simulated_device *d = &simulated_devices[current];
    *to = kernel ? d->threads_per_unit / threads : 0; *to = *to > d->blocks_per_unit ? d->blocks_per_unit : *to)

/* ---- Memory ---- */

static size_t managed_bytes;

API(cudaMalloc, (void **to, size_t bytes), allocate, *to = simulated_allocate(bytes))
API(cudaMallocManaged, (void **to, size_t bytes), allocate, *to = managed = simulated_allocate(bytes);
    managed_bytes = bytes)
/* The header has these for every pointer. */
#define cudaMalloc(to, bytes) cudaMalloc((void **)(to), bytes)
#define cudaMallocManaged(to, bytes) cudaMallocManaged((void **)(to), bytes)
API(cudaFree, (void *memory), release, simulated_wait(NULL, true); simulated_free(memory))
API(cudaMallocHost, (void **to, size_t bytes), allocate_host, *to = pinned = malloc(bytes); memset(pinned, 0xcd, bytes);
    *(int *)pinned = 0) /* so that a gate is shut until somebody opens it */
API(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
    copy_call + simulated_copy_ns(bytes, simulated_ns.copy_1000),
    if (simulated_room(kind == cudaMemcpyHostToDevice ? to : from, NULL) < bytes) RETURN(cudaErrorInvalidValue);
    if (simulated_apart()) simulated_stop("cudaMemcpy does not wait for a stream made with cudaStreamNonBlocking");
    simulated_wait(NULL, true); memcpy(to, from, bytes); simulated_spoil(to, bytes, kind == cudaMemcpyDeviceToHost))

/* ---- Graphs: what goes into a captured stream becomes a node. ---- */

enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal };
typedef struct simulated_graph {
    int count;
    struct {
        struct simulated_command command;
        struct simulated_event *event; /* that it records, or NULL */
    } * nodes;
} * cudaGraph_t;
typedef struct simulated_executable {
    struct simulated_graph graph;
} * cudaGraphExec_t;
struct CUstream_st {
    struct simulated_stream simulated; /* the first member */
    cudaGraph_t graph;                 /* while it is captured */
};

static inline cudaError_t add_node(cudaStream_t stream, struct simulated_command command,
                                   struct simulated_event *event) {
    cudaGraph_t graph = stream ? stream->graph : NULL;
    if (!graph) simulated_stop("a stream that is not captured");
    graph->nodes = simulated_grow(graph->nodes, graph->count, sizeof *graph->nodes);
    graph->nodes[graph->count].command = command;
    graph->nodes[graph->count++].event = event;
    return cudaSuccess;
}
API(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), stream_create,
    if (flags > cudaStreamNonBlocking) RETURN(cudaErrorInvalidValue);
    *stream = (cudaStream_t)calloc(1, sizeof **stream); (*stream)->simulated.apart = flags == cudaStreamNonBlocking)
API(cudaStreamDestroy, (cudaStream_t stream), stream_destroy, free(stream))
API(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), capture,
    if (!stream || mode != cudaStreamCaptureModeGlobal) RETURN(cudaErrorStreamCaptureUnsupported);
    stream->graph = (cudaGraph_t)calloc(1, sizeof *stream->graph); capturing = true)
API(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), capture_end,
    if (!stream || !stream->graph) RETURN(cudaErrorIllegalState);
    *graph = stream->graph; stream->graph = NULL; capturing = false)
API(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * to, cudaGraph_t graph, unsigned long long flags), graph_create,
    if (flags) RETURN(cudaErrorInvalidValue);
    *to = (cudaGraphExec_t)calloc(1, sizeof **to); (*to)->graph = *graph;
    const size_t bytes = (size_t)graph->count * sizeof *graph->nodes;
    (*to)->graph.nodes = memcpy(malloc(bytes + 1), graph->nodes, bytes))
API(cudaGraphDestroy, (cudaGraph_t graph), graph_destroy, free(graph->nodes); free(graph))

/* ---- Copies and fills in a stream ---- */

static inline void run_copy(struct simulated_command *c) {
    memcpy((void *)c->arguments[0], (void *)c->arguments[1], c->arguments[2]);
    simulated_spoil((void *)c->arguments[0], c->arguments[2], c->arguments[3]);
}
API(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
    copy_call, const bool reading = kind == cudaMemcpyDeviceToHost;
    if (simulated_room(reading ? from : to, NULL) < bytes) RETURN(cudaErrorInvalidValue);
    simulated_enqueue(simulated_new((struct simulated_command){.run = run_copy,
                                                               .ns = simulated_copy_ns(bytes, simulated_ns.copy_1000),
                                                               .stream = stream ? &stream->simulated : NULL,
                                                               .arguments = {W4(to, from, bytes, reading)}})))

static inline void run_memset(struct simulated_command *c) {
    memset((void *)c->arguments[0], (int)c->arguments[1], c->arguments[2]);
    simulated_fill_l2((void *)c->arguments[0], c->arguments[2], true);
}

static inline cudaError_t simulated_memset(void *to, int value, size_t bytes, cudaStream_t stream) {
    if (simulated_room(to, NULL) < bytes) RETURN(cudaErrorInvalidValue);
    const int64_t late_ns = simulated_fault("late_memset", NULL) ? 1000000 : 0;
    simulated_enqueue(simulated_new((struct simulated_command){.run = run_memset,
                                                               .ns = simulated_ns.memset,
                                                               .delay_ns = late_ns,
                                                               .stream = stream ? &stream->simulated : NULL,
                                                               .arguments = {W3(to, value, bytes)}}));
    return cudaSuccess;
}
API(cudaMemset, (void *to, int value, size_t bytes), memset_call, return simulated_memset(to, value, bytes, 0))
API(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream), memset_call,
    return simulated_memset(to, value, bytes, stream))
API(cudaCtxResetPersistingL2Cache, (void), reset_l2, if (simulated_major() < 8) RETURN(cudaErrorNotSupported);
    simulated_l2_persists = false)

/* ---- Launches ---- */

/* With lazy loading a kernel's first launch waits until the device is idle, and loads it. The kernel is known by
 * `code`. */
static inline cudaError_t simulated_launch_as(const char *call, void (*code)(), struct simulated_command c,
                                              cudaStream_t stream) {
    static void (**loaded)();
    static int count;
    const char *no_cache = getenv("CUDA_CACHE_DISABLE");
    const bool kept = !no_cache || strcmp(no_cache, "1") != 0;
    int i = 0;
    while (i < count && loaded[i] != code) i++;
    simulated_device = &simulated_devices[current];
    if (i == count && capturing) return cudaErrorStreamCaptureUnsupported;
    if (i == count && !eager) simulated_wait(NULL, true);
    const int64_t load_ns = i < count ? 0
                            : eager   ? simulated_ns.load_eager
                            : kept    ? simulated_ns.load
                                      : simulated_ns.load_anew;
    const int64_t first_ns = count ? 0 : simulated_ns.load_first + (eager ? 0 : simulated_ns.load_lazy);
    const bool failed = fails(call, simulated_ns.launch_call + load_ns + first_ns);
    if (i == count) {
        loaded = (void (**)())simulated_grow(loaded, count, sizeof *loaded);
        loaded[count++] = code;
    }
    if (failed) return cudaErrorLaunchFailure;
    if (!c.groups || !c.threads || c.threads > (size_t)simulated_max_threads(simulated_device) ||
        c.shared_bytes > SIMULATED_SHARED_BYTES)
        return cudaErrorInvalidConfiguration;
    c.run = simulated_run_kernel;
    if (stream && stream->graph) return add_node(stream, c, NULL);
    c.stream = stream ? &stream->simulated : NULL;
    if (pinned && watched && memcmp(pinned, (int[2]){0}, 2 * sizeof(int)) == 0 && !simulated_fault("gate_stuck", NULL))
        simulated_stop("behind the blocker a profiler cannot watch");
    if (pinned && c.arguments[0] != W(pinned) && simulated_fault("gate_open", NULL)) *(int *)pinned = 1;
    simulated_enqueue(simulated_new(c));
    return cudaSuccess;
}

static inline void simulated_launch(const char *name, void (*kernel)(), const size_t shape[4],
                                    const uintptr_t arguments[8]) {
    struct simulated_command c = {.kernel = kernel,
                                  .name = name,
                                  .groups = (unsigned)shape[0],
                                  .threads = (unsigned)shape[1],
                                  .shared_bytes = shape[2]};
    memcpy(c.arguments, arguments, sizeof c.arguments);
    const cudaError_t code = simulated_launch_as("cudaLaunchKernel", kernel, c, (cudaStream_t)shape[3]);
    last_error = code ? code : last_error;
    unchecked = true;
}

typedef struct {
    unsigned x, y, z;
} dim3;
typedef struct {
    enum { cudaLaunchAttributeProgrammaticStreamSerialization = 6 } id;
    struct {
        int programmaticStreamSerializationAllowed;
    } val;
} cudaLaunchAttribute;
typedef struct {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

/* Of a kernel with one argument, which is as large as a pointer. */
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **arguments) {
    const bool early = c->numAttrs > 0 && c->attrs->id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                       c->attrs->val.programmaticStreamSerializationAllowed;
    RETURN(simulated_launch_as(__func__, (void (*)())kernel,
                               (struct simulated_command){.kernel = (void (*)())kernel,
                                                          .name = "early_launch",
                                                          .arguments = {*(uintptr_t *)arguments[0]},
                                                          .groups = c->gridDim.x,
                                                          .threads = c->blockDim.x,
                                                          .shared_bytes = c->dynamicSmemBytes,
                                                          .early = early},
                               c->stream));
}

SIMULATED_API cudaError_t cudaGetLastError(void) {
    const cudaError_t code = last_error;
    unchecked = false;
    last_error = cudaSuccess;
    return simulated_call(__func__, simulated_ns.last_error) ? cudaErrorLaunchFailure : code;
}

static inline void wait_for(const struct simulated_command *command, bool busily) {
    simulated_wait(command, busily);
    if (managed) simulated_spoil(managed, managed_bytes, true);
}
API(cudaDeviceSynchronize, (void), sync, wait_for(NULL, true))

/* ---- Events: a stamp is taken at the end ---- */

struct simulated_event {
    struct simulated_command *command; /* of the last recording */
    unsigned flags;
    bool destroyed; /* the memory stays */
};

static inline cudaEvent_t make_event(unsigned flags) {
    cudaEvent_t event = (cudaEvent_t)calloc(1, sizeof *event);
    event->flags = flags;
    return event;
}
static inline bool finished(cudaEvent_t event) {
    return event->command->done && event->command->end_ns <= simulated_host_ns();
}
API(cudaEventCreate, (cudaEvent_t * event), event_create, *event = make_event(cudaEventDefault))
API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), event_create, *event = make_event(flags))
API(cudaEventDestroy, (cudaEvent_t event), event_destroy,
    if (event->destroyed) simulated_stop("cudaEventDestroy: destroyed twice");
    event->destroyed = true)
API(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), record,
    event->command = simulated_new((struct simulated_command){.ns = simulated_ns.event + simulated_noise(),
                                                              .stream = stream ? &stream->simulated : NULL});
    simulated_enqueue(event->command))
API(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), record_node,
    if (flags != cudaEventRecordExternal || !stream) RETURN(cudaErrorInvalidValue);
    return add_node(stream, (struct simulated_command){.ns = simulated_ns.event_node}, event))
API(
    cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream), graph_call,
    if (stream) RETURN(cudaErrorInvalidResourceHandle);
    for (int i = 0; i < executable->graph.count; i++) {
        struct simulated_command *command = simulated_new(executable->graph.nodes[i].command);
        cudaEvent_t event = executable->graph.nodes[i].event;
        command->saved_ns = simulated_ns.node_saves;
        if (event) event->command = command;
        if (event) command->ns += simulated_noise();
        simulated_enqueue(command);
    })
API(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), record,
    if (flags) RETURN(cudaErrorInvalidValue);
    simulated_enqueue(simulated_new((struct simulated_command){.after = event->command,
                                                               .stream = stream ? &stream->simulated : NULL})))
API(cudaStreamSynchronize, (cudaStream_t stream), sync,
    if (!stream || stream->simulated.last) wait_for(stream ? stream->simulated.last : NULL, true))
API(cudaEventQuery, (cudaEvent_t event), query,
    return !event->command || finished(event) ? cudaSuccess : cudaErrorNotReady)
API(cudaEventSynchronize, (cudaEvent_t event), sync_event,
    if (event->command) wait_for(event->command, !(event->flags & cudaEventBlockingSync)))

API(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to), elapsed,
    if (!from->command || !to->command || (from->flags | to->flags) & cudaEventDisableTiming)
        RETURN(cudaErrorInvalidResourceHandle);
    if (!finished(from) || !finished(to)) return cudaErrorNotReady;
    const int64_t ns = simulated_stamp_ns(to->command->end_ns) - simulated_stamp_ns(from->command->end_ns);
    const int64_t step = simulated_fault("event_step", NULL) ? 160 : 1; *ms = (float)((double)(ns / step * step) / 1e6);
    static int asked; int since = 0; asked++; if (simulated_fault("time_nan", &since) && asked >= since) *ms = NAN;
    if (simulated_fault("time_zero", &since) && asked >= since) *ms = 0;
    if (simulated_fault("time_zero_once", &since) && asked == since) *ms = 0;
    if (simulated_fault("time_same", NULL)) *ms = 0.001f; if (simulated_fault("time_short", NULL)) *ms *= 0.3f;
    if (simulated_fault("time_long", NULL)) *ms += 1;
    if (simulated_fault("time_negative", &since) && asked >= since) *ms = -*ms; if (asked == since) simulated_hit())

#endif
