// The pairs of a dense table of counts as columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compat.hpp"

namespace segmetry {

struct RowColumns {
    std::uint64_t *a;
    std::uint64_t *b;
    std::uint64_t *counts;
};

// A table of 2^bits[0] by 2^bits[1] counts, of which `pairs` are not 0; the pair (i, j) has labels low[0] + i and low[1] + j,
// modulo 2^64.
template <typename Count>
struct TableOfCounts {
    const Count *counts;
    int bits[2];
    std::uint64_t low[2];
    std::size_t pairs;
};

// Write the counts that are not 0, in order. Null where this machine has no version that beats a plain loop.
struct WriteRows {
    void (*of_bytes)(const TableOfCounts<std::uint8_t> &table, const RowColumns &columns) = nullptr;
    void (*of_counts)(const TableOfCounts<std::uint32_t> &table, const RowColumns &columns) = nullptr;
};

WriteRows write_rows_for(int widest_vectors);

#if defined(SEGMETRY_AVX512)
// That of dense_rows_avx512.cpp, for machines where has_avx512().
WriteRows write_rows_avx512();
#endif

}  // namespace segmetry
