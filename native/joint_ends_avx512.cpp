// The search for joint stretches with vectors of 64 bytes, chosen at run time: the package is built for any x86-64.
#include "joint_ends.hpp"
#include "joint_vectors_avx512.hpp"

#if defined(SEGMETRY_AVX512)

namespace segmetry {

namespace {

template <int Width>
SEGMETRY_TARGET_AVX512 inline std::uint64_t changes(const char *x) {
    const Neighbours<Width> elements(x);
    std::uint64_t mask = 0;
    for (int v = 0; v < Width; ++v) {
        mask |= elements_set<Width>(elements.difference(v)) << (64 / Width * v);
    }
    return mask;
}

struct Vectors64 {
    template <int WidthA, int WidthB>
    SEGMETRY_TARGET_AVX512 static std::uint64_t ends64(const char *a, const char *b) {
        if constexpr (WidthA == WidthB) {  // joined first, which halves the work that follows
            const Neighbours<WidthA> first(a), second(b);
            std::uint64_t mask = 0;
            for (int v = 0; v < WidthA; ++v) {
                const __m512i changed = _mm512_or_si512(first.difference(v), second.difference(v));
                mask |= elements_set<WidthA>(changed) << (64 / WidthA * v);
            }
            return mask;
        } else {
            return changes<WidthA>(a) | changes<WidthB>(b);
        }
    }

    SEGMETRY_TARGET_AVX512 static std::size_t write_ends(std::size_t begin, std::uint64_t mask, std::uint32_t *target) {
        return write_places(begin, mask, target);
    }
};

template <int WidthA, int WidthB>
SEGMETRY_TARGET_AVX512 std::size_t find_ends(const char *a, const char *b, std::size_t n, std::uint32_t *ends) {
    return find_ends_by<Vectors64, WidthA, WidthB>(a, b, n, ends);
}

}  // namespace

FindEnds find_ends_avx512_for(int width_a, int width_b) {
    return for_widths(width_a, width_b,
                      [](auto a, auto b) -> FindEnds { return find_ends<decltype(a)::value, decltype(b)::value>; });
}

}  // namespace segmetry

#endif
