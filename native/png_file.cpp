// Reads the labels of a PNG file in one step without the interpreter lock: a lock that is given back and taken again for
// every read, checksum and kernel costs more than they do as soon as two threads read images.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "file_start.hpp"
#include "interrupts.hpp"
#include "libdeflate.hpp"
#include "png_chunks.hpp"
#include "png_filters.hpp"
#include "png_lines.hpp"
#include "stretch_sizes.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

constexpr std::size_t kStart = std::size_t{1} << 16;     // bytes that are read at first: all of most label images
constexpr std::size_t kOverhead = std::size_t{1} << 16;  // bytes a file may have beyond its pixels

// The inflated rows of an image; none where anything is unusual or damaged.
class PngRows {
  public:
    // `colours` are bits, 1 << the colour types that are read.
    PngRows(const char *path, bool follow_links, unsigned colours, std::size_t most_pixels, InterruptCheck &&interrupts)
        : PngRows(FileStart(path, follow_links), colours, most_pixels, interrupts) {}

    const PngHeader &header() const { return header_; }
    const unsigned char *data() const { return rows_.get(); }  // null if there are none

  private:
    PngRows(FileStart &&file, unsigned colours, std::size_t most_pixels, InterruptCheck &interrupts)
        : header_(file.read(kStart, interrupts)) {
        if (header_.bytes_per_pixel == 0 || (colours >> header_.colour & 1) == 0 ||
            header_.height > most_pixels / header_.width) {
            return;
        }
        const std::vector<unsigned char> &content = file.read(kOverhead + 2 * header_.n_bytes, interrupts);
        const Libdeflate &library = libdeflate();
        const PngData data(content, header_, library);
        if (!data.is_complete()) {
            return;
        }
        std::unique_ptr<unsigned char[]> rows(new unsigned char[header_.n_bytes]);
        if (library.inflates(data.data(), data.size(), rows.get(), header_.n_bytes)) {
            rows_ = std::move(rows);
        }
    }

    PngHeader header_;
    std::unique_ptr<unsigned char[]> rows_;
};

// What is found without the lock; arrays are made of it with the lock.
struct FoundStretches {
    RunLengthLine line;
    LabelSizes sizes;
};

template <typename Pixel>
std::optional<FoundStretches> find_stretches(const PngRows &rows, std::size_t most_stretches) {
    const std::size_t height = rows.header().height, width = rows.header().width;
    FoundStretches found{RunLengthLine(width, most_stretches), {}};
    try {
        if (!undo_filters<Pixel>(rows.data(), height, width, found.line) || found.line.size() > most_stretches) {
            return std::nullopt;
        }
    } catch (const TooManyStretches &) {
        return std::nullopt;
    }
    found.sizes = stretch_sizes(found.line.size(), [&line = found.line](std::size_t r) { return line.stretch(r); });
    return found;
}

std::optional<FoundStretches> find_stretches(const PngRows &rows, std::size_t most_stretches) {
    switch (rows.header().bytes_per_pixel) {
        case 1: return find_stretches<Grey8>(rows, most_stretches);
        case 2: return find_stretches<Grey16>(rows, most_stretches);
        default: return find_stretches<Colours>(rows, most_stretches);
    }
}

template <typename Pixel>
nb::object every_label(const PngRows &rows, const char *dtype) {
    const std::size_t height = rows.header().height, width = rows.header().width;
    nb::object array = numpy_empty()(nb::make_tuple(height, width), dtype);
    Py_buffer buffer;
    if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE) != 0) {
        throw nb::python_error();
    }
    auto *const labels = static_cast<typename Pixel::Label *>(buffer.buf);
    PyBuffer_Release(&buffer);  // `array` keeps the memory
    bool known;
    {
        const nb::gil_scoped_release unlocked;
        DenseLine<typename Pixel::Label> line(labels, width);
        known = undo_filters<Pixel>(rows.data(), height, width, line);
    }
    return known ? array : nb::none();
}

nb::object every_label(const PngRows &rows) {
    switch (rows.header().bytes_per_pixel) {
        case 1: return every_label<Grey8>(rows, "uint8");
        case 2: return every_label<Grey16>(rows, "uint16");
        default: return every_label<Colours>(rows, "uint32");
    }
}

nb::object png_file_labels(nb::bytes path, unsigned colours, std::size_t most_pixels, std::size_t least_mean_stretch,
                           bool follow_links) {
    check(least_mean_stretch >= 1, "least_mean_stretch must be at least 1");
    if (!libdeflate().is_loaded()) {
        return nb::none();
    }
    std::optional<PngRows> rows;
    std::optional<FoundStretches> found;
    {
        const nb::gil_scoped_release unlocked;
        rows.emplace(path.c_str(), follow_links, colours, most_pixels, InterruptCheck());
        if (rows->data() != nullptr) {
            const std::size_t pixels = rows->header().height * rows->header().width;
            found = find_stretches(*rows, 1 + pixels / least_mean_stretch);
        }
    }
    if (rows->data() == nullptr) {
        return nb::none();
    }
    if (!found) {
        return every_label(*rows);
    }
    NewArray<std::int64_t> stops(found->line.size()), labels(found->line.size());
    found->line.write(stops.data, labels.data);
    const PngHeader &header = rows->header();
    return nb::make_tuple(nb::make_tuple(header.height, header.width), header.bytes_per_pixel,
                          nb::make_tuple(stops.array, labels.array), columns_of(found->sizes));
}

}  // namespace

}  // namespace segmetry

void register_png_file(nb::module_ &m) {
    m.def(
        "load_libdeflate", &segmetry::load_libdeflate, nb::arg("module"),
        "Find the functions of libdeflate in a loaded extension module, by its file; False if it does not have them.");
    m.def(
        "png_file_labels", &segmetry::png_file_labels, nb::arg("path"), nb::arg("colours"), nb::arg("most_pixels"),
        nb::arg("least_mean_stretch"), nb::arg("follow_links"),
        "The labels of a PNG file: ((height, width), bytes per pixel, (stops, labels), (ids, sizes)) as stretches, an "
        "array where the mean stretch is shorter, None where anything is unusual or libdeflate was not found.");
}
