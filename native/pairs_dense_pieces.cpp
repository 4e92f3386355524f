// The dense table of counts for stretches that are found meanwhile, piece by piece.
#include <algorithm>
#include <memory>

#include "joint_cells.hpp"
#include "pairs_dense.hpp"

namespace segmetry {

// Where the search is not faster than one before counting, it is not repeated soon.
constexpr std::size_t kCallsDeclined = 7;

std::optional<std::size_t> DenseCounts::add_found(const char *a, const char *b, std::size_t n, std::size_t shortest,
                                                  const StretchColumns &outside) {
    if (cell_search_.find == nullptr || n < kFewestFound) {
        return std::nullopt;
    }
    if (calls_declined_ > 0) {
        --calls_declined_;
        return std::nullopt;
    }
    const CellBox box{{first_[0], first_[1]}, {box_.bits[0], box_.bits[1]}};
    if (!pieces_) {
        pieces_ = std::make_unique<Pieces>();
    }
    std::size_t left_out = 0;
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        end = std::min(begin + kPiece, n);
        FoundCells &before = pieces_->before(), &found = pieces_->found();
        cell_search_.find(a, b, begin, end, end == n, box, before, CountTables{counts_.data(), cells()}, found);
        before.size = 0;
        const bool is_short = begin == 0 && found.size > end / std::max(shortest, cell_search_.shortest);
        if (is_short || (cell_search_.only_inside && !found.inside)) {
            calls_declined_ = kCallsDeclined;
            if (begin == 0) {
                return std::nullopt;
            }
        }
        open_counts();
        if (found.inside) {
            pieces_->swap();
        } else {
            const StretchColumns rest{outside.ends + left_out, outside.lengths + left_out};
            left_out += (this->*add_stretches_)(a, b, found.ends, found.start, found.size, rest);
            before.next = found.next;
        }
    }
    return left_out;
}

void DenseCounts::add_last_piece() {
    if (pieces_) {
        FoundCells &last = pieces_->before();
        const CountTables tables{counts_.data(), cells()};
        tables_ == 1 ? add_cells<1>(last, 0, last.size, last.start, tables)
                     : add_cells<kTables>(last, 0, last.size, last.start, tables);
        last.size = 0;
    }
}

}  // namespace segmetry
