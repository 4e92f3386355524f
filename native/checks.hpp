// Checks of what Python passes: dtypes, numbers of axes and contiguity are checked by the types of the arguments
// (TypeError), shapes and ranges here (ValueError).
#pragma once

#include <cstddef>
#include <stdexcept>

namespace segmetry {

inline void check(bool holds, const char *message) {
    if (!holds) {
        throw std::invalid_argument(message);
    }
}

// Two passes over an argument did not find the same.
inline constexpr const char *kChanged = "an array was changed while it was read";

template <typename ArrayA, typename ArrayB>
void check_same_shape(const ArrayA &a, const ArrayB &b, const char *message) {
    for (std::size_t axis = 0; axis < a.ndim(); ++axis) {
        check(a.shape(axis) == b.shape(axis), message);
    }
}

}  // namespace segmetry
