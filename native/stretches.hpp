// Where stretches of equal elements end: elements are compared with the ones after them, a vector at a time.
//
// `stretch_length` asks for the next end in one array; `find_stretches` for all ends in a block of two arrays, where a
// joint stretch ends as soon as either array changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

// Bit i: the joint stretch of a and b ends at element i, because element i + 1 differs in a or in b.
template <int WidthA, int WidthB>
inline std::uint64_t ends64(const char *a, const char *b) {
    std::uint64_t same = 0;
    for (int part = 0; part < 4; ++part) {
        const unsigned joint = joint16<WidthA, WidthB>(a + part * 16 * WidthA, b + part * 16 * WidthB);
        same |= static_cast<std::uint64_t>(joint) << (16 * part);
    }
    return ~same;
}

// Hardware predicts two streams of memory at once poorly: prefetch what is read soon. An address past the end of an
// array is harmless, as it is only a hint.
template <int Bytes>
inline void fetch_ahead(const char *at) {
    constexpr int distance = 16384;
    for (int line = 0; line < Bytes; line += 64) {
        prefetch_to_read(at + distance + line);
    }
}

// Joint stretches as columns, in order of position: the index of the last element, and the labels of both sides.
struct StretchColumns {
    std::uint32_t *ends;
    std::uint64_t *labels[2];
};

template <int Width>
inline std::uint64_t label_at(const char *data, std::size_t index) {
    using Label = std::conditional_t<
        Width == 1, std::uint8_t,
        std::conditional_t<Width == 2, std::uint16_t, std::conditional_t<Width == 4, std::uint32_t, std::uint64_t>>>;
    Label label;
    std::memcpy(&label, data + index * Width, Width);
    return label;
}

// Appends stretches that end at given elements. Labels are fetched at once, while their line of memory is near.
template <int WidthA, int WidthB>
class StretchWriter {
  public:
    StretchWriter(const char *a, const char *b, const StretchColumns &stretches)
        : a_(a), b_(b), stretches_(stretches) {}

    std::size_t written() const { return written_; }
    void write(std::size_t end) { keep(end, true); }

    // Bit i of `mask`: a stretch ends at element begin + i. Mostly there are no, one or two bits, in no order that a branch
    // predictor could learn; so two are written in any case and kept if they are there.
    void write_bits(std::size_t begin, std::uint64_t mask) {
        if (mask == ~std::uint64_t{0}) {
            return write_every(begin);
        }
        constexpr std::uint64_t last = std::uint64_t{1} << 63;
        for (int bit = 0; bit < 2; ++bit, mask &= mask - 1) {
            keep(begin + static_cast<std::size_t>(trailing_zeros(mask | last)), mask != 0);
        }
        for (; mask != 0; mask &= mask - 1) {
            write(begin + static_cast<std::size_t>(trailing_zeros(mask)));
        }
    }

  private:
    void keep(std::size_t end, bool wanted) {
        stretches_.ends[written_] = static_cast<std::uint32_t>(end);
        stretches_.labels[0][written_] = label_at<WidthA>(a_, end);
        stretches_.labels[1][written_] = label_at<WidthB>(b_, end);
        written_ += wanted;
    }

    // 64 elements without any stretch: copied column by column, which needs no search.
    void write_every(std::size_t begin) {
        for (std::uint32_t k = 0; k < 64; ++k) {
            stretches_.ends[written_ + k] = static_cast<std::uint32_t>(begin) + k;
        }
        for (std::uint32_t k = 0; k < 64; ++k) {
            stretches_.labels[0][written_ + k] = label_at<WidthA>(a_, begin + k);
        }
        for (std::uint32_t k = 0; k < 64; ++k) {
            stretches_.labels[1][written_ + k] = label_at<WidthB>(b_, begin + k);
        }
        written_ += 64;
    }

    const char *a_;
    const char *b_;
    StretchColumns stretches_;
    std::size_t written_ = 0;
};

// Write the joint stretches among n >= 1 elements; returns how many. Room for n is needed.
template <int WidthA, int WidthB>
std::size_t find_stretches(const char *a, const char *b, std::size_t n, const StretchColumns &stretches) {
    StretchWriter<WidthA, WidthB> writer(a, b, stretches);
    std::size_t i = 0;
    for (; i + 64 < n; i += 64) {
        fetch_ahead<64 * WidthA>(a + i * WidthA);
        fetch_ahead<64 * WidthB>(b + i * WidthB);
        writer.write_bits(i, ends64<WidthA, WidthB>(a + i * WidthA, b + i * WidthB));
    }
    if (n > 64 && i + 1 < n) {
        // The rest, by stepping back to a full vector and dropping the bits already seen.
        const std::size_t back = n - 65;
        const std::uint64_t mask = ends64<WidthA, WidthB>(a + back * WidthA, b + back * WidthB);
        writer.write_bits(back, mask >> (i - back) << (i - back));
    } else {
        for (; i + 1 < n; ++i) {
            if (std::memcmp(a + i * WidthA, a + (i + 1) * WidthA, WidthA) != 0 ||
                std::memcmp(b + i * WidthB, b + (i + 1) * WidthB, WidthB) != 0) {
                writer.write(i);
            }
        }
    }
    writer.write(n - 1);
    return writer.written();
}

using FindStretches = std::size_t (*)(const char *, const char *, std::size_t, const StretchColumns &);

// The instance for two widths in bytes; there are sixteen, each a few hundred bytes of code.
FindStretches find_stretches_for(int width_a, int width_b);

}  // namespace segmetry
