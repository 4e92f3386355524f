// Undoes the filters of the rows of a PNG image and joins bytes to ids in one pass. Most of a label image is the same as the
// row above or the pixel to the left, which filters write as zeros: where the next byte that is not zero is, is found for
// a whole row at once, and what is in between is copied at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "byte_marks.hpp"
#include "interrupts.hpp"

namespace segmetry {

// How the bytes of a pixel form a label. Filters know bytes only, and so does the arithmetic below, which works on all
// bytes of a label at once.
struct Grey8 {
    using Label = std::uint8_t;
    static constexpr int bytes = 1;
    static std::uint32_t read(const unsigned char *pixel) { return pixel[0]; }
};
struct Grey16 {
    using Label = std::uint16_t;
    static constexpr int bytes = 2;
    static std::uint32_t read(const unsigned char *pixel) {
        return static_cast<std::uint32_t>(pixel[0]) << 8 | pixel[1];
    }
};
struct Colours {
    using Label = std::uint32_t;
    static constexpr int bytes = 3;
    static std::uint32_t read(const unsigned char *pixel) {
        return static_cast<std::uint32_t>(pixel[0]) | static_cast<std::uint32_t>(pixel[1]) << 8 |
               static_cast<std::uint32_t>(pixel[2]) << 16;
    }
};

// x + y in each byte, modulo 256: the highest bits are added apart, so that nothing is carried into the next byte.
inline std::uint32_t add_bytes(std::uint32_t x, std::uint32_t y) {
    return ((x & 0x7f7f7f7f) + (y & 0x7f7f7f7f)) ^ ((x ^ y) & 0x80808080);
}

// (x + y) / 2 in each byte, rounded down.
inline std::uint32_t average_bytes(std::uint32_t x, std::uint32_t y) { return (x & y) + (((x ^ y) & 0xfefefefe) >> 1); }

// Paeth's predictor in each byte: whichever of left, above and above left is nearest to left + above - above left; the
// first of them where distances are equal.
template <std::size_t Bytes>
std::uint32_t paeth_bytes(std::uint32_t left, std::uint32_t above, std::uint32_t corner) {
    std::uint32_t predicted = 0;
    for (std::size_t shift = 0; shift < 8 * Bytes; shift += 8) {
        const int a = left >> shift & 255, b = above >> shift & 255, c = corner >> shift & 255;
        const int to_a = std::abs(b - c), to_b = std::abs(a - c), to_c = std::abs(a + b - 2 * c);
        const int nearest = to_a <= to_b && to_a <= to_c ? a : (to_b <= to_c ? b : c);
        predicted |= static_cast<std::uint32_t>(nearest) << shift;
    }
    return predicted;
}

// One row: `from` are its filtered bytes.
template <typename Pixel, typename Line>
struct Row {
    const unsigned char *from;
    std::size_t width;
    Line &line;
    ByteMarks &marks;

    std::uint32_t filtered(std::size_t x) const { return Pixel::read(from + Pixel::bytes * x); }
    // The first pixel from x on of which a byte is marked.
    std::size_t next_marked(std::size_t x) const { return marks.next(Pixel::bytes * x) / Pixel::bytes; }
    void mark_nonzero() const { marks.mark_nonzero(from, Pixel::bytes * width); }

    void none() const {
        marks.mark_changes(from, Pixel::bytes * width, Pixel::bytes);
        for (std::size_t x = 0, stop; x < width; x = stop) {
            stop = next_marked(x) + 1;  // nothing is marked in the last pixel
            line.repeat(filtered(x), stop - x);
        }
    }

    void sub() const {
        mark_nonzero();
        std::uint32_t left = 0;
        for (std::size_t x = 0; x < width;) {
            const std::size_t changed = next_marked(x);
            if (changed > x) {
                line.repeat(left, changed - x);
            }
            if (changed < width) {
                left = add_bytes(filtered(changed), left);
                line.put(left);
            }
            x = changed + 1;
        }
    }

    void up() const {
        mark_nonzero();
        for (std::size_t x = 0; x < width;) {
            const std::size_t changed = next_marked(x);
            if (changed > x) {
                line.copy_above(changed - x);
            }
            if (changed < width) {
                line.put(add_bytes(filtered(changed), line.above()));
            }
            x = changed + 1;
        }
    }

    void average() const {
        std::uint32_t left = 0;
        for (std::size_t x = 0; x < width; ++x) {
            left = add_bytes(filtered(x), average_bytes(left, line.above()));
            line.put(left);
        }
    }

    // Where left and corner are equal the pixel above is predicted. If the filtered pixel is zero it is also the result,
    // and the next pixel is in the same position: so a stretch of zeros is a copy of the row above. In the same way,
    // where corner and above are equal the pixel to the left is repeated, as long as the row above does not change.
    void paeth() const {
        mark_nonzero();
        std::uint32_t left = 0, corner = 0;
        for (std::size_t x = 0; x < width;) {
            const std::uint32_t above = line.above();
            if (left == corner || above == corner) {
                if (std::size_t same = next_marked(x) - x) {
                    if (left == corner) {
                        line.copy_above(same);
                        left = corner = line.last();
                    } else {
                        same = line.above_stays(same);
                        line.repeat(left, same);
                    }
                    x += same;
                    continue;
                }
            }
            const std::uint32_t predicted = paeth_bytes<Pixel::bytes>(left, above, corner);
            corner = above;
            left = add_bytes(filtered(x++), predicted);
            line.put(left);
        }
    }

    // False if PNG has no such filter.
    bool undo(unsigned char filter) const {
        switch (filter) {
            case 0: none(); return true;
            case 1: sub(); return true;
            case 2: up(); return true;
            case 3: average(); return true;
            case 4: paeth(); return true;
            default: return false;
        }
    }
};

// Rows with the byte of their filter in front; false if one names a filter that PNG does not have.
template <typename Pixel, typename Line>
bool undo_filters(const unsigned char *rows, std::size_t height, std::size_t width, Line &line) {
    ByteMarks marks(Pixel::bytes * width);
    InterruptCheck interrupts;
    for (std::size_t y = 0; y < height; ++y, rows += 1 + Pixel::bytes * width) {
        interrupts.look(width);
        line.begin_row(y, width);
        if (!Row<Pixel, Line>{rows + 1, width, line, marks}.undo(rows[0])) {
            return false;
        }
    }
    return true;
}

}  // namespace segmetry
