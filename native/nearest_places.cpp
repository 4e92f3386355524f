#include "nearest_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace segmetry {

namespace {

// Measured: looking at a row or at the bounds of a block costs less than an element of the passes over all planes.
constexpr std::int64_t kWorkPerElement = 32;
constexpr std::int64_t kLeastWork = 1 << 16;
constexpr std::int64_t kBlockRows = 4;
// Half the window of bits around a place.
constexpr std::int64_t kReach = 32;
// Rows up to so many steps away are visited in order; along one axis alone, and along each of two.
constexpr std::int64_t kStepsOfOneAxis = 48, kStepsOfTwoAxes = 5;

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

}  // namespace

NearestPlaces::NearestPlaces(const BitGrid &others, const SquaresOfSteps &squares)
    : others_(others), squares_(squares), size_(others.size()) {
    if (size_[2] > kReach) {
        beyond_window_ = squares_[2][kReach];
    }
    sort_offsets();
}

// All steps along the first two axes with a sum of squares below `complete_`, by ascending sum.
void NearestPlaces::sort_offsets() {
    const bool has_two = size_[0] > 1 && size_[1] > 1;
    std::array<std::int64_t, 2> steps{};
    for (int axis = 0; axis < 2; ++axis) {
        steps[axis] = std::min(size_[axis] - 1, has_two ? kStepsOfTwoAxes : kStepsOfOneAxis);
        complete_ = std::min(complete_, squares_[axis][steps[axis] + 1]);
    }
    for (std::int32_t first = 0; first <= steps[0]; ++first) {
        for (std::int32_t second = 0; second <= steps[1]; ++second) {
            const double squared = squares_[0][first] + squares_[1][second];
            if (squared < complete_ || (first == 0 && second == 0)) {
                offsets_.push_back({squared, first, second});
            }
        }
    }
    std::sort(offsets_.begin(), offsets_.end(), [](const Offset &a, const Offset &b) {
        return std::tie(a.squared, a.first, a.second) < std::tie(b.squared, b.first, b.second);
    });
}

std::vector<GridPlace> NearestPlaces::measure(const BitGrid &places, double *squared, InterruptCheck &interrupts) {
    const std::int64_t most_work = kLeastWork + kWorkPerElement * others_.elements();
    std::vector<GridPlace> open;
    std::int64_t at = 0;
    double last = 0;
    places.for_each([&](std::int64_t first, std::int64_t second, std::int64_t third) {
        const GridPlace place{static_cast<std::int32_t>(first), static_cast<std::int32_t>(second),
                              static_cast<std::int32_t>(third), at};
        const std::int64_t before = work_;
        double best = kFar;
        // Neighbours are about as far away: where the rows around the last place were not enough, they are left out.
        const bool is_settled = last <= complete_ && search_rows(place, best);
        if (!is_settled && work_ < most_work) {
            if (!has_blocks_) {
                find_blocks(interrupts);
            }
            search_blocks(place, best);
        } else if (!is_settled) {
            open.push_back(place);
        }
        squared[at++] = last = best;
        interrupts.look(static_cast<std::size_t>(1 + work_ - before));
    });
    return open;
}

// Whether the rows visited settle the place.
bool NearestPlaces::search_rows(const GridPlace &place, double &best) {
    const std::int64_t stride = others_.words() + 2;
    const std::uint64_t *const own = others_.row(place.first, place.second);
    std::int64_t visited = 0;
    bool is_settled = false;
    for (const Offset &offset : offsets_) {
        if (offset.squared >= best) {
            is_settled = true;
            break;
        }
        ++visited;
        for (int way = offset.first == 0 ? 1 : 0; way < 2; ++way) {
            const std::int64_t first = way == 0 ? -offset.first : offset.first;
            if (place.first + first < 0 || place.first + first >= size_[0]) {
                continue;
            }
            for (int turn = offset.second == 0 ? 1 : 0; turn < 2; ++turn) {
                const std::int64_t second = turn == 0 ? -offset.second : offset.second;
                if (place.second + second >= 0 && place.second + second < size_[1]) {
                    search_row(own + (first * size_[1] + second) * stride, place.third, offset.squared, best);
                }
            }
        }
    }
    work_ += visited;
    return is_settled || best <= complete_;
}

void NearestPlaces::search_row(const std::uint64_t *row, std::int64_t third, double offset, double &best) const {
    const std::int64_t start = third + 64 - kReach, shift = start & 63;
    const std::uint64_t *const words = row - 1 + start / 64;
    const std::uint64_t window = shift == 0 ? words[0] : words[0] >> shift | words[1] << (64 - shift);
    if (window != 0) {
        best = std::min(best, offset + squares_[2][steps_in_window(window)]);
    } else if (offset + beyond_window_ < best) {
        search_far_in_row(row, third, offset, best);
    }
}

// No place is in the window: the words outwards, from those at its ends.
void NearestPlaces::search_far_in_row(const std::uint64_t *row, std::int64_t third, double offset, double &best) const {
    const double *const along = squares_[2].data();
    const std::int64_t own = third / 64;
    for (std::int64_t word = own; word < others_.words(); ++word) {
        if (offset + along[std::max(std::int64_t{0}, 64 * word - third)] >= best) {
            break;
        }
        if (row[word] != 0) {
            best = std::min(best, offset + along[steps_to(row[word], third - 64 * word)]);
            if (word > own) {
                break;
            }
        }
    }
    for (std::int64_t word = own - 1; word >= 0; --word) {
        if (offset + along[third - (64 * word + 63)] >= best) {
            break;
        }
        if (row[word] != 0) {
            best = std::min(best, offset + along[steps_to(row[word], third - 64 * word)]);
            break;
        }
    }
}

void NearestPlaces::find_blocks(InterruptCheck &interrupts) {
    has_blocks_ = true;
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
