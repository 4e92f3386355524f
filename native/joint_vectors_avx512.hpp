// Vectors of 64 bytes that are compared with their elements' neighbours; for files that are chosen at run time.
#pragma once

#include "avx512.hpp"
#include "joint_ends.hpp"

#if defined(SEGMETRY_AVX512)

namespace segmetry {

SEGMETRY_TARGET_AVX512 inline __m512i vector_at(const char *at) { return _mm512_loadu_si512(at); }

// Vector v of 64 elements, and the vector one element further on. A second load would nearly always touch two lines of
// the cache, so wide elements are shifted in from the next vector.
template <int Width>
struct Neighbours {
    __m512i here[Width];
    __m512i next[Width];

    SEGMETRY_TARGET_AVX512 explicit Neighbours(const char *x) {
        for (int v = 0; v < Width; ++v) {
            here[v] = vector_at(x + 64 * v);
        }
        if constexpr (Width == 4) {
            const __m512i last = _mm512_castsi128_si512(_mm_cvtsi32_si128(static_cast<int>(label_at<4>(x, 64))));
            for (int v = 0; v < Width; ++v) {
                next[v] = _mm512_alignr_epi32(v + 1 < Width ? here[v + 1] : last, here[v], 1);
            }
        } else if constexpr (Width == 8) {
            const __m512i last = _mm512_castsi128_si512(_mm_cvtsi64_si128(static_cast<long long>(label_at<8>(x, 64))));
            for (int v = 0; v < Width; ++v) {
                next[v] = _mm512_alignr_epi64(v + 1 < Width ? here[v + 1] : last, here[v], 1);
            }
        } else {
            for (int v = 0; v < Width; ++v) {
                next[v] = vector_at(x + 64 * v + Width);
            }
        }
    }

    SEGMETRY_TARGET_AVX512 __m512i difference(int v) const { return _mm512_xor_si512(here[v], next[v]); }
};

// One bit for each element of a vector that is not 0.
template <int Width>
SEGMETRY_TARGET_AVX512 inline std::uint64_t elements_set(__m512i vector) {
    if constexpr (Width == 1) {
        return _mm512_test_epi8_mask(vector, vector);
    } else if constexpr (Width == 2) {
        return _mm512_test_epi16_mask(vector, vector);
    } else if constexpr (Width == 4) {
        return _mm512_test_epi32_mask(vector, vector);
    } else {
        return _mm512_test_epi64_mask(vector, vector);
    }
}

SEGMETRY_TARGET_AVX512 inline __m512i all_places() {
    alignas(64) static constexpr std::uint8_t places[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    return _mm512_load_si512(places);
}

SEGMETRY_TARGET_AVX512 inline void write_sixteen(__m512i first, __m128i places, std::uint32_t *target) {
    _mm512_storeu_si512(target, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(places)));
}

// Writes `begin` plus the places of the bits, and returns how many they are. Sixteen numbers are written in any case, and 64
// where there are more.
SEGMETRY_TARGET_AVX512 inline std::size_t write_places(std::size_t begin, std::uint64_t mask, std::uint32_t *target) {
    const __m512i first = _mm512_set1_epi32(static_cast<int>(begin));
    const __m512i places = _mm512_maskz_compress_epi8(mask, all_places());
    const auto count = static_cast<std::size_t>(_mm_popcnt_u64(mask));
    write_sixteen(first, _mm512_castsi512_si128(places), target);
    if (count > 16) {
        write_sixteen(first, _mm512_extracti32x4_epi32(places, 1), target + 16);
        write_sixteen(first, _mm512_extracti32x4_epi32(places, 2), target + 32);
        write_sixteen(first, _mm512_extracti32x4_epi32(places, 3), target + 48);
    }
    return count;
}

}  // namespace segmetry

#endif
