// Label pairs of which there are many: collected as packed keys and sorted, which beats a hash larger than the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupts.hpp"
#include "large_buffer.hpp"
#include "pairs_blocks.hpp"
#include "pairs_table.hpp"

namespace segmetry {

// The smallest and largest label of each side.
struct LabelRange {
    std::uint64_t low[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};
    std::uint64_t high[2] = {0, 0};

    void include(int side, std::uint64_t label) {
        if (label < low[side]) {
            low[side] = label;
        }
        if (label > high[side]) {
            high[side] = label;
        }
    }
};

// Packs a pair and a small number into 64 bits such that keys are in the order of (a, b):
// (a - low a) * 2^(bits_b + bits_low) + (b - low b) * 2^bits_low + number. Usable only where `fits()` is true.
class KeyPacking {
  public:
    KeyPacking() = default;
    explicit KeyPacking(const LabelRange &range);

    int label_bits() const { return bits_a_ + bits_b_; }
    // What the labels leave free, up to half a key, so that shifts and sums stay simple.
    int count_bits() const { return label_bits() > 32 ? 64 - label_bits() : 32; }
    bool fits(int number_bits) const { return label_bits() + number_bits <= 64; }
    std::uint64_t pack(std::uint64_t a, std::uint64_t b, int number_bits, std::uint64_t number) const {
        // A label side of 64 bits leaves nothing to shift by: then fits() is false unless the other side is constant.
        const std::uint64_t high = bits_a_ == 0 ? 0 : (a - low_a_) << (bits_b_ + number_bits);
        const std::uint64_t middle = bits_b_ == 0 ? 0 : (b - low_b_) << number_bits;
        return high | middle | number;
    }
    // `labels` is a key without its number.
    PairCount unpack(std::uint64_t labels, std::int64_t count) const {
        const std::uint64_t b = bits_b_ == 64 ? labels : labels & ((std::uint64_t{1} << bits_b_) - 1);
        const std::uint64_t a = bits_b_ == 64 ? 0 : labels >> bits_b_;
        return PairCount{a + low_a_, b + low_b_, count};
    }

  private:
    std::uint64_t low_a_ = 0;
    std::uint64_t low_b_ = 0;
    int bits_a_ = 0;
    int bits_b_ = 0;
};

// Keys below this many free bits are not worth sorting: counts are written into the free low bits.
constexpr int kFewestCountBits = 15;
static_assert((std::size_t{1} << kFewestCountBits) > kBlock, "a stretch of a whole block must fit");

// Pairs in order as packed keys with their counts in the low bits. A pair whose count needs more room has several keys.
struct SortedKeys {
    KeyPacking packing;
    LargeBuffer<std::uint64_t> keys;
    std::size_t size = 0;              // keys
    std::size_t distinct = 0;          // pairs
    LargeBuffer<std::uint64_t> spare;  // memory that sorting needed and the result may use, perhaps empty

    // Calls visit(PairCount) for every pair in order. By the time of call i, counted from 0, keys[0..i] are not needed
    // any more: `visit` may write over them.
    template <typename Visit>
    void for_each(Visit visit) const {
        // Copies: `visit` writes 64-bit numbers, which the compiler must otherwise take for changes of these.
        const KeyPacking unpacking = packing;
        const std::uint64_t *const begin = keys.data();
        const std::size_t end = size;
        const int bits = packing.count_bits();
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        for (std::size_t i = 0; i < end;) {
            const std::uint64_t labels = begin[i] >> bits;
            auto count = static_cast<std::int64_t>(begin[i] & mask);
            for (++i; i < end && begin[i] >> bits == labels; ++i) {
                count += static_cast<std::int64_t>(begin[i] & mask);
            }
            visit(unpacking.unpack(labels, count));
        }
    }
};

class SpilledPairs {
  public:
    // Keys are sorted and added up `chunk` at a time: memory is that many keys twice, plus the distinct pairs. Where
    // pairs `repeat` soon, the last ones are added up before they are sorted.
    SpilledPairs(const KeyPacking &packing, std::size_t chunk, bool repeat, InterruptCheck &interrupts);

    void add_stretches(const std::uint64_t *a, const std::uint64_t *b, const std::uint32_t *lengths,
                       std::size_t stretches);
    void add(const PairCount &row);
    // Everything added so far. Nothing can be added afterwards.
    SortedKeys finish();

  private:
    std::uint64_t *add_recent(std::uint64_t key, std::uint64_t *target);
    void sort_chunk();
    void add_level(SortedKeys level);
    void add_up_neighbours(SortedKeys &level) const;
    SortedKeys merge(const SortedKeys &x, const SortedKeys &y) const;

    KeyPacking packing_;
    InterruptCheck &interrupts_;
    LargeBuffer<std::uint64_t> keys_;
    LargeBuffer<std::uint64_t> spare_;
    std::size_t used_ = 0;
    std::vector<std::uint64_t> recent_;  // a key with its count, 0 if none; the place follows from the pair
    std::vector<SortedKeys> levels_;     // each at least twice as long as the next, so a key is merged few times
};

// Sort rows by (a, b). No pair may occur twice.
void sort_rows(std::vector<PairCount> &rows, InterruptCheck &interrupts);

}  // namespace segmetry
