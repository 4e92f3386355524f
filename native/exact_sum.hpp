// Exactly rounded sums, as Python's math.fsum gives them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "interrupts.hpp"

namespace segmetry {

// Shewchuk's sum of numbers of any size, as Python's math.fsum rounds it: parts that do not
// overlap, the smallest first, whose sum is exact.
class ExactSum {
  public:
    void clear() { parts_.clear(); }

    void add(double number) {
        std::size_t kept = 0;
        for (double part : parts_) {
            if (std::abs(number) < std::abs(part)) {
                std::swap(number, part);
            }
            const double high = number + part, low = part - (high - number);
            if (low != 0) {
                parts_[kept++] = low;
            }
            number = high;
        }
        parts_.resize(kept);
        if (number != 0) {
            parts_.push_back(number);
        }
    }

    double rounded() const {
        if (parts_.empty()) {
            return 0.0;
        }
        std::size_t left = parts_.size() - 1;
        double high = parts_[left], low = 0;
        while (left > 0 && low == 0) {
            const double part = parts_[--left], total = high + part;
            low = part - (total - high);
            high = total;
        }
        // Exactly between two floats so far: what is left decides.
        if (left > 0 && ((low < 0 && parts_[left - 1] < 0) || (low > 0 && parts_[left - 1] > 0))) {
            const double twice = low * 2, total = high + twice;
            if (total - high == twice) {
                high = total;
            }
        }
        return high;
    }

  private:
    std::vector<double> parts_;
};

// Adds up numbers together with what each addition rounds off; `certain` says whether the sum is exactly rounded.
class CompensatedSum {
  public:
    void add(double number) {
        const double total = total_ + number, share = total - total_;
        error_ += (total_ - (total - share)) + (number - share);
        total_ = total;
        size_ += std::abs(number);
        ++count_;
    }

    double size() const { return size_; }

    double rounded() const { return total_ + error_; }

    bool certain() const {
        const double sum = rounded(), share = sum - total_;
        const double left = (total_ - (sum - share)) + (error_ - share);
        const double distance = std::abs(left) + count_ * count_ * 0x1p-106 * size_;
        const double below = std::nextafter(std::abs(sum), 0.0);
        return distance == 0 || distance < (std::nextafter(below, HUGE_VAL) - below) / 2;
    }

  private:
    double total_ = 0, error_ = 0, size_ = 0, count_ = 0;
};

// The exactly rounded sum of some numbers; NaN where one is not finite, or parts overflow.
class RoundedSum {
  public:
    double of(const double *numbers, std::size_t size, InterruptCheck &interrupts) {
        CompensatedSum quick;
        in_pieces(size, interrupts, [&](std::size_t begin, std::size_t end) {
            std::for_each(numbers + begin, numbers + end, [&quick](double number) { quick.add(number); });
        });
        if (!std::isfinite(quick.size())) {
            return std::nan("");
        }
        if (quick.certain()) {
            return quick.rounded();
        }
        parts_.clear();
        in_pieces(size, interrupts, [&](std::size_t begin, std::size_t end) {
            std::for_each(numbers + begin, numbers + end, [this](double number) { parts_.add(number); });
        });
        return parts_.rounded();
    }

  private:
    ExactSum parts_;
};

}  // namespace segmetry
