// SPDX-License-Identifier: Apache-2.0
// The random Hadamard transform (kernels/dtype/hadamard.h) of a row-major matrix, with identical bits; one thread. Multiplies each 16
// consecutive numbers of a row or column by R. `src` and `dst` may be the same array.
#pragma once

#include "kernels/dtype/block_format.h"

namespace mantissa {

enum class RotationAxis : std::uint8_t { Rows, Columns };

/// Whether the axis has a multiple of 16 numbers, as the functions below require.
bool canRotate(MatrixShape shape, RotationAxis axis);

/// Transforms to fp32; training rounds the results to bf16 before it quantises them (roundArray).
void rotate(MatrixShape shape, RotationAxis axis, const float* src, float* dst);
/// The inverse transform, exact except for rounding.
void rotateBack(MatrixShape shape, RotationAxis axis, const float* src, float* dst);

}  // namespace mantissa
