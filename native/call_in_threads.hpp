// Work that is divided among threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "interrupts.hpp"

namespace segmetry {

// Calls work(0, …) … work(count - 1, …), each in a thread of its own where the system provides one; rethrows the first
// failure. The calling thread looks for interrupts, also while it waits for the others, and stops them.
template <typename Work>
void call_in_threads(std::size_t count, const Work &work) {
    std::vector<std::exception_ptr> failures(count);
    std::atomic<bool> stopped{false};
    std::mutex mutex;
    std::condition_variable one_has_ended;
    std::size_t running = 0;
    const auto guarded = [&](std::size_t i, InterruptCheck interrupts) noexcept {
        try {
            work(i, interrupts);
        } catch (...) {
            failures[i] = std::current_exception();
            stopped = true;
        }
    };
    std::vector<std::thread> started;
    started.reserve(count);
    for (std::size_t i = 1; i < count; ++i) {
        try {
            started.emplace_back([&, i] {
                guarded(i, InterruptCheck(stopped));
                const std::lock_guard<std::mutex> lock(mutex);
                --running;
                one_has_ended.notify_one();
            });
            const std::lock_guard<std::mutex> lock(mutex);
            ++running;
        } catch (const std::system_error &) {
            guarded(i, InterruptCheck());
        }
    }
    guarded(0, InterruptCheck());
    try {
        InterruptCheck interrupts;
        std::unique_lock<std::mutex> lock(mutex);
        while (running != 0 && !stopped) {
            one_has_ended.wait_for(lock, std::chrono::milliseconds(50));
            lock.unlock();
            interrupts.look_now();
            lock.lock();
        }
    } catch (...) {
        failures[0] = std::current_exception();
        stopped = true;
    }
    for (std::thread &thread : started) {
        thread.join();
    }
    for (const std::exception_ptr &failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

}  // namespace segmetry
