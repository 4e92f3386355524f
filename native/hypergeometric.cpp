// E[D(X, μ)] of hypergeometric overlaps X with mean μ, D(x, m) = x·ln(x/m) − x + m: the terms of the expected mutual
// information. The formulas stand in segmetry/kernels/statistics/hypergeometric.py, whose numpy twin adds in the same order.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr double window = 12, extra = 30, large_mean = 144, negligible = 1e-25;
constexpr int orders = 25, log_terms = 12;
constexpr double ln2 = 0x1.62e42fefa39efp-1, root_half = 0x1.6a09e667f3bcdp-1;

// ln(1 + u) from sums, products and quotients alone, so that it has the same bits everywhere.
double log1p(double u) {
    int exponent = 0;
    double s = u / (2 + u);
    if (u < root_half - 1 || u > 2 * root_half - 1) {
        double mantissa = std::frexp(1 + u, &exponent);
        if (mantissa < root_half) {
            mantissa *= 2;
            --exponent;
        }
        s = (mantissa - 1) / (mantissa + 1);
    }
    const double square = s * s;
    double series = 1.0 / (2 * log_terms - 1);
    for (int term = log_terms - 2; term >= 0; --term) {
        series = series * square + 1.0 / (2 * term + 1);
    }
    return 2 * s * series + exponent * ln2;
}

// D(x, mean) with x = mean + off; the mean where x is 0.
double divergence(double off, double x, double mean) { return x > 0 ? x * log1p(off / mean) - off : -off; }

double by_overlaps(double a, double b, double n, double floor, double below) {
    const double mean = floor + below, neither = n - a - b;
    const double deviation = std::sqrt(mean * (1 - a / n) * ((n - b) / (n - 1)));
    const double reach = std::ceil(window * deviation) + extra;
    double weights = 1, weighed = divergence(-below, floor, mean);
    double weight = 1;
    for (double distance = 1; distance <= reach; ++distance) {
        const double x = floor + distance;
        weight *= (a - x + 1) * (b - x + 1) / (x * (neither + x));
        if (!(weight > negligible)) {
            break;
        }
        weights += weight;
        weighed += weight * divergence(distance - below, x, mean);
    }
    weight = 1;
    for (double distance = 1; distance <= reach; ++distance) {
        const double x = floor - distance;
        weight *= (x + 1) * (neither + x + 1) / ((a - x) * (b - x));
        if (!(weight > negligible)) {
            break;
        }
        weights += weight;
        weighed += weight * divergence(-distance - below, x, mean);
    }
    return weighed / weights;
}

using Binomials = std::array<std::array<double, orders>, orders>;

Binomials binomials() {
    Binomials rows{};
    for (std::size_t k = 0; k < orders; ++k) {
        rows[k][0] = 1;
        for (std::size_t j = 1; j <= k; ++j) {
            rows[k][j] = rows[k - 1][j - 1] + (j < k ? rows[k - 1][j] : 0);
        }
    }
    return rows;
}

double by_moments(double a, double b, double n, double mean, const Binomials &choose) {
    const double product = mean * ((n - a) * ((n - b) / n)), sides = a + b - 2 * mean;
    std::array<double, orders + 1> moments{1, 0};
    double expected = 0, power = 1;
    for (std::size_t k = 1; k < orders; ++k) {
        double total = 0;
        for (std::size_t j = 0; j < k; ++j) {
            const double inner = product * moments[j] - sides * moments[j + 1];
            total += choose[k][j] * (j + 1 < k ? inner + moments[j + 2] : inner);
        }
        const double order = static_cast<double>(k);
        moments[k + 1] = total / (n - order);
        power = power * mean;
        const double term = moments[k + 1] / (order * (order + 1) * power);
        expected += k % 2 == 1 ? term : -term;
    }
    return expected;
}

nb::object expected_divergences(Reals a, Reals b, Reals n, Reals floor, Reals below) {
    const std::size_t size = a.shape(0);
    for (const Reals *column : {&b, &n, &floor, &below}) {
        check(column->shape(0) == size, "all columns must have the same length");
    }
    NewArray<double> expected(size);
    bool sound = true;
    {
        const nb::gil_scoped_release unlocked;
        const Binomials choose = binomials();
        InterruptCheck interrupts;
        for (std::size_t i = 0; i < size && sound; ++i) {
            interrupts.look(orders * orders);
            const double whole = n.data()[i], first = a.data()[i], second = b.data()[i];
            const double low = floor.data()[i], rest = below.data()[i], mean = low + rest;
            sound = first > 0 && second > 0 && first < whole && second < whole && mean > 0 &&
                    mean <= std::min(first, second) + 1 && whole < std::numeric_limits<double>::infinity();
            if (sound) {
                expected.data[i] = mean >= large_mean ? by_moments(first, second, whole, mean, choose)
                                                      : by_overlaps(first, second, whole, low, rest);
            }
        }
    }
    check(sound, "blocks must have between 0 and n elements, and means must be theirs");
    return expected.array;
}

}  // namespace

}  // namespace segmetry

void register_hypergeometric(nb::module_ &m) {
    m.def("expected_divergences", &segmetry::expected_divergences, nb::arg("a").noconvert(), nb::arg("b").noconvert(),
          nb::arg("n").noconvert(), nb::arg("floor").noconvert(), nb::arg("below").noconvert(),
          "E[X·ln(X/μ)] of the overlap X of two random blocks of a and b of n elements, μ = floor + below.");
}
