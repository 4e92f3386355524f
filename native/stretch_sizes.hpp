// The number of elements of every label of an array that is stored as stretches of equal labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "interrupts.hpp"
#include "label_index.hpp"

namespace segmetry {

// Pairs of a label and its number of elements.
using LabelSizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

// By ascending labels. `stretch(r)` is the pair (stop, label) of stretch r: where it ends and the next begins, from 0 on.
template <typename Stretch>
LabelSizes stretch_sizes(std::size_t count, const Stretch &stretch) {
    LabelIndex index;
    LabelSizes sizes;
    std::int64_t start = 0;
    InterruptCheck interrupts;
    for (std::size_t r = 0; r < count; ++r) {
        interrupts.look(1);
        const std::pair<std::int64_t, std::int64_t> next = stretch(r);
        check(next.first > start, "stops must rise from above zero");
        const auto at = static_cast<std::size_t>(index.find_or_add(static_cast<std::uint64_t>(next.second)));
        if (at == sizes.size()) {
            sizes.emplace_back(next.second, 0);
        }
        sizes[at].second += next.first - start;
        start = next.first;
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

}  // namespace segmetry
