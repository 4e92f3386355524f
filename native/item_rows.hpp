// The counted label pairs of many items, one after the other: counted by threads that share one counter of items, in any
// order, and packed in the order of the items, so that the result does not depend on the number of threads.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "call_in_threads.hpp"
#include "pairs_table.hpp"

namespace segmetry {

// Where the rows of an item are among those that a thread counted.
struct ItemPlace {
    std::size_t thread, first, size;
};

struct ItemRows {
    std::vector<std::vector<PairCount>> of_threads;
    std::vector<ItemPlace> places;

    // (starts, true labels, pred labels, counts); the rows of item i are starts[i] : starts[i + 1].
    nb::tuple columns() const {
        std::size_t total = 0;
        for (const ItemPlace &place : places) {
            total += place.size;
        }
        NewArray<std::int64_t> starts(places.size() + 1), first(total), second(total), counts(total);
        std::size_t at = 0;
        starts.data[0] = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const ItemPlace &place = places[i];
            for (std::size_t r = place.first; r < place.first + place.size; ++r, ++at) {
                const PairCount &row = of_threads[place.thread][r];
                first.data[at] = static_cast<std::int64_t>(row.a);
                second.data[at] = static_cast<std::int64_t>(row.b);
                counts.data[at] = row.count;
            }
            starts.data[i + 1] = static_cast<std::int64_t>(at);
        }
        return nb::make_tuple(starts.array, first.array, second.array, counts.array);
    }
};

// `make_counter()` is called once in each thread; counter(item, rows, interrupts) appends the rows of an item, sorted, or
// none for one that it leaves to others. A thread takes `step` items at a time. Called without the interpreter lock.
template <typename MakeCounter>
ItemRows count_items(std::size_t n, std::size_t threads, std::size_t step, const MakeCounter &make_counter) {
    ItemRows result;
    threads = std::clamp<std::size_t>(n / step, 1, threads);
    result.of_threads.resize(threads);
    result.places.resize(n);
    std::atomic<std::size_t> next{0};
    call_in_threads(threads, [&](std::size_t thread, InterruptCheck &interrupts) {
        std::vector<PairCount> &rows = result.of_threads[thread];
        auto counter = make_counter();
        for (std::size_t begin; (begin = next.fetch_add(step)) < n;) {
            for (std::size_t i = begin; i < std::min(n, begin + step); ++i) {
                const std::size_t first = rows.size();
                counter(i, rows, interrupts);
                result.places[i] = ItemPlace{thread, first, rows.size() - first};
            }
        }
    });
    return result;
}

}  // namespace segmetry
