// Where stretches of equal elements end: elements are compared with the ones after them, a vector at a time.
//
// `stretch_length` asks for the next end in one array; joint_ends.hpp for all ends in a block of two arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "compat.hpp"
#include "vectors.hpp"

namespace segmetry {

#if defined(SEGMETRY_SSE2)

// One vector compared with the vector one element further on: all ones or zeros per 1, 2 or 4 bytes. Elements of 3 bytes
// are compared byte by byte, and those of 8 by halves.
template <int Width>
inline __m128i equal_lanes(const char *x, int vector) {
    const char *at = x + 16 * vector;
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
    const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at + Width));
    if constexpr (Width == 1 || Width == 3) {
        return _mm_cmpeq_epi8(here, next);
    }
    if constexpr (Width == 2) {
        return _mm_cmpeq_epi16(here, next);
    }
    return _mm_cmpeq_epi32(here, next);
}

// How many of 64 bytes, from the first on, belong to elements that are equal to the next; 64 + Width bytes are read.
// The answer is right up to the first element that differs, of which some bytes may be counted.
template <int Width>
inline std::size_t equal_of_64(const char *x) {
    const __m128i part[4] = {equal_lanes<Width>(x, 0), equal_lanes<Width>(x, 1), equal_lanes<Width>(x, 2),
                             equal_lanes<Width>(x, 3)};
    const __m128i all = _mm_and_si128(_mm_and_si128(part[0], part[1]), _mm_and_si128(part[2], part[3]));
    if (_mm_movemask_epi8(all) == 0xffff) {
        return 64;
    }
    std::uint64_t equal = 0;
    for (int i = 0; i < 4; ++i) {
        equal |= static_cast<std::uint64_t>(_mm_movemask_epi8(part[i])) << 16 * i;
    }
    return static_cast<std::size_t>(trailing_zeros(~equal));
}

#else

template <int Width>
inline std::size_t equal_of_64(const char *x) {
    std::uint64_t here[8], next[8], difference = 0;
    std::memcpy(here, x, sizeof(here));
    std::memcpy(next, x + Width, sizeof(next));
    for (int i = 0; i < 8; ++i) {
        difference |= here[i] ^ next[i];
    }
    if (difference == 0) {
        return 64;
    }
    std::size_t at = 0;
    while (here[at] == next[at]) {
        ++at;
    }
    for (at *= 8; x[at] == x[at + Width];) {
        ++at;
    }
    return at;
}

#endif

// How many of `count` >= 1 elements, from the first on, are equal to the first. What follows them up to `readable`
// elements is read too, which avoids comparing the last ones one by one.
template <int Width>
inline std::size_t stretch_length(const void *elements, std::size_t count, std::size_t readable) {
    const char *const x = static_cast<const char *>(elements);
    const std::size_t size = Width * (count - 1);  // bytes of elements that have a next one
    std::size_t at = 0;
    for (; at < size && at + 64 + Width <= Width * readable; at += 64) {
        const std::size_t equal = equal_of_64<Width>(x + at);
        if (equal < 64) {
            return 1 + std::min(size, at + equal) / Width;
        }
    }
    for (std::uint64_t here, next; at + sizeof(here) <= size; at += sizeof(here)) {
        std::memcpy(&here, x + at, sizeof(here));
        std::memcpy(&next, x + at + Width, sizeof(next));
        if (here != next) {
            break;
        }
    }
    while (at < size && x[at] == x[at + Width]) {
        ++at;
    }
    return 1 + std::min(at, size) / Width;
}

// The end (exclusive) of the stretch of equal labels that begins at `start`.
template <typename Label>
inline std::int64_t stretch_end(const Label *row, std::int64_t start, std::int64_t length) {
    if (start + 1 < length && row[start + 1] != row[start]) {
        return start + 1;
    }
    const auto left = static_cast<std::size_t>(length - start);
    return start + static_cast<std::int64_t>(stretch_length<sizeof(Label)>(row + start, left, left));
}

}  // namespace segmetry
