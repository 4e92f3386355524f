// The Python binding of the kernels on stretches.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "joint_ends.hpp"
#include "pairs_blocks.hpp"
#include "pairs_table.hpp"
#include "run_length_boxes.hpp"
#include "run_length_coco.hpp"
#include "run_length_sweep.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

nb::tuple to_tuple(const RunLengthLists &stretches) {
    return nb::make_tuple(to_numpy(stretches.offsets), to_numpy(stretches.starts), to_numpy(stretches.stops));
}

// Offsets that lead outside the stretches would read foreign memory; any other mistake of a caller only gives a
// wrong sum, and is checked where stretches are made.
RunLengthView checked_view(const Int64Array &offsets, const Int64Array &starts, const Int64Array &stops) {
    std::vector<std::int64_t> own = private_copy(offsets);
    const bool consistent = !own.empty() && own.front() == 0 && std::is_sorted(own.begin(), own.end()) &&
                            own.back() == static_cast<std::int64_t>(starts.size()) && starts.size() == stops.size();
    check(consistent, "run lengths: offsets do not rise from 0 to the number of starts and stops");
    const std::size_t masks = own.size() - 1;
    return RunLengthView{std::move(own), starts.data(), stops.data(), masks, starts.size()};
}

nb::object decode_counts(nb::bytes text) {
    std::vector<std::int64_t> counts;
    InterruptCheck interrupts;
    if (!decode_coco_counts(std::string_view(text.c_str(), text.size()), counts, interrupts)) {
        return nb::none();
    }
    return to_numpy(counts);
}

// The strings of some masks, and how much room their stretches need.
struct CocoStrings {
    std::vector<std::string_view> texts;
    std::vector<std::size_t> numbers;  // of each string
    std::size_t most_stretches = 0;

    // False if a string is malformed; the last one examined is that one.
    bool survey() {
        InterruptCheck interrupts;
        for (const std::string_view text : texts) {
            const std::optional<std::size_t> found = survey_coco(text, interrupts);
            if (!found) {
                return false;
            }
            numbers.push_back(*found);
            most_stretches += *found / 2;
        }
        return true;
    }
};

// (-1, offsets, starts, stops), or the index of a mask that is malformed and nothing usable.
nb::tuple decode_masks(nb::object encoded, std::int64_t size) {
    check(size >= 0, "size must not be negative");
    const auto malformed = [](std::size_t mask) { return nb::make_tuple(mask, nb::none(), nb::none(), nb::none()); };
    const nb::tuple held = nb::tuple(encoded);  // keeps the bytes alive while other threads run
    CocoStrings strings;
    for (nb::handle item : held) {
        if (!PyBytes_Check(item.ptr())) {
            return malformed(strings.texts.size());
        }
        strings.texts.emplace_back(PyBytes_AsString(item.ptr()), static_cast<std::size_t>(PyBytes_Size(item.ptr())));
    }
    bool well_formed;
    {
        const nb::gil_scoped_release unlocked;
        well_formed = strings.survey();
    }
    if (!well_formed) {
        return malformed(strings.numbers.size());
    }
    // Decoded straight into the arrays of the result. They are a little longer than the stretches, as the decoder needs.
    const std::size_t masks = strings.texts.size();
    NewArray<std::int64_t> offsets(masks + 1), starts(strings.most_stretches + 1), stops(strings.most_stretches + 1);
    std::size_t done = 0, stretches = 0;
    offsets.data[0] = 0;
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        for (; done < masks; ++done) {
            const std::optional<std::size_t> found =
                decode_coco_mask(strings.texts[done], strings.numbers[done], size, starts.data + stretches,
                                 stops.data + stretches, interrupts);
            if (!found) {
                break;
            }
            stretches += *found;
            offsets.data[done + 1] = static_cast<std::int64_t>(stretches);
        }
    }
    if (done < masks) {
        return malformed(done);
    }
    const nb::slice used(stretches);
    return nb::make_tuple(-1, offsets.array, starts.array[used], stops.array[used]);
}

nb::tuple run_lengths_from_dense(nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu> stack) {
    const std::size_t size = stack.shape(1);
    const char *row = reinterpret_cast<const char *>(stack.data());
    RunLengthLists stretches;
    {
        const nb::gil_scoped_release unlocked;
        const FindEnds find_ends = find_ends_for(1, 1);
        std::vector<std::uint32_t> ends(std::min(kBlock, size) + kSpareEnds);
        InterruptCheck interrupts;
        for (std::size_t mask = 0; mask < stack.shape(0); ++mask, row += size) {
            for (std::size_t block = 0; block < size; block += kBlock) {
                interrupts.look(kBlock);
                const char *data = row + block;
                const std::size_t found = find_ends(data, data, std::min(kBlock, size - block), ends.data());
                std::size_t start = block;
                for (std::size_t e = 0; e < found; ++e) {
                    const std::size_t stop = block + ends[e] + 1;
                    if (data[ends[e]] != 0) {
                        stretches.add(static_cast<std::int64_t>(start), static_cast<std::int64_t>(stop));
                    }
                    start = stop;
                }
            }
            stretches.end_mask();
        }
    }
    return to_tuple(stretches);
}

nb::tuple intersect(Int64Array offsets_a, Int64Array starts_a, Int64Array stops_a, Int64Array offsets_b,
                    Int64Array starts_b, Int64Array stops_b, std::int64_t line, std::size_t steps_per_stretch) {
    check(line >= 0, "line must not be negative");
    const RunLengthView a = checked_view(offsets_a, starts_a, stops_a), b = checked_view(offsets_b, starts_b, stops_b);
    std::vector<PairCount> rows;
    {
        const nb::gil_scoped_release unlocked;
        std::optional<std::vector<PairCount>> found =
            intersect_boxes(a, b, line, steps_per_stretch * (a.stretches + b.stretches));
        InterruptCheck interrupts;
        rows = found ? std::move(*found) : intersect_run_lengths(a, b, interrupts);
    }
    NewArray<std::int64_t> rows_a(rows.size()), rows_b(rows.size()), shared(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows_a.data[i] = static_cast<std::int64_t>(rows[i].a);
        rows_b.data[i] = static_cast<std::int64_t>(rows[i].b);
        shared.data[i] = rows[i].count;
    }
    return nb::make_tuple(rows_a.array, rows_b.array, shared.array);
}

nb::tuple unite(Int64Array offsets, Int64Array starts, Int64Array stops) {
    const RunLengthView view = checked_view(offsets, starts, stops);
    RunLengthLists result;
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        result = union_run_lengths(view, interrupts);
    }
    return to_tuple(result);
}

nb::object sizes(Int64Array offsets, Int64Array starts, Int64Array stops) {
    InterruptCheck interrupts;
    return to_numpy(mask_sizes(checked_view(offsets, starts, stops), interrupts));
}

bool self_overlaps(Int64Array offsets, Int64Array starts, Int64Array stops) {
    const RunLengthView view = checked_view(offsets, starts, stops);
    const nb::gil_scoped_release unlocked;
    InterruptCheck interrupts;
    return masks_overlap(view, interrupts);
}

}  // namespace

}  // namespace segmetry

void register_run_length_masks(nb::module_ &m) {
    m.def("decode_coco_counts", &segmetry::decode_counts, nb::arg("encoded"),
          "The counts of a compressed COCO string, or None if it is malformed.");
    m.def(
        "decode_coco_masks", &segmetry::decode_masks, nb::arg("encoded"), nb::arg("size"),
        "Stretches of many compressed strings: (-1, offsets, starts, stops), or the index of a malformed mask first.");
    m.def("run_lengths_from_dense", &segmetry::run_lengths_from_dense, nb::arg("stack").noconvert(),
          "Stretches of the rows of a boolean array.");
    m.def(
        "intersect_run_lengths", &segmetry::intersect, nb::arg("offsets_a").noconvert(),
        nb::arg("starts_a").noconvert(), nb::arg("stops_a").noconvert(), nb::arg("offsets_b").noconvert(),
        nb::arg("starts_b").noconvert(), nb::arg("stops_b").noconvert(), nb::kw_only(), nb::arg("line") = 0,
        nb::arg("steps_per_stretch") = 6,
        "Pairs of masks of two sides that share elements, and how many. The last two arguments change how the work is "
        "done, never the result; a sweep is used where pair after pair would take more steps than that.");
    m.def("union_run_lengths", &segmetry::unite, nb::arg("offsets").noconvert(), nb::arg("starts").noconvert(),
          nb::arg("stops").noconvert(), "The union of all masks, as one mask.");
    m.def("sizes", &segmetry::sizes, nb::arg("offsets").noconvert(), nb::arg("starts").noconvert(),
          nb::arg("stops").noconvert(), "The number of elements of every mask.");
    m.def("self_overlaps", &segmetry::self_overlaps, nb::arg("offsets").noconvert(), nb::arg("starts").noconvert(),
          nb::arg("stops").noconvert(), "Whether any two masks share an element.");
}
