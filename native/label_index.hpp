// A hash from label to 0, 1, 2, … in order of first appearance: its size follows the number of labels, not their values.
#pragma once

#include <cstdint>
#include <vector>

namespace segmetry {

class LabelIndex {
  public:
    explicit LabelIndex(std::int64_t expected = 0) {
        std::size_t capacity = 64;
        while (capacity < 2 * static_cast<std::size_t>(expected)) {
            capacity *= 2;
        }
        slots_.resize(capacity);
    }

    std::int64_t size() const { return size_; }

    // The index of `label`, or -1 where it was never added.
    std::int64_t find(std::uint64_t label) const { return slots_[position(label)].index; }

    std::int64_t find_or_add(std::uint64_t label) {
        Slot &slot = slots_[position(label)];
        if (slot.index >= 0) {
            return slot.index;
        }
        slot = {label, size_++};
        const std::int64_t added = slot.index;
        if (2 * static_cast<std::size_t>(size_) > slots_.size()) {
            grow();
        }
        return added;
    }

  private:
    struct Slot {
        std::uint64_t label = 0;
        std::int64_t index = -1;
    };

    // Mixes all bits (the finaliser of MurmurHash3), so that ids in any arithmetic pattern spread evenly.
    static std::uint64_t mix(std::uint64_t x) {
        x ^= x >> 33;
        x *= 0xff51afd7ed558ccdULL;
        x ^= x >> 33;
        x *= 0xc4ceb9fe1a85ec53ULL;
        return x ^ (x >> 33);
    }

    // Where `label` is, or the free slot where it belongs. At most half of the slots are taken, so the walk ends.
    std::size_t position(std::uint64_t label) const {
        const std::size_t last = slots_.size() - 1;
        std::size_t at = mix(label) & last;
        while (slots_[at].index >= 0 && slots_[at].label != label) {
            at = (at + 1) & last;
        }
        return at;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot &slot : old) {
            if (slot.index >= 0) {
                slots_[position(slot.label)] = slot;
            }
        }
    }

    std::vector<Slot> slots_;
    std::int64_t size_ = 0;
};

}  // namespace segmetry
