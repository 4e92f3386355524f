#include "runs_coco.hpp"

namespace segmetry {

namespace {

// Reads counts one by one and undoes the differences.
class CocoReader {
  public:
    explicit CocoReader(std::string_view text)
        : at_(reinterpret_cast<const unsigned char *>(text.data())), end_(at_ + text.size()) {}

    bool at_end() const { return at_ == end_; }

    bool next(std::int64_t &count) {
        std::int64_t number = 0;
        if (!read_number(number)) return false;
        count = number + two_before_;
        two_before_ = index_ < 2 ? 0 : one_before_;  // the first three counts are plain
        one_before_ = count;
        ++index_;
        return count >= 0 && count <= kLargestCocoCount;
    }

  private:
    // Numbers of one or two characters, nearly all there are, without a branch on which of the two it is.
    bool read_number(std::int64_t &number) {
        if (end_ - at_ >= 2) {
            const unsigned first = at_[0] - 48u, second = at_[1] - 48u;
            const unsigned more = first >> 5;
            if ((first | second) <= 63 && (more & second >> 5) == 0) {
                const unsigned unused = 27 - 5 * more;  // bits above the number; they push out a foreign second character
                const std::uint32_t bits = ((first & 31) | second << 5) << unused;
                number = static_cast<std::int32_t>(bits) >> unused;
                at_ += 1 + more;
                return true;
            }
        }
        return read_long_number(number);
    }

    bool read_long_number(std::int64_t &number) {
        unsigned digit;
        int shift = 0;
        do {
            if (at_ == end_ || shift == 60) return false;
            digit = *at_++ - 48u;
            if (digit > 63) return false;
            number |= static_cast<std::int64_t>(digit & 31) << shift;
            shift += 5;
        } while (digit & 32);
        if (digit & 16) number -= std::int64_t{1} << shift;
        return true;
    }

    const unsigned char *at_;
    const unsigned char *end_;
    std::int64_t one_before_ = 0;
    std::int64_t two_before_ = 0;
    std::size_t index_ = 0;
};

}  // namespace

bool decode_coco_counts(std::string_view text, std::vector<std::int64_t> &counts) {
    CocoReader reader(text);
    while (!reader.at_end()) {
        std::int64_t count = 0;
        if (!reader.next(count)) return false;
        counts.push_back(count);
    }
    return true;
}

std::string encode_coco_counts(const std::int64_t *counts, std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        std::int64_t number = i > 2 ? counts[i] - counts[i - 2] : counts[i];
        for (bool more = true; more;) {
            int digit = static_cast<int>(number & 31);
            number >>= 5;
            more = digit & 16 ? number != -1 : number != 0;
            text.push_back(static_cast<char>(48 + (more ? digit | 32 : digit)));
        }
    }
    return text;
}

bool append_coco_mask(std::string_view text, std::int64_t size, RunLists &runs) {
    CocoReader reader(text);
    runs.reserve_more(text.size() / 2 + 1);
    std::int64_t position = 0;
    while (!reader.at_end()) {
        std::int64_t outside = 0, inside = 0;
        if (!reader.next(outside) || outside > size - position) return false;
        position += outside;
        if (reader.at_end()) break;
        if (!reader.next(inside) || inside > size - position) return false;
        runs.add(position, position + inside);
        position += inside;
    }
    runs.end_mask();
    return position == size;
}

}  // namespace segmetry
