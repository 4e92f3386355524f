// Reading memory as fast as it can be read: the yardstick of the benchmark.
#pragma once

#include <cstddef>
#include <cstdint>

namespace segmetry {

// The sum of the 64-bit words of all whole lines of 64 bytes, and of the bytes after them, with the widest vectors that the kernels use.
std::uint64_t sum_of_words(const char *data, std::size_t bytes);

}  // namespace segmetry
