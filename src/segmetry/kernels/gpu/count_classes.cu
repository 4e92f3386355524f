// Counts how often every pair (true class, pred class) occurs at the same position of two arrays on a GPU whose labels
// are few and small: class maps, masks, labels of one byte.
//
// A label from 0 to CLASSES - 1 is its own code; one other label of each side, the ignored one, has the code CLASSES.
// The table has a cell for every pair of codes, so nothing is searched. Any other label sets the flag OUTSIDE: the
// caller throws the table away and counts with count_pairs.cu. The text is compiled with these macros:
//   TRUE_LABEL, PRED_LABEL   the types of the labels: C integers
//   CLASSES                  labels that are their own codes
//   CODES                    CLASSES, or one more if a label is ignored
//   PER_LANE, STEPS          labels a thread loads at once, and its loads under way before the first is used
//   THREADS, RESIDENT        threads of a block, blocks of a multiprocessor
//   LOG_COPIES               log2 of the copies of every cell in shared memory; neighbouring lanes add to different ones
//   HALVES                   1: counts of 16 bits, two in a word, for tables that leave no room for 32; one copy
//
// Lanes of a warp that add to the same cell wait for each other, and in class maps most do. With 16 copies of every cell
// neither large regions nor noise slow it down (32 copies leave room for fewer threads and are slower).

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

typedef TRUE_LABEL TrueLabel;
typedef PRED_LABEL PredLabel;

#define CELLS (CODES * CODES)
#define COPIES (1 << LOG_COPIES)
#define TILE ((i64)THREADS * PER_LANE * STEPS)
#define OUTSIDE 1u
// Labels of one byte on both sides are checked and compared four at a time.
#define BYTES (sizeof(TrueLabel) == 1 && sizeof(PredLabel) == 1 && PER_LANE == 16)
#define EVERY_BYTE 0x01010101u

// The shared memory of a block is sized at the launch: it may be more than a declaration allows.
#ifndef SHARED_TABLE
#define SHARED_TABLE(name) extern __shared__ __align__(16) u32 name[]
#endif

#if HALVES
// Whoever brings a cell to 2^15 or beyond takes 2^15 out of it. A barrier after every tile sees to it that this is done
// before the next tile is added, so a cell never reaches 2^16.
static_assert(TILE <= 1 << 15, "counts of 16 bits could overflow");
#define WAIT_FOR_ALL() __syncthreads()
#else
#define WAIT_FOR_ALL()
#endif

template <class Label>
struct alignas(sizeof(Label) * PER_LANE < 16 ? sizeof(Label) * PER_LANE : 16) Lane {
    Label at[PER_LANE];
};

// Labels are read once, so they need not stay in the cache.
template <class Label>
__device__ __forceinline__ Lane<Label> load(const Label *from) {
    constexpr int bytes = sizeof(Label) * PER_LANE;
    Lane<Label> labels;
    if constexpr (bytes == 2) {
        *reinterpret_cast<unsigned short *>(&labels) = __ldcs(reinterpret_cast<const unsigned short *>(from));
    } else if constexpr (bytes == 4) {
        *reinterpret_cast<u32 *>(&labels) = __ldcs(reinterpret_cast<const u32 *>(from));
    } else if constexpr (bytes == 8) {
        *reinterpret_cast<uint2 *>(&labels) = __ldcs(reinterpret_cast<const uint2 *>(from));
    } else {
#pragma unroll
        for (int part = 0; part < bytes / 16; ++part) {
            reinterpret_cast<uint4 *>(&labels)[part] = __ldcs(reinterpret_cast<const uint4 *>(from) + part);
        }
    }
    return labels;
}

// The label if it is a code, else CLASSES.
template <class Label>
__device__ __forceinline__ u32 code_of(Label label) {
    if constexpr (sizeof(Label) == 8) {
        return (u64)label >> 32 ? CLASSES : min((u32)label, (u32)CLASSES);
    } else if constexpr (sizeof(Label) == 4) {
        return min((u32)label, (u32)CLASSES);
    } else if constexpr (sizeof(Label) == 2) {
        return min((u32)(unsigned short)label, (u32)CLASSES);
    } else {
        return min((u32)(unsigned char)label, (u32)CLASSES);
    }
}

struct Counter {
    u32 *table;
    u64 *counts;
    TrueLabel true_ignored;
    PredLabel pred_ignored;
    bool is_outside;

    __device__ __forceinline__ void add(u32 cell, u32 n) {
#if HALVES
        const u32 shift = (cell & 1) * 16;
        const u32 before = atomicAdd(&table[cell >> 1], n << shift) >> shift & 0xffff;
        if (before < 0x8000 && before + n >= 0x8000) {
            atomicAdd(&table[cell >> 1], 0u - (0x8000u << shift));
            atomicAdd(&counts[cell], (u64)0x8000);
        }
#else
        atomicAdd(&table[(cell << LOG_COPIES) + (threadIdx.x & (COPIES - 1))], n);
#endif
    }

    __device__ __forceinline__ void add_pair(TrueLabel true_label, PredLabel pred_label) {
        const u32 first = code_of(true_label), second = code_of(pred_label);
        const bool is_strange = (first == CLASSES && (CODES == CLASSES || true_label != true_ignored)) ||
                                (second == CLASSES && (CODES == CLASSES || pred_label != pred_ignored));
        if (is_strange) {
            is_outside = true;
        } else {
            add(first * CODES + second, 1);
        }
    }

    // Gives each ignored byte of a word the code CLASSES; returns bits where a byte is neither a code nor ignored.
    template <class Label>
    __device__ __forceinline__ u32 clip(u32 &word, Label ignored) const {
        constexpr u32 room = CLASSES < 128 ? (0x80 - CLASSES) * EVERY_BYTE : 0;
        const u32 large = ((((word & 0x7f7f7f7fu) + room) | word) >> 7 & EVERY_BYTE) * 255;
        const u32 strange = CODES == CLASSES ? large : (word ^ (u32)(unsigned char)ignored * EVERY_BYTE) & large;
        word = (word & ~large) | (CLASSES * EVERY_BYTE & large);
        return strange;
    }

    __device__ __forceinline__ void add_bytes(Lane<TrueLabel> &true_labels, Lane<PredLabel> &pred_labels) {
        u32 *const first = reinterpret_cast<u32 *>(&true_labels), *const second = reinterpret_cast<u32 *>(&pred_labels);
        if constexpr (CLASSES <= 128) {
            u32 strange = 0;
#pragma unroll
            for (int word = 0; word < PER_LANE / 4; ++word) {
                strange |= clip(first[word], true_ignored) | clip(second[word], pred_ignored);
            }
            if (strange) {
                is_outside = true;
                return;
            }
        } else if constexpr (CLASSES < 256) {
#pragma unroll
            for (int k = 0; k < PER_LANE; ++k) {
                add_pair(true_labels.at[k], pred_labels.at[k]);
            }
            return;
        }
        u32 differs =
            (first[0] ^ __byte_perm(first[0], 0, 0x0321)) << 8 | (second[0] ^ __byte_perm(second[0], 0, 0x0321)) << 8;
#pragma unroll
        for (int word = 1; word < PER_LANE / 4; ++word) {
            differs |= (first[word] ^ first[0]) | (second[word] ^ second[0]);
        }
        if (differs == 0) {
            add((first[0] & 0xff) * CODES + (second[0] & 0xff), PER_LANE);
            return;
        }
#pragma unroll
        for (int k = 0; k < PER_LANE; ++k) {
            const int shift = k % 4 * 8;
            add((first[k / 4] >> shift & 0xff) * CODES + (second[k / 4] >> shift & 0xff), 1);
        }
    }

    __device__ __forceinline__ void add_lane(Lane<TrueLabel> &true_labels, Lane<PredLabel> &pred_labels) {
        if constexpr (BYTES) {
            add_bytes(true_labels, pred_labels);
            return;
        }
        u32 cells[PER_LANE];
        bool are_codes = true, are_equal = true;
#pragma unroll
        for (int k = 0; k < PER_LANE; ++k) {
            const u32 first = code_of(true_labels.at[k]), second = code_of(pred_labels.at[k]);
            are_codes = are_codes && first != CLASSES && second != CLASSES;
            cells[k] = first * CODES + second;
            are_equal = are_equal && cells[k] == cells[0];
        }
        if (!are_codes) {
#pragma unroll
            for (int k = 0; k < PER_LANE; ++k) {
                add_pair(true_labels.at[k], pred_labels.at[k]);
            }
        } else if (are_equal) {
            add(cells[0], PER_LANE);
        } else {
#pragma unroll
            for (int k = 0; k < PER_LANE; ++k) {
                add(cells[k], 1);
            }
        }
    }
};

// n labels per item; each item has `blocks` blocks, and a table of its own. The last block hands all tables and the flags
// to the host and leaves `counts` and `progress` (finished blocks, flags) empty for the next call.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    count_class_pairs(const TrueLabel *__restrict__ every_true, const PredLabel *__restrict__ every_pred, i64 n,
                      u32 blocks, i64 true_ignored, i64 pred_ignored, u64 *counts, u32 *progress, u64 *host_counts,
                      volatile u32 *host_flags) {
    SHARED_TABLE(table);
    constexpr u32 words = HALVES ? (CELLS + 1) / 2 : CELLS << LOG_COPIES;
    for (u32 at = threadIdx.x; at < words; at += THREADS) {
        table[at] = 0;
    }
    __syncthreads();
    const u32 item = blockIdx.x / blocks, part = blockIdx.x % blocks;
    const TrueLabel *const true_labels = every_true + item * n;
    const PredLabel *const pred_labels = every_pred + item * n;
    u64 *const own_counts = counts + (u64)item * CELLS;
    Counter counter{table, own_counts, (TrueLabel)true_ignored, (PredLabel)pred_ignored, false};
    const bool are_aligned =
        (u64)true_labels % alignof(Lane<TrueLabel>) == 0 && (u64)pred_labels % alignof(Lane<PredLabel>) == 0;
    const i64 tiles = are_aligned ? n / TILE : 0;
    for (i64 tile = part; tile < tiles; tile += blocks) {
        const i64 begin = tile * TILE + (i64)threadIdx.x * PER_LANE;
        Lane<TrueLabel> first[STEPS];
        Lane<PredLabel> second[STEPS];
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            first[step] = load(true_labels + begin + (i64)step * THREADS * PER_LANE);
            second[step] = load(pred_labels + begin + (i64)step * THREADS * PER_LANE);
        }
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            counter.add_lane(first[step], second[step]);
        }
        WAIT_FOR_ALL();
    }
    // What is left of the last tile, and labels that do not begin at a multiple of 16 bytes.
    for (i64 begin = tiles * TILE + (i64)part * THREADS; begin < n; begin += (i64)blocks * THREADS) {
        if (begin + threadIdx.x < n) {
            counter.add_pair(true_labels[begin + threadIdx.x], pred_labels[begin + threadIdx.x]);
        }
        WAIT_FOR_ALL();
    }
    if (counter.is_outside) {
        atomicOr(&progress[1], OUTSIDE);
    }
    __syncthreads();
    for (u32 cell = threadIdx.x; cell < CELLS; cell += THREADS) {
#if HALVES
        const u32 found = table[cell >> 1] >> ((cell & 1) * 16) & 0xffff;
#else
        u32 found = 0;
#pragma unroll
        for (int copy = 0; copy < COPIES; ++copy) {  // neighbouring threads begin with different banks
            found += table[(cell << LOG_COPIES) + ((copy + threadIdx.x) & (COPIES - 1))];
        }
#endif
        if (found != 0) {
            atomicAdd(&own_counts[cell], (u64)found);
        }
    }
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&progress[0], 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        const u64 all = (u64)CELLS * (gridDim.x / blocks);
        for (u64 at = threadIdx.x; at < all; at += THREADS) {
            host_counts[at] = __ldcg(&counts[at]);
            counts[at] = 0;
        }
        if (threadIdx.x == 0) {
            *host_flags = atomicExch(&progress[1], 0u);
            progress[0] = 0;
        }
        __threadfence_system();
    }
}
