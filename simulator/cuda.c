/* SPDX-License-Identifier: MIT
 *
 * CUDA's runtime on the virtual clock of machine.c, with two GPUs: what a program that simcc has built is linked with.
 * It has the calls that simcc.h declares; the compiler names any other. checks.c watches what the program does. */
#define _GNU_SOURCE
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "cuda_types.h"
#include "machine.h"

const char *simulated_usual_times = "h200";

const char *cudaGetErrorName(cudaError_t code) {
#define NAME(name, number, words) code == name ? #name:
    return SIMULATED_ERRORS(NAME) "cudaErrorUnknown";
}
const char *cudaGetErrorString(cudaError_t code) {
#define WORDS_OF(name, number, words) code == name ? words:
    return SIMULATED_ERRORS(WORDS_OF) "unknown error";
}

/* ---- Devices ---- */

static int first_visible(void) { /* CUDA_VISIBLE_DEVICES=1 leaves the second one alone */
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible && !simulated_model && strcmp(visible, "1") == 0;
}
static int current;            /* SIMULATED_GPU or SIMULATED_SMALL */
static cudaError_t last_error; /* for cudaGetLastError() */
static bool eager;             /* as CUDA_MODULE_LOADING says at the first call */
static cudaGraph_t capturing;  /* what some stream is captured into: see "Graphs" */
static bool invalidated;       /* by a call that no capture can take: it ends with an error */

static bool fails(const char *name, int64_t ns) {
    static bool called;
    const char *loading = getenv("CUDA_MODULE_LOADING");
    if (!called) {
        eager = loading && strcmp(loading, "EAGER") == 0;
        ns += simulated_ns.driver;
    }
    called = true;
    simulated_device = &simulated_devices[current + first_visible()];
    return simulated_call(name, ns);
}
#define RETURN(code) return last_error = (code)
static void *pinned; /* the last one */
/* What a stream that is captured, or another one meanwhile, can take. */
#define IN_CAPTURE                                                                                                     \
    "cudaEventRecordWithFlags cudaEventRecord cudaEventCreate cudaMemcpyAsync cudaMemsetAsync cudaStreamWaitEvent "    \
    "cudaGraphLaunch cudaStreamEndCapture"
/* The call is to fail; `name` is what the program called. */
#define FAILS_AS(name, ns)                                                                                             \
    SIMCC_CALL;                                                                                                        \
    simcc_why = NULL;                                                                                                  \
    if (pinned && simulated_fault("gate_stuck", NULL)) memset(pinned, 0, sizeof(int));                                 \
    if (simulated_fault("no_device", NULL)) RETURN(cudaErrorNoDevice);                                                 \
    if (simulated_fault("old_driver", NULL)) RETURN(cudaErrorInsufficientDriver);                                      \
    if (fails(name, ns)) RETURN(cudaErrorLaunchFailure);                                                               \
    if (capturing && !strstr(IN_CAPTURE, name)) {                                                                      \
        invalidated = true;                                                                                            \
        RETURN(cudaErrorStreamCaptureUnsupported);                                                                     \
    }

/* One call: its name and parameters, its time in times.h, and what it does. */
#define API(name, parameters, time, ...)                                                                               \
    cudaError_t name parameters {                                                                                      \
        FAILS_AS(__func__, simulated_ns.time);                                                                         \
        __VA_ARGS__;                                                                                                   \
        return cudaSuccess;                                                                                            \
    }

static int simulated_major(void) {
    int number = 0;
    if (simulated_fault("old_gpu", &number)) return 9 - number;
    return simulated_fault("persisting", &number) && number > 1 ? number : 9;
}

static int simulated_max_threads(const struct simulated_device *d) {
    return d->threads_per_unit < 1024 ? d->threads_per_unit : 1024;
}
static int simulated_devices_of_cuda(void) { return simulated_model || first_visible() ? 1 : 2; }
cudaError_t cudaGetDeviceCount(int *count) { /* mostly the first call of all */
    FAILS_AS(__func__, 0);
    *count = simulated_devices_of_cuda();
    return cudaSuccess;
}
API(cudaGetDeviceProperties, (struct cudaDeviceProp * to, int device), get_device_properties,
    if (device < 0 || device >= simulated_devices_of_cuda()) RETURN(cudaErrorInvalidDevice);
    const struct simulated_device *d = &simulated_devices[device + first_visible()];
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
                                   .asyncEngineCount = 1,
                                   .memoryBusWidth = 6144});
    strcpy(to->name, device + first_visible() ? "Simulated GPU, \"small\"" : simulated_gpu_name()))
API(cudaSetDevice, (int device), ask_device + (device != current) * simulated_ns.set_device,
    if (device < 0 || device >= simulated_devices_of_cuda()) RETURN(cudaErrorInvalidDevice);
    current = device)
API(cudaGetDevice, (int *device), ask_device, *device = current)
API(cudaDriverGetVersion, (int *version), ask_device, *version = 13020)
API(cudaProfilerStart, (void), profiler, (void)0)
API(cudaProfilerStop, (void), profiler, (void)0)
static size_t allocated;
API(cudaMemGetInfo, (size_t * available, size_t *total), memory_info, *available = simulated_memory() - allocated;
    *total = 2 * simulated_memory())
#define VALUE_OF(name, value) what == cudaDevAttr##name ? value:
API(cudaDeviceGetAttribute, (int *to, enum cudaDeviceAttr what, int device), ask_device,
    const struct simulated_device *d = &simulated_devices[device + first_visible()];
    *to = SIMULATED_ATTRIBUTES(VALUE_OF) 0)
API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *to, const void *kernel, int threads, size_t shared_bytes __attribute__((unused))), occupancy,
    const struct simulated_device *d = &simulated_devices[current + first_visible()];
    *to = kernel ? d->threads_per_unit / threads : 0; *to = *to > d->blocks_per_unit ? d->blocks_per_unit : *to)

/* ---- Allocations and copies ---- */

/* Both may use it. All of it that the host has touched goes to the device in front of the next kernel, as a copy does,
 * and each piece back when the host touches it. */
static struct managed {
    char *start;
    size_t bytes;
    bool on_host, on_device;
} * managed;
static int managed_count;

static struct managed *managed_at(const void *address) {
    for (int i = 0; i < managed_count; i++)
        if ((uintptr_t)address - (uintptr_t)managed[i].start < managed[i].bytes) return &managed[i];
    return NULL;
}
static int64_t moving_ns(const struct managed *m) { return simulated_copy_ns(m->bytes, simulated_ns.copy_1000); }
static void move_to_device(struct managed *m, struct simulated_stream *queue) {
    if (m->on_host)
        simulated_enqueue(
            simulated_new((struct simulated_command){.ns = moving_ns(m), .on_link = true, .stream = queue}));
    m->on_host = false;
    m->on_device = true;
}
static void move_managed(struct simulated_stream *queue) {
    for (int i = 0; i < managed_count; i++) move_to_device(&managed[i], queue);
}
bool simcc_managed(const void *address) {
    struct managed *const m = managed_at(address);
    if (m && m->on_device) {
        SIMCC_CALL;
        simulated_call("a page fault", moving_ns(m));
    }
    if (m) m->on_host = true, m->on_device = false;
    return m;
}

API(cudaMalloc, (void **to, size_t bytes), allocate, *to = NULL;
    if (bytes > simulated_memory() - allocated) RETURN(cudaErrorMemoryAllocation);
    if (bytes) *to = simulated_allocate(bytes); allocated += bytes)
API(cudaFree, (void *memory), release, if (!memory) return cudaSuccess; simulated_wait(NULL, true);
    struct managed *const m = managed_at(memory); if (m) *m = managed[--managed_count];
    allocated -= simulated_room(memory, NULL); simulated_free(memory))
API(cudaMallocManaged, (void **to, size_t bytes, unsigned flags), allocate, (void)flags; *to = NULL;
    if (!bytes) RETURN(cudaErrorInvalidValue);
    if (bytes > simulated_memory() - allocated) RETURN(cudaErrorMemoryAllocation);
    managed = (struct managed *)simulated_grow(managed, managed_count, sizeof *managed);
    managed[managed_count++] = (struct managed){ *to = simulated_allocate(bytes), bytes, false, false};
    allocated += bytes; simcc_see_all())

/* Of the host, and the device may read and write it. */
static struct range {
    const char *start;
    size_t bytes;
    const struct simulated_command *copy; /* that writes it */
} * pinned_ranges;
int simcc_pinned_count;
const char *simcc_pinned_low, *simcc_pinned_high;

static struct range *pinned_at(const void *address) {
    for (int i = simcc_pinned_count - 1; i >= 0; i--)
        if ((uintptr_t)address - (uintptr_t)pinned_ranges[i].start < pinned_ranges[i].bytes) return &pinned_ranges[i];
    return NULL;
}
bool simcc_is_pinned(const void *address) { return pinned_at(address); }
bool simcc_is_copied_into(const void *address) {
    const struct range *range = pinned_at(address);
    return range && range->copy && !(range->copy->done && range->copy->end_ns <= simulated_host_ns());
}

static cudaError_t allocate_pinned(const char *name, void **to, size_t bytes) {
    FAILS_AS(name, simulated_ns.allocate_host);
    pinned_ranges = (struct range *)simulated_grow(pinned_ranges, simcc_pinned_count, sizeof *pinned_ranges);
    *to = memset(malloc(bytes + sizeof(int)), 0xcd, bytes + sizeof(int));
    pinned_ranges[simcc_pinned_count++] = (struct range){(const char *)*to, bytes, NULL};
    const char *const start = (const char *)*to;
    if (!simcc_pinned_low || start < simcc_pinned_low) simcc_pinned_low = start;
    if (start + bytes > simcc_pinned_high) simcc_pinned_high = start + bytes;
    pinned = *to;
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void **to, size_t bytes) { return allocate_pinned(__func__, to, bytes); }
cudaError_t cudaHostAlloc(void **to, size_t bytes, unsigned flags) {
    (void)flags;
    return allocate_pinned(__func__, to, bytes);
}
API(cudaFreeHost, (void *memory), release, struct range *range = pinned_at(memory);
    if (memory && !range) RETURN(cudaErrorInvalidValue); simulated_wait(NULL, true);
    if (range) *range = pinned_ranges[--simcc_pinned_count]; if (memory == pinned) pinned = NULL; free(memory))

/* ---- Graphs: what goes into a captured stream becomes a node. ---- */

struct simulated_graph {
    int count;
    struct {
        struct simulated_command command; /* its stream: NULL for that of the launch */
        struct simulated_event *event;    /* that it records, or NULL */
        int after;                        /* 0, or the number of the one that it waits for, from 1 on */
    } * nodes;
};
struct simulated_executable {
    struct simulated_graph graph;
};
static unsigned captures; /* that have begun: the last one is in `capturing` */
struct CUstream_st {
    struct simulated_stream simulated; /* the first member */
    int last_node;
    unsigned capture;
    bool forked; /* into the capture, by an event */
} simcc_per_thread;
cudaStream_t simcc_default_stream; /* NULL, or with --default-stream per-thread that one */

/* All events and streams are here, and stay, so that one which nobody has created is known. */
static uint64_t handles[1 << 22];
static size_t handle_bytes;
static void *new_handle(size_t bytes) {
    if (handle_bytes + bytes > sizeof handles) simulated_stop("too many events and streams");
    return (char *)handles + (handle_bytes += bytes) - bytes;
}
static bool is_handle(const void *handle) { return (uintptr_t)handle - (uintptr_t)handles < handle_bytes; }

static cudaStream_t stream_of(cudaStream_t stream) {
    if (stream && stream != cudaStreamPerThread && !is_handle(stream))
        simulated_stop("there is no such stream: nobody has created it");
    return stream ? stream : simcc_default_stream;
}
static struct simulated_stream *queue_of(cudaStream_t stream) {
    return stream_of(stream) ? &stream_of(stream)->simulated : NULL;
}
static bool is_captured(cudaStream_t stream) {
    return capturing && stream_of(stream) && stream_of(stream)->capture == captures;
}
static cudaError_t add_node(cudaStream_t stream, struct simulated_command command, cudaEvent_t event, int after) {
    if (!is_captured(stream)) simulated_stop("a stream that is not captured");
    if (invalidated) RETURN(cudaErrorStreamCaptureInvalidated);
    stream = stream_of(stream);
    command.stream = stream->forked ? &stream->simulated : NULL;
    capturing->nodes = simulated_grow(capturing->nodes, capturing->count, sizeof *capturing->nodes);
    capturing->nodes[capturing->count].command = command;
    capturing->nodes[capturing->count].event = event;
    capturing->nodes[capturing->count++].after = after;
    stream->last_node = capturing->count;
    return cudaSuccess;
}
static void begin_capture(cudaStream_t stream, bool forked) {
    stream_of(stream)->capture = captures;
    stream_of(stream)->forked = forked;
    stream_of(stream)->last_node = 0;
}
API(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), stream_create,
    if (flags > cudaStreamNonBlocking) RETURN(cudaErrorInvalidValue);
    *stream = (cudaStream_t)new_handle(sizeof **stream); (*stream)->simulated.apart = flags == cudaStreamNonBlocking)
API(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), ask_device, *least = 0; *greatest = -5)
API(cudaStreamDestroy, (cudaStream_t stream), stream_destroy, /* its commands still run: the memory stays */
    if (!stream) RETURN(cudaErrorInvalidResourceHandle))
API(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), capture, (void)mode;
    if (!stream_of(stream)) RETURN(cudaErrorStreamCaptureUnsupported);
    capturing = (cudaGraph_t)calloc(1, sizeof *capturing); captures++; invalidated = false;
    begin_capture(stream, false))
API(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), capture_end,
    if (!is_captured(stream)) RETURN(cudaErrorIllegalState);
    *graph = invalidated ? NULL : capturing; capturing = NULL;
    if (invalidated) RETURN(cudaErrorStreamCaptureInvalidated))
API(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * to, cudaGraph_t graph, unsigned long long flags), graph_create,
    if (flags) RETURN(cudaErrorInvalidValue);
    *to = (cudaGraphExec_t)calloc(1, sizeof **to); (*to)->graph = *graph;
    const size_t bytes = (size_t)graph->count * sizeof *graph->nodes;
    (*to)->graph.nodes = memcpy(malloc(bytes + 1), graph->nodes, bytes))
API(cudaGraphDestroy, (cudaGraph_t graph), graph_destroy, free(graph->nodes); free(graph))

/* ---- Copies and fills ---- */

static void run_kept_copy(struct simulated_command *c) { /* of bytes that the call has taken */
    simulated_run_copy(c);
    free((void *)c->arguments[1]);
}

/* A copy as the runtime makes it. With memory that is not pinned, the host waits for what comes from the device, and
 * for more than 64 KiB that go there: fewer bytes are taken at once. A variable of the device is no allocation. */
enum { TAKEN_AT_ONCE = 1 << 16 };
static int64_t copying_ns(size_t bytes, bool on_device) {
    return on_device ? simulated_ns.device_copy + simulated_device_ns(bytes, simulated_ns.device_copy_1000000)
                     : simulated_copy_ns(bytes, simulated_ns.copy_1000);
}
static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream,
                        bool waits, bool to_variable, bool from_variable) {
    const bool from_device = from_variable || simulated_room(from, NULL),
               to_device = to_variable || simulated_room(to, NULL);
    if (kind == cudaMemcpyDefault || managed_at(to) || managed_at(from))
        kind = from_device ? to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
               : to_device ? cudaMemcpyHostToDevice
                           : cudaMemcpyHostToHost;
    if (bytes == 0) return cudaSuccess;
    if (from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) ||
        to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
        (from_device && !from_variable && simulated_room(from, NULL) < bytes) ||
        (to_device && !to_variable && simulated_room(to, NULL) < bytes))
        RETURN(cudaErrorInvalidValue);
    struct range *into = from_device ? pinned_at(to) : NULL;
    const bool paged = !waits && (from_device ? !to_device && !into : !pinned_at(from));
    struct simulated_command c = {.run = simulated_run_copy,
                                  .ns = copying_ns(bytes, from_device && to_device),
                                  .on_link = from_device != to_device && !(stream && stream->simulated.apart),
                                  .stream = queue_of(stream),
                                  .arguments = {(uintptr_t)to, (uintptr_t)from, bytes, kind == cudaMemcpyDeviceToHost}};
    if (is_captured(stream)) return add_node(stream, c, NULL, 0);
    if (paged && !from_device && bytes <= TAKEN_AT_ONCE) {
        c.run = run_kept_copy;
        c.arguments[1] = (uintptr_t)memcpy(malloc(bytes), from, bytes);
    }
    struct simulated_command *command = simulated_new(c);
    simulated_enqueue(command);
    if (into) into->copy = command;
    if (waits || (paged && c.run == simulated_run_copy)) simulated_wait(command, true);
    return cudaSuccess;
}
API(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind), copy_call,
    return copy(to, from, bytes, kind, NULL, kind != cudaMemcpyDeviceToDevice, false, false))
API(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
    copy_call, return copy(to, from, bytes, kind, stream, false, false, false))
cudaError_t simcc_to_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    FAILS_AS("cudaMemcpyToSymbol", simulated_ns.copy_call);
    return copy(to, from, bytes, kind, NULL, true, true, false);
}
cudaError_t simcc_from_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    FAILS_AS("cudaMemcpyFromSymbol", simulated_ns.copy_call);
    return copy(to, from, bytes, kind, NULL, true, false, true);
}

static void run_free(struct simulated_command *c) { simulated_free((void *)c->arguments[0]); }
API(cudaMallocAsync, (void **to, size_t bytes, cudaStream_t stream), allocate_async, (void)stream; *to = NULL;
    if (bytes > simulated_memory() - allocated) RETURN(cudaErrorMemoryAllocation);
    if (bytes) *to = simulated_allocate(bytes); allocated += bytes)
API(cudaFreeAsync, (void *memory, cudaStream_t stream), allocate_async, allocated -= simulated_room(memory, NULL);
    simulated_enqueue(simulated_new((struct simulated_command){
        .run = run_free, .stream = queue_of(stream), .arguments = {(uintptr_t)memory}})))
API(cudaMemPrefetchAsync,
    (const void *memory, size_t bytes, struct cudaMemLocation to, unsigned flags, cudaStream_t stream), copy_call,
    (void)bytes;
    struct managed *const m = managed_at(memory); if (!m || flags) RETURN(cudaErrorInvalidValue);
    if (to.type == cudaMemLocationTypeDevice) move_to_device(m, queue_of(stream)); else simcc_managed(memory))

static void run_memset(struct simulated_command *c) {
    memset((void *)c->arguments[0], (int)c->arguments[1], c->arguments[2]);
    simulated_fill_l2((void *)c->arguments[0], c->arguments[2], true);
}

static cudaError_t simulated_memset(void *to, int value, size_t bytes, cudaStream_t stream) {
    if (simulated_room(to, NULL) < bytes) RETURN(cudaErrorInvalidValue);
    const struct simulated_command c = {.run = run_memset,
                                        .ns = simulated_ns.memset +
                                              simulated_device_ns(bytes, simulated_ns.memset_1000000),
                                        .delay_ns = simulated_fault("late_memset", NULL) ? 1000000 : 0,
                                        .stream = queue_of(stream),
                                        .arguments = {(uintptr_t)to, (uintptr_t)value, bytes}};
    if (is_captured(stream)) return add_node(stream, c, NULL, 0);
    simulated_enqueue(simulated_new(c));
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
static cudaError_t simulated_launch_as(const char *call, void (*code)(), struct simulated_command c,
                                       cudaStream_t stream) {
    static void (**loaded)();
    static int count;
    const char *no_cache = getenv("CUDA_CACHE_DISABLE");
    const bool kept = !no_cache || strcmp(no_cache, "1") != 0;
    int i = 0;
    while (i < count && loaded[i] != code) i++;
    simulated_device = &simulated_devices[current + first_visible()];
    if (i == count && !eager && !capturing) simulated_wait(NULL, true);
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
    if (is_captured(stream)) return add_node(stream, c, NULL, 0);
    c.stream = queue_of(stream);
    move_managed(c.stream);
    simulated_enqueue(simulated_new(c));
    const char *const blocking = getenv("CUDA_LAUNCH_BLOCKING");
    if (blocking && strcmp(blocking, "1") == 0) simulated_wait(NULL, true);
    return cudaSuccess;
}

void simcc_launch(const struct simcc_launch *l) {
    SIMCC_CALL;
    const struct simulated_index g = l->grid, b = l->block;
    const size_t threads = (size_t)b.x * b.y * b.z, blocks = (size_t)g.x * g.y * g.z;
    struct simulated_command c = {.kernel = l->run,
                                  .name = l->kernel,
                                  .groups = (unsigned)blocks,
                                  .threads = (unsigned)threads,
                                  .grid = g,
                                  .block = b,
                                  .lanes = true,
                                  .places = l->places,
                                  .shared_bytes = l->bytes};
    for (int i = 0; i < 7; i++) c.arguments[i] = (uintptr_t)l->pointers[i];
    c.arguments[7] = (uintptr_t)l->closure;
    const bool possible =
        blocks > 0 && g.x <= INT_MAX && g.y <= 65535 && g.z <= 65535 && threads > 0 && b.z <= 64 && threads <= 1024;
    if (blocks > UINT_MAX) simulated_stop("%s: more than 2^32 blocks", l->place);
    if (!possible) c.groups = 0;
    cudaError_t code = simulated_launch_as("cudaLaunchKernel", (void (*)())l->identity, c, l->stream);
    if (code == cudaErrorInvalidConfiguration && possible) code = cudaErrorInvalidValue; /* too much shared memory */
    last_error = code ? code : last_error;
    simcc_launched(l->kernel, l->place, code);
}

cudaError_t cudaGetLastError(void) {
    const cudaError_t code = last_error;
    SIMCC_CALL;
    simcc_asked();
    last_error = cudaSuccess;
    return simulated_call(__func__, simulated_ns.last_error) ? cudaErrorLaunchFailure : code;
}

cudaError_t cudaPeekAtLastError(void) {
    SIMCC_CALL;
    simcc_asked();
    return simulated_call(__func__, simulated_ns.last_error) ? cudaErrorLaunchFailure : last_error;
}

API(cudaDeviceSynchronize, (void), sync, simulated_wait(NULL, true))

/* ---- Events: a stamp is taken at the end ---- */

struct simulated_event {
    struct simulated_command *command; /* of the last recording */
    unsigned flags, capture;           /* 0, or that it was recorded in, behind this node */
    int node;
    bool destroyed;
};

static cudaEvent_t make_event(unsigned flags) {
    cudaEvent_t event = (cudaEvent_t)new_handle(sizeof *event);
    event->flags = flags;
    return event;
}
#define NEEDS(event)                                                                                                   \
    simcc_why = "there is no such event: nobody has created it, or it is destroyed";                                   \
    if (!is_handle(event) || event->destroyed) RETURN(cudaErrorInvalidResourceHandle);                                 \
    simcc_why = NULL
static bool finished(cudaEvent_t event) {
    return event->command->done && event->command->end_ns <= simulated_host_ns();
}
API(cudaEventCreate, (cudaEvent_t * event), event_create, *event = make_event(cudaEventDefault))
API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), event_create, *event = make_event(flags))
API(cudaEventDestroy, (cudaEvent_t event), event_destroy, NEEDS(event); event->destroyed = true)
API(
    cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), record, NEEDS(event); event->capture = 0;
    if (is_captured(stream)) {
        event->capture = captures;
        event->node = stream_of(stream)->last_node;
        return cudaSuccess;
    } event->command = simulated_new((struct simulated_command){.ns = simulated_ns.event + simulated_noise(),
                                                                .stream = queue_of(stream)});
    simulated_enqueue(event->command))
API(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), record_node, NEEDS(event);
    if (flags != cudaEventRecordExternal || !stream) RETURN(cudaErrorInvalidValue);
    return add_node(stream, (struct simulated_command){.ns = simulated_ns.event_node}, event, 0))
API(
    cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream), graph_call,
    if (is_captured(stream)) simulated_stop("cudaGraphLaunch() into a captured stream is not in the simulated machine");
    struct simulated_command **made = malloc(((size_t)executable->graph.count + 1) * sizeof *made);
    struct simulated_stream *const queue = queue_of(stream); made[0] = queue ? queue->last : NULL; move_managed(queue);
    for (int i = 0; i < executable->graph.count; i++) {
        struct simulated_command *command = simulated_new(executable->graph.nodes[i].command);
        cudaEvent_t event = executable->graph.nodes[i].event;
        command->saved_ns = simulated_ns.node_saves;
        command->in_graph = true;
        command->stream = command->stream ? command->stream : queue;
        command->after = command->run || event ? NULL : made[executable->graph.nodes[i].after];
        if (event) event->command = command;
        if (event) command->ns += simulated_noise();
        simulated_enqueue(made[i + 1] = command);
    } free(made))
API(
    cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), record, NEEDS(event);
    if (flags) RETURN(cudaErrorInvalidValue); if (capturing && event->capture == captures) {
        if (!is_captured(stream)) begin_capture(stream, true);
        return add_node(stream, (struct simulated_command){0}, NULL, event->node);
    } simulated_enqueue(simulated_new((struct simulated_command){.after = event->command, .stream = queue_of(stream)})))
API(cudaStreamSynchronize, (cudaStream_t stream), sync, const struct simulated_stream *queue = queue_of(stream);
    if (!queue || queue->last) simulated_wait(queue ? queue->last : NULL, true))
int simcc_queries;
API(cudaEventQuery, (cudaEvent_t event), query, simcc_queries++; NEEDS(event);
    if (event->capture) RETURN(cudaErrorCapturedEvent);
    return !event->command || finished(event) || simulated_fault("query_reached", NULL) ? cudaSuccess
                                                                                        : cudaErrorNotReady)
API(cudaEventSynchronize, (cudaEvent_t event), sync_event, NEEDS(event);
    if (event->capture) RETURN(cudaErrorCapturedEvent);
    if (event->command) simulated_wait(event->command, !(event->flags & cudaEventBlockingSync)))

/* What is wrong with an event if its time is asked for, or NULL. */
static const char *wrong_with(cudaEvent_t event) {
    return event->flags & cudaEventDisableTiming ? "was made without timing (cudaEventDisableTiming)"
           : event->capture                      ? "was recorded in a capture: a graph has no time for it"
           : !event->command                     ? "was never recorded"
           : !finished(event)                    ? "has not ended yet: nobody waited for it"
                                                 : NULL;
}
API(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to), elapsed, static char why[100]; NEEDS(from);
    NEEDS(to); const cudaEvent_t wrong = wrong_with(from) ? from
                                         : wrong_with(to) ? to
                                                          : NULL;
    if (wrong) simcc_why = why;
    if (wrong) snprintf(why, sizeof why, "the %s event %s", wrong == from ? "first" : "second", wrong_with(wrong));
    if (from->capture || to->capture) RETURN(cudaErrorInvalidValue);
    if (!from->command || !to->command || (from->flags | to->flags) & cudaEventDisableTiming)
        RETURN(cudaErrorInvalidResourceHandle);
    if (wrong) return cudaErrorNotReady;
    if (to->command->queued_ns < from->command->queued_ns) simcc_exchanged(__builtin_return_address(0));
    const int64_t ns = simulated_stamp_ns(to->command->end_ns) - simulated_stamp_ns(from->command->end_ns);
    const int64_t step = simulated_fault("event_step", NULL) ? 160 : 1; *ms = (float)((double)(ns / step * step) / 1e6);
    static int asked; int since = 0; asked++; if (simulated_fault("time_nan", &since) && asked >= since) *ms = NAN;
    if (simulated_fault("time_zero", &since) && asked >= since) *ms = 0;
    if (simulated_fault("time_zero_once", &since) && asked == since) *ms = 0;
    if (simulated_fault("time_same", NULL)) *ms = 0.001f; if (simulated_fault("time_short", NULL)) *ms *= 0.3f;
    if (simulated_fault("time_long", NULL)) *ms += 1;
    if (simulated_fault("time_negative", &since) && asked >= since) *ms = -*ms; if (asked == since) simulated_hit())

/* ---- Other calls ---- */

API(cudaStreamQuery, (cudaStream_t stream), query, simcc_queries++;
    const struct simulated_stream *queue = queue_of(stream);
    const struct simulated_command *last = queue ? queue->last : NULL;
    return (queue ? last && !(last->done && last->end_ns <= simulated_host_ns()) : simulated_busy()) ? cudaErrorNotReady
                                                                                                     : cudaSuccess)
API(cudaGraphExecDestroy, (cudaGraphExec_t executable), graph_destroy, free(executable->graph.nodes); free(executable))
API(cudaDeviceReset, (void), sync, simulated_wait(NULL, true))
API(cudaRuntimeGetVersion, (int *version), ask_device, *version = CUDART_VERSION)

float __expf(float x) { return expf(x); }
float __logf(float x) { return logf(x); }
float __sinf(float x) { return sinf(x); }
float __cosf(float x) { return cosf(x); }
float __powf(float x, float y) { return powf(x, y); }

/* What glibc would do by its own clock. */
int usleep(useconds_t us) { return nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL); }
unsigned sleep(unsigned s) { return nanosleep(&(struct timespec){s, 0}, NULL) ? s : 0; }
int clock_nanosleep(clockid_t id, int flags, const struct timespec *asked_for, struct timespec *left) {
    struct timespec until = *asked_for, now = {0, 0};
    if (flags) clock_gettime(id, &now);
    const int64_t ns = (int64_t)(until.tv_sec - now.tv_sec) * 1000000000 + until.tv_nsec - now.tv_nsec;
    return ns > 0 ? nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, left) : 0;
}
double omp_get_wtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
int timespec_get(struct timespec *t, int base) {
    clock_gettime(CLOCK_REALTIME, t);
    return base;
}
