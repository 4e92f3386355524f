#include "joint_cells.hpp"

namespace segmetry {

CellSearch cell_search_for([[maybe_unused]] int width_a, [[maybe_unused]] int width_b,
                           [[maybe_unused]] bool several_tables, [[maybe_unused]] int widest_vectors) {
#if defined(SEGMETRY_AVX512)
    static const bool avx512 = has_avx512();
    if (avx512 && widest_vectors >= 64) {
        return {find_cells_avx512_for(width_a, width_b, several_tables), 1, false};
    }
#endif
#if defined(SEGMETRY_AVX2)
    // Vectors of 32 bytes cannot be compressed: many short stretches take longer to write than counting meanwhile saves.
    // Pieces with a label outside of the box are searched twice.
    constexpr std::size_t shortest = 11;
    static const bool avx2 = has_avx2();
    if (avx2 && widest_vectors >= 32) {
        return {find_cells_avx2_for(width_a, width_b, several_tables), shortest, true};
    }
#endif
    return {};
}

}  // namespace segmetry
