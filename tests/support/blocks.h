// SPDX-License-Identifier: Apache-2.0
// Matrices in block formats that own their memory, for tests.
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/block_array.h"

namespace mantissa::test {

struct QuantizedMatrix {
    MatrixShape shape;
    std::vector<std::uint8_t> elements, scales;  // codes; fp32 scales as four bytes each
    float tensorScale = 1;
};

/// A format with each of its scale rules, or each of NVFP4's dialects.
inline std::vector<BlockFormat> everyVariant(const BlockFormat& format) {
    std::vector<BlockFormat> all;
    for (const ScaleRule rule : scaleRules(format)) all.push_back(withRule(format, rule));
    for (const Nvfp4Dialect dialect : kAllNvfp4Dialects) {
        if (format.isNvfp4()) all.emplace_back(format).dialect = dialect;
    }
    return all;
}

/// "round-up" or "te".
inline std::string variantName(const BlockFormat& format) {
    return std::string(format.isNvfp4() ? nvfp4DialectName(format.dialect) : scaleRuleName(format.rule));
}

/// A format with each storage of its scales: a byte each, and four if it can have fp32 ones.
inline std::vector<BlockFormat> everyStorage(const BlockFormat& format) {
    std::vector<BlockFormat> all{format};
    for (const ScaleRule rule : scaleRules(format)) {
        if (rule == ScaleRule::Fp32) all.push_back(withRule(format, rule));
    }
    return all;
}

/// Returns the shape of an array as one row.
inline MatrixShape rowOf(const std::vector<float>& values) {
    return {1, static_cast<std::int64_t>(values.size())};
}

inline QuantizedMatrix quantized(const BlockFormat& format, MatrixShape shape, const std::vector<float>& values,
                                 const RoundingMode& mode = {}) {
    QuantizedMatrix result{shape, std::vector<std::uint8_t>(values.size()),
                           std::vector<std::uint8_t>(static_cast<std::size_t>(format.scaleBytes(shape))),
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
