#include "radix_sort.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace segmetry {

namespace {

constexpr std::size_t kInsertion = 24;
constexpr std::size_t kCached = 16384;  // keys and spare together fit into a second-level cache of 256 KiB
constexpr int kFieldBits = 9;           // more places to write to than this leave the first-level cache
constexpr int kWideFieldBits = 11;      // still worth it if it saves a pass over keys in the second-level cache
constexpr std::size_t kWideFrom = 1024;
constexpr int kSpreadBits = 5;  // of n keys spread evenly over 2^(5 + bits of n) places, few share a place

std::uint64_t field(std::uint64_t key, int low, int count) { return key >> low & ((std::uint64_t{1} << count) - 1); }

void insertion_sort(std::uint64_t *keys, std::size_t n, int low) {
    for (std::size_t i = 1; i < n; ++i) {
        const std::uint64_t key = keys[i];
        std::size_t j = i;
        for (; j > 0 && keys[j - 1] >> low > key >> low; --j) {
            keys[j] = keys[j - 1];
        }
        keys[j] = key;
    }
}

// Move keys to `target`, ordered by one field. `next` counts how many keys have each value; it is used up.
void scatter(const std::uint64_t *keys, std::uint64_t *target, std::size_t n, int low, int count, std::uint32_t *next) {
    std::uint32_t sum = 0;
    for (std::size_t value = 0; value < std::size_t{1} << count; ++value) {
        sum += std::exchange(next[value], sum);
    }
    for (std::size_t i = 0; i < n; ++i) {
        target[next[field(keys[i], low, count)]++] = keys[i];
    }
}

// The same for targets beyond the caches: each part's next line is prefetched before the current one is full, since
// hardware does not predict hundreds of streams.
template <typename InPieces>
void scatter_far(const std::uint64_t *keys, std::uint64_t *target, std::size_t n, int low, int count,
                 std::uint32_t *next, const InPieces &in_pieces_of) {
    constexpr std::size_t line = 8;
    std::uint32_t sum = 0;
    for (std::size_t value = 0; value < std::size_t{1} << count; ++value) {
        sum += std::exchange(next[value], sum);
    }
    in_pieces_of(n, [=](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t place = next[field(keys[i], low, count)]++;
            prefetch_to_write(target + std::min(place + line, n));
            target[place] = keys[i];
        }
    });
}

using Counters = std::array<std::uint32_t, std::size_t{1} << kWideFieldBits>;

// How often does each value of each field occur? The number of fields is known when compiling, or the loop is slow.
template <int Fields>
void count_fields(const std::uint64_t *keys, std::size_t n, int low, int width, std::uint64_t mask, Counters *next) {
    const std::uint64_t field_mask = (std::uint64_t{1} << width) - 1;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t bits = (keys[i] & mask) >> low;
        for (int f = 0; f < Fields; ++f) {
            ++next[f][bits >> (f * width) & field_mask];
        }
    }
}

// Least significant field first; for keys that stay in the second-level cache. Returns where the result is: `keys` or
// `spare`.
std::uint64_t *sort_fields(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int low, int high) {
    const int widest = n < kWideFrom ? kFieldBits : kWideFieldBits;
    const int fields = (high - low + widest - 1) / widest;
    const int width = fields == 0 ? 0 : (high - low + fields - 1) / fields;
    Counters next[(64 + kFieldBits - 1) / kFieldBits];
    for (int f = 0; f < fields; ++f) {
        std::fill_n(next[f].data(), std::size_t{1} << width, 0);
    }
    const std::uint64_t mask = high == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1;
    switch (fields) {
        case 1: count_fields<1>(keys, n, low, width, mask, next); break;
        case 2: count_fields<2>(keys, n, low, width, mask, next); break;
        case 3: count_fields<3>(keys, n, low, width, mask, next); break;
        default:
            for (int f = 0; f < fields; ++f) {
                count_fields<1>(keys, n, low + f * width, width, mask, next + f);
            }
    }
    for (int f = 0; f < fields; ++f) {
        const int at = low + width * f;
        const int count = std::min(width, high - at);
        if (next[f][field(keys[0], at, count)] == n) {
            continue;  // all equal here
        }
        scatter(keys, spare, n, at, count, next[f].data());
        std::swap(keys, spare);
    }
    return keys;
}

// Move keys that are nearly in order to `target`, which may be `keys`, in order. Gives up where they are not; then
// `keys` still contains all of them.
bool insert_nearly_sorted(const std::uint64_t *keys, std::uint64_t *target, std::size_t n, int low) {
    std::size_t moves_left = n;
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = keys[i];
        std::size_t place = i;
        if (key >> low < largest >> low) {
            do {
                target[place] = target[place - 1];
            } while (--place > 0 && target[place - 1] >> low > key >> low);
            target[place] = key;
            if (i - place > moves_left) {
                return false;
            }
            moves_left -= i - place;
        } else {
            target[place] = largest = key;
        }
    }
    return true;
}

class PartSorter {
  public:
    PartSorter(std::size_t n, int low, InterruptCheck *interrupts)
        : near_(std::min(n, kCached)), low_(low), interrupts_(interrupts) {}

    // The result is in `keys` or, if `into_spare`, in `spare`.
    void sort(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int high, bool into_spare) {
        if (n <= kInsertion) {
            insertion_sort(keys, n, low_);
            if (into_spare) {
                std::copy_n(keys, n, spare);
            }
            return;
        }
        if (interrupts_ != nullptr) {
            interrupts_->look(n);
        }
        std::uint64_t *const wanted = into_spare ? spare : keys;
        if (n <= kCached) {
            return sort_cached(keys, near_.data(), n, high, wanted);
        }
        if (high - low_ <= kFieldBits) {
            return sort_cached(keys, spare, n, high, wanted);
        }
        // Most significant field first until the parts fit into the cache.
        const int count = std::min(high - low_, std::clamp(bits_of(n) - 10, 6, kFieldBits));
        const int at = high - count;
        std::vector<std::uint32_t> next(std::size_t{1} << count);
        const auto in_pieces_of = [this](std::size_t size, const auto &work) {
            interrupts_ != nullptr ? in_pieces(size, *interrupts_, work) : work(0, size);
        };
        in_pieces_of(n, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                ++next[field(keys[i], at, count)];
            }
        });
        if (next[field(keys[0], at, count)] == n) {
            return sort(keys, spare, n, at, into_spare);
        }
        scatter_far(keys, spare, n, at, count, next.data(), in_pieces_of);
        std::size_t begin = 0;
        for (const std::uint32_t end : next) {  // scatter left the end of every part
            sort(spare + begin, keys + begin, end - begin, at, !into_spare);
            begin = end;
        }
    }

  private:
    // `near` has room for n keys. The result is written to `wanted`, which may be `keys` or `near`; both are used up.
    void sort_cached(std::uint64_t *keys, std::uint64_t *near, std::size_t n, int high, std::uint64_t *wanted) {
        // Keys that are spread out differ in the highest bits already, most of them; the few others are put right at
        // the end, which costs less than passes over the lower bits. Where that fails it is tried for few parts only.
        const int telling = bits_of(n) + kSpreadBits;
        std::uint64_t *sorted = keys;
        if (high - low_ > telling && crowded_ * 8 <= tried_++) {
            sorted = sort_fields(keys, near, n, high - telling, high);
            if (insert_nearly_sorted(sorted, wanted, n, low_)) {
                return;
            }
            ++crowded_;
        }
        sorted = sort_fields(sorted, sorted == keys ? near : keys, n, low_, high);
        if (sorted != wanted) {
            std::memcpy(wanted, sorted, n * sizeof(std::uint64_t));
        }
    }

    // Parts go back and forth between their place and this, which stays in the cache; their place in the other large
    // buffer has left it, so it is written only once, from front to back.
    std::vector<std::uint64_t> near_;
    int low_;
    InterruptCheck *interrupts_;  // null where nobody waits for long
    std::size_t tried_ = 0;       // parts that could be sorted by their distinguishing bits
    std::size_t crowded_ = 0;     // those of them that could not be put right then
};

}  // namespace

void radix_sort(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int low, int high) {
    PartSorter(n, low, nullptr).sort(keys, spare, n, high, false);
}

void radix_sort(std::uint64_t *keys, std::uint64_t *spare, std::size_t n, int low, int high,
                InterruptCheck &interrupts) {
    PartSorter(n, low, &interrupts).sort(keys, spare, n, high, false);
}

}  // namespace segmetry
