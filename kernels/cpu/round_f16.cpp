// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/round_f16.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cpu {
namespace {

MANTISSA_LOOP void roundPortable(const float* src, float* dst, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) dst[i] = F16Format::round(src[i]);
}
MANTISSA_LOOP void encodePortable(const float* src, std::uint16_t* dst, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) dst[i] = static_cast<std::uint16_t>(F16Format::encode(src[i]));
}
MANTISSA_LOOP void decodePortable(const std::uint16_t* src, float* dst, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) dst[i] = F16Format::decode(src[i]);
}

#if defined(__x86_64__)

constexpr int kNearestEven = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

// The tails, shorter than a vector, go the portable way: the bits are the same.

__attribute__((target("avx,f16c"))) void roundF16c(const float* src, float* dst, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(src + i), kNearestEven)));
    }
    roundPortable(src + i, dst + i, count - i);
}
__attribute__((target("avx,f16c"))) void encodeF16c(const float* src, std::uint16_t* dst, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), _mm256_cvtps_ph(_mm256_loadu_ps(src + i), kNearestEven));
    }
    encodePortable(src + i, dst + i, count - i);
}
__attribute__((target("avx,f16c"))) void decodeF16c(const std::uint16_t* src, float* dst, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i))));
    }
    decodePortable(src + i, dst + i, count - i);
}

#endif

constexpr F16Arrays kPortable{"portable", roundPortable, encodePortable, decodePortable};

F16Arrays choose() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c")) return {"F16C", roundF16c, encodeF16c, decodeF16c};
#endif
    return kPortable;
}

}  // namespace

const F16Arrays& portableF16() {
    return kPortable;
}

const F16Arrays& fastestF16() {
    static const F16Arrays kChosen = choose();
    return kChosen;
}

}  // namespace mantissa::cpu
