// Decodes the inflated rows of a PNG image into labels.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "arrays.hpp"
#include "checks.hpp"
#include "compat.hpp"
#include "png_filters.hpp"
#include "png_lines.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_size(const Bytes &rows, std::size_t height, std::size_t width, std::size_t bytes_per_pixel) {
    std::size_t needed;
    const bool overflows =
        product_overflows(width, bytes_per_pixel, needed) || ++needed == 0 || product_overflows(needed, height, needed);
    check(!overflows && rows.size() == needed, "rows have another size than the labels need");
}

template <typename Pixel>
bool png_labels(Bytes rows, nb::ndarray<typename Pixel::Label, nb::ndim<2>, nb::c_contig, nb::device::cpu> labels) {
    const std::size_t height = labels.shape(0), width = labels.shape(1);
    check_size(rows, height, width, Pixel::bytes);
    const nb::gil_scoped_release unlocked;
    DenseLine<typename Pixel::Label> line(labels.data(), width);
    return undo_filters<Pixel>(rows.data(), height, width, line);
}

template <typename Pixel>
bool fill_stretches(const Bytes &rows, std::size_t height, std::size_t width, RunLengthLine &line) {
    const nb::gil_scoped_release unlocked;
    try {
        return undo_filters<Pixel>(rows.data(), height, width, line);
    } catch (const TooManyStretches &) {
        return false;
    }
}

nb::object png_run_lengths(Bytes rows, std::size_t height, std::size_t width, std::size_t bytes_per_pixel,
                           std::size_t most_stretches) {
    check(height >= 1 && width >= 1 && bytes_per_pixel >= 1 && bytes_per_pixel <= 3,
          "an image has rows, columns, and one, two or three bytes per pixel");
    check_size(rows, height, width, bytes_per_pixel);
    most_stretches = std::min(most_stretches, height * width);
    RunLengthLine line(width, most_stretches);
    const auto fill = bytes_per_pixel == 1   ? fill_stretches<Grey8>
                      : bytes_per_pixel == 2 ? fill_stretches<Grey16>
                                             : fill_stretches<Colours>;
    if (!fill(rows, height, width, line) || line.size() > most_stretches) {
        return nb::none();
    }
    NewArray<std::int64_t> stops(line.size()), labels(line.size());
    line.write(stops.data, labels.data);
    return nb::make_tuple(stops.array, labels.array);
}

}  // namespace

}  // namespace segmetry

void register_png(nb::module_ &m) {
    const char *const words =
        "Fill labels from the inflated rows of a PNG image; False if a row names an unknown filter.";
    m.def("png_labels", &segmetry::png_labels<segmetry::Grey8>, nb::arg("rows").noconvert(),
          nb::arg("labels").noconvert(), words);
    m.def("png_labels", &segmetry::png_labels<segmetry::Grey16>, nb::arg("rows").noconvert(),
          nb::arg("labels").noconvert(), words);
    m.def("png_labels", &segmetry::png_labels<segmetry::Colours>, nb::arg("rows").noconvert(),
          nb::arg("labels").noconvert(), words);
    m.def("png_run_lengths", &segmetry::png_run_lengths, nb::arg("rows").noconvert(), nb::arg("height"),
          nb::arg("width"), nb::arg("bytes_per_pixel"), nb::arg("most_stretches"),
          "The labels as stretches (stops, labels); None if a row names an unknown filter, or there are more than "
          "most_stretches.");
}
