// A grid of up to three axes with one bit for each element, and the surface of what it marks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compat.hpp"
#include "interrupts.hpp"

namespace segmetry {

// Rows along the third axis, with a word of zeros before and after each: a window around any element lies inside. A
// margin of rows of zeros may lie around them along the first two axes.
class BitGrid {
  public:
    explicit BitGrid(const std::array<std::int64_t, 3> &size, const std::array<std::int64_t, 2> &margin = {0, 0})
        : size_(size),
          margin_(margin),
          words_((size[2] + 63) / 64),
          row_step_(words_ + 2),
          plane_step_((size[1] + 2 * margin[1]) * row_step_),
          bits_(static_cast<std::size_t>((size[0] + 2 * margin[0]) * plane_step_)) {}

    static BitGrid of_marks(const bool *marks, const std::array<std::int64_t, 3> &size, InterruptCheck &interrupts) {
        BitGrid grid(size);
        for (std::int64_t row = 0; row < size[0] * size[1]; ++row, marks += size[2]) {
            interrupts.look(static_cast<std::size_t>(size[2]));
            std::uint64_t *const words = grid.bits_.data() + row * grid.row_step_ + 1;
            for (std::int64_t word = 0; word < grid.words_; ++word) {
                words[word] = packed(marks + 64 * word, size[2] - 64 * word);
            }
        }
        return grid;
    }

    BitGrid with_margin(const std::array<std::int64_t, 2> &margin, InterruptCheck &interrupts) const {
        BitGrid result(size_, margin);
        for (std::int64_t first = 0; first < size_[0]; ++first) {
            for (std::int64_t second = 0; second < size_[1]; ++second) {
                interrupts.look(static_cast<std::size_t>(words_));
                std::copy_n(row(first, second), words_, result.at(first, second));
            }
        }
        return result;
    }

    const std::array<std::int64_t, 3> &size() const { return size_; }
    std::int64_t elements() const { return size_[0] * size_[1] * size_[2]; }
    // Words of a row, without those around it.
    std::int64_t words() const { return words_; }
    // Words from a row to the next along the first and the second axis.
    std::array<std::int64_t, 2> steps() const { return {plane_step_, row_step_}; }
    // The first word of a row; those at -1 and words() are 0.
    const std::uint64_t *row(std::int64_t first, std::int64_t second) const {
        return bits_.data() + (first + margin_[0]) * plane_step_ + (second + margin_[1]) * row_step_ + 1;
    }

    // The marked elements with a neighbour along one of `axes` axes that is not marked or not in the grid. Of two axes
    // these are the first and the third, of one the third.
    BitGrid surface(int axes, InterruptCheck &interrupts) const {
        BitGrid result(size_, margin_);
        const std::vector<std::uint64_t> none(static_cast<std::size_t>(words_ + 2));
        const auto neighbour = [&](std::int64_t first, std::int64_t second) {
            const bool is_inside = first >= 0 && first < size_[0] && second >= 0 && second < size_[1];
            return is_inside ? row(first, second) : none.data() + 1;
        };
        for (std::int64_t first = 0; first < size_[0]; ++first) {
            for (std::int64_t second = 0; second < size_[1]; ++second) {
                interrupts.look(static_cast<std::size_t>(8 * words_ + 8));
                const std::uint64_t *const here = row(first, second);
                std::array<const std::uint64_t *, 4> around{here, here, here, here};
                if (axes > 1) {
                    around[0] = neighbour(first - 1, second);
                    around[1] = neighbour(first + 1, second);
                }
                if (axes > 2) {
                    around[2] = neighbour(first, second - 1);
                    around[3] = neighbour(first, second + 1);
                }
                std::uint64_t *const target = result.at(first, second);
                for (std::int64_t at = 0; at < words_; ++at) {
                    const std::uint64_t word = here[at];
                    const std::uint64_t before = word << 1 | here[at - 1] >> 63, after = word >> 1 | here[at + 1] << 63;
                    target[at] =
                        word & ~(before & after & around[0][at] & around[1][at] & around[2][at] & around[3][at]);
                }
            }
        }
        return result;
    }

    std::size_t count(InterruptCheck &interrupts) const {
        std::size_t total = 0;
        for (std::uint64_t word : bits_) {
            total += static_cast<std::size_t>(count_of_bits(word));
        }
        interrupts.look(bits_.size());
        return total;
    }

    // Calls visit(first, second, third) for every marked element, in the order of the grid.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::int64_t first = 0; first < size_[0]; ++first) {
            for (std::int64_t second = 0; second < size_[1]; ++second) {
                const std::uint64_t *const words = row(first, second);
                for (std::int64_t at = 0; at < words_; ++at) {
                    for (std::uint64_t word = words[at]; word != 0; word &= word - 1) {
                        visit(first, second, 64 * at + trailing_zeros(word));
                    }
                }
            }
        }
    }

  private:
    std::uint64_t *at(std::int64_t first, std::int64_t second) {
        return bits_.data() + (row(first, second) - bits_.data());
    }

    // Up to 64 marks as the bits of a word; every byte but 0 is a mark.
    static std::uint64_t packed(const bool *marks, std::int64_t count) {
        constexpr std::uint64_t sevens = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101, gather = 0x0102040810204080;
        std::uint64_t word = 0;
        for (std::int64_t at = 0; at < 64 && at < count; at += 8) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, marks + at, static_cast<std::size_t>(count - at < 8 ? count - at : 8));
            if (is_big_endian()) {
                bytes = byte_swapped(bytes);
            }
            bytes = ((((bytes & sevens) + sevens) | bytes) >> 7) & ones;
            word |= (bytes * gather >> 56) << at;
        }
        return word;
    }

    std::array<std::int64_t, 3> size_;
    std::array<std::int64_t, 2> margin_;
    std::int64_t words_;
    std::int64_t row_step_, plane_step_;
    std::vector<std::uint64_t> bits_;
};

}  // namespace segmetry
