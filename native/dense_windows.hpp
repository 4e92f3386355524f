// Sums over the windows of one line where boundaries are many: every window is visited, eight at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interrupts.hpp"

namespace segmetry {

inline constexpr std::size_t kWindowSums = 7;

// Whether a visit to every window is quicker than one to every stretch of equal windows; also, whether
// `add_dense_windows` can count them.
bool windows_are_dense(std::int64_t boundaries, std::int64_t windows, std::int64_t k);

// Adds the sums over the windows start <= i < stop, i < b <= i + k. The boundaries of each side ascend.
void add_dense_windows(const std::int64_t *true_first, const std::int64_t *true_last, const std::int64_t *pred_first,
                       const std::int64_t *pred_last, std::int64_t k, std::int64_t start, std::int64_t stop,
                       std::int64_t *sums, InterruptCheck &interrupts);

}  // namespace segmetry
