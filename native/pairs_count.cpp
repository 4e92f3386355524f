#include "pairs_count.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "call_in_threads.hpp"
#include "interrupts.hpp"
#include "joint_ends.hpp"
#include "pairs_blocks.hpp"
#include "pairs_labels.hpp"

namespace segmetry {

namespace {

template <typename Rows>
std::vector<PairCount> as_vector(const Rows &rows) {
    std::vector<PairCount> result;
    rows.for_each([&result](const PairCount &row) { result.push_back(row); });
    return result;
}

// The sum of two tables that are sorted.
PairRows add_rows(const PairRows &x, const PairRows &y) {
    std::vector<PairCount> merged;
    merged.reserve(x.size() + y.size());
    const std::vector<PairCount> other = as_vector(y);
    auto next = other.begin();
    x.for_each([&](PairCount row) {
        for (; next != other.end() && pair_before(*next, row); ++next) {
            merged.push_back(*next);
        }
        if (next != other.end() && next->same_key(row)) {
            row.count += (next++)->count;
        }
        merged.push_back(row);
    });
    merged.insert(merged.end(), next, other.end());
    return PairRows(std::move(merged));
}

// One thread's part of the positions.
class SlabCounter {
  public:
    SlabCounter(const PairView &view, std::size_t begin, std::size_t end, const Tuning &tuning)
        : view_(view),
          begin_(begin),
          end_(end),
          tuning_(tuning),
          room_(std::min(kBlock, end - begin)),
          ends_(new std::uint32_t[room_ + kSpareEnds]),
          lengths_(new std::uint32_t[room_]),
          find_ends_(find_ends_for(view.side[0].width, view.side[1].width, tuning.widest_vectors)),
          scan_waits_(view.bytes() >= tuning.beyond_caches) {}

    void count(InterruptCheck &interrupts) {
        if (end_ - begin_ > kBlock) {
            open_dense(sample_pairs(view_, begin_, end_));
        }
        BlockReader block(view_, begin_, end_);
        for (bool first = true; block.next(); first = false) {
            interrupts.look(block.size);
            empty_dense_before(block.size);
            const StretchColumns outside{ends_.get(), lengths_.get()};
            const std::size_t left_out = add_block(block, first, outside);
            if (left_out > 0) {
                add_outside(block, outside, left_out, interrupts);
            }
        }
    }

    PairRows finish(InterruptCheck &interrupts) {
        PairRows rows;
        if (spilled_) {
            rows = PairRows(spilled_->finish());
        } else if (table_) {
            std::vector<PairCount> unsorted = table_->rows();
            sort_rows(unsorted, interrupts);
            rows = PairRows(std::move(unsorted));
        }
        if (!dense_.is_open()) {
            return rows;
        }
        dense_.finish();
        // Bytes of bools outside of the box may stand for labels in it.
        if (!taken_out_ && (rows.size() == 0 || !(view_.side[0].is_bool || view_.side[1].is_bool))) {
            return PairRows(std::move(dense_), as_vector(rows));
        }
        take_out_counts();
        return add_rows(*taken_out_, rows);
    }

  private:
    // Where stretches are shorter, elements are counted one by one; after so many blocks stretches are looked for again.
    static constexpr std::size_t kShortestRun = 2, kBlocksWithoutRuns = 15;

    // Counts what lies in the box of the dense table; the other stretches are written to `outside`. Returns how many.
    std::size_t add_block(const BlockReader &block, bool first, const StretchColumns &outside) {
        const char *const a = block.data[0], *const b = block.data[1];
        if (blocks_without_runs_ > 0) {
            --blocks_without_runs_;
            return dense_.add_each(a, b, block.size, outside);
        }
        if (dense_.is_open() && scan_waits_) {
            if (const auto left_out = dense_.add_found(a, b, block.size, kShortestRun, outside)) {
                return *left_out;
            }
        }
        const std::size_t stretches = find_ends_(a, b, block.size, ends_.get());
        if (first && end_ - begin_ <= kBlock) {
            open_dense(sample_block(view_, block.data, ends_.get(), stretches));
        }
        if (!dense_.is_open()) {
            write_lengths(stretches);
            return stretches;
        }
        if (stretches > block.size / kShortestRun) {
            blocks_without_runs_ = kBlocksWithoutRuns;
            return dense_.add_each(a, b, block.size, outside);
        }
        return dense_.add(a, b, ends_.get(), stretches, outside);
    }

    void open_dense(PairSample sample) {
        const std::size_t stretches = sample.stretches_in(end_ - begin_);
        // Clearing and reading the table must not cost more than the stretches.
        const std::size_t worth = std::min(tuning_.most_cells, std::max(8 * stretches, std::size_t{1} << 10));
        const auto box = box_of_labels(view_, sample.labels, bits_of(worth) - 1);
        if (box && tuning_.most_in_cell >= kBlock) {
            const std::size_t cells = std::size_t{1} << box->bits_of_pair();
            dense_ = DenseCounts(view_, *box, cells <= 1024 && stretches >= 16 * cells, tuning_.widest_vectors);
        }
    }

    // Its counts have 32 bits.
    void empty_dense_before(std::size_t positions) {
        if (dense_.is_open() && (in_dense_ += positions) > tuning_.most_in_cell) {
            take_out_counts();
            in_dense_ = positions;
        }
    }

    void take_out_counts() {
        dense_.finish();
        PairRows rows(as_vector(dense_));
        taken_out_ = taken_out_ ? add_rows(*taken_out_, rows) : std::move(rows);
        dense_.clear();
    }

    void write_lengths(std::size_t stretches) {
        const std::uint32_t *const ends = ends_.get();
        std::uint32_t *const lengths = lengths_.get();
        lengths[0] = ends[0] + 1;
        for (std::size_t r = 1; r < stretches; ++r) {
            lengths[r] = ends[r] - ends[r - 1];
        }
    }

    void add_outside(const BlockReader &block, const StretchColumns &outside, std::size_t stretches,
                     InterruptCheck &interrupts) {
        for (int s = 0; s < 2; ++s) {
            labels_[s].resize(room_);
            read_labels(view_.side[s], block.data[s], outside.ends, stretches, labels_[s].data());
        }
        if (spilled_) {
            spilled_->add_stretches(labels_[0].data(), labels_[1].data(), outside.lengths, stretches);
            return;
        }
        if (!table_) {
            table_.emplace(room_);
        }
        const std::size_t known = table_->size();
        table_->add_stretches(labels_[0].data(), labels_[1].data(), outside.lengths, stretches);
        const bool mostly_new = (table_->size() - known) * 2 > stretches && table_->size() > tuning_.spill_after;
        if (may_spill_ && (mostly_new || table_->size() > tuning_.sort_after)) {
            start_spilling(end_ - block.left(), !mostly_new, interrupts);
        }
    }

    // Pairs that are still to come must fit into the keys too, so their range is read first.
    void start_spilling(std::size_t position, bool repeat, InterruptCheck &interrupts) {
        LabelRange range = range_of_labels(position, interrupts);
        const std::vector<PairCount> rows = table_->rows();
        for (const PairCount &row : rows) {
            range.include(0, row.a);
            range.include(1, row.b);
        }
        const KeyPacking packing(range);
        if (!packing.fits(kFewestCountBits)) {
            may_spill_ = false;
            return;
        }
        spilled_.emplace(packing, std::min(tuning_.chunk, rows.size() + (end_ - position)), repeat, interrupts);
        for (const PairCount &row : rows) {
            spilled_->add(row);
        }
        table_.reset();
    }

    LabelRange range_of_labels(std::size_t position, InterruptCheck &interrupts) const {
        LabelRange range;
        BlockReader block(view_, position, end_);
        while (block.next()) {
            interrupts.look(block.size);
            for (int s = 0; s < 2; ++s) {
                widen_range(view_.side[s], s, block.data[s], block.size, range);
            }
        }
        return range;
    }

    const PairView &view_;
    std::size_t begin_;
    std::size_t end_;
    Tuning tuning_;
    std::size_t room_;                                 // for the stretches of a block
    std::unique_ptr<std::uint32_t[]> ends_, lengths_;  // not cleared: few of them are used, mostly
    FindEnds find_ends_;
    bool scan_waits_;
    std::vector<std::uint64_t> labels_[2];
    DenseCounts dense_;
    std::size_t in_dense_ = 0;
    std::size_t blocks_without_runs_ = 0;
    std::optional<PairRows> taken_out_;  // of the dense table
    std::optional<PairTable> table_;
    bool may_spill_ = true;
    std::optional<SpilledPairs> spilled_;
};

}  // namespace

PairRows count_pairs(const PairView &view, std::size_t threads, const Tuning &tuning) {
    if (view.size == 0) {
        return PairRows();
    }
    const std::size_t slabs = std::clamp<std::size_t>(view.size / std::max<std::size_t>(tuning.slab, 1), 1, threads);
    std::vector<PairRows> parts(slabs);
    call_in_threads(slabs, [&](std::size_t i, InterruptCheck &interrupts) {
        const std::size_t share = view.size / slabs;
        const std::size_t begin = i * share;
        SlabCounter counter(view, begin, i + 1 == slabs ? view.size : begin + share, tuning);
        counter.count(interrupts);
        parts[i] = counter.finish(interrupts);
    });
    PairRows total = std::move(parts[0]);
    for (std::size_t i = 1; i < slabs; ++i) {
        total = add_rows(total, parts[i]);
    }
    return total;
}

}  // namespace segmetry
