// The nearest of the marked places of a grid, searched in the rows around a place and then in blocks of the grid.
//
// The squared length of a step vector is the rounded sum (first² + second²) + third². Rounding is monotone: a partial
// sum that is not below the best sum found rules out everything beyond it.
//
// 1. The rows around a place are visited by ascending first² + second², until that alone reaches the best sum; of each
//    row a window of 64 bits shows the nearest place. Close surfaces end here, after a handful of rows.
// 2. What is left is searched in blocks of the grid, if it is little: the places lie in few blocks. Of each block the
//    smallest sum to its rows, and to its places along them, decides whether it is searched. The block of the last
//    nearest place comes first; then those of the box around the best sum, or all of them where these are fewer.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "bit_grid.hpp"

namespace segmetry {

constexpr double kFar = std::numeric_limits<double>::infinity();

// squares[axis][k] for k steps along an axis, and one more, infinite, for "nowhere along this axis".
using SquaresOfSteps = std::array<std::vector<double>, 3>;

struct GridPlace {
    std::int32_t first, second, third;
    std::int64_t at;  // position in the result
};

class NearestPlaces {
  public:
    NearestPlaces(const BitGrid &others, const SquaresOfSteps &squares, InterruptCheck &interrupts);

    // Writes the smallest squares of all places in the order of the grid, except for those it returns: places far from
    // all others, where they are so many that passes over the grid cost less.
    std::vector<GridPlace> measure(const BitGrid &places, double *squared, InterruptCheck &interrupts);

  private:
    struct Offset {
        double squared;
        std::int64_t words;  // from a row to the one so far away
    };

    // A word of some neighbouring rows: the bounds of the rows with places, and where these are in any of the rows.
    struct Block {
        std::array<std::int32_t, 2> low, high;
        std::int32_t word;
        std::uint64_t places;
    };

    void sort_offsets();
    std::vector<GridPlace> search_rows(const BitGrid &places, double *squared, InterruptCheck &interrupts) const;
    double search_rows_around(const GridPlace &place, std::size_t &visited) const;
    void find_blocks(InterruptCheck &interrupts);
    void search_blocks(const GridPlace &place, double &best);
    void search_if_nearer(std::int64_t at, const GridPlace &place, double &best);
    bool search_block(const Block &block, const GridPlace &place, double &best);
    bool may_be_nearer(const Block &block, const GridPlace &place, double best) const;

    const SquaresOfSteps &squares_;
    const std::array<std::int64_t, 3> size_;
    std::array<std::int64_t, 2> reach_{};  // steps along the first two axes to the rows that are visited
    BitGrid others_;                       // with a margin of these
    double settled_ = kFar;                // up to here the rows around a place have the smallest sum
    std::vector<Offset> offsets_;
    std::vector<double> in_window_;  // squares of steps within the window of a row
    std::vector<Block> blocks_;
    std::vector<std::int64_t> block_at_;  // by group of rows along the first axis, along the second, and word
    std::size_t last_block_ = 0;
    std::int64_t work_ = 0;
};

}  // namespace segmetry
