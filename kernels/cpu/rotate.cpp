// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/rotate.h"

#include <cassert>

#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/hadamard.h"

namespace mantissa {
namespace cpu {
namespace {

constexpr std::int64_t kSixteen = kHadamardSize;

/// Transforms groups of sixteen numbers: `step` apart within a group, `next` from group to group. Unrolling the inner loops lets the outer
/// one vectorise.
template <typename Turn>
inline void turnAll(const float* src, float* dst, std::int64_t step, std::int64_t next, std::int64_t count, Turn turn) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        float v[kHadamardSize];
#pragma GCC unroll 16
        for (std::int64_t k = 0; k < kSixteen; ++k) v[k] = src[i * next + k * step];
        turn(v);
#pragma GCC unroll 16
        for (std::int64_t k = 0; k < kSixteen; ++k) dst[i * next + k * step] = v[k];
    }
}

MANTISSA_LOOP void turnColumns(const float* src, float* dst, std::int64_t cols, bool isBack) {
    if (isBack) return turnAll(src, dst, cols, 1, cols, [](auto& v) { rotateSixteenBack(v); });
    turnAll(src, dst, cols, 1, cols, [](auto& v) { rotateSixteen(v); });
}

MANTISSA_LOOP void turnRows(const float* src, float* dst, std::int64_t count, bool isBack) {
    if (isBack) return turnAll(src, dst, 1, kSixteen, count, [](auto& v) { rotateSixteenBack(v); });
    turnAll(src, dst, 1, kSixteen, count, [](auto& v) { rotateSixteen(v); });
}

void turnMatrix(MatrixShape shape, RotationAxis axis, const float* src, float* dst, bool isBack) {
    assert(canRotate(shape, axis));
    if (axis == RotationAxis::Rows) return turnRows(src, dst, shape.count() / kSixteen, isBack);
    const std::int64_t strip = kSixteen * shape.cols;
    for (std::int64_t first = 0; first < shape.count(); first += strip) turnColumns(src + first, dst + first, shape.cols, isBack);
}

}  // namespace
}  // namespace cpu

bool canRotate(MatrixShape shape, RotationAxis axis) {
    return (axis == RotationAxis::Rows ? shape.cols : shape.rows) % kHadamardSize == 0;
}

void rotate(MatrixShape shape, RotationAxis axis, const float* src, float* dst) {
    cpu::turnMatrix(shape, axis, src, dst, false);
}

void rotateBack(MatrixShape shape, RotationAxis axis, const float* src, float* dst) {
    cpu::turnMatrix(shape, axis, src, dst, true);
}

}  // namespace mantissa
