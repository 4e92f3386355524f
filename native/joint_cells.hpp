// Joint stretches of two arrays with their cells in a table of counts, found while others are added to the table.
//
// A scan of two large arrays waits for memory, and counting what it found does not. Done in turns, a block after the other,
// their times add up; here a few stretches of the piece before are counted after every 64 elements. They are counted from
// a list of cells: reading labels again at the ends of stretches misleads the hardware that predicts the scan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "joint_ends.hpp"

namespace segmetry {

// Cell (a - first[0]) * 2^bits[1] + (b - first[1]) counts the pair (a, b), where both differences have the given bits;
// at most 32 bits in all. Labels are subtracted as they are stored.
struct CellBox {
    std::uint64_t first[2];
    int bits[2];
};

constexpr std::size_t kPiece = 1024;
constexpr std::size_t kFewestFound = 65;  // elements in all: 64 and one more are looked at

// The joint stretches of a piece. The first starts at `start`, perhaps before the piece; the next piece's at `next`.
struct FoundCells {
    std::size_t size = 0;
    std::uint32_t start = 0, next = 0;
    bool inside = true;  // all labels of the piece are in the box; otherwise `cells` mean nothing
    std::uint32_t ends[kPiece + kSpareEnds];
    std::uint32_t cells[kPiece + kSpareEnds];

    // All are found; `start` is known.
    void close(std::size_t stretches) {
        size = stretches;
        next = size > 0 ? ends[size - 1] + 1 : start;
    }
};

// Several tables follow each other, `cells` long, and take turns; see DenseCounts.
struct CountTables {
    std::uint32_t *counts;
    std::size_t cells;
};

// Adds stretches `at`, at + 1, … up to `stop` to the table and returns `stop`; the first of them starts at `start`, which
// becomes the start of the next.
template <std::size_t Tables>
SEGMETRY_INLINE std::size_t add_cells(const FoundCells &found, std::size_t at, std::size_t stop, std::uint32_t &start,
                                      const CountTables &tables) {
    for (; at < stop; ++at) {
        const std::uint32_t after = found.ends[at] + 1;
        tables.counts[at % Tables * tables.cells + found.cells[at]] += after - start;
        start = after;
    }
    return at;
}

// Finds the stretches of elements begin <= i < end, at most kPiece of them, and adds those of `before` to the tables. The
// element after the piece is read, unless it is the `last` one: then its last element ends a stretch, and elements before
// it are read again, also those of the piece before. Other pieces have a multiple of 64 elements.
using FindCells = void (*)(const char *a, const char *b, std::size_t begin, std::size_t end, bool last,
                           const CellBox &box, const FoundCells &before, const CountTables &tables, FoundCells &found);

// An instance, and where it is faster than a search before counting.
struct CellSearch {
    FindCells find = nullptr;
    std::size_t shortest = 1;  // stretches are at least so long, on average
    bool only_inside = false;  // no label is outside of the box
};

// That for two widths in bytes and one or several tables; `find` is null where there is none for this machine.
CellSearch cell_search_for(int width_a, int width_b, bool several_tables, int widest_vectors);

constexpr std::size_t kTables = 4;

#if defined(SEGMETRY_AVX2)
// That of joint_cells_avx2.cpp, for machines where has_avx2().
FindCells find_cells_avx2_for(int width_a, int width_b, bool several_tables);
#endif

#if defined(SEGMETRY_AVX512)
// That of joint_cells_avx512.cpp, for machines where has_avx512().
FindCells find_cells_avx512_for(int width_a, int width_b, bool several_tables);
#endif

}  // namespace segmetry
