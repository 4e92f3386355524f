// Python's way to the pair counting kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "arrays.hpp"
#include "pairs_count.hpp"
#include "pairs_view.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

// Undoes Side::order_flip and sign-extends; uint64 labels travel through the same 64 bits.
struct LabelDecoder {
    std::uint64_t flip;
    int unused;  // bits above a signed label

    explicit LabelDecoder(const Side &side)
        : flip(side.order_flip()), unused(side.is_signed ? 64 - 8 * side.width : 0) {}
    std::uint64_t operator()(std::uint64_t ordered) const {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>((ordered ^ flip) << unused) >> unused);
    }
};

// Labels go out as int64, and as uint64 where the input is uint64; both are written as the same 64 bits.
struct LabelColumn {
    nb::object array;
    std::uint64_t *data;

    LabelColumn(const Side &side, std::size_t rows) {
        if (side.width == 8 && !side.is_signed) {
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

nb::tuple count_pairs_of_buffers(nb::handle first, nb::handle second, std::size_t threads, std::size_t spill_after,
                                 std::size_t chunk, std::size_t slab) {
    if (threads < 1 || chunk < 1) throw std::invalid_argument("threads and chunk must be at least 1");
    const HeldBuffer first_buffer(first.ptr()), second_buffer(second.ptr());
    const PairView view = make_pair_view(first_buffer.view(), second_buffer.view());
    PairRows rows;
    {
        const nb::gil_scoped_release unlocked;
        rows = count_pairs(view, threads, Tuning{spill_after, chunk, slab});
    }
    LabelColumn true_labels(view.side[0], rows.size()), pred_labels(view.side[1], rows.size());
    NewArray<std::int64_t> counts(rows.size());
    {
        const nb::gil_scoped_release unlocked;
        rows.for_each([true_label = LabelDecoder(view.side[0]), pred_label = LabelDecoder(view.side[1]),
                       next_true = true_labels.data, next_pred = pred_labels.data,
                       next_count = counts.data](const PairCount &row) mutable {
            *next_true++ = true_label(row.a);
            *next_pred++ = pred_label(row.b);
            *next_count++ = row.count;
        });
    }
    return nb::make_tuple(true_labels.array, pred_labels.array, counts.array);
}

std::uint64_t sum_of_words(const char *data, std::size_t bytes) {
    std::uint64_t sum[8] = {};
    for (; bytes >= sizeof(sum); bytes -= sizeof(sum), data += sizeof(sum)) {
        std::uint64_t words[8];
        std::memcpy(words, data, sizeof(words));
        for (int i = 0; i < 8; ++i) sum[i] += words[i];
    }
    std::uint64_t total = 0;
    for (const std::uint64_t part : sum) total += part;
    for (; bytes > 0; --bytes, ++data) total += static_cast<unsigned char>(*data);
    return total;
}

// The yardstick of the benchmark: how long does it take merely to read both arrays? Counting is compared with that,
// since no way of counting can be faster. Nothing in the library uses it.
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
          nb::arg("threads") = 1, nb::arg("spill_after") = usual.spill_after, nb::arg("chunk") = usual.chunk,
          nb::arg("slab") = usual.slab,
          "Count the label pairs of two arrays of one shape: (true labels, pred labels, counts), sorted. The arguments "
          "after threads change how the work is cut, never the result; tests use them.");
    m.def("read_sum", &segmetry::read_sum, nb::arg("first"), nb::arg("second"),
          "Read two contiguous arrays and add up their 64-bit words: the yardstick of the benchmark.");
}
