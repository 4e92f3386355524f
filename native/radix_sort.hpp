// Sort 64-bit keys by some of their bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compat.hpp"
#include "interrupts.hpp"

namespace segmetry {

// Sort keys[0..n) by the bits low <= bit < high, where all higher bits are equal or ignored. Callers must not rely on
// the order of equal keys: lower bits are a payload. `spare` has room for n keys. The result is in `keys`.
void radix_sort(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int low, int high);
// The same for what may take long.
void radix_sort(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int low, int high,
                InterruptCheck &interrupts);

}  // namespace segmetry
