// The smallest first² + second² of each row by a pass over its plane, and then the smallest sum along the row. Rounding
// is monotone, so the smallest rounded sum is found axis by axis in the order of the sum.
#include "distance_planes.hpp"

#include <algorithm>
#include <array>

#include "row_minima.hpp"

namespace segmetry {

namespace {

// Elements of a row that are searched together on each side of a place.
constexpr std::int64_t kStretch = 32;
// Rows that are looked at before places are measured.
constexpr std::int64_t kRowsBetween = 4;

class Planes {
  public:
    Planes(const BitGrid &others, const SquaresOfSteps &squares, int widest_vectors, InterruptCheck &interrupts)
        : others_(others),
          squares_(squares),
          size_(others.size()),
          interrupts_(interrupts),
          minima_(row_minima(widest_vectors)) {
        steps_.resize(static_cast<std::size_t>(others.elements()));
        count_steps_between_planes();
        const std::vector<double> &along = squares[2];
        along_.assign(along.rend() - size_[2], along.rend());
        along_.insert(along_.end(), along.begin() + 1, along.begin() + size_[2]);
    }

    void search_planes(const std::vector<GridPlace> &places, double *squared) {
        const std::int64_t rows = size_[1], length = size_[2];
        Plane plane{std::vector<double>(rows * length), std::vector<double>(rows)};
        std::int64_t last_plane = -1;
        for (auto next = places.begin(); next != places.end();) {
            const auto begin = next;
            next = std::find_if(begin, places.end(), [begin](const GridPlace &place) {
                return place.first != begin->first || place.second != begin->second;
            });
            if (begin->first != last_plane) {
                last_plane = begin->first;
                read_plane(last_plane, plane);
            }
            search_rows(plane, begin, next, squared);
        }
    }

  private:
    // Steps along the first axis; the number of planes where no plane has another place here.
    void count_steps_between_planes() {
        const std::int64_t planes = size_[0], size = size_[1] * size_[2];
        const auto none = static_cast<std::int32_t>(planes);
        std::vector<std::int32_t> since(size, none);
        for (std::int64_t plane = 0; plane < planes; ++plane) {
            step_to_plane(plane, none, since);
            std::copy(since.begin(), since.end(), steps_.begin() + plane * size);
        }
        std::fill(since.begin(), since.end(), none);
        for (std::int64_t plane = planes; plane-- > 0;) {
            step_to_plane(plane, none, since);
            std::int32_t *steps = steps_.data() + plane * size;
            for (std::int64_t i = 0; i < size; ++i) {
                steps[i] = std::min(steps[i], since[i]);
            }
        }
    }

    void step_to_plane(std::int64_t plane, std::int32_t none, std::vector<std::int32_t> &since) {
        interrupts_.look(since.size());
        for (std::int32_t &steps : since) {
            steps = steps < none ? steps + 1 : none;
        }
        for (std::int64_t row = 0; row < size_[1]; ++row) {
            const std::uint64_t *const words = others_.row(plane, row);
            for (std::int64_t at = 0; at < others_.words(); ++at) {
                for (std::uint64_t word = words[at]; word != 0; word &= word - 1) {
                    since[row * size_[2] + 64 * at + trailing_zeros(word)] = 0;
                }
            }
        }
    }

    // The squares of the steps along the first axis to the nearest place, and the smallest of each row.
    struct Plane {
        std::vector<double> squares, lowest;
    };
    using Places = std::vector<GridPlace>::const_iterator;

    void read_plane(std::int64_t first, Plane &plane) const {
        const std::int64_t rows = size_[1], length = size_[2];
        interrupts_.look(rows * length);
        const std::int32_t *const steps = steps_.data() + first * rows * length;
        const double *const square_of = squares_[0].data();
        for (std::int64_t i = 0; i < rows * length; ++i) {
            plane.squares[i] = square_of[steps[i]];
        }
        for (std::int64_t row = 0; row < rows; ++row) {
            plane.lowest[row] = minima_.lowest(plane.squares.data() + row * length, length);
        }
    }

    // For places of one row: the smallest first² + second² from each element of their row to a place of the same third
    // coordinate, over more and more rows, until the steps to further rows alone are too many for each place.
    void search_rows(const Plane &plane, Places begin, Places end, double *squared) {
        const std::int64_t rows = size_[1], length = size_[2], row = begin->second;
        nearest_.assign(plane.squares.begin() + row * length, plane.squares.begin() + (row + 1) * length);
        double highest = kFar;
        bool is_new = true;
        const auto measure = [&] {
            highest = 0;
            for (auto place = begin; place != end; ++place) {
                interrupts_.look(kStretch);
                squared[place->at] = nearest_in_row(place->third);
                highest = std::max(highest, squared[place->at]);
            }
            is_new = false;
        };
        for (std::int64_t k = 1; k < rows && squares_[1][k] < highest; ++k) {
            const double square = squares_[1][k];
            for (const std::int64_t other : {row - k, row + k}) {
                if (other >= 0 && other < rows && plane.lowest[other] + square < highest) {
                    interrupts_.look(length);
                    minima_.lower(nearest_.data(), plane.squares.data() + other * length, square, length);
                    is_new = true;
                }
            }
            if (k % kRowsBetween == 0 && is_new) {
                measure();
            }
        }
        if (is_new) {
            measure();
        }
    }

    // Outwards from a place, until the steps along the row alone are too many.
    double nearest_in_row(std::int64_t at) const {
        const std::int64_t length = size_[2];
        const double *const along = along_.data() + (length - 1 - at);
        const auto lowest_of = [&](std::int64_t begin, std::int64_t end) {
            return minima_.lowest_sum(nearest_.data() + begin, along + begin, static_cast<std::size_t>(end - begin));
        };
        std::int64_t begin = std::max(at - kStretch, std::int64_t{0}), end = std::min(at + kStretch, length);
        double best = lowest_of(begin, end);
        for (std::int64_t next; begin > 0 && along[begin - 1] < best; begin = next) {
            next = std::max(begin - 2 * kStretch, std::int64_t{0});
            best = std::min(best, lowest_of(next, begin));
        }
        for (std::int64_t next; end < length && along[end] < best; end = next) {
            next = std::min(end + 2 * kStretch, length);
            best = std::min(best, lowest_of(end, next));
        }
        return best;
    }

    const BitGrid &others_;
    const SquaresOfSteps &squares_;
    const std::array<std::int64_t, 3> size_;
    InterruptCheck &interrupts_;
    const RowMinima &minima_;
    std::vector<std::int32_t> steps_;
    std::vector<double> nearest_;
    std::vector<double> along_;  // the squares of steps along a row, from its last element to its first and back
};

}  // namespace

void measure_in_planes(const BitGrid &others, const SquaresOfSteps &squares, const std::vector<GridPlace> &places,
                       double *squared, int widest_vectors, InterruptCheck &interrupts) {
    Planes(others, squares, widest_vectors, interrupts).search_planes(places, squared);
}

}  // namespace segmetry
