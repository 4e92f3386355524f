#include "pairs_view.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "checks.hpp"
#include "compat.hpp"

namespace segmetry {

namespace {

// The format of the buffer protocol: an optional byte order, then one letter for the kind of number.
Side read_side(const Py_buffer &buffer) {
    Side side;
    side.data = static_cast<const char *>(buffer.buf);
    const std::string format = buffer.format ? buffer.format : "B";
    std::size_t at = 0;
    bool little = !is_big_endian();
    if (std::strchr("@=<>!^", format[0]) != nullptr) {
        if (format[0] == '<') {
            little = true;
        }
        if (format[0] == '>' || format[0] == '!') {
            little = false;
        }
        at = 1;
    }
    if (format.size() != at + 1 || std::strchr("?bBhHiIlLqQnN", format[at]) == nullptr) {
        throw std::invalid_argument("label arrays must be integer or bool, found buffer format '" + format + "'");
    }
    side.width = static_cast<int>(buffer.itemsize);
    side.is_signed = std::strchr("bhilqn", format[at]) != nullptr;
    side.is_bool = format[at] == '?';
    side.is_swapped = side.width > 1 && little != !is_big_endian();
    return side;
}

// The count does not depend on the order of positions, so an axis may be walked from either end.
void walk_axes_upwards(PairView &view) {
    for (Axis &axis : view.axes) {
        if (axis.step[0] > 0 || (axis.step[0] == 0 && axis.step[1] >= 0)) {
            continue;
        }
        for (int s = 0; s < 2; ++s) {
            view.side[s].data += static_cast<std::ptrdiff_t>(axis.length - 1) * axis.step[s];
            axis.step[s] = -axis.step[s];
        }
    }
}

// Largest steps outermost; where a row of the outer axis follows the last one without a gap, both become one axis.
void sort_and_join_axes(PairView &view) {
    const auto reach = [&view](const Axis &axis) {
        return std::abs(axis.step[0]) / view.side[0].width + std::abs(axis.step[1]) / view.side[1].width;
    };
    std::stable_sort(view.axes.begin(), view.axes.end(),
                     [&reach](const Axis &x, const Axis &y) { return reach(x) > reach(y); });
    std::vector<Axis> joined;
    for (const Axis &axis : view.axes) {
        const auto length = static_cast<std::ptrdiff_t>(axis.length);
        if (!joined.empty() && joined.back().step[0] == axis.step[0] * length &&
            joined.back().step[1] == axis.step[1] * length) {
            joined.back() = Axis{joined.back().length * axis.length, {axis.step[0], axis.step[1]}};
        } else {
            joined.push_back(axis);
        }
    }
    view.axes = joined;
}

// C against Fortran order: no axis is contiguous in both arrays. The longer contiguous axis becomes the row, the other one
// the axis before it, which is read in bands.
void find_bands(PairView &view) {
    const auto contiguous_axis = [&view](int side) {
        return std::find_if(view.axes.begin(), view.axes.end(),
                            [&view, side](const Axis &axis) { return axis.step[side] == view.side[side].width; });
    };
    const auto first = contiguous_axis(0), second = contiguous_axis(1);
    if (first == view.axes.end() || second == view.axes.end() || first == second ||
        first->step[1] == view.side[1].width || second->step[0] == view.side[0].width) {
        return;
    }
    const int banded = first->length >= second->length ? 1 : 0;
    const Axis row = banded == 1 ? *first : *second, band = banded == 1 ? *second : *first;
    if (row.length < kFewestColumns || band.length < kFewestRows ||
        row.length > kBandBytes / (kFewestRows * static_cast<std::size_t>(view.side[banded].width))) {
        return;
    }
    view.banded_side = banded;
    view.axes.erase(std::max(first, second));
    view.axes.erase(std::min(first, second));
    view.axes.push_back(band);
    view.axes.push_back(row);
}

template <typename T>
void copy_row(const char *source, std::ptrdiff_t step, std::size_t count, char *target) {
    if (step == static_cast<std::ptrdiff_t>(sizeof(T))) {
        std::memcpy(target, source, count * sizeof(T));
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(target + i * sizeof(T), source + static_cast<std::ptrdiff_t>(i) * step, sizeof(T));
    }
}

template <typename T>
void swap_row(std::size_t count, char *row) {
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, row + i * sizeof(T), sizeof(T));
        value = byte_swapped(value);
        std::memcpy(row + i * sizeof(T), &value, sizeof(T));
    }
}

void swap_row(const Side &side, std::size_t count, char *row) {
    switch (side.width) {
        case 2: return swap_row<std::uint16_t>(count, row);
        case 4: return swap_row<std::uint32_t>(count, row);
        default: return swap_row<std::uint64_t>(count, row);
    }
}

void copy_row(const Side &side, const char *source, std::ptrdiff_t step, std::size_t count, char *target) {
    switch (side.width) {
        case 1: copy_row<std::uint8_t>(source, step, count, target); break;
        case 2: copy_row<std::uint16_t>(source, step, count, target); break;
        case 4: copy_row<std::uint32_t>(source, step, count, target); break;
        default: copy_row<std::uint64_t>(source, step, count, target);
    }
    if (side.is_swapped) {
        swap_row(side, count, target);
    }
}

// Rows whose elements are `along` bytes apart, and `down` from one row to the next: four columns at a time, so that the
// lines of memory they are read from stay in the first-level cache.
template <typename T>
void copy_columns(const char *source, std::ptrdiff_t along, std::ptrdiff_t down, std::size_t rows, std::size_t length,
                  char *target, std::size_t width) {
    constexpr std::size_t columns = 4;
    std::size_t at = 0;
    for (; at + columns <= length; at += columns, source += static_cast<std::ptrdiff_t>(columns) * along) {
        for (std::size_t r = 0; r < rows; ++r) {
            const char *from = source + static_cast<std::ptrdiff_t>(r) * down;
            T values[columns];
            for (std::size_t c = 0; c < columns; ++c) {
                std::memcpy(&values[c], from + static_cast<std::ptrdiff_t>(c) * along, sizeof(T));
            }
            std::memcpy(target + r * width + at * sizeof(T), values, sizeof(values));
        }
    }
    for (; at < length; ++at, source += along) {
        for (std::size_t r = 0; r < rows; ++r) {
            std::memcpy(target + r * width + at * sizeof(T), source + static_cast<std::ptrdiff_t>(r) * down, sizeof(T));
        }
    }
}

}  // namespace

HeldBuffer::HeldBuffer(PyObject *object) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
        throw nanobind::python_error();
    }
}

PairView make_pair_view(const Py_buffer &first, const Py_buffer &second) {
    const bool same_shape =
        first.ndim == second.ndim && std::equal(first.shape, first.shape + first.ndim, second.shape);
    check(same_shape, "the two label arrays differ in shape");
    PairView view;
    view.side[0] = read_side(first);
    view.side[1] = read_side(second);
    view.size = 1;
    for (int d = 0; d < first.ndim; ++d) {
        const auto length = static_cast<std::size_t>(first.shape[d]);
        view.size *= length;
        if (length != 1) {
            view.axes.push_back(Axis{length, {first.strides[d], second.strides[d]}});
        }
    }
    if (view.size > 0) {
        walk_axes_upwards(view);
        sort_and_join_axes(view);
        find_bands(view);
    }
    if (view.axes.empty()) {
        view.axes.push_back(Axis{view.size, {view.side[0].width, view.side[1].width}});
    }
    return view;
}

Cursor::Cursor(const PairView &view, std::size_t position) : view_(&view), coordinates_(view.axes.size(), 0) {
    for (int s = 0; s < 2; ++s) {
        address_[s] = view.side[s].data;
    }
    for (std::size_t d = view.axes.size(); d-- > 0;) {
        const Axis &axis = view.axes[d];
        // An end position leaves its surplus in the outermost axis, which advance() does as well.
        coordinates_[d] = d == 0 ? position : position % axis.length;
        position /= axis.length;
        for (int s = 0; s < 2; ++s) {
            address_[s] += static_cast<std::ptrdiff_t>(coordinates_[d]) * axis.step[s];
        }
    }
}

void Cursor::advance(std::size_t count) {
    std::size_t carry = count;
    for (std::size_t d = view_->axes.size(); d-- > 0 && carry > 0;) {
        const Axis &axis = view_->axes[d];
        const std::size_t before = coordinates_[d];
        const std::size_t sum = before + carry;
        coordinates_[d] = d == 0 ? sum : sum % axis.length;
        carry = d == 0 ? 0 : sum / axis.length;
        const auto moved = static_cast<std::ptrdiff_t>(coordinates_[d]) - static_cast<std::ptrdiff_t>(before);
        for (int s = 0; s < 2; ++s) {
            address_[s] += moved * axis.step[s];
        }
    }
}

void Cursor::gather(int side, std::size_t count, char *target) const {
    const Side &stored = view_->side[side];
    Cursor row(*this);
    while (count > 0) {
        const std::size_t part = std::min(count, row.left_in_row());
        copy_row(stored, row.address_[side], view_->axes.back().step[side], part, target);
        target += part * static_cast<std::size_t>(stored.width);
        count -= part;
        row.advance(part);
    }
}

void Cursor::gather_rows(int side, std::size_t rows, char *target, std::size_t width) const {
    const Side &stored = view_->side[side];
    const std::ptrdiff_t along = view_->axes.back().step[side], down = view_->axes[view_->axes.size() - 2].step[side];
    const char *source = address_[side] - static_cast<std::ptrdiff_t>(coordinates_.back()) * along;
    switch (stored.width) {
        case 1: copy_columns<std::uint8_t>(source, along, down, rows, view_->row_length(), target, width); break;
        case 2: copy_columns<std::uint16_t>(source, along, down, rows, view_->row_length(), target, width); break;
        case 4: copy_columns<std::uint32_t>(source, along, down, rows, view_->row_length(), target, width); break;
        default: copy_columns<std::uint64_t>(source, along, down, rows, view_->row_length(), target, width);
    }
    if (stored.is_swapped) {
        for (std::size_t r = 0; r < rows; ++r) {
            swap_row(stored, view_->row_length(), target + r * width);
        }
    }
}

}  // namespace segmetry
