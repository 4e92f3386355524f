// How often each item is drawn in each resample of a bootstrap, from the outputs of the Mersenne Twister MT19937.
//
// With n items, resample r draws the items floor(u * n / 2^32) for the n outputs u that follow those of resample r - 1.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nb = nanobind;

namespace segmetry {
namespace {

constexpr int64_t WORDS = 624, AHEAD = 397;
constexpr int64_t AT_ONCE = 8;  // resamples: a cache line of the result

using State = nb::ndarray<uint32_t, nb::shape<WORDS>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

uint32_t twisted(uint32_t high, uint32_t low, uint32_t ahead) {
    const uint32_t joined = (high & 0x80000000u) | (low & 0x7fffffffu);
    return ahead ^ (joined >> 1) ^ ((~(joined & 1u) + 1u) & 0x9908b0dfu);
}

void twist(uint32_t *state) {
    int64_t i = 0;
    for (; i < WORDS - AHEAD; ++i)
        state[i] = twisted(state[i], state[i + 1], state[i + AHEAD]);
    for (; i < WORDS - 1; ++i)
        state[i] = twisted(state[i], state[i + 1], state[i + AHEAD - WORDS]);
    state[i] = twisted(state[i], state[0], state[AHEAD - 1]);
}

uint32_t tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

// Draws n items and counts them; gives back how many words of the state are used.
int64_t draw(uint32_t *state, int64_t used, uint32_t *counts, int64_t n) {
    uint32_t items[WORDS];
    for (int64_t left = n; left > 0;) {
        if (used == WORDS) {
            twist(state);
            used = 0;
        }
        const int64_t some = std::min(left, WORDS - used);
        for (int64_t i = 0; i < some; ++i)
            items[i] = static_cast<uint32_t>((uint64_t{tempered(state[used + i])} * static_cast<uint64_t>(n)) >> 32);
        for (int64_t i = 0; i < some; ++i)
            ++counts[items[i]];
        used += some;
        left -= some;
    }
    return used;
}

int64_t count_draws(State state, int64_t used, Counts out) {
    const int64_t n = static_cast<int64_t>(out.shape(0)), samples = static_cast<int64_t>(out.shape(1));
    uint32_t *const words = state.data();
    double *const target = out.data();
    nb::gil_scoped_release release;
    std::vector<uint32_t> counts(AT_ONCE * n);
    for (int64_t first = 0; first < samples; first += AT_ONCE) {
        const int64_t some = std::min(AT_ONCE, samples - first);
        std::fill(counts.begin(), counts.end(), 0u);
        for (int64_t s = 0; s < some; ++s)
            used = draw(words, used, counts.data() + s * n, n);
        for (int64_t item = 0; item < n; ++item)
            for (int64_t s = 0; s < some; ++s)
                target[item * samples + first + s] = counts[s * n + item];
    }
    return used;
}

}  // namespace
}  // namespace segmetry

void register_draws(nb::module_ &m) {
    m.def("count_draws", &segmetry::count_draws, nb::arg("state").noconvert(), nb::arg("used"),
          nb::arg("out").noconvert());
}
