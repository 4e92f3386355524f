// Intersections and unions of masks by sweeping over their stretches; no pixels are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs_table.hpp"
#include "run_length_coco.hpp"

namespace segmetry {

// A view of stretches in memory owned elsewhere, in the layout of RunLengthLists. The offsets are a copy, for they are
// places in memory: another thread may change what is owned elsewhere.
struct RunLengthView {
    std::vector<std::int64_t> offsets;
    const std::int64_t *starts;
    const std::int64_t *stops;
    std::size_t masks;
    std::size_t stretches;
};

// All pairs of masks (a, b) that share elements, with the number of shared elements, sorted by (a, b).
std::vector<PairCount> intersect_run_lengths(const RunLengthView &a, const RunLengthView &b,
                                             InterruptCheck &interrupts);

// The union of all masks, as the only mask of the result.
RunLengthLists union_run_lengths(const RunLengthView &view, InterruptCheck &interrupts);

// The number of elements of every mask.
std::vector<std::int64_t> mask_sizes(const RunLengthView &view, InterruptCheck &interrupts);

// Do any two masks share an element?
bool masks_overlap(const RunLengthView &view, InterruptCheck &interrupts);

}  // namespace segmetry
