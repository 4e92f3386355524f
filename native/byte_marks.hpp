// Marks some bytes of a row and finds the next mark: 64 bytes are one word of bits, and 64 words one bit each of a summary,
// so that a search looks at three words, however far the next mark is (rows of at most 4096 bytes).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compat.hpp"

namespace segmetry {

class ByteMarks {
  public:
    // For rows of at most `most` bytes.
    explicit ByteMarks(std::size_t most) : words_((most / 4096 + 1) * 64), summary_(most / 4096 + 1) {}

    // Marks the bytes of a row that are not zero.
    void mark_nonzero(const unsigned char *row, std::size_t size) { mark(row, nullptr, size); }
    // Marks the bytes of a row that differ from the byte `step` further on; none of the last `step` bytes is marked.
    void mark_changes(const unsigned char *row, std::size_t size, std::size_t step) {
        mark(row, row + std::min(step, size), size - std::min(step, size));
    }

    // The first marked byte from `at` on; the size of what was marked if there is none.
    std::size_t next(std::size_t at) const {
        const std::size_t word = at / 64;
        const std::uint64_t rest = words_[word] >> at % 64;
        return rest != 0 ? at + static_cast<std::size_t>(trailing_zeros(rest)) : next_after(word);
    }

  private:
    std::size_t next_after(std::size_t word) const {
        std::size_t group = word / 64;
        std::uint64_t later = summary_[group] & ~std::uint64_t{1} << word % 64;
        while (later == 0) {
            if (++group >= n_groups_) {
                return size_;
            }
            later = summary_[group];
        }
        const std::size_t marked = 64 * group + static_cast<std::size_t>(trailing_zeros(later));
        const std::size_t found = 64 * marked + static_cast<std::size_t>(trailing_zeros(words_[marked]));
        return std::min(found, size_);  // words after the last one may be those of a longer row
    }

    void mark(const unsigned char *row, const unsigned char *other, std::size_t size);

    std::size_t size_ = 0, n_groups_ = 0;
    std::vector<std::uint64_t> words_, summary_;
};

}  // namespace segmetry
