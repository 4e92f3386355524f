// Connected components of equal labels: union-find over stretches of equal labels along the last axis.
//
// A stretch is united with those of the rows before it (of its plane and of the plane before) that touch it and have the
// same label. How far a neighbour may be shifted along the row, its reach, follows from the neighbourhood: with 8
// neighbours a stretch also touches what is one element to the left or right of it in the row before. The root of a
// component is its first stretch, so that components are numbered in the order of their first elements.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "label_index.hpp"
#include "label_rows.hpp"
#include "stretches.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

using Numbers = nb::ndarray<std::int32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using IgnoredLabels = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr int kNone = -1;
constexpr std::size_t kFew = 4;  // ignored labels that are compared one by one

// The reach towards the row before, the same row of the plane before, and the rows beside that one.
struct Reaches {
    int row = kNone, plane = kNone, diagonal = kNone;

    explicit Reaches(int neighbours) {
        switch (neighbours) {
            case 4: row = 0; break;
            case 8: row = 1; break;
            case 6: row = plane = 0; break;
            case 18:
                row = plane = 1;
                diagonal = 0;
                break;
            case 26: row = plane = diagonal = 1; break;
            default: check(false, "neighbours must be 4, 8, 6, 18 or 26");
        }
    }
};

// A stretch is a set of union-find: `parent` is itself or an earlier stretch.
template <typename Label>
struct Piece {
    std::int64_t start, stop;
    Label label;
    std::int32_t parent;
};

template <typename Label>
class ComponentPass {
  public:
    ComponentPass(const Labels3<Label> &labels, const IgnoredLabels &ignored, int neighbours)
        : rows_(labels), reaches_(neighbours), index_(ignored.size()) {
        ignored_.assign(ignored.data(), ignored.data() + ignored.size());
        if (ignored_.size() > kFew) {
            for (const std::uint64_t label : ignored_) {
                index_.find_or_add(label);
            }
        }
        first_of_row_.reserve(rows_.planes * rows_.rows + 1);
    }

    void unite() {
        for (std::int64_t plane = 0; plane < rows_.planes; ++plane) {
            for (std::int64_t row = 0; row < rows_.rows; ++row) {
                read_row(plane, row);
                connect(plane, row - 1, reaches_.row);
                connect(plane - 1, row, reaches_.plane);
                connect(plane - 1, row - 1, reaches_.diagonal);
                connect(plane - 1, row + 1, reaches_.diagonal);
            }
        }
        first_of_row_.push_back(pieces_.size());
    }

    // Writes the number of every element, 0 where it is ignored; `parent` of a piece then is its number.
    void write(std::int32_t *out, const std::int64_t *weights) {
        // Weights of any size may be handed in; products of unsigned numbers wrap around, where others are undefined.
        const auto product = [weights](int axis, std::int64_t place) {
            return static_cast<std::uint64_t>(place) * static_cast<std::uint64_t>(weights[axis]);
        };
        std::size_t at = 0;
        for (std::int64_t plane = 0; plane < rows_.planes; ++plane) {
            for (std::int64_t row = 0; row < rows_.rows; ++row, out += rows_.length) {
                std::int64_t before = 0;
                const std::uint64_t line = product(0, plane) + product(1, row);
                for (const std::size_t end = first_of_row_[plane * rows_.rows + row + 1]; at < end; ++at) {
                    interrupts_.look(static_cast<std::size_t>(pieces_[at].stop - before));
                    const std::int32_t number =
                        number_of(at, static_cast<std::int64_t>(line + product(2, pieces_[at].start)));
                    std::fill(out + before, out + pieces_[at].start, 0);
                    std::fill(out + pieces_[at].start, out + pieces_[at].stop, number);
                    before = pieces_[at].stop;
                }
                interrupts_.look(static_cast<std::size_t>(rows_.length - before));
                std::fill(out + before, out + rows_.length, 0);
            }
        }
    }

    std::vector<std::int64_t> labels, sizes, firsts;

  private:
    void read_row(std::int64_t plane, std::int64_t row) {
        first_of_row_.push_back(pieces_.size());
        const Label *elements = rows_.row(plane, row, interrupts_);
        for (std::int64_t start = 0, stop; start < rows_.length; start = stop) {
            stop = stretch_end(elements, start, rows_.length);
            interrupts_.look(static_cast<std::size_t>(stop - start));
            if (!is_ignored(elements[start])) {
                check(pieces_.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
                      "the labels have too many stretches for 32-bit numbers");
                pieces_.push_back({start, stop, elements[start], static_cast<std::int32_t>(pieces_.size())});
            }
        }
    }

    bool is_ignored(Label label) const {
        return ignored_.size() > kFew ? index_.find(label) >= 0
                                      : std::find(ignored_.begin(), ignored_.end(), label) != ignored_.end();
    }

    // Unites the pieces of the last row that was read with those of an earlier row.
    void connect(std::int64_t plane, std::int64_t row, int reach) {
        if (reach == kNone || plane < 0 || row < 0 || row >= rows_.rows) {
            return;
        }
        const std::size_t line = plane * rows_.rows + row;
        std::size_t other = first_of_row_[line];
        const std::size_t other_end = first_of_row_[line + 1];
        for (std::size_t own = first_of_row_.back(); own < pieces_.size(); ++own) {
            const Piece<Label> piece = pieces_[own];
            interrupts_.look(1);
            while (other < other_end && pieces_[other].stop + reach <= piece.start) {
                ++other;
            }
            for (std::size_t at = other; at < other_end && pieces_[at].start < piece.stop + reach; ++at) {
                if (pieces_[at].label == piece.label) {
                    join(static_cast<std::int32_t>(own), static_cast<std::int32_t>(at));
                }
            }
        }
    }

    std::int32_t root_of(std::int32_t at) {
        while (pieces_[at].parent != at) {
            at = pieces_[at].parent = pieces_[pieces_[at].parent].parent;
        }
        return at;
    }

    void join(std::int32_t a, std::int32_t b) {
        a = root_of(a);
        b = root_of(b);
        pieces_[std::max(a, b)].parent = std::min(a, b);
    }

    // A parent comes before its children, so it has its number already.
    std::int32_t number_of(std::size_t at, std::int64_t first) {
        Piece<Label> &piece = pieces_[at];
        if (piece.parent == static_cast<std::int32_t>(at)) {
            labels.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(piece.label)));
            sizes.push_back(0);
            firsts.push_back(first);
            piece.parent = static_cast<std::int32_t>(labels.size());
        } else {
            piece.parent = pieces_[piece.parent].parent;
        }
        const std::size_t number = piece.parent - 1;
        sizes[number] += piece.stop - piece.start;
        firsts[number] = std::min(firsts[number], first);
        return piece.parent;
    }

    LabelRows<Label> rows_;
    const Reaches reaches_;
    std::vector<std::uint64_t> ignored_;
    LabelIndex index_;
    std::vector<Piece<Label>> pieces_;
    std::vector<std::size_t> first_of_row_;
    InterruptCheck interrupts_;
};

template <typename Label>
nb::tuple label_components(Labels3<Label> labels, int neighbours, IgnoredLabels ignored, Int64Array weights,
                           Numbers out) {
    check_same_shape(labels, out, "out must have the shape of the labels");
    check(weights.size() == 3, "there must be three weights");
    check(neighbours > 4 || labels.shape(0) == 1, "with 4 neighbours there must be one plane");
    check(neighbours != 8 || labels.shape(0) == 1, "with 8 neighbours there must be one plane");
    ComponentPass<Label> pass(labels, ignored, neighbours);
    {
        const nb::gil_scoped_release unlocked;
        if (labels.size() > 0) {
            pass.unite();
            pass.write(out.data(), private_copy(weights).data());
        }
    }
    return nb::make_tuple(to_numpy(pass.labels), to_numpy(pass.sizes), to_numpy(pass.firsts));
}

template <typename Label>
void register_label(nb::module_ &m) {
    m.def("label_components", &label_components<Label>, nb::arg("labels").noconvert(), nb::arg("neighbours"),
          nb::arg("ignored").noconvert(), nb::arg("weights").noconvert(), nb::arg("out").noconvert(),
          "Number the connected components of equal labels: (label, size, first position) of each; numbers go to out.");
}

}  // namespace

}  // namespace segmetry

void register_components(nb::module_ &m) {
    segmetry::register_label<std::uint8_t>(m);
    segmetry::register_label<std::uint16_t>(m);
    segmetry::register_label<std::uint32_t>(m);
    segmetry::register_label<std::uint64_t>(m);
}
