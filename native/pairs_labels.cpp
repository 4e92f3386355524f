#include "pairs_labels.hpp"

#include <algorithm>
#include <limits>

#include "compat.hpp"
#include "joint_ends.hpp"

namespace segmetry {

namespace {

constexpr std::size_t kMostSamples = 512;

// A byte reinterpreted as bool may be any number; numpy reads every one except zero as True.
void bools_of_bytes(std::uint64_t *labels, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        labels[i] = labels[i] != 0;
    }
}

// Converts labels to the form in which they are counted: unsigned, in numeric order.
void order_labels(const Side &side, std::uint64_t *labels, std::size_t count) {
    if (side.is_bool) {
        bools_of_bytes(labels, count);
    }
    if (const std::uint64_t flip = side.order_flip()) {
        for (std::size_t i = 0; i < count; ++i) {
            labels[i] ^= flip;
        }
    }
}

// Indices increase. Where every element is a stretch they are read one after the other, which compilers turn into vectors.
template <int Width>
void read_labels(const char *data, const std::uint32_t *indices, std::size_t count, std::uint64_t flip,
                 std::uint64_t *labels) {
    if (indices[count - 1] == count - 1) {
        for (std::size_t i = 0; i < count; ++i) {
            labels[i] = label_at<Width>(data, i) ^ flip;
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        labels[i] = label_at<Width>(data, indices[i]) ^ flip;
    }
}

template <typename T>
void widen_range(const char *data, std::size_t count, std::uint64_t flip, int side, LabelRange &range) {
    T low = std::numeric_limits<T>::max(), high = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const T value = static_cast<T>(label_at<sizeof(T)>(data, i) ^ flip);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    range.include(side, low);
    range.include(side, high);
}

// The bits of one element as they are stored.
std::uint64_t stored_label(const Side &side, const char *at) {
    switch (side.width) {
        case 1: return label_at<1>(at, 0);
        case 2: return side.is_swapped ? byte_swapped(label_at<2>(at, 0)) : label_at<2>(at, 0);
        case 4: return side.is_swapped ? byte_swapped(label_at<4>(at, 0)) : label_at<4>(at, 0);
        default: return side.is_swapped ? byte_swapped(label_at<8>(at, 0)) : label_at<8>(at, 0);
    }
}

}  // namespace

void read_labels(const Side &side, const char *data, const std::uint32_t *indices, std::size_t count,
                 std::uint64_t *labels) {
    if (count == 0) {
        return;
    }
    const std::uint64_t flip = side.order_flip();
    switch (side.width) {
        case 1: read_labels<1>(data, indices, count, flip, labels); break;
        case 2: read_labels<2>(data, indices, count, flip, labels); break;
        case 4: read_labels<4>(data, indices, count, flip, labels); break;
        default: read_labels<8>(data, indices, count, flip, labels);
    }
    if (side.is_bool) {
        bools_of_bytes(labels, count);
    }
}

void widen_range(const Side &side, int which, const char *data, std::size_t count, LabelRange &range) {
    if (side.is_bool) {
        range.include(which, 0);
        range.include(which, 1);
        return;
    }
    const std::uint64_t flip = side.order_flip();
    switch (side.width) {
        case 1: return widen_range<std::uint8_t>(data, count, flip, which, range);
        case 2: return widen_range<std::uint16_t>(data, count, flip, which, range);
        case 4: return widen_range<std::uint32_t>(data, count, flip, which, range);
        default: return widen_range<std::uint64_t>(data, count, flip, which, range);
    }
}

// One position in each of equal parts, at places that do not follow the rows of an image.
PairSample sample_pairs(const PairView &view, std::size_t begin, std::size_t end) {
    // A sample costs as much as counting some hundred positions, so those of an image are few.
    const std::size_t size = end - begin, of_image = std::min<std::size_t>(size / 512, 128), of_volume = size / 32768;
    PairSample sample;
    sample.taken = std::clamp<std::size_t>(std::max(of_image, of_volume), 1, kMostSamples);
    for (std::vector<std::uint64_t> &labels : sample.labels) {
        labels.resize(sample.taken);
    }
    const std::size_t part = size / sample.taken;
    Cursor cursor(view, begin);
    std::size_t at = begin;
    for (std::size_t k = 0; k < sample.taken; ++k) {
        const std::size_t position = begin + k * part + (k * 0x9E3779B97F4A7C15u >> 32) % part;
        cursor.advance(position - at);
        at = position;
        const bool has_next = cursor.left_in_row() > 1;
        std::uint64_t changed = 0;
        for (int s = 0; s < 2; ++s) {
            const Side &side = view.side[s];
            const char *here = cursor.address(s);
            const char *next = has_next ? here + view.axes.back().step[s] : here;
            sample.labels[s][k] = stored_label(side, here);
            changed |= sample.labels[s][k] ^ stored_label(side, next);
        }
        sample.changes += changed != 0;
    }
    for (int s = 0; s < 2; ++s) {
        order_labels(view.side[s], sample.labels[s].data(), sample.taken);
    }
    return sample;
}

PairSample sample_block(const PairView &view, const char *const (&data)[2], const std::uint32_t *ends,
                        std::size_t stretches) {
    const std::size_t step = stretches / kMostSamples + 1;
    std::vector<std::uint32_t> indices;
    for (std::size_t r = 0; r < stretches; r += step) {
        indices.push_back(ends[r]);
    }
    PairSample sample;
    for (int s = 0; s < 2; ++s) {
        sample.labels[s].resize(indices.size());
        read_labels(view.side[s], data[s], indices.data(), indices.size(), sample.labels[s].data());
    }
    sample.taken = ends[stretches - 1];
    sample.changes = stretches - 1;
    return sample;
}

}  // namespace segmetry
