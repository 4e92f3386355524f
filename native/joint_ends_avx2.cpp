// The search for joint stretches with vectors of 32 bytes, chosen at run time: the package is built for any x86-64.
#include "joint_ends.hpp"
#include "joint_vectors_avx2.hpp"

#if defined(SEGMETRY_AVX2)

namespace segmetry {

namespace {

// One vector compared with the vector one element further on: all ones or zeros per element.
template <int Width>
SEGMETRY_TARGET_AVX2 inline __m256i equal_lanes(const char *x, int vector) {
    const char *at = x + 32 * vector;
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(at));
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(at + Width));
    if constexpr (Width == 1) {
        return _mm256_cmpeq_epi8(here, next);
    } else if constexpr (Width == 2) {
        return _mm256_cmpeq_epi16(here, next);
    } else if constexpr (Width == 4) {
        return _mm256_cmpeq_epi32(here, next);
    } else {
        return _mm256_cmpeq_epi64(here, next);
    }
}

template <int WidthA, int WidthB>
SEGMETRY_TARGET_AVX2 inline std::uint32_t joint32(const char *a, const char *b) {
    __m256i first[WidthA], second[WidthB];
    for (int v = 0; v < WidthA; ++v) {
        first[v] = equal_lanes<WidthA>(a, v);
    }
    for (int v = 0; v < WidthB; ++v) {
        second[v] = equal_lanes<WidthB>(b, v);
    }
    if constexpr (WidthA == WidthB) {  // joined before they are narrowed, which halves that work
        for (int v = 0; v < WidthA; ++v) {
            first[v] = _mm256_and_si256(first[v], second[v]);
        }
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(one_byte_each<WidthA>(first)));
    } else {
        const __m256i joint = _mm256_and_si256(one_byte_each<WidthA>(first), one_byte_each<WidthB>(second));
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(joint));
    }
}

struct Vectors32 {
    template <int WidthA, int WidthB>
    SEGMETRY_TARGET_AVX2 static std::uint64_t ends64(const char *a, const char *b) {
        const std::uint64_t low = joint32<WidthA, WidthB>(a, b);
        const std::uint64_t high = joint32<WidthA, WidthB>(a + 32 * WidthA, b + 32 * WidthB);
        return ~(low | high << 32);
    }

    // With instructions that are defined for a mask of 0.
    SEGMETRY_TARGET_AVX2 static std::size_t write_ends(std::size_t begin, std::uint64_t mask, std::uint32_t *target) {
        const auto first = static_cast<std::uint32_t>(begin);
        const auto count = static_cast<std::size_t>(_mm_popcnt_u64(mask));
        for (int k = 0; k < 3; ++k, mask = _blsr_u64(mask)) {
            target[k] = first + static_cast<std::uint32_t>(_tzcnt_u64(mask));
        }
        if (count == 64) {
            for (std::uint32_t k = 3; k < 64; ++k) {
                target[k] = first + k;
            }
            return count;
        }
        for (std::size_t written = 3; written < count; written += 4) {
            for (std::size_t k = 0; k < 4; ++k, mask = _blsr_u64(mask)) {
                target[written + k] = first + static_cast<std::uint32_t>(_tzcnt_u64(mask));
            }
        }
        return count;
    }
};

template <int WidthA, int WidthB>
SEGMETRY_TARGET_AVX2 std::size_t find_ends(const char *a, const char *b, std::size_t n, std::uint32_t *ends) {
    return find_ends_by<Vectors32, WidthA, WidthB>(a, b, n, ends);
}

}  // namespace

FindEnds find_ends_avx2_for(int width_a, int width_b) {
    return for_widths(width_a, width_b,
                      [](auto a, auto b) -> FindEnds { return find_ends<decltype(a)::value, decltype(b)::value>; });
}

}  // namespace segmetry

#endif
