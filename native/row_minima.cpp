#include "row_minima.hpp"

#include <limits>

#include "compat.hpp"

#if defined(SEGMETRY_AVX2)
#include <immintrin.h>
#endif

namespace segmetry {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

constexpr double smaller(double x, double y) { return x < y ? x : y; }

constexpr RowMinima kPlain{
    [](double *sums, const double *others, double square, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            sums[i] = smaller(others[i] + square, sums[i]);
        }
    },
    [](const double *x, const double *y, std::size_t n) {
        double lowest = kInfinite;
        for (std::size_t i = 0; i < n; ++i) {
            lowest = smaller(x[i] + y[i], lowest);
        }
        return lowest;
    },
    [](const double *x, std::size_t n) {
        double lowest = kInfinite;
        for (std::size_t i = 0; i < n; ++i) {
            lowest = smaller(x[i], lowest);
        }
        return lowest;
    },
};

#if defined(SEGMETRY_AVX2)

// Fewer than four numbers are left to the plain loops.
constexpr std::size_t kLanes = 4;

SEGMETRY_TARGET_AVX2 void lower(double *sums, const double *others, double square, std::size_t n) {
    const __m256d added = _mm256_set1_pd(square);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const __m256d sum = _mm256_add_pd(_mm256_loadu_pd(others + i), added);
        _mm256_storeu_pd(sums + i, _mm256_min_pd(sum, _mm256_loadu_pd(sums + i)));
    }
    kPlain.lower(sums + i, others + i, square, n - i);
}

// Compilers keep the order of a loop over numbers, so they use no vectors for a minimum. `load(i)` gives four numbers; the
// last four may be looked at twice, which changes no minimum.
template <typename Load>
SEGMETRY_TARGET_AVX2 inline double lowest_of(std::size_t n, Load load) {
    __m256d lowest = load(n - kLanes);
    for (std::size_t i = 0; i + kLanes < n; i += kLanes) {
        lowest = _mm256_min_pd(lowest, load(i));
    }
    const __m128d half = _mm_min_pd(_mm256_castpd256_pd128(lowest), _mm256_extractf128_pd(lowest, 1));
    return _mm_cvtsd_f64(_mm_min_sd(half, _mm_unpackhi_pd(half, half)));
}

struct LoadSums {
    const double *x, *y;
    SEGMETRY_TARGET_AVX2 __m256d operator()(std::size_t i) const {
        return _mm256_add_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i));
    }
};

struct LoadNumbers {
    const double *x;
    SEGMETRY_TARGET_AVX2 __m256d operator()(std::size_t i) const { return _mm256_loadu_pd(x + i); }
};

SEGMETRY_TARGET_AVX2 double lowest_sum(const double *x, const double *y, std::size_t n) {
    return n < kLanes ? kPlain.lowest_sum(x, y, n) : lowest_of(n, LoadSums{x, y});
}

SEGMETRY_TARGET_AVX2 double lowest(const double *x, std::size_t n) {
    return n < kLanes ? kPlain.lowest(x, n) : lowest_of(n, LoadNumbers{x});
}

constexpr RowMinima kAvx2{lower, lowest_sum, lowest};

#endif

}  // namespace

const RowMinima &row_minima([[maybe_unused]] int widest_vectors) {
#if defined(SEGMETRY_AVX2)
    static const bool avx2 = has_avx2();
    if (avx2 && widest_vectors >= 32) {
        return kAvx2;
    }
#endif
    return kPlain;
}

}  // namespace segmetry
