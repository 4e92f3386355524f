// Intersections and unions of masks by sweeping over their runs; pixels are never made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs_table.hpp"
#include "run_length_coco.hpp"

namespace segmetry {

// Runs that somebody else owns, in the layout of RunLists.
struct RunView {
    const std::int64_t *offsets;
    const std::int64_t *starts;
    const std::int64_t *stops;
    std::size_t masks;
    std::size_t runs;
};

// All pairs of masks (a, b) that share elements, with the number of shared elements, sorted by (a, b).
std::vector<PairCount> intersect_runs(const RunView &a, const RunView &b);

// The union of all masks, as the only mask of the result.
RunLists union_runs(const RunView &view);

// The number of elements of every mask.
std::vector<std::int64_t> mask_sizes(const RunView &view);

// Do any two masks share an element?
bool masks_overlap(const RunView &view);

}  // namespace segmetry
