// Sums over all windows of many lines: the counts of a window change only where a boundary enters or leaves it, so one
// sweep over two sorted lists visits every stretch of equal windows once and adds it to all sums. Where boundaries are so
// many that stretches are short, all windows are visited instead (dense_windows.cpp).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "dense_windows.hpp"
#include "interrupts.hpp"

namespace segmetry {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 60;

// The boundaries of one side that are in the window i, i < b <= i + k.
class Sliding {
  public:
    Sliding(const std::int64_t *first, const std::int64_t *last, std::int64_t k, std::int64_t start)
        : leaving_(std::upper_bound(first, last, start)),
          entering_(std::upper_bound(leaving_, last, start + k)),
          last_(last),
          k_(k) {}

    std::int64_t count() const { return entering_ - leaving_; }

    // The next window with another count.
    std::int64_t next() const {
        const std::int64_t enters = entering_ < last_ ? *entering_ - k_ : std::numeric_limits<std::int64_t>::max();
        return leaving_ < entering_ ? std::min(enters, *leaving_) : enters;
    }

    void move_to(std::int64_t window) {
        while (entering_ < last_ && *entering_ - k_ <= window) {
            ++entering_;
        }
        while (leaving_ < entering_ && *leaving_ <= window) {
            ++leaving_;
        }
    }

  private:
    const std::int64_t *leaving_;
    const std::int64_t *entering_;
    const std::int64_t *last_;
    std::int64_t k_;
};

// The boundaries of one side of a line.
struct Side {
    const std::int64_t *first;
    const std::int64_t *last;

    Sliding sliding(std::int64_t k, std::int64_t start) const { return Sliding(first, last, k, start); }
};

void add_stretches(Sliding in_true, Sliding in_pred, std::int64_t start, std::int64_t stop, std::int64_t *sums,
                   InterruptCheck &interrupts) {
    for (std::int64_t window = start; window < stop;) {
        interrupts.look(1);
        const std::int64_t next = std::min({stop, in_true.next(), in_pred.next()});
        const std::int64_t length = next - window, r = in_true.count(), c = in_pred.count();
        sums[0] += (r == 0) != (c == 0) ? length : 0;
        sums[1] += r != c ? length : 0;
        sums[2] += (r > c ? r - c : c - r) * length;
        sums[3] += std::min(r, c) * length;
        sums[4] += r > c ? length : 0;
        sums[5] += c > r ? length : 0;
        sums[6] += r > 0 ? length : 0;
        in_true.move_to(next);
        in_pred.move_to(next);
        window = next;
    }
}

void add_line(Side in_true, Side in_pred, std::int64_t k, std::int64_t start, std::int64_t stop, std::int64_t *sums,
              InterruptCheck &interrupts) {
    const std::int64_t boundaries = (in_true.last - in_true.first) + (in_pred.last - in_pred.first);
    if (windows_are_dense(boundaries, stop - start, k)) {
        add_dense_windows(in_true.first, in_true.last, in_pred.first, in_pred.last, k, start, stop, sums, interrupts);
    } else {
        add_stretches(in_true.sliding(k, start), in_pred.sliding(k, start), start, stop, sums, interrupts);
    }
}

// Without a branch for every boundary: the three highest bits of x are 0 where 0 <= x < 2^61.
void check_line(const std::int64_t *first, const std::int64_t *last, InterruptCheck &interrupts) {
    if (first == last) {
        return;
    }
    const auto place = [](std::int64_t boundary) { return static_cast<std::uint64_t>(boundary) + kMost; };
    check(*first > -kMost && last[-1] < kMost, "a boundary must be nearer than 2^60");
    in_pieces(static_cast<std::size_t>(last - first - 1), interrupts, [&](std::size_t begin, std::size_t end) {
        std::uint64_t seen = 0;
        for (const std::int64_t *at = first + begin; at < first + end; ++at) {
            seen |= place(at[1]) | (place(at[1]) - place(at[0]) - 1);
        }
        check(seen >> 61 == 0, "the boundaries of a line must ascend");
    });
}

// One side of all lines, checked: offsets ascend from 0 to the number of boundaries, which ascend in every line.
struct Boundaries {
    const std::int64_t *boundaries;
    std::vector<std::int64_t> offsets;

    Boundaries(const Int64Array &all, const Int64Array &first, InterruptCheck &interrupts)
        : boundaries(all.data()), offsets(private_copy(first)) {
        check(offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(all.size()),
              "offsets must go from 0 to the number of boundaries");
        check(std::is_sorted(offsets.begin(), offsets.end()), "offsets must not descend");
        for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
            check_line(boundaries + offsets[line], boundaries + offsets[line + 1], interrupts);
        }
    }

    Side side(std::size_t line) const { return {boundaries + offsets[line], boundaries + offsets[line + 1]}; }
};

void check_window(std::int64_t start, std::int64_t stop, std::int64_t k, std::size_t boundaries) {
    check(k >= 0 && k < kMost && start > -kMost && start < kMost && stop > -kMost && stop < kMost,
          "windows must be smaller and nearer than 2^60");
    check(stop - start < 2 * kMost / (static_cast<std::int64_t>(boundaries) + 1), "the sums must fit into 64 bits");
}

// The sums of a single line.
nb::tuple line_window_counts(Int64Array true_boundaries, Int64Array pred_boundaries, std::int64_t start,
                             std::int64_t stop, std::int64_t size) {
    std::int64_t sums[kWindowSums] = {};
    {
        const nb::gil_scoped_release unlocked;
        const std::int64_t *t = true_boundaries.data(), *p = pred_boundaries.data();
        const auto n_true = static_cast<std::int64_t>(true_boundaries.size());
        const auto n_pred = static_cast<std::int64_t>(pred_boundaries.size());
        InterruptCheck interrupts;
        check_line(t, t + n_true, interrupts);
        check_line(p, p + n_pred, interrupts);
        check_window(start, stop, size, true_boundaries.size() + pred_boundaries.size());
        add_line({t, t + n_true}, {p, p + n_pred}, size, start, stop, sums, interrupts);
    }
    return nb::make_tuple(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]);
}

nb::object window_counts(Int64Array true_boundaries, Int64Array true_offsets, Int64Array pred_boundaries,
                         Int64Array pred_offsets, Int64Array starts, Int64Array stops, Int64Array sizes) {
    const std::size_t lines = starts.size();
    check(stops.size() == lines && sizes.size() == lines, "there must be a start, a stop and a size for every line");
    check(true_offsets.size() == lines + 1 && pred_offsets.size() == lines + 1, "there must be offsets for every line");
    NewArray<std::int64_t> sums(kWindowSums * lines);
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        const Boundaries in_true(true_boundaries, true_offsets, interrupts);
        const Boundaries in_pred(pred_boundaries, pred_offsets, interrupts);
        std::fill(sums.data, sums.data + kWindowSums * lines, std::int64_t{0});
        for (std::size_t line = 0; line < lines; ++line) {
            const std::int64_t start = starts.data()[line], stop = stops.data()[line], k = sizes.data()[line];
            check_window(start, stop, k, true_boundaries.size() + pred_boundaries.size());
            add_line(in_true.side(line), in_pred.side(line), k, start, stop, sums.data + kWindowSums * line,
                     interrupts);
        }
    }
    return sums.array;
}

}  // namespace

}  // namespace segmetry

void register_window_counts(nanobind::module_ &m) {
    namespace nb = nanobind;
    m.def("line_window_counts", &segmetry::line_window_counts, nb::arg("true_boundaries").noconvert(),
          nb::arg("pred_boundaries").noconvert(), nb::arg("start"), nb::arg("stop"), nb::arg("size"),
          "Seven sums over the windows of one line.");
    m.def("window_counts", &segmetry::window_counts, nb::arg("true_boundaries").noconvert(),
          nb::arg("true_offsets").noconvert(), nb::arg("pred_boundaries").noconvert(),
          nb::arg("pred_offsets").noconvert(), nb::arg("starts").noconvert(), nb::arg("stops").noconvert(),
          nb::arg("sizes").noconvert(), "Seven sums over the windows of every line, line after line.");
}
