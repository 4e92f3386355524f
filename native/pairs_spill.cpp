#include "pairs_spill.hpp"

#include <algorithm>
#include <utility>

#include "radix_sort.hpp"

namespace segmetry {

namespace {

constexpr int kRecentBits = 15;  // 256 KiB: inside the second-level cache

}  // namespace

KeyPacking::KeyPacking(const LabelRange &range)
    : low_a_(range.low[0]),
      low_b_(range.low[1]),
      bits_a_(bits_of(range.high[0] - range.low[0])),
      bits_b_(bits_of(range.high[1] - range.low[1])) {}

SpilledPairs::SpilledPairs(const KeyPacking &packing, std::size_t chunk, bool repeat, InterruptCheck &interrupts)
    : packing_(packing),
      interrupts_(interrupts),
      keys_(chunk),
      spare_(chunk),
      recent_(repeat ? std::size_t{1} << kRecentBits : 0) {}

void SpilledPairs::add_stretches(const std::uint64_t *a, const std::uint64_t *b, const std::uint32_t *lengths,
                                 std::size_t stretches) {
    const KeyPacking packing = packing_;  // a copy: to a compiler, writing keys could change the member
    const int bits = packing.count_bits();
    std::size_t r = 0;
    while (r < stretches) {
        if (used_ == keys_.capacity()) {
            sort_chunk();
        }
        const std::size_t stop = std::min(stretches, r + keys_.capacity() - used_);
        std::uint64_t *target = keys_.data() + used_;
        if (recent_.empty()) {
            for (; r < stop; ++r) {
                *target++ = packing.pack(a[r], b[r], bits, lengths[r]);
            }
        } else {
            for (; r < stop; ++r) {
                target = add_recent(packing.pack(a[r], b[r], bits, lengths[r]), target);
            }
        }
        used_ = static_cast<std::size_t>(target - keys_.data());
    }
}

// Add to a pair seen lately, or take the place of another pair, which is written to `target`; there is no branch to
// mispredict. Returns where to write next.
inline std::uint64_t *SpilledPairs::add_recent(std::uint64_t key, std::uint64_t *target) {
    const int bits = packing_.count_bits();
    const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
    std::uint64_t &place = recent_[(key >> bits) * 0x9E3779B97F4A7C15u >> (64 - kRecentBits)];
    const std::uint64_t known = place, count = key & most;
    const bool joins = (known ^ key) <= most && (known & most) + count <= most;
    *target = known;
    place = joins ? known + count : key;
    return target + (!joins && known != 0);
}

void SpilledPairs::add(const PairCount &row) {
    const int bits = packing_.count_bits();
    const std::int64_t most = (std::int64_t{1} << bits) - 1;
    for (std::int64_t left = row.count; left > 0; left -= most) {
        if (used_ == keys_.capacity()) {
            sort_chunk();
        }
        keys_.data()[used_++] = packing_.pack(row.a, row.b, bits, static_cast<std::uint64_t>(std::min(left, most)));
    }
}

// Join neighbouring keys of one pair as far as their sum fits into the low bits.
void SpilledPairs::add_up_neighbours(SortedKeys &level) const {
    const int bits = packing_.count_bits();
    const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
    std::uint64_t *keys = level.keys.data();
    std::size_t kept = 0;
    level.distinct = 0;
    in_pieces(level.size, interrupts_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const bool same = kept > 0 && keys[kept - 1] >> bits == keys[i] >> bits;
            level.distinct += !same;
            if (same && (keys[kept - 1] & most) + (keys[i] & most) <= most) {
                keys[kept - 1] += keys[i] & most;
            } else {
                keys[kept++] = keys[i];
            }
        }
    });
    level.size = kept;
}

void SpilledPairs::sort_chunk() {
    radix_sort(keys_.data(), spare_.data(), used_, packing_.count_bits(), packing_.count_bits() + packing_.label_bits(),
               interrupts_);
    SortedKeys chunk{packing_, std::move(keys_), used_, 0, {}};
    add_up_neighbours(chunk);
    SortedKeys level{packing_, LargeBuffer<std::uint64_t>(chunk.size), chunk.size, chunk.distinct, {}};
    std::copy_n(chunk.keys.data(), chunk.size, level.keys.data());
    keys_ = std::move(chunk.keys);
    used_ = 0;
    add_level(std::move(level));
}

void SpilledPairs::add_level(SortedKeys level) {
    while (!levels_.empty() && levels_.back().size < 2 * level.size) {
        level = merge(levels_.back(), level);
        levels_.pop_back();
    }
    levels_.push_back(std::move(level));
}

SortedKeys SpilledPairs::merge(const SortedKeys &x, const SortedKeys &y) const {
    SortedKeys merged{packing_, LargeBuffer<std::uint64_t>(x.size + y.size), x.size + y.size, 0, {}};
    const std::uint64_t *first = x.keys.data(), *second = y.keys.data();
    const std::uint64_t *const first_end = first + x.size, *const second_end = second + y.size;
    std::uint64_t *target = merged.keys.data();
    while (first != first_end && second != second_end) {
        // So many keys can be taken without looking for the end of a side.
        const auto left = static_cast<std::size_t>(std::min(first_end - first, second_end - second));
        const std::size_t piece = std::min(left, std::size_t{1} << 16);
        interrupts_.look(piece);
        for (std::size_t i = 0; i < piece; ++i) {
            const bool takes_second = *second < *first;
            *target++ = takes_second ? *second : *first;
            first += !takes_second;
            second += takes_second;
        }
    }
    std::copy(second, second_end, std::copy(first, first_end, target));
    add_up_neighbours(merged);
    return merged;
}

SortedKeys SpilledPairs::finish() {
    for (const std::uint64_t key : std::exchange(recent_, {})) {
        if (key == 0) {
            continue;
        }
        if (used_ == keys_.capacity()) {
            sort_chunk();
        }
        keys_.data()[used_++] = key;
    }
    // The last chunk, often the only one, needs no copy.
    radix_sort(keys_.data(), spare_.data(), used_, packing_.count_bits(), packing_.count_bits() + packing_.label_bits(),
               interrupts_);
    SortedKeys total{packing_, std::move(keys_), used_, 0, std::move(spare_)};
    const int bits = packing_.count_bits();
    const std::uint64_t *keys = total.keys.data();
    total.distinct = used_ > 0;
    for (std::size_t i = 1; i < used_; ++i) {
        total.distinct += keys[i] >> bits != keys[i - 1] >> bits;
    }
    for (; !levels_.empty(); levels_.pop_back()) {
        total = merge(total, levels_.back());
    }
    return total;
}

void sort_rows(std::vector<PairCount> &rows, InterruptCheck &interrupts) {
    constexpr std::size_t few = 256;
    LabelRange range;
    for (const PairCount &row : rows) {
        range.include(0, row.a);
        range.include(1, row.b);
    }
    const int index_bits = bits_of(rows.size());
    if (rows.size() <= few || !KeyPacking(range).fits(index_bits)) {
        const auto before = [](const PairCount &x, const PairCount &y) { return pair_before(x, y); };
        std::sort(rows.begin(), rows.end(), interruptible(interrupts, before));
    } else {
        const KeyPacking packing(range);
        std::vector<std::uint64_t> keys(rows.size()), spare(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            keys[i] = packing.pack(rows[i].a, rows[i].b, index_bits, i);
        }
        radix_sort(keys.data(), spare.data(), keys.size(), index_bits, index_bits + packing.label_bits(), interrupts);
        std::vector<PairCount> sorted(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            sorted[i] = rows[keys[i] & ((std::uint64_t{1} << index_bits) - 1)];
        }
        rows.swap(sorted);
    }
}

}  // namespace segmetry
