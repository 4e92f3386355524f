#include "pairs_count.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "interrupts.hpp"
#include "stretches.hpp"

namespace segmetry {

namespace {

// Converts labels to the form in which they are counted: unsigned, in numeric order.
void order_labels(const Side &side, std::uint64_t *labels, std::size_t count) {
    // A byte reinterpreted as bool may be any number; numpy reads every one except zero as True.
    if (side.is_bool) {
        for (std::size_t i = 0; i < count; ++i) {
            labels[i] = labels[i] != 0;
        }
    }
    if (const std::uint64_t flip = side.order_flip()) {
        for (std::size_t i = 0; i < count; ++i) {
            labels[i] ^= flip;
        }
    }
}

template <typename T>
void widen_range(const char *data, std::size_t count, std::uint64_t flip, int side, LabelRange &range) {
    T low = std::numeric_limits<T>::max(), high = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const T value = static_cast<T>(label_at<sizeof(T)>(data, i) ^ flip);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    range.include(side, low);
    range.include(side, high);
}

void widen_range(const Side &side, int which, const char *data, std::size_t count, LabelRange &range) {
    const std::uint64_t flip = side.order_flip();
    switch (side.width) {
        case 1: return widen_range<std::uint8_t>(data, count, flip, which, range);
        case 2: return widen_range<std::uint16_t>(data, count, flip, which, range);
        case 4: return widen_range<std::uint32_t>(data, count, flip, which, range);
        default: return widen_range<std::uint64_t>(data, count, flip, which, range);
    }
}

// Returns blocks of at most kBlock positions as two dense pieces of memory; copies only what is not dense.
class BlockReader {
  public:
    BlockReader(const PairView &view, std::size_t begin, std::size_t end) : cursor_(view, begin), left_(end - begin) {
        for (int s = 0; s < 2; ++s) {
            const Side &side = view.side[s];
            in_place_[s] = view.axes.back().step[s] == side.width && !side.is_swapped &&
                           (view.axes.size() == 1 || view.row_length() >= kShortRow);
            if (!in_place_[s]) {
                copies_[s].resize(kBlock * static_cast<std::size_t>(side.width));
            }
        }
    }

    // False at the end; otherwise data[0], data[1] and size describe the next block.
    bool next() {
        cursor_.advance(size);
        left_ -= size;
        size = std::min(left_, kBlock);
        if (size == 0) {
            return false;
        }
        if (in_place_[0] || in_place_[1]) {
            size = std::min(size, cursor_.left_in_row());
        }
        for (int s = 0; s < 2; ++s) {
            if (!in_place_[s]) {
                cursor_.gather(s, size, copies_[s].data());
            }
            data[s] = in_place_[s] ? cursor_.address(s) : copies_[s].data();
        }
        return true;
    }

    std::size_t left() const { return left_ - size; }

    const char *data[2] = {nullptr, nullptr};
    std::size_t size = 0;

  private:
    static constexpr std::size_t kShortRow = 256;  // copying several short rows together beats scanning each alone

    Cursor cursor_;
    std::size_t left_;
    bool in_place_[2];
    std::vector<char> copies_[2];
};

// One thread's part of the positions.
class SlabCounter {
  public:
    SlabCounter(const PairView &view, std::size_t begin, std::size_t end, const Tuning &tuning)
        : view_(view), begin_(begin), end_(end), tuning_(tuning), table_(std::min(kBlock, end - begin)) {}

    void count(InterruptCheck &interrupts) {
        const FindStretches find_stretches = find_stretches_for(view_.side[0].width, view_.side[1].width);
        const std::size_t most_stretches = std::min(kBlock, end_ - begin_);
        std::vector<std::uint32_t> ends(most_stretches);
        std::vector<std::uint64_t> labels[2];
        for (std::vector<std::uint64_t> &side : labels) {
            side.resize(most_stretches);
        }
        const StretchColumns columns{ends.data(), {labels[0].data(), labels[1].data()}};
        BlockReader block(view_, begin_, end_);
        while (block.next()) {
            interrupts.look(block.size);
            const std::size_t stretches = find_stretches(block.data[0], block.data[1], block.size, columns);
            for (int s = 0; s < 2; ++s) {
                order_labels(view_.side[s], columns.labels[s], stretches);
            }
            if (spilled_) {
                spilled_->add_stretches(labels[0].data(), labels[1].data(), ends.data(), stretches);
                continue;
            }
            const std::size_t known = table_.size();
            table_.add_stretches(labels[0].data(), labels[1].data(), ends.data(), stretches);
            const bool mostly_new = (table_.size() - known) * 2 > stretches;
            if (mostly_new && table_.size() > tuning_.spill_after && may_spill_) {
                start_spilling(end_ - block.left(), interrupts);
            }
        }
    }

    PairRows finish() {
        if (spilled_) {
            return PairRows(spilled_->finish());
        }
        std::vector<PairCount> rows = table_.rows();
        sort_rows(rows);
        return PairRows(std::move(rows));
    }

  private:
    // Pairs that are still to come must fit into the keys too, so their range is read first.
    void start_spilling(std::size_t position, InterruptCheck &interrupts) {
        LabelRange range = range_of_labels(position, interrupts);
        const std::vector<PairCount> rows = table_.rows();
        for (const PairCount &row : rows) {
            range.include(0, row.a);
            range.include(1, row.b);
        }
        const KeyPacking packing(range);
        if (!packing.fits(kFewestCountBits)) {
            may_spill_ = false;
            return;
        }
        spilled_.emplace(packing, std::min(tuning_.chunk, rows.size() + (end_ - position)));
        for (const PairCount &row : rows) {
            spilled_->add(row);
        }
        table_ = PairTable(0);  // never used again
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
    PairTable table_;
    bool may_spill_ = true;
    std::optional<SpilledPairs> spilled_;
};

std::vector<PairCount> as_vector(const PairRows &rows) {
    std::vector<PairCount> result;
    result.reserve(rows.size());
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

// Calls work(0, …) … work(count - 1, …), each in a thread of its own where the system provides one; rethrows the first
// failure. The calling thread looks for interrupts, also while it waits for the others, and stops them.
template <typename Work>
void call_in_threads(std::size_t count, const Work &work) {
    std::vector<std::exception_ptr> failures(count);
    std::atomic<bool> stopped{false};
    std::mutex mutex;
    std::condition_variable one_has_ended;
    std::size_t running = 0;
    const auto guarded = [&](std::size_t i, InterruptCheck interrupts) noexcept {
        try {
            work(i, interrupts);
        } catch (...) {
            failures[i] = std::current_exception();
            stopped = true;
        }
    };
    std::vector<std::thread> started;
    started.reserve(count);
    for (std::size_t i = 1; i < count; ++i) {
        try {
            started.emplace_back([&, i] {
                guarded(i, InterruptCheck(stopped));
                const std::lock_guard<std::mutex> lock(mutex);
                --running;
                one_has_ended.notify_one();
            });
            const std::lock_guard<std::mutex> lock(mutex);
            ++running;
        } catch (const std::system_error &) {
            guarded(i, InterruptCheck());
        }
    }
    guarded(0, InterruptCheck());
    try {
        InterruptCheck interrupts;
        std::unique_lock<std::mutex> lock(mutex);
        while (running != 0 && !stopped) {
            one_has_ended.wait_for(lock, std::chrono::milliseconds(50));
            lock.unlock();
            interrupts.look_now();
            lock.lock();
        }
    } catch (...) {
        failures[0] = std::current_exception();
        stopped = true;
    }
    for (std::thread &thread : started) {
        thread.join();
    }
    for (const std::exception_ptr &failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

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
        parts[i] = counter.finish();
    });
    PairRows total = std::move(parts[0]);
    for (std::size_t i = 1; i < slabs; ++i) {
        total = add_rows(total, parts[i]);
    }
    return total;
}

}  // namespace segmetry
