// Rows of a label array with any strides.
//
// Labels are only ever compared for equality, so a kernel needs one instance per element width: the Python side
// passes signed arrays as views of the unsigned type of the same width.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "interrupts.hpp"

namespace segmetry {

template <typename Label>
using Labels3 = nanobind::ndarray<const Label, nanobind::ndim<3>, nanobind::device::cpu>;

// Gives every row of a 3-D array as contiguous memory: in place where the last stride is one element, else copied.
template <typename Label>
class LabelRows {
  public:
    explicit LabelRows(const Labels3<Label> &labels)
        : data_(labels.data()),
          planes(labels.shape(0)),
          rows(labels.shape(1)),
          length(labels.shape(2)),
          plane_stride_(labels.stride(0)),
          row_stride_(labels.stride(1)),
          stride_(labels.stride(2)) {
        if (stride_ != 1) {
            copy_.resize(length);
        }
    }

    const Label *row(std::int64_t plane, std::int64_t row, InterruptCheck &interrupts) {
        const Label *first = data_ + plane * plane_stride_ + row * row_stride_;
        if (stride_ == 1) {
            return first;
        }
        in_pieces(static_cast<std::size_t>(length), interrupts, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                copy_[i] = first[static_cast<std::int64_t>(i) * stride_];
            }
        });
        return copy_.data();
    }

  private:
    const Label *data_;

  public:
    const std::int64_t planes, rows, length;

  private:
    const std::int64_t plane_stride_, row_stride_, stride_;
    std::vector<Label> copy_;
};

}  // namespace segmetry
