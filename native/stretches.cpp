#include "stretches.hpp"

namespace segmetry {

namespace {

template <int WidthA>
FindStretches choose_second(int width_b) {
    switch (width_b) {
        case 1: return find_stretches<WidthA, 1>;
        case 2: return find_stretches<WidthA, 2>;
        case 4: return find_stretches<WidthA, 4>;
        default: return find_stretches<WidthA, 8>;
    }
}

}  // namespace

FindStretches find_stretches_for(int width_a, int width_b) {
    switch (width_a) {
        case 1: return choose_second<1>(width_b);
        case 2: return choose_second<2>(width_b);
        case 4: return choose_second<4>(width_b);
        default: return choose_second<8>(width_b);
    }
}

}  // namespace segmetry
