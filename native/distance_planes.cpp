// The smallest first² + second² of each row by a pass over its plane, and then the smallest sum along the row. Rounding
// is monotone, so the smallest rounded sum is found axis by axis in the order of the sum.
#include "distance_planes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace segmetry {

namespace {

constexpr std::int64_t kBlock = 16;

class Planes {
  public:
    Planes(const BitGrid &others, const SquaresOfSteps &squares, InterruptCheck &interrupts)
        : others_(others), squares_(squares), size_(others.size()), interrupts_(interrupts) {
        steps_.resize(static_cast<std::size_t>(others.elements()));
        count_steps_between_planes();
    }

    void search_planes(const std::vector<GridPlace> &places, double *squared) {
        const std::int64_t rows = size_[1], length = size_[2];
        std::vector<double> plane(rows * length), lowest(rows);
        PlaneRow row{std::vector<double>(length), std::vector<double>((length + kBlock - 1) / kBlock)};
        std::int64_t last_plane = -1, last_row = -1;
        for (const GridPlace &place : places) {
            interrupts_.look(kBlock);
            if (place.first != last_plane) {
                interrupts_.look(rows * length);
                const std::int32_t *steps = steps_.data() + place.first * rows * length;
                for (std::int64_t i = 0; i < rows * length; ++i) {
                    plane[i] = squares_[0][steps[i]];
                }
                for (std::int64_t at = 0; at < rows; ++at) {
                    lowest[at] = *std::min_element(plane.begin() + at * length, plane.begin() + (at + 1) * length);
                }
            }
            if (place.first != last_plane || place.second != last_row) {
                interrupts_.look(rows * length);
                find_nearest_of_row(plane, lowest, place.second, row.nearest);
                row.find_lowest();
            }
            last_plane = place.first;
            last_row = place.second;
            squared[place.at] = nearest_in_row(row, place.third);
        }
    }

  private:
    // Steps along the first axis; the number of planes where no plane has another place here.
    void count_steps_between_planes() {
        const std::int64_t planes = size_[0], size = size_[1] * size_[2];
        const auto none = static_cast<std::int32_t>(planes);
        std::vector<std::int32_t> since(size, none);
        for (std::int64_t plane = 0; plane < planes; ++plane) {
            step_to_plane(plane, size, none, since);
            std::copy(since.begin(), since.end(), steps_.begin() + plane * size);
        }
        std::fill(since.begin(), since.end(), none);
        for (std::int64_t plane = planes; plane-- > 0;) {
            step_to_plane(plane, size, none, since);
            std::int32_t *steps = steps_.data() + plane * size;
            for (std::int64_t i = 0; i < size; ++i) {
                steps[i] = std::min(steps[i], since[i]);
            }
        }
    }

    void step_to_plane(std::int64_t plane, std::int64_t size, std::int32_t none, std::vector<std::int32_t> &since) {
        interrupts_.look(size);
        for (std::int64_t row = 0, i = 0; row < size_[1]; ++row) {
            const std::uint64_t *const words = others_.row(plane, row);
            for (std::int64_t third = 0; third < size_[2]; ++third, ++i) {
                since[i] = (words[third / 64] >> (third & 63) & 1) != 0 ? 0 : std::min(since[i] + 1, none);
            }
        }
    }

    // The smallest first² + second² from each element of a row to another place of the same third coordinate, and the
    // smallest of these in each block of elements.
    struct PlaneRow {
        std::vector<double> nearest, lowest;
        std::int64_t last_found = 0;

        void find_lowest() {
            for (std::size_t block = 0; block < lowest.size(); ++block) {
                const auto start = nearest.begin() + block * kBlock;
                lowest[block] = *std::min_element(start, start + std::min<std::int64_t>(kBlock, nearest.end() - start));
            }
        }
    };

    void find_nearest_of_row(const std::vector<double> &plane, const std::vector<double> &lowest, std::int64_t row,
                             std::vector<double> &nearest) const {
        const std::int64_t rows = size_[1], length = size_[2];
        std::copy(plane.begin() + row * length, plane.begin() + (row + 1) * length, nearest.begin());
        double highest = kFar;
        for (std::int64_t k = 1; k < rows; ++k) {
            const double square = squares_[1][k];
            if (k % 8 == 0) {
                highest = *std::max_element(nearest.begin(), nearest.end());
            }
            if (square >= highest) {
                return;
            }
            for (const std::int64_t other : {row - k, row + k}) {
                if (other >= 0 && other < rows && lowest[other] + square < highest) {
                    const double *there = plane.data() + other * length;
                    for (std::int64_t i = 0; i < length; ++i) {
                        nearest[i] = std::min(nearest[i], there[i] + square);
                    }
                }
            }
        }
    }

    // Where the last search of a row ended is a good first guess; blocks that cannot be below the best are left out.
    double nearest_in_row(PlaneRow &row, std::int64_t at) const {
        const double *along = squares_[2].data();
        const auto sum_at = [&](std::int64_t there) { return row.nearest[there] + along[std::abs(there - at)]; };
        const auto blocks = static_cast<std::int64_t>(row.lowest.size()), own = at / kBlock;
        double best = sum_at(row.last_found);
        const auto search = [&](std::int64_t block, std::int64_t steps) {
            if (along[steps] >= best) {
                return false;
            }
            if (row.lowest[block] + along[steps] < best) {
                const std::int64_t end = std::min((block + 1) * kBlock, size_[2]);
                for (std::int64_t there = block * kBlock; there < end; ++there) {
                    if (sum_at(there) < best) {
                        best = sum_at(there);
                        row.last_found = there;
                    }
                }
            }
            return true;
        };
        for (std::int64_t block = own, steps = 0; block >= 0 && search(block, steps); --block) {
            steps = at - block * kBlock + 1;
        }
        for (std::int64_t block = own + 1; block < blocks && search(block, block * kBlock - at); ++block) {}
        return best;
    }

    const BitGrid &others_;
    const SquaresOfSteps &squares_;
    const std::array<std::int64_t, 3> size_;
    InterruptCheck &interrupts_;
    std::vector<std::int32_t> steps_;
};

}  // namespace

void measure_in_planes(const BitGrid &others, const SquaresOfSteps &squares, const std::vector<GridPlace> &places,
                       double *squared, InterruptCheck &interrupts) {
    Planes(others, squares, interrupts).search_planes(places, squared);
}

}  // namespace segmetry
