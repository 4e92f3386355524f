#include "nearest_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace segmetry {

namespace {

// Estimates, not tuned: looking at the bounds of a block costs about as much as an element of the passes over all planes,
// and a place that is searched in blocks as much as so many elements. Results do not depend on them.
constexpr std::int64_t kWorkPerElement = 1, kElementsPerPlace = 64;
constexpr std::int64_t kLeastWork = 1 << 12;
constexpr std::int64_t kBlockRows = 4;
// Half the window of bits around a place.
constexpr std::int64_t kReach = 32;
// Rows up to so many steps away are visited in order; along one axis alone, and along each of two.
constexpr std::int64_t kStepsOfOneAxis = 48, kStepsOfTwoAxes = 4;
// So many places after one that is far from all others are taken to be far, too, at the most.
constexpr std::int64_t kMostLeftOut = 15;

// Steps from the nearest set bit below the lowest or above the highest of a word to the bit `at`, or between them.
std::int64_t steps_to(std::uint64_t word, std::int64_t at) {
    if (at < 0) {
        return trailing_zeros(word) - at;
    }
    if (at > 63) {
        return at - (bits_of(word) - 1);
    }
    const std::uint64_t above = word >> at, below = word << (63 - at);
    const std::int64_t up = above == 0 ? 64 : trailing_zeros(above);
    const std::int64_t down = below == 0 ? 64 : 64 - bits_of(below);
    return std::min(up, down);
}

// The same for the middle of a window, without branches: a bit beyond each end stands for "none on this side".
std::int64_t steps_in_window(std::uint64_t window) {
    const std::int64_t up = trailing_zeros(window >> kReach | std::uint64_t{1} << kReach);
    const std::int64_t down = 64 - bits_of(window << (63 - kReach) | std::uint64_t{1} << (62 - kReach));
    return std::min(up, down);
}

std::array<std::int64_t, 2> reach_in(const std::array<std::int64_t, 3> &size) {
    const std::int64_t most = size[0] > 1 && size[1] > 1 ? kStepsOfTwoAxes : kStepsOfOneAxis;
    return {std::min(size[0] - 1, most), std::min(size[1] - 1, most)};
}

}  // namespace

NearestPlaces::NearestPlaces(const BitGrid &others, const SquaresOfSteps &squares, InterruptCheck &interrupts)
    : squares_(squares),
      size_(others.size()),
      reach_(reach_in(others.size())),
      others_(others.with_margin(reach_, interrupts)) {
    for (std::int64_t steps = 0; steps < kReach; ++steps) {
        in_window_.push_back(squares_[2][std::min(steps, size_[2])]);
    }
    in_window_.push_back(kFar);
    settled_ = squares_[2][std::min(kReach, size_[2])];
    sort_offsets();
}

// All steps along the first two axes with a sum of squares below that of the nearest row that is not visited.
void NearestPlaces::sort_offsets() {
    double complete = kFar;
    for (int axis = 0; axis < 2; ++axis) {
        complete = std::min(complete, squares_[axis][reach_[axis] + 1]);
    }
    const auto steps = others_.steps();
    for (std::int64_t first = -reach_[0]; first <= reach_[0]; ++first) {
        for (std::int64_t second = -reach_[1]; second <= reach_[1]; ++second) {
            const double squared = squares_[0][std::abs(first)] + squares_[1][std::abs(second)];
            if (squared < complete || (first == 0 && second == 0)) {
                offsets_.push_back({squared, first * steps[0] + second * steps[1]});
            }
        }
    }
    std::sort(offsets_.begin(), offsets_.end(), [](const Offset &a, const Offset &b) {
        return std::tie(a.squared, a.words) < std::tie(b.squared, b.words);
    });
    settled_ = std::min(settled_, complete);
}

std::vector<GridPlace> NearestPlaces::measure(const BitGrid &places, double *squared, InterruptCheck &interrupts) {
    std::vector<GridPlace> far = search_rows(places, squared, interrupts);
    const std::int64_t elements = others_.elements();
    if (far.empty() || static_cast<std::int64_t>(far.size()) > elements / kElementsPerPlace) {
        return far;
    }
    find_blocks(interrupts);
    const std::int64_t most_work = kLeastWork + kWorkPerElement * elements;
    auto next = far.begin();
    for (; next != far.end() && work_ < most_work; ++next) {
        const std::int64_t before = work_;
        double best = kFar;
        search_blocks(*next, best);
        squared[next->at] = best;
        interrupts.look(static_cast<std::size_t>(1 + work_ - before));
    }
    return {next, far.end()};
}

// The places that the rows around them do not settle. Neighbours are about as far away: after such a place some are left
// out, and more after each further one.
std::vector<GridPlace> NearestPlaces::search_rows(const BitGrid &places, double *squared,
                                                  InterruptCheck &interrupts) const {
    std::vector<GridPlace> far;
    std::int64_t at = 0, left_out = 0, to_leave_out = 0;
    places.for_each([&](std::int64_t first, std::int64_t second, std::int64_t third) {
        const GridPlace place{static_cast<std::int32_t>(first), static_cast<std::int32_t>(second),
                              static_cast<std::int32_t>(third), at++};
        if (left_out < to_leave_out) {
            ++left_out;
            far.push_back(place);
            return;
        }
        std::size_t visited = 0;
        const double best = search_rows_around(place, visited);
        interrupts.look(1 + visited);
        left_out = 0;
        if (best <= settled_) {
            squared[place.at] = best;
            to_leave_out = 0;
        } else {
            far.push_back(place);
            to_leave_out = std::min(2 * to_leave_out + 1, kMostLeftOut);
        }
    });
    return far;
}

// The smallest sum within the windows of the rows around a place: if it is at most `settled_`, of all places.
double NearestPlaces::search_rows_around(const GridPlace &place, std::size_t &visited) const {
    const std::int64_t start = place.third + 64 - kReach, shift = start & 63;
    const std::uint64_t *const own = others_.row(place.first, place.second) - 1 + start / 64;
    const double *const along = in_window_.data();
    double best = kFar;
    for (const Offset &offset : offsets_) {
        if (offset.squared >= best) {
            break;
        }
        ++visited;
        const std::uint64_t *const words = own + offset.words;
        const std::uint64_t window = words[0] >> shift | words[1] << 1 << (63 - shift);
        best = std::min(best, offset.squared + along[steps_in_window(window)]);
    }
    return best;
}

void NearestPlaces::find_blocks(InterruptCheck &interrupts) {
    const std::int64_t words = others_.words(), columns = (size_[1] + kBlockRows - 1) / kBlockRows;
    const std::int64_t planes = (size_[0] + kBlockRows - 1) / kBlockRows;
    block_at_.assign(static_cast<std::size_t>(planes * columns * words), -1);
    for (std::int64_t first = 0; first < size_[0]; ++first) {
        for (std::int64_t second = 0; second < size_[1]; ++second) {
            interrupts.look(static_cast<std::size_t>(words));
            const std::uint64_t *const row = others_.row(first, second);
            for (std::int64_t word = 0; word < words; ++word) {
                if (row[word] == 0) {
                    continue;
                }
                const std::array<std::int32_t, 2> here{static_cast<std::int32_t>(first),
                                                       static_cast<std::int32_t>(second)};
                std::int64_t &at = block_at_[(first / kBlockRows * columns + second / kBlockRows) * words + word];
                if (at < 0) {
                    at = static_cast<std::int64_t>(blocks_.size());
                    blocks_.push_back({here, here, static_cast<std::int32_t>(word), 0});
                }
                Block &block = blocks_[at];
                block.places |= row[word];
                for (int axis = 0; axis < 2; ++axis) {
                    block.low[axis] = std::min(block.low[axis], here[axis]);
                    block.high[axis] = std::max(block.high[axis], here[axis]);
                }
            }
        }
    }
}

bool NearestPlaces::may_be_nearer(const Block &block, const GridPlace &place, double best) const {
    const auto steps = [&](int axis, std::int32_t at) {
        return std::max({block.low[axis] - at, at - block.high[axis], std::int32_t{0}});
    };
    const double offset = squares_[0][steps(0, place.first)] + squares_[1][steps(1, place.second)];
    return offset < best &&
           offset + squares_[2][steps_to(block.places, place.third - std::int64_t{64} * block.word)] < best;
}

void NearestPlaces::search_blocks(const GridPlace &place, double &best) {
    if (blocks_.empty()) {
        return;
    }
    search_block(blocks_[last_block_], place, best);
    // The groups of rows and the words within the box around the best sum.
    const std::array<std::int64_t, 3> here{place.first, place.second, place.third}, lengths{kBlockRows, kBlockRows, 64};
    std::array<std::int64_t, 3> low{}, high{};
    std::int64_t in_box = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const auto &squares = squares_[axis];
        const std::int64_t steps = std::lower_bound(squares.begin(), squares.end(), best) - squares.begin();
        low[axis] = std::max(std::int64_t{0}, here[axis] - steps) / lengths[axis];
        high[axis] = std::min(size_[axis] - 1, here[axis] + steps) / lengths[axis];
        in_box *= high[axis] - low[axis] + 1;
    }
    const auto all = static_cast<std::int64_t>(blocks_.size());
    work_ += std::min(in_box, all);
    if (in_box >= all) {
        for (std::int64_t at = 0; at < all; ++at) {
            search_if_nearer(at, place, best);
        }
        return;
    }
    const std::int64_t words = others_.words(), columns = (size_[1] + kBlockRows - 1) / kBlockRows;
    for (std::int64_t plane = low[0]; plane <= high[0]; ++plane) {
        for (std::int64_t column = low[1]; column <= high[1]; ++column) {
            for (std::int64_t word = low[2]; word <= high[2]; ++word) {
                const std::int64_t at = block_at_[(plane * columns + column) * words + word];
                if (at >= 0) {
                    search_if_nearer(at, place, best);
                }
            }
        }
    }
}

void NearestPlaces::search_if_nearer(std::int64_t at, const GridPlace &place, double &best) {
    if (may_be_nearer(blocks_[at], place, best) && search_block(blocks_[at], place, best)) {
        last_block_ = static_cast<std::size_t>(at);
    }
}

// Whether the block has a nearer place.
bool NearestPlaces::search_block(const Block &block, const GridPlace &place, double &best) {
    const double *const along = squares_[2].data();
    const std::int64_t at = place.third - std::int64_t{64} * block.word;
    const double before = best;
    work_ += kBlockRows * (block.high[0] - block.low[0] + 1);
    for (std::int32_t first = block.low[0]; first <= block.high[0]; ++first) {
        const double square = squares_[0][std::abs(first - place.first)];
        for (std::int32_t second = block.low[1]; second <= block.high[1]; ++second) {
            const double offset = square + squares_[1][std::abs(second - place.second)];
            const std::uint64_t word = others_.row(first, second)[block.word];
            if (word != 0 && offset < best) {
                best = std::min(best, offset + along[steps_to(word, at)]);
            }
        }
    }
    return best < before;
}

}  // namespace segmetry
