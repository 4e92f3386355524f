// Label arrays that are given as runs of equal labels: their label pairs are counted without a look at any element.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "pairs_spill.hpp"
#include "pairs_table.hpp"

namespace segmetry {

namespace {

// Turns the order of signed labels into that of unsigned ones, and back.
constexpr std::uint64_t kFlip = std::uint64_t{1} << 63;

std::uint64_t ordered(std::int64_t label) { return static_cast<std::uint64_t>(label) ^ kFlip; }
std::int64_t label_of(std::uint64_t ordered) { return static_cast<std::int64_t>(ordered ^ kFlip); }

// One side: run r has label labels[r] and ends before element stops[r].
struct LabelRuns {
    const std::int64_t *stops;
    const std::int64_t *labels;
    std::size_t size;

    LabelRuns(const Int64Array &run_stops, const Int64Array &run_labels)
        : stops(run_stops.data()), labels(run_labels.data()), size(run_stops.size()) {
        if (run_labels.size() != size) {
            throw std::invalid_argument("there must be as many stops as labels");
        }
        for (std::size_t r = 0; r < size; ++r) {
            if (stops[r] <= (r == 0 ? 0 : stops[r - 1])) {
                throw std::invalid_argument("stops must rise from above zero");
            }
        }
    }
    std::int64_t length() const { return size == 0 ? 0 : stops[size - 1]; }
};

std::vector<PairCount> count(const LabelRuns &first, const LabelRuns &second) {
    PairTable table(0);
    std::int64_t start = 0;
    for (std::size_t a = 0, b = 0; a < first.size;) {  // both end at the same element
        const std::int64_t stop = std::min(first.stops[a], second.stops[b]);
        table.add(ordered(first.labels[a]), ordered(second.labels[b]), stop - start);
        a += first.stops[a] == stop;
        b += second.stops[b] == stop;
        start = stop;
    }
    std::vector<PairCount> rows = table.rows();
    sort_rows(rows);
    return rows;
}

nb::tuple count_run_pairs(Int64Array true_stops, Int64Array true_labels, Int64Array pred_stops,
                          Int64Array pred_labels) {
    const LabelRuns first(true_stops, true_labels), second(pred_stops, pred_labels);
    if (first.length() != second.length()) {
        throw std::invalid_argument("both sides must have the same number of elements");
    }
    std::vector<PairCount> rows;
    {
        const nb::gil_scoped_release unlocked;
        rows = count(first, second);
    }
    NewArray<std::int64_t> a(rows.size()), b(rows.size()), counts(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        a.data[r] = label_of(rows[r].a);
        b.data[r] = label_of(rows[r].b);
        counts.data[r] = rows[r].count;
    }
    return nb::make_tuple(a.array, b.array, counts.array);
}

}  // namespace

}  // namespace segmetry

void register_label_run_lengths(nanobind::module_ &m) {
    namespace nb = nanobind;
    m.def("count_run_pairs", &segmetry::count_run_pairs, nb::arg("true_stops"), nb::arg("true_labels"),
          nb::arg("pred_stops"), nb::arg("pred_labels"),
          "Count the label pairs of two arrays given as runs: (true labels, pred labels, counts), sorted.");
}
