#include "radix_sort.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace segmetry {

namespace {

constexpr std::size_t kInsertion = 24;
constexpr std::size_t kCached = 2048;  // keys and spare together fit into a first-level cache of 32 KiB

std::uint64_t field(std::uint64_t key, int low, int count) { return key >> low & ((std::uint64_t{1} << count) - 1); }

void insertion_sort(std::uint64_t *keys, std::size_t n, int low) {
    for (std::size_t i = 1; i < n; ++i) {
        const std::uint64_t key = keys[i];
        std::size_t j = i;
        for (; j > 0 && keys[j - 1] >> low > key >> low; --j) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

// Move keys to `target`, ordered by one field. `next` counts how many keys have each value; it is used up.
void scatter(const std::uint64_t *keys, std::uint64_t *target, std::size_t n, int low, int count, std::uint32_t *next) {
    std::uint32_t sum = 0;
    for (std::size_t value = 0; value < std::size_t{1} << count; ++value) sum += std::exchange(next[value], sum);
    for (std::size_t i = 0; i < n; ++i) target[next[field(keys[i], low, count)]++] = keys[i];
}

// Least significant field first, eight bits at a time; for keys that stay in the first-level cache.
void sort_cached(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int low, int high) {
    std::uint64_t *from = keys;
    std::uint64_t *to = spare;
    for (int at = low; at < high; at += 8) {
        const int count = std::min(8, high - at);
        std::array<std::uint32_t, 256> next{};
        for (std::size_t i = 0; i < n; ++i) ++next[field(from[i], at, count)];
        if (next[field(from[0], at, count)] == n) continue;  // all equal here
        scatter(from, to, n, at, count, next.data());
        std::swap(from, to);
    }
    if (from != keys) std::memcpy(keys, from, n * sizeof(std::uint64_t));
}

}  // namespace

void radix_sort(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int low, int high) {
    if (n <= kInsertion) return insertion_sort(keys, n, low);
    if (n <= kCached || high - low <= 8) return sort_cached(keys, spare, n, low, high);
    // Most significant field first until the parts fit into the cache.
    const int count = std::min(high - low, std::clamp(bits_of(n) - 10, 6, 11));
    const int at = high - count;
    std::vector<std::uint32_t> next(std::size_t{1} << count);
    for (std::size_t i = 0; i < n; ++i) ++next[field(keys[i], at, count)];
    if (next[field(keys[0], at, count)] == n) return radix_sort(keys, spare, n, low, at);
    scatter(keys, spare, n, at, count, next.data());
    std::size_t begin = 0;
    for (const std::uint32_t end : next) {  // scatter left the end of every part
        radix_sort(spare + begin, keys + begin, end - begin, low, at);
        begin = end;
    }
    std::memcpy(keys, spare, n * sizeof(std::uint64_t));
}

}  // namespace segmetry
