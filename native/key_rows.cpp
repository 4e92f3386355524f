// Puts the rows that a GPU counted into order: each is a key of two 32-bit labels, and a count with its item above it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "radix_sort.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

constexpr int kItemShift = 40;
constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kItemShift) - 1;

// Integers from `least` on, in so many bits.
struct Range {
    std::uint64_t least = ~std::uint64_t{0}, greatest = 0;

    void include(std::uint64_t value) {
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }
    int bits() const {
        int n = 0;
        for (std::uint64_t rest = greatest - least; rest != 0; rest >>= 1) {
            ++n;
        }
        return n;
    }
};

// A row by its item and by its labels in the order of their values.
struct Row {
    std::uint64_t item, true_label, pred_label;
};

void sort_codes(std::vector<std::uint64_t> &codes, int low, int high, InterruptCheck &interrupts) {
    std::vector<std::uint64_t> spare(codes.size());
    radix_sort(codes.data(), spare.data(), codes.size(), low, high, interrupts);
}

class KeyRows {
  public:
    // A label's sign bit is inverted where it is signed: integers of 32 bits are then in the order of the labels.
    KeyRows(const std::int64_t *keys, const std::int64_t *counts, bool true_signed, bool pred_signed)
        : keys_(keys),
          counts_(counts),
          flip_((std::uint64_t{true_signed} << 63) | (std::uint64_t{pred_signed} << 31)) {}

    Row row(std::size_t at) const {
        const std::uint64_t key = static_cast<std::uint64_t>(keys_[at]) ^ flip_;
        return {static_cast<std::uint64_t>(counts_[at]) >> kItemShift, key >> 32, key & 0xffffffffu};
    }

    // The numbers of the rows by item, true label and pred label.
    std::vector<std::uint64_t> order(std::size_t n, InterruptCheck &interrupts) const {
        std::vector<std::uint64_t> codes(n);
        if (n < 2) {
            return codes;
        }
        Range item, true_label, pred_label, number;
        for (std::size_t at = 0; at < n; ++at) {
            interrupts.look(1);
            const Row found = row(at);
            item.include(found.item);
            true_label.include(found.true_label);
            pred_label.include(found.pred_label);
        }
        number.include(0);
        number.include(n - 1);
        const int low = number.bits(), of_pred = pred_label.bits(), of_true = true_label.bits();
        const auto first_code = [&](const Row &found) {
            return (found.item - item.least) << of_true | (found.true_label - true_label.least);
        };
        const auto with_pred = [&](std::uint64_t code, const Row &found) {
            return code << of_pred | (found.pred_label - pred_label.least);
        };
        if (item.bits() + of_true + of_pred + low <= 64) {
            for (std::size_t at = 0; at < n; ++at) {
                codes[at] = with_pred(first_code(row(at)), row(at)) << low | at;
            }
            sort_codes(codes, low, low + of_pred + of_true + item.bits(), interrupts);
        } else if (item.bits() + of_true + low <= 64 && low + of_pred + low <= 64) {
            // Items and true labels are numbered first: there are no more of them than rows.
            for (std::size_t at = 0; at < n; ++at) {
                codes[at] = first_code(row(at)) << low | at;
            }
            sort_codes(codes, low, low + of_true + item.bits(), interrupts);
            std::uint64_t rank = 0, before = codes[0] >> low;
            for (std::uint64_t &code : codes) {
                rank += code >> low != before;
                before = code >> low;
                const std::uint64_t at = code & ((std::uint64_t{1} << low) - 1);
                code = with_pred(rank, row(at)) << low | at;
            }
            sort_codes(codes, low, low + of_pred + low, interrupts);
        } else {
            // In a copy: sorting is lost where the order changes meanwhile.
            std::vector<Row> rows(n);
            for (std::size_t at = 0; at < n; ++at) {
                rows[at] = row(at);
            }
            const auto before = [&rows](std::uint64_t a, std::uint64_t b) {
                const Row &left = rows[a], &right = rows[b];
                return left.item != right.item               ? left.item < right.item
                       : left.true_label != right.true_label ? left.true_label < right.true_label
                                                             : left.pred_label < right.pred_label;
            };
            std::iota(codes.begin(), codes.end(), std::uint64_t{0});
            std::sort(codes.begin(), codes.end(), interruptible(interrupts, before));
            return codes;
        }
        for (std::uint64_t &code : codes) {
            code &= (std::uint64_t{1} << low) - 1;
        }
        return codes;
    }

  private:
    const std::int64_t *keys_;
    const std::int64_t *counts_;
    std::uint64_t flip_;
};

// The label that 32 bits stand for, whose sign bit may have been inverted.
std::int64_t label_of(std::uint64_t bits, bool is_signed) {
    return is_signed ? static_cast<std::int64_t>(bits) - (std::int64_t{1} << 31) : static_cast<std::int64_t>(bits);
}

nb::tuple sort_key_rows(Int64Array keys, Int64Array counts, bool true_signed, bool pred_signed) {
    check_same_shape(keys, counts, "keys and counts must have one length");
    const std::size_t n = keys.shape(0);
    NewArray<std::int64_t> items(n), true_labels(n), pred_labels(n), sizes(n);
    {
        const nb::gil_scoped_release unlocked;
        const KeyRows rows(keys.data(), counts.data(), true_signed, pred_signed);
        InterruptCheck interrupts;
        const std::vector<std::uint64_t> order = rows.order(n, interrupts);
        for (std::size_t at = 0; at < n; ++at) {
            interrupts.look(1);
            const Row row = rows.row(order[at]);
            items.data[at] = static_cast<std::int64_t>(row.item);
            true_labels.data[at] = label_of(row.true_label, true_signed);
            pred_labels.data[at] = label_of(row.pred_label, pred_signed);
            sizes.data[at] =
                static_cast<std::int64_t>(static_cast<std::uint64_t>(counts.data()[order[at]]) & kCountMask);
        }
    }
    return nb::make_tuple(items.array, true_labels.array, pred_labels.array, sizes.array);
}

}  // namespace

}  // namespace segmetry

void register_key_rows(nb::module_ &m) {
    m.def("sort_key_rows", &segmetry::sort_key_rows, nb::arg("keys").noconvert(), nb::arg("counts").noconvert(),
          nb::arg("true_signed"), nb::arg("pred_signed"),
          "Sort rows whose keys are two labels of 32 bits and whose counts have the item above 40 bits: items, true "
          "labels, pred labels, counts.");
}
