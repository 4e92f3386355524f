// Ctrl-C during a long kernel: every loop over rows, blocks or stretches tells an `InterruptCheck` how much work it has
// done, which about every 50 ms looks for an interrupt and throws `Interrupted`, a KeyboardInterrupt in Python.
//
// In Python's main thread signals are handled as between two lines of Python. Other threads are stopped by
// `stop_threads`: an engine that is interrupted does not wait for them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace segmetry {

struct Interrupted {};

// One for each call of a kernel, or for each of its threads.
class InterruptCheck {
  public:
    InterruptCheck() = default;
    // For a thread that a kernel started: it knows no Python, and stops when the call that started it is interrupted.
    explicit InterruptCheck(const std::atomic<bool> &stopped) : stopped_(&stopped) {}

    // `work` is the number of elements, or of what takes as long, since the last call.
    void look(std::size_t work) {
        done_ += work;
        if (done_ >= kWorkBetweenLooks) {
            look_now();
        }
    }

    // Whether or not there was enough work.
    void look_now();

  private:
    // Between 0.1 and 10 ms, depending on the kernel.
    static constexpr std::size_t kWorkBetweenLooks = std::size_t{1} << 17;

    std::size_t done_ = 0;
    std::chrono::steady_clock::time_point last_{};
    const std::atomic<bool> *stopped_ = nullptr;
};

// Calls work(begin, end) for pieces of [0, size), and looks for an interrupt between them.
template <typename Work>
void in_pieces(std::size_t size, InterruptCheck &interrupts, const Work &work) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    for (std::size_t begin = 0; begin < size; begin += piece) {
        const std::size_t end = size - begin < piece ? size : begin + piece;
        interrupts.look(end - begin);
        work(begin, end);
    }
}

// An order that looks for an interrupt as it compares: for sorting what takes long.
template <typename Before>
auto interruptible(InterruptCheck &interrupts, const Before &before) {
    return [&interrupts, before](const auto &x, const auto &y) {
        interrupts.look(1);
        return before(x, y);
    };
}

}  // namespace segmetry
