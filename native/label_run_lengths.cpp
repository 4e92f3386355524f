// Label arrays stored as stretches of equal labels: their label pairs are counted without reading any element.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "pairs_spill.hpp"
#include "pairs_table.hpp"
#include "stretch_sizes.hpp"
#include "unlocked.hpp"

namespace segmetry {

namespace {

// Turns the order of signed labels into that of unsigned ones, and back.
constexpr std::uint64_t kFlip = std::uint64_t{1} << 63;

std::uint64_t ordered(std::int64_t label) { return static_cast<std::uint64_t>(label) ^ kFlip; }
std::int64_t label_of(std::uint64_t ordered) { return static_cast<std::int64_t>(ordered ^ kFlip); }

// One side: stretch r has label labels[r] and ends before element stops[r].
struct LabelRunLengths {
    const std::int64_t *stops;
    const std::int64_t *labels;
    std::size_t size;

    LabelRunLengths(const Int64Array &stops_array, const Int64Array &labels_array)
        : stops(stops_array.data()), labels(labels_array.data()), size(stops_array.size()) {
        check(labels_array.size() == size, "there must be as many stops as labels");
        for (std::size_t r = 0; r < size; ++r) {
            check(stops[r] > (r == 0 ? 0 : stops[r - 1]), "stops must rise from above zero");
        }
    }
    std::int64_t length() const { return size == 0 ? 0 : stops[size - 1]; }
};

std::vector<PairCount> count(const LabelRunLengths &first, const LabelRunLengths &second) {
    PairTable table(0);
    std::int64_t start = 0;
    InterruptCheck interrupts;
    std::size_t a = 0, b = 0;
    while (a < first.size && b < second.size) {
        interrupts.look(1);
        const std::int64_t stop_a = first.stops[a], stop_b = second.stops[b], stop = std::min(stop_a, stop_b);
        check(stop > start, kChanged);
        table.add(PairCount{ordered(first.labels[a]), ordered(second.labels[b]), stop - start});
        a += stop_a == stop;
        b += stop_b == stop;
        start = stop;
    }
    check(a == first.size && b == second.size, kChanged);  // both end at the same element
    std::vector<PairCount> rows = table.rows();
    sort_rows(rows, interrupts);
    return rows;
}

nb::tuple count_run_length_pairs(Int64Array true_stops, Int64Array true_labels, Int64Array pred_stops,
                                 Int64Array pred_labels) {
    const LabelRunLengths first(true_stops, true_labels), second(pred_stops, pred_labels);
    check(first.length() == second.length(), "both sides must have the same number of elements");
    std::vector<PairCount> rows;
    {
        const Unlocked unlocked(first.size + second.size);
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

nb::tuple run_length_sizes(Int64Array stops, Int64Array labels) {
    check(stops.size() == labels.size(), "there must be as many stops as labels");
    LabelSizes sizes;
    {
        const Unlocked unlocked(stops.size());
        sizes = stretch_sizes(stops.size(), [stops = stops.data(), labels = labels.data()](std::size_t r) {
            return std::pair(stops[r], labels[r]);
        });
    }
    return columns_of(sizes);
}

}  // namespace

}  // namespace segmetry

void register_label_run_lengths(nanobind::module_ &m) {
    namespace nb = nanobind;
    m.def("count_run_length_pairs", &segmetry::count_run_length_pairs, nb::arg("true_stops").noconvert(),
          nb::arg("true_labels").noconvert(), nb::arg("pred_stops").noconvert(), nb::arg("pred_labels").noconvert(),
          "Count the label pairs of two arrays given as stretches: (true labels, pred labels, counts), sorted.");
    m.def("run_length_sizes", &segmetry::run_length_sizes, nb::arg("stops").noconvert(), nb::arg("labels").noconvert(),
          "Count the elements of every label of an array given as stretches: (labels, counts), sorted.");
}
