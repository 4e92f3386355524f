// Counts of label pairs in an open-addressing hash. Labels are any two 64-bit numbers; nothing is packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace segmetry {

struct PairCount {
    std::uint64_t a;
    std::uint64_t b;
    std::int64_t count;  // 0 marks a free slot
};

inline bool same_pair(const PairCount &x, const PairCount &y) { return x.a == y.a && x.b == y.b; }
inline bool pair_before(const PairCount &x, const PairCount &y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }

// The most runs that are handed over at once.
constexpr std::size_t kBlock = 8192;

class PairTable {
  public:
    // At most `runs` runs are added at once.
    explicit PairTable(std::size_t runs) : slots_(std::size_t{1} << (64 - kFirstShift)), hashes_(runs) {}

    std::size_t size() const { return size_; }

    // Add runs: run r has labels a[r], b[r] and ends at index ends[r]; the first starts at index 0.
    void add_runs(const std::uint64_t *a, const std::uint64_t *b, const std::uint32_t *ends, std::size_t runs) {
        for (std::size_t r = 0; r < runs; ++r) {
            hashes_[r] = hash(a[r], b[r]);
        }
        // A table that left the first-level cache is asked for slots ahead of their use.
        const std::size_t ahead = slots_.size() > 1024 ? 12 : 0;
        std::int64_t start = 0;
        for (std::size_t r = 0; r < runs; ++r) {
            if (ahead != 0 && r + ahead < runs) {
                __builtin_prefetch(&slots_[hashes_[r + ahead] >> shift_], 1);
            }
            const std::int64_t stop = static_cast<std::int64_t>(ends[r]) + 1;
            add_hashed(hashes_[r], a[r], b[r], stop - start);
            start = stop;
        }
    }

    void add(std::uint64_t a, std::uint64_t b, std::int64_t count) { add_hashed(hash(a, b), a, b, count); }

    // The rows of the table in no particular order.
    std::vector<PairCount> rows() const {
        std::vector<PairCount> result;
        result.reserve(size_);
        for (const PairCount &slot : slots_) {
            if (slot.count != 0) {
                result.push_back(slot);
            }
        }
        return result;
    }

  private:
    static constexpr int kFirstShift = 55;  // 512 slots of 24 bytes: inside the first-level cache

    static std::uint64_t hash(std::uint64_t a, std::uint64_t b) {
        std::uint64_t h = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu;
        h ^= h >> 29;
        return h * 0xBF58476D1CE4E5B9u;
    }

    void add_hashed(std::uint64_t h, std::uint64_t a, std::uint64_t b, std::int64_t count) {
        const std::size_t last = slots_.size() - 1;
        for (std::size_t at = h >> shift_;; at = (at + 1) & last) {
            PairCount &slot = slots_[at];
            if (slot.a == a && slot.b == b && slot.count != 0) {
                slot.count += count;
                return;
            }
            if (slot.count == 0) {
                slot = PairCount{a, b, count};
                if (++size_ * 2 > slots_.size()) {
                    grow();
                }
                return;
            }
        }
    }

    void grow() {
        std::vector<PairCount> old(slots_.size() * 4);
        old.swap(slots_);
        shift_ -= 2;
        const std::size_t last = slots_.size() - 1;
        for (const PairCount &row : old) {
            if (row.count == 0) {
                continue;
            }
            std::size_t at = hash(row.a, row.b) >> shift_;
            while (slots_[at].count != 0) {
                at = (at + 1) & last;
            }
            slots_[at] = row;
        }
    }

    std::vector<PairCount> slots_;
    int shift_ = kFirstShift;
    std::size_t size_ = 0;
    std::vector<std::uint64_t> hashes_;
};

}  // namespace segmetry
