// The search for joint stretches and their cells with vectors of 64 bytes, chosen at run time.
#include "joint_cells_by.hpp"
#include "joint_vectors_avx512.hpp"

#if defined(SEGMETRY_AVX512)

namespace segmetry {

namespace {

// So far ahead, in bytes, memory is fetched. The distances differ on purpose: with equal ones the scan took up to half as
// long again where the two arrays lie a few pages apart modulo a large power of two, perhaps as requests that move on in
// step go to the same banks of memory. Measured on one machine (Zen 4).
constexpr std::ptrdiff_t kAhead = 4096, kFurtherAhead = 6144;

// Cells of elements of both arrays; the bits of all labels are collected, to see if one is not in the box.
template <int Width>
class Cells {
  public:
    SEGMETRY_TARGET_AVX512 explicit Cells(const CellBox &box)
        : first_a_(all(box.first[0])),
          first_b_(all(box.first[1])),
          shift_a_(_mm_cvtsi32_si128(box.bits[0])),
          shift_b_(_mm_cvtsi32_si128(box.bits[1])),
          bits_a_(_mm512_setzero_si512()),
          bits_b_(_mm512_setzero_si512()) {}

    static void fetch(const char *a, const char *b) {
        fetch_ahead<64 * Width>(a, kAhead);
        fetch_ahead<64 * Width>(b, kFurtherAhead);
    }

    SEGMETRY_TARGET_AVX512 void find64(const char *a, const char *b, std::size_t place, std::uint64_t wanted,
                                       FoundCells &found, std::size_t &size) {
        const Neighbours<Width> first(a), second(b);
        std::uint64_t mask = 0;
        std::size_t written = size;
        for (int v = 0; v < Width; ++v) {
            const __m512i changed = _mm512_or_si512(first.difference(v), second.difference(v));
            const std::uint64_t ends = elements_set<Width>(changed) & wanted >> (64 / Width * v);
            mask |= ends << (64 / Width * v);
            written += write(first.here[v], second.here[v], ends, found.cells + written);
        }
        size += write_places(place, mask, found.ends + size);
    }

    SEGMETRY_TARGET_AVX512 bool all_inside() const {
        __m512i beyond;
        if constexpr (Width == 4) {
            beyond = _mm512_or_si512(_mm512_srl_epi32(bits_a_, shift_a_), _mm512_srl_epi32(bits_b_, shift_b_));
        } else {
            beyond = _mm512_or_si512(_mm512_srl_epi64(bits_a_, shift_a_), _mm512_srl_epi64(bits_b_, shift_b_));
        }
        return _mm512_test_epi32_mask(beyond, beyond) == 0;
    }

  private:
    // Writes the cells of the elements in `mask`, and perhaps more numbers; returns how many they are.
    SEGMETRY_TARGET_AVX512 std::size_t write(__m512i a, __m512i b, std::uint64_t mask, std::uint32_t *target) {
        if constexpr (Width == 4) {
            const __m512i cell_a = _mm512_sub_epi32(a, first_a_), cell_b = _mm512_sub_epi32(b, first_b_);
            collect(cell_a, cell_b);
            const __m512i cells = _mm512_or_si512(_mm512_sll_epi32(cell_a, shift_b_), cell_b);
            _mm512_storeu_si512(target, _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), cells));
        } else {
            const __m512i cell_a = _mm512_sub_epi64(a, first_a_), cell_b = _mm512_sub_epi64(b, first_b_);
            collect(cell_a, cell_b);
            const __m512i cells = _mm512_or_si512(_mm512_sll_epi64(cell_a, shift_b_), cell_b);
            const __m512i packed = _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), cells);
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(target), _mm512_cvtepi64_epi32(packed));
        }
        return static_cast<std::size_t>(_mm_popcnt_u64(mask));
    }

    SEGMETRY_TARGET_AVX512 static __m512i all(std::uint64_t label) {
        return Width == 4 ? _mm512_set1_epi32(static_cast<int>(label))
                          : _mm512_set1_epi64(static_cast<long long>(label));
    }

    SEGMETRY_TARGET_AVX512 void collect(__m512i cell_a, __m512i cell_b) {
        bits_a_ = _mm512_or_si512(bits_a_, cell_a);
        bits_b_ = _mm512_or_si512(bits_b_, cell_b);
    }

    __m512i first_a_, first_b_;
    __m128i shift_a_, shift_b_;
    __m512i bits_a_, bits_b_;
};

template <int Width, std::size_t Tables>
SEGMETRY_TARGET_AVX512 void find_cells(const char *a, const char *b, std::size_t begin, std::size_t end, bool last,
                                       const CellBox &box, const FoundCells &before, const CountTables &tables,
                                       FoundCells &found) {
    find_cells_by<Cells<Width>, Width, Tables>(a, b, begin, end, last, box, before, tables, found);
}

}  // namespace

FindCells find_cells_avx512_for(int width_a, int width_b, bool several_tables) {
    return for_wide_labels(width_a, width_b, several_tables, [](auto width, auto tables) -> FindCells {
        return find_cells<decltype(width)::value, decltype(tables)::value>;
    });
}

}  // namespace segmetry

#endif
