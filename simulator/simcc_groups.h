/* SPDX-License-Identifier: MIT
 *
 * cooperative_groups.h and cooperative_groups/reduce.h, as far as a group is a block or a part of a warp. */
#pragma once
#pragma GCC system_header

namespace cooperative_groups {
/* Any group: a block, or a tile of this size. */
class thread_group {
  protected:
    unsigned tile; /* 0: the block */
    unsigned rank_in() const { return simulated_thread() % tile; }
    unsigned mask() const { return (tile == 32 ? ~0u : (1u << tile) - 1) << simcc::lane() / tile * tile; }

  public:
    explicit thread_group(unsigned threads) : tile(threads) {}
    unsigned thread_rank() const { return tile ? rank_in() : simulated_thread(); }
    unsigned num_threads() const { return tile ? tile : blockDim.x * blockDim.y * blockDim.z; }
    unsigned size() const { return num_threads(); }
    void sync(int line = __builtin_LINE()) const {
        if (tile)
            __syncwarp(mask());
        else
            simulated_barrier_at(line, false);
    }
};
struct thread_block : thread_group {
    thread_block() : thread_group(0) {}
    static dim3 group_index() { return dim3(blockIdx); }
    static dim3 thread_index() { return dim3(threadIdx); }
    static dim3 dim_threads() { return dim3(blockDim); }
};
inline thread_block this_thread_block() { return {}; }
template <unsigned SIZE, class Parent = void> struct thread_block_tile : thread_group {
    static_assert(SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile is a part of a warp");
    thread_block_tile() : thread_group(SIZE) {}
    template <class P> thread_block_tile(const thread_block_tile<SIZE, P> &) : thread_group(SIZE) {}
    unsigned meta_group_rank() const { return simulated_thread() / SIZE; }
    unsigned meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + SIZE - 1) / SIZE; }
    template <class T> T shfl(T x, int source) const { return __shfl_sync(mask(), x, source, SIZE); }
    template <class T> T shfl_up(T x, unsigned by) const { return __shfl_up_sync(mask(), x, by, SIZE); }
    template <class T> T shfl_down(T x, unsigned by) const { return __shfl_down_sync(mask(), x, by, SIZE); }
    template <class T> T shfl_xor(T x, int bits) const { return __shfl_xor_sync(mask(), x, bits, SIZE); }
    bool any(int x) const { return __any_sync(mask(), x); }
    bool all(int x) const { return __all_sync(mask(), x); }
    unsigned ballot(int x) const { return __ballot_sync(mask(), x) >> simcc::lane() / SIZE * SIZE; }
};
template <unsigned SIZE, class P> thread_block_tile<SIZE, P> tiled_partition(const P &) { return {}; }
inline thread_group tiled_partition(const thread_group &, unsigned size) { return thread_group(size); }
template <class G> void sync(const G &group, int line = __builtin_LINE()) { group.sync(line); }

#define SIMCC_OPERATION(name, result)                                                                                  \
    template <class T = void> struct name {                                                                            \
        T operator()(T a, T b) const { return result; }                                                                \
    }
SIMCC_OPERATION(plus, a + b);
SIMCC_OPERATION(less, b < a ? b : a); /* the least */
SIMCC_OPERATION(greater, a < b ? b : a);
template <unsigned SIZE, class P, class T, class F> T reduce(const thread_block_tile<SIZE, P> &tile, T x, F f) {
    for (unsigned bits = SIZE / 2; bits > 0; bits /= 2) x = f(x, tile.shfl_xor(x, int(bits)));
    return x;
}
} // namespace cooperative_groups
