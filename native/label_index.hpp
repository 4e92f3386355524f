// Numbers labels 0, 1, 2, … in order of first appearance: memory follows the number of labels, not their values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hash_table.hpp"

namespace segmetry {

class LabelIndex {
  public:
    explicit LabelIndex(std::size_t expected = 0) : table_(expected) {}

    // The index of `label`, or -1 where it was never added.
    std::int64_t find(std::uint64_t label) const { return table_.find({label}).index; }

    std::int64_t find_or_add(std::uint64_t label) {
        const Numbered added{label, static_cast<std::int64_t>(table_.size())};
        std::int64_t index = added.index;
        table_.update_or_insert(added.hash(), added, [&index](const Numbered &entry) { index = entry.index; });
        return index;
    }

  private:
    struct Numbered {
        std::uint64_t label = 0;
        std::int64_t index = -1;

        bool is_free() const { return index < 0; }
        bool same_key(const Numbered &other) const { return label == other.label; }
        std::uint64_t hash() const { return hash_of(label); }
    };

    HashTable<Numbered, 6, 1> table_;
};

}  // namespace segmetry
