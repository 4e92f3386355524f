// Statistics of a bootstrap distribution for intervals: moments, the number of values below a bound, and order statistics.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checks.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The sum of term(begin) … term(begin + count - 1), added in the order in which numpy adds a contiguous array.
template <typename Term>
double pairwise_sum(const Term &term, std::size_t begin, std::size_t count, InterruptCheck &interrupts) {
    constexpr std::size_t lanes = 8, block = 128;
    if (count > block) {
        const std::size_t half = count / 2 - count / 2 % lanes;
        const double first = pairwise_sum(term, begin, half, interrupts);
        return first + pairwise_sum(term, begin + half, count - half, interrupts);
    }
    interrupts.look(count);
    double sum = 0;
    std::size_t at = 0;
    if (count >= lanes) {
        double part[lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            part[lane] = term(begin + lane);
        }
        for (at = lanes; at + lanes <= count; at += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                part[lane] += term(begin + at + lane);
            }
        }
        sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }
    for (; at < count; ++at) {
        sum += term(begin + at);
    }
    return sum;
}

nb::tuple moments(Values values) {
    const std::size_t size = values.size();
    check(size > 0, "there must be a value");
    const double *const x = values.data();
    double mean, squares, cubes;
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        mean = pairwise_sum([x](std::size_t i) { return x[i]; }, 0, size, interrupts) / static_cast<double>(size);
        const auto gap = [x, mean](std::size_t i) { return x[i] - mean; };
        squares = pairwise_sum([gap](std::size_t i) { return gap(i) * gap(i); }, 0, size, interrupts);
        cubes = pairwise_sum([gap](std::size_t i) { return gap(i) * gap(i) * gap(i); }, 0, size, interrupts);
    }
    return nb::make_tuple(mean, squares, cubes);
}

nb::tuple count_up_to(Values values, double below, double up_to) {
    std::size_t n_below = 0, n_up_to = 0;
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        in_pieces(values.size(), interrupts, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                n_below += values.data()[i] < below;
                n_up_to += values.data()[i] <= up_to;
            }
        });
    }
    return nb::make_tuple(n_below, n_up_to);
}

// Moves the values at ascending ranks to their places; ranks count from `before` values that are below all of these.
void select(std::vector<double> &values, const std::vector<std::size_t> &ranks, std::size_t before, double *found,
            InterruptCheck &interrupts) {
    std::size_t sorted = 0;
    for (const std::size_t rank : ranks) {
        const std::size_t at = rank - before;
        if (at >= sorted) {
            std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(sorted),
                             values.begin() + static_cast<std::ptrdiff_t>(at), values.end(),
                             interruptible(interrupts, [](double x, double y) { return x < y; }));
            sorted = at + 1;
        }
        *found++ = values[at];
    }
}

// Ranks below the middle are searched among the values up to `low`, others among those from `high` on: where these are
// too few, among all.
std::vector<double> at_ranks(Values values, std::vector<std::size_t> ranks, double low, double high) {
    const std::size_t size = values.size();
    check(std::is_sorted(ranks.begin(), ranks.end()) && (ranks.empty() || ranks.back() < size),
          "ranks must rise and be smaller than the number of values");
    const nb::gil_scoped_release unlocked;
    const double *const x = values.data();
    std::vector<double> lowest(size), highest(size);
    std::size_t n_lowest = 0, n_highest = 0;
    InterruptCheck interrupts;
    in_pieces(size, interrupts, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double value = x[i];
            lowest[n_lowest] = highest[n_highest] = value;
            n_lowest += value <= low;
            n_highest += value >= high;
        }
    });
    lowest.resize(n_lowest);
    highest.resize(n_highest);
    const auto middle = std::lower_bound(ranks.begin(), ranks.end(), size / 2);
    const std::vector<std::size_t> first(ranks.begin(), middle), second(middle, ranks.end());
    const auto take_all = [x, size](std::vector<double> &tail) {
        tail.assign(x, x + size);
        check(std::none_of(tail.begin(), tail.end(), [](double value) { return std::isnan(value); }),
              "values must not be NaN");
    };
    if (!first.empty() && first.back() >= n_lowest) {
        take_all(lowest);
    }
    if (!second.empty() && second.front() < size - n_highest) {
        take_all(highest);
    }
    std::vector<double> found(ranks.size());
    select(lowest, first, 0, found.data(), interrupts);
    select(highest, second, size - highest.size(), found.data() + first.size(), interrupts);
    return found;
}

}  // namespace

}  // namespace segmetry

void register_distributions(nb::module_ &m) {
    m.def("moments", &segmetry::moments, nb::arg("values").noconvert(),
          "The mean, and the sums of squared and cubed gaps from it.");
    m.def("count_up_to", &segmetry::count_up_to, nb::arg("values").noconvert(), nb::arg("below"), nb::arg("up_to"),
          "How many values are smaller than the first bound, and how many not larger than the second.");
    m.def("at_ranks", &segmetry::at_ranks, nb::arg("values").noconvert(), nb::arg("ranks"), nb::arg("low"),
          nb::arg("high"),
          "The values at rising ranks; `low` and `high` bound the tails in which they are looked for first.");
}
