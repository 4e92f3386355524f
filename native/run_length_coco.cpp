#include "run_length_coco.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compat.hpp"

namespace segmetry {

namespace {

constexpr std::size_t kWindow = 64;  // characters whose continuation bits fill one machine word
constexpr std::size_t kMostCharacters = 12;

unsigned char digit_of(char character) { return static_cast<unsigned char>(character - '0'); }

// Eight characters as a number, the first one lowest.
std::uint64_t load_word(const char *characters) {
    std::uint64_t word;
    std::memcpy(&word, characters, sizeof(word));
    return is_big_endian() ? byte_swapped(word) : word;
}

// Some characters, and two before them. Those behind the end of the string are '0', and so are those before its start:
// numbers of their own, of one character.
struct Window {
    const char *characters;
    std::size_t size;
    char copied[2 + kWindow];

    Window(std::string_view text, std::size_t at) : size(std::min(kWindow, text.size() - at)) {
        characters = text.data() + at;
        if (at > 0 && size == kWindow) {
            return;
        }
        std::memset(copied, '0', sizeof(copied));
        std::memcpy(copied + 2, characters, size);
        if (at > 0) {
            std::memcpy(copied, characters - 2, 2);
        }
        characters = copied + 2;
    }
    Window(const Window &) = delete;  // it may contain a pointer to itself

    // Bit i is set if the number continues after character i.
    std::uint64_t continuations() const {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < kWindow; i += 8) {
            // '0' + 16 is 64, so that the sum has bit 32 of each digit in its place.
            const std::uint64_t eight = (load_word(characters + i) + 0x1010101010101010u) >> 5 & 0x0101010101010101u;
            bits |= (eight * 0x0102040810204080u >> 56) << i;  // the multiplication moves bit 8 k to bit 56 + k
        }
        return bits;
    }

    // The value of a number of up to three characters that ends at each of the characters.
    void short_numbers(std::int16_t *numbers) const {
        for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(kWindow); ++i) {
            const unsigned short before = digit_of(characters[i - 1]), first = digit_of(characters[i - 2]);
            const unsigned short goes_on = -(before >> 5), from_first = goes_on & -(first >> 5);  // all bits or none
            const unsigned short one = ((digit_of(characters[i]) & 31) ^ 16) - 16;                // with its sign
            const unsigned short two = 32 * one + (before & 31), three = 32 * two + (first & 31);
            numbers[i] = static_cast<std::int16_t>(one + (goes_on & (two - one)) + (from_first & (three - two)));
        }
    }
};

// The number of any length that ends at `last`; false if it has too many characters.
bool long_number(std::string_view text, std::size_t last, std::uint64_t &number) {
    number = ((digit_of(text[last]) & 31u) ^ 16u) - std::uint64_t{16};
    for (std::size_t length = 1; last > 0 && digit_of(text[last - 1]) >= 32; --last, ++length) {
        if (length == kMostCharacters) {
            return false;
        }
        number = number << 5 | (digit_of(text[last - 1]) & 31);
    }
    return true;
}

// Undoes the differences. Sums are unsigned, for they may wrap after a count that is refused.
struct Differences {
    std::uint64_t one_before = 0, two_before = 0;

    std::uint64_t count_of(std::uint64_t number) {
        const std::uint64_t count = number + two_before;
        two_before = one_before;
        one_before = count;
        return count;
    }
};

// Calls keep(count) for all counts of a surveyed string in turn; false if a number is too long. A count may be negative or
// too large, and those after it wrong: `keep` notes that. Short numbers are computed for a whole window, so
// that none has to wait for where the one before ends.
template <typename Keep>
bool read_counts(std::string_view text, InterruptCheck &interrupts, const Keep &keep) {
    Differences differences;
    std::uint64_t before = 0;  // the continuations of the window before
    std::size_t index = 0;
    for (std::size_t at = 0; at < text.size(); at += kWindow) {
        interrupts.look(kWindow);
        const Window window(text, at);
        std::int16_t numbers[kWindow];
        window.short_numbers(numbers);
        const std::uint64_t more = window.continuations();
        std::uint64_t ends = ~more & ~std::uint64_t{0} >> (kWindow - window.size);
        const std::uint64_t longs =
            ends & (more << 1 | before >> 63) & (more << 2 | before >> 62) & (more << 3 | before >> 61);
        before = more;
        if (longs == 0 && at > 0) {  // the first number ends in the first window, or is too long
            for (; ends != 0; ends &= ends - 1) {
                keep(differences.count_of(static_cast<std::uint64_t>(std::int64_t{numbers[trailing_zeros(ends)]})));
            }
            continue;
        }
        for (; ends != 0; ends &= ends - 1) {
            std::uint64_t number;
            if (!long_number(text, at + static_cast<std::size_t>(trailing_zeros(ends)), number)) {
                return false;
            }
            keep(differences.count_of(number));
            if (index++ == 0) {
                differences.one_before = 0;  // the first three counts are plain
            }
        }
    }
    return true;
}

bool is_negative(std::uint64_t number) { return number >> 63 != 0; }

// Leaves out stretches without elements and joins those that touch; how many there are then.
std::size_t join_stretches(std::int64_t *starts, std::int64_t *stops, std::size_t stretches) {
    std::size_t kept = 0;
    for (std::size_t r = 0; r < stretches; ++r) {
        if (starts[r] == stops[r]) {
            continue;
        }
        if (kept > 0 && stops[kept - 1] == starts[r]) {
            stops[kept - 1] = stops[r];
            continue;
        }
        starts[kept] = starts[r];
        stops[kept++] = stops[r];
    }
    return kept;
}

}  // namespace

std::optional<std::size_t> survey_coco(std::string_view text, InterruptCheck &interrupts) {
    unsigned char used = 0;
    std::size_t numbers = 0;
    in_pieces(text.size(), interrupts, [&](std::size_t begin, std::size_t end) {
        for (const char character : text.substr(begin, end - begin)) {
            const auto digit = static_cast<unsigned char>(character - '0');
            used |= digit;
            numbers += digit < 32;
        }
    });
    if (used >= 64 || (!text.empty() && digit_of(text.back()) >= 32)) {
        return std::nullopt;
    }
    return numbers;
}

bool decode_coco_counts(std::string_view text, std::vector<std::int64_t> &counts, InterruptCheck &interrupts) {
    if (!survey_coco(text, interrupts)) {
        return false;
    }
    std::uint64_t refused = 0;
    const bool read = read_counts(text, interrupts, [&](std::uint64_t count) {
        refused |= count | (kLargestCocoCount - count);
        counts.push_back(static_cast<std::int64_t>(count));
    });
    return read && !is_negative(refused);
}

std::optional<std::size_t> decode_coco_mask(std::string_view text, std::size_t numbers, std::int64_t size,
                                            std::int64_t *starts, std::int64_t *stops, InterruptCheck &interrupts) {
    const auto whole = static_cast<std::uint64_t>(size);
    std::uint64_t position = 0, refused = 0, empty = 0;
    std::int64_t *next = starts, *after = stops;
    const bool read = read_counts(text, interrupts, [&](std::uint64_t count) {
        position += count;
        *next++ = static_cast<std::int64_t>(position);
        std::swap(next, after);
        refused |= count | (whole - position);
        empty |= count - 1;
    });
    if (!read || is_negative(refused) || position != whole) {
        return std::nullopt;
    }
    if (std::vector<std::int64_t> counts; size > kLargestCocoCount && !decode_coco_counts(text, counts, interrupts)) {
        return std::nullopt;
    }
    return is_negative(empty) ? join_stretches(starts, stops, numbers / 2) : numbers / 2;
}

}  // namespace segmetry
