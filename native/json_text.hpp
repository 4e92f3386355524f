// Strict JSON in one pass, for readers of columns: what is not plain in every respect is Unusual, and the careful reader in
// Python reads the same file and says what is wrong, and where.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace segmetry {

namespace nb = nanobind;

struct Unusual {};

inline void expect(bool usual) {
    if (!usual) {
        throw Unusual{};
    }
}

inline std::string_view view_of(const nb::bytes &text) { return {text.c_str(), text.size()}; }

struct Number {
    double value;
    std::int64_t integer;
    bool is_integer;
};

// Strict JSON in ASCII. The text ends with a zero, as bytes of Python do, which is no part of any value.
class JsonText {
  public:
    explicit JsonText(std::string_view text, std::size_t at = 0)
        : begin_(text.data()), at_(text.data() + at), end_(text.data() + text.size()) {}

    std::int64_t place() const { return at_ - begin_; }

    char next() {
        while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') {
            ++at_;
        }
        return *at_;
    }

    bool takes(char character) {
        const bool is_next = next() == character;
        at_ += is_next;
        return is_next;
    }

    void end() { expect(next() == '\0' && at_ == end_); }

    // The characters of a text, its escapes as they are written.
    std::string_view text() {
        expect(takes('"'));
        const char *const start = at_;
        for (const char *from = start;;) {
            const char *const quote = find(from, end_, '"');
            const char *escape = from;
            while (escape < quote && (escape = find(escape, quote, '\\')) < quote) {
                expect(escape[1] != '\0' &&
                       std::strchr("\"\\/bfnrt", escape[1]) != nullptr);  // halves of pairs have \u
                escape += 2;
            }
            expect(quote < end_);
            if (escape == quote) {
                at_ = quote + 1;
                unsigned char foreign = 0;
                for (const char *one = start; one < quote; ++one) {
                    foreign |= static_cast<unsigned char>(*one) < 32 || static_cast<unsigned char>(*one) > 127;
                }
                expect(foreign == 0);
                return {start, static_cast<std::size_t>(quote - start)};
            }
            from = quote + 1;  // it is escaped
        }
    }

    Number number() {
        next();
        const char *const start = at_;
        const bool negative = *at_ == '-';
        at_ += negative;
        const char *const first = at_;
        std::uint64_t digits = 0;
        read_digits(digits);
        expect(*first != '0' || at_ == first + 1);
        const std::ptrdiff_t whole = at_ - first;
        if (*at_ != '.' && *at_ != 'e' && *at_ != 'E') {
            expect(whole <= 18);
            const auto integer = static_cast<std::int64_t>(digits);
            return {(negative ? -1.0 : 1.0) * static_cast<double>(integer), negative ? -integer : integer, true};
        }
        std::ptrdiff_t decimals = 0;
        if (*at_ == '.') {
            const char *const point = at_++;
            read_digits(digits);
            decimals = at_ - point - 1;
        }
        if (*at_ != 'e' && *at_ != 'E' &&
            whole + decimals <= 15) {  // both are exact, so that the quotient is rounded once
            static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
            const double value = static_cast<double>(digits) / kPowers[decimals];
            return {negative ? -value : value, 0, false};
        }
        if (*at_ == 'e' || *at_ == 'E') {
            ++at_;
            at_ += *at_ == '+' || *at_ == '-';
            read_digits(digits);
        }
#if defined(__cpp_lib_to_chars)
        double value = 0;
        const auto [stop, problem] = std::from_chars(start, at_, value);
        expect(stop == at_ && problem == std::errc());
        return {value, 0, false};
#else
        throw Unusual{};
#endif
    }

    std::int64_t natural() {
        const Number found = number();
        expect(found.is_integer && found.integer >= 0);
        return found.integer;
    }

    template <typename Member>
    void object(const Member &member) {
        std::string_view seen[kMostKeys];
        std::size_t n = 0;
        expect(takes('{'));
        if (takes('}')) {
            return;
        }
        do {
            const std::string_view key = text();
            expect(n < kMostKeys && std::find(seen, seen + n, key) == seen + n &&
                   key.find('\\') == std::string_view::npos && takes(':'));
            seen[n++] = key;
            member(key);
        } while (takes(','));
        expect(takes('}'));
    }

    template <typename Item>
    void array(const Item &item) {
        expect(takes('['));
        if (takes(']')) {
            return;
        }
        do {
            item();
        } while (takes(','));
        expect(takes(']'));
    }

    void skip(int depth = 0) {
        expect(depth < kDeepest);
        switch (next()) {
            case '{': return object([&](std::string_view) { skip(depth + 1); });
            case '[': return array([&] { skip(depth + 1); });
            case '"': text(); return;
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: number();
        }
    }

  private:
    static constexpr std::size_t kMostKeys = 32;
    static constexpr int kDeepest = 32;

    static const char *find(const char *from, const char *to, char character) {
        const void *const found = std::memchr(from, character, static_cast<std::size_t>(to - from));
        return found == nullptr ? to : static_cast<const char *>(found);
    }

    void read_digits(std::uint64_t &digits) {
        const char *const first = at_;
        for (; *at_ >= '0' && *at_ <= '9'; ++at_) {
            digits = digits * 10 + static_cast<std::uint64_t>(*at_ - '0');
        }
        expect(at_ > first);
    }

    void word(const char *letters) {
        const std::size_t n = std::strlen(letters);
        expect(std::strncmp(at_, letters, n) == 0);
        at_ += n;
    }

    const char *begin_, *at_, *end_;
};

}  // namespace segmetry
