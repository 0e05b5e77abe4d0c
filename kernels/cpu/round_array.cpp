// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/round_array.h"

#include <cstdint>
#include <cstring>

#include "kernels/cpu/round_f16.h"
#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

// ivdep: src and dst may be one array, element for element, which the vectoriser would else take for a hazard.

MANTISSA_LOOP void roundTf32(const float* src, float* dst, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) dst[i] = Tf32Format::round(src[i]);
}
MANTISSA_LOOP void roundBf16(const float* src, float* dst, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) dst[i] = Bf16Format::round(src[i]);
}

MANTISSA_LOOP void encodeBf16(const float* src, std::uint16_t* dst, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) dst[i] = static_cast<std::uint16_t>(Bf16Format::encode(src[i]));
}

MANTISSA_LOOP void decodeBf16(const std::uint16_t* src, float* dst, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) dst[i] = Bf16Format::decode(src[i]);
}

void copyFloats(const void* src, void* dst, std::size_t count) {
    if (src != dst && count > 0) std::memcpy(dst, src, count * sizeof(float));
}

}  // namespace

void roundArray(Dtype dtype, const float* src, float* dst, std::size_t count) {
    switch (dtype) {
        case Dtype::F32:
            return copyFloats(src, dst, count);
        case Dtype::TF32:
            return roundTf32(src, dst, count);
        case Dtype::F16:
            return cpu::fastestF16().round(src, dst, count);
        case Dtype::BF16:
            return roundBf16(src, dst, count);
    }
}

void encodeArray(Dtype dtype, const float* src, void* dst, std::size_t count) {
    switch (dtype) {
        case Dtype::F32:
            return copyFloats(src, dst, count);
        case Dtype::TF32:
            return roundTf32(src, static_cast<float*>(dst), count);
        case Dtype::F16:
            return cpu::fastestF16().encode(src, static_cast<std::uint16_t*>(dst), count);
        case Dtype::BF16:
            return encodeBf16(src, static_cast<std::uint16_t*>(dst), count);
    }
}

void decodeArray(Dtype dtype, const void* src, float* dst, std::size_t count) {
    switch (dtype) {
        case Dtype::F32:
        case Dtype::TF32:
            return copyFloats(src, dst, count);
        case Dtype::F16:
            return cpu::fastestF16().decode(static_cast<const std::uint16_t*>(src), dst, count);
        case Dtype::BF16:
            return decodeBf16(static_cast<const std::uint16_t*>(src), dst, count);
    }
}

}  // namespace mantissa
