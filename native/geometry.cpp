// Area, bounding box and perimeter of every segment in one pass over a label array.
//
// The array is read once, as stretches of equal labels along the last axis. All else is computed from stretches: each is
// compared with those of the neighbouring rows (before and behind along the other axes), and every part of it on which
// the neighbour has another label adds its length to the perimeter. A part on which no neighbour differs, except the
// stretch's own two ends, is interior; the elements that are not interior are the inner boundary.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "checks.hpp"
#include "interrupts.hpp"
#include "label_index.hpp"
#include "label_rows.hpp"
#include "stretches.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// The columns of the result, in this order.
struct Measures {
    std::int64_t area = 0;
    std::array<std::int64_t, 3> low{kNone, kNone, kNone}, high{0, 0, 0};
    std::int64_t perimeter = 0, frame = 0, interior = 0;
};
constexpr std::size_t kColumns = 10;
static_assert(sizeof(Measures) == kColumns * sizeof(std::int64_t), "Measures is returned as a table of int64");

struct Stretch {
    std::int64_t end, segment;
};
using Stretches = std::vector<Stretch>;

template <typename Label>
class GeometryPass {
  public:
    // `axes` of the three axes are real: 1 the last, 2 the first and the last, 3 all.
    GeometryPass(const Labels3<Label> &labels, int axes) : rows_(labels), axes_(axes) {}

    void measure() {
        if (axes_ == 1) {
            read_row(0, 0, nullptr);
            return;
        }
        // Three planes suffice: a plane is compared when the plane behind it has been read.
        for (auto &plane : ring_) {
            plane.resize(rows_.rows);
        }
        for (std::int64_t plane = 0; plane <= rows_.planes; ++plane) {
            if (plane < rows_.planes) {
                for (std::int64_t row = 0; row < rows_.rows; ++row) {
                    read_row(plane, row, &ring_[plane % 3][row]);
                }
            }
            if (plane > 0) {
                for (std::int64_t row = 0; row < rows_.rows; ++row) {
                    compare_row(plane - 1, row);
                }
            }
        }
    }

    std::vector<std::uint64_t> labels;
    std::vector<Measures> measures;

  private:
    std::int64_t segment_of(Label label) {
        const std::int64_t segment = index_.find_or_add(label);
        if (segment == static_cast<std::int64_t>(labels.size())) {
            labels.push_back(label);
            measures.emplace_back();
        }
        return segment;
    }

    void read_row(std::int64_t plane, std::int64_t row, Stretches *stretches) {
        const Label *labels_of_row = rows_.row(plane, row, interrupts_);
        if (stretches) {
            stretches->clear();
        }
        for (std::int64_t start = 0, end; start < rows_.length; start = end) {
            end = stretch_end(labels_of_row, start, rows_.length);
            interrupts_.look(static_cast<std::size_t>(end - start));
            const std::int64_t segment = segment_of(labels_of_row[start]);
            Measures &sums = measures[segment];
            sums.area += end - start;
            const std::array<std::int64_t, 3> first{plane, row, start}, behind{plane + 1, row + 1, end};
            for (int axis = 0; axis < 3; ++axis) {
                sums.low[axis] = std::min(sums.low[axis], first[axis]);
                sums.high[axis] = std::max(sums.high[axis], behind[axis]);
            }
            sums.perimeter += 2;
            sums.frame += (start == 0) + (end == rows_.length);
            if (stretches) {
                stretches->push_back({end, segment});
            } else {
                sums.interior += std::max<std::int64_t>(0, end - start - 2);
            }
        }
    }

    void compare_row(std::int64_t plane, std::int64_t row) {
        std::array<const Stretch *, 4> neighbours{};
        int count = 0, outside = 0;
        const auto add = [&](bool inside, std::int64_t of_plane, std::int64_t of_row) {
            if (inside) {
                neighbours[count++] = ring_[of_plane % 3][of_row].data();
            } else {
                ++outside;
            }
        };
        add(plane > 0, plane - 1, row);
        add(plane + 1 < rows_.planes, plane + 1, row);
        if (axes_ == 3) {
            add(row > 0, plane, row - 1);
            add(row + 1 < rows_.rows, plane, row + 1);
        }
        std::int64_t start = 0;
        for (const Stretch &stretch : ring_[plane % 3][row]) {
            interrupts_.look(static_cast<std::size_t>(stretch.end - start));
            compare_stretch(start, stretch, neighbours, count, outside);
            start = stretch.end;
        }
    }

    // Walks the neighbours' stretches along [start, stretch.end). Each neighbour pointer only moves forward within its row;
    // it never passes the row's last stretch, which ends where this row's last stretch ends.
    void compare_stretch(std::int64_t start, const Stretch &stretch, std::array<const Stretch *, 4> &neighbours,
                         int count, int outside) {
        Measures &sums = measures[stretch.segment];
        sums.frame += outside * (stretch.end - start);
        for (std::int64_t from = start, to; from < stretch.end; from = to) {
            to = stretch.end;
            std::int64_t differing = outside;
            for (int k = 0; k < count; ++k) {
                while (neighbours[k]->end <= from) {
                    ++neighbours[k];
                }
                to = std::min(to, neighbours[k]->end);
                differing += neighbours[k]->segment != stretch.segment;
            }
            sums.perimeter += differing * (to - from);
            if (differing == 0) {
                sums.interior += std::max<std::int64_t>(0, std::min(to, stretch.end - 1) - std::max(from, start + 1));
            }
        }
    }

    LabelRows<Label> rows_;
    const int axes_;
    LabelIndex index_;
    std::array<std::vector<Stretches>, 3> ring_;
    InterruptCheck interrupts_;
};

template <typename Value>
nb::capsule owner_of(std::unique_ptr<Value> &value) {
    return nb::capsule(value.release(), [](void *p) noexcept { delete static_cast<Value *>(p); });
}

using LabelColumn = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>;
using MeasureTable = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>>;

template <typename Label>
std::pair<LabelColumn, MeasureTable> segment_geometry(Labels3<Label> labels, int axes) {
    check(axes >= 1 && axes <= 3, "axes must be 1, 2 or 3");
    check(axes > 1 || labels.shape(0) == 1, "with one axis there must be one plane");
    check(axes > 2 || labels.shape(1) == 1, "with fewer than three axes there must be one row in each plane");
    auto found = std::make_unique<std::vector<std::uint64_t>>();
    auto measures = std::make_unique<std::vector<Measures>>();
    {
        nb::gil_scoped_release release;
        GeometryPass<Label> pass(labels, axes);
        if (labels.size() > 0) {
            pass.measure();
        }
        *found = std::move(pass.labels);
        *measures = std::move(pass.measures);
    }
    const std::size_t count = found->size();
    std::uint64_t *label_data = found->data();
    auto *measure_data = reinterpret_cast<std::int64_t *>(measures->data());
    return {LabelColumn(label_data, {count}, owner_of(found)),
            MeasureTable(measure_data, {count, kColumns}, owner_of(measures))};
}

}  // namespace

}  // namespace segmetry

void register_geometry(nb::module_ &m) {
    using namespace segmetry;
    constexpr const char *doc =
        "Labels in order of appearance, and per label: area, low corner (3), high corner (3), "
        "perimeter, frame, interior.";
    m.def("segment_geometry", &segment_geometry<std::uint8_t>, nb::arg("labels").noconvert(), nb::arg("axes"), doc);
    m.def("segment_geometry", &segment_geometry<std::uint16_t>, nb::arg("labels").noconvert(), nb::arg("axes"));
    m.def("segment_geometry", &segment_geometry<std::uint32_t>, nb::arg("labels").noconvert(), nb::arg("axes"));
    m.def("segment_geometry", &segment_geometry<std::uint64_t>, nb::arg("labels").noconvert(), nb::arg("axes"));
}
