// Where the labels of a PNG image go, row by row: every label of it, or its stretches of equal labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stretches.hpp"

namespace segmetry {

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
// Which of two edges of segments comes first is as good as random, so that few of the steps below are branches.
class RunLengthLine {
  public:
    RunLengthLine(std::size_t width, std::size_t most_stretches)
        : width_(to_int(width)), most_(most_stretches), stretches_(std::min(kFirst, most_stretches + 2)) {
        stretches_[0] = Stretch{width_, 0};
    }

    void begin_row(std::size_t, std::size_t) {}

    std::uint32_t above() const { return stretches_[over_].label; }
    std::uint32_t last() const { return stretches_[last_].label; }
    std::size_t above_stays(std::size_t most) const {
        return std::min(most, static_cast<std::size_t>(stretches_[over_].stop - at_));
    }

    void put(std::uint32_t label) {
        append(label, ++at_);
        over_ += stretches_[over_].stop == at_;
    }
    void repeat(std::uint32_t label, std::size_t count) {
        at_ += to_int(count);
        append(label, at_);
        while (stretches_[over_].stop <= at_) {
            ++over_;  // what was appended ends a row further on
        }
    }
    void copy_above(std::size_t count) {
        const std::int64_t end = at_ + to_int(count);
        append(above(), std::min(stretches_[over_].stop, end));
        while (stretches_[over_].stop < end) {  // neighbours differ
            ++over_;
            ++last_;
            put_last(above(), std::min(stretches_[over_].stop, end));
        }
        over_ += stretches_[over_].stop == end;
        at_ = end;
    }

    // The stretches of the image, without the row above it.
    std::size_t size() const { return last_ + 1 - begin(); }
    // (stop, label) of one of them.
    std::pair<std::int64_t, std::int64_t> stretch(std::size_t number) const {
        const Stretch &stretch = stretches_[begin() + number];
        return {stretch.stop - width_, stretch.label};
    }
    void write(std::int64_t *stops, std::int64_t *labels) const {
        for (std::size_t r = begin(); r <= last_; ++r) {
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

    // The pixels up to below `stop` of the row above have this label: the last stretch is longer, or there is a new one.
    void append(std::uint32_t label, std::int64_t stop) {
        last_ += last() != label;
        put_last(label, stop);
    }
    void put_last(std::uint32_t label, std::int64_t stop) {
        if (last_ == stretches_.size()) {
            grow();
        }
        stretches_[last_] = Stretch{width_ + stop, label};
    }

    void grow() {
        if (size() > most_ + 1) {
            throw TooManyStretches{};
        }
        stretches_.resize(std::min(4 * stretches_.size(), most_ + 3));
    }

    static constexpr std::size_t kFirst = 4096;

    std::int64_t width_;
    std::size_t most_;
    std::vector<Stretch> stretches_;
    std::size_t last_ = 0;
    std::size_t over_ = 0;  // the stretch of the pixel above the next one
    std::int64_t at_ = 0;   // the place of that pixel
};

}  // namespace segmetry
