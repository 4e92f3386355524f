// Counts how often every pair (true label, pred label) occurs at the same position of two arrays on a GPU.
//
// The text is compiled when it is first needed, once per pair of label types, with these macros:
//   TRUE_LABEL, PRED_LABEL      the types of the labels: a C integer, or Category
//   PER_LANE, STEPS             labels a lane loads at once, and loads of a warp per tile
//   WIDE                        1: labels of more than 32 bits, which get a number from a table of labels first
//   BYTES                       1: labels of one byte on both sides; eight or sixteen to a lane
//   LOG_SLOTS, WARPS, RESIDENT  slots of the table of a block, its warps, and blocks per multiprocessor
//
// Labels come in stretches of equal pairs, so one record (pair, length) per stretch is enough:
//   1. A warp reads a tile of 32 * PER_LANE * STEPS labels of both sides; all its loads are under way before the first
//      is used.
//   2. Each lane marks the labels that differ from their left neighbour; ballots give every lane the place of its
//      records in the queue of the warp.
//   3. When 32 records wait, each lane adds one to the table of the block in shared memory. Frequent pairs are thereby
//      added up within a block: one global addition per stretch would let all blocks wait for the same address.
//   4. What finds no place there goes to the global table, and so does the table of the block at its end.
//   5. A second kernel writes the rows and leaves the global table empty for the next call.
// Counts are integers, so neither the order of the blocks nor that of the additions changes them.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// One element of an array (..., 2): its category and its instance.
struct Category {
    i64 category, instance;
};

typedef TRUE_LABEL TrueLabel;
typedef PRED_LABEL PredLabel;

#define EVERY_LANE 0xffffffffu
#define SLOTS (1 << LOG_SLOTS)
#define TILE (32 * PER_LANE * STEPS)
// Fewer than 32 records wait when a step begins, and a step adds at most one for each of its labels.
#define QUEUE (32 + 32 * PER_LANE)
// Bits of a number of records up to PER_LANE.
#define COUNT_BITS (PER_LANE == 16 ? 5 : PER_LANE == 8 ? 4 : PER_LANE == 4 ? 3 : PER_LANE == 2 ? 2 : 1)
#define BLOCK_PROBES 8
#define GLOBAL_PROBES 128
// A warp whose records mostly find no place in the table of its block stops asking after about so many of them.
#define PATIENCE 1024

#define FULL 1u      // a table has no place left: count again with a larger one
#define TOO_WIDE 2u  // a label does not fit into 32 bits: count again with WIDE, or in another way

// Keys are stored inverted, so that 0 means an empty slot. The one pair whose inverted key is 0, that of two labels
// of all ones such as (-1, -1), has a slot of its own behind the others.
struct PairTable {
    u64 *keys;
    u64 *counts;
    u64 *true_labels;  // WIDE: inverted labels by number
    u64 *pred_labels;
    u32 *flags;
    u32 mask, label_mask;
};

__device__ __forceinline__ u32 hash_of(u64 key) {
    u32 hash = (u32)(key >> 32) * 0x9E3779B1u ^ (u32)key * 0x85EBCA77u;
    hash = (hash ^ (hash >> 15)) * 0x2C1B3C6Du;
    return hash ^ (hash >> 13);
}

// Returns the slot of a key, which is taken for it if need be; -1 if there is none within so many probes.
// Another lane may see a slot empty that has just been taken; the exchange then returns what is in it.
template <int PROBES, class Key>
__device__ __forceinline__ i64 slot_of(Key *keys, Key key, u32 slot, u32 mask) {
    for (int probe = 0; probe < PROBES; ++probe) {
        Key found = *(volatile Key *)&keys[slot];
        if (found == 0) {
            found = atomicCAS(&keys[slot], (Key)0, key);
            if (found == 0) {
                return slot;
            }
        }
        if (found == key) {
            return slot;
        }
        slot = (slot + 1) & mask;
    }
    return -1;
}

__device__ __noinline__ void add_to_global(u64 *keys, u64 *counts, u32 *flags, u32 mask, u64 inverted, u64 length) {
    if (inverted == 0) {
        atomicAdd(&counts[mask + 1], length);
        return;
    }
    if (*(volatile u32 *)flags & FULL) {
        return;  // these counts are thrown away
    }
    const i64 slot = slot_of<GLOBAL_PROBES>(keys, inverted, hash_of(inverted) & mask, mask);
    if (slot < 0) {
        atomicOr(flags, FULL);
    } else {
        atomicAdd(&counts[slot], length);
    }
}

#if WIDE
// The number of a label: its slot in the table of labels.
__device__ __forceinline__ u32 number_of(u64 *labels, u32 mask, u32 *flags, u64 label) {
    const u64 inverted = ~label;
    if (inverted == 0) {
        return mask + 1;
    }
    const i64 slot = slot_of<GLOBAL_PROBES>(labels, inverted, hash_of(inverted) & mask, mask);
    if (slot < 0) {
        atomicOr(flags, FULL);
        return 0;
    }
    return (u32)slot;
}
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
        for (int word = 0; word < bytes / 16; ++word) {
            reinterpret_cast<uint4 *>(&labels)[word] = __ldcs(reinterpret_cast<const uint4 *>(from) + word);
        }
    }
    return labels;
}

template <class Label>
__device__ __forceinline__ Label from_lane(Label label, int lane) {
    if constexpr (sizeof(Label) == 16) {
        uint4 words = *reinterpret_cast<uint4 *>(&label);
        words.x = __shfl_sync(EVERY_LANE, words.x, lane);
        words.y = __shfl_sync(EVERY_LANE, words.y, lane);
        words.z = __shfl_sync(EVERY_LANE, words.z, lane);
        words.w = __shfl_sync(EVERY_LANE, words.w, lane);
        return *reinterpret_cast<Label *>(&words);
    } else if constexpr (sizeof(Label) == 8) {
        return (Label)__shfl_sync(EVERY_LANE, (u64)label, lane);
    } else {
        return (Label)__shfl_sync(EVERY_LANE, (u32)label, lane);
    }
}

__device__ __forceinline__ bool operator!=(const Category &a, const Category &b) {
    return a.category != b.category || a.instance != b.instance;
}

// The 32 bits of a label in a key.
template <class Label>
__device__ __forceinline__ u32 narrow(Label label, bool &too_wide) {
    if constexpr (sizeof(Label) == 16) {  // 12 bits of category + 1, 20 bits of instance
        too_wide |= label.category < -1 || label.category >= 4095 || label.instance < 0 || label.instance >= 1 << 20;
        return (u32)(label.category + 1) << 20 | ((u32)label.instance & 0xfffff);
    } else if constexpr (sizeof(Label) == 8 && Label(-1) < Label(0)) {
        too_wide |= (i64)(int)label != label;
        return (u32)label;
    } else if constexpr (sizeof(Label) == 8) {
        too_wide |= label >> 32 != 0;
        return (u32)label;
    } else {
        return (u32)label;
    }
}

template <class Label>
__device__ __forceinline__ u32 changes_one_by_one(const Lane<Label> &labels, Label before) {
    u32 changes = labels.at[0] != before;
#pragma unroll
    for (int at = 1; at < PER_LANE; ++at) {
        changes |= (u32)(labels.at[at] != labels.at[at - 1]) << at;
    }
    return changes;
}

// Bit k: label k of either side differs from its left neighbour. Small labels are compared eight bytes at a time.
template <class First, class Second>
__device__ __forceinline__ u32 changes_of(const Lane<First> &first, const Lane<Second> &second, First before_first,
                                          Second before_second) {
    if constexpr (sizeof(First) == sizeof(Second) && sizeof(First) <= 2 && PER_LANE >= 8) {
        constexpr int width = 8 * sizeof(First), words = sizeof(First) * PER_LANE / 8;
        constexpr u64 top = width == 8 ? 0x8080808080808080ull : 0x8000800080008000ull;
        constexpr u64 lowest = width == 8 ? 0xff : 0xffff;
        const u64 *a = reinterpret_cast<const u64 *>(&first);
        const u64 *b = reinterpret_cast<const u64 *>(&second);
        u64 left_a = (u64)before_first & lowest, left_b = (u64)before_second & lowest;
        u32 changes = 0;
#pragma unroll
        for (int word = 0; word < words; ++word) {
            const u64 differ = (a[word] ^ (a[word] << width | left_a)) | (b[word] ^ (b[word] << width | left_b));
            left_a = a[word] >> (64 - width);
            left_b = b[word] >> (64 - width);
            u64 marks = (((differ & ~top) + ~top) | differ) & top;  // the top bit of every field that is not 0
            if constexpr (width == 8) {
                marks >>= 7;
                marks = (marks | marks >> 7) & 0x0003000300030003ull;
                marks = (marks | marks >> 14) & 0x0000000f0000000full;
                changes |= ((u32)(marks | marks >> 28) & 0xff) << (8 * word);
            } else {
                marks >>= 15;
                marks = (marks | marks >> 15) & 0x0000000300000003ull;
                changes |= ((u32)(marks | marks >> 30) & 0xf) << (4 * word);
            }
        }
        return changes;
    } else {
        return changes_one_by_one(first, before_first) | changes_one_by_one(second, before_second);
    }
}

#if BYTES
// Two labels of one byte are a key of 16 bits. One word holds a record with its length, or a key in a slot, where this
// bit tells it from an empty one.
#define IN_USE 0x10000u
typedef u32 BlockKey;

// The labels of a lane, each moved one place up, with the label before them in the first place.
template <class Label>
struct MovedBytes {
    u32 words[PER_LANE / 4];

    __device__ __forceinline__ MovedBytes(const Lane<Label> &labels, Label before) {
        const u32 *const all = reinterpret_cast<const u32 *>(&labels);
        u32 left = (u32)before << 24;
#pragma unroll
        for (int word = 0; word < PER_LANE / 4; ++word) {
            words[word] = all[word] << 8 | left >> 24;
            left = all[word];
        }
    }
    // The label before label k, in the lowest byte.
    __device__ __forceinline__ u32 before(int k) const {
        u32 low = words[0], high = words[1];
#pragma unroll
        for (int word = 2; word < PER_LANE / 4; word += 2) {
            low = k >= 4 * word ? words[word] : low;
            high = k >= 4 * word ? words[word + 1] : high;
        }
        return __byte_perm(low, high, k & 7) & 0xff;
    }
};

__device__ __forceinline__ u64 inverted_key(BlockKey key) {
    return ~((u64)(u32)(TrueLabel)(key >> 8) << 32 | (u32)(PredLabel)key);
}
#else
typedef u64 BlockKey;

__device__ __forceinline__ u64 inverted_key(BlockKey key) { return key; }
#endif

struct BlockMemory {
    BlockKey keys[SLOTS];
    u32 counts[SLOTS];  // a block sees fewer than 2^32 labels
#if WIDE
    u64 true_queue[WARPS][QUEUE];
    u64 pred_queue[WARPS][QUEUE];
    u32 lengths[WARPS][QUEUE];
#elif BYTES
    u32 queue[WARPS][QUEUE];  // key << 16 | length, which is at most TILE
#else
    u64 queue[WARPS][QUEUE];  // inverted keys
    u32 lengths[WARPS][QUEUE];
#endif
};

// n labels per item; each item has `blocks` blocks of `tiles` tiles, and a table of its own.
extern "C" __global__ void __launch_bounds__(WARPS * 32, RESIDENT)
    count_label_pairs(const TrueLabel *__restrict__ every_true, const PredLabel *__restrict__ every_pred, i64 n,
                      u32 blocks, u32 tiles, PairTable table) {
    __shared__ BlockMemory block;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const u32 lower_lanes = (1u << lane) - 1;
    for (int slot = threadIdx.x; slot < SLOTS; slot += WARPS * 32) {
        block.keys[slot] = 0;
        block.counts[slot] = 0;
    }
    __syncthreads();
    const u32 item = blockIdx.x / blocks, part = blockIdx.x % blocks;
    const TrueLabel *const true_labels = every_true + item * n;
    const PredLabel *const pred_labels = every_pred + item * n;
    u64 *const keys = table.keys + (u64)item * (table.mask + 2);
    u64 *const counts = table.counts + (u64)item * (table.mask + 2);
    const bool aligned =
        (u64)true_labels % alignof(Lane<TrueLabel>) == 0 && (u64)pred_labels % alignof(Lane<PredLabel>) == 0;
    int waiting = 0, refused = 0;
    bool too_wide = false, skips_block_table = false;

    auto enqueue = [&](int at, TrueLabel true_label, PredLabel pred_label, u32 length) {
#if WIDE
        block.true_queue[warp][at] = (u64)(i64)true_label;
        block.pred_queue[warp][at] = (u64)(i64)pred_label;
        block.lengths[warp][at] = length;
#elif BYTES
        block.queue[warp][at] = (u32)true_label << 24 | ((u32)pred_label & 0xff) << 16 | length;
#else
        block.queue[warp][at] = ~((u64)narrow(true_label, too_wide) << 32 | narrow(pred_label, too_wide));
        block.lengths[warp][at] = length;
#endif
    };
    // Adds the records from `first` on to the tables, one per lane.
    auto add_records = [&](int first, bool has_record) {
        __syncwarp();
        bool found_no_place = false;
        if (has_record) {
#if WIDE
            const u32 true_number =
                number_of(table.true_labels, table.label_mask, table.flags, block.true_queue[warp][first + lane]);
            const u32 pred_number =
                number_of(table.pred_labels, table.label_mask, table.flags, block.pred_queue[warp][first + lane]);
            const BlockKey key = ~((u64)true_number << 32 | pred_number);
            const u32 length = block.lengths[warp][first + lane], hash = hash_of(key);
#elif BYTES
            const u32 record = block.queue[warp][first + lane];
            const BlockKey key = record >> 16 | IN_USE;
            const u32 length = record & 0xffff, hash = key * 0x9E3779B1u;
#else
            const BlockKey key = block.queue[warp][first + lane];
            const u32 length = block.lengths[warp][first + lane], hash = hash_of(key);
#endif
            i64 slot = -1;
            if (!skips_block_table && key != 0) {
                slot = slot_of<BLOCK_PROBES>(block.keys, key, hash >> (32 - LOG_SLOTS), SLOTS - 1);
            }
            if (slot >= 0) {
                atomicAdd(&block.counts[slot], length);
            } else {
                found_no_place = true;
                add_to_global(keys, counts, table.flags, table.mask, inverted_key(key), length);
            }
        }
        if (!skips_block_table) {
            refused += __popc(__ballot_sync(EVERY_LANE, found_no_place)) - 4;
            refused = refused < 0 ? 0 : refused;
            skips_block_table = refused > PATIENCE;
        }
        __syncwarp();
    };

    const i64 first_tile = (i64)part * tiles, all_tiles = (n + TILE - 1) / TILE;
    const i64 end_tile = first_tile + tiles < all_tiles ? first_tile + tiles : all_tiles;
    for (i64 tile = first_tile + warp; tile < end_tile; tile += WARPS) {
        const i64 base = tile * TILE;
        const int length = n - base < TILE ? (int)(n - base) : TILE;
        const u32 is_full = *(volatile u32 *)table.flags & FULL;
        Lane<TrueLabel> first[STEPS];
        Lane<PredLabel> second[STEPS];
        if (length == TILE && aligned) {
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
                first[step] = load(true_labels + base + (step * 32 + lane) * PER_LANE);
                second[step] = load(pred_labels + base + (step * 32 + lane) * PER_LANE);
            }
        } else {  // beyond the end the last label is repeated, which begins no stretch
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
#pragma unroll
                for (int k = 0; k < PER_LANE; ++k) {
                    int at = (step * 32 + lane) * PER_LANE + k;
                    at = at < length ? at : length - 1;
                    first[step].at[k] = true_labels[base + at];
                    second[step].at[k] = pred_labels[base + at];
                }
            }
        }
        if (is_full) {
            break;
        }
        // The label before the tile is taken to be its first one: no stretch begins there, all begin at `start` = 0.
        TrueLabel left_true = from_lane(first[0].at[0], 0);
        PredLabel left_pred = from_lane(second[0].at[0], 0);
        int start = 0;
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            const TrueLabel near_true = from_lane(first[step].at[PER_LANE - 1], (lane + 31) & 31);
            const PredLabel near_pred = from_lane(second[step].at[PER_LANE - 1], (lane + 31) & 31);
            const TrueLabel before_true = lane ? near_true : left_true;
            const PredLabel before_pred = lane ? near_pred : left_pred;
            left_true = near_true;  // in lane 0 the last label of this step
            left_pred = near_pred;
            const u32 changes = changes_of(first[step], second[step], before_true, before_pred);
            const u32 n_changes = __popc(changes);
            u32 votes[COUNT_BITS], any = 0;  // the number of changes of every lane, bit by bit
#pragma unroll
            for (int bit = 0; bit < COUNT_BITS; ++bit) {
                votes[bit] = __ballot_sync(EVERY_LANE, n_changes >> bit & 1);
                any |= votes[bit];
            }
            if (any == 0) {
                continue;
            }
            const int mine = (step * 32 + lane) * PER_LANE;
            const int last_change = mine + 31 - __clz(changes);
            const u32 lower = any & lower_lanes;
            const int of_lower_lane = __shfl_sync(EVERY_LANE, last_change, lower ? 31 - __clz(lower) : 0);
            int begin = lower ? of_lower_lane : start;  // where the stretch began that reaches this lane
            start = __shfl_sync(EVERY_LANE, last_change, 31 - __clz(any));
            int at = waiting;
#pragma unroll
            for (int bit = 0; bit < COUNT_BITS; ++bit) {
                at += __popc(votes[bit] & lower_lanes) << bit;
                waiting += __popc(votes[bit]) << bit;
            }
#if BYTES  // few of many labels begin a stretch
            const MovedBytes<TrueLabel> ended_true(first[step], before_true);
            const MovedBytes<PredLabel> ended_pred(second[step], before_pred);
            for (u32 left = changes; left; left &= left - 1) {
                const int k = __ffs(left) - 1;
                enqueue(at++, (TrueLabel)ended_true.before(k), (PredLabel)ended_pred.before(k), mine + k - begin);
                begin = mine + k;
            }
#else
#pragma unroll
            for (int k = 0; k < PER_LANE; ++k) {
                if (changes >> k & 1) {
                    enqueue(at++, k ? first[step].at[k - 1] : before_true, k ? second[step].at[k - 1] : before_pred,
                            mine + k - begin);
                    begin = mine + k;
                }
            }
#endif
            while (waiting >= 32) {
                waiting -= 32;
                add_records(waiting, true);
            }
        }
        if (lane == 0) {
            enqueue(waiting, left_true, left_pred, length - start);
        }
        if (++waiting >= 32) {
            waiting -= 32;
            add_records(waiting, true);
        }
    }
    add_records(0, lane < waiting);
    if (too_wide) {
        atomicOr(table.flags, TOO_WIDE);
    }
    __syncthreads();
    for (int slot = threadIdx.x; slot < SLOTS; slot += WARPS * 32) {
        if (block.counts[slot] != 0) {
            add_to_global(keys, counts, table.flags, table.mask, inverted_key(block.keys[slot]), block.counts[slot]);
        }
    }
}

// Writes one row per used slot, in any order, and empties the slot. Columns: the key (WIDE: true label, pred label), then
// count | item << 40. The first `host_size` rows are also written to memory of the host, so that a small table needs no
// copy. `progress` holds the number of rows, the flags and the number of finished blocks; the last block hands the
// first two to the host and sets all three to 0.
extern "C" __global__ void collect_rows(PairTable table, u64 n_slots, u64 *rows, u64 size, u64 *host_rows,
                                        u32 host_size, u32 *progress, volatile u32 *host_progress) {
    const u64 stride = (u64)gridDim.x * blockDim.x;
    const int lane = threadIdx.x & 31;
    for (u64 slot = (u64)blockIdx.x * blockDim.x + threadIdx.x; slot - lane < n_slots; slot += stride) {
        u64 count = slot < n_slots ? table.counts[slot] : 0;
        const u32 used = __ballot_sync(EVERY_LANE, count != 0);
        if (used == 0) {
            continue;
        }
        u32 base = 0;
        if (lane == 0) {
            base = atomicAdd(&progress[0], (u32)__popc(used));
        }
        base = __shfl_sync(EVERY_LANE, base, 0);
        if (count != 0) {
            const u64 key = ~table.keys[slot];
            const u32 at = base + __popc(used & ((1u << lane) - 1));
            table.keys[slot] = 0;
            table.counts[slot] = 0;
            count |= (u64)(slot / (table.mask + 2)) << 40;
#if WIDE
            const u32 true_number = (u32)(key >> 32), pred_number = (u32)key;
            const u64 columns[3] = {true_number > table.label_mask ? ~0ull : ~table.true_labels[true_number],
                                    pred_number > table.label_mask ? ~0ull : ~table.pred_labels[pred_number], count};
#else
            const u64 columns[2] = {key, count};
#endif
#pragma unroll
            for (int column = 0; column < 2 + WIDE; ++column) {
                rows[column * size + at] = columns[column];
                if (at < host_size) {
                    host_rows[column * host_size + at] = columns[column];
                }
            }
        }
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&progress[2], 1u) == gridDim.x - 1) {
        host_progress[0] = atomicExch(&progress[0], 0u);
        host_progress[1] = atomicExch(&progress[1], 0u);
        progress[2] = 0;
        __threadfence_system();
    }
}
