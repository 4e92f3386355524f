// The hash table of all kernels: open addressing, at most half full, never shrinking.
//
// An Entry is what a slot contains: key and value together. It says whether it `is_free()`, its `hash()`, whose highest
// bits choose the slot, and whether it has the `same_key(entry)` as another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "compat.hpp"

namespace segmetry {

// Two random numbers of this process: ids that collide cannot be prepared in a file. Results do not depend on them,
// since rows are sorted after they are counted.
struct HashSeed {
    std::uint64_t first, second;

    static HashSeed random() {
        std::random_device device;
        const auto draw = [&device] { return (std::uint64_t{device()} << 32) | device(); };
        return {draw(), draw()};
    }
};
inline const HashSeed kHashSeed = HashSeed::random();

// Both halves of a product of 128 bits, then a multiplication that spreads what differs over the highest bits.
inline std::uint64_t hash_of(std::uint64_t a, std::uint64_t b = 0) {
    std::uint64_t hash = folded_product(a ^ kHashSeed.first, b ^ kHashSeed.second);
    hash ^= hash >> 29;
    return hash * 0xBF58476D1CE4E5B9u;
}

// The table begins with 2^FirstBits slots and grows by a factor of 2^GrowthBits.
template <typename Entry, int FirstBits, int GrowthBits>
class HashTable {
  public:
    HashTable() : slots_(std::size_t{1} << FirstBits) {}

    // A table that does not grow before it contains `expected` entries.
    explicit HashTable(std::size_t expected) {
        int bits = FirstBits;
        while ((std::size_t{1} << bits) < 2 * expected) {
            ++bits;
        }
        shift_ = 64 - bits;
        slots_.resize(std::size_t{1} << bits);
    }

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return slots_.size(); }
    const std::vector<Entry> &slots() const { return slots_; }

    void prefetch(std::uint64_t hash) const { prefetch_to_write(&slots_[hash >> shift_]); }

    // The slot with the key of `wanted`; a free one where the key is not in the table.
    const Entry &find(const Entry &wanted) const {
        const std::size_t last = slots_.size() - 1;
        std::size_t at = wanted.hash() >> shift_;
        while (!slots_[at].is_free() && !slots_[at].same_key(wanted)) {
            at = (at + 1) & last;
        }
        return slots_[at];
    }

    // Calls update(entry) for the entry with the key of `wanted`, or inserts `wanted` where there is none.
    template <typename Update>
    void update_or_insert(std::uint64_t hash, const Entry &wanted, const Update &update) {
        const std::size_t last = slots_.size() - 1;
        for (std::size_t at = hash >> shift_;; at = (at + 1) & last) {
            Entry &slot = slots_[at];
            if (slot.same_key(wanted) && !slot.is_free()) {
                update(slot);
                return;
            }
            if (slot.is_free()) {
                slot = wanted;
                if (++size_ * 2 > slots_.size()) {
                    grow();
                }
                return;
            }
        }
    }

  private:
    void grow() {
        std::vector<Entry> old(slots_.size() << GrowthBits);
        old.swap(slots_);
        shift_ -= GrowthBits;
        const std::size_t last = slots_.size() - 1;
        for (const Entry &entry : old) {
            if (entry.is_free()) {
                continue;
            }
            std::size_t at = entry.hash() >> shift_;
            while (!slots_[at].is_free()) {
                at = (at + 1) & last;
            }
            slots_[at] = entry;
        }
    }

    std::vector<Entry> slots_;
    int shift_ = 64 - FirstBits;
    std::size_t size_ = 0;
};

}  // namespace segmetry
