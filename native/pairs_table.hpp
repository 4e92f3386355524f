// Counts of label pairs in a hash table. Labels are any two 64-bit numbers; nothing is packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hash_table.hpp"

namespace segmetry {

struct PairCount {
    std::uint64_t a;
    std::uint64_t b;
    std::int64_t count;  // 0 marks a free slot

    bool is_free() const { return count == 0; }
    bool same_key(const PairCount &other) const { return a == other.a && b == other.b; }
    std::uint64_t hash() const { return hash_of(a, b); }
};

inline bool pair_before(const PairCount &x, const PairCount &y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }

class PairTable {
  public:
    // At most `stretches` stretches are added at once.
    explicit PairTable(std::size_t stretches) : hashes_(stretches) {}

    std::size_t size() const { return table_.size(); }

    // Add stretches: stretch r has labels a[r], b[r] and lengths[r] elements.
    void add_stretches(const std::uint64_t *a, const std::uint64_t *b, const std::uint32_t *lengths,
                       std::size_t stretches) {
        for (std::size_t r = 0; r < stretches; ++r) {
            hashes_[r] = hash_of(a[r], b[r]);
        }
        // Slots of a table beyond the first-level cache are prefetched.
        const std::size_t ahead = table_.capacity() > 1024 ? 12 : 0;
        for (std::size_t r = 0; r < stretches; ++r) {
            if (ahead != 0 && r + ahead < stretches) {
                table_.prefetch(hashes_[r + ahead]);
            }
            add_hashed(hashes_[r], PairCount{a[r], b[r], lengths[r]});
        }
    }

    void add(const PairCount &row) { add_hashed(row.hash(), row); }

    // The rows of the table in no particular order.
    std::vector<PairCount> rows() const {
        std::vector<PairCount> result;
        result.reserve(size());
        for (const PairCount &slot : table_.slots()) {
            if (!slot.is_free()) {
                result.push_back(slot);
            }
        }
        return result;
    }

  private:
    void add_hashed(std::uint64_t hash, const PairCount &row) {
        table_.update_or_insert(hash, row, [&row](PairCount &entry) { entry.count += row.count; });
    }

    HashTable<PairCount, 9, 2> table_;  // 512 slots of 24 bytes: inside the first-level cache
    std::vector<std::uint64_t> hashes_;
};

}  // namespace segmetry
