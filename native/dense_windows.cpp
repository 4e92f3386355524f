// Eight windows are the bytes of one word, the first one lowest. With m(x) = 1 where a boundary is at x and 0 elsewhere,
// the number of boundaries of window i is that of window i - 1, and m(i + k), and less m(i); so for i = s … s + 7
//
//     n(i) = n(s - 1) + Σ_{s <= j <= i} m(j + k) - Σ_{s <= j <= i} m(j)
//
// and the product of eight marks with 0x0101…01 has these running sums in its bytes. Numbers up to 127 are compared in
// their bytes: the highest bit of x | 128 minus y says whether x >= y, and nothing is borrowed from the next byte.
#include "dense_windows.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "compat.hpp"

namespace segmetry {

namespace {

using Word = std::uint64_t;

constexpr std::int64_t kLanes = 8;
constexpr Word kOnes = 0x0101010101010101u, kHigh = 0x8080808080808080u, kLow = 0x7f7f7f7f7f7f7f7fu;
constexpr Word kEven = 0x00ff00ff00ff00ffu;
constexpr std::int64_t kLargestWindow = 127;
// Sums of bytes that are 0 or 1 stay below 256, and sums of pairs of bytes up to 127 below 65,536.
constexpr std::int64_t kWords = 255;
constexpr std::int64_t kBlock = kWords * kLanes;

using Block = std::array<Word, kWords>;

Word load_lanes(const unsigned char *at) {
    Word word;
    std::memcpy(&word, at, sizeof(word));
    return is_big_endian() ? byte_swapped(word) : word;
}

// The numbers of boundaries of one side in blocks of windows.
class DenseSide {
  public:
    DenseSide(const std::int64_t *first, const std::int64_t *last, std::int64_t k, std::int64_t start)
        : next_(std::lower_bound(first, last, start)), last_(last), k_(k) {
        mark(start, 0, k);
        for (std::int64_t place = 0; place < k; ++place) {
            before_ += marks_[static_cast<std::size_t>(place)];
        }
    }

    // The windows first … first + kBlock - 1, which follow those counted before.
    void count(std::int64_t first, Block &counts) {
        mark(first, k_, k_ + kBlock);
        for (std::size_t word = 0; word < kWords; ++word) {
            const unsigned char *const leaving = marks_.data() + word * kLanes;
            const Word entered = load_lanes(leaving + k_) * kOnes, left = load_lanes(leaving) * kOnes;
            counts[word] = before_ * kOnes + entered - left;
            before_ += (entered >> 56) - (left >> 56);
        }
        std::memmove(marks_.data(), marks_.data() + kBlock, static_cast<std::size_t>(k_));
        std::memset(marks_.data() + k_, 0, kBlock);
    }

  private:
    // Marks boundaries from `first` + `begin`, which are next, to below `first` + `end`.
    // The boundaries may be changed meanwhile: no other place is written to.
    void mark(std::int64_t first, std::int64_t begin, std::int64_t end) {
        const auto places = static_cast<Word>(end - begin);
        unsigned char *const target = marks_.data() + begin;
        for (; next_ < last_; ++next_) {
            const Word place = static_cast<Word>(*next_) - static_cast<Word>(first + begin);
            if (place >= places) {
                break;
            }
            target[place] = 1;
        }
    }

    const std::int64_t *next_;
    const std::int64_t *last_;
    std::int64_t k_;
    Word before_ = 0;
    std::array<unsigned char, kBlock + kLargestWindow> marks_{};
};

Word pairs_of(Word bytes) { return (bytes & kEven) + (bytes >> 8 & kEven); }

std::int64_t sum_of_pairs(Word pairs) {
    constexpr Word even = 0x0000ffff0000ffffu;
    const Word quarters = (pairs & even) + (pairs >> 16 & even);
    return static_cast<std::int64_t>((quarters & 0xffffffffu) + (quarters >> 32));
}

std::int64_t sum_of_bytes(Word bytes) { return sum_of_pairs(pairs_of(bytes)); }

// A window without boundaries adds nothing to any sum.
void add_block(const Block &in_true, const Block &in_pred, std::int64_t *sums) {
    Word one_empty = 0, fewer = 0, more = 0, with_true = 0, difference = 0, smaller = 0;
    for (std::size_t word = 0; word < kWords; ++word) {
        const Word r = in_true[word], c = in_pred[word];
        const Word r_filled = (r + kLow) & kHigh, c_filled = (c + kLow) & kHigh;
        const Word r_minus_c = (r | kHigh) - c, c_minus_r = (c | kHigh) - r;
        const Word r_large = r_minus_c & kHigh, c_large = c_minus_r & kHigh;
        const Word missed = r_minus_c & (r_large - (r_large >> 7)), spurious = c_minus_r & (c_large - (c_large >> 7));
        one_empty += (r_filled ^ c_filled) >> 7;
        fewer += (c_large ^ kHigh) >> 7;
        more += (r_large ^ kHigh) >> 7;
        with_true += r_filled >> 7;
        difference += pairs_of(missed | spurious);
        smaller += pairs_of(r - missed);
    }
    const std::int64_t n_fewer = sum_of_bytes(fewer), n_more = sum_of_bytes(more);
    sums[0] += sum_of_bytes(one_empty);
    sums[1] += n_fewer + n_more;
    sums[2] += sum_of_pairs(difference);
    sums[3] += sum_of_pairs(smaller);
    sums[4] += n_fewer;
    sums[5] += n_more;
    sums[6] += sum_of_bytes(with_true);
}

// Forgets the windows after the first `windows` of a block.
void forget_after(std::int64_t windows, Block &counts) {
    const auto whole = static_cast<std::size_t>(windows / kLanes);
    const auto bits = static_cast<int>(windows % kLanes * 8);
    counts[whole] &= (Word{1} << bits) - 1;
    std::fill(counts.begin() + static_cast<std::ptrdiff_t>(whole) + 1, counts.end(), Word{0});
}

}  // namespace

// Whole blocks are visited. One stretch takes about as long as eight windows, and a boundary ends two.
bool windows_are_dense(std::int64_t boundaries, std::int64_t windows, std::int64_t k) {
    constexpr std::int64_t apart = 16;
    const std::int64_t visited = (windows + kBlock - 1) / kBlock * kBlock;
    return k <= kLargestWindow && visited / apart < boundaries;
}

void add_dense_windows(const std::int64_t *true_first, const std::int64_t *true_last, const std::int64_t *pred_first,
                       const std::int64_t *pred_last, std::int64_t k, std::int64_t start, std::int64_t stop,
                       std::int64_t *sums, InterruptCheck &interrupts) {
    DenseSide in_true(true_first, true_last, k, start), in_pred(pred_first, pred_last, k, start);
    Block r, c;
    for (std::int64_t first = start; first < stop; first += kBlock) {
        interrupts.look(static_cast<std::size_t>(kBlock));
        in_true.count(first, r);
        in_pred.count(first, c);
        if (stop - first < kBlock) {
            forget_after(stop - first, r);
            forget_after(stop - first, c);
        }
        add_block(r, c, sums);
    }
}

}  // namespace segmetry
