// Where the joint stretches of two arrays end: a joint stretch ends as soon as either array changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "compat.hpp"

namespace segmetry {

// Writes the indices of the last elements of all joint stretches among n >= 1 elements, in order; returns how many.
// Room for n + kSpareEnds is needed.
using FindEnds = std::size_t (*)(const char *a, const char *b, std::size_t n, std::uint32_t *ends);

constexpr std::size_t kSpareEnds = 64;

// The instance for two widths in bytes and for the vector instructions of this machine; there are sixteen for each kind,
// of a few hundred bytes of code.
// Tests choose narrow vectors: those of at most so many bytes.
FindEnds find_ends_for(int width_a, int width_b, int widest_vectors = 64);

template <int Width>
using LabelOfWidth = std::conditional_t<
    Width == 1, std::uint8_t,
    std::conditional_t<Width == 2, std::uint16_t, std::conditional_t<Width == 4, std::uint32_t, std::uint64_t>>>;

template <int Width>
inline LabelOfWidth<Width> label_at(const char *data, std::size_t index) {
    LabelOfWidth<Width> label;
    std::memcpy(&label, data + index * Width, Width);
    return label;
}

// An address past the end of an array is harmless, as it is only a hint.
template <int Bytes>
inline void fetch_ahead(const char *at, std::ptrdiff_t distance) {
    for (int line = 0; line < Bytes; line += 64) {
        prefetch_to_read(at + distance + line);
    }
}

// The ends among the first n - 1 elements of a short piece, one by one, and the last element, which always is one.
template <int WidthA, int WidthB>
inline std::size_t write_last_ends(const char *a, const char *b, std::size_t begin, std::size_t n,
                                   std::uint32_t *target) {
    std::size_t written = 0;
    for (std::size_t i = begin; i + 1 < n; ++i) {
        target[written] = static_cast<std::uint32_t>(i);
        written += label_at<WidthA>(a, i) != label_at<WidthA>(a, i + 1) ||
                   label_at<WidthB>(b, i) != label_at<WidthB>(b, i + 1);
    }
    target[written] = static_cast<std::uint32_t>(n - 1);
    return written + 1;
}

// FindEnds by vectors of one kind: `Vectors::ends64<WidthA, WidthB>(a, b)` has bit i set where element i ends a stretch, of
// 64, and reads one element more; `Vectors::write_ends(begin, mask, target)` writes `begin` plus the places of the bits
// and returns how many they are, and may write up to kSpareEnds numbers.
template <typename Vectors, int WidthA, int WidthB>
SEGMETRY_INLINE std::size_t find_ends_by(const char *a, const char *b, std::size_t n, std::uint32_t *ends) {
    static const std::ptrdiff_t distance = prefetch_distance();
    std::size_t i = 0, written = 0;
    for (; i + 64 < n; i += 64) {
        if (distance != 0) {
            fetch_ahead<64 * WidthA>(a + i * WidthA, distance);
            fetch_ahead<64 * WidthB>(b + i * WidthB, distance);
        }
        const std::uint64_t mask = Vectors::template ends64<WidthA, WidthB>(a + i * WidthA, b + i * WidthB);
        written += Vectors::write_ends(i, mask, ends + written);
    }
    if (n > 64 && i + 1 < n) {
        // The rest, by stepping back to a full vector and dropping the bits already seen.
        const std::size_t back = n - 65;
        const std::uint64_t mask = Vectors::template ends64<WidthA, WidthB>(a + back * WidthA, b + back * WidthB);
        written += Vectors::write_ends(i, mask >> (i - back), ends + written);
        i = n - 1;
    }
    return written + write_last_ends<WidthA, WidthB>(a, b, i, n, ends + written);
}

// Calls choose(width a, width b) with the widths as constants.
template <typename Choose, int WidthA>
inline auto for_second_width(Choose choose, std::integral_constant<int, WidthA> width_a, int width_b) {
    switch (width_b) {
        case 1: return choose(width_a, std::integral_constant<int, 1>{});
        case 2: return choose(width_a, std::integral_constant<int, 2>{});
        case 4: return choose(width_a, std::integral_constant<int, 4>{});
        default: return choose(width_a, std::integral_constant<int, 8>{});
    }
}

template <typename Choose>
inline auto for_widths(int width_a, int width_b, Choose choose) {
    switch (width_a) {
        case 1: return for_second_width(choose, std::integral_constant<int, 1>{}, width_b);
        case 2: return for_second_width(choose, std::integral_constant<int, 2>{}, width_b);
        case 4: return for_second_width(choose, std::integral_constant<int, 4>{}, width_b);
        default: return for_second_width(choose, std::integral_constant<int, 8>{}, width_b);
    }
}

#if defined(SEGMETRY_AVX2)
// The version of joint_ends_avx2.cpp, for machines where has_avx2().
FindEnds find_ends_avx2_for(int width_a, int width_b);
#endif

#if defined(SEGMETRY_AVX512)
// The version of joint_ends_avx512.cpp, for machines where has_avx512().
FindEnds find_ends_avx512_for(int width_a, int width_b);
#endif

}  // namespace segmetry
