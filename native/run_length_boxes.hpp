// Intersections of masks, pair by pair, for those pairs whose boxes meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run_length_sweep.hpp"

namespace segmetry {

// The same rows as intersect_run_lengths, or nothing if that would take more than `most_steps` steps, as it does where most
// masks meet most others. `line` is the length of the lines that the domain consists of, 0 if it has none: masks in the
// same lines but at different places of them are then skipped without reading their stretches.
std::optional<std::vector<PairCount>> intersect_boxes(const RunLengthView &a, const RunLengthView &b, std::int64_t line,
                                                      std::size_t most_steps);

}  // namespace segmetry
