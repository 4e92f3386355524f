// The intrinsics of AVX-512, for files that are chosen at run time.
#pragma once

#include "compat.hpp"

#if defined(SEGMETRY_AVX512)

#include <immintrin.h>

// GCC's own headers make undefined vectors by `__m512i y = y`, of which it warns where they are inlined (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#endif
