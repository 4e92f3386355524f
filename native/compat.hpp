// What compilers and systems name differently: counts of zero bits, byte order, wide products, prefetching, aligned memory.
//
// Everything here has a version in plain C++17, which -DSEGMETRY_PORTABLE selects on any machine, to test it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

#if defined(SEGMETRY_PORTABLE)
#elif defined(__GNUC__) || defined(__clang__)
#define SEGMETRY_GNU
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
#define SEGMETRY_MSVC
#include <intrin.h>
#endif

#if defined(_WIN32)
#include <malloc.h>
#endif

// SEGMETRY_INLINE: in front of a function that becomes part of its caller in any case, and then is compiled for the
// instructions that its caller may use.
#if defined(SEGMETRY_GNU)
#define SEGMETRY_INLINE inline __attribute__((always_inline))
#elif defined(SEGMETRY_MSVC)
#define SEGMETRY_INLINE __forceinline
#else
#define SEGMETRY_INLINE inline
#endif

// SEGMETRY_AVX2: the compiler can make code for AVX2 in a build for any x86-64. SEGMETRY_TARGET_AVX2 stands in front of
// every function that uses it, which may be called where has_avx2().
// Not with the GNU ABI of Windows, whose runtime library cannot say what the processor has.
#if defined(SEGMETRY_GNU) && defined(__x86_64__) && !defined(_WIN32)
#define SEGMETRY_AVX2
#define SEGMETRY_TARGET_AVX2 __attribute__((target("avx2,bmi,lzcnt,popcnt")))
#define SEGMETRY_AVX512
#define SEGMETRY_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,lzcnt,popcnt")))
#elif defined(SEGMETRY_MSVC) && defined(_M_X64)
#define SEGMETRY_AVX2
#define SEGMETRY_TARGET_AVX2
#endif

namespace segmetry {

inline bool is_big_endian() {
    const std::uint16_t one = 1;
    return *reinterpret_cast<const unsigned char *>(&one) == 0;
}

// How many zero bits are below the lowest one of `word`, which is not 0.
inline int trailing_zeros(std::uint64_t word) {
#if defined(SEGMETRY_GNU)
    return __builtin_ctzll(word);
#elif defined(SEGMETRY_MSVC)
    unsigned long place;
    _BitScanForward64(&place, word);
    return static_cast<int>(place);
#else
    int zeros = 0;
    for (int half = 32; half > 0; half /= 2) {
        if ((word & ((std::uint64_t{1} << half) - 1)) == 0) {
            zeros += half;
            word >>= half;
        }
    }
    return zeros;
#endif
}

inline int count_of_bits(std::uint64_t word) {
#if defined(SEGMETRY_GNU)
    return __builtin_popcountll(word);
#else
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return static_cast<int>(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
#endif
}

#if defined(SEGMETRY_AVX2)
// Whether this machine, and its system, run AVX2 and what every machine with AVX2 has: BMI, LZCNT and POPCNT.
inline bool has_avx2() {
#if defined(SEGMETRY_GNU)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
#else
    int leaf[4];
    __cpuid(leaf, 0);
    if (leaf[0] < 7) {
        return false;
    }
    __cpuid(leaf, 1);
    constexpr int saves_registers = 1 << 27, popcnt = 1 << 23;
    if ((leaf[2] & saves_registers) == 0 || (leaf[2] & popcnt) == 0 || (_xgetbv(0) & 6) != 6) {
        return false;
    }
    __cpuidex(leaf, 7, 0);
    constexpr int bmi = 1 << 3, avx2 = 1 << 5;
    return (leaf[1] & bmi) != 0 && (leaf[1] & avx2) != 0;
#endif
}
#endif

#if defined(SEGMETRY_AVX512)
// Whether this machine runs the AVX-512 of 2019 and later. On older ones vectors of 64 bytes slow the clock down.
inline bool has_avx512() {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

// How far ahead of two streams of memory, in bytes, it pays to prefetch; 0 if not at all. Most processors predict two
// streams at once poorly; AMD's since Zen 4 predict them well, and hints that reach further than 1 KiB make a scan of two
// arrays 1.4 times as slow.
inline std::ptrdiff_t prefetch_distance() {
#if defined(SEGMETRY_GNU) && defined(__x86_64__) && !defined(_WIN32)
    if (__builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f")) {
        return 0;
    }
#endif
    return 16384;
}

// How many bits are needed to write `largest`; 0 for 0.
inline int bits_of(std::uint64_t largest) {
#if defined(SEGMETRY_GNU)
    return largest == 0 ? 0 : 64 - __builtin_clzll(largest);
#elif defined(SEGMETRY_MSVC)
    unsigned long place;
    return _BitScanReverse64(&place, largest) ? static_cast<int>(place) + 1 : 0;
#else
    int bits = 0;
    for (int half = 32; half > 0; half /= 2) {
        if (largest >> half != 0) {
            bits += half;
            largest >>= half;
        }
    }
    return bits + (largest != 0);
#endif
}

// The bytes of an unsigned number in the other order. Compilers know this loop and make one instruction of it.
template <typename Unsigned>
inline Unsigned byte_swapped(Unsigned value) {
    Unsigned swapped = 0;
    for (std::size_t byte = 0; byte < sizeof(Unsigned); ++byte) {
        swapped = static_cast<Unsigned>(swapped << 8 | (value >> (8 * byte) & 0xff));
    }
    return swapped;
}

// Both halves of the product of 128 bits, one exclusive-or the other.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#if defined(SEGMETRY_GNU) && defined(__SIZEOF_INT128__)
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#elif defined(SEGMETRY_MSVC)
    return a * b ^ __umulh(a, b);
#else
    constexpr std::uint64_t low_half = 0xffffffffu;
    const std::uint64_t low = (a & low_half) * (b & low_half), middle = (a >> 32) * (b & low_half) + (low >> 32);
    const std::uint64_t other = (a & low_half) * (b >> 32) + (middle & low_half);
    return a * b ^ ((a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32));
#endif
}

// product = a * b; true if it does not fit.
inline bool product_overflows(std::size_t a, std::size_t b, std::size_t &product) {
    product = a * b;
    return a != 0 && b > std::numeric_limits<std::size_t>::max() / a;
}

// Hints that memory is read or written soon. The address may lie anywhere.
inline void prefetch_to_read(const void *address) {
#if defined(SEGMETRY_GNU)
    __builtin_prefetch(address, 0, 2);
#elif defined(SEGMETRY_MSVC) && defined(_M_X64)
    _mm_prefetch(static_cast<const char *>(address), _MM_HINT_T1);
#else
    static_cast<void>(address);
#endif
}

inline void prefetch_to_write(const void *address) {
#if defined(SEGMETRY_GNU)
    __builtin_prefetch(address, 1);
#elif defined(SEGMETRY_MSVC) && defined(_M_X64)
    _mm_prefetch(static_cast<const char *>(address), _MM_HINT_T0);
#else
    static_cast<void>(address);
#endif
}

// Memory at a multiple of `alignment`, a power of two, or null; `free_aligned` frees it.
inline void *allocate_aligned(std::size_t alignment, std::size_t bytes) {
#if defined(_WIN32)
    return _aligned_malloc(bytes, alignment);
#else
    void *memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
#endif
}

inline void free_aligned(void *memory) noexcept {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

}  // namespace segmetry
