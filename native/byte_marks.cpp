// Marks of bytes, 64 at a time; with vectors of 32 bytes where the machine has them.
#include "byte_marks.hpp"

#include <cstring>

#include "vectors.hpp"

#if defined(SEGMETRY_AVX2)
#include <immintrin.h>
#endif

namespace segmetry {

namespace {

// Which of 64 bytes are the same on both sides, one bit each.
#if defined(SEGMETRY_SSE2)

inline std::uint64_t equal_bytes(const unsigned char *x, const unsigned char *y) {
    std::uint64_t equal = 0;
    for (int part = 0; part < 4; ++part) {
        const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i *>(x + 16 * part));
        const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i *>(y + 16 * part));
        equal |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(a, b))) << 16 * part;
    }
    return equal;
}

#else

inline std::uint64_t equal_bytes(const unsigned char *x, const unsigned char *y) {
    if (std::memcmp(x, y, 64) == 0) {
        return ~std::uint64_t{0};
    }
    std::uint64_t equal = 0;
    for (int byte = 0; byte < 64; ++byte) {
        equal |= std::uint64_t{x[byte] == y[byte]} << byte;
    }
    return equal;
}

#endif

constexpr unsigned char kZeros[64] = {};

// The words of `count` blocks of 64 bytes of `x`, which differ from those of `y`, or from zeros where `y` is null.
void mark_plain(const unsigned char *x, const unsigned char *y, std::size_t count, std::uint64_t *words) {
    for (std::size_t block = 0; block < count; ++block) {
        words[block] = ~equal_bytes(x + 64 * block, y == nullptr ? kZeros : y + 64 * block);
    }
}

// Which of 64 words are not zero, one bit each.
std::uint64_t marked_words_plain(const std::uint64_t *words) {
    std::uint64_t marked = 0;
    for (int at = 0; at < 64; ++at) {
        marked |= std::uint64_t{words[at] != 0} << at;
    }
    return marked;
}

#if defined(SEGMETRY_AVX2)

SEGMETRY_TARGET_AVX2 inline std::uint64_t equal_bits(__m256i x, __m256i y) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)));
}

SEGMETRY_TARGET_AVX2 inline __m256i load(const void *x) { return _mm256_loadu_si256(static_cast<const __m256i *>(x)); }

SEGMETRY_TARGET_AVX2 void mark_avx2(const unsigned char *x, const unsigned char *y, std::size_t count,
                                    std::uint64_t *words) {
    if (y == nullptr) {
        const __m256i zero = _mm256_setzero_si256();
        for (std::size_t block = 0; block < count; ++block, x += 64) {
            words[block] = ~(equal_bits(load(x), zero) | equal_bits(load(x + 32), zero) << 32);
        }
        return;
    }
    for (std::size_t block = 0; block < count; ++block, x += 64, y += 64) {
        words[block] = ~(equal_bits(load(x), load(y)) | equal_bits(load(x + 32), load(y + 32)) << 32);
    }
}

SEGMETRY_TARGET_AVX2 std::uint64_t marked_words_avx2(const std::uint64_t *words) {
    const __m256i zero = _mm256_setzero_si256();
    std::uint64_t unmarked = 0;
    for (int at = 0; at < 64; at += 4) {
        const __m256i equal = _mm256_cmpeq_epi64(load(words + at), zero);
        unmarked |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(equal))) << at;
    }
    return ~unmarked;
}

const bool kHasAvx2 = has_avx2();
const auto kMark = kHasAvx2 ? mark_avx2 : mark_plain;
const auto kMarkedWords = kHasAvx2 ? marked_words_avx2 : marked_words_plain;

#else

constexpr auto kMark = mark_plain;
constexpr auto kMarkedWords = marked_words_plain;

#endif

}  // namespace

void ByteMarks::mark(const unsigned char *row, const unsigned char *other, std::size_t size) {
    const std::size_t full = size / 64;
    kMark(row, other, full, words_.data());
    unsigned char end[64] = {}, other_end[64] = {};
    std::memcpy(end, row + 64 * full, size % 64);
    if (other != nullptr) {
        std::memcpy(other_end, other + 64 * full, size % 64);
    }
    words_[full] = ~equal_bytes(end, other_end);
    size_ = size;
    n_groups_ = full / 64 + 1;
    for (std::size_t group = 0; group < n_groups_; ++group) {
        summary_[group] = kMarkedWords(words_.data() + 64 * group);
    }
}

}  // namespace segmetry
