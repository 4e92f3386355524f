#include "interrupts.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace nb = nanobind;

namespace segmetry {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

// Python's numbers of threads.
std::atomic<std::uint64_t> main_thread{0};
std::atomic<bool> any_stopped{false};
std::mutex stopped_mutex;
std::vector<std::uint64_t> stopped_threads;

std::uint64_t this_thread() { return static_cast<std::uint64_t>(PyThread_get_thread_ident()); }

bool is_stopped(std::uint64_t thread) {
    if (!any_stopped.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::lock_guard<std::mutex> lock(stopped_mutex);
    return std::find(stopped_threads.begin(), stopped_threads.end(), thread) != stopped_threads.end();
}

void stop_threads(const std::vector<std::uint64_t> &threads, bool stop) {
    const std::lock_guard<std::mutex> lock(stopped_mutex);
    for (const std::uint64_t thread : threads) {
        stopped_threads.erase(std::remove(stopped_threads.begin(), stopped_threads.end(), thread),
                              stopped_threads.end());
        if (stop) {
            stopped_threads.push_back(thread);
        }
    }
    any_stopped.store(!stopped_threads.empty(), std::memory_order_relaxed);
}

void raise_in_python(const std::exception_ptr &thrown, void *) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Interrupted &) {
        if (PyErr_Occurred() == nullptr) {  // else the handler of the signal has raised something
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    }
}

}  // namespace

void InterruptCheck::look_now() {
    done_ = 0;
    if (stopped_ != nullptr) {
        if (stopped_->load(std::memory_order_relaxed)) {
            throw Interrupted{};
        }
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kBetweenLooks) {
        return;
    }
    last_ = now;
    const std::uint64_t thread = this_thread();
    if (thread != main_thread.load(std::memory_order_relaxed)) {
        if (is_stopped(thread)) {
            throw Interrupted{};
        }
        return;
    }
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) {
        throw Interrupted{};
    }
}

}  // namespace segmetry

void register_interrupts(nb::module_ &m) {
    const nb::object main = nb::module_::import_("threading").attr("main_thread")().attr("ident");
    segmetry::main_thread = nb::cast<std::uint64_t>(main);
    nb::register_exception_translator(segmetry::raise_in_python);
    m.def("stop_threads", &segmetry::stop_threads, nb::arg("threads"), nb::arg("stop"),
          "Interrupt the kernels that run in these threads of Python, now or later, or let them run again.");
}
