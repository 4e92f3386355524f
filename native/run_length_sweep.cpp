#include "run_length_sweep.hpp"

#include <algorithm>
#include <limits>

#include "interrupts.hpp"
#include "large_buffer.hpp"
#include "pairs_spill.hpp"
#include "radix_sort.hpp"

namespace segmetry {

namespace {

struct Stretch {
    std::int64_t start;
    std::int64_t stop;
    std::size_t mask;
};

// Stretches by start, each packed into 64 bits: its start above its length above its mask. Most images leave room for that.
class PackedStretches {
  public:
    // How many bits the stretches of a view need.
    struct Bits {
        int start, length, mask;

        Bits(const RunLengthView &view, InterruptCheck &interrupts) : mask(bits_of(view.masks)) {
            std::uint64_t starts = 0, lengths = 0;  // all bits in use, which is cheaper to find than the largest number
            in_pieces(view.stretches, interrupts, [&](std::size_t begin, std::size_t end) {
                for (std::size_t r = begin; r < end; ++r) {
                    starts |= static_cast<std::uint64_t>(view.starts[r]);
                    lengths |= static_cast<std::uint64_t>(view.stops[r]) - static_cast<std::uint64_t>(view.starts[r]);
                }
            });
            start = bits_of(starts);
            length = bits_of(lengths);
        }
        bool fit() const { return start + length + mask <= 64; }
    };

    PackedStretches(const RunLengthView &view, const Bits &bits, InterruptCheck &interrupts)
        : bits_(bits), keys_(view.stretches), stops_(view.stretches), size_(view.stretches) {
        std::uint64_t *next = keys_.data();
        for (std::size_t m = 0; m < view.masks; ++m) {
            interrupts.look(1);
            for (std::int64_t r = view.offsets[m]; r < view.offsets[m + 1]; ++r) {
                interrupts.look(1);
                *next++ = (static_cast<std::uint64_t>(view.starts[r]) << bits_.length |
                           static_cast<std::uint64_t>(view.stops[r] - view.starts[r]))
                              << bits_.mask |
                          m;
            }
        }
        const int low = bits_.length + bits_.mask;
        radix_sort(keys_.data(), stops_.data(), size_, low, low + bits_.start, interrupts);
        std::uint64_t reached = 0;
        bool overlap = false;
        for (std::size_t r = 0; r < size_; ++r) {
            interrupts.look(1);
            const std::uint64_t stop = start(r) + length(r);
            overlap |= start(r) < reached;
            reached = std::max(reached, stop);
            stops_.data()[r] = stop;
        }
        overlap_ = overlap;
    }

    std::size_t size() const { return size_; }
    // Do any two stretches share an element?
    bool overlap() const { return overlap_; }
    // A sweep waits for the stop to know where to go on, so that one is kept ready; the rest is unpacked meanwhile.
    Stretch operator[](std::size_t r) const {
        const std::uint64_t mask = keys_.data()[r] & ((std::uint64_t{1} << bits_.mask) - 1);
        return Stretch{static_cast<std::int64_t>(start(r)), static_cast<std::int64_t>(stops_.data()[r]), mask};
    }

  private:
    std::uint64_t start(std::size_t r) const { return keys_.data()[r] >> (bits_.length + bits_.mask); }
    std::uint64_t length(std::size_t r) const {
        return keys_.data()[r] >> bits_.mask & ((std::uint64_t{1} << bits_.length) - 1);
    }

    Bits bits_;
    LargeBuffer<std::uint64_t> keys_;
    LargeBuffer<std::uint64_t> stops_;  // before that, the spare room of the sort
    std::size_t size_;
    bool overlap_;
};

// The same for any numbers, sorted by comparison.
class PlainStretches {
  public:
    PlainStretches(const RunLengthView &view, InterruptCheck &interrupts) {
        stretches_.reserve(view.stretches);
        for (std::size_t m = 0; m < view.masks; ++m) {
            for (std::int64_t r = view.offsets[m]; r < view.offsets[m + 1]; ++r) {
                stretches_.push_back(Stretch{view.starts[r], view.stops[r], m});
            }
        }
        const auto before = [](const Stretch &x, const Stretch &y) { return x.start < y.start; };
        std::stable_sort(stretches_.begin(), stretches_.end(), interruptible(interrupts, before));
        // As long as nothing overlaps, the stretch before is the one that reaches furthest.
        for (std::size_t r = 1; r < stretches_.size(); ++r) {
            overlap_ |= stretches_[r].start < stretches_[r - 1].stop;
        }
    }

    std::size_t size() const { return stretches_.size(); }
    bool overlap() const { return overlap_; }
    Stretch operator[](std::size_t r) const { return stretches_[r]; }

  private:
    std::vector<Stretch> stretches_;
    bool overlap_ = false;
};

// Shared elements per pair of masks: a matrix where it is small, else a hash.
class SharedCounts {
  public:
    SharedCounts(std::size_t masks_a, std::size_t masks_b) : width_(masks_b), table_(0) {
        constexpr std::size_t most_cells = std::size_t{1} << 13;  // what stays in the first caches
        if (masks_b == 0 || masks_a <= most_cells / masks_b) {
            cells_.resize(masks_a * masks_b);
        }
    }

    bool is_matrix() const { return !cells_.empty(); }
    void add_to_matrix(std::size_t a, std::size_t b, std::int64_t count) { cells_[a * width_ + b] += count; }
    void add(std::size_t a, std::size_t b, std::int64_t count) {
        if (is_matrix()) {
            add_to_matrix(a, b, count);
        } else {
            table_.add(PairCount{a, b, count});
        }
    }

    std::vector<PairCount> rows() const {
        if (cells_.empty()) {
            std::vector<PairCount> rows = table_.rows();
            InterruptCheck interrupts;
            sort_rows(rows, interrupts);
            return rows;
        }
        std::vector<PairCount> rows;
        for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
            if (cells_[cell] != 0) {
                rows.push_back(PairCount{cell / width_, cell % width_, cells_[cell]});
            }
        }
        return rows;
    }

  private:
    std::size_t width_;
    std::vector<std::int64_t> cells_;
    PairTable table_;
};

// Both sides disjoint: of the two stretches at hand, the one that stops first is done. meet(a, b, n) is called for each step,
// with n <= 0 if the stretches do not overlap; so the loop itself has no branch to mispredict.
template <typename Stretches, typename Meet>
void step_disjoint(const Stretches &a, const Stretches &b, const Meet &meet) {
    const std::size_t size_a = a.size(), size_b = b.size();
    std::size_t i = 0, j = 0;
    InterruptCheck interrupts;
    while (i < size_a && j < size_b) {
        interrupts.look(1);
        const Stretch stretch_a = a[i], stretch_b = b[j];
        meet(stretch_a.mask, stretch_b.mask,
             std::min(stretch_a.stop, stretch_b.stop) - std::max(stretch_a.start, stretch_b.start));
        const bool a_done = stretch_a.stop <= stretch_b.stop;
        i += a_done;
        j += !a_done;
    }
}

template <typename Stretches>
void meet_disjoint(const Stretches &a, const Stretches &b, SharedCounts &shared) {
    if (shared.is_matrix()) {
        step_disjoint(a, b, [&shared](std::size_t mask_a, std::size_t mask_b, std::int64_t n) {
            shared.add_to_matrix(mask_a, mask_b, n & ~(n >> 63));  // 0 instead of a negative number
        });
    } else {
        step_disjoint(a, b, [&shared](std::size_t mask_a, std::size_t mask_b, std::int64_t n) {
            if (n > 0) {
                shared.add(mask_a, mask_b, n);
            }
        });
    }
}

// Meet the stretches of the other side that reach past the start of `stretch`; forget those that do not.
template <typename Meet>
void meet_open_stretches(std::vector<Stretch> &open, const Stretch &stretch, const Meet &meet) {
    for (std::size_t i = 0; i < open.size();) {
        if (open[i].stop <= stretch.start) {
            open[i] = open.back();
            open.pop_back();
        } else {
            meet(open[i].mask, std::min(open[i].stop, stretch.stop) - stretch.start);
            ++i;
        }
    }
}

// Two stretches overlap exactly if the later start is inside the other stretch; so each overlap is met once, at that start.
template <typename Stretches>
void meet_overlapping(const Stretches &a, const Stretches &b, SharedCounts &shared) {
    std::vector<Stretch> open_a, open_b;
    InterruptCheck interrupts;
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        interrupts.look(1 + open_a.size() + open_b.size());
        const bool take_a = j == b.size() || (i < a.size() && a[i].start <= b[j].start);
        if (take_a) {
            const Stretch stretch = a[i++];
            meet_open_stretches(open_b, stretch,
                                [&](std::size_t mask, std::int64_t n) { shared.add(stretch.mask, mask, n); });
            open_a.push_back(stretch);
        } else {
            const Stretch stretch = b[j++];
            meet_open_stretches(open_a, stretch,
                                [&](std::size_t mask, std::int64_t n) { shared.add(mask, stretch.mask, n); });
            open_b.push_back(stretch);
        }
    }
}

template <typename Stretches>
void meet(const Stretches &a, const Stretches &b, SharedCounts &shared) {
    if (a.overlap() || b.overlap()) {
        meet_overlapping(a, b, shared);
    } else {
        meet_disjoint(a, b, shared);
    }
}

template <typename Stretches>
RunLengthLists unite(const Stretches &stretches, InterruptCheck &interrupts) {
    RunLengthLists result;
    for (std::size_t r = 0; r < stretches.size(); ++r) {
        interrupts.look(1);
        const Stretch stretch = stretches[r];
        if (!result.stops.empty() && stretch.start <= result.stops.back()) {
            result.stops.back() = std::max(result.stops.back(), stretch.stop);
        } else {
            result.add(stretch.start, stretch.stop);
        }
    }
    result.end_mask();
    return result;
}

}  // namespace

std::vector<PairCount> intersect_run_lengths(const RunLengthView &a, const RunLengthView &b,
                                             InterruptCheck &interrupts) {
    const PackedStretches::Bits bits_a(a, interrupts), bits_b(b, interrupts);
    SharedCounts shared(a.masks, b.masks);
    if (bits_a.fit() && bits_b.fit()) {
        meet(PackedStretches(a, bits_a, interrupts), PackedStretches(b, bits_b, interrupts), shared);
    } else {
        meet(PlainStretches(a, interrupts), PlainStretches(b, interrupts), shared);
    }
    return shared.rows();
}

RunLengthLists union_run_lengths(const RunLengthView &view, InterruptCheck &interrupts) {
    const PackedStretches::Bits bits(view, interrupts);
    return bits.fit() ? unite(PackedStretches(view, bits, interrupts), interrupts)
                      : unite(PlainStretches(view, interrupts), interrupts);
}

std::vector<std::int64_t> mask_sizes(const RunLengthView &view, InterruptCheck &interrupts) {
    std::vector<std::int64_t> sizes(view.masks);
    for (std::size_t m = 0; m < view.masks; ++m) {
        interrupts.look(static_cast<std::size_t>(view.offsets[m + 1] - view.offsets[m]) + 1);
        std::int64_t size = 0;  // a local sum: to a compiler, the vector could be the memory of the stretches
        for (std::int64_t r = view.offsets[m]; r < view.offsets[m + 1]; ++r) {
            size += view.stops[r] - view.starts[r];
        }
        sizes[m] = size;
    }
    return sizes;
}

bool masks_overlap(const RunLengthView &view, InterruptCheck &interrupts) {
    const PackedStretches::Bits bits(view, interrupts);
    return bits.fit() ? PackedStretches(view, bits, interrupts).overlap() : PlainStretches(view, interrupts).overlap();
}

}  // namespace segmetry
