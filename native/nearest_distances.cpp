// The Euclidean distance of every marked place of a grid to the nearest of other marked places.
//
// The squared length of a step vector is the rounded sum (first² + second²) + third², and the result is the root of the
// smallest such sum. Rounding is monotone, so the smallest rounded sum is found axis by axis in the order of the sum, and
// a partial sum that is not below the best sum found rules out everything beyond it. Distances are needed at the places
// alone, not in the whole grid:
//
// 1. Each row gets the number of steps along the third axis to its nearest other place. From each place the rows around
//    it are visited by ascending first² + second², until that alone reaches the best sum. Close surfaces end here, after
//    a handful of rows.
// 2. Places still open after a share of work proportional to the grid get the smallest first² + second² of their row,
//    by a pass over its plane, and then the smallest sum along the row.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <vector>

#include "checks.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Marks = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using SquareTable = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DistanceColumn = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostOffsets = 1 << 16;
// Measured: visiting a row costs a few times as much as an element of a pass over the grid.
constexpr std::int64_t kVisitsPerElement = 4;
constexpr std::int64_t kBlock = 16;

struct Place {
    std::int32_t first, second, third;
    std::int64_t at;  // position in the result
};

struct Offset {
    double squared;
    std::int32_t first, second;
};

class NearestPlaces {
  public:
    NearestPlaces(const Marks &others, const std::array<std::vector<double>, 3> &squares)
        : marks_(others.data()), squares_(squares) {
        for (int axis = 0; axis < 3; ++axis) {
            size_[axis] = static_cast<std::int64_t>(others.shape(axis));
        }
        steps_.resize(others.size());
    }

    // Writes the smallest squares; `places` is not empty.
    void measure(const std::vector<Place> &places, double *squared) {
        count_steps_in_rows();
        sort_offsets();
        std::int64_t visits = kVisitsPerElement * static_cast<std::int64_t>(steps_.size());
        std::vector<Place> open;
        for (const Place &place : places) {
            const std::int64_t before = visits;
            if (visits <= 0 || !search_rows(place, visits, squared[place.at])) {
                open.push_back(place);
            }
            interrupts_.look(1 + before - visits);
        }
        if (!open.empty()) {
            count_steps_between_planes();
            search_planes(open, squared);
        }
    }

  private:
    // Steps along the third axis; the length of a row where it has no other place.
    void count_steps_in_rows() {
        const std::int64_t length = size_[2];
        const auto none = static_cast<std::int32_t>(length);
        for (std::int64_t start = 0; start < static_cast<std::int64_t>(steps_.size()); start += length) {
            interrupts_.look(length);
            const bool *marks = marks_ + start;
            std::int32_t *steps = steps_.data() + start;
            std::int32_t since = none;
            for (std::int64_t i = 0; i < length; ++i) {
                since = marks[i] ? 0 : std::min(since + 1, none);
                steps[i] = since;
            }
            since = none;
            for (std::int64_t i = length; i-- > 0;) {
                since = marks[i] ? 0 : std::min(since + 1, none);
                steps[i] = std::min(steps[i], since);
            }
        }
    }

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
        const bool *marks = marks_ + plane * size;
        for (std::int64_t i = 0; i < size; ++i) {
            since[i] = marks[i] ? 0 : std::min(since[i] + 1, none);
        }
    }

    // All steps along the first two axes with a sum of squares below `complete_`, by ascending sum.
    void sort_offsets() {
        std::array<std::int64_t, 2> steps{size_[0], size_[1]};
        complete_ = kFar;
        while (steps[0] * steps[1] > kMostOffsets) {
            const int axis = squares_[0][steps[0] - 1] >= squares_[1][steps[1] - 1] ? 0 : 1;
            const int longer = steps[axis] > 1 ? axis : 1 - axis;
            steps[longer] = (steps[longer] + 1) / 2;
            complete_ = std::min(complete_, squares_[longer][steps[longer]]);
        }
        for (std::int32_t first = 0; first < steps[0]; ++first) {
            for (std::int32_t second = 0; second < steps[1]; ++second) {
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

    // Whether the rows visited settle the place.
    bool search_rows(const Place &place, std::int64_t &visits, double &squared) const {
        double best = kFar;
        const double *along = squares_[2].data();
        for (const Offset &offset : offsets_) {
            if (offset.squared >= best) {
                squared = best;
                return true;
            }
            for (std::int32_t first : {place.first - offset.first, place.first + offset.first}) {
                if (first >= 0 && first < size_[0]) {
                    const std::int32_t *plane = steps_.data() + first * size_[1] * size_[2] + place.third;
                    for (std::int32_t second : {place.second - offset.second, place.second + offset.second}) {
                        if (second >= 0 && second < size_[1]) {
                            best = std::min(best, offset.squared + along[plane[second * size_[2]]]);
                        }
                    }
                }
            }
            if (--visits <= 0) {
                return false;
            }
        }
        squared = best;
        return best <= complete_;
    }

    // The places are in the order of the grid, so that those of a plane and those of a row follow each other.
    void search_planes(const std::vector<Place> &places, double *squared) {
        const std::int64_t rows = size_[1], length = size_[2];
        std::vector<double> plane(rows * length), lowest(rows);
        PlaneRow row{std::vector<double>(length), std::vector<double>((length + kBlock - 1) / kBlock)};
        std::int64_t last_plane = -1, last_row = -1;
        for (const Place &place : places) {
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

    const bool *marks_;
    const std::array<std::vector<double>, 3> &squares_;
    std::array<std::int64_t, 3> size_{};
    std::vector<std::int32_t> steps_;
    std::vector<Offset> offsets_;
    double complete_ = kFar;
    InterruptCheck interrupts_;
};

// Places that are other places have distance 0; the rest are returned.
std::vector<Place> places_apart(const Marks &places, const Marks &others, const DistanceColumn &out) {
    std::vector<Place> apart;
    const bool *mark = places.data(), *other = others.data();
    std::int64_t at = 0;
    const auto most = static_cast<std::int64_t>(out.shape(0));
    for (std::size_t first = 0; first < places.shape(0); ++first) {
        for (std::size_t second = 0; second < places.shape(1); ++second) {
            for (std::size_t third = 0; third < places.shape(2); ++third, ++mark, ++other) {
                if (!*mark) {
                    continue;
                }
                check(at < most, "out must have one element for each place");
                out.data()[at] = 0.0;
                if (!*other) {
                    apart.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(second),
                                     static_cast<std::int32_t>(third), at});
                }
                ++at;
            }
        }
    }
    check(at == most, "out must have one element for each place");
    return apart;
}

// squares[k] for k steps, and one more for "nowhere along this axis".
std::vector<double> checked_squares(const SquareTable &table, std::size_t size) {
    check(table.shape(0) == size, "a table must have one square for each step along its axis");
    const double *const squares = table.data();
    const auto falls = [](double before, double after) { return !(before <= after); };
    check(size == 0 || (squares[0] == 0 && std::adjacent_find(squares, squares + size, falls) == squares + size),
          "squares must rise from 0");
    std::vector<double> with_far(squares, squares + size);
    with_far.push_back(kFar);
    return with_far;
}

void nearest_distances(Marks places, Marks others, SquareTable first, SquareTable second, SquareTable third,
                       DistanceColumn out) {
    check_same_shape(places, others, "others must have the shape of the places");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        check(places.shape(axis) < std::numeric_limits<std::int32_t>::max(), "an axis must be shorter than 2^31 - 1");
    }
    const std::array<std::vector<double>, 3> squares{checked_squares(first, places.shape(0)),
                                                     checked_squares(second, places.shape(1)),
                                                     checked_squares(third, places.shape(2))};
    const std::vector<Place> apart = places_apart(places, others, out);
    if (apart.empty()) {
        return;
    }
    NearestPlaces(others, squares).measure(apart, out.data());
    for (const Place &place : apart) {
        out.data()[place.at] = std::sqrt(out.data()[place.at]);
    }
}

}  // namespace

}  // namespace segmetry

void register_nearest_distances(nb::module_ &m) {
    m.def("nearest_distances", &segmetry::nearest_distances, nb::arg("places").noconvert(),
          nb::arg("others").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
          nb::arg("third").noconvert(), nb::arg("out").noconvert(), nb::call_guard<nb::gil_scoped_release>(),
          "Distance of every place, in the order of the grid, to the nearest other place; infinite if there is none.");
}
