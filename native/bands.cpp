// The elements near the contour of their own segment, for all segments at once.
//
// An element p with label L is in the band iff some position q whose label is not L (or that is outside the array)
// is within distance d. Axes are taken one after the other, the last first.
//
// Last axis. The nearest other label within p's row is just past one of the two ends of p's stretch: a distance g >= 1.
//
// Any further axis. Let p' be the position k steps from p along it, and E(p') the smallest squared distance, over the
// axes done so far, from p' to a position whose label differs from that of p'. Among the positions of p''s line, plane,
// … the nearest one that is not L is p' itself if label(p') != L, else at E(p') because "not L" and "not label(p')" are
// the same there. So min over k of k² + (label(p') != L ? 0 : E(p')) is exact.
//
// Last axis of all. Only "is it <= d²" is asked, so p' covers the p that are at most reach(p') = max{k : E(p') + k² <=
// d²} steps away, and the nearest p' with another label covers p up to max{k : k² <= d²} steps; beyond that p' nothing
// nearer can come, so covering stops at a change of label. One sweep forward and one backward carry the steps that are
// left. Chessboard distance is the same with max in place of the sum, which makes every reach d or none.
//
// All squares and reaches are tables from Python, and the numpy twin uses the same ones: both compare the same bits.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "checks.hpp"
#include "interrupts.hpp"
#include "large_buffer.hpp"
#include "stretches.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

template <typename Label>
using Contiguous2 = nb::ndarray<const Label, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename Label>
using Contiguous3 = nb::ndarray<const Label, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <typename Value>
using Table = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Band2 = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Band3 = nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Writes table[g] for every element of a row, where g is its distance to the nearest other label in the row (the
// outside included), and `none` where g is beyond the table.
template <typename Label, typename Value>
void spread_over_row(const Label *row, std::int64_t length, const Value *table, std::int64_t largest, Value none,
                     Value *out, InterruptCheck &interrupts) {
    for (std::int64_t start = 0, end; start < length; start = end) {
        end = stretch_end(row, start, length);
        interrupts.look(static_cast<std::size_t>(end - start));
        const std::int64_t sides = std::min(largest, (end - start + 1) / 2);
        for (std::int64_t i = 0; i < sides; ++i) {
            out[start + i] = table[i + 1];
            out[end - 1 - i] = table[i + 1];
        }
        if (start + sides < end - sides) {
            std::fill(out + start + sides, out + end - sides, none);
        }
    }
}

// One step of a sweep: `left` is how many more elements are covered, counted after this one; -1 is "not covered".
// `before` is the line just visited, null at the frame.
template <typename Label, typename Steps>
void step(Steps *left, const Steps *reach, const Label *line, const Label *before, std::int64_t length, Steps fresh) {
    if (!before) {
        for (std::int64_t i = 0; i < length; ++i) {
            left[i] = std::max(fresh, reach[i]);
        }
        return;
    }
    for (std::int64_t i = 0; i < length; ++i) {
        const Steps carried = static_cast<Steps>(left[i] - 1);
        left[i] = std::max(line[i] == before[i] ? carried : fresh, reach[i]);
    }
}

// Sweeps forward and backward over `count` lines. `reach_of(line)` gives the line's reaches, at least -1 each.
template <typename Label, typename Steps, typename ReachOf>
void sweep(const Label *labels, std::int64_t count, std::int64_t length, Steps farthest, ReachOf reach_of,
           std::uint8_t *out, InterruptCheck &interrupts) {
    const Steps fresh = static_cast<Steps>(farthest - 1);
    std::vector<Steps> left(length);
    // `before` is the number of lines from this one to the one just visited, 0 at the frame.
    const auto visit = [&](std::int64_t line, std::int64_t before, auto write) {
        const Steps *reach = reach_of(line);
        in_pieces(static_cast<std::size_t>(length), interrupts, [&](std::size_t begin, std::size_t end) {
            const Label *here = labels + line * length + begin;
            step(left.data() + begin, reach + begin, here, before != 0 ? here + before * length : nullptr,
                 static_cast<std::int64_t>(end - begin), fresh);
            std::uint8_t *target = out + line * length;
            for (std::size_t i = begin; i < end; ++i) {
                write(target[i], left[i] >= 0);
            }
        });
    };
    for (std::int64_t line = 0; line < count; ++line) {
        visit(line, line > 0 ? -1 : 0, [](std::uint8_t &target, bool covered) { target = covered; });
    }
    for (std::int64_t line = count - 1; line >= 0; --line) {
        visit(line, line + 1 < count ? 1 : 0, [](std::uint8_t &target, bool covered) { target |= covered; });
    }
}

// table[g] is the reach along the first axis of an element at distance g from another label of its row.
template <typename Label, typename Steps>
void band_plane(const Label *labels, std::int64_t rows, std::int64_t length, const Steps *table, std::int64_t largest,
                Steps farthest, std::uint8_t *out, InterruptCheck &interrupts) {
    std::vector<Steps> reach(length);
    const auto reach_of = [&](std::int64_t row) {
        spread_over_row<Label, Steps>(labels + row * length, length, table, largest, -1, reach.data(), interrupts);
        return reach.data();
    };
    sweep<Label, Steps>(labels, rows, length, farthest, reach_of, out, interrupts);
}

template <typename Steps>
void check_reaches(const Table<Steps> &table, std::int64_t farthest) {
    check(farthest >= 0 && farthest <= std::numeric_limits<Steps>::max(),
          "farthest must be 0 or more and fit the table");
    check(table.size() > 0, "the table must have an entry for 0 steps");
    check(*std::min_element(table.data(), table.data() + table.size()) >= -1, "reaches must be -1 or more");
}

template <typename Label, typename Steps>
void band_2d(Contiguous2<Label> labels, Table<Steps> table, std::int64_t farthest, Band2 out) {
    check_same_shape(labels, out, "out must have the shape of the labels");
    check_reaches(table, farthest);
    InterruptCheck interrupts;
    band_plane<Label, Steps>(labels.data(), labels.shape(0), labels.shape(1), table.data(), table.shape(0) - 1,
                             static_cast<Steps>(farthest), out.data(), interrupts);
}

template <typename Label>
void band_3d_chessboard(Contiguous3<Label> labels, std::int16_t d, Band3 out) {
    check_same_shape(labels, out, "out must have the shape of the labels");
    check(d >= 0, "d must be 0 or more");
    const std::int64_t planes = labels.shape(0), rows = labels.shape(1), length = labels.shape(2), size = rows * length;
    const std::vector<std::int16_t> table(d + 1, d);
    LargeBuffer<std::uint8_t> within(planes * size);  // written before it is read
    InterruptCheck interrupts;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
        band_plane<Label, std::int16_t>(labels.data() + plane * size, rows, length, table.data(), d, d,
                                        within.data() + plane * size, interrupts);
    }
    std::vector<std::int16_t> reach(size);
    const auto reach_of = [&](std::int64_t plane) {
        const std::uint8_t *band = within.data() + plane * size;
        for (std::int64_t i = 0; i < size; ++i) {
            reach[i] = band[i] ? d : static_cast<std::int16_t>(-1);
        }
        return reach.data();
    };
    sweep<Label, std::int16_t>(labels.data(), planes, size, d, reach_of, out.data(), interrupts);
}

// Squares are int32 for unit spacing (exact) and float64 otherwise; `limit` is d², `beyond` anything larger.
template <typename Square>
struct Squares {
    const Square *along[3];
    std::int64_t largest[3];
    Square limit, beyond;
};

// nearest[x] = min over k of squares[k] + (label differs ? 0 : in_row), for the row `row` of one plane.
template <typename Label, typename Square>
void nearest_in_plane(const Label *plane, std::int64_t rows, std::int64_t length, std::int64_t row,
                      const Square *in_row, const Squares<Square> &squares, Square *nearest) {
    const Label *here = plane + row * length;
    std::copy(in_row + row * length, in_row + (row + 1) * length, nearest);
    for (std::int64_t k = 1; k <= squares.largest[1]; ++k) {
        const Square square = squares.along[1][k];
        for (const std::int64_t other : {row - k, row + k}) {
            if (other < 0 || other >= rows) {
                for (std::int64_t i = 0; i < length; ++i) {
                    nearest[i] = std::min(nearest[i], square);
                }
                continue;
            }
            const Label *there = plane + other * length;
            const Square *their = in_row + other * length;
            for (std::int64_t i = 0; i < length; ++i) {
                const Square squared = (here[i] == there[i] ? their[i] : Square(0)) + square;
                nearest[i] = std::min(nearest[i], squared);
            }
        }
    }
}

// max{k : squared + along[k] <= limit}, or -1. along[0] is 0 and along ascends.
template <typename Square>
std::int16_t reach_from(Square squared, const Squares<Square> &squares) {
    if (squared > squares.limit) {
        return -1;
    }
    std::int64_t low = 0, high = squares.largest[0];
    while (low < high) {
        const std::int64_t middle = (low + high + 1) / 2;
        if (squared + squares.along[0][middle] <= squares.limit) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return static_cast<std::int16_t>(low);
}

// Sums of two squares, and of `beyond` and a square, must not overflow.
template <typename Square>
void check_limits(Square limit, Square beyond) {
    check(limit >= 0 && beyond > limit, "limit must be 0 or more and smaller than beyond");
    if constexpr (std::is_integral_v<Square>) {
        check(beyond <= std::numeric_limits<Square>::max() - limit, "limit + beyond must fit the type of the squares");
    }
}

template <typename Square>
void check_squares(const Table<Square> &table, Square limit) {
    constexpr std::size_t most = std::numeric_limits<std::int16_t>::max();
    check(table.size() > 0 && table.size() - 1 <= most, "a table must have squares for 0 to at most 32767 steps");
    const Square *const squares = table.data();
    check(squares[0] == 0 && std::is_sorted(squares, squares + table.size()) && squares[table.size() - 1] <= limit,
          "squares must rise from 0 to at most the limit");
}

template <typename Label, typename Square>
void band_3d_euclidean(Contiguous3<Label> labels, Table<Square> first, Table<Square> second, Table<Square> third,
                       Square limit, Square beyond, Band3 out) {
    check_same_shape(labels, out, "out must have the shape of the labels");
    check_limits(limit, beyond);
    for (const Table<Square> &table : {first, second, third}) {
        check_squares(table, limit);
    }
    const std::int64_t planes = labels.shape(0), rows = labels.shape(1), length = labels.shape(2), size = rows * length;
    const auto largest = [](const Table<Square> &table) { return static_cast<std::int64_t>(table.shape(0)) - 1; };
    const Squares<Square> squares{
        {first.data(), second.data(), third.data()}, {largest(first), largest(second), largest(third)}, limit, beyond};
    LargeBuffer<std::int16_t> reach(planes * size);
    std::vector<Square> in_row(size), nearest(length);
    InterruptCheck interrupts;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
        const Label *start = labels.data() + plane * size;
        for (std::int64_t row = 0; row < rows; ++row) {
            spread_over_row<Label, Square>(start + row * length, length, third.data(), squares.largest[2], beyond,
                                           in_row.data() + row * length, interrupts);
        }
        for (std::int64_t row = 0; row < rows; ++row) {
            interrupts.look(length * (2 * squares.largest[1] + 1));
            nearest_in_plane(start, rows, length, row, in_row.data(), squares, nearest.data());
            std::int16_t *target = reach.data() + plane * size + row * length;
            for (std::int64_t i = 0; i < length; ++i) {
                target[i] = reach_from(nearest[i], squares);
            }
        }
    }
    const auto reach_of = [&](std::int64_t plane) { return reach.data() + plane * size; };
    sweep<Label, std::int16_t>(labels.data(), planes, size, static_cast<std::int16_t>(squares.largest[0]), reach_of,
                               out.data(), interrupts);
}

using Release = nb::call_guard<nb::gil_scoped_release>;

template <typename Label, typename Square>
void register_euclidean(nb::module_ &m) {
    m.def("band_3d_euclidean", &band_3d_euclidean<Label, Square>, nb::arg("labels").noconvert(),
          nb::arg("first").noconvert(), nb::arg("second").noconvert(), nb::arg("third").noconvert(), nb::arg("limit"),
          nb::arg("beyond"), nb::arg("out").noconvert(), Release());
}

template <typename Label, typename Steps>
void register_2d(nb::module_ &m) {
    m.def("band_2d", &band_2d<Label, Steps>, nb::arg("labels").noconvert(), nb::arg("table").noconvert(),
          nb::arg("farthest"), nb::arg("out").noconvert(), Release());
}

template <typename Label>
void register_label(nb::module_ &m) {
    register_2d<Label, std::int16_t>(m);
    register_2d<Label, std::int32_t>(m);
    m.def("band_3d_chessboard", &band_3d_chessboard<Label>, nb::arg("labels").noconvert(), nb::arg("d"),
          nb::arg("out").noconvert(), Release());
    register_euclidean<Label, std::int32_t>(m);
    register_euclidean<Label, double>(m);
}

}  // namespace

}  // namespace segmetry

void register_bands(nb::module_ &m) {
    segmetry::register_label<std::uint8_t>(m);
    segmetry::register_label<std::uint16_t>(m);
    segmetry::register_label<std::uint32_t>(m);
    segmetry::register_label<std::uint64_t>(m);
}
