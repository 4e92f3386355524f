// Gives up the interpreter lock while a kernel works, unless it is done sooner than another thread could begin: waking that
// thread, and waiting until it gives the lock back, takes longer than a small kernel.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>

namespace segmetry {

// `work` is a number of rows, stretches or segments, each of a few nanoseconds.
class Unlocked {
  public:
    explicit Unlocked(std::size_t work) {
        if (work >= kWorth) {
            released_.emplace();
        }
    }

  private:
    static constexpr std::size_t kWorth = 4096;

    std::optional<nanobind::gil_scoped_release> released_;
};

}  // namespace segmetry
