// FindCells by vectors of any kind.
#pragma once

#include <algorithm>
#include <type_traits>

#include "joint_cells.hpp"

namespace segmetry {

// The last 64 elements of all, or fewer, from number `begin` on, by stepping back to 64 and one more; the last of them ends a
// stretch. False if that one is not in the box.
template <int Width, typename Cells>
SEGMETRY_INLINE bool find_last(const char *a, const char *b, std::size_t begin, std::size_t end, Cells &cells,
                               const CellBox &box, FoundCells &found, std::size_t &size) {
    const std::size_t back = end - 65, last = end - 1;
    if (begin < last) {
        cells.find64(a + back * Width, b + back * Width, back, ~std::uint64_t{0} << (begin - back), found, size);
    }
    using Label = LabelOfWidth<Width>;
    const std::uint64_t cell_a = static_cast<Label>(label_at<Width>(a, last) - static_cast<Label>(box.first[0]));
    const std::uint64_t cell_b = static_cast<Label>(label_at<Width>(b, last) - static_cast<Label>(box.first[1]));
    found.ends[size] = static_cast<std::uint32_t>(last);
    found.cells[size++] = static_cast<std::uint32_t>(cell_a << box.bits[1] | cell_b);
    return cell_a >> box.bits[0] == 0 && cell_b >> box.bits[1] == 0;
}

// `Cells(box).find64(a, b, place, wanted, found, size)` appends the stretches that end among 64 elements, where `wanted` has
// a bit; the first of them is number `place`, and one more is read. `all_inside()` tells of all those elements, and
// `fetch(a, b)` fetches memory ahead of them.
template <typename Cells, int Width, std::size_t Tables>
SEGMETRY_INLINE void find_cells_by(const char *a, const char *b, std::size_t begin, std::size_t end, bool last,
                                   const CellBox &box, const FoundCells &before, const CountTables &all_tables,
                                   FoundCells &found) {
    Cells cells(box);
    const std::size_t steps = (end - begin + 63) / 64, pending = before.size, share = (pending + steps - 1) / steps;
    const std::size_t whole = last ? (end - begin - 1) / 64 : steps;  // 64 elements and one more
    const CountTables tables = all_tables;  // a copy: stores of vectors might change the original
    std::uint32_t start = before.start;
    std::size_t i = begin, size = 0, added = 0;
    for (const std::size_t stop = begin + 64 * whole; i < stop; i += 64) {
        cells.fetch(a + i * Width, b + i * Width);
        cells.find64(a + i * Width, b + i * Width, i, ~std::uint64_t{0}, found, size);
        added = add_cells<Tables>(before, added, std::min(added + share, pending), start, tables);
    }
    const bool last_inside = !last || find_last<Width>(a, b, i, end, cells, box, found, size);
    add_cells<Tables>(before, added, pending, start, tables);
    found.start = begin == 0 ? 0 : before.next;
    found.inside = last_inside && cells.all_inside();
    found.close(size);
}

// Calls choose(width, tables) with constants, for two arrays of the same width of 4 or 8 bytes; null for others.
template <typename Choose>
inline FindCells for_wide_labels(int width_a, int width_b, bool several_tables, Choose choose) {
    using OneTable = std::integral_constant<std::size_t, 1>;
    using SeveralTables = std::integral_constant<std::size_t, kTables>;
    if (width_a != width_b || width_a < 4) {
        return nullptr;
    }
    if (width_a == 4) {
        constexpr std::integral_constant<int, 4> width{};
        return several_tables ? choose(width, SeveralTables{}) : choose(width, OneTable{});
    }
    constexpr std::integral_constant<int, 8> width{};
    return several_tables ? choose(width, SeveralTables{}) : choose(width, OneTable{});
}

}  // namespace segmetry
