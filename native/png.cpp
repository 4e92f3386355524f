// Decodes the inflated rows of a PNG image into labels: undoes the filters and joins bytes to ids in one pass. Most of a label image is the same as the row above or the pixel to the left, which filters write as zeros;
// stretches of zeros are copied at once.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "compat.hpp"
#include "interrupts.hpp"
#include "stretches.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

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
std::uint32_t add_bytes(std::uint32_t x, std::uint32_t y) {
    return ((x & 0x7f7f7f7f) + (y & 0x7f7f7f7f)) ^ ((x ^ y) & 0x80808080);
}

// (x + y) / 2 in each byte, rounded down.
std::uint32_t average_bytes(std::uint32_t x, std::uint32_t y) { return (x & y) + (((x ^ y) & 0xfefefefe) >> 1); }

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

// Filters are undone the same way for both kinds of result. A line takes the labels of a row one after the other
// and knows those of the row above: `above` is the label above the next one.

// Every label of the image in memory.
template <typename Label>
class DenseLine {
  public:
    DenseLine(Label *labels, std::size_t width) : nothing_(width), to_(labels), above_(nothing_.data()) {}

    void begin_row(std::size_t y, std::size_t width) {
        if (y > 0) {
            above_ = to_ - width;
        }
    }

    std::uint32_t above() const { return *above_; }
    std::uint32_t last() const { return to_[-1]; }
    // For how many of the next labels, of at most `most`, the row above has the same label.
    std::size_t above_stays(std::size_t most) const { return stretch_length<sizeof(Label)>(above_, most, most); }

    void put(std::uint32_t label) {
        *to_++ = static_cast<Label>(label);
        ++above_;
    }
    void repeat(std::uint32_t label, std::size_t count) {
        std::fill_n(to_, count, static_cast<Label>(label));
        to_ += count;
        above_ += count;
    }
    void copy_above(std::size_t count) {
        std::copy_n(above_, count, to_);
        to_ += count;
        above_ += count;
    }

  private:
    std::vector<Label> nothing_;  // the row above the first
    Label *to_;
    const Label *above_;
};

struct TooManyStretches {};

// Stretches of equal labels in the order of the pixels. They begin with a row of zeros, which PNG assumes above the image.
class RunLengthLine {
  public:
    RunLengthLine(std::size_t width, std::size_t most_stretches)
        : width_(to_int(width)), most_(most_stretches), stretches_(1, Stretch{width_, 0}) {}

    void begin_row(std::size_t, std::size_t) {}

    std::uint32_t above() const { return stretches_[over_].label; }
    std::uint32_t last() const { return stretches_[size_ - 1].label; }
    std::size_t above_stays(std::size_t most) const {
        return std::min(most, static_cast<std::size_t>(stretches_[over_].stop - at_));
    }

    void put(std::uint32_t label) { repeat(label, 1); }
    void repeat(std::uint32_t label, std::size_t count) {
        append(label, to_int(count));
        at_ += to_int(count);
        while (stretches_[over_].stop <= at_) {
            ++over_;  // what was appended ends a row further on
        }
    }
    void copy_above(std::size_t count) {
        const std::int64_t end = at_ + to_int(count);
        append(above(), std::min(stretches_[over_].stop, end) - at_);
        while (stretches_[over_].stop < end) {  // neighbours differ
            const std::int64_t start = stretches_[over_++].stop;
            push(above(), std::min(stretches_[over_].stop, end) - start);
        }
        over_ += stretches_[over_].stop == end;
        at_ = end;
    }

    // The stretches of the image, without the row above it.
    std::size_t size() const { return size_ - begin(); }
    void write(std::int64_t *stops, std::int64_t *labels) const {
        for (std::size_t r = begin(); r < size_; ++r) {
            *stops++ = stretches_[r].stop - width_;
            *labels++ = stretches_[r].label;
        }
    }

  private:
    struct Stretch {
        std::int64_t stop;
        std::uint32_t label;
    };

    static std::int64_t to_int(std::size_t count) { return static_cast<std::int64_t>(count); }

    // The zeros above are a stretch of their own unless the image begins with a zero.
    std::size_t begin() const { return stretches_[0].stop == width_ ? 1 : 0; }

    void append(std::uint32_t label, std::int64_t count) {
        if (last() == label) {
            stretches_[size_ - 1].stop += count;
        } else {
            push(label, count);
        }
    }

    void push(std::uint32_t label, std::int64_t count) {
        if (size_ == stretches_.size()) {
            grow();
        }
        stretches_[size_] = Stretch{stretches_[size_ - 1].stop + count, label};
        ++size_;
    }

    void grow() {
        if (size() >= most_) {
            throw TooManyStretches{};
        }
        stretches_.resize(std::min(4 * size_ + 64, most_ + 1));
    }

    std::int64_t width_;
    std::size_t most_;
    std::vector<Stretch> stretches_;  // the first size_ of them
    std::size_t size_ = 1;
    std::size_t over_ = 0;  // the stretch of the pixel above the next one
    std::int64_t at_ = 0;   // the place of that pixel
};

// One row: `from` are its filtered bytes, and `end` is where those of the last row end.
template <typename Pixel, typename Line>
struct Row {
    const unsigned char *from;
    const unsigned char *end;
    std::size_t width;
    Line &line;

    std::uint32_t filtered(std::size_t x) const { return Pixel::read(from + Pixel::bytes * x); }
    // How many pixels from x on are equal; what follows the row in memory is read too.
    std::size_t equal(std::size_t x) const {
        const unsigned char *const pixels = from + Pixel::bytes * x;
        return stretch_length<Pixel::bytes>(pixels, width - x, static_cast<std::size_t>(end - pixels) / Pixel::bytes);
    }
    // How many filtered pixels from x on are zero.
    std::size_t zeros(std::size_t x) const { return filtered(x) == 0 ? equal(x) : 0; }

    void none() const {
        for (std::size_t x = 0, same; x < width; x += same) {
            same = equal(x);
            line.repeat(filtered(x), same);
        }
    }

    void sub() const {
        std::uint32_t left = 0;
        for (std::size_t x = 0; x < width;) {
            if (const std::size_t same = zeros(x)) {
                line.repeat(left, same);
                x += same;
                continue;
            }
            left = add_bytes(filtered(x++), left);
            line.put(left);
        }
    }

    void up() const {
        for (std::size_t x = 0; x < width;) {
            if (const std::size_t same = zeros(x)) {
                line.copy_above(same);
                x += same;
                continue;
            }
            line.put(add_bytes(filtered(x++), line.above()));
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
        std::uint32_t left = 0, corner = 0;
        for (std::size_t x = 0; x < width;) {
            const std::uint32_t above = line.above();
            if (left == corner || above == corner) {
                if (std::size_t same = zeros(x)) {
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
    const unsigned char *const end = rows + height * (1 + Pixel::bytes * width);
    InterruptCheck interrupts;
    for (std::size_t y = 0; y < height; ++y, rows += 1 + Pixel::bytes * width) {
        interrupts.look(width);
        line.begin_row(y, width);
        if (!Row<Pixel, Line>{rows + 1, end, width, line}.undo(rows[0])) {
            return false;
        }
    }
    return true;
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_size(const Bytes &rows, std::size_t height, std::size_t width, std::size_t bytes_per_pixel) {
    std::size_t needed;
    const bool overflows =
        product_overflows(width, bytes_per_pixel, needed) || ++needed == 0 || product_overflows(needed, height, needed);
    check(!overflows && rows.size() == needed, "rows have another size than the labels need");
}

template <typename Pixel>
bool png_labels(Bytes rows, nb::ndarray<typename Pixel::Label, nb::ndim<2>, nb::c_contig, nb::device::cpu> labels) {
    const std::size_t height = labels.shape(0), width = labels.shape(1);
    check_size(rows, height, width, Pixel::bytes);
    const nb::gil_scoped_release unlocked;
    DenseLine<typename Pixel::Label> line(labels.data(), width);
    return undo_filters<Pixel>(rows.data(), height, width, line);
}

template <typename Pixel>
bool fill_stretches(const Bytes &rows, std::size_t height, std::size_t width, RunLengthLine &line) {
    const nb::gil_scoped_release unlocked;
    try {
        return undo_filters<Pixel>(rows.data(), height, width, line);
    } catch (const TooManyStretches &) {
        return false;
    }
}

nb::object png_run_lengths(Bytes rows, std::size_t height, std::size_t width, std::size_t bytes_per_pixel,
                           std::size_t most_stretches) {
    check(height >= 1 && width >= 1 && bytes_per_pixel >= 1 && bytes_per_pixel <= 3,
          "an image has rows, columns, and one, two or three bytes per pixel");
    check_size(rows, height, width, bytes_per_pixel);
    most_stretches = std::min(most_stretches, height * width);
    RunLengthLine line(width, most_stretches);
    const auto fill = bytes_per_pixel == 1   ? fill_stretches<Grey8>
                      : bytes_per_pixel == 2 ? fill_stretches<Grey16>
                                             : fill_stretches<Colours>;
    if (!fill(rows, height, width, line) || line.size() > most_stretches) {
        return nb::none();
    }
    NewArray<std::int64_t> stops(line.size()), labels(line.size());
    line.write(stops.data, labels.data);
    return nb::make_tuple(stops.array, labels.array);
}

}  // namespace

}  // namespace segmetry

void register_png(nb::module_ &m) {
    const char *const words =
        "Fill labels from the inflated rows of a PNG image; False if a row names an unknown filter.";
    m.def("png_labels", &segmetry::png_labels<segmetry::Grey8>, nb::arg("rows").noconvert(),
          nb::arg("labels").noconvert(), words);
    m.def("png_labels", &segmetry::png_labels<segmetry::Grey16>, nb::arg("rows").noconvert(),
          nb::arg("labels").noconvert(), words);
    m.def("png_labels", &segmetry::png_labels<segmetry::Colours>, nb::arg("rows").noconvert(),
          nb::arg("labels").noconvert(), words);
    m.def("png_run_lengths", &segmetry::png_run_lengths, nb::arg("rows").noconvert(), nb::arg("height"),
          nb::arg("width"), nb::arg("bytes_per_pixel"), nb::arg("most_stretches"),
          "The labels as stretches (stops, labels); None if a row names an unknown filter, or there are more than "
          "most_stretches.");
}
