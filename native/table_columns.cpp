// From counted label pairs to the columns of an overlap table: which labels are segments, how large they are, and how
// many of their elements are outside or in the void of the other side.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "label_index.hpp"
#include "unlocked.hpp"

namespace segmetry {

namespace {

using Labels = std::vector<std::int64_t>;

enum Role : std::uint8_t { kSegment, kOutside, kVoid };

struct Segment {
    std::int64_t id;
    std::int64_t counts[3];  // of its elements, by their role on the other side

    std::int64_t size() const { return counts[kSegment] + counts[kOutside] + counts[kVoid]; }
};

// The labels of one side of the counted pairs. Labels get numbers in order of appearance, then segments get positions
// in order of their ids.
class SideLabels {
  public:
    SideLabels(const std::int64_t *column, std::size_t rows, Labels outside, Labels voids)
        : outside_(std::move(outside)), void_(std::move(voids)), number_(rows) {
        std::sort(outside_.begin(), outside_.end());
        std::sort(void_.begin(), void_.end());
        LabelIndex index;
        for (std::size_t r = 0; r < rows; ++r) {
            interrupts_.look(1);
            // Columns mostly repeat the label of the row before.
            if (r > 0 && column[r] == column[r - 1]) {
                number_[r] = number_[r - 1];
                continue;
            }
            number_[r] = index.find_or_add(static_cast<std::uint64_t>(column[r]));
            if (number_[r] == static_cast<std::int64_t>(labels_.size())) {
                labels_.push_back(column[r]);
            }
        }
        number_segments();
    }

    // The role of the label of a row, and its position if it is a segment.
    Role role(std::size_t row) const { return roles_[static_cast<std::size_t>(number_[row])]; }
    std::int64_t position(std::size_t row) const { return positions_[static_cast<std::size_t>(number_[row])]; }

    void add(std::size_t row, Role other, std::int64_t count) {
        if (role(row) == kSegment) {
            // Counts of any size may be handed in; sums of unsigned numbers wrap around, where others are undefined.
            std::int64_t &sum = segments[static_cast<std::size_t>(position(row))].counts[other];
            sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(count));
        }
    }

    std::vector<Segment> segments;

  private:
    void number_segments() {
        std::vector<std::size_t> order;
        roles_.resize(labels_.size());
        for (std::size_t n = 0; n < labels_.size(); ++n) {
            roles_[n] = role_of(labels_[n]);
            if (roles_[n] == kSegment) {
                order.push_back(n);
            }
        }
        const auto before = [this](std::size_t x, std::size_t y) { return labels_[x] < labels_[y]; };
        std::sort(order.begin(), order.end(), interruptible(interrupts_, before));
        positions_.assign(labels_.size(), -1);
        segments.reserve(order.size());
        for (const std::size_t n : order) {
            positions_[n] = static_cast<std::int64_t>(segments.size());
            segments.push_back(Segment{labels_[n], {0, 0, 0}});
        }
    }

    Role role_of(std::int64_t label) const {
        if (std::binary_search(void_.begin(), void_.end(), label)) {
            return kVoid;
        }
        return std::binary_search(outside_.begin(), outside_.end(), label) ? kOutside : kSegment;
    }

    InterruptCheck interrupts_;
    Labels outside_;
    Labels void_;
    std::vector<std::int64_t> number_;  // of every row: which label it has
    Labels labels_;                     // by number, like the next two
    std::vector<Role> roles_;
    std::vector<std::int64_t> positions_;
};

nb::tuple columns_of(const std::vector<Segment> &segments) {
    const std::size_t size = segments.size();
    NewArray<std::int64_t> ids(size), sizes(size), outside(size), voids(size);
    for (std::size_t at = 0; at < size; ++at) {
        ids.data[at] = segments[at].id;
        sizes.data[at] = segments[at].size();
        outside.data[at] = segments[at].counts[kOutside];
        voids.data[at] = segments[at].counts[kVoid];
    }
    return nb::make_tuple(ids.array, sizes.array, outside.array, voids.array);
}

// Both sides of the counted pairs.
struct Table {
    SideLabels first;
    SideLabels second;
    std::size_t overlaps = 0;                // pairs of segments
    std::array<std::int64_t, 9> of_roles{};  // elements by the roles of their true and predicted label

    Table(SideLabels true_labels, SideLabels pred_labels, const std::int64_t *counts, std::size_t rows)
        : first(std::move(true_labels)), second(std::move(pred_labels)) {
        InterruptCheck interrupts;
        for (std::size_t r = 0; r < rows; ++r) {
            interrupts.look(1);
            first.add(r, second.role(r), counts[r]);
            second.add(r, first.role(r), counts[r]);
            std::int64_t &sum = of_roles[3 * first.role(r) + second.role(r)];
            sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(counts[r]));
            overlaps += are_segments(r);
        }
    }

    bool are_segments(std::size_t row) const { return first.role(row) == kSegment && second.role(row) == kSegment; }
};

nb::tuple table_columns(Int64Array true_labels, Int64Array pred_labels, Int64Array counts, Labels true_outside,
                        Labels true_void, Labels pred_outside, Labels pred_void) {
    const std::size_t rows = counts.size();
    check(true_labels.size() == rows && pred_labels.size() == rows, "there must be as many labels as counts");
    const Table table = [&] {
        const Unlocked unlocked(rows);
        return Table(SideLabels(true_labels.data(), rows, std::move(true_outside), std::move(true_void)),
                     SideLabels(pred_labels.data(), rows, std::move(pred_outside), std::move(pred_void)), counts.data(),
                     rows);
    }();
    NewArray<std::int64_t> row_true(table.overlaps), row_pred(table.overlaps), shared(table.overlaps);
    InterruptCheck interrupts;
    for (std::size_t r = 0, at = 0; r < rows; ++r) {
        interrupts.look(1);
        if (!table.are_segments(r)) {
            continue;
        }
        row_true.data[at] = table.first.position(r);
        row_pred.data[at] = table.second.position(r);
        shared.data[at++] = counts.data()[r];
    }
    const auto &both = table.of_roles;
    return nb::make_tuple(columns_of(table.first.segments), columns_of(table.second.segments), row_true.array,
                          row_pred.array, shared.array, nb::make_tuple(both[4], both[5], both[7], both[8]));
}

}  // namespace

}  // namespace segmetry

void register_table_columns(nanobind::module_ &m) {
    namespace nb = nanobind;
    m.def("table_columns", &segmetry::table_columns, nb::arg("true_labels").noconvert(),
          nb::arg("pred_labels").noconvert(), nb::arg("counts").noconvert(), nb::arg("true_outside"),
          nb::arg("true_void"), nb::arg("pred_outside"), nb::arg("pred_void"),
          "The columns of an overlap table from counted label pairs, which are sorted.");
}
