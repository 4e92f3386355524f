// Masks as stretches, and the compressed run-length strings of COCO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interrupts.hpp"

namespace segmetry {

// The stretches of several masks, one after the other: mask m has the stretches offsets[m] <= r < offsets[m + 1].
// Within a mask stretches [starts[r], stops[r]) are sorted, not empty, and do not touch.
struct RunLengthLists {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> stops;

    // Append a stretch to the mask in progress; a stretch that touches the one before lengthens it.
    void add(std::int64_t start, std::int64_t stop) {
        if (start == stop) {
            return;
        }
        if (static_cast<std::int64_t>(stops.size()) > offsets.back() && stops.back() == start) {
            stops.back() = stop;
            return;
        }
        starts.push_back(start);
        stops.push_back(stop);
    }
    void end_mask() { offsets.push_back(static_cast<std::int64_t>(starts.size())); }
};

// The format: a number is a sequence of characters '0' + d with 0 <= d < 64, five bits each, lowest first. Bit 32 means
// that the number continues, bit 16 of the last character is the sign. From the fourth count on, the difference to the
// count two before is written. Numbers of more than 12 characters and counts of 2^59 or more are refused as overflow.
constexpr std::int64_t kLargestCocoCount = (std::int64_t{1} << 59) - 1;

// How many numbers a string contains; nothing if it has foreign characters or ends inside a number.
std::optional<std::size_t> survey_coco(std::string_view text, InterruptCheck &interrupts);

// The counts of one string; false if it is malformed; Python then reports why.
bool decode_coco_counts(std::string_view text, std::vector<std::int64_t> &counts, InterruptCheck &interrupts);

// The stretches of the mask in a string with so many `numbers`, as surveyed, and how many stretches there are; nothing if it is
// malformed or does not describe `size` elements. There must be room for numbers / 2 + 1 starts and numbers / 2 stops.
std::optional<std::size_t> decode_coco_mask(std::string_view text, std::size_t numbers, std::int64_t size,
                                            std::int64_t *starts, std::int64_t *stops, InterruptCheck &interrupts);

}  // namespace segmetry
