// How often each item is drawn in each resample of a bootstrap, from the outputs of the Mersenne Twister MT19937.
//
// With n items, resample r draws the items floor(u * n / 2^32) for the n outputs u that follow those of resample r - 1.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checks.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

constexpr std::int64_t kWords = 624, kAhead = 397;
constexpr std::int64_t kAtOnce = 8;  // resamples: a cache line of the result

using State = nb::ndarray<std::uint32_t, nb::shape<kWords>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::uint32_t twisted(std::uint32_t high, std::uint32_t low, std::uint32_t ahead) {
    const std::uint32_t joined = (high & 0x80000000u) | (low & 0x7fffffffu);
    return ahead ^ (joined >> 1) ^ ((~(joined & 1u) + 1u) & 0x9908b0dfu);
}

void twist(std::uint32_t *state) {
    std::int64_t i = 0;
    for (; i < kWords - kAhead; ++i) {
        state[i] = twisted(state[i], state[i + 1], state[i + kAhead]);
    }
    for (; i < kWords - 1; ++i) {
        state[i] = twisted(state[i], state[i + 1], state[i + kAhead - kWords]);
    }
    state[i] = twisted(state[i], state[0], state[kAhead - 1]);
}

std::uint32_t tempered(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

// Draws n items and counts them; returns how many words of the state are used.
std::int64_t draw(std::uint32_t *state, std::int64_t used, std::uint32_t *counts, std::int64_t n) {
    std::uint32_t items[kWords];
    for (std::int64_t left = n; left > 0;) {
        if (used == kWords) {
            twist(state);
            used = 0;
        }
        const std::int64_t some = std::min(left, kWords - used);
        for (std::int64_t i = 0; i < some; ++i) {
            items[i] = static_cast<std::uint32_t>(
                (std::uint64_t{tempered(state[used + i])} * static_cast<std::uint64_t>(n)) >> 32);
        }
        for (std::int64_t i = 0; i < some; ++i) {
            ++counts[items[i]];
        }
        used += some;
        left -= some;
    }
    return used;
}

std::int64_t count_draws(State state, std::int64_t used, Counts out) {
    const std::int64_t n = static_cast<std::int64_t>(out.shape(0)), samples = static_cast<std::int64_t>(out.shape(1));
    check(used >= 0 && used <= kWords, "used must be from 0 to 624");
    check(n <= std::int64_t{1} << 32, "there must be at most 2^32 items");
    std::uint32_t *const words = state.data();
    double *const target = out.data();
    nb::gil_scoped_release release;
    std::vector<std::uint32_t> counts(kAtOnce * n);
    InterruptCheck interrupts;
    for (std::int64_t first = 0; first < samples; first += kAtOnce) {
        const std::int64_t some = std::min(kAtOnce, samples - first);
        std::fill(counts.begin(), counts.end(), 0u);
        for (std::int64_t s = 0; s < some; ++s) {
            interrupts.look(n);
            used = draw(words, used, counts.data() + s * n, n);
        }
        for (std::int64_t item = 0; item < n; ++item) {
            for (std::int64_t s = 0; s < some; ++s) {
                target[item * samples + first + s] = counts[s * n + item];
            }
        }
    }
    return used;
}

}  // namespace

}  // namespace segmetry

void register_draws(nb::module_ &m) {
    m.def("count_draws", &segmetry::count_draws, nb::arg("state").noconvert(), nb::arg("used"),
          nb::arg("out").noconvert());
}
