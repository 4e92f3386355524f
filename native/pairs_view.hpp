// Two arrays of one shape as a list of axes, brought into the order in which memory is read best.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace segmetry {

// One array: where it starts and how an element is stored.
struct Side {
    const char *data = nullptr;
    int width = 1;  // bytes per element: 1, 2, 4 or 8
    bool is_signed = false;
    bool is_bool = false;
    bool is_swapped = false;  // stored in the other byte order

    // Labels are handled as unsigned numbers in numeric order: a signed label has its sign bit flipped.
    std::uint64_t order_flip() const { return is_signed ? std::uint64_t{1} << (8 * width - 1) : 0; }
};

struct Axis {
    std::size_t length;
    std::ptrdiff_t step[2];  // bytes from one element to the next, per side
};

// The buffer of a Python object, released when it goes out of scope.
class HeldBuffer {
  public:
    explicit HeldBuffer(PyObject *object);
    ~HeldBuffer() { PyBuffer_Release(&view_); }
    HeldBuffer(const HeldBuffer &) = delete;
    HeldBuffer &operator=(const HeldBuffer &) = delete;
    const Py_buffer &view() const { return view_; }

  private:
    Py_buffer view_;
};

// Bands of rows: of fewer or shorter ones than this they are not worth it, and they fill no more memory than this.
constexpr std::size_t kFewestRows = 4;
constexpr std::size_t kFewestColumns = 32;
constexpr std::size_t kBandBytes = std::size_t{1} << 22;

struct PairView {
    Side side[2];
    std::vector<Axis> axes;  // outermost first; never empty; the last axis is the row
    std::size_t size = 0;    // number of positions
    // Where the rows of one side are contiguous and the other's are not, but its next axis is (C against Fortran order):
    // that other side; else -1.
    int banded_side = -1;

    std::size_t row_length() const { return axes.back().length; }
    // Of both arrays; those of a broadcast one are counted as often as they are read.
    std::size_t bytes() const { return size * static_cast<std::size_t>(side[0].width + side[1].width); }
};

// Throws std::invalid_argument for a dtype that is not integer or bool, and for unequal shapes.
PairView make_pair_view(const Py_buffer &first, const Py_buffer &second);

// A place in a PairView that is not empty: the coordinates of one position, and the address it has in each array.
class Cursor {
  public:
    Cursor(const PairView &view, std::size_t position);
    const char *address(int side) const { return address_[side]; }
    std::size_t left_in_row() const { return view_->row_length() - coordinates_.back(); }
    // The place on the axis before the last, of which there must be one, and how many rows follow with this one.
    std::size_t row_index() const { return coordinates_[coordinates_.size() - 2]; }
    std::size_t rows_left() const { return view_->axes[view_->axes.size() - 2].length - row_index(); }
    void advance(std::size_t count);
    // Copy the next `count` elements of one side, across rows, into native byte order; the cursor stays.
    void gather(int side, std::size_t count, char *target) const;
    // Copy whole rows of one side from that of the cursor on, in native byte order, `width` bytes from one to the next.
    void gather_rows(int side, std::size_t rows, char *target, std::size_t width) const;

  private:
    const PairView *view_;
    std::vector<std::size_t> coordinates_;
    const char *address_[2];
};

}  // namespace segmetry
