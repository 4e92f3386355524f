// Which vector instructions are available.
#pragma once

// -DSEGMETRY_PORTABLE selects the version without vector instructions, to test it on any machine.
#if defined(SEGMETRY_PORTABLE)
#elif defined(__SSE2__) || defined(_M_X64)
#define SEGMETRY_SSE2
#include <emmintrin.h>
#elif (defined(__ARM_NEON) && defined(__aarch64__)) || defined(_M_ARM64)
#define SEGMETRY_NEON
#include <arm_neon.h>
#endif
