// Reads the labels of a PNG file in one step without the interpreter lock: a lock that is given back and taken again for
// every read, checksum and kernel costs more than they do as soon as two threads read images.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

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
#include "item_rows.hpp"
#include "libdeflate.hpp"
#include "pairs_table.hpp"
#include "png_chunks.hpp"
#include "png_filters.hpp"
#include "png_lines.hpp"
#include "stretch_sizes.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

constexpr std::size_t kStart = std::size_t{1} << 16;     // bytes that are read at first: all of most label images
constexpr std::size_t kOverhead = std::size_t{1} << 16;  // bytes a file may have beyond its pixels

// What files are read with, and which of them: `colours` are bits, 1 << the colour types that are read.
struct PngReading {
    bool follow_links;
    unsigned colours;
    std::size_t most_pixels;
};

// Memory for inflated rows, kept from one image to the next: fresh memory of their size costs as much as inflating them.
struct RowsBuffer {
    std::unique_ptr<unsigned char[]> memory;
    std::size_t size = 0;

    unsigned char *room(std::size_t needed) {
        if (size < needed) {
            memory.reset(new unsigned char[needed]);
            size = needed;
        }
        return memory.get();
    }
};

// The inflated rows of an image in a buffer; none where anything is unusual or damaged.
class PngRows {
  public:
    PngRows(const char *path, const PngReading &reading, RowsBuffer &buffer, InterruptCheck &interrupts)
        : PngRows(FileStart(path, reading.follow_links), reading.colours, reading.most_pixels, buffer, interrupts) {}

    const PngHeader &header() const { return header_; }
    const unsigned char *data() const { return rows_; }  // null if there are none

  private:
    PngRows(FileStart &&file, unsigned colours, std::size_t most_pixels, RowsBuffer &buffer, InterruptCheck &interrupts)
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
        unsigned char *const rows = buffer.room(header_.n_bytes);
        if (library.inflates(data.data(), data.size(), rows, header_.n_bytes)) {
            rows_ = rows;
        }
    }

    PngHeader header_;
    const unsigned char *rows_ = nullptr;
};

// What is found without the lock; arrays are made of it with the lock.
struct FoundStretches {
    RunLengthLine line;
    LabelSizes sizes;
};

template <typename Pixel>
std::optional<RunLengthLine> find_line(const PngRows &rows, std::size_t most_stretches) {
    const std::size_t height = rows.header().height, width = rows.header().width;
    RunLengthLine line(width, most_stretches);
    try {
        if (!undo_filters<Pixel>(rows.data(), height, width, line) || line.size() > most_stretches) {
            return std::nullopt;
        }
    } catch (const TooManyStretches &) {
        return std::nullopt;
    }
    return line;
}

std::optional<RunLengthLine> find_line(const PngRows &rows, std::size_t most_stretches) {
    switch (rows.header().bytes_per_pixel) {
        case 1: return find_line<Grey8>(rows, most_stretches);
        case 2: return find_line<Grey16>(rows, most_stretches);
        default: return find_line<Colours>(rows, most_stretches);
    }
}

std::optional<FoundStretches> find_stretches(const PngRows &rows, std::size_t most_stretches) {
    std::optional<RunLengthLine> line = find_line(rows, most_stretches);
    if (!line) {
        return std::nullopt;
    }
    LabelSizes sizes = stretch_sizes(line->size(), [&line](std::size_t r) { return line->stretch(r); });
    return FoundStretches{std::move(*line), std::move(sizes)};
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
    RowsBuffer buffer;
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        rows.emplace(path.c_str(), PngReading{follow_links, colours, most_pixels}, buffer, interrupts);
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

// Counts the label pairs of two images, a stretch of equal pairs at a time.
void count_lines(const RunLengthLine &first, const RunLengthLine &second, PairTable &table) {
    std::int64_t position = 0;
    for (std::size_t a = 0, b = 0; a < first.size();) {
        const auto [first_stop, first_label] = first.stretch(a);
        const auto [second_stop, second_label] = second.stretch(b);
        const std::int64_t stop = std::min(first_stop, second_stop);
        table.add(PairCount{static_cast<std::uint64_t>(first_label), static_cast<std::uint64_t>(second_label),
                            stop - position});
        position = stop;
        a += first_stop == stop;
        b += second_stop == stop;
    }
}

// Reads pairs of images; the memory is kept from one to the next.
class PngPairs {
  public:
    PngPairs(const std::vector<nb::bytes> &first, const std::vector<nb::bytes> &second, const PngReading (&reading)[2],
             std::size_t least_mean_stretch, std::vector<std::int64_t> &shapes)
        : paths_{&first, &second}, reading_{reading[0], reading[1]}, least_(least_mean_stretch), shapes_(shapes) {}

    void operator()(std::size_t item, std::vector<PairCount> &found, InterruptCheck &interrupts) {
        std::optional<RunLengthLine> lines[2];
        std::size_t height = 0, width = 0;
        for (int side = 0; side < 2; ++side) {
            const PngRows rows((*paths_[side])[item].c_str(), reading_[side], buffer_, interrupts);
            if (rows.data() == nullptr ||
                (side == 1 && (rows.header().height != height || rows.header().width != width))) {
                return;
            }
            height = rows.header().height;
            width = rows.header().width;
            interrupts.look(height * width);
            lines[side] = find_line(rows, 1 + height * width / least_);
            if (!lines[side]) {
                return;
            }
        }
        PairTable table(0);
        count_lines(*lines[0], *lines[1], table);
        std::vector<PairCount> sorted = table.rows();
        std::sort(sorted.begin(), sorted.end(), pair_before);
        found.insert(found.end(), sorted.begin(), sorted.end());
        shapes_[2 * item] = static_cast<std::int64_t>(height);
        shapes_[2 * item + 1] = static_cast<std::int64_t>(width);
    }

  private:
    const std::vector<nb::bytes> *paths_[2];
    PngReading reading_[2];
    std::size_t least_;
    std::vector<std::int64_t> &shapes_;
    RowsBuffer buffer_;
};

nb::object count_png_pairs(const std::vector<nb::bytes> &first, const std::vector<nb::bytes> &second,
                           unsigned true_colours, unsigned pred_colours, std::size_t most_pixels,
                           std::size_t least_mean_stretch, bool follow_links, std::size_t threads) {
    check(first.size() == second.size(), "there must be as many files on both sides");
    check(threads >= 1 && least_mean_stretch >= 1, "threads and least_mean_stretch must be at least 1");
    if (!libdeflate().is_loaded()) {
        return nb::none();
    }
    const PngReading reading[2] = {{follow_links, true_colours, most_pixels},
                                   {follow_links, pred_colours, most_pixels}};
    std::vector<std::int64_t> shapes(2 * first.size(), 0);
    ItemRows rows;
    {
        const nb::gil_scoped_release unlocked;
        rows = count_items(first.size(), threads, 1,
                           [&] { return PngPairs(first, second, reading, least_mean_stretch, shapes); });
    }
    return nb::make_tuple(rows.columns(), to_numpy(shapes));
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
    m.def(
        "count_png_pairs", &segmetry::count_png_pairs, nb::arg("true"), nb::arg("pred"), nb::arg("true_colours"),
        nb::arg("pred_colours"), nb::arg("most_pixels"), nb::arg("least_mean_stretch"), nb::arg("follow_links"),
        nb::arg("threads"),
        "Read pairs of PNG files and count their label pairs: ((starts, true labels, pred labels, counts), shapes). A "
        "pair whose shape is 0, 0 was not read, as something about it is unusual. None if libdeflate was not found.");
}
