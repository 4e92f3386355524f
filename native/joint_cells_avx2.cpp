// The search for joint stretches and their cells with vectors of 32 bytes, chosen at run time.
#include "joint_cells_by.hpp"
#include "joint_vectors_avx2.hpp"

#if defined(SEGMETRY_AVX2)

namespace segmetry {

namespace {

// Two elements of the box have the same cell only if both of their labels are equal. So ends are found by comparing cells,
// which is half the work of comparing labels and correct if all labels are in the box: their bits are collected.
template <int Width>
class Cells {
  public:
    SEGMETRY_TARGET_AVX2 explicit Cells(const CellBox &box)
        : added_a_(all(0 - box.first[0])),
          added_b_(all(0 - box.first[1])),
          bits_a_(_mm256_setzero_si256()),
          bits_b_(_mm256_setzero_si256()),
          shift_a_(_mm_cvtsi32_si128(box.bits[0])),
          shift_b_(_mm_cvtsi32_si128(box.bits[1])) {
        static const std::ptrdiff_t distance = prefetch_distance();
        distance_ = distance;
    }

    void fetch(const char *a, const char *b) const {
        if (distance_ != 0) {
            fetch_ahead<64 * Width>(a, distance_);
            fetch_ahead<64 * Width>(b, distance_);
        }
    }

    SEGMETRY_TARGET_AVX2 void find64(const char *a, const char *b, std::size_t place, std::uint64_t wanted,
                                     FoundCells &found, std::size_t &size) {
        __m256i cells[9];
        for (int v = 0; v < 8; ++v) {
            cells[v] = of_eight(a + 8 * v * Width, b + 8 * v * Width);
        }
        cells[8] = joined(all(label_at<Width>(a, 64)), all(label_at<Width>(b, 64)));
        alignas(32) std::uint32_t numbers[72];
        for (int v = 0; v < 9; ++v) {
            _mm256_store_si256(reinterpret_cast<__m256i *>(numbers + 8 * v), cells[v]);
        }
        const std::uint64_t low = equal_to_next(cells), high = equal_to_next(cells + 4);
        write(place, ~(low | high << 32) & wanted, numbers, found, size);
    }

    SEGMETRY_TARGET_AVX2 bool all_inside() const {
        __m256i beyond;
        if constexpr (Width == 4) {
            beyond = _mm256_or_si256(_mm256_srl_epi32(bits_a_, shift_a_), _mm256_srl_epi32(bits_b_, shift_b_));
        } else {
            beyond = _mm256_or_si256(_mm256_srl_epi64(bits_a_, shift_a_), _mm256_srl_epi64(bits_b_, shift_b_));
        }
        return _mm256_testz_si256(beyond, beyond) != 0;
    }

  private:
    SEGMETRY_TARGET_AVX2 static __m256i all(std::uint64_t label) {
        return Width == 4 ? _mm256_set1_epi32(static_cast<int>(label))
                          : _mm256_set1_epi64x(static_cast<long long>(label));
    }

    SEGMETRY_TARGET_AVX2 static __m256i vector_at(const char *at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(at));
    }

    // Cells as wide as labels.
    SEGMETRY_TARGET_AVX2 __m256i joined(__m256i a, __m256i b) {
        if constexpr (Width == 4) {
            const __m256i cell_a = _mm256_add_epi32(added_a_, a), cell_b = _mm256_add_epi32(added_b_, b);
            collect(cell_a, cell_b);
            return _mm256_or_si256(_mm256_sll_epi32(cell_a, shift_b_), cell_b);
        } else {
            const __m256i cell_a = _mm256_add_epi64(added_a_, a), cell_b = _mm256_add_epi64(added_b_, b);
            collect(cell_a, cell_b);
            return _mm256_or_si256(_mm256_sll_epi64(cell_a, shift_b_), cell_b);
        }
    }

    SEGMETRY_TARGET_AVX2 void collect(__m256i cell_a, __m256i cell_b) {
        bits_a_ = _mm256_or_si256(bits_a_, cell_a);
        bits_b_ = _mm256_or_si256(bits_b_, cell_b);
    }

    SEGMETRY_TARGET_AVX2 __m256i of_eight(const char *a, const char *b) {
        if constexpr (Width == 4) {
            return joined(vector_at(a), vector_at(b));
        } else {
            const __m256 low = _mm256_castsi256_ps(joined(vector_at(a), vector_at(b)));
            const __m256 high = _mm256_castsi256_ps(joined(vector_at(a + 32), vector_at(b + 32)));
            return _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88)), 0xD8);
        }
    }

    // One bit for each cell of four vectors; the fifth begins with the one after them.
    SEGMETRY_TARGET_AVX2 static std::uint32_t equal_to_next(const __m256i *cells) {
        __m256i equal[4];
        for (int v = 0; v < 4; ++v) {
            const __m256i middle = _mm256_permute2x128_si256(cells[v], cells[v + 1], 0x21);
            equal[v] = _mm256_cmpeq_epi32(cells[v], _mm256_alignr_epi8(middle, cells[v], 4));
        }
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(one_byte_each<4>(equal)));
    }

    // Six stretches are written in any case: in most volumes there are not more, and a branch for each would be mispredicted.
    // The place of a bit that is not there is 64.
    SEGMETRY_TARGET_AVX2 static void write(std::size_t place, std::uint64_t mask, const std::uint32_t *numbers,
                                           FoundCells &found, std::size_t &size) {
        constexpr std::size_t always = 6, together = 4;
        const auto count = static_cast<std::size_t>(_mm_popcnt_u64(mask));
        std::uint32_t *const ends = found.ends + size, *const cells = found.cells + size;
        const auto first = static_cast<std::uint32_t>(place);
        for (std::size_t k = 0; k < always; ++k, mask = _blsr_u64(mask)) {
            const auto bit = static_cast<std::uint32_t>(_tzcnt_u64(mask));
            ends[k] = first + bit;
            cells[k] = numbers[bit];
        }
        for (std::size_t written = always; written < count; written += together) {
            for (std::size_t k = written; k < written + together; ++k, mask = _blsr_u64(mask)) {
                const auto bit = static_cast<std::uint32_t>(_tzcnt_u64(mask));
                ends[k] = first + bit;
                cells[k] = numbers[bit];
            }
        }
        size += count;
    }

    __m256i added_a_, added_b_;
    __m256i bits_a_, bits_b_;
    __m128i shift_a_, shift_b_;
    std::ptrdiff_t distance_;
};

// The ends of a piece by its labels. Its last element is taken for one: a stretch cut in two is counted as before.
template <int Width>
std::size_t find_ends_again(const char *a, const char *b, std::size_t begin, std::size_t end, std::uint32_t *ends) {
    static const FindEnds find_ends = find_ends_avx2_for(Width, Width);
    const std::size_t size = find_ends(a + begin * Width, b + begin * Width, end - begin, ends);
    for (std::size_t k = 0; k < size; ++k) {
        ends[k] += static_cast<std::uint32_t>(begin);
    }
    return size;
}

template <int Width, std::size_t Tables>
SEGMETRY_TARGET_AVX2 void find_cells(const char *a, const char *b, std::size_t begin, std::size_t end, bool last,
                                     const CellBox &box, const FoundCells &before, const CountTables &tables,
                                     FoundCells &found) {
    find_cells_by<Cells<Width>, Width, Tables>(a, b, begin, end, last, box, before, tables, found);
    if (!found.inside) {
        found.close(find_ends_again<Width>(a, b, begin, end, found.ends));
    }
}

}  // namespace

FindCells find_cells_avx2_for(int width_a, int width_b, bool several_tables) {
    return for_wide_labels(width_a, width_b, several_tables, [](auto width, auto tables) -> FindCells {
        return find_cells<decltype(width)::value, decltype(tables)::value>;
    });
}

}  // namespace segmetry

#endif
