#include "runs_boxes.hpp"

#include <algorithm>
#include <utility>

#include "pairs_spill.hpp"

namespace segmetry {

namespace {

// All elements of a mask lie in [first, stop), and at the places [low, high) of their lines.
struct Box {
    std::int64_t first, stop;
    std::int64_t low, high;
    std::size_t mask;
    std::size_t runs;
};

bool meet(const Box &x, const Box &y) {
    return x.first < y.stop && y.first < x.stop && x.low < y.high && y.low < x.high;
}

// Keeps track of the line in which rising positions lie; a division is needed only where lines are left out.
class LineTracker {
  public:
    explicit LineTracker(std::int64_t length) : length_(length) {}

    std::int64_t place_of(std::int64_t position) {
        if (position - begin_ >= length_) {
            begin_ += length_;
            if (position - begin_ >= length_) begin_ = position - position % length_;
        }
        return position - begin_;
    }

  private:
    std::int64_t length_;
    std::int64_t begin_ = 0;
};

Box box_of(const RunView &view, std::size_t mask, std::int64_t line) {
    const std::int64_t begin = view.offsets[mask], end = view.offsets[mask + 1];
    Box box{view.starts[begin], view.stops[end - 1], 0, 1, mask, static_cast<std::size_t>(end - begin)};
    if (line == 0) return box;
    LineTracker lines(line);
    std::int64_t low = line, high = 0;
    for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t place = lines.place_of(view.starts[r]);
        low = std::min(low, place);
        high = std::max(high, place + (view.stops[r] - view.starts[r]));
    }
    box.low = high > line ? 0 : low;  // a run that goes on in the next line may be at any place of it
    box.high = high;
    return box;
}

// The boxes of all masks that are not empty, in order of their first element.
std::vector<Box> boxes_of(const RunView &view, std::int64_t line) {
    std::vector<Box> boxes;
    boxes.reserve(view.masks);
    for (std::size_t m = 0; m < view.masks; ++m)
        if (view.offsets[m] < view.offsets[m + 1]) boxes.push_back(box_of(view, m, line));
    std::sort(boxes.begin(), boxes.end(), [](const Box &x, const Box &y) { return x.first < y.first; });
    return boxes;
}

// Two boxes that may meet, as indices.
using BoxPair = std::pair<std::size_t, std::size_t>;

// Calls visit(a, b) for the indices of all boxes that meet; both lists are in order of the first element. Boxes overlap
// there exactly if the later one starts inside the other, so each is compared with those that are still open.
template <class Visit>
void for_meeting_boxes(const std::vector<Box> &a, const std::vector<Box> &b, const Visit &visit) {
    std::vector<std::size_t> open_a, open_b;
    const auto compare = [](const Box &box, const std::vector<Box> &others, std::vector<std::size_t> &open, auto found) {
        for (std::size_t k = 0; k < open.size();) {
            const Box &other = others[open[k]];
            if (other.stop <= box.first) {
                open[k] = open.back();
                open.pop_back();
                continue;
            }
            if (meet(box, other)) found(open[k]);
            ++k;
        }
    };
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (j == b.size() || (i < a.size() && a[i].first <= b[j].first)) {
            compare(a[i], b, open_b, [&](std::size_t other) { visit(i, other); });
            open_a.push_back(i++);
        } else {
            compare(b[j], a, open_a, [&](std::size_t other) { visit(other, j); });
            open_b.push_back(j++);
        }
    }
}

// The first run of a mask that stops after `position`.
std::int64_t first_run_after(const RunView &view, std::size_t mask, std::int64_t position) {
    const std::int64_t *stops = view.stops;
    return std::upper_bound(stops + view.offsets[mask], stops + view.offsets[mask + 1], position) - stops;
}

// Of the two runs at hand, the one that stops first is done. No step has a branch that could be guessed wrong.
std::int64_t shared_elements(const RunView &a, const Box &box_a, const RunView &b, const Box &box_b) {
    std::int64_t i = first_run_after(a, box_a.mask, box_b.first), j = first_run_after(b, box_b.mask, box_a.first);
    const std::int64_t end_a = a.offsets[box_a.mask + 1], end_b = b.offsets[box_b.mask + 1];
    std::int64_t shared = 0;
    while (i < end_a && j < end_b) {
        const std::int64_t stop_a = a.stops[i], stop_b = b.stops[j];
        const std::int64_t n = std::min(stop_a, stop_b) - std::max(a.starts[i], b.starts[j]);
        shared += n & ~(n >> 63);  // 0 instead of a negative number
        const bool a_done = stop_a <= stop_b;
        i += a_done;
        j += !a_done;
    }
    return shared;
}

}  // namespace

std::optional<std::vector<PairCount>> intersect_boxes(const RunView &a, const RunView &b, std::int64_t line,
                                                      std::size_t most_steps) {
    const std::vector<Box> boxes_a = boxes_of(a, line), boxes_b = boxes_of(b, line);
    std::vector<BoxPair> pairs;
    std::size_t steps = 0;
    for_meeting_boxes(boxes_a, boxes_b, [&](std::size_t i, std::size_t j) {
        steps += boxes_a[i].runs + boxes_b[j].runs;
        if (steps <= most_steps) pairs.emplace_back(i, j);
    });
    if (steps > most_steps) return std::nullopt;
    std::vector<PairCount> rows;
    for (const auto &[i, j] : pairs)
        if (const std::int64_t shared = shared_elements(a, boxes_a[i], b, boxes_b[j]); shared > 0)
            rows.push_back(PairCount{boxes_a[i].mask, boxes_b[j].mask, shared});
    sort_rows(rows);
    return rows;
}

}  // namespace segmetry
