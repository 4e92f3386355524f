#include "read_sum.hpp"

#include <cstring>

#include "compat.hpp"

#if defined(SEGMETRY_AVX2)
#include <immintrin.h>
#endif

namespace segmetry {

namespace {

std::uint64_t sum_of_lines(const char *data, std::size_t lines) {
    std::uint64_t sum[8] = {};
    for (; lines > 0; --lines, data += sizeof(sum)) {
        std::uint64_t words[8];
        std::memcpy(words, data, sizeof(words));
        for (int i = 0; i < 8; ++i) {
            sum[i] += words[i];
        }
    }
    std::uint64_t total = 0;
    for (const std::uint64_t part : sum) {
        total += part;
    }
    return total;
}

#if defined(SEGMETRY_AVX2)

SEGMETRY_TARGET_AVX2 std::uint64_t sum_of_lines_avx2(const char *data, std::size_t lines) {
    __m256i sum[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
    for (; lines >= 2; lines -= 2, data += 128) {
        for (int i = 0; i < 4; ++i) {
            const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(data + 32 * i));
            sum[i] = _mm256_add_epi64(sum[i], words);
        }
    }
    std::uint64_t parts[4];
    const __m256i total = _mm256_add_epi64(_mm256_add_epi64(sum[0], sum[1]), _mm256_add_epi64(sum[2], sum[3]));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(parts), total);
    return parts[0] + parts[1] + parts[2] + parts[3] + sum_of_lines(data, lines);
}

#endif

}  // namespace

std::uint64_t sum_of_words(const char *data, std::size_t bytes) {
    const std::size_t lines = bytes / 64;
#if defined(SEGMETRY_AVX2)
    static const bool avx2 = has_avx2();
    std::uint64_t total = avx2 ? sum_of_lines_avx2(data, lines) : sum_of_lines(data, lines);
#else
    std::uint64_t total = sum_of_lines(data, lines);
#endif
    for (std::size_t at = lines * 64; at < bytes; ++at) {
        total += static_cast<unsigned char>(data[at]);
    }
    return total;
}

}  // namespace segmetry
