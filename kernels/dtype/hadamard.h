// SPDX-License-Identifier: Apache-2.0
// The random Hadamard transform of 16 numbers that NVFP4 training uses for weight gradients (arXiv 2509.25149; Transformer Engine d0067d0,
// torchao 36027d8): y = x R, R = diag(s) H / 4 with Sylvester's Hadamard matrix H of order 16 and fixed signs s. R is orthogonal, so
// (A R)(R^T B) = A B.
//
// fp32: each number is multiplied by s / 4, then four stages of sums and differences of numbers at distances 1, 2, 4 and 8. (The sources
// sum on tensor cores in an undocumented order; bits of unrounded results may differ.) One definition, for host and device.
#pragma once

#include <cstdint>

#include "kernels/dtype/host_device.h"

/// Before a loop over 16 numbers or their pairs, so that the loop around it is vectorised, and the numbers stay in registers.
#if defined(__CUDA_ARCH__)
#define MANTISSA_UNROLL_16 _Pragma("unroll")
#elif defined(__CUDACC__)
#define MANTISSA_UNROLL_16  // nvcc's host compiler knows neither, and nothing calls its code
#else
#define MANTISSA_UNROLL_16 _Pragma("GCC unroll 16")
#endif

namespace mantissa {

inline constexpr int kHadamardSize = 16;

/// Bit k is set where s_k is -1: s = (1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1).
inline constexpr std::uint32_t kHadamardSigns = 0xD7E8u;

/// Returns s_k / 4.
MANTISSA_HD inline float hadamardSign(int k) {
    return (kHadamardSigns >> k & 1u) != 0 ? -0.25f : 0.25f;
}

/// Sums and differences of numbers at `distance`.
template <int distance>
MANTISSA_HD inline void hadamardStage(float (&v)[kHadamardSize]) {
    MANTISSA_UNROLL_16 for (int pair = 0; pair < kHadamardSize / 2; ++pair) {
        const int k = pair / distance * 2 * distance + pair % distance;
        const float a = v[k], b = v[k + distance];
        v[k] = a + b;
        v[k + distance] = a - b;
    }
}

MANTISSA_HD inline void hadamardStages(float (&v)[kHadamardSize]) {
    hadamardStage<1>(v);
    hadamardStage<2>(v);
    hadamardStage<4>(v);
    hadamardStage<8>(v);
}

/// Replaces v by v R.
MANTISSA_HD inline void rotateSixteen(float (&v)[kHadamardSize]) {
    MANTISSA_UNROLL_16 for (int k = 0; k < kHadamardSize; ++k) v[k] *= hadamardSign(k);
    hadamardStages(v);
}

/// Replaces v by v R^T, the inverse.
MANTISSA_HD inline void rotateSixteenBack(float (&v)[kHadamardSize]) {
    MANTISSA_UNROLL_16 for (float& x : v) x *= 0.25f;
    hadamardStages(v);
    MANTISSA_UNROLL_16 for (int k = 0; k < kHadamardSize; ++k) v[k] = hadamardSign(k) < 0 ? -v[k] : v[k];
}

}  // namespace mantissa
