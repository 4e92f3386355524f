// Numbers in groups: their order by group, and the exactly rounded sum of every group.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checks.hpp"
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

// Shewchuk's sum of numbers of any size, as Python's math.fsum rounds it: parts that do not
// overlap, the smallest first, whose sum is exact.
class ExactSum {
  public:
    void clear() { parts_.clear(); }

    void add(double number) {
        std::size_t kept = 0;
        for (double part : parts_) {
            if (std::abs(number) < std::abs(part)) {
                std::swap(number, part);
            }
            const double high = number + part, low = part - (high - number);
            if (low != 0) {
                parts_[kept++] = low;
            }
            number = high;
        }
        parts_.resize(kept);
        if (number != 0) {
            parts_.push_back(number);
        }
    }

    double rounded() const {
        if (parts_.empty()) {
            return 0.0;
        }
        std::size_t left = parts_.size() - 1;
        double high = parts_[left], low = 0;
        while (left > 0 && low == 0) {
            const double part = parts_[--left], total = high + part;
            low = part - (total - high);
            high = total;
        }
        // Exactly between two floats so far: what is left decides.
        if (left > 0 && ((low < 0 && parts_[left - 1] < 0) || (low > 0 && parts_[left - 1] > 0))) {
            const double twice = low * 2, total = high + twice;
            if (total - high == twice) {
                high = total;
            }
        }
        return high;
    }

  private:
    std::vector<double> parts_;
};

// Adds up numbers together with what each addition rounds off; `certain` says whether the sum is exactly rounded.
class CompensatedSum {
  public:
    void add(double number) {
        const double total = total_ + number, share = total - total_;
        error_ += (total_ - (total - share)) + (number - share);
        total_ = total;
        size_ += std::abs(number);
        ++count_;
    }

    double size() const { return size_; }

    double rounded() const { return total_ + error_; }

    bool certain() const {
        const double sum = rounded(), share = sum - total_;
        const double left = (total_ - (sum - share)) + (error_ - share);
        const double distance = std::abs(left) + count_ * count_ * 0x1p-106 * size_;
        const double below = std::nextafter(std::abs(sum), 0.0);
        return distance == 0 || distance < (std::nextafter(below, HUGE_VAL) - below) / 2;
    }

  private:
    double total_ = 0, error_ = 0, size_ = 0, count_ = 0;
};

// NaN where a group has a number that is not finite, or parts that overflow: Python decides about them.
void exact_sums(Numbers values, Integers starts, NumbersOut out) {
    check(starts.shape(0) == out.shape(0) + 1, "starts must have one more place than out");
    const double *const number = values.data();
    double *const target = out.data();
    const std::size_t n_groups = out.shape(0);
    const std::int64_t size = static_cast<std::int64_t>(values.shape(0));
    nb::gil_scoped_release release;
    InterruptCheck interrupts;
    ExactSum sum;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const std::int64_t first = starts.data()[g], last = starts.data()[g + 1];
        check(first >= 0 && first <= last && last <= size, "starts must ascend within values");
        CompensatedSum quick;
        in_pieces(static_cast<std::size_t>(last - first), interrupts, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                quick.add(number[first + static_cast<std::int64_t>(i)]);
            }
        });
        if (!std::isfinite(quick.size())) {
            target[g] = std::nan("");
        } else if (quick.certain()) {
            target[g] = quick.rounded();
        } else {
            sum.clear();
            in_pieces(static_cast<std::size_t>(last - first), interrupts, [&](std::size_t begin, std::size_t end) {
                std::for_each(number + first + begin, number + first + end, [&sum](double part) { sum.add(part); });
            });
            target[g] = sum.rounded();
        }
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
