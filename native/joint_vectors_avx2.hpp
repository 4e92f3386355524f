// Answers about elements of vectors of 32 bytes, put in order; for files that are chosen at run time.
#pragma once

#include "compat.hpp"

#if defined(SEGMETRY_AVX2)

#include <immintrin.h>

namespace segmetry {

// The answers for 32 elements in `Width` vectors, one byte each and in order. Instructions that narrow work on halves of
// vectors, so the quarters or eighths of the result are put in order afterwards.
template <int Width>
SEGMETRY_TARGET_AVX2 inline __m256i one_byte_each(const __m256i *lanes) {
    if constexpr (Width == 1) {
        return lanes[0];
    } else if constexpr (Width == 2) {
        return _mm256_permute4x64_epi64(_mm256_packs_epi16(lanes[0], lanes[1]), 0xD8);
    } else if constexpr (Width == 4) {
        const __m256i mixed =
            _mm256_packs_epi16(_mm256_packs_epi32(lanes[0], lanes[1]), _mm256_packs_epi32(lanes[2], lanes[3]));
        return _mm256_permutevar8x32_epi32(mixed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    } else {
        __m256i halves[4];
        for (int v = 0; v < 4; ++v) {
            halves[v] = _mm256_permute4x64_epi64(_mm256_packs_epi32(lanes[2 * v], lanes[2 * v + 1]), 0xD8);
        }
        const __m256i low = _mm256_packs_epi16(halves[0], halves[1]), high = _mm256_packs_epi16(halves[2], halves[3]);
        const __m256i mixed =
            _mm256_packs_epi16(_mm256_permute4x64_epi64(low, 0xD8), _mm256_permute4x64_epi64(high, 0xD8));
        return _mm256_permute4x64_epi64(mixed, 0xD8);
    }
}

}  // namespace segmetry

#endif
