#include "joint_ends.hpp"

#include "stretches.hpp"
#include "vectors.hpp"

namespace segmetry {

namespace {

// `joint16<WidthA, WidthB>(a, b)`: 16 bits, lowest first: is element i of both arrays equal to the one after it?
// 17 elements of each are read.
#if defined(SEGMETRY_SSE2)

// SSE2 has no 64-bit comparison: both halves must be equal. Four elements come from two vectors.
inline __m128i join_halves(__m128i first, __m128i second) {
    const __m128 low = _mm_castsi128_ps(first), high = _mm_castsi128_ps(second);
    return _mm_castps_si128(_mm_and_ps(_mm_shuffle_ps(low, high, 0x88), _mm_shuffle_ps(low, high, 0xDD)));
}

// `lanes(v)` is the answer for vector v of 16 elements; the result has one byte per element.
template <int Width, typename Lanes>
inline __m128i one_byte_each(const Lanes &lanes) {
    if constexpr (Width == 1) {
        return lanes(0);
    }
    if constexpr (Width == 2) {
        return _mm_packs_epi16(lanes(0), lanes(1));
    }
    if constexpr (Width == 4) {
        return _mm_packs_epi16(_mm_packs_epi32(lanes(0), lanes(1)), _mm_packs_epi32(lanes(2), lanes(3)));
    }
    if constexpr (Width == 8) {
        return one_byte_each<4>([&](int v) { return join_halves(lanes(2 * v), lanes(2 * v + 1)); });
    }
}

template <int WidthA, int WidthB>
inline unsigned joint16(const char *a, const char *b) {
    const auto lanes_a = [a](int v) { return equal_lanes<WidthA>(a, v); };
    const auto lanes_b = [b](int v) { return equal_lanes<WidthB>(b, v); };
    __m128i joint;
    if constexpr (WidthA == WidthB) {  // joined before they are narrowed, which halves that work
        joint = one_byte_each<WidthA>([&](int v) { return _mm_and_si128(lanes_a(v), lanes_b(v)); });
    } else {
        joint = _mm_and_si128(one_byte_each<WidthA>(lanes_a), one_byte_each<WidthB>(lanes_b));
    }
    return static_cast<unsigned>(_mm_movemask_epi8(joint));
}

#elif defined(SEGMETRY_NEON)

inline uint8x16_t vector_at(const char *x) { return vld1q_u8(reinterpret_cast<const std::uint8_t *>(x)); }

inline uint16x8_t equal_eight(const char *x) {
    return vceqq_u16(vreinterpretq_u16_u8(vector_at(x)), vreinterpretq_u16_u8(vector_at(x + 2)));
}

inline uint32x4_t equal_four(const char *x) {
    return vceqq_u32(vreinterpretq_u32_u8(vector_at(x)), vreinterpretq_u32_u8(vector_at(x + 4)));
}

inline uint64x2_t equal_two(const char *x) {
    return vceqq_u64(vreinterpretq_u64_u8(vector_at(x)), vreinterpretq_u64_u8(vector_at(x + 8)));
}

inline uint32x4_t equal_four_wide(const char *x) {
    return vcombine_u32(vmovn_u64(equal_two(x)), vmovn_u64(equal_two(x + 16)));
}

inline uint8x16_t narrow(uint32x4_t a, uint32x4_t b, uint32x4_t c, uint32x4_t d) {
    const uint16x8_t low = vcombine_u16(vmovn_u32(a), vmovn_u32(b));
    const uint16x8_t high = vcombine_u16(vmovn_u32(c), vmovn_u32(d));
    return vcombine_u8(vmovn_u16(low), vmovn_u16(high));
}

template <int Width>
inline uint8x16_t equal16(const char *x) {
    if constexpr (Width == 1) {
        return vceqq_u8(vector_at(x), vector_at(x + 1));
    }
    if constexpr (Width == 2) {
        return vcombine_u8(vmovn_u16(equal_eight(x)), vmovn_u16(equal_eight(x + 16)));
    }
    if constexpr (Width == 4) {
        return narrow(equal_four(x), equal_four(x + 16), equal_four(x + 32), equal_four(x + 48));
    }
    if constexpr (Width == 8) {
        return narrow(equal_four_wide(x), equal_four_wide(x + 32), equal_four_wide(x + 64), equal_four_wide(x + 96));
    }
}

template <int WidthA, int WidthB>
inline unsigned joint16(const char *a, const char *b) {
    static const std::uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weighted = vandq_u8(vandq_u8(equal16<WidthA>(a), equal16<WidthB>(b)), vld1q_u8(weights));
    return static_cast<unsigned>(vaddv_u8(vget_low_u8(weighted))) |
           static_cast<unsigned>(vaddv_u8(vget_high_u8(weighted))) << 8;
}

#else

template <int WidthA, int WidthB>
inline unsigned joint16(const char *a, const char *b) {
    unsigned joint = 0;
    for (int i = 0; i < 16; ++i) {
        const bool same_a = std::memcmp(a + i * WidthA, a + (i + 1) * WidthA, WidthA) == 0;
        const bool same_b = std::memcmp(b + i * WidthB, b + (i + 1) * WidthB, WidthB) == 0;
        joint |= static_cast<unsigned>(same_a && same_b) << i;
    }
    return joint;
}

#endif

struct Vectors16 {
    template <int WidthA, int WidthB>
    static std::uint64_t ends64(const char *a, const char *b) {
        std::uint64_t same = 0;
        for (int part = 0; part < 4; ++part) {
            const unsigned joint = joint16<WidthA, WidthB>(a + part * 16 * WidthA, b + part * 16 * WidthB);
            same |= static_cast<std::uint64_t>(joint) << (16 * part);
        }
        return ~same;
    }

    // Few bits come in no order that a branch predictor could learn; so four are written in any case and counted if they
    // are there.
    static std::size_t write_ends(std::size_t begin, std::uint64_t mask, std::uint32_t *target) {
        const auto first = static_cast<std::uint32_t>(begin);
        if (mask == ~std::uint64_t{0}) {
            for (std::uint32_t k = 0; k < 64; ++k) {
                target[k] = first + k;
            }
            return 64;
        }
        const int count = count_of_bits(mask);
        constexpr std::uint64_t last = std::uint64_t{1} << 63;
        int written = 0;
        do {
            for (int k = 0; k < 4; ++k, mask &= mask - 1) {
                target[written + k] = first + static_cast<std::uint32_t>(trailing_zeros(mask | last));
            }
            written += 4;
        } while (written < count);
        return static_cast<std::size_t>(count);
    }
};

template <int WidthA, int WidthB>
std::size_t find_ends(const char *a, const char *b, std::size_t n, std::uint32_t *ends) {
    return find_ends_by<Vectors16, WidthA, WidthB>(a, b, n, ends);
}

}  // namespace

FindEnds find_ends_for(int width_a, int width_b, [[maybe_unused]] int widest_vectors) {
#if defined(SEGMETRY_AVX512)
    static const bool avx512 = has_avx512();
    if (avx512 && widest_vectors >= 64) {
        return find_ends_avx512_for(width_a, width_b);
    }
#endif
#if defined(SEGMETRY_AVX2)
    static const bool avx2 = has_avx2();
    if (avx2 && widest_vectors >= 32) {
        return find_ends_avx2_for(width_a, width_b);
    }
#endif
    return for_widths(width_a, width_b,
                      [](auto a, auto b) -> FindEnds { return find_ends<decltype(a)::value, decltype(b)::value>; });
}

}  // namespace segmetry
