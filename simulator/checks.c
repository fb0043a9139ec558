/* SPDX-License-Identifier: MIT
 *
 * What a program that simcc has built does wrong: errors that nobody asks for, accesses to memory, threads whose order
 * is open, numbers that overflow. A GPU would not say it. */
#define _GNU_SOURCE
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine.h"

static const char *source = "?", *folder = ""; /* FILE.cu as simcc had it, and where it was then */

void simcc_source(const char *name, const char *where) {
    source = name;
    folder = where;
}

/* ---- Errors that nobody asks for ---- */

const char *simcc_why;

static struct site { /* where the program launches, or makes a call without a look at what it returns */
    const char *name, *place, *before; /* of a launch that failed: the next one, if nobody asked before that */
    const char *why;
    cudaError_t failed;
    bool is_launch, unasked;
} * sites;
static int site_count;

static struct site *site_of(const char *name, const char *place) {
    for (int i = 0; i < site_count; i++)
        if (strcmp(sites[i].place, place) == 0 && strcmp(sites[i].name, name) == 0) return &sites[i];
    sites = (struct site *)simulated_grow(sites, site_count, sizeof *sites);
    sites[site_count] = (struct site){.name = name, .place = place};
    return &sites[site_count++];
}

void simcc_launched(const char *kernel, const char *place, cudaError_t code) {
    struct site *const site = site_of(kernel, place);
    for (int i = 0; i < site_count; i++)
        if (sites[i].unasked && sites[i].failed && &sites[i] != site) sites[i].before = place;
    site->is_launch = site->unasked = true;
    if (code) site->failed = code;
}

void simcc_dropped(const char *call, const char *place, cudaError_t code) {
    if (code == cudaSuccess || (code == cudaErrorNotReady && strstr(call, "Query"))) return;
    *site_of(call, place) = (struct site){call, place, NULL, simcc_why ? strdup(simcc_why) : NULL, code, false, true};
}

void simcc_asked(void) {
    for (int i = 0; i < site_count; i++) {
        sites[i].unasked = false;
        if (!sites[i].before && sites[i].failed != cudaErrorNotReady) sites[i].failed = cudaSuccess;
    }
}

/* ---- The host's own computing: it takes no time, and is named if it stands between two readings of a clock ---- */

static bool checks;        /* parts switches it off, after the first run */
static int64_t since_ns;   /* the end of a call, or of a clock's reading */
static bool since_reading; /* it was a reading */
static unsigned steps;     /* since then: comparisons, and accesses to memory */
static const void *place_of_many, *computes;

static void host_goes_on(const void *place) {
    enum { MANY = 1000 };
    if (!checks || simulated_in_kernel()) return;
    if (simulated_host_ns() != since_ns) {
        if (since_reading && steps >= MANY) computes = place_of_many;
        simcc_ends(&(const int){true});
    }
    if (++steps == MANY) place_of_many = place;
}
int simcc_begins(void) { return host_goes_on(NULL), false; }
void simcc_ends(const int *is_reading) {
    since_ns = simulated_host_ns();
    since_reading = *is_reading;
    steps = 0;
}

static const char *line_of(const void *place);
static void say_at_the_end(int status, void *nothing) {
    (void)nothing;
    host_goes_on(NULL);
    if (computes)
        fprintf(stderr,
                "simcc: %s: the host computes between two readings of a clock: here its own computing takes no time\n",
                line_of(computes));
    for (int i = 0; i < site_count; i++) {
        const struct site *s = &sites[i];
        const char *of = s->is_launch ? "the launch of " : "", *end = s->is_launch ? "" : "()";
        const char *link = s->before ? " before the launch in "
                           : s->why  ? ": "
                                     : "",
                   *why = s->before ? s->before : s->why;
        if (s->failed)
            fprintf(stderr, "simcc: %s: %s%s%s failed (%s), and nobody asked%s%s\n", s->place, of, s->name, end,
                    cudaGetErrorString(s->failed), link, why ? why : "");
        else if (s->unasked)
            fprintf(stderr, "simcc: %s: nobody asked for the error of this launch of %s: cudaGetLastError()\n",
                    s->place, s->name);
    }
    if (getenv("SIMCC_COUNTS")) fprintf(stderr, "launches %d, queries %d\n", (int)simulated_launches, simcc_queries);
    if (status == 0 && simulated_device && simulated_busy())
        fprintf(stderr, "simcc: %s: the program ends while the device still works: nobody waited for it\n", source);
}
__attribute__((constructor)) static void say_it_last(void) { on_exit(say_at_the_end, NULL); }

/* ---- Which kernel is launched ---- */

bool simcc_is_asking;
const char *simcc_answered;
void simcc_ask(bool is) { simcc_is_asking = is; }
void simcc_answer(const char *kernel) { simcc_answered = kernel; }

/* ---- Arguments of launches, which kernels read: in large pieces, which stay ---- */

static struct piece {
    char *start;
    size_t bytes;
} * pieces, last_piece;
static int piece_count;

void *simcc_closure(size_t bytes) {
    static size_t used;
    const size_t aligned = (bytes + 63) / 64 * 64, piece = aligned > 1 << 20 ? aligned : 1 << 20;
    if (piece_count == 0 || pieces[piece_count - 1].bytes - used < aligned) {
        pieces = (struct piece *)simulated_grow(pieces, piece_count, sizeof *pieces);
        pieces[piece_count++] = last_piece = (struct piece){(char *)aligned_alloc(64, piece), piece};
        used = 0;
    }
    used += aligned;
    return pieces[piece_count - 1].start + used - aligned;
}

static bool is_argument(const char *at) {
    for (int i = 0; i < piece_count; i++)
        if ((size_t)(at - pieces[i].start) < pieces[i].bytes) return true;
    return false;
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

/* Returns FILE:LINE of a return address, with the file's name as the program's text has it; FILE.cu alone of a function
 * of simcc.h, whose lines are not the program's. */
static const char *line_of(const void *place) {
    static char text[4096];
    char command[64];
    snprintf(command, sizeof command, "addr2line -e /proc/%d/exe %p", (int)getpid(), (void *)((char *)place - 1));
    FILE *pipe = popen(command, "r");
    const bool found = pipe && fgets(text, sizeof text, pipe) && text[0] != '?' && !strstr(text, "/simcc.h:");
    if (pipe) pclose(pipe);
    if (!found) return source;
    text[strcspn(text, " \n")] = '\0';
    const size_t length = strlen(folder);
    return strncmp(text, folder, length) == 0 && text[length] == '/' ? text + length + 1 : text;
}

#define SAY_ONCE(place, words, ...)                                                                                    \
    if (is_new_place(place)) fprintf(stderr, "simcc: %s: " words "\n", line_of(place), ##__VA_ARGS__)

void simcc_exchanged(const void *place) {
    SAY_ONCE(place, "cudaEventElapsedTime(): the events are exchanged, the first one was recorded last");
}

struct access { /* the last one of a word */
    unsigned epoch, block, meetings;
    unsigned short thread, bytes; /* a bit for each byte */
};
struct shadow {
    struct access read, written;
};

static bool conflicts(const struct access *a, const struct access *b, bool is_shared) {
    if (!(a->bytes & b->bytes)) return false;
    if (a->block != b->block) return !simulated_state.notes.fenced && !is_shared;
    return a->thread != b->thread && a->epoch == b->epoch &&
           (a->thread / 32 != b->thread / 32 || a->meetings == b->meetings);
}

static void check_order(struct shadow *shadow, unsigned char bytes, bool writes, bool is_shared, const void *place) {
    const unsigned thread = simulated_thread();
    const struct access now = {simulated_state.here.epoch, simulated_state.here.block, simulated_meetings[thread],
                               (unsigned short)thread, bytes};
    const struct access *other = writes ? &shadow->read : &shadow->written;
    if (other->epoch > simulated_state.notes.first_epoch && conflicts(other, &now, is_shared))
        SAY_ONCE(
            place,
            "%s: thread %u of block %u %s what thread %u of block %u %s, and nothing orders the two: a GPU may give "
            "another result",
            simulated_last_kernel(NULL), now.thread, now.block, writes ? "writes" : "reads", other->thread,
            other->block, writes ? "has read" : "has written");
    *(writes ? &shadow->written : &shadow->read) = now;
}

/* Shared memory, and the program's own variables on the device: a shadow for each 4 bytes. */
static struct known {
    char *start;
    size_t bytes;
    struct shadow *shadows;
} shared_known[2], variables;

static struct shadow *new_shadows(size_t bytes) {
    void *shadows = mmap(NULL, (bytes / 4 + 1) * sizeof(struct shadow), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shadows == MAP_FAILED) simulated_stop("no memory");
    return (struct shadow *)shadows;
}

static struct known *learn(struct known *k, char *start, size_t bytes) {
    if (!k->start) *k = (struct known){start, bytes, new_shadows(bytes)};
    return k;
}

__attribute__((noinline, cold, noreturn)) static void stop_at(const void *place, bool writes, const char *what) {
    if (!simulated_in_kernel()) simulated_stop("%s: the host %s %s", line_of(place), writes ? "writes" : "reads", what);
    simulated_stop("%s: %s: thread %u of block %u %s %s", line_of(place), simulated_last_kernel(NULL),
                   simulated_thread(), simulated_state.here.block, writes ? "writes" : "reads", what);
}

static bool is_variable(const char *at) { return at >= &__start_simcc_device && at < &__stop_simcc_device; }
static bool is_device_memory(const char *at) { return (size_t)(at - simulated_device_memory) < SIMULATED_DEVICE_BYTES; }

__attribute__((always_inline)) static inline bool is_in_stack(const char *at) {
    return (uintptr_t)at - (uintptr_t)__builtin_frame_address(0) + (1 << 18) < 1 << 19;
}

static void check_on_host(const char *at, bool writes, const void *place) {
    const char *const what = writes ? "writes" : "reads";
    if (is_variable(at))
        stop_at(place, writes, "a variable of the device; cudaMemcpyToSymbol() and cudaMemcpyFromSymbol() do");
    if (is_device_memory(at)) {
        if (simulated_busy() && simcc_managed(at))
            SAY_ONCE(place, "the host %s managed memory while the device works: nobody waited", what);
        if (!simcc_managed(at)) stop_at(place, writes, "memory of the device; cudaMemcpy() copies it");
        return;
    }
    if (!simcc_is_pinned(at)) return;
    if (simcc_is_copied_into(at))
        SAY_ONCE(place, "the host %s memory before the copy into it has ended: nobody waited", what);
    static const char *last_at;
    static int64_t last_ns;
    static unsigned again;
    again = at == last_at && last_ns == simulated_host_ns() ? again + 1 : 0;
    last_at = at;
    last_ns = simulated_host_ns();
    if (again > 20000000)
        simulated_stop("%s: the host reads one place in a loop: no time passes meanwhile, so that no kernel runs",
                       line_of(place));
}

void simcc_see_all(void) { checks = true; }
__attribute__((constructor)) static void ask_for_checks(void) {
    const char *text = getenv("SIMCC_CHECKS");
    checks = !text || strcmp(text, "off") != 0;
    simulated_order_checks = checks ? 1 << 20 : 0;
}

/* The last place of the host's memory that a kernel has read, in this launch: often it waits there. */
static const char *polled;
static unsigned polled_launch;
/* How often one thread read it, by a pointer that is not volatile. */
enum { MANY = 1000 };
static bool is_plain;
static unsigned plain_readings, plain_thread;
static bool reads_plainly(void) {
    plain_readings = is_plain && plain_thread == simulated_thread() ? plain_readings + 1 : 0;
    plain_thread = simulated_thread();
    return plain_readings == MANY;
}

/* A kernel reads the host's memory. */
static bool is_pinned(const char *at, const void *place) {
    enum { PATIENCE = 1000000 };
    if (is_plain && plain_readings == MANY)
        SAY_ONCE(place, "the kernel reads one place of the host's memory again and again, by a pointer that is not "
                        "volatile: nvcc may read it once, and then the kernel never ends");
    static unsigned readings, launch;
    if (simcc_pinned_count != 1 && !simcc_is_pinned(at)) return false;
    if (polled_launch != simulated_state.notes.launch) plain_readings = 0;
    polled = simulated_state.runs_apart ? NULL : at;
    polled_launch = simulated_state.notes.launch;
    if (!simulated_state.runs_apart) return true;
    readings = launch == simulated_state.notes.launch ? readings + 1 : 0;
    launch = simulated_state.notes.launch;
    if (readings == PATIENCE)
        simulated_stop(
            "%s waits for the host, in a stream made with cudaStreamNonBlocking: here it runs in one go. Take "
            "cudaStreamCreate()",
            simulated_last_kernel(NULL));
    return true;
}

static void check(const void *address, size_t bytes, bool writes, const void *place) {
    static struct shadow *device_shadows;
    char *const at = (char *)address, *const shared = (char *)simulated_shared();
    if (!simulated_in_kernel()) return check_on_host(at, writes, place);
    const char *const declared_from = (const char *)simulated_static_shared();
    const bool is_shared = at >= shared && at < declared_from + SIMULATED_STATIC_BYTES;
    const struct known *k = NULL;
    if (is_device_memory(at)) {
        const size_t in = (size_t)(at - simulated_device_memory),
                     in_granule = in % (1 << SIMULATED_GRANULE_BITS) + bytes;
        const bool glance =
            simulated_granules[in >> SIMULATED_GRANULE_BITS] && in_granule <= 1 << SIMULATED_GRANULE_BITS;
        const size_t room = glance ? bytes : simulated_room(at, NULL);
        if (room == 0) stop_at(place, writes, "memory that is no memory of the device, or beyond it");
        if (room < bytes) stop_at(place, writes, "beyond the end of its memory");
        if (!device_shadows) device_shadows = new_shadows(SIMULATED_DEVICE_BYTES);
    } else if (is_shared) {
        if (at < declared_from && (size_t)(at - shared) + bytes > simulated_shared_bytes())
            stop_at(place, writes, "beyond its dynamic shared memory");
        k = learn(&shared_known[shared_known[0].start && shared_known[0].start != shared], shared,
                  (size_t)(declared_from + SIMULATED_STATIC_BYTES - shared));
    } else if (is_variable(at)) {
        k = learn(&variables, &__start_simcc_device, (size_t)(&__stop_simcc_device - &__start_simcc_device));
    } else {
        if (is_in_stack(at) || (at >= &__executable_start && at < &end) || is_argument(at) || is_pinned(at, place))
            return;
        stop_at(place, writes, "memory that is no memory of the device, or beyond it");
    }
    if (k && (size_t)(at - k->start) + bytes > k->bytes) stop_at(place, writes, "beyond the end of its memory");
    if (!simulated_state.notes.order_left) return;
    if (--simulated_state.notes.order_left == 0) simulated_set_plain();
    struct shadow *const shadows = k ? k->shadows : device_shadows;
    const size_t offset = (size_t)(at - (k ? k->start : simulated_device_memory));
    for (size_t done = 0, i = offset; done < bytes;) {
        const size_t first = i % 4, part = bytes - done < 4 - first ? bytes - done : 4 - first;
        check_order(&shadows[i / 4], (unsigned char)(((1 << part) - 1) << first), writes, is_shared, place);
        done += part;
        i += part;
    }
}

/* Others are right at a glance, too: on the stack, or the host's to memory of its own. */
static inline bool is_fine(const char *at, size_t bytes) {
    if (!checks) return true;
    const size_t offset = (size_t)(at - simulated_device_memory);
    if (!simulated_in_kernel())
        return offset >= SIMULATED_DEVICE_BYTES && !is_variable(at) &&
               (size_t)(at - simcc_pinned_low) >= (size_t)(simcc_pinned_high - simcc_pinned_low);
    if (at == polled && polled_launch == simulated_state.notes.launch) return !reads_plainly();
    if (offset < SIMULATED_DEVICE_BYTES) return false;
    if (is_in_stack(at) || (size_t)(at - last_piece.start) < last_piece.bytes) return true;
    if (simulated_state.notes.order_left) return false;
    return (size_t)(at - (char *)simulated_shared()) + bytes <= simulated_shared_bytes() ||
           (at >= simcc_pinned_low && at < simcc_pinned_high && is_pinned(at, NULL));
}

/* ---- Rounds of loops. Functions, for they are no part of the program, whose accesses are checked. ---- */

static void count_round(void) {
    enum { PIECE = 10000000, TOO_MANY = 40 };
    static unsigned thread, block, rounds, pieces;
    if (++rounds < PIECE) return;
    rounds = 0;
    pieces = thread == simulated_thread() && block == simulated_state.here.block ? pieces + 1 : 0;
    thread = simulated_thread();
    block = simulated_state.here.block;
    if (pieces < TOO_MANY || !simulated_in_kernel()) return;
    simulated_stop(
        "%s: thread %u of block %u is in a loop of %d rounds: if it waits for another thread, or in a stream "
        "made with cudaStreamNonBlocking for the host, that one does not run meanwhile",
        simulated_last_kernel(NULL), thread, block, TOO_MANY * PIECE);
}

/* for (...; ...; i++) */
void simcc_step(void) {
    simulated_step();
    count_round();
}

/* while: what its round takes, such as the reading of a clock, or else a step. */
void simcc_turn(void) {
    static int64_t before_ns;
    static unsigned thread, epoch; /* in which block, too */
    if (thread == simulated_thread() && before_ns == simulated_state.thread_ns && epoch == simulated_state.here.epoch) {
        simulated_step();
        count_round(); /* one that reads a clock may end by it */
    }
    thread = simulated_thread();
    before_ns = simulated_state.thread_ns;
    epoch = simulated_state.here.epoch;
}

/* Two numbers are compared. Readings of one SM's counter differ by no more clocks than have passed since the first of
 * all readings; and readings are so few of all numbers that others hardly ever look like them. */
static void compare(uint64_t a, uint64_t b, const void *place) {
    host_goes_on(place);
    const int64_t now = simulated_in_kernel() ? simulated_state.thread_ns : simulated_host_ns();
    const int64_t first = simulated_first_clock_ns;
    const uint64_t passed = (uint64_t)((now - first) * simulated_ns.clocks_a_us / 1000);
    const uint64_t least = SIMULATED_COUNTERS + (uint64_t)(first * simulated_ns.clocks_a_us / 1000);
    const uint64_t zero = (uint64_t)simulated_ns.unit_zero, most = zero * (uint64_t)simulated_ns.units;
    const uint64_t x = a - least, y = b - least, apart = a > b ? a - b : b - a;
    static bool said;
    const bool are_readings = first && x < most && y < most && x % zero <= passed && y % zero <= passed;
    if (said || !checks || !are_readings || apart <= passed) return;
    const char *const line = line_of(place);
    fprintf(stderr,
            "simcc: %s: clocks of different SMs are compared, as for the least or the greatest clock64(): their "
            "counters have zeros of their own, and globaltimer is one clock for all\n",
            simulated_in_kernel() || line[0] == '/' ? source : line); /* of simcc.h, or a library */
    said = true;
}
__attribute__((noinline)) void simcc_extreme(unsigned long long kept, unsigned long long x) {
    compare(kept, x, __builtin_return_address(0));
}

/* Blocks order by themselves what they do, from now on in this launch. */
void simcc_fence(void) { simulated_state.notes.fenced = true; }
void simcc_declared(size_t bytes, size_t place) {
    const size_t declared = simulated_state.notes.declared_bytes += bytes;
    if (declared + simulated_shared_bytes() > SIMULATED_SHARED_BYTES || place > SIMULATED_STATIC_BYTES)
        simulated_stop("%s: %s has more than %d bytes of shared memory", source, simulated_last_kernel(NULL),
                       SIMULATED_SHARED_BYTES);
}

/* ---- What the compiler calls ---- */

__attribute__((noinline)) static void look_at(void *at, size_t bytes, bool writes, const void *place) {
    host_goes_on(place);
    if (!is_fine((const char *)at, bytes)) check(at, bytes, writes, place);
}
/* Most accesses of a kernel are in the middle of an allocation: they need no frame. */
#define HOOK(name, bytes, writes, plain)                                                                               \
    void name(void *at) {                                                                                              \
        const size_t offset = (size_t)((const char *)at - simulated_plain_memory);                                     \
        if (offset < SIMULATED_DEVICE_BYTES && simulated_granules[offset >> SIMULATED_GRANULE_BITS]) return;           \
        is_plain = (plain);                                                                                            \
        look_at(at, bytes, writes, __builtin_return_address(0));                                                       \
    }
#define HOOKS(bytes)                                                                                                   \
    HOOK(__tsan_read##bytes, bytes, false, true)                                                                       \
    HOOK(__tsan_write##bytes, bytes, true, false)                                                                      \
    HOOK(__tsan_volatile_read##bytes, bytes, false, false)                                                             \
    HOOK(__tsan_volatile_write##bytes, bytes, true, false)                                                             \
    void __tsan_unaligned_read##bytes(void *at) { __tsan_read_range(at, bytes); }                                      \
    void __tsan_unaligned_write##bytes(void *at) { __tsan_write_range(at, bytes); }
#define RANGE(name, writes)                                                                                            \
    void name(void *at, size_t bytes) {                                                                                \
        if (checks && bytes) check(at, bytes, writes, __builtin_return_address(0));                                    \
    }
RANGE(__tsan_read_range, false)
RANGE(__tsan_write_range, true)
#define COPY(name)                                                                                                     \
    void *__tsan_##name(void *to, const void *from, size_t bytes) {                                                    \
        if (checks && bytes) check(from, bytes, false, __builtin_return_address(0));                                   \
        if (checks && bytes) check(to, bytes, true, __builtin_return_address(0));                                      \
        return name(to, from, bytes);                                                                                  \
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
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
COPY(memcpy)
COPY(memmove)
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
ATOMICS(8, uint8_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* -fsanitize-coverage=trace-cmp, in functions of the host */
#define COMPARED(name, type)                                                                                           \
    void __sanitizer_cov_trace_##name(type a, type b) { (void)a, (void)b, host_goes_on(__builtin_return_address(0)); }
COMPARED(cmp1, uint8_t)
COMPARED(cmp2, uint16_t)
COMPARED(cmp4, uint32_t)
COMPARED(const_cmp1, uint8_t)
COMPARED(const_cmp2, uint16_t)
COMPARED(const_cmp4, uint32_t)
COMPARED(const_cmp8, uint64_t)
COMPARED(cmpf, float)
COMPARED(switch, uint64_t *)
void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b) { compare(a, b, __builtin_return_address(0)); }
void __sanitizer_cov_trace_cmpd(double a, double b) {
    if (a > 0 && b > 0 && a < 1e18 && b < 1e18) compare((uint64_t)a, (uint64_t)b, __builtin_return_address(0));
}

/* -fsanitize=bounds,signed-integer-overflow,shift: what the language does not define. It begins with the place. */
struct simcc_place {
    const char *file;
    uint32_t line, column;
};
void __ubsan_handle_out_of_bounds(const struct simcc_place *at, void *index) {
    (void)index;
    simulated_stop("%s:%u: an index beyond its array", at->file, at->line);
}
void __ubsan_handle_divrem_overflow(const struct simcc_place *at, void *a, void *b) {
    (void)a, (void)b;
    simulated_stop("%s:%u: a division by 0, or a quotient of signed numbers that overflows", at->file, at->line);
}
static void say_overflow(struct simcc_place *at, const char *what) {
    if (at->line) fprintf(stderr, "simcc: %s:%u: %s\n", at->file, at->line, what);
    at->line = 0; /* once */
}
#define OVERFLOW(operation, what)                                                                                      \
    void __ubsan_handle_##operation(struct simcc_place *at, void *a, void *b) {                                        \
        (void)a, (void)b;                                                                                              \
        say_overflow(at, what);                                                                                        \
    }
OVERFLOW(add_overflow, "a sum of signed numbers overflows")
OVERFLOW(sub_overflow, "a difference of signed numbers overflows")
OVERFLOW(mul_overflow, "a product of signed numbers overflows")
OVERFLOW(negate_overflow, "a signed number overflows")
OVERFLOW(shift_out_of_bounds, "a shift by too many bits, or of a number below 0")
