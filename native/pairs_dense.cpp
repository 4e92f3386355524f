#include "pairs_dense.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "compat.hpp"
#include "joint_ends.hpp"

namespace segmetry {

namespace {

// The sampled labels of one side that the box shall contain.
class SampledSide {
  public:
    explicit SampledSide(std::vector<std::uint64_t> &labels)
        : low(*std::min_element(labels.begin(), labels.end())),
          high(*std::max_element(labels.begin(), labels.end())),
          labels_(labels),
          end_(labels.size()) {}

    int bits() const { return bits_of(high - low); }
    bool has_most() const { return (end_ - begin_) * 2 >= labels_.size(); }

    // Leaves out the fewer of the labels on both sides of the widest gap.
    void cut() {
        if (!sorted_) {
            std::sort(labels_.begin(), labels_.end());
            sorted_ = true;
        }
        std::size_t widest = begin_ + 1;
        for (std::size_t at = begin_ + 1; at < end_; ++at) {
            if (labels_[at] - labels_[at - 1] > labels_[widest] - labels_[widest - 1]) {
                widest = at;
            }
        }
        (widest - begin_ < end_ - widest ? begin_ : end_) = widest;
        low = labels_[begin_];
        high = labels_[end_ - 1];
    }

    std::uint64_t low;
    std::uint64_t high;

  private:
    std::vector<std::uint64_t> &labels_;
    bool sorted_ = false;
    std::size_t begin_ = 0;
    std::size_t end_;
};

// Labels that were not sampled may lie a little below the others: the box begins there where it needs no further bit for
// it, and ends at the largest label of the dtype or before.
std::uint64_t lowest_of_box(const SampledSide &sampled, const Side &side) {
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - 8 * side.width);
    const std::uint64_t reach = (std::uint64_t{1} << sampled.bits()) - 1, range = sampled.high - sampled.low;
    const std::uint64_t below = std::min({(reach - range) / 2, sampled.low, range / 16 + 1});
    return std::min(sampled.low - below, largest - reach);
}

}  // namespace

std::optional<LabelBox> box_of_labels(const PairView &view, std::vector<std::uint64_t> (&samples)[2], int most_bits) {
    constexpr int most_cuts = 8;
    SampledSide sides[2] = {SampledSide(samples[0]), SampledSide(samples[1])};
    for (int cuts = 0; sides[0].bits() + sides[1].bits() > most_bits; ++cuts) {
        if (cuts == most_cuts) {
            return std::nullopt;
        }
        sides[sides[0].bits() >= sides[1].bits() ? 0 : 1].cut();
    }
    if (!sides[0].has_most() || !sides[1].has_most()) {
        return std::nullopt;
    }
    LabelBox box{};
    for (int s = 0; s < 2; ++s) {
        box.low[s] = lowest_of_box(sides[s], view.side[s]);
        box.bits[s] = sides[s].bits();
    }
    return box;
}

DenseCounts::DenseCounts(const PairView &view, const LabelBox &box, bool spread, int widest_vectors)
    : cell_search_(cell_search_for(view.side[0].width, view.side[1].width, spread, widest_vectors)),
      write_rows_(write_rows_for(widest_vectors)),
      box_(box),
      tables_(spread ? kTables : 1) {
    for (int s = 0; s < 2; ++s) {
        first_[s] = box.low[s] ^ view.side[s].order_flip();
    }
    for_widths(view.side[0].width, view.side[1].width, [this](auto a, auto b) {
        constexpr int width_a = decltype(a)::value, width_b = decltype(b)::value;
        add_stretches_ = tables_ == 1 ? &DenseCounts::add_checked<width_a, width_b, false, 1>
                                      : &DenseCounts::add_checked<width_a, width_b, false, kTables>;
        add_elements_ = &DenseCounts::add_elements<width_a, width_b>;
    });
}

void DenseCounts::clear() {
    counts_ = LargeBuffer<std::uint32_t>();
    ones_ = LargeBuffer<std::uint8_t>();
}

template <typename Count>
void DenseCounts::open(LargeBuffer<Count> &counts) const {
    if (counts.capacity() == 0) {
        counts = LargeBuffer<Count>(std::max(tables_ * cells(), kFullLine));
        std::fill_n(counts.data(), counts.capacity(), Count{0});
    }
}

// Labels are subtracted as they are stored, modulo 2^(8 * width): that is their distance in numeric order too. A byte of a
// bool that is neither 0 nor 1 lies outside of the box of bools.
template <int WidthA, int WidthB, bool Each, std::size_t Tables>
std::size_t DenseCounts::add_checked(const char *a, const char *b, const std::uint32_t *ends, std::size_t begin,
                                     std::size_t stretches, const StretchColumns &outside) {
    using LabelA = LabelOfWidth<WidthA>;
    using LabelB = LabelOfWidth<WidthB>;
    open(counts_);
    std::uint32_t *const counts = counts_.data();
    const auto first_a = static_cast<LabelA>(first_[0]);
    const auto first_b = static_cast<LabelB>(first_[1]);
    const std::uint64_t size_a = std::uint64_t{1} << box_.bits[0], size_b = std::uint64_t{1} << box_.bits[1];
    const std::size_t size = cells();
    auto start = static_cast<std::uint32_t>(begin);
    std::size_t left_out = 0;
    for (std::size_t r = 0; r < stretches; ++r) {
        const std::uint32_t end = Each ? start : ends[r];
        const std::uint64_t cell_a = static_cast<LabelA>(label_at<WidthA>(a, end) - first_a);
        const std::uint64_t cell_b = static_cast<LabelB>(label_at<WidthB>(b, end) - first_b);
        const std::uint32_t length = Each ? 1 : end + 1 - start;
        start = end + 1;
        if (cell_a < size_a && cell_b < size_b) {
            counts[r % Tables * size + cell_a * size_b + cell_b] += length;
        } else {
            outside.ends[left_out] = end;
            outside.lengths[left_out++] = length;
        }
    }
    return left_out;
}

// The cells of n elements; false if one of them is not in the box.
template <int WidthA, int WidthB>
bool DenseCounts::find_cells(const char *a, const char *b, std::size_t n, std::uint32_t *found) const {
    using LabelA = LabelOfWidth<WidthA>;
    using LabelB = LabelOfWidth<WidthB>;
    const auto first_a = static_cast<LabelA>(first_[0]);
    const auto first_b = static_cast<LabelB>(first_[1]);
    // A copy: to a compiler, writing cells could change the member, which keeps it from using vectors. Bytes are found faster
    // one by one than widened in vectors.
    using Bits = std::conditional_t<WidthA + WidthB == 2, const int &, const int>;
    Bits bits_b = box_.bits[1];
    LabelA any_a = 0;
    LabelB any_b = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto cell_a = static_cast<LabelA>(label_at<WidthA>(a, i) - first_a);
        const auto cell_b = static_cast<LabelB>(label_at<WidthB>(b, i) - first_b);
        any_a = static_cast<LabelA>(any_a | cell_a);
        any_b = static_cast<LabelB>(any_b | cell_b);
        found[i] = static_cast<std::uint32_t>(cell_a) << bits_b | static_cast<std::uint32_t>(cell_b);
    }
    return std::uint64_t{any_a} >> box_.bits[0] == 0 && std::uint64_t{any_b} >> box_.bits[1] == 0;
}

template <std::size_t Tables>
void DenseCounts::count_cells(const std::uint32_t *found, std::size_t n) {
    std::uint8_t *const ones = ones_.data();
    const std::size_t size = cells();
    std::size_t i = 0;
    for (; i + kTables <= n; i += kTables) {
        for (std::size_t k = 0; k < kTables; ++k) {
            const std::size_t cell = k % Tables * size + found[i + k];
            if (++ones[cell] == 0) {
                carry(cell);
            }
        }
    }
    for (; i < n; ++i) {
        if (++ones[found[i]] == 0) {
            carry(found[i]);
        }
    }
}

void DenseCounts::open_counts() { open(counts_); }

void DenseCounts::carry(std::size_t cell) {
    open_counts();
    counts_.data()[cell] += 256;
}

template <int WidthA, int WidthB>
std::size_t DenseCounts::add_elements(const char *a, const char *b, std::size_t n, const StretchColumns &outside) {
    // Wide elements a few at a time, so that their memory is read while the ones before are counted.
    constexpr std::size_t together = WidthA + WidthB >= 8 ? 64 : 1024;
    std::uint32_t found[together];
    open(ones_);
    std::size_t left_out = 0;
    for (std::size_t begin = 0; begin < n; begin += together) {
        const std::size_t size = std::min(together, n - begin);
        if (!find_cells<WidthA, WidthB>(a + begin * WidthA, b + begin * WidthB, size, found)) {
            const StretchColumns rest{outside.ends + left_out, outside.lengths + left_out};
            left_out += add_checked<WidthA, WidthB, true, 1>(a, b, nullptr, begin, size, rest);
        } else if (tables_ == 1) {
            count_cells<1>(found, size);
        } else {
            count_cells<kTables>(found, size);
        }
    }
    return left_out;
}

std::size_t DenseCounts::add(const char *a, const char *b, const std::uint32_t *ends, std::size_t stretches,
                             const StretchColumns &outside) {
    return (this->*add_stretches_)(a, b, ends, 0, stretches, outside);
}

std::size_t DenseCounts::add_each(const char *a, const char *b, std::size_t n, const StretchColumns &outside) {
    return (this->*add_elements_)(a, b, n, outside);
}

namespace {

template <typename Count>
std::size_t count_of_full(const Count *counts, std::size_t n) {
    std::uint32_t full = 0;  // of few bits, for vectors
    for (std::size_t i = 0; i < n; ++i) {
        full += counts[i] != 0;
    }
    return full;
}

}  // namespace

void DenseCounts::finish() {
    add_last_piece();
    if (ones_.capacity() == 0 || tables_ > 1) {
        open(counts_);
    }
    if (counts_.capacity() == 0) {
        pairs_ = count_of_full(ones_.data(), cells());
        return;
    }
    std::uint32_t *const counts = counts_.data();
    for (std::size_t cell = 0; cell < std::min(ones_.capacity(), tables_ * cells()); ++cell) {
        counts[cell] += ones_.data()[cell];
    }
    ones_ = LargeBuffer<std::uint8_t>();
    for (std::size_t table = 1; table < tables_; ++table) {
        std::uint32_t *const other = counts + table * cells();
        for (std::size_t cell = 0; cell < cells(); ++cell) {
            counts[cell] += std::exchange(other[cell], 0);
        }
    }
    pairs_ = count_of_full(counts, cells());
}

}  // namespace segmetry
