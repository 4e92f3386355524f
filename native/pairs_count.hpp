// Count the label pairs of two arrays: blocks of positions -> joint stretches -> a dense table; a hash for the labels that
// are not in it, or sorted keys where there are too many pairs for a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "pairs_dense.hpp"
#include "pairs_spill.hpp"
#include "pairs_table.hpp"
#include "pairs_view.hpp"

namespace segmetry {

// When to change from one way of counting to another, and how much to do at once. Results do not depend on it; tests
// choose small numbers.
struct Tuning {
    std::size_t spill_after = 12000;                // pairs in the hash before new ones that hardly repeat are sorted
    std::size_t sort_after = 60000;                 // pairs in the hash before all others are sorted
    std::size_t chunk = std::size_t{1} << 21;       // keys sorted at a time
    std::size_t slab = std::size_t{1} << 16;        // positions a thread gets at least
    std::size_t most_cells = std::size_t{1} << 22;  // of the dense table
    std::size_t most_in_cell = 0xffffffffu;         // positions before the counts of the dense table are taken out
    int widest_vectors = 64;                        // in bytes, where the machine has them
    std::size_t beyond_caches = std::size_t{1} << 26;  // bytes of both arrays from which on a scan waits for memory
};

// Sorted by (a, b), each pair once. Labels are in the order-keeping form of Side::order_flip.
class PairRows {
  public:
    PairRows() = default;
    explicit PairRows(std::vector<PairCount> rows) : rows_(std::move(rows)) {}
    explicit PairRows(SortedKeys keys) : rows_(std::move(keys)) {}
    // `counts` must be finished. `others` are sorted and not among them.
    PairRows(DenseCounts counts, std::vector<PairCount> others)
        : rows_(std::move(counts)), others_(std::move(others)) {}

    std::size_t size() const {
        if (const auto *keys = std::get_if<SortedKeys>(&rows_)) {
            return keys->distinct;
        }
        const auto *dense = std::get_if<DenseCounts>(&rows_);
        return dense != nullptr ? dense->pairs() + others_.size() : std::get<std::vector<PairCount>>(rows_).size();
    }

    // Calls visit(PairCount) for every pair in order.
    template <typename Visit>
    void for_each(Visit visit) const {
        if (const auto *keys = std::get_if<SortedKeys>(&rows_)) {
            return keys->for_each(std::move(visit));
        }
        if (const auto *dense = std::get_if<DenseCounts>(&rows_)) {
            return others_.empty() ? dense->for_each(std::move(visit)) : visit_with_others(*dense, std::move(visit));
        }
        for (const PairCount &row : std::get<std::vector<PairCount>>(rows_)) {
            visit(row);
        }
    }

    // Where all rows are in a dense table: that table. Null otherwise.
    const DenseCounts *only_dense() const { return others_.empty() ? std::get_if<DenseCounts>(&rows_) : nullptr; }

    // Where the rows are sorted keys that nearly fill their memory, that and the memory for sorting them can become
    // columns of the result: fresh memory of this size costs as much as a pass over the keys. Null otherwise.
    SortedKeys *reusable() {
        auto *keys = std::get_if<SortedKeys>(&rows_);
        const bool full =
            keys != nullptr && keys->distinct > keys->keys.capacity() / 2 && keys->distinct <= keys->spare.capacity();
        return full ? keys : nullptr;
    }

  private:
    template <typename Visit>
    void visit_with_others(const DenseCounts &dense, Visit visit) const {
        auto next = others_.begin();
        dense.for_each([&](const PairCount &row) {
            for (; next != others_.end() && pair_before(*next, row); ++next) {
                visit(*next);
            }
            visit(row);
        });
        for (; next != others_.end(); ++next) {
            visit(*next);
        }
    }

    std::variant<std::vector<PairCount>, SortedKeys, DenseCounts> rows_;
    std::vector<PairCount> others_;
};

PairRows count_pairs(const PairView &view, std::size_t threads, const Tuning &tuning);

}  // namespace segmetry
