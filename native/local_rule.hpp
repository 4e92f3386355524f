// A local rule decides on each pair of segments alone: every clause has an inequality a·s > b·m + c·p (or ≥) that holds
// for the shared, missed and spurious elements of the pair.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"

namespace segmetry {

using Inequalities =
    nanobind::ndarray<const std::int64_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

// What two segments share, and what each has alone.
struct Elements {
    std::int64_t shared, missed, spurious;

    std::int64_t bits() const { return shared | missed | spurious; }
};

// The inequalities of a rule: clause, a, b, c, strict. Those of one clause follow each other.
class LocalRule {
  public:
    // The numbers are copied: products of numbers that another thread changed afterwards might not fit.
    explicit LocalRule(const Inequalities &rows) : rows_(private_copy(rows)), count_(rows.shape(0)) {
        check(rows.shape(1) == 5, "an inequality must have five numbers");
        for (std::size_t at = 0; at < count_; ++at) {
            const std::int64_t *row = rows_.data() + 5 * at;
            check(row[1] >= 0 && row[2] >= 0 && row[3] >= 0, "the factors of an inequality must not be negative");
            largest_ = std::max({largest_, row[1], row[2], row[3]});
        }
    }

    // Whether factor · (2 · number + 1) stays below 2^62 for every number with no other bits than these.
    bool fits(std::int64_t bits) const {
        return bits >= 0 && (largest_ == 0 || bits < ((std::int64_t{1} << 62) / largest_ - 1) / 2);
    }

    bool accepts(const Elements &pair) const {
        if (pair.shared <= 0) {
            return false;
        }
        for (std::size_t at = 0; at < count_;) {
            const std::int64_t clause = rows_[5 * at];
            bool holds = false;
            for (; at < count_ && rows_[5 * at] == clause; ++at) {
                const std::int64_t *row = rows_.data() + 5 * at;
                const std::int64_t left = row[1] * pair.shared;
                const std::int64_t right = row[2] * pair.missed + row[3] * pair.spurious;
                holds |= row[4] != 0 ? left > right : left >= right;
            }
            if (!holds) {
                return false;
            }
        }
        return true;
    }

  private:
    std::vector<std::int64_t> rows_;
    std::size_t count_;
    std::int64_t largest_ = 0;
};

}  // namespace segmetry
