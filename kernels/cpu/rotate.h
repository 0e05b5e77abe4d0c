// SPDX-License-Identifier: Apache-2.0
// The random Hadamard transform (kernels/dtype/hadamard.h) of a row-major matrix, with its bits; one thread.
// Each 16 numbers in a row, or one below the other in a column, are taken times R. `src` and `dst` may be the same array.
#pragma once

#include "kernels/dtype/block_format.h"

namespace mantissa {

enum class RotationAxis : std::uint8_t { Rows, Columns };

/// Whether the axis has a multiple of 16 numbers; what the functions below ask for.
bool canRotate(MatrixShape shape, RotationAxis axis);

/// fp32 results; training rounds them to bf16 before it quantises (roundArray).
void rotate(MatrixShape shape, RotationAxis axis, const float* src, float* dst);
/// Back again, but for the roundings of both.
void rotateBack(MatrixShape shape, RotationAxis axis, const float* src, float* dst);

}  // namespace mantissa
