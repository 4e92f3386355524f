// The pairs of a dense table of counts as columns, eight cells at a time, chosen at run time.
#include "avx512.hpp"
#include "dense_rows.hpp"

#if defined(SEGMETRY_AVX512)

namespace segmetry {

namespace {

SEGMETRY_TARGET_AVX512 inline __m512i eight_counts(const std::uint8_t *counts) {
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(counts)));
}

SEGMETRY_TARGET_AVX512 inline __m512i eight_counts(const std::uint32_t *counts) {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(counts)));
}

// Eight rows are written whatever their number is; the next ones take the place of those that are too many. Near the end of
// the columns only those that are there are written.
template <typename Count>
SEGMETRY_TARGET_AVX512 void write_rows(const TableOfCounts<Count> &table, const RowColumns &columns) {
    const std::size_t rows = std::size_t{1} << table.bits[0], length = std::size_t{1} << table.bits[1];
    const Count *counts = table.counts;
    const __m512i eight = _mm512_set1_epi64(8);
    std::size_t written = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const __m512i a = _mm512_set1_epi64(static_cast<long long>(table.low[0] + i));
        __m512i b = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(table.low[1])),
                                     _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
        for (std::size_t j = 0; j < length; j += 8, counts += 8, b = _mm512_add_epi64(b, eight)) {
            const __m512i found = eight_counts(counts);
            const __mmask8 full = _mm512_test_epi64_mask(found, found);
            const std::size_t left = table.pairs - written;
            const auto there = static_cast<__mmask8>(left >= 8 ? 0xff : (1u << left) - 1);
            _mm512_mask_storeu_epi64(columns.a + written, there, a);
            _mm512_mask_storeu_epi64(columns.b + written, there, _mm512_maskz_compress_epi64(full, b));
            _mm512_mask_storeu_epi64(columns.counts + written, there, _mm512_maskz_compress_epi64(full, found));
            written += static_cast<std::size_t>(_mm_popcnt_u32(full));
        }
    }
}

}  // namespace

WriteRows write_rows_avx512() { return WriteRows{write_rows<std::uint8_t>, write_rows<std::uint32_t>}; }

}  // namespace segmetry

#endif
