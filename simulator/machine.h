/* SPDX-License-Identifier: MIT
 *
 * A host and a device on one virtual clock: what a program prints is known to the last digit. opencl.c and cuda.c put
 * their APIs on top of it. README.md says what it models.
 *
 * Host and device are two fibers of one thread. The host runs until it calls something that takes time; then the device
 * runs until its own time has caught up, and stops there, in the middle of a kernel if need be. So a launch returns
 * before its kernel has ended, an event is not finished until its time has come, and a kernel sees a gate open when the
 * host has opened it. */
#ifndef SIMULATED_MACHINE_H
#define SIMULATED_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "faults.h"

#ifdef __cplusplus
extern "C" {
#endif

/* simulated_ns.launch and so on: see times.h. They are set before main() begins. */
extern struct simulated_times {
#define TIME(name, ns, what) int64_t name;
#define RATE(name, value, what) int64_t name;
#include "times.h"
#undef TIME
#undef RATE
} simulated_ns;
extern int simulated_noise_factor;        /* 0, unless SIMULATED_NOISE says more */
extern bool simulated_model;              /* the GPU is made after a real one: SIMULATED_TIMES=h200 */
extern const char *simulated_usual_times; /* SIMULATED_TIMES, if it is not set; NULL, unless a program has its own */
static inline const char *simulated_gpu_name(void) {
    return simulated_model ? "Simulated GPU (a model; no hardware)" : "Simulated GPU";
}

/* ---- The host ---- */

/* One call of an API begins: `ns` of processor time pass on the host, and the noise of the n-th call of this function.
 * Returns whether the call is to fail, because FAULT says so. */
bool simulated_call(const char *name, int64_t ns);
extern long simulated_calls; /* so many have begun */

/* One more noise of the call that has begun, such as that of a command that it enqueues. */
int64_t simulated_noise(void);

/* Now, in ns since the program began, and by CLOCK_MONOTONIC; and the time stamp counter, 2.5 steps a ns. */
int64_t simulated_host_ns(void), simulated_monotonic_ns(void);
unsigned long long simulated_tsc(void);

/* In place of the program's malloc(), realloc(), free() and fopen(), and of the rand() of 01_host_clock/minimal.c. */
void *simulated_malloc(size_t bytes), *simulated_realloc(void *memory, size_t bytes);
void simulated_host_free(void *memory);
FILE *simulated_fopen(const char *path, const char *mode);
int simulated_rand(void);

/* A list of `count` members that has room for one more, at least: it may have moved. */
void *simulated_grow(void *list, int count, size_t bytes);

/* ---- Memory of the device: filled with 0xcd, and a guard before and behind it ---- */

enum { SIMULATED_GRANULE_BITS = 8 };
static const size_t SIMULATED_DEVICE_BYTES = (size_t)1 << 34;
extern char *simulated_device_memory;     /* all allocations are here */
extern unsigned char *simulated_granules; /* 1: all of its 256 bytes are of one allocation */
/* What the device says that it has. */
static inline size_t simulated_memory(void) { return (simulated_fault("much_memory", NULL) ? (size_t)5 : 1) << 30; }
void *simulated_allocate(size_t bytes);
void simulated_free(void *memory);
/* Returns the bytes left from `address` on, 0 if it is in no allocation; *start, if not NULL, is
 * where the allocation begins. */
size_t simulated_room(const void *address, char **start);

/* ---- The device: an in-order queue of commands ----
 *
 * CUDA's streams have times of their own, and the commands of the queue run one by one all the same. The default stream
 * waits for all others and they for it, but for those that are apart (cudaStreamNonBlocking, a second queue of OpenCL):
 * their commands stand in a list of their own, and each runs in one go when its time has come. */

struct simulated_stream {
    bool apart;
    int64_t end_ns;                        /* of what ran there last */
    struct simulated_command *runs, *last; /* what ran there last, or still runs; and that was queued there */
};

struct simulated_row { /* of OpenCL's first dimension; the rows follow each other */
    unsigned groups, threads;
};

struct simulated_index {
    unsigned x, y, z;
};

struct simulated_command {
    void (*run)(struct simulated_command *command); /* on the device; NULL: nothing to do */
    int64_t ns;                                     /* that passes besides, on the device */
    int64_t delay_ns;                               /* before it starts: a compiler, a loader */
    bool on_link;                                   /* a copy to or from the host: one at a time */
    const bool *gate;                               /* waits for that to be true, unless NULL */
    const struct simulated_command *after;          /* waits until that one has ended, unless NULL */
    int64_t queued_ns, submit_ns, start_ns, end_ns; /* host's time line */
    struct simulated_stream *stream;                /* NULL: the default stream, or OpenCL's queue */
    bool done;
    struct simulated_command *next;
    bool in_graph; /* which takes no place in the queue */
    /* of a kernel */
    void (*kernel)();
    const char *name;
    uintptr_t arguments[8];
    unsigned groups, threads;
    struct simulated_index grid, block; /* of three dimensions; their x is 0: of one */
    bool lanes;                         /* its threads may end early, and those of a warp meet: see simulated_meet() */
    struct simulated_row row;
    void ***places; /* of arguments as large as a pointer, if the kernel takes them from there */
    size_t shared_bytes, local_bytes[8];
    int64_t saved_ns; /* of its launch */
    /* of an API */
    void *owner;
};

struct simulated_device {
    int64_t units, latency_ns, launch_ns, drain_ns, block_ns, warp_ns, barrier_ns, tick_ns; /* of times.h */
    int threads_per_unit, blocks_per_unit; /* a unit holds threads_per_unit / threads blocks, blocks_per_unit at most */
    int64_t offset_ns;                     /* the zero of globaltimer, and of OpenCL's stamps */
};
/* CUDA's GPUs; OpenCL's GPU, its CPU, its GPU with cl_khr_kernel_clock, its old CPU. */
enum { SIMULATED_GPU, SIMULATED_SMALL, SIMULATED_CL_GPU, SIMULATED_CPU, SIMULATED_KHR, SIMULATED_OLD };
extern struct simulated_device simulated_devices[];
extern const struct simulated_device *simulated_device; /* that is in use */

/* How long a copy takes, if 1,000 bytes take so long; and what stays on the device, by 1,000,000. */
static inline int64_t simulated_copy_ns(size_t bytes, int64_t ns_1000) { return (int64_t)bytes * ns_1000 / 1000; }
static inline int64_t simulated_device_ns(size_t bytes, int64_t ns_1000000) {
    return (int64_t)bytes * ns_1000000 / 1000000;
}

/* A copy of `command` in memory that stays. */
struct simulated_command *simulated_new(struct simulated_command command);
void simulated_enqueue(struct simulated_command *command);
void simulated_run_kernel(struct simulated_command *command);
void simulated_run_copy(struct simulated_command *command); /* its arguments: to, from, bytes, is it to the host? */
extern int64_t simulated_launches;
/* The name of the kernel that runs or ran last, and, unless NULL, how often it was launched; NULL: none was. */
const char *simulated_last_kernel(unsigned *launches);
/* The host waits for `command` (NULL: for all), busily or asleep. */
void simulated_wait(const struct simulated_command *command, bool busily);
bool simulated_busy(void); /* whether a command has not ended yet */
/* An absolute time as the device's clock has it: from a zero of its own, in ticks of its own. */
int64_t simulated_stamp_ns(int64_t ns);
static inline size_t simulated_l2_bytes(void) { return (size_t)simulated_ns.l2_kib << 10; }
/* So many bytes at `memory` go through the L2 cache, and are dirty there or not. */
void simulated_fill_l2(const void *memory, size_t bytes, bool dirty);
extern bool simulated_l2_persists; /* until a reset */

/* ---- Inside a kernel ---- */

enum { SIMULATED_SHARED_BYTES = 48 << 10 }; /* a block can have; OpenCL's devices say 4 KiB */
enum { SIMULATED_SHARED_GUARD = 256, SIMULATED_STATIC_BYTES = 1 << 20 };

/* Of the kernel that runs, all of it: when a command of a stream that is apart runs in the middle of it, this is kept,
 * and given back as a whole. */
extern struct simulated_state {
    struct simulated_index thread, in_grid, size, grid; /* threadIdx, blockIdx, blockDim, gridDim */
    struct simulated_row row;
    struct { /* the thread: its block's number, and its own there. The epoch is another one behind each barrier */
        unsigned epoch, block, thread;
    } here;
    int64_t thread_ns, until_ns; /* the thread's time; until when it may go on without a look at the host */
    struct simulated_block {
        int64_t start_ns, end_ns; /* the latest time of a thread that has come to its end or to the barrier */
        unsigned begun, most;     /* threads that have begun, one by one; those that may begin now */
        bool has_rows;            /* it has more than one dimension */
    } block;
    struct simulated_notes { /* of the launch: checks.c keeps the last two */
        unsigned launch, first_epoch;
        char *shared; /* dynamic, of shared_bytes, and behind it what the program's kernels declare, all in a row */
        size_t shared_bytes;
        unsigned order_left; /* accesses whose order is checked: in a kernel's first two launches, without FAULT */
        size_t declared_bytes;
        bool fenced;
    } notes;
    bool on_device, in_fiber, runs_apart; /* apart: in one go, see simulated_stream */
    /* What follows is machine.c's. */
    bool host_waits, in_a_row; /* the command was there before the kernel in front of it ended */
    bool meets;                /* a lane of this warp waits for others */
    void *block_context[5];
    struct simulated_command *running;
    struct simulated_threads *threads;
    unsigned unit, next, waiting, votes, votes_before; /* the last three: at the block's barrier, and behind it */
    int direction, line;                               /* from thread to thread: 1 or -1; of the barrier */
    int64_t device_ns;                                 /* of the command that runs */
    int64_t barrier_ns, first_barrier_ns, block_noise;
    int64_t code_begin_ns;
} simulated_state;
#ifdef __cplusplus /* const: an access that nothing checks */
extern const struct simulated_state simulated_seen __asm__("simulated_state");
inline constexpr const struct simulated_index &threadIdx = simulated_seen.thread, &blockIdx = simulated_seen.in_grid,
                                              &blockDim = simulated_seen.size, &gridDim = simulated_seen.grid;
#else
#define simulated_seen simulated_state
#endif
/* The barrier that stands in this line, for all threads of the block; of a command with lanes, for those that have not
 * ended. Returns of how many of them the predicate is true. */
unsigned simulated_barrier_at(int line, bool predicate);
/* Waits for the lanes of this warp in `mask` that have not ended. Then *out is the `bytes` that lane `source` gave with
 * *in, 0xcd if it is not there; *out and *in may be NULL. Returns a bit for each of them whose predicate is true. */
unsigned simulated_meet(unsigned mask, bool predicate, unsigned source, const void *in, void *out, size_t bytes);
extern unsigned simulated_meetings[]; /* of each thread of a block: how often it has met others of its warp */
/* Of a command with lanes, whose `kernel` goes through the threads: this one has ended. Returns whether the next one
 * runs in its place, on the same stack, which is much faster than a jump: if it has not begun. */
__attribute__((always_inline)) static inline bool simulated_next_thread(void) {
    struct simulated_state *const s = &simulated_state;
    if (s->thread_ns > s->block.end_ns) s->block.end_ns = s->thread_ns;
    if (s->here.thread + 1 != s->block.begun || s->block.begun >= s->block.most) return false;
    s->here.thread = s->block.begun++;
    s->thread_ns = s->block.start_ns;
    if (++s->thread.x == s->size.x && s->block.has_rows) {
        s->thread.x = 0;
        if (++s->thread.y == s->size.y) s->thread.y = 0, s->thread.z++;
    }
    return true;
}
static inline unsigned simulated_thread(void) { return simulated_seen.here.thread; }
static inline bool simulated_in_kernel(void) { return simulated_state.on_device && simulated_state.in_fiber; }
extern unsigned simulated_order_checks;
/* Where the device's memory is for an access that needs no more than a look at its granule: nowhere, unless a kernel
 * runs and its order is not checked. */
extern char *simulated_plain_memory;
void simulated_set_plain(void);
static inline void *simulated_shared(void) { return simulated_state.notes.shared; }
static inline char *simulated_static_shared(void) {
    return simulated_state.notes.shared + SIMULATED_SHARED_BYTES + SIMULATED_SHARED_GUARD;
}
static inline size_t simulated_shared_bytes(void) { return simulated_state.notes.shared_bytes; }

int64_t simulated_thread_works(int64_t ns);
/* In a kernel: `ns` pass. Returns the time after them. */
static inline int64_t simulated_works(int64_t ns) {
    return simulated_state.thread_ns + ns < simulated_state.until_ns ? simulated_state.thread_ns += ns
                                                                     : simulated_thread_works(ns);
}
/* The registers: a reading takes simulated_ns.read and gives the time before. */
static inline int64_t simulated_read(void) { return simulated_works(simulated_ns.read) - simulated_ns.read; }
unsigned long long simulated_globaltimer(void), simulated_clock64(void);
extern int64_t simulated_first_clock_ns; /* when clock64() was read first, or 0 */
static inline unsigned simulated_clock(void) { return (unsigned)simulated_clock64(); }
unsigned simulated_smid(void);
#define SIMULATED_COUNTERS 703450000000ull /* where they begin */

/* In every round of a loop: simulated_ns.step in a kernel, nothing on the host. */
#define SIMULATED_STEP simulated_step()
static inline void simulated_step(void) { simulated_works(simulated_ns.step); }

#ifdef __cplusplus
}
#endif
#endif
