#include "joint_cells.hpp"

namespace segmetry {

FindCells find_cells_for([[maybe_unused]] int width_a, [[maybe_unused]] int width_b,
                         [[maybe_unused]] bool several_tables, [[maybe_unused]] int widest_vectors) {
#if defined(SEGMETRY_AVX512)
    static const bool avx512 = has_avx512();
    if (avx512 && widest_vectors >= 64) {
        return find_cells_avx512_for(width_a, width_b, several_tables);
    }
#endif
    return nullptr;
}

}  // namespace segmetry
