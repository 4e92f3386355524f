#include "pairs_blocks.hpp"

#include <algorithm>

namespace segmetry {

namespace {

constexpr std::size_t kBandRows = 32;
// Rows of a band begin in different sets of the first-level cache, whatever the length of a row.
constexpr std::size_t kBandGap = 64;

}  // namespace

BlockReader::BlockReader(const PairView &view, std::size_t begin, std::size_t end)
    : view_(&view), cursor_(view, begin), left_(end - begin) {
    for (int s = 0; s < 2; ++s) {
        const Side &side = view.side[s];
        const auto width = static_cast<std::size_t>(side.width);
        in_place_[s] = view.axes.back().step[s] == side.width && !side.is_swapped &&
                       (view.axes.size() == 1 || view.row_length() >= kShortRow);
        if (s == view.banded_side) {
            band_width_ = view.row_length() * width + kBandGap;
        } else if (!in_place_[s]) {
            copies_[s].resize(std::min(kBlock, left_) * width);
        }
    }
}

bool BlockReader::next() {
    cursor_.advance(size);
    left_ -= size;
    band_left_ -= std::min(band_left_, size);
    size = std::min(left_, kBlock);
    if (size == 0) {
        return false;
    }
    const int banded = view_->banded_side;
    if (in_place_[0] || in_place_[1] || banded >= 0) {
        size = std::min(size, cursor_.left_in_row());
    }
    if (banded >= 0 && band_left_ == 0) {
        copy_band();
    }
    for (int s = 0; s < 2; ++s) {
        if (s == banded) {
            const std::size_t column = view_->row_length() - cursor_.left_in_row();
            const std::size_t row = cursor_.row_index() - band_row_;
            data[s] = copies_[s].data() + row * band_width_ + column * static_cast<std::size_t>(view_->side[s].width);
        } else if (in_place_[s]) {
            data[s] = cursor_.address(s);
        } else {
            cursor_.gather(s, size, copies_[s].data());
            data[s] = copies_[s].data();
        }
    }
    return true;
}

// From the row of the cursor on: whole rows, of which the first may be needed in part only.
void BlockReader::copy_band() {
    const int side = view_->banded_side;
    const std::size_t length = view_->row_length(), column = length - cursor_.left_in_row();
    band_row_ = cursor_.row_index();
    const std::size_t needed = (column + left_ + length - 1) / length;
    const std::size_t rows = std::min({kBandRows, kBandBytes / (band_width_ - kBandGap), cursor_.rows_left(), needed});
    copies_[side].resize(rows * band_width_);
    cursor_.gather_rows(side, rows, copies_[side].data(), band_width_);
    band_left_ = rows * length - column;
}

}  // namespace segmetry
