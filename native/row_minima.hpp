// Loops over rows of numbers for the smallest sums, compiled for the vectors that the machine has.
#pragma once

#include <cstddef>

namespace segmetry {

struct RowMinima {
    // sums[i] = min(sums[i], others[i] + square)
    void (*lower)(double *sums, const double *others, double square, std::size_t n);
    // The smallest x[i] + y[i]; infinite for n = 0.
    double (*lowest_sum)(const double *x, const double *y, std::size_t n);
    // The smallest x[i]; infinite for n = 0.
    double (*lowest)(const double *x, std::size_t n);
};

const RowMinima &row_minima(int widest_vectors);

}  // namespace segmetry
