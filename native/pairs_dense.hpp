// Counts of label pairs in a plain table, for the labels inside a box: many times faster than a hash where it fits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "large_buffer.hpp"
#include "pairs_table.hpp"
#include "pairs_view.hpp"

namespace segmetry {

// Labels low <= label < low + 2^bits of each side, in the order-keeping form of Side::order_flip.
struct LabelBox {
    std::uint64_t low[2];
    int bits[2];

    int bits_of_pair() const { return bits[0] + bits[1]; }
};

// The box of most of the labels that were sampled, of which there must be one; none where it would need more than
// `most_bits`. Labels far from all others, like that of void, are left out.
std::optional<LabelBox> box_of_labels(const PairView &view, std::vector<std::uint64_t> (&samples)[2], int most_bits);

// Stretches by the index of their last element and their length.
struct StretchColumns {
    std::uint32_t *ends;
    std::uint32_t *lengths;
};

class DenseCounts {
  public:
    DenseCounts() = default;
    // `spread` makes several tables, so that equal pairs that follow each other need not wait for one another.
    DenseCounts(const PairView &view, const LabelBox &box, bool spread);

    bool is_open() const { return counts_.capacity() != 0; }

    // Count the joint stretches of a and b that end at ends[0], …; the first starts at index 0. Those that are not in the
    // box are written to `outside`, whose ends may be in the place of `ends`; returns how many.
    std::size_t add(const char *a, const char *b, const std::uint32_t *ends, std::size_t stretches,
                    const StretchColumns &outside);
    // The same for n elements of which each is taken for a stretch.
    std::size_t add_each(const char *a, const char *b, std::size_t n, const StretchColumns &outside);

    // Adds the tables up and counts the pairs, before they are asked for.
    void finish();
    std::size_t pairs() const { return pairs_; }

    // Calls visit(PairCount) for every pair in order.
    template <typename Visit>
    void for_each(Visit visit) const {
        const std::uint64_t mask = (std::uint64_t{1} << box_.bits[1]) - 1;
        const std::uint32_t *const counts = counts_.data();
        for (std::size_t line = 0; line < cells(); line += kLine) {
            if (is_empty(counts + line)) {
                continue;
            }
            for (std::size_t cell = line; cell < std::min(line + kLine, cells()); ++cell) {
                if (counts[cell] != 0) {
                    visit(PairCount{box_.low[0] + (cell >> box_.bits[1]), box_.low[1] + (cell & mask), counts[cell]});
                }
            }
        }
    }

    // All counts become 0.
    void clear();

  private:
    static constexpr std::size_t kLine = 16;  // counts that are looked at together: most cells are empty

    std::size_t cells() const { return std::size_t{1} << box_.bits_of_pair(); }

    static bool is_empty(const std::uint32_t *line) {
        std::uint32_t any = 0;
        for (std::size_t i = 0; i < kLine; ++i) {
            any |= line[i];
        }
        return any == 0;
    }

    template <int WidthA, int WidthB, bool Each, std::size_t Tables>
    std::size_t add_labels(const char *a, const char *b, const std::uint32_t *ends, std::size_t stretches,
                           const StretchColumns &outside);

    using AddLabels = std::size_t (DenseCounts::*)(const char *, const char *, const std::uint32_t *, std::size_t,
                                                   const StretchColumns &);
    AddLabels add_stretches_ = nullptr;
    AddLabels add_each_ = nullptr;
    LabelBox box_{};
    std::uint64_t first_[2] = {0, 0};  // the lowest labels as they are stored
    std::size_t tables_ = 1;
    std::size_t pairs_ = 0;
    LargeBuffer<std::uint32_t> counts_;
};

}  // namespace segmetry
