// The pairs of an overlap table that a local rule accepts: every clause has an inequality a·s > b·m + c·p (or ≥) that
// holds for the shared, missed and spurious elements of the pair. One pass for the elements, the decisions and the
// partners, as tables of small inputs are mostly overhead.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "local_rule.hpp"
#include "unlocked.hpp"

namespace segmetry {

namespace {

using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct SelectedPair {
    std::int64_t row;
    Elements elements;
};

// How many of the positions differ.
class Partners {
  public:
    explicit Partners(std::size_t size) : seen_(size, 0) {}

    void add(std::int64_t at) {
        std::uint8_t &seen = seen_[static_cast<std::size_t>(at)];
        count_ += 1 - seen;
        seen = 1;
    }

    std::int64_t count() const { return count_; }

  private:
    std::vector<std::uint8_t> seen_;
    std::int64_t count_ = 0;
};

nb::object select_pairs(Int64Array row_true, Int64Array row_pred, Int64Array shared, Int64Array true_sizes,
                        Int64Array pred_sizes, Flags allowed, Inequalities inequalities) {
    const std::size_t rows = shared.size();
    check(row_true.size() == rows && row_pred.size() == rows, "there must be as many positions as shared elements");
    check(allowed.size() == 0 || allowed.size() == rows, "there must be a flag for every row, or none at all");
    const LocalRule rule(inequalities);
    std::vector<SelectedPair> chosen;
    Partners of_true(true_sizes.size()), of_pred(pred_sizes.size());
    bool fits = true;
    {
        const Unlocked unlocked(rows);
        const auto n_true = static_cast<std::int64_t>(true_sizes.size());
        const auto n_pred = static_cast<std::int64_t>(pred_sizes.size());
        // As bytes: a bool that is neither 0 nor 1 has no meaning in C++, and any in numpy.
        const auto *const flags = reinterpret_cast<const std::uint8_t *>(allowed.data());
        std::int64_t bits = 0;
        InterruptCheck interrupts;
        for (std::size_t r = 0; r < rows; ++r) {
            interrupts.look(1);
            const std::int64_t t = row_true.data()[r], h = row_pred.data()[r], s = shared.data()[r];
            check(t >= 0 && t < n_true && h >= 0 && h < n_pred, "a row must name segments of both sides");
            if (allowed.size() != 0 && flags[r] == 0) {
                continue;
            }
            if (s < 0 || s > true_sizes.data()[t] || s > pred_sizes.data()[h]) {
                fits = false;  // not the counts of two segments: left to the exact arithmetic of Python
                break;
            }
            const Elements pair{s, true_sizes.data()[t] - s, pred_sizes.data()[h] - s};
            bits |= pair.bits();
            if (!rule.fits(bits)) {
                fits = false;
                break;
            }
            if (rule.accepts(pair)) {
                chosen.push_back({static_cast<std::int64_t>(r), pair});
                of_true.add(t);
                of_pred.add(h);
            }
        }
    }
    if (!fits) {
        return nb::none();
    }
    NewArray<std::int64_t> at(chosen.size()), both(chosen.size()), missed(chosen.size()), spurious(chosen.size());
    for (std::size_t n = 0; n < chosen.size(); ++n) {
        at.data[n] = chosen[n].row;
        both.data[n] = chosen[n].elements.shared;
        missed.data[n] = chosen[n].elements.missed;
        spurious.data[n] = chosen[n].elements.spurious;
    }
    return nb::make_tuple(at.array, both.array, missed.array, spurious.array, of_true.count(), of_pred.count());
}

}  // namespace

}  // namespace segmetry

void register_local_rules(nanobind::module_ &m) {
    namespace nb = nanobind;
    m.def("select_pairs", &segmetry::select_pairs, nb::arg("row_true").noconvert(), nb::arg("row_pred").noconvert(),
          nb::arg("shared").noconvert(), nb::arg("true_sizes").noconvert(), nb::arg("pred_sizes").noconvert(),
          nb::arg("allowed").noconvert(), nb::arg("inequalities").noconvert(),
          "The rows of an overlap table that a local rule accepts, with their elements and the numbers of segments "
          "that they name; None where the products of the rule might not fit into 64 bits.");
}
