// One-pixel boundaries of the segments of an image, and how many of their pixels are near those of another segment.
//
// A pixel is in the boundary of a segment iff the pixel, its right neighbour, the one below and the one below to the
// right are partly inside and partly outside of the segment; only neighbours inside the image count. One pass over an
// image finds the boundaries of all its segments. Near is a distance of at most `radius` between pixel centres: each
// pixel of a boundary is drawn as a disk, row by row, and stretches of adjacent pixels as one.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "interrupts.hpp"
#include "label_index.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

template <typename Label>
using Image = nb::ndarray<const Label, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Label>
class BoundaryPass {
  public:
    BoundaryPass(const Image<Label> &labels, const Ids &ids)
        : labels_(labels.data()), rows_(labels.shape(0)), length_(labels.shape(1)), points(ids.size()) {
        for (std::size_t at = 0; at < ids.size(); ++at) {
            check(index_.find_or_add(ids.data()[at]) == static_cast<std::int64_t>(at), "ids must differ");
        }
    }

    void run() {
        std::vector<std::uint8_t> mixed(length_ + 1);
        for (std::int64_t row = 0; row < rows_; ++row) {
            const Label *here = labels_ + row * length_, *below = row + 1 < rows_ ? here + length_ : here;
            in_pieces(static_cast<std::size_t>(length_ - 1), interrupts_, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    mixed[i] = (here[i] != here[i + 1]) | (here[i] != below[i]) | (here[i] != below[i + 1]);
                }
            });
            mixed[length_ - 1] = here[length_ - 1] != below[length_ - 1];
            for (std::int64_t i = next(mixed, 0); i < length_; i = next(mixed, i + 1)) {
                interrupts_.look(8);
                add(here, below, row, i);
            }
        }
    }

  private:
    std::int64_t next(const std::vector<std::uint8_t> &mixed, std::int64_t from) const {
        const void *at = std::memchr(mixed.data() + from, 1, length_ - from);
        return at ? static_cast<const std::uint8_t *>(at) - mixed.data() : length_;
    }

    void add(const Label *here, const Label *below, std::int64_t row, std::int64_t i) {
        const std::int64_t right = std::min(i + 1, length_ - 1);
        const Label block[4] = {here[i], here[right], below[i], below[right]};
        for (int k = 0; k < 4; ++k) {
            if (std::find(block, block + k, block[k]) == block + k) {
                const std::int64_t segment = index_.find(block[k]);
                if (segment >= 0) {
                    points[segment].push_back(row * length_ + i);
                }
            }
        }
    }

    const Label *labels_;
    const std::int64_t rows_, length_;
    LabelIndex index_;
    InterruptCheck interrupts_;

  public:
    std::vector<std::vector<std::int64_t>> points;
};

template <typename Label>
nb::tuple label_boundaries(Image<Label> labels, Ids ids) {
    BoundaryPass<Label> pass(labels, ids);
    std::vector<std::int64_t> offsets(1, 0), points;
    {
        const nb::gil_scoped_release unlocked;
        if (labels.size() > 0) {
            pass.run();
        }
        for (const std::vector<std::int64_t> &part : pass.points) {
            points.insert(points.end(), part.begin(), part.end());
            offsets.push_back(static_cast<std::int64_t>(points.size()));
        }
    }
    return nb::make_tuple(to_numpy(offsets), to_numpy(points));
}

// A boundary drawn with disks, in the rectangle that contains them.
class Disks {
  public:
    Disks(std::int64_t rows, std::int64_t length, std::int64_t radius)
        : rows_(rows), length_(length), radius_(radius), half_(radius + 1) {
        for (std::int64_t step = 0, width = radius; step <= radius; ++step) {
            while (width * width + step * step > radius * radius) {
                --width;
            }
            half_[step] = width;
        }
    }

    void draw(const std::int64_t *begin, const std::int64_t *end) {
        top_ = rows_, bottom_ = 0, left_ = length_, right_ = 0;
        for (const std::int64_t *at = begin; at != end; ++at) {
            const std::int64_t row = *at / length_, column = *at % length_;
            top_ = std::min(top_, row - radius_), bottom_ = std::max(bottom_, row + radius_ + 1);
            left_ = std::min(left_, column - radius_), right_ = std::max(right_, column + radius_ + 1);
        }
        top_ = std::max<std::int64_t>(top_, 0), bottom_ = std::min(bottom_, rows_);
        left_ = std::max<std::int64_t>(left_, 0), right_ = std::min(right_, length_);
        width_ = std::max<std::int64_t>(right_ - left_, 0);
        near_.assign(std::max<std::int64_t>(bottom_ - top_, 0) * width_, 0);
        for (const std::int64_t *at = begin, *stop; at != end; at = stop) {
            for (stop = at + 1; stop != end && *stop == *(stop - 1) + 1 && *stop % length_ != 0;) {
                ++stop;
            }
            interrupts_.look((radius_ + 1) * (radius_ + stop - at));
            draw_stretch(*at / length_, *at % length_, *(stop - 1) % length_);
        }
    }

    std::int64_t count(const std::int64_t *begin, const std::int64_t *end) const {
        std::int64_t total = 0;
        for (const std::int64_t *at = begin; at != end; ++at) {
            const std::int64_t position = *at, row = position / length_, column = position % length_;
            if (row >= top_ && row < bottom_ && column >= left_ && column < right_) {
                total += near_[(row - top_) * width_ + column - left_];
            }
        }
        return total;
    }

  private:
    void draw_stretch(std::int64_t row, std::int64_t first, std::int64_t last) {
        for (std::int64_t at = std::max(row - radius_, top_); at < std::min(row + radius_ + 1, bottom_); ++at) {
            const std::int64_t reach = half_[at > row ? at - row : row - at];
            const std::int64_t from = std::max(first - reach, left_), to = std::min(last + reach + 1, right_);
            if (from < to) {
                std::memset(near_.data() + (at - top_) * width_ + from - left_, 1, to - from);
            }
        }
    }

    const std::int64_t rows_, length_, radius_;
    std::vector<std::int64_t> half_;
    std::vector<std::uint8_t> near_;
    std::int64_t top_ = 0, bottom_ = 0, left_ = 0, right_ = 0, width_ = 0;
    InterruptCheck interrupts_;
};

// The points of segments: those of segment s are from offsets[s] to before offsets[s + 1]. A point that another thread
// changes after it was checked is drawn or counted only where it is inside the rectangle.
struct Points {
    std::vector<std::int64_t> offsets;
    const std::int64_t *points;

    Points(const Int64Array &first, const Int64Array &all, std::int64_t size)
        : offsets(private_copy(first)), points(all.data()) {
        check(!offsets.empty() && offsets.front() == 0, "offsets must begin with 0");
        check(std::is_sorted(offsets.begin(), offsets.end()), "offsets must ascend");
        check(offsets.back() == static_cast<std::int64_t>(all.size()), "the last offset must be the number of points");
        for (std::size_t at = 0; at < all.size(); ++at) {
            check(points[at] >= 0 && points[at] < size, "points must be inside the image");
        }
    }

    std::int64_t segments() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
    const std::int64_t *begin(std::int64_t segment) const { return points + offsets[segment]; }
    const std::int64_t *end(std::int64_t segment) const { return points + offsets[segment + 1]; }
};

// For each pair (a, b): how many points of a are near a point of b.
nb::object count_near(Int64Array offsets_a, Int64Array points_a, Int64Array offsets_b, Int64Array points_b,
                      Int64Array pairs_a, Int64Array pairs_b, std::int64_t rows, std::int64_t length,
                      std::int64_t radius) {
    check(rows >= 0 && length >= 0 && (length == 0 || rows <= (std::int64_t{1} << 40) / length),
          "an image must have 0 to 2^40 pixels");
    check(radius >= 0 && radius <= 1 << 20, "radius must be from 0 to 2^20");
    const Points of_a(offsets_a, points_a, rows * length), of_b(offsets_b, points_b, rows * length);
    check(pairs_a.size() == pairs_b.size(), "pairs must have two segments each");
    NewArray<std::int64_t> counts(pairs_a.size());
    {
        const nb::gil_scoped_release unlocked;
        Disks disks(rows, std::max<std::int64_t>(length, 1), radius);
        std::int64_t drawn = -1;
        InterruptCheck interrupts;
        for (std::size_t at = 0; at < pairs_a.size(); ++at) {
            const std::int64_t a = pairs_a.data()[at], b = pairs_b.data()[at];
            check(a >= 0 && a < of_a.segments() && b >= 0 && b < of_b.segments(),
                  "pairs must be positions of segments");
            if (b != drawn) {
                disks.draw(of_b.begin(b), of_b.end(b));
                drawn = b;
            }
            interrupts.look(of_a.end(a) - of_a.begin(a) + 1);
            counts.data[at] = disks.count(of_a.begin(a), of_a.end(a));
        }
    }
    return counts.array;
}

template <typename Label>
void register_label(nb::module_ &m) {
    m.def("label_boundaries", &label_boundaries<Label>, nb::arg("labels").noconvert(), nb::arg("ids").noconvert(),
          "The boundary pixels of each of the ids, one after the other: (offsets, flat positions).");
}

}  // namespace

}  // namespace segmetry

void register_label_boundaries(nb::module_ &m) {
    segmetry::register_label<std::uint8_t>(m);
    segmetry::register_label<std::uint16_t>(m);
    segmetry::register_label<std::uint32_t>(m);
    segmetry::register_label<std::uint64_t>(m);
    m.def("count_near", &segmetry::count_near, nb::arg("offsets_a").noconvert(), nb::arg("points_a").noconvert(),
          nb::arg("offsets_b").noconvert(), nb::arg("points_b").noconvert(), nb::arg("pairs_a").noconvert(),
          nb::arg("pairs_b").noconvert(), nb::arg("rows"), nb::arg("length"), nb::arg("radius"),
          "For each pair of segments, how many points of the first are at most a radius from a point of the second.");
}
