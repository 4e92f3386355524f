// Rows of a label array with any strides, and the runs of equal labels within a row.
//
// Labels are only ever compared for equality, so a kernel needs one instance per element width: the Python side
// hands signed arrays over as views of the unsigned type of the same width.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <vector>

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

    const Label *row(std::int64_t plane, std::int64_t row) {
        const Label *first = data_ + plane * plane_stride_ + row * row_stride_;
        if (stride_ == 1) {
            return first;
        }
        for (std::int64_t i = 0; i < length; ++i) {
            copy_[i] = first[i * stride_];
        }
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

// The end (exclusive) of the run of equal labels that starts at `start`. Blocks of eight words are compared without
// branches, which the compiler turns into vector code, because most runs of a segmentation are long; the block in which
// the run ends is searched word by word.
template <typename Label>
inline std::int64_t run_end(const Label *row, std::int64_t start, std::int64_t length) {
    constexpr std::int64_t per_word = sizeof(std::uint64_t) / sizeof(Label), words = 8;
    const Label label = row[start];
    std::int64_t i = start + 1;
    if (i < length && row[i] != label) {
        return i;
    }
    const std::uint64_t repeated = label * (~std::uint64_t(0) / static_cast<Label>(~Label(0)));
    while (i + words * per_word <= length) {
        std::uint64_t block[words], difference = 0;
        std::memcpy(block, row + i, sizeof(block));
        for (std::int64_t j = 0; j < words; ++j) {
            difference |= block[j] ^ repeated;
        }
        if (difference) {
            for (std::int64_t j = 0; block[j] == repeated; ++j) {
                i += per_word;
            }
            break;
        }
        i += words * per_word;
    }
    while (i < length && row[i] == label) {
        ++i;
    }
    return i;
}

}  // namespace segmetry
