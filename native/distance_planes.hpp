// Smallest squares for places far from all others: passes over the planes of the grid, and then along the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "nearest_places.hpp"

namespace segmetry {

// `places` are in the order of the grid, so that those of a plane and those of a row follow each other. Vectors have at
// most `widest_vectors` bytes.
void measure_in_planes(const BitGrid &others, const SquaresOfSteps &squares, const std::vector<GridPlace> &places,
                       double *squared, int widest_vectors, InterruptCheck &interrupts);

}  // namespace segmetry
