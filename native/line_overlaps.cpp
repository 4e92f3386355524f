// The overlaps of two sets of disjoint, sorted spans of a line: one walk along both.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "unlocked.hpp"

namespace segmetry {

namespace {

struct Spans {
    const std::int64_t *starts;
    const std::int64_t *stops;
    std::size_t count;

    Spans(const Int64Array &first, const Int64Array &last)
        : starts(first.data()), stops(last.data()), count(first.size()) {
        check(last.size() == count, "there must be as many stops as starts");
    }

    void check_order(InterruptCheck &interrupts) const {
        in_pieces(count, interrupts, [this](std::size_t begin, std::size_t end) {
            for (std::size_t at = begin; at < end; ++at) {
                check(starts[at] >= 0 && starts[at] < stops[at] && (at == 0 || stops[at - 1] <= starts[at]),
                      "spans must be disjoint and in order");
            }
        });
    }
};

// Calls `found(i, j, shared)` for every pair that overlaps, in order.
template <typename Found>
void walk(const Spans &true_spans, const Spans &pred_spans, InterruptCheck &interrupts, Found found) {
    for (std::size_t i = 0, j = 0; i < true_spans.count && j < pred_spans.count;) {
        interrupts.look(1);
        const std::int64_t from = std::max(true_spans.starts[i], pred_spans.starts[j]);
        const std::int64_t to = std::min(true_spans.stops[i], pred_spans.stops[j]);
        if (from < to) {
            found(i, j, to - from);
        }
        if (true_spans.stops[i] <= pred_spans.stops[j]) {
            ++i;
        } else {
            ++j;
        }
    }
}

nb::tuple line_overlaps(Int64Array true_starts, Int64Array true_stops, Int64Array pred_starts, Int64Array pred_stops) {
    const Spans true_spans(true_starts, true_stops), pred_spans(pred_starts, pred_stops);
    std::size_t pairs = 0;
    InterruptCheck interrupts;
    {
        const Unlocked unlocked(true_spans.count + pred_spans.count);
        true_spans.check_order(interrupts);
        pred_spans.check_order(interrupts);
        walk(true_spans, pred_spans, interrupts, [&pairs](std::size_t, std::size_t, std::int64_t) { ++pairs; });
    }
    NewArray<std::int64_t> row_true(pairs), row_pred(pairs), shared(pairs);
    NewArray<std::int64_t> true_outside(true_spans.count), pred_outside(pred_spans.count);
    {
        const Unlocked unlocked(true_spans.count + pred_spans.count);
        for (std::size_t at = 0; at < true_spans.count; ++at) {
            true_outside.data[at] = true_spans.stops[at] - true_spans.starts[at];
        }
        for (std::size_t at = 0; at < pred_spans.count; ++at) {
            pred_outside.data[at] = pred_spans.stops[at] - pred_spans.starts[at];
        }
        std::size_t row = 0;
        walk(true_spans, pred_spans, interrupts, [&](std::size_t i, std::size_t j, std::int64_t both) {
            check(row < pairs, kChanged);
            row_true.data[row] = static_cast<std::int64_t>(i);
            row_pred.data[row] = static_cast<std::int64_t>(j);
            shared.data[row++] = both;
            true_outside.data[i] -= both;
            pred_outside.data[j] -= both;
        });
        check(row == pairs, kChanged);
    }
    return nb::make_tuple(row_true.array, row_pred.array, shared.array, true_outside.array, pred_outside.array);
}

}  // namespace

}  // namespace segmetry

void register_line_overlaps(nanobind::module_ &m) {
    namespace nb = nanobind;
    m.def("line_overlaps", &segmetry::line_overlaps, nb::arg("true_starts").noconvert(),
          nb::arg("true_stops").noconvert(), nb::arg("pred_starts").noconvert(), nb::arg("pred_stops").noconvert(),
          "The pairs of spans that overlap, their shared elements, and the elements of each span outside the other "
          "side.");
}
