// A hash from label to 0, 1, 2, … in order of first appearance: its size follows the number of labels, not their values.
#pragma once

#include <cstdint>
#include <vector>

namespace segmetry {

class LabelIndex {
  public:
    explicit LabelIndex(int64_t expected = 0) {
        size_t capacity = 64;
        while (capacity < 2 * static_cast<size_t>(expected))
            capacity *= 2;
        slots_.resize(capacity);
    }

    int64_t size() const { return size_; }

    // The index of `label`, or -1 where it was never added.
    int64_t find(uint64_t label) const { return slots_[position(label)].index; }

    int64_t find_or_add(uint64_t label) {
        Slot &slot = slots_[position(label)];
        if (slot.index >= 0)
            return slot.index;
        slot = {label, size_++};
        const int64_t added = slot.index;
        if (2 * static_cast<size_t>(size_) > slots_.size())
            grow();
        return added;
    }

  private:
    struct Slot {
        uint64_t label = 0;
        int64_t index = -1;
    };

    // Mixes all bits (the finaliser of MurmurHash3), so that ids in any arithmetic pattern spread evenly.
    static uint64_t mix(uint64_t x) {
        x ^= x >> 33;
        x *= 0xff51afd7ed558ccdULL;
        x ^= x >> 33;
        x *= 0xc4ceb9fe1a85ec53ULL;
        return x ^ (x >> 33);
    }

    // Where `label` is, or the free slot where it belongs. At most half of the slots are taken, so the walk ends.
    size_t position(uint64_t label) const {
        const size_t last = slots_.size() - 1;
        size_t at = mix(label) & last;
        while (slots_[at].index >= 0 && slots_[at].label != label)
            at = (at + 1) & last;
        return at;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot &slot : old)
            if (slot.index >= 0)
                slots_[position(slot.label)] = slot;
    }

    std::vector<Slot> slots_;
    int64_t size_ = 0;
};

} // namespace segmetry
