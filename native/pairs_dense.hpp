// Counts of label pairs in a plain table, for the labels inside a box: many times faster than a hash where it fits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dense_rows.hpp"
#include "joint_cells.hpp"
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

// Counts of 32 bits for stretches, and of 8 bits for elements that are counted one by one: four times as many of them stay
// in a cache. Each of the two tables is made when it is first needed.
class DenseCounts {
  public:
    DenseCounts() = default;
    // `spread` makes several tables of each kind, so that equal pairs that follow each other need not wait for one another.
    DenseCounts(const PairView &view, const LabelBox &box, bool spread, int widest_vectors);

    bool is_open() const { return tables_ != 0; }

    // Count the joint stretches of a and b that end at ends[0], …; the first starts at index 0. Those that are not in the
    // box are written to `outside`, whose ends may be in the place of `ends`; returns how many.
    std::size_t add(const char *a, const char *b, const std::uint32_t *ends, std::size_t stretches,
                    const StretchColumns &outside);
    // The same for n elements whose stretches are found meanwhile; the last of them are counted by the next call or by
    // `finish`. Nothing is counted and none is returned where this machine has no version for it, where stretches of the first
    // elements are shorter than `shortest`, and where that version is slow or was so in one of the last calls.
    std::optional<std::size_t> add_found(const char *a, const char *b, std::size_t n, std::size_t shortest,
                                         const StretchColumns &outside);
    // The same for n elements of which each is taken for a stretch.
    std::size_t add_each(const char *a, const char *b, std::size_t n, const StretchColumns &outside);

    // Adds the tables up and counts the pairs, before they are asked for.
    void finish();
    std::size_t pairs() const { return pairs_; }

    // Calls visit(PairCount) for every pair in order.
    template <typename Visit>
    void for_each(Visit visit) const {
        if (counts_.capacity() != 0) {
            visit_counts(counts_.data(), visit);
        } else if (ones_.capacity() != 0) {
            visit_counts(ones_.data(), visit);
        }
    }

    // Writes the pairs as columns, `added` taken off the labels; for each of these, there is room for `pairs` numbers.
    void write_columns(const std::uint64_t (&added)[2], const RowColumns &columns) const;

    // All counts become 0.
    void clear();

  private:
    // Cells that are looked at together: most are empty, mostly.
    static constexpr std::size_t kLine = 16, kFullLine = 64;

    std::size_t cells() const { return std::size_t{1} << box_.bits_of_pair(); }

    template <typename Count, typename Visit>
    void visit_counts(const Count *counts, Visit &visit) const {
        return pairs_ > cells() / 4 ? visit_lines<kFullLine>(counts, visit) : visit_lines<kLine>(counts, visit);
    }

    // The full cells of a line are found first, and without a branch for each: no predictor knows which they are.
    template <std::size_t Line, typename Count, typename Visit>
    void visit_lines(const Count *counts, Visit &visit) const {
        const std::uint64_t mask = (std::uint64_t{1} << box_.bits[1]) - 1;
        std::size_t full[Line];
        for (std::size_t begin = 0; begin < cells(); begin += Line) {
            if (is_empty<Line>(counts + begin)) {
                continue;
            }
            std::size_t found = 0;
            for (std::size_t cell = begin; cell < begin + Line; ++cell) {
                full[found] = cell;
                found += counts[cell] != 0;
            }
            for (std::size_t k = 0; k < found; ++k) {
                const std::size_t cell = full[k];
                visit(PairCount{box_.low[0] + (cell >> box_.bits[1]), box_.low[1] + (cell & mask), counts[cell]});
            }
        }
    }

    template <std::size_t Line, typename Count>
    static bool is_empty(const Count *counts) {
        Count any = 0;
        for (std::size_t i = 0; i < Line; ++i) {
            any = static_cast<Count>(any | counts[i]);
        }
        return any == 0;
    }

    // Stretches that were found, to be counted while the next ones are found, and room for those.
    struct Pieces {
        FoundCells of[2];
        int last = 0;

        FoundCells &before() { return of[last]; }
        FoundCells &found() { return of[1 - last]; }
        void swap() { last = 1 - last; }
    };

    void add_last_piece();
    template <typename Count>
    void open(LargeBuffer<Count> &counts) const;
    void open_counts();
    void carry(std::size_t cell);

    template <int WidthA, int WidthB, bool Each, std::size_t Tables>
    std::size_t add_checked(const char *a, const char *b, const std::uint32_t *ends, std::size_t begin,
                            std::size_t stretches, const StretchColumns &outside);
    template <int WidthA, int WidthB>
    std::size_t add_elements(const char *a, const char *b, std::size_t n, const StretchColumns &outside);
    template <int WidthA, int WidthB>
    bool find_cells(const char *a, const char *b, std::size_t n, std::uint32_t *found) const;
    template <std::size_t Tables>
    void count_cells(const std::uint32_t *found, std::size_t n);

    using AddStretches = std::size_t (DenseCounts::*)(const char *, const char *, const std::uint32_t *, std::size_t,
                                                      std::size_t, const StretchColumns &);
    using AddElements = std::size_t (DenseCounts::*)(const char *, const char *, std::size_t, const StretchColumns &);
    AddStretches add_stretches_ = nullptr;
    AddElements add_elements_ = nullptr;
    CellSearch cell_search_ = {};
    std::size_t calls_declined_ = 0;  // that `add_found` declines before it searches again
    WriteRows write_rows_ = {};
    LabelBox box_{};
    std::uint64_t first_[2] = {0, 0};  // the lowest labels as they are stored
    std::size_t tables_ = 0;
    std::size_t pairs_ = 0;
    std::unique_ptr<Pieces> pieces_;
    LargeBuffer<std::uint32_t> counts_;
    LargeBuffer<std::uint8_t> ones_;
};

}  // namespace segmetry
