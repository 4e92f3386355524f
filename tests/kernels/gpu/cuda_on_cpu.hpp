// Runs the text of a kernel, count_classes.cu if CLASSES is defined and else count_pairs.cu, on the processor, for tests on machines without a GPU. Every thread of a block is a
// fiber; where threads wait for each other (shuffle, ballot, barrier), a fiber hands over to the next one until all have
// arrived. A seed chooses which fiber goes first, so that different orders are tried.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
struct Index {
    unsigned x = 0;
};

namespace simulated {

struct Barrier {
    unsigned arrived = 0, round = 0;
};
struct Fiber {
    ucontext_t state;
    std::vector<char> stack;
    unsigned thread = 0;
    bool finished = false;
};

inline std::vector<Fiber> fibers;
inline ucontext_t scheduler;
inline unsigned current = 0, unfinished = 0;
inline Index block_index, grid_size, block_size;
inline std::vector<Barrier> warp_barriers;
inline Barrier block_barrier;
inline std::uint64_t exchanged[64][32];
inline void (*kernel)(void *);
inline void *kernel_arguments;

inline unsigned thread() { return fibers[current].thread; }

inline void arrive(Barrier &barrier, unsigned expected) {
    const unsigned round = barrier.round;
    if (++barrier.arrived == expected) {
        barrier.arrived = 0;
        ++barrier.round;
        return;
    }
    while (barrier.round == round) {
        swapcontext(&fibers[current].state, &scheduler);
    }
}

inline void arrive_in_warp() { arrive(warp_barriers[thread() / 32], 32); }

inline void run_fiber() {
    kernel(kernel_arguments);
    fibers[current].finished = true;
    --unfinished;
    swapcontext(&fibers[current].state, &scheduler);
}

inline void launch(unsigned blocks, unsigned threads, void (*body)(void *), void *arguments, unsigned seed) {
    std::mt19937 order(seed);
    kernel = body;
    kernel_arguments = arguments;
    grid_size.x = blocks;
    block_size.x = threads;
    for (unsigned block = 0; block < blocks; ++block) {
        block_index.x = block;
        warp_barriers.assign(threads / 32, Barrier());
        block_barrier = Barrier();
        fibers.resize(threads);
        unfinished = threads;
        for (unsigned number = 0; number < threads; ++number) {
            Fiber &fiber = fibers[number];
            fiber.thread = number;
            fiber.finished = false;
            fiber.stack.resize(1 << 16);
            getcontext(&fiber.state);
            fiber.state.uc_stack.ss_sp = fiber.stack.data();
            fiber.state.uc_stack.ss_size = fiber.stack.size();
            fiber.state.uc_link = nullptr;
            makecontext(&fiber.state, run_fiber, 0);
        }
        while (unfinished > 0) {
            const unsigned first = static_cast<unsigned>(order()) % threads;
            for (unsigned k = 0; k < threads; ++k) {
                current = (first + k) % threads;
                if (!fibers[current].finished) {
                    swapcontext(&scheduler, &fibers[current].state);
                }
            }
        }
    }
}

template <class Value>
Value shuffle(Value value, int lane) {
    const unsigned warp = thread() / 32;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    exchanged[warp][thread() % 32] = bits;
    arrive_in_warp();
    bits = exchanged[warp][lane & 31];
    arrive_in_warp();
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

inline unsigned ballot(bool vote) {
    const unsigned warp = thread() / 32;
    exchanged[warp][thread() % 32] = vote;
    arrive_in_warp();
    unsigned votes = 0;
    for (int lane = 0; lane < 32; ++lane) {
        votes |= static_cast<unsigned>(exchanged[warp][lane] != 0) << lane;
    }
    arrive_in_warp();
    return votes;
}

}  // namespace simulated

#define threadIdx (Index{simulated::thread()})
#define blockIdx simulated::block_index
#define gridDim simulated::grid_size
#define blockDim simulated::block_size
template <class Value>
Value __shfl_sync(unsigned, Value value, int lane) {
    return simulated::shuffle(value, lane);
}
inline unsigned __ballot_sync(unsigned, bool vote) { return simulated::ballot(vote); }
inline void __syncwarp() { simulated::arrive_in_warp(); }
inline void __syncthreads() { simulated::arrive(simulated::block_barrier, simulated::block_size.x); }
inline void __threadfence() {}
inline void __threadfence_system() {}
template <class Value>
Value __ldcg(const Value *at) {
    return *at;
}
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(static_cast<int>(bits)); }
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    unsigned chosen = 0;
    for (int at = 0; at < 4; ++at) {
        chosen |= static_cast<unsigned>(both >> (selector >> 4 * at & 7) * 8 & 0xff) << 8 * at;
    }
    return chosen;
}
inline int __clz(unsigned bits) { return bits ? __builtin_clz(bits) : 32; }
template <class Value>
Value __ldcs(const Value *at) {
    return *at;
}
template <class Value, class Number>
Value atomicAdd(Value *at, Number number) {
    const Value old = *at;
    *at += static_cast<Value>(number);
    return old;
}
template <class Value>
Value atomicOr(Value *at, Value bits) {
    const Value old = *at;
    *at |= bits;
    return old;
}
template <class Value>
Value atomicExch(Value *at, Value value) {
    const Value old = *at;
    *at = value;
    return old;
}
template <class Value>
Value atomicCAS(Value *at, Value expected, Value value) {
    const Value old = *at;
    if (old == expected) {
        *at = value;
    }
    return old;
}

#ifdef CLASSES
#define SHARED_TABLE(name) static u32 name[1 << 16]
#include "count_classes.cu"

struct ClassArguments {
    const TrueLabel *true_labels;
    const PredLabel *pred_labels;
    i64 n;
    u32 blocks;
    i64 true_ignored, pred_ignored;
    u64 *counts;
    u32 *progress;
    u64 *host_counts;
    u32 *host_flags;
};

extern "C" void run_count(unsigned blocks, unsigned seed, ClassArguments *given) {
    const auto body = [](void *pointer) {
        const auto &a = *static_cast<ClassArguments *>(pointer);
        count_class_pairs(a.true_labels, a.pred_labels, a.n, a.blocks, a.true_ignored, a.pred_ignored, a.counts,
                          a.progress, a.host_counts, a.host_flags);
    };
    simulated::launch(blocks, THREADS, body, given, seed);
}
#else
#include "count_pairs.cu"

struct CountArguments {
    const TrueLabel *true_labels;
    const PredLabel *pred_labels;
    i64 n;
    u32 blocks, tiles;
    PairTable table;
};
struct CollectArguments {
    PairTable table;
    u64 n_slots;
    u64 *rows;
    u64 size;
    u64 *host_rows;
    u32 host_size;
    u32 *progress, *host_progress;
};

extern "C" void run_count(unsigned blocks, unsigned seed, CountArguments *given) {
    const auto body = [](void *pointer) {
        const auto &a = *static_cast<CountArguments *>(pointer);
        count_label_pairs(a.true_labels, a.pred_labels, a.n, a.blocks, a.tiles, a.table);
    };
    simulated::launch(blocks, WARPS * 32, body, given, seed);
}

extern "C" void run_collect(unsigned blocks, unsigned seed, CollectArguments *given) {
    const auto body = [](void *pointer) {
        const auto &a = *static_cast<CollectArguments *>(pointer);
        collect_rows(a.table, a.n_slots, a.rows, a.size, a.host_rows, a.host_size, a.progress, a.host_progress);
    };
    simulated::launch(blocks, 64, body, given, seed);
}
#endif
