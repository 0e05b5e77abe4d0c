// SPDX-License-Identifier: Apache-2.0
// Matrices in block formats that own their memory, for tests.
#pragma once

#include <vector>

#include "kernels/cpu/block_array.h"

namespace mantissa::test {

struct QuantizedMatrix {
    MatrixShape shape;
    std::vector<std::uint8_t> elements, scales;  // codes
    float tensorScale = 1;
};

/// Returns the shape of an array as one row.
inline MatrixShape rowOf(const std::vector<float>& values) {
    return {1, static_cast<std::int64_t>(values.size())};
}

inline QuantizedMatrix quantized(const BlockFormat& format, MatrixShape shape, const std::vector<float>& values,
                                 const RoundingMode& mode = {}) {
    QuantizedMatrix result{shape, std::vector<std::uint8_t>(values.size()),
                           std::vector<std::uint8_t>(static_cast<std::size_t>(format.scales(shape).count())),
                           tensorScaleOf(format, largestMagnitude(values.data(), shape.count()))};
    quantizeBlocks(format, shape, values.data(), result.tensorScale, result.elements.data(), result.scales.data(), mode);
    return result;
}

inline std::vector<float> dequantized(const BlockFormat& format, const QuantizedMatrix& matrix) {
    std::vector<float> values(matrix.elements.size());
    dequantizeBlocks(format, matrix.shape, matrix.elements.data(), matrix.scales.data(), matrix.tensorScale, values.data());
    return values;
}

}  // namespace mantissa::test
