// The rows of a PNG image, as they come out of inflation, turned into labels: filters undone and bytes joined to ids in
// one pass. Most of a label image is the same as the row above or the pixel to the left, which filters write as zeros;
// stretches of zeros are copied at once.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;

namespace segmetry {

namespace {

// How the bytes of a pixel form a label. Filters know bytes only, and so does the arithmetic below, which works on all
// bytes of a label at once.
struct Grey8 {
    using Label = std::uint8_t;
    static constexpr std::size_t bytes = 1;
    static std::uint32_t read(const unsigned char *pixel) { return pixel[0]; }
};
struct Grey16 {
    using Label = std::uint16_t;
    static constexpr std::size_t bytes = 2;
    static std::uint32_t read(const unsigned char *pixel) { return static_cast<std::uint32_t>(pixel[0]) << 8 | pixel[1]; }
};
struct Colours {
    using Label = std::uint32_t;
    static constexpr std::size_t bytes = 3;
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

// How many pixels from here on are zero in all their bytes.
template <std::size_t Bytes>
std::size_t zero_pixels(const unsigned char *pixels, std::size_t count) {
    const std::size_t size = Bytes * count;
    std::size_t at = 0;
    for (std::uint64_t words[4]; at + sizeof(words) <= size; at += sizeof(words)) {
        std::memcpy(words, pixels + at, sizeof(words));
        if ((words[0] | words[1] | words[2] | words[3]) != 0) break;
    }
    for (std::uint64_t word; at + sizeof(word) <= size; at += sizeof(word)) {
        std::memcpy(&word, pixels + at, sizeof(word));
        if (word != 0) break;
    }
    while (at < size && pixels[at] == 0) ++at;
    return at / Bytes;
}

// One row: `from` are its filtered bytes, `above` the labels of the row before.
template <class Pixel>
struct Row {
    using Label = typename Pixel::Label;
    const unsigned char *from;
    const Label *above;
    Label *to;
    std::size_t width;

    std::uint32_t filtered(std::size_t x) const { return Pixel::read(from + Pixel::bytes * x); }
    std::size_t zeros(std::size_t x) const { return zero_pixels<Pixel::bytes>(from + Pixel::bytes * x, width - x); }

    void none() const {
        for (std::size_t x = 0; x < width; ++x) to[x] = static_cast<Label>(filtered(x));
    }

    void sub() const {
        Label left = 0;
        for (std::size_t x = 0; x < width;) {
            if (const std::size_t same = zeros(x)) {
                std::fill_n(to + x, same, left);
                x += same;
                continue;
            }
            left = static_cast<Label>(add_bytes(filtered(x), left));
            to[x++] = left;
        }
    }

    void up() const {
        for (std::size_t x = 0; x < width;) {
            if (const std::size_t same = zeros(x)) {
                std::copy_n(above + x, same, to + x);
                x += same;
                continue;
            }
            to[x] = static_cast<Label>(add_bytes(filtered(x), above[x]));
            ++x;
        }
    }

    void average() const {
        std::uint32_t left = 0;
        for (std::size_t x = 0; x < width; ++x) {
            left = add_bytes(filtered(x), average_bytes(left, above[x]));
            to[x] = static_cast<Label>(left);
        }
    }

    // Where left and corner are equal the pixel above is predicted. If the filtered pixel is zero it is also the result,
    // and the next pixel is in the same position: so a stretch of zeros is a copy of the row above. In the same way,
    // where corner and above are equal the pixel to the left is repeated, as long as the row above does not change.
    void paeth() const {
        Label left = 0, corner = 0;
        for (std::size_t x = 0; x < width;) {
            if (left == corner || above[x] == corner) {
                if (std::size_t same = zeros(x)) {
                    if (left == corner) {
                        std::copy_n(above + x, same, to + x);
                        left = corner = above[x + same - 1];
                    } else {
                        const Label *const row = above + x;
                        same = static_cast<std::size_t>(
                            std::find_if(row, row + same, [corner](Label label) { return label != corner; }) - row);
                        std::fill_n(to + x, same, left);
                    }
                    x += same;
                    continue;
                }
            }
            const std::uint32_t predicted = paeth_bytes<Pixel::bytes>(left, above[x], corner);
            corner = above[x];
            left = static_cast<Label>(add_bytes(filtered(x), predicted));
            to[x++] = left;
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

// The labels of an image of rows with the byte of their filter in front; false if one names a filter that PNG has not.
template <class Pixel>
bool undo_filters(const unsigned char *rows, std::size_t height, std::size_t width, typename Pixel::Label *labels) {
    const std::vector<typename Pixel::Label> nothing(width);
    const typename Pixel::Label *above = nothing.data();
    for (std::size_t y = 0; y < height; ++y, rows += 1 + Pixel::bytes * width, labels += width) {
        if (!Row<Pixel>{rows + 1, above, labels, width}.undo(rows[0])) return false;
        above = labels;
    }
    return true;
}

template <class Pixel>
bool png_labels(nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> rows,
                nb::ndarray<typename Pixel::Label, nb::ndim<2>, nb::c_contig, nb::device::cpu> labels) {
    const std::size_t height = labels.shape(0), width = labels.shape(1);
    if (rows.size() != height * (1 + Pixel::bytes * width))
        throw std::invalid_argument("rows have another size than the labels need");
    const nb::gil_scoped_release unlocked;
    return undo_filters<Pixel>(rows.data(), height, width, labels.data());
}

}  // namespace

}  // namespace segmetry

void register_png(nb::module_ &m) {
    const char *const words = "Fill labels from the inflated rows of a PNG image; False if a row names an unknown filter.";
    m.def("png_labels", &segmetry::png_labels<segmetry::Grey8>, nb::arg("rows"), nb::arg("labels").noconvert(), words);
    m.def("png_labels", &segmetry::png_labels<segmetry::Grey16>, nb::arg("rows"), nb::arg("labels").noconvert(), words);
    m.def("png_labels", &segmetry::png_labels<segmetry::Colours>, nb::arg("rows"), nb::arg("labels").noconvert(), words);
}
