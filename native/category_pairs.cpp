// Counts the pairs of (category, instance) of two int64 arrays whose last axis holds both: one record per joint stretch,
// in a hash table per item. Nothing is sorted but the rows of the result.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "hash_table.hpp"
#include "interrupts.hpp"

namespace nb = nanobind;

namespace segmetry {

namespace {

// Items, elements of an item, (category, instance).
using Categories = nb::ndarray<const std::int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// True category, true instance, pred category, pred instance.
using Key = std::array<std::int64_t, 4>;

struct KeyCount {
    Key key{};
    std::int64_t count = 0;

    bool is_free() const { return count == 0; }
    bool same_key(const KeyCount &other) const { return key == other.key; }
    std::uint64_t hash() const {
        const auto at = [this](int k) { return static_cast<std::uint64_t>(key[k]); };
        return hash_of(hash_of(at(0), at(1)), hash_of(at(2), at(3)));
    }
};

using KeyTable = HashTable<KeyCount, 10, 2>;

bool same_pair(const std::int64_t *a, const std::int64_t *b) { return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0; }

// The first element from `at` on whose pair differs from its left neighbour on either side, or `n`.
std::size_t stretch_end(const std::int64_t *first, const std::int64_t *second, std::size_t at, std::size_t n) {
    while (at < n && same_pair(first + 2 * at, first + 2 * at - 2) && same_pair(second + 2 * at, second + 2 * at - 2)) {
        ++at;
    }
    return at;
}

void count_item(const std::int64_t *first, const std::int64_t *second, std::size_t n, std::vector<KeyCount> &rows,
                InterruptCheck &interrupts) {
    KeyTable table;
    for (std::size_t start = 0, end; start < n; start = end) {
        end = stretch_end(first, second, start + 1, n);
        interrupts.look(end - start);
        const std::int64_t *const t = first + 2 * start, *const p = second + 2 * start;
        const KeyCount record{{t[0], t[1], p[0], p[1]}, static_cast<std::int64_t>(end - start)};
        table.update_or_insert(record.hash(), record, [&](KeyCount &known) { known.count += record.count; });
    }
    const auto begin = static_cast<std::ptrdiff_t>(rows.size());
    for (const KeyCount &entry : table.slots()) {
        if (!entry.is_free()) {
            rows.push_back(entry);
        }
    }
    std::sort(rows.begin() + begin, rows.end(), [](const KeyCount &a, const KeyCount &b) { return a.key < b.key; });
}

nb::tuple count_category_pairs(Categories true_pairs, Categories pred_pairs) {
    check_same_shape(true_pairs, pred_pairs, "true and pred must have one shape");
    check(true_pairs.shape(2) == 2, "the last axis must hold a category and an instance");
    const std::size_t items = true_pairs.shape(0), n = true_pairs.shape(1);
    std::vector<KeyCount> rows;
    std::vector<std::size_t> ends;
    {
        const nb::gil_scoped_release unlocked;
        InterruptCheck interrupts;
        for (std::size_t item = 0; item < items; ++item) {
            const std::size_t from = item * n * 2;
            count_item(true_pairs.data() + from, pred_pairs.data() + from, n, rows, interrupts);
            ends.push_back(rows.size());
        }
    }
    NewArray<std::int64_t> item_column(rows.size()), counts(rows.size());
    std::array<NewArray<std::int64_t>, 4> columns{
        NewArray<std::int64_t>(rows.size()), NewArray<std::int64_t>(rows.size()), NewArray<std::int64_t>(rows.size()),
        NewArray<std::int64_t>(rows.size())};
    std::size_t item = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        while (row >= ends[item]) {
            ++item;
        }
        item_column.data[row] = static_cast<std::int64_t>(item);
        counts.data[row] = rows[row].count;
        for (std::size_t k = 0; k < 4; ++k) {
            columns[k].data[row] = rows[row].key[k];
        }
    }
    return nb::make_tuple(item_column.array, columns[0].array, columns[1].array, columns[2].array, columns[3].array,
                          counts.array);
}

}  // namespace

}  // namespace segmetry

void register_category_pairs(nb::module_ &m) {
    m.def("count_category_pairs", &segmetry::count_category_pairs, nb::arg("true").noconvert(),
          nb::arg("pred").noconvert(),
          "Count the pairs of (category, instance) of two int64 arrays (items, elements, 2): item, true category, true "
          "instance, pred category, pred instance, count; sorted.");
}
