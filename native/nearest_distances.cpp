// The Euclidean distance of every marked place of a grid to the nearest of other marked places, and of every element of
// the surface of a mask to the surface of another.
//
// The squared length of a step vector is the rounded sum (first² + second²) + third², and the result is the root of the
// smallest such sum, whatever the way it is found: see nearest_places.hpp and, for places far away, distance_planes.hpp.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "bit_grid.hpp"
#include "checks.hpp"
#include "distance_planes.hpp"
#include "interrupts.hpp"
#include "nearest_places.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Marks = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using SquareTable = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
constexpr int kWidestVectors = 64;  // in bytes, where the machine has them

using DistanceColumn = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> checked_squares(const SquareTable &table, std::size_t size) {
    check(table.shape(0) == size, "a table must have one square for each step along its axis");
    std::vector<double> squares = private_copy(table);
    const auto falls = [](double before, double after) { return !(before <= after); };
    check(size == 0 || (squares[0] == 0 && std::adjacent_find(squares.begin(), squares.end(), falls) == squares.end()),
          "squares must rise from 0");
    squares.push_back(kFar);
    return squares;
}

std::array<std::int64_t, 3> checked_shape(const Marks &one, const Marks &other, const char *message) {
    check_same_shape(one, other, message);
    std::array<std::int64_t, 3> size{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        check(one.shape(axis) < std::numeric_limits<std::int32_t>::max(), "an axis must be shorter than 2^31 - 1");
        size[axis] = static_cast<std::int64_t>(one.shape(axis));
    }
    return size;
}

SquaresOfSteps checked_squares_of(const Marks &marks, const SquareTable &first, const SquareTable &second,
                                  const SquareTable &third) {
    return {checked_squares(first, marks.shape(0)), checked_squares(second, marks.shape(1)),
            checked_squares(third, marks.shape(2))};
}

void measure(const BitGrid &places, const BitGrid &others, const SquaresOfSteps &squares, double *distances,
             std::size_t count, int widest_vectors, InterruptCheck &interrupts) {
    if (count == 0) {
        return;
    }
    const std::vector<GridPlace> far =
        NearestPlaces(others, squares, interrupts).measure(places, distances, interrupts);
    if (!far.empty()) {
        measure_in_planes(others, squares, far, distances, widest_vectors, interrupts);
    }
    std::transform(distances, distances + count, distances, [](double squared) { return std::sqrt(squared); });
}

void nearest_distances(Marks places, Marks others, SquareTable first, SquareTable second, SquareTable third,
                       DistanceColumn out, int widest_vectors) {
    const auto size = checked_shape(places, others, "others must have the shape of the places");
    const SquaresOfSteps squares = checked_squares_of(places, first, second, third);
    InterruptCheck interrupts;
    const auto from = BitGrid::of_marks(places.data(), size, interrupts);
    check(from.count(interrupts) == out.shape(0), "out must have one element for each place");
    measure(from, BitGrid::of_marks(others.data(), size, interrupts), squares, out.data(), out.shape(0), widest_vectors,
            interrupts);
}

nb::tuple surface_distances(Marks true_mask, Marks pred_mask, int axes, SquareTable first, SquareTable second,
                            SquareTable third) {
    const auto size = checked_shape(true_mask, pred_mask, "pred must have the shape of true");
    check(axes >= 1 && axes <= 3, "axes must be 1, 2 or 3");
    const SquaresOfSteps squares = checked_squares_of(true_mask, first, second, third);
    std::array<std::vector<double>, 2> distances;
    {
        const nb::gil_scoped_release without_lock;
        InterruptCheck interrupts;
        const std::array<BitGrid, 2> surfaces{
            BitGrid::of_marks(true_mask.data(), size, interrupts).surface(axes, interrupts),
            BitGrid::of_marks(pred_mask.data(), size, interrupts).surface(axes, interrupts)};
        for (int side = 0; side < 2; ++side) {
            distances[side].resize(surfaces[side].count(interrupts));
            measure(surfaces[side], surfaces[1 - side], squares, distances[side].data(), distances[side].size(),
                    kWidestVectors, interrupts);
        }
    }
    std::array<nb::object, 2> columns;
    for (int side = 0; side < 2; ++side) {
        const NewArray<double> column(distances[side].size());
        std::copy(distances[side].begin(), distances[side].end(), column.data);
        columns[side] = column.array;
    }
    return nb::make_tuple(columns[0], columns[1]);
}

}  // namespace

}  // namespace segmetry

void register_nearest_distances(nb::module_ &m) {
    m.def("nearest_distances", &segmetry::nearest_distances, nb::arg("places").noconvert(),
          nb::arg("others").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
          nb::arg("third").noconvert(), nb::arg("out").noconvert(), nb::kw_only(),
          nb::arg("widest_vectors") = segmetry::kWidestVectors, nb::call_guard<nb::gil_scoped_release>(),
          "Distance of every place, in the order of the grid, to the nearest other place; infinite if there is none. "
          "Tests choose narrow vectors, which never change the result.");
    m.def("surface_distances", &segmetry::surface_distances, nb::arg("true").noconvert(), nb::arg("pred").noconvert(),
          nb::arg("axes"), nb::arg("first").noconvert(), nb::arg("second").noconvert(), nb::arg("third").noconvert(),
          "Distances between the surfaces of two masks, both ways, in the order of the grid; `axes` count neighbours.");
}
