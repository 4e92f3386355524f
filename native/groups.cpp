// Numbers in groups: their order by group, and the exactly rounded sum of every group.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "checks.hpp"
#include "exact_sum.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntegersOut = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumbersOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A stable counting sort: `order` lists the numbers group by group, group g has the places starts[g] to starts[g + 1].
void group_order(Integers groups, IntegersOut order, IntegersOut starts) {
    const std::size_t size = groups.shape(0);
    check(starts.shape(0) > 0, "starts must have one more place than there are groups");
    check(order.shape(0) == size, "order must be as long as groups");
    const std::size_t n_groups = starts.shape(0) - 1;
    std::int64_t *const target = order.data();
    nb::gil_scoped_release release;
    InterruptCheck interrupts;
    const auto group = [data = groups.data(), n_groups](std::size_t i) {
        const auto g = static_cast<std::size_t>(data[i]);
        check(g < n_groups, "a group must be from 0 to n - 1");
        return g;
    };
    std::vector<std::size_t> next(n_groups + 1);
    in_pieces(size, interrupts, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            ++next[group(i)];
        }
    });
    std::size_t before = 0;
    for (std::size_t g = 0; g <= n_groups; ++g) {
        before += std::exchange(next[g], before);
        starts.data()[g] = static_cast<std::int64_t>(next[g]);
    }
    in_pieces(size, interrupts, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            std::size_t &place = next[group(i)];
            check(place < size, kChanged);
            target[place++] = static_cast<std::int64_t>(i);
        }
    });
}

// NaN where a group has a number that is not finite, or parts that overflow: Python decides about them.
void exact_sums(Numbers values, Integers starts, NumbersOut out) {
    check(starts.shape(0) == out.shape(0) + 1, "starts must have one more place than out");
    const double *const number = values.data();
    double *const target = out.data();
    const std::size_t n_groups = out.shape(0);
    const std::int64_t size = static_cast<std::int64_t>(values.shape(0));
    nb::gil_scoped_release release;
    InterruptCheck interrupts;
    RoundedSum sum;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const std::int64_t first = starts.data()[g], last = starts.data()[g + 1];
        check(first >= 0 && first <= last && last <= size, "starts must ascend within values");
        target[g] = sum.of(number + first, static_cast<std::size_t>(last - first), interrupts);
    }
}

}  // namespace

}  // namespace segmetry

void register_groups(nb::module_ &m) {
    m.def("group_order", &segmetry::group_order, nb::arg("groups").noconvert(), nb::arg("order").noconvert(),
          nb::arg("starts").noconvert());
    m.def("exact_sums", &segmetry::exact_sums, nb::arg("values").noconvert(), nb::arg("starts").noconvert(),
          nb::arg("out").noconvert());
}
