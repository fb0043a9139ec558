/* SPDX-License-Identifier: MIT
 *
 * What a reader's CUDA program sees in place of CUDA's own headers: simcc includes it first. No macro and no name of it
 * but CUDA's own is outside of simcc and simulated_. */
#ifndef SIMCC_H
#define SIMCC_H
#pragma GCC system_header

/* The host's memory and files are the machine's. */
extern "C" {
void *malloc(__SIZE_TYPE__ bytes) noexcept __asm__("simulated_malloc");
void *realloc(void *memory, __SIZE_TYPE__ bytes) noexcept __asm__("simulated_realloc");
void free(void *memory) noexcept __asm__("simulated_host_free");
struct _IO_FILE *fopen(const char *path, const char *mode) __asm__("simulated_fopen");
}

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda_types.h"
#include "machine.h"

#define __CUDACC__
#define __NVCC__
#define __CUDA_ARCH__ 900
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
__attribute__((constructor)) static void simcc_per_thread_default() { simcc_default_stream = cudaStreamPerThread; }
#endif

/* ---- Vectors ---- */

typedef struct simulated_index uint3;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
#define SIMCC_3(name, type)                                                                                            \
    struct name##3 {                                                                                                   \
        type x, y, z;                                                                                                  \
    };
#define SIMCC_VECTORS(name, type)                                                                                      \
    struct name##1 {                                                                                                   \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct alignas(2 * sizeof(type)) name##2 {                                                                         \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct alignas(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)) name##4 {                                            \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    static inline name##1 make_##name##1(type x) { return {x}; }                                                       \
    static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                            \
    static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                 \
    static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define SIMCC_TYPES(V)                                                                                                 \
    V(char, signed char);                                                                                              \
    V(uchar, unsigned char);                                                                                           \
    V(short, short);                                                                                                   \
    V(ushort, unsigned short);                                                                                         \
    V(int, int);                                                                                                       \
    V(longlong, long long);                                                                                            \
    V(ulonglong, unsigned long long);                                                                                  \
    V(float, float);                                                                                                   \
    V(double, double);
SIMCC_TYPES(SIMCC_3);
SIMCC_TYPES(SIMCC_VECTORS);
SIMCC_VECTORS(uint, unsigned);

/* ---- Launches: k<<<shape>>>(arguments) becomes simcc::to("k", place, k, simcc::shape(shape))(arguments)
 *
 * The arguments are copied at the call, as what the kernel takes. Of a template the kernel's own types are not known:
 * then a lambda takes its place, and they are copied as what they are. */
/* The host calls the kernel to ask which one it is: that is its first line. const: no access that is checked. */
extern "C" {
extern const bool simcc_is_asking;
extern const char *simcc_answered;
void simcc_ask(bool is), simcc_answer(const char *kernel);
}
namespace simcc {

struct shape {
    dim3 grid, block;
    size_t bytes;
    cudaStream_t stream;
    shape(dim3 g, dim3 b, size_t n = 0, cudaStream_t s = nullptr) : grid(g), block(b), bytes(n), stream(s) {}
};

#define SIMCC_UNCHECKED __attribute__((no_sanitize_thread, no_sanitize_coverage))

template <class F, class Tuple> struct closure {
    F kernel;
    Tuple arguments;
    void **places[7];
    void call() { std::apply(kernel, arguments); }
    template <class... A> __attribute__((noinline)) static void one(F k, A... each) { k(each...); }
    /* Thread after thread, each with its threadIdx. The arguments are read once for all of them. */
    static void run(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t it) {
        const auto *const c = reinterpret_cast<const closure *>(it);
        std::apply(
            [k = c->kernel](auto... each) SIMCC_UNCHECKED {
                do {
                    if constexpr (std::is_pointer_v<F>)
                        k(each...);
                    else
                        one(k, each...);
                } while (simulated_next_thread());
            },
            c->arguments);
    }
};

template <class T> const void *pointer_of(const T &x) {
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
        return const_cast<const void *>(reinterpret_cast<const volatile void *>(x));
    else
        return nullptr;
}

template <class F, class... A> void start(const char *name, const char *place, const shape &s, F kernel, A &&...a) {
    using tuple = std::tuple<std::decay_t<A>...>;
    static_assert((std::is_copy_constructible_v<std::decay_t<A>> && ...), "an argument of a kernel must be copied");
    auto *it =
        new (simcc_closure(sizeof(closure<F, tuple>))) closure<F, tuple>{kernel, tuple(std::forward<A>(a)...), {}};
    simcc_ask(true);
    it->call();
    simcc_ask(false);
    const auto run = reinterpret_cast<void (*)()>(closure<F, tuple>::run);
    struct simcc_launch launch = {name, simcc_answered, place, s.grid, s.block, s.bytes, s.stream, run};
    launch.places = it->places;
    launch.closure = it;
    std::apply(
        [&](auto &...x) {
            size_t i = 0;
            const auto note = [&](auto &y) {
                if (i == 7) return;
                it->places[i] = sizeof y == sizeof(void *) ? (void **)&y : nullptr;
                launch.pointers[i++] = pointer_of(y);
            };
            (note(x), ...);
        },
        it->arguments);
    simcc_launch(&launch);
}

template <class F> auto to(const char *name, const char *place, F kernel, const shape &s) {
    return [=](auto &&...a) { start(name, place, s, kernel, std::forward<decltype(a)>(a)...); };
}
template <class... P> auto to(const char *name, const char *place, void (*kernel)(P...), const shape &s) {
    return [=](P... p) { start(name, place, s, kernel, std::forward<P>(p)...); };
}

/* ---- Shared memory ---- */

struct dynamic {
    template <class U> operator U *() const { return static_cast<U *>(simulated_shared()); }
};
template <class T> struct dynamic_array { /* of file scope */
    operator T *() const { return static_cast<T *>(simulated_shared()); }
    template <class U> explicit operator U *() const { return static_cast<U *>(simulated_shared()); }
};

/* Each declaration has its place, the same in each thread and launch. */
inline size_t shared_end;
template <int SITE, class T> SIMCC_UNCHECKED T &shared() {
    static size_t at = SIZE_MAX;
    static unsigned launch;
    if (at == SIZE_MAX) {
        at = (shared_end + 15) / 16 * 16;
        shared_end = at + sizeof(T);
    }
    const unsigned now = simulated_state.notes.launch;
    if (launch != now) simcc_declared(sizeof(T), shared_end), launch = now;
    return *reinterpret_cast<T *>(static_cast<char *>(simulated_static_shared()) + at);
}

/* ---- Lanes ---- */

template <class T> T shuffle(unsigned mask, T x, unsigned source) {
    T result;
    simulated_meet(mask, false, source, &x, &result, sizeof(T));
    return result;
}
inline unsigned lane() { return simulated_thread() % 32; }
inline int votes(int line, bool predicate, int what) { /* 0: and, 1: or, 2: count */
    const int count = int(simulated_barrier_at(line, what == 0 ? !predicate : predicate));
    return what == 2 ? count : what ? count > 0 : count == 0;
}
inline bool turn() { return simcc_turn(), true; }
/* A call whose answer nobody looks at, if it is one of CUDA's: the comma tells. */
struct dropped {
    const char *call, *place;
};
inline void operator,(const dropped &d, cudaError_t code) { simcc_dropped(d.call, d.place, code); }
inline clock_t kernel_clock() { return simulated_in_kernel() ? clock_t(simulated_clock64()) : ::clock(); }
template <class T, class F> SIMCC_UNCHECKED __attribute__((noinline)) T atomic(T *at, F change) {
    const T before = *at;
    *at = change(before);
    return before;
}

template <class T> void extreme(T kept, T x) {
    if constexpr (sizeof(T) == 8) simcc_extreme((unsigned long long)kept, (unsigned long long)x);
}

} // namespace simcc

inline constexpr int warpSize = 32;

static inline void __syncwarp(unsigned mask = 0xffffffff) { simulated_meet(mask, false, 0, nullptr, nullptr, 0); }
template <class T> T __shfl_sync(unsigned mask, T x, int source, int width = 32) {
    const unsigned lane = simcc::lane(), w = unsigned(width);
    return simcc::shuffle(mask, x, lane / w * w + unsigned(source) % w);
}
template <class T> T __shfl_up_sync(unsigned mask, T x, unsigned delta, int width = 32) {
    const unsigned lane = simcc::lane(), w = unsigned(width);
    return simcc::shuffle(mask, x, lane % w < delta ? lane : lane - delta);
}
template <class T> T __shfl_down_sync(unsigned mask, T x, unsigned delta, int width = 32) {
    const unsigned lane = simcc::lane(), w = unsigned(width);
    return simcc::shuffle(mask, x, lane % w + delta >= w ? lane : lane + delta);
}
template <class T> T __shfl_xor_sync(unsigned mask, T x, int bits, int width = 32) {
    const unsigned lane = simcc::lane(), w = unsigned(width), source = lane ^ unsigned(bits);
    return simcc::shuffle(mask, x, source / w > lane / w ? lane : source);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
    int own = predicate, its;
    return simulated_meet(mask, predicate != 0, simcc::lane(), &own, &its, sizeof own);
}
static inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
static inline void __threadfence() { simcc_fence(); }
static inline void __threadfence_block() {}
static inline void __threadfence_system() { simcc_fence(); }
static inline long long clock64() { return (long long)simulated_clock64(); }

#define SIMCC_ATOMIC(name, result)                                                                                     \
    template <class T> T name(T *at, std::common_type_t<T> x) {                                                        \
        return simcc::atomic(at, [=](T before) { return T(result); });                                                 \
    }                                                                                                                  \
    template <class T> T name##_block(T *at, std::common_type_t<T> x) { return name(at, x); }                          \
    template <class T> T name##_system(T *at, std::common_type_t<T> x) { return name(at, x); }
SIMCC_ATOMIC(atomicAdd, before + x);
SIMCC_ATOMIC(atomicSub, before - x);
SIMCC_ATOMIC(atomicExch, (before, x));
SIMCC_ATOMIC(atomicMin, (simcc::extreme(before, x), x < before ? x : before));
SIMCC_ATOMIC(atomicMax, (simcc::extreme(before, x), x > before ? x : before));
SIMCC_ATOMIC(atomicAnd, before &x);
SIMCC_ATOMIC(atomicOr, before | x);
SIMCC_ATOMIC(atomicXor, before ^ x);
SIMCC_ATOMIC(atomicInc, before >= x ? 0 : before + 1);
SIMCC_ATOMIC(atomicDec, before == 0 || before > x ? x : before - 1);
template <class T> T atomicCAS(T *at, std::common_type_t<T> is, std::common_type_t<T> x) {
    return simcc::atomic(at, [is, x](T before) { return before == is ? x : before; });
}

/* ---- Arithmetic ---- */

template <class A, class B> constexpr std::common_type_t<A, B> min(A a, B b) {
    return b < a ? std::common_type_t<A, B>(b) : std::common_type_t<A, B>(a);
}
template <class A, class B> constexpr std::common_type_t<A, B> max(A a, B b) {
    return a < b ? std::common_type_t<A, B>(b) : std::common_type_t<A, B>(a);
}
template <class To, class From> static inline To simcc_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
extern "C" { /* as some libraries have them, too */
float __expf(float x) noexcept;
float __logf(float x) noexcept;
float __sinf(float x) noexcept;
float __cosf(float x) noexcept;
float __powf(float x, float y) noexcept;
}
static inline float __fdividef(float x, float y) { return x / y; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __float_as_int(float x) { return simcc_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return simcc_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return simcc_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return simcc_bits<float>(x); }
static inline double __longlong_as_double(long long x) { return simcc_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return simcc_bits<long long>(x); }
template <class T> T __ldg(const T *at) { return *at; }

/* ---- The runtime ---- */

extern "C" {
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *to, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaDeviceGetAttribute(int *to, enum cudaDeviceAttr what, int device);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *to, const void *kernel, int threads, size_t bytes);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
cudaError_t cudaCtxResetPersistingL2Cache();
cudaError_t cudaMalloc(void **to, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocAsync(void **to, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaMallocManaged(void **to, size_t bytes, unsigned flags = 1);
cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, struct cudaMemLocation to, unsigned flags,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMallocHost(void **to, size_t bytes);
cudaError_t cudaHostAlloc(void **to, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
}
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaCpuDeviceId = -1 };

template <class T> cudaError_t cudaMalloc(T **to, size_t bytes) { return cudaMalloc((void **)to, bytes); }
template <class T> cudaError_t cudaMallocHost(T **to, size_t bytes, unsigned = 0) {
    return cudaMallocHost((void **)to, bytes);
}
template <class T> cudaError_t cudaHostAlloc(T **to, size_t bytes, unsigned flags) {
    return cudaHostAlloc((void **)to, bytes, flags);
}
template <class T> cudaError_t cudaMallocManaged(T **to, size_t bytes, unsigned flags = 1) {
    return cudaMallocManaged((void **)to, bytes, flags);
}
template <class T> cudaError_t cudaMallocAsync(T **to, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync((void **)to, bytes, stream);
}
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = nullptr) = delete; /* CUDA 12's */
template <class T>
cudaError_t cudaMemcpyToSymbol(T &to, const void *from, size_t bytes, size_t at = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return simcc_to_variable((char *)&to + at, from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, T &from, size_t bytes, size_t at = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return simcc_from_variable(to, (const char *)&from + at, bytes, kind);
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *to, F kernel, int threads, size_t bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(to, (const void *)kernel, threads, bytes);
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F kernel, size_t bytes = 0, int limit = 0) {
    cudaDeviceProp p;
    if (const cudaError_t error = cudaGetDeviceProperties(&p, 0)) return error;
    *block = limit && limit < p.maxThreadsPerBlock ? limit : p.maxThreadsPerBlock;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(grid, kernel, *block, bytes);
    *grid *= p.multiProcessorCount;
    return error;
}
static inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int) {
    return cudaStreamCreateWithFlags(stream, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long long flags = 0) {
    return cudaGraphInstantiateWithFlags(to, graph, flags);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, cudaGraphNode_t *, char *,
                                               size_t) {
    return cudaGraphInstantiateWithFlags(to, graph, 0);
}

template <class... P, size_t... I>
cudaError_t simcc_launch_by(void (*kernel)(P...), const simcc::shape &s, void **arguments, std::index_sequence<I...>) {
    simcc::start("cudaLaunchKernel", "", s, kernel, P(*static_cast<std::remove_reference_t<P> *>(arguments[I]))...);
    return cudaGetLastError();
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t bytes = 0,
                             cudaStream_t stream = nullptr) {
    return simcc_launch_by(kernel, {grid, block, bytes, stream}, arguments, std::index_sequence_for<P...>());
}
#endif
