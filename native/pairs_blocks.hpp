// The positions of two arrays in blocks: two dense pieces of memory at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs_view.hpp"

namespace segmetry {

// The most positions of a block: those of two arrays of 64 bits stay in the second-level cache, and memory is read in long
// pieces.
constexpr std::size_t kBlock = 16384;

// Copies what is not dense. Where one array is in C order and the other in Fortran order, the rows of one are the columns
// of the other: those are copied in bands of several rows, so that every line of memory is used when it is read.
class BlockReader {
  public:
    BlockReader(const PairView &view, std::size_t begin, std::size_t end);

    // False at the end; otherwise data[0], data[1] and size describe the next block.
    bool next();
    std::size_t left() const { return left_ - size; }

    const char *data[2] = {nullptr, nullptr};
    std::size_t size = 0;

  private:
    static constexpr std::size_t kShortRow = 256;  // copying several short rows together beats scanning each alone

    void copy_band();

    const PairView *view_;
    Cursor cursor_;
    std::size_t left_;
    bool in_place_[2];
    std::vector<char> copies_[2];
    std::size_t band_left_ = 0;   // positions of the band that were not returned yet
    std::size_t band_width_ = 0;  // bytes from one of its rows to the next
    std::size_t band_row_ = 0;    // the row of the block, counted from the first of the band
};

}  // namespace segmetry
