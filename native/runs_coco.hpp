// Masks as runs, and the compressed run-length strings of COCO.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace segmetry {

// The runs of several masks, one after the other: mask m has the runs offsets[m] <= r < offsets[m + 1].
// Within a mask runs [starts[r], stops[r]) are sorted, not empty, and do not touch.
struct RunLists {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> stops;

    // Forget all masks, and the memory too if it is more than worth keeping.
    void clear() {
        constexpr std::size_t worth_keeping = std::size_t{1} << 17;
        if (starts.capacity() > worth_keeping) *this = RunLists();
        offsets.assign(1, 0);
        starts.clear();
        stops.clear();
    }
    // Room for more runs, in steps that double, so that many masks do not copy what is there each time.
    void reserve_more(std::size_t runs) {
        if (starts.capacity() - starts.size() >= runs) return;
        const std::size_t room = std::max(2 * starts.size(), starts.size() + runs);
        starts.reserve(room);
        stops.reserve(room);
    }
    // Append a run to the mask in progress; a run that touches the one before lengthens it.
    void add(std::int64_t start, std::int64_t stop) {
        if (start == stop) return;
        if (static_cast<std::int64_t>(stops.size()) > offsets.back() && stops.back() == start) {
            stops.back() = stop;
            return;
        }
        starts.push_back(start);
        stops.push_back(stop);
    }
    void end_mask() { offsets.push_back(static_cast<std::int64_t>(starts.size())); }
};

// The format: a number is a sequence of characters '0' + d with 0 <= d < 64, five bits each, lowest first. Bit 32 says
// that the number goes on, bit 16 of the last character is the sign. From the fourth count on, the difference to the
// count two before is written. Numbers of more than 12 characters and counts of 2^59 or more are refused as overflow.
constexpr std::int64_t kLargestCocoCount = (std::int64_t{1} << 59) - 1;

// The counts of one string; false if it is malformed. Python finds out why.
bool decode_coco_counts(std::string_view text, std::vector<std::int64_t> &counts);

// The string of some counts, each from 0 to kLargestCocoCount.
std::string encode_coco_counts(const std::int64_t *counts, std::size_t size);

// Append the runs of one string as a mask; false if it is malformed or does not describe `size` elements.
bool append_coco_mask(std::string_view text, std::int64_t size, RunLists &runs);

}  // namespace segmetry
