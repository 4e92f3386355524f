// Writes a value per label. Values are moved as bit patterns of 4 or 8 bytes (float32 and RGBA, float64), and looked
// up once per stretch of equal labels, so that the cost is that of reading the labels and writing the picture.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>

#include "checks.hpp"
#include "interrupts.hpp"
#include "label_index.hpp"
#include "label_rows.hpp"
#include "stretches.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

template <typename Value>
using Column = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename Value>
using Picture = nb::ndarray<Value, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// `fill` is a column of one value.
template <typename Label, typename Value>
void paint(Labels3<Label> labels, Column<std::uint64_t> ids, Column<Value> values, Column<Value> fill,
           Picture<Value> out) {
    check_same_shape(labels, out, "out must have the shape of the labels");
    check(values.size() == ids.size(), "there must be as many values as ids");
    check(fill.size() == 1, "fill must be one value");
    const std::int64_t count = ids.shape(0);
    LabelIndex index(ids.shape(0));
    InterruptCheck interrupts;
    for (std::int64_t i = 0; i < count; ++i) {
        interrupts.look(1);
        index.find_or_add(ids.data()[i]);
    }
    if (labels.size() == 0) {
        return;
    }

    LabelRows<Label> rows(labels);
    Value *target = out.data();
    for (std::int64_t plane = 0; plane < rows.planes; ++plane) {
        for (std::int64_t row = 0; row < rows.rows; ++row, target += rows.length) {
            const Label *labels_of_row = rows.row(plane, row, interrupts);
            for (std::int64_t start = 0, end; start < rows.length; start = end) {
                end = stretch_end(labels_of_row, start, rows.length);
                interrupts.look(static_cast<std::size_t>(end - start));
                const std::int64_t at = index.find(labels_of_row[start]);
                std::fill(target + start, target + end, at < 0 ? fill.data()[0] : values.data()[at]);
            }
        }
    }
}

template <typename Label, typename Value>
void register_pair(nb::module_ &m) {
    m.def("paint", &paint<Label, Value>, nb::arg("labels").noconvert(), nb::arg("ids").noconvert(),
          nb::arg("values").noconvert(), nb::arg("fill").noconvert(), nb::arg("out").noconvert(),
          nb::call_guard<nb::gil_scoped_release>());
}

template <typename Label>
void register_label(nb::module_ &m) {
    register_pair<Label, std::uint32_t>(m);
    register_pair<Label, std::uint64_t>(m);
}

}  // namespace

}  // namespace segmetry

void register_paint(nb::module_ &m) {
    segmetry::register_label<std::uint8_t>(m);
    segmetry::register_label<std::uint16_t>(m);
    segmetry::register_label<std::uint32_t>(m);
    segmetry::register_label<std::uint64_t>(m);
}
