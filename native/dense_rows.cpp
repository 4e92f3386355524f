#include "dense_rows.hpp"

#include "pairs_dense.hpp"

namespace segmetry {

WriteRows write_rows_for([[maybe_unused]] int widest_vectors) {
#if defined(SEGMETRY_AVX512)
    static const bool avx512 = has_avx512();
    if (avx512 && widest_vectors >= 64) {
        return write_rows_avx512();
    }
#endif
    return WriteRows();
}

// Vectors only where many cells are full: of most tables few are, and their empty lines are passed faster one by one.
void DenseCounts::write_columns(const std::uint64_t (&added)[2], const RowColumns &columns) const {
    const std::uint64_t low[2] = {box_.low[0] - added[0], box_.low[1] - added[1]};
    if (write_rows_.of_bytes != nullptr && pairs_ > cells() / 4 && box_.bits[1] >= 3) {
        if (counts_.capacity() != 0) {
            write_rows_.of_counts({counts_.data(), {box_.bits[0], box_.bits[1]}, {low[0], low[1]}, pairs_}, columns);
        } else {
            write_rows_.of_bytes({ones_.data(), {box_.bits[0], box_.bits[1]}, {low[0], low[1]}, pairs_}, columns);
        }
        return;
    }
    for_each([added_a = added[0], added_b = added[1], to = columns](const PairCount &row) mutable {
        *to.a++ = row.a - added_a;
        *to.b++ = row.b - added_b;
        *to.counts++ = static_cast<std::uint64_t>(row.count);
    });
}

}  // namespace segmetry
