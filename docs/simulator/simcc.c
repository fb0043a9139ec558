/* SPDX-License-Identifier: MIT
 *
 * What a program that simcc has built is linked with: CUDA's calls as far as they differ from those in cuda_runtime.h,
 * launches, and a check of each access to memory. simcc.h has the C++ side. */
#define _GNU_SOURCE
#define SIMULATED_READER
#include "cuda_runtime.h"

#include <stdarg.h>
#include <time.h>
#include <unistd.h>

const char *simulated_usual_times = "h200";
static const char *source = "?"; /* FILE.cu */

const char *cudaGetErrorName(cudaError_t code) {
#define NAME(name, number, words) code == name ? #name:
    return SIMULATED_ERRORS(NAME) "cudaErrorUnknown";
}
const char *cudaGetErrorString(cudaError_t code) {
#define WORDS_OF(name, number, words) code == name ? words:
    return SIMULATED_ERRORS(WORDS_OF) "unknown error";
}

__attribute__((constructor)) static void prepare(void) {
    simulated_time_passes = true;
    simulated_devices[SIMULATED_GPU].threads_per_unit = 2048;
}

/* ---- Launches ---- */

static struct site { /* where the program launches */
    const char *kernel, *place;
    cudaError_t failed;
    bool unasked;
} * sites;
static int site_count;

static struct site *site_of(const char *kernel, const char *place) {
    for (int i = 0; i < site_count; i++)
        if (strcmp(sites[i].place, place) == 0 && strcmp(sites[i].kernel, kernel) == 0) return &sites[i];
    sites = (struct site *)simulated_grow(sites, site_count, sizeof *sites);
    sites[site_count] = (struct site){.kernel = kernel, .place = place};
    return &sites[site_count++];
}

void simcc_source(const char *name) { source = name; }

void simcc_launch(const struct simcc_launch *l) {
    const unsigned *g = l->grid, *b = l->block;
    const size_t threads = (size_t)b[0] * b[1] * b[2], blocks = (size_t)g[0] * g[1] * g[2];
    struct simulated_command c = {.kernel = l->run,
                                  .name = l->kernel,
                                  .groups = (unsigned)blocks,
                                  .threads = (unsigned)threads,
                                  .grid = {g[0], g[1], g[2]},
                                  .block = {b[0], b[1], b[2]},
                                  .lanes = true,
                                  .shared_bytes = l->bytes};
    for (int i = 0; i < 7; i++) c.arguments[i] = (uintptr_t)l->pointers[i];
    c.arguments[7] = (uintptr_t)l->closure;
    const bool possible =
        blocks > 0 && g[0] <= INT_MAX && g[1] <= 65535 && g[2] <= 65535 && threads > 0 && b[2] <= 64 && threads <= 1024;
    if (blocks > UINT_MAX) simulated_stop("%s: more than 2^32 blocks", l->place);
    if (!possible) c.groups = 0;
    cudaError_t code = simulated_launch_as("cudaLaunchKernel", (void (*)())l->identity, c, l->stream);
    if (code == cudaErrorInvalidConfiguration && possible) code = cudaErrorInvalidValue; /* too much shared memory */
    last_error = code ? code : last_error;
    struct site *site = site_of(l->kernel, l->place);
    site->unasked = true;
    if (code) site->failed = code;
}

static void asked(void) {
    for (int i = 0; i < site_count; i++) {
        sites[i].unasked = false;
        sites[i].failed = cudaSuccess;
    }
}
cudaError_t simcc_last_error(void) {
    asked();
    return cudaGetLastError();
}
cudaError_t cudaPeekAtLastError(void) {
    asked();
    return simulated_call(__func__, simulated_ns.last_error) ? cudaErrorLaunchFailure : last_error;
}

__attribute__((destructor)) static void say_at_the_end(void) {
    for (int i = 0; i < site_count; i++) {
        if (!sites[i].unasked) continue;
        if (sites[i].failed)
            fprintf(stderr, "simcc: %s: the launch of %s failed (%s), and nobody asked\n", sites[i].place,
                    sites[i].kernel, cudaGetErrorString(sites[i].failed));
        else
            fprintf(stderr, "simcc: %s: nobody asked for the error of this launch of %s: cudaGetLastError()\n",
                    sites[i].place, sites[i].kernel);
    }
    if (simulated_device && simulated_busy())
        fprintf(stderr, "simcc: %s: the program ends while the device still works: nobody waited for it\n", source);
}

/* ---- Memory ---- */

static struct range {
    const char *start;
    size_t bytes;
    const struct simulated_command *copy; /* that writes it */
} * pinned_ranges, *closures;
static int pinned_count, closure_count;

static struct range *range_of(struct range *ranges, int count, const void *address) {
    for (int i = count - 1; i >= 0; i--)
        if ((uintptr_t)address - (uintptr_t)ranges[i].start < ranges[i].bytes) return &ranges[i];
    return NULL;
}

/* Arguments of launches, which kernels read: in large pieces, which stay. */
void *simcc_closure(size_t bytes) {
    static size_t used;
    const size_t aligned = (bytes + 63) / 64 * 64, piece = aligned > 1 << 20 ? aligned : 1 << 20;
    if (closure_count == 0 || closures[closure_count - 1].bytes - used < aligned) {
        closures = (struct range *)simulated_grow(closures, closure_count, sizeof *closures);
        closures[closure_count++] = (struct range){(const char *)aligned_alloc(64, piece), piece, NULL};
        used = 0;
    }
    used += aligned;
    return (char *)closures[closure_count - 1].start + used - aligned;
}

/* ---- Each access to memory ----
 *
 * The program is compiled with -fsanitize=thread, which calls the functions below before each access. It is linked
 * without that sanitizer: what they find is for a GPU. */

extern char __executable_start, end; /* of the program, by the linker */
extern char __start_simcc_device __attribute__((weak)), __stop_simcc_device __attribute__((weak));

static bool is_new_place(const void *place) {
    static const void **places;
    static int count;
    for (int i = 0; i < count; i++)
        if (places[i] == place) return false;
    places = (const void **)simulated_grow((void *)places, count, sizeof *places);
    places[count++] = place;
    return true;
}

/* Returns FILE.cu:LINE of a return address. */
static const char *line_of(const void *place) {
    static char text[4096];
    char command[64], *base = NULL;
    snprintf(command, sizeof command, "addr2line -e /proc/%d/exe %p", (int)getpid(), (void *)((char *)place - 1));
    FILE *pipe = popen(command, "r");
    if (pipe && fgets(text, sizeof text, pipe)) {
        text[strcspn(text, " \n")] = '\0';
        base = strrchr(text, '/');
    }
    if (pipe) pclose(pipe);
    const char *file = strrchr(source, '/') ? strrchr(source, '/') + 1 : source;
    if (base && strncmp(base + 1, file, strlen(file)) == 0 && base[1 + strlen(file)] == ':') {
        memmove(text + strlen(source), base + 1 + strlen(file), strlen(base + strlen(file)));
        memcpy(text, source, strlen(source));
    }
    return base || (pipe && text[0] && text[0] != '?') ? text : source;
}

struct access { /* the last one of a word */
    unsigned epoch, block, meetings;
    unsigned short thread, bytes; /* a bit for each byte */
};
struct shadow {
    struct access read, written;
};

static bool conflicts(const struct access *a, const struct access *b, bool is_shared) {
    if (!(a->bytes & b->bytes) || a->epoch <= simulated_this_launch()->first_epoch) return false;
    if (a->block != b->block) return !simulated_this_launch()->fenced && !is_shared;
    return a->thread != b->thread && a->epoch == b->epoch &&
           (a->thread / 32 != b->thread / 32 || a->meetings == b->meetings);
}

static void check_order(struct shadow *shadow, unsigned char bytes, bool writes, bool is_shared, const void *place) {
    const struct access now = {simulated_epoch, simulated_block(), simulated_meetings(),
                               (unsigned short)simulated_thread(), bytes};
    const struct access *other = writes ? &shadow->read : &shadow->written;
    if (conflicts(other, &now, is_shared) && is_new_place(place)) {
        unsigned launches;
        fprintf(stderr,
                "simcc: %s: %s: thread %u of block %u %s what thread %u of block %u %s, and nothing orders the two: a "
                "GPU may give another result\n",
                line_of(place), simulated_last_kernel(&launches), now.thread, now.block, writes ? "writes" : "reads",
                other->thread, other->block, writes ? "has read" : "has written");
    }
    *(writes ? &shadow->written : &shadow->read) = now;
}

/* An allocation, or shared memory: a shadow for each 4 bytes. */
static struct known {
    char *start;
    size_t bytes;
    struct shadow *shadows;
} shared_known[2], variables, *known;
static int known_count, known_last;

static struct known *known_of(const char *at) {
    if (known_last < known_count && (size_t)(at - known[known_last].start) < known[known_last].bytes)
        return &known[known_last];
    for (known_last = 0; known_last < known_count; known_last++)
        if ((size_t)(at - known[known_last].start) < known[known_last].bytes) return &known[known_last];
    return NULL;
}

static struct known *learn(struct known *k, char *start, size_t bytes) {
    *k = (struct known){start, bytes, (struct shadow *)calloc(bytes / 4 + 1, sizeof(struct shadow))};
    if (!k->shadows) simulated_stop("no memory");
    return k;
}

static void learn_allocation(char *start, size_t bytes) {
    known = (struct known *)simulated_grow(known, known_count, sizeof *known);
    learn(&known[known_count++], start, bytes);
}
static void forget_allocation(const char *start) {
    struct known *k = known_of(start);
    if (!k) return;
    free(k->shadows);
    *k = known[--known_count];
}

__attribute__((noinline, noreturn)) static void stop_at(const void *place, bool writes, const char *what) {
    unsigned launches;
    if (!simulated_in_kernel()) simulated_stop("%s: the host %s %s", line_of(place), writes ? "writes" : "reads", what);
    simulated_stop("%s: %s: thread %u of block %u %s %s", line_of(place), simulated_last_kernel(&launches),
                   simulated_thread(), simulated_block(), writes ? "writes" : "reads", what);
}

static void check_on_host(const char *at, bool writes, const void *place) {
    if (at >= &__start_simcc_device && at < &__stop_simcc_device)
        stop_at(place, writes, "a variable of the device; cudaMemcpyToSymbol() and cudaMemcpyFromSymbol() do");
    if (at >= &__executable_start && at < &end) return;
    const struct range *range = range_of(pinned_ranges, pinned_count, at);
    if (range && range->copy && !(range->copy->done && range->copy->end_ns <= simulated_host_ns()) &&
        is_new_place(place))
        fprintf(stderr, "simcc: %s: the host %s memory before the copy into it has ended: nobody waited\n",
                line_of(place), writes ? "writes" : "reads");
    if (known_of(at)) stop_at(place, writes, "memory of the device; cudaMemcpy() copies it");
    static const char *last_at;
    static int64_t last_ns;
    static unsigned again;
    again = range && at == last_at && last_ns == simulated_host_ns() ? again + 1 : 0;
    last_at = at;
    last_ns = simulated_host_ns();
    if (again > 20000000)
        simulated_stop("%s: the host reads one place in a loop: no time passes meanwhile, so that no kernel runs",
                       line_of(place));
}

static bool checks; /* parts switches it off, after the first run */
__attribute__((constructor)) static void ask_for_checks(void) {
    const char *text = getenv("SIMCC_CHECKS");
    checks = !text || strcmp(text, "off") != 0;
}

static void check(const void *address, size_t bytes, bool writes, const void *place) {
    const char *const at = (const char *)address;
    if (!simulated_in_kernel()) return check_on_host(at, writes, place);
    char *const shared = (char *)simulated_shared();
    const char *const declared_from = (const char *)simulated_static_shared();
    const bool is_shared = at >= shared && at < declared_from + SIMULATED_STATIC_BYTES;
    struct known *k = NULL;
    if (is_shared) {
        if (at < declared_from && (size_t)(at - shared) + bytes > simulated_shared_bytes())
            stop_at(place, writes, "beyond its dynamic shared memory");
        k = &shared_known[shared_known[0].start && shared_known[0].start != shared];
        if (!k->start) learn(k, shared, (size_t)(declared_from + SIMULATED_STATIC_BYTES - shared));
    } else if (at >= &__start_simcc_device && at < &__stop_simcc_device) {
        k = &variables;
        if (!k->start) learn(k, &__start_simcc_device, (size_t)(&__stop_simcc_device - &__start_simcc_device));
    } else if (at >= &__executable_start && at < &end)
        return;
    else if (!(k = known_of(at))) {
        const bool in_stack = (uintptr_t)at - (uintptr_t)__builtin_frame_address(0) + (1 << 18) < 1 << 19;
        if (in_stack || range_of(closures, closure_count, at) || range_of(pinned_ranges, pinned_count, at)) return;
        stop_at(place, writes, "memory that is no memory of the device, or beyond it");
    }
    const size_t offset = (size_t)(at - k->start);
    if (offset + bytes > k->bytes) stop_at(place, writes, "beyond the end of its memory");
    if (!simulated_this_launch()->checks_order) return;
    for (size_t done = 0, i = offset; done < bytes;) {
        const size_t first = i % 4, part = bytes - done < 4 - first ? bytes - done : 4 - first;
        check_order(&k->shadows[i / 4], (unsigned char)(((1 << part) - 1) << first), writes, is_shared, place);
        done += part;
        i += part;
    }
}

/* A function, for it is no part of the program, whose accesses are checked. */
void simcc_step(void) {
    enum { PIECE = 10000000, TOO_MANY = 20 };
    static unsigned thread, block, steps, pieces;
    simulated_step();
    if (++steps < PIECE) return;
    steps = 0;
    pieces = thread == simulated_thread() && block == simulated_block() ? pieces + 1 : 0;
    thread = simulated_thread();
    block = simulated_block();
    if (pieces < TOO_MANY || !simulated_in_kernel()) return;
    unsigned launches;
    simulated_stop(
        "%s: thread %u of block %u is in a loop of %d rounds: if it waits for another thread, or in a stream "
        "made with cudaStreamNonBlocking for the host, that one does not run meanwhile",
        simulated_last_kernel(&launches), thread, block, TOO_MANY * PIECE);
}

/* Blocks order by themselves what they do, from now on in this launch. */
void simcc_fence(void) { simulated_this_launch()->fenced = true; }
void simcc_begin(void) { /* of a thread; the order of accesses is checked in a kernel's first two launches */
    unsigned launches = 0;
    if (simulated_thread() == 0) simulated_say_if_slow();
    if (simulated_block() == 0 && simulated_thread() == 0)
        simulated_this_launch()->checks_order = simulated_last_kernel(&launches) && launches <= 2;
}
void simcc_declared(size_t bytes, size_t place) {
    unsigned launches;
    const size_t declared = simulated_this_launch()->declared_bytes += bytes;
    if (declared + simulated_shared_bytes() > SIMULATED_SHARED_BYTES || place > SIMULATED_STATIC_BYTES)
        simulated_stop("%s: %s has more than %d bytes of shared memory", source, simulated_last_kernel(&launches),
                       SIMULATED_SHARED_BYTES);
}

/* ---- Allocations and copies ---- */

static size_t allocated;

cudaError_t simcc_malloc(void **to, size_t bytes) {
    FAILS_AS("cudaMalloc", simulated_ns.allocate);
    *to = NULL;
    if (bytes > simulated_memory() - allocated) RETURN(cudaErrorMemoryAllocation);
    allocated += bytes;
    if (bytes) learn_allocation((char *)(*to = simulated_allocate(bytes)), bytes);
    return cudaSuccess;
}
cudaError_t simcc_free(void *memory) {
    FAILS_AS("cudaFree", simulated_ns.release);
    if (!memory) return cudaSuccess;
    simulated_wait(NULL, true);
    allocated -= simulated_room(memory, NULL);
    forget_allocation((const char *)memory);
    simulated_free(memory);
    return cudaSuccess;
}
static cudaError_t allocate_pinned(const char *name, void **to, size_t bytes) {
    FAILS_AS(name, simulated_ns.allocate_host);
    pinned_ranges = (struct range *)simulated_grow(pinned_ranges, pinned_count, sizeof *pinned_ranges);
    *to = memset(malloc(bytes + sizeof(int)), 0xcd, bytes + sizeof(int));
    pinned_ranges[pinned_count++] = (struct range){(const char *)*to, bytes, NULL};
    if (simulated_fault("gate_stuck", NULL) || simulated_fault("gate_open", NULL)) pinned = *to;
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **to, size_t bytes, unsigned flags) {
    (void)flags;
    return allocate_pinned(__func__, to, bytes);
}
cudaError_t simcc_malloc_host(void **to, size_t bytes) { return allocate_pinned("cudaMallocHost", to, bytes); }
cudaError_t cudaFreeHost(void *memory) {
    FAILS_AS("cudaFreeHost", simulated_ns.release);
    struct range *range = range_of(pinned_ranges, pinned_count, memory);
    if (memory && !range) RETURN(cudaErrorInvalidValue);
    simulated_wait(NULL, true);
    if (range) *range = pinned_ranges[--pinned_count];
    if (memory == pinned) pinned = NULL;
    free(memory);
    return cudaSuccess;
}

static void run_kept_copy(struct simulated_command *c) { /* of bytes that the call has taken */
    run_copy(c);
    free((void *)c->arguments[1]);
}

/* A copy as the runtime makes it: with memory that is not pinned, the host waits for what comes from the device, and
 * what goes there is taken at once. A variable of the device is no allocation. */
static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream,
                        bool waits, bool to_variable, bool from_variable) {
    const bool from_device = from_variable || simulated_room(from, NULL),
               to_device = to_variable || simulated_room(to, NULL);
    if (kind == cudaMemcpyDefault)
        kind = from_device ? to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
               : to_device ? cudaMemcpyHostToDevice
                           : cudaMemcpyHostToHost;
    if (bytes == 0) return cudaSuccess;
    if (from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) ||
        to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
        (from_device && !from_variable && simulated_room(from, NULL) < bytes) ||
        (to_device && !to_variable && simulated_room(to, NULL) < bytes))
        RETURN(cudaErrorInvalidValue);
    struct range *range = from_device ? range_of(pinned_ranges, pinned_count, to) : NULL;
    struct simulated_command c = {.run = run_copy,
                                  .ns = simulated_copy_ns(bytes, simulated_ns.copy_1000),
                                  .stream = stream ? &stream->simulated : NULL,
                                  .arguments = {W4(to, from, bytes, kind == cudaMemcpyDeviceToHost)}};
    if (!waits && !from_device && !range_of(pinned_ranges, pinned_count, from)) {
        c.run = run_kept_copy;
        c.arguments[1] = (uintptr_t)memcpy(malloc(bytes), from, bytes);
    }
    struct simulated_command *command = simulated_new(c);
    simulated_enqueue(command);
    if (range) range->copy = command;
    if (waits || (from_device && !to_device && !range)) wait_for(command, true);
    return cudaSuccess;
}
cudaError_t simcc_memcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    FAILS_AS("cudaMemcpy", simulated_ns.copy_call);
    return copy(to, from, bytes, kind, NULL, kind != cudaMemcpyDeviceToDevice, false, false);
}
cudaError_t simcc_memcpy_async(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                               cudaStream_t stream) {
    FAILS_AS("cudaMemcpyAsync", simulated_ns.copy_call);
    return copy(to, from, bytes, kind, stream, false, false, false);
}
cudaError_t simcc_to_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    FAILS_AS("cudaMemcpyToSymbol", simulated_ns.copy_call);
    return copy(to, from, bytes, kind, NULL, true, true, false);
}
cudaError_t simcc_from_variable(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    FAILS_AS("cudaMemcpyFromSymbol", simulated_ns.copy_call);
    return copy(to, from, bytes, kind, NULL, true, false, true);
}

/* ---- Other calls ---- */

cudaError_t simcc_stream_destroy(cudaStream_t stream) { /* its commands still run */
    FAILS_AS("cudaStreamDestroy", simulated_ns.stream_destroy);
    if (!stream) RETURN(cudaErrorInvalidResourceHandle);
    return cudaSuccess;
}
API(cudaStreamQuery, (cudaStream_t stream), query,
    const struct simulated_command *last = stream ? stream->simulated.last : NULL;
    return (stream ? last && !(last->done && last->end_ns <= simulated_host_ns()) : simulated_busy())
               ? cudaErrorNotReady
               : cudaSuccess)
API(cudaDeviceReset, (void), sync, wait_for(NULL, true))
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
int timespec_get(struct timespec *t, int base) {
    clock_gettime(CLOCK_REALTIME, t);
    return base;
}

/* ---- What the compiler calls ---- */

#define HOOK(name, bytes, writes)                                                                                      \
    void name(void *at) {                                                                                              \
        if (checks) check(at, bytes, writes, __builtin_return_address(0));                                             \
    }
#define HOOKS(bytes)                                                                                                   \
    HOOK(__tsan_read##bytes, bytes, false)                                                                             \
    HOOK(__tsan_write##bytes, bytes, true)                                                                             \
    HOOK(__tsan_unaligned_read##bytes, bytes, false)                                                                   \
    HOOK(__tsan_unaligned_write##bytes, bytes, true)
HOOKS(1) HOOKS(2) HOOKS(4) HOOKS(8) HOOKS(16) void __tsan_read_range(void *at, size_t bytes) {
    if (checks && bytes) check(at, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void *at, size_t bytes) {
    if (checks && bytes) check(at, bytes, true, __builtin_return_address(0));
}
void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    if (checks && bytes) check(from, bytes, false, __builtin_return_address(0));
    if (checks && bytes) check(to, bytes, true, __builtin_return_address(0));
    return memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes) {
    if (checks && bytes) check(from, bytes, false, __builtin_return_address(0));
    if (checks && bytes) check(to, bytes, true, __builtin_return_address(0));
    return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, size_t bytes) {
    if (checks && bytes) check(to, bytes, true, __builtin_return_address(0));
    return memset(to, value, bytes);
}
void __tsan_init(void) {}
void __tsan_func_entry(void *place) { (void)place; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **at, void *value) { (void)at, (void)value; }
void __tsan_vptr_read(void **at) { (void)at; }
void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }
#define ATOMIC_OF(bits, type, operation, symbol)                                                                       \
    type __tsan_atomic##bits##_fetch_##operation(volatile type *at, type x, int order) {                               \
        const type before = *at;                                                                                       \
        (void)order;                                                                                                   \
        *at = (type)(before symbol x);                                                                                 \
        return before;                                                                                                 \
    }
#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) { return (void)order, *at; }                   \
    void __tsan_atomic##bits##_store(volatile type *at, type x, int order) { (void)order, *at = x; }                   \
    type __tsan_atomic##bits##_exchange(volatile type *at, type x, int order) {                                        \
        const type before = *at;                                                                                       \
        (void)order, *at = x;                                                                                          \
        return before;                                                                                                 \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *at, type *is, type x, int order, int other) {     \
        const type before = *at;                                                                                       \
        const int same = before == *is;                                                                                \
        (void)order, (void)other;                                                                                      \
        *(same ? at : (volatile type *)is) = same ? x : before;                                                        \
        return same;                                                                                                   \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *at, type *is, type x, int order, int other) {       \
        return __tsan_atomic##bits##_compare_exchange_strong(at, is, x, order, other);                                 \
    }                                                                                                                  \
    ATOMIC_OF(bits, type, add, +)                                                                                      \
    ATOMIC_OF(bits, type, sub, -)                                                                                      \
    ATOMIC_OF(bits, type, and, &) ATOMIC_OF(bits, type, or, |) ATOMIC_OF(bits, type, xor, ^)
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)
