// Labels read from one or both sides of a pair of arrays, in the order-keeping form of Side::order_flip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs_spill.hpp"
#include "pairs_view.hpp"

namespace segmetry {

// The labels of dense elements at some indices.
void read_labels(const Side &side, const char *data, const std::uint32_t *indices, std::size_t count,
                 std::uint64_t *labels);

// Includes the labels of dense elements; those of bools are taken for both.
void widen_range(const Side &side, int which, const char *data, std::size_t count, LabelRange &range);

// Labels of some positions, the same of both sides, and how often the next position differs.
struct PairSample {
    std::vector<std::uint64_t> labels[2];
    std::size_t taken = 0;
    std::size_t changes = 0;

    // How many joint stretches so many positions have, roughly.
    std::size_t stretches_in(std::size_t positions) const {
        return static_cast<std::size_t>(static_cast<double>(positions) * (static_cast<double>(changes) + 1) /
                                        (static_cast<double>(taken) + 1));
    }
};

// Of positions all over begin <= position < end, of which there must be some.
PairSample sample_pairs(const PairView &view, std::size_t begin, std::size_t end);

// Of the stretches of a block, which end at ends[0], …
PairSample sample_block(const PairView &view, const char *const (&data)[2], const std::uint32_t *ends,
                        std::size_t stretches);

}  // namespace segmetry
