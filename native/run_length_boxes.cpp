#include "run_length_boxes.hpp"

#include <algorithm>
#include <utility>

#include "interrupts.hpp"
#include "pairs_spill.hpp"

namespace segmetry {

namespace {

// All elements of a mask are in [first, stop), and at the places [low, high) of their lines.
struct Box {
    std::int64_t first, stop;
    std::int64_t low, high;
    std::size_t mask;
    std::size_t stretches;
};

bool meet(const Box &x, const Box &y) {
    return x.first < y.stop && y.first < x.stop && x.low < y.high && y.low < x.high;
}

// Keeps track of the line of ascending positions; a division is needed only where lines are skipped.
class LineTracker {
  public:
    explicit LineTracker(std::int64_t length) : length_(length) {}

    std::int64_t place_of(std::int64_t position) {
        if (position - begin_ >= length_) {
            begin_ += length_;
            if (position - begin_ >= length_) {
                begin_ = position - position % length_;
            }
        }
        return position - begin_;
    }

  private:
    std::int64_t length_;
    std::int64_t begin_ = 0;
};

Box box_of(const RunLengthView &view, std::size_t mask, std::int64_t line) {
    const std::int64_t begin = view.offsets[mask], end = view.offsets[mask + 1];
    Box box{view.starts[begin], view.stops[end - 1], 0, 1, mask, static_cast<std::size_t>(end - begin)};
    if (line == 0) {
        return box;
    }
    LineTracker lines(line);
    std::int64_t low = line, high = 0;
    for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t place = lines.place_of(view.starts[r]);
        low = std::min(low, place);
        high = std::max(high, place + (view.stops[r] - view.starts[r]));
    }
    box.low = high > line ? 0 : low;  // a stretch that continues in the next line may be at any place of it
    box.high = high;
    return box;
}

// The boxes of all masks that are not empty, in order of their first element.
std::vector<Box> boxes_of(const RunLengthView &view, std::int64_t line, InterruptCheck &interrupts) {
    std::vector<Box> boxes;
    boxes.reserve(view.masks);
    for (std::size_t m = 0; m < view.masks; ++m) {
        interrupts.look(1 + (line == 0 ? 0 : static_cast<std::size_t>(view.offsets[m + 1] - view.offsets[m])));
        if (view.offsets[m] < view.offsets[m + 1]) {
            boxes.push_back(box_of(view, m, line));
        }
    }
    const auto before = [](const Box &x, const Box &y) { return x.first < y.first; };
    std::sort(boxes.begin(), boxes.end(), interruptible(interrupts, before));
    return boxes;
}

// Two boxes that may meet, as indices.
using BoxPair = std::pair<std::size_t, std::size_t>;

// Calls visit(a, b) for the indices of all boxes that meet; both lists are in order of the first element. Boxes overlap
// there exactly if the later one starts inside the other, so each is compared with those that are still open. Before each
// box, go_on(n) is asked, with the number of boxes that were compared so far.
template <typename Visit, typename GoOn>
void for_meeting_boxes(const std::vector<Box> &a, const std::vector<Box> &b, const Visit &visit, const GoOn &go_on) {
    std::vector<std::size_t> open_a, open_b;
    const auto compare = [](const Box &box, const std::vector<Box> &others, std::vector<std::size_t> &open,
                            auto found) {
        for (std::size_t k = 0; k < open.size();) {
            const Box &other = others[open[k]];
            if (other.stop <= box.first) {
                open[k] = open.back();
                open.pop_back();
                continue;
            }
            if (meet(box, other)) {
                found(open[k]);
            }
            ++k;
        }
    };
    std::size_t i = 0, j = 0, compared = 0;
    while ((i < a.size() || j < b.size()) && go_on(compared)) {
        if (j == b.size() || (i < a.size() && a[i].first <= b[j].first)) {
            compared += open_b.size();
            compare(a[i], b, open_b, [&](std::size_t other) { visit(i, other); });
            open_a.push_back(i++);
        } else {
            compared += open_a.size();
            compare(b[j], a, open_a, [&](std::size_t other) { visit(other, j); });
            open_b.push_back(j++);
        }
    }
}

// Stretches of one mask, from the first to before the last index.
struct StretchRange {
    std::int64_t begin, end;
};

// The first stretch in a range that stops after `position`.
std::int64_t first_stretch_after(const RunLengthView &view, StretchRange range, std::int64_t position) {
    return std::upper_bound(view.stops + range.begin, view.stops + range.end, position) - view.stops;
}

// The stretches of a mask that have elements in [first, stop).
StretchRange stretches_between(const RunLengthView &view, std::size_t mask, std::int64_t first, std::int64_t stop) {
    const StretchRange all{view.offsets[mask], view.offsets[mask + 1]};
    const std::int64_t begin = first_stretch_after(view, all, first);
    return {begin, std::lower_bound(view.starts + begin, view.starts + all.end, stop) - view.starts};
}

// A walk over the stretches of two masks. Of the two stretches at hand, the one that stops first is done. No step has a branch
// that could be mispredicted.
class StretchWalk {
  public:
    StretchWalk(const RunLengthView &a, StretchRange range_a, const RunLengthView &b, StretchRange range_b)
        : a_(a), b_(b), left_a_(range_a), left_b_(range_b) {}

    // How many steps there are at least; 0 at the end.
    std::int64_t steps() const { return std::min(left_a_.end - left_a_.begin, left_b_.end - left_b_.begin); }

    // The shared elements of the two stretches at hand.
    std::int64_t step() {
        const std::int64_t stop_a = a_.stops[left_a_.begin], stop_b = b_.stops[left_b_.begin];
        const std::int64_t n = std::min(stop_a, stop_b) - std::max(a_.starts[left_a_.begin], b_.starts[left_b_.begin]);
        const bool a_done = stop_a <= stop_b;
        left_a_.begin += a_done;
        left_b_.begin += !a_done;
        return std::max<std::int64_t>(n, 0);
    }

  private:
    const RunLengthView &a_, &b_;
    StretchRange left_a_, left_b_;
};

// Each step of a walk waits for the one before to know where it is. So there are two walks at a time, over the stretches of
// one mask up to its middle one and from there on. A stretch of the other mask in which they part is met by both, each time
// by other stretches.
std::int64_t shared_elements(const RunLengthView &a, const Box &box_a, const RunLengthView &b, const Box &box_b) {
    const StretchRange all_a = stretches_between(a, box_a.mask, box_b.first, box_b.stop);
    const StretchRange all_b = stretches_between(b, box_b.mask, box_a.first, box_a.stop);
    if (all_a.begin == all_a.end || all_b.begin == all_b.end) {
        return 0;
    }
    const std::int64_t middle_a = all_a.begin + (all_a.end - all_a.begin) / 2;
    const std::int64_t middle_b = first_stretch_after(b, all_b, a.starts[middle_a]);
    StretchWalk low(a, {all_a.begin, middle_a}, b, {all_b.begin, std::min(middle_b + 1, all_b.end)});
    StretchWalk high(a, {middle_a, all_a.end}, b, {middle_b, all_b.end});
    std::int64_t shared = 0;
    while (const std::int64_t both = std::min(low.steps(), high.steps())) {
        for (std::int64_t k = 0; k < both; ++k) {
            const std::int64_t n = low.step();
            shared += n + high.step();
        }
    }
    while (low.steps() > 0) {
        shared += low.step();
    }
    while (high.steps() > 0) {
        shared += high.step();
    }
    return shared;
}

}  // namespace

std::optional<std::vector<PairCount>> intersect_boxes(const RunLengthView &a, const RunLengthView &b, std::int64_t line,
                                                      std::size_t most_steps) {
    InterruptCheck interrupts;
    const std::vector<Box> boxes_a = boxes_of(a, line, interrupts), boxes_b = boxes_of(b, line, interrupts);
    std::vector<BoxPair> pairs;
    std::size_t steps = 0;
    bool too_many = false;
    const auto add = [&](std::size_t i, std::size_t j) {
        steps += boxes_a[i].stretches + boxes_b[j].stretches;
        if (steps <= most_steps) {
            pairs.emplace_back(i, j);
        }
    };
    // Boxes that are compared and do not meet cost something, too: without a bound, thousands of tall masks would be
    // compared each with each.
    const auto go_on = [&](std::size_t compared) {
        constexpr std::size_t comparisons_per_step = 16;
        too_many = steps + compared / comparisons_per_step > most_steps;
        interrupts.look(64);
        return !too_many;
    };
    for_meeting_boxes(boxes_a, boxes_b, add, go_on);
    if (too_many || steps > most_steps) {
        return std::nullopt;
    }
    std::vector<PairCount> rows;
    for (const auto &[i, j] : pairs) {
        interrupts.look(boxes_a[i].stretches + boxes_b[j].stretches);
        if (const std::int64_t shared = shared_elements(a, boxes_a[i], b, boxes_b[j]); shared > 0) {
            rows.push_back(PairCount{boxes_a[i].mask, boxes_b[j].mask, shared});
        }
    }
    sort_rows(rows, interrupts);
    return rows;
}

}  // namespace segmetry
