/* SPDX-License-Identifier: MIT
 *
 * See machine.h. */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#define T simulated_ns
#define S simulated_state

void *simulated_grow(void *list, int count, size_t bytes) {
    if (count & (count - 1)) return list; /* it grew to the next power of two */
    list = realloc(list, (count ? 2 * (size_t)count : 1) * bytes);
    if (!list) simulated_stop("no memory");
    return list;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- Occasions and noise ---- */

/* How often a call was made, or a kernel was launched. */
static unsigned *occasions_of(const char *name) {
    static struct {
        const char *name;
        unsigned count;
    } * known;
    static int count;
    for (int i = 0; i < count; i++)
        if (known[i].name == name || strcmp(known[i].name, name) == 0) return &known[i].count;
    known = simulated_grow(known, count, sizeof *known);
    known[count].name = name;
    known[count].count = 0;
    return &known[count++].count;
}

/* T.noise, T.noise_2, ... in turn: the median of any five, ten, ... in a row is T.noise. One of 41 is late, one of 43
 * is 0. Each name begins elsewhere, and so does each process. */
static int64_t nth_noise(const char *name, unsigned n) {
    const int64_t cycle[] = {T.noise, T.noise_2, T.noise_3, T.noise_4, T.noise_5};
    for (const char *c = name; *c; c++) n += 31 * (unsigned char)*c;
    n += 7 * simulated_processes();
    return n % 41 == 17 ? T.noise_late : n % 43 == 29 ? 0 : cycle[n % 5];
}

/* How much noise there is; FAULT=noisy leaves that of the blocks as it is. */
static int64_t noise_factor(bool of_blocks) {
    int times = simulated_noise_factor;
    if (simulated_fault("place", NULL)) return 0;
    if (simulated_fault("noisy", &times) && of_blocks) times = times > 0;
    return times;
}

static struct {
    const char *name;
    unsigned n, noises;
} call; /* that has begun */

int64_t simulated_noise(void) {
    const int64_t times = noise_factor(false);
    return times ? times * nth_noise(call.name, call.n + 13 * ++call.noises) : 0;
}

/* ---- Fibers ---- */

typedef void *context[5]; /* for __builtin_setjmp: frame, address, stack (-fcf-protection would put one more there) */
static void **paused;     /* where the device goes on */
static context host_context;

__attribute__((noinline, noreturn)) static void jump_to(void **to) { __builtin_longjmp(to, 1); }

/* In place, for threads: no processor foresees where a return behind it goes. No function with it is inlined. */
#define SWITCH(from, to)                                                                                               \
    if (__builtin_setjmp(from) == 0) jump_to(to)
static void switch_contexts(void **from, void **to) { SWITCH(from, to); }
/* volatile: the compiler must not know how little the function itself changes */
static void (*volatile switch_from_to)(void **from, void **to) = switch_contexts;

static void **new_fiber(void (*entry)(void)) {
    enum { BYTES = 1 << 18, GUARD_BYTES = 1 << 12, APART = 320, FIBERS = 128 };
    static int fibers_so_far; /* no two neighbours' stacks share a set of the processor's caches: twice as fast */
    char *stack = (char *)mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) != 0) simulated_stop("no stack for a fiber");
    void **const fiber = (void **)(stack + BYTES - 64 - fibers_so_far++ % FIBERS * APART);
    fiber[0] = NULL;
    fiber[1] = (void *)entry;
    fiber[2] = fiber - 1; /* as behind a call */
    return fiber;
}

/* ---- The host's time ---- */

static int64_t host_ns, cpu_ns, thread_cpu_ns;
static void run_device(void);
static bool run_apart(int64_t until_ns);

static void host_works(int64_t ns) {
    int times = 1;
    if ((host_ns + ns) / 1000000 > host_ns / 1000000 && simulated_fault("interrupted", &times))
        host_ns += times * T.interruption;
    host_ns += ns;
    cpu_ns += ns;
    thread_cpu_ns += ns;
    run_device();
}

int64_t simulated_host_ns(void) { return host_ns; }

int64_t simulated_monotonic_ns(void) {
    return host_ns + (simulated_fault("from_1970", NULL) ? 1700000000000000789 : 123456000000789);
}

/* With noise one of 43 readings is held up before it reads. */
unsigned long long simulated_tsc(void) {
    static int readings;
    host_works(++readings % 43 || !noise_factor(false) ? T.tsc : T.tsc_late);
    return 1000000000000ull + (unsigned long long)(host_ns * T.tsc_a_us / 1000);
}

/* Zero points, rates, ticks and costs of the clocks: no two alike. */
static int64_t set_back_ns;

int clock_gettime(clockid_t id, struct timespec *t) {
    host_works(id == CLOCK_MONOTONIC_RAW ? T.raw
               : id == CLOCK_BOOTTIME    ? T.boottime
               : id >= 2 && id <= 3      ? T.cpu_time
                                         : T.now);
    const int64_t now = host_ns;
    const int64_t ns = id == CLOCK_MONOTONIC            ? simulated_monotonic_ns()
                       : id == CLOCK_MONOTONIC_RAW      ? now + now / 2000 + 123455000000000
                       : id == CLOCK_BOOTTIME           ? simulated_monotonic_ns() + 3600000000000
                       : id == CLOCK_REALTIME           ? now - now / 4000 + 1700000000000000000 - set_back_ns
                       : id == CLOCK_PROCESS_CPUTIME_ID ? cpu_ns
                       : id == CLOCK_THREAD_CPUTIME_ID  ? thread_cpu_ns
                                                        : -1;
    if (ns < 0) simulated_stop("clock_gettime: no clock %d", (int)id);
    const bool goes_back =
        simulated_fault("clock_back", NULL) || (id == CLOCK_REALTIME && simulated_fault("realtime_back", NULL));
    const int64_t back = goes_back && now % 2000000 > 1000000 ? 5000 : 0;
    t->tv_sec = (ns - back) / 1000000000;
    t->tv_nsec = (ns - back) % 1000000000;
    return 0;
}

int clock_getres(clockid_t id, struct timespec *t) {
    if (simulated_call("clock_getres", T.resolution)) {
        errno = EINVAL;
        return -1;
    }
    t->tv_sec = 0;
    t->tv_nsec = 1 + id;
    return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    struct timespec now;
    (void)zone;
    host_works(T.timeofday);
    clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}

/* ---- What the system counts of its processes: getrusage(), /proc/stat, and schedstat of /proc/self/task ---- */

static int looks, own_looks, stat_looks; /* by getrusage(); into the program's own schedstat; into /proc/stat */
static int64_t first_look_ns;

/* The first look is followed by a second in which the program does nothing: long enough for the counts. */
static void look(int *counter) {
    if (looks + stat_looks == 0 && (simulated_fault("neighbour", NULL) || simulated_fault("stolen", NULL))) {
        first_look_ns = host_ns;
        host_ns += 1000000000;
    }
    ++*counter;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
    memset(usage, 0, sizeof *usage);
    if (who != RUSAGE_SELF) return 0;
    usage->ru_utime.tv_sec = cpu_ns / 1000000000;
    usage->ru_utime.tv_usec = cpu_ns % 1000000000 / 1000;
    look(&looks);
    return 0;
}

/* What others had of the processor since the first look. */
static int64_t others_ns(const char *fault) {
    int eighths = 0;
    return (looks > 1 || own_looks > 1 || stat_looks > 1) && simulated_fault(fault, &eighths)
               ? (host_ns - first_look_ns) * eighths / 8
               : 0;
}

FILE *simulated_fopen(const char *path, const char *mode) {
    static char text[256];
    char own[64];
    snprintf(own, sizeof own, "/proc/self/task/%d/schedstat", (int)getpid());
    own_looks += strcmp(path, own) == 0;
    if (strcmp(path, "/proc/stat") == 0) {
        look(&stat_looks);
        snprintf(text, sizeof text,
                 simulated_fault("no_counts", NULL) ? "cpu  0 0 0 0 0 0 0 0 0 0\n"
                                                    : "cpu  %lld 0 0 1000000 0 0 0 %lld 0 0\n",
                 1000 + (long long)(cpu_ns + others_ns("neighbour")) / 10000000,
                 (long long)others_ns("stolen") / 10000000);
    } else if (strcmp(path, own) == 0)
        snprintf(text, sizeof text, "%lld %lld 1\n", (long long)cpu_ns, (long long)others_ns("neighbour"));
    else if (strncmp(path, "/proc/self/task/", 16) == 0)
        snprintf(text, sizeof text, "0 0 0\n");
    else
        return fopen(path, mode);
    return fmemopen(text, strlen(text), "r");
}

clock_t clock(void) {
    host_works(T.clock);
    return cpu_ns / 1000;
}

time_t time(time_t *t) {
    const time_t now = 1700000000 + host_ns / 1000000000;
    if (t) *t = now;
    return now;
}

int nanosleep(const struct timespec *asked, struct timespec *left) {
    (void)left;
    if (simulated_call("nanosleep", T.sleep_call)) {
        errno = EINTR;
        return -1;
    }
    host_ns += (int64_t)asked->tv_sec * 1000000000 + asked->tv_nsec + T.oversleep;
    if (simulated_fault("interrupted", NULL)) host_ns += 400000 * nth_noise("nanosleep", *occasions_of("nanosleep"));
    if (simulated_fault("realtime_back", NULL))
        set_back_ns += 100000 * nth_noise("nanosleep", *occasions_of("nanosleep"));
    run_device();
    return 0;
}

/* The second thread runs at once, and the clock is then put back to where it began; not with FAULT=one_core. */
static int64_t thread_end_ns;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    (void)thread, (void)attributes;
    if (simulated_call("pthread_create", T.thread)) return EAGAIN;
    const int64_t start_ns = host_ns, start_cpu_ns = thread_cpu_ns;
    run(argument);
    thread_end_ns = host_ns + T.thread_end;
    if (!simulated_fault("one_core", NULL)) host_ns = start_ns;
    thread_cpu_ns = start_cpu_ns;
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    (void)thread, (void)result;
    if (simulated_call("pthread_join", T.join)) return EINVAL;
    host_ns = later(thread_end_ns, host_ns);
    return 0;
}

/* ---- Calls ---- */

long simulated_calls;

bool simulated_call(const char *name, int64_t ns) {
    int slower = 1, each = 1;
    simulated_refuse_in_child(name);
    if (simulated_fault("slow_host", &slower) && slower == 1) slower = 1000;
    const unsigned n = ++*occasions_of(name);
    const int64_t noisy = noise_factor(false);
    call.name = name, call.n = n, call.noises = 0;
    if (simulated_fault_of("host_away", name, &each) && n % (unsigned)each == 0) host_ns += 5000000;
    host_works((ns + (noisy ? noisy * nth_noise(name, n) : 0)) * slower);
    simulated_calls++;
    return simulated_call_fails(name, n);
}

/* ---- Memory of the host ---- */

/* A piece of address space, of which nothing is used yet. */
static char *reserve(size_t bytes, int may) {
    void *start = mmap(NULL, bytes, may, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) simulated_stop("no address space of %zu bytes", bytes);
    return (char *)start;
}

/* The bytes end where a page begins that nobody may touch, and before them is a page for their number. A program that
 * wants very many gets the others from malloc() as it is. */
enum { PAGE = 4096, MOST_MALLOCS = 16384 };
static const size_t HOST_BYTES = (size_t)1 << 36;
static char *host_memory, *host_room;
static int host_mallocs;

void *simulated_malloc(size_t bytes) {
    static int mallocs;
    int failing = 0;
    mallocs++;
    if (simulated_fault("no_memory", &failing) && failing == mallocs) return NULL;
    if (!host_memory) host_room = host_memory = reserve(HOST_BYTES, PROT_NONE);
    const size_t whole = bytes < HOST_BYTES ? (bytes + PAGE - 1) / PAGE * PAGE : HOST_BYTES;
    char *start = host_room + PAGE;
    if (host_mallocs == MOST_MALLOCS || whole + 2 * PAGE > (size_t)(host_memory + HOST_BYTES - host_room)) {
        void *memory = malloc(bytes);
        return memory ? memset(memory, 0xcd, bytes) : NULL;
    }
    if (mprotect(host_room, PAGE + whole, PROT_READ | PROT_WRITE) != 0) return NULL;
    host_mallocs++;
    host_room = start + whole + PAGE;
    *(size_t *)(start - PAGE) = bytes;
    return memset(start + (whole - bytes) / 8 * 8, 0xcd, bytes);
}

/* The page before these bytes of simulated_malloc(), or NULL. */
static size_t *page_before(const void *memory) {
    const size_t at = (size_t)((const char *)memory - host_memory);
    return at < HOST_BYTES ? (size_t *)(host_memory + at / PAGE * PAGE - PAGE) : NULL;
}

void simulated_host_free(void *memory) {
    size_t *const page = memory ? page_before(memory) : NULL;
    if (!page) return free(memory);
    const size_t whole = PAGE + (*page + PAGE - 1) / PAGE * PAGE;
    madvise(page, whole, MADV_DONTNEED);
    if (mprotect(page, whole, PROT_NONE) == 0) host_mallocs--; /* who touches it now dies of it */
}

void *simulated_realloc(void *memory, size_t bytes) {
    const size_t *const page = page_before(memory);
    if (memory && !page) return realloc(memory, bytes);
    void *moved = simulated_malloc(bytes);
    if (!moved || !memory) return moved;
    memcpy(moved, memory, *page < bytes ? *page : bytes);
    simulated_host_free(memory);
    return moved;
}

int simulated_rand(void) {
    host_works(T.rand_call);
    return rand();
}

/* ---- Memory of the device ---- */

enum { GUARD = 256 };
static struct allocation {
    char *start;
    size_t bytes;
} * memory; /* by address */
static int allocations;
#define NOWHERE (char *)((uintptr_t)1 << 62)
char *simulated_device_memory = NOWHERE, *simulated_plain_memory = NOWHERE;
void simulated_set_plain(void) {
    simulated_plain_memory = simulated_in_kernel() && !S.notes.order_left ? simulated_device_memory : NOWHERE;
}
unsigned char *simulated_granules; /* of GUARD bytes: 1 if all of them are of one allocation */

static char untouched[GUARD];

static void check_guards(void) {
    for (int i = 0; i < allocations; i++)
        if (memcmp(memory[i].start - GUARD, untouched, GUARD) != 0 ||
            memcmp(memory[i].start + memory[i].bytes, untouched, GUARD) != 0)
            simulated_stop("a kernel wrote outside of its buffer of %zu bytes", memory[i].bytes);
}

size_t simulated_room(const void *address, char **start) {
    for (int i = 0; i < allocations; i++) {
        const size_t at = (uintptr_t)address - (uintptr_t)memory[i].start;
        if (at >= memory[i].bytes) continue;
        if (start) *start = memory[i].start;
        return memory[i].bytes - at;
    }
    return 0;
}

static void mark_granules(const struct allocation *a, int is) {
    memset(simulated_granules + (a->start - simulated_device_memory) / GUARD, is, a->bytes / GUARD);
}

/* Where there is room first, as on a device that is empty. */
void *simulated_allocate(size_t bytes) {
    if (!simulated_granules) {
        simulated_device_memory = reserve(SIMULATED_DEVICE_BYTES, PROT_READ | PROT_WRITE);
        simulated_granules = (unsigned char *)reserve(SIMULATED_DEVICE_BYTES / GUARD, PROT_READ | PROT_WRITE);
    }
    char *at = simulated_device_memory;
    int i = 0;
    for (; i < allocations && (size_t)(memory[i].start - at) < bytes + 3 * GUARD; i++)
        at = memory[i].start + (memory[i].bytes + 2 * GUARD - 1) / GUARD * GUARD;
    if (bytes + 3 * GUARD > (size_t)(simulated_device_memory + SIMULATED_DEVICE_BYTES - at))
        simulated_stop("no memory");
    memory = simulated_grow(memory, allocations, sizeof *memory);
    memmove(memory + i + 1, memory + i, (size_t)(allocations++ - i) * sizeof *memory);
    memory[i] = (struct allocation){at + GUARD, bytes};
    mark_granules(&memory[i], 1);
    memset(untouched, 0x55, GUARD);
    memcpy(at, untouched, GUARD);
    memset(at + GUARD, 0xcd, bytes);
    memcpy(at + GUARD + bytes, untouched, GUARD);
    return at + GUARD;
}

void simulated_free(void *start) {
    check_guards();
    for (int i = 0; i < allocations; i++) {
        if (memory[i].start != start) continue;
        mark_granules(&memory[i], 0);
        const size_t before = -(uintptr_t)start % PAGE; /* the first whole page */
        if (memory[i].bytes > before + PAGE)
            madvise(memory[i].start + before, (memory[i].bytes - before) / PAGE * PAGE, MADV_DONTNEED);
        memmove(memory + i, memory + i + 1, (size_t)(--allocations - i) * sizeof *memory);
        return;
    }
    simulated_stop("%p was not allocated, or is released twice", start);
}

/* ---- The device's time ---- */

const struct simulated_device *simulated_device;
struct simulated_device simulated_devices[SIMULATED_OLD + 1];

__attribute__((constructor(102))) static void make_devices(void) {
#define DEVICE(is, threads_a_unit, zero_ns)                                                                            \
    (struct simulated_device) {                                                                                        \
        T.is##units, T.is##latency, T.is##launch, T.is##drain, T.is##block, T.is##warp, T.is##barrier, T.is##tick,     \
            (int)(threads_a_unit), 8, zero_ns                                                                          \
    }
    struct simulated_device *d = simulated_devices;
    d[SIMULATED_GPU] = DEVICE(, T.threads_a_unit, 5000000000007);
    d[SIMULATED_GPU].blocks_per_unit = (int)T.blocks_a_unit;
    d[SIMULATED_CL_GPU] = d[SIMULATED_GPU];
    d[SIMULATED_CL_GPU].latency_ns = T.cl_latency;
    d[SIMULATED_SMALL] = DEVICE(small_, 1024, 9000000000000);
    d[SIMULATED_CPU] = DEVICE(cpu_, 1, 123456000000789);
    d[SIMULATED_KHR] = DEVICE(khr_, 256, 77000000000);
    d[SIMULATED_OLD] = DEVICE(old_, 256, 1000000);
}

static struct simulated_command *first, **last = &first, *first_apart;
static const struct simulated_command *awaited;
static long commands_done;
static const char *last_kernel; /* that runs, or ran last */
static bool after_kernel;       /* and not an event, or a copy */
/* When the default stream, a stream that waits for it, one that does not, and any was last at work. */
static int64_t default_ns, ordinary_ns, apart_ns, all_ns;

static int64_t shared_ns(int64_t ns) {
    static int64_t slice_ns, ours_ns; /* where it begins; of each: asked for once, not for each step */
    int theirs_ms = 0;
    if (ours_ns == 0) {
        const bool is_shared = simulated_fault("shared", &theirs_ms) || simulated_fault("neighbour", &theirs_ms);
        ours_ns = T.slice - (is_shared ? theirs_ms * 1000000 : 0);
    }
    if (ns < slice_ns || ns >= slice_ns + T.slice) slice_ns = ns - ns % T.slice;
    return ns < slice_ns + ours_ns ? ns : slice_ns + T.slice;
}

/* ---- The units' clock ----
 *
 * A kernel's code has a time of its own, that of a clock which is always full: a block's costs are counted in it. It
 * begins with the kernel's code, as the device's time, and stays equal unless the clock moves: since the device woke it
 * had in turn so many percent for so long. */
static struct { int64_t ns, percent; } phases[4];
static int64_t awake_ns;
static bool clock_moves;

/* The code's time at a time of the device, or the first time of the device at which the code's is so. */
static int64_t moved(int64_t ns, bool to_code) {
    int64_t left = ns - S.code_begin_ns, at_ns = S.code_begin_ns, before = at_ns - awake_ns;
    if (!clock_moves || left <= 0) return ns;
    for (int i = 0;; i++) {
        const int64_t room = phases[i].ns - before, percent = phases[i].percent;
        before = room > 0 ? 0 : -room;
        if (room <= 0) continue;
        if (i == 3 || left <= (to_code ? room : room * percent / 100))
            return at_ns + (to_code ? left * percent / 100 : (100 * left + percent - 1) / percent);
        left -= to_code ? room : room * percent / 100;
        at_ns += to_code ? room * percent / 100 : room;
    }
}
static int64_t code_of(int64_t ns) { return moved(ns, true); }
static int64_t time_of(int64_t code_ns) { return moved(code_ns, false); }

static void set_until(void) {
    S.until_ns = simulated_fault("shared", NULL) ? INT64_MIN : S.host_waits ? INT64_MAX : code_of(host_ns);
}

/* A command begins: the first one of all, at the full clock, or one behind a pause. */
static void wake(const struct simulated_command *command, int64_t ns) {
    static bool awake;
    int percent = 0;
    if (awake && ns - command->delay_ns <= all_ns + T.pause) return;
    const bool slow = simulated_fault("clock_climbs", &percent) || (awake && simulated_fault("clock_idle", &percent));
    phases[0].ns = T.idle, phases[0].percent = slow ? percent : T.idle_percent;
    phases[1].ns = T.climb, phases[1].percent = slow ? (percent + 100) / 2 : T.climb_percent;
    phases[2].ns = T.full, phases[2].percent = 100;
    phases[3].ns = INT64_MAX, phases[3].percent = simulated_fault("clock_falls", &percent) ? percent : T.fallen_percent;
    clock_moves = false;
    for (int i = 0; i < 4; i++) {
        if (phases[i].percent < 1 || phases[i].percent > 100) simulated_stop("a clock has from 1 to 100 percent");
        clock_moves |= phases[i].percent < 100;
    }
    const bool climbs = phases[0].percent + phases[1].percent < 200 && (awake || slow);
    awake_ns = climbs ? ns : ns - T.idle - T.climb;
    awake = true;
}

static void to_host(void) {
    context here;
    paused = here;
    switch_from_to(here, host_context);
}

/* Until the host's time has come as far, or the host waits. */
static void catch_up(int64_t ns) {
    while (ns > host_ns && !S.host_waits) to_host();
}

static void device_works(int64_t ns) {
    S.device_ns = shared_ns(S.device_ns + ns);
    catch_up(S.device_ns);
}

static int64_t uneven_ns(const char *name) {
    static unsigned random = 1;
    if (!simulated_fault_of("uneven", name, NULL)) return 0;
    random = random * 1103515245 + 12345;
    return (random >> 30) % 2 * T.uneven;
}

static void run_command(struct simulated_command *command) {
    struct simulated_stream *stream = command->stream;
    device_works(T.fetch);
    command->start_ns = S.device_ns;
    const int64_t more_ns = uneven_ns(command->name);
    if (more_ns > 0) device_works(more_ns);
    if (command->run) command->run(command);
    static int64_t link_ns; /* when its last copy ended */
    if (command->on_link && link_ns > S.device_ns) device_works(link_ns - S.device_ns);
    device_works(command->ns);
    if (command->on_link) link_ns = S.device_ns;
    command->end_ns = S.device_ns;
    command->done = true;
    commands_done++;
    int64_t *group_ns = !stream ? &default_ns : stream->apart ? &apart_ns : &ordinary_ns;
    *group_ns = later(*group_ns, S.device_ns);
    all_ns = later(all_ns, S.device_ns);
    if (stream) stream->end_ns = S.device_ns, stream->runs = command->in_graph ? NULL : command;
}

static void device_main(void) {
    for (;;) {
        struct simulated_command *command = first;
        if (!command || (command->gate && !*command->gate) || (command->after && !command->after->done) ||
            (S.host_waits && awaited && awaited->done)) {
            to_host();
            continue;
        }
        struct simulated_stream *stream = command->stream;
        S.device_ns = !stream         ? later(default_ns, ordinary_ns)
                      : stream->apart ? stream->end_ns
                                      : later(stream->end_ns, default_ns);
        if (command->after) S.device_ns = later(S.device_ns, command->after->end_ns);
        int64_t ready_ns = command->submit_ns + simulated_device->latency_ns + command->delay_ns;
        wake(command, ready_ns);
        S.in_a_row = after_kernel && ready_ns <= S.device_ns;
        int process = 0;
        if (ready_ns > S.device_ns &&
            (simulated_fault("held_up", NULL) ||
             (simulated_fault("held_up_process", &process) && process == (int)simulated_processes())))
            ready_ns += T.held_up;
        catch_up(ready_ns);
        S.device_ns = shared_ns(later(ready_ns, S.device_ns));
        if (command->gate && S.device_ns < host_ns) S.device_ns = host_ns; /* it was opened just now */
        while (run_apart(S.device_ns)) continue; /* what comes before this one: it may change what they read */
        run_command(command);
        after_kernel = command->kernel;
        first = command->next;
        last = first ? last : &first;
    }
}

static void run_device(void) {
    if (!simulated_device || S.on_device) return;
    while (run_apart(host_ns)) continue;
    if (!paused) paused = new_fiber(device_main);
    S.on_device = true;
    simulated_set_plain();
    set_until();
    switch_from_to(host_context, paused);
    S.until_ns = INT64_MIN;
    S.on_device = false;
    simulated_set_plain();
}

struct simulated_command *simulated_new(struct simulated_command command) {
    struct simulated_command *copy = (struct simulated_command *)malloc(sizeof *copy);
    *copy = command;
    return copy;
}

void simulated_run_copy(struct simulated_command *c) {
    memcpy((void *)c->arguments[0], (void *)c->arguments[1], c->arguments[2]);
    simulated_spoil((void *)c->arguments[0], c->arguments[2], c->arguments[3]);
}

/* Until the stream holds fewer commands than it can. OpenCL's queues hold any number, without FAULT. */
static void wait_for_room(const struct simulated_stream *stream) {
    const bool is_cuda = simulated_device < &simulated_devices[SIMULATED_CL_GPU], apart = stream && stream->apart;
    int room = (int)T.queue_holds;
    if ((!simulated_fault("queue", &room) || apart) && !is_cuda) return;
    const struct simulated_command *oldest = apart && stream->end_ns > host_ns ? stream->runs : NULL;
    if (oldest) room--;
    for (const struct simulated_command *c = apart ? first_apart : first; c; c = c->next) {
        if (c->stream != stream || c->in_graph) continue;
        if (!oldest) oldest = c;
        room--;
    }
    if (room <= 0) simulated_wait(oldest, true);
}

void simulated_enqueue(struct simulated_command *command) {
    if (!command->in_graph) wait_for_room(command->stream);
    command->queued_ns = host_ns;
    command->submit_ns = host_ns + T.submit + simulated_noise();
    command->done = false;
    command->next = NULL;
    if (command->stream) command->stream->last = command;
    if (command->stream && command->stream->apart) {
        int late_ms = 0;
        if (command->kernel && simulated_fault("late_queue", &late_ms)) command->delay_ns += late_ms * 1000000;
        struct simulated_command **end = &first_apart;
        while (*end) end = &(*end)->next;
        *end = command;
        return;
    }
    *last = command;
    last = &command->next;
}

bool simulated_busy(void) { return first || first_apart || all_ns > host_ns; }

void simulated_wait(const struct simulated_command *command, bool busily) {
    const bool for_all = !command;
    check_guards();
    if (!command && last != &first) /* the queue's last one: `next` is not the first member */
        command = (const struct simulated_command *)((char *)last - offsetof(struct simulated_command, next));
    if ((!command || !first) && (for_all ? all_ns : command->end_ns) <= host_ns &&
        (!first_apart || (command && command->done && !for_all))) /* all is done */
        return host_works(T.no_wait);
    const bool is_apart = command && command->stream && command->stream->apart;
    awaited = command;
    while (for_all ? first || first_apart : !command->done) {
        const long before = commands_done;
        if (is_apart && run_apart(INT64_MAX)) continue;
        S.host_waits = true;
        run_device();
        S.host_waits = false;
        if (commands_done == before && !run_apart(INT64_MAX)) {
            if (alarm(0) > 0) raise(SIGALRM); /* it would ring while the host waits */
            simulated_stop("the host waits for a command that waits for the host");
        }
    }
    awaited = NULL;
    const int64_t end_ns = for_all ? all_ns : command->end_ns;
    if (end_ns > host_ns) {
        cpu_ns += busily ? end_ns - host_ns : 0;
        host_ns = end_ns;
    }
    host_works(T.wake + (busily || simulated_device != &simulated_devices[SIMULATED_GPU] ? 0 : T.asleep));
    check_guards();
}

int64_t simulated_stamp_ns(int64_t ns) {
    int faster = 0;
    if (!simulated_fault_begins[0] && simulated_device->tick_ns == 1) return ns + simulated_device->offset_ns;
    const int64_t fast_ns = simulated_fault("stamps_fast", &faster) ? ns / 1000 * faster : 0;
    const int64_t tick = simulated_device->tick_ns, stamp = ns + fast_ns + simulated_device->offset_ns;
    if (simulated_fault("tick_fraction", NULL)) return stamp * 12 / 625 * 625 / 12;
    return (tick & (tick - 1)) == 0 ? stamp & -tick : stamp / tick * tick; /* a division takes long */
}

/* If the tick is a power of 2, and FAULT is none of stamp_, tick_ and timer_; else 0. Nobody has asked for one here. */
static int64_t timer_mask;
static void set_timer_mask(void) {
    const int64_t tick = simulated_device->tick_ns;
    const char *const fault = simulated_fault_begins;
    const bool is_faulty = !memcmp(fault, "stamp", 5) || !memcmp(fault, "tick_", 5) || !memcmp(fault, "timer", 5);
    timer_mask = (tick & (tick - 1)) == 0 && !is_faulty ? -tick : 0;
}

/* ---- A kernel: blocks on units, threads in a block ---- */

/* The threads of a kernel of the default stream, and of one that is apart. All wait for nothing between two blocks. */
enum { MAX_THREADS = 1024 };
static struct simulated_threads {
    enum { NOTHING, ITS_TURN, ITS_WARP, BARRIER } status[MAX_THREADS]; /* what one that has begun waits for */
    int64_t ns[MAX_THREADS];                                           /* and since when */
    /* The contexts of threads that wait, and of nobody: the last first; they are on their stacks. */
    void **of[MAX_THREADS], **unused[MAX_THREADS];
    unsigned count;
    struct lane { /* see below */
        unsigned mask, source, votes;
        bool predicate;
        const void *in;
        void *out;
        size_t bytes;
    } lanes[MAX_THREADS];
    /* Dynamic, a guard, and what a program declares. */
    char shared[SIMULATED_SHARED_BYTES + SIMULATED_SHARED_GUARD + SIMULATED_STATIC_BYTES];
} all_threads[2];
struct simulated_state simulated_state = {
    .until_ns = INT64_MIN, .threads = all_threads, .notes = {.shared = all_threads[0].shared}};
unsigned simulated_order_checks;
int64_t simulated_launches;
/* What a kernel, a fill or a memset goes through evicts the rest of the L2 cache if it is twice as large as the cache:
 * a cache need not evict what is oldest. */
static const void *l2_evicted_by;
static bool l2_dirty;
bool simulated_l2_persists;

void simulated_fill_l2(const void *data, size_t bytes, bool dirty) {
    const bool large = bytes >= 2 * simulated_l2_bytes();
    l2_evicted_by = large && !simulated_l2_persists ? data : NULL;
    l2_dirty = dirty;
    if (!large) simulated_l2_persists = simulated_fault("persisting", NULL);
}

static struct simulated_index index_in(struct simulated_index size, unsigned number) {
    return (struct simulated_index){number % size.x, number / size.x % size.y, number / size.x / size.y};
}

unsigned simulated_meetings[MAX_THREADS]; /* in any kernel: they are compared within a warp */

static unsigned epochs;
static void thread_main(void);

/* This thread begins or goes on: returns where. */
__attribute__((always_inline)) static inline void **go_on(unsigned thread) {
    S.here.thread = thread;
    S.thread.x = thread;
    if (S.block.has_rows) S.thread = index_in(S.size, thread);
    if (thread < S.block.begun) {
        S.threads->status[thread] = NOTHING;
        S.thread_ns = S.threads->ns[thread];
        const char *const soon = (const char *)S.threads->of[(thread + 2 * (unsigned)S.direction) % MAX_THREADS];
        __builtin_prefetch(soon); /* it waits for its stack from memory half of the time, if not told before */
        __builtin_prefetch(soon + 64);
        return S.threads->of[thread];
    }
    S.block.begun++;
    S.thread_ns = S.block.start_ns;
    return S.threads->count > 0 ? S.threads->unused[--S.threads->count] : new_fiber(thread_main);
}

/* The next one that can run does, from `next` on; or else the block goes on, also behind a warp of which lanes wait for
 * each other. */
__attribute__((always_inline)) static inline void **next_context(unsigned next) {
    const unsigned warp = S.here.thread / 32;
    while (next < S.block.begun && S.threads->status[next] != ITS_TURN) next += (unsigned)S.direction;
    S.next = next;
    return next < S.running->threads && (!S.meets || next / 32 == warp) ? go_on(next) : S.block_context;
}
/* The thread waits. */
#define WAIT_FOR(what)                                                                                                 \
    const unsigned thread = S.here.thread;                                                                             \
    context here;                                                                                                      \
    S.threads->of[thread] = here;                                                                                      \
    S.threads->status[thread] = (what);                                                                                \
    S.threads->ns[thread] = S.thread_ns;                                                                               \
    SWITCH(here, next_context(thread + (unsigned)S.direction))

static void thread_main(void) {
    for (;;) {
        const uintptr_t *const a = S.running->arguments;
        void (*const kernel)() = S.running->kernel;
        if (S.running->lanes) /* it goes through the threads itself */
            kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
        else
            do kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
            while (simulated_next_thread());
        context here;
        S.threads->unused[S.threads->count++] = here;
        SWITCH(here, next_context(S.here.thread + (unsigned)S.direction));
    }
}

/* ---- Lanes: threads of which each may end early, and which meet within their warp ---- */

/* The lanes that `waiting` waits for go on, if all have come. Returns whether they have. */
static bool let_meet(unsigned waiting) {
    const unsigned mask = S.threads->lanes[waiting].mask, warp = waiting / 32 * 32;
    unsigned votes = 0, there = 0;
    int64_t end_ns = 0;
    for (unsigned t = warp; t < warp + 32 && t < S.running->threads; t++) {
        if (!(mask >> (t - warp) & 1) || S.threads->status[t] == NOTHING) continue; /* it has ended */
        if (S.threads->status[t] != ITS_WARP || S.threads->lanes[t].mask != mask) return false;
        there |= 1u << (t - warp);
        votes |= (unsigned)S.threads->lanes[t].predicate << (t - warp);
        end_ns = later(end_ns, S.threads->ns[t]);
    }
    for (unsigned t = warp; t < warp + 32; t++) { /* their values are on their stacks until they go on */
        if (!(there >> (t - warp) & 1)) continue;
        struct lane *lane = &S.threads->lanes[t];
        const bool given = lane->source < 32 && there >> lane->source & 1;
        if (lane->out && !given) memset(lane->out, 0xcd, lane->bytes);
        if (lane->out && given) memcpy(lane->out, S.threads->lanes[warp + lane->source].in, lane->bytes);
        lane->votes = votes;
        S.threads->status[t] = ITS_TURN;
        simulated_meetings[t]++;
        S.threads->ns[t] = end_ns + (lane->out ? T.step : 0);
    }
    return true;
}

/* Whether some of its lanes go on. What one waits for is in this warp: if it does not come now, it never does. */
static bool warp_meets(unsigned warp) {
    bool some = false;
    for (unsigned t = warp; t < warp + 32 && t < S.block.begun; t++)
        if (S.threads->status[t] == ITS_WARP && let_meet(t)) some = true;
    for (unsigned t = warp; t < warp + 32 && t < S.block.begun && !some; t++)
        if (S.threads->status[t] == ITS_WARP)
            simulated_stop("%s: thread %u waits for lanes (mask 0x%x) that do not come", last_kernel, t,
                           S.threads->lanes[t].mask);
    return some;
}

/* A barrier takes as long as the slowest thread, `barrier_ns` for each block on the unit, and with noise a tenth of the
 * launch's, and in five blocks 0, 1, 2, 3 and 9 ns more. */
static int64_t behind_barrier_ns(int64_t ns, unsigned round) {
    static const int64_t extra_ns[] = {0, 1, 2, 3, 9};
    return ns + S.barrier_ns + (round == 0 ? S.first_barrier_ns : 0) + S.block_noise * extra_ns[S.in_grid.x % 5];
}

/* Runs one block from `start_ns` on; returns when its last thread ends. From barrier to barrier, and within a warp from
 * one meeting to the next, the order of the threads turns round, so that a missing barrier shows. */
static int64_t run_block(int64_t start_ns) {
    const unsigned threads = S.running->threads;
    S.block.start_ns = S.block.end_ns = start_ns;
    S.block.begun = S.waiting = S.votes = 0;
    S.here.epoch = ++epochs;
    S.here.block = S.in_grid.x + S.grid.x * (S.in_grid.y + S.grid.y * S.in_grid.z);
    S.in_fiber = true;
    simulated_set_plain();
    for (unsigned round = 0;;) {
        S.direction = round % 2 ? -1 : 1;
        S.next = round % 2 ? threads - 1 : 0;
        while (S.next < threads) {
            S.meets = false;
            S.block.most = threads;
            SWITCH(S.block_context, next_context(S.next));
            const unsigned warp = S.here.thread / 32 * 32, end = warp + 32 < threads ? warp + 32 : threads;
            if (S.meets && warp_meets(warp)) S.next = S.direction > 0 ? warp : end - 1;
        }
        if (S.waiting == 0) break;
        if (S.waiting < threads && !S.running->lanes)
            simulated_stop("not all threads of a block come to the same barrier");
        S.here.epoch = ++epochs;
        const int64_t goes_on_ns = behind_barrier_ns(S.block.end_ns, round++);
        for (unsigned t = 0; t < threads; t++) {
            if (S.threads->status[t] == NOTHING) continue; /* it has ended */
            S.threads->ns[t] = goes_on_ns;
            S.threads->status[t] = ITS_TURN;
        }
        S.votes_before = S.votes;
        S.votes = S.waiting = 0;
    }
    S.in_fiber = false;
    simulated_set_plain();
    return S.block.end_ns;
}

unsigned simulated_barrier_at(int line, bool predicate) {
    if (S.waiting++ == 0) S.line = line;
    if (line != S.line)
        simulated_stop("%s: threads of one block wait at two barriers, in lines %d and %d", last_kernel, S.line, line);
    S.votes += predicate;
    S.block.end_ns = later(S.block.end_ns, S.thread_ns);
    WAIT_FOR(BARRIER);
    return S.votes_before;
}

unsigned simulated_meet(unsigned mask, bool predicate, unsigned source, const void *in, void *out, size_t bytes) {
    const unsigned number = S.here.thread, end = number / 32 * 32 + 32;
    struct lane *lane = &S.threads->lanes[number];
    *lane = (struct lane){mask, source, 0, predicate, in, out, bytes};
    if (!(mask >> number % 32 & 1))
        simulated_stop("%s: lane %u is not in its own mask 0x%x", last_kernel, number % 32, mask);
    S.meets = true;
    if (end < S.block.most) S.block.most = end;
    WAIT_FOR(ITS_WARP);
    return lane->votes;
}

/* ---- What FAULT and SIMULATED_TIMES do to one launch ---- */

/* What its last block writes there does not arrive. */
struct lost {
    void *at, *before;
    size_t bytes;
};

/* It is the n-th launch of this kernel. An argument may be lost, too. */
static struct lost lost_in(struct simulated_command *command, int n) {
    const int argument = simulated_fault_argument();
    int number = 0;
    const bool is_lost = (simulated_fault_of("lost_write", command->name, &number) && number == n) ||
                         (simulated_fault_of("lost_writes", command->name, &number) && number <= n);
    const bool no_argument = simulated_fault_of("lost_argument", command->name, &number) && number == n;
    void *const at = is_lost ? (void *)command->arguments[argument] : NULL;
    if (no_argument) command->arguments[argument] = 0;
    if (no_argument && command->places && command->places[argument]) *command->places[argument] = NULL;
    if (is_lost || no_argument) simulated_hit();
    return (struct lost){at, NULL, simulated_room(at, NULL)};
}

/* How much later than others it starts. */
static int64_t late_ns(const char *name, int n) {
    static int in_a_row;
    int number = 0;
    const int64_t times = noise_factor(false), between = simulated_launches;
    int64_t ns = times ? times * nth_noise(name, (unsigned)n) : 0;
    if (after_kernel && simulated_fault("late_in_a_row", &number) && ++in_a_row % 40 == 0) ns += number;
    if (simulated_fault("slower", &number)) ns += (int64_t)number * n;
    if (simulated_fault("late_start", &number)) ns += (int64_t)number * 1000;
    return ns + (n == 1 ? T.late_first : 0) + (n % 7 == 4 ? T.late_seventh : 0) + (n - 1) * T.late_each +
           (between >= T.late_from && between <= T.late_to ? T.late_between : 0);
}

/* ---- The memory that a kernel's data goes through ---- */

struct data {
    int64_t slower, more_ns;  /* so many times as long takes each block, and more */
    bool takes_time;          /* the blocks get it one after the other, as fast as memory, or the L2 cache, can */
    int64_t block_ps, end_ps; /* of one block; the blocks so far have theirs */
};

static bool is_gpu(void) {
    return simulated_device == &simulated_devices[SIMULATED_GPU] ||
           simulated_device == &simulated_devices[SIMULATED_CL_GPU];
}

static struct data data_of(const struct simulated_command *command) {
    const size_t most = (size_t)command->groups * command->threads * sizeof(float); /* of each array */
    size_t bytes = 0;
    char *start = NULL; /* of the largest one */
    int number = 0;
    for (int i = 0; i < 8; i++) {
        char *at = NULL;
        const size_t room = simulated_room((const void *)command->arguments[i], &at);
        if (!start && room >= 256) start = at;
        bytes += room < most ? room : most;
    }
    if (!start) return (struct data){.slower = 1};
    const bool is_evicted = l2_evicted_by && start != l2_evicted_by;
    const bool in_l2 = !is_evicted && 2 * bytes <= simulated_l2_bytes();
    struct data data = {.slower = !is_evicted ? 1
                                  : l2_dirty  ? 3
                                              : 2, /* whole ns: parts asks */
                        .takes_time = is_gpu() && T.memory > 0,
                        .block_ps =
                            (int64_t)bytes * (in_l2 ? T.l2_1000000 : T.memory_1000000) / 1000 / command->groups};
    simulated_fill_l2(start, simulated_room(start, NULL), false);
    for (int i = 0; i < allocations && simulated_fault("place", &number); i++)
        if (memory[i].start == start) data.more_ns = number * (i + (int)simulated_processes());
    return data;
}

/* When a block ends that has its data, too. */
static int64_t with_data(struct data *data, int64_t start_ns, int64_t end_ns) {
    if (!data->takes_time) return end_ns;
    data->end_ps = later(1000 * (time_of(start_ns) + T.memory), data->end_ps) + data->block_ps;
    return later(code_of(data->end_ps / 1000), end_ns);
}

/* ---- Dispatch: which block runs where, and when ---- */

/* Where a block can be: on unit `number` % units, and free from free_ns on. They are a heap: children of i are 2i + 1
 * and 2i + 2, and above all stands the place that is free first, of several the one with the least number. */
struct place {
    int64_t free_ns;
    unsigned number;
};

static bool is_before(const struct place *a, const struct place *b) {
    return a->free_ns < b->free_ns || (a->free_ns == b->free_ns && a->number < b->number);
}

static void sink(struct place *places, unsigned count, unsigned i) {
    const struct place sinking = places[i];
    for (unsigned child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_before(&places[child + 1], &places[child])) child++;
        if (!is_before(&places[child], &sinking)) break;
        places[i] = places[child];
    }
    places[i] = sinking;
}

/* Runs all blocks; returns when the last one ends. `barrier_ns` is noise. */
static int64_t run_blocks(const struct simulated_command *command, int64_t barrier_ns, struct data *data,
                          struct lost *lost) {
    const struct simulated_device *const d = simulated_device;
    const unsigned blocks = command->groups, units = (unsigned)d->units, warps = (command->threads + 31) / 32;
    const unsigned room = (unsigned)d->threads_per_unit / command->threads, at_most = (unsigned)d->blocks_per_unit;
    const unsigned slots = room > at_most ? at_most : room > 0 ? room : 1, count = slots * units;
    const unsigned most = (blocks + units - 1) / units, left = blocks % units; /* on a unit, and one less on some */
    const int64_t block_ns = data->slower * (d->block_ns + d->warp_ns * warps) + data->more_ns;
    struct place *const places = (struct place *)calloc(count, sizeof *places);
    if (!places) simulated_stop("no memory");
    barrier_ns +=
        d->barrier_ns * (most < slots ? most : slots) + (is_gpu() ? T.barrier_alone + T.barrier_warp * warps : 0);
    S.first_barrier_ns = is_gpu() ? T.barrier_first : 0;
    const int64_t start_ns = S.device_ns;
    int64_t end_ns = start_ns;
    for (unsigned p = 0; p < count; p++) /* block 0 is not the first */
        places[p] = (struct place){start_ns + (p % units == 0 ? T.unit_0 : 0), p};
    for (unsigned b = 0; b < blocks; b++) {
        /* Round the units first, then the slots; then where a block ends. */
        if (b == count)
            for (unsigned i = count; i-- > 0;) sink(places, count, i);
        struct place *const place = b < count ? &places[b] : places;
        S.unit = place->number % units;
        const unsigned on_unit = b < count && most <= slots ? most - (left && S.unit >= left) : slots;
        simulated_say_if_slow();
        S.in_grid = command->grid.x ? index_in(command->grid, b) : (struct simulated_index){b, 0, 0};
        if (lost->at && b == blocks - 1) lost->before = memcpy(malloc(lost->bytes), lost->at, lost->bytes);
        S.barrier_ns = barrier_ns;
        int64_t from_ns = place->free_ns;
        if (is_gpu()) {
            from_ns = later(from_ns, start_ns + b * T.dispatch_100 / 100);
            S.barrier_ns += (b < count ? T.neighbour : T.neighbour_later) * ((on_unit - 1) * warps) / 8;
        }
        place->free_ns = with_data(data, from_ns, run_block(from_ns)) + block_ns;
        end_ns = later(end_ns, place->free_ns);
        if (b >= count) sink(places, count, 0);
    }
    free(places);
    return end_ns;
}

/* ---- A launch ---- */

void simulated_run_kernel(struct simulated_command *command) {
    last_kernel = command->name;
    const int n = (int)++*occasions_of(last_kernel); /* this is its n-th launch */
    struct lost lost = lost_in(command, n);
    S.notes = (struct simulated_notes){.launch = (unsigned)++simulated_launches,
                                       .first_epoch = epochs,
                                       .shared = S.threads->shared,
                                       .shared_bytes = command->shared_bytes,
                                       .order_left = n <= 2 && !simulated_fault_begins[0] ? simulated_order_checks : 0};
    set_timer_mask();
    S.running = command;
    S.size.x = command->threads;
    S.grid.x = command->groups;
    if (command->block.x) S.size = command->block, S.grid = command->grid;
    S.block.has_rows = command->block.x && S.size.x < command->threads;
    S.thread = (struct simulated_index){0, 0, 0};
    S.row = command->row;
    S.block_noise = noise_factor(true);
    memset(S.threads->shared, 0xcd, command->shared_bytes + SIMULATED_SHARED_GUARD);
    struct data data = data_of(command);

    const int64_t saved_ns = command->saved_ns + (is_gpu() && S.in_a_row ? T.row_saves : 0);
    device_works(simulated_device->launch_ns - saved_ns + late_ns(last_kernel, n));
    S.code_begin_ns = S.device_ns;
    set_until();
    const int64_t noise_ns = S.block_noise * nth_noise(last_kernel, (unsigned)n) / 10;
    S.device_ns = time_of(run_blocks(command, noise_ns, &data, &lost));
    if (lost.before) memcpy(lost.at, lost.before, lost.bytes);
    for (size_t i = 0; i < SIMULATED_SHARED_GUARD; i++)
        if ((unsigned char)S.threads->shared[command->shared_bytes + i] != 0xcd)
            simulated_stop("a kernel wrote beyond its %zu bytes of shared memory", command->shared_bytes);
    device_works(simulated_device->drain_ns);
}

const char *simulated_last_kernel(unsigned *launches) {
    if (last_kernel && launches) *launches = *occasions_of(last_kernel);
    return last_kernel;
}

/* ---- Streams that are apart ---- */

/* The next of their commands that may run by `until_ns` runs in one go, also while a kernel of the default stream is in
 * the middle of something. Returns whether there was one. */
static bool run_apart(int64_t until_ns) {
    struct simulated_command **next = NULL;
    int64_t next_ns = until_ns;
    for (struct simulated_command **c = &first_apart; *c; c = &(*c)->next) {
        const struct simulated_command *its_first = first_apart;
        while (its_first->stream != (*c)->stream) its_first = its_first->next;
        if (its_first != *c || ((*c)->after && !(*c)->after->done)) continue;
        int64_t ns = (*c)->submit_ns + simulated_device->latency_ns + (*c)->delay_ns;
        if ((*c)->stream->end_ns > ns) ns = (*c)->stream->end_ns;
        if ((*c)->after && (*c)->after->end_ns > ns) ns = (*c)->after->end_ns;
        if (ns < next_ns || (ns == next_ns && !next)) next = c, next_ns = ns;
    }
    if (!next) return false;

    const struct simulated_state kept = S; /* of the kernel that is interrupted */
    struct simulated_command *command = *next;
    *next = command->next;
    const bool at_work = first && first->submit_ns + simulated_device->latency_ns + first->delay_ns <= next_ns;
    if (!at_work) wake(command, next_ns); /* another stream is not */
    S.threads = &all_threads[1];
    S.in_fiber = S.in_a_row = false;
    S.runs_apart = S.on_device = S.host_waits = true;
    S.until_ns = simulated_fault("shared", NULL) ? INT64_MIN : INT64_MAX;
    S.device_ns = shared_ns(next_ns);
    run_command(command);
    S = kept;
    simulated_set_plain();
    if (S.in_fiber) last_kernel = S.running->name;
    return true;
}

/* ---- Inside a kernel ---- */

int64_t simulated_thread_works(int64_t ns) {
    if (!S.on_device) return 0; /* a kernel's function that the host calls, too */
    const int64_t now = shared_ns(time_of(S.thread_ns + ns));
    S.thread_ns = code_of(now);
    catch_up(now);
    return S.thread_ns;
}

/* The counters have zeros of their own. */
__attribute__((noinline)) static unsigned long long slow_globaltimer(void) {
    const int64_t now = time_of(simulated_read()), ns = simulated_stamp_ns(now);
    int part = 0;
    return (unsigned long long)(simulated_fault("timer_back", NULL)    ? 2 * simulated_stamp_ns(0) - ns
                                : simulated_fault("timer_stuck", NULL) ? simulated_stamp_ns(0)
                                : simulated_fault("timer_fast", &part) ? ns + now * 100 / part
                                                                       : ns);
}
unsigned long long simulated_globaltimer(void) { /* kernels ask in loops */
    const int64_t now = S.thread_ns, then = now + T.read;
    if (!timer_mask || clock_moves || then >= S.until_ns) return slow_globaltimer();
    S.thread_ns = then;
    return (unsigned long long)((now + simulated_device->offset_ns) & timer_mask);
}

int64_t simulated_first_clock_ns;
unsigned long long simulated_clock64(void) {
    const int64_t now = simulated_read();
    if (!simulated_first_clock_ns) simulated_first_clock_ns = now;
    const int64_t clocks = (simulated_fault("counter_back", NULL) ? -now : now) * T.clocks_a_us / 1000;
    return (unsigned long long)clocks + SIMULATED_COUNTERS + S.unit * (unsigned long long)T.unit_zero;
}

unsigned simulated_smid(void) {
    simulated_read();
    return 2 * S.unit + 1;
}
