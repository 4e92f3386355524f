// Count the label pairs of two arrays: blocks of positions -> joint stretches -> a hash, or sorted keys when nothing repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "pairs_spill.hpp"
#include "pairs_table.hpp"
#include "pairs_view.hpp"

namespace segmetry {

// When to change from hash to sort, and how much to do at once. Results do not depend on it; tests choose small numbers.
struct Tuning {
    std::size_t spill_after = 12000;           // pairs in the hash before sorting is considered
    std::size_t chunk = std::size_t{1} << 21;  // keys sorted at a time
    std::size_t slab = std::size_t{1} << 16;   // positions a thread gets at least
};

// Sorted by (a, b), each pair once. Labels are in the order-keeping form of Side::order_flip.
class PairRows {
  public:
    PairRows() = default;
    explicit PairRows(std::vector<PairCount> rows) : rows_(std::move(rows)) {}
    explicit PairRows(SortedKeys keys) : keys_(std::move(keys)), packed_(true) {}

    std::size_t size() const { return packed_ ? keys_.distinct : rows_.size(); }

    // Calls visit(PairCount) for every pair in order.
    template <typename Visit>
    void for_each(Visit visit) const {
        if (packed_) {
            return keys_.for_each(std::move(visit));
        }
        for (const PairCount &row : rows_) {
            visit(row);
        }
    }

    // Where the rows are sorted keys that nearly fill their memory, that and the memory for sorting them can become
    // columns of the result: fresh memory of this size costs as much as a pass over the keys. Null otherwise.
    SortedKeys *reusable() {
        const bool full = keys_.distinct > keys_.keys.capacity() / 2 && keys_.distinct <= keys_.spare.capacity();
        return packed_ && full ? &keys_ : nullptr;
    }

  private:
    std::vector<PairCount> rows_;
    SortedKeys keys_;
    bool packed_ = false;
};

PairRows count_pairs(const PairView &view, std::size_t threads, const Tuning &tuning);

}  // namespace segmetry
