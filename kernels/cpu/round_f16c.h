// SPDX-License-Identifier: Apache-2.0
// Rounding to fp16, nearest even, by the processor's conversions (part of round_array), with the bits of kernels/dtype/rounding.h. They
// process whole vectors and return the number of elements processed. For processors with VectorPath::Avx2 or Avx512.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/vector_paths.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace mantissa::cpu {

inline constexpr int kToNearestEven = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// NaN keeps its whole payload, as in rounding.h: x + x is x, quiet.
MANTISSA_AVX2 inline std::size_t roundF16c(const float* src, float* dst, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256 x = _mm256_loadu_ps(src + i), rounded = _mm256_cvtph_ps(_mm256_cvtps_ph(x, kToNearestEven));
        _mm256_storeu_ps(dst + i, _mm256_blendv_ps(rounded, _mm256_add_ps(x, x), _mm256_cmp_ps(x, x, _CMP_UNORD_Q)));
    }
    return i;
}
/// roundF16c, sixteen at a time. (With full masks: otherwise gcc 12 warns of undefined operands in its own headers.)
MANTISSA_AVX512 inline std::size_t roundF16cWide(const float* src, float* dst, std::size_t count) {
    constexpr __mmask16 kAll = 0xFFFF;
    std::size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512 x = _mm512_loadu_ps(src + i), rounded = _mm512_maskz_cvtph_ps(kAll, _mm512_maskz_cvtps_ph(kAll, x, kToNearestEven));
        _mm512_storeu_ps(dst + i, _mm512_mask_add_ps(rounded, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x, x));
    }
    return i;
}
MANTISSA_AVX2 inline std::size_t encodeF16c(const float* src, std::uint16_t* codes, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i), _mm256_cvtps_ph(_mm256_loadu_ps(src + i), kToNearestEven));
    }
    return i;
}
MANTISSA_AVX2 inline std::size_t decodeF16c(const std::uint16_t* codes, float* dst, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + i))));
    }
    return i;
}

}  // namespace mantissa::cpu
#endif
