/* SPDX-License-Identifier: MIT
 *
 * OpenCL C's words in C, so that a .cl file can be compiled for the simulation. */
#include "machine.h"

#define __kernel
#define __global
#define __local
typedef unsigned uint;
typedef unsigned long ulong;
enum { CLK_LOCAL_MEM_FENCE = 1, CLK_GLOBAL_MEM_FENCE };

static inline size_t get_local_id(unsigned i) {
    return i ? simulated_state.thread.x / simulated_state.row.threads
             : simulated_state.thread.x % simulated_state.row.threads;
}
static inline size_t get_local_size(unsigned i) {
    return i ? simulated_state.size.x / simulated_state.row.threads : simulated_state.row.threads;
}
static inline size_t get_group_id(unsigned i) {
    return i ? simulated_state.in_grid.x / simulated_state.row.groups
             : simulated_state.in_grid.x % simulated_state.row.groups;
}
static inline size_t get_global_id(unsigned i) { return get_group_id(i) * get_local_size(i) + get_local_id(i); }
static inline size_t get_global_size(unsigned i) {
    return get_local_size(i) * (i ? simulated_state.grid.x / simulated_state.row.groups : simulated_state.row.groups);
}
static inline void barrier(int fence) {
    if (simulated_shared_bytes() > 0 && !(fence & CLK_LOCAL_MEM_FENCE))
        simulated_stop("a barrier that does not fence local memory");
    simulated_barrier_at(0, false);
}
static inline ulong clock_read_work_group(void) { return simulated_clock64(); }
#define __builtin_readcyclecounter() (simulated_read() * simulated_ns.tsc_a_us / 1000 + 1000000000000)
#define __builtin_ia32_rdtscp(core) (*(core) = (uint)simulated_smid() | 1u << 12) /* of NUMA node 1 */

typedef float float4 __attribute__((vector_size(16), aligned(4)));
static inline float4 vload4(size_t i, const float *from) { return *(const float4 *)(from + 4 * i); }
static inline void vstore4(float4 value, size_t i, float *to) { *(float4 *)(to + 4 * i) = value; }

/* A file with several clocks is compiled once for each, with its kernels under other names. */
#ifdef PREFIX
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define spin JOIN(PREFIX, spin)
#define timedReduction JOIN(PREFIX, timedReduction)
#define read_clock JOIN(PREFIX, read_clock)
#define read_ns JOIN(PREFIX, read_ns)
#define read_unit JOIN(PREFIX, read_unit)
#endif
