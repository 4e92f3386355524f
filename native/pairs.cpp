// The Python binding of the pair counting kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "item_rows.hpp"
#include "pairs_count.hpp"
#include "pairs_view.hpp"
#include "read_sum.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

// Undoes Side::order_flip, which for a signed label is the same as adding the flipped bit: taking it off again also
// extends the sign. uint64 labels use the same 64 bits.
struct LabelDecoder {
    std::uint64_t added;

    explicit LabelDecoder(const Side &side) : added(side.order_flip()) {}
    std::uint64_t operator()(std::uint64_t ordered) const { return ordered - added; }
};

// Labels are returned as int64, and as uint64 where the input is uint64; both are written as the same 64 bits.
bool goes_out_unsigned(const Side &side) { return side.width == 8 && !side.is_signed; }

struct LabelColumn {
    nb::object array;
    std::uint64_t *data;

    LabelColumn(const Side &side, std::size_t rows) {
        if (goes_out_unsigned(side)) {
            NewArray<std::uint64_t> labels(rows);
            array = labels.array;
            data = labels.data;
        } else {
            NewArray<std::int64_t> labels(rows);
            array = labels.array;
            data = reinterpret_cast<std::uint64_t *>(labels.data);
        }
    }
};

void write_columns(const PairRows &rows, const PairView &view, std::uint64_t *true_labels, std::uint64_t *pred_labels,
                   std::uint64_t *counts) {
    const nb::gil_scoped_release unlocked;
    if (const DenseCounts *dense = rows.only_dense()) {
        const std::uint64_t added[2] = {LabelDecoder(view.side[0]).added, LabelDecoder(view.side[1]).added};
        return dense->write_columns(added, RowColumns{true_labels, pred_labels, counts});
    }
    rows.for_each([true_label = LabelDecoder(view.side[0]), pred_label = LabelDecoder(view.side[1]), true_labels,
                   pred_labels, counts](const PairCount &row) mutable {
        *true_labels++ = true_label(row.a);
        *pred_labels++ = pred_label(row.b);
        *counts++ = static_cast<std::uint64_t>(row.count);
    });
}

nb::tuple new_columns(const PairRows &rows, const PairView &view) {
    LabelColumn true_labels(view.side[0], rows.size()), pred_labels(view.side[1], rows.size());
    NewArray<std::int64_t> counts(rows.size());
    write_columns(rows, view, true_labels.data, pred_labels.data, reinterpret_cast<std::uint64_t *>(counts.data));
    return nb::make_tuple(true_labels.array, pred_labels.array, counts.array);
}

nb::object label_array(const Side &side, LargeBuffer<std::uint64_t> &&memory, std::size_t rows) {
    if (goes_out_unsigned(side)) {
        return to_numpy<std::uint64_t>(std::move(memory), rows);
    }
    return to_numpy<std::int64_t>(std::move(memory), rows);
}

// The true labels take the place of the keys, row by row.
nb::tuple columns_in_place(const PairRows &rows, SortedKeys &memory, const PairView &view) {
    const std::size_t size = rows.size();
    LargeBuffer<std::uint64_t> counts(size);
    write_columns(rows, view, memory.keys.data(), memory.spare.data(), counts.data());
    return nb::make_tuple(label_array(view.side[0], std::move(memory.keys), size),
                          label_array(view.side[1], std::move(memory.spare), size),
                          to_numpy<std::int64_t>(std::move(counts), size));
}

nb::tuple count_pairs_of_buffers(nb::handle first, nb::handle second, std::size_t threads, std::size_t spill_after,
                                 std::size_t sort_after, std::size_t chunk, std::size_t slab, std::size_t most_cells,
                                 std::size_t most_in_cell, int widest_vectors, std::size_t beyond_caches) {
    check(threads >= 1 && chunk >= 1, "threads and chunk must be at least 1");
    const Tuning usual;
    check(most_cells <= usual.most_cells && most_in_cell <= usual.most_in_cell,
          "most_cells and most_in_cell must not exceed their defaults");
    const HeldBuffer first_buffer(first.ptr()), second_buffer(second.ptr());
    const PairView view = make_pair_view(first_buffer.view(), second_buffer.view());
    PairRows rows;
    {
        const nb::gil_scoped_release unlocked;
        rows = count_pairs(
            view, threads,
            Tuning{spill_after, sort_after, chunk, slab, most_cells, most_in_cell, widest_vectors, beyond_caches});
    }
    SortedKeys *memory = rows.reusable();
    return memory != nullptr ? columns_in_place(rows, *memory, view) : new_columns(rows, view);
}

// The pairs of every item of two lists of arrays, the lock released once for all of them.
nb::tuple count_item_pairs(nb::list trues, nb::list preds, std::size_t threads) {
    const std::size_t n = nb::len(trues);
    check(threads >= 1 && nb::len(preds) == n,
          "threads must be at least 1, and there must be as many arrays on both sides");
    std::deque<HeldBuffer> held;
    std::vector<PairView> views;
    views.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const HeldBuffer &first = held.emplace_back(nb::object(trues[i]).ptr());
        const HeldBuffer &second = held.emplace_back(nb::object(preds[i]).ptr());
        views.push_back(make_pair_view(first.view(), second.view()));
        check(!goes_out_unsigned(views.back().side[0]) && !goes_out_unsigned(views.back().side[1]),
              "labels must fit into int64");
    }
    ItemRows rows;
    {
        const nb::gil_scoped_release unlocked;
        const std::size_t step = std::clamp<std::size_t>(n / (8 * threads), 1, 64);
        rows = count_items(n, threads, step, [&views] {
            return [&views](std::size_t item, std::vector<PairCount> &found, InterruptCheck &interrupts) {
                const PairView &view = views[item];
                interrupts.look(view.size);
                const LabelDecoder first(view.side[0]), second(view.side[1]);
                count_pairs(view, 1, Tuning{}).for_each([&](const PairCount &row) {
                    found.push_back(PairCount{first(row.a), second(row.b), row.count});
                });
            };
        });
    }
    return rows.columns();
}

// The reference of the benchmark: the time to read both arrays, a lower bound of the time to count them. Nothing in the
// library uses it.
std::uint64_t read_sum(nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> first,
                       nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> second) {
    const nb::gil_scoped_release unlocked;
    return sum_of_words(static_cast<const char *>(first.data()), first.nbytes()) +
           sum_of_words(static_cast<const char *>(second.data()), second.nbytes());
}

}  // namespace

}  // namespace segmetry

void register_pairs(nb::module_ &m) {
    const segmetry::Tuning usual;
    m.def("count_pairs", &segmetry::count_pairs_of_buffers, nb::arg("true"), nb::arg("pred"), nb::kw_only(),
          nb::arg("threads") = 1, nb::arg("spill_after") = usual.spill_after, nb::arg("sort_after") = usual.sort_after,
          nb::arg("chunk") = usual.chunk, nb::arg("slab") = usual.slab, nb::arg("most_cells") = usual.most_cells,
          nb::arg("most_in_cell") = usual.most_in_cell, nb::arg("widest_vectors") = usual.widest_vectors,
          nb::arg("beyond_caches") = usual.beyond_caches,
          "Count the label pairs of two arrays of one shape: (true labels, pred labels, counts), sorted. The arguments "
          "after threads change how the work is cut, never the result; tests use them.");
    m.def("count_item_pairs", &segmetry::count_item_pairs, nb::arg("true"), nb::arg("pred"), nb::arg("threads"),
          "Count the label pairs of every item of two lists of arrays: (starts, true labels, pred labels, counts).");
    m.def("read_sum", &segmetry::read_sum, nb::arg("first").noconvert(), nb::arg("second").noconvert(),
          "Read two contiguous arrays and add up their 64-bit words: the yardstick of the benchmark.");
}
